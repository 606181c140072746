"""Tables of the report from edited golden cells, by the project's own analysis."""

import shutil
import subprocess
import tarfile
from pathlib import Path

import yaml

from paper.tests.test_workflow import snakemake
from workloads.experiment.grid import Grid
from workloads.tests.golden.edits import GOLDEN, edited, in_session

ROOT = Path(__file__).resolve().parents[2]
CONFIGURATION = yaml.safe_load((ROOT / "config.yaml").read_text())
# Files that the runner leaves besides cells and the list of the experiment's cells.
OF_RUN = ("modes.csv", "primitives/thread-memory.csv")
FLAME_GRAPH = "<!DOCTYPE html><p>flames of \"{mode}\" & more</p><script>'use strict'</script>"


def analyze(results, cells):
    """Write the cells with flame graphs, and make all tables."""
    (results / "primitives").mkdir()
    for name in OF_RUN:
        shutil.copyfile(GOLDEN / name, results / name)
    (results / "grid.csv").write_text(Grid(CONFIGURATION).grid_table())
    run("analyze", results, [write(cell, results) for cell in cells])
    stacks = sorted((results / "cells").rglob("*.collapsed"))
    run("profiles", results, stacks, "converter=true")


def write(cell, results):
    """Write a cell and what the converter of profiles makes of it."""
    path = cell.write(results)
    profile = path.with_name("profile.collapsed")
    profile.touch()
    page = FLAME_GRAPH.format(mode=cell.record["cell"]["mode"]) if profile.read_text() else ""
    path.with_name("flamegraph.html").write_text(page)
    return path


def run(verb, results, paths, *settings):
    """Run one verb of the analysis."""
    done = subprocess.run(
        ["Rscript", "analysis/analyze.R", verb, f"results={results}", *settings],
        input="\n".join(map(str, paths)),
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]


def reanalyze(cells, folder):
    """A report of an archive of cells: its command as it ended, and its folder.

    In another session than the first, without a list of modes, memory of threads, or stacks.
    """
    for cell in cells:
        edited(cell, in_session(2)).write(folder)
    archive, results = folder / "of another.tar.gz", folder / "results"

    def without_stacks(member):
        return None if member.name.endswith(".collapsed") else member

    with tarfile.open(archive, "w:gz") as tar:
        tar.add(folder / "cells", "any/cells", filter=without_stacks)
    said = snakemake("reanalyse", "--config", f"cells={archive}", f"results={results}")
    return said, results / "reanalysed/of-another"
