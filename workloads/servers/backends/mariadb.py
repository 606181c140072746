"""The database of a server under test: a MariaDB of its own, empty, gone with the cell."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workloads.servers.backends import PORTS_APART, Backend
from workloads.servers.databases import DATABASE, USER
from workloads.servers.databases.mariadb import MariaDB

LOG = "backend.log"


@dataclass(kw_only=True)
class DatabaseBackend(Backend):
    """A backend whose data directory goes with it."""

    database: MariaDB

    def end(self) -> None:
        self.database.stop()


def start(
    spec: dict[str, Any], java: Path, cpus: list[int], folder: Path, position: int
) -> Backend:
    database = MariaDB(spec["backend"]["variables"], cpus, folder, position + PORTS_APART, LOG)
    url = f"jdbc:mariadb://127.0.0.1:{database.port}/{DATABASE}?sslMode=disable"
    return DatabaseBackend(
        process=database.process,
        options=[f"--spring.datasource.url={url}", f"--spring.datasource.username={USER}"],
        environment={"SPRING_DATASOURCE_PASSWORD": database.password},
        database=database,
    )
