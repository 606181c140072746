"""Which comparisons get a further session."""

import json
from pathlib import Path

import pytest

from workloads.experiment.looks import chosen, took_of, undecided_of

TOOK_S = {"a/one": [600.0, 590.0], "a/two": [100.0, 120.0], "b/three": [300.0, 300.0]}
# 2,010 s.
USED_MIN = sum(map(sum, TOOK_S.values())) / 60


@pytest.mark.parametrize(
    ("left_s", "expected"),
    [
        (119, []),
        (120, ["a/two"]),
        # The first that pays, and what fits next to it.
        (419, ["a/two"]),
        (420, ["a/two", "b/three"]),
        (1020, ["a/two", "b/three", "a/one"]),
        (719, ["a/two", "b/three"]),
    ],
)
def test_a_session_is_chosen_where_it_fits(left_s: float, expected: list[str]) -> None:
    undecided = dict.fromkeys(TOOK_S, 1)
    assert chosen(undecided, TOOK_S, USED_MIN + left_s / 60) == expected


def test_what_decides_most_a_second_comes_first() -> None:
    assert chosen({"a/one": 6, "a/two": 1}, TOOK_S, USED_MIN + 10) == ["a/one"]
    assert chosen({"a/one": 4, "a/two": 1}, TOOK_S, USED_MIN + 10) == ["a/two"]


def test_nothing_is_chosen_without_time_or_without_an_open_primary() -> None:
    assert chosen(dict.fromkeys(TOOK_S, 1), TOOK_S, 0) == []
    assert chosen({}, TOOK_S, 1000) == []
    # A comparison without a session has no expected time.
    assert chosen({"c/none": 1}, TOOK_S, 1000) == []


def test_tables_and_records_are_read(tmp_path: Path) -> None:
    table = tmp_path / "undecided.csv"
    table.write_text("study,comparison,undecided\na,one,3\n")
    assert undecided_of(table) == {"a/one": 3}
    records = [tmp_path / f"sessions/a/one/rep-{n}.json" for n in (1, 2)]
    records[0].parent.mkdir(parents=True)
    for n, record in enumerate(records):
        record.write_text(json.dumps({"wall_s": 10 + n}))
    assert took_of(records) == {"a/one": [10.0, 11.0]}
