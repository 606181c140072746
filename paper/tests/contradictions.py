"""Sentences of a report that its own tables contradict.

`contradictions` reads what a reader reads, a page's text and tables, beside the results that the
page was made of. Each rule is a mistake that a report once had.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from pathlib import Path

Rows = list[dict[str, str]]
# A table of a page: rows of cells, its header first.
Table = list[list[str]]

# A sentence that there is none, the table that could list some, and which of its rows are one.
# What the sentence names is compared with the row.
NONE: list[tuple[str, str, Callable[[dict[str, str], str], bool]]] = [
    (
        r"No mode has a valid ([\w ]+?) under both loops at one tier",
        "loops",
        lambda row, title: bool(row["estimate"]) and TITLES.get(row["statistic"]) == title,
    ),
    (
        r"(No mode was measured validly under both loops)",
        "loops",
        lambda row, _: bool(row["estimate"]),
    ),
    (
        r"(No comparison is undecided)",
        "comparisons",
        lambda row, _: row["verdict"] in ("undecided", "one session"),
    ),
    (r"(No mode was measured against itself)", "twins", lambda row, _: True),
    (
        r"(No session was repeated)",
        "comparisons",
        lambda row, _: all(row[key] for key in ("spread", "within")) and float(row["spread"]) > 0,
    ),
]
TITLES = {
    "throughput_per_s": "throughput",
    "latency_mean_ms": "mean latency",
    "latency_p50_ms": "median latency",
    "latency_p99_ms": "99th percentile of latency",
    "cpu_us_per_request": "CPU time per request",
}
LOOPS = (
    r"loop the ([\w ]+?) was higher than under the closed one in (\d+) of (\d+) modes and tiers, "
    r"lower in (\d+)"
)
VERDICTS = ("confirmed", "contradicted", "not decided", "not testable here")
# Both ends of an interval within this factor of one number.
AGREES_WITHIN = 1.25
# What the guide has in place of a mode.
NO_WINNER = ("not decided", "no difference", "not comparable")
# An interval, a bound, or that there is no baseline to take a ratio to.
WITH_INTERVAL = re.compile(r"\[|at least|at most|does not keep up")
INTERVAL = re.compile(r"\[([\d.,]+), ([\d.,]+)\]")
# Rules are printed with three digits.
PRINTED_WITHIN = 0.01


def results_of(folder: Path) -> dict[str, Rows]:
    """What a page is compared with; a table that is not there has no rows."""

    def read(name: str) -> Rows:
        path = folder / f"{name}.csv"
        return list(csv.DictReader(path.open(newline=""))) if path.exists() else []

    found = {name: read(name) for name in ("summary", "comparisons", "loops", "claims", "modes")}
    twins = {row["mode"]: row["of"] for row in found["modes"] if row["variant"] == "twin"}
    found["twins"] = [
        row for row in found["comparisons"] if twins.get(row["mode"]) == row["versus"]
    ]
    return found


def contradictions(text: str, tables: list[Table], results: dict[str, Rows]) -> list[str]:
    """One line for each; the text has single spaces."""
    rules = (nothing_there, counts, advice_in_force, wide_agreement, wide_verdict, bare_winner)
    return [fault for rule in rules for fault in rule(text, tables, results)]


def nothing_there(text: str, _: list[Table], results: dict[str, Rows]) -> Iterator[str]:
    """There is none of something that a table lists."""
    for sentence, name, is_one in NONE:
        for found in re.finditer(sentence, text):
            there = [row for row in results[name] if is_one(row, found[1])]
            if there:
                yield f"{found[0]!r}, and {name} has {len(there)}"


def counts(text: str, _: list[Table], results: dict[str, Rows]) -> Iterator[str]:
    """A sentence counts otherwise than the table."""
    for found in re.finditer(LOOPS, text):
        rows = [
            row
            for row in results["loops"]
            if row["estimate"] and TITLES.get(row["statistic"]) == found[1]
        ]
        told = [int(number) for number in found.groups()[1:]]
        higher, lower = (sum(row["verdict"] == way for row in rows) for way in ("higher", "lower"))
        if told != [higher, len(rows), lower]:
            yield f"{found[0]!r}, and loops has {higher} of {len(rows)}, {lower}"
    for found in re.finditer(r"Of [\d,]+ (conclusion|ratio|figure)s?\b[^.]*\.", text):
        of_kind = {row["verdict"] for row in results["claims"] if row["kind"] == found[1]}
        told_of = {verdict for verdict in VERDICTS if re.search(rf"\b{verdict}\b", found[0])}
        if told_of and told_of != of_kind:
            yield f"{found[0]!r}, and claims has {sorted(of_kind)}"


def advice_in_force(text: str, _: list[Table], results: dict[str, Rows]) -> Iterator[str]:
    """Advice to measure as many repetitions as were measured."""
    measured = max((int(row["repetition"]) for row in results["summary"]), default=0)
    for found in re.finditer(r"--config repetitions=(\d+)", text):
        if int(found[1]) <= measured:
            yield f"{found[0]!r}, and {measured} were measured"


def wide_agreement(_: str, tables: list[Table], __: dict[str, Rows]) -> Iterator[str]:
    """What agrees because its interval is wide."""
    for row in (row for table in tables for row in table[1:] if "agrees" in row):
        for low, high in INTERVAL.findall(" ".join(row)):
            if number(high) > AGREES_WITHIN**2 * (1 + PRINTED_WITHIN) * number(low):
                yield f"agrees with an interval of {low} to {high}: {row}"


def wide_verdict(_: str, __: list[Table], results: dict[str, Rows]) -> Iterator[str]:
    """A claim that is confirmed, or contradicted, though its interval crosses the rule."""
    for row in results["claims"]:
        if not row["low"] or row["verdict"] not in ("confirmed", "contradicted"):
            continue
        low, high = region_of(row["rule"])
        ends = float(row["low"]), float(row["high"])
        inside = low <= ends[0] and ends[1] <= high
        outside = ends[1] < low or ends[0] > high
        # The ends of a region belong to it or not.
        if not (inside if row["verdict"] == "confirmed" else outside or on_edge(ends, low, high)):
            yield f"{row['id']} is {row['verdict']} with {ends}, and its rule is {row['rule']}"


def on_edge(ends: tuple[float, float], low: float, high: float) -> bool:
    return ends[1] <= low * (1 + PRINTED_WITHIN) or ends[0] >= high * (1 - PRINTED_WITHIN)


def region_of(rule: str) -> tuple[float, float]:
    """Where a rule's text says that the figure must lie, a little wider than it is printed."""
    numbers = [number(word) for word in re.findall(r"-?\d[\d.,]*(?:e-?\d+)?", rule)]
    slack = PRINTED_WITHIN * max(map(abs, numbers))
    if " to " in rule:
        return numbers[0] - slack, numbers[1] + slack
    if rule.startswith(("at least", "above")):
        return numbers[0] - slack, float("inf")
    return float("-inf"), numbers[0] + slack


def bare_winner(_: str, tables: list[Table], __: dict[str, Rows]) -> Iterator[str]:
    """A winner of the guide whose ratio has no interval."""
    for header, *rows in filter(None, tables):
        if not {"Situation", "Baseline", "Best", "Ratio"} <= set(header):
            continue
        baseline = ""
        for row in (dict(zip(header, cells, strict=False)) for cells in rows):
            baseline = row["Baseline"].strip() or baseline
            best = row["Best"].strip()
            if best in (*NO_WINNER, baseline):
                continue
            if not WITH_INTERVAL.search(row["Ratio"]):
                yield f"{best} wins without an interval: {row['Ratio']!r}"


def number(text: str) -> float:
    return float(text.replace(",", "").replace("−", "-"))
