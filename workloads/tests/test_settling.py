"""Changes of level are found in series that have one, and seldom in those that have none."""

import csv
import gzip
import random

import pytest

from workloads.record import settling
from workloads.record.validity import moved


def noise(count, spread, seed):
    """Multiplicative, skewed to the right as latencies are."""
    randomly = random.Random(seed)
    return [randomly.lognormvariate(0, spread) for _ in range(count)]


def alarms(series):
    return [moved(settling.change(values, 0)) for values in series]


@pytest.mark.parametrize("spread", [0.1, 1.0])
def test_flat_series_pass_whatever_their_noise(spread):
    assert sum(alarms(noise(30, spread, seed) for seed in range(200))) <= 0.01 * 200


def test_flat_series_pass_where_neighbours_are_alike():
    """Values as queues make them: half of what is above the mean stays for the next part."""

    def smoothed(values):
        level, kept = 1.0, []
        for value in values:
            level = 0.5 * level + 0.5 * value
            kept.append(level)
        return kept

    # Smoothed they vary by 10 %.
    assert sum(alarms(smoothed(noise(30, 0.17, seed)) for seed in range(200))) <= 0.02 * 200


COURSES = {
    "rises late": [1.0] * 20 + [2.0] * 10,
    "grows as a queue does": [1 + part / 30 for part in range(30)],
}


@pytest.mark.parametrize("course", COURSES.values(), ids=COURSES)
def test_a_step_or_a_ramp_is_caught_under_noise(course):
    series = [
        [level * factor for level, factor in zip(course, noise(30, 0.1, seed), strict=True)]
        for seed in range(100)
    ]
    assert sum(alarms(series)) >= 95


def test_a_step_is_found_where_it_is():
    found = settling.change([3.0] * 12 + [2.0] * 18, 0)
    assert found["at"] == 0.4
    # the mean of the whole is 2.4, the level after the step 2
    assert found["shift"] == pytest.approx(0.2)


def test_a_pause_and_a_change_that_is_small_early_or_within_the_clock_are_none():
    values = noise(30, 0.05, 1)
    values[3] = 50.0
    assert not moved(settling.change(values, 0))
    assert not moved(settling.change([1.1] * 15 + [1.0] * 15, 0))
    assert not moved(settling.change([2.0] * 4 + [1.0] * 26, 0))
    assert not moved(settling.change([2.0] * 15 + [1.4] * 15, resolution=1))
    assert settling.change([2.0] * 9 + [1.0] * 8, 0) is None


def write_samples(folder, samples):
    """Rows of (start, elapsed, users alive), times in ms."""
    with gzip.open(folder / "samples.csv.gz", "wt", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["timeStamp", "elapsed", "allThreads"])
        writer.writerows(samples)


def test_users_who_come_and_go_are_left_out(tmp_path):
    coming = [(10 * user, 50, user) for user in range(1, 9)]
    there = [(100 + 10 * request, 20, 10) for request in range(300)]
    going = [(3200 + 10 * user, 90, 10 - user) for user in range(2, 10)]
    write_samples(tmp_path, coming + there + going)
    found = settling.settling(tmp_path, {"concurrency_offered": 10})
    # those who are still coming and already going overlap with the others a little
    assert abs(found["latency"]["shift"]) < 0.02
    assert not moved(found["throughput"])


def test_loads_too_short_to_tell_are_not_judged(tmp_path):
    write_samples(tmp_path, [(n, 20, 5) for n in range(15)])
    found = settling.settling(tmp_path, {"concurrency_offered": 5})
    assert found == {"latency": None, "throughput": None}
    assert settling.settling(tmp_path / "wrk2", {}) == {"latency": None, "throughput": None}


def settling_of_series(folder, rows, duration_s):
    header = "time_s,due,sent,completed,errors,p50_us,p99_us,max_us"
    (folder / "series.csv").write_text("\n".join([header, *rows, ""]))
    return settling.settling(folder, {"duration_s": duration_s})


def test_open_loop_is_read_from_its_series_within_the_window(tmp_path):
    rows = [f"{n / 10},10,10,10,0,{1000 if n < 15 else 2000},3000,4000" for n in range(30)]
    # what came after the window drained a backlog
    rows += ["3.0,0,0,500,0,9000,9000,9000", "3.1,0,0,0,0,,,"]
    found = settling_of_series(tmp_path, rows, 3.0)
    assert found["latency"]["at"] == 0.5
    assert found["latency"]["shift"] == pytest.approx(-0.25)
    assert not moved(found["throughput"])


@pytest.mark.parametrize(("drift", "moves"), [(1.0, False), (1.5, True)])
def test_level_that_rises_and_falls_by_design_has_settled(tmp_path, drift, moves):
    """A log file is read for a second and then not for two, twice in a load of six seconds."""
    rows = []
    for n in range(120):
        level_us = (5000 if n % 60 < 20 else 20000) * (drift if n >= 60 else 1) + n % 7
        rows.append(f"{n / 20},10,10,{12 if n % 60 < 20 else 9},0,{level_us},9999,9999")
    assert moved(settling_of_series(tmp_path, rows, 6.0)["latency"])
    found = settling.settling(tmp_path, {"duration_s": 6.0}, period_s=3)
    assert moved(found["latency"]) is moves
    assert not moved(found["throughput"])


def test_open_loop_has_no_answers_before_the_first_could_come(tmp_path):
    rows = [f"{n / 10},10,10,0,0,,," for n in range(10)]
    rows += [f"{n / 10},10,10,10,0,1000000,1000000,1000000" for n in range(10, 40)]
    assert settling_of_series(tmp_path, rows, 4.0)["throughput"]["shift"] == 0
