"""Which renderer is chosen, and what Quarto is asked, with a stand-in for Quarto itself."""

import contextlib
import os
import re
import time
from collections.abc import Mapping
from pathlib import Path

import psutil
import pytest
import yaml

from paper import render

SAMPLE = Path(__file__).parent / "sample" / "sample.qmd"
FAKE_QUARTO = """#!/bin/sh
[ "$1" = --version ] && echo ${QUARTO_VERSION:-1.10.19} && exit
if [ "$4" = "$FAILS_AT" ]; then echo "[1] ERROR: x"; echo "ERROR: no *such* format" >&2; exit 1; fi
case "$4" in html) out=sample.html ;; typst) out=sample.pdf ;; esac
echo "$@" > $out
"""


@pytest.fixture
def path_without_quarto(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH of one folder, which has Rscript alone."""
    script = tmp_path / "Rscript"
    script.write_text("#!/bin/sh\nexit ${RMARKDOWN_ABSENT:-0}\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/bin")
    return tmp_path


def add_quarto(folder: Path) -> None:
    (folder / "quarto").write_text(FAKE_QUARTO)
    (folder / "quarto").chmod(0o755)


CHUNK = re.compile(r"^```\{r\}\n((?:#\| .*\n)+)", re.MULTILINE)


def captions_without_table(text: str) -> list[str]:
    """Labels of tables whose condition may be false: Quarto prints their captions all the same."""
    found = []
    for chunk in CHUNK.findall(text):
        options = dict(line[3:].split(": ", 1) for line in chunk.splitlines() if ": " in line)
        if options["label"].startswith("tbl-") and options.get("eval") != options.get("include"):
            found.append(options["label"])
    return found


def test_a_table_that_is_not_there_leaves_no_caption() -> None:
    for path in render.PAPER.glob("*.qmd"):
        assert captions_without_table(path.read_text()) == [], path.name
    lacking = "```{r}\n#| label: tbl-a\n#| eval: !expr any(x)\nx\n```\n"
    assert captions_without_table(lacking) == ["tbl-a"]


def test_quarto_leaves_tables_as_they_are_and_links_to_no_other_file() -> None:
    look = yaml.safe_load((render.PAPER / "look.yml").read_text())["format"]["html"]
    assert look["html-table-processing"] == "none" and look["format-links"] is False


@pytest.mark.parametrize(("ours", "quartos"), [("table", "tbl"), ("image", "fig")])
def test_what_holds_of_our_figures_in_the_pdf_holds_of_quartos(ours: str, quartos: str) -> None:
    lines = (render.PAPER / "look.typ").read_text().splitlines()
    rules = [line for line in lines if f"(kind: {ours})" in line]
    assert rules
    named = [line.replace(f"kind: {ours}", f'kind: "quarto-float-{quartos}"') for line in rules]
    assert [line for line in named if line not in lines] == []


def test_quarto_is_absent(path_without_quarto: Path) -> None:
    assert render.why_not_quarto(path_without_quarto) == "quarto is not on the PATH"


def test_quarto_without_rmarkdown_is_no_use(
    path_without_quarto: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_quarto(path_without_quarto)
    monkeypatch.setenv("RMARKDOWN_ABSENT", "1")
    assert "rmarkdown" in render.why_not_quarto(path_without_quarto)


@pytest.mark.parametrize("version", ["1.3.450", "1.8.9"])
def test_quarto_that_is_too_old_is_no_use(
    version: str, path_without_quarto: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_quarto(path_without_quarto)
    monkeypatch.setenv("QUARTO_VERSION", version)
    expected = f"Quarto {version} is older than 1.9"
    assert render.why_not_quarto(path_without_quarto) == expected


def test_stand_in_takes_over_where_quarto_fails_and_says_so(
    path_without_quarto: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    add_quarto(path_without_quarto)
    monkeypatch.setenv("FAILS_AT", "typst")
    monkeypatch.setattr(render, "packed", lambda pdf: pdf)
    told: dict[str, str] = {}

    def stand_in(qmd: Path, params: Mapping[str, str], target: str, out: Path) -> None:
        told[target] = params["renderer"]
        out.touch()

    monkeypatch.setattr(render, "render_with_stand_in", stand_in)
    assert render.render(SAMPLE, {"results": "r"}, "html", tmp_path / "a.html").renderer == "Quarto"
    name = render.render(SAMPLE, {"results": "r"}, "typst", tmp_path / "a.pdf").renderer
    expected = f"{render.STAND_IN}: Quarto failed: ERROR: no  such  format"
    assert told == {"typst": expected} and name == expected
    assert capsys.readouterr().err == f"report: a.pdf is by {expected}\n"
    assert (tmp_path / "a.pdf").exists()


def test_quarto_that_hangs_is_ended_with_what_it_has_started(
    path_without_quarto: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quarto = path_without_quarto / "quarto"
    quarto.write_text(f"#!/bin/sh\n/bin/sleep 60 &\necho $! > {tmp_path}/child\nwait\n")
    quarto.chmod(0o755)
    monkeypatch.setattr(render, "QUARTO_LIMIT_S", 1.5)
    (tmp_path / "a.qmd").touch()
    with pytest.raises(render.RenderError, match="^quarto had not ended after 1.5 s$"):
        render.render_with_quarto(tmp_path / "a.qmd", {}, "html", tmp_path / "a.html")
    child = int((tmp_path / "child").read_text())
    # Its pipes are closed a moment before it has ended.
    with contextlib.suppress(psutil.NoSuchProcess):
        deadline_s = time.monotonic() + 5
        while (status := psutil.Process(child).status()) != "zombie":
            assert time.monotonic() < deadline_s, status


def test_fault_of_the_document_is_one_of_the_stand_in_too(
    path_without_quarto: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_quarto(path_without_quarto)
    monkeypatch.setenv("FAILS_AT", "html")

    def stand_in(*_: object) -> None:
        raise render.RenderError("no such value")

    monkeypatch.setattr(render, "render_with_stand_in", stand_in)
    with pytest.raises(render.RenderError, match="no such value"):
        render.render(SAMPLE, {"results": "r"}, "html", tmp_path / "a.html")


def test_quarto_renders_when_it_can(
    path_without_quarto: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_quarto(path_without_quarto)
    monkeypatch.setattr(render, "packed", lambda pdf: pdf)
    for target, out in (
        ("html", tmp_path / "out" / "a.html"),
        ("typst", tmp_path / "out" / "a.pdf"),
    ):
        assert render.render(SAMPLE, {"results": "r"}, target, out) == ("Quarto", [])
        asked = f"render sample.qmd --to {target} -P results:r -P renderer:Quarto\n"
        assert out.read_text() == asked
