"""Threads, pools and virtual threads: the contents page.

    config.yaml → servers → profiles → workloads → analysis → paper

Each folder is one stage and holds its own .smk file; none reaches into a later one.
"""

import json
import os
import re
import sys
from pathlib import Path

import yaml
from snakemake.logging import logger
from snakemake.utils import min_version

from profiles.watch import terminal
from workloads import plan
from workloads.experiment.configuration import ConfigurationError, in_order_of
from workloads.experiment.grid import Grid
from workloads.machine.testbed import alone_in_the_folder

min_version("9.17")


configfile: "config.yaml"


# What config.yaml says by itself, whatever the command line adds: a reference is of that.
DEFAULT = yaml.safe_load(Path("config.yaml").read_text())

try:
    GRID = Grid(in_order_of(DEFAULT, config))
except ConfigurationError as error:
    raise WorkflowError(str(error)) from None

RESULTS = config["results"]
CELLS = [f"{RESULTS}/cells/{cell.path}" for cell in GRID.cells]


def default_cells(wildcards):
    """Every cell.json of the default run."""
    return [f"{RESULTS}/cells/{cell.path}/cell.json" for cell in Grid(DEFAULT).cells]


def cells_of(study):
    """The cell folders of one study, in the order of the configuration."""
    return [
        f"{RESULTS}/cells/{cell.path}" for cell in GRID.cells if cell.study == study
    ]


wildcard_constraints:
    study="[a-z0-9-]+",
    mode="[a-z0-9-]+",
    tier="[a-z0-9-]+",
    tool="jmeter|wrk2|wrk2-itself|curve|sysbench|database-client",
    repetition="[0-9]+",


# Runs before the first job, never in a dry-run.
onstart:
    try:
        alone_in_the_folder(Path(RESULTS))
    except BlockingIOError:
        raise WorkflowError(
            f"another snakemake is at work on {RESULTS}: wait for its end"
        ) from None
    # Snakemake's rate limiter looks at all waiting jobs once a second for every job that has
    # ended: after 200 cells that is a third of a CPU, next to what is being measured.
    workflow.scheduler.job_rate_limiter = None


# The cells are named here, or a deleted one would not be measured again while its summary exists.
rule all:
    default_target: True
    input:
        expand("{cell}/cell.json", cell=CELLS),
        expand(f"{RESULTS}/{{file}}", file=["report.html", "report.pdf"]),
    message:
        "all cells are measured, the report is there"


include: "servers/servers.smk"
include: "profiles/profiles.smk"
include: "workloads/workloads.smk"
include: "analysis/analysis.smk"
include: "paper/paper.smk"


def planned(jobs):
    """What the jobs, by rule, will measure, and for how long."""
    known = plan.known_of(
        Path(RESULTS) / "cells", Path("analysis").glob("runs/*/run.json")
    )
    sessions = {
        job: (session.title.split()[0], len(session.cells))
        for job, session in SESSIONS.items()
    }
    return plan.line(known, sessions, jobs)


if workflow.is_main_process:
    terminal.take_over(logger, workflow.output_settings, planned)
