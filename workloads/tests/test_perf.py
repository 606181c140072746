"""A database's profile: recorded where perf can, in epoch time, and never in the way."""

import os
import shutil
import subprocess
import time

import pytest

from profiles.convert import perf_stacks
from workloads.servers import perf

BURN = "while :; do :; done"
CPUS = sorted(os.sched_getaffinity(0))


@pytest.fixture
def busy():
    process = subprocess.Popen(["sh", "-c", f"printf busy > /proc/$$/comm; {BURN}"])
    yield process
    process.kill()
    process.wait()


def test_without_perf_there_is_no_profile(monkeypatch, tmp_path, busy):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert perf.record(busy.pid, CPUS, tmp_path) is None
    assert perf.facts(tmp_path) == {"file": None}


def recorded(folder, pid, lasts_s):
    """Stacks of a process, and the epoch times between which they were recorded."""
    start_s = time.time()
    recorder = perf.record(pid, CPUS, folder)
    time.sleep(lasts_s)
    if recorder.ended():
        pytest.skip("the kernel forbids it: " + (folder / perf.LOG).read_text()[:200])
    recorder.stop(10)
    end_s = time.time()
    return perf_stacks.collapsed(folder / perf.DATA, start_s, end_s, ["busy"]), end_s


@pytest.mark.skipif(not shutil.which("perf"), reason="no perf here")
def test_what_is_recorded_can_be_cut_by_epoch_time(tmp_path, busy):
    # On a slow machine perf takes its time to begin.
    for lasts_s in (0.5, 2, 8, 32):
        stacks, end_s = recorded(tmp_path, busy.pid, lasts_s)
        if stacks:
            break
    assert stacks
    assert all(line.startswith("busy;") for line in stacks.splitlines())
    assert perf.facts(tmp_path)["engine"] == "perf"
    assert perf_stacks.collapsed(tmp_path / perf.DATA, end_s, end_s + 60, ["busy"]) == ""


@pytest.mark.skipif(not shutil.which("perf"), reason="no perf here")
def test_a_recording_that_perf_cannot_read_has_no_stacks(tmp_path, capsys):
    (tmp_path / perf.DATA).write_bytes(b"cut off")
    assert perf_stacks.collapsed(tmp_path / perf.DATA, 0, 1) == ""
    assert "no stacks" in capsys.readouterr().err
