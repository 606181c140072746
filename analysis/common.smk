"""Tables, and the cells of findings, for the rules that analyze."""

from pathlib import Path

import yaml

from workloads.experiment import schema

TABLES = yaml.load(
    Path("analysis/tables.yaml").read_text(encoding="utf-8"), schema.Loader
)["tables"]


def tables_of(*verbs):
    """The tables that these verbs of analyze.R write."""
    return [f"{RESULTS}/{table}.csv" for verb in verbs for table in TABLES[verb]]


def cells_of_findings(guide):
    """The cell of each finding's first pair, by its name: the one that a reviewer measures again."""
    findings = yaml.load(Path(guide).read_text(), schema.Loader)["findings"]
    cells = {}
    for finding in findings:
        pair = finding.get("at", {}) | next(iter(finding["pairs"].values()))
        cells[finding["id"]] = (
            f"{finding['study']}/{pair['mode']}/{pair['tier']}/{pair['tool']}"
        )
    return cells


def measured_again(cell, wildcards):
    """The cell, which is measured although it is there: as if it were named with -f."""
    workflow.dag.forcefiles.add(cell)
    return [cell]
