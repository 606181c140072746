"""The speed probe: what it writes is read while it runs, and a slow time is seen as one."""

import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from profiles.watch import speed
from profiles.watch.speed import Speed, Speeds

ROOT = Path(__file__).resolve().parents[3]
CPU = sorted(os.sched_getaffinity(0))[0]


@pytest.fixture
def written(tmp_path):
    """Writes what the probe of a CPU would have written; returns the file."""

    def write(cpu, rows, tail=""):
        path = tmp_path / f"speed-{cpu}.csv"
        path.write_text("".join(f"{t:.3f},{cpu},{ns}\n" for t, ns in rows) + tail)
        return path

    return write


def test_slow_window_is_relative_to_what_is_usual_of_the_same_cpus(written):
    steady = [(float(t), 1000) for t in range(8)]
    slow = [(8.0, 1200), (9.0, 1800), (10.0, 1200)]
    speeds = Speeds([written(0, steady + slow), written(1, [(t, 9000) for t, _ in steady + slow])])
    assert speeds.of([0], 0, 3.5) == speeds.of([0], 4, 7.5) == Speed(1.0, 1.0)
    assert speeds.of([0], 8, 10) == Speed(1.2, pytest.approx(1.4))
    assert speeds.of([1], 8, 10) == Speed(1.0, 9.0)
    # Neither a window without a value nor a CPU without a probe has a speed.
    assert speeds.of([0], 11, 12) == speeds.of([2], 0, 10) == Speed(None, None)


def test_usual_is_what_loaded_machines_do(written):
    resting, loaded = [(float(t), 1000) for t in range(8)], [(8.0 + t, 1500) for t in range(8)]
    speeds = Speeds([written(0, resting + loaded)])
    # Nothing of the first load is usual yet.
    assert speeds.of([0], 8, 10).relative == 1.0
    assert speeds.of([0], 11, 13).relative == 1.0
    assert speeds.of([0], 3, 5).relative == pytest.approx(2 / 3)


def test_cpu_that_sleeps_between_requests_is_not_slow_but_a_slow_one_is(written):
    busy = [(t / 50, 1000) for t in range(50)]
    waking = [(1 + t / 50, 1000 if t % 5 == 0 else 1700) for t in range(50)]
    shared = [(2 + t / 50, 1200 + 10 * (t % 50)) for t in range(50)]
    speeds = Speeds([written(0, busy + waking + shared)])
    assert speeds.of([0], 0, 0.99) == Speed(1.0, 1.0)
    assert speeds.of([0], 1, 1.99) == Speed(1.0, pytest.approx(1.56))
    assert speeds.of([0], 2, 2.99).relative == pytest.approx(1.25)


def test_line_that_is_still_being_written_counts_once_it_is_whole(written):
    path = written(0, [(1.0, 1000), (2.0, 1000)], tail="3.0,0,10")
    speeds = Speeds([path])
    assert speeds.rows() == [(1.0, 0, 1000), (2.0, 0, 1000)]
    with path.open("a") as file:
        file.write("00\n4.0,0,9")
    assert speeds.rows()[2:] == [(3.0, 0, 1000)]
    assert Speeds([written(1, [], tail="1.0,0")]).rows() == []


def test_probe_that_has_ended_is_a_fault_with_what_it_said(written):
    path = written(0, [(1.0, 1000)], tail="MemoryError: no more\n")
    alive, ended = (SimpleNamespace(ended=lambda is_so=so: is_so, exit_status=1) for so in (0, 1))
    assert len(Speeds([written(1, [(1.0, 1000)])], [alive]).rows()) == 1
    with pytest.raises(RuntimeError, match=r"the probe speed-0 ended \(1\): MemoryError: no more"):
        Speeds([path], [ended]).of([0], 0, 2)


def test_computation_is_always_the_same_and_takes_cpu_time():
    assert speed.computation_ns() > 0
    before_ns = time.thread_time_ns()
    took_ns = speed.computation_ns()
    assert took_ns <= time.thread_time_ns() - before_ns


def test_probe_stays_on_its_cpu_and_is_the_last_to_run(tmp_path):
    path = tmp_path / "speed.csv"
    with path.open("w") as out:
        argv = [sys.executable, "-m", "profiles.watch.speed", str(CPU)]
        process = subprocess.Popen(argv, stdout=out, cwd=ROOT)
    try:
        deadline_s = time.monotonic() + 60
        while len(Speeds([path]).rows()) < 2 and time.monotonic() < deadline_s:
            time.sleep(0.05)
        assert os.sched_getaffinity(process.pid) == {CPU}
        assert os.sched_getscheduler(process.pid) == os.SCHED_IDLE
    finally:
        process.kill()
        process.wait()
    rows = Speeds([path]).rows()
    assert len(rows) >= 2
    assert {cpu for _, cpu, _ in rows} == {CPU}
    assert all(abs(at_s - time.time()) < 120 and ns > 0 for at_s, _, ns in rows)
