"""The machine as a session shares it out: CPUs of both sides, their speed, who is alive."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from profiles.watch.speed import Speeds
from workloads.machine import provenance
from workloads.machine.testbed import Process
from workloads.record.slice import Live
from workloads.tools.generator_place import GeneratorPlace

# Some servers have work left after their load: Helidon's client looks at each connection that it
# keeps every 101 ms, until the remote closes it after 10 s. All do so together: half a look sees
# that at least once, a whole one three times. What it sees must be less than what the rule allows,
# as the slice may see a little more.
IDLE_NEIGHBORS_LIMIT_S, IDLE_LOOK_S, IDLE_LOOK_AT_MOST = 12.0, 0.32, 0.015


@dataclass
class Place:
    """The CPUs of both sides, the probes of their speed, and the servers that are alive.

    `generator_cpus`: on this machine, also where the generator itself is on another one: backends
    that share its CPUs stay here.
    """

    server_cpus: list[int]
    generator_cpus: list[int]
    speeds: Speeds
    alive: dict[str, Live] = field(default_factory=dict)
    # For how long a session's slices wait until others idle: some machines never have them idle.
    patience_s: float = 120.0
    generator: GeneratorPlace = field(init=False)

    def __post_init__(self) -> None:
        self.generator = GeneratorPlace(self.generator_cpus)

    @property
    def all_cpus(self) -> list[int]:
        return sorted({*self.server_cpus, *self.generator_cpus})

    def cpus_of(self, side: str) -> list[int]:
        """The CPUs of the server, or of the generator, by the name of the side."""
        return {"server": self.server_cpus, "generator": self.generator_cpus}[side]

    def cpu_s_of_others(self, mode: str) -> float:
        """CPU time so far of all servers but one."""
        return sum(live.cpu_s() for name, live in self.alive.items() if name != mode)

    def wait_for_others(self, mode: str) -> None:
        """Waits until all servers but one idle; those that do not are left to a slice's rule."""
        begun_s, limit_s = time.monotonic(), min(IDLE_NEIGHBORS_LIMIT_S, self.patience_s)
        becomes_idle(lambda: self.cpu_s_of_others(mode), len(self.server_cpus), limit_s)
        self.patience_s -= max(0.0, time.monotonic() - begun_s - IDLE_LOOK_S)


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
    paths = []
    for cpu in cpus:
        path, argv = folder / f"speed-{cpu}.csv", [sys.executable, "-m", "profiles.watch.speed"]
        there = {"PYTHONPATH": str(provenance.ROOT)}
        process = Process([*argv, str(cpu)], [cpu], folder, path.name, there)
        end.callback(process.stop, 5)
        paths.append(path)
    return Speeds(paths)
