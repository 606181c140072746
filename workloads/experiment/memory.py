"""Memory that a session needs, from its plan: checked before anything starts.

A heap counts as it starts: those of servers are fixed, and JMeter's grows with what is alive only.
Three fifths of its young generation fill before every collection. A third of the rest counts, for
one survivor space at a time and what lives long: 711 MiB for a server with a heap of 768 MiB,
which held 642 at 4,000 requests/s. Everything else is the most that shipped runs show, rounded up.

    python -m workloads.experiment.memory      MiB needed, MiB free, the session that needs most
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from profiles.watch.limits import free_mib

if TYPE_CHECKING:
    from workloads.experiment.grid import Grid, Session
    from workloads.experiment.plan import ModePlan, Plan

ROOT = Path(__file__).resolve().parents[2]
# Classes, compiled code and a hundred threads of a JVM; each of many threads.
NATIVE_MIB = 224
THREAD_MIB = 0.05
# Collectors of regions, which put new objects anywhere in the heap and so come to use all of it.
REGIONAL = ("-XX:+UseG1GC", "-XX:+UseZGC")
# Heap of a JVM without a limit, which may take a quarter of the machine.
HEAP_MIB = 512
# Backends and databases, by their id; the last for a program of the user's.
PROCESS_MIB = {"mariadb": 240, "postgresql": 320, "pgbouncer": 320, "remote": 96, "": 256}
# Snakemake, the session's process, and a generator that is no JVM.
REST_MIB = 384
UNITS_MIB = {"k": 1 / 1024, "m": 1, "g": 1024}


def jvm_mib(options: Sequence[str]) -> float:
    """A JVM with its heap: of two options for one limit it takes the later."""
    limits = [re.fullmatch(r"-Xm([sxn])(\d+)([kmg])", option) for option in options]
    mib = {found[1]: int(found[2]) * UNITS_MIB[found[3]] for found in limits if found}
    heap = mib.get("s", mib.get("x", HEAP_MIB))
    if any(option in REGIONAL for option in options):
        return NATIVE_MIB + heap
    eden = 3 / 5 * mib.get("n", heap / 3)
    return NATIVE_MIB + eden + (heap - eden) / 3


def mode_mib(plan: ModePlan) -> float:
    """A server with what it depends on."""
    backends = [plan.backend, *plan.backend.get("others", [])] if plan.backend else []
    programs = [part["id"] for part in (*backends, plan.engine) if part]
    mib = sum(PROCESS_MIB.get(id, PROCESS_MIB[""]) for id in programs)
    if "command" in plan.mode:
        return mib + PROCESS_MIB[""]
    if plan.engine:
        return mib
    threads = plan.mode["options"].get("threads", 0)
    return mib + jvm_mib(plan.study["server"]["jvm_options"]) + THREAD_MIB * threads


def needed_mib(plan: Plan) -> int:
    """The peak of a session: its modes live together, then each that is loaded alone."""
    alone = {mode for mode, part in plan.modes.items() if part.mode.get("alone")}
    each = {mode: mode_mib(part) for mode, part in plan.modes.items()}
    together = sum(mib for mode, mib in each.items() if mode not in alone)
    # One JVM of each tool, unless it is on another machine.
    tools = {
        load.tool["id"]: jvm_mib(load.tool["jvm_options"])
        for load in plan.loads.values()
        if "jvm_options" in load.tool and "generator" not in load.testbed
    }
    servers = max(together, *(each[mode] for mode in alone), 0)
    return round(servers + sum(tools.values()) + REST_MIB)


def largest(grid: Grid, sessions: Iterable[Session]) -> tuple[int, str]:
    """MiB and path of the session that needs most; 0 where there is none."""
    needs = [(needed_mib(grid.plan(session)), session.path) for session in sessions]
    return max(needs, default=(0, ""))


def fault(needed: tuple[int, str], free_mib: int) -> str | None:
    """Says what to do where the largest session needs more than is free."""
    mib, path = needed
    if mib <= free_mib:
        return None
    return (
        f"session {path} needs {mib:,} MiB of memory, and {free_mib:,} MiB are free: close other "
        "programs, lower heap_mib of its study or modes, or request other sessions by name"
    )


def main() -> None:
    from workloads.experiment.grid import Grid
    from workloads.experiment.reading import configuration

    grid = Grid(configuration([ROOT / "config.yaml"]))
    mib, path = largest(grid, grid.sessions)
    print(mib, free_mib(), path)


if __name__ == "__main__":
    main()
