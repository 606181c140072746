"""The decision guide and the section on the claims, on made-up results."""

import shutil
import subprocess

import pytest

from paper import render
from paper.tests.fake_results import ROOT, Cell, analyse
from paper.tests.page import Page, pdf_text

BASE, POOL, LOOP = "thread-per-request", "fixed-pool", "event-loop"

REPORT = """---
title: Guide and claims
params: {results: results, analysis: analysis}
---

```{r}
#| label: setup
#| include: false
source(file.path(params$analysis, "R", "cli.R"))
source_all(params$analysis)
source_all(".")
knitr::opts_chunk$set(echo = FALSE)
all_results <- read_results(params$results, params$analysis)
comparisons <- all_results$comparisons
protocol <- read_protocol(file.path(params$analysis, "PROTOCOL.md"))
```

$$ N = X R $$ {#eq-little}

$$ X = n / s $$ {#eq-bound}

```{r}
#| label: guide
#| child: "guide.qmd"
```

# Causes {#sec-causes}

# More {#sec-guide-more}

`r bullets(sentences_guide(all_results$guide))`

# Rules {#sec-protocol}

```{r}
#| label: claims
#| child: "claims.qmd"
```
"""

CLAIM = """
  - id: {id}
    source: 0-threads-vs-pool-jmeter
    where: section 6
    claim: {claim}
    kind: {kind}
    cells: {{study: request-threads, mode: fixed-pool, versus: {base}, tiers: [{tier}], tool: wrk2}}
    statistic: cpu_us_per_request
    rule: {rule}
    cause: Threads are *started*.
    if_contradicted: They are few.
    if_confirmed: They are many.
    evidence: [threads_peak]
    chain: thread-start-extreme
"""

UNTESTABLE = """
  - id: opinion
    source: 0-threads-vs-pool-jmeter
    where: section 8
    claim: It reads well.
    kind: conclusion
    rule: {untestable: a matter of taste}
    takes: no machine
    cause: Readers differ.
"""


def claim(name: str, sentence: str, rule: str, tier: str = "high", kind: str = "conclusion") -> str:
    return CLAIM.format(id=name, claim=sentence, rule=rule, tier=tier, kind=kind, base=BASE)


CLAIMS = [
    claim("half", "The pool takes half the CPU time.", "{near: 0.5, within: 1.05}"),
    claim("much", "The pool takes more CPU time.", "{above: 1.05}"),
    claim("elsewhere", "So it is elsewhere.", "{above: 1.05}", tier="extreme"),
    claim("figure", "The pool takes 0.7 of it.", "{near: 0.7, within: 1.1}", kind="figure"),
    UNTESTABLE,
]


def cells() -> list[Cell]:
    """The pool at half the baseline's CPU time, the event loop not to be told from the baseline."""
    made = []
    for n in (1, 2, 3):
        common = {"tier": "high", "tool": "wrk2", "repetition": n}
        made.append(Cell(BASE, cpu_us=100.0 + n, **common))
        made.append(Cell(POOL, versus=BASE, cpu_us=50.0 + n / 2, **common))
        made.append(Cell(LOOP, versus=BASE, cpu_us=(60.0, 100.0, 160.0)[n - 1], **common))
    return made


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """The text of the page, and of the PDF."""
    folder = tmp_path_factory.mktemp("report")
    results, paper = folder / "results", folder / "paper"
    analyse(results, cells())
    claims = folder / "claims.yaml"
    claims.write_text("tables: []\nclaims:" + "".join(CLAIMS))
    argv = ["Rscript", "analysis/claims.R", "--claims", claims, "--grid", results / "grid.csv"]
    argv += ["--modes", results / "modes.csv"]
    argv += ["--causes", "analysis/causes.yaml", "--slices", results / "slices.csv"]
    argv += ["--repetitions", results / "repetitions.csv"]
    argv += ["--capacity", results / "capacity.csv"]
    argv += ["--primitives", results / "primitives"]
    argv += ["--out", results / "claims.csv", results / "summary.csv"]
    subprocess.run(argv, cwd=ROOT, check=True, capture_output=True)
    shutil.copytree(ROOT / "paper" / "R", paper / "R")
    for name in ("guide.qmd", "claims.qmd"):
        shutil.copy(ROOT / "paper" / name, paper / name)
    (paper / "report.qmd").write_text(REPORT)
    html, pdf = folder / "report.html", folder / "report.pdf"
    params = {"results": str(results), "analysis": str(ROOT / "analysis")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(render, "why_not_quarto", lambda _: "a test of the stand-in")
        for target, out in (("html", html), ("typst", pdf)):
            render.render(paper / "report.qmd", params, target, out)
    return Page(html).text, pdf_text(pdf)


@pytest.mark.parametrize(
    "row",
    [
        "5,000 a second thread-per-request CPU time per request fixed-pool 0.5 [0.49",
        "99th percentile of latency no difference –",
        "0.1 The pool takes half the CPU time – 0.5 [0.496, 0.505] 0.476 to 0.525 confirmed",
        "0.2 The pool takes more CPU time – 0.5 [0.496, 0.505] above 1.05 contradicted",
        "0.4 It reads well – – – not testable here",
        "0.5 The pool takes 0.7 of it 0.7 0.5 [0.496, 0.505] 0.636 to 0.77 contradicted",
    ],
)
def test_tables_hold_winners_and_verdicts(row: str, report: tuple[str, str]) -> None:
    assert row in report[0]


@pytest.mark.parametrize(
    "sentence",
    [
        "CPU time per request: not decided: event-loop 0.969 [0.173, 5.44].",
        "Of 4 conclusions, 1 is confirmed, 1 is contradicted and 2 are not testable here. "
        "Of 1 figure, 1 is contradicted. So 50 % of the conclusions are decided, 2 of 4.",
        "0.1 CPU time per request of fixed-pool against thread-per-request at high, open loop. "
        "Threads are *started*. They are many. (peak number of threads 38 against 38) "
        "By intervention at extreme (Section 2, Starting a thread for every request): "
        "not measured.",
        "0.2 CPU time per request of fixed-pool against thread-per-request at high, open loop. "
        "Threads are *started*. They are few. (peak",
        "0.4 Not testable here: a matter of taste. A verdict would take no machine. "
        "Readers differ.",
        "0.3 speak of cells that were not measured in this run.",
    ],
)
def test_sentences_say_what_the_figures_say(sentence: str, report: tuple[str, str]) -> None:
    for text in report:
        # In the PDF a line may end within a word that has a hyphen.
        assert sentence.replace("- ", "-") in text.replace("- ", "-")


def test_guide_leaves_out_what_was_not_measured(report: tuple[str, str]) -> None:
    assert not any("HikariCP" in text for text in report)
