"""Whether a load's values stay where they are: a change-point test on its course over time.

Pettitt's test (Applied Statistics 28, 1979, 126-135) looks for one change of level and needs ranks
alone, so that a garbage collection is one odd value and not a change. It is thirty values and a
dozen lines here; a library (ruptures, changepoint) would bring numpy and a second of start-up to
every cell, and its penalties would have to be tuned where this has an error rate.

validity.py has the limits within which a cell is valid.
"""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from statistics import fmean
from typing import Any

from workloads.record.latencies import SAMPLES, SERIES, rows_in

PARTS = 30
# With fewer values even a complete change half-way has no p-value of 0.5 %.
PARTS_AT_LEAST = 18
# JMeter's clock ticks in ms, so shorter parts would count its ticks.
PART_MS_AT_LEAST = 10
JMETER_RESOLUTION_MS = 1.0
DUE_RESOLUTION_MS = 0.001
# A window counts from when so many of the users were there until they were fewer again.
USERS_THERE = 0.9

Change = dict[str, float]


def settling(
    folder: Path, load: dict[str, Any], period_s: float | None = None
) -> dict[str, Change | None]:
    """The strongest change of `latency` and of `throughput` over a load.

    `folder` holds samples.csv.gz (JMeter) or series.csv (due); of other generators, and of loads
    too short to tell, it is None. `load` is the part of cell.json. A change has `p_value`, `at`
    (share of the course before it) and `shift` (by how much it moves the mean of the whole, as a
    share of the level after it). `period_s`: with which values rise and fall by design, in an open
    loop.
    """
    if (folder / SAMPLES).exists():
        return of_samples(folder / SAMPLES, load["concurrency_offered"])
    if (folder / SERIES).exists():
        return of_series(folder / SERIES, load["duration_s"], period_s)
    return {"latency": None, "throughput": None}


def of_samples(path: Path, users: int) -> dict[str, Change | None]:
    """Answers in the order in which they came, in parts of equal number and of equal time."""
    columns = ("timeStamp", "elapsed", "allThreads")
    samples = ([int(row[name]) for name in columns] for row in rows_in(path))
    ends = sorted((start + elapsed, elapsed, there) for start, elapsed, there in samples)
    ends = with_users_there(ends, users)
    ends_ms = [end_ms for end_ms, _, _ in ends]
    latencies_ms = [float(elapsed_ms) for _, elapsed_ms, _ in ends]
    return {
        "latency": change(means(latencies_ms), JMETER_RESOLUTION_MS),
        "throughput": change(counts(ends_ms), 0),
    }


def with_users_there(rows: list[tuple[int, int, int]], users: int) -> list[tuple[int, int, int]]:
    """Without the users' coming and going; all, where they were never there together (ramp-up)."""
    there = [index for index, row in enumerate(rows) if row[2] >= USERS_THERE * users]
    return rows[there[0] : there[-1] + 1] if there else rows


def means(values: list[float]) -> list[float]:
    """Means of PARTS consecutive parts of equal number, or the values where they are fewer."""
    edges = [round(part * len(values) / PARTS) for part in range(PARTS + 1)]
    if len(values) < PARTS:
        return values
    return [fmean(values[low:high]) for low, high in itertools.pairwise(edges)]


def counts(times_ms: list[int]) -> list[float]:
    """How many fall into each of PARTS parts of equal length; empty if those are too short."""
    if not times_ms or times_ms[-1] - times_ms[0] < PARTS * PART_MS_AT_LEAST:
        return []
    first_ms, lasted_ms = times_ms[0], times_ms[-1] - times_ms[0]
    found = [0.0] * PARTS
    for time_ms in times_ms:
        found[min(PARTS - 1, (time_ms - first_ms) * PARTS // lasted_ms)] += 1
    return found


def of_series(path: Path, duration_s: float, period_s: float | None) -> dict[str, Change | None]:
    """The rows of due's time series that lie within the window."""
    rows = [row for row in rows_in(path) if float(row["time_s"]) < duration_s]
    answers = [row for row in rows if row["p50_us"]]
    medians_ms = [float(row["p50_us"]) / 1000 for row in answers]
    # Answers to the warm-up are not in it: there are none until the first other one can come.
    later = list(itertools.dropwhile(lambda row: float(row["completed"]) == 0, rows))
    answered = [float(row["completed"]) for row in later]
    if period_s:
        medians_ms = without_phases(answers, medians_ms, period_s)
        answered = without_phases(later, answered, period_s)
    return {
        "latency": change(medians_ms, DUE_RESOLUTION_MS),
        "throughput": change(answered, 0),
    }


def without_phases(rows: list[dict[str, str]], values: list[float], period_s: float) -> list[float]:
    """The values, each less by how far its phase of the period is above the mean of all.

    Where a level rises and falls by design, each of its steps would be a change. What stays is how
    one period differs from the next.
    """
    phases = [round(float(row["time_s"]) % period_s, 3) for row in rows]
    by_phase: dict[float, list[float]] = {}
    for phase, value in zip(phases, values, strict=True):
        by_phase.setdefault(phase, []).append(value)
    above = {phase: fmean(found) - fmean(values) for phase, found in by_phase.items()}
    return [value - above[phase] for phase, value in zip(phases, values, strict=True)]


def change(values: list[float], resolution: float) -> Change | None:
    """Where the level changes most; a step within the clock's resolution shifts nothing."""
    if len(values) < PARTS_AT_LEAST:
        return None
    at, p_value = pettitt(values)
    before, after = fmean(values[:at]), fmean(values[at:])
    shift = fmean(values) / after - 1 if after and abs(before - after) > resolution else 0.0
    return {"p_value": p_value, "at": at / len(values), "shift": shift}


def pettitt(values: list[float]) -> tuple[int, float]:
    """How many values lie before the most likely change, and the test's p-value.

    The p-value is Pettitt's approximation, which is on the safe side for short series; values
    are taken to be independent.
    """
    length, statistic, strongest, at = len(values), 0, 0, 1
    for index, value in enumerate(values[:-1]):
        statistic += sum((value > other) - (value < other) for other in values)
        if abs(statistic) > strongest:
            strongest, at = abs(statistic), index + 1
    return at, min(1.0, 2 * math.exp(-6 * strongest**2 / (length**3 + length**2)))
