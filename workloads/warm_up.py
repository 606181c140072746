"""Warm-up: a server is loaded over its tiers' own paths until its JIT compiler is idle.

HotSpot has a clear end of compiling: 2 to 3 s for the socket servers, about 7 s for Tomcat, then
next to nothing, if the load has shown all that the tiers do. Bursts of the project's generator so
come in turns of three kinds: over a path that waits little; the same with a connection for each
request, since what a connection costs is compiled too; and a crowd over the tier's own path, in
which requests wait for each other. After each the CPU time of the compiler's threads tells whether
it is over, and the CPU time of a request whether the code still gets better. Latency could not:
servers that warm up side by side delay each other.
"""

from __future__ import annotations

import itertools
import json
import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from profiles.telemetry import compiler_threads, threads_cpu_s
from workloads.slices import clock_s, finish
from workloads.testbed import Process
from workloads.tools import wrk2

# A burst whose requests cost less than this share of those of its kind before still gets better.
STILL_FALLING = 0.9
# Of a crowd most are never answered.
ANSWER_LIMIT_S = 1
DRAIN_LIMIT_S = 10
# One idle burst may be chance.
IDLE_BURSTS = 2
# Of a crowd, that more come than the server can answer at once.
CROWD_RATE = 4


@dataclass
class WarmUp:
    """What the warm-up of one server came to; `ended` is idle, or limit."""

    ended: str = "limit"
    lasted_s: float = 0.0
    requests: int = 0
    compiler_share: float = 0.0

    def record(self) -> dict[str, Any]:
        """The `warm_up` part of cell.json."""
        names = ("ended", "lasted_s", "requests", "compiler_share")
        return {name: getattr(self, name) for name in names}


def loads_of(specs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The different ways in which the tiers of a mode ask, each once, with its largest crowd."""
    found: dict[str, dict[str, Any]] = {}
    for plan in filter(None, (spec["warm_up"] for spec in specs)):
        key = json.dumps(plan | {"crowd": plan["crowd"]["path"]}, sort_keys=True)
        crowds = (found.get(key, plan)["crowd"], plan["crowd"])
        found[key] = plan | {"crowd": max(crowds, key=lambda crowd: crowd["connections"])}
    return list(found.values())


def warm_up(subject: Any, plans: list[dict[str, Any]], cpus: list[int], folder: Path) -> WarmUp:
    """Warms a server up over several paths in turns: what one has compiled another may undo.

    Ends early with a server that dies or answers nothing: its first slice will say so.
    """
    result, idle, pid = WarmUp(), 0, subject.process.pid
    compilers, bursts = compiler_threads(pid), [load for plan in plans for load in kinds_of(plan)]
    # The first of its kind still gets better: a server without a compiler would pass at once.
    costs_s = [math.inf] * len(bursts)
    least = max(plan["requests_at_least"] for plan in plans)
    started_s = time.monotonic()
    deadline_s = started_s + sum(plan["limit_s"] for plan in plans)
    for number, load in itertools.cycle(enumerate(bursts)):
        begun_s, compiled_s, used_s = time.monotonic(), compiler_s(compilers), clock_s(pid)
        answered = burst(load, subject.port, cpus, folder)["requests"]["completed"]
        compiled_s, used_s = compiler_s(compilers) - compiled_s, clock_s(pid) - used_s
        result.compiler_share = compiled_s / (time.monotonic() - begun_s)
        result.requests += answered
        before_s, costs_s[number] = costs_s[number], (used_s - compiled_s) / max(1, answered)
        is_idle = (
            result.compiler_share <= load["compiler_share_at_most"]
            and costs_s[number] >= STILL_FALLING * before_s
        )
        idle = idle + 1 if is_idle else 0
        # Each kind must find nothing left to compile.
        if result.requests >= least and idle >= max(IDLE_BURSTS, len(bursts)):
            result.ended = "idle"
            break
        if time.monotonic() >= deadline_s or subject.process.ended():
            break
    result.lasted_s = time.monotonic() - started_s
    return result


def kinds_of(plan: dict[str, Any]) -> list[dict[str, Any]]:
    """The kinds of bursts. Where each request has its own connection there is one."""
    if not plan.get("keep_alive"):
        return [plan]
    kinds = [plan, plan | {"keep_alive": False}]
    if plan["crowd"]["connections"]:
        kinds.append(plan | {"rate_per_s": plan["rate_per_s"] * CROWD_RATE} | plan["crowd"])
    return kinds


def burst(plan: dict[str, Any], port: int, cpus: list[int], folder: Path) -> dict[str, Any]:
    """What the generator saw of a short load."""
    url, out = f"http://127.0.0.1:{port}{plan['path']}", folder / "warm-up.json"
    load = plan | {"duration_s": plan["burst_s"]}
    argv = wrk2.due_command(load, url, "--timeout", f"{ANSWER_LIMIT_S}s", "--json", str(out))
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
