"""The process of a session: what it measures and keeps, and what it refuses to start with."""

import json
import os
from dataclasses import replace
from types import SimpleNamespace

import pytest

from workloads.experiment.plan import Name
from workloads.machine import provenance
from workloads.record import cell_folder
from workloads.session import run_session
from workloads.tests.planned import plan_of


@pytest.fixture
def plan():
    return plan_of()


@pytest.fixture
def folders(plan, tmp_path, monkeypatch):
    monkeypatch.setattr(provenance, "fingerprint", lambda spec: "ab")
    return {name: tmp_path / name.mode / name.tier / name.tool for name in plan.cells}


def measured(plan, folder, name, **changed):
    spec = plan.spec(name)
    folder.mkdir(parents=True)
    jars = {"jars_sha256": "ab"} | changed
    cell_folder.write({"configuration": spec, "provenance": jars}, folder)


def test_current_cells_are_kept_and_the_baselines_of_others_loaded_beside(plan, folders):
    chosen, again = run_session.to_measure(plan, folders, again=False)
    assert (chosen, again) == (list(folders), [])
    missing, stale = Name("fixed-pool", "low", "wrk2"), Name("event-loop", "mid", "wrk2")
    for name, folder in folders.items():
        if name != missing:
            measured(plan, folder, name, **({"jars_sha256": "cd"} if name == stale else {}))
    chosen, again = run_session.to_measure(plan, folders, again=False)
    assert set(chosen) == {missing, stale}
    assert set(again) == {replace(name, mode="thread-per-request") for name in chosen}
    # The baseline itself is measured again without the others.
    (folders[again[0]] / cell_folder.CELL).unlink()
    chosen, rest = run_session.to_measure(plan, folders, again=False)
    assert set(chosen) == {missing, stale, again[0]}
    assert rest == again[1:]
    assert run_session.to_measure(plan, folders, again=True) == (list(folders), [])


def test_cell_by_itself_is_measured_with_its_baseline_which_is_not_recorded(plan, tmp_path):
    name, baseline = (Name(mode, "low", "jmeter") for mode in ("fixed-pool", "thread-per-request"))
    one = replace(plan, cells=(name,), baselines=(baseline,))
    assert run_session.to_measure(one, {name: tmp_path}, again=True) == ([name], [baseline])


def test_end_of_a_session_is_in_its_record_with_how_long_it_took(plan, tmp_path):
    record = tmp_path / "sessions/a-study/threads/rep-1.json"
    options = SimpleNamespace(plan=plan, record=record, cells=tmp_path / "cells", again=False)
    folders = run_session.folders_of(options)
    assert run_session.path_of(options) == ("a-study", "threads", "rep-1")
    name = plan.cells[0]
    own = tmp_path / "cells/a-study" / name.mode / name.tier / name.tool / "rep-1"
    assert folders[name] == own
    # Cells of before stay; the session took as long as its longest part.
    for wall_s, folder in enumerate(folders.values()):
        folder.mkdir(parents=True)
        cell_folder.write({"session": {"phases": {"wall_s": wall_s} if wall_s else {}}}, folder)
    run_session.write_end(options, folders.values(), ["a"])
    expected = {"measured": ["a"], "wall_s": len(folders) - 1}
    assert json.loads(record.read_text()) == expected
    # A cell by itself leaves what the record says, and makes it newer.
    os.utime(record, (1, 1))
    options.again = True
    run_session.write_end(options, folders.values(), ["b"])
    assert json.loads(record.read_text()) == expected
    assert record.stat().st_mtime > 1


def test_what_this_machine_lacks_is_named_before_anything_starts(plan, monkeypatch):
    run_session.check_tools(plan)
    monkeypatch.setattr(run_session.shutil, "which", lambda name, path=None: None)
    with pytest.raises(FileNotFoundError, match="no java in JAVA_HOME .*: run make setup"):
        run_session.check_tools(plan)
