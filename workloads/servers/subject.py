"""The subject of a session: a server of ours, a user-supplied one, or a database."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

from workloads.machine.testbed import LOOPBACK, Process


class Subject(Protocol):
    """A started server; a session knows no members but these.

    `port` is 0 where it does not listen, and `why_silent` has the reason. `up_since_s`: when its
    start-up had taken `start_up_s`, by time.monotonic().
    """

    process: Process
    # A process before it, as a pool of connections stands before a database.
    pooler: Process | None = None
    address: str = LOOPBACK
    port: int
    log: Path
    start_up_s: float = 0.0
    up_since_s: float = 0.0
    # Secrets that a client must know, and no command line may show.
    client_environment: Mapping[str, str] = MappingProxyType({})

    def why_silent(self) -> str:
        """The reason why it does not listen."""

    def prepare(self, spec: dict[str, Any]) -> None:
        """Called before each slice of a cell."""
        return

    def ask(self, path: str, limit_s: float) -> bytes:
        """The body of the right answer. Raises OSError or HTTPException, the reason why not."""

    def state(self, path: str, limit_s: float) -> tuple[str, str, bytes | None]:
        """(outcome, reason, body or None) after a load; draining a backlog may take time."""

    def settings(self) -> dict[str, str]:
        """Settings as the server reports them; a JVM's are seen by its threads instead."""
        return {}

    def carriers(self) -> int | None:
        """Carriers of virtual threads after its first answer; None where that says nothing."""
        return None

    def threads_started(self) -> int | None:
        """Threads, or processes, started so far; None where they are not counted."""

    def rows(self, path: str | None, limit_s: float) -> int | None:
        """Rows in the server's table; None where there is none."""
        return None

    def counters(self, path: str | None, limit_s: float) -> dict[str, float]:
        """The server's own cumulative counters; empty where it has none or is gone."""

    def watch(self, path: str | None, limit_s: float, *, on: bool) -> None:
        """Switches what the server samples of itself on or off, where it can."""
        return

    def start_profile(self, folder: Path, spec: dict[str, Any]) -> None:
        """Starts the kinds of profile that the spec names.

        Raises RuntimeError or OSError where the profiler cannot be had.
        """

    def end_profile(self) -> None:
        """Ends what start_profile began."""

    def profile(self, folder: Path, spec: dict[str, Any]) -> dict[str, Any]:
        """The `profile` part of cell.json, of the profile that lies in the folder."""

    def stop(self) -> None:
        """Ends its processes; nothing is left but its log."""
