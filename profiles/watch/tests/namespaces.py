"""Namespaces of the kernel, for tests that change what a machine shows of itself."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


def in_namespace(kind, script):
    """The output of a shell script in a namespace of its own; skips where none can be made."""
    if not shutil.which("unshare") or os.geteuid() != 0:
        pytest.skip("only root makes namespaces here, with unshare")
    argv = ["unshare", kind, "bash", "-euc", script]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=60)
    if done.returncode == 77:
        pytest.skip(f"cannot be set up here: {done.stderr}")
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")[:-1]


def python(code):
    return shlex.join([sys.executable, "-c", code])
