"""A database as the subject of a cell: what server.Server is for HTTP, for a database.

It is filled from the seed, asked before and after the load for the sums that its data must have,
and read back: the variables that decide the treatment, and its own counters.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pymysql

from workloads.databases.data import CHECK, Data
from workloads.databases.mariadb import MariaDB

LOG = "server.log"
# Scripts that change rows for good; after any other load every sum must be as it was.
CHANGING = ("oltp_read_write",)
# Cumulative counters of SHOW GLOBAL STATUS that say what the server's work was.
COUNTERS = (
    "Aborted_clients",
    "Aborted_connects",
    "Bytes_received",
    "Bytes_sent",
    "Com_commit",
    "Com_delete",
    "Com_insert",
    "Com_select",
    "Com_update",
    "Connections",
    "Connection_errors_max_connections",
    "Handler_commit",
    "Innodb_data_fsyncs",
    "Innodb_log_writes",
    "Innodb_row_lock_waits",
    "Innodb_row_lock_time",
    "Innodb_rows_deleted",
    "Innodb_rows_inserted",
    "Innodb_rows_read",
    "Innodb_rows_updated",
    "Questions",
    "Threads_created",
)


class Subject:
    """The database of one cell, filled. Raises RuntimeError where it does not start or fill."""

    def __init__(self, spec: dict[str, Any], cpus: list[int], folder: Path, position: int) -> None:
        asked = spec["mode"].get("options", {})
        variables = spec["subject"]["variables"] | asked
        self.asked = {"version", *asked}
        self.check = "kept" if spec["tool"].get("script") in CHANGING else "whole"
        # The grid sets the size of the thread pool while the server runs.
        self.database = MariaDB(variables, cpus, folder, position, LOG, "CONNECTION ADMIN")
        self.process, self.port = self.database.process, self.database.port
        self.position = position
        self.log, self.start_up_s = self.database.log, self.database.start_up_s
        self.client_file = self.database.scratch.path / "sysbench.conf"
        try:
            self.client_file.touch(mode=0o600)
            self.client_file.write_text(f"mysql-password={self.database.password}\n")
            self.fill(Data(**spec["study"]["data"]))
        except BaseException:
            self.stop()
            raise

    @property
    def environment(self) -> dict[str, str]:
        """What a client must know and no command line may show."""
        return {"DATABASE_PASSWORD": self.database.password}

    def fill(self, data: Data) -> None:
        with self.database.connect() as connection, connection.cursor() as cursor:
            for statement in data.statements():
                cursor.execute(statement)
        found, expected = self.sums(10), data.expected(self.check)
        if found != expected:
            raise RuntimeError(f"the data are not what their seed says: {found}, not {expected}")

    def sums(self, limit_s: float) -> tuple[int, ...]:
        with self.database.connect(limit_s) as connection, connection.cursor() as cursor:
            cursor.execute(CHECK[self.check])
            return tuple(int(value) for value in cursor.fetchone() or ())

    def ask(self, path: str, limit_s: float) -> bytes:
        """The sums as text. Raises OSError, with the server's own words, without an answer."""
        try:
            return " ".join(map(str, self.sums(limit_s))).encode()
        except pymysql.Error as fault:
            raise OSError(f"the database does not answer: {fault}") from fault

    def rows(self, path: str | None, limit_s: float) -> int | None:
        """None: what was written is part of the sums."""
        return None

    def counters(self, path: str | None, limit_s: float) -> dict[str, float]:
        """The server's own cumulative counters; empty once it is gone."""
        try:
            status = dict(self.query("SHOW GLOBAL STATUS", limit_s))
        except pymysql.Error:
            return {}
        return {name: float(status[name]) for name in COUNTERS if name in status}

    def threads_started(self) -> int:
        """Threads made for connections, which a pool or a cache avoids; 0 once it is gone."""
        return int(self.counters(None, 10).get("Threads_created", 0))

    def in_force(self) -> dict[str, str]:
        """The variables that the mode sets, as the server says them, and its version."""
        variables = dict(self.query("SHOW GLOBAL VARIABLES", 10))
        return {name: variables[name] for name in sorted(self.asked)}

    def query(self, statement: str, limit_s: float) -> tuple[tuple[Any, ...], ...]:
        with self.database.connect(limit_s) as connection, connection.cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetchall()

    def state(self, path: str, limit_s: float) -> tuple[str, str, bytes]:
        """Asked after the load: (outcome, reason, body)."""
        deadline_s = time.monotonic() + limit_s
        while True:
            if self.process.ended():
                return "server_died", f"exit status {self.process.exit_status}", b""
            try:
                return "completed", "", self.ask(path, limit_s)
            except OSError as fault:
                if time.monotonic() > deadline_s:
                    return "refused", str(fault), b""
            time.sleep(0.1)

    def stop(self) -> None:
        self.database.stop()
