"""Causes name only what config.yaml measures."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from workloads.experiment.grid import Grid

ROOT = Path(__file__).resolve().parents[2]
CAUSES = yaml.safe_load((ROOT / "analysis/causes.yaml").read_text())["causes"]
GRID = Grid(yaml.safe_load((ROOT / "config.yaml").read_text()))
# A line for each side of every difference, as it is and as each swap changes it.
SIDES = """
pkgload::load_all("analysis", helpers = FALSE, quiet = TRUE)
for (cause in read_causes("analysis/causes.yaml")) {
  changes <- c(list(list()), lapply(cause$swaps, `[[`, "changes"))
  sides <- if (!is.null(cause$difference)) lapply(changes, sides_of, cause = cause)
  sides <- unlist(sides, recursive = FALSE)
  for (side in Filter(length, sides)) cat(cause$study, side$mode, side$tier, side$tool, "\\n")
}
"""


def test_every_cell_that_a_cause_names_is_measured():
    printed = subprocess.run(
        ["Rscript", "-e", SIDES], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    named = {tuple(line.split()) for line in printed.splitlines()}
    named |= {
        (cause["study"], dose["mode"], cause["tier"], cause["tool"])
        for cause in CAUSES
        for dose in cause.get("doses", {}).get("modes", [])
    }
    measured = {(cell.study, cell.mode, cell.tier, cell.tool) for cell in GRID.cells}
    assert len(named) > 20
    assert named <= measured


def doses() -> list[tuple[str, str, int]]:
    return [
        (cause["study"], dose["mode"], dose["dose"])
        for cause in CAUSES
        for dose in cause.get("doses", {}).get("modes", [])
    ]


def is_set(mode: dict[str, Any], dose: int) -> bool:
    return dose in mode["options"].values()


@pytest.mark.parametrize(("study", "mode", "dose"), doses())
def test_a_dose_is_what_its_mode_sets(study: str, mode: str, dose: int):
    options = GRID.studies[study].modes[mode]
    # Ten connections are HikariCP's default.
    by_default = dose == 10 and mode == "mvc-tomcat-virtual"
    assert by_default or is_set(options, dose)
    assert not is_set(options, dose + 1)
