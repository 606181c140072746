"""Running the generator under test."""

import os
import subprocess
from pathlib import Path

import pytest

from workloads.due.tests.running import DUE, finish, start
from workloads.due.tests.servers import serving


@pytest.fixture(scope="session", autouse=True)
def built():
    """Builds what the sources say; make knows whether there is anything to do."""
    if "DUE" not in os.environ:
        folder = Path(__file__).resolve().parent.parent
        subprocess.run(["make", "-C", folder, "all", "build/histogram_test"], check=True)


@pytest.fixture
def due(tmp_path):
    """Runs due with these arguments, which must end well."""

    def run(*arguments, **options):
        return finish(start(tmp_path, *arguments, **options), tmp_path)

    return run


@pytest.fixture
def load(due):
    """Runs due with these flags on a server of its own."""

    def run(behavior, *flags, path="/"):
        with serving(behavior) as server:
            finished = due(*flags, server.url(path))
        finished.server = server
        return finished

    return run


@pytest.fixture
def complaint():
    """Runs due with arguments that it must refuse with this exit status; gives its message."""

    def run(status, *arguments, **options):
        options |= {"capture_output": True, "text": True, "timeout": 20}
        done = subprocess.run([DUE, *arguments], **options)
        assert done.returncode == status, done.stdout
        return done.stderr

    return run
