"""Which renderer is chosen, and what Quarto is asked, with a stand-in for Quarto itself."""

import os
from pathlib import Path

import pytest

from paper import render

SAMPLE = Path(__file__).parent / "sample" / "sample.qmd"
FAKE_QUARTO = """#!/bin/sh
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


def test_quarto_is_absent(path_without_quarto: Path) -> None:
    assert render.why_not_quarto(path_without_quarto) == "quarto is not on the PATH"


def test_quarto_without_rmarkdown_is_no_use(
    path_without_quarto: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_quarto(path_without_quarto)
    monkeypatch.setenv("RMARKDOWN_ABSENT", "1")
    assert "rmarkdown" in render.why_not_quarto(path_without_quarto)


def test_quarto_renders_when_it_can(
    path_without_quarto: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_quarto(path_without_quarto)
    monkeypatch.setattr(render, "packed", lambda pdf: pdf)
    for target, out in (
        ("html", tmp_path / "out" / "a.html"),
        ("typst", tmp_path / "out" / "a.pdf"),
    ):
        assert render.render(SAMPLE, {"results": "r"}, target, out) == "Quarto"
        asked = f"render sample.qmd --to {target} -P results:r -P renderer:Quarto\n"
        assert out.read_text() == asked
