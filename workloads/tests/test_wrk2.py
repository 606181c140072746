"""The command line of due, and loads from its JSON."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from workloads.record.settling import PARTS_AT_LEAST
from workloads.tools import wrk2

SERVER = SimpleNamespace(address="127.0.0.1", port=8080)
SPEC = {
    "study": {"body_bytes": 42},
    "tier": {"path": "/jmeter/test"},
    "testbed": {"request_timeout_s": 10},
    "tool": {"connections": 100, "rate_per_s": 500, "duration_s": 4, "warm_up_s": 1},
}
DUE = {
    "offered_per_s": 500,
    "start_epoch_s": 10.0,
    "end_epoch_s": 14.0,
    "requests": {
        "due": 2000,
        "sent": 1990,
        "completed": 1985,
        "in_flight_at_end": 2,
        "unsent_at_end": 10,
        "completed_in_warm_up": 3,
        "failed_in_warm_up": 1,
    },
    "status": {"2xx": 1980, "3xx": 0, "4xx": 0, "5xx": 5},
    "errors": {"connect_refused": 3, "timeout": 0},
    "bodies_right": 1978,
    "connections_opened": 103,
    "reconnects": 3,
    "delivered_per_s": 397.0,
    "received_bytes": 1,
    "sent_bytes": 2,
    "was_the_limit": True,
    "was_the_limit_reason": "late",
    "latency_us": {"uncorrected": {"min": 110.0}, "corrected": {"mean": 2500.0}},
}


def command_of(spec=SPEC, **tool):
    return wrk2.command(spec | {"tool": SPEC["tool"] | tool}, Path("java"), SERVER)


def after(option, command):
    return command[command.index(option) + 1]


def test_burst_is_due_together():
    command = command_of(at_once=True, rate_per_s=5000.0, connections=500, warm_up_s=0)
    assert after("--schedule", command) == "burst"
    assert {"-c500", "-R5000.0"} <= set(command)
    steady = command_of(connections=2000)
    assert "--schedule" not in steady
    assert after("--series", steady) == "series.csv"


MIX = {"mix": {"path": "/long?cpu_us=50000", "share": 0.05}}


def test_random_arrivals_and_a_mix_are_said_to_due():
    command = command_of(arrivals="poisson", seed=7, **MIX)
    words = {"--schedule": "poisson", "--seed": "7", "--mix": "0.05:/long?cpu_us=50000"}
    words["--hgrm-mixed-in"] = "latency-mixed-in.hgrm"
    assert {flag: after(flag, command) for flag in words} == words
    # The paths of a mix are warmed up together.
    warm_up = {"connections": 5, "rate_per_s": 100, "duration_s": 0.3} | MIX
    by_due = wrk2.due_command(warm_up, "http://127.0.0.1:8080/short")
    assert after("--mix", by_due) == words["--mix"]
    assert set(command_of()).isdisjoint(words)


def test_mix_says_what_it_adds():
    assert "mixed_in" not in wrk2.from_due(DUE)
    mixed_in = {"completed": 397, "latency_us": {"mean": 90_000.0}}
    load = wrk2.from_due(DUE | {"mixed_in": mixed_in})
    assert load["mixed_in"] == {"share": 0.2, "latency_mean_ms": 90}
    assert load["latency_mean_ms"] == 2.5


@pytest.mark.parametrize(("duration_s", "every"), [(0.5, "25ms"), (1, "50ms"), (4, "50ms")])
def test_course_of_a_short_load_has_enough_intervals_for_the_test_of_settling(duration_s, every):
    assert after("--series-every", command_of(duration_s=duration_s)) == every
    assert duration_s * 1000 / float(every.removesuffix("ms")) >= PARTS_AT_LEAST


def test_every_due_request_is_accounted_for():
    load = wrk2.from_due(DUE)
    assert load["requests_offered"] == load["requests_recorded"] == 2000
    assert load["errors"] == {"connect_refused": 3, "http_5xx": 5, "unanswered": 2, "unsent": 10}
    assert load["error_share"] == pytest.approx(0.01)
    # 397 answers a second came within the window, 1980 of all 1985 were good
    assert load["throughput_per_s"] == pytest.approx(396)
    assert load["limited_by_generator"] == "late"
    assert load["bodies_right"] == 1978
    assert (load["connections_opened"], load["reconnects"]) == (103, 3)
    assert load["latency_mean_ms"] == 2.5
    assert (load["answers_in_warm_up"], load["failures_in_warm_up"]) == (3, 1)
    # The warm-up's, the window's, and two that were still in flight; not those never sent.
    assert load["counted_requests"] == 3 + 1985 + 2
    assert load["latency_min_ms"] is None  # five refusals are among the latencies


def test_fastest_answer_is_told_where_all_were_right():
    status = {"2xx": 1985, "3xx": 0, "4xx": 0, "5xx": 0}
    assert wrk2.from_due(DUE | {"status": status})["latency_min_ms"] == 0.11


def test_due_counts_bodies_of_the_right_length_where_there_is_one():
    assert after("--body-bytes", command_of()) == "42"
    assert after("--hgrm-without-lag", command_of()) == "latency-without-lag.hgrm"
    assert "--body-bytes" not in command_of(SPEC | {"study": {}})
