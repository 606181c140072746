"""Looks: which comparisons get a session more, as they are undecided and minutes are left."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path


def chosen(
    undecided: Mapping[str, int], took_s: Mapping[str, Sequence[float]], minutes: float
) -> list[str]:
    """Comparisons that get a further session, in the order in which they pay.

    `undecided`: how many primaries of each comparison are not decided, by `study/comparison`.
    `took_s`: how long each session of the run took that was planned. A further one takes as long as
    the longest of its comparison, and must fit into what is left of `minutes`. The choice rests on
    planned sessions alone, so that it is the same when further ones are measured.
    """
    left_s = 60 * minutes - sum(map(sum, took_s.values()))
    expected_s = {name: max(took_s[name]) for name in undecided if took_s.get(name)}
    found = []
    for name in sorted(expected_s, key=lambda name: (expected_s[name] / undecided[name], name)):
        if expected_s[name] <= left_s:
            left_s -= expected_s[name]
            found.append(name)
    return found


def undecided_of(table: Path) -> dict[str, int]:
    """From a table of study, comparison and undecided."""
    with table.open(newline="") as file:
        return {
            f"{row['study']}/{row['comparison']}": int(row["undecided"])
            for row in csv.DictReader(file)
        }


def took_of(records: Iterable[Path]) -> dict[str, list[float]]:
    """How long sessions took, from their records: <study>/<comparison>/rep-<n>.json."""
    found: dict[str, list[float]] = {}
    for record in records:
        name = "/".join(record.parts[-3:-1])
        found.setdefault(name, []).append(float(json.loads(record.read_text())["wall_s"]))
    return found
