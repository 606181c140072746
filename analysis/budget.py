"""Spends minutes on sessions that may decide what the guide leaves undecided.

    snakemake --cores 4 --config budget_minutes=60

First everything is measured as configured. Then one session at a time is added to the group that
has the comparison of the guide nearest to a decision, and all is computed again, until the minutes
do not suffice for another. further.csv in the results lists the added sessions: a run that was
interrupted goes on with the last of them. Their number is bounded, since each is a look at the
results, for which intervals are corrected (R/looks.R).
"""

from __future__ import annotations

import csv
import math
import os
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

from workloads.grid import LATER_LOOKS_AT_MOST, Grid, further_of
from workloads.plan import known_of

KEY = "budget_minutes"
COLUMNS = ("time", "study", "group", "repetition")
Group = tuple[str, str]


def spend(grid: Grid, argv: list[str]) -> NoReturn:
    """Runs Snakemake with these words, again and again, instead of the run that was asked for."""
    words = without_budget(argv)
    if {"-n", "--dry-run", "--dryrun"} & set(words):
        sys.exit(subprocess.run(words).returncode)
    results, minutes = Path(grid.config["results"]), float(grid.config[KEY])
    # Before the first look: what is decided there has its part of the error.
    begin(results / "further.csv")
    run(words)
    end_s = time.monotonic() + 60 * minutes
    while group := next_group(grid, results, (end_s - time.monotonic()) / 60):
        repetition = grid.config["repetitions"] + looks_at(grid, results, group) + 1
        add(results / "further.csv", group, repetition)
        print(f"looking again: {'/'.join(group)}, session {repetition}", flush=True)
        run(words)
    sys.exit(0)


def without_budget(argv: list[str]) -> list[str]:
    """The words of a run without the budget; the program as this one was started."""
    words = [word for word in argv[1:] if not word.startswith(f"{KEY}=")]
    # An option without a value takes the word behind it for one.
    kept = [
        word
        for word, after in zip(words, [*words[1:], "-"], strict=True)
        if not (word in ("--config", "-C") and after.startswith("-"))
    ]
    return [sys.executable, "-m", "snakemake", *kept]


def run(words: list[str]) -> None:
    code = subprocess.run(words).returncode
    if code:
        sys.exit(code)


def begin(path: Path) -> None:
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(",".join(COLUMNS) + "\n")


def add(path: Path, group: Group, repetition: int) -> None:
    """A line, on the disk before anything is measured."""
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    with path.open("a", newline="") as file:
        csv.writer(file, lineterminator="\n").writerow([now, *group, repetition])
        file.flush()
        os.fsync(file.fileno())


def looks_at(grid: Grid, results: Path, group: Group) -> int:
    """How often a group was looked at again."""
    added = (further_of(results) or {}).get(group, set())
    return sum(repetition > grid.config["repetitions"] for repetition in added)


def next_group(grid: Grid, results: Path, minutes: float) -> Group | None:
    """The group with the comparison that lacks the fewest sessions, if there is time for one."""
    known = known_of(results / "cells", Path("analysis").glob("*/reference.json"))
    for group in ranked(grid, results / "guide.csv"):
        sessions = [each for each in grid.sessions if (each.study, each.group) == group]
        if looks_at(grid, results, group) >= LATER_LOOKS_AT_MOST or not sessions:
            continue
        if known.session_s(sessions[-1].path, len(sessions[-1].cells)) <= 60 * minutes:
            return group
    return None


def ranked(grid: Grid, guide: Path) -> list[Group]:
    """The groups with undecided comparisons in the guide, the nearest to a decision first."""
    nearest: dict[Group, float] = {}
    with guide.open(newline="") as file:
        for row in csv.DictReader(file):
            if row["use"] != "metric" or row["mode"] not in grid.groups.get(row["study"], {}):
                continue
            group = (row["study"], grid.groups[row["study"]][row["mode"]])
            nearest[group] = min(nearest.get(group, math.inf), sessions_lacking(row))
    lacking = {group: count for group, count in nearest.items() if math.isfinite(count)}
    return sorted(lacking, key=lambda group: lacking[group])


def sessions_lacking(row: dict[str, str]) -> float:
    """Infinite where the comparison is decided, or more sessions would not decide it."""
    if row["verdict"] == "one session":
        return 1
    needed = row["repetitions_needed"]
    if row["verdict"] != "undecided" or needed in ("", "NA", "Inf"):
        return math.inf
    return float(needed) - float(row["pairs"])
