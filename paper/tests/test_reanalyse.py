"""Cells that were measured before become tables and a report, and nothing is measured."""

import csv
import hashlib
import io
import json
import shutil
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest
import yaml

from paper import given_cells, reanalyse
from paper.given_cells import CELLS, Fault
from paper.reanalyse import Request
from paper.tests.page import Page, pdf_text
from workloads.experiment.grid import Grid
from workloads.tests.golden.edits import GOLDEN

ROOT = Path(__file__).resolve().parents[2]
GRID = Grid(yaml.safe_load((ROOT / "config.yaml").read_text()))
CELL = "cells/a-study/a-mode/a-tier/jmeter/rep-1/cell.json"


@pytest.fixture
def experiment(tmp_path: Path) -> Path:
    """modes.csv and grid.csv of config.yaml."""
    folder = tmp_path / "experiment"
    folder.mkdir()
    (folder / "modes.csv").write_text(GRID.modes_table())
    (folder / "grid.csv").write_text(GRID.grid_table())
    return folder


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, list[str]]]:
    """The steps that would run, each with the paths that it gets."""
    found: list[tuple[str, list[str]]] = []

    def run(name: str, words: list[str], out: Path, names: list[Path] = []) -> None:  # noqa: B006
        found.append((name, [str(each.relative_to(out)) for each in names]))

    monkeypatch.setattr(reanalyse, "run", run)
    return found


def tar_of(path: Path, *names: str, kind: bytes = tarfile.REGTYPE) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for name in (CELL, *names):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = (kind, "/etc") if name != CELL else (tarfile.REGTYPE, "")
            tar.addfile(member, io.BytesIO())
    return path


def zip_of(path: Path, name: str, mode: int = 0o100644) -> Path:
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr(CELL, "{}")
        member = zipfile.ZipInfo(name)
        member.external_attr = mode << 16
        packed.writestr(member, "/etc")
    return path


def contents(folder: Path) -> dict[str, tuple[int, bytes]]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in files}


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda folder: folder / "absent", "absent: no such file or folder"),
        (lambda folder: folder, "no cell in it, as cells/"),
        (lambda _: ROOT / "README.md", "README.md: not a folder or a whole archive"),
        (lambda _: GOLDEN / "cells/stacks", "stacks: no cell in it"),
        (lambda folder: tar_of(folder / "x", "../y"), "../y is a link, or leads out"),
        (lambda folder: tar_of(folder / "x", "/tmp/y"), "/tmp/y is a link, or leads out"),
        (lambda folder: tar_of(folder / "x", "y", kind=tarfile.SYMTYPE), "y is a link"),
        (lambda folder: tar_of(folder / "x", "y", kind=tarfile.LNKTYPE), "y is a link"),
        (lambda folder: tar_of(folder / "x", "y", kind=tarfile.CHRTYPE), "y is a link"),
        (lambda folder: zip_of(folder / "x", "../y"), "../y is a link, or leads out"),
        (lambda folder: zip_of(folder / "x", "y", 0o120777), "y is a link"),
    ],
)
def test_what_cannot_be_analyzed_is_refused_before_anything_is_written(make, expected, tmp_path):
    given = make(tmp_path)
    before = contents(tmp_path)
    with pytest.raises(Fault) as refused:
        reanalyse.reanalyse(Request(given, tmp_path / "out", tmp_path, "a-run"))
    assert expected in str(refused.value) and str(given) in str(refused.value)
    assert contents(tmp_path) == before


def test_an_archive_without_cells_or_cut_off_is_refused(tmp_path):
    whole = tmp_path / "x.tar.gz"
    with tarfile.open(whole, "w:gz") as tar:
        tar.add(ROOT / "paper" / "README.md", "README.md")
    with pytest.raises(Fault, match="no cell in it"):
        given_cells.check(whole)
    with tarfile.open(whole, "w:gz") as tar:
        tar.add(GOLDEN / "cells", "cells")
    given_cells.check(whole)
    whole.write_bytes(whole.read_bytes()[:-20_000])
    with pytest.raises(Fault, match="not a folder or a whole archive"):
        given_cells.check(whole)


def test_cells_of_a_shipped_run_are_found_by_its_name_and_are_those_of_its_digest(tmp_path):
    runs = tmp_path / "runs"
    for name in ("a-run", "without-cells"):
        (runs / name).mkdir(parents=True)
        (runs / name / "run.json").write_text("{}")
    archive = tar_of(runs / "a-run" / given_cells.SHIPPED)
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    (runs / "a-run/run.json").write_text(f'{{"cells_sha256": "{digest}"}}')
    assert given_cells.of_run(runs, "a-run") == archive
    with pytest.raises(Fault, match="run = a-run2: no such run; allowed: a-run$"):
        given_cells.of_run(runs, "a-run2")
    with pytest.raises(Fault, match="its cells are not shipped; allowed: a-run$"):
        given_cells.of_run(runs, "without-cells")
    facts = {"cells_url": "https://example.org/x.tar.xz", "cells_sha256": "abc"}
    (runs / "without-cells/run.json").write_text(json.dumps(facts))
    with pytest.raises(Fault, match="get https://example.org/x.tar.xz .SHA-256 abc., then"):
        given_cells.of_run(runs, "without-cells")
    archive.write_bytes(archive.read_bytes() + b"0")
    with pytest.raises(Fault, match="is not the one of run.json"):
        given_cells.of_run(runs, "a-run")


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


def test_a_folder_is_read_and_not_written(tmp_path, experiment, steps):
    out, before = tmp_path / "out", contents(GOLDEN)
    reanalyse.reanalyse(Request(GOLDEN, out, experiment, "a-run"))
    assert contents(GOLDEN) == before
    (_, cells), (_, stacks), *_ = steps
    assert [name for name, _ in steps] == ["analyze", "profiles", "render_report", "summary"]
    assert not (out / "cells").is_symlink()
    assert {*cells} == {
        f"{path.relative_to(GOLDEN)}" for path in GOLDEN.glob("cells/*/*/*/*/*/*.json")
    }
    # The session of this one was to record states of threads, no stacks.
    assert not any("pool-1-blocking" in each for each in stacks)
    assert any(each.endswith("/allocation.collapsed") for each in stacks)
    assert (out / "modes.csv").read_bytes() == (GOLDEN / "modes.csv").read_bytes()


@pytest.mark.parametrize("ending", [".tar.gz", ".tar.xz", ".zip"])
def test_an_archive_is_as_its_folder(ending, tmp_path, experiment, steps):
    kind = {".tar.gz": "gztar", ".tar.xz": "xztar", ".zip": "zip"}[ending]
    archive = Path(shutil.make_archive(str(tmp_path / "of-golden"), kind, GOLDEN.parent, "results"))
    assert given_cells.name_of(archive) == "of-golden"
    for given in (GOLDEN, archive):
        reanalyse.reanalyse(Request(given, tmp_path / "out", experiment, "a-run"))
    assert steps[4:] == steps[:4]
    assert contents(tmp_path / "out/cells").keys() == {
        str(tmp_path / "out" / path.relative_to(GOLDEN))
        for path in GOLDEN.glob("cells/**/*")
        if path.is_file()
    }
    assert not (tmp_path / "out/unpacked").exists()
    assert {path.name for path in tmp_path.iterdir()} == {archive.name, "experiment", "out"}


def test_modes_and_cells_that_nothing_lists_are_those_of_the_cells(tmp_path, experiment, steps):
    cells = tmp_path / "given/cells"
    shutil.copytree(GOLDEN / "cells/request-threads", cells / "request-threads")
    known = (experiment / "modes.csv").read_text().splitlines()
    fewer = [line for line in known if not line.startswith("request-threads,event-loop,")]
    (experiment / "modes.csv").write_text("\n".join(fewer) + "\n")
    reanalyse.reanalyse(Request(tmp_path / "given", tmp_path / "out", experiment, "a-run"))
    with (tmp_path / "out/modes.csv").open(newline="") as file:
        modes = {(row["study"], row["mode"]): row for row in csv.DictReader(file)}
    added = modes["request-threads", "event-loop"]
    assert (added["family"], added["kind"], added["variant"]) == ("event-loop", "event-loop", "")
    assert modes["request-threads", "thread-per-request-a-a"]["variant"] == "A/A"
    grid = (tmp_path / "out/grid.csv").read_text().splitlines()
    assert "request-threads,event-loop,smoke-burst,wrk2" in grid
    # The claims name cells of today.
    assert {*(experiment / "grid.csv").read_text().splitlines()} < {*grid}


def test_cells_are_in_the_order_of_the_experiment(tmp_path, experiment, steps):
    """The rows of tables are, and would not compare from run to run."""
    paths = sorted(path.parent.relative_to(GOLDEN) for path in GOLDEN.glob(f"cells/{CELLS}"))
    rows = [",".join(path.parts[1:5]) for path in reversed(paths)]
    (experiment / "grid.csv").write_text("\n".join(["study,mode,tier,tool", *rows]) + "\n")
    reanalyse.reanalyse(Request(GOLDEN, tmp_path / "out", experiment, "a-run"))
    assert steps[0][1] == [f"{path}/cell.json" for path in reversed(paths)]


def test_a_folder_of_others_is_never_removed(tmp_path, experiment, steps):
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine.txt").write_text("mine")
    with pytest.raises(Fault, match="was not made by this command"):
        reanalyse.reanalyse(Request(GOLDEN, out, experiment, "a-run"))
    assert (out / "mine.txt").read_text() == "mine" and steps == []


def test_where_a_step_fails_the_former_report_stays(
    tmp_path, experiment, steps, monkeypatch, capsys
):
    request = Request(GOLDEN, tmp_path / "out", experiment, "a-run", names=[])
    reanalyse.reanalyse(request)
    (tmp_path / "out/report.html").write_text("former")

    def fails(*_):
        raise Fault("FAILED: analyze: an error of R")

    monkeypatch.setattr(reanalyse, "run", fails)
    with pytest.raises(Fault):
        reanalyse.reanalyse(request)
    # A run that goes on is not stopped by it.
    reanalyse.report_so_far(request, "1 of 28")
    assert "WARNING: 1 of 28 sessions could not be analyzed" in capsys.readouterr().err
    assert (tmp_path / "out/report.html").read_text() == "former"
    assert {path.name for path in tmp_path.iterdir()} == {"experiment", "out"}


def test_problems_of_a_run_that_goes_on_are_named(tmp_path, experiment, steps, monkeypatch, capsys):
    def run(name, words, out, names=()):
        rows = [f"table-{number},analyze,it stopped," for number in range(7)]
        (out / "problems.csv").write_text("\n".join(["table,verb,message,cells", *rows]) + "\n")

    monkeypatch.setattr(reanalyse, "run", run)
    request = Request(GOLDEN, tmp_path / "so-far", experiment, "a-run", names=[])
    reanalyse.report_so_far(request, "1 of 28")
    said = capsys.readouterr().err
    assert (
        f"1 of 28 sessions are analyzed; the report so far: {tmp_path}/so-far/report.html" in said
    )
    assert "WARNING: analyze, table-4: it stopped" in said and "table-5" not in said
    assert "and 2 more, in" in said


def test_cells_alone_in_an_archive_become_a_report_by_one_command(tmp_path, results):
    """No list of modes, no memory of threads, no stacks, no flame graph, in any folder."""
    archive = tmp_path / "of another.tar.gz"
    studies = ("request-threads", "virtual-threads")
    left_out = {"profile.collapsed", "allocation.collapsed"}

    def without_stacks(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
        return None if Path(member.name).name in left_out else member

    with tarfile.open(archive, "w:gz") as tar:
        for study in studies:
            tar.add(GOLDEN / "cells" / study, f"any/cells/{study}", filter=without_stacks)
    command = ["snakemake", "--cores", "4", "reanalyse"]
    command += ["--config", f"cells={archive}", f"results={results}"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stdout + run.stderr
    out = ROOT / results / "reanalysed/of-another"
    assert "modes.csv is not with the cells" in run.stderr
    assert f"Report: {results}/reanalysed/of-another/report.html" in run.stdout
    assert (out / "problems.csv").read_text() == "table,verb,message,cells\n"
    summary, curves = (
        (out / name).read_text().splitlines()[1:] for name in ("summary.csv", "capacity.csv")
    )
    cells = [path for study in studies for path in GOLDEN.glob(f"cells/{study}/*/*/*/*")]
    assert len(summary) + len(curves) == len(cells)
    page = Page(out / "report.html").text
    assert all(study in page for study in studies) and pdf_text(out / "report.pdf")
    left = {path.name for path in (ROOT / results).iterdir()}
    assert left == {"reanalysed", "modes.csv", "grid.csv", "logs", "run.lock"}
