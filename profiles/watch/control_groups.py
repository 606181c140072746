"""Memory of a server that has a control group of its own, as a container has (cgroups(7)).

Version 1 and 2 of the kernel's groups; a process in the group of this program has none of its own.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
# Where each version counts the times that memory ran out.
KILLS = ("memory.events", "memory.oom_control")


def memory_group(pid: int | str) -> Path | None:
    """The folder of the group that counts a process's memory; None without one."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            folder = ROOT / controllers / path.lstrip("/")
            if controllers in ("memory", "") and (folder / "memory.stat").exists():
                return folder
    return None


def own_group(pid: int) -> Path | None:
    """The same, of a process that has another one than this program."""
    found = memory_group(pid)
    return None if found == memory_group("self") else found


def memory_bytes(group: Path) -> int | None:
    """The memory of a group's processes now; None once it is gone."""
    names = ("total_rss",) if (group / "memory.oom_control").exists() else ("anon",)
    return value_in(group / "memory.stat", names)


def value_in(path: Path, names: tuple[str, ...]) -> int | None:
    with contextlib.suppress(OSError):
        for line in path.read_text().splitlines():
            name, _, value = line.partition(" ")
            if name in names:
                return int(value)
    return None


@dataclass
class Kills:
    """How often a group ran out of memory, so that the kernel killed one of it."""

    group: Path | None
    before: int

    def count(self) -> int:
        if self.group is None:
            return 0
        return max(value_in(self.group / name, ("oom_kill",)) or 0 for name in KILLS)

    def grown(self) -> bool:
        return self.count() > self.before


def out_of_memory_kills(pid: int) -> Kills:
    kills = Kills(own_group(pid), 0)
    kills.before = kills.count()
    return kills
