"""Telemetry counts what processes really use; its values hold on a slow machine too."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import psutil
import pytest

from profiles.watch import telemetry
from profiles.watch.limits import CpuTimes
from profiles.watch.telemetry import Telemetry, grown, grown_between, peak, value_at

BURN = "import time\nwhile time.process_time() < 0.3: pass\ninput()"
# Two children that go on, and one that has ended and been waited for.
FAMILY = (
    "import subprocess, sys\n"
    f"burn = [sys.executable, '-c', {BURN!r}]\n"
    "for _ in range(2): subprocess.Popen(burn)\n"
    "subprocess.run(burn, input=b'\\n')\n"
    "input()"
)
CPUS = sorted(os.sched_getaffinity(0))


def until(look, enough):
    """Looks until that is enough, or for a minute."""
    deadline_s = time.monotonic() + 60
    while not enough(found := look()) and time.monotonic() < deadline_s:
        time.sleep(0.02)
    return found


@pytest.fixture
def child():
    """Starts a Python program, and kills it in the end."""
    with contextlib.ExitStack() as started:

        def start(code):
            argv = [sys.executable, "-uc", code]
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
            process = started.enter_context(subprocess.Popen(argv, **pipes))
            started.callback(process.kill)
            return process

        yield start


@pytest.fixture
def sampled(child):
    """Runs a program under telemetry until `enough(samples)` or for a minute."""

    def run(code, enough):
        watching = Telemetry(child(code).pid, 1, CPUS, rate_hz=50)
        watching.start()
        until(lambda: watching.samples, enough)
        watching.stop()
        return watching

    return run


def test_children_count_as_their_parent_while_they_live_and_after(sampled):
    watching = sampled(FAMILY, lambda samples: peak(samples, "server_cpu_s") >= 0.85)
    # One has ended then.
    until(lambda: telemetry.children(watching.server_pid), lambda found: len(found) == 2)
    watching.forks = True
    clock_s = until(lambda: watching._clocks().get("server_cpu_s", 0), lambda found: found >= 0.85)
    assert clock_s >= 0.85
    assert peak(watching.samples, "server_cpu_s") >= 0.85
    assert peak(watching.samples, "server_threads") >= 3
    assert peak(watching.samples, "server_rss_bytes") > 2_000_000


# A thread that is not the first starts a process, which starts another and ends.
BY_A_THREAD = """
import subprocess, sys, threading
inner = "[sys.executable, '-c', 'import time; time.sleep(99)']"
middle = f"import subprocess, sys; subprocess.Popen({inner}); input()"
def start():
    subprocess.run([sys.executable, "-c", middle], stdin=sys.stdin)
threading.Thread(target=start).start()
"""


def test_children_of_any_thread_count_and_stay_when_what_started_them_ends(child):
    process = child(BY_A_THREAD)
    try:
        family = until(lambda: telemetry.children(process.pid), lambda found: len(found) == 2)
        # The one in the middle ends.
        process.stdin.write(b"\n")
        process.stdin.flush()
        left = until(lambda: telemetry.children(process.pid), lambda found: len(found) == 1)
        assert len(left) == 1 and set(left) < set(family)
    finally:
        for each in telemetry.children(process.pid):
            os.kill(each, signal.SIGKILL)


def test_child_whose_parent_had_ended_is_known_by_its_group(monkeypatch):
    monkeypatch.setattr(telemetry, "lineages", {})
    # The shell between them ends as soon as it has started it.
    process = subprocess.Popen(["sh", "-c", "(sleep 60 &); exec sleep 60"], process_group=0)
    try:
        time.sleep(0.2)
        (found,) = until(lambda: telemetry.children(process.pid), lambda found: len(found) == 1)
        assert psutil.Process(found).ppid() != process.pid
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_share_of_a_limit_is_that_of_the_process_that_is_next_to_its_own(child):
    code = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20)); print(); input()"
    process = child(code)
    process.stdout.readline()
    found = telemetry.descriptors_of([os.getpid(), process.pid])
    assert found["server_descriptors_share"] >= 3 / 20
    ours = telemetry.descriptors_of([os.getpid()])["server_descriptors"]
    assert found["server_descriptors"] >= ours + 3
    process.communicate(b"\n")
    assert telemetry.descriptors_of([process.pid]) == {}


def test_server_that_ended_before_its_load_leaves_no_values_and_no_error(child):
    """A warm-up kills such a one: that is its outcome, and no fault of ours."""
    gone = child("")
    for has_been_waited_for in (False, True):
        if has_been_waited_for:
            gone.wait()
        else:
            until(lambda: psutil.Process(gone.pid).status(), lambda found: found == "zombie")
        watching = Telemetry(gone.pid, 1, CPUS, rate_hz=50, forks=True)
        watching.watch("generator", os.getpid())
        watching.start()
        watching.stop()
        assert "server_threads" not in watching.samples[-1]
        assert watching.samples[-1]["generator_cpu_s"] > 0
        assert grown(watching.samples, "server_cpu_s") == 0


def test_idle_time_is_that_of_cpus_by_their_numbers(monkeypatch):
    """CPU 1 is offline: the second of the CPUs there are is CPU 2."""
    times = {cpu: CpuTimes(100.0 * cpu, 0.5 * cpu) for cpu in (0, 2, 3)}
    monkeypatch.setattr(telemetry, "cpu_times", lambda: times)
    monkeypatch.setattr(telemetry, "TORN_S", 60)
    sample = Telemetry(os.getpid(), 1, [2], rate_hz=50)._sample()
    assert (sample["server_cpus_idle_s"], sample["steal_s"]) == (200.0, 2.5)
    assert sample["server_steal_s"] == 1.0


def test_telemetry_that_cannot_see_a_cpu_ends_with_its_reason():
    watching = Telemetry(os.getpid(), 1, [4711], rate_hz=50)
    watching.start()
    watching.join(60)
    with pytest.raises(RuntimeError, match=r"LookupError: .* CPUs .*, not \[4711\]"):
        watching.stop()


def test_clocks_are_read_between_full_samples(sampled):
    watching = sampled("input()", lambda samples: len(samples) >= 20)
    *regular, last = watching.samples
    full = [number for number, sample in enumerate(regular) if "server_threads" in sample]
    assert full == list(range(0, len(regular), telemetry.CLOCKS_PER_SAMPLE))
    # Events since the last full sample are not lost.
    assert "server_threads" in last
    assert set(regular[1]) == {"time_s", "server_cpu_s", "compiler_cpu_s"}
    assert grown(regular, "compiler_cpu_s") == 0
    # Every value has a column.
    roles = ("generator", "backend", "second_backend")
    assert set(last) == {name for name in telemetry.COLUMNS if not name.startswith(roles)}


@pytest.mark.parametrize(
    ("options", "torn_s", "policy"),
    [
        ({"gives_way": True}, telemetry.TORN_S, os.SCHED_IDLE),
        ({"gives_way": False}, telemetry.TORN_S, os.SCHED_OTHER),
        # Beside a user's server, until a sample is torn.
        ({"gives_way": True, "forks": True}, -1, os.SCHED_OTHER),
    ],
)
def test_it_is_the_last_to_run_where_it_is_asked_to(monkeypatch, options, torn_s, policy):
    monkeypatch.setattr(telemetry, "TORN_S", torn_s)
    watching = Telemetry(os.getpid(), 1, CPUS, rate_hz=50, **options)
    watching.start()
    until(lambda: watching.samples, lambda samples: len(samples) >= 3)
    found = os.sched_getscheduler(watching.native_id)
    # It notices that the machine stands still, next to a user's server alone.
    until(lambda: watching.beats, lambda beats: beats or not watching.forks)
    watching.stop()
    assert found == policy
    assert bool(watching.beats) == watching.forks


def test_window_is_rounded_outwards():
    watching = Telemetry(1, 1, CPUS, rate_hz=10)
    watching.samples = [{"time_s": t / 10, "accept_queue": 0} for t in range(10)]
    window = watching.window(0.35, 0.42)
    assert [sample["time_s"] for sample in window] == [0.3, 0.4, 0.5]
    # A load shorter than a period, with readings of clocks alone, still finds its threads.
    whole = {"accept_queue": 0, "server_threads": 7.0}
    watching.samples = [{"time_s": t / 50} | (whole if t % 5 == 0 else {}) for t in range(11)]
    assert peak(watching.window(0.04, 0.06), "server_threads") == 7


def test_counter_is_interpolated_between_two_samples():
    samples = [{"time_s": 0.0, "x": 0.0}, {"time_s": 1.0}]
    samples += [{"time_s": 2.0, "x": 4.0}, {"time_s": 3.0, "x": 10.0}]
    assert [value_at(samples, "x", at_s) for at_s in (0.5, 1, 2, 2.25)] == [1, 2, 4, 5.5]
    # Before the first and after the last it stands still.
    assert (value_at(samples, "x", -1), value_at(samples, "x", 9)) == (0, 10)
    assert value_at(samples, "y", 1) is None
    assert grown_between(samples, "x", 0.5, 2.25) == 4.5
    assert grown_between(samples, "y", 0, 2) == 0


def test_clocks_that_were_read_late_are_none_of_their_sample(monkeypatch):
    sample = {"time_s": 10.0, "server_cpu_s": 1.0, "server_cpus_idle_s": 2.0, "server_threads": 3}
    monkeypatch.setattr(telemetry, "time", SimpleNamespace(time=lambda: 10.04))
    assert telemetry.timely(sample) == sample
    monkeypatch.setattr(telemetry, "time", SimpleNamespace(time=lambda: 10.06))
    assert telemetry.timely(sample) == {"time_s": 10.0, "server_threads": 3}


@pytest.mark.parametrize(
    ("read_s", "known"),
    [
        ((0.0, 0.9, 1.1, 1.7, 2.1), False),
        ((0.0, 0.6, 1.1, 1.9, 2.1), False),
        ((0.9, 1.1, 1.9), True),
        ((), False),
    ],
)
def test_growth_is_known_where_a_counter_was_read_near_both_ends(read_s, known):
    """The window is from 1 to 2 s, with readings every 100 ms where nothing is in the way."""
    watching = Telemetry(os.getpid(), 1, CPUS, rate_hz=2)
    watching.period_s = 0.1
    watching.samples = [{"time_s": at_s, "server_cpu_s": 1.0} for at_s in read_s]
    watching.samples += [{"time_s": 1.0}]
    assert watching.knows("server_cpu_s", 1, 2) is known


def test_compilers_of_a_jvm_are_found_and_their_time_is_part_of_its_own(jvm):
    compilers = telemetry.compiler_threads(jvm.pid)
    names = [(path.parent / "comm").read_text().strip() for path in compilers]
    assert set(names) == {"C1 CompilerThre", "C2 CompilerThre"}
    compilers_s = telemetry.threads_cpu_s(compilers)
    assert 0 < compilers_s < time.clock_gettime(telemetry.cpu_clock(jvm.pid))


def test_gap_between_two_beats_is_time_in_which_the_machine_stood_still():
    watching = Telemetry(os.getpid(), 1, CPUS, rate_hz=50, forks=True)
    assert watching.stood_still_s() == 0
    watching.beats = [(10.0, 0.0), (10.1, 0.0), (30.2, 0.0), (30.3, 0.0)]
    assert watching.stood_still_s() == pytest.approx(20.0)
    # A busy machine: our threads were ready and did not get a CPU.
    watching.beats = [(10.0, 0.0), (10.1, 0.0), (12.2, 1.9), (12.3, 1.9)]
    assert watching.stood_still_s() == pytest.approx(0.1)
