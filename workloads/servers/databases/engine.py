"""A database of one cell: its process with a data directory of its own, until it answers."""

from __future__ import annotations

import contextlib
import secrets
import time
from pathlib import Path
from typing import Any

from workloads.machine.testbed import Process, free_port
from workloads.servers.databases import STOP_LIMIT_S, Variables, wait_until_ready
from workloads.servers.databases.data import Dialect
from workloads.servers.databases.scratch import Scratch


class Engine:
    """A database that answers. `log`: its name in the folder; `position`: where ports begin.

    Raises RuntimeError with the end of the log of one that does not start.
    """

    dialect: Dialect
    sysbench_driver: str
    # The counter of what is started for connections, which a pool or a cache avoids.
    threads_started: str
    # A text of its log, once it answers.
    ready: str
    # A process that stands between it and its clients.
    pooler: Process | None = None

    def __init__(
        self, variables: Variables, cpus: list[int], folder: Path, position: int, log: str
    ) -> None:
        self.log, self.port = folder / log, free_port(position)
        self.password = secrets.token_urlsafe(24)
        started_s = time.monotonic()
        with contextlib.ExitStack() as undo:
            self.scratch = Scratch()
            undo.callback(self.scratch.remove)
            self.process = Process(self.command(variables), cpus, folder, log)
            undo.callback(self.stop_server)
            wait_until_ready("the database", self.process, self.log, self.ready)
            self.started()
            self.end = undo.pop_all()
        self.start_up_s = time.monotonic() - started_s

    def command(self, variables: Variables) -> list[str]:
        """The command line, with its data directory laid out and the files that it names."""
        raise NotImplementedError

    def started(self) -> None:
        """Called once it is ready."""

    def query(self, statement: str, limit_s: float = 10) -> list[tuple[Any, ...]]:
        """The answer to its one user. Raises OSError, with the server's own words."""
        raise NotImplementedError

    def counters(self, limit_s: float) -> dict[str, float]:
        """Its own cumulative counters."""
        raise NotImplementedError

    def settings(self) -> dict[str, str]:
        """Every setting as the server says it, and its version."""
        raise NotImplementedError

    def stop_server(self) -> None:
        self.process.stop(STOP_LIMIT_S)

    def stop(self) -> None:
        """Leaves neither a process nor a file."""
        self.end.close()
