"""The primitives' runner: what the parts of serving a request cost here, each measured alone.

Costs: JMH's benchmarks, and requests to the simplest servers (request_primitives.py). Memory: by
kind and number of waiting threads. All JVMs run on the server's CPUs, as servers do; what loads one
from outside runs on the generator's. A table that is there stays while the programs are the same,
as cells do; to measure it again delete it.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import logging
import re
import signal
import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from workloads.machine import environment, provenance
from workloads.machine.testbed import (
    Process,
    alone_on_the_machine,
    cpu_shares,
    stop_with_our_requester,
)
from workloads.servers.databases import DATABASE, USER
from workloads.servers.databases.data import Data
from workloads.servers.databases.mariadb import MariaDB
from workloads.session.request_primitives import HEAP, JAR, Requests
from workloads.session.run_session import check_alone

logger = logging.getLogger("primitives")
# By 0.3 s all of these loops are compiled; 0.6 s is sixty of the ticks in which the process's CPU
# time is counted.
JMH_TIMES = ["-wi", "3", "-i", "3", "-r", "200ms"]
WARM_UP_EACH = "100ms"
# A driver's code for making a connection is large and runs some hundred times a second.
WARM_UP_EACH_ON_A_DATABASE = "700ms"
ON_A_DATABASE = "Database"
CLIENTS_OF_THE_DATABASE = "4"
KINDS = ("platform", "virtual")
THREADS = (50, 500, 5000, 10000)
COST_COLUMNS = ("primitive", "rate_per_s", "statistic", "value", "unit", "probe_us")
# Programs that are measured.
FINGERPRINTS = [
    provenance.ROOT / f"servers/{name}/target/{name}.jar.sha256"
    for name in ("primitives", "sockets", "spring")
]
# Decides the order of slices.
SEED = "1"
MEMORY_COLUMNS = (
    "kind",
    "threads",
    "rss_bytes",
    "nmt_thread_reserved_bytes",
    "nmt_thread_committed_bytes",
    "heap_bytes",
)

Row = dict[str, Any]


class Testbed:
    """The machine's shares and the folder in which everything leaves its files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.java, self.shares = str(provenance.java()), cpu_shares()

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
        process.finish(limit_s)
        if process.exit_status != 0:
            said = (self.folder / log).read_text(errors="replace")[-2000:]
            raise RuntimeError(f"{argv[0]}: exit status {process.exit_status}: {said}")


def costs(testbed: Testbed) -> Iterator[Row]:
    """All of them. Client and database have CPUs of their own, as in a cell."""
    server_cpus, generator_cpus = testbed.shares
    database = MariaDB({}, server_cpus, testbed.folder, 1, "database.log")
    try:
        data = Data()
        for statement in data.statements(database.dialect):
            database.query(statement)
        url = f"jdbc:mariadb://127.0.0.1:{database.port}/{DATABASE}?sslMode=disable"
        named = {"url": url, "user": USER, "rows": data.rows}
        properties = [f"-Ddatabase.{name}={value}" for name, value in named.items()]
        secret = {"DATABASE_PASSWORD": database.password}
        options = " ".join([*properties, f"-Dserver.pid={database.process.pid}"])
        # So many clients that the database always has work.
        words = [ON_A_DATABASE, "-t", CLIENTS_OF_THE_DATABASE, "-jvmArgsAppend", options]
        with Requests(testbed.folder, testbed.shares, SEED, properties, secret) as requests:
            for primitive, rate_per_s, cost in requests.costs():
                for statistic, value_us in (("cpu", cost.cpu_us), ("latency", cost.latency_us)):
                    yield cost_row(primitive, rate_per_s, statistic, value_us, cost.probe_us)
        yield from benchmark(testbed, words, generator_cpus, WARM_UP_EACH_ON_A_DATABASE, secret)
    finally:
        database.stop()
    yield from benchmark(testbed, ["-e", ON_A_DATABASE], server_cpus)


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
        *(*words, "-bm", "avgt", "-tu", "us", "-f", "1", *JMH_TIMES, "-w", warm_up),
        *("-prof", "artifact.primitives.ProcessCpu", "-foe", "true"),
        *("-rf", "json", "-rff", "jmh.json"),
    ]
    logger.info("benchmarks %s", words[:2])
    testbed.run(argv, cpus, "jmh.log", limit_s=300, environment=environment)
    results = json.loads((testbed.folder / "jmh.json").read_text())
    yield from jmh_rows(results)


def jmh_rows(benchmarks: list[dict[str, Any]]) -> Iterator[Row]:
    """A row per benchmark and statistic, from JMH's JSON: the mean of the iterations."""
    for benchmark in benchmarks:
        figures = {
            "wall": benchmark["primaryMetric"],
            "cpu": benchmark["secondaryMetrics"]["cpu"],
        }
        if "server" in benchmark["secondaryMetrics"]:
            figures["server"] = benchmark["secondaryMetrics"]["server"]
        for statistic, metric in figures.items():
            value_us = statistics.fmean(metric["rawData"][0])
            yield cost_row(primitive_id(benchmark["benchmark"]), "", statistic, value_us)


def primitive_id(benchmark: str) -> str:
    """`artifact.primitives.ThreadStart.platformThreadStart` → `platform-thread-start`."""
    return re.sub("([A-Z])", r"-\1", benchmark.rsplit(".", 1)[-1]).lower()


def cost_row(
    primitive: str,
    rate_per_s: Any,
    statistic: str,
    value_us: float | None,
    probe_us: float | None = None,
) -> Row:
    """One measured value, above 0 or not: the analysis judges it. Empty where there is none."""
    value, probe = ("" if found is None else f"{found:.4f}" for found in (value_us, probe_us))
    row = (primitive, rate_per_s, statistic, value, "us", probe)
    return dict(zip(COST_COLUMNS, row, strict=True))


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
                testbed.run(argv, testbed.shares[0], "memory.log", limit_s=60)
            except RuntimeError as forbidden:
                # This machine lets no process have so many threads: there is no value.
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


def origin() -> Row:
    """Columns that say of what programs, and on which kind of machine, a table is."""
    return {"jars_sha256": jars_sha256(), "machine": provenance.this_machine()["id"]}


def jars_sha256() -> str:
    content = b"".join(path.read_bytes() for path in FINGERPRINTS if path.exists())
    return hashlib.sha256(content).hexdigest()


def is_current(path: Path) -> bool:
    """Whether the table is there, of the same programs; whichever machine it comes from."""
    if not path.exists():
        return False
    with path.open(newline="") as file:
        row = next(csv.DictReader(file), {})
    return row.get("jars_sha256") == jars_sha256()


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    table = parser.add_mutually_exclusive_group(required=True)
    table.add_argument("--costs", type=Path, help="table of costs to write (CSV)")
    table.add_argument("--memory", type=Path, help="table of memory to write (CSV)")
    parser.add_argument("--held", required=True, help="cores held, of those available, as 4/4")
    parser.add_argument("--log", type=Path, required=True)
    return parser.parse_args()


def main() -> None:
    environment.confine()
    options = arguments()
    check_alone(options.held)
    options.log.parent.mkdir(parents=True, exist_ok=True)
    logging.basicConfig(
        filename=options.log, filemode="w", level=logging.INFO, format="%(asctime)s %(message)s"
    )
    table = options.costs or options.memory
    if is_current(table):
        logger.info("%s stays: its programs are the same", table)
        table.touch()
        return
    measure, columns = (costs, COST_COLUMNS) if options.costs else (thread_memory, MEMORY_COLUMNS)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped by SIGTERM"))
    stop_with_our_requester()
    with alone_on_the_machine(), tempfile.TemporaryDirectory() as folder:
        of = origin()
        rows = [row | of for row in measure(Testbed(Path(folder)))]
        write(table, (*columns, *of), rows)


if __name__ == "__main__":
    main()
