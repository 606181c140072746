"""The smoke run's report against its own tables. Runs after `make smoke`.

SMOKE_RESULTS=FOLDER pytest paper/tests/test_smoke_report.py    of any other run
"""

import json
import os
from pathlib import Path

import pytest

from paper.tests.page import Page, pdf_text
from paper.tests.report_checks import FIRST, GUIDE, report_faults, rows_of

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(os.environ.get("SMOKE_RESULTS", ROOT / "results/smoke"))


@pytest.fixture(scope="module")
def page():
    return Page(RESULTS / "report.html")


def test_report_is_whole(page):
    assert report_faults(page, pdf_text(RESULTS / "report.pdf"), RESULTS) == {}


def test_report_of_the_first_session_could_be_made():
    folder = RESULTS / "so-far"
    if "SMOKE_RESULTS" in os.environ and not folder.exists():
        pytest.skip(f"{folder} is not there")
    assert (folder / "report.html").exists()
    assert rows_of(folder / "problems.csv") == []


def test_programs_read_what_the_page_says_of_findings(page):
    found = json.loads((RESULTS / "findings.json").read_text())["findings"]
    asked = [(each["id"], len(each["pairs"])) for each in GUIDE["findings"]]
    assert [(each["id"], len(each["pairs"])) for each in found] == asked
    held = [each["id"] for each in found if each["holds"] == "yes"]
    cards = [each["id"] for each in FIRST if f"finding-{each['id']}" in page.identifiers]
    assert cards == [each["id"] for each in FIRST if each["id"] in held]


def test_flame_graphs_are_those_of_the_modes_that_were_sampled(page):
    # On a busy machine a short warm-up leaves the compiler busy, and no profile counts.
    rows = rows_of(RESULTS / "cpu-groups.csv")
    sampled = {(row["study"], row["mode"]) for row in rows if row["samples"] != "0"}
    assert len(page.frames) == len(sampled)
    assert all("<html" in frame.lower() for frame in page.frames)
