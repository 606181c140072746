"""A database as the subject of a session.

It is filled from the seed, queried before and after the load for the sums that its data must have,
and read back: the variables that decide the treatment, and its own counters.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from workloads.machine.testbed import Process
from workloads.servers import perf
from workloads.servers.databases import data
from workloads.servers.databases.engine import Engine
from workloads.servers.databases.mariadb import ResizableMariaDB
from workloads.servers.databases.pgbouncer import PgBouncer
from workloads.servers.databases.postgresql import PostgreSQL
from workloads.servers.subject import Subject

LOG = "server.log"
ENGINES: dict[str, type[Engine]] = {
    "mariadb": ResizableMariaDB,
    "postgresql": PostgreSQL,
    "pgbouncer": PgBouncer,
}


class DatabaseSubject(Subject):
    """The database of one mode, filled. Raises RuntimeError where it does not start or fill."""

    def __init__(self, spec: dict[str, Any], cpus: list[int], folder: Path, position: int) -> None:
        engine, self.options = spec["engine"], spec["mode"].get("options", {})
        self.position = position
        variables = engine["variables"] | self.options
        self.database = ENGINES[engine["id"]](variables, cpus, folder, position, LOG)
        self.process, self.port = self.database.process, self.database.port
        self.pooler = self.database.pooler
        self.cpus = cpus
        self.client_environment = {"DATABASE_PASSWORD": self.database.password}
        self.profiler: Process | None = None
        self.log, self.start_up_s = self.database.log, self.database.start_up_s
        try:
            self.client_file = self.database.scratch.path / "sysbench.conf"
            self.client_file.touch(mode=0o600)
            driver, password = self.database.sysbench_driver, self.database.password
            self.client_file.write_text(f"{driver}-password={password}\n")
            self.fill()
        except BaseException:
            self.stop()
            raise
        # Rows that it is filled with are not of its start-up.
        self.up_since_s = time.monotonic()

    def why_silent(self) -> str:
        return "it does not listen"

    def fill(self) -> None:
        try:
            for statement in data.statements(self.database.dialect):
                self.database.query(statement)
            found = self.sums(10)
        except OSError as fault:
            raise RuntimeError(f"the data could not be made: {fault}") from fault
        if found != data.SUMS:
            raise RuntimeError(f"the data are not what their seed says: {found}, not {data.SUMS}")

    def sums(self, limit_s: float) -> tuple[int, ...]:
        (row,) = self.database.query(data.check_sql(self.database.dialect), limit_s)
        return tuple(int(value) for value in row)

    def ask(self, path: str, limit_s: float) -> bytes:
        """The sums as text."""
        return " ".join(map(str, self.sums(limit_s))).encode()

    def counters(self, path: str | None, limit_s: float) -> dict[str, float]:
        try:
            return self.database.counters(limit_s)
        except OSError:
            return {}

    def threads_started(self) -> int | None:
        """Those made for connections; None once it is gone."""
        counted = self.counters(None, 10).get(self.database.threads_started)
        return None if counted is None else int(counted)

    def settings(self) -> dict[str, str]:
        """The variables that the mode sets, as the server reports them, and its version.

        Empty once it is gone.
        """
        try:
            settings = self.database.settings()
        except OSError:
            return {}
        return {name: settings[name] for name in sorted({"version", *self.options})}

    def state(self, path: str, limit_s: float) -> tuple[str, str, bytes | None]:
        deadline_s = time.monotonic() + limit_s
        while True:
            for process in filter(None, (self.process, self.pooler)):
                if process.ended():
                    return "server_died", f"exit status {process.exit_status}", None
            try:
                return "completed", "", self.ask(path, limit_s)
            except OSError as fault:
                if time.monotonic() > deadline_s:
                    return "refused", str(fault), None
            time.sleep(0.1)

    def start_profile(self, folder: Path, spec: dict[str, Any]) -> None:
        """perf has settings of its own; without perf there is no profile."""
        self.profiler = perf.record(self.process.pid, self.cpus, folder)

    def end_profile(self) -> None:
        if self.profiler:
            self.profiler.stop(perf.STOP_LIMIT_S)

    def profile(self, folder: Path, spec: dict[str, Any]) -> dict[str, Any]:
        return perf.facts(folder)

    def stop(self) -> None:
        self.end_profile()
        self.database.stop()
