"""How a mode is started: what it depends on, then its server, which must answer."""

import contextlib
import importlib
import shlex
import time
from http.client import HTTPException
from pathlib import Path
from typing import Any

from profiles.watch import control_groups
from profiles.watch.telemetry import process_sample
from profiles.watch.terminal import say
from workloads.machine import provenance
from workloads.machine.testbed import free_port
from workloads.record import cell_folder
from workloads.record.slice import Live
from workloads.servers import server
from workloads.servers.answers import answers, hopeless
from workloads.servers.backends import Backend
from workloads.servers.subject import Subject
from workloads.servers.user_server import UserServer
from workloads.session.place import Place

Spec = dict[str, Any]
# How often a server that is not ready is asked, and when a person who waits for it reads why.
ASK_AGAIN_S, SAID_AFTER_S = 0.05, 5


class NotAnswering(RuntimeError):
    """A server that does not come up: an outcome, with its command and its last words."""

    def __init__(self, mode: str, why: str, subject: Subject) -> None:
        outcome = "server_died: " if subject.process.ended() else "not_ready: "
        command = shlex.join(provenance.portable(subject.process.argv))
        lines = subject.log.read_text(errors="replace").strip().splitlines()[-5:]
        said = " | ".join(lines) or "nothing"
        super().__init__(f"{outcome}{mode}: {why}; command: {command}; it said last: {said}")


class BeyondLimits(NotAnswering):
    """A server that this machine cannot limit as its mode says."""

    def __init__(self, mode: str, why: str) -> None:
        RuntimeError.__init__(self, f"beyond_limits: {mode}: {why}")


def start(spec: Spec, folder: Path, position: int, place: Place) -> Live:
    """The mode's server, answering. Raises NotAnswering where it does not come up.

    `position`: where its search for a free port begins.
    """
    with contextlib.ExitStack() as undo:
        backend = backend_of(spec, folder, position, place)
        if backend and not backend.shared:
            undo.callback(backend.stop)
        subject = subject_of(spec, folder, position, place, backend)
        undo.callback(subject.stop)
        verify(subject, spec)
        answers_s = subject.start_up_s + time.monotonic() - subject.up_since_s
        # Empty once it is gone.
        idle, mode = process_sample("server", subject.process.pid), spec["mode"]["id"]
        if not idle:
            raise NotAnswering(mode, "it ended after its first answer", subject)
        settings, carriers = subject.settings(), subject.carriers()
        live = Live(mode, subject, backend, folder, idle, settings, answers_s, carriers)
        if isinstance(subject, UserServer) and "requests" in spec["tier"]:
            live.answers = answers(subject, spec["tier"]["requests"])
        undo.pop_all()
    return live


def verify(subject: Subject, spec: Spec) -> None:
    """Asks until the answer is right: a port may open long before what is behind it is ready."""
    mode, timeout_s = spec["mode"]["id"], spec["testbed"]["request_timeout_s"]
    if not subject.port:
        raise NotAnswering(mode, subject.why_silent(), subject)
    begun_s, said = time.monotonic() - subject.start_up_s, False
    while fault := wrong_answer(subject, spec["study"]["verify_path"], timeout_s):
        waited_s = time.monotonic() - begun_s
        why = f"no right answer after {waited_s:.0f} s, last {fault!r}"
        limit_s = spec["mode"].get("start_limit_s", server.START_LIMIT_S)
        if subject.process.ended() or waited_s > limit_s or server.STOPPING.is_set():
            raise NotAnswering(mode, why, subject) from fault
        if waited_s > SAID_AFTER_S and not said:
            said = True
            if isinstance(subject, UserServer) and (advice := hopeless(subject, str(fault))):
                raise NotAnswering(mode, f"{why}; {advice}", subject) from fault
            say(f"{mode}: {why}; it has until {limit_s:g} s")
        time.sleep(ASK_AGAIN_S)


def wrong_answer(subject: Subject, path: str, limit_s: float) -> Exception | None:
    try:
        subject.ask(path, limit_s)
    except (OSError, HTTPException) as fault:
        return fault
    return None


def backend_of(spec: Spec, folder: Path, position: int, place: Place) -> Backend | None:
    if not spec["backend"]:
        return None
    if spec["backend"].get("shared"):
        with place.sharing:
            place.shared = place.shared or start_backend(spec, folder, position, place)
        return place.shared
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
        port = getattr(backend, "port", None)
        words = {"backend_port": str(port)} if port else {}
        return UserServer(spec["mode"], cpus, folder, free_port(position), words)
    java, address = provenance.java(spec["mode"].get("jdk")), place.generator.address
    argv = server.command(spec, java, free_port(position, address), len(cpus), address)
    argv += backend.options if backend else []
    environment = backend.environment if backend else {}
    group = group_of(spec["mode"])
    # Until it is warm it may use all CPUs: the JIT has its work before the first slice.
    return server.Server(
        argv, place.all_cpus, folder, environment=environment, address=address, group=group
    )


def group_of(mode: dict[str, Any]) -> Path | None:
    """The control group of a mode with a limit on its CPU time. Raises BeyondLimits."""
    if "cpu_limit" not in mode:
        return None
    try:
        return control_groups.limited_group(mode["cpu_limit"])
    except OSError as fault:
        raise BeyondLimits(mode["id"], f"cpu_limit = {mode['cpu_limit']:g}: {fault}") from fault
