"""A load sweep: open loops at several rates around the highest that a mode serves in time.

The rates are those of one grid, GROWTH ** step a second, common to all modes, sessions and
machines. A ramp of short loads estimates each mode's capacity; the mode is then loaded at every
rate between two shares of that, in rounds in which the modes take turns. A slice is one load at one
rate; its step is the round in slices.csv.

Disturbances make latency longer, never shorter. So a load that meets the objective counts, whatever
rule on machine or generator it fails; one that does not and fails a rule is loaded again in a
further round. In these a mode's range grows, too, towards where its capacity lies.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from workloads.experiment.plan import Name
from workloads.record.latencies import p99_without_lag_ms
from workloads.record.slice import CALIBRATION, PLAIN, Slice, is_broken
from workloads.record.slice_rules import BURDENS, GENERATOR
from workloads.record.validity import GENERATOR_CPU_AT_MOST
from workloads.session.place import Meter, becomes_idle
from workloads.session.session import Session
from workloads.tools.sweep import busy_connections, is_answered, load_at

GROWTH = 1.1
# Where the first ramp begins; the next ones begin at half of what the last mode could do.
FIRST_PER_S = 250.0
CALIBRATION_S = 0.3
# Less than this share of the rate, and the server does not keep up.
SERVED_AT_LEAST = 0.9
# The ramp ends after so many overloads: one may be chance. The second is only so far above what the
# server did in the first.
OVERLOADS, OVERLOAD, RAMP_AT_MOST = 2, 1.5, 16
# How many steps a range grows in a further round: in eight to 10 times the estimate.
GROWS_BY = 3
SERVER_CPU_AT_MOST = 0.95
# After an overload.
DRAIN_LIMIT_S = 5.0

# Loads one slice of a cell with a spec, and appends it: (cell, kind, round, slices, spec).
Load = Callable[[Name, str, int, list[Slice], dict[str, Any]], None]


@dataclass
class ModeSweep:
    """The loads of one mode; `record` is the `sweep` part of cell.json."""

    spec: dict[str, Any]
    seed: int
    calibrated_per_s: float
    slices: list[Slice] = field(default_factory=list)

    def __post_init__(self) -> None:
        tool = self.spec["tool"]
        self.ceiling = math.floor(step_of(highest_per_s(self.spec)))
        highest = math.floor(step_of(tool["highest"] * self.calibrated_per_s))
        self.highest = max(0, min(self.ceiling, highest))
        lowest = math.ceil(step_of(tool["lowest"] * self.calibrated_per_s))
        self.lowest = max(0, min(self.highest, lowest))

    def wanted(self) -> list[int]:
        """The steps of the next round."""
        self.extend()
        rounds = self.spec["slices"]["rounds"]
        loads = Counter(each.turn.round for each in self.slices)
        kept = Counter(each.turn.round for each in self.slices if each.kept)
        steps = range(self.lowest, min(self.highest + 1, self.breaks_at()))
        return [step for step in steps if kept[step] < rounds and loads[step] < 2 * rounds]

    def extend(self) -> None:
        above, below = self.met(self.highest), self.met(self.lowest)
        if above and all(above):
            self.highest = min(self.ceiling, self.highest + GROWS_BY)
        if below and not any(below):
            self.lowest = max(0, self.lowest - GROWS_BY)

    def breaks_at(self) -> int:
        """The lowest step at which the server broke: no higher one is loaded."""
        return min((each.turn.round for each in self.slices if is_broken(each)), default=10**9)

    def met(self, step: int) -> list[bool]:
        """Whether the objective was met, for each load of a step that says so."""
        loads = [each for each in self.slices if each.turn.round == step]
        kept = [each for each in loads if each.kept or is_broken(each)]
        # An overload may itself be what disturbs: twice is no chance.
        lost = [each for each in loads if GENERATOR not in each.faults]
        return [self.is_within(each) for each in kept or (lost if len(lost) > 1 else [])]

    def is_within(self, done: Slice) -> bool:
        p99_ms = done.latencies_ms["latency_p99_ms"]
        within = p99_ms is not None and p99_ms <= self.spec["tool"]["objective_ms"]
        return bool(done.load["sustained"]) and within

    def is_open(self, done: Slice) -> bool:
        """Whether the generator's own lateness decides that the objective is not met."""
        least_ms = p99_without_lag_ms(done.folder, done.load)
        within = least_ms is not None and least_ms <= self.spec["tool"]["objective_ms"]
        return within and not self.is_within(done)

    def record(self) -> dict[str, float]:
        objective_ms = self.spec["tool"]["objective_ms"]
        return {"calibrated_per_s": self.calibrated_per_s, "objective_ms": objective_ms}


def step_of(rate_per_s: float) -> float:
    return math.log(max(rate_per_s, 1.0), GROWTH)


def highest_per_s(spec: dict[str, Any]) -> float:
    """The rate that keeps all connections busy."""
    return spec["tool"]["connections"] / busy_connections(spec, 1)


def load_sweep(session: Session, names: list[Name], load: Load) -> dict[Name, ModeSweep]:
    """The sweeps of some modes at one tier, with their slices."""
    sweeps: dict[Name, ModeSweep] = {}
    first_per_s = FIRST_PER_S
    for name in session.random.sample(names, len(names)):
        spec = session.spec(name)
        per_s = estimated_per_s(session, name, load, first_per_s, spec)
        sweeps[name] = ModeSweep(spec, seed_of(session, name), per_s)
        first_per_s = max(1.0, per_s / 2)
    slices = session.spec(names[0])["slices"]
    for _ in range(slices["rounds"] + slices["extra_rounds"]):
        load_round(session, sweeps, load)
    return {name: sweeps[name] for name in names}


def load_round(session: Session, sweeps: dict[Name, ModeSweep], load: Load) -> None:
    wanted = {name: one.wanted() for name, one in sweeps.items()}
    for steps in wanted.values():
        session.random.shuffle(steps)
    while left := [name for name, steps in wanted.items() if steps]:
        for name in session.random.sample(left, len(left)):
            if (step := wanted[name].pop()) < sweeps[name].breaks_at():
                load_step(session, name, sweeps[name], step, load)


def seed_of(session: Session, name: Name) -> int:
    """The seed of all modes at a tier, so that they meet the same arrivals."""
    return int(hashlib.sha256(f"{session.seed}/{name.tier}".encode()).hexdigest()[:7], 16)


def estimated_per_s(
    session: Session, name: Name, load: Load, rate: float, spec: dict[str, Any]
) -> float:
    """An estimate of a mode's capacity, by short loads with a spec from this rate on.

    The rate is doubled until the server does not keep up: the most that it served is the estimate.
    """
    seed, waits_s = seed_of(session, name), spec["tier"]["sleep_ms"] / 1000
    capacity, overloads = 0.0, 0
    steady = {"arrivals": "constant", "warm_up_s": 0, "duration_s": max(CALIBRATION_S, waits_s)}
    for _ in range(RAMP_AT_MOST):
        rate = min(rate, highest_per_s(spec))
        done: list[Slice] = []
        load(name, CALIBRATION, 1, done, load_at(spec, rate, seed, **steady))
        if not done or is_broken(done[0]):
            # Nothing is known but that this is too much.
            capacity = capacity or rate / 2
            break
        served_per_s = done[0].load["served_per_s"]
        if is_answered(done[0].load) and served_per_s >= SERVED_AT_LEAST * rate:
            capacity, overloads = max(capacity, rate), 0
            if is_at_limit(done[0]) or rate == highest_per_s(spec):
                break
            rate *= 2
            continue
        drain(session, name.mode)
        capacity, overloads = max(capacity, served_per_s), overloads + 1
        if overloads == OVERLOADS:
            break
        rate = max(1.0, OVERLOAD * capacity)
    return capacity


def load_step(session: Session, name: Name, one: ModeSweep, step: int, load: Load) -> None:
    before = sum(each.turn.round == step for each in one.slices)
    count, seed = len(one.slices), one.seed + step + 1000 * before
    load(name, PLAIN, step, one.slices, load_at(one.spec, round(GROWTH**step, 2), seed))
    if len(one.slices) == count:
        # There is no server any more.
        return
    done = one.slices[-1]
    if is_at_limit(done):
        # A load that was offered too late says nothing of the server ...
        done.faults = [*dict.fromkeys([*done.faults, GENERATOR])]
    elif not done.load["sustained"] and has_no_cpu_left(done, len(session.place.server_cpus)):
        # ... but that its CPUs were used up.
        done.faults = [fault for fault in done.faults if fault != GENERATOR]
    elif one.is_open(done):
        done.faults = [*dict.fromkeys([*done.faults, GENERATOR])]
    harmless = (BURDENS | {GENERATOR}).issuperset(done.faults)
    done.stands = bool(done.faults) and harmless and one.is_within(done)
    if not is_broken(done) and not done.load["sustained"]:
        drain(session, name.mode)


def is_at_limit(done: Slice) -> bool:
    """Whether the generator, or the remote that shares its CPUs, had no CPU left to offer more."""
    busy = done.metrics["generator_cpu_share"]
    shares = zip(done.beside, done.metrics["backend_cpu_shares"], strict=True)
    busy += sum(share for beside, share in shares if beside.id == "remote")
    return done.load["generator_thread"] > GENERATOR_CPU_AT_MOST or busy > GENERATOR_CPU_AT_MOST


def has_no_cpu_left(done: Slice, cpus: int) -> bool:
    """Whether the server was the limit, however late its requests came."""
    busy = done.metrics["server_cpu_s"] / (cpus * done.load["duration_s"])
    return bool(busy + done.metrics["others_cpu_share"] > SERVER_CPU_AT_MOST)


def drain(session: Session, mode: str) -> None:
    """After an overload: waits until the server is idle, or the next mode's slice would suffer.

    A server that is busy after that long is stopped, and started again for its next load.
    """
    live = session.place.alive.get(mode)
    clock_s = Meter({mode: live}).beyond_idle_s if live else None
    if not clock_s or not becomes_idle(clock_s, len(session.place.server_cpus), DRAIN_LIMIT_S):
        session.stop(mode)
