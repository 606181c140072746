"""MariaDB, the database of source 2: one process, on 127.0.0.1 only, and never the machine's own.

Source: MariaDB Server documentation, "mariadbd Options".
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pymysql

from workloads.servers.databases import DATABASE, USER, Variables, unprivileged, value_of
from workloads.servers.databases.data import Dialect
from workloads.servers.databases.engine import Engine
from workloads.servers.databases.scratch import within_reach

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
# Cumulative counters of SHOW GLOBAL STATUS.
COUNTERS = ("Com_commit", "Com_select", "Connections", "Questions", "Threads_created")


class MariaDB(Engine):
    """MariaDB without a pool of threads, unless its variables say so."""

    dialect = DIALECT
    sysbench_driver = "mysql"
    threads_started = "Threads_created"
    ready = "ready for connections"
    # These of its user to the whole server, as GRANT names them.
    privileges = "USAGE"

    def started(self) -> None:
        (self.scratch.path / "accounts.sql").unlink()

    def command(self, variables: Variables) -> list[str]:
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


class ResizableMariaDB(MariaDB):
    """Its user may set the size of the pool of threads while the server runs."""

    privileges = "CONNECTION ADMIN"


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
