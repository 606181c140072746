"""Cells that were measured before become tables and a report, and nothing is measured."""

import hashlib
import io
import json
import re
import shutil
import tarfile
from pathlib import Path

import pytest
import yaml

from paper import given_cells, reanalyse
from paper.given_cells import CELLS, Fault
from paper.reanalyse import Request
from paper.tests.report_checks import rows_of
from workloads.experiment.grid import Grid
from workloads.tests.golden.edits import GOLDEN

ROOT = Path(__file__).resolve().parents[2]
GRID = Grid(yaml.safe_load((ROOT / "config.yaml").read_text()))
CELL = "cells/a-study/a-mode/a-tier/jmeter/rep-1/cell.json"


@pytest.fixture
def experiment(tmp_path):
    """modes.csv and grid.csv of config.yaml."""
    folder = tmp_path / "experiment"
    folder.mkdir()
    (folder / "modes.csv").write_text(GRID.modes_table())
    (folder / "grid.csv").write_text(GRID.grid_table())
    return folder


@pytest.fixture
def request_of_golden(tmp_path, experiment):
    return Request(GOLDEN, tmp_path / "out", experiment, "a-run")


@pytest.fixture
def steps(monkeypatch):
    """The steps that would run, each with the paths that it gets."""
    found = []

    def run(name, words, out, names=()):
        found.append((name, [str(each.relative_to(out)) for each in names]))

    monkeypatch.setattr(reanalyse, "run", run)
    return found


def tar_of(path, *names, kind=tarfile.REGTYPE):
    with tarfile.open(path, "w:gz") as tar:
        tar.addfile(tarfile.TarInfo(CELL), io.BytesIO())
        for name in names:
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, "/etc"
            tar.addfile(member, io.BytesIO())
    return path


def packed(path, folder, lost=0):
    """An archive of a folder that lacks its last bytes."""
    with tarfile.open(path, "w:gz") as tar:
        tar.add(folder, folder.name)
    path.write_bytes(path.read_bytes()[: -lost or None])
    return path


def contents(folder):
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in files}


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda x: x.with_name("absent"), "absent: no such file or folder"),
        (lambda x: x.parent, "no cell in it, as cells/"),
        (
            lambda _: ROOT / "README.md",
            "README.md: not a folder or a whole .tar.gz or .tar.xz archive",
        ),
        (lambda x: tar_of(x, "../y"), "../y is a link, or leads out"),
        (lambda x: tar_of(x, "/tmp/y"), "/tmp/y is a link"),
        (lambda x: tar_of(x, "y", kind=tarfile.SYMTYPE), "y is a link"),
        (lambda x: packed(x, ROOT / "README.md"), "no cell in it"),
        (
            lambda x: packed(x, GOLDEN / "cells", 20_000),
            "not a folder or a whole .tar.gz or .tar.xz archive",
        ),
    ],
)
def test_what_cannot_be_analyzed_is_refused_before_anything_is_written(make, expected, tmp_path):
    given = make(tmp_path / "x")
    before = contents(tmp_path)
    with pytest.raises(Fault) as refused:
        reanalyse.reanalyse(Request(given, tmp_path / "out", tmp_path, "a-run"))
    assert expected in str(refused.value) and str(given) in str(refused.value)
    assert contents(tmp_path) == before


def test_cells_of_a_shipped_run_are_found_by_its_name_and_are_those_of_its_digest(tmp_path):
    def describe(name, **facts):
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / "run.json").write_text(json.dumps(facts))

    def refused(name, why):
        with pytest.raises(Fault, match=why):
            given_cells.of_run(tmp_path, name)

    describe("bare")
    describe("a-run")
    archive = tar_of(tmp_path / "a-run" / given_cells.SHIPPED)
    describe("a-run", cells_sha256=hashlib.sha256(archive.read_bytes()).hexdigest())
    assert given_cells.of_run(tmp_path, "a-run") == archive
    refused("a-run2", "run = a-run2: no such run; allowed: a-run$")
    refused("bare", "its cells are not shipped; allowed: a-run$")
    describe("bare", cells_url="https://example.org/x.tar.xz", cells_sha256="abc")
    refused("bare", "get https://example.org/x.tar.xz .SHA-256 abc., then")
    archive.write_bytes(archive.read_bytes() + b"0")
    refused("a-run", "is not the one of run.json")


def test_shipped_cells_are_whole():
    found = [path.parent.name for path in (ROOT / "analysis/runs").glob(f"*/{given_cells.SHIPPED}")]
    for name in found:
        given_cells.check(given_cells.of_run(ROOT / "analysis/runs", name))
    assert found


def test_of_several_runs_one_is_to_be_named(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name / CELL).parent.mkdir(parents=True)
        (tmp_path / name / CELL).write_text("{}")
    with pytest.raises(Fault, match="2 runs"):
        given_cells.check(tmp_path)
    assert given_cells.cells_in(tmp_path / "one") == tmp_path / "one/cells"
    assert given_cells.cells_in(tmp_path / "one/cells") == tmp_path / "one/cells"


def test_a_folder_is_read_and_not_written(request_of_golden, steps):
    out, before = request_of_golden.out, contents(GOLDEN)
    reanalyse.reanalyse(request_of_golden)
    assert contents(GOLDEN) == before
    (_, cells), (_, stacks), *_ = steps
    assert [name for name, _ in steps] == ["analyze", "profiles", "render_report", "summary"]
    assert not (out / "cells").is_symlink()
    assert {*cells} == {str(path.relative_to(GOLDEN)) for path in GOLDEN.glob(f"cells/{CELLS}")}
    # The session of this one was to record states of threads, no stacks.
    assert not any("pool-1-blocking" in each for each in stacks)
    assert any(each.endswith("/allocation.collapsed") for each in stacks)
    modes, golden = (
        [(row["study"], row["mode"]) for row in rows_of(folder / "modes.csv")]
        for folder in (out, GOLDEN)
    )
    assert modes == golden


def test_an_archive_is_as_its_folder(tmp_path, request_of_golden, steps):
    reanalyse.reanalyse(request_of_golden)
    archive = Path(
        shutil.make_archive(str(tmp_path / "of-golden"), "xztar", GOLDEN.parent, "results")
    )
    assert given_cells.name_of(archive) == "of-golden"
    request_of_golden.cells = archive
    reanalyse.reanalyse(request_of_golden)
    assert steps[4:] == steps[:4]
    left, given = (
        {Path(path).relative_to(folder) for path in contents(folder / "cells")}
        for folder in (tmp_path / "out", GOLDEN)
    )
    assert left == given
    assert not (tmp_path / "out/unpacked").exists()
    assert {path.name for path in tmp_path.iterdir()} == {archive.name, "experiment", "out"}


def test_modes_and_cells_that_nothing_lists_are_those_of_the_cells(
    tmp_path, experiment, request_of_golden, steps
):
    study, request_of_golden.cells = "cells/request-threads", tmp_path / "given"
    shutil.copytree(GOLDEN / study, tmp_path / "given" / study)
    known = (experiment / "modes.csv").read_text()
    fewer = re.sub("(?m)^request-threads,event-loop,.*\n", "", known)
    (experiment / "modes.csv").write_text(fewer)
    reanalyse.reanalyse(request_of_golden)
    rows = rows_of(tmp_path / "out/modes.csv")
    modes = {row["mode"]: row for row in rows if row["study"] == "request-threads"}
    added = modes["event-loop"]
    assert (added["family"], added["kind"], added["variant"]) == ("event-loop", "event-loop", "")
    assert modes["thread-per-request-a-a"]["variant"] == "A/A"
    grid = (tmp_path / "out/grid.csv").read_text().splitlines()
    assert "request-threads,event-loop,smoke-burst,wrk2" in grid
    assert {*(experiment / "grid.csv").read_text().splitlines()} < {*grid}


def test_cells_are_in_the_order_of_the_experiment(experiment, request_of_golden, steps):
    """The rows of tables are, and would not compare from run to run."""
    paths = sorted(path.parent.relative_to(GOLDEN) for path in GOLDEN.glob(f"cells/{CELLS}"))
    rows = [",".join(path.parts[1:5]) for path in reversed(paths)]
    (experiment / "grid.csv").write_text("\n".join(["study,mode,tier,tool", *rows]) + "\n")
    reanalyse.reanalyse(request_of_golden)
    assert steps[0][1] == [f"{path}/cell.json" for path in reversed(paths)]


def test_a_folder_of_others_is_never_removed(request_of_golden, steps):
    mine = request_of_golden.out / "mine.txt"
    mine.parent.mkdir()
    mine.write_text("mine")
    with pytest.raises(Fault, match="was not made by this command"):
        reanalyse.reanalyse(request_of_golden)
    assert mine.read_text() == "mine" and steps == []


def test_where_a_step_fails_the_former_report_stays(
    tmp_path, request_of_golden, steps, monkeypatch, capsys
):
    request_of_golden.names = []
    reanalyse.reanalyse(request_of_golden)
    report = tmp_path / "out/report.html"
    report.write_text("former")

    def fails(*_):
        raise Fault("FAILED: analyze: an error of R")

    monkeypatch.setattr(reanalyse, "run", fails)
    with pytest.raises(Fault):
        reanalyse.reanalyse(request_of_golden)
    # A run that goes on is not stopped by it.
    reanalyse.report_so_far(request_of_golden, "1 of 28")
    assert "WARNING: 1 of 28 sessions could not be analyzed" in capsys.readouterr().err
    assert report.read_text() == "former"
    assert {path.name for path in tmp_path.iterdir()} == {"experiment", "out"}


def test_problems_of_a_run_that_goes_on_are_counted(request_of_golden, monkeypatch, capsys):
    def run(name, words, out, names=()):
        (out / "problems.csv").write_text("table,verb,message,cells\ncauses,analyze,it stopped,\n")

    monkeypatch.setattr(reanalyse, "run", run)
    request_of_golden.names = []
    reanalyse.report_so_far(request_of_golden, "1 of 28")
    said = capsys.readouterr().err
    place = f"{request_of_golden.out}/report.html"
    assert f"1 of 28 sessions are analyzed; the report so far: {place}" in said
    assert f"WARNING: 1 problems, in {request_of_golden.out}/problems.csv" in said
