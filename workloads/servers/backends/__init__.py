"""Backends: what a server under test depends on, each a module that is found by its name.

A backend is a process of its own on this machine, started before the server and stopped after it.
Its module has one function,

    start(spec, java, cpus, folder, position) -> Backend

which returns when the backend answers and raises RuntimeError, with the end of its log, when it
does not come up. `spec` is the cell's; what config.yaml says of the backend is spec["backend"].
A server that depends on several has one that is watched, the first, and `others` that go with it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from workloads.machine.testbed import Process

# How far a backend's place among the ports is from that of the server of its cell.
PORTS_APART = 1000


@dataclass
class Backend:
    """A running backend, and the options and environment by which a server reaches it."""

    process: Process
    options: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    others: list[Backend] = field(default_factory=list)
    # Whether all servers of a session depend on this one, which ends with the session.
    shared: bool = False

    def add(self, other: Backend) -> None:
        self.others.append(other)
        self.options += other.options
        self.environment |= other.environment

    def processes(self) -> list[Process]:
        return [self.process, *(other.process for other in self.others)]

    def stop(self) -> None:
        for other in self.others:
            other.stop()
        self.end()

    def end(self) -> None:
        self.process.stop(5)
