"""Checks that hold for every report: no slips, no dead links, all rows of all tables."""

import csv
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from paper.tests.page import Page

# R prints these where a value is missing and no code handles it.
SLIPS = re.compile(r"\bNA\b|\bNaN\b|\bInf\b|\bNULL\b|character\(0\)|\(\)|\?\?|@(fig|tbl|sec|eq)-")
# The report shows modes and the measured part of the claims in tables of their own.
NOT_SHOWN = {"modes.csv", "grid.csv", "claims.csv", "compare.csv"}
Row = dict[str, str]


def is_valid(row: Row) -> bool:
    """Whether all values of a cell count, those of its latency too."""
    valid = row["valid"].lower() == row["latency_valid"].lower() == "true"
    return valid and row["outcome"] == "completed"


# How often the page shows a row of a file: once where nothing is said.
SHOWN: dict[str, Callable[[Row], int]] = {
    # Values that clients saw and servers used; and why a cell does not count.
    "summary.csv": lambda row: 2 if is_valid(row) else 3,
    "slices.csv": lambda row: row["kept"].lower() == "false",
    "cpu-groups.csv": lambda row: float(row["samples"]) > 0,
}


def rows_of(path: Path) -> list[Row]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def slips(text: str) -> list[str]:
    """Traces of a missing value in a text, with what stands around them."""
    return [text[max(0, found.start() - 40) : found.end() + 20] for found in SLIPS.finditer(text)]


def dead_links(page: Page) -> set[str]:
    inside = {target[1:] for target in page.targets if target.startswith("#")}
    return inside - page.identifiers


def wrong_tables(page: Page, results: Path) -> dict[str, tuple[int, int]]:
    """Files of which the page does not show the rows that there are: shown, and expected."""
    shown = Counter[str]()
    for file, table in page.files:
        shown[file] += len(table) - 1
    paths = [*results.glob("*.csv"), *(results / "primitives").glob("[pt]*.csv")]
    names = {path.relative_to(results).as_posix(): path for path in paths}
    expected = {
        name: sum(SHOWN.get(name, lambda _: 1)(row) for row in rows_of(path))
        for name, path in names.items()
        if name not in NOT_SHOWN
    }
    return {name: (shown[name], count) for name, count in expected.items() if shown[name] != count}
