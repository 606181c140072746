"""A user-supplied server: what a mode's `command` starts, which speaks HTTP/1.1 on loopback.

Nothing builds it. It runs on the server's CPUs from its start, so that it counts those that it has
under load. It must stay in the foreground and listen on the port that it is given, on 127.0.0.1.
The JVM among its processes that listens, or else the first, is profiled by async-profiler; a server
without a JVM by perf.
"""

from __future__ import annotations

import contextlib
import ipaddress
import socket
from pathlib import Path
from typing import Any

import psutil

from profiles.watch.telemetry import children, jvm_of
from workloads.machine import provenance
from workloads.machine.testbed import LOOPBACK, Process
from workloads.servers import attach, perf
from workloads.servers.server import TMP, Server, watched


class UserServer(Server):
    """The processes of one command. `port` is 0 unless they listen there, and on loopback alone."""

    def __init__(self, mode: dict[str, Any], cpus: list[int], folder: Path, port: int) -> None:
        self.wanted = port
        self.expected_status = mode.get("expected_status", 200)
        if "expected_body" in mode:
            self.expected_body = mode["expected_body"].encode()
        # perf, while it records, and why there is no profile.
        self.recorder: Process | None = None
        self.no_profile = ""
        super().__init__(
            [filled(word, port) for word in mode["command"]],
            cpus,
            folder,
            environment=environment(mode, folder, port),
            home=provenance.user_home(mode),
        )
        listening = {pid: listeners(pid) for pid in self.pids()}
        self.places: set[tuple[str, int]] = set().union(*listening.values())
        # A build tool that starts the server may be a JVM, too.
        self.serving = [pid for pid, places in listening.items() if (LOOPBACK, port) in places]
        if (LOOPBACK, port) not in self.places or not all(map(is_loopback, self.places)):
            self.port = 0

    def pids(self) -> list[int]:
        return [self.process.pid, *children(self.process.pid)]

    def listening(self) -> int:
        """Its port, once a connection to it is accepted."""
        with contextlib.suppress(OSError), socket.create_connection((LOOPBACK, self.wanted), 1):
            return self.wanted
        return 0

    def why_silent(self) -> str:
        if self.process.ended():
            return f"its command ended with status {self.process.exit_status}"
        found = ", ".join(f"{address}:{port}" for address, port in sorted(self.places))
        wanted = f"it must listen on {LOOPBACK}:{self.wanted} and on loopback alone"
        return f"{wanted}; its processes listen on {found or 'no port'}"

    @property
    def jvm(self) -> int:
        return self.found_jvm() or self.process.pid

    def found_jvm(self) -> int | None:
        return jvm_of([*self.serving, *self.pids()])

    def carriers(self) -> None:
        """Not known: its first answer may be no request of a load's kind."""

    def start_profile(self, folder: Path, spec: dict[str, Any]) -> None:
        self.recorder, self.no_profile = None, ""
        try:
            if self.found_jvm():
                super().start_profile(folder, spec)
                return
            self.recorder = perf.record(self.pids(), [], folder)
            if not self.recorder:
                raise RuntimeError("no JVM is among its processes, and no perf on the PATH")
        except (OSError, RuntimeError) as fault:
            self.no_profile = str(fault)
            raise

    def end_profile(self) -> None:
        if self.recorder:
            self.recorder.stop(perf.STOP_LIMIT_S)
        elif not self.no_profile:
            super().end_profile()

    def profile(self, folder: Path, spec: dict[str, Any]) -> dict[str, Any]:
        found = perf.facts(folder) if self.recorder else super().profile(folder, spec)
        if found["file"]:
            return found
        return found | {"reason": self.no_profile or perf.said(folder)}

    def stop(self) -> None:
        if self.recorder:
            self.recorder.stop(perf.STOP_LIMIT_S)
        pids = self.pids()
        super().stop()
        for pid in pids:
            attach.forget(pid)


def filled(word: str, port: int) -> str:
    return word.replace("{port}", str(port))


def environment(mode: dict[str, Any], folder: Path, port: int) -> dict[str, str]:
    """The mode's variables, and the options that ours have on their command lines, for a JVM.

    Temporary files go with the session.
    """
    options = " ".join(f'"{each}"' for each in watched(folder))
    ours = {"TMPDIR": str(folder / TMP), "JAVA_TOOL_OPTIONS": options}
    asked = mode.get("environment", {})
    return ours | {name: filled(str(value), port) for name, value in asked.items()}


def listeners(pid: int) -> set[tuple[str, int]]:
    """Addresses and ports where a process waits for connections; none once it is gone."""
    found = set()
    with contextlib.suppress(psutil.Error):
        for each in psutil.Process(pid).net_connections("tcp"):
            if each.status == psutil.CONN_LISTEN:
                # A socket of both protocols shows an IPv4 address as part of an IPv6 one.
                found.add((each.laddr.ip.removeprefix("::ffff:"), each.laddr.port))
    return found


def is_loopback(place: tuple[str, int]) -> bool:
    return ipaddress.ip_address(place[0]).is_loopback
