"""The profile of a database: perf samples its stacks.

Where there is no perf, or the kernel forbids it, there is no profile and nothing else changes.
Source: perf-record(1); cpu-clock ticks without a hardware counter, which virtual machines lack.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from workloads.machine.testbed import Process

DATA, LOG = "profile.perf", "perf.log"
EVENT, INTERVAL_MS = "cpu-clock", 1
STOP_LIMIT_S = 10
PARANOID = Path("/proc/sys/kernel/perf_event_paranoid")


def record(pid: int, cpus: list[int], folder: Path) -> Process | None:
    """Samples a process, its threads and what it starts from now on; None without perf.

    perf shares the generator's CPUs, which are this runner's. Its times are epoch times, so that
    the load can be cut out. Where it may, perf samples `cpus` instead, with all that runs there:
    the clock of a process that lives for one transaction would never tick.
    """
    program = shutil.which("perf")
    if not program:
        return None
    cpu_list = ",".join(map(str, cpus))
    argv = [
        *(program, "record", "--quiet", "--no-buildid-cache", "--no-buildid"),
        # The listener for BPF programs looks up once a second only, and perf waits for it to end.
        "--no-bpf-event",
        *("--event", EVENT, "--count", str(INTERVAL_MS * 1_000_000)),
        *("--clockid", "realtime", "-g", "--output", DATA),
        *(["--cpu", cpu_list] if may_see_all() else ["--pid", str(pid)]),
    ]
    return Process(argv, sorted(os.sched_getaffinity(0)), folder, LOG)


def may_see_all() -> bool:
    """Whether the kernel lets us sample every process."""
    return os.geteuid() == 0 or int(PARANOID.read_text()) <= 0


def facts(folder: Path) -> dict[str, Any]:
    """The `profile` part of cell.json."""
    data = folder / DATA
    if not data.exists() or not data.stat().st_size:
        return {"file": None}
    return {"file": DATA, "engine": "perf", "event": EVENT, "interval_ms": INTERVAL_MS}
