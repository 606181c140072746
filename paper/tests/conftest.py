"""Where results of a test are."""

import os
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def results(tmp_path):
    """A folder below this one, as those of a run; the test's own, and removed after it."""
    folder = f"results/{tmp_path.name}-{os.getpid()}"
    yield folder
    shutil.rmtree(ROOT / folder, ignore_errors=True)
