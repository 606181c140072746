"""The experiment has what shipped runs show, and what is new has a date."""

import yaml

from paper.tests.report_checks import PAPER, rows_of
from workloads.experiment.configuration import EXTRAS, VARIANTS
from workloads.experiment.grid import Grid

ROOT = PAPER.parent


def test_every_mode_and_tier_is_measured_by_a_shipped_run_or_has_a_date():
    shipped = {
        (row["study"], row[part])
        for table in ("summary.csv", "capacity.csv")
        for file in ROOT.glob(f"analysis/runs/*/{table}")
        for row in rows_of(file)
        for part in ("mode", "tier")
    }
    config = yaml.safe_load((ROOT / "config.yaml").read_text())
    whole = Grid(config | {"extras": EXTRAS})
    measured = {(cell.study, name) for cell in whole.cells for name in (cell.mode, cell.tier)}
    dated, named = set(), set()
    for study in whole.studies.values():
        # A variant is no mode of its own.
        modes = {id: mode for id, mode in study.modes.items() if not VARIANTS.keys() & mode.keys()}
        parts = modes | study.tiers
        named |= {(study.id, id) for id in parts}
        dated |= {(study.id, id) for id, part in parts.items() if "since" in part}
        for id, comparison in study.comparisons.items():
            if "since" in study.says["comparisons"][id]:
                dated |= {(study.id, mode) for mode in comparison.modes}
    assert named <= measured, f"config.yaml: no comparison meets {named - measured}"
    new = named - shipped
    assert new <= dated, f"config.yaml: no shipped run has {new - dated}: say `since`, the day"
    assert dated <= new, f"config.yaml: a shipped run has {dated - new}: remove `since`"
