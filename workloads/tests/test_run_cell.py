"""The cell runner's folder and record; whole cells are measured by the smoke run."""

import json
import os
from pathlib import Path

import pytest
import yaml
from jsonschema import ValidationError

from workloads import provenance, run_cell
from workloads.figures import cpu_us_per_request, gc_pauses
from workloads.grid import Cell, Grid
from workloads.progress import typical_cell_s
from workloads.run_cell import working_folder

ROOT = Path(__file__).resolve().parents[2]
LINE = "[2026-11-20T12:37:3{s}.500+0000][7.0s][info][gc] GC(0) {what} {ms}ms\n"


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


def test_measured_again_moves_the_old_cell_aside(tmp_path):
    out = out_of(tmp_path)
    for text in ("1", "2"):
        with working_folder(out) as folder:
            record_in(folder, text)
    assert (out / "cell.json").read_text() == "2"
    (aside,) = (tmp_path / "results/replaced/study/mode/tier/tool/rep-1").iterdir()
    assert (aside / "cell.json").read_text() == "1"


def test_folder_that_snakemake_made_is_taken(tmp_path):
    out_of(tmp_path).mkdir(parents=True)
    with working_folder(out_of(tmp_path)) as folder:
        record_in(folder, "1")
    assert (out_of(tmp_path) / "cell.json").exists()


def test_only_pauses_within_the_load_count(tmp_path):
    log = tmp_path / "gc.log"
    log.write_text(
        LINE.format(s=1, what="Pause Young (Allocation Failure) 8M->1M(9M)", ms="4.5")
        + LINE.format(s=2, what="Pause Young (Allocation Failure) 8M->1M(9M)", ms="1.5")
        + LINE.format(s=3, what="Pause Full (System.gc()) 8M->1M(9M)", ms="2.0")
        + LINE.format(s=3, what="Concurrent Mark", ms="9.0")
    )
    start_s = 1795178252.0  # 2026-11-20T12:37:32Z
    load = {"start_epoch_s": start_s, "end_epoch_s": start_s + 2}
    assert gc_pauses(log, load) == {"gc_pauses": 2, "gc_pause_ms": 3.5}
    assert gc_pauses(tmp_path / "none", load) == {"gc_pauses": 0, "gc_pause_ms": 0}


def test_cpu_per_request_of_both_loops():
    window = [{"time_s": 0.0}, {"time_s": 4.0}]
    closed = {"loop": "closed", "requests_recorded": 1000}
    assert cpu_us_per_request(0.5, window, closed) == 500
    # 250 answers a second for 4 s
    opened = {"loop": "open", "requests_recorded": 9999, "answers_per_s": 250}
    assert cpu_us_per_request(0.5, window, opened) == 500
    assert cpu_us_per_request(0.5, window, opened | {"answers_per_s": 0}) is None


def test_time_left_is_told_from_the_cells_measured_last(tmp_path):
    measured = []
    for number, seconds in enumerate((4, 8)):
        measured.append(tmp_path / f"{number}.json")
        facts = {
            "started": "2026-11-20T12:00:00+00:00",
            "ended": f"2026-11-20T12:00:0{seconds}+00:00",
        }
        measured[-1].write_text(json.dumps({"provenance": facts}))
    assert typical_cell_s(measured) == 6


def test_cell_that_is_not_alone_is_refused():
    run_cell.check_alone("4/4")
    with pytest.raises(SystemExit, match="1 of 4 cores"):
        run_cell.check_alone("1/4")


def test_rung_beyond_the_limits_is_recorded_as_such(monkeypatch, tmp_path):
    config = yaml.safe_load((ROOT / "config.yaml").read_text())
    grid = Grid(config)
    cell = Cell("sign-up", "virtual", "connections-100000", "wrk2", 1)
    monkeypatch.setattr(run_cell, "beyond_limits", lambda connections: f"no {connections}")
    monkeypatch.setattr(os, "sched_setaffinity", lambda *_: None)
    record = run_cell.measure(run_cell.Run(grid.spec(cell), tmp_path, 1))
    assert (record["outcome"], record["outcome_reason"]) == ("beyond_limits", "no 100000")
    assert record["load"]["requests_recorded"] == 0
    assert not record["validity"]["valid"]
    names = {"study": cell.study, "mode": cell.mode, "tier": cell.tier, "tool": cell.tool}
    provenance.validate(
        {"schema": 1, "cell": names | {"repetition": 1}, "labels": grid.labels(cell), **record}
    )


def test_schema_knows_a_wrong_record():
    with pytest.raises(ValidationError):
        provenance.validate({"schema": 1})
    assert json.loads(provenance.SCHEMA.read_text())["title"] == "cell.json"
