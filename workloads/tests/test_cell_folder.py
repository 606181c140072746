"""Folders of cells: whole or not there, moved aside, kept while they are current."""

import gzip
import json
import os
import subprocess

import pytest

from workloads.record import cell_folder
from workloads.record.cell_folder import (
    CELL,
    fresh,
    holds,
    is_current,
    series_of,
    working_folder,
)

SPEC = {"mode": {"id": "pool", "options": {"core-threads": 10}}, "tool": {"warm_up_s": 0.1}}
RECORD = {"configuration": SPEC, "provenance": {"jars_sha256": "ab"}}


def out_of(tmp_path):
    return tmp_path / "results/cells/study/mode/tier/tool/rep-1"


def current(folder, spec=SPEC):
    return is_current(folder, spec, "ab")


def test_cell_appears_whole_or_not_at_all(tmp_path):
    out = out_of(tmp_path)
    with working_folder(out) as folder:
        (folder / CELL).write_text("1")
        assert not out.exists()
    with pytest.raises(SystemExit), working_folder(out) as folder:
        (folder / CELL).write_text("2")
        raise SystemExit("stopped by SIGTERM")
    assert (out / CELL).read_text() == "1"
    assert [path.name for path in out.parent.iterdir()] == ["rep-1"]


def test_measured_again_moves_the_old_cell_aside(tmp_path):
    out = out_of(tmp_path)
    for text in ("1", "2"):
        with working_folder(out) as folder:
            (folder / CELL).write_text(text)
    assert (out / CELL).read_text() == "2"
    (aside,) = (tmp_path / "results/replaced/study/mode/tier/tool/rep-1").iterdir()
    assert (aside / CELL).read_text() == "1"


@pytest.fixture
def cell(tmp_path):
    # Snakemake makes the folder of an output.
    out_of(tmp_path).mkdir(parents=True)
    with working_folder(out_of(tmp_path)) as folder:
        cell_folder.write(RECORD, folder)
    return out_of(tmp_path)


def test_cell_is_current_while_spec_and_jars_are_the_same(cell):
    assert current(cell)
    assert not is_current(cell, SPEC, "cd")
    assert not current(cell, SPEC | {"tool": {"warm_up_s": 0.2}})
    # A tuple of the specification is a list in JSON.
    cell_folder.write(RECORD | {"configuration": {"a": [1]}}, cell)
    assert current(cell, {"a": (1,)})


def test_cell_of_another_place_is_not_current(tmp_path):
    """Where rep-1 was copied to rep-2, it would pass for a second session."""
    place = {"study": "study", "mode": "mode", "tier": "tier", "tool": "tool", "repetition": 1}
    for repetition in (1, 2):
        folder = out_of(tmp_path).with_name(f"rep-{repetition}")
        folder.mkdir(parents=True)
        cell_folder.write(RECORD | {"cell": place}, folder)
        assert current(folder) == holds(folder, SPEC) == (repetition == 1)


def half(data):
    return data[: len(data) // 2]


def do_damage(path, damage):
    data, times = path.read_bytes(), path.stat()
    path.unlink()
    if damage:
        path.write_bytes(damage(data))
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


@pytest.fixture
def whole(tmp_path):
    return written(out_of(tmp_path))


def written(out, latency_ms=7):
    with working_folder(out) as folder:
        (folder / "slices.csv").write_text("slice,round\n1,1\n2,1\n")
        with gzip.open(folder / "latencies.csv.gz", "wt") as file:
            file.write(f"slice,value_ms,count\n1,{latency_ms},9\n")
        (folder / "overloads.csv").write_text("\n")
        (folder / "server.log.gz").write_text("no series")
        cell_folder.write(RECORD | {"series": series_of(folder)}, folder)
    return out


def test_record_has_the_checksum_of_each_series(whole):
    series = json.loads((whole / CELL).read_text())["series"]
    assert [*series] == ["slices.csv", "latencies.csv.gz", "overloads.csv"]
    md5 = subprocess.run(["md5sum", whole / "slices.csv"], capture_output=True, text=True).stdout
    assert md5.startswith(series["slices.csv"]["md5"])
    assert cell_folder.record_in(whole) and holds(whole, SPEC) and current(whole)


def repeats_its_end(data):
    return data + data.splitlines(keepends=True)[-1]


@pytest.mark.parametrize(
    ("name", "damage", "said"),
    [
        ("slices.csv", repeats_its_end, "not the one that"),
        ("slices.csv", None, "not there, but"),
        ("latencies.csv.gz", half, "not the one that"),
        (CELL, half, "no JSON object"),
    ],
)
def test_damaged_cell_is_named_and_measured_again(whole, capsys, name, damage, said):
    """A power cut, a full disk and a copy do so, and leave the times of the files."""
    do_damage(whole / name, damage)
    assert not holds(whole, SPEC) and cell_folder.record_in(whole) == {}
    assert capsys.readouterr().err == ""
    assert not current(whole)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"study/mode/tier/tool/rep-1/{name}: {said}")
    assert line.endswith(": measured again")
    written(whole)
    assert current(whole)
    assert len(list(cell_folder.place_aside(whole).parent.iterdir())) == 1


def test_fresh_folder_is_empty_and_has_a_number_where_its_name_is_taken(tmp_path):
    wanted = [fresh(tmp_path / "mode") for _ in range(3)]
    assert [folder.name for folder in wanted] == ["mode", "mode-2", "mode-3"]
    assert not any(any(folder.iterdir()) for folder in wanted)
