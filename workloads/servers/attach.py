"""HotSpot's attach mechanism: loads async-profiler into a running server, and tells it what to do.

Does the work of `jcmd <pid> JVMTI.agent_load` without the third of a second that jcmd takes to
start. A server so runs without a profiler until its first profiled slice, and between such slices.
A JVM in a container has another number and other files there, which proc(5) shows.
Source: HotSpot's attachListener.hpp and attachListener_posix.cpp (protocol version 1).
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import time
from dataclasses import dataclass
from pathlib import Path

TMP = Path("/tmp")
LIMIT_S = 10.0
READ_BYTES = 65536


@dataclass(frozen=True)
class Inside:
    """A folder in the container of a JVM, for what it is to load and to write."""

    pid: int
    name: str

    @property
    def folder(self) -> Path:
        """Its path as the JVM sees it."""
        return TMP / self.name

    @property
    def reached(self) -> Path:
        """The same folder as we see it."""
        return Path(f"/proc/{self.pid}/root") / self.folder.relative_to("/")

    def put(self, library: Path) -> Path:
        """The path there of a copy of a library."""
        self.reached.mkdir(exist_ok=True)
        # The JVM may be another user's.
        self.reached.chmod(0o777)
        shutil.copy(library, self.reached)
        return self.folder / library.name

    def fetch(self, name: str, to: Path) -> None:
        with contextlib.suppress(FileNotFoundError):
            shutil.copy(self.reached / name, to)

    def remove(self) -> None:
        """Removes the folder, while the JVM lives: nothing else leads to it."""
        shutil.rmtree(self.reached, ignore_errors=True)


def inside(pid: int) -> Inside | None:
    """Where a JVM reads and writes that has mounts of its own; None where it has ours."""
    ours, theirs = (os.readlink(f"/proc/{each}/ns/mnt") for each in ("self", pid))
    return None if ours == theirs else Inside(pid, f"profile-{pid}")


def load_agent(pid: int, library: Path, options: str) -> None:
    """Raises RuntimeError, with what the JVM said, when it does not load or refuses the options."""
    said = command(pid, "load", str(library), "true", options)
    # First the status of the command, then that of the agent, which one that is not loaded lacks.
    statuses = [word for word in said.split() if word.lstrip("-").isdigit()]
    if any(status != "0" for status in statuses) or len(statuses) < 2:
        raise RuntimeError(f"the profiler refused {options!r}: {said.strip()}")


def command(pid: int, *words: str) -> str:
    """The answer of the JVM to a command with at most three arguments."""
    with listening(pid) as connection:
        fields = ["1", *words, *[""] * (4 - len(words))]
        connection.sendall(b"".join(field.encode() + b"\0" for field in fields))
        answer = b""
        while part := connection.recv(READ_BYTES):
            answer += part
    return answer.decode(errors="replace")


def listening(pid: int) -> socket.socket:
    """A connection to the JVM's attach listener, which a signal starts where it does not run."""
    path = socket_of(pid)
    deadline_s = time.monotonic() + LIMIT_S
    asking = Path(f"/proc/{pid}/cwd/.attach_pid{own_number(pid)}")
    try:
        while True:
            with contextlib.suppress(OSError):
                connection = socket.socket(socket.AF_UNIX)
                connection.settimeout(LIMIT_S)
                connection.connect(str(path))
                return connection
            if time.monotonic() > deadline_s:
                raise RuntimeError(f"the JVM {pid} opened no attach socket within {LIMIT_S:g} s")
            if not asking.exists():
                asking.touch()
                os.kill(pid, signal.SIGQUIT)
            time.sleep(0.005)
    finally:
        asking.unlink(missing_ok=True)


def socket_of(pid: int) -> Path:
    """Its path as we see it; a JVM that has ended was none of a container's."""
    name = f".java_pid{own_number(pid)}"
    with contextlib.suppress(OSError):
        if found := inside(pid):
            return found.reached.with_name(name)
    return TMP / name


def own_number(pid: int) -> int:
    """The process id that a process has for itself, in the innermost namespace of its own."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("NSpid:"):
                return int(line.split()[-1])
    return pid


def forget(pid: int) -> None:
    """Removes the socket of a JVM that was killed and so could not do it."""
    socket_of(pid).unlink(missing_ok=True)
