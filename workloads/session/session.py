"""A session: the servers of a comparison and their generators, alive together."""

import contextlib
import random
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from profiles.watch.terminal import say
from workloads.experiment.plan import Name, Plan
from workloads.machine import provenance
from workloads.machine.testbed import Shares, topology
from workloads.record import cell_folder
from workloads.servers import server
from workloads.session.place import Place, watch_speed
from workloads.session.start import NotAnswering, start
from workloads.session.until_decided import Bands
from workloads.tools.driver import Driver
from workloads.tools.generator_host import GeneratorHost, HostError
from workloads.tools.tool import Driven, tool_of

# Sessions take turns over the ports, so that none meets its predecessor's TIME_WAIT.
FIRST_PORTS = 10_000
# Packages of servers that can listen elsewhere than on loopback.
REACHABLE = ("artifact.sockets", "artifact.spring")


class Session:
    """The processes of a session and what is common to its cells.

    `where` the generator is, if not here: generator_host, server_address.
    """

    def __init__(
        self,
        plan: Plan,
        path: str,
        names: list[Name],
        folder: Path,
        shares: Shares,
        where: Mapping[str, Any] | None = None,
    ) -> None:
        self.plan, self.names, self.folder = plan, names, folder
        self.seed = f"{plan.seed}/{path}"
        self.random = random.Random(self.seed)
        self.topology = topology(shares)
        self.started = datetime.now(UTC)
        self.end = contextlib.ExitStack()
        # A child dies with the thread that started it (prctl(2), PR_SET_PDEATHSIG): these stay.
        self.threads = ThreadPoolExecutor(len(plan.modes))
        self.end.callback(self.threads.shutdown, cancel_futures=True)
        # A server that is not ready when the session ends is waited for no longer.
        server.STOPPING.clear()
        self.end.callback(server.STOPPING.set)
        speeds = watch_speed(shares[0], folder, self.end)
        self.place = Place(*shares, speeds)
        self.end.callback(self.place.close)
        if where:
            self.place.generator = host_of(plan, where, folder, self.place.generator_cpus)
            self.end.callback(self.place.generator.close)
        self.topology |= self.place.generator.facts()
        self.drivers: dict[str, Driver] = {}
        # Modes that did not come up, with why: they are not started again.
        self.silent: dict[str, NotAnswering] = {}
        # The `sweep` part of these cells' records.
        self.sweeps: dict[Name, dict[str, Any]] = {}
        # The `overload` part of these records, by the path of their tier.
        self.capacities: dict[str, dict[str, Any]] = {}
        # Bands of its only cell's ratio, which decides when rounds end; None: as configured.
        self.bands: Bands | None = None

    def spec(self, name: Name) -> dict[str, Any]:
        return self.plan.spec(name)

    def names_of(self, mode: str) -> list[Name]:
        """All cells of a mode, measured in this run or not."""
        return [name for name in self.plan.names() if name.mode == mode]

    def start(self, mode: str) -> None:
        folder = cell_folder.fresh(self.folder / mode)
        position = random.Random(f"{self.seed}/{folder.name}").randrange(FIRST_PORTS)
        spec = self.spec(self.names_of(mode)[0])
        self.place.alive[mode] = start(spec, folder, position, self.place)

    def start_all(self, modes: list[str], *, in_order: bool = False) -> None:
        """Starts them side by side, or one after the other in drawn order.

        Those that do not come up are in `silent` afterwards.
        """

        def start(mode: str) -> None:
            try:
                self.start(mode)
            except NotAnswering as fault:
                self.silent[mode] = fault
                say(str(fault))

        if in_order:
            for mode in self.random.sample(modes, len(modes)):
                self.threads.submit(start, mode).result()
                # Without one there is nothing to compare the others with.
                if mode in self.silent:
                    return
            return
        list(self.threads.map(start, modes))

    def stop(self, mode: str) -> None:
        live = self.place.alive.pop(mode, None)
        if live is None:
            return
        if mode in self.drivers:
            self.drivers.pop(mode).stop()
        live.subject.stop()
        if live.backend and not live.backend.shared:
            live.backend.stop()

    def driver(self, name: Name) -> Driver | None:
        """A driven generator: one for the session, or one for each mode; None for other tools."""
        tool = tool_of(name.tool)
        if not isinstance(tool, Driven):
            return None
        key = name.mode if tool.A_DRIVER_FOR_EACH_MODE else name.tool
        driver = self.drivers.get(key)
        if driver is None or driver.process.ended():
            secret: Mapping[str, str] = {}
            if tool.A_DRIVER_FOR_EACH_MODE:
                secret = self.place.alive[name.mode].subject.client_environment
            folder = cell_folder.fresh(self.folder / f"driver-{key}")
            argv = tool.driver(self.spec(name), provenance.java())
            driver = self.drivers[key] = Driver(argv, self.place.generator, folder, secret)
            self.end.callback(driver.stop)
            driver.wait_until_ready()
        return driver

    def close(self) -> None:
        for mode in list(self.place.alive):
            self.stop(mode)
        self.end.close()


def is_judged(session: Session) -> bool:
    """Whether it measures one cell, until that is decided."""
    return session.bands is not None


def host_of(plan: Plan, where: Mapping[str, Any], folder: Path, near: list[int]) -> GeneratorHost:
    """Another machine for the generator. Raises HostError where it cannot reach every server."""
    for name in plan.names():
        spec = plan.spec(name)
        package = spec["study"].get("server", {}).get("package", "")
        if spec["engine"] or "command" in spec["mode"] or not package.startswith(REACHABLE):
            raise HostError(f"testbed.generator_host: {name.mode} listens on 127.0.0.1 only")
    return GeneratorHost(where, {name.tool for name in plan.names()}, folder, near)
