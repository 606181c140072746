"""Each contradiction is found in a page that has it, and none in the same page without it."""

import pytest

from paper.tests.contradictions import contradictions
from paper.tests.page import Page

LOOP = {"mode": "fixed-pool", "estimate": "2", "verdict": "higher"}
RESULTS = {
    "summary": [{"repetition": "1"}, {"repetition": "3"}],
    "comparisons": [
        {"verdict": "higher", "spread": "0.1", "within": "0.1"},
        {"verdict": "undecided", "spread": "", "within": ""},
    ],
    "loops": [
        LOOP | {"statistic": "throughput_per_s"},
        LOOP | {"statistic": "latency_p99_ms", "estimate": "", "verdict": "not comparable"},
    ],
    "twins": [{"mode": "fixed-pool-again"}],
    "claims": [
        {"id": "a", "kind": "conclusion", "verdict": "confirmed"}
        | {"low": "1.1", "high": "1.2", "rule": "above 1.05"},
        {"id": "b", "kind": "conclusion", "verdict": "contradicted"}
        | {"low": "2", "high": "3", "rule": "0.8 to 1.25"},
        {"id": "c", "kind": "figure", "verdict": "not decided"}
        | {"low": "0.5", "high": "3", "rule": "0.8 to 1.25"},
        {"id": "d", "kind": "figure", "verdict": "not testable here"}
        | {"low": "", "high": "", "rule": ""},
    ],
}
END = "That is all."
HTML = """
<p>Under the open loop the throughput was higher than under the closed one in 1 of 1 modes and
tiers, lower in 0, equivalent in 0. No mode has a valid 99th percentile of latency under both loops
at one tier. `snakemake --cores 4 --config repetitions=9` adds what is missing.
Of 2 conclusions, 1 is confirmed and 1 is contradicted.
Of 2 figures, 1 is not decided and 1 is not testable here. That is all.</p>
<table><thead><tr><th>Tier</th><th>Ours</th><th>Verdict</th></tr></thead>
<tbody><tr><td>a</td><td>4.1 [3.9, 4.3]</td><td>agrees</td></tr>
<tr><td>b</td><td>4.1 [1.1, 14]</td><td>not decided</td></tr></tbody></table>
<table><tr><th>Situation</th><th>Baseline</th><th>Metric</th><th>Best</th><th>Ratio</th></tr>
<tr><td>Wait</td><td>platform-50</td><td>speed</td><td>virtual</td><td>9.1 [8.9, 9.3]</td></tr>
<tr><td></td><td></td><td>memory</td><td>platform-50</td><td>–</td></tr>
<tr><td>Work</td><td>platform-50</td><td>throughput</td><td>no difference</td><td>–</td></tr>
</table>
"""


def faults(html, tmp_path, results=RESULTS):
    path = tmp_path / "page.html"
    path.write_text(html)
    page = Page(path)
    return contradictions(page.text, page.tables, results)


def test_a_page_that_says_what_its_tables_say_has_none(tmp_path):
    assert faults(HTML, tmp_path) == []


@pytest.mark.parametrize(
    ("true", "false", "found"),
    [
        ("a valid 99th percentile of latency under", "a valid throughput under", "loops has 1"),
        (END, "No mode was measured validly under both loops", "loops has 1"),
        (END, "No comparison is undecided", "comparisons has 1"),
        (END, "No mode was measured against itself", "twins has 1"),
        (END, "No session was repeated", "comparisons has 1"),
        ("in 1 of 1 modes", "in 0 of 1 modes", "loops has 1 of 1, 0"),
        ("1 is confirmed and 1 is contradicted", "2 are contradicted", "claims has ['confirmed"),
        ("repetitions=9", "repetitions=3", "3 were measured"),
        ("4.1 [3.9, 4.3]", "4.1 [1.57, 13.8]", "agrees with an interval of 1.57 to 13.8"),
        ("9.1 [8.9, 9.3]", "9.1", "virtual wins without an interval"),
        ("platform-50</td><td>–", "virtual</td><td>–", "virtual wins without an interval"),
    ],
)
def test_a_sentence_that_cannot_be_is_found(true, false, found, tmp_path):
    assert true in HTML
    (fault,) = faults(HTML.replace(true, false), tmp_path)
    assert found in fault


@pytest.mark.parametrize(
    ("claim", "changes"),
    [
        (0, {"low": "0.9"}),
        (0, {"high": "0.8", "low": "0.7"}),
        (1, {"low": "1.1"}),
        (1, {"rule": "at least 2.5"}),
        (1, {"rule": "at most 2.5"}),
    ],
)
def test_a_verdict_that_its_interval_does_not_bear_is_found(claim, changes, tmp_path):
    claims = [dict(row) for row in RESULTS["claims"]]
    claims[claim] |= changes
    (fault,) = faults(HTML, tmp_path, RESULTS | {"claims": claims})
    assert fault.startswith(f"{claims[claim]['id']} is {claims[claim]['verdict']}")
