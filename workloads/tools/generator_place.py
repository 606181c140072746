"""Where the generator runs: on CPUs of this machine; GeneratorHost is another machine.

A load is written once over these methods. Those that do nothing here have something to do where
files and processes are elsewhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workloads.machine.testbed import LOOPBACK, Process

LOG = "generator.log"
# Begins to watch a process by its id, as the telemetry does.
Watch = Callable[[int], None]


@dataclass(frozen=True)
class Ran:
    """A generator that has loaded once: its command line, how it ended, when it ran.

    `cpus`: how many it used, where it ran on another machine, which telemetry cannot see.
    """

    argv: list[str]
    exit_status: int | None
    timed_out: bool
    window_s: tuple[float, float]
    cpus: float | None = None

    @property
    def lasted_s(self) -> float:
        return self.window_s[1] - self.window_s[0]


class GeneratorPlace:
    """The generator's CPUs on this machine."""

    # Where servers listen so that it reaches them, and how far its clock is before ours.
    address, clock_offset_s = LOOPBACK, 0.0

    def __init__(self, cpus: list[int]) -> None:
        self.cpus = cpus

    def run(
        self,
        argv: list[str],
        folder: Path,
        limit_s: float,
        watch: Watch,
        environment: Mapping[str, str] | None = None,
    ) -> Ran:
        """Runs a generator once, in the folder; after the limit it is stopped."""
        start_s = time.time()
        process = self.process(argv, folder, environment)
        self.watch(process, watch)
        timed_out = not self.finish(process, folder, limit_s)
        window_s = start_s, time.time()
        self.fetch(folder)
        return Ran(argv, process.exit_status, timed_out, window_s, self.cpus_reported(folder))

    def process(
        self,
        argv: Sequence[str],
        folder: Path,
        environment: Mapping[str, str] | None = None,
        *,
        stdin: bool = False,
    ) -> Process:
        return Process([*argv], self.cpus, folder, LOG, environment, stdin=stdin)

    def finish(self, process: Process, folder: Path, limit_s: float) -> bool:
        """Whether it ended by itself within the limit; it is gone afterwards."""
        return process.finish(limit_s)

    def watch(self, process: Process, watch: Watch) -> None:
        """Lets telemetry watch the process, if it runs here."""
        watch(process.pid)

    def confine(self, process: Process, cpus: list[int]) -> None:
        """Has a generator on these CPUs from now on, if it runs here."""
        process.confine(cpus)

    def facts(self) -> dict[str, Any]:
        """The part of a record's topology that describes another machine."""
        return {}

    def there(self, word: str | Path) -> str:
        """A word of a command with the paths that it has there."""
        return str(word)

    def make(self, folder: Path) -> None:
        """Makes a folder there."""

    def fetch(self, folder: Path) -> None:
        """Brings the files that the generator left for a folder here."""

    def end(self, folder: Path) -> None:
        """Ends what still runs there for a folder."""

    def cpu_s(self, folder: Path) -> float | None:
        """CPU time so far of what runs there for a folder; None where telemetry sees it."""
        return None

    def cpus_reported(self, folder: Path) -> float | None:
        """How many CPUs a generator that has ended there says that it used."""
        return None

    def close(self) -> None:
        """Ends what runs there and removes what was copied."""
