"""What a budget of minutes is spent on, in which order, and that an interruption loses nothing."""

import csv
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from analysis import budget
from workloads.grid import LATER_LOOKS_AT_MOST, Grid, further_of

CONFIG = yaml.safe_load((Path(__file__).parents[2] / "config.yaml").read_text())
BASE = CONFIG["repetitions"]
COLUMNS = ["use", "study", "mode", "verdict", "pairs", "repetitions_needed"]
SOCKETS, REMOTE = (
    ("request-threads", "thread-per-request"),
    ("blocking-remote", "pool-200-blocking"),
)


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A results folder whose guide has these rows; sessions take a minute each."""

    def make(*rows):
        with (tmp_path / "guide.csv").open("w", newline="") as file:
            table = csv.writer(file)
            table.writerow(COLUMNS)
            table.writerows(rows)
        monkeypatch.setattr(budget.time, "monotonic", clock := Clock())
        known = budget.known_of(tmp_path / "cells", [])
        known.session_s = lambda path, cells: 60
        monkeypatch.setattr(budget, "known_of", lambda cells, shipped: known)
        ran = []

        def run(words, **more):
            ran.append(words)
            # The first measures what is configured, which no budget pays for.
            clock.now_s += 60 * (len(ran) > 1)
            return subprocess.CompletedProcess(words, clock.code)

        monkeypatch.setattr(budget.subprocess, "run", run)
        return tmp_path, ran, clock

    return make


class Clock:
    now_s, code = 0.0, 0

    def __call__(self):
        return self.now_s


def spend(results, minutes, *words):
    """The exit code. Without a schema's path, which a temporary folder has not."""
    grid = Grid(CONFIG, further_of(results))
    grid.config = CONFIG | {"results": str(results), "budget_minutes": minutes}
    with pytest.raises(SystemExit) as end:
        budget.spend(grid, ["snakemake", *words, "--config", f"budget_minutes={minutes}"])
    return end.value.code


def added(results):
    with (results / "further.csv").open(newline="") as file:
        return [
            (row["study"], row["group"], int(row["repetition"])) for row in csv.DictReader(file)
        ]


def row(mode, needed, verdict="undecided", study="request-threads", use="metric"):
    return [use, study, mode, verdict, BASE, needed]


FAR = row("fixed-pool", 9)
NEAR = row("virtual-threads", BASE + 1, study="blocking-remote")


def test_nearest_group_comes_first_until_the_minutes_are_spent(place):
    results, ran, _ = place(FAR, NEAR)
    assert spend(results, 2.5) == 0
    assert added(results) == [(*REMOTE, BASE + 1), (*REMOTE, BASE + 2)]
    # Once as configured, and once for each session.
    assert ran == [[sys.executable, "-m", "snakemake"]] * 3


def test_group_is_looked_at_again_so_often_and_no_more(place):
    results, _, _ = place(FAR, NEAR)
    assert spend(results, 100) == 0
    found = added(results)
    assert [group[:2] for group in found] == [REMOTE] * 5 + [SOCKETS] * 5
    assert max(repetition for *_, repetition in found) == BASE + LATER_LOOKS_AT_MOST


def test_nothing_is_added_where_all_is_decided_or_out_of_reach(place):
    rows = [
        row("fixed-pool", "", "higher"),
        row("event-loop", "Inf"),
        row("fixed-pool", 4, use="price"),
    ]
    results, ran, _ = place(*rows)
    assert spend(results, 100) == 0
    # But the base has its part of the error.
    assert (added(results), further_of(results), len(ran)) == ([], {}, 1)


def test_interrupted_run_goes_on_with_the_session_that_it_had_added(place):
    results, ran, clock = place(NEAR)
    run = budget.run

    def killed(words):
        run(words)
        if len(ran) == 2:
            raise KeyboardInterrupt

    budget.run = killed
    try:
        with pytest.raises(KeyboardInterrupt):
            spend(results, 10)
    finally:
        budget.run = run
    assert added(results) == [(*REMOTE, BASE + 1)]
    cells = [cell for cell in Grid(CONFIG, further_of(results)).cells if cell.repetition > BASE]
    assert {(cell.study, cell.repetition) for cell in cells} == {("blocking-remote", BASE + 1)}
    spend(results, 1)
    assert added(results) == [(*REMOTE, BASE + 1), (*REMOTE, BASE + 2)]


def test_failure_ends_it(place):
    results, ran, clock = place(NEAR)
    clock.code = 3
    assert spend(results, 10) == 3
    assert len(ran) == 1


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (["--cores", "4", "--config", "budget_minutes=9"], ["--cores", "4"]),
        (["--config", "budget_minutes=9", "seed=2"], ["--config", "seed=2"]),
        (["--config", "budget_minutes=9", "--", "check"], ["--", "check"]),
        (["-C", "seed=2", "budget_minutes=9", "-k"], ["-C", "seed=2", "-k"]),
    ],
)
def test_run_is_asked_for_as_before_but_for_the_budget(given, kept):
    assert budget.without_budget(["snakemake", *given]) == [
        sys.executable,
        "-m",
        "snakemake",
        *kept,
    ]


def test_dry_run_adds_nothing(place):
    results, ran, _ = place(NEAR)
    assert spend(results, 10, "-n") == 0
    assert not (results / "further.csv").exists()
    assert ran == [[sys.executable, "-m", "snakemake", "-n"]]


def test_repetitions_say_whether_groups_are_looked_at_again():
    assert Grid(CONFIG).repetitions_table() == f"base,later_looks\n{BASE},0\n"
    table = Grid(CONFIG, {}).repetitions_table()
    assert table == f"base,later_looks\n{BASE},{LATER_LOOKS_AT_MOST}\n"
