"""Commands to a running JVM, by jcmd: such as those that load async-profiler and say what it does.

A server so runs without a profiler until its first profiled slice, and between such slices. A JVM
in a container has other files, which proc(5) shows.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from workloads.machine import provenance

TMP = Path("/tmp")
LIMIT_S = 30


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
    said = command(pid, "JVMTI.agent_load", f'"{library}"', f'"{options}"')
    if "return code: 0" not in said.splitlines():
        raise RuntimeError(f"the profiler refused {options!r}: {said.strip()}")


def command(pid: int, *words: str) -> str:
    """The answer of the JVM. Raises RuntimeError where it gives none."""
    jcmd = [str(provenance.java().with_name("jcmd")), "-J-XX:TieredStopAtLevel=1", str(pid)]
    try:
        return subprocess.run(
            [*jcmd, *words], capture_output=True, text=True, timeout=LIMIT_S, check=True
        ).stdout
    except subprocess.TimeoutExpired as fault:
        raise RuntimeError(f"the JVM {pid} does not answer within {LIMIT_S} s") from fault
    except subprocess.CalledProcessError as fault:
        # Without the stack of jcmd's exception.
        said = fault.stderr.partition("\n")[0] or fault.stdout.strip()
        raise RuntimeError(f"the JVM {pid} does not answer: {said}") from fault


def forget(pid: int) -> None:
    """Removes the socket for jcmd of a JVM that was killed and so could not do it."""
    (TMP / f".java_pid{pid}").unlink(missing_ok=True)
