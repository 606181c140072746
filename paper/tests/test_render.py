"""The renderer on a small document: numbers, texts, failures, and bytes that repeat."""

import re
import subprocess
from pathlib import Path

import pytest

from paper import render
from paper.tests.page import Page, pdf_text

SAMPLE = Path(__file__).parent / "sample"


def render_in(folder: Path, qmd: Path) -> tuple[Path, Path]:
    """Renders `qmd` into `folder`; the HTML and the PDF."""
    html, pdf = folder / "out.html", folder / "out.pdf"
    for target, out in (("html", html), ("typst", pdf)):
        render.render(qmd, {"results": "somewhere"}, target, out)
    return html, pdf


def changed_sample(folder: Path, old: str, new: str) -> Path:
    """A copy of the sample with one passage replaced."""
    text = (SAMPLE / "sample.qmd").read_text(encoding="utf-8")
    assert old in text
    (folder / "sample.qmd").write_text(text.replace(old, new), encoding="utf-8")
    (folder / "sample.bib").write_bytes((SAMPLE / "sample.bib").read_bytes())
    return folder / "sample.qmd"


@pytest.fixture(scope="module", autouse=True)
def without_quarto() -> None:
    """These tests are about the stand-in, on every machine."""
    patch = pytest.MonkeyPatch()
    patch.setattr(render, "why_not_quarto", lambda _: "a test of the stand-in")
    yield
    patch.undo()


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return render_in(tmp_path_factory.mktemp("rendered"), SAMPLE / "sample.qmd")


@pytest.fixture(scope="module")
def page(rendered: tuple[Path, Path]) -> Page:
    return Page(rendered[0])


SENTENCES = [
    "Results come from somewhere. The last value is 8, see Figure 1 and Figure 1, Figure 2, "
    "number 2; Table 1, Table 2, Equation 1 and Section 2.1.",
    "Little proved it (Little 1961).",
    "Figure 1: Three points, the last at 8 (Little 1961).",
    "Figure 2: Once more.",
    "Table 1: Points, as code has them",
    "Table 2: Written by hand",
    "Operations Research 9 (3)",
]


@pytest.mark.parametrize("sentence", SENTENCES)
def test_both_formats_say_the_same(sentence: str, page: Page, rendered: tuple[Path, Path]) -> None:
    assert sentence in page.text
    assert sentence in pdf_text(rendered[1])


def test_equation_has_its_number(page: Page, rendered: tuple[Path, Path]) -> None:
    assert "(1)" in page.text
    assert "(1)" in pdf_text(rendered[1])


def test_every_internal_link_has_a_target(page: Page) -> None:
    internal = {target[1:] for target in page.targets if target.startswith("#")}
    assert {"fig-points", "tbl-hand", "eq-little", "sec-deep"} <= internal
    assert internal <= page.identifiers


def test_alt_text_is_in_both_formats(page: Page, rendered: tuple[Path, Path]) -> None:
    assert 'A line that rises to "8".' in page.alternatives
    # typst writes the alternative text of a tagged PDF as UTF-16 or as plain text.
    argv = ["qpdf", "--qdf", "--object-streams=disable", rendered[1], "-"]
    raw = subprocess.run(argv, capture_output=True, check=True).stdout
    assert b"The same points." in raw or "The same points.".encode("utf-16-be") in raw


def test_html_fetches_nothing(rendered: tuple[Path, Path], page: Page) -> None:
    assert page.fetched == []
    text = rendered[0].read_text(encoding="utf-8")
    assert not re.search(r"@import|url\((?!['\"]?data:)", text)


def test_bytes_repeat(rendered: tuple[Path, Path], tmp_path: Path) -> None:
    again = render_in(tmp_path, SAMPLE / "sample.qmd")
    assert [file.read_bytes() for file in again] == [file.read_bytes() for file in rendered]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("see @fig-points and", "see @fig-missing and", "@fig-missing"),
        ("it [@little].", "it [@absent].", "absent"),
        ("max(points$y)`, see", "stop('no such value')`, see", "no such value"),
        ('#| fig-alt: "The same points."\n', "", "fig.alt"),
        ("{#tbl-hand}", "{#tbl-points}", "given twice"),
    ],
    ids=["reference", "citation", "code", "alt text", "identifier twice"],
)
def test_what_is_wrong_fails(old: str, new: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(render.RenderError, match=reason):
        render_in(tmp_path, changed_sample(tmp_path, old, new))
    assert not (tmp_path / "out.html").exists()


def test_nothing_is_left_beside_the_source(rendered: tuple[Path, Path]) -> None:
    assert {file.name for file in SAMPLE.iterdir()} == {"sample.qmd", "sample.bib"}


def test_columns_are_as_wide_as_asked(rendered: tuple[Path, Path]) -> None:
    html = rendered[0].read_text(encoding="utf-8")
    assert re.findall(r'<col style="width: (\d+)%"', html) == ["30", "70"]
