"""Noise of this machine, measured for a quarter of a minute, and the interval to expect from it.

    python3 -m profiles.watch.noise

All CPUs sleep and wake, then all compute. A run compares two servers round by round, so here each
half second is compared with the next: where nothing differs but the time, the log of that ratio has
a spread s. Of n independent rounds the 95 % interval of a ratio has a half width of t s / sqrt(n),
with Student's t of n - 1 degrees of freedom. Servers add noise of their own and sessions differ by
more than rounds do: it is the least to expect. Nothing but the standard library, as the doctor.
"""

from __future__ import annotations

import contextlib
import fcntl
import math
import multiprocessing
import os
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from profiles.watch import limits
from profiles.watch.speed import STEPS, compute

SLEEPING_S, COMPUTING_S, WINDOW_S, NAP_S = 3.0, 10.0, 0.5, 0.001
# Rounds and sessions of a comparison by config.yaml's defaults, and Student's t (97.5 %, 11).
ROUNDS, SESSIONS, STUDENTS_T = 6, 2, 2.201
STEAL_AT_MOST, OTHERS_AT_MOST, HAD_AT_LEAST = 0.01, 0.05, 0.97
LATE_US_AT_MOST, INTERVAL_AT_MOST = 1000, 0.1
GUESTS = "the hypervisor gives it to other guests: measure at another hour, or on another machine"
LATE = "shorter latencies mean little: set the governor to performance, end other programs"
TAKEN = "another measurement runs: try again after it"


@dataclass(frozen=True)
class Watched:
    """One CPU: how late it woke, in us; computations in each window; CPU time of both phases."""

    late_us: list[float]
    counts: list[int]
    sleeping_cpu_s: float
    computing_cpu_s: float


@dataclass(frozen=True)
class Noise:
    """Shares of the time of all usable CPUs: others' while we slept, and ours while we computed.

    `late_us`: percentiles by name. `spread`: of the log ratio of neighboring windows. `throttled`:
    how often a quota stopped us.
    """

    steal_share: float
    others_share: float
    had_share: float
    late_us: dict[str, float]
    spread: float
    throttled: int

    @property
    def interval(self) -> float:
        """The half width of a ratio's 95 % interval, as a share of 1."""
        return math.expm1(STUDENTS_T * self.spread / math.sqrt(ROUNDS * SESSIONS))


class Line(NamedTuple):
    """A measured value; `advice` where it is more than a quiet machine has."""

    name: str
    found: str
    advice: str = ""


def watch(cpu: int, begin_s: float, sleeping_s: float, computing_s: float) -> Watched:
    """Sleeps and computes on a CPU from `begin_s` on, by time.monotonic()."""
    os.sched_setaffinity(0, {cpu})
    time.sleep(max(0.0, begin_s - time.monotonic()))
    late_us, due_s, started_s = [], begin_s, time.thread_time()
    while due_s < begin_s + sleeping_s:
        due_s += NAP_S
        time.sleep(max(0.0, due_s - time.monotonic()))
        now_s = time.monotonic()
        late_us.append(1e6 * (now_s - due_s))
        # A late wake-up does not make the next one due at once.
        due_s = max(due_s, now_s)
    slept_s, counts = time.thread_time(), []
    for window in range(1, round(computing_s / WINDOW_S) + 1):
        counts.append(computations(begin_s + sleeping_s + window * WINDOW_S))
    return Watched(late_us, counts, slept_s - started_s, time.thread_time() - slept_s)


def computations(until_s: float) -> int:
    count = 0
    while time.monotonic() < until_s:
        compute(STEPS)
        count += 1
    return count


def measure(sleeping_s: float = SLEEPING_S, computing_s: float = COMPUTING_S) -> Noise:
    """Takes as long as both phases, and uses all CPUs in the second."""
    found = limits.cpus()
    cpus = [cpu for cpu in found.usable if cpu in found.shown]
    throttled = limits.throttled()
    with multiprocessing.get_context("fork").Pool(len(cpus)) as pool:
        begin_s = time.monotonic() + 0.2 + 0.01 * len(cpus)
        each = [(cpu, begin_s, sleeping_s, computing_s) for cpu in cpus]
        result = pool.starmap_async(watch, each, chunksize=1)
        time.sleep(max(0.0, begin_s - time.monotonic()))
        before = limits.cpu_times()
        time.sleep(sleeping_s)
        between = limits.cpu_times()
        watched = result.get()
    after = limits.cpu_times()
    sleeping_all_s, all_s = sleeping_s * len(cpus), (sleeping_s + computing_s) * len(cpus)
    idle_s = sum(between[cpu].not_busy_s - before[cpu].not_busy_s for cpu in cpus)
    others_s = sleeping_all_s - idle_s - sum(one.sleeping_cpu_s for one in watched)
    late_us = [late for one in watched for late in one.late_us]
    rates = [sum(counts) for counts in zip(*(one.counts for one in watched), strict=True)]
    return Noise(
        steal_share=sum(after[cpu].steal_s - before[cpu].steal_s for cpu in cpus) / all_s,
        others_share=max(0.0, others_s) / sleeping_all_s,
        had_share=sum(one.computing_cpu_s for one in watched) / (computing_s * len(cpus)),
        late_us=percentiles(late_us),
        spread=spread(rates),
        throttled=limits.throttled() - throttled,
    )


def percentiles(late_us: list[float]) -> dict[str, float]:
    hundredths = statistics.quantiles(late_us, n=100)
    return {"p50": hundredths[49], "p99": hundredths[98], "max": max(late_us)}


def spread(rates: list[int]) -> float:
    """The spread of the log ratio of neighboring windows; its mean is 0 as only time differs."""
    ratios = [math.log(after / before) for before, after in pairwise(rates)]
    return math.sqrt(statistics.fmean(ratio**2 for ratio in ratios))


def lines(noise: Noise) -> list[Line]:
    late = ", ".join(f"{name} {value:.0f}" for name, value in noise.late_us.items())
    had = noise.had_share >= HAD_AT_LEAST and not noise.throttled
    steal = noise.steal_share
    return [
        line("steal", f"{steal:.1%} of the CPUs", steal <= STEAL_AT_MOST, GUESTS),
        line(
            "other processes",
            f"{noise.others_share:.1%} of the CPUs",
            noise.others_share <= OTHERS_AT_MOST,
            "end them; top shows which they are",
        ),
        line("wake-up latency, us", late, noise.late_us["p99"] <= LATE_US_AT_MOST, LATE),
        line("CPU time with all CPUs busy", f"{noise.had_share:.1%}", had, taken_by(noise)),
        line(
            "interval to expect",
            f"at least ± {noise.interval:.1%} of a ratio after {SESSIONS} sessions of {ROUNDS} "
            f"rounds (a computation varies by {noise.spread:.1%} from a half second to the next)",
            noise.interval <= INTERVAL_AT_MOST,
            "a smaller difference stays undecided",
        ),
    ]


def line(name: str, found: str, is_quiet: bool, advice: str) -> Line:
    return Line(name, found, "" if is_quiet else advice)


def taken_by(noise: Noise) -> str:
    if noise.throttled:
        return f"a quota stopped us {noise.throttled} times; slices that it stops count for nothing"
    return "other processes, the hypervisor or a quota that is not shown here took the rest"


@contextlib.contextmanager
def alone() -> Iterator[bool]:
    """Holds the machine's measuring lock, if no measurement does; yields whether it is held."""
    descriptor = os.open(limits.LOCK, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield True
    except BlockingIOError:
        yield False
    finally:
        os.close(descriptor)


def report() -> list[Line]:
    """The lines of a measurement, or one that says why there is none."""
    if refused := limits.cpus().refused():
        return [Line("noise", "not measured", refused)]
    with alone() as is_alone:
        return lines(measure()) if is_alone else [Line("noise", "not measured", TAKEN)]


if __name__ == "__main__":
    print(f"How quiet this machine is ({SLEEPING_S + COMPUTING_S:.0f} s):", flush=True)
    for each in report():
        print(f"  {each.name}: {each.found}" + (f": {each.advice}" if each.advice else ""))
