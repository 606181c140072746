"""A run that was copied into its older copy is named."""

from pathlib import Path
from typing import Any

RULES = Path(__file__).resolve().parents[1] / "common.smk"


def test_run_copied_into_its_older_copy_is_said(tmp_path: Path) -> None:
    """`cp -r` does so the second time."""
    rules: dict[str, Any] = {}
    exec(compile(RULES.read_text(), RULES, "exec"), rules)
    for place in ("one", "one/one"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "run.json").touch()
    (text,) = rules["runs_within_runs"](tmp_path)
    assert text.startswith(f"{tmp_path}/one/one is within another run, which hides it: ")
