"""The tool overload: an open loop at shares of a capacity, one share or several in time.

The session estimates the capacity of the comparison's baseline and offers every mode the same
rates (workloads/session/overload.py). Answers are recorded for as long as the testbed's time-out.
Users wait for the objective: what is answered later, or not at all, or wrong, has failed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from workloads.record.overload import ANSWERS, read_answers, within
from workloads.servers.subject import Subject
from workloads.tools import sweep

LOOP = "open"
# How long a server may take to answer a request after its load, before it is said to hang.
ANSWER_LIMIT_S = 10.0

generator = sweep.generator


def course_at(spec: dict[str, Any], capacity_per_s: float, seed: int) -> dict[str, Any]:
    """The cell's spec with the rates of its steps, of random arrivals."""
    more = {"rate_per_s": round(capacity_per_s, 2), "arrivals": "poisson", "seed": seed}
    return spec | {"tool": spec["tool"] | more}


def command(spec: dict[str, Any], java: Path, subject: Subject) -> list[str]:
    """Without steps it is a load of a sweep, by which the session calibrates."""
    steps = ",".join(f"{share:g}x{length_s:g}s" for share, length_s in spec["tool"]["steps"])
    more = ("--steps", steps, "--answers", ANSWERS) if steps else ()
    return sweep.command(spec, java, subject, *more)


def collect(spec: dict[str, Any], folder: Path, ran_s: tuple[float, float]) -> dict[str, Any]:
    """The load of an open loop; `error_share` is of requests without a right answer in time."""
    load, tool = sweep.collect(spec, folder, ran_s), spec["tool"]
    # Its steps are not those of a sweep, each at a rate of its own.
    del load["sustained"]
    if not tool["steps"]:
        return load
    due = load["requests_offered"]
    good = within(read_answers(folder), tool["objective_ms"])
    return load | {
        "error_share": 1 - good / due if due else 1.0,
        "offered_per_s": due / load["duration_s"],
        "capacity_per_s": tool["rate_per_s"],
        "steps": tool["steps"],
        "objective_ms": tool["objective_ms"],
    }
