"""How a mode is started: what it depends on, then its server, which must answer."""

from __future__ import annotations

import contextlib
import importlib
import shlex
import time
from http.client import HTTPException
from pathlib import Path
from typing import Any

import psutil

from profiles.watch.telemetry import process_sample
from workloads.machine import provenance
from workloads.machine.testbed import free_port
from workloads.record import cell_folder
from workloads.record.slice import Live
from workloads.servers import server
from workloads.servers.backends import Backend
from workloads.servers.subject import Subject
from workloads.servers.user_server import UserServer
from workloads.session.place import Place

Spec = dict[str, Any]


class NotAnswering(RuntimeError):
    """A server that does not come up: an outcome, with its command and the last it said."""

    def __init__(self, mode: str, why: str, subject: Subject) -> None:
        outcome = "server_died: " if subject.process.ended() else ""
        command = shlex.join(provenance.portable(subject.process.argv))
        lines = subject.log.read_text(errors="replace").strip().splitlines()[-5:]
        said = " | ".join(lines) or "nothing"
        super().__init__(f"{outcome}{mode}: {why}; command: {command}; it said last: {said}")


def start(spec: Spec, folder: Path, position: int, place: Place) -> Live:
    """The mode's server, answering. Raises NotAnswering where it does not come up.

    `position`: where its search for a free port begins.
    """
    with contextlib.ExitStack() as undo:
        backend = backend_of(spec, folder, position, place)
        if backend:
            undo.callback(backend.stop)
        subject = subject_of(spec, folder, position, place, backend)
        undo.callback(subject.stop)
        listens_s = time.monotonic()
        verify(subject, spec)
        answers_s = subject.start_up_s + time.monotonic() - listens_s
        idle = process_sample("server", psutil.Process(subject.process.pid))
        mode = spec["mode"]["id"]
        live = Live(mode, subject, backend, folder, idle, subject.settings(), answers_s)
        undo.pop_all()
    return live


def verify(subject: Subject, spec: Spec) -> None:
    mode, timeout_s = spec["mode"]["id"], spec["testbed"]["request_timeout_s"]
    if not subject.port:
        raise NotAnswering(mode, subject.why_silent(), subject)
    try:
        subject.ask(spec["study"]["verify_path"], timeout_s)
    except (OSError, HTTPException) as silence:
        raise NotAnswering(mode, f"no right answer: {silence!r}", subject) from silence


def backend_of(spec: Spec, folder: Path, position: int, place: Place) -> Backend | None:
    """The backend of the server, running; None where it has none."""
    if not spec["backend"]:
        return None
    with contextlib.ExitStack() as undo:
        started = start_backend(spec, folder, position, place)
        undo.callback(started.stop)
        for other in spec["backend"].get("others", []):
            own = cell_folder.fresh(folder / other["id"])
            started.add(start_backend(spec | {"backend": other}, own, position, place))
        undo.pop_all()
    return started


def start_backend(spec: Spec, folder: Path, position: int, place: Place) -> Backend:
    module = importlib.import_module(f"workloads.servers.backends.{spec['backend']['id']}")
    cpus = place.cpus_of(spec["backend"]["cpus"])
    started: Backend = module.start(spec, provenance.java(), cpus, folder, position)
    return started


def subject_of(
    spec: Spec, folder: Path, position: int, place: Place, backend: Backend | None
) -> Subject:
    """The server that is measured: a database, a user-supplied one, or one of ours."""
    cpus = place.server_cpus
    if spec["engine"]:
        # Its client library is loaded for databases only: every session would wait for it.
        from workloads.servers.databases.subject import DatabaseSubject

        return DatabaseSubject(spec, cpus, folder, position)
    if "command" in spec["mode"]:
        return UserServer(spec["mode"], cpus, folder, free_port(position))
    java, address = provenance.java(spec["mode"].get("jdk")), place.generator.address
    argv = server.command(spec, java, free_port(position, address), len(cpus), address)
    argv += backend.options if backend else []
    environment = backend.environment if backend else {}
    # Until it is warm it may use all CPUs: the JIT has its work before the first slice.
    return server.Server(argv, place.all_cpus, folder, environment=environment, address=address)
