"""A load of a sweep or an overload: how due is called, and what its course and answers say."""

import json

import pytest

from workloads.record.overload import Interval
from workloads.tests.simulated import Queue, exponential, load
from workloads.tools import overload, sweep
from workloads.tools.sweep import EVERY_S, is_sustained, oldest_s, served_per_s

SPEC = {
    "study": {"body_bytes": 42},
    "tier": {"path": "/work", "sleep_ms": 0},
    "testbed": {"request_timeout_s": 10},
    "slices": {"rounds": 2},
    "tool": {
        "id": "sweep",
        "connections": 500,
        "objective_ms": 20,
        "arrivals": "poisson",
        "duration_s": 0.5,
        "warm_up_s": 0.1,
    },
}


STEPS = {"objective_ms": 2000, "connections": 8000, "duration_s": 20}
STEPS |= {"id": "overload", "steps": [[0.5, 10], [1.5, 10]]}
OVERLOAD = SPEC | {"tool": SPEC["tool"] | STEPS}


def collected(tmp_path, **tool):
    spec = overload.course_at(OVERLOAD, 100, 3)
    spec = spec | {"tool": spec["tool"] | {"duration_s": 2} | tool}
    load(Queue(exponential(1000)), spec["tool"], tmp_path)
    (tmp_path / "answers.csv").write_text("due_s,latency_us,count\n0,2000000,60\n1,2000001,20\n")
    return overload.collect(spec, tmp_path, (0, 1))


def test_answer_that_is_late_has_failed(tmp_path):
    found = collected(tmp_path)
    due = json.loads((tmp_path / "load.json").read_text())["requests"]["due"]
    assert found["error_share"] == pytest.approx(1 - 60 / due)
    # But the server has answered it right.
    assert found["responses_2xx"] == due
    assert found["offered_per_s"] == pytest.approx(due / 2)
    assert (found["capacity_per_s"], found["objective_ms"]) == (100, 2000)
    assert found["steps"] == [[0.5, 10], [1.5, 10]]
    assert "sustained" not in found


def test_load_that_calibrates_tells_what_was_served(tmp_path):
    found = collected(tmp_path, steps=[])
    assert found["served_per_s"] > 0 and "capacity_per_s" not in found
    assert found["error_share"] == 0


def test_load_has_twice_the_connections_that_the_objective_keeps_busy():
    found = [sweep.load_at(SPEC, rate, 1)["tool"]["connections"] for rate in (1000, 1, 10**6)]
    # 1,000/s x 20 ms are 20; and ten more.
    assert found == [50, 11, 500]
    assert sweep.busy_connections(SPEC, 1000) == 20


def test_load_at_a_low_rate_lasts_until_all_rounds_have_a_p99():
    def duration_s(rate, **shorter):
        return sweep.load_at(SPEC, rate, 1, **shorter)["tool"]["duration_s"]

    assert [duration_s(rate) for rate in (4000, 1000, 200, 10)] == [0.5, 0.5, 2.5, 5]
    assert duration_s(10, duration_s=0.3) == 0.3


def course_of(due_s, latency_s, lasts_s=0.5, tail_s=3.0):
    """The course of requests that are due at these times and take so long (by their time)."""
    bins = round((lasts_s + tail_s) / EVERY_S)
    due, ended = [0] * bins, [0] * bins
    for at_s in due_s:
        due[int(at_s / EVERY_S)] += 1
        ended[int((at_s + latency_s(at_s)) / EVERY_S)] += 1
    return [Interval(i * EVERY_S, due[i], ended[i], 0, due[i]) for i in range(bins)]


def every(rate, lasts_s=0.5):
    return [k / rate for k in range(round(rate * lasts_s))]


def load_of(due_s, lasts_s=0.5, right=1.0):
    count = len(due_s)
    return {"duration_s": lasts_s, "requests_offered": count, "responses_2xx": round(right * count)}


def overloaded(by):
    """Latency where requests come `by` times as fast as they are answered."""
    return lambda at_s: 0.002 + at_s * (by - 1)


@pytest.mark.parametrize("rate", [20, 500, 10_000])
def test_server_that_answers_as_fast_as_requests_come_keeps_up(rate):
    due_s = every(rate)
    for latency_s in (0.0005, 0.004, 0.1):
        course = course_of(due_s, lambda at_s, takes_s=latency_s: takes_s)
        assert is_sustained(load_of(due_s), course, latency_s), latency_s


@pytest.mark.parametrize(("by", "sustained"), [(1.05, True), (1.2, False), (2.0, False)])
def test_backlog_that_grows_is_not_sustained(by, sustained):
    due_s = every(1000)
    assert is_sustained(load_of(due_s), course_of(due_s, overloaded(by)), 0) == sustained


def test_requests_that_wait_are_no_backlog_and_those_behind_them_are():
    due_s = every(400, lasts_s=2.5)
    waits = course_of(due_s, lambda at_s: 1.0, lasts_s=2.5)
    assert oldest_s(waits, 2.5) == pytest.approx(1, abs=0.02)
    assert is_sustained(load_of(due_s, 2.5), waits, 1)
    # A pool for 333 at a time: every second a round of them.
    behind = course_of(due_s, lambda at_s: 1.0 + at_s * 0.2, lasts_s=2.5)
    assert not is_sustained(load_of(due_s, 2.5), behind, 1)


def test_gaps_between_requests_are_no_backlog():
    # One in the first half, two in the last interval: each is answered within a millisecond.
    due_s = [0.1, 0.4905, 0.491]
    assert is_sustained(load_of(due_s), course_of(due_s, lambda at_s: 0.001), 0)
    # One request that waits 100 ms, and none is in flight in the middle.
    late = course_of([0.42], lambda at_s: 0.1)
    assert is_sustained(load_of([0.42]), late, 0.1)
    assert not is_sustained(load_of([0.42]), late, 0)
    nothing = course_of([], None)
    assert is_sustained(load_of([]), nothing, 0)
    assert oldest_s(nothing, 0.5) == 0


def test_answers_that_are_not_right_are_not_sustained():
    due_s = every(1000)
    course = course_of(due_s, lambda at_s: 0.001)
    assert is_sustained(load_of(due_s, right=0.99), course, 0)
    assert not is_sustained(load_of(due_s, right=0.988), course, 0)


def test_failures_end_requests_as_answers_do():
    course = [Interval(i * EVERY_S, 10, 5, 5, 10) for i in range(50)]
    assert oldest_s(course, 0.5) == 0


@pytest.mark.parametrize("latency_s", [0.001, 0.1, 1.0])
def test_rate_that_is_served_is_the_rate_whatever_a_request_takes(latency_s):
    due_s = every(1000)
    course = course_of(due_s, lambda at_s: latency_s)
    assert served_per_s(load_of(due_s), course) == pytest.approx(1000, rel=0.03)


@pytest.mark.parametrize("by", [1.2, 2.0, 4.0])
def test_rate_that_is_served_beyond_the_capacity_is_the_capacity(by):
    due_s = every(1000)
    course = course_of(due_s, overloaded(by))
    assert served_per_s(load_of(due_s), course) == pytest.approx(1000 / by, rel=0.03)
    half = load_of(due_s, right=0.5)
    assert served_per_s(half, course) == pytest.approx(500 / by, rel=0.03)


def test_straggler_does_not_count():
    due_s = every(1000)
    course = course_of(due_s, lambda at_s: 2.0 if at_s == 0.25 else 0.001)
    assert served_per_s(load_of(due_s), course) == pytest.approx(1000, rel=0.03)
    assert served_per_s(load_of([]), course_of([], None)) == 0
    # Where nothing was due there is no course.
    assert served_per_s(load_of([]), []) == 0
