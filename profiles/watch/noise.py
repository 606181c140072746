"""Noise of this machine, measured for a quarter of a minute, and the interval to expect from it.

    python3 -m profiles.watch.noise

All CPUs sleep and wake, then all compute. A run compares two servers round by round, so here each
half second is compared with the next: the log of that ratio has a spread s, though nothing differs
but the time. The 95 % interval of a ratio of n independent rounds has a half width of
t s / sqrt(n), with Student's t of n - 1 degrees of freedom. It is the least to expect: servers add
noise of their own, and sessions differ by more than rounds do. Nothing but the standard library.
"""

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
# Rounds of a comparison by config.yaml's defaults, in one session, and Student's t (97.5 %, 5).
ROUNDS, STUDENTS_T = 6, 2.571
# Shares that a slice may have of the time of all CPUs and of the server's, or its latency does not
# count (workloads/record/slice_rules.py takes them from here).
STEAL_AT_MOST, OTHERS_CPU_AT_MOST = 0.05, 0.15
# Rounds in which both sides count that a latency needs. Rounds go on until they are there, or for
# twice their time (validity.py and turns.py take both from here).
ROUNDS_KEPT, TIMES_PLANNED = 3, 2
QUIET_STEAL, QUIET_OTHERS, HAD_AT_LEAST = 0.01, 0.05, 0.97
LATE_US_AT_MOST, INTERVAL_AT_MOST = 1000, 0.1
GUESTS = "the hypervisor gives it to other guests: measure at another hour, or on another machine"
OTHERS = "end them; top shows which they are"
UNDECIDED = "a smaller difference stays undecided"
LATE = "shorter latencies mean little: set the governor to performance, end other programs"
OPEN = "throughput, and CPU time at the CPU's limit, will not be decided"
ALL_OPEN = f"latency, {OPEN}"
QUIETER = "end other programs (top shows them), or measure at another hour or on another machine"
TAKEN = "another measurement runs: try again after it"


@dataclass(frozen=True)
class Watched:
    """One CPU: how late it woke, in us; computations by window; CPU time by window of a phase."""

    late_us: list[float]
    counts: list[int]
    sleeping_cpu_s: list[float]
    computing_cpu_s: list[float]


@dataclass(frozen=True)
class Noise:
    """Shares of the time of all usable CPUs: others' while we slept, and ours while we computed.

    `late_us`: percentiles by name. `spread`: of the log ratio of neighboring windows. `throttled`:
    how often a quota stopped us. `lost_share`: windows that are disturbed as no slice may be.
    """

    steal_share: float
    others_share: float
    had_share: float
    late_us: dict[str, float]
    spread: float
    throttled: int
    lost_share: float

    @property
    def interval(self) -> float:
        """The half width of a ratio's 95 % interval, as a share of 1."""
        return math.expm1(STUDENTS_T * self.spread / math.sqrt(ROUNDS))

    @property
    def lost_rounds(self) -> float:
        """How many rounds of a comparison do not count for latency: one needs both its slices."""
        return ROUNDS * self.lost_round

    @property
    def lost_round(self) -> float:
        return 1 - (1 - self.lost_share) ** 2


class Line(NamedTuple):
    """A measured value; `advice` where it is more than a quiet machine has."""

    name: str
    found: str
    advice: str = ""


def ends_of(begin_s: float, lasts_s: float) -> list[float]:
    count = max(1, round(lasts_s / WINDOW_S))
    return [begin_s + lasts_s * window / count for window in range(1, count + 1)]


def watch(cpu: int, begin_s: float, sleeping_s: float, computing_s: float) -> Watched:
    """Sleeps and computes on a CPU from `begin_s` on, by time.monotonic()."""
    os.sched_setaffinity(0, {cpu})
    time.sleep(max(0.0, begin_s - time.monotonic()))
    late_us, due_s, slept_s = [], begin_s, [time.thread_time()]
    for end_s in ends_of(begin_s, sleeping_s):
        while due_s < end_s:
            due_s += NAP_S
            time.sleep(max(0.0, due_s - time.monotonic()))
            now_s = time.monotonic()
            late_us.append(1e6 * (now_s - due_s))
            # The next wake-up is not due before that.
            due_s = max(due_s, now_s)
        slept_s.append(time.thread_time())
    counts, computed_s = [], slept_s[-1:]
    for end_s in ends_of(begin_s + sleeping_s, computing_s):
        counts.append(computations(end_s))
        computed_s.append(time.thread_time())
    return Watched(late_us, counts, grown(slept_s), grown(computed_s))


def grown(values: list[float]) -> list[float]:
    return [after - before for before, after in pairwise(values)]


def computations(until_s: float) -> int:
    count = 0
    while time.monotonic() < until_s:
        compute(STEPS)
        count += 1
    return count


def measure(sleeping_s: float = SLEEPING_S, computing_s: float = COMPUTING_S) -> Noise:
    found = limits.cpus()
    cpus = [cpu for cpu in found.usable if cpu in found.shown]
    throttled = limits.throttled()
    with multiprocessing.get_context("fork").Pool(len(cpus)) as pool:
        begin_s = time.monotonic() + 0.2 + 0.01 * len(cpus)
        each = [(cpu, begin_s, sleeping_s, computing_s) for cpu in cpus]
        result = pool.starmap_async(watch, each, chunksize=1)
        sleeping = ends_of(begin_s, sleeping_s)
        computing = ends_of(begin_s + sleeping_s, computing_s)
        read = [times_at(end_s, cpus) for end_s in (begin_s, *sleeping, *computing)]
        watched = result.get()
    slept_s = [sum(used) for used in zip(*(one.sleeping_cpu_s for one in watched), strict=True)]
    computed_s = [sum(used) for used in zip(*(one.computing_cpu_s for one in watched), strict=True)]
    windows = [
        taken(*both, used_s, len(cpus))
        for both, used_s in zip(pairwise(read), (*slept_s, *computed_s), strict=True)
    ]
    while_asleep = taken(read[0], read[len(sleeping)], sum(slept_s), len(cpus))
    late_us = [late for one in watched for late in one.late_us]
    hundredths = statistics.quantiles(late_us, n=100)
    rates = [sum(counts) for counts in zip(*(one.counts for one in watched), strict=True)]
    return Noise(
        steal_share=taken(read[0], read[-1], 0.0, len(cpus)).steal,
        others_share=while_asleep.others,
        had_share=sum(computed_s) / (computing_s * len(cpus)),
        late_us={"p50": hundredths[49], "p99": hundredths[98], "max": max(late_us)},
        spread=spread(rates),
        throttled=limits.throttled() - throttled,
        lost_share=statistics.fmean(is_lost(each) for each in windows),
    )


class Read(NamedTuple):
    at_s: float
    not_busy_s: float
    steal_s: float


class Taken(NamedTuple):
    """Shares of the CPUs' time: the hypervisor's, and that of other processes."""

    steal: float
    others: float


def times_at(due_s: float, cpus: list[int]) -> Read:
    time.sleep(max(0.0, due_s - time.monotonic()))
    times = limits.cpu_times()
    steal_s, not_busy_s = (
        math.fsum(getattr(times[cpu], name) for cpu in cpus) for name in ("steal_s", "not_busy_s")
    )
    return Read(time.monotonic(), not_busy_s, steal_s)


def taken(before: Read, after: Read, used_s: float, cpus: int) -> Taken:
    """`used_s`: our own CPU time in between."""
    all_s = (after.at_s - before.at_s) * cpus
    others_s = all_s - (after.not_busy_s - before.not_busy_s) - used_s
    return Taken((after.steal_s - before.steal_s) / all_s, max(0.0, others_s) / all_s)


def is_lost(window: Taken) -> bool:
    return window.steal > STEAL_AT_MOST or window.others > OTHERS_CPU_AT_MOST


def spread(rates: list[int]) -> float:
    """The spread of the log ratio of neighboring windows, whose mean is 0."""
    ratios = [math.log(after / before) for before, after in pairwise(rates)]
    return math.sqrt(statistics.fmean(ratio**2 for ratio in ratios))


def lines(noise: Noise) -> list[Line]:
    steal, others, had = noise.steal_share, noise.others_share, noise.had_share
    had_all = had >= HAD_AT_LEAST and not noise.throttled
    late = ", ".join(f"{name} {value:.0f}" for name, value in noise.late_us.items())
    interval = (
        f"at least ± {noise.interval:.1%} of a ratio after {ROUNDS} rounds "
        f"(a computation varies by {noise.spread:.1%} from a half second to the next)"
    )
    took = "other processes, the hypervisor or a quota that is not shown here took the rest"
    if noise.throttled:
        took = f"a quota stopped us {noise.throttled} times; slices that it stops count for nothing"
    counted = ROUNDS * TIMES_PLANNED * (1 - noise.lost_round)
    lost = f"{OPEN if counted >= ROUNDS_KEPT else ALL_OPEN}: {QUIETER}"
    rows = (
        ("steal", f"{steal:.1%} of the CPUs", steal <= QUIET_STEAL, GUESTS),
        ("other processes", f"{others:.1%} of the CPUs", others <= QUIET_OTHERS, OTHERS),
        ("wake-up latency, us", late, noise.late_us["p99"] <= LATE_US_AT_MOST, LATE),
        ("CPU time with all CPUs busy", f"{had:.1%}", had_all, took),
        ("interval to expect", interval, noise.interval <= INTERVAL_AT_MOST, UNDECIDED),
        ("rounds of a comparison", rounds_of(noise), noise.lost_rounds <= ROUNDS / 2, lost),
    )
    return [Line(name, found, "" if quiet else advice) for name, found, quiet, advice in rows]


def rounds_of(noise: Noise) -> str:
    if not noise.lost_share:
        return f"all {ROUNDS} should count for latency"
    return f"about {noise.lost_rounds:.1f} of {ROUNDS} will not count for latency"


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
