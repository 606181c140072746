"""Which renderer is chosen, and what Quarto is asked, with a stand-in for Quarto itself."""

import contextlib
import os
import time
from pathlib import Path

import psutil
import pytest

from paper import render

SAMPLE = Path(__file__).parent / "sample" / "sample.qmd"
PARAMS = {"results": "r"}
FAKE_QUARTO = """#!/bin/sh
[ "$1" = --version ] && echo ${QUARTO_VERSION:-1.10.19} && exit
if [ "$4" = "$FAILS_AT" ]; then echo "[1] ERROR: x"; echo "ERROR: no *such* format" >&2; exit 1; fi
case "$4" in html) out=sample.html ;; typst) out=sample.pdf ;; esac
echo "$@" > $out
"""


def program(path, text):
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture
def path_without_quarto(tmp_path, monkeypatch):
    """A PATH of one folder, which has Rscript alone."""
    program(tmp_path / "Rscript", "#!/bin/sh\nexit ${RMARKDOWN_ABSENT:-0}\n")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/bin")
    return tmp_path


@pytest.fixture
def folder(path_without_quarto, monkeypatch):
    """The same with Quarto, for PDFs that are none."""
    program(path_without_quarto / "quarto", FAKE_QUARTO)
    monkeypatch.setattr(render, "packed", lambda pdf: pdf)
    return path_without_quarto


@pytest.mark.parametrize(("ours", "quartos"), [("table", "tbl"), ("image", "fig")])
def test_what_holds_of_our_figures_in_the_pdf_holds_of_quartos(ours, quartos):
    lines = (render.PAPER / "look.typ").read_text().splitlines()
    rules = [line for line in lines if f"(kind: {ours})" in line]
    assert rules
    named = [line.replace(f"kind: {ours}", f'kind: "quarto-float-{quartos}"') for line in rules]
    assert [line for line in named if line not in lines] == []


@pytest.mark.parametrize(
    ("variable", "value", "why"),
    [
        ("PATH", "/bin", "quarto is not on the PATH"),
        ("RMARKDOWN_ABSENT", "1", "rmarkdown, which Quarto needs, is not installed"),
        ("QUARTO_VERSION", "1.8.9", "Quarto 1.8.9 is older than 1.9"),
    ],
)
def test_quarto_that_is_absent_or_too_old_or_lacks_rmarkdown_is_no_use(
    variable, value, why, folder, monkeypatch
):
    monkeypatch.setenv(variable, value)
    assert render.why_not_quarto(folder).endswith(why)


def test_stand_in_takes_over_where_quarto_fails_and_says_so(folder, monkeypatch, capsys):
    monkeypatch.setenv("FAILS_AT", "typst")
    told = {}

    def stand_in(qmd, params, target, out):
        told[target] = params["renderer"]
        out.touch()

    monkeypatch.setattr(render, "render_with_stand_in", stand_in)
    assert render.render(SAMPLE, PARAMS, "html", folder / "a.html").renderer == "Quarto"
    name = render.render(SAMPLE, PARAMS, "typst", folder / "a.pdf").renderer
    expected = f"{render.STAND_IN}: Quarto failed: ERROR: no  such  format"
    assert told == {"typst": expected} and name == expected
    assert capsys.readouterr().err == f"report: a.pdf is by {expected}\n"
    assert (folder / "a.pdf").exists()


def test_quarto_that_hangs_is_ended_with_what_it_has_started(path_without_quarto, monkeypatch):
    folder = path_without_quarto
    program(folder / "quarto", f"#!/bin/sh\n/bin/sleep 60 &\necho $! > {folder}/child\nwait\n")
    monkeypatch.setattr(render, "QUARTO_LIMIT_S", 1.5)
    (folder / "a.qmd").touch()
    with pytest.raises(render.RenderError, match="^quarto had not ended after 1.5 s$"):
        render.render_with_quarto(folder / "a.qmd", {}, "html", folder / "a.html")
    child = int((folder / "child").read_text())
    # Its pipes are closed a moment before it has ended.
    with contextlib.suppress(psutil.NoSuchProcess):
        deadline_s = time.monotonic() + 5
        while (status := psutil.Process(child).status()) != "zombie":
            assert time.monotonic() < deadline_s, status


def test_quarto_renders_when_it_can(folder):
    for target, name in (("html", "a.html"), ("typst", "a.pdf")):
        out = folder / "out" / name
        assert render.render(SAMPLE, PARAMS, target, out) == ("Quarto", [])
        asked = f"render sample.qmd --to {target} -P results:r -P renderer:Quarto\n"
        assert out.read_text() == asked
