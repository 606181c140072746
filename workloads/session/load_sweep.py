"""A load sweep: calibration, then rate step by rate step, modes in turns, until each mode ends.

No rate is configured. A ramp of short loads, each at twice the rate of the one before, finds the
rate that a mode cannot sustain, twice; what it serves there is its estimated capacity. Its steps go
from 5 % to 120 % of that. The estimate may be far too low, where the short loads were disturbed;
such a mode goes on, a fifth a step. At each step every mode that has not ended has one slice at its
own rate, in an order that is drawn each time; the slice is a line in slices.csv, its step the
round.

A mode ends after two consecutive steps that it does not sustain (tools/sweep.py defines that), at
the first at which it dies, hangs or still holds requests, and where the generator has no CPU left
to offer more, or was late twice in a row and not answered in time: whose limit that is cannot be
known. Both end a mode only at rates above all that the generator has offered it on time: below
them it was disturbed. A step that was late and sustained ends nothing, and neither does one below
120 % that a rule on the machine excludes.

What disturbs a step makes its latency longer, never shorter. So a step that meets the objective
counts, whatever rule on the machine it fails. When all modes have ended, each is loaded on, in
turns, until its capacity is clear (ModeSweep.next_step): steps that were excluded, the first beyond
the objective, to confirm it, and steps in between where the planned ones are far apart.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

from workloads.experiment.plan import Name
from workloads.record.slice import CALIBRATION, PLAIN, Slice, beyond_generator, is_broken
from workloads.record.slice_rules import BURDENS, GENERATOR
from workloads.record.validity import GENERATOR_CPU_AT_MOST
from workloads.session.place import Place, becomes_idle
from workloads.tools.sweep import busy_connections, is_answered, load_at

# Where the ramp begins. A server that cannot do that much has its capacity found all the same.
FIRST_PER_S = 250.0
CALIBRATION_S = 0.3
# Less than this share of the rate, and the server does not keep up.
SERVED_AT_LEAST = 0.9
# The lower steps show where latency begins, the upper ones, which are closer, where it rises.
KNEE_FROM = 0.6
STEPS_TO_END = LOADS_TO_END = 2
# The capacity of a mode that keeps up at 120 % was estimated too low: by a factor of 10 at most.
STEPS_BEYOND, GROWTH_BEYOND = 12, 1.2
# A step that is lost twice has neighbors, and above its capacity a server may lose every one.
LOADS_OF_A_STEP = 2
# Loads of a mode after its sweep; steps between two planned ones, where these are farther apart.
LOADS_AFTER, STEPS_BETWEEN, GAP_AT_MOST = 10, 3, 0.2
# After an overload.
DRAIN_LIMIT_S = 5.0
NOT_SUSTAINED, HIGHEST, LIMIT = "not_sustained", "highest_rate", "generator_limit"

# Loads one slice of a cell with a spec, and appends it: (cell, kind, round, slices, spec).
Load = Callable[[Name, str, int, list[Slice], dict[str, Any]], None]


class Swept(Protocol):
    """The part of a session that a sweep needs."""

    random: random.Random
    seed: str
    place: Place

    def spec(self, name: Name) -> dict[str, Any]:
        """The configuration of a cell."""

    def stop(self, mode: str) -> None:
        """Stops the mode's server, which is started for its next load."""


@dataclass
class ModeSweep:
    """The steps of one mode; `record` is the `sweep` part of cell.json."""

    spec: dict[str, Any]
    seed: int
    calibrated_per_s: float
    # The highest rate that the generator has offered on time.
    on_time_per_s: float = 0.0
    slices: list[Slice] = field(default_factory=list)
    # Consecutive steps that were not sustained, and those that were too much and offered late.
    failed: int = 0
    late: int = 0
    ended: str = ""
    # Rates of the steps that are not planned.
    between_per_s: list[float] = field(default_factory=list)

    def rates_per_s(self) -> list[float]:
        """Rates of the planned steps, then of the steps between."""
        shares = planned_shares(self.spec["tool"])
        return [*(round(share * self.calibrated_per_s, 2) for share in shares), *self.between_per_s]

    def next_step(self) -> int | None:
        """The step to load next for the capacity; None where that is clear, or the server broke.

        It lies below the first step beyond the objective that has no other within behind it, as in
        analysis/R/capacity.R. Of the steps up to there, and the next, none may be lost, and the
        first beyond must be so twice, if the server did not break: one that is held up is started
        again.
        """
        if any(each.outcome != "completed" for each in self.slices):
            return None
        loads = Counter(each.turn.round for each in self.slices)
        kept = {each.turn.round for each in self.slices if each.kept}
        met = {each.turn.round for each in self.slices if each.kept and self.is_within(each)}
        broke = {each.turn.round for each in self.slices if is_broken(each)}
        once = {step for step in loads if loads[step] < LOADS_OF_A_STEP}
        steps = sorted((kept | once) - beyond_generator(self.slices), key=self.rate_of)
        first = self.first_beyond([step in met for step in steps])
        if first == len(steps):
            return self.step_above(loads)
        if lost := [step for step in steps[: first + 2] if step in once - kept]:
            return lost[0]
        # Where a step above it is within, it is loaded once more.
        limit = LOADS_OF_A_STEP + (not met.isdisjoint(steps[first:]))
        if loads[steps[first]] < limit and steps[first] not in broke:
            return steps[first]
        return self.step_between(steps[max(0, first - 1) : first + 1])

    def rate_of(self, step: int) -> float:
        return self.rates_per_s()[step - 1]

    def first_beyond(self, within: list[bool]) -> int:
        """Its place among the steps, or behind them."""
        # Behind the last is none, but where the generator's limit may be what it shows.
        followed = [*within[1:], self.ended == LIMIT]
        pairs = zip(within, followed, strict=False)
        return next((at for at, pair in enumerate(pairs) if not any(pair)), len(within))

    def is_within(self, done: Slice) -> bool:
        p99_ms = done.latencies_ms["latency_p99_ms"]
        return bool(
            done.load["sustained"]
            and p99_ms is not None
            and p99_ms <= self.spec["tool"]["objective_ms"]
        )

    def step_above(self, loaded: Iterable[int]) -> int | None:
        """The next planned step, where chance has ended the mode."""
        shares = planned_shares(self.spec["tool"])
        above = max(step for step in loaded if step <= len(shares)) + 1
        if self.ended != NOT_SUSTAINED or above > len(shares) or self.lacks_connections(above):
            return None
        return above

    def lacks_connections(self, step: int) -> bool:
        return busy_connections(self.spec, self.rate_of(step)) > self.spec["tool"]["connections"]

    def step_between(self, ends: list[int]) -> int | None:
        """A new step halfway between the last within the objective and the first beyond it."""
        if len(ends) < 2 or len(self.between_per_s) == STEPS_BETWEEN:
            return None
        low, high = map(self.rate_of, ends)
        if high - low <= GAP_AT_MOST * high:
            return None
        self.between_per_s.append(round((low + high) / 2, 2))
        return len(self.rates_per_s())

    def judge(self, step: int, done: Slice | None) -> None:
        """Whether a step, whose slice this is, was the mode's last; without a server it was."""
        if done is None or is_broken(done):
            self.ended = NOT_SUSTAINED
            return
        rate, sustained = self.rate_of(step), done.load["sustained"]
        if GENERATOR in done.faults:
            # A load that the server kept up with was offered, if late.
            too_much = rate > self.on_time_per_s and (is_at_limit(done) or not sustained)
            self.late = self.late + 1 if too_much else 0
            # Once may be chance, but not with a CPU that is used up.
            is_limit = too_much and (is_at_limit(done) or self.late == STEPS_TO_END)
            self.ended = LIMIT if is_limit else ""
        elif done.kept or step >= self.spec["tool"]["steps"]:
            # From 120 % on an overload may itself be what disturbs.
            self.late, self.failed = 0, 0 if sustained else self.failed + 1
            self.ended = NOT_SUSTAINED if self.failed == STEPS_TO_END else ""
            self.on_time_per_s = max(self.on_time_per_s, rate)

    def record(self) -> dict[str, Any]:
        tool = self.spec["tool"]
        return {
            "calibrated_per_s": self.calibrated_per_s,
            "ended": self.ended,
            "seed": self.seed,
            "steps_planned": len(planned_shares(tool)),
            **{key: tool[key] for key in ("arrivals", "objective_ms", "steps")},
        }


def planned_shares(tool: dict[str, Any]) -> list[float]:
    """The steps as shares of the capacity: geometric up to KNEE_FROM, equally spaced from there.

    STEPS_BEYOND more, geometric as well, are there for modes that keep up at the highest.
    """
    lower = (tool["steps"] - 1) // 2
    upper = tool["steps"] - lower
    growth = (KNEE_FROM / tool["lowest"]) ** (1 / max(1, lower - 1))
    height = (tool["highest"] - KNEE_FROM) / upper
    steep = [KNEE_FROM / growth**step for step in range(lower)]
    even = [KNEE_FROM + height * step for step in range(1, upper + 1)]
    beyond = [even[-1] * GROWTH_BEYOND**step for step in range(1, STEPS_BEYOND + 1)]
    return [*reversed(steep), *even, *beyond]


def load_sweep(session: Swept, names: list[Name], load: Load) -> dict[Name, ModeSweep]:
    """The sweeps of some modes at one tier, with their slices."""
    drawn = session.random.sample(names, len(names))
    sweeps = {name: calibrated(session, name, load) for name in drawn}
    spec = session.spec(names[0])
    for step in range(1, len(planned_shares(spec["tool"])) + 1):
        left = [name for name in names if not sweeps[name].ended]
        for name in session.random.sample(left, len(left)):
            if sweeps[name].lacks_connections(step):
                sweeps[name].ended = LIMIT
            else:
                sweeps[name].judge(step, load_step(session, name, sweeps[name], step, load))
    for one in sweeps.values():
        one.ended = one.ended or HIGHEST
    for _ in range(min(1, spec["slices"]["extra_rounds"]) * LOADS_AFTER):
        wanted = [(name, next_) for name in names if (next_ := sweeps[name].next_step())]
        for name, next_ in session.random.sample(wanted, len(wanted)):
            load_step(session, name, sweeps[name], next_, load)
    return {name: sweeps[name] for name in names}


def calibrated(session: Swept, name: Name, load: Load) -> ModeSweep:
    """A sweep before its first step, with an estimate of the mode's capacity.

    The seed of a step is the same in all modes: they meet the same arrivals, each at its own pace.
    """
    spec = session.spec(name)
    seed = int(hashlib.sha256(f"{session.seed}/{name.tier}".encode()).hexdigest()[:7], 16)
    waits_s, rate, capacity = spec["tier"]["sleep_ms"] / 1000, FIRST_PER_S, 0.0
    steady = {"arrivals": "constant", "warm_up_s": 0, "duration_s": max(CALIBRATION_S, waits_s)}
    beyond: list[float] = []
    while busy_connections(spec, rate) <= spec["tool"]["connections"]:
        done: list[Slice] = []
        load(name, CALIBRATION, 1, done, load_at(spec, rate, seed, **steady))
        if not done or is_broken(done[0]):
            # Nothing is known but that this is too much.
            return ModeSweep(spec, seed, capacity or rate / 2, capacity)
        served_per_s = done[0].load["served_per_s"]
        kept_up = is_answered(done[0].load) and served_per_s >= SERVED_AT_LEAST * rate
        # Whatever was offered late: what the server keeps up with is no limit of the generator's.
        if kept_up and not is_at_limit(done[0]):
            capacity, rate, beyond = rate, 2 * rate, []
            continue
        drain(session, name.mode)
        # Once may be chance: what disturbs a load makes the capacity look smaller, never larger.
        beyond.append(served_per_s)
        if len(beyond) == LOADS_TO_END:
            return ModeSweep(spec, seed, max(capacity, *beyond), capacity)
    # The sweep goes as far as there are connections for.
    highest_per_s = 1000 * spec["tool"]["connections"] / spec["tool"]["objective_ms"]
    return ModeSweep(spec, seed, highest_per_s, capacity)


def load_step(session: Swept, name: Name, one: ModeSweep, step: int, load: Load) -> Slice | None:
    """None where there is no server any more."""
    before, wanted = len(one.slices), load_at(one.spec, one.rate_of(step), one.seed + step)
    load(name, PLAIN, step, one.slices, wanted)
    if len(one.slices) == before:
        return None
    done = one.slices[-1]
    if is_at_limit(done) and GENERATOR not in done.faults:
        # A load that was offered too late says nothing of the server.
        done.faults.append(GENERATOR)
    burdens = BURDENS.issuperset(done.faults)
    done.stands = bool(done.faults) and burdens and one.is_within(done)
    if not is_broken(done) and not done.load["sustained"]:
        drain(session, name.mode)
    return done


def is_at_limit(done: Slice) -> bool:
    """Whether the generator, or the remote that shares its CPUs, had no CPU left to offer more."""
    busy = done.metrics["generator_cpu_share"]
    shares = zip(done.beside, done.metrics["backend_cpu_shares"], strict=True)
    busy += sum(share for beside, share in shares if beside.id == "remote")
    return done.load["generator_thread"] > GENERATOR_CPU_AT_MOST or busy > GENERATOR_CPU_AT_MOST


def drain(session: Swept, mode: str) -> None:
    """After an overload: waits until the server is idle, or the next mode's slice would suffer.

    A server that is busy after that long is stopped; it is started again for its next load.
    """
    live = session.place.alive.get(mode)
    if not live or not becomes_idle(live.cpu_s, len(session.place.server_cpus), DRAIN_LIMIT_S):
        session.stop(mode)
