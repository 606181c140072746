"""Requests to the simplest servers: what each costs at each rate, measured as cells are.

The servers are alive together, warm, and loaded one at a time in slices, in an order that is drawn,
by the generator, clocks and compilers' rule of the cells. A request costs several times as much at
a low rate as at a high one: the CPU was idle, must be woken, and its caches are cold. So each
operation is measured at the rates of the tiers.

None of these servers is a mode of a study, and no value comes from a cell: an operation next to a
request on one thread (a thread started, a task handed over, a sleep) is what it costs more than
the request without it.
"""

from __future__ import annotations

import contextlib
import logging
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from profiles.watch.speed import Speeds
from profiles.watch.telemetry import Telemetry, grown_between
from workloads.machine import provenance
from workloads.machine.testbed import Shares, free_port
from workloads.servers.server import Server, watched
from workloads.session.place import watch_speed
from workloads.session.warm_up import load_by_due, warm_up

logger = logging.getLogger("primitives")
JAR = provenance.ROOT / "servers/primitives/target/primitives.jar"
PRIMITIVES = ["-cp", str(JAR)]
TOMCAT = ["-cp", str(provenance.ROOT / "servers/spring/target/spring.jar")]
# The servers' heap, so that the collector and its rests are theirs.
HEAP = ["-Xms256m", "-Xmx256m", "-XX:+UseSerialGC"]
TELEMETRY_HZ = 10
CONNECTIONS = 500
# Short slices far apart meet the machine's faster and slower minutes better than a long one. Of a
# low rate one must do, since it takes longer: of 97 a second 78 requests.
SLICES, SLICE_S = 2, 0.3
LONG_SLICE_S, LONG_UP_TO_PER_S = 0.8, 400
LONGEST_SLICE_S, LONGEST_UP_TO_PER_S = 1.5, 20
WARM_UP_S = 0.1
WARM_UP = {
    "rate_per_s": 2500,
    "connections": 50,
    "burst_s": 0.2,
    "burst": {"path": "", "connections": 0},
    "compiler_share_at_most": 0.05,
    "requests_at_least": 8000,
}
# Limit of a server's warm-up over all of its paths. The compiler of Tomcat takes most of it.
WARM_UP_LIMIT_S = 26

Row = dict[str, Any]


@dataclass(frozen=True)
class Operation:
    """A load on one of the simplest servers, at each of its rates; see SERVERS for `server`."""

    primitive: str
    server: str
    rates_per_s: tuple[int, ...]
    path: str = "/"
    # A request over a connection that stays open; otherwise each has its own.
    keep_alive: bool = False
    connections: int = CONNECTIONS

    def slices(self) -> list[tuple[Operation, int, float]]:
        """Each of its slices: itself, the rate and the length, s."""
        found = []
        for rate_per_s in self.rates_per_s:
            if rate_per_s > LONG_UP_TO_PER_S:
                found += [(self, rate_per_s, SLICE_S)] * SLICES
            else:
                longest = rate_per_s <= LONGEST_UP_TO_PER_S
                found.append((self, rate_per_s, LONGEST_SLICE_S if longest else LONG_SLICE_S))
        return found


# With the HTTP clients of the Spring application.
ON_ONE_THREAD = ["-cp", f"{JAR}:{TOMCAT[1]}", "artifact.primitives.RequestOnOneThread"]
# The remote answers after 100 ms, on the generator's CPUs; its own cost is not counted.
REMOTE = [
    *("-cp", str(provenance.ROOT / "servers/sockets/target/sockets.jar")),
    "artifact.sockets.mode.EventLoop",
    "--backlog=4096",
]
REMOTE_PATH = "/work?sleep_ms=100&cpu_us=0"
SERVERS = {
    "one-thread": [*ON_ONE_THREAD, "--thread=platform"],
    "one-virtual-thread": [*ON_ONE_THREAD, "--thread=virtual"],
    "selector": [*PRIMITIVES, "artifact.primitives.RequestThroughSelector"],
    "tomcat": [*TOMCAT, "artifact.spring.Application"],
}
RATES_PER_S = (97, 397, 1999, 9973)
WAITING_RATES_PER_S = (97, 397, 1999)
CALL_RATES_PER_S = (11, 97)
SLEEP = "sleep_ms=100"
OPERATIONS = (
    Operation("request-on-one-thread", "one-thread", RATES_PER_S),
    Operation("request-through-selector", "selector", RATES_PER_S),
    *(
        Operation(f"{what}-beside-request", "one-thread", RATES_PER_S, f"/?beside={what}")
        for what in ("platform-thread", "pool", "virtual-thread")
    ),
    *(
        Operation(
            f"{what}-asleep-beside-request",
            "one-thread",
            WAITING_RATES_PER_S,
            f"/?beside={what}&{SLEEP}",
        )
        for what in ("platform-thread", "virtual-thread")
    ),
    *(
        Operation(
            f"{what}-call-beside-request", "one-thread", CALL_RATES_PER_S, f"/?beside={what}-call"
        )
        for what in ("platform-thread", "event-loop")
    ),
    Operation("statement-within-request", "one-thread", WAITING_RATES_PER_S, "/?within=statement"),
    # A pool of ten threads that sleep for 100 ms serves no more than a hundred requests a second.
    Operation("pool-asleep-beside-request", "one-thread", (97,), f"/?beside=pool&{SLEEP}"),
    Operation("timed-request-through-selector", "selector", WAITING_RATES_PER_S, f"/?{SLEEP}"),
    Operation("kept-request-on-one-thread", "one-thread", (9973,), "/", True, 1),
    Operation("kept-request-on-virtual-thread", "one-virtual-thread", (9973,), "/", True, 1),
    Operation("kept-request-through-selector", "selector", (9973,), "/", True, 10),
    Operation("tomcat-request", "tomcat", (11, 97, 397, 1999, 9973), "/ping", True),
)


@dataclass
class Cost:
    """The CPU time of a request without compilers, as cells count it, and its mean latency.

    None where nothing was answered. `probe_us`: CPU time of the speed probe's computation
    meanwhile; None where none finished.
    """

    cpu_us: float | None
    latency_us: float | None
    probe_us: float | None


class Requests:
    """The servers, alive together and warm."""

    def __init__(
        self,
        folder: Path,
        shares: Shares,
        seed: str,
        properties: list[str],
        secret: dict[str, str],
    ) -> None:
        """`properties` and `secret`: where the database is, for a statement within a request."""
        self.folder, self.random = folder, random.Random(seed)
        self.properties, self.secret = [*properties], secret
        self.server_cpus, self.generator_cpus = shares
        self.servers: dict[str, Server] = {}
        self.end = contextlib.ExitStack()
        self.speeds = Speeds([])

    def start(self, name: str, position: int, argv: list[str]) -> Server:
        folder = self.folder / name
        folder.mkdir()
        java, cpus = str(provenance.java()), len(self.server_cpus)
        options = [*HEAP, f"-XX:ActiveProcessorCount={cpus}", *watched(), *self.properties]
        argv = [java, *options, *argv, f"--port={free_port(position)}"]
        all_cpus = sorted({*self.server_cpus, *self.generator_cpus})
        server = Server(argv, all_cpus, folder, environment=self.secret)
        self.servers[name] = server
        if not server.port:
            raise RuntimeError(f"{name} did not start: {server.log.read_text()[-2000:]}")
        return server

    def warm(self, name: str) -> None:
        server = self.servers[name]
        loads = {(op.path, op.keep_alive) for op in OPERATIONS if op.server == name}
        plans = [
            # A sleep as long as a request takes: it is compiled, and none waits.
            {
                **WARM_UP,
                "path": path.replace("=100", "=1"),
                "keep_alive": kept,
                "limit_s": WARM_UP_LIMIT_S / len(loads),
            }
            for path, kept in sorted(loads)
        ]
        cpus = [*self.server_cpus, *self.generator_cpus]
        done = warm_up(server, plans, {"verify_path": plans[0]["path"]}, cpus, self.folder / name)
        logger.info("%s is warm: %s", name, done.record())

    def __enter__(self) -> Requests:
        try:
            remote = self.start("remote", len(SERVERS), REMOTE)
            remote.process.confine(self.generator_cpus)
            self.properties.append(f"-Dremote.url=http://127.0.0.1:{remote.port}{REMOTE_PATH}")
            for position, (name, argv) in enumerate(SERVERS.items()):
                self.start(name, position, argv)
            with ThreadPoolExecutor(len(SERVERS)) as pool:
                list(pool.map(self.warm, SERVERS))
            for name in SERVERS:
                self.servers[name].process.confine(self.server_cpus)
            self.speeds = watch_speed(self.server_cpus, self.folder, self.end)
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        self.end.close()
        for server in self.servers.values():
            server.stop()

    def costs(self) -> Iterator[tuple[str, int, Cost]]:
        """(primitive, rate a second, what a request cost), slice by slice."""
        slices = [each for operation in OPERATIONS for each in operation.slices()]
        self.random.shuffle(slices)
        logger.info("%d slices", len(slices))
        for operation, rate_per_s, length_s in slices:
            cost = self.one_request(operation, rate_per_s, length_s)
            yield operation.primitive, rate_per_s, cost

    def one_request(self, operation: Operation, rate_per_s: int, length_s: float) -> Cost:
        server = self.servers[operation.server]
        telemetry = Telemetry(
            server.process.pid, server.port, self.server_cpus, TELEMETRY_HZ, gives_way=True
        )
        telemetry.start()
        try:
            load = self.load(server, operation, rate_per_s, length_s)
        finally:
            telemetry.stop()
        start_s, end_s = load["start_epoch_s"], load["end_epoch_s"]
        used_s, compiled_s = (
            grown_between(telemetry.samples, key, start_s, end_s)
            for key in ("server_cpu_s", "compiler_cpu_s")
        )
        answers = load["delivered_per_s"] * (end_s - start_s)
        return Cost(
            cpu_us=1e6 * (used_s - compiled_s) / answers if answers else None,
            latency_us=load["latency_us"]["corrected"]["mean"],
            probe_us=self.speeds.of(self.server_cpus, start_s, end_s).probe_us,
        )

    def load(
        self, server: Server, operation: Operation, rate_per_s: int, length_s: float
    ) -> dict[str, Any]:
        """The report of the project's own generator."""
        url = f"http://127.0.0.1:{server.port}{operation.path}"
        asked = {
            "rate_per_s": rate_per_s,
            "duration_s": length_s,
            "connections": operation.connections,
            "keep_alive": operation.keep_alive,
        }
        name, more = f"load of {operation.primitive}", ("--warm-up", f"{WARM_UP_S}s")
        return load_by_due(name, asked, url, self.generator_cpus, self.folder, 60, *more)
