"""The primitives' runner: what the parts of serving a request cost here, each measured alone.

Three kinds of figures, in two tables: JMH's benchmarks and requests to the simplest servers go to
the first (a row per fork: interval and mean are the analysis's), memory by kind and number of
threads to the second. All JVMs run on the server's CPUs, as servers do; what loads one from
outside runs on the generator's.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import json
import logging
import re
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from profiles.watch.telemetry import cpu_clock
from workloads import provenance
from workloads.databases import DATABASE, USER
from workloads.databases.data import Data
from workloads.databases.mariadb import MariaDB
from workloads.run_session import check_alone
from workloads.server import TMP, Server
from workloads.slices import finish
from workloads.testbed import (
    Process,
    alone_on_the_machine,
    cpu_shares,
    free_port,
    stop_with_our_requester,
)
from workloads.tools import wrk2

logger = logging.getLogger("primitives")
JAR = provenance.ROOT / "servers/primitives/target/primitives.jar"
TOMCAT = provenance.ROOT / "servers/tomcat/target/tomcat.jar"
# As the servers have it, so that the collector and its rests are theirs.
HEAP = ["-Xms256m", "-Xmx256m", "-XX:+UseSerialGC"]
# What differs from JVM to JVM is more than what differs within one, so that forks count and not
# the length of a fork. By 0.3 s all of these loops are compiled; 0.6 s is sixty of the ticks
# in which the process's CPU time is counted.
JMH_TIMES = ["-wi", "3", "-i", "3", "-r", "200ms"]
WARM_UP_EACH = "100ms"
# A driver's code for making a connection is large and runs some hundred times a second.
WARM_UP_EACH_ON_A_DATABASE = "700ms"
# Two threads that hand over on one CPU: elsewhere they would both run.
ON_ONE_CPU = "contextSwitch"
ON_A_DATABASE = "Database"
CLIENTS_OF_THE_DATABASE = "4"
KINDS = ("platform", "virtual")
THREADS = (50, 500, 5000, 10000)
COST_COLUMNS = ("primitive", "rate_per_s", "statistic", "fork", "value", "unit")
MEMORY_COLUMNS = (
    "kind",
    "threads",
    "rss_bytes",
    "nmt_thread_reserved_bytes",
    "nmt_thread_committed_bytes",
    "heap_bytes",
)

Row = dict[str, Any]


def of_its_thread_ns(server: Server) -> int:
    """What the one thread says that it has used."""
    return int(server.ask("/cpu", 10))


def but_for_compilers_ns(server: Server) -> int:
    """CPU time of a JVM less that of its compilers, which the kernel counts in ticks."""
    process = psutil.Process(server.process.pid)
    used_ns = time.clock_gettime_ns(cpu_clock(process.pid))
    compiling_s = sum(
        thread.user_time + thread.system_time
        for thread in process.threads()
        if " CompilerThre" in Path(f"/proc/{process.pid}/task/{thread.id}/comm").read_text()
    )
    return used_ns - round(compiling_s * 1e9)


@dataclass(frozen=True)
class Subject:
    """A server that is loaded from outside: what starts it, how it is asked, how its CPU is read.

    A request costs the more the rarer it is, for what it needs has left the caches: `rates_per_s`
    go from the lowest of the tiers to the highest.
    """

    primitive: str
    argv: list[str]
    path: str
    keep_alive: bool
    rates_per_s: tuple[int, ...]
    load_s: int
    warm_up: Row
    cpu_ns: Callable[[Server], int]


SUBJECTS = (
    Subject(
        primitive="request-on-one-thread",
        argv=["-cp", str(JAR), "artifact.primitives.RequestOnOneThread"],
        path="/jmeter/test",
        keep_alive=False,
        rates_per_s=(199, 997, 9973),
        load_s=1,
        warm_up={"rate_per_s": 12000, "duration_s": 1.5, "connections": 4},
        cpu_ns=of_its_thread_ns,
    ),
    # The smallest request to Tomcat and Spring, which hand it to a pool.
    Subject(
        primitive="tomcat-request",
        # A compiler's thread that ends would take its CPU time with it.
        argv=[
            "-XX:-UseDynamicNumberOfCompilerThreads",
            "-cp",
            str(TOMCAT),
            "artifact.tomcat.Application",
        ],
        path="/ping",
        keep_alive=True,
        rates_per_s=(199, 1999),
        load_s=2,
        warm_up={"rate_per_s": 4000, "duration_s": 3, "connections": 4},
        cpu_ns=but_for_compilers_ns,
    ),
)


class Testbed:
    """The machine's shares and the folder in which everything leaves its files."""

    def __init__(self, folder: Path, forks: int) -> None:
        self.folder = folder
        self.forks = forks
        self.java = str(provenance.java())
        self.server_cpus, self.generator_cpus = cpu_shares()

    def run(
        self,
        argv: list[str],
        cpus: list[int],
        log: str,
        limit_s: float,
        environment: dict[str, str] | None = None,
    ) -> None:
        """Runs a program to its end. Raises RuntimeError with what it said if it fails."""
        process = Process(argv, cpus, self.folder, log, environment)
        finish(process, limit_s)
        if process.exit_status != 0:
            said = (self.folder / log).read_text(errors="replace")[-2000:]
            raise RuntimeError(f"{argv[0]}: exit status {process.exit_status}: {said}")


def jmh_costs(testbed: Testbed) -> Iterator[Row]:
    """Wall and CPU time of every JMH benchmark."""
    elsewhere = f"{ON_ONE_CPU}|{ON_A_DATABASE}"
    yield from benchmark(testbed, ["-e", elsewhere], testbed.server_cpus)
    yield from benchmark(testbed, [ON_ONE_CPU], testbed.server_cpus[:1])
    # As in a cell: client and database have CPUs of their own, and the database always has work.
    database = MariaDB({}, testbed.server_cpus, testbed.folder, testbed.forks + 1, "database.log")
    try:
        data = Data()
        for statement in data.statements(database.dialect):
            database.query(statement)
        properties = {
            "server.pid": database.process.pid,
            "database.url": f"jdbc:mariadb://127.0.0.1:{database.port}/{DATABASE}?sslMode=disable",
            "database.user": USER,
            "database.rows": data.rows,
        }
        options = " ".join(f"-D{name}={value}" for name, value in properties.items())
        words = [ON_A_DATABASE, "-t", CLIENTS_OF_THE_DATABASE, "-jvmArgsAppend", options]
        secret = {"DATABASE_PASSWORD": database.password}
        cpus, warm_up = testbed.generator_cpus, WARM_UP_EACH_ON_A_DATABASE
        yield from benchmark(testbed, words, cpus, warm_up, secret)
    finally:
        database.stop()


def benchmark(
    testbed: Testbed,
    words: list[str],
    cpus: list[int],
    warm_up: str = WARM_UP_EACH,
    environment: dict[str, str] | None = None,
) -> Iterator[Row]:
    """Runs the benchmarks that JMH's own words name or exclude."""
    argv = [
        *(testbed.java, *HEAP, "-Djmh.ignoreLock=true"),
        *("--sun-misc-unsafe-memory-access=allow", "-cp", str(JAR), "org.openjdk.jmh.Main"),
        *(*words, "-bm", "avgt", "-tu", "us", "-f", str(testbed.forks), *JMH_TIMES, "-w", warm_up),
        *("-prof", "artifact.primitives.ProcessCpu", "-foe", "true"),
        *("-rf", "json", "-rff", "jmh.json"),
    ]
    testbed.run(argv, cpus, "jmh.log", limit_s=300, environment=environment)
    yield from jmh_rows(json.loads((testbed.folder / "jmh.json").read_text()))


def jmh_rows(benchmarks: list[dict[str, Any]]) -> Iterator[Row]:
    """A row per benchmark, statistic and fork, from JMH's JSON; a fork's figure is its mean."""
    for benchmark in benchmarks:
        figures = {
            "wall": benchmark["primaryMetric"],
            "cpu": benchmark["secondaryMetrics"]["cpu"],
        }
        if "server" in benchmark["secondaryMetrics"]:
            figures["server"] = benchmark["secondaryMetrics"]["server"]
        for statistic, metric in figures.items():
            for fork, iterations in enumerate(metric["rawData"], start=1):
                value_us = statistics.fmean(iterations)
                yield cost_row(primitive_id(benchmark["benchmark"]), "", statistic, fork, value_us)


def primitive_id(benchmark: str) -> str:
    """`artifact.primitives.ThreadStart.platformThreadStart` → `platform-thread-start`."""
    return re.sub("([A-Z])", r"-\1", benchmark.rsplit(".", 1)[-1]).lower()


def cost_row(primitive: str, rate_per_s: Any, statistic: str, fork: int, value_us: float) -> Row:
    row = (primitive, rate_per_s, statistic, fork, f"{value_us:.4f}", "us")
    return dict(zip(COST_COLUMNS, row, strict=True))


def request_costs(testbed: Testbed) -> Iterator[Row]:
    """A request to the simplest servers, at each rate: CPU time and latency."""
    for subject, fork in itertools.product(SUBJECTS, range(1, testbed.forks + 1)):
        # Tomcat leaves folders behind.
        argv = [testbed.java, *HEAP, f"-Djava.io.tmpdir={TMP}"]
        argv += [*subject.argv, f"--port={free_port(fork)}"]
        server = Server(argv, testbed.server_cpus, testbed.folder)
        try:
            if not server.port:
                raise RuntimeError(f"the server did not start: {server.log.read_text()[-2000:]}")
            load(testbed, subject, server, subject.warm_up)
            for rate_per_s in subject.rates_per_s:
                cpu_us, latency_us = one_request(testbed, subject, server, rate_per_s)
                yield cost_row(subject.primitive, rate_per_s, "cpu", fork, cpu_us)
                yield cost_row(subject.primitive, rate_per_s, "latency", fork, latency_us)
        finally:
            server.stop()


def one_request(
    testbed: Testbed, subject: Subject, server: Server, rate_per_s: int
) -> tuple[float, float]:
    """CPU time and mean latency of a request at this rate, µs."""
    before_ns = subject.cpu_ns(server)
    plan = {"rate_per_s": rate_per_s, "duration_s": subject.load_s, "connections": 100}
    result = load(testbed, subject, server, plan)
    grown_ns = subject.cpu_ns(server) - before_ns
    return grown_ns / 1000 / result["requests"]["completed"], result["latency_us"]["corrected"][
        "mean"
    ]


def load(testbed: Testbed, subject: Subject, server: Server, plan: Row) -> dict[str, Any]:
    """What the project's own generator saw."""
    url = f"http://127.0.0.1:{server.port}{subject.path}"
    asked = plan | {"keep_alive": subject.keep_alive}
    argv = wrk2.due_command(asked, url, "--json", "load.json")
    testbed.run(argv, testbed.generator_cpus, "load.log", limit_s=60)
    seen: dict[str, Any] = json.loads((testbed.folder / "load.json").read_text())
    return seen


def thread_memory(testbed: Testbed) -> Iterator[Row]:
    """Memory that waiting threads hold, each kind and number in a JVM of its own."""
    for kind in KINDS:
        for threads in THREADS:
            argv = [
                *(testbed.java, *HEAP, "-XX:+AlwaysPreTouch"),
                *("-XX:NativeMemoryTracking=summary", "-cp", str(JAR)),
                *("artifact.primitives.ThreadMemory", kind, str(threads)),
            ]
            try:
                testbed.run(argv, testbed.server_cpus, "memory.log", limit_s=60)
            except RuntimeError as forbidden:
                # So many are more than this machine lets a process have: there is no figure.
                logger.warning("%s threads, %d: %s", kind, threads, forbidden)
                continue
            yield memory_row((testbed.folder / "memory.log").read_text())


def memory_row(printed: str) -> Row:
    """The last line is the program's row; the JVM may warn before it."""
    return dict(zip(MEMORY_COLUMNS, printed.split()[-1].split(","), strict=True))


def write(path: Path, columns: tuple[str, ...], rows: list[Row]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--costs", type=Path, required=True, help="table of costs to write (CSV)")
    parser.add_argument("--memory", type=Path, required=True, help="table of memory to write (CSV)")
    parser.add_argument("--forks", type=int, default=3, help="JVMs for each cost (default: 3)")
    parser.add_argument("--held", required=True, help="cores held and cores there are, as 4/4")
    parser.add_argument("--log", type=Path, required=True)
    return parser.parse_args()


def main() -> None:
    options = arguments()
    check_alone(options.held)
    options.log.parent.mkdir(parents=True, exist_ok=True)
    logging.basicConfig(filename=options.log, filemode="w", level=logging.INFO)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped by SIGTERM"))
    stop_with_our_requester()
    with alone_on_the_machine(), tempfile.TemporaryDirectory() as folder:
        testbed = Testbed(Path(folder), options.forks)
        costs = [*jmh_costs(testbed), *request_costs(testbed)]
        memory = list(thread_memory(testbed))
    write(options.costs, COST_COLUMNS, costs)
    write(options.memory, MEMORY_COLUMNS, memory)


if __name__ == "__main__":
    main()
