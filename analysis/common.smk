"""Facts on sessions and their cells, for the rules that analyze."""

import os
from pathlib import Path
from types import SimpleNamespace

from snakemake.exceptions import IncompleteCheckpointException

from workloads.experiment.looks import chosen, took_of, undecided_of


def runs_within_runs(runs):
    """Messages on shipped runs that were copied into the folder of an older copy."""
    found = sorted(path.parent for path in Path(runs).glob("*/*/**/run.json"))
    return [
        f"{path} is within another run, which hides it: cp -rT copies in its place"
        for path in found
    ]


def folders_that_no_rule_reads(results, runs):
    """Messages on folders that were copied to another place than rules look at."""
    no_runs = [
        path for path in Path(runs).glob("*/") if not (path / "run.json").exists()
    ]
    for path in sorted(no_runs):
        yield f"{path} is no shipped run: it has no run.json, which `snakemake reference` writes"
    cells = Path(results, "cells")
    found = {Path(results, name, "cells") for name in (Path(results).name, "results")}
    found |= {path.parents[1] for path in cells.glob("*/*/*/*/*/rep-*/cell.json")}
    found |= {path.parent for path in cells.glob("*/*/*/*/cell.json")}
    found = sorted(path for path in found if path.exists())
    if found:
        place = f"{cells}/<study>/<mode>/<tier>/<tool>/rep-<n>"
        yield f"{len(found)} folders with cells are not read, as {found[0]}: they belong to {place}"


def look_sessions(wildcards):
    """A session more of each comparison that the planned ones do not decide, while minutes are left."""
    if config["repetitions"] < 2 or not config.get("minutes"):
        return []
    planned = sessions_planned()
    decided = checkpoints.decide
    # A session that was interrupted has no record: its table is there, but is not of this run.
    if not all(map(os.path.exists, SESSIONS)):
        raise IncompleteCheckpointException(decided.rule, f"{RESULTS}/undecided.csv")
    undecided = undecided_of(Path(decided.get().output[0]))
    wanted = {name: count for name, count in undecided.items() if name in planned}
    found = chosen(wanted, took_of(map(Path, SESSIONS)), config["minutes"])
    return [f"{RESULTS}/sessions/{name}/rep-{planned[name] + 1}.json" for name in found]


def sessions_planned():
    """How many sessions each comparison has, by study/comparison."""
    found = {}
    for each in GRID.sessions:
        name = f"{each.study}/{each.comparison}"
        found[name] = max(each.repetition, found.get(name, 0))
    return found


def cells_of_looks(paths):
    """The cells of further sessions, from the names of these."""
    cells = []
    for path in paths:
        study, comparison, repetition = Path(path).with_suffix("").parts[-3:]
        words = SimpleNamespace(
            study=study,
            comparison=comparison,
            repetition=repetition.removeprefix("rep-"),
        )
        cells += GRID.named_session(words).cells
    return [f"{RESULTS}/cells/{cell.path}/cell.json" for cell in cells]
