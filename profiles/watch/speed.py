"""How fast the CPUs are while others use them: CPU time of a fixed computation, 50 times a second.

A shared machine slows down without showing steal: a virtual CPU that wakes has another core, or
shares one, and computes up to 1.7 times as long. A process for each CPU runs in the idle class
(sched(7)): on a CPU without a pause it takes long to finish, but CPU time is what counts.
"""

import csv
import math
import os
import statistics
import sys
import time
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# So often that a slice of a second has some 50: ten say little of a CPU that changes in between.
EVERY_S = 0.02
# The share of a window's computations that are its fastest.
FASTEST = 0.1
# A fifth of a millisecond, so that few requests meet it; before it some steps, which fetch what has
# left the caches.
STEPS, STEPS_BEFORE = 1_500, 150


def compute(steps: int) -> None:
    value = 1
    for step in range(steps):
        value = (value * 31 + step) & 0xFFFFFF


def computation_ns() -> int:
    compute(STEPS_BEFORE)
    started_ns = time.thread_time_ns()
    compute(STEPS)
    return time.thread_time_ns() - started_ns


def probe(cpu: int) -> None:
    """Writes `epoch_s,ns` to standard output until it is stopped."""
    os.sched_setaffinity(0, {cpu})
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    while True:
        took_ns = computation_ns()
        print(f"{time.time():.3f},{took_ns}", flush=True)
        time.sleep(EVERY_S)


@dataclass
class Speed:
    """The speed of the CPUs in a window; None where no computation finished.

    `relative`: time of its fastest computations, to the median of all windows so far. A CPU that
    the load lets sleep is slow where it wakes: that is the load's doing, and the mean, `probe_us`,
    has it. One that another guest slows has no fast computation at all.
    """

    relative: float | None
    probe_us: float | None


class Speeds:
    """The values of the probes of several CPUs so far, each in its file."""

    def __init__(self, paths: list[Path], probes: Sequence[Any] = ()) -> None:
        self.paths, self.probes = paths, probes
        self.read: dict[Path, int] = dict.fromkeys(paths, 0)
        self.known: list[tuple[float, int]] = []
        self.fastest_ns: list[int] = []

    def rows(self) -> list[tuple[float, int]]:
        """(epoch s, ns) by time, without a last line that is still being written.

        Raises RuntimeError where a probe has ended, after which no CPU would seem slow.
        """
        for path, probe in zip(self.paths, self.probes, strict=False):
            if probe.ended():
                last = path.read_text(errors="replace").strip().rpartition("\n")[2]
                raise RuntimeError(f"the probe {path.stem} ended ({probe.exit_status}): {last}")
        for path in self.paths:
            with path.open() as file:
                file.seek(self.read[path])
                whole = file.read().rpartition("\n")[0]
            self.read[path] += len(whole) + 1 if whole else 0
            self.known += [(float(t), int(ns)) for t, ns in csv.reader(whole.split())]
        self.known.sort()
        return self.known

    def of(self, start_s: float, end_s: float) -> Speed:
        """In a window in which a server was loaded: what is usual is what loaded machines do."""
        rows = self.rows()
        first, last = bisect_left(rows, (start_s,)), bisect_right(rows, (end_s, math.inf))
        within = [ns for _, ns in rows[first:last]]
        if not within:
            return Speed(None, None)
        fastest_ns = sorted(within)[int(FASTEST * len(within))]
        self.fastest_ns.append(fastest_ns)
        usual_ns = statistics.median(self.fastest_ns)
        return Speed(fastest_ns / usual_ns, statistics.fmean(within) / 1000)


if __name__ == "__main__":
    probe(int(sys.argv[1]))
