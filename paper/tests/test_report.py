"""The report on golden cells and edits of them: it says what the tables say, whatever they are."""

import html
import os
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from paper import render
from paper.tests.analyzed import FLAME_GRAPH, ROOT, analyze
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
PRINTED = "everything"
SCENARIOS = {
    PRINTED: repeated(CELLS, 2),
    # All that ran died; what the limits forbade did not run.
    "nothing valid": [edited(cell, ended("server_died")) if cell.rows else cell for cell in CELLS],
}
# Any study is a report, and any session.
ONE_STUDY = "one study"
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


def made(results, name):
    analyze(results, SCENARIOS[name])
    if name == PRINTED:
        return printed(results)
    render.render(ROOT / "paper/report.qmd", params(results), "html", results / "report.html")
    return Report(results, Page(results / "report.html"))


def printed(results):
    page, pdf = results / "report.html", results / "report.pdf"
    render.render_report(params(results), page, pdf)
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
def reports(tmp_path_factory, reanalyzed):
    """Each scenario's report, rendered once."""
    folders = {name: tmp_path_factory.mktemp("results") for name in SCENARIOS}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {name: pool.submit(made, folder, name) for name, folder in folders.items()}
        return {ONE_STUDY: read(reanalyzed[1])} | {name: job.result() for name, job in jobs.items()}


@pytest.fixture(params=[*SCENARIOS, ONE_STUDY])
def report(request, reports):
    return reports[request.param]


@pytest.fixture
def full(reports):
    return reports[PRINTED]


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


def test_the_page_alone_has_the_tables_and_the_form(full):
    for words in ("Where CPU time moved", "The method in full", "Should I enable them?"):
        assert words in full.text
        assert words not in full.pdf


def test_sections_have_the_numbers_of_the_pdf(full):
    titles = re.findall(
        r'<h[12]\s+data-number="[\d.]+"[^>]*>(.*?)</h[12]>', full.page.path.read_text(), re.DOTALL
    )
    assert len(titles) > 10
    for title in titles:
        assert spaced(html.unescape(re.sub(r"<[^>]+>", "", title))) in full.pdf


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
    assert said in full.text and said in full.pdf


def test_a_finding_that_is_missing_or_there_twice_is_noticed(full):
    name = "more carriers than CPUs, for virtual threads; "
    for times in (0, 2):
        assert not_once(full.text.replace(name, times * name)) == ["carriers"]
    sentence = "More carriers than CPUs, for virtual threads: "
    assert without_words(full.text.replace(sentence, ""), full.results) == ["carriers"]


@pytest.mark.parametrize(
    "said",
    [
        # A collapse is a result.
        "100 % with 200 threads and none with virtual threads are answered",
        f"Commit of the cells: {COMMIT[:12]}.",
    ],
)
def test_both_formats_say(said, full):
    assert said in full.text and said in full.pdf


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


def test_the_page_names_its_renderer(full):
    assert "the stand-in renderer (knitr, pandoc, typst)" in full.text


# ---- Faults that are put in

STOPS = '`r stop("put in")`\n'
LACKING = "mixes.csv: column measured_p99_ms is missing"


@pytest.fixture(scope="module")
def faulty(reports, tmp_path_factory):
    """A report with a table that lacks a column, and sections that stop, one in HTML alone."""
    folder = tmp_path_factory.mktemp("faulty")
    results, paper = folder / "results", folder / "paper"
    shutil.copytree(reports[ONE_STUDY].results, results)
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
