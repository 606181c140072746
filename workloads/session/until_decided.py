"""The rule that ends the rounds of a cell that is measured by itself, and of its baseline.

They have at least four rounds, each with a log ratio, and then more until the ratios are precise,
or clear of the bands in which they are expected, or the time is over. The interval is that of the
verdict: the squares of its half-widths by the rounds and by what a new process adds are summed.
analysis/ simulates how often the last interval misses the truth, as it is looked at after each
round; tests/rounds.csv gives both the same rounds.
"""

import csv
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from workloads.record.slice import PLAIN, Slice, common_rounds
from workloads.session.students_t import quantile

Value = Callable[[Slice], float | None]
P99 = "latency_p99_ms"
VALUES: dict[str, Value] = {
    "throughput_per_s": lambda each: each.load["throughput_per_s"],
    "cpu_us_per_request": lambda each: each.metrics["cpu_us_per_request"],
    P99: lambda each: each.latencies_ms[P99] if each.kept else None,
}
# Half of the 95 % interval of what a new process adds to a log ratio, where the file of bands has
# none: the rounds of one process do not show it. It is the median of the shipped runs.
PROCESS_REACH = 0.03
CONFIDENCE = 0.95
ROUNDS_AT_LEAST, LIMIT_S = 4, 100.0
# Half of an interval's width, as a factor.
PRECISE = {"throughput_per_s": 1.05, "cpu_us_per_request": 1.08}


class Interval(NamedTuple):
    """A ratio with its 95 % interval, all as logarithms."""

    centre: float
    low: float
    high: float


class Band(NamedTuple):
    """The bounds of an expected ratio, and what a new process adds to its logarithm."""

    low: float
    high: float
    process_reach: float = PROCESS_REACH


# Logarithms of ratios by statistic, one a round; bands by statistic.
Logs = Mapping[str, Sequence[float]]
Bands = Mapping[str, Band]
UNKNOWN = Band(0.0, math.inf)
# For the interval by the rounds of one process alone.
OF_ROUNDS = UNKNOWN._replace(process_reach=0.0)


def interval(logs: Sequence[float], of: Band = UNKNOWN) -> Interval | None:
    """Mean of the rounds, as far as new processes would repeat it; None of fewer than two."""
    if len(logs) < 2:
        return None
    centre, error = statistics.mean(logs), statistics.stdev(logs) / math.sqrt(len(logs))
    reach = math.hypot(quantile((1 + CONFIDENCE) / 2, len(logs) - 1) * error, of.process_reach)
    return Interval(centre, centre - reach, centre + reach)


def is_over(rounds: int, lasted_s: float, logs: Logs, bands: Bands) -> bool:
    return lasted_s >= LIMIT_S or (
        rounds >= ROUNDS_AT_LEAST and (is_precise(logs, bands) or is_clear(logs, bands))
    )


def is_precise(logs: Logs, bands: Bands) -> bool:
    known = [name for name in PRECISE if logs.get(name)]
    return all(is_enough(name, logs[name], bands.get(name, UNKNOWN)) for name in known)


def is_enough(name: str, logs: Sequence[float], of: Band) -> bool:
    """Narrow as requested, or more uncertain by what a new process adds than by the rounds."""
    whole, by_rounds = interval(logs, of), interval(logs, OF_ROUNDS)
    if whole is None or by_rounds is None:
        return False
    narrow = whole.high - whole.centre <= math.log(PRECISE[name])
    return narrow or by_rounds.high - by_rounds.centre <= of.process_reach


def is_clear(logs: Logs, bands: Bands) -> bool:
    """Whether the interval of each statistic that has a band lies outside it, or inside."""
    return bool(bands) and all(
        is_clear_of(interval(logs.get(name, ()), band), band) for name, band in bands.items()
    )


def is_clear_of(found: Interval | None, band: Band) -> bool:
    if found is None:
        return False
    # A band whose end is open begins at 0, or ends at infinity.
    bounds = math.log(band.low) if band.low > 0 else -math.inf, math.log(band.high)
    outside = found.high < bounds[0] or found.low > bounds[1]
    return outside or (bounds[0] <= found.low and found.high <= bounds[1])


def bands_of(path: Path | None, cell: Sequence[str]) -> Bands:
    """The bands of a cell (study, mode, tier, tool); none without the file or its row.

    Columns of the file: these four, statistic, low, high and, if known, process_reach.
    """
    if path is None or not path.exists():
        return {}
    with path.open(newline="") as file:
        return {
            row["statistic"]: Band(
                *map(float, (row["low"], row["high"], row.get("process_reach") or PROCESS_REACH))
            )
            for row in csv.DictReader(file)
            if (row["study"], row["mode"], row["tier"], row["tool"]) == tuple(cell)
        }


def logs_of(mode: list[Slice], baseline: list[Slice]) -> dict[str, list[float]]:
    """Log ratios of each round, by statistic; of p99 those at one speed."""
    found = {name: log_ratios(mode, baseline, value) for name, value in VALUES.items()}
    even = common_rounds([mode, baseline])
    found[P99] = {number: log for number, log in found[P99].items() if number in even}
    return {name: [*by_round.values()] for name, by_round in found.items()}


def log_ratios(mode: list[Slice], baseline: list[Slice], value: Value) -> dict[int, float]:
    """By round: of those in which both have a value above 0."""

    def by_round(slices: list[Slice]) -> dict[int, float]:
        plain = [each for each in slices if each.counts and each.turn.kind == PLAIN]
        values = {each.turn.round: value(each) for each in plain}
        # CPU time without the compiler's may come out below 0 where there was little of both.
        return {number: found for number, found in values.items() if found and 0 < found < math.inf}

    ours, theirs = by_round(mode), by_round(baseline)
    both = sorted(ours.keys() & theirs.keys())
    return {number: math.log(ours[number] / theirs[number]) for number in both}
