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
    empty_tables,
    headings,
    not_once,
    problems,
    rows_of,
    slips,
    without_words,
    wrong_tables,
)
from workloads.tests.golden.cut import COMMIT
from workloads.tests.golden.edits import (
    Cell,
    Edit,
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


def connections(count: int) -> Edit:
    """A step of sign-ups: as many connections, a request of each a second."""

    def edit(cell: Cell) -> None:
        named(tier=f"connections-{count}")(cell)
        changed("configuration.tool", connections=count, rate_per_s=count)(cell)
        changed("load", offered_per_s=count, throughput_per_s=count)(cell)
        for row in cell.rows:
            row |= {"throughput_per_s": count}

    return edit


def corners() -> list[Cell]:
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
CELLS = [*every("*", quiet, MANY), *corners()]
BOTH = repeated(CELLS, 2)
SCENARIOS: dict[str, list[Cell]] = {
    "everything": BOTH,
    "repetition 2 alone": [cell for cell in BOTH if cell.record["cell"]["repetition"] == 2],
    # All that ran died; what the limits forbade did not run.
    "nothing valid": [edited(cell, ended("server_died")) if cell.rows else cell for cell in CELLS],
    # Any study is a report, and one session too.
    "one study": every("virtual-threads", quiet, FEW),
}
PRINTED = "everything"
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


def made(results: Path, name: str) -> Report:
    analyze(results, SCENARIOS[name])
    params = {"results": str(results), "analysis": str(ROOT / "analysis")}
    page, pdf = results / "report.html", results / "report.pdf"
    if name == PRINTED:
        render.render_report(params, page, pdf)
        return Report(results, Page(page), pdf_text(pdf))
    render.render(ROOT / "paper" / "report.qmd", params, "html", page)
    return Report(results, Page(page))


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Report]:
    """Each scenario's report, rendered once."""
    folders = {name: tmp_path_factory.mktemp("results") for name in SCENARIOS}
    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(os.cpu_count()) as pool:
        patch.setattr(render, "why_not_quarto", lambda _: "a test of the stand-in")
        jobs = {name: pool.submit(made, folder, name) for name, folder in folders.items()}
        return {name: job.result() for name, job in jobs.items()}


@pytest.fixture(params=SCENARIOS)
def report(request: pytest.FixtureRequest, reports: dict[str, Report]) -> Report:
    return reports[request.param]


@pytest.fixture
def full(reports: dict[str, Report]) -> Report:
    return reports[PRINTED]


def test_no_missing_value_slips_into_the_text(report: Report) -> None:
    # A study's question and the last section are there, so the report is whole.
    assert QUESTION in report.text and "Threats and related work" in report.text
    assert slips(report.text) == []
    assert slips(report.pdf) == []
    assert all(report.page.alternatives)
    assert not any(slips(words) for words in report.page.alternatives)


def test_html_fetches_nothing_and_its_links_lead_somewhere(report: Report) -> None:
    assert report.page.fetched == []
    assert dead_links(report.page) == set()


def test_every_table_is_in_the_page_with_its_rows(report: Report) -> None:
    assert wrong_tables(report.page, report.results) == {}


def test_a_row_that_is_not_shown_is_noticed(full: Report) -> None:
    file, table = next(shown for shown in full.page.files if shown[0] == "comparisons.csv")
    row = table.pop()
    try:
        assert set(wrong_tables(full.page, full.results)) == {file}
    finally:
        table.append(row)


def test_the_paper_has_its_sections_and_the_page_the_tables_too(full: Report) -> None:
    for words in (
        "Settings by situation",
        "Method",
        "Overload",
        "Five published experiments judged",
    ):
        assert words in full.text and words in full.pdf
    for words in ("Where CPU time moved", "The method in full", "Should I enable them?"):
        assert words in full.text
        assert words not in full.pdf


def test_sections_have_the_numbers_of_the_pdf(full: Report) -> None:
    headings = re.findall(
        r'<h[12]\s+data-number="([\d.]+)"[^>]*>(.*?)</h[12]>',
        full.page.path.read_text(encoding="utf-8"),
        re.DOTALL,
    )
    assert len(headings) > 10
    for _, heading in headings:
        title = spaced(html.unescape(re.sub(r"<[^>]+>", "", heading)))
        assert title in full.pdf


def test_values_in_sentences_are_those_of_the_tables(report: Report) -> None:
    summary = rows_of(report.results / "summary.csv")
    found = re.search(r"The report rests on (\d+) cells .*?from (\d+) sessions?:", report.text)
    assert found and int(found[1]) == len(summary)
    assert int(found[2]) == len({row["session"] for row in summary})
    valid = sum(
        row["valid"].lower() == "true" and row["outcome"] != "beyond_limits" for row in summary
    )
    counts = re.search(
        r"Of (\d+) cells, (\d+) (?:is|are) valid and (\d+) (?:is|are) not", report.text
    )
    if counts:
        assert [int(n) for n in counts.groups()] == [len(summary), valid, len(summary) - valid]
    else:
        unsure = any(
            row["latency_valid"].lower() == "false" and row["outcome"] == "completed"
            for row in summary
        )
        end = ", but not all of their values count." if unsure else "."
        assert f"All {len(summary)} cells are valid{end}" in report.text


def test_excluded_slices_are_counted(full: Report) -> None:
    plain = [r for r in rows_of(full.results / "slices.csv") if r["kind"] == "plain"]
    excluded = sum(row["kept"].lower() == "false" for row in plain)
    assert excluded > 0
    said = f"Of {len(plain)} slices without the profiler, {excluded} were excluded from latency"
    assert said in full.text and said in full.pdf


def test_nothing_is_a_problem_and_all_sections_are_there(report: Report) -> None:
    assert problems(report.results) == []
    assert "could not be written" not in report.text
    shown = headings("sections") + headings("supplement")
    assert [title for title in shown if title not in report.text] == []
    if report.pdf:
        assert [title for title in headings("sections") if title not in report.pdf] == []


def test_findings_have_a_value_or_a_reason(report: Report) -> None:
    # None of their cells is a golden one.
    said = "This run did not measure: platform threads or virtual threads, where requests wait; "
    assert said in report.text
    for text in filter(None, (report.text, report.pdf)):
        assert not_once(text) == []
        assert without_words(text, report.results) == []
    assert empty_tables(report.page) == []


def test_a_finding_that_is_missing_or_there_twice_is_noticed(full: Report) -> None:
    name = "more carriers than CPUs, for virtual threads; "
    assert not_once(full.text.replace(name, "")) == ["carriers"]
    assert not_once(full.text.replace(name, name * 2)) == ["carriers"]
    sentence = "More carriers than CPUs, for virtual threads: "
    assert without_words(full.text.replace(sentence, ""), full.results) == ["carriers"]


def test_a_collapse_is_a_result(full: Report) -> None:
    said = "100 % with 200 threads and none with virtual threads are answered"
    assert said in full.text and said in full.pdf


def test_a_mean_that_leaves_out_waiting_users_is_said_to(full: Report) -> None:
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
    assert found and found[1] == least["mode"]
    assert float(found[2]) == pytest.approx(float(least["under_way"]), rel=0.01)


def test_the_first_page_names_the_commit_of_the_cells(full: Report) -> None:
    said = f"Commit of the cells: {COMMIT[:12]}."
    assert said in full.text and said in full.pdf


def test_time_series_have_the_slices_of_their_cells(full: Report) -> None:
    drawn = [cell for trace in full.page.traces for cell in trace]
    rows = rows_of(full.results / "slices.csv")
    assert sum(len(cell["slices"]["at"]) for cell in drawn) == len(rows) > 0


def test_flame_graphs_are_embedded_unchanged(full: Report) -> None:
    assert FLAME_GRAPH.format(mode="fixed-pool") in full.page.frames


def test_renderer_is_named(full: Report) -> None:
    assert "the stand-in renderer (knitr, pandoc, typst)" in full.text


# ---- Faults that are put in

STOPS = '`r stop("put in")`\n'


@pytest.fixture(scope="module")
def faulty(reports: dict[str, Report], tmp_path_factory: pytest.TempPathFactory) -> Report:
    """A report with a table that lacks a column, and sections that stop, one in HTML alone."""
    folder = tmp_path_factory.mktemp("faulty")
    results, paper = folder / "results", folder / "paper"
    shutil.copytree(reports["one study"].results, results)
    table = results / "mixes.csv"
    table.write_text(table.read_text().replace("measured_p99_ms", "renamed"))
    # A message of the analysis stays; one of an earlier report goes.
    rows = ["table,verb,message,cells", "causes,analyze,cut off,a/b;c/d", "old.qmd,report,past,"]
    (results / "problems.csv").write_text("\n".join([*rows, ""]))
    shutil.copytree(render.PAPER, paper, ignore=shutil.ignore_patterns("tests", "runs"))
    for name in ("overload.qmd", "curves.qmd"):
        with (paper / name).open("a") as file:
            file.write(STOPS)
    params = {"results": str(results), "analysis": str(ROOT / "analysis")}
    page, pdf = results / "report.html", results / "report.pdf"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(render, "PAPER", paper)
        patch.setattr(render, "why_not_quarto", lambda _: "a test of the stand-in")
        render.render_report(params, page, pdf)
    return Report(results, Page(page), pdf_text(pdf))


def test_a_fault_loses_its_section_alone(faulty: Report) -> None:
    lost = {"Overload, and the way back", "Order of service: who waits"}
    for text, titles in (
        (faulty.pdf, headings("sections")),
        (faulty.text, headings("sections") + headings("supplement")),
    ):
        assert [title for title in titles if title not in text] == []
        for title in lost:
            reason = (
                "put in" if "Overload" in title else "mixes.csv: column measured_p99_ms is missing"
            )
            assert f"{title} This section could not be written: {reason}." in text
        assert slips(text) == []
    assert "Load curves This section could not be written: put in." in faulty.text
    # Sections after a lost one are there.
    assert "Connections: held, pooled, hashed A connection" in faulty.text
    assert "Connections: held, pooled, hashed A connection" in faulty.pdf
    assert dead_links(faulty.page) == set()


def test_faults_are_named_on_the_first_page_and_in_a_table(faulty: Report) -> None:
    assert {(row["table"], row["verb"], row["message"]) for row in problems(faulty.results)} == {
        ("causes", "analyze", "cut off"),
        ("mixes.csv", "report", "mixes.csv: column measured_p99_ms is missing"),
        ("order.qmd", "report", "mixes.csv: column measured_p99_ms is missing"),
        ("threats.qmd", "report", "mixes.csv: column measured_p99_ms is missing"),
        ("overload.qmd", "report", "put in"),
        ("curves.qmd", "report", "put in"),
    }
    for text in (faulty.text, faulty.pdf):
        first = text.partition("Problems.")[2].partition("How many requests")[0]
        assert "cut off (causes; a/b, c/d)" in first
        assert "put in (overload.qmd, curves.qmd)" in first
        assert (
            "mixes.csv: column measured_p99_ms is missing (mixes.csv, order.qmd, threats.qmd)"
            in first
        )
