"""MariaDB, the database of source 2: one process, on 127.0.0.1 only, and never the machine's own.

Source: MariaDB Server documentation, "mariadbd Options".
"""

from __future__ import annotations

import contextlib
import secrets
import time
from pathlib import Path
from typing import Any

import pymysql

from workloads.machine.testbed import Process, free_port
from workloads.servers.databases import (
    DATABASE,
    STOP_LIMIT_S,
    USER,
    Variables,
    unprivileged,
    value_of,
    wait_until_ready,
)
from workloads.servers.databases.data import Dialect
from workloads.servers.databases.scratch import Scratch, within_reach

HOME = Path(__file__).resolve().parents[3] / ".tools/mariadb"
# An initialised data directory; to copy it takes a tenth of the time of making one.
TEMPLATE = HOME / "data"
DIALECT = Dialect(
    key="INTEGER NOT NULL AUTO_INCREMENT PRIMARY KEY",
    engine="ENGINE=InnoDB",
    numbers="seq_1_to_{rows}",
    analyze="ANALYZE TABLE",
    text_number="CONV(LEFT(MD5(c), 8), 16, 10)",
)
READY = "ready for connections"

# Cumulative counters of SHOW GLOBAL STATUS.
COUNTERS = ("Com_commit", "Com_select", "Connections", "Questions", "Threads_created")


class MariaDB:
    """A database that answers.

    `privileges`: what the user may do to the whole server, as GRANT names it.
    """

    dialect = DIALECT
    sysbench_driver = "mysql"
    # Threads made for connections, which a pool or a cache avoids.
    threads_started = "Threads_created"
    # Nothing stands between it and its clients.
    pooler: Process | None = None

    def __init__(
        self,
        variables: Variables,
        cpus: list[int],
        folder: Path,
        position: int,
        log: str,
        privileges: str = "USAGE",
    ) -> None:
        self.log = folder / log
        self.port = free_port(position)
        self.password = secrets.token_urlsafe(24)
        self.privileges = privileges
        started_s = time.monotonic()
        with contextlib.ExitStack() as undo:
            self.scratch = Scratch()
            undo.callback(self.scratch.remove)
            self.process = Process(self.command(variables), cpus, folder, log)
            undo.callback(self.process.stop, STOP_LIMIT_S)
            wait_until_ready("MariaDB", self.process, self.log, READY)
            (self.scratch.path / "accounts.sql").unlink()
            self.end = undo.pop_all()
        self.start_up_s = time.monotonic() - started_s

    def command(self, variables: Variables) -> list[str]:
        """The command line, with its data directory laid out."""
        home = self.scratch.lay_out(TEMPLATE)
        accounts = self.scratch.write("accounts.sql", accounts_sql(self.password, self.privileges))
        installed = within_reach(HOME, "bin/mariadbd")
        return [
            *unprivileged(),
            str(installed / "bin/mariadbd"),
            "--no-defaults",
            f"--basedir={installed}",
            f"--lc-messages-dir={installed / 'share'}",
            f"--datadir={home / 'data'}",
            f"--tmpdir={home}",
            f"--socket={home / 'socket'}",
            f"--pid-file={home / 'pid'}",
            f"--init-file={accounts}",
            "--bind-address=127.0.0.1",
            f"--port={self.port}",
            "--skip-name-resolve",
            "--skip-ssl",
            "--skip-log-bin",
            # Data that are thrown away need no tidying: 1.8 s to stop otherwise.
            "--innodb-fast-shutdown=2",
            *(f"--{name}={value_of(value)}" for name, value in variables.items()),
        ]

    def connect(self, limit_s: float = 10) -> pymysql.Connection[Any]:
        """A connection as the one user. Raises pymysql.Error, with the server's own words."""
        return pymysql.connect(
            host="127.0.0.1",
            port=self.port,
            user=USER,
            password=self.password,
            database=DATABASE,
            autocommit=True,
            connect_timeout=limit_s,
            read_timeout=limit_s,
        )

    def query(self, statement: str, limit_s: float = 10) -> list[tuple[Any, ...]]:
        try:
            with self.connect(limit_s) as connection, connection.cursor() as cursor:
                cursor.execute(statement)
                return list(cursor.fetchall())
        except pymysql.Error as fault:
            raise OSError(f"the database does not answer: {fault}") from fault

    def counters(self, limit_s: float) -> dict[str, float]:
        status = dict(self.query("SHOW GLOBAL STATUS", limit_s))
        return {name: float(status[name]) for name in COUNTERS}

    def settings(self) -> dict[str, str]:
        return dict(self.query("SHOW GLOBAL VARIABLES"))

    def stop(self) -> None:
        self.end.close()


def accounts_sql(password: str, privileges: str) -> str:
    """One statement a line, as --init-file wants them; no other user may log in."""
    return (
        "DELETE FROM mysql.global_priv WHERE User <> 'mariadb.sys';\n"
        "FLUSH PRIVILEGES;\n"
        f"CREATE DATABASE {DATABASE};\n"
        f"CREATE USER {USER}@'127.0.0.1' IDENTIFIED BY '{password}';\n"
        f"GRANT ALL ON {DATABASE}.* TO {USER}@'127.0.0.1';\n"
        f"GRANT {privileges} ON *.* TO {USER}@'127.0.0.1';\n"
    )
