"""One load of the tool overload: how due is called, and which answers came in time."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from workloads.tests.simulated import Queue, exponential, load
from workloads.tools import overload, wrk2

SPEC = {
    "study": {"body_bytes": 42},
    "tier": {"path": "/page", "sleep_ms": 0},
    "testbed": {"request_timeout_s": 10},
    "slices": {"rounds": 1},
    "tool": {"id": "overload", "connections": 8000, "objective_ms": 2000}
    | {"steps": [[0.5, 10], [1.5, 10]], "duration_s": 20, "warm_up_s": 0.1},
}


@pytest.fixture(autouse=True)
def due_alone(monkeypatch):
    monkeypatch.setattr(wrk2, "version", lambda program: Path(program).name)


def command_of(spec):
    return overload.command(spec, Path("java"), SimpleNamespace(address="127.0.0.1", port=80))


def test_due_is_asked_for_the_steps_and_its_answers():
    command = command_of(overload.course_at(SPEC, 1234.567, 77))

    def after(option):
        return command[command.index(option) + 1]

    assert {"-R1234.57", "-c8000"} <= set(command)
    assert (after("--steps"), after("--answers")) == ("0.5x10s,1.5x10s", "answers.csv")
    assert (after("--schedule"), after("--seed"), after("--timeout")) == ("poisson", "77", "10s")
    # Each user comes once.
    assert "Connection: close" in command
    assert command[-1] == "http://127.0.0.1:80/page"
    assert overload.generator(SPEC) == {"name": "due", "version": "due"}


def test_load_that_calibrates_has_no_steps():
    spec = overload.course_at(SPEC, 100, 1)
    command = command_of(spec | {"tool": spec["tool"] | {"steps": []}})
    assert not {"--steps", "--answers"} & set(command)


def collected(tmp_path, **tool):
    spec = overload.course_at(SPEC, 100, 3)
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


def test_server_has_longer_to_answer_than_after_other_loads():
    assert overload.ANSWER_LIMIT_S == 10
