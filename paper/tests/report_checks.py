"""Checks that hold for every report: no slips, no dead links, all sections and tables."""

import csv
import re
from collections import Counter
from pathlib import Path

import yaml

PAPER = Path(__file__).resolve().parents[1]
GUIDE = yaml.safe_load((PAPER.parent / "analysis/guide.yaml").read_text(encoding="utf-8"))
# The first page has these at most, see R/findings.R.
FIRST = GUIDE["findings"][:8]

# R prints these where a value is missing and no code handles it.
SLIPS = re.compile(r"\bNA\b|\bNaN\b|\bInf\b|\bNULL\b|character\(0\)|\(\)|\?\?|@(fig|tbl|sec|eq)-")
# The report shows modes and claims in tables of its own, and says how hosts lie in a sentence.
NOT_SHOWN = {"modes.csv", "grid.csv", "claims.csv", "hosts-left-out.csv", "problems.csv"}


def is_valid(row):
    """Whether all values of a cell count, those of its latency too."""
    valid = row["valid"].lower() == row["latency_valid"].lower() == "true"
    return valid and row["outcome"] == "completed"


# How often the page shows a row of a file: once where nothing is said.
SHOWN = {
    # Values that clients saw and servers used; and why a cell does not count.
    "summary.csv": lambda row: 2 if is_valid(row) else 3,
    "slices.csv": lambda row: row["kept"].lower() == "false",
    "cpu-groups.csv": lambda row: float(row["samples"]) > 0,
}


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def slips(text):
    """Traces of a missing value in a text, with what stands around them."""
    return [text[max(0, found.start() - 40) : found.end() + 20] for found in SLIPS.finditer(text)]


def dead_links(page):
    inside = {target[1:] for target in page.targets if target.startswith("#")}
    return inside - page.identifiers


def wrong_tables(page, results):
    """Files of which the page does not show the rows that there are: shown, and expected."""
    shown = Counter()
    for file, table in page.files:
        shown[file] += len(table) - 1
    expected = {}
    for path in (*results.glob("*.csv"), *results.glob("primitives/*.csv")):
        name = path.relative_to(results).as_posix()
        if name not in NOT_SHOWN:
            expected[name] = sum(SHOWN.get(name, lambda _: 1)(row) for row in rows_of(path))
    return {name: (shown[name], count) for name, count in expected.items() if shown[name] != count}


def problems(results):
    """Rows on all that could not be read, computed or written, by all verbs."""
    return rows_of(results / "problems.csv")


def headings(part):
    """Headings of the pages of the report, in `sections` or in the `supplement` of the HTML."""
    lines = (PAPER / "report.qmd").read_text(encoding="utf-8").splitlines()
    line = next(line for line in lines if line.startswith(f"{part} <- "))
    files = [PAPER / f"{name}.qmd" for name in re.findall(r'"([a-z-]+)"', line)]
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    found = re.findall(r"^#+ (.*?) \{", text, re.MULTILINE)
    assert len(found) > 5
    return found


def alike(text):
    """Without marks of Markdown, and with straight apostrophes as pandoc found them."""
    return text.replace("`", "").replace("\u2019", "'")


def as_reason(finding):
    """The beginning of the sentence on a finding that does not hold."""
    topic = alike(finding["topic"])
    return f"{topic[:1].upper()}{topic[1:]}: "


def not_once(text):
    """Findings that the first page does not have once: as an item, or with the reason why not."""
    page = alike(text).partition("How many requests a Java service answers")[2]
    page = page.partition("The report rests on")[0]
    unmeasured = page.partition("This run did not measure: ")[2]
    return [
        each["id"]
        for each in FIRST
        if page.count(f"{alike(each['title'])}. ")
        + page.count(as_reason(each))
        + len(re.findall(f"{re.escape(alike(each['topic']))}[;.]", unmeasured))
        != 1
    ]


def without_words(text, results):
    """Findings that do not hold, and of which no sentence says why."""
    holds = {row["finding"]: row["holds"] for row in rows_of(results / "findings.csv")}
    return [
        each["id"]
        for each in GUIDE["findings"]
        if holds.get(each["id"]) != "yes" and as_reason(each) not in alike(text)
    ]


def report_faults(page, pdf, results):
    """Faults of a page and of the words of its PDF, empty where it was not printed."""
    texts = [text for text in (page.text, pdf) if text]
    absent = [title for text in texts for title in headings("sections") if title not in text]
    faults = {
        "problems": problems(results),
        "sections": absent + [title for title in headings("supplement") if title not in page.text],
        "slips": [slip for text in (*texts, *page.alternatives) for slip in slips(text)],
        "figures without words": [words for words in page.alternatives if not words],
        "fetched": page.fetched,
        "dead links": dead_links(page),
        "tables without a row": [table for table in page.tables if len(table) < 2],
        "rows": wrong_tables(page, results),
        "findings": [name for text in texts for name in not_once(text)],
        "reasons": [name for text in texts for name in without_words(text, results)],
    }
    return {name: found for name, found in faults.items() if found}
