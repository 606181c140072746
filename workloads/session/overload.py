"""Loads beyond capacity: all modes at the same rates, which are shares of one capacity.

That of the comparison's baseline, estimated once for each page by the ramp of a load sweep. After
each load the server may take some seconds to become idle; one that does not is stopped, and started
again for its next load. A mode whose server broke is not loaded again at its tier.
"""

from __future__ import annotations

from typing import Any, Protocol

from workloads.experiment.plan import Name, Plan
from workloads.record.slice import PLAIN, Slice, is_broken
from workloads.session.load_sweep import (
    FIRST_PER_S,
    Load,
    Swept,
    drain,
    estimated_per_s,
    seed_of,
)
from workloads.tools.overload import course_at

# The loads of a ramp have the connections that such a latency keeps busy.
CALIBRATED_AT_MS = 200


class Overloaded(Swept, Protocol):
    """The part of a session that overloads need. `capacities`: by path, as cell.json has them."""

    plan: Plan
    capacities: dict[str, dict[str, Any]]


def load_overload(session: Overloaded, names: list[Name], load: Load) -> dict[Name, list[Slice]]:
    """The slices of some modes at one tier, in rounds in which each is loaded once."""
    done: dict[Name, list[Slice]] = {name: [] for name in names}
    capacity_per_s = capacity_of(session, names, load)
    for _ in range(session.spec(names[0])["slices"]["rounds"]):
        for name in session.random.sample(names, len(names)):
            if not any(map(is_broken, done[name])):
                load_course(session, name, capacity_per_s, done[name], load)
    return done


def capacity_of(session: Overloaded, names: list[Name], load: Load) -> float:
    """The capacity at these names' page, estimated where it is not known yet.

    Of the baseline; of the first mode where that is not among them.
    """
    path = session.spec(names[0])["tier"]["path"]
    if path not in session.capacities:
        of = next((name for name in names if session.plan.baseline(name) == name), names[0])
        spec = session.spec(of)
        steady = {"steps": [], "objective_ms": CALIBRATED_AT_MS}
        spec = spec | {"tool": spec["tool"] | steady}
        found = estimated_per_s(session, of, load, FIRST_PER_S, spec)
        session.capacities[path] = {"capacity_per_s": round(found, 2), "capacity_of": of.mode}
    return float(session.capacities[path]["capacity_per_s"])


def load_course(
    session: Overloaded, name: Name, capacity_per_s: float, done: list[Slice], load: Load
) -> None:
    """The seeds are the same in all modes: they meet the same arrivals."""
    number = len(done) + 1
    spec = course_at(session.spec(name), capacity_per_s, seed_of(session, name) + number)
    load(name, PLAIN, number, done, spec)
    if len(done) == number and not is_broken(done[-1]):
        drain(session, name.mode)
