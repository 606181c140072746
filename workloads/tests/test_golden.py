"""Golden cells have what tests need, whichever smoke run they were cut from."""

import pytest

from workloads.experiment.configuration import TOOLS
from workloads.record import cell_folder, validity
from workloads.record.slice_rules import OF_EVERYTHING
from workloads.tests.golden.edits import every, repeated, silent

CELLS = every()
RECORDS = [cell.record for cell in CELLS]


def test_each_golden_cell_is_a_cell_and_the_sum_of_its_slices():
    for cell in CELLS:
        cell_folder.validate(cell.record)
        counted = [row for row in cell.plain if OF_EVERYTHING.isdisjoint(row["reason"].split(";"))]
        load, server = cell.record["load"], cell.record["server"]
        sums = {name: load[name] for name in ("requests_recorded", "responses_2xx", "duration_s")}
        sums |= {"server_cpu_s": server["cpu_s"]}
        for name, whole in sums.items():
            found = sum(float(row[name] or 0) for row in counted or cell.plain)
            assert found == pytest.approx(whole or 0), (cell.name, name)


def test_what_tests_need_occurs():
    assert {record["cell"]["tool"] for record in RECORDS} == {*TOOLS}
    files = {path.name for cell in CELLS for path in cell.source.iterdir()}
    assert files >= {"thread-states.csv", "combinations.csv", "allocation.collapsed"}
    modes = [record["cell"]["mode"] for record in RECORDS]
    for suffix in ("-a-a", "-as-published"):
        assert any(mode.endswith(suffix) for mode in modes)
    assert any("command" in record["configuration"]["mode"] for record in RECORDS)
    assert any(record["load"]["errors"] for record in RECORDS)
    assert any(record["server"]["counters"].get("pool_waits") for record in RECORDS)


def test_edits_leave_a_cell_and_change_no_golden_one():
    before = every()
    for cell in repeated(before, 2):
        cell_folder.validate(cell.record)
        silent("hung")(cell)
        cell_folder.validate(cell.record)
    assert before == CELLS


def test_rules_judge_each_golden_cell_as_they_did_when_it_was_measured():
    """By version 14; `slices_kept` has become `rounds_kept`, and two rules are younger."""
    judged = 0
    for record in RECORDS:
        then, now = passed(record["validity"]), passed(validity.verdict(record))
        assert then.keys() - now.keys() == {"slices_kept"}, record["cell"]
        assert now.keys() - then.keys() <= {"rounds_kept", "generator_limits", "same_answer"}
        both = then.keys() & now.keys()
        assert {id: then[id] for id in both} == {id: now[id] for id in both}, record["cell"]
        judged += then.get("observed") is True
    assert judged > 20


def passed(verdict):
    return {check["id"]: check["passed"] for check in verdict["checks"]}
