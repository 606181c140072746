"""Analysis: from the cells to tables, by the package in this folder. Never looks into the runner.

Inputs:  cells with what lies beside cell.json; results/modes.csv, primitives/thread-memory.csv;
         analysis/runs/<name>/: shipped runs
Outputs: results/<table>.csv           see analysis/tables.yaml, by the verb that writes them
         results/differences/          <cause>.html: differential flame graphs, where both sides were sampled
         results/builds.csv            of two builds of a user's service: a row per statistic, old against new
         results/verdict.txt, status   the verdict in words, and as an exit status

The package is an input: a changed analysis runs again and measures nothing. Names of cells come by
standard input, because a command line has room for some thousands of them only.
"""

from functools import partial


include: "common.smk"


ANALYZE = "analysis/analyze.R"
FUNCTIONS = [
    ANALYZE,
    "analysis/DESCRIPTION",
    "analysis/NAMESPACE",
    *sorted(str(path) for path in Path("analysis/R").glob("*.R")),
]
PUBLISHED = sorted(str(path) for path in Path("analysis/published").glob("*.csv"))
CELLS = list(map(folder_of, [*GRID.cells, *measured_beside()]))
PROFILED, ALLOCATING = (
    [folder_of(cell) for cell in GRID.cells if kind in GRID.profiles(cell)]
    for kind in ("cpu", "allocation")
)
# Sessions whose cells have stacks once their profiles are converted.
PROFILES = [
    f"{RESULTS}/profiles/{session.path}.txt"
    for session in GRID.sessions
    if any(map(GRID.profiles, session.cells))
]
# A run may leave out the memory of threads.
THREAD_MEMORY = (
    [f"{RESULTS}/primitives/thread-memory.csv"]
    if config.get("thread_memory", True)
    else []
)
# Each folder with a run.json is a run that the repository ships.
SHIPPED = sorted(run.parent.name for run in Path(RUNS).glob("*/run.json"))
for key in ("reference", "with"):
    if key in config and config[key] not in SHIPPED:
        raise WorkflowError(
            f"config.yaml: {key} = {config[key]!r}; allowed: {', '.join(SHIPPED)}"
        )


rule analyze:
    input:
        SESSIONS,
        memory=THREAD_MEMORY,
        modes=f"{RESULTS}/modes.csv",
        rules=expand(
            "analysis/{file}",
            file=["causes.yaml", "claims.yaml", "guide.yaml", "PROTOCOL.md"],
        ),
        # They lend what processes add to the noise of rounds.
        shipped=sorted(Path(RUNS).glob("*/comparisons.csv")),
        functions=FUNCTIONS,
    output:
        tables_of("analyze"),
    log:
        f"{RESULTS}/logs/analyze.log",
    threads: 2
    params:
        results=RESULTS,
        cells=expand("{cell}/cell.json", cell=CELLS),
    message:
        "all cells: values, comparisons, verdicts"
    shell:
        "printf '%s\\n' {params.cells:q} | Rscript {ANALYZE} analyze results={params.results:q} > {log:q} 2>&1"


rule profiles:
    input:
        PROFILES,
        speed=f"{RESULTS}/cpu-speed.csv",
        rules=["analysis/causes.yaml", "analysis/stack-groups.csv"],
        converter="profiles/convert/jfrconv.sh",
        functions=FUNCTIONS,
    output:
        tables_of("profiles"),
        directory(f"{RESULTS}/differences"),
    log:
        f"{RESULTS}/logs/profiles.log",
    params:
        results=RESULTS,
        stacks=expand("{cell}/profile.collapsed", cell=PROFILED),
        allocations=expand("{cell}/allocation.collapsed", cell=ALLOCATING),
    message:
        "where CPU time goes, and what requests allocate"
    shell:
        "printf '%s\\n' {params.stacks:q} {params.allocations:q} | Rscript {ANALYZE} profiles results={params.results:q} converter={input.converter:q} > {log:q} 2>&1"


# Variants of a user's own service: all cells but the first mode's, which is their baseline.
rule judge_builds:
    input:
        SESSIONS,
        functions=FUNCTIONS,
    output:
        table=f"{RESULTS}/builds.csv",
        verdict=f"{RESULTS}/verdict.txt",
        status=f"{RESULTS}/status",
    log:
        f"{RESULTS}/logs/judge_builds.log",
    params:
        results=RESULTS,
        cells=",".join(
            cell.path for cell in GRID.cells if cell.mode != GRID.cells[0].mode
        ),
    message:
        "is one of them slower?"
    shell:
        "Rscript {ANALYZE} builds results={params.results:q} cells={params.cells:q} > {log:q} 2>&1"


# Each finding by its name: the cell of its first pair, measured again in turns with its baseline, and judged.
for finding, cell in cells_of_findings("analysis/guide.yaml").items():

    rule:
        name:
            f"finding-{finding}"
        input:
            partial(measured_again, f"{RESULTS}/cells/{cell}/rep-1/cell.json"),
