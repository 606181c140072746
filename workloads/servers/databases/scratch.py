"""Folders among temporary ones, on a disk, that never outlive their cell for long."""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import functools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from profiles.watch.limits import data_folder
from workloads.machine.testbed import open_lock
from workloads.servers.databases import NO_USER, unprivileged

PREFIX = "threads-artifact.scratch."
BIRTHS = "threads-artifact.births.lock"


class Scratch:
    """A folder `path` for this process alone; what killed processes left of theirs is removed.

    The kernel drops a folder's lock with the process that made it, however that ends, so a folder
    without one belongs to no process.
    """

    def __init__(self) -> None:
        parent = data_folder()
        with births(parent):
            remove_orphans(parent)
            self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
            self.lock = lock_of(self.path)
        if os.geteuid() == 0:
            # The servers' user passes through to what it is given, and can change nothing else.
            self.path.chmod(0o711)

    def lay_out(self, template: Path) -> Path:
        """A folder of the servers' user with a copy of the template, `data`, in it."""
        home = self.path / "server"
        home.mkdir(mode=0o700)
        copy = ["cp", "--recursive", "--reflink=auto", str(template), str(home / "data")]
        # PostgreSQL refuses a folder that others may read.
        subprocess.run(copy, check=True, umask=0o077)
        give(home)
        return home

    def write(self, name: str, text: str) -> Path:
        """A file that only the servers' user, and root, may read."""
        path = self.path / name
        path.touch(mode=0o600)
        path.write_text(text)
        give(path)
        return path

    def remove(self) -> None:
        shutil.rmtree(self.path)
        os.close(self.lock)


def give(path: Path) -> None:
    """Makes the servers' user the owner of a file, or of a folder and all that is in it."""
    if os.geteuid() == 0:
        owner = f"{NO_USER}:{NO_USER}"
        subprocess.run(["chown", "--recursive", "--no-dereference", owner, path], check=True)


@functools.cache
def within_reach(home: Path, program: str) -> Path:
    """The folder of an installed server where the servers' user can run `program` of it.

    That is `home`, or a copy until this process ends: a checkout may lie in a folder that only root
    may enter. Profiles made with a copy lack the names of its functions.
    """
    reach = [*unprivileged(), "test", "-x", str(home / program)]
    if os.geteuid() != 0 or subprocess.run(reach).returncode == 0:
        return home
    scratch = Scratch()
    atexit.register(scratch.remove)
    # Each database has a copy of the data already.
    without_data = shutil.ignore_patterns("data")
    return Path(shutil.copytree(home, scratch.path / home.name, symlinks=True, ignore=without_data))


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
