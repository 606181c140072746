"""The limits of this machine, or of the container on it: CPUs, memory, threads, descriptors, disks.

Nothing but the standard library, since the doctor must speak where nothing is installed. `root`
holds the kernel's /proc and /sys; tests have one of their own. Sources: cgroups(7), cpuset(7),
proc(5), getrlimit(2), the kernel's admin-guide (cgroup-v1, cgroup-v2), lxcfs(1).
"""

from __future__ import annotations

import functools
import os
import re
import resource
import statistics
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path("/")
TICKS_PER_S = os.sysconf("SC_CLK_TCK")
# Who measures holds this folder itself (flock): a file in it could be removed or be another user's.
LOCK = Path("/dev/shm")
# Settings that a cell records as the kernel writes them.
SETTINGS = {
    "somaxconn": "proc/sys/net/core/somaxconn",
    "tcp_tw_reuse": "proc/sys/net/ipv4/tcp_tw_reuse",
    "ip_local_port_range": "proc/sys/net/ipv4/ip_local_port_range",
    "perf_event_paranoid": "proc/sys/kernel/perf_event_paranoid",
    "clock": "sys/devices/system/clocksource/clocksource0/current_clocksource",
    "transparent_huge_pages": "sys/kernel/mm/transparent_hugepage/enabled",
}
# File systems, and block devices, that keep in memory what is written to them.
IN_MEMORY, MEMORY_DEVICE = {"tmpfs", "ramfs", "devtmpfs"}, re.compile(r"/dev/(ram|zram)\d+")
# It outlives a boot.
LASTING = Path("/var/tmp")
# Where fdatasync returns sooner, nothing was written to a block device.
FSYNC_US_AT_LEAST, FSYNCS = 5.0, 21
# Less of the largest capacity or frequency makes an efficient core; favored cores differ by some %.
SLOW_BELOW = 0.8
# A session has some ten servers with a port or two each, and the next ones other ports.
FIRST_PORT, LAST_PORT, PORTS_AT_LEAST = 1024, 65_535, 200
# More than any load needs: programs that make a table of a billion descriptors need gigabytes.
DESCRIPTORS_AT_MOST = 1 << 20


def content(path: Path) -> str | None:
    """The text of a file of the kernel in one line; None where it cannot be read."""
    try:
        return " ".join(path.read_text().split())
    except OSError:
        return None


def number(path: Path) -> int | None:
    """Its first number; None where there is none, as in `max`."""
    found = re.match(r"-?\d+", content(path) or "")
    return int(found[0]) if found else None


def numbers(text: str | None) -> list[int]:
    """A list as the kernel writes it, such as 0-2,8; some of its empty ones are (null)."""
    bounds = re.findall(r"(\d+)(?:-(\d+))?", text or "")
    return [each for low, high in bounds for each in range(int(low), int(high or low) + 1)]


def listed(found: Iterable[int]) -> str:
    """The opposite of numbers(): 0-2,8."""
    runs: list[list[int]] = []
    for each in sorted(found):
        if runs and each == runs[-1][-1] + 1:
            runs[-1][1:] = [each]
        else:
            runs.append([each])
    return ",".join("-".join(map(str, run)) for run in runs)


def lines_of(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except OSError:
        return []


# ---- Mounts and control groups


@dataclass(frozen=True)
class Mount:
    """A line of /proc/self/mountinfo; `top` is the folder of the file system that is mounted."""

    top: str
    place: str
    kind: str
    device: str
    options: frozenset[str]


def mounts(root: Path = ROOT) -> list[Mount]:
    found = []
    for line in lines_of(root / "proc/self/mountinfo"):
        # 36 35 98:0 /top /place rw,noatime master:1 - ext3 /dev/root rw,errors=continue
        own, _, rest = line.partition(" - ")
        # The device may be an empty word.
        words, (kind, device, more) = own.split(), rest.split(" ", 2)
        options = frozenset([*words[5].split(","), *more.split(",")])
        found.append(Mount(words[3], words[4], kind, device, options))
    return found


def mount_of(folder: Path, root: Path = ROOT) -> Mount | None:
    """The mount that holds a folder: the innermost above it, and of two at one place the last."""
    there = folder.resolve()
    above = [mount for mount in mounts(root) if there.is_relative_to(mount.place)]
    return max(reversed(above), key=lambda mount: len(Path(mount.place).parts), default=None)


def cgroups(controller: str, root: Path = ROOT) -> Iterator[Path]:
    """Our control groups of a controller, from our own to the outermost that we see.

    Version 1 has a tree for each controller, version 2 one for all, and a machine may have both.
    Within a container the group's name may begin with the folder mounted as the tree's top.
    """
    own = {}
    for line in lines_of(root / "proc/self/cgroup"):
        _, names, path = line.split(":", 2)
        own.update(dict.fromkeys(names.split(","), path))
    for mount in mounts(root):
        is_its_own = mount.kind == "cgroup" and controller in mount.options
        name = controller if is_its_own else "" if mount.kind == "cgroup2" else None
        if name not in own:
            continue
        top, inside = root / mount.place.lstrip("/"), os.path.relpath(own[name], mount.top)
        folder = top if inside.startswith("..") else top / inside
        yield from (folder, *(above for above in folder.parents if above.is_relative_to(top)))


# ---- CPUs


@dataclass(frozen=True)
class Cpus:
    """CPUs by their own numbers. `usable`: by affinity and cpuset; `shown`: in /proc/stat.

    `quota`: as many CPUs' time as we may use in each period. `slow`: usable ones that are slower by
    design, as efficient cores are.
    """

    usable: list[int]
    shown: list[int]
    slow: list[int]
    quota: float | None

    @property
    def hidden(self) -> list[int]:
        """Usable ones whose idle time cannot be read."""
        return sorted({*self.usable} - {*self.shown})

    @property
    def count(self) -> int:
        """How many may be busy all the time."""
        return len(self.usable) if self.quota is None else min(len(self.usable), int(self.quota))

    def quota_text(self) -> str:
        return f"the control group's CPU quota of {self.quota:g} CPUs (cpu.max, cpu.cfs_quota_us)"

    def refused(self) -> str:
        """Why nothing can be measured on them; empty where it can."""
        usable, shown = listed(self.usable), listed(self.shown)
        if self.hidden:
            return (
                f"CPUs that this process may use = {usable}; allowed: CPUs that /proc/stat shows, "
                f"{shown or 'none'} (lxcfs counts from 0: give its container CPUs from 0 on)"
            )
        two = "allowed: two or more, for the server and for the generator"
        if len(self.usable) < 2:
            return f"CPUs that this process may use = {usable}; {two}"
        return f"{self.quota_text()}; {two}" if self.count < 2 else ""


def cpus(root: Path = ROOT) -> Cpus:
    usable = sorted(os.sched_getaffinity(0))
    shown, slow = sorted(cpu_times(root)), slow_cpus(usable, root)
    return Cpus(usable, shown, slow, cpu_quota(root))


class CpuTimes(NamedTuple):
    """Seconds since the start in which a CPU was not busy, and which a hypervisor took away.

    The kernel measures idle time, but counts busy time by its ticks, in step with what timers wake.
    """

    not_busy_s: float
    steal_s: float


def cpu_times(root: Path = ROOT) -> dict[int, CpuTimes]:
    """By the CPU's own number: those that are offline, or that a container hides, are not there."""
    found = {}
    for line in lines_of(root / "proc/stat"):
        # cpu0 user nice system idle iowait irq softirq steal guest guest_nice
        name, *times = line.split()
        if name.startswith("cpu") and name != "cpu":
            idle_s, iowait_s, steal_s = (int(times[at]) / TICKS_PER_S for at in (3, 4, 7))
            found[int(name.removeprefix("cpu"))] = CpuTimes(idle_s + iowait_s + steal_s, steal_s)
    return found


def slow_cpus(usable: list[int], root: Path = ROOT) -> list[int]:
    """Efficient cores, by the processor's own list, capacities or highest frequencies."""
    slow = {*usable}.intersection(numbers(content(root / "sys/devices/cpu_atom/cpus")))
    for name in ("cpu_capacity", "cpufreq/cpuinfo_max_freq"):
        files = {cpu: root / f"sys/devices/system/cpu/cpu{cpu}/{name}" for cpu in usable}
        found = {cpu: number(file) or 0 for cpu, file in files.items()}
        most = max(found.values(), default=0)
        slow |= {cpu for cpu, value in found.items() if 0 < value < SLOW_BELOW * most}
    return sorted(slow) if len(slow) < len(usable) else []


def governors(root: Path = ROOT) -> str | None:
    """Those of the usable CPUs; None where none is shown."""
    folder = root / "sys/devices/system/cpu"
    usable = os.sched_getaffinity(0)
    found = {content(folder / f"cpu{cpu}/cpufreq/scaling_governor") for cpu in usable} - {None}
    return ", ".join(sorted(map(str, found))) or None


def cpu_quota(root: Path = ROOT) -> float | None:
    """The least of our control groups', in CPUs; None where none has one."""
    found = []
    for group in cgroups("cpu", root):
        limit, _, period = (content(group / "cpu.max") or "").partition(" ")
        limit = limit or content(group / "cpu.cfs_quota_us") or "max"
        period = period or content(group / "cpu.cfs_period_us") or "100000"
        if limit.isdigit():
            found.append(int(limit) / int(period))
    return min(found, default=None)


@functools.cache
def throttle_files(root: Path = ROOT) -> list[Path]:
    """Where our control groups count how often they were stopped."""
    files = [group / "cpu.stat" for group in cgroups("cpu", root)]
    return [file for file in files if "nr_throttled" in (content(file) or "")]


def throttled(root: Path = ROOT) -> int:
    """How often our control groups were stopped for the rest of a period since they began."""
    texts = [content(file) or "" for file in throttle_files(root)]
    found = [re.search(r"\bnr_throttled (\d+)", text) for text in texts]
    return sum(int(each[1]) for each in found if each)


# ---- Memory, threads, descriptors, ports


def free_mib(root: Path = ROOT) -> int:
    """MiB that the machine has left, or a control group, if that is less."""
    available = re.search(r"MemAvailable: (\d+) kB", content(root / "proc/meminfo") or "")
    left = [int(available[1]) << 10] if available else []
    left += [limit - used for limit, used in memory_groups(root)]
    return max(0, min(left, default=0)) >> 20


def memory_groups(root: Path = ROOT) -> Iterator[tuple[int, int]]:
    """Limit and use in bytes of our control groups that have a limit.

    Pages of files that were not used for long do not count.
    """
    names = (
        ("memory.max", "memory.current"),
        ("memory.limit_in_bytes", "memory.usage_in_bytes"),
    )
    for group in cgroups("memory", root):
        stat = content(group / "memory.stat") or ""
        files = re.search(r"total_inactive_file (\d+)", stat)
        files = files or re.search(r"\binactive_file (\d+)", stat)
        for most, now in names:
            limit, used = number(group / most), number(group / now)
            if limit is not None and used is not None:
                yield limit, used - (int(files[1]) if files else 0)


def threads_left(root: Path = ROOT) -> tuple[int, str]:
    """How many threads may still start, and by which limit; (-1, "") where none is known."""
    kernel = root / "proc/sys/kernel"
    # 0.20 0.18 0.12 1/80 11206: the second of the pair counts all threads.
    running = re.search(r"/(\d+)", content(root / "proc/loadavg") or "")
    there = int(running[1]) if running else 0
    names = ("threads-max", "pid_max")
    found = [(number(kernel / name), there, f"kernel.{name}") for name in names]
    # Two memory maps for each platform thread of a JVM.
    maps = number(root / "proc/sys/vm/max_map_count")
    found.append((maps // 2 if maps else None, 0, "vm.max_map_count"))
    own = resource.getrlimit(resource.RLIMIT_NPROC)[0]
    # Root is not bound by it.
    if own != resource.RLIM_INFINITY and os.geteuid() != 0:
        found.append((own, 0, "RLIMIT_NPROC (ulimit -u)"))
    for group in cgroups("pids", root):
        most, used = (number(group / f"pids.{name}") for name in ("max", "current"))
        found.append((most, used or 0, f"pids.max of the control group {group.name}"))
    left = [(most - used, name) for most, used, name in found if most is not None]
    return min(left, default=(-1, ""))


def descriptors() -> tuple[int, int]:
    """The soft limit and the hard one; -1 without a limit."""
    return resource.getrlimit(resource.RLIMIT_NOFILE)


def raise_descriptors() -> None:
    """Lets this process and its children have as many as the hard limit allows.

    JVMs raise it themselves; servers in C, Python or Ruby stop accepting at the soft limit.
    """
    soft, hard = descriptors()
    most = min(hard, DESCRIPTORS_AT_MOST) if hard >= 0 else DESCRIPTORS_AT_MOST
    if 0 <= soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def ephemeral_ports(root: Path = ROOT) -> tuple[int, int]:
    found = (content(root / "proc/sys/net/ipv4/ip_local_port_range") or "32768 60999").split()
    return int(found[0]), int(found[1])


def server_ports(low: int, high: int) -> Sequence[int]:
    """Below the ephemeral range, above it where that begins too low, or else within it.

    Within it a client of a dead server can be given the server's own port and connect to itself.
    The kernel gives out every other port first, from the lowest: the others are the servers'.
    """
    below, above = range(max(FIRST_PORT, low - 10_000), low), range(high + 1, LAST_PORT + 1)
    for outside in (below, above):
        if len(outside) >= PORTS_AT_LEAST:
            return outside
    return [port for port in range(low + 1, high + 1, 2) if port >= FIRST_PORT]


# ---- Folders


@functools.cache
def in_memory(folder: Path, root: Path = ROOT) -> bool:
    """Whether what is written there reaches no disk: by file system, device, or measured.

    A measured one may be an overlay over memory, or a mount that ignores fsync.
    """
    mount = mount_of(folder, root)
    if mount and (mount.kind in IN_MEMORY or MEMORY_DEVICE.fullmatch(mount.device)):
        return True
    took_us = fsync_us(folder)
    return took_us is not None and took_us < FSYNC_US_AT_LEAST


@functools.cache
def fsync_us(folder: Path) -> float | None:
    """How long a written block of 4 KiB takes to the disk, the median; None where none can be."""
    took_ns = []
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            for _ in range(FSYNCS):
                os.pwrite(file.fileno(), bytes(4096), 0)
                begun_ns = time.perf_counter_ns()
                os.fdatasync(file.fileno())
                took_ns.append(time.perf_counter_ns() - begun_ns)
    except OSError:
        return None
    return round(statistics.median(took_ns) / 1000, 1)


def data_folder() -> Path:
    """Where databases have their data: in a folder for temporary files that is on a disk.

    In memory a commit costs nothing: without such a folder the rule data_on_disk fails their cells.
    """
    temporary = Path(tempfile.gettempdir())
    there = [each for each in (temporary, LASTING) if os.access(each, os.W_OK)]
    return next((each for each in there if not in_memory(each)), temporary)


def file_system(folder: Path, root: Path = ROOT) -> str:
    mount = mount_of(folder, root)
    return mount.kind if mount else "unknown"


# ---- Together


def record(root: Path = ROOT) -> dict[str, Any]:
    """Those of a cell's provenance, each a word, number or Boolean.

    Read it before this process is confined, and before it raises a limit.
    """
    processors, (_, hard), (threads, by) = cpus(root), descriptors(), threads_left(root)
    data = data_folder()
    return {
        "cpus_usable": listed(processors.usable),
        "cpu_quota": processors.quota,
        "cpu_governor": governors(root),
        "threads": threads,
        "threads_by": by,
        "descriptors": hard,
        "data_file_system": file_system(data, root),
        "data_in_memory": in_memory(data, root),
        "data_fsync_us": fsync_us(data),
        **{name: content(root / path) for name, path in SETTINGS.items()},
    }
