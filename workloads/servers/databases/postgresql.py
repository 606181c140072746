"""PostgreSQL, a process for every connection: what an external pooler is for.

Source: PostgreSQL documentation, chapters "Server Setup and Operation", "Client Authentication".
"""

from __future__ import annotations

import os
import pwd
import signal
from pathlib import Path
from typing import Any

import psycopg

from workloads.servers.databases import (
    DATABASE,
    STOP_LIMIT_S,
    USER,
    Variables,
    unprivileged,
    value_of,
)
from workloads.servers.databases.data import Dialect
from workloads.servers.databases.engine import Engine
from workloads.servers.databases.scratch import within_reach

HOME = Path(__file__).resolve().parents[3] / ".tools/postgresql"
# An initialised data directory with the database in it.
TEMPLATE = HOME / "data"
OWNER = "postgres"
DIALECT = Dialect(
    key="SERIAL PRIMARY KEY",
    engine="",
    numbers="generate_series(1, {rows}) AS seq",
    analyze="ANALYZE",
    text_number="('x' || LEFT(MD5(c), 8))::bit(32)::bigint",
)
# By socket, only the operating system's user who measures gets in, as the owner. By TCP, a password
# is needed; md5 means the method by which it is stored, which may be scram-sha-256.
ACCESS = f"local all {OWNER} peer map=runner\nhost all all 127.0.0.1/32 md5\n"
# Columns of pg_stat_database.
COUNTERS = ("sessions", "xact_commit")


class PostgreSQL(Engine):
    """PostgreSQL. `server_port`: its own, also behind a pooler."""

    dialect = DIALECT
    sysbench_driver = "pgsql"
    # Each is a process of the server.
    threads_started = "sessions"
    ready = "database system is ready to accept connections"

    def command(self, variables: Variables) -> list[str]:
        self.home, self.server_port = self.scratch.lay_out(TEMPLATE), self.port
        runner = pwd.getpwuid(os.geteuid()).pw_name
        settings = variables | {
            "listen_addresses": "127.0.0.1",
            "port": self.server_port,
            "unix_socket_directories": str(self.home),
            "hba_file": str(self.scratch.write("access.conf", ACCESS)),
            "ident_file": str(self.scratch.write("users.conf", f'runner "{runner}" {OWNER}\n')),
            "logging_collector": False,
        }
        return [
            *unprivileged(),
            # If the runner dies, it stops at once: killed, it would leave its shared memory behind.
            *("setpriv", "--pdeathsig=QUIT"),
            str(within_reach(HOME, "bin/postgres") / "bin/postgres"),
            *("-D", str(self.home / "data")),
            *(f"--{name}={value_of(value)}" for name, value in settings.items()),
        ]

    def started(self) -> None:
        # Its secret is made by the server's own settings.
        self.by_owner(f"ALTER USER {USER} PASSWORD '{self.password}'")

    def secret(self) -> str:
        """Its record of the user's password: for SCRAM, keys from which none can be derived."""
        ((found,),) = self.by_owner(f"SELECT rolpassword FROM pg_authid WHERE rolname = '{USER}'")
        return str(found)

    def by_owner(self, statement: str) -> list[tuple[Any, ...]]:
        """The answer to the owner, who by socket needs no password."""
        with psycopg.connect(
            host=str(self.home), port=self.server_port, user=OWNER, dbname=OWNER
        ) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def connect(
        self, limit_s: float = 10, port: int = 0, dbname: str = DATABASE
    ) -> psycopg.Connection[tuple[Any, ...]]:
        """A connection, by default to the server. Raises psycopg.Error, with its own words."""
        return psycopg.connect(
            host="127.0.0.1",
            port=port or self.server_port,
            user=USER,
            password=self.password,
            dbname=dbname,
            autocommit=True,
            connect_timeout=max(2, round(limit_s)),
        )

    def query(self, statement: str, limit_s: float = 10) -> list[tuple[Any, ...]]:
        try:
            with self.connect(limit_s) as connection:
                cursor = connection.execute(statement)
                return cursor.fetchall() if cursor.description else []
        except psycopg.Error as fault:
            raise OSError(f"the database does not answer: {fault}") from fault

    def counters(self, limit_s: float) -> dict[str, float]:
        columns = ", ".join(COUNTERS)
        statement = f"SELECT {columns} FROM pg_stat_database WHERE datname = '{DATABASE}'"
        (row,) = self.query(statement, limit_s)
        return dict(zip(COUNTERS, map(float, row), strict=True))

    def settings(self) -> dict[str, str]:
        settings = dict(self.query("SELECT name, setting FROM pg_settings"))
        return settings | {"version": settings["server_version"]}

    def stop_server(self) -> None:
        """Stops at once: thrown-away data need no tidying, and SIGTERM would wait for clients."""
        if not self.process.ended():
            os.kill(self.process.pid, signal.SIGQUIT)
            self.process.wait(STOP_LIMIT_S)
        self.process.stop(STOP_LIMIT_S)
