"""How fast the CPUs are while others use them: CPU time of a fixed computation, ten times a second.

A shared machine slows down without showing steal. One process for each CPU runs in the idle class
(sched(7)), so that it takes next to nothing from what is measured; on a CPU without a pause its
computation takes long to finish, but CPU time is what counts.
"""

from __future__ import annotations

import csv
import os
import statistics
import sys
import time
from pathlib import Path

EVERY_S = 0.1
# About a millisecond.
STEPS = 12_000


def computation_ns() -> int:
    """CPU time of the fixed computation."""
    started_ns, value = time.thread_time_ns(), 1
    for step in range(STEPS):
        value = (value * 31 + step) & 0xFFFFFF
    return time.thread_time_ns() - started_ns


def probe(cpu: int) -> None:
    """Writes `epoch_s,cpu,ns` to standard output until it is stopped."""
    os.sched_setaffinity(0, {cpu})
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    while True:
        took_ns = computation_ns()
        print(f"{time.time():.3f},{cpu},{took_ns}", flush=True)
        time.sleep(EVERY_S)


class Speeds:
    """What the probes of several CPUs have written so far."""

    def __init__(self, paths: list[Path]) -> None:
        self.paths = paths

    def rows(self) -> list[tuple[float, int, int]]:
        """(epoch s, CPU, ns), without a last line that is still being written."""
        found = []
        for path in self.paths:
            whole = path.read_text().rpartition("\n")[0]
            found += [(float(t), int(cpu), int(ns)) for t, cpu, ns in csv.reader(whole.split())]
        return found

    def relative(self, cpus: list[int], start_s: float, end_s: float) -> float | None:
        """Median time in a window, to that of all times so far; None where nothing finished."""
        rows = [(time_s, ns) for time_s, cpu, ns in self.rows() if cpu in cpus]
        within = [ns for time_s, ns in rows if start_s <= time_s <= end_s]
        if not within:
            return None
        return statistics.median(within) / statistics.median(ns for _, ns in rows)


if __name__ == "__main__":
    probe(int(sys.argv[1]))
