"""Stand-ins for the programs that set-up calls, so that no test installs anything."""

import os
import subprocess
from pathlib import Path

import pytest

SETUP = Path(__file__).resolve().parents[1]


@pytest.fixture
def stand_ins(tmp_path):
    """A folder that comes first on the PATH of what `run` starts."""
    folder = tmp_path / "stand-ins"
    folder.mkdir()
    return folder


@pytest.fixture
def put(stand_ins):
    """Puts a stand-in there: its name, and what it does in the shell."""

    def put_program(name, script):
        program = stand_ins / name
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)

    return put_program


@pytest.fixture
def run(stand_ins):
    """Runs a command, or a script of set-up, with stand-ins and nothing of this shell's Java."""

    def run_command(*argv, **environment):
        program = SETUP / argv[0] if str(argv[0]).endswith(".sh") else argv[0]
        inherited = {name: os.environ[name] for name in ("HOME", "TMPDIR") if name in os.environ}
        given = {"JVM_FOLDER": stand_ins.parent / "jvm"} | environment
        return subprocess.run(
            [str(part) for part in (program, *argv[1:])],
            env=inherited
            | {"PATH": f"{stand_ins}:/usr/bin:/bin"}
            | {name: str(value) for name, value in given.items()},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )

    return run_command
