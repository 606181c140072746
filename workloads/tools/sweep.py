"""The tool sweep: an open loop at a rate that the session decides, one step at a time.

The generator is always the project's own: it has Poisson arrivals, and writes the course of a step.
The rates are decided in workloads/session/load_sweep.py; this is one of its loads.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from workloads.record.overload import COURSE, Interval, read_course
from workloads.servers.subject import Subject
from workloads.tools import wrk2

LOOP = "open"
# An interval of the course. A step is too short for the test of settling, which reads series.csv.
EVERY_S = 0.01
RIGHT_AT_LEAST = 0.99
# Behind a server that answers 10 % less than is due, requests grow older by this much a second.
AGES_AT_MOST = 0.1
# The loads of a rate together have a p99: ten requests beyond it. At low rates each lasts longer.
REQUESTS_AT_LEAST, LONGEST_S = 1000, 5
# Connections beyond those that twice the objective keeps busy, for rates at which that is none.
FEW_CONNECTIONS = 10

generator = wrk2.generator


def load_at(spec: dict[str, Any], rate_per_s: float, seed: int, **other: Any) -> dict[str, Any]:
    """The cell's spec at one rate.

    By Little's law rate x objective is how many requests are in flight where latency is as long as
    the objective allows. With twice as many connections none waits for one before that. Beyond,
    requests wait in the generator, and their latency counts from when they were due. With
    `Connection: close` it is the same: so many connections are open at a time, each for a request.
    """
    tool = spec["tool"]
    needed = math.ceil(2 * busy_connections(spec, rate_per_s)) + FEW_CONNECTIONS
    needed_s = REQUESTS_AT_LEAST / (spec["slices"]["rounds"] * rate_per_s)
    step = {
        "connections": min(tool["connections"], needed),
        "rate_per_s": rate_per_s,
        "duration_s": max(tool["duration_s"], round(min(needed_s, LONGEST_S), 3)),
        "seed": seed,
    }
    return spec | {"tool": tool | step | other}


def busy_connections(spec: dict[str, Any], rate_per_s: float) -> float:
    """How many requests are in flight when each takes as long as the objective."""
    return float(rate_per_s * spec["tool"]["objective_ms"] / 1000)


def command(spec: dict[str, Any], java: Path, subject: Subject, *more: str) -> list[str]:
    tool = spec["tool"]
    course = ("--series", COURSE, "--series-every", f"{EVERY_S}s")
    arrivals = ("--schedule", tool["arrivals"], "--seed", str(tool["seed"]))
    return wrk2.by_due(spec, subject, *arrivals, *course, *more)


def collect(spec: dict[str, Any], folder: Path, ran_s: tuple[float, float]) -> dict[str, Any]:
    """The load of an open loop; whether it was sustained, and the rate that was served."""
    by_due = json.loads((folder / "load.json").read_text())
    load, course = wrk2.from_due(by_due), read_course(folder)
    return load | {
        "sustained": is_sustained(load, course, spec["tier"]["sleep_ms"] / 1000),
        "served_per_s": served_per_s(load, course),
        # Share of a CPU in the busiest thread: what it had and what it waited for.
        "generator_thread": by_due["cpu_share"] + by_due["cpu_wait_share"],
    }


def is_sustained(load: dict[str, Any], course: list[Interval], waits_s: float) -> bool:
    """Whether the server keeps up with what is due.

    At least 99 % of the requests that were due in the window are answered right within their
    time-out. And the backlog does not grow: from the middle of the window to its end the request
    that has waited longest grows older by at most a tenth of that time, as it would where a tenth
    of the requests is not answered. The count in flight would vary with the arrivals; how long
    the oldest has been in flight does not. One that is as old as every request is when it is
    answered, `waits_s`, is no backlog: at low rates there may be none in the middle.
    """
    duration_s = load["duration_s"]
    grown_s = oldest_s(course, duration_s) - max(waits_s, oldest_s(course, duration_s / 2))
    return is_answered(load) and grown_s <= AGES_AT_MOST * duration_s / 2


def is_answered(load: dict[str, Any]) -> bool:
    return bool(load["responses_2xx"] >= RIGHT_AT_LEAST * load["requests_offered"])


def oldest_s(course: list[Interval], at_s: float) -> float:
    """How long the oldest request in flight has been, if they end in order; 0 where none is."""
    before = [each for each in course if each.time_s < at_s - EVERY_S / 2]
    ended = sum(each.answered + each.failed for each in before)
    came = 0
    for each in before:
        if came + each.due > ended:
            within = (ended + 0.5 - came) / each.due
            return max(0.0, at_s - each.time_s - within * EVERY_S)
        came += each.due
    return 0.0


def served_per_s(load: dict[str, Any], course: list[Interval]) -> float:
    """Right answers a second, from when a hundredth of all had come until all but a hundredth had.

    That is the rate of a load that the server keeps up with, however long a request takes, and the
    server's capacity beyond. A straggler would count as much as all the others.
    """
    total = sum(each.answered for each in course)
    (low, from_s), (high, to_s) = (reached(course, share * total) for share in (0.01, 0.99))
    share_right = load["responses_2xx"] / max(1, total)
    return float((high - low) * share_right / max(to_s - from_s, EVERY_S))


def reached(course: list[Interval], count: float) -> tuple[int, float]:
    """How many answers there are, and when, as soon as there are so many; 0 without a course."""
    answered, at_s = 0, 0.0
    for each in course:
        answered, at_s = answered + each.answered, each.time_s + EVERY_S
        if answered >= count:
            break
    return answered, at_s
