"""Warm-up: a server is loaded over its tiers' own paths until its JIT compiler is idle.

HotSpot has a clear end of compiling: 2 to 3 s for the socket servers, about 10 s for Tomcat, then
next to nothing. Loads are bursts of the project's generator, as fast as the server answers; after
each the CPU time of the compiler's threads tells whether it is over, and the CPU time of a request
whether the code still gets better. Latency could not: servers that warm up side by side delay each
other.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from profiles.telemetry import compiler_threads, threads_cpu_s
from workloads.slices import clock_s, finish
from workloads.testbed import Process
from workloads.tools import wrk2

# A burst whose requests cost less than this share of those of the one before still gets better.
STILL_FALLING = 0.9
DRAIN_LIMIT_S = 10
# One idle burst may be chance: a method that is called once a request is compiled in steps.
IDLE_BURSTS = 2
# Of the requests of the first path, those of a later one: one in so many.
LATER_PATHS = 3


@dataclass
class WarmUp:
    """What the warm-up of one server came to; `ended` is idle, or limit."""

    ended: str = "idle"
    lasted_s: float = 0.0
    requests: int = 0
    compiler_share: float = 0.0

    def record(self) -> dict[str, Any]:
        """The `warm_up` part of cell.json."""
        names = ("ended", "lasted_s", "requests", "compiler_share")
        return {name: getattr(self, name) for name in names}


def loads_of(specs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The different ways in which the tiers of a mode ask, each once."""
    found = {json.dumps(spec["warm_up"], sort_keys=True): spec["warm_up"] for spec in specs}
    return list(found.values())


def warm_up(
    subject: Any, plans: list[dict[str, Any]], cpus: list[int], folder: Path, patience: float
) -> WarmUp:
    """Warms a server up; where several share the CPUs, `patience` is servers to a CPU.

    It stretches the limits and lowers the rates, so that the compilers get most of the CPUs. Ends
    early with a server that dies or answers nothing: its first slice will say so.
    """
    compilers, result = compiler_threads(subject.process.pid), WarmUp()
    started_s = time.monotonic()
    for number, plan in enumerate(plans):
        # Most of the code is that of the first path.
        least = plan["requests_at_least"] / (1 if number == 0 else LATER_PATHS)
        shared = plan | {
            "rate_per_s": round(plan["rate_per_s"] / patience),
            "limit_s": plan["limit_s"] * patience,
            "requests_at_least": least,
        }
        one = over_one_path(subject, shared, compilers, cpus, folder)
        result.requests += one.requests
        result.compiler_share = one.compiler_share
        result.ended = "limit" if "limit" in (result.ended, one.ended) else "idle"
    result.lasted_s = time.monotonic() - started_s
    return result


def over_one_path(
    subject: Any,
    plan: dict[str, Any],
    compilers: list[Path],
    cpus: list[int],
    folder: Path,
) -> WarmUp:
    result, cost_s, pid, idle = WarmUp(ended="limit"), 0.0, subject.process.pid, 0
    deadline_s = time.monotonic() + plan["limit_s"]
    while time.monotonic() < deadline_s and not subject.process.ended():
        begun_s, compiled_s, used_s = time.monotonic(), compiler_s(compilers), clock_s(pid)
        answered = burst(plan, subject.port, cpus, folder)["requests"]["completed"]
        compiled_s, used_s = compiler_s(compilers) - compiled_s, clock_s(pid) - used_s
        result.compiler_share = compiled_s / (time.monotonic() - begun_s)
        result.requests += answered
        before_s, cost_s = cost_s, (used_s - compiled_s) / max(1, answered)
        is_idle = (
            result.compiler_share <= plan["compiler_share_at_most"]
            and cost_s >= STILL_FALLING * before_s
        )
        idle = idle + 1 if is_idle else 0
        if result.requests >= plan["requests_at_least"] and idle >= IDLE_BURSTS:
            result.ended = "idle"
            break
    return result


def burst(plan: dict[str, Any], port: int, cpus: list[int], folder: Path) -> dict[str, Any]:
    """What the generator saw of a short load."""
    url, out = f"http://127.0.0.1:{port}{plan['path']}", folder / "warm-up.json"
    load = plan | {"duration_s": plan["burst_s"]}
    argv = wrk2.due_command(load, url, "--timeout", "2s", "--json", str(out))
    process = Process(argv, cpus, folder, "warm-up.log")
    finish(process, plan["burst_s"] + DRAIN_LIMIT_S)
    if process.exit_status != 0:
        said = (folder / "warm-up.log").read_text(errors="replace")[-2000:]
        raise RuntimeError(f"the warm-up failed ({process.exit_status}): {said}")
    seen: dict[str, Any] = json.loads(out.read_text())
    return seen


def compiler_s(compilers: list[Path]) -> float:
    try:
        return threads_cpu_s(compilers)
    except OSError:
        return 0.0
