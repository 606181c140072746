"""Threads, pools and virtual threads: the contents page.

    config.yaml → servers → profiles → workloads → analysis → paper

Each folder is one stage and holds its own .smk file; none reaches into a later one.
"""

from pathlib import Path

from snakemake.utils import min_version

from workloads.experiment import memory
from workloads.experiment.configuration import ConfigurationError
from workloads.experiment.grid import Grid
from workloads.experiment.reading import configuration
from workloads.machine.testbed import CpuError, alone_in_the_folder, shares_of

min_version("9.17")


# Read here and not by `configfile:`, for which 010 is 8 and the 4 of --config 'slices={rounds: 4}' a text.
GIVEN = workflow.config_settings
try:
    # What config.yaml says by itself, whatever the command line adds: a reference is of that.
    DEFAULT = configuration(["config.yaml"])
    config = configuration(["config.yaml", *GIVEN.configfiles], GIVEN.config_args)
    GRID, DEFAULT_GRID = Grid(config), Grid(DEFAULT)
except ConfigurationError as error:
    raise WorkflowError(str(error)) from None

RESULTS = config["results"]
SESSIONS = [f"{RESULTS}/sessions/{session.path}.json" for session in GRID.sessions]
# What a cell that is named on the command line is compared with: ratios of the reference, and the command that judges.
BANDS = f"analysis/runs/{config['reference']}/bands.csv"
VERDICT = f"Rscript analysis/analyze.R judge results={RESULTS} with={config.get('with', config['reference'])}"


wildcard_constraints:
    study="[a-z0-9-]+",
    comparison="[a-z0-9-]+",
    mode="[a-z0-9-]+",
    tier="[a-z0-9-]+",
    tool="jmeter|wrk2|wrk2-itself|sweep|sysbench|database-client",
    repetition="[0-9]+",


# Runs before the first job, never in a dry-run.
onstart:
    try:
        alone_in_the_folder(Path(RESULTS))
    except BlockingIOError:
        raise WorkflowError(
            f"another snakemake is at work on {RESULTS}: wait for its end"
        ) from None
    # Nodes of a cluster are other machines.
    sessions = sessions_to_measure() if workflow.local_exec else []
    if lacks := memory.fault(memory.largest(GRID, sessions), memory.free_mib()):
        raise WorkflowError(lacks)
    try:
        for session in sessions[:1]:
            shares_of(GRID.plan(session).testbed)
    except CpuError as error:
        raise WorkflowError(str(error)) from None


rule all:
    default_target: True
    input:
        SESSIONS,
        expand(f"{RESULTS}/{{file}}", file=["report.html", "report.pdf"]),
    message:
        "all sessions are measured, the report is there"


include: "servers/servers.smk"
include: "profiles/profiles.smk"
include: "workloads/workloads.smk"
include: "analysis/analysis.smk"
include: "paper/paper.smk"
