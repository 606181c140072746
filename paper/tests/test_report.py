"""The report on made-up results: it renders, and says what the figures say, whatever they are."""

import os
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from paper import render
from paper.tests import fake_studies
from paper.tests.contradictions import contradictions, results_of
from paper.tests.fake_curves import Curve
from paper.tests.fake_results import ROOT, Cell, analyse
from paper.tests.page import Page, pdf_text

BASE, POOL, VIRTUAL = "thread-per-request", "fixed-pool", "virtual-thread-per-request"
REPORTS = ("report.html", "report.pdf", "supplement.pdf")
# The page, and the texts of the paper and of its supplement: empty where nothing is printed.
Report = tuple[Page, str, str]
# What R prints where a figure is missing and no code handles it.
SLIPS = re.compile(r"\bNA\b|\bNaN\b|\bInf\b|\bNULL\b|character\(0\)|\(\)|\?\?|@(fig|tbl|sec|eq)-")


def pair(repetitions: int = 3, pool_cpu_us: float = 50.0, **common: object) -> list[Cell]:
    """Baseline and pool, that many repetitions each, with a little noise."""
    cells = []
    for n in range(1, repetitions + 1):
        cells.append(Cell(BASE, repetition=n, cpu_us=100.0 + n, **common))  # type: ignore[arg-type]
        cells.append(
            Cell(POOL, repetition=n, versus=BASE, cpu_us=pool_cpu_us + n / 2, **common)  # type: ignore[arg-type]
        )
    return cells


def everything() -> list[Cell]:
    """All kinds of cells that the first study has, small."""
    both = (
        pair()
        + pair(tool="wrk2")
        + pair(tool="wrk2-itself")
        + pair(tier="waiting", sleep_ms=100, tool="wrk2")
    )
    burst = [replace(cell, tier="low-at-once") for cell in pair()]
    burst = [replace(cell, refused=80) if cell.mode == POOL else cell for cell in burst]
    published = [
        Cell(f"{POOL}-as-published", repetition=n, versus=POOL, outcome="server_died", overflows=7)
        for n in (1, 2, 3)
    ]
    twins = [Cell(f"{BASE}-again", repetition=n, versus=BASE, cpu_us=100.0 + n) for n in (1, 2, 3)]
    return both + burst + published + twins


def curves() -> list[Cell]:
    """Curves of three modes; of the last the generator is the limit."""
    return [
        curve
        for n in (1, 2, 3)
        for curve in (
            Curve(BASE, repetition=n),
            Curve(POOL, repetition=n, versus=BASE, saturation_per_s=2000.0),
            Curve(
                VIRTUAL, repetition=n, versus=BASE, saturation_per_s=4000.0, limit_per_s=3000.0
            ),
        )
    ]  # fmt: skip


def tomcat_studies() -> list[Cell]:
    studies = (fake_studies.blocking_remote, fake_studies.virtual_threads, fake_studies.sign_up)
    return [cell for study in studies for cell in study()]


def none_valid(cells: list[Cell]) -> list[Cell]:
    """All that ran died; what the limits forbade did not run."""
    return [
        cell if cell.outcome == "beyond_limits" else replace(cell, outcome="server_died")
        for cell in cells
    ]


SCENARIOS = {
    "everything": everything(),
    "curves": pair() + curves(),
    "no valid curve": pair() + [replace(curve, failed_check="treatment") for curve in curves()],
    "one repetition": pair(repetitions=1) + pair(repetitions=1, tool="wrk2"),
    "no baseline": [Cell(POOL, versus=BASE)],
    "open loop alone": pair(tool="wrk2"),
    "nothing valid": [replace(cell, outcome="server_died") for cell in pair() + pair(tool="wrk2")],
    "no profiles": [replace(cell, profiled=False) for cell in pair() + pair(tool="wrk2")],
    "the pool costs more": pair(tool="wrk2", pool_cpu_us=300.0),
    "all studies": pair()
    + fake_studies.repeated([*tomcat_studies(), *fake_studies.database_pools()], 3),
    "Tomcat, nothing valid": none_valid(tomcat_studies()),
    # Any subset of the studies is a report.
    "virtual-threads alone": fake_studies.virtual_threads(),
    "without virtual-threads": fake_studies.blocking_remote() + fake_studies.sign_up(),
}


# The page has all that both PDFs have, so few need to be printed.
PRINTED = {"everything", "nothing valid", "all studies"}


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Report]:
    """Each scenario's reports; rendered once each."""
    patch = pytest.MonkeyPatch()
    patch.setattr(render, "why_not_quarto", lambda _: "a test of the stand-in")

    def report(name: str) -> Report:
        results = tmp_path_factory.mktemp("results")
        analyse(results, SCENARIOS[name])
        params = {"results": str(results), "analysis": str(ROOT / "analysis")}
        html, pdf, rest = (results / name for name in REPORTS)
        if name in PRINTED:
            render.render_report(params, html, pdf, rest)
            return Page(html), pdf_text(pdf), pdf_text(rest)
        render.render(ROOT / "paper" / "report.qmd", params, "html", html)
        return Page(html), "", ""

    # Most of it is processes of their own, which run side by side.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        made = dict(zip(SCENARIOS, pool.map(report, SCENARIOS), strict=True))
    patch.undo()
    return made


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_no_missing_figure_slips_into_the_text(scenario: str, reports: dict[str, Report]) -> None:
    page, paper, rest = reports[scenario]
    # The first study's question and the last section are there, so the report is whole.
    for text in filter(None, (page.text, paper)):
        assert "Which way?" in text and "Threats to validity" in text
        assert not SLIPS.search(text), SLIPS.search(text)
    assert not SLIPS.search(rest), SLIPS.search(rest)
    assert not any(SLIPS.search(words) for words in page.alternatives)
    assert all(page.alternatives)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_html_fetches_nothing_and_its_links_lead_somewhere(
    scenario: str, reports: dict[str, Report]
) -> None:
    page, *_ = reports[scenario]
    assert page.fetched == []
    assert {target[1:] for target in page.targets if target.startswith("#")} <= page.identifiers


@pytest.mark.parametrize(
    ("scenario", "sentence"),
    [
        (
            "everything",
            "fixed-pool against thread-per-request: CPU time per request lower at low and waiting",
        ),
        ("the pool costs more", "CPU time per request higher at low"),
        ("one repetition", "CPU time per request measured in one session, so not decided at low"),
        (
            "nothing valid",
            "12 asked for more than the server, or this machine, withstands: server_died (12).",
        ),
        ("nothing valid", "CPU time per request not comparable at low"),
        ("no baseline", "mean latency not comparable at low."),
        ("no profiles", "No cell has a profile."),
        (
            "everything",
            "fixed-pool-as-published no longer answered after the load in 3 of its 3 cells",
        ),
        ("everything", "fixed-pool: low-at-once (closed loop, 40 %); as http_503."),
        ("everything", "fixed-pool has room for 120 requests"),
        ("everything", "low-at-once 40 % of 40 %"),
        ("everything", "In 1 of 1 places the measured throughput is within its bound"),
        (
            "everything",
            "fixed-pool-as-published: it overflowed in 3 cells, at low; 7 connections each time.",
        ),
        ("everything", "Of 108 slices without the profiler, 3 were left out (2.78 %)."),
        ("everything", "Under the profiler a request takes 1.08 times the CPU time"),
        ("everything", "compiling took 1 % of the server’s CPU time"),
        # Slices of a tier cost 2 % more from round to round.
        ("everything", "CPU time per request changed by a factor of 1.04"),
        ("everything", "computed on 1 set of cells, and 0 cells were measured again"),
        ("everything", "In 20 simulated settings, with unlike noise in one family"),
        ("everything", "In percentiles a failed request is slower than all answers."),
        (
            "everything",
            "The 3 sessions took 4.1 minutes in all, of which slices under load were 73.2 %.",
        ),
        ("open loop alone", "No mode was measured against a baseline under the closed loop."),
        # Curves: 780 / s is where the 99th percentile of M/M/1 meets the objective.
        ("curves", "Of the load curves, 9 are valid"),
        (
            "curves",
            "At ladder, with a 99th percentile of at most 120 ms: thread-per-request takes 792",
        ),
        ("curves", "requests a second, 2.29 [2.2"),
        ("curves", "takes at least 2,747 requests a second (above what the generator can"),
        (
            "curves",
            "fixed-pool against thread-per-request: capacity at the objective higher in 1 of 1",
        ),
        ("curves", "Some requests: 99th percentile within 120 ms"),
        ("no valid curve", "thread-per-request has no valid curve. Against it:"),
        # blocking-remote
        ("all studies", "pool-1-worker-threads: at the peak 1 of http-nio-exec and 100 of worker"),
        ("all studies", "To the JVM, 100 of them were RUNNABLE; to the kernel, 0 ran"),
        ("all studies", "X·R = 1/s × 1 s = 1 of 100 users, which leaves 99 %"),
        ("all studies", "above it are pool-1-blocking at rate-11 (11/s, bound 1/s)"),
        ("all studies", "In this run the two were not measured beside each other."),
        ("without virtual-threads", "That study is not in this run."),
        # virtual-threads
        ("all studies", "virtual threads and no limit (virtual): at least 0.9"),
        ("all studies", "Here 500 users asked at once, and 0 % of the requests failed"),
        ("all studies", "platform-hikari at query-wait: highest with 10 connections"),
        ("all studies", "Virtual against platform threads at query-wait: throughput the same"),
        ("all studies", "tomcat-threads at work-20ms: highest with 200 threads"),
        ("all studies", "10 here. With 10 threads 95 % of the highest throughput is reached."),
        ("all studies", "The JDK has no file access that does not block"),
        # database-pools
        ("all studies", "highest with 4 threads with 5 connections"),
        # sign-up
        ("all studies", "connections-100000: not run, in any of 3 modes. RLIMIT_NOFILE"),
        ("all studies", "answered 2xx under the load were 1 in 12 cells"),
        ("all studies", "102 of 102, 951 of 951 and 4,600 of 4,600"),
        (
            "all studies",
            "up to 10 connections. At 1,000 connections its server answered nothing at",
        ),
        ("all studies", "up to 300 connections waited to be accepted"),
        (
            "all studies",
            "tomcat-200 at idle-9000: 100 % of the requests failed, and 70 connections",
        ),
        ("all studies", "tomcat-400 at idle-9000: 0 % of the requests failed"),
        ("Tomcat, nothing valid", "No cell of the open loop is valid at these tiers."),
    ],
)
def test_sentences_say_what_the_figures_say(
    scenario: str, sentence: str, reports: dict[str, Report]
) -> None:
    page, paper, rest = reports[scenario]
    assert sentence in page.text
    # In the PDF a line may end within a word that has a hyphen.
    if scenario in PRINTED:
        assert sentence.replace("- ", "-") in f"{paper} {rest}".replace("- ", "-")


@pytest.mark.parametrize(
    ("scenario", "row"),
    [
        # Phases: 3 s of start, 12 of warm-up, 60 of load, 4 between, 1 of stop, 2 of others.
        ("everything", "request-threads 3 9 36 180 12 3 6 246 73.2"),
        # Warm-up: 11 to 13 s; the compiler was idle in all sessions.
        ("everything", "request-threads fixed-pool 11 to 13 3 of 3 1 1 1"),
        # Slices: loaded, kept, repeated; left out as not completed.
        ("everything", "request-threads 108 105 0 0 0 0 0 3"),
        ("all studies", "sign-up 144 135 9 9 0 0 0 0"),
        ("everything", "thread-per-request low closed loop CPU time per request 1 [0.9"),
        ("one repetition", "[0.99, 1] ‡ one session"),
        ("all studies", "virtual platform-50 throughput 8.19 at least 0.9"),
        ("all studies", "PgBouncer before PostgreSQL; connections kept 4 0.769 [0.7"),
    ],
)
def test_tables_say_how_good_the_measurement_is(
    scenario: str, row: str, reports: dict[str, Report]
) -> None:
    assert row in reports[scenario][0].text


def test_the_loops_are_compared_where_both_were_measured(
    reports: dict[str, Report],
) -> None:
    page, *_ = reports["everything"]
    assert "Under the open loop the throughput was" in page.text
    assert "under both loops at one tier" not in page.text


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_no_sentence_contradicts_the_tables(scenario: str, reports: dict[str, Report]) -> None:
    page, paper, rest = reports[scenario]
    results = results_of(page.path.parent)
    assert page.tables and results["summary"]
    assert contradictions(page.text, page.tables, results) == []
    assert contradictions(f"{paper} {rest}", [], results) == []


def test_flame_graphs_are_embedded_unchanged(reports: dict[str, Report]) -> None:
    page, _, rest = reports["everything"]
    assert "<!DOCTYPE html><p>flames of \"fixed-pool\" & more</p><script>'use strict'</script>" in (
        page.frames
    )
    assert len(page.frames) == 4
    assert "one flame graph a mode" in rest


def test_renderer_is_named(reports: dict[str, Report]) -> None:
    page, _, rest = reports["everything"]
    for text in (page.text, rest):
        assert "the stand-in renderer (knitr, pandoc, typst)" in text
