"""A wait for processes, their command lines and their rights, for tests of them."""

import time
from collections.abc import Callable
from pathlib import Path

import psutil

RIGHTS = ("Uid", "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs")
# User 65534, without a capability or a way to get one.
NONE = {
    "Uid": "\t".join(["65534"] * 4),
    **dict.fromkeys(RIGHTS[1:-1], "0" * 16),
    "NoNewPrivs": "1",
}


def until(condition: Callable[[], object], limit_s: float = 30) -> None:
    deadline_s = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < deadline_s, "it did not happen in time"
        time.sleep(0.02)


def command_lines(mark: str) -> list[list[str]]:
    """Those of all processes that hold a text."""
    lines = (each.info["cmdline"] or [] for each in psutil.process_iter(["cmdline"]))
    return [line for line in lines if any(mark in word for word in line)]


def rights(pid: int) -> dict[str, str]:
    """User ids, capability sets and the like of a process, as the kernel writes them."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    status = dict(line.split(":\t", 1) for line in lines)
    return {name: status[name] for name in RIGHTS}
