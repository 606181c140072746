"""The report on golden cells and edits of them: it says what the tables say, whatever they are."""

import html
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from paper import render
from paper.tests.analyzed import FLAME_GRAPH, ROOT, analyze, reanalyze
from paper.tests.page import Page, pdf_text, spaced
from paper.tests.report_checks import (
    dead_links,
    headings,
    not_once,
    problems,
    report_faults,
    rows_of,
    slips,
    without_words,
    wrong_tables,
)
from workloads.tests.golden.cut import COMMIT
from workloads.tests.golden.edits import (
    changed,
    edited,
    ended,
    every,
    excluded,
    golden,
    named,
    quiet,
    repeated,
    sampled,
    silent,
    valid,
)


def connections(count):
    """A step of sign-ups: as many connections, a request of each a second."""

    def edit(cell):
        named(tier=f"connections-{count}")(cell)
        changed("configuration.tool", connections=count, rate_per_s=count)(cell)
        changed("load", offered_per_s=count, throughput_per_s=count)(cell)
        for row in cell.rows:
            row |= {"throughput_per_s": count}

    return edit


def corners():
    """Cells with what a run may have and a smoke run has not."""
    base, virtual = (f"sign-up/{mode}/smoke-sign-up/wrk2" for mode in ("tomcat-200", "virtual"))
    pool, reconnect = "request-threads/fixed-pool", "database-pools/connect-per-transaction"
    return [
        golden(base, valid, connections(10_000)),
        golden(virtual, connections(10_000), silent("hung")),
        golden(virtual, connections(100_000), silent("beyond_limits")),
        golden(f"{pool}-as-published/smoke-burst/wrk2", named(tier="dies"), ended("server_died")),
        golden(f"{pool}/smoke-burst/wrk2", named(tier="late"), valid, excluded("compiled")),
        golden(
            f"{reconnect}/smoke-read-only/sysbench",
            named(mode="connect-every-4"),
            changed("configuration.mode", client={"reconnect_every": 4}),
            valid,
        ),
    ]


# Bars are drawn from 250 samples of a mode.
MANY, FEW = sampled(300), sampled(100)
CELLS = [*every("[!v]*", quiet, MANY), *every("virtual-threads", quiet, FEW), *corners()]
# All that ran died; what the limits forbade did not run.
DEAD = [edited(cell, ended("server_died")) if cell.rows else cell for cell in CELLS]
QUESTION = every("virtual-threads")[0].record["labels"]["study"]["question"]


@dataclass
class Report:
    """The page; and the words of the PDF, empty where it was not printed."""

    results: Path
    page: Page
    pdf: str = ""

    @property
    def text(self) -> str:
        return self.page.text


def printed(results):
    render.render_report(params(results), results / "report.html", results / "report.pdf")
    return read(results)


def read(results):
    return Report(results, Page(results / "report.html"), pdf_text(results / "report.pdf"))


def params(results):
    return {"results": str(results), "analysis": str(ROOT / "analysis")}


@pytest.fixture(scope="module", autouse=True)
def without_quarto():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(render, "why_not_quarto", lambda _: "a test of the stand-in")
        yield


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    """All cells, in two sessions; as a page alone."""
    results = tmp_path_factory.mktemp("results")
    analyze(results, repeated(CELLS, 2))
    page = results / "report.html"
    render.render(ROOT / "paper/report.qmd", params(results), "html", page)
    return Report(results, Page(page))


@pytest.fixture(scope="module")
def reanalyzed(tmp_path_factory):
    return reanalyze(DEAD, tmp_path_factory.mktemp("dead"))


@pytest.fixture(scope="module")
def dead(reanalyzed):
    return read(reanalyzed[1])


@pytest.fixture(params=["full", "dead"])
def report(request):
    return request.getfixturevalue(request.param)


def test_cells_alone_in_an_archive_become_a_report_by_one_command(reanalyzed):
    said, out = reanalyzed
    assert said.returncode == 0, said.stdout + said.stderr
    assert "modes.csv is not with the cells" in said.stderr
    assert f"Report: {out}/report.html" in said.stdout
    rows = [row for name in ("summary", "capacity") for row in rows_of(out / f"{name}.csv")]
    assert len(rows) == len(CELLS)
    left = {path.name for path in out.parents[1].iterdir()}
    assert left == {"reanalysed", "modes.csv", "grid.csv", "logs", "run.lock"}


def test_report_is_whole(report):
    assert report_faults(report.page, report.pdf, report.results) == {}
    assert QUESTION in report.text and "could not be written" not in report.text
    # None of its cells is a golden one.
    said = "This run did not measure: platform threads or virtual threads, where requests wait; "
    assert said in report.text


def test_a_row_that_is_not_shown_is_noticed(full):
    file, table = next(shown for shown in full.page.files if shown[0] == "comparisons.csv")
    row = table.pop()
    noticed = {*wrong_tables(full.page, full.results)}
    table.append(row)
    assert noticed == {file}


def test_sections_have_the_numbers_of_the_pdf(dead):
    titles = re.findall(
        r'<h[12]\s+data-number="[\d.]+"[^>]*>(.*?)</h[12]>', dead.page.path.read_text(), re.DOTALL
    )
    assert len(titles) > 10
    for title in titles:
        assert spaced(html.unescape(re.sub(r"<[^>]+>", "", title))) in dead.pdf
    for words in ("Where CPU time moved", "The method in full", "Should I enable them?"):
        assert words not in dead.pdf


def test_the_run_is_counted_as_the_tables_do(report):
    summary = rows_of(report.results / "summary.csv")
    found = re.search(r"The report rests on (\d+) cells .*?from (\d+) sessions?:", report.text)
    sessions = {row["session"] for row in summary}
    assert [int(count) for count in found.groups()] == [len(summary), len(sessions)]


def test_excluded_slices_are_counted(full):
    plain = [row for row in rows_of(full.results / "slices.csv") if row["kind"] == "plain"]
    excluded = sum(row["kept"].lower() == "false" for row in plain)
    assert excluded > 0
    said = f"Of {len(plain)} slices without the profiler, {excluded} were excluded from latency"
    assert said in full.text


def test_a_finding_that_is_missing_or_there_twice_is_noticed(full):
    name = "more carriers than CPUs, for virtual threads; "
    for times in (0, 2):
        assert not_once(full.text.replace(name, times * name)) == ["carriers"]
    sentence = "More carriers than CPUs, for virtual threads: "
    assert without_words(full.text.replace(sentence, ""), full.results) == ["carriers"]


def test_the_page_says_what_collapsed_its_commit_and_its_renderer(full):
    assert "100 % with 200 threads and none with virtual threads are answered" in full.text
    assert f"Commit of the cells: {COMMIT[:12]}." in full.text
    assert "the stand-in renderer (knitr, pandoc, typst)" in full.text


def test_a_mean_that_leaves_out_waiting_users_is_said_to(full):
    said = r"the [\d.]+ s of (\S+) are those of ([\d.]+) of (\d+) users"
    found = re.search(said, full.text)
    cells = [
        row
        for row in rows_of(full.results / "summary.csv")
        if row["study"] == "blocking-remote"
        and row["loop"] == "closed"
        and float(row["answers_per_s"] or 0) > 0
    ]
    least = min(
        cells, key=lambda row: float(row["under_way"]) / float(row["users_alive"] or row["users"])
    )
    assert found[1] == least["mode"]
    assert float(found[2]) == pytest.approx(float(least["under_way"]), rel=0.01)


def test_time_series_have_the_slices_of_their_cells(full):
    drawn = [cell for trace in full.page.traces for cell in trace]
    rows = rows_of(full.results / "slices.csv")
    assert sum(len(cell["slices"]["at"]) for cell in drawn) == len(rows) > 0


def test_flame_graphs_are_embedded_unchanged(full):
    assert FLAME_GRAPH.format(mode="fixed-pool") in full.page.frames


# ---- Faults that are put in

STOPS = '`r stop("put in")`\n'
LACKING = "mixes.csv: column measured_p99_ms is missing"


@pytest.fixture(scope="module")
def faulty(dead, tmp_path_factory):
    """A report with a table that lacks a column, and sections that stop, one in HTML alone."""
    folder = tmp_path_factory.mktemp("faulty")
    results, paper = folder / "results", folder / "paper"
    shutil.copytree(dead.results, results, ignore=shutil.ignore_patterns("cells"))
    (results / "cells").symlink_to(dead.results / "cells")
    table = results / "mixes.csv"
    table.write_text(table.read_text().replace("measured_p99_ms", "renamed"))
    # A message of the analysis stays; one of an earlier report goes.
    rows = ["table,verb,message,cells", "causes,analyze,cut off,a/b;c/d", "old.qmd,report,past,"]
    (results / "problems.csv").write_text("\n".join([*rows, ""]))
    shutil.copytree(render.PAPER, paper, ignore=shutil.ignore_patterns("tests", "runs"))
    for name in ("overload.qmd", "curves.qmd"):
        with (paper / name).open("a") as file:
            file.write(STOPS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(render, "PAPER", paper)
        return printed(results)


def test_a_fault_loses_its_section_alone(faulty):
    lost = {"Overload, and the way back": "put in", "Order of service: who waits": LACKING}
    for text, parts in ((faulty.pdf, ["sections"]), (faulty.text, ["sections", "supplement"])):
        assert [title for part in parts for title in headings(part) if title not in text] == []
        for title, reason in lost.items():
            assert f"{title} This section could not be written: {reason}." in text
        assert slips(text) == []
        # Sections after a lost one are there.
        assert "Connections: held, pooled, hashed A connection" in text
    assert "Load curves This section could not be written: put in." in faulty.text
    assert dead_links(faulty.page) == set()


def test_faults_are_named_on_the_first_page_and_in_a_table(faulty):
    of_mixes = ("mixes.csv", "order.qmd", "threats.qmd")
    stopped = ("overload.qmd", "curves.qmd")
    assert {(row["table"], row["verb"], row["message"]) for row in problems(faulty.results)} == {
        ("causes", "analyze", "cut off"),
        *((name, "report", LACKING) for name in of_mixes),
        *((name, "report", "put in") for name in stopped),
    }
    for text in (faulty.text, faulty.pdf):
        first = text.partition("Problems.")[2].partition("How many requests")[0]
        assert "cut off (causes; a/b, c/d)" in first
        assert f"put in ({', '.join(stopped)})" in first
        assert f"{LACKING} ({', '.join(of_mixes)})" in first
