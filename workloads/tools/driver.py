"""A generator that stays alive between slices: a JVM that loads on command.

It says `ready` once. A line on its standard input, fields separated by tabs, is one load; it
answers `done`, or `failed` with a reason. So its own JIT has its work behind it when it counts.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from pathlib import Path

from workloads.machine.testbed import Process
from workloads.tools.generator_host import GeneratorHost

START_LIMIT_S = 60
LOG = "generator.log"


class DriverError(RuntimeError):
    """The generator did not do what it was asked to; with what it said."""


class Driver:
    """A driven generator. Raises DriverError where it does not get ready."""

    def __init__(
        self,
        argv: list[str],
        cpus: list[int],
        folder: Path,
        environment: Mapping[str, str] | None = None,
        host: GeneratorHost | None = None,
    ) -> None:
        self.process = (
            host.process(argv, folder, LOG, stdin=True)
            if host
            else Process(argv, cpus, folder, LOG, environment, stdin=True)
        )
        # As it was asked for, whatever carries it to another machine.
        self.argv, self.host, self.folder = argv, host, folder
        self.log, self.read = folder / LOG, 0

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
        if self.host:
            self.host.end(self.folder)
        self.process.stop(10)
