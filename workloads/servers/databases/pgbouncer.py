"""PgBouncer before PostgreSQL: an external pool of connections, a process of its own.

Clients connect to it; few connections of its own go to the database, handed out by transaction.
Source: PgBouncer documentation, "config" and "usage".
"""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

import psycopg

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
from workloads.servers.databases.postgresql import PostgreSQL
from workloads.servers.databases.scratch import within_reach

HOME = Path(__file__).resolve().parents[3] / ".tools/pgbouncer"
PROGRAM = "usr/sbin/pgbouncer"
LOG = "pooler.log"
READY = "process up"
# The variables that are the pooler's; all others are the database's.
OWN = ("pool_mode", "default_pool_size", "max_client_conn")
# The variable `auth_file`: PgBouncer's has each user's `secret` as PostgreSQL stores it, or `plain`
# passwords, of which it derives a secret of 4,096 iterations for each login by SCRAM (its scram.c:
# "build a SCRAM secret on the fly"), which PostgreSQL never does.
AUTH_FILES = ("secret", "plain")


class PgBouncer(PostgreSQL):
    """PostgreSQL as its clients see it through PgBouncer: `port` is the pooler's."""

    def __init__(
        self, variables: Variables, cpus: list[int], folder: Path, position: int, log: str
    ) -> None:
        self.auth_file = str(variables.get("auth_file", "secret"))
        if self.auth_file not in AUTH_FILES:
            allowed = " or ".join(AUTH_FILES)
            raise RuntimeError(f"auth_file = {self.auth_file!r}; allowed: {allowed}")
        own = {name: value for name, value in variables.items() if name in OWN}
        ours = {*OWN, "auth_file"}
        others = {name: value for name, value in variables.items() if name not in ours}
        super().__init__(others, cpus, folder, position, log)
        started_s = time.monotonic()
        with contextlib.ExitStack() as undo:
            undo.enter_context(self.end)
            self.port = free_port(position + 2000)
            # The kind that PostgreSQL stores: one kind of secret cannot prove the other.
            own["auth_type"] = "md5" if self.secret().startswith("md5") else "scram-sha-256"
            program = within_reach(HOME, PROGRAM) / PROGRAM
            argv = [*unprivileged(), str(program), str(self.configuration(own))]
            self.pooler = Process(argv, cpus, folder, LOG)
            undo.callback(self.pooler.stop, STOP_LIMIT_S)
            wait_until_ready("PgBouncer", self.pooler, folder / LOG, READY)
            self.end = undo.pop_all()
        self.start_up_s += time.monotonic() - started_s

    def configuration(self, own: Variables) -> Path:
        """Its files, with the password; only this user and the one it runs as may read them."""
        account = self.password if self.auth_file == "plain" else self.secret()
        accounts = self.scratch.write("accounts.txt", f'"{USER}" "{account}"\n')
        settings = own | {
            "listen_addr": "127.0.0.1",
            "listen_port": self.port,
            "unix_socket_dir": "",
            "auth_file": str(accounts),
            "admin_users": USER,
            "log_connections": False,
            "log_disconnections": False,
        }
        lines = (f"{name} = {value_of(value)}\n" for name, value in settings.items())
        server = f"host=127.0.0.1 port={self.server_port}"
        text = f"[databases]\n{DATABASE} = {server}\n[pgbouncer]\n{''.join(lines)}"
        return self.scratch.write("pgbouncer.ini", text)

    def console(self, command: str) -> list[dict[str, str]]:
        """The pooler's own answer to a command. Raises OSError without one."""
        try:
            with self.connect(port=self.port, dbname="pgbouncer") as connection:
                cursor = connection.execute(command)
                names = [column.name for column in cursor.description or ()]
                return [dict(zip(names, map(str, row), strict=True)) for row in cursor]
        except psycopg.Error as fault:
            raise OSError(f"the pooler does not answer: {fault}") from fault

    def counters(self, limit_s: float) -> dict[str, float]:
        """The database's, and the transactions that the pooler has passed on."""
        rows = [row for row in self.console("SHOW STATS") if row["database"] == DATABASE]
        passed_on = sum(float(row["total_xact_count"]) for row in rows)
        return super().counters(limit_s) | {"pooler_total_xact_count": passed_on}

    def settings(self) -> dict[str, str]:
        """The database's settings, and the pooler's own."""
        told = {row["key"]: row["value"] for row in self.console("SHOW CONFIG")}
        own = {name: told[name] for name in OWN}
        return super().settings() | own | {"auth_file": self.auth_file}
