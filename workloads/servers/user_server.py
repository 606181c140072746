"""A user-supplied server: what a mode's `command` starts, which speaks HTTP/1.1 on loopback.

Nothing builds it. It runs on the server's CPUs from its start, so that it counts those that it has
under load. It must listen on the port that it is given, where 127.0.0.1 reaches it. The process
that listens there is measured, also where an engine or another session has started it. The JVM
among its processes that listens, or else the first, is profiled.
"""

from __future__ import annotations

import contextlib
import os
import re
import socket
import time
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import psutil

from profiles.watch.telemetry import children, jvm_of
from workloads.machine import environment as environment_of
from workloads.machine import provenance
from workloads.machine.testbed import LOOPBACK, Process, described
from workloads.servers import attach
from workloads.servers.listening import (
    Found,
    end_all,
    holders,
    listeners,
    marked,
    root_of,
    since_boot_s,
    why_not_measured,
)
from workloads.servers.server import (
    PROFILER,
    RECORDING,
    STOP_LIMIT_S,
    TMP,
    Server,
    watched,
)

# Stands for a variable of the caller, as in workloads/scripts/requests.lua.
SECRET = re.compile(r"\{env:(\w+)\}")
# How long a process that goes to the background may take to leave the group of its parent.
LEAVING_S = 2.0
# How long a command that ends a server may take.
STOP_COMMAND_LIMIT_S = 30


class UserServer(Server):
    """The processes of one command, or the one that it has started to listen on the port.

    `port` is 0 unless these can be measured; `why` then says what is in the way.
    """

    def __init__(
        self,
        mode: dict[str, Any],
        cpus: list[int],
        folder: Path,
        port: int,
        more: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """`more`: further words in braces that its command may have."""
        self.mode, self.wanted, self.cpus = mode, port, cpus
        self.expected_status = mode.get("expected_status", 200)
        if "expected_body" in mode:
            self.expected_body = mode["expected_body"].encode()
        self.client_environment = environment_of.secrets(mode.get("secrets", ()))
        self.ready_headers = {
            name: SECRET.sub(lambda found: self.client_environment[found[1]], str(value))
            for name, value in mode.get("ready_headers", {}).items()
        }
        # Why there is no profile.
        self.no_profile = self.why = ""
        # A folder in the container of its JVM, if it is in one, and the folder of a profile.
        self.inside: attach.Inside | None = None
        self.profiles_in = folder
        # When the command was first seen to have ended; 0 before.
        self.left_s = 0.0
        self.words = words_of(mode.get("id", "backend"), port, cpus) | dict(more)
        self.folder, self.begun_s = folder, since_boot_s()
        super().__init__(
            [filled(word, self.words) for word in mode["command"]],
            cpus,
            folder,
            environment=environment(mode, folder, self.words),
            home=provenance.user_home(mode),
            start_limit_s=mode.get("start_limit_s"),
            # A server that ends with its standard input has one that stays open.
            stdin=True,
        )
        self.command = self.process
        if self.port:
            self.find()
        listening = {pid: listeners(pid) for pid in self.pids()}
        self.places: set[tuple[str, int]] = set().union(*listening.values())
        # A build tool that starts the server may be a JVM, too.
        self.serving = [
            pid for pid, places in listening.items() if port in {port for _, port in places}
        ]

    def find(self) -> None:
        """Takes the process that listens for the server, if the command is not an ancestor."""
        pids = holders(self.wanted)
        if not self.process.ended() and {*pids} & {*self.pids()}:
            return
        try:
            self.why = why_not_measured(pids, self.wanted, self.begun_s)
            if not self.why:
                root = root_of(pids[0], self.begun_s)
                self.process = Found(root, self.command, self.cpus)
        except psutil.NoSuchProcess as ended:
            self.why = f"process {ended.pid}, which listened on port {self.wanted}, has ended"
        except OSError as fault:
            self.why = (
                f"{described(pids[0])} cannot be placed on CPU {self.words['cpus']} "
                f"({fault.strerror}): put {{cpus}} into its command, or run as root"
            )
        if self.why:
            self.port = 0

    def pids(self) -> list[int]:
        return [self.process.pid, *children(self.process.pid)]

    def has_given_up(self) -> bool:
        """A command that ends well may have left the server in the background.

        What it has left may still be in its group, which ends with it: it gets time to leave.
        """
        ends = os.WEXITED | os.WNOHANG | os.WNOWAIT
        if self.process.exit_status is None and os.waitid(os.P_PID, self.process.pid, ends):
            self.left_s = self.left_s or time.monotonic()
            if time.monotonic() < self.left_s + LEAVING_S and marked(self.mark()):
                return False
        if not self.process.ended():
            return False
        left = "stop" in self.mode or bool(marked(self.mark()))
        return self.process.exit_status != 0 or not left

    def mark(self) -> str:
        """A text in the environment of every process that the command starts."""
        return str(self.folder / TMP)

    def listening(self) -> int:
        """Its port, once a connection to it is accepted."""
        with contextlib.suppress(OSError), socket.create_connection((LOOPBACK, self.wanted), 1):
            return self.wanted
        return 0

    def why_silent(self) -> str:
        if self.why:
            return self.why
        if self.process.ended():
            return f"its command ended with status {self.process.exit_status}"
        found = ", ".join(f"{address}:{port}" for address, port in sorted(self.places))
        wanted = f"it must listen on port {self.wanted} where {LOOPBACK} reaches it"
        return f"{wanted}; its processes listen on {found or 'no port'}"

    @property
    def jvm(self) -> int:
        return self.found_jvm() or self.process.pid

    def found_jvm(self) -> int | None:
        return jvm_of([*self.serving, *self.pids()])

    def carriers(self) -> None:
        """Not known: its first answer may be no request of a load's kind."""

    def start_profile(self, folder: Path, spec: dict[str, Any]) -> None:
        self.no_profile = ""
        try:
            jvm = self.found_jvm()
            if not jvm:
                raise RuntimeError("no JVM is among its processes")
            self.inside, self.profiles_in = attach.inside(jvm), folder
            if self.inside:
                self.profiler, folder = self.inside.put(PROFILER), self.inside.folder
            super().start_profile(folder, spec)
        except (OSError, RuntimeError) as fault:
            self.no_profile = str(fault)
            raise

    def end_profile(self) -> None:
        if self.no_profile:
            return
        super().end_profile()
        if self.inside:
            self.inside.fetch(RECORDING, self.profiles_in)

    def profile(self, folder: Path, spec: dict[str, Any]) -> dict[str, Any]:
        found = super().profile(folder, spec)
        if found["file"]:
            return found
        return found | {"reason": self.no_profile or "there is no recording"}

    def stop(self) -> None:
        if self.inside:
            self.inside.remove()
        pids = self.pids()
        if "stop" in self.mode:
            argv = [filled(word, self.words) for word in self.mode["stop"]]
            there, home = self.command.environment, provenance.user_home(self.mode)
            ending = Process(argv, self.cpus, self.folder, "stop.log", there, home=home)
            ending.finish(STOP_COMMAND_LIMIT_S)
        super().stop()
        end_all(marked(self.mark()), STOP_LIMIT_S)
        for pid in pids:
            attach.forget(pid)


def words_of(name: str, port: int, cpus: list[int]) -> dict[str, str]:
    """The values of {port}, {cpus} and {name} in a command; the name is no other server's."""
    return {"port": str(port), "cpus": ",".join(map(str, cpus)), "name": f"own-{name}-{port}"}


def filled(word: str, words: dict[str, str]) -> str:
    for name, value in words.items():
        word = word.replace(f"{{{name}}}", value)
    return word


def environment(mode: dict[str, Any], folder: Path, words: dict[str, str]) -> dict[str, str]:
    """The mode's variables, and the options that ours have on their command lines, for a JVM.

    Temporary files go with the session.
    """
    options = " ".join(f'"{each}"' for each in watched(folder))
    ours = {"TMPDIR": str(folder / TMP), "JAVA_TOOL_OPTIONS": options}
    asked = mode.get("environment", {})
    if "JAVA_TOOL_OPTIONS" in asked:
        # The JVM takes the later of two values of one option.
        asked = asked | {"JAVA_TOOL_OPTIONS": f"{options} {asked['JAVA_TOOL_OPTIONS']}"}
    return ours | {name: filled(str(value), words) for name, value in asked.items()}
