"""Databases: started for one cell with a data directory of their own, and thrown away after it.

What they have in common is in engine.py.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from workloads.machine.testbed import Process

# The one database and its one user, the same in every engine; the password is made for the run.
DATABASE = USER = "artifact"

# If root measures, servers run as this user and without capabilities: what breaks into one is then
# no more than this user.
NO_USER = 65534
WITHOUT_PRIVILEGES = [
    *("setpriv", f"--reuid={NO_USER}", f"--regid={NO_USER}", "--clear-groups", "--no-new-privs"),
    *("--inh-caps=-all", "--ambient-caps=-all", "--bounding-set=-all", "--pdeathsig=KILL"),
]

# How long a process may take to be ready, and to end.
START_LIMIT_S, STOP_LIMIT_S = 30, 10
# A database's own variables by the names it gives them.
Variables = dict[str, int | str | bool]


def unprivileged() -> list[str]:
    """The beginning of a server's command line: nothing, unless root starts it."""
    return WITHOUT_PRIVILEGES if os.geteuid() == 0 else []


def wait_until_ready(name: str, process: Process, log: Path, ready: str) -> None:
    """Returns when the log says `ready`. Raises RuntimeError with the log's end otherwise."""
    deadline_s = time.monotonic() + START_LIMIT_S
    while ready not in log.read_text(errors="replace"):
        if process.ended() or time.monotonic() > deadline_s:
            said = log.read_text(errors="replace")[-2000:]
            raise RuntimeError(f"{name} did not start: {said}")
        time.sleep(0.005)


def value_of(value: int | str | bool) -> str:
    """The value in the form that every engine reads: true is 1."""
    return str(int(value)) if isinstance(value, bool) else str(value)
