"""Folders in the system's temporary folder that never outlive their cell for long."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from workloads.testbed import open_lock

PREFIX = "threads-artifact.scratch."
BIRTHS = "threads-artifact.births.lock"


class Scratch:
    """A folder `path` for this process alone; what killed processes left of theirs is removed.

    The kernel drops a folder's lock with the process that made it, however that ends, so a folder
    without one belongs to nobody.
    """

    def __init__(self) -> None:
        parent = Path(tempfile.gettempdir())
        with births(parent):
            remove_orphans(parent)
            self.path = Path(tempfile.mkdtemp(prefix=PREFIX))
            self.lock = lock_of(self.path)

    def remove(self) -> None:
        shutil.rmtree(self.path)
        os.close(self.lock)


@contextlib.contextmanager
def births(parent: Path) -> Iterator[None]:
    """One at a time: between its making and its locking a folder looks like an orphan."""
    descriptor = open_lock(parent / BIRTHS)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def lock_of(folder: Path) -> int:
    """A descriptor that holds the folder's lock. Raises BlockingIOError while another does."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def remove_orphans(parent: Path) -> None:
    for folder in parent.glob(f"{PREFIX}*"):
        # Another user's, another process's, or just gone: not ours to remove.
        with contextlib.suppress(OSError):
            lock = lock_of(folder)
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)
