"""Tools: each is a module of its own, found by its name in a cell's path."""

from __future__ import annotations

import functools
import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast, runtime_checkable

from workloads.servers.subject import Subject

if TYPE_CHECKING:
    from workloads.tools import database_client, jmeter, overload, sweep, sysbench, wrk2

Spec = dict[str, Any]


class Tool(Protocol):
    """A load generator and its results. `LOOP`: closed or open."""

    LOOP: str

    def generator(self, spec: Spec) -> dict[str, str]:
        """Name and version. Raises FileNotFoundError where it is not installed."""

    def collect(self, spec: Spec, folder: Path, ran_s: tuple[float, float]) -> dict[str, Any]:
        """The `load` part of cell.json, from what a slice has left in its folder.

        `ran_s`: start and end of the generator, epoch seconds.
        """


class Started(Tool, Protocol):
    """A tool that is started for each slice, by a command line in its folder."""

    def command(self, spec: Spec, java: Path, subject: Subject) -> list[str]: ...


@runtime_checkable
class Driven(Tool, Protocol):
    """A tool that stays alive between slices: see driver.py.

    `A_DRIVER_FOR_EACH_MODE`: its JVM belongs to the mode; otherwise one loads all modes. `driver`
    is its command line, `fields` a line for a load, `short` the spec of a load to warm up by.
    """

    A_DRIVER_FOR_EACH_MODE: bool

    def driver(self, spec: Spec, java: Path) -> list[str]: ...

    def short(self, spec: Spec) -> Spec: ...

    def fields(self, spec: Spec, subject: Subject, folder: Path) -> list[str]: ...


@functools.cache
def tool_of(name: str) -> Started | Driven:
    module = importlib.import_module(f"workloads.tools.{name.replace('-', '_')}")
    return cast(Started | Driven, module)


if TYPE_CHECKING:
    STARTED: tuple[Started, ...] = (overload, sweep, sysbench, wrk2)
    DRIVEN: tuple[Driven, ...] = (database_client, jmeter)
