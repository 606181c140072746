"""What this machine, or the container on it, lets us have: CPUs, memory, threads, descriptors.

Read before anything starts: the doctor prints it with advice, a load that needs more is named with
its limit, and each cell records it. Nothing but the standard library, since the doctor must speak
where nothing is installed. `root` holds the kernel's /proc and /sys; tests have one of their own.
Sources: cgroups(7), cpuset(7), proc(5), getrlimit(2), the kernel's admin-guide (cgroup-v1, cgroup-v2).
"""

from __future__ import annotations

import os
import platform
import re
import resource
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path("/")
# File systems that keep in memory what is written to them.
IN_MEMORY = {"tmpfs", "ramfs", "devtmpfs"}
# Clocks that a program reads without a system call, by architecture and hypervisor.
FAST_CLOCKS = {
    *("tsc", "arch_sys_counter", "kvm-clock", "hyperv_clocksource_tsc_page", "riscv_clocksource"),
}
# From this release on a fair scheduler is EEVDF.
EEVDF_SINCE = (6, 6)


def content(path: Path) -> str | None:
    """What a file of the kernel says, in one line; None where it is not there or not for us."""
    try:
        return " ".join(path.read_text().split())
    except OSError:
        return None


def number(path: Path) -> int | None:
    """Its first number; None where there is none, as in `max`."""
    found = re.match(r"-?\d+", content(path) or "")
    return int(found[0]) if found else None


def numbers(text: str | None) -> list[int]:
    """A list as the kernel writes it, such as 0-2,8."""
    bounds = [[int(bound) for bound in part.split("-")] for part in (text or "").split(",") if part]
    return [each for bound in bounds for each in range(bound[0], bound[-1] + 1)]


# ---- Mounts and control groups --------------------------------------------------------------


@dataclass(frozen=True)
class Mount:
    """A line of /proc/self/mountinfo; `top` is the folder of the file system that is mounted."""

    top: str
    place: str
    kind: str
    options: frozenset[str]

    @property
    def is_in_memory(self) -> bool:
        return self.kind in IN_MEMORY


def mounts(root: Path = ROOT) -> list[Mount]:
    found = []
    for line in read_lines(root / "proc/self/mountinfo"):
        # 36 35 98:0 /top /place rw,noatime master:1 - ext3 /dev/root rw,errors=continue
        own, _, rest = line.partition(" - ")
        words, (kind, _, more) = own.split(), rest.split(maxsplit=2)
        options = frozenset([*words[5].split(","), *more.split(",")])
        found.append(Mount(unescaped(words[3]), unescaped(words[4]), kind, options))
    return found


def unescaped(text: str) -> str:
    """Spaces and tabs are octal in mountinfo."""
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), text)


def read_lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except OSError:
        return []


def mount_of(folder: Path, root: Path = ROOT) -> Mount | None:
    """Where a folder lies: of the mounts above it the innermost, and of two at one place the last."""
    there = folder.resolve()
    above = [mount for mount in mounts(root) if there.is_relative_to(mount.place)]
    return max(reversed(above), key=lambda mount: len(Path(mount.place).parts), default=None)


def cgroups(controller: str, root: Path = ROOT) -> Iterator[Path]:
    """Our control groups of a controller, from our own to the outermost that we see.

    Version 1 has a tree for each controller, version 2 one for all, and a machine may have both.
    Within a container the group's name may begin with what is mounted as the tree's top.
    """
    own = {}
    for line in read_lines(root / "proc/self/cgroup"):
        _, names, path = line.split(":", 2)
        own.update(dict.fromkeys(names.split(","), path))
    for mount in mounts(root):
        if mount.kind == "cgroup" and controller in mount.options:
            path = own.get(controller)
        else:
            path = own.get("") if mount.kind == "cgroup2" else None
        if path is None:
            continue
        inside = path.removeprefix(mount.top.rstrip("/")) if mount.top != "/" else path
        top = root / mount.place.lstrip("/")
        folder = top / inside.lstrip("/")
        yield from (folder, *(above for above in folder.parents if above.is_relative_to(top)))


# ---- CPUs -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cpus:
    """`usable`: by affinity and cpuset. `shown`: those that /proc/stat has, by their own numbers.
    `quota`: how many CPUs' time we may use in each period; None without a quota. `capacities`: of
    usable ones, relative, where the kernel tells: efficient cores have less."""

    usable: list[int]
    shown: list[int]
    offline: list[int]
    quota: float | None
    capacities: dict[int, int]

    @property
    def hidden(self) -> list[int]:
        """Usable ones whose idle time nobody can read, as behind lxcfs."""
        return sorted({*self.usable} - {*self.shown})

    @property
    def count(self) -> int:
        """How many may be busy all the time."""
        return len(self.usable) if self.quota is None else min(len(self.usable), int(self.quota))


def cpus(root: Path = ROOT) -> Cpus:
    usable = sorted(os.sched_getaffinity(0))
    stat = "\n".join(read_lines(root / "proc/stat"))
    folder = root / "sys/devices/system/cpu"
    capacities = {cpu: number(folder / f"cpu{cpu}/cpu_capacity") for cpu in usable}
    return Cpus(
        usable=usable,
        shown=[int(found) for found in re.findall(r"^cpu(\d+) ", stat, re.MULTILINE)],
        offline=numbers(content(folder / "offline")),
        quota=cpu_quota(root),
        capacities={cpu: found for cpu, found in capacities.items() if found},
    )


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


def throttled(root: Path = ROOT) -> int:
    """How often our control groups were stopped for the rest of a period since they began."""
    return sum(
        int(found[1])
        for group in cgroups("cpu", root)
        if (found := re.search(r"\bnr_throttled (\d+)", content(group / "cpu.stat") or ""))
    )


# ---- Memory, threads, descriptors, ports ----------------------------------------------------


def free_mib(root: Path = ROOT) -> int:
    """What the machine has left, or a control group may still have, whichever is less."""
    available = re.search(r"MemAvailable: (\d+) kB", content(root / "proc/meminfo") or "")
    left = [int(available[1]) << 10] if available else []
    left += [limit - used for limit, used in memory_groups(root)]
    return max(0, min(left, default=0)) >> 20


def memory_groups(root: Path) -> Iterator[tuple[int, int]]:
    """Limit and use in bytes of our control groups that have a limit; a file's pages can go."""
    for group in cgroups("memory", root):
        for most, now in (("memory.max", "memory.current"), ("memory.limit_in_bytes", "memory.usage_in_bytes")):
            limit, used = number(group / most), number(group / now)
            if limit is not None and used is not None:
                files = re.search(r"\b(?:total_)?inactive_file (\d+)", content(group / "memory.stat") or "")
                yield limit, used - (int(files[1]) if files else 0)


def threads_left(root: Path = ROOT) -> tuple[int, str]:
    """How many threads may still start, and by which limit."""
    kernel = root / "proc/sys/kernel"
    most = [(number(kernel / name), f"kernel.{name.replace('-', '_')}") for name in ("threads-max", "pid_max")]
    # Two memory maps for each platform thread of a JVM.
    maps = number(root / "proc/sys/vm/max_map_count")
    most.append((maps // 2 if maps else None, "vm.max_map_count"))
    own = resource.getrlimit(resource.RLIMIT_NPROC)[0]
    # Root is not bound by it.
    if own != resource.RLIM_INFINITY and os.geteuid() != 0:
        most.append((own, "RLIMIT_NPROC (ulimit -u)"))
    for group in cgroups("pids", root):
        limit, used = number(group / "pids.max"), number(group / "pids.current")
        if limit is not None:
            most.append((limit - (used or 0), f"pids.max of the control group {group.name or '/'}"))
    return min(((count, name) for count, name in most if count is not None), default=(0, "none is known"))


def descriptors() -> tuple[int, int]:
    """The soft limit, which a child gets, and the hard one, to which it may be raised."""
    return resource.getrlimit(resource.RLIMIT_NOFILE)


def raise_descriptors() -> None:
    """This process and its children may have as many as the hard limit allows.

    JVMs raise it themselves; servers in C, Python or Ruby stop accepting at the soft limit.
    """
    _, hard = descriptors()
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def ephemeral_ports(root: Path = ROOT) -> tuple[int, int]:
    """First and last port that the kernel gives to clients."""
    found = (content(root / "proc/sys/net/ipv4/ip_local_port_range") or "32768 60999").split()
    return int(found[0]), int(found[1])


# ---- Together -------------------------------------------------------------------------------


def scheduler(root: Path = ROOT) -> str:
    """The scheduler of ordinary threads: one loaded as BPF program by its name."""
    if loaded := content(root / "sys/kernel/sched_ext/root/ops"):
        return loaded
    release = tuple(map(int, re.findall(r"\d+", platform.release())[:2]))
    return "EEVDF" if release >= EEVDF_SINCE else "CFS"


def clock(root: Path = ROOT) -> str | None:
    return content(root / "sys/devices/system/clocksource/clocksource0/current_clocksource")


def record(folders: dict[str, Path], root: Path = ROOT) -> dict[str, Any]:
    """All of it, for a cell's provenance; `folders` by what they hold."""
    soft, hard = descriptors()
    found = {name: mount_of(folder, root) for name, folder in folders.items()}
    return {
        "cpus": asdict(cpus(root)),
        "threads": threads_left(root)[0],
        "descriptors_soft": soft,
        "descriptors_hard": hard,
        "scheduler": scheduler(root),
        "clock": clock(root),
        "file_systems": {name: mount.kind if mount else None for name, mount in found.items()},
    }
