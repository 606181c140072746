"""Threads, pools and virtual threads: the contents page.

    config.yaml → servers → profiles → workloads → analysis → paper

Each folder is one stage and holds its own .smk file; none reaches into a later one.
"""

import os
import sys
import tempfile
from pathlib import Path

from snakemake.utils import min_version

from profiles.setup import doctor
from workloads.experiment import memory
from workloads.experiment.configuration import ConfigurationError
from workloads.experiment.grid import Grid
from workloads.experiment.own import experiment
from workloads.experiment.reading import configuration
from workloads.machine.testbed import alone_in_the_folder, fault_of_cpus

min_version("9.17")
# R and Python read and write UTF-8 in all jobs, whatever the language of this shell. Jobs of R last seconds: to compile
# functions while they run costs a report a fifth of its time, and saves nothing.
os.environ |= {"LC_ALL": "C.UTF-8", "PYTHONUTF8": "1", "R_ENABLE_JIT": "0"}


# Read here and not by `configfile:`, which takes the 4 of --config 'slices={rounds: 4}' for a text.
GIVEN = workflow.config_settings
try:
    # DEFAULT: config.yaml by itself, whatever the command line adds. A reference is of that.
    DEFAULT = configuration(["config.yaml"])
    config = configuration(["config.yaml", *GIVEN.configfiles], GIVEN.config_args)
    # Two builds of a user's own service take the place of all studies.
    config = config | experiment(config)
    GRID = Grid(config)
    DEFAULT_GRID = GRID if config == DEFAULT else Grid(DEFAULT)
except ConfigurationError as error:
    raise WorkflowError(str(error)) from None

RESULTS = config["results"]
OWN = "own" in config
SESSIONS = [f"{RESULTS}/sessions/{session.path}.json" for session in GRID.sessions]
# A cell that is named on the command line is compared with ratios of the reference, by the command that judges.
RUNS = "analysis/runs"
BANDS = f"{RUNS}/{config['reference']}/bands.csv"
VERDICT = f"Rscript analysis/analyze.R judge results={RESULTS} with={config.get('with', config['reference'])}"


wildcard_constraints:
    study="[a-z0-9-]+",
    comparison="[a-z0-9-]+",
    mode="[a-z0-9-]+",
    tier="[a-z0-9-]+",
    tool="jmeter|wrk2|sweep|overload|sysbench|database-client",
    repetition="[0-9]+",


def faults_of_this_machine():
    """Faults that would end the run after hours, or falsify what it measures."""
    to_measure = sessions_to_measure()
    yield memory.fault(memory.largest(GRID, to_measure), memory.free_mib())
    if to_measure:
        yield fault_of_cpus(GRID.plan(to_measure[0]).testbed)
        # A server unpacks libraries among results, and a database's programs may be copied.
        folders = [Path(), Path(RESULTS), Path(tempfile.gettempdir())]
        yield doctor.no_programs({folder.resolve() for folder in folders})
        # Samples of a load are there until its session ends.
        yield doctor.no_room(Path(RESULTS), 256 + 40 * len(to_measure))


# Runs before the first job, never in a dry-run.
onstart:
    try:
        alone_in_the_folder(Path(RESULTS))
    except BlockingIOError:
        raise WorkflowError(
            f"another snakemake writes to {RESULTS}: wait for its end"
        ) from None
    except OSError as fault:
        raise WorkflowError(f"results = {RESULTS}: {fault.strerror}") from None
    # Nodes of a cluster are other machines.
    if workflow.local_exec:
        if faults := [*filter(None, faults_of_this_machine())]:
            raise WorkflowError("\n".join(faults))
        if sessions_to_measure() and (elsewhere := measured_elsewhere()):
            print(f"WARNING: {elsewhere}", file=sys.stderr)


# Snakemake plans no job beside a program that is built again where its input is `ancient`.
onsuccess:
    if any(map(is_left_out, workflow.dag.jobs)):
        raise WorkflowError(
            "programs are built again, what needs them is left: type the same command again"
        )


rule all:
    default_target: True
    input:
        SESSIONS,
        lambda wildcards: early_report(),
        expand(
            f"{RESULTS}/{{file}}",
            file=["verdict.txt", "own.html"] if OWN else ["report.html", "report.pdf"],
        ),
    message:
        "all sessions are measured, the report is there"


include: "servers/servers.smk"
include: "profiles/profiles.smk"
include: "workloads/workloads.smk"
include: "analysis/analysis.smk"
include: "paper/paper.smk"
