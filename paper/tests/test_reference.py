"""The reference as the repository shows it, and the report's section that compares with it."""

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
import typst

from paper import render
from paper.tests import fake_studies
from paper.tests.fake_curves import Curve
from paper.tests.fake_results import ROOT, Cell, analyse
from paper.tests.page import Page

BLOCKS = ("findings", "run", "claims")
README = "first\n" + "".join(
    f"<!-- reference:begin {name} -->\nold\n<!-- reference:end {name} -->\n" for name in BLOCKS
)
SOURCE_ALL = "for (f in list.files('analysis/R', full.names = TRUE)) source(f);"


def run_r(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["Rscript", *arguments], cwd=ROOT, capture_output=True, text=True, timeout=300
    )


def write_pdf(path: Path, pages: int) -> None:
    typst.compile(("#pagebreak()\n" * (pages - 1)).encode(), output=str(path))


def measured(session: str, pool_cpu_us: float = 1.0) -> list[Cell]:
    """A run of two studies, three sessions each."""
    cells = fake_studies.repeated(fake_studies.virtual_threads(), 3)
    for n in (1, 2, 3):
        base = Cell("thread-per-request", tool="wrk2", tier="high", repetition=n, cpu_us=100 + n)
        cpu_us = pool_cpu_us * (50 + n / 2)
        pool = replace(base, mode="fixed-pool", versus=base.mode, cpu_us=cpu_us)
        cells += [base, pool, Curve(base.mode, repetition=n)]
    return [replace(cell, session=session) for cell in cells]


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout's analysis with a reference, README and what stands in paper/reference."""
    root = tmp_path_factory.mktemp("published")
    shutil.copytree(ROOT / "analysis", root / "analysis", ignore=shutil.ignore_patterns("tests"))
    shutil.rmtree(root / "analysis/reference", ignore_errors=True)
    results = root / "results"
    analyse(results, measured("-there"))
    (results / "report.html").write_text("a report")
    for name in ("report.pdf", "supplement.pdf"):
        write_pdf(results / name, pages=15)
    (root / "README.md").write_text(README)
    condense = (
        f"{SOURCE_ALL} paths <- Sys.glob('{results}/cells/*/*/*/*/*/cell.json');"
        f"out <- '{root}/analysis/reference';"
        f"condense_run('{results}', paths, out, 'analysis', 3, 'abcdef0123')"
    )
    done = run_r("-e", condense)
    assert done.returncode == 0, done.stderr
    folders = ["--reference", f"{root}/analysis/reference", "--out", f"{root}/paper/reference"]
    command = ["paper/reference.R", "--results", str(results), *folders]
    done = run_r(*command, "--readme", f"{root}/README.md")
    assert done.returncode == 0, done.stderr
    return root


def test_readme_gets_figure_findings_and_the_run(published: Path) -> None:
    text = (published / "README.md").read_text()
    assert text.startswith("first\n<!-- reference:begin findings -->\n<picture>")
    assert "old" not in text
    # What the made-up modes have in common, and the cell that says so.
    assert "\n1. **Where requests compute, the kind of thread makes no difference.**" in text
    assert "@sec" not in text
    row = next(line for line in text.splitlines() if line.startswith("|Where requests compute"))
    assert "results/cells/virtual-threads/virtual/cpu-2ms/jmeter/rep-1/cell.json" in row
    assert re.search(r"throughput: 1 × \[[\d.]+, [\d.]+\]", row)
    assert "on A CPU with 2 CPUs" in text and "(commit `abcdef0`)" in text
    again = published / "README.md"
    assert again.read_text().count("reference:begin") == len(BLOCKS)


def test_reference_has_report_and_a_figure_for_each_theme(published: Path) -> None:
    names = {path.name for path in (published / "paper/reference").iterdir()}
    reports = {"report.html", "report.pdf", "supplement.pdf"}
    assert names == reports | {"findings-light.svg", "findings-dark.svg"}
    dark = (published / "paper/reference/findings-dark.svg").read_text()
    assert "#0D1117" in dark and "Liberation Sans, Arial" in dark


def test_paper_of_more_than_15_pages_is_refused(published: Path, tmp_path: Path) -> None:
    write_pdf(tmp_path / "report.pdf", pages=16)
    folders = ["--reference", f"{published}/analysis/reference", "--out", f"{tmp_path}/out"]
    command = ["paper/reference.R", "--results", str(tmp_path), *folders]
    done = run_r(*command, "--readme", str(published / "README.md"))
    assert done.returncode != 0
    assert "the paper has 16 pages, more than 15" in done.stderr


def test_readme_without_markers_is_refused(published: Path, tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("nothing\n")
    folders = ["--reference", f"{published}/analysis/reference", "--out", f"{tmp_path}/out"]
    command = ["paper/reference.R", "--results", f"{published}/results", *folders]
    done = run_r(*command, "--readme", str(readme))
    assert done.returncode != 0
    assert "README.md has no pair of markers" in done.stderr


def test_end_of_a_run_says_what_was_found_and_where_the_report_is(published: Path) -> None:
    done = run_r("paper/summary.R", "--results", f"{published}/results")
    assert done.returncode == 0, done.stderr
    assert "Requests wait 100 ms, 500 at once" in done.stdout
    assert f"Report: {published}/results/report.html" in done.stdout


def test_compare_prints_a_verdict_on_each_ratio(published: Path, tmp_path: Path) -> None:
    analyse(tmp_path, measured("-here", pool_cpu_us=3.0))
    out = tmp_path / "compare.csv"
    folders = ["--results", str(tmp_path), "--reference", f"{published}/analysis/reference"]
    done = run_r("analysis/reproduce.R", *folders, "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert "The same kind of machine." in done.stdout
    differs = [line for line in out.read_text().splitlines() if ",differs," in line]
    assert any("fixed-pool" in line and "cpu_us_per_request" in line for line in differs)
    assert not any("platform-50" in line.split(",")[3] for line in differs)
    # Of the reference's own run there is nothing to say.
    folders[1] = f"{published}/results"
    done = run_r("analysis/reproduce.R", *folders, "--out", "x")
    assert (done.returncode, "Nothing to compare" in done.stdout) == (0, True)


def test_compare_without_a_reference_is_a_sentence(tmp_path: Path) -> None:
    folders = ["--results", str(tmp_path), "--reference", str(tmp_path / "none")]
    done = run_r("analysis/reproduce.R", *folders, "--out", str(tmp_path / "x.csv"))
    assert done.returncode == 0
    assert done.stdout.startswith("There is no reference")
    assert not (tmp_path / "x.csv").exists()


@pytest.mark.parametrize(
    ("cells", "sentence"),
    [
        (measured("-here", pool_cpu_us=3.0), "This run is from the same kind of machine. Of "),
        (measured("-there"), "This report is made of its cells, so there is nothing to compare."),
    ],
)
def test_report_compares_with_the_reference(
    published: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    cells: list[Cell],
    sentence: str,
) -> None:
    monkeypatch.setattr(render, "why_not_quarto", lambda _: "a test of the stand-in")
    analyse(tmp_path, cells)
    params = {"results": str(tmp_path), "analysis": str(published / "analysis")}
    render.render(ROOT / "paper" / "report.qmd", params, "html", tmp_path / "report.html")
    page = Page(tmp_path / "report.html")
    assert sentence in page.text
    drawn = any(words.startswith("Forest plot of ") for words in page.alternatives)
    assert drawn == ("same kind" in sentence)
