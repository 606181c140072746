"""Running the generator under test."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from workloads.due.tests.running import DUE, Run, finish, start


@pytest.fixture(scope="session", autouse=True)
def built() -> None:
    """Builds what the sources say; make knows whether there is anything to do."""
    if "DUE" not in os.environ:
        folder = Path(__file__).resolve().parent.parent
        subprocess.run(["make", "-C", folder, "all", "build/histogram_test"], check=True)


@pytest.fixture
def due(tmp_path: Path) -> Callable[..., Run]:
    """Runs due with these arguments, which must end well."""

    def run(*arguments: str, **options) -> Run:
        return finish(start(tmp_path, *arguments, **options), tmp_path)

    return run


@pytest.fixture
def complaint() -> Callable[..., tuple[int, str]]:
    """Runs due with arguments that it must refuse; gives its exit status and message."""

    def run(*arguments: str, **options) -> tuple[int, str]:
        done = subprocess.run(
            [DUE, *arguments], capture_output=True, text=True, timeout=20, **options
        )
        assert done.returncode != 0, done.stdout
        return done.returncode, done.stderr

    return run
