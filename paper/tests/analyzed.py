"""Tables of the report from edited golden cells, by the project's own analysis."""

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import yaml

from workloads.experiment.grid import Grid
from workloads.tests.golden.edits import GOLDEN, Cell

ROOT = Path(__file__).resolve().parents[2]
CONFIGURATION = yaml.safe_load((ROOT / "config.yaml").read_text())
# Files that the runner leaves besides cells and the list of the experiment's cells.
OF_RUN = ("modes.csv", "primitives/thread-memory.csv")
FLAME_GRAPH = "<!DOCTYPE html><p>flames of \"{mode}\" & more</p><script>'use strict'</script>"


def analyze(results: Path, cells: Iterable[Cell]) -> None:
    """Write the cells with flame graphs, and make all tables."""
    (results / "primitives").mkdir()
    for name in OF_RUN:
        shutil.copyfile(GOLDEN / name, results / name)
    grid = Grid(CONFIGURATION)
    (results / "grid.csv").write_text(grid.grid_table())
    paths = [write(cell, results) for cell in cells]
    run("analyze", results, paths)
    stacks = sorted((results / "cells").rglob("*.collapsed"))
    run("profiles", results, stacks, "converter=true")


def write(cell: Cell, results: Path) -> Path:
    """Write a cell and what the converter of profiles makes of it."""
    path = cell.write(results)
    profile = path.with_name("profile.collapsed")
    profile.touch()
    page = FLAME_GRAPH.format(mode=cell.record["cell"]["mode"]) if profile.read_text() else ""
    path.with_name("flamegraph.html").write_text(page)
    return path


def run(verb: str, results: Path, paths: list[Path], *settings: str) -> None:
    """Run one verb of the analysis."""
    done = subprocess.run(
        ["Rscript", "analysis/analyze.R", verb, f"results={results}", *settings],
        input="\n".join(map(str, paths)),
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
