"""Folders of cells: whole or not there, moved aside, kept while they are current."""

import json

import pytest

from workloads.record import cell_folder
from workloads.record.cell_folder import (
    CELL,
    SECOND_NAME,
    fresh,
    holds,
    is_current,
    working_folder,
)

SPEC = {"mode": {"id": "pool", "options": {"core-threads": 10}}, "tool": {"warm_up_s": 0.1}}


def out_of(tmp_path):
    return tmp_path / "results/cells/study/mode/tier/tool/rep-1"


def record_in(folder, text):
    (folder / "cell.json").write_text(text)


def test_cell_appears_whole_or_not_at_all(tmp_path):
    out = out_of(tmp_path)
    with working_folder(out) as folder:
        record_in(folder, "1")
        assert not out.exists()
    assert (out / "cell.json").read_text() == "1"
    assert [path.name for path in out.parent.iterdir()] == ["rep-1"]


def test_interrupted_cell_leaves_the_old_one_and_nothing_else(tmp_path):
    out = out_of(tmp_path)
    with working_folder(out) as folder:
        record_in(folder, "1")
    with pytest.raises(SystemExit), working_folder(out) as folder:
        record_in(folder, "2")
        raise SystemExit("stopped by SIGTERM")
    assert (out / "cell.json").read_text() == "1"
    assert [path.name for path in out.parent.iterdir()] == ["rep-1"]


@pytest.mark.parametrize("name", [CELL, SECOND_NAME])
def test_measured_again_moves_the_old_cell_aside(tmp_path, name):
    """Also where Snakemake has removed cell.json before."""
    out = out_of(tmp_path)
    with working_folder(out) as folder:
        (folder / name).write_text("1")
    with working_folder(out) as folder:
        record_in(folder, "2")
    assert (out / "cell.json").read_text() == "2"
    (aside,) = (tmp_path / "results/replaced/study/mode/tier/tool/rep-1").iterdir()
    assert (aside / name).read_text() == "1"


def test_folder_that_snakemake_made_is_taken(tmp_path):
    out_of(tmp_path).mkdir(parents=True)
    with working_folder(out_of(tmp_path)) as folder:
        record_in(folder, "1")
    assert (out_of(tmp_path) / "cell.json").exists()


@pytest.fixture
def cell(tmp_path):
    record = {"configuration": SPEC, "provenance": {"jars_sha256": "ab"}}
    with working_folder(out_of(tmp_path)) as folder:
        cell_folder.write(record, folder)
    return out_of(tmp_path)


def test_cell_is_current_while_spec_and_jars_are_the_same(cell):
    assert is_current(cell, SPEC, "ab")
    assert not is_current(cell, SPEC, "cd")
    assert not is_current(cell, SPEC | {"tool": {"warm_up_s": 0.2}}, "ab")
    # A tuple of the specification is a list in JSON.
    cell_folder.write({"configuration": {"a": [1]}, "provenance": {"jars_sha256": "ab"}}, cell)
    assert is_current(cell, {"a": (1,)}, "ab")


def test_cell_of_another_place_is_not_current(tmp_path):
    """Where rep-1 was copied to rep-2, it would pass for a second session."""
    place = {"study": "study", "mode": "mode", "tier": "tier", "tool": "tool", "repetition": 1}
    record = {"cell": place, "configuration": SPEC, "provenance": {"jars_sha256": "ab"}}
    for repetition in (1, 2):
        folder = out_of(tmp_path).with_name(f"rep-{repetition}")
        folder.mkdir(parents=True)
        cell_folder.write(record, folder)
        assert is_current(folder, SPEC, "ab") == holds(folder, SPEC) == (repetition == 1)


def test_what_holds_a_cell_brings_nothing_back(cell):
    assert holds(cell, SPEC) and not holds(cell, SPEC | {"tool": {}})
    (cell / CELL).unlink()
    assert holds(cell, SPEC) and not (cell / CELL).exists()
    (cell / SECOND_NAME).write_text("{")
    assert not holds(cell, SPEC) and not holds(cell / "none", SPEC)


def test_second_name_brings_the_cell_back(cell):
    text = (cell / CELL).read_text()
    (cell / CELL).unlink()
    assert is_current(cell, SPEC, "ab")
    assert (cell / CELL).read_text() == text


def test_older_record_written_over_a_cell_is_undone(cell):
    """Snakemake brings the outputs of before back, in place, when a job is interrupted."""
    text = (cell / CELL).read_text()
    (cell / CELL).write_text(text.replace("ab", "older"))
    assert is_current(cell, SPEC, "ab")
    assert (cell / CELL).read_text() == text
    (cell / CELL).write_text(text.replace("ab", "older"))
    with working_folder(cell) as folder:
        record_in(folder, "2")
    (aside,) = cell_folder.place_aside(cell).parent.iterdir()
    assert (aside / CELL).read_text() == text


def test_cell_written_again_has_both_names(cell):
    record = json.loads((cell / CELL).read_text())
    cell_folder.write(record | {"session": {"phases": {"load_s": 1.0}}}, cell)
    assert (cell / CELL).read_bytes() == (cell / SECOND_NAME).read_bytes()
    assert "phases" in (cell / SECOND_NAME).read_text()
    assert sorted(path.name for path in cell.iterdir()) == [SECOND_NAME, CELL]


@pytest.mark.parametrize("text", ["", "{", "{}", '{"provenance": {"jars_sha256": "ab"}}'])
def test_what_is_no_cell_is_not_current(tmp_path, text):
    assert not is_current(tmp_path, SPEC, "ab")
    record_in(tmp_path, text)
    assert not is_current(tmp_path, SPEC, "ab")


def test_fresh_folder_is_empty_and_has_a_number_where_its_name_is_taken(tmp_path):
    wanted = [fresh(tmp_path / "mode") for _ in range(3)]
    assert [folder.name for folder in wanted] == ["mode", "mode-2", "mode-3"]
    assert not any(any(folder.iterdir()) for folder in wanted)
