"""The smoke run's report against its own tables. Runs after `make smoke`."""

import os
from pathlib import Path

from paper.tests.contradictions import contradictions, results_of
from paper.tests.page import Page, pdf_text

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(os.environ.get("SMOKE_RESULTS", ROOT / "results/smoke"))


def test_no_sentence_contradicts_the_tables():
    page, results = Page(RESULTS / "report.html"), results_of(RESULTS)
    assert page.tables and all(results.values())
    assert contradictions(page.text, page.tables, results) == []
    for pdf in ("report.pdf", "supplement.pdf"):
        assert contradictions(pdf_text(RESULTS / pdf), [], results) == []
