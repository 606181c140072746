"""Rounds of one cell end when its ratios are precise, clear of their bands, or take too long."""

import csv
import math
from pathlib import Path

import pytest

from workloads.record.slice import PROFILED
from workloads.session.until_decided import (
    LIMIT_S,
    PROCESS_REACH,
    Band,
    Interval,
    bands_of,
    interval,
    is_clear,
    is_clear_of,
    is_over,
    is_precise,
    log_ratios,
)

THROUGHPUT, CPU, P99 = "throughput_per_s", "cpu_us_per_request", "latency_p99_ms"
# Half of the interval's width, without a process of its own, is 3.182 x sd / 2: 0.031 and 0.31.
QUIET, NOISY = [0.7, 0.7, 0.71, 0.74], [0.5, 0.9, 0.6, 0.8]
# Rounds and the interval of analysis/, by R's own quantiles: both must give the same.
CASES = Path(__file__).with_name("rounds.csv")


def cases():
    with CASES.open(newline="") as file:
        return [pytest.param(row, id=row["case"]) for row in csv.DictReader(file)]


def alike(process=0.0, low=0.4, high=0.5):
    """Bands far from the ratios, by which processes differ by so much."""
    return {name: Band(low, high, process) for name in (THROUGHPUT, CPU)}


@pytest.mark.parametrize("row", cases())
def test_interval_is_that_of_the_verdict(row):
    logs = [float(each) for each in row["rounds"].split(";")]
    known = {key: float(row[key]) for key in ("process_reach",) if row[key]}
    expected = [float(row[key]) for key in Interval._fields]
    assert interval(logs, Band(0.0, math.inf, **known)) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    ("throughput", "cpu", "precise"),
    [
        (QUIET, QUIET, True),
        (QUIET, NOISY, False),
        # Half a width of 0.06 is enough for CPU time alone.
        ([2 * x for x in QUIET], QUIET, False),
        (QUIET, [2 * x for x in QUIET], True),
        (QUIET[:1], QUIET, False),
        # A mode that answers nothing has no ratio, in however many rounds.
        ([], QUIET, True),
    ],
)
def test_ratios_are_precise_within_5_and_8_percent(throughput, cpu, precise):
    assert is_precise({THROUGHPUT: throughput, CPU: cpu}, alike()) is precise


def test_ratios_are_no_more_precise_than_processes_repeat_them():
    logs = {THROUGHPUT: QUIET, CPU: QUIET}
    assert is_precise(logs, alike(0.005))
    wider = dict.fromkeys((THROUGHPUT, CPU), [0.7, 0.7, 0.715, 0.76])
    assert is_precise(wider, alike(0.005))
    assert not is_precise(wider, alike(0.03))
    # More rounds would not help where processes differ by more than these.
    assert is_precise(wider, alike(0.5))


@pytest.mark.parametrize(
    ("low", "high", "clear"),
    [
        (3.0, 4.0, True),
        (1.8, 2.3, True),
        # The interval, 2 to 2.2, has a bound of the band within.
        (2.1, 4.0, False),
        (2.05, 2.1, False),
        # Bands with an open end.
        (0.0, 1.9, True),
        (0.0, 2.1, False),
        (1.9, math.inf, True),
    ],
)
def test_interval_is_clear_outside_its_band_or_inside(low, high, clear):
    found = Interval(math.log(2.1), math.log(2.0), math.log(2.2))
    assert is_clear_of(found, Band(low, high)) is clear


def test_every_statistic_that_has_a_band_must_be_clear():
    logs = {THROUGHPUT: NOISY, CPU: NOISY, P99: QUIET}
    assert is_clear(logs, {P99: Band(9.0, 12.0)})
    # A process of its own may bring the ratio, 2.04, there.
    assert not is_clear(logs, {P99: Band(9.0, 12.0, process_reach=2.0)})
    assert not is_clear(logs, {P99: Band(9.0, 12.0), CPU: Band(1.0, 2.0)})
    assert not is_clear(logs, {})


def test_rounds_end_when_they_are_enough_and_not_before_the_fourth():
    quiet, noisy = {THROUGHPUT: QUIET, CPU: QUIET}, {THROUGHPUT: NOISY, CPU: NOISY}
    # A band that the ratio is at does not keep a precise one waiting.
    assert is_over(4, 10, quiet, alike(low=2.0, high=3.0))
    assert not is_over(3, 10, quiet, alike(low=2.0, high=3.0))
    assert not is_over(4, 10, noisy, {})
    assert is_over(4, 10, noisy, {THROUGHPUT: Band(9.0, 12.0)})
    assert not is_over(40, LIMIT_S - 1, noisy, {})
    assert is_over(1, LIMIT_S, noisy, {})


def test_bands_are_those_of_the_cell_and_may_be_missing(tmp_path):
    path, cell = tmp_path / "bands.csv", ("a", "b", "c", "wrk2")
    path.write_text(
        "study,mode,tier,tool,statistic,low,high,process_reach\n"
        "a,b,c,wrk2,throughput_per_s,1.5,3,0.012\n"
        "a,b,c,wrk2,latency_p99_ms,0.1,0.2,\n"
        "a,b,c,jmeter,throughput_per_s,7,9,\n"
    )
    # A process adds the usual where no more is known.
    expected = {THROUGHPUT: Band(1.5, 3.0, 0.012), P99: Band(0.1, 0.2, PROCESS_REACH)}
    assert bands_of(path, cell) == expected
    assert bands_of(tmp_path / "none.csv", cell) == {}


def slices_of(make_slice, values, **changed):
    """A slice a round with this throughput and CPU time per request."""
    return [
        make_slice(
            round, load={"throughput_per_s": v}, metrics={"cpu_us_per_request": v}, **changed
        )
        for round, v in enumerate(values, start=1)
    ]


def throughput(each):
    return each.load["throughput_per_s"]


def test_ratio_is_of_slices_of_the_same_round(make_slice):
    mode = slices_of(make_slice, (20.0, 60.0, 5.0))
    baseline = slices_of(make_slice, (10.0, 20.0))
    found = log_ratios(mode, baseline, throughput)
    assert {number: math.exp(each) for number, each in found.items()} == pytest.approx({1: 2, 2: 3})


def test_what_did_not_complete_was_profiled_or_is_not_positive_has_no_ratio(make_slice):
    mode, baseline = slices_of(make_slice, [0.0, -2.0, 6.0]), slices_of(make_slice, [1.0, 1.0, 3.0])
    mode += slices_of(make_slice, [900.0], faults=["not_completed"])
    mode += slices_of(make_slice, [900.0], kind=PROFILED)
    assert log_ratios(mode, baseline, throughput) == {3: math.log(2)}
