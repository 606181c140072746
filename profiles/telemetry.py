"""Telemetry: what server, generator and machine use, sampled from outside while a cell runs.

One thread reads /proc through psutil; it shares the generator's CPUs, never the server's.
Cumulative counters are kept as they are, so that any window can be cut out later.
Sources: proc(5); clock_getcpuclockid(3) for CPU time in nanoseconds where /proc has ticks of 10 ms.
"""

from __future__ import annotations

import csv
import os
import threading
import time
from pathlib import Path

import psutil

from profiles.accept_queue import accept_queue

COLUMNS = (
    "time_s",
    "server_cpu_s",
    "server_cpu_user_s",
    "server_cpu_system_s",
    "server_rss_bytes",
    "server_threads",
    "server_descriptors",
    "generator_cpu_s",
    "generator_rss_bytes",
    "backend_cpu_s",
    "backend_rss_bytes",
    "accept_queue",
    "machine_context_switches",
    "machine_busy_s",
    "listen_overflows",
    "listen_drops",
    "retransmits",
    "time_wait",
    "load_1m",
    "pressure_cpu_some_s",
    "steal_s",
)

Sample = dict[str, float]
TICKS_PER_S, PAGE_BYTES = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")


class Telemetry(threading.Thread):
    """Samples at `rate_hz` from `start()` to `stop()`; `samples` holds a dict a sample.

    A sample takes a millisecond of the generator's CPU. It `gives_way` where the generator has a
    schedule to keep: a nice thread would still finish its slice, an idle one (sched(7)) is
    interrupted at once. A generator without one may leave no idle time, and then no samples.
    """

    def __init__(
        self, server_pid: int, server_port: int, rate_hz: float, *, gives_way: bool = False
    ) -> None:
        super().__init__(name="telemetry", daemon=True)
        self.gives_way = gives_way
        self.watched = {"server": psutil.Process(server_pid)}
        self.server_port = server_port
        self.period_s = 1 / rate_hz
        self.samples: list[Sample] = []
        self.cpu_s = 0.0
        self._ended = threading.Event()

    def watch(self, role: str, pid: int) -> None:
        """From now on samples this process too, in the columns that begin with its role."""
        self.watched = self.watched | {role: psutil.Process(pid)}

    def run(self) -> None:
        if self.gives_way:
            os.sched_setscheduler(threading.get_native_id(), os.SCHED_IDLE, os.sched_param(0))
        due_s = time.monotonic()
        while not self._ended.wait(max(0.0, due_s - time.monotonic())):
            self.samples.append(self._sample())
            # A sample that came late does not make the next ones bunch up.
            due_s = max(due_s + self.period_s, time.monotonic())
        self.cpu_s = time.thread_time()

    def next_sample(self) -> Sample:
        """Waits for the first sample that is begun from now on, and returns it."""
        now_s = time.time()
        while not self.samples or self.samples[-1]["time_s"] < now_s:
            if not self.is_alive():
                raise RuntimeError("telemetry has ended")
            time.sleep(0.005)
        return self.samples[-1]

    def stop(self) -> None:
        self._ended.set()
        self.join()

    def cpu_share(self) -> float:
        """What telemetry itself costs: the share of one CPU that its thread used."""
        return self.cpu_s / self._lasted_s() if len(self.samples) > 1 else 0.0

    def rate_hz(self) -> float:
        """The rate that was reached."""
        return (len(self.samples) - 1) / self._lasted_s() if len(self.samples) > 1 else 0.0

    def _lasted_s(self) -> float:
        return self.samples[-1]["time_s"] - self.samples[0]["time_s"]

    def _sample(self) -> Sample:
        # What is divided by time comes first, close together: the descriptors and sockets of
        # thousands of connections take long to count.
        sample: Sample = {"time_s": time.time()}
        for role, process in self.watched.items():
            used = process_sample(role, process)
            sample |= {key: value for key, value in used.items() if key in COLUMNS}
        machine = psutil.cpu_times()
        sample |= {
            "machine_context_switches": psutil.cpu_stats().ctx_switches,
            "machine_busy_s": busy_s(machine),
            "steal_s": machine.steal,
            "load_1m": psutil.getloadavg()[0],
            "pressure_cpu_some_s": cpu_pressure_s(),
            "time_wait": time_wait(),
        }
        sample |= tcp_counters()
        sample["accept_queue"] = accept_queue(self.server_port)
        return sample | descriptors_of(self.watched["server"])

    def window(self, start_s: float, end_s: float) -> list[Sample]:
        """The samples from the last one before `start_s` to the first one after `end_s`.

        Rounded outwards, so that a load of a tenth of a second still finds all its CPU time.
        """
        before = [s for s in self.samples if s["time_s"] <= start_s]
        within = [s for s in self.samples if start_s < s["time_s"] < end_s]
        after = [s for s in self.samples if s["time_s"] >= end_s]
        return before[-1:] + within + after[:1]

    def write(self, path: Path) -> None:
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, restval="")
            writer.writeheader()
            writer.writerows(self.samples)


def process_sample(prefix: str, process: psutil.Process) -> Sample:
    """CPU, memory and threads of one process; empty once it is gone.

    A server that has a process for every connection is all of them together: CPU time, private
    memory and threads of its children count as its own, and what ended children have used.
    """
    try:
        with process.oneshot():
            if process.status() == psutil.STATUS_ZOMBIE:
                return {}
            times = process.cpu_times()
            own = {
                "cpu_s": time.clock_gettime(cpu_clock(process.pid))
                + times.children_user
                + times.children_system,
                "cpu_user_s": times.user + times.children_user,
                "cpu_system_s": times.system + times.children_system,
                "rss_bytes": process.memory_info().rss,
                "threads": process.num_threads(),
            }
    except (psutil.Error, OSError):
        return {}
    for child in children(process.pid):
        for key, value in child_sample(child).items():
            own[key] += value
    return {f"{prefix}_{key}": value for key, value in own.items()}


def descriptors_of(server: psutil.Process) -> Sample:
    """How many are open; empty once it is gone."""
    try:
        return {"server_descriptors": server.num_fds()}
    except (psutil.Error, OSError):
        return {}


def children(pid: int) -> list[int]:
    """Processes that its first thread has started; none where the kernel does not tell."""
    try:
        return list(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))
    except OSError:
        return []


def child_sample(pid: int) -> Sample:
    """Read without psutil: there may be hundreds of them. Empty once it is gone."""
    try:
        cpu_s = time.clock_gettime(cpu_clock(pid))
        # After the name, which may hold spaces: utime is the 14th field, stime, then num_threads.
        stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        _, resident, shared = map(int, Path(f"/proc/{pid}/statm").read_text().split()[:3])
    except OSError:
        return {}
    return {
        "cpu_s": cpu_s,
        "cpu_user_s": int(stat[11]) / TICKS_PER_S,
        "cpu_system_s": int(stat[12]) / TICKS_PER_S,
        "rss_bytes": (resident - shared) * PAGE_BYTES,
        "threads": int(stat[17]),
    }


def busy_s(times: psutil._ntuples.scputimes) -> float:
    """CPU seconds in which the machine was not idle; guests are already counted as user."""
    idle = times.idle + times.iowait
    return sum(times) - idle - times.guest - times.guest_nice


def cpu_clock(pid: int) -> int:
    """The clock of clock_getcpuclockid(3): CPU time of a process, its dead threads too."""
    return (~pid << 3) | 2


def cpu_pressure_s() -> float:
    """Seconds in which some task of the machine waited for a CPU; 0 without PSI in the kernel."""
    try:
        total = Path("/proc/pressure/cpu").read_text().split("total=")[1].split()[0]
    except OSError:
        return 0.0
    return int(total) / 1e6


def time_wait() -> int:
    """TCP sockets in TIME_WAIT."""
    line = next(x for x in Path("/proc/net/sockstat").read_text().splitlines() if "TCP:" in x)
    fields = line.split()
    return int(fields[fields.index("tw") + 1])


def tcp_counters() -> Sample:
    extended = counter_table("/proc/net/netstat", "TcpExt:")
    basic = counter_table("/proc/net/snmp", "Tcp:")
    return {
        "listen_overflows": extended["ListenOverflows"],
        "listen_drops": extended["ListenDrops"],
        "retransmits": basic["RetransSegs"],
    }


def counter_table(path: str, prefix: str) -> dict[str, int]:
    names, values = (x for x in Path(path).read_text().splitlines() if x.startswith(prefix))
    return dict(zip(names.split()[1:], map(int, values.split()[1:]), strict=True))


def grown(window: list[Sample], key: str) -> float:
    """By how much a cumulative counter grew over a window; 0 where it was never seen."""
    values = [sample[key] for sample in window if key in sample]
    return values[-1] - values[0] if values else 0.0


def peak(window: list[Sample], key: str) -> float:
    return max((sample[key] for sample in window if key in sample), default=0.0)
