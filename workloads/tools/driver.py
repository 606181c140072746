"""A generator that stays alive between slices: a JVM that loads on command.

It says `ready` once. A line on its standard input, fields separated by tabs, is one load; it
answers `done`, or `failed` with a reason. So its own JIT has its work behind it when it counts.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from pathlib import Path

from workloads.tools.generator_place import LOG, GeneratorPlace, Ran, Watch

START_LIMIT_S = 60


class DriverError(RuntimeError):
    """The generator did not do as requested; holds what it said."""


class Driver:
    """A driven generator. Raises DriverError where it does not get ready."""

    def __init__(
        self,
        argv: list[str],
        place: GeneratorPlace,
        folder: Path,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.process = place.process(argv, folder, environment, stdin=True)
        # The command line as requested, whatever carries it to another machine.
        self.argv, self.place, self.folder = argv, place, folder
        self.log, self.read = folder / LOG, 0
        # Whether it has loaded as it does in slices until its compiler was idle.
        self.is_warm = False
        self.warmed_up_s = 0.0

    def load(self, fields: list[str], folder: Path, limit_s: float, watch: Watch) -> Ran:
        """Loads once, its files in the folder. After the limit it is stopped, or it would go on."""
        self.place.make(folder)
        self.place.watch(self.process, watch)
        used_s, start_s = self.place.cpu_s(self.folder), time.time()
        self.ask([self.place.there(word) for word in fields])
        timed_out = not self.answer(limit_s)
        end_s, used_then_s = time.time(), self.place.cpu_s(self.folder)
        cpus = None
        if used_s is not None and used_then_s is not None:
            cpus = (used_then_s - used_s) / (end_s - start_s)
        if timed_out:
            self.stop()
        self.place.fetch(self.folder)
        self.place.fetch(folder)
        return Ran([*self.argv, *fields], 0, timed_out, (start_s, end_s), cpus)

    def wait_until_ready(self) -> None:
        self.answer(START_LIMIT_S)

    def ask(self, fields: list[str]) -> None:
        """Begins a load; `answer` waits for its end."""
        assert self.process.child.stdin
        # A generator that has ended is noticed, with what it said, by `answer`.
        with contextlib.suppress(BrokenPipeError):
            self.process.child.stdin.write("\t".join(fields) + "\n")
            self.process.child.stdin.flush()

    def answer(self, limit_s: float) -> bool:
        """Waits for `ready` or `done`; False when the limit is over and it is still at work."""
        deadline_s = time.monotonic() + limit_s
        while True:
            for line in self.new_lines():
                if line in ("ready", "done"):
                    return True
                if line.startswith("failed"):
                    raise DriverError(line)
            if self.process.ended():
                said = self.log.read_text(errors="replace")[-2000:]
                raise DriverError(f"the generator ended ({self.process.exit_status}): {said}")
            if time.monotonic() > deadline_s:
                return False
            time.sleep(0.002)

    def new_lines(self) -> list[str]:
        """Whole lines since the last time."""
        with self.log.open("rb") as log:
            log.seek(self.read)
            whole = log.read().rpartition(b"\n")
        self.read += len(whole[0] + whole[1])
        return whole[0].decode(errors="replace").splitlines()

    def stop(self) -> None:
        self.place.end(self.folder)
        self.process.stop(10)
