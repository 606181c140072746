"""Stand-ins for the programs that set-up calls, so that no test installs anything."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Put = Callable[[str, str], None]


@pytest.fixture
def stand_ins(tmp_path: Path) -> Path:
    """A folder that comes first on the PATH of what `run` starts."""
    folder = tmp_path / "stand-ins"
    folder.mkdir()
    return folder


@pytest.fixture
def put(stand_ins: Path) -> Put:
    """Puts a stand-in there: its name, and what it does in the shell."""

    def put_program(name: str, script: str) -> None:
        program = stand_ins / name
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)

    return put_program


@pytest.fixture
def run(stand_ins: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs a command with the stand-ins in place and nothing of this shell's Java."""

    def run_command(*argv: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
        inherited = {name: os.environ[name] for name in ("HOME", "TMPDIR") if name in os.environ}
        path = f"{stand_ins}:/usr/bin:/bin"
        return subprocess.run(
            [str(part) for part in argv],
            env=inherited | {"PATH": path} | environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )

    return run_command
