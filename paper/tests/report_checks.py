"""Checks that hold for every report: no slips, no dead links, all sections and tables."""

import csv
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import yaml

from paper.tests.page import Page

PAPER = Path(__file__).resolve().parents[1]
GUIDE = yaml.safe_load((PAPER.parent / "analysis/guide.yaml").read_text(encoding="utf-8"))
# The first page has these at most, see R/findings.R.
FIRST = GUIDE["findings"][:8]

# R prints these where a value is missing and no code handles it.
SLIPS = re.compile(r"\bNA\b|\bNaN\b|\bInf\b|\bNULL\b|character\(0\)|\(\)|\?\?|@(fig|tbl|sec|eq)-")
# The report shows modes and the measured part of the claims in tables of their own.
NOT_SHOWN = {"modes.csv", "grid.csv", "claims.csv", "compare.csv", "problems.csv"}
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
    paths = [*results.glob("*.csv"), *(results / "primitives").glob("*.csv")]
    names = {path.relative_to(results).as_posix(): path for path in paths}
    expected = {
        name: sum(SHOWN.get(name, lambda _: 1)(row) for row in rows_of(path))
        for name, path in names.items()
        if name not in NOT_SHOWN
    }
    return {name: (shown[name], count) for name, count in expected.items() if shown[name] != count}


def problems(results: Path) -> list[Row]:
    """Rows on all that could not be read, computed or written, by all verbs."""
    return rows_of(results / "problems.csv")


def headings(part: str) -> list[str]:
    """Headings of the pages of the report, in `sections` or in the `supplement` of the HTML."""
    line = next(
        line
        for line in (PAPER / "report.qmd").read_text(encoding="utf-8").splitlines()
        if line.startswith(f"{part} <- ")
    )
    texts = [
        (PAPER / f"{name}.qmd").read_text(encoding="utf-8")
        for name in re.findall(r'"([a-z-]+)"', line)
    ]
    found = re.findall(r"^#+ (.*?) \{", "\n".join(texts), re.MULTILINE)
    assert len(found) > 5
    return found


def alike(text: str) -> str:
    """Without marks of Markdown, and with straight apostrophes as pandoc found them."""
    return text.replace("`", "").replace("\u2019", "'")


def not_once(text: str) -> list[str]:
    """Findings that the first page does not have once: as an item, or with the reason why not."""
    page = alike(text).partition("How many requests a Java service answers")[2]
    page = page.partition("The report rests on")[0]
    unmeasured = page.partition("This run did not measure: ")[2]
    names = {
        each["id"]: (f"{alike(each['title'])}. ", f"{capitalised(alike(each['topic']))}: ")
        for each in FIRST
    }
    listed = {
        each["id"]: re.findall(f"{re.escape(alike(each['topic']))}[;.]", unmeasured)
        for each in FIRST
    }
    return [
        name
        for name, (title, topic) in names.items()
        if page.count(title) + page.count(topic) + len(listed[name]) != 1
    ]


def capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def without_words(text: str, results: Path) -> list[str]:
    """Findings that do not hold, and of which no sentence says why."""
    holds = {row["finding"]: row["holds"] for row in rows_of(results / "findings.csv")}
    return [
        each["id"]
        for each in GUIDE["findings"]
        if holds.get(each["id"]) != "yes"
        and f"{capitalised(alike(each['topic']))}: " not in alike(text)
    ]


def empty_tables(page: Page) -> list[list[list[str]]]:
    """Tables without a row below their header."""
    return [table for table in page.tables if len(table) < 2]
