"""Results and runs that were copied: found, or said to be where no rule looks."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

RULES = Path(__file__).resolve().parents[1] / "common.smk"
PLACE = "study/mode/tier/wrk2/rep-1"


@pytest.fixture
def said(tmp_path: Path) -> Callable[[], list[str]]:
    rules: dict[str, Any] = {}
    exec(compile(RULES.read_text(), RULES, "exec"), rules)
    (tmp_path / "runs/one").mkdir(parents=True)
    (tmp_path / "runs/one/run.json").touch()
    written(tmp_path / "results/cells" / PLACE)
    runs = tmp_path / "runs"

    def say() -> list[str]:
        return [
            *rules["runs_within_runs"](runs),
            *rules["folders_that_no_rule_reads"](tmp_path / "results", runs),
        ]

    return say


def written(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cell.json").touch()


def test_nothing_is_said_of_a_run_as_it_is(said: Callable[[], list[str]], tmp_path: Path) -> None:
    # Runs of their own, what a cell was judged with, and cells that were measured again.
    for place in ("smoke/cells", "quick/cells", "replaced"):
        written(tmp_path / "results" / place / PLACE)
    written(tmp_path / "results/cells" / PLACE / "baseline")
    assert said() == []


@pytest.mark.parametrize(
    ("copied", "place"),
    [
        ("results/cells", "results/cells"),
        ("results", "results"),
        ("results/cells/study", "results/cells/study"),
    ],
)
def test_copy_into_an_older_copy_is_said(
    said: Callable[[], list[str]], tmp_path: Path, copied: str, place: str
) -> None:
    """`cp -r` does so the second time."""
    other = tmp_path / "other"
    written(other / "results/cells" / PLACE)
    shutil.copytree(other / copied, tmp_path / place / Path(copied).name)
    (text,) = said()
    assert "1 folders with cells are not read, as " in text
    assert text.endswith("results/cells/<study>/<mode>/<tier>/<tool>/rep-<n>")


def test_run_copied_into_its_older_copy_is_said(
    said: Callable[[], list[str]], tmp_path: Path
) -> None:
    shutil.copytree(tmp_path / "runs/one", tmp_path / "runs/one/one")
    (text,) = said()
    expected = "is within another run, which hides it: cp -rT copies in its place"
    assert text == f"{tmp_path}/runs/one/one {expected}"


def test_folder_that_is_no_run_is_said(said: Callable[[], list[str]], tmp_path: Path) -> None:
    shutil.copytree(tmp_path / "results", tmp_path / "runs/two")
    (text,) = said()
    assert text.startswith(f"{tmp_path}/runs/two is no shipped run: it has no run.json")
