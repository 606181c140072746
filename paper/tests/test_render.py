"""The renderer on a small document: numbers, texts, failures, and bytes that repeat."""

import re
import subprocess
from pathlib import Path

import pytest

from paper import render
from paper.tests.page import Page, pdf_text
from paper.tests.report_checks import dead_links

SAMPLE = Path(__file__).parent / "sample"


def render_in(folder, qmd=SAMPLE / "sample.qmd"):
    """Renders `qmd` into `folder`; the HTML and the PDF."""
    html, pdf = folder / "out.html", folder / "out.pdf"
    for target, out in (("html", html), ("typst", pdf)):
        render.render(qmd, {"results": "somewhere"}, target, out)
    return html, pdf


@pytest.fixture(scope="module", autouse=True)
def without_quarto():
    """These tests are about the stand-in, on every machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(render, "why_not_quarto", lambda _: "a test of the stand-in")
        yield


@pytest.fixture(scope="module")
def rendered(tmp_path_factory):
    return render_in(tmp_path_factory.mktemp("rendered"))


@pytest.fixture(scope="module")
def html(rendered):
    return rendered[0].read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(rendered):
    return Page(rendered[0])


SENTENCES = [
    "Results come from somewhere. The last value is 8, see Figure 1 and Figure 1, Figure 2; "
    "Table 1, Table 2, Equation 1 and Section 2.1.",
    "Little proved it (Little 1961).",
    "Figure 1: Three points, the last at 8 (Little 1961).",
    "Figure 2: Once more.",
    "Table 1: Points, as code has them",
    "Table 2: Written by hand",
    "Operations Research 9 (3)",
    # The number of an equation.
    "(1)",
]


def test_both_formats_say_the_same(page, rendered):
    printed = pdf_text(rendered[1])
    for sentence in SENTENCES:
        assert sentence in page.text
        assert sentence in printed


def test_alt_text_is_in_both_formats(page, rendered):
    assert 'A line that rises to "8".' in page.alternatives
    # typst writes the alternative text of a tagged PDF as UTF-16 or as plain text.
    argv = ["qpdf", "--qdf", "--object-streams=disable", rendered[1], "-"]
    raw = subprocess.run(argv, capture_output=True, check=True).stdout
    assert b"The same points." in raw or "The same points.".encode("utf-16-be") in raw


def test_the_page_fetches_nothing_and_its_links_have_targets(html, page):
    assert page.fetched == []
    assert not re.search(r"@import|url\((?!['\"]?data:)", html)
    assert dead_links(page) == set()


def test_bytes_repeat(rendered, tmp_path):
    assert [file.read_bytes() for file in render_in(tmp_path)] == [
        file.read_bytes() for file in rendered
    ]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("see @fig-points and", "see @fig-missing and", "@fig-missing"),
        ("it [@little].", "it [@absent].", "absent"),
        ('#| fig-alt: "The same points."\n', "", "fig.alt"),
        ("{#tbl-hand}", "{#tbl-points}", "given twice"),
    ],
    ids=["reference", "citation", "alt text", "identifier twice"],
)
def test_what_is_wrong_fails(old, new, reason, tmp_path):
    changed = tmp_path / "sample.qmd"
    text = (SAMPLE / "sample.qmd").read_text(encoding="utf-8")
    assert old in text
    changed.write_text(text.replace(old, new), encoding="utf-8")
    (tmp_path / "sample.bib").write_bytes((SAMPLE / "sample.bib").read_bytes())
    with pytest.raises(render.RenderError, match=reason):
        render_in(tmp_path, changed)
    assert not (tmp_path / "out.html").exists()


def test_nothing_is_left_beside_the_source(rendered):
    assert {file.name for file in SAMPLE.iterdir()} == {"sample.qmd", "sample.bib"}


def test_columns_are_as_wide_as_asked(html):
    assert re.findall(r'<col style="width: (\d+)%"', html) == ["30", "70"]
