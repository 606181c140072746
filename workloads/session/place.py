"""The machine as a session shares it out: CPUs of both sides, and which servers are alive."""

import contextlib
import logging
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from profiles.watch.speed import Speeds
from workloads.machine import provenance
from workloads.machine.testbed import LOOPBACK, Process
from workloads.record.slice import Live
from workloads.servers.backends import Backend
from workloads.tools.generator_place import GeneratorPlace

logger = logging.getLogger("session")
# Some servers have work left after their load: Helidon's client looks at each connection that it
# keeps every 101 ms. All do so together: half a look sees that at least once, a whole one three
# times. What it sees must be less than what the rule allows, as the slice may see a little more.
IDLE_LOOK_S, IDLE_LOOK_AT_MOST = 0.32, 0.015
# How long a slice waits for other servers.
WAIT_LIMIT_S = 3.0
# Share of a CPU. A server that uses less when the wait is over, and holds no request, does so
# whenever it rests: its idle cost.
IDLE_COST_AT_MOST = 0.1


@dataclass(frozen=True)
class Spent:
    """CPU time of servers in a time, by mode: all of it, and the part beyond their idle cost."""

    lasted_s: float
    all_s: dict[str, float]
    beyond_idle_s: dict[str, float]


class Meter:
    """Counts the CPU time of servers from now on."""

    def __init__(self, lives: Mapping[str, Live]) -> None:
        self.since_s = time.monotonic()
        self.clocks = {mode: (live, live.cpu_s()) for mode, live in lives.items()}

    def spent(self) -> Spent:
        lasted_s, all_s, beyond_s = time.monotonic() - self.since_s, {}, {}
        for mode, (live, from_s) in self.clocks.items():
            all_s[mode] = max(0.0, live.cpu_s() - from_s)
            beyond_s[mode] = max(0.0, all_s[mode] - live.idle_cpu_share * lasted_s)
        return Spent(lasted_s, all_s, beyond_s)

    def beyond_idle_s(self) -> float:
        return sum(self.spent().beyond_idle_s.values())


@dataclass
class Place:
    """The CPUs of both sides, the server's speed, and the servers that are alive.

    `generator_cpus`: on this machine, where backends may share them with a generator.
    """

    server_cpus: list[int]
    generator_cpus: list[int]
    speeds: Speeds
    alive: dict[str, Live] = field(default_factory=dict)
    # For how long a session's slices wait until others idle: some machines never have them idle.
    patience_s: float = 60.0
    generator: GeneratorPlace = field(init=False)
    # Counts since the last load ended.
    meter: Meter | None = None
    # Modes that may still be at work, and those for which a slice has waited in vain.
    doubtful: set[str] = field(default_factory=set)
    hopeless: set[str] = field(default_factory=set)
    # The backend that all servers share, if there is one.
    shared: Backend | None = None
    sharing: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.generator = GeneratorPlace(self.generator_cpus)

    def close(self) -> None:
        if self.shared:
            self.shared.stop()

    @property
    def all_cpus(self) -> list[int]:
        return sorted({*self.server_cpus, *self.generator_cpus})

    @property
    def is_shared(self) -> bool:
        """Whether the generator runs on the server's CPUs."""
        return self.generator.address == LOOPBACK and self.generator_cpus == self.server_cpus

    def cpus_of(self, side: str) -> list[int]:
        return {"server": self.server_cpus, "generator": self.generator_cpus}[side]

    def others(self, mode: str) -> dict[str, Live]:
        return {name: live for name, live in self.alive.items() if name != mode}

    def load_ended(self) -> None:
        """Called when a load and all that belongs to it are over."""
        self.meter = Meter(self.alive)

    def doubt(self, mode: str, others: Spent, *, left_work: bool) -> None:
        """Notes who may be at work: others that were, and a mode whose load has left requests."""
        self.doubtful = {each for each in others.all_s if self.is_busy(others, each)}
        self.hopeless.discard(mode)
        if left_work:
            self.doubtful.add(mode)

    def is_busy(self, spent: Spent, *modes: str) -> bool:
        most_s = IDLE_LOOK_AT_MOST * max(spent.lasted_s, IDLE_LOOK_S) * len(self.server_cpus)
        return sum(spent.beyond_idle_s.get(mode, 0.0) for mode in modes) > most_s

    def wait_for_others(self, mode: str) -> None:
        """Waits until the other servers idle; a slice's rule judges those that stay busy.

        One that was waited for in vain is not waited for again before its next load.
        """
        waited = {n: live for n, live in self.others(mode).items() if n not in self.hopeless}
        seen = self.meter.spent() if self.meter else None
        if seen and self.doubtful.isdisjoint(waited) and not self.is_busy(seen, *waited):
            return
        meter, limit_s = Meter(waited), min(WAIT_LIMIT_S, self.patience_s)
        if becomes_idle(meter.beyond_idle_s, len(self.server_cpus), limit_s):
            self.doubtful -= waited.keys()
        else:
            self.give_up(meter.spent())
        self.patience_s -= time.monotonic() - meter.since_s

    def give_up(self, spent: Spent) -> None:
        """Takes the idle cost of servers that stay busy a little and hold no request."""
        for mode in [each for each in spent.all_s if self.is_busy(spent, each)]:
            share = spent.all_s[mode] / max(spent.lasted_s, IDLE_LOOK_S)
            logger.info("%s uses %.1f %% of a CPU without a load", mode, 100 * share)
            self.hopeless.add(mode)
            if mode not in self.doubtful and share <= IDLE_COST_AT_MOST:
                self.alive[mode].idle_cpu_share = share


def becomes_idle(clocks: Callable[[], float], cpus: int, limit_s: float) -> bool:
    """Whether processes come to idle in time, so that the rule idle_neighbors holds.

    `clocks` returns the CPU time in seconds that they have used so far. Half a look is enough where
    it sees a third of what a whole one may.
    """
    most_s = IDLE_LOOK_AT_MOST * IDLE_LOOK_S * cpus
    deadline_s = time.monotonic() + limit_s
    while time.monotonic() < deadline_s:
        before_s = clocks()
        for seen_at_most_s in (most_s / 3, most_s):
            time.sleep(IDLE_LOOK_S / 2)
            if clocks() - before_s <= seen_at_most_s:
                return True
    return False


def watch_speed(cpus: list[int], folder: Path, end: contextlib.ExitStack) -> Speeds:
    """The CPUs' speed from now until the end, see profiles/watch/speed.py."""
    paths, probes = [], []
    for cpu in cpus:
        path, argv = folder / f"speed-{cpu}.csv", [sys.executable, "-m", "profiles.watch.speed"]
        there = {"PYTHONPATH": str(provenance.ROOT)}
        process = Process([*argv, str(cpu)], [cpu], folder, path.name, there)
        end.callback(process.stop, 5)
        paths.append(path)
        probes.append(process)
    return Speeds(paths, probes)
