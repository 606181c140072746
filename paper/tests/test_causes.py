"""What the causes name is what config.yaml measures."""

import subprocess
from pathlib import Path

import yaml

from workloads.grid import Grid

ROOT = Path(__file__).resolve().parents[2]
# A line for each side of every difference, as it is and as each intervention changes it.
SIDES = """
for (file in list.files("analysis/R", full.names = TRUE)) source(file)
for (cause in read_causes("analysis/causes.yaml")) {
  changed <- lapply(cause$interventions, function(step) changed_by(cause, step))
  for (difference in c(list(cause$difference), changed)) {
    for (side in Filter(length, sides_of(difference))) {
      cat(cause$study, side$mode, side$tier, side$tool, "\\n")
    }
  }
}
"""


def test_every_cell_that_a_cause_names_is_measured():
    printed = subprocess.run(
        ["Rscript", "-e", SIDES], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    named = {tuple(line.split()) for line in printed.splitlines()}
    # Some interventions are left to a run of full depth.
    grid = Grid(yaml.safe_load((ROOT / "config.yaml").read_text()) | {"depth": "full"})
    measured = {(cell.study, cell.mode, cell.tier, cell.tool) for cell in grid.cells}
    assert len(named) > 20
    assert named <= measured
