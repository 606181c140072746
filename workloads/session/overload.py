"""Loads beyond capacity: all modes at the same rates, which are shares of the baseline's capacity.

That is estimated once for each page: by the ramp of a load sweep, and then by a longer load beyond
what that found. A mode whose server broke is not loaded again at its tier.
"""

from typing import Any

from workloads.experiment.plan import Name
from workloads.record.slice import CALIBRATION, PLAIN, Slice, is_broken
from workloads.session.load_sweep import (
    FIRST_PER_S,
    OVERLOAD,
    SERVED_AT_LEAST,
    Load,
    drain,
    estimated_per_s,
    highest_per_s,
    seed_of,
)
from workloads.session.session import Session
from workloads.tools.overload import course_at
from workloads.tools.sweep import load_at

# The loads of a ramp have the connections that such a latency keeps busy.
CALIBRATED_AT_MS = 200
# How long a load after the ramp lasts, and how many there are: the estimate may grow 25 times.
BEYOND_S, BEYOND_AT_MOST = 2.0, 8
# In place of the mode whose capacity it is, where a tier names the rate.
OF_TIER = "rate_per_s"


def load_overload(session: Session, names: list[Name], load: Load) -> dict[Name, list[Slice]]:
    """The slices of some modes at one tier, in rounds in which each is loaded once."""
    done: dict[Name, list[Slice]] = {name: [] for name in names}
    capacity_per_s = capacity_of(session, names, load)
    for _ in range(session.spec(names[0])["slices"]["rounds"]):
        for name in session.random.sample(names, len(names)):
            if any(map(is_broken, done[name])):
                continue
            number = len(done[name]) + 1
            # The seeds are the same in all modes: they meet the same arrivals.
            seed = seed_of(session, name) + number
            load(
                name, PLAIN, number, done[name], course_at(session.spec(name), capacity_per_s, seed)
            )
            if len(done[name]) == number and not is_broken(done[name][-1]):
                drain(session, name.mode)
    return done


def capacity_of(session: Session, names: list[Name], load: Load) -> float:
    """The capacity at these names' page: the baseline's, or the first mode's where that is not
    there.

    A tier that names a rate needs none: a server that was loaded to estimate it is no longer cold.
    """
    path, tool = session.spec(names[0])["tier"]["path"], session.spec(names[0])["tool"]
    if "rate_per_s" in tool:
        session.capacities[path] = {"capacity_per_s": tool["rate_per_s"], "capacity_of": OF_TIER}
    if path not in session.capacities:
        of = next((name for name in names if session.plan.baseline(name) == name), names[0])
        spec = session.spec(of)
        steady = {"steps": [], "objective_ms": CALIBRATED_AT_MS}
        spec = spec | {"tool": spec["tool"] | steady}
        ramp_per_s = estimated_per_s(session, of, load, FIRST_PER_S, spec)
        found = served_beyond_per_s(session, of, load, ramp_per_s, spec)
        session.capacities[path] = {"capacity_per_s": round(found, 2), "capacity_of": of.mode}
    return float(session.capacities[path]["capacity_per_s"])


def served_beyond_per_s(
    session: Session, name: Name, load: Load, estimate_per_s: float, spec: dict[str, Any]
) -> float:
    """The rate that the server serves in longer loads, each half beyond that of the one before.

    A ramp of short loads may end far too low on a machine that was disturbed.
    """
    steady = {"arrivals": "constant", "warm_up_s": 0, "duration_s": BEYOND_S}
    for _ in range(BEYOND_AT_MOST):
        rate_per_s = min(OVERLOAD * estimate_per_s, highest_per_s(spec))
        done: list[Slice] = []
        spec_there = load_at(spec, rate_per_s, seed_of(session, name), **steady)
        load(name, CALIBRATION, 1, done, spec_there)
        if not done or is_broken(done[0]):
            break
        drain(session, name.mode)
        estimate_per_s = float(done[0].load["served_per_s"])
        if estimate_per_s < SERVED_AT_LEAST * rate_per_s:
            break
    return estimate_per_s
