"""A server of ours: started, asked whether it answers, profiled on request, stopped."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from profiles.watch import control_groups, jvm_counters
from workloads.machine.provenance import PROFILER, ROOT
from workloads.machine.testbed import LOOPBACK, Process
from workloads.servers import attach, scheduling
from workloads.servers.subject import Subject

# Seven that start side by side took up to 38 s on a disturbed machine.
START_LIMIT_S = 120
# Set when a session ends: a server that is not ready is waited for no longer.
STOPPING = threading.Event()
STOP_LIMIT_S = 5
# A server that stops listening may still be finishing what it holds before it ends.
REFUSED_LIMIT_S = 2.0
BODY_SHOWN = 200
RECORDING, EVENTS = "profile.jfr", "events.jfr"
# One clock for the whole process, at the ticks of the kernel: without perf events, and for threads
# that end before a clock of their own would tick once.
TICKS = {"event": "itimer", "interval_ms": 4}
# Events of the JVM that last: all of them, however short, and without their stacks.
WAITS = ("VirtualThreadPinned", "ThreadSleep", "SocketRead", "SocketWrite", "GarbageCollection")
TMP = "tmp"
# Starts a program in a class of the kernel's scheduler; its threads are in it, too (sched(7)).
SCHEDULED = {"batch": ("chrt", "--batch", "0")}
# The JDK's scheduler of virtual threads names its threads so (java.lang.VirtualThread).
CARRIER = "ForkJoinPool-1-"
MEASURED_OPTIONS = (
    # A compiler's thread that ends takes its CPU time with it.
    "-XX:-UseDynamicNumberOfCompilerThreads",
    # The profiler comes while the server runs; without the others the JIT's frames are attributed
    # to safepoints only.
    "-XX:+EnableDynamicAgentLoading",
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:+DebugNonSafepoints",
)


def command(
    spec: dict[str, Any], java: Path, port: int, cpus: int, address: str = LOOPBACK
) -> list[str]:
    """The server's command line; files are named relative to the server's folder.

    `cpus`: how many it will have under load, which decides its collector and its threads; a JVM
    with a limit on its CPU time counts that, as in a container.
    """
    server, options = spec["study"]["server"], spec["mode"].get("options", {})
    counted = [] if "cpu_limit" in spec["mode"] else [f"-XX:ActiveProcessorCount={cpus}"]
    return [
        *SCHEDULED.get(spec["mode"].get("scheduling", ""), ()),
        str(java),
        *server["jvm_options"],
        *counted,
        *class_data(spec),
        *watched(),
        "-cp",
        str(ROOT / server["jar"]),
        f"{server['package']}.{server['class']}",
        f"--port={port}",
        *([] if address == LOOPBACK else [f"--address={address}"]),
        *(
            f"--{name}={str(value).lower() if isinstance(value, bool) else value}"
            for name, value in options.items()
        ),
    ]


def watched(folder: Path = Path()) -> list[str]:
    """Options of a JVM that is watched, and leaves its files in the folder: by default its own."""
    return [
        f"-Xlog:gc:file={folder / 'gc.log'}:time,uptime,level,tags",
        *MEASURED_OPTIONS,
        # Tomcat leaves folders behind.
        f"-Djava.io.tmpdir={folder / TMP}",
    ]


def class_data(spec: dict[str, Any]) -> list[str]:
    """The archive of loaded classes that shortens the start; each runtime has its own."""
    prefix = spec["study"]["server"].get("class_data")
    if not prefix:
        return []
    return [f"-XX:SharedArchiveFile={ROOT / prefix}-{spec['mode'].get('jdk', 'jdk')}.jsa"]


def sampling(spec: dict[str, Any]) -> dict[str, Any]:
    """The clock of a cell's samples and its interval, where the kernel allows it."""
    if spec["mode"].get("kind") == "thread-each" and not spec.get("engine"):
        return TICKS
    return {key: spec["testbed"]["profiler"][key] for key in TICKS}


def start_of(folder: Path, spec: dict[str, Any], wanted: dict[str, Any]) -> str:
    """async-profiler's options."""
    options = f"event={wanted['event']},interval={wanted['interval_ms']}ms"
    if "allocation" in spec["profile"]:
        options += f",alloc={spec['testbed']['profiler']['allocation_kib']}k"
    return f"start,{options},jfr,file={folder / RECORDING}"


def events_of(file: Path) -> str:
    """JFR's options: no events but those that last, with no threshold (jcmd's manual)."""
    settings = [
        f"+jdk.{event}#{setting}"
        for event in WAITS
        for setting in ("enabled=true", "threshold=0ms", "stackTrace=false")
    ]
    return f"name={EVENTS} settings=none filename={file} {' '.join(settings)}"


def wrong_status(
    response: http.client.HTTPResponse, body: bytes, expected: int
) -> http.client.HTTPException:
    """With what a person needs to mend it: where it redirects to, and what it says."""
    place = f" to {place}" if (place := response.headers.get("Location")) else ""
    text = " ".join(body[:BODY_SHOWN].decode(errors="replace").split())
    said = f": {text}" if text else ""
    return http.client.HTTPException(f"status {response.status}{place}, not {expected}{said}")


class Server(Subject):
    """One server process. `port` is 0 until it listens."""

    # The profiler's path as the JVM sees it.
    profiler = PROFILER
    # The right answer to a request of ours; None: any body.
    expected_status = 200
    expected_body: bytes | None = None
    # Headers of the question whether it answers.
    ready_headers: Mapping[str, str] = MappingProxyType({})

    def __init__(
        self,
        argv: list[str],
        cpus: list[int],
        folder: Path,
        log: str = "server.log",
        environment: Mapping[str, str] | None = None,
        home: Path | None = None,
        address: str = LOOPBACK,
        start_limit_s: float | None = None,
        *,
        stdin: bool = False,
        group: Path | None = None,
    ) -> None:
        """`group`: a control group that it runs in and that goes with it."""
        self.log, self.address, self.group = folder / log, address, group
        argv = [*control_groups.entering(group), *argv] if group else argv
        (folder / TMP).mkdir(exist_ok=True)
        self.port = 0
        self.profiling: set[str] = set()
        started_s = time.monotonic()
        self.process = Process(argv, cpus, folder, log, environment, stdin=stdin, home=home)
        while not self.port and not self.has_given_up():
            late = time.monotonic() - started_s > (start_limit_s or START_LIMIT_S)
            if late or STOPPING.is_set():
                return
            time.sleep(0.005)
            self.port = self.listening()
        self.up_since_s = time.monotonic()
        self.start_up_s = self.up_since_s - started_s

    def has_given_up(self) -> bool:
        """Whether it will never listen."""
        return self.process.ended()

    def listening(self) -> int:
        """The port that it says it listens on; 0 before."""
        ready = re.search(rf"listening on {re.escape(self.address)}:(\d+)", self.log.read_text())
        return int(ready[1]) if ready else 0

    def why_silent(self) -> str:
        return "it did not start to listen"

    @property
    def jvm(self) -> int:
        """The process that is profiled, and that counts its threads."""
        return self.process.pid

    def ask(self, path: str, limit_s: float) -> bytes:
        connection = http.client.HTTPConnection(self.address, self.port, timeout=limit_s)
        try:
            connection.request("GET", path, headers=dict(self.ready_headers))
            response = connection.getresponse()
            body = response.read()
        finally:
            connection.close()
        if response.status != self.expected_status:
            raise wrong_status(response, body, self.expected_status)
        if self.expected_body not in (None, body):
            raise http.client.HTTPException(
                f"body {body[:BODY_SHOWN]!r}, not {self.expected_body!r}"
            )
        return body

    def threads_started(self) -> int | None:
        try:
            return jvm_counters.threads_started(self.jvm)
        except OSError:
            return None

    def carriers(self) -> int | None:
        """By their names in the kernel: an answer on a virtual thread needs one."""
        found = 0
        for name in Path(f"/proc/{self.jvm}/task").glob("*/comm"):
            with contextlib.suppress(OSError):
                found += name.read_text().startswith(CARRIER)
        return found

    def rows(self, path: str | None, limit_s: float) -> int | None:
        try:
            return int(self.ask(path, limit_s)) if path else None
        except (OSError, http.client.HTTPException):
            return None

    def counters(self, path: str | None, limit_s: float) -> dict[str, float]:
        try:
            return json.loads(self.ask(path, limit_s)) if path else {}
        except (OSError, http.client.HTTPException):
            return {}

    def prepare(self, spec: dict[str, Any]) -> None:
        """Threads that have their own class of the scheduler come with the first loads."""
        word = spec["mode"].get("scheduling")
        if word in scheduling.THREADS:
            scheduling.set_batch(self.jvm, word)

    def watch(self, path: str | None, limit_s: float, *, on: bool) -> None:
        if path:
            self.ask(f"{path}?on={str(on).lower()}", limit_s)

    def start_profile(self, folder: Path, spec: dict[str, Any]) -> None:
        self.profiling = {*spec["profile"]}
        if "events" in self.profiling:
            attach.command(self.jvm, f"JFR.start {events_of(folder / EVENTS)}")
        if not {"cpu", "allocation"} & self.profiling:
            return
        wanted = sampling(spec)
        try:
            attach.load_agent(self.jvm, self.profiler, start_of(folder, spec, wanted))
        except RuntimeError:
            if wanted == TICKS:
                raise
            attach.load_agent(self.jvm, self.profiler, start_of(folder, spec, TICKS))

    def end_profile(self) -> None:
        if {"cpu", "allocation"} & self.profiling:
            attach.load_agent(self.jvm, self.profiler, "stop")
        if "events" in self.profiling:
            attach.command(self.jvm, f"JFR.stop name={EVENTS}")

    def profile(self, folder: Path, spec: dict[str, Any]) -> dict[str, Any]:
        recording = folder / RECORDING
        if not recording.exists():
            return {"file": None}
        engine = re.search(rb"engine[^a-z]{1,4}([a-z_]+)", recording.read_bytes())
        named = engine[1].decode() if engine else "unknown"
        taken = TICKS if named == TICKS["event"] else sampling(spec)
        return {"engine": named, "file": recording.name} | taken

    def state(self, path: str, limit_s: float) -> tuple[str, str, bytes | None]:
        started_s = time.monotonic()
        while True:
            if self.process.ended():
                return "server_died", f"exit status {self.process.exit_status}", None
            try:
                return "completed", "", self.ask(path, limit_s)
            except ConnectionRefusedError as refusal:
                patience_s = REFUSED_LIMIT_S
                fault = ("refused", f"the port no longer accepts: {refusal}", None)
            except (OSError, http.client.HTTPException) as silence:
                patience_s = limit_s
                fault = ("hung", f"no right answer within {limit_s:g} s: {silence!r}", None)
            if time.monotonic() > started_s + patience_s:
                return fault
            time.sleep(0.1)

    def stop(self) -> None:
        self.process.stop(STOP_LIMIT_S)
        attach.forget(self.process.pid)
        if self.group:
            self.group.rmdir()
            self.group = None
