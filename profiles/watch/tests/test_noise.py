"""The noise of a machine: how it is measured, what is said; no measurement is disturbed."""

import contextlib
import fcntl
import math
import multiprocessing
import os
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from profiles.watch import limits, noise
from profiles.watch.noise import Noise

ROOT = Path(__file__).resolve().parents[3]
QUIET = Noise(0.0, 0.01, 0.995, {"p50": 60.0, "p99": 120.0, "max": 900.0}, 0.01, 0, 0.0)


def test_spread_is_that_of_neighboring_windows():
    # 10 % up and down again.
    assert noise.spread([100, 110, 100]) == pytest.approx(math.log(1.1))
    # A drift is no more than its steps.
    assert noise.spread([100, 101, 102, 103]) < 0.0101


def test_interval_is_students_of_the_rounds_of_a_default_run():
    config = yaml.safe_load((ROOT / "config.yaml").read_text())
    assert config["slices"]["rounds"] == noise.ROUNDS
    assert config["repetitions"] == 1
    assert QUIET.interval == pytest.approx(math.exp(2.571 * 0.01 / math.sqrt(6)) - 1)


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({}, ""),
        ({"steal_share": 0.011}, "steal"),
        ({"others_share": 0.051}, "other processes"),
        ({"late_us": {"p50": 60.0, "p99": 1001.0, "max": 5000.0}}, "wake-up latency, us"),
        ({"had_share": 0.96}, "CPU time with all CPUs busy"),
        ({"throttled": 1}, "CPU time with all CPUs busy"),
        ({"spread": 0.2}, "interval to expect"),
        ({"lost_share": 0.4}, "rounds of a comparison"),
    ],
)
def test_what_is_not_quiet_has_advice(change, name):
    noisy = replace(QUIET, **change)
    assert "".join(line.name for line in noise.lines(noisy) if line.advice) == name


@pytest.mark.parametrize(
    ("lost_share", "lost_rounds"),
    # Both sides of a round must count: 1 - 0.9 x 0.9, and 1 - 0.5 x 0.5.
    [(0.1, 1.14), (0.5, 4.5), (1.0, 6.0)],
)
def test_rounds_that_a_machine_loses_are_said(lost_share, lost_rounds):
    noisy = replace(QUIET, lost_share=lost_share)
    assert noisy.lost_rounds == pytest.approx(lost_rounds)
    line = noise.lines(noisy)[-1]
    assert line.found == f"about {lost_rounds:.1f} of 6 will not count for latency"
    # Where more than half are lost, what stays open is said, too.
    assert ("will not be decided" in line.advice) is (lost_rounds > 3)
    # Fewer than three of twice as many rounds count.
    assert ("latency, throughput" in line.advice) is (lost_rounds == 6)


@pytest.mark.parametrize(
    ("steal_s", "others_s", "lost"),
    [(0.04, 0.14, False), (0.06, 0.0, True), (0.0, 0.16, True)],
)
def test_window_is_lost_where_a_slice_would_be(steal_s, others_s, lost):
    """A second of two CPUs, half of it our own; steal is not busy time."""
    before = noise.Read(10.0, 100.0, 5.0)
    after = noise.Read(11.0, 100.0 + 1.0 - 2 * others_s, 5.0 + 2 * steal_s)
    found = noise.taken(before, after, 1.0, 2)
    assert found == pytest.approx((steal_s, others_s))
    assert noise.is_lost(found) is lost


def test_windows_of_another_program_are_lost(monkeypatch):
    """It takes the time of a CPU, while we sleep and while we compute."""
    monkeypatch.setattr(limits, "throttled", iter([3, 8]).__next__)
    loads = [multiprocessing.Process(target=burn, daemon=True) for _ in range(os.cpu_count())]
    for load in loads:
        load.start()
    try:
        found = noise.measure(0.5, 1.0)
    finally:
        for load in loads:
            load.kill()
    assert (found.lost_share, found.throttled) == (1, 5)
    assert 0.5 < found.others_share <= 1 and 0 <= found.steal_share <= 1
    assert 0 < found.had_share < 1.05
    assert 0 < found.late_us["p50"] <= found.late_us["p99"] <= found.late_us["max"]


def burn():
    while True:
        pass


def test_a_measurement_that_runs_is_not_disturbed(monkeypatch):
    monkeypatch.setattr(noise, "measure", lambda: QUIET)
    held = os.open(limits.LOCK, os.O_RDONLY)
    # Another one may hold it while this test runs.
    with contextlib.suppress(BlockingIOError):
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    (line,) = noise.report()
    os.close(held)
    assert (line.found, line.advice) == ("not measured", noise.TAKEN)
