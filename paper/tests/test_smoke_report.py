"""The smoke run's report against its own tables. Runs after `make smoke`.

SMOKE_RESULTS=FOLDER pytest paper/tests/test_smoke_report.py    of any other run
"""

import csv
import json
import os
from pathlib import Path

import pytest

from paper.tests.page import Page, pdf_text
from paper.tests.report_checks import (
    FIRST,
    GUIDE,
    dead_links,
    empty_tables,
    headings,
    not_once,
    problems,
    slips,
    without_words,
    wrong_tables,
)

GUIDE_PAIRS = {each["id"]: each["pairs"] for each in GUIDE["findings"]}
ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(os.environ.get("SMOKE_RESULTS", ROOT / "results/smoke"))


@pytest.fixture(scope="module")
def page() -> Page:
    return Page(RESULTS / "report.html")


def test_all_sections_are_there(page: Page) -> None:
    printed = pdf_text(RESULTS / "report.pdf")
    assert [title for title in headings("sections") if title not in printed] == []
    shown = headings("sections") + headings("supplement")
    assert [title for title in shown if title not in page.text] == []


def test_findings_have_a_value_or_a_reason(page: Page) -> None:
    for text in (page.text, pdf_text(RESULTS / "report.pdf")):
        assert not_once(text) == []
        assert without_words(text, RESULTS) == []
    assert empty_tables(page) == []


def test_programs_read_what_the_page_says_of_findings(page: Page) -> None:
    found = json.loads((RESULTS / "findings.json").read_text())["findings"]
    assert [each["id"] for each in found] == [each["id"] for each in GUIDE["findings"]]
    held = [each["id"] for each in found if each["holds"] == "yes"]
    cards = [each["id"] for each in FIRST if f"finding-{each['id']}" in page.identifiers]
    assert cards == [each["id"] for each in FIRST if each["id"] in held]
    for each in found:
        assert len(each["pairs"]) == len(GUIDE_PAIRS[each["id"]])


def test_no_missing_value_slips_into_the_text(page: Page) -> None:
    assert slips(page.text) == []
    assert slips(pdf_text(RESULTS / "report.pdf")) == []
    assert all(page.alternatives)


@pytest.mark.parametrize("name", [".", "so-far"])
def test_every_table_and_section_could_be_made(name: str) -> None:
    """The report of the whole run, and that of its first session, which other runs may lack."""
    folder = RESULTS / name
    if "SMOKE_RESULTS" in os.environ and not folder.exists():
        pytest.skip(f"{folder} is not there")
    assert problems(folder) == []
    assert (folder / "report.html").exists()


def test_links_lead_somewhere_and_nothing_is_fetched(page: Page) -> None:
    assert dead_links(page) == set()
    assert page.fetched == []


def test_every_table_is_in_the_page_with_its_rows(page: Page) -> None:
    assert wrong_tables(page, RESULTS) == {}


def test_flame_graphs_are_those_of_the_modes_that_were_sampled(page: Page) -> None:
    # On a busy machine a short warm-up leaves the compiler busy, and no profile counts.
    with (RESULTS / "cpu-groups.csv").open(newline="") as file:
        sampled = {
            (row["study"], row["mode"]) for row in csv.DictReader(file) if row["samples"] != "0"
        }
    assert len(page.frames) == len(sampled)
    assert all("<html" in frame.lower() for frame in page.frames)
