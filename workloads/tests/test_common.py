"""The rules give a session the facts on the run that it is a part of."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from workloads.experiment.grid import Cell, Session
from workloads.machine import provenance
from workloads.record import cell_folder

RULES = Path(__file__).parents[1] / "common.smk"


def session(comparison, repetition, cells):
    names = (f"mode-{number}" for number in range(cells))
    of = tuple(Cell("a-study", mode, "low", "jmeter", repetition) for mode in names)
    return Session("a-study", comparison, repetition, of)


SESSIONS = [session("pools", 1, 3), session("threads", 1, 4), session("pools", 2, 2)]
RECORD = "results/sessions/{}.json"


@pytest.mark.parametrize(
    ("targets", "session", "of", "ahead"),
    [
        ([], SESSIONS[0], 9, [3, 4, 2]),
        ([], SESSIONS[2], 9, [2]),
        ([RECORD.format("a-study/threads/rep-1")], SESSIONS[1], 4, [4]),
        ([RECORD.format(each.path) for each in SESSIONS[1:]], SESSIONS[2], 6, [2]),
        # A cell by itself, and a session of a repetition that is not in the grid.
        (["a cell"], replace(SESSIONS[1], cells=SESSIONS[1].cells[:1]), 1, [1]),
        ([], session("threads", 9, 4), 4, [4]),
    ],
)
def test_progress_counts_the_cells_that_the_command_line_requests(targets, session, of, ahead):
    settings = SimpleNamespace(targets=targets)
    rules = rules_with(RESULTS="results", workflow=SimpleNamespace(dag_settings=settings))
    requested = rules["requested"](session)
    assert (requested["of"], requested["sessions"][0][0]) == (of, session.path)
    assert [cells for _, cells in requested["sessions"]] == ahead


def rules_with(**names):
    plan = SimpleNamespace(spec=lambda name: {"mode": name.mode})
    rules = {"GRID": SimpleNamespace(sessions=SESSIONS, plan=lambda session: plan)} | names
    exec(compile(RULES.read_text(), RULES, "exec"), rules)
    return rules


def measured(results, session, **machine):
    record = Path(results, RECORD.format(session.path).removeprefix("results/"))
    record.parent.mkdir(parents=True, exist_ok=True)
    record.write_text("{}")
    for cell in session.cells:
        folder = Path(results, "cells", cell.path)
        folder.mkdir(parents=True, exist_ok=True)
        place = {key: getattr(cell, key) for key in ("study", "mode", "tier", "tool", "repetition")}
        found = {"cell": place, "configuration": {"mode": cell.mode}}
        cell_folder.write(found | ({"provenance": {"machine": machine}} if machine else {}), folder)
    return folder


def test_session_without_one_of_its_cells_is_run_again(tmp_path):
    dag = SimpleNamespace(forcefiles=set())
    rules = rules_with(RESULTS=str(tmp_path), workflow=SimpleNamespace(dag=dag))
    one, absent, other = SESSIONS
    last, _ = measured(tmp_path, one), measured(tmp_path, other)
    assert [rules["missing_cells"](each) for each in SESSIONS] == [[], [], []]
    assert dag.forcefiles == set()
    (last / cell_folder.CELL).unlink()
    rules["missing_cells"](one)
    assert dag.forcefiles == {f"{tmp_path}/sessions/{one.path}.json"}
    # Another configuration, as in a copy without .snakemake.
    folder = tmp_path / "cells" / other.cells[0].path
    cell_folder.write({"configuration": {"mode": "another"}}, folder)
    rules["missing_cells"](other)
    assert len(dag.forcefiles) == 2


def test_cells_of_another_kind_of_machine_are_said(tmp_path):
    rules = rules_with(RESULTS=str(tmp_path), workflow=None)
    measured(tmp_path, SESSIONS[0], **provenance.this_machine())
    assert rules["measured_elsewhere"]() == ""
    measured(tmp_path, SESSIONS[2], id="x", cpu_model="Z80", kernel="1.0")
    said = rules["measured_elsewhere"]()
    assert "another kind of machine (1: Z80, Linux 1.0)" in said
    assert said.startswith(f"{tmp_path} ") and "--config results=" in said
