"""Warm-up: a server is loaded over its tiers' own paths until its JIT compiler is idle.

HotSpot has a clear end of compiling: 2 to 3 s for the socket servers, about 7 s for Tomcat, if the
load has shown all that the tiers do. So short loads come in turns of three kinds, as fast as the
server answers: over a path that waits little; the same with a connection for each request; and a
burst of concurrent clients, in which requests wait for each other. Between them the server gets the
requests that it gets between slices: a single one of another kind makes HotSpot throw away code
that was compiled without it ("uncommon trap").

After each turn the CPU time of the compiler's threads shows whether it is over, and the CPU time of
a request whether the code still gets better. Latency could not: servers that warm up side by side
delay each other.
"""

import contextlib
import json
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from http.client import HTTPException
from pathlib import Path
from typing import Any

from profiles.watch.telemetry import compiler_threads, threads_cpu_s
from workloads.machine.testbed import Process
from workloads.record.slice import clock_s
from workloads.servers.subject import Subject
from workloads.tools import wrk2

# A server whose requests cost less than this share of those of a turn before still gets better.
STILL_FALLING = 0.85
# Beyond what a request waits; most requests of a burst are never answered.
ANSWER_LIMIT_S = 1
DRAIN_LIMIT_S = 10
# How long a load waits, at the most, for what the one before had compiled, if its plan does not
# say, and how often it looks.
COMPILING_LIMIT_S, COMPILING_EVERY_S = 5.0, 0.05
# A server that has answered nothing yet is still starting: its limit is no shorter than this.
FIRST_ANSWER_LIMIT_S = 30
LOADS_AT_LEAST = 2
# The share of a path's rate at which its loads begin. It doubles where nearly all were answered,
# and falls to half where few were: what a cold server cannot answer would pile up in it, turn by
# turn, until its heap is full.
FIRST_SHARE, LEAST_SHARE = 1 / 4, 1 / 64
NEARLY_ALL, FEW = 0.9, 0.5
# On kept-alive connections, and on a new one for each request.
KINDS_BUT_A_BURST = 2
# Parsing them is code too; the project's own generator sends neither.
JMETERS_HEADERS = ("-H", "Connection: keep-alive", "-H", "User-Agent: Apache-HttpClient/4.5.14")
# More requests of a burst come than the server can answer.
BURST_RATE = 2
# For a server that is measured alone, which is started again for each slice.
ALONE_LIMIT_S = 10


@dataclass
class WarmUp:
    """The `warm_up` part of cell.json; `ended` is idle, or limit."""

    ended: str = "limit"
    lasted_s: float = 0.0
    requests: int = 0
    compiler_share: float = 0.0


def loads_of(specs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The different ways in which the tiers load a mode, each once, with its largest burst.

    A mode that is measured alone has a burst of one client, for it would die of more, and is warm
    sooner: that it dies, or answers few, is no matter of its code.
    """
    found: dict[str, dict[str, Any]] = {}
    for spec in specs:
        plan = spec["warm_up"]
        if plan is None:
            continue
        if spec["mode"].get("alone"):
            burst = plan["burst"] | {"connections": min(1, plan["burst"]["connections"])}
            plan = plan | {"burst": burst, "limit_s": min(ALONE_LIMIT_S, plan["limit_s"])}
        key = way_of(plan)
        bursts = (found.get(key, plan)["burst"], plan["burst"])
        found[key] = plan | {"burst": max(bursts, key=lambda burst: burst["connections"])}
    return list(found.values())


def way_of(plan: dict[str, Any] | None) -> str:
    """The same of plans that differ in their burst's size alone, or in the path of one that they do
    not have."""
    if plan is None:
        return ""
    path = plan["burst"]["path"] if plan["burst"]["connections"] else None
    return json.dumps(plan | {"burst": path}, sort_keys=True)


def warm_up(
    subject: Subject,
    plans: list[dict[str, Any]],
    study: dict[str, Any],
    cpus: list[int],
    folder: Path,
) -> WarmUp:
    """Warms a server up over several paths in turns: what one has compiled another may undo."""
    result, pid = WarmUp(), subject.process.pid
    compilers, paths = compiler_threads(pid), [Paced(plan) for plan in plans]
    # One idle load may be chance.
    paths *= math.ceil(LOADS_AT_LEAST / sum(len(kinds_of(plan)) for plan in plans))
    # Without a compiler only a cost that no longer falls shows the end: one turn alone cannot.
    cost_s = 0.0 if compilers else math.inf
    idle_at_most = min(plan["compiler_share_at_most"] for plan in plans)
    # So many let HotSpot see what it is to compile.
    least = max(plan["requests_at_least"] for plan in plans) if compilers else 0
    limit_s = sum(plan["limit_s"] for plan in plans)
    compiling_limit_s = min(plan.get("compiling_limit_s", COMPILING_LIMIT_S) for plan in plans)
    rest = partial(time.sleep, COMPILING_EVERY_S)

    def ask(load: dict[str, Any]) -> int:
        answered = short_load(load, subject, cpus, folder)
        ask_as_between_slices(subject, study)
        if compilers:
            until_idle(compilers, idle_at_most, compiling_limit_s, rest)
        return answered

    started_s = time.monotonic()
    while result.ended == "limit" and not subject.process.ended():
        longest_s = limit_s if result.requests else max(limit_s, FIRST_ANSWER_LIMIT_S)
        if time.monotonic() >= started_s + longest_s:
            break
        begun_s, compiled_s, used_s = time.monotonic(), compiler_s(compilers), clock_s(pid)
        answered = sum(path.turn(ask) for path in paths)
        compiled_s, used_s = compiler_s(compilers) - compiled_s, clock_s(pid) - used_s
        result.compiler_share = compiled_s / (time.monotonic() - begun_s)
        result.requests += answered
        before_s, cost_s = cost_s, (used_s - compiled_s) / max(1, answered)
        is_idle = result.compiler_share <= idle_at_most and cost_s >= STILL_FALLING * before_s
        if is_idle and result.requests >= least:
            result.ended = "idle"
    result.lasted_s = time.monotonic() - started_s
    return result


@dataclass
class Paced:
    """A path, and the share of its rate that the server answers."""

    plan: dict[str, Any]
    share: float = FIRST_SHARE

    def turn(self, ask: Callable[[dict[str, Any]], int]) -> int:
        """Loads in all ways; how many requests were answered."""
        plan = at_share(self.plan, self.share)
        counts = [ask(load) for load in kinds_of(plan)]
        self.share = next_share(self.share, plan, counts)
        return sum(counts)


def at_share(plan: dict[str, Any], share: float) -> dict[str, Any]:
    slower = plan | {"rate_per_s": plan["rate_per_s"] * share}
    if burst := plan.get("burst"):
        slower["burst"] = burst | {"connections": math.ceil(burst["connections"] * share)}
    return slower


def next_share(share: float, plan: dict[str, Any], counts: list[int]) -> float:
    """By how many requests of each kind were answered; a burst is to be too much."""
    steady = counts[:KINDS_BUT_A_BURST]
    answered = sum(steady) / (len(steady) * plan["rate_per_s"] * plan["burst_s"])
    if answered >= NEARLY_ALL:
        return min(1.0, 2 * share)
    return share if answered >= FEW else max(LEAST_SHARE, share / 2)


def ask_as_between_slices(subject: Subject, study: dict[str, Any]) -> None:
    """Sends what a slice sends; a server that does not answer is noticed at its first slice."""
    with contextlib.suppress(OSError, HTTPException):
        subject.ask(study["verify_path"], ANSWER_LIMIT_S)
        subject.rows(study.get("rows_path"), ANSWER_LIMIT_S)
        subject.counters(study.get("counters_path"), ANSWER_LIMIT_S)
        for on in (True, False):
            subject.watch(study.get("watch_path"), ANSWER_LIMIT_S, on=on)


def kinds_of(plan: dict[str, Any]) -> list[dict[str, Any]]:
    """The kinds of loads; one where each request has its own connection."""
    if not plan.get("keep_alive"):
        return [plan]
    kinds = [plan, plan | {"keep_alive": False}]
    if plan["burst"]["connections"]:
        # Once, for it takes longest.
        kinds.append(plan | {"rate_per_s": plan["rate_per_s"] * BURST_RATE} | plan["burst"])
    return kinds


def until_idle(
    compilers: list[Path], idle_at_most: float, limit_s: float, step: Callable[[], None]
) -> None:
    """Steps until the compiler was idle in one, but none begins after the limit."""
    deadline_s, share = time.monotonic() + limit_s, math.inf
    while share > idle_at_most and time.monotonic() < deadline_s:
        compiled_s, begun_s = compiler_s(compilers), time.monotonic()
        step()
        share = (compiler_s(compilers) - compiled_s) / (time.monotonic() - begun_s)


def short_load(plan: dict[str, Any], subject: Subject, cpus: list[int], folder: Path) -> int:
    """How many requests of a short load by the project's own generator were answered.

    Raises RuntimeError with what it said where it failed.
    """
    url = f"http://{subject.address}:{subject.port}{plan['path']}"
    load, out = plan | {"duration_s": plan["burst_s"]}, folder / "warm-up.json"
    headers = JMETERS_HEADERS if load.get("keep_alive") else ()
    patience_s = ANSWER_LIMIT_S + plan.get("waits_s", 0)
    more = ("--json", str(out), "--timeout", f"{patience_s}s", *headers)
    argv = wrk2.due_command(load, url, *more)
    process = Process(argv, cpus, folder, "warm-up.log", subject.client_environment)
    process.finish(plan["burst_s"] + DRAIN_LIMIT_S)
    if process.exit_status != 0:
        said = process.log.read_text(errors="replace")[-2000:]
        raise RuntimeError(f"the warm-up failed ({process.exit_status}): {said}")
    return int(json.loads(out.read_text())["requests"]["completed"])


def compiler_s(compilers: list[Path]) -> float:
    try:
        return threads_cpu_s(compilers)
    except OSError:
        return 0.0
