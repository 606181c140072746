"""The memory that waiting threads hold, by kind and number, each in a JVM of its own."""

import argparse
import csv
import logging
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from workloads.machine import environment, provenance
from workloads.machine.testbed import (
    Process,
    alone_on_the_machine,
    cpu_shares,
    stop_with_our_requester,
)
from workloads.session.run_session import begin

logger = logging.getLogger("memory")
JAR = provenance.ROOT / "servers/thread-memory/target/thread-memory.jar"
JVM_OPTIONS = [
    *("-Xms256m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:+AlwaysPreTouch"),
    "-XX:NativeMemoryTracking=summary",
]
KINDS = ("platform", "virtual")
THREADS = (50, 500, 5000, 10000)
LIMIT_S = 60
COLUMNS = (
    *("kind", "threads", "rss_bytes", "nmt_thread_reserved_bytes", "nmt_thread_committed_bytes"),
    "heap_bytes",
)

Row = dict[str, str]


def rows(folder: Path) -> Iterator[Row]:
    java, cpus = str(provenance.java()), cpu_shares()[0]
    for kind in KINDS:
        for threads in THREADS:
            words = ["-cp", str(JAR), "artifact.memory.ThreadMemory", kind, str(threads)]
            process = Process([java, *JVM_OPTIONS, *words], cpus, folder, "memory.log")
            process.finish(LIMIT_S)
            printed = (folder / "memory.log").read_text(errors="replace")
            if process.exit_status != 0:
                # This machine lets no process have so many threads: there is no value.
                logger.warning("%s threads, %d: %s", kind, threads, printed[-2000:])
                continue
            yield row(printed)


def row(printed: str) -> Row:
    """The last line is the program's row; the JVM may warn before it."""
    return dict(zip(COLUMNS, printed.split()[-1].split(","), strict=True))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", type=Path, required=True, help="table to write (CSV)")
    parser.add_argument("--log", type=Path, required=True)
    return parser.parse_args()


def main() -> None:
    environment.confine()
    options = arguments()
    begin(options.log)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped by SIGTERM"))
    stop_with_our_requester()
    with alone_on_the_machine(), tempfile.TemporaryDirectory() as folder:
        found = list(rows(Path(folder)))
    options.table.parent.mkdir(parents=True, exist_ok=True)
    with options.table.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(found)


if __name__ == "__main__":
    main()
