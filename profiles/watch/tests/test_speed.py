"""The speed probe: what it writes is read while it runs, and a slow time is seen as one."""

import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from profiles.watch.speed import Speed, Speeds

ROOT = Path(__file__).resolve().parents[3]
CPU = sorted(os.sched_getaffinity(0))[0]


@pytest.fixture
def written(tmp_path):
    """Writes what the probe of a CPU would have written; returns the file."""

    def write(rows, tail="", cpu=0):
        path = tmp_path / f"speed-{cpu}.csv"
        path.write_text("".join(f"{t:.3f},{ns}\n" for t, ns in rows) + tail)
        return path

    return write


def test_slow_window_is_relative_to_what_is_usual_under_load(written):
    resting, loaded = [(float(t), 1000) for t in range(8)], [(8.0 + t, 1500) for t in range(8)]
    speeds = Speeds([written(loaded, cpu=1), written(resting)])
    # Nothing of the first load is usual yet.
    assert speeds.of(8, 10) == speeds.of(11, 13) == Speed(1.0, 1.5)
    assert speeds.of(3, 5) == Speed(pytest.approx(2 / 3), 1.0)
    assert speeds.of(16, 17) == Speed(None, None)


def test_cpu_that_sleeps_between_requests_is_not_slow_but_a_slow_one_is(written):
    busy = [(t / 50, 1000) for t in range(50)]
    waking = [(1 + t / 50, 1000 if t % 5 == 0 else 1700) for t in range(50)]
    shared = [(2 + t / 50, 1200 + 10 * (t % 50)) for t in range(50)]
    speeds = Speeds([written(busy + waking + shared)])
    assert speeds.of(0, 0.99) == Speed(1.0, 1.0)
    assert speeds.of(1, 1.99) == Speed(1.0, pytest.approx(1.56))
    assert speeds.of(2, 2.99).relative == pytest.approx(1.25)


def test_line_that_is_still_being_written_counts_once_it_is_whole(written):
    path = written([], tail="31.0,1")
    speeds = Speeds([path])
    assert speeds.rows() == []
    with path.open("a") as file:
        file.write("000\n32.0,1000\n33.0,9")
    assert speeds.rows() == [(31.0, 1000), (32.0, 1000)]


def test_probe_that_has_ended_is_a_fault_with_what_it_said(written):
    path = written([(1.0, 1000)], tail="MemoryError: no more\n")
    ended = SimpleNamespace(ended=lambda: True, exit_status=1)
    with pytest.raises(RuntimeError, match=r"the probe speed-0 ended \(1\): MemoryError: no more"):
        Speeds([path], [ended]).of(0, 2)


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
    assert all(abs(at_s - time.time()) < 120 and ns > 0 for at_s, ns in rows)
