"""Telemetry counts what processes really use; figures hold on a slow machine too."""

import csv
import os
import subprocess
import sys
import time

import pytest

from profiles import telemetry
from profiles.telemetry import Telemetry, grown, peak

BURN = (
    "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass\ninput()"
)
# Two children that go on, and one that has ended and been waited for.
FAMILY = (
    "import subprocess, sys\n"
    f"burn = [sys.executable, '-c', {BURN!r}]\n"
    "for _ in range(2): subprocess.Popen(burn)\n"
    "subprocess.run(burn, input=b'\\n')\n"
    "input()"
)
THREADS = "import threading\nfor _ in range(7): threading.Thread(target=input).start()\ninput()"


def child(code):
    return subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE)


@pytest.fixture
def sampled():
    """Runs a program under telemetry until `enough(samples)` or for a minute."""
    started = []

    def run(code, enough):
        process = child(code)
        watching = Telemetry(process.pid, 1, rate_hz=50)
        watching.start()
        started.append((process, watching))
        deadline_s = time.monotonic() + 60
        while not enough(watching.samples) and time.monotonic() < deadline_s:
            time.sleep(0.02)
        watching.stop()
        return watching

    yield run
    for process, _ in started:
        process.kill()
        process.wait()


def test_cpu_time_of_a_process_is_counted(sampled):
    watching = sampled(BURN, lambda samples: grown(samples, "server_cpu_s") >= 0.25)
    assert grown(watching.samples, "server_cpu_s") >= 0.25
    assert grown(watching.samples, "machine_busy_s") >= 0.2


def test_children_count_as_their_parent_while_they_live_and_after(sampled):
    watching = sampled(
        FAMILY, lambda samples: bool(samples) and samples[-1].get("server_cpu_s", 0) >= 0.85
    )
    assert peak(watching.samples, "server_cpu_s") >= 0.85
    assert peak(watching.samples, "server_cpu_user_s") > 0.1
    assert peak(watching.samples, "server_threads") >= 3


def test_threads_and_memory_are_counted(sampled):
    watching = sampled(THREADS, lambda samples: peak(samples, "server_threads") == 8)
    assert peak(watching.samples, "server_threads") == 8
    assert peak(watching.samples, "server_rss_bytes") > 2_000_000


def test_process_that_ends_leaves_gaps_and_no_error(sampled):
    watching = sampled("pass", lambda samples: bool(samples) and "server_cpu_s" not in samples[-1])
    assert "server_threads" not in watching.samples[-1]
    assert "machine_busy_s" in watching.samples[-1]


def test_own_cost_and_rate_are_told(sampled):
    watching = sampled("input()", lambda samples: len(samples) >= 20)
    assert 0 < watching.cpu_share() < 1
    times_s = [sample["time_s"] for sample in watching.samples]
    assert watching.rate_hz() == (len(times_s) - 1) / (times_s[-1] - times_s[0])


@pytest.mark.parametrize(("gives_way", "policy"), [(True, os.SCHED_IDLE), (False, os.SCHED_OTHER)])
def test_gives_way_only_where_it_is_told_to(gives_way, policy):
    watching = Telemetry(os.getpid(), 1, rate_hz=50, gives_way=gives_way)
    watching.start()
    deadline_s = time.monotonic() + 60
    while not watching.samples and time.monotonic() < deadline_s:
        time.sleep(0.01)
    found = os.sched_getscheduler(watching.native_id)
    watching.stop()
    assert found == policy


def test_window_is_rounded_outwards():
    watching = Telemetry(1, 1, rate_hz=10)
    watching.samples = [{"time_s": t / 10, "server_cpu_s": float(t)} for t in range(10)]
    window = watching.window(0.35, 0.42)
    assert [sample["time_s"] for sample in window] == [0.3, 0.4, 0.5]
    assert grown(window, "server_cpu_s") == 2


def test_written_columns_are_all_there(tmp_path, sampled):
    watching = sampled("input()", lambda samples: len(samples) >= 2)
    watching.write(tmp_path / "telemetry.csv")
    rows = list(csv.DictReader((tmp_path / "telemetry.csv").open()))
    assert tuple(rows[0]) == telemetry.COLUMNS
    assert len(rows) == len(watching.samples)
    assert float(rows[-1]["server_rss_bytes"]) > 0
    assert rows[0]["generator_cpu_s"] == ""


def test_counters_of_the_kernel_can_be_read():
    counters = telemetry.tcp_counters()
    assert set(counters) == {"listen_overflows", "listen_drops", "retransmits"}
    assert telemetry.time_wait() >= 0
