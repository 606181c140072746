"""The noise of a machine: how it is measured, what is said; no measurement is disturbed."""

import contextlib
import fcntl
import math
import os
from pathlib import Path

import pytest
import yaml

from profiles.watch import limits, noise
from profiles.watch.noise import Noise

ROOT = Path(__file__).resolve().parents[3]
QUIET = Noise(0.0, 0.01, 0.995, {"p50": 60.0, "p99": 120.0, "max": 900.0}, 0.01, 0)


def test_spread_is_that_of_neighboring_windows():
    assert noise.spread([100, 100, 100]) == 0
    # 10 % up and down again.
    assert noise.spread([100, 110, 100]) == pytest.approx(math.log(1.1))
    # A drift is no more than its steps.
    assert noise.spread([100, 101, 102, 103]) < 0.0101


def test_interval_is_students_of_the_rounds_of_a_default_run():
    config = yaml.safe_load((ROOT / "config.yaml").read_text())
    assert config["slices"]["rounds"] == noise.ROUNDS
    assert config["repetitions"] == noise.SESSIONS
    assert QUIET.interval == pytest.approx(math.exp(2.201 * 0.01 / math.sqrt(12)) - 1)


def test_a_quiet_machine_gets_no_advice():
    found = noise.lines(QUIET)
    assert [line.advice for line in found] == [""] * len(found)
    assert found[-1].found.startswith("at least ± 0.6% of a ratio after 2 sessions of 6 rounds")


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"steal_share": 0.011}, "steal"),
        ({"others_share": 0.051}, "other processes"),
        ({"late_us": {"p50": 60.0, "p99": 1001.0, "max": 5000.0}}, "wake-up latency, us"),
        ({"had_share": 0.96}, "CPU time with all CPUs busy"),
        ({"throttled": 1}, "CPU time with all CPUs busy"),
        ({"spread": 0.2}, "interval to expect"),
    ],
)
def test_what_is_not_quiet_has_advice(change, name):
    noisy = Noise(**(vars(QUIET) | change))
    assert [line.name for line in noise.lines(noisy) if line.advice] == [name]
    if "throttled" in change:
        assert "a quota stopped us 1 times" in noise.lines(noisy)[3].advice


def test_this_machine_is_measured():
    found = noise.measure(0.2, 1.5)
    assert 0 <= found.steal_share <= 1 and 0 <= found.others_share <= 1
    assert 0 < found.had_share < 1.05
    assert 0 < found.late_us["p50"] <= found.late_us["p99"] <= found.late_us["max"]
    assert 0 < found.interval < 10


def test_a_measurement_that_runs_is_not_disturbed(monkeypatch):
    monkeypatch.setattr(noise, "measure", lambda: QUIET)
    held = os.open(limits.LOCK, os.O_RDONLY)
    # Another one may hold it while this test runs.
    with contextlib.suppress(BlockingIOError):
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    (line,) = noise.report()
    os.close(held)
    assert (line.found, line.advice) == ("not measured", noise.TAKEN)
