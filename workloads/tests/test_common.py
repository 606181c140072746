"""What the rules tell a session of the run that it is a part of."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from workloads.experiment.grid import Cell, Session

RULES = Path(__file__).parents[1] / "common.smk"


def session(comparison, repetition, cells):
    names = (f"mode-{number}" for number in range(cells))
    of = tuple(Cell("a-study", mode, "low", "jmeter", repetition) for mode in names)
    return Session("a-study", comparison, repetition, of)


SESSIONS = [session("pools", 1, 3), session("threads", 1, 4), session("pools", 2, 2)]
RECORD = "results/sessions/{}.json"


@pytest.mark.parametrize(
    ("targets", "session", "of", "before"),
    [
        ([], SESSIONS[0], 9, 0),
        ([], SESSIONS[2], 9, 7),
        (["results/modes.csv"], SESSIONS[1], 9, 3),
        ([RECORD.format("a-study/threads/rep-1")], SESSIONS[1], 4, 0),
        ([RECORD.format(each.path) for each in SESSIONS[1:]], SESSIONS[2], 6, 4),
        # A cell by itself, and a session of a repetition that is not in the grid.
        (["a cell"], replace(SESSIONS[1], cells=SESSIONS[1].cells[:1]), 1, 0),
        ([], session("threads", 9, 4), 4, 0),
    ],
)
def test_progress_counts_the_cells_that_the_command_line_requests(targets, session, of, before):
    settings = SimpleNamespace(targets=targets)
    rules = {
        "GRID": SimpleNamespace(sessions=SESSIONS),
        "RESULTS": "results",
        "workflow": SimpleNamespace(dag_settings=settings),
    }
    exec(compile(RULES.read_text(), RULES, "exec"), rules)
    assert rules["requested"](session) == {"of": of, "before": before}
