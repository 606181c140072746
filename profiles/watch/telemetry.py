"""Telemetry: what server, generator and machine use, sampled from outside while a slice runs.

One thread reads /proc; it shares the generator's CPUs, never the server's.
Cumulative counters are kept as they are, so that any window can be cut out later. CPU clocks are
read more often than the rest, since what falls between two readings is interpolated. Sources:
proc(5); clock_getcpuclockid(3) for CPU time in nanoseconds where /proc has ticks of 10 ms.
"""

import bisect
import contextlib
import itertools
import math
import os
import resource
import threading
import time
from collections.abc import Collection, Iterable
from pathlib import Path

import psutil

from profiles.watch.accept_queue import accept_queue
from profiles.watch.control_groups import memory_bytes, own_group
from profiles.watch.limits import TICKS_PER_S, cpu_times, throttled

COLUMNS = (
    *("time_s", "server_cpu_s", "compiler_cpu_s"),
    *("server_rss_bytes", "server_threads", "server_descriptors", "server_descriptors_share"),
    *("generator_cpu_s", "backend_cpu_s", "second_backend_cpu_s"),
    *("accept_queue", "machine_context_switches", "server_cpus_idle_s"),
    *("listen_overflows", "retransmits", "steal_s", "server_steal_s", "throttled"),
)

Sample = dict[str, float]
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
# Readings of the CPU clocks to one full sample.
CLOCKS_PER_SAMPLE = 5
# Clocks that were read later than this are none of their sample's time: others had the CPU.
TORN_S = 0.05
# How near to both ends of a window a clock must be read, as a share of it and in periods.
NEAR_SHARE, NEAR_PERIODS = 0.1, 2
# Between two beats of a watch that notices that the machine stands still.
BEAT_S = 0.1
# The JIT's threads, as JVMs name them to the kernel (15 characters): HotSpot, Graal as a library or
# in Java, and OpenJ9.
COMPILERS = (
    *("C1 CompilerThre", "C2 CompilerThre"),
    *("JVMCI-native Co", "JVMCI CompilerT", "JIT Compilation"),
)


class Telemetry(threading.Thread):
    """Samples at `rate_hz` from `start()` to `stop()`; `samples` holds a dict a sample.

    It `gives_way` where the generator has a schedule to keep: an idle thread (sched(7)) is
    interrupted, a nice one would finish its slice. A generator without a schedule may leave no idle
    time, and then no samples. Next to a user's server other programs may leave none: there a torn
    sample ends that.

    `forks`: the server, or what it depends on, may start a process at any time; every reading is of
    all processes. A server in a control group of its own has the memory of that group.
    """

    def __init__(
        self,
        server_pid: int,
        server_port: int,
        server_cpus: Collection[int],
        rate_hz: float,
        *,
        gives_way: bool = False,
        forks: bool = False,
    ) -> None:
        super().__init__(name="telemetry", daemon=True)
        self.gives_way, self.forks = gives_way, forks
        self.server_pid, self.watched = server_pid, dict[str, int]()
        self.watch("server", server_pid)
        self.server_port, self.server_cpus = server_port, server_cpus
        self.compilers, self.group = compiler_threads(server_pid), own_group(server_pid)
        # A server of many processes has too many clocks to read them more often.
        self.clocks_per_sample = 1 if children(server_pid) else CLOCKS_PER_SAMPLE
        self.period_s = 1 / rate_hz / self.clocks_per_sample
        self.samples: list[Sample] = []
        # Beats of the machine, each with how long our threads have waited for a CPU so far.
        self.beats: list[tuple[float, float]] = []
        self.fault: Exception | None = None
        self._ended = threading.Event()

    def watch(self, role: str, pid: int) -> None:
        """From now on samples this process too, in the columns that begin with its role.

        One that is gone leaves its columns empty.
        """
        self.watched = self.watched | {role: pid}

    def run(self) -> None:
        try:
            self._watch()
        except Exception as fault:
            # Without samples every number of the slice would be wrong: stop() raises it.
            self.fault = fault

    def _beat(self) -> None:
        """At usual priority, in which a busy machine makes nothing wait for long."""
        threads = (threading.get_native_id(), self.native_id)
        while not self._ended.wait(BEAT_S):
            self.beats.append((time.time(), sum(map(waited_for_cpu_s, threads))))

    def stood_still_s(self) -> float:
        """The longest time in which the machine, or the group of this program, did not run.

        A lid was closed, a virtual machine moved, a container was paused. A gap in which our
        threads waited for a CPU is the work of others.
        """
        gaps = (
            after_s - before_s - BEAT_S - (waited_s - waited_before_s)
            for (before_s, waited_before_s), (after_s, waited_s) in itertools.pairwise(self.beats)
        )
        return max(0.0, *gaps) if len(self.beats) > 1 else 0.0

    def _watch(self) -> None:
        if self.forks:
            threading.Thread(target=self._beat, name="beat", daemon=True).start()
        due_s, count = time.monotonic(), 0
        while not self._ended.wait(max(0.0, due_s - time.monotonic())):
            whole = count % self.clocks_per_sample == 0
            self.samples.append(self._sample() if whole else self._clocks())
            if self.gives_way and count == 0:
                self._schedule(os.SCHED_IDLE)
            elif self.forks and "server_cpu_s" not in self.samples[-1]:
                self._schedule(os.SCHED_OTHER)
            count += 1
            # A sample that came late does not make the next ones bunch up.
            due_s = max(due_s + self.period_s, time.monotonic())
        self.samples.append(self._sample())

    def stop(self) -> None:
        """Raises what ended the thread before."""
        self._ended.set()
        self._schedule(os.SCHED_OTHER)
        self.join()
        if self.fault:
            kind = type(self.fault).__name__
            raise RuntimeError(f"telemetry ended: {kind}: {self.fault}") from self.fault

    def _schedule(self, policy: int) -> None:
        if self.gives_way and self.native_id:
            with contextlib.suppress(OSError):
                os.sched_setscheduler(self.native_id, policy, os.sched_param(0))

    def knows(self, key: str, start_s: float, end_s: float) -> bool:
        """Whether a counter was read near both ends of a window, so that its growth is known."""
        near_s = NEAR_PERIODS * self.period_s + NEAR_SHARE * (end_s - start_s)
        return all(unread_s(self.samples, key, at_s) <= near_s for at_s in (start_s, end_s))

    def _clocks(self) -> Sample:
        """CPU time alone; of a process that forks with its children, and of others without."""
        sample: Sample = {"time_s": time.time()}
        with contextlib.suppress(OSError):
            for role, pid in self.watched.items():
                with_children = self.forks and role != "generator"
                clock_s = family_cpu_s if with_children else process_cpu_s
                sample[f"{role}_cpu_s"] = clock_s(pid)
            sample["compiler_cpu_s"] = threads_cpu_s(self.compilers)
        return timely(sample)

    def _sample(self) -> Sample:
        # Counters divided by time come first, close together: the descriptors and sockets of
        # thousands of connections take long to count.
        sample: Sample = {"time_s": time.time()}
        for role, watched in self.watched.items():
            used = process_sample(role, watched)
            sample |= {key: value for key, value in used.items() if key in COLUMNS}
        if self.group and (held := memory_bytes(self.group)) is not None:
            sample["server_rss_bytes"] = held
        with contextlib.suppress(OSError):
            sample["compiler_cpu_s"] = threads_cpu_s(self.compilers)
        cpus = cpu_times()
        if unseen := {*self.server_cpus} - cpus.keys():
            raise LookupError(f"/proc/stat shows the CPUs {sorted(cpus)}, not {sorted(unseen)}")
        sample |= {
            "server_cpus_idle_s": sum(cpus[cpu].not_busy_s for cpu in self.server_cpus),
            "steal_s": sum(cpu.steal_s for cpu in cpus.values()),
            "server_steal_s": sum(cpus[cpu].steal_s for cpu in self.server_cpus),
        }
        sample = timely(sample) | {
            "machine_context_switches": psutil.cpu_stats().ctx_switches,
            "throttled": throttled(),
        }
        sample |= tcp_counters()
        sample["accept_queue"] = accept_queue(self.server_port)
        pid = self.server_pid
        return sample | descriptors_of([pid, *(children(pid) if self.forks else [])])

    def window(self, start_s: float, end_s: float) -> list[Sample]:
        """The full samples from the last one before `start_s` to the first one after `end_s`.

        A load shorter than a period still finds its threads and memory.
        """
        full = [s for s in self.samples if "accept_queue" in s]
        before = [s for s in full if s["time_s"] <= start_s]
        within = [s for s in full if start_s < s["time_s"] < end_s]
        after = [s for s in full if s["time_s"] >= end_s]
        return before[-1:] + within + after[:1]


def timely(sample: Sample) -> Sample:
    if time.time() - sample["time_s"] <= TORN_S:
        return sample
    return {key: sample[key] for key in sample if key == "time_s" or not key.endswith("_s")}


def process_sample(prefix: str, pid: int) -> Sample:
    """CPU, memory and threads of one process; empty once it is gone.

    A server that has a process for every connection is all of them together: CPU time, also of
    ended ones, private memory and threads.
    """
    own = used_by(pid)
    # A zombie has no memory.
    if not own.get("rss_bytes"):
        return {}
    for child in children(pid):
        for key, value in used_by(child, with_shared=False).items():
            own[key] += value
    return {f"{prefix}_{key}": value for key, value in own.items()}


def used_by(pid: int, *, with_shared: bool = True) -> Sample:
    """The use of a process; empty once it is gone."""
    try:
        cpu_s = process_cpu_s(pid)
        # After the name, which may hold spaces: the state; as 14th field cutime, then cstime (of
        # children that have ended); num_threads.
        stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        _, resident, shared = map(int, Path(f"/proc/{pid}/statm").read_text().split()[:3])
    except OSError:
        return {}
    return {
        "cpu_s": cpu_s + sum(map(int, stat[13:15])) / TICKS_PER_S,
        "rss_bytes": (resident if with_shared else resident - shared) * PAGE_BYTES,
        "threads": int(stat[17]),
    }


def descriptors_of(pids: list[int]) -> Sample:
    """How many these have open, and the largest share of a process's own limit; empty once gone."""
    count, share = 0, 0.0
    for pid in pids:
        with contextlib.suppress(OSError):
            open_ones = len(os.listdir(f"/proc/{pid}/fd"))
            count += open_ones
            limit, _ = resource.prlimit(pid, resource.RLIMIT_NOFILE)
            if limit != resource.RLIM_INFINITY:
                share = max(share, open_ones / limit)
    return {"server_descriptors": count, "server_descriptors_share": share} if count else {}


# Group, parent, parent's parent and so on of each process, as they were when it was first seen.
lineages: dict[int, tuple[int, ...]] = {}


def children(pid: int) -> list[int]:
    """Processes that any of its threads has started, and theirs, also once what started them ends.

    One whose parent had ended before it was seen still has its process group.
    """
    global lineages
    found: dict[int, tuple[int, ...]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            lineage_of(int(name), found)
    lineages = found
    return [each for each, line in found.items() if pid in line and each != pid]


def lineage_of(pid: int, found: dict[int, tuple[int, ...]]) -> tuple[int, ...]:
    """Its lineage, also put into `found`: read once for each process. Empty where it is gone."""
    if pid not in found:
        line = lineages.get(pid, ())
        with contextlib.suppress(OSError):
            if not line:
                # After the name, which may hold spaces: state, parent, group.
                stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                parent, group = int(stat[1]), int(stat[2])
                line = (group, parent, *lineage_of(parent, found))
        found[pid] = line
    return found[pid]


def process_cpu_s(pid: int) -> float:
    """CPU time of one process. Raises OSError once it is gone."""
    return time.clock_gettime(cpu_clock(pid))


def family_cpu_s(pid: int) -> float:
    """CPU time of a process and its children, also of those that have ended."""
    return sum(used_by(each).get("cpu_s", 0.0) for each in (pid, *children(pid)))


def compiler_threads(pid: int) -> list[Path]:
    """The schedstat files of the compiler threads of JVMs among a process and its children."""
    return [thread for each in (pid, *children(pid)) for thread in compilers_of(each)]


def jvm_of(pids: Iterable[int]) -> int | None:
    return next((each for each in pids if compilers_of(each)), None)


def compilers_of(pid: int) -> list[Path]:
    """The schedstat files of a JVM's compiler threads; none of another program's, or one gone."""
    tasks, found = Path(f"/proc/{pid}/task"), []
    with contextlib.suppress(OSError):
        for task in os.listdir(tasks):
            # A thread may end while we look.
            with contextlib.suppress(OSError):
                if (tasks / task / "comm").read_text().strip() in COMPILERS:
                    found.append(tasks / task / "schedstat")
    return found


def waited_for_cpu_s(thread: int | None) -> float:
    """How long a thread of this program was ready without running; 0 where that is not known."""
    with contextlib.suppress(OSError, IndexError, ValueError):
        return int(Path(f"/proc/self/task/{thread}/schedstat").read_text().split()[1]) / 1e9
    return 0.0


def threads_cpu_s(threads: list[Path]) -> float:
    """CPU time of threads by their schedstat, whose first number is in ns. Raises OSError."""
    return sum(int(thread.read_text().split(maxsplit=1)[0]) for thread in threads) / 1e9


def cpu_clock(pid: int) -> int:
    """The clock of clock_getcpuclockid(3): CPU time of a process, its dead threads too."""
    return (~pid << 3) | 2


def tcp_counters() -> Sample:
    extended = counter_table("/proc/net/netstat", "TcpExt:")
    basic = counter_table("/proc/net/snmp", "Tcp:")
    return {
        "listen_overflows": extended["ListenOverflows"],
        "retransmits": basic["RetransSegs"],
    }


def counter_table(path: str, prefix: str) -> dict[str, int]:
    names, values = (x for x in Path(path).read_text().splitlines() if x.startswith(prefix))
    return dict(zip(names.split()[1:], map(int, values.split()[1:]), strict=True))


def grown(window: list[Sample], key: str) -> float:
    """By how much a cumulative counter grew over a window; 0 where it was never seen."""
    values = [sample[key] for sample in window if key in sample]
    return values[-1] - values[0] if values else 0.0


def readings_around(samples: list[Sample], key: str, time_s: float) -> list[tuple[float, float]]:
    """Time and value of a counter's readings next to a time; one where it is beyond all."""
    known = [(sample["time_s"], sample[key]) for sample in samples if key in sample]
    after = bisect.bisect([at_s for at_s, _ in known], time_s)
    return known[max(0, after - 1) : after + 1]


def value_at(samples: list[Sample], key: str, time_s: float) -> float | None:
    """A cumulative counter at a time between two samples; None where it was never seen."""
    around = readings_around(samples, key, time_s)
    if len(around) < 2:
        return around[0][1] if around else None
    (from_s, low), (to_s, high) = around
    return low + (high - low) * (time_s - from_s) / (to_s - from_s)


def unread_s(samples: list[Sample], key: str, time_s: float) -> float:
    """How long a counter was not read around a time; infinite where it never was."""
    times_s = [at_s for at_s, _ in readings_around(samples, key, time_s)]
    return max([time_s, *times_s]) - min([time_s, *times_s]) if times_s else math.inf


def grown_between(samples: list[Sample], key: str, start_s: float, end_s: float) -> float:
    """By how much a counter grew between two times; 0 where it was never seen."""
    start, end = value_at(samples, key, start_s), value_at(samples, key, end_s)
    return 0.0 if start is None or end is None else end - start


def peak(window: list[Sample], key: str) -> float:
    return max((sample[key] for sample in window if key in sample), default=0.0)
