"""The rule of variants: the start is the unit, and the same rounds give R the same interval."""

import csv
import math
import statistics
from dataclasses import replace
from pathlib import Path

import pytest

from workloads.session.until_decided import logs_of
from workloads.session.variants import (
    CPU,
    P50,
    SERVED,
    at_one_speed,
    has_time_for_again,
    interval_of,
    is_settled,
    is_slower,
    logs_of_variants,
    start_takes_s,
)
from workloads.tests.test_until_decided import slices_of

# Starts with the interval and verdict of analysis/, by R's own quantiles: both must give the same.
CASES = Path(__file__).with_name("starts.csv")
VERDICTS = {True: "slower", False: "not slower", None: "undecided"}


def cases():
    with CASES.open(newline="") as file:
        return [pytest.param(row, id=row["case"]) for row in csv.DictReader(file)]


@pytest.mark.parametrize("row", cases())
def test_interval_and_verdict_are_those_of_the_analysis(row):
    starts = [[float(each) for each in of.split(";")] for of in row["starts"].split("|")]
    known = float(row["centre"]), float(row["reach"])
    assert interval_of(starts) == pytest.approx(known, rel=2e-3)
    assert VERDICTS[is_slower(CPU, starts, 5)] == row["verdict"]


def about(ratio, starts=4, of_start=0.0, rounds=6):
    """Starts that differ by so much, up and down; rounds differ by 1 %."""
    waves = [of_start * (-1) ** start for start in range(starts)]
    return [[math.log(ratio) + w + 0.01 * (-1) ** each for each in range(rounds)] for w in waves]


@pytest.mark.parametrize(
    ("name", "ratio", "slower"),
    [
        (CPU, 1.10, True),
        (CPU, 1.00, False),
        (CPU, 1.05, None),
        # Less throughput is slower, and more is not.
        (SERVED, 1 / 1.10, True),
        (SERVED, 1.10, False),
    ],
)
def test_statistic_is_slower_where_its_interval_lies_beyond_the_limit(name, ratio, slower):
    assert is_slower(name, about(ratio), 5) is slower


def test_starts_that_differ_decide_nothing_however_many_rounds_they_have():
    assert is_slower(CPU, about(1.10, of_start=0.03, rounds=100), 5) is None
    assert is_slower(CPU, about(1.10, rounds=100), 5) is True
    # Two starts show nothing.
    assert is_slower(CPU, [*about(2.0, starts=2), []], 5) is None


@pytest.mark.parametrize(
    ("ratios", "settled"),
    [
        # One that is slower ends it, whatever the others are.
        ({CPU: 1.2}, True),
        ({CPU: 1.0, SERVED: 1.0}, True),
        ({CPU: 1.05, SERVED: 1.0}, False),
        ({CPU: 1.0}, False),
        # CPU times at throughputs that are far apart say nothing.
        ({CPU: 1.05, SERVED: 1.5}, True),
    ],
)
def test_variant_is_settled_when_one_is_slower_or_none_can_be(ratios, settled):
    until = {"budget_s": 30, "slower_percent": {CPU: 5, SERVED: 5}}
    logs = {name: about(ratio) for name, ratio in ratios.items()}
    assert is_settled([logs], until) is settled
    # All variants must be.
    assert is_settled([logs, {CPU: about(1.05)}], until) is False


@pytest.mark.parametrize(("cpu", "settled"), [(1.9, False), (2.3, True)])
def test_less_work_for_more_cpu_time_than_the_rate_explains_is_slower(cpu, settled):
    """Half of the rate explains twice the CPU time a request; a noisy rate decides nothing."""
    until = {"slower_percent": {CPU: 5, SERVED: 5}}
    logs = {CPU: about(cpu), SERVED: about(0.5, of_start=0.5)}
    assert is_settled([logs], until) is settled


def test_budget_has_six_starts_or_three_that_take_long():
    assert [start_takes_s(ready_s, 300) for ready_s in (2, 45, 99)] == [50, 60, 100]
    # A second process of the first variant joins what comes up quickly.
    found = [has_time_for_again(*each) for each in ((1, 240), (12, 240), (12, 600))]
    assert found == [True, False, True]


def sides_of(make_slice, ratio, new_speeds, old_speeds):
    """Slices of two builds that differ by a ratio; speeds of the CPU in their rounds."""

    def of(cpu_us, speeds):
        made = slices_of(make_slice, [100.0] * len(speeds))
        for each, speed in zip(made, speeds, strict=True):
            each.metrics.update(cpu_us_per_request=cpu_us / speed, probe_us=70 / speed)
            each.latencies_ms = each.latencies_ms | {P50: cpu_us / 100 / speed}
        return made

    return of(1000.0 * ratio, new_speeds), of(1000.0, old_speeds)


@pytest.mark.parametrize("name", [CPU, P50])
def test_cpu_times_and_medians_are_compared_at_one_speed(make_slice, name):
    """Another guest of the host takes a third of the speed in every third round."""
    sides = sides_of(make_slice, 1.1, [1.0, 1.0, 0.66] * 7, [1.0, 0.66, 1.0] * 7)
    raw, (found,) = logs_of(*sides)[CPU], logs_of_variants(*sides)[name]
    assert max(raw) > math.log(1.5)
    assert [math.exp(each) for each in found] == pytest.approx([1.1] * 21)


def test_speed_that_is_unknown_in_a_round_or_never_changed_changes_nothing(make_slice):
    mode, baseline = sides_of(make_slice, 1.1, [1.0, 0.6, 0.7, 1.0, 0.9, 1.0], [1.0] * 6)
    mode[2].metrics["probe_us"] = None
    assert logs_of_variants(mode, baseline)[CPU] == [logs_of(mode, baseline)[CPU]]
    assert at_one_speed([0.1, 0.2, 0.1, 0.2, 0.3], [0.1] * 5) == [0.1, 0.2, 0.1, 0.2, 0.3]


def test_a_variant_that_slows_the_computation_itself_changes_no_cpu_time():
    slowness = [-0.11, -0.04, -0.06, -0.09, -0.02, -0.1]
    logs = [0.16 + 0.9 * each for each in slowness]
    assert at_one_speed(logs, slowness) == logs
    by_chance = [each + 0.07 for each in slowness]
    assert statistics.mean(at_one_speed(logs, by_chance)) == pytest.approx(statistics.mean(logs))


def test_rounds_are_grouped_by_the_start_of_their_processes(make_slice):
    mode, baseline = sides_of(make_slice, 1.1, [1.0] * 6, [1.0] * 6)
    again = replace(mode[0].live, folder=mode[0].live.folder.with_name(f"{mode[0].live.mode}-2"))
    for each in mode[4:]:
        each.live = again
    assert [len(of) for of in logs_of_variants(mode, baseline)[CPU]] == [4, 2]
    assert mode[5].row()["start"] == 2
