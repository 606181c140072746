"""Control groups of servers (cgroups(7)), version 1 and 2: memory of one that has its own, as a
container has, and a group that limits CPU time, as Kubernetes and `docker run --cpus` do."""

import contextlib
import itertools
import os
from pathlib import Path

from profiles.watch import limits

ROOT = Path("/sys/fs/cgroup")
# Names of groups that this program makes, with its process id and a number; the kernel's period.
PREFIX, PERIOD_US = "thread-artifact-", 100_000
numbers = itertools.count(1)


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
    found = memory_group(pid)
    return None if found == memory_group("self") else found


def memory_bytes(group: Path) -> int | None:
    """The memory of a group's processes now; None once it is gone."""
    wanted = "total_rss" if (group / "memory.oom_control").exists() else "anon"
    with contextlib.suppress(OSError):
        for line in (group / "memory.stat").read_text().splitlines():
            name, _, value = line.partition(" ")
            if name == wanted:
                return int(value)
    return None


def limited_group(cpus: float, root: Path = limits.ROOT) -> Path:
    """A new group whose processes use no more than so many CPUs' time in each 100 ms.

    Its folder is the caller's to remove; empty ones of runs that were killed are removed here.
    Raises OSError where none can be made, as by a user who is not root.
    """
    faults = []
    for above in reversed([*limits.cgroups("cpu", root)]):
        remove_left(above)
        group = above / f"{PREFIX}{os.getpid()}-{next(numbers)}"
        try:
            group.mkdir()
            limit(group, round(cpus * PERIOD_US))
        except OSError as fault:
            faults.append(str(fault))
            with contextlib.suppress(OSError):
                group.rmdir()
        else:
            return group
    raise OSError("; ".join(faults) or "no control group limits CPU time here")


def remove_left(above: Path) -> None:
    for left in above.glob(f"{PREFIX}*"):
        if not Path(f"/proc/{left.name.removeprefix(PREFIX).partition('-')[0]}").exists():
            with contextlib.suppress(OSError):
                left.rmdir()


def limit(group: Path, quota_us: int) -> None:
    """Version 1 has a quota that is there already, version 2 a quota with its period."""
    first = group / "cpu.cfs_quota_us"
    file, text = (first, "") if first.exists() else (group / "cpu.max", f" {PERIOD_US}")
    # Without it a file of that name would be made in a folder that is no group.
    if not file.exists():
        raise OSError(f"{group.parent} hands no limit on CPU time down")
    file.write_text(f"{quota_us}{text}")


def entering(group: Path) -> list[str]:
    """Words before a command that is to run in the group from its start on."""
    return ["sh", "-c", 'echo $$ >"$0" && exec "$@"', str(group / "cgroup.procs")]
