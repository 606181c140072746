"""Analysis: from the cells to tables, in R. Never looks into the runner.

Inputs:  results/cells/<study>/<mode>/<tier>/<tool>/rep-<n>/ cell.json and what lies beside it,
         profile.collapsed (made from profile.jfr after measuring); results/modes.csv, grid.csv
         analysis/runs/<name>/         shipped runs: tables and run.json
Outputs: results/summary/<study>.csv   a row per cell
         results/slices.csv            a row per loaded slice of every cell
         results/cpu-speed.csv         how CPU time goes with the speed of the CPUs
         results/summary.csv           all studies
         results/capacity.csv          a row per load curve: the capacity at the objective
         results/curves.csv            a row per mode, tier and step of its curves
         results/predicted-curves.csv  a row per mode, tier and rate: what theory predicts of the curve
         results/comparisons.csv       a row per mode against its `versus`, tier, tool, statistic
         results/combinations.csv      a row per combination of pool sizes: is it among the best?
         results/guide.csv             a row per situation, statistic and mode: which one to choose
         results/findings.csv          a row per pair of a finding: its outcome, and what that says
         results/loops.csv             a row per mode, tier, statistic: open against closed loop
         results/generators.csv        a row per mode, tier, statistic: wrk2 against our own generator
         results/cpu-groups.csv        a row per cell and group of stacks: where CPU goes
         results/allocations.csv       a row per cell and group of stacks: bytes that a request allocates
         results/differences/          <cause>.html: differential flame graphs, where both sides were sampled
         results/profiler-cost.csv     a row per mode, tier, tool, statistic: profiled against plain
         results/primitives/primitives.csv  a row per primitive, rate and statistic
         results/causes.csv            a row per dose or swap of a cause: the share of the effect that goes
         results/moved-groups.csv      a row per cause and group of stacks: where CPU time moved
         results/bounds.csv            a row per mode, tier and tool with a bound, beside what was measured
         results/compare.csv           a row per comparison and value that a shipped run has too: reproduced?

The scripts and all functions are inputs: a changed analysis runs again and measures nothing. Names of
cells come by standard input, because a command line has room for some thousands of them only.
"""

import shlex

FUNCTIONS = sorted(str(path) for path in Path("analysis/R").glob("*.R"))
PUBLISHED = sorted(str(path) for path in Path("analysis/published").glob("*.csv"))
# Curves have tables of their own: a step at a share of a mode's capacity is not pooled with the loads that a
# tier fixes, nor compared with them.
CURVES = [cell for cell in CELLS if "/curve/" in cell]
LOADS = [cell for cell in CELLS if "/curve/" not in cell]
LOADED = expand("{cell}/cell.json", cell=LOADS)
# Rules that have the summary as input name cells as parameters alone: an input costs Snakemake a
# millisecond of every plan, and the summary is new when a cell is.
PROFILED = [
    f"{RESULTS}/cells/{cell.path}" for cell in GRID.cells if GRID.profiled(cell)
]
ALLOCATING = [
    f"{RESULTS}/cells/{cell.path}" for cell in GRID.cells if GRID.allocates(cell)
]
# Each folder with a run.json is a run that the repository ships.
RUNS = "analysis/runs"
SHIPPED = sorted(path.parent.name for path in Path(RUNS).glob("*/run.json"))
for key in ("reference", "with", "this"):
    if key in config and config[key] not in SHIPPED:
        raise WorkflowError(
            f"config.yaml: {key} = {config[key]!r}; allowed: {', '.join(SHIPPED)}"
        )


def loads_of(study):
    """The cells of one study that are no curves."""
    return [cell for cell in cells_of(study) if "/curve/" not in cell]


rule summarise:
    input:
        cells=lambda wildcards: expand(
            "{cell}/cell.json", cell=loads_of(wildcards.study)
        ),
        script="analysis/summarise.R",
        functions=FUNCTIONS,
    output:
        f"{RESULTS}/summary/{{study}}.csv",
    log:
        f"{RESULTS}/logs/summarise/{{study}}.log",
    message:
        "values of every cell of {wildcards.study}"
    shell:
        "printf '%s\\n' {input.cells:q} | Rscript {input.script:q} --out {output:q} - > {log:q} 2>&1"


rule collect_summaries:
    input:
        summaries=expand(
            "{results}/summary/{study}.csv",
            results=RESULTS,
            study=[study for study in GRID.studies if loads_of(study)],
        ),
        speed=f"{RESULTS}/cpu-speed.csv",
        script="analysis/collect.R",
        functions=FUNCTIONS,
    output:
        f"{RESULTS}/summary.csv",
    log:
        f"{RESULTS}/logs/collect_summaries.log",
    message:
        "all cells in one table"
    shell:
        "Rscript {input.script:q} --out {output:q} --speed {input.speed:q} {input.summaries:q} > {log:q} 2>&1"


rule collect_slices:
    input:
        cells=LOADED,
        script="analysis/slices.R",
        functions=FUNCTIONS,
    output:
        slices=f"{RESULTS}/slices.csv",
        speed=f"{RESULTS}/cpu-speed.csv",
    log:
        f"{RESULTS}/logs/collect_slices.log",
    message:
        "all slices in one table"
    shell:
        "printf '%s\\n' {input.cells:q} | Rscript {input.script:q} --out {output.slices:q} --speed {output.speed:q} - > {log:q} 2>&1"


rule profiler_cost:
    input:
        slices=f"{RESULTS}/slices.csv",
        script="analysis/profiler_cost.R",
        protocol="analysis/PROTOCOL.md",
        functions=FUNCTIONS,
    output:
        f"{RESULTS}/profiler-cost.csv",
    log:
        f"{RESULTS}/logs/profiler_cost.log",
    message:
        "what the profiler costs"
    shell:
        "Rscript {input.script:q} --out {output:q} {input.slices:q} > {log:q} 2>&1"


rule load_curves:
    input:
        cells=expand("{cell}/cell.json", cell=CURVES),
        script="analysis/capacity.R",
        functions=FUNCTIONS,
    output:
        capacity=f"{RESULTS}/capacity.csv",
        curves=f"{RESULTS}/curves.csv",
    log:
        f"{RESULTS}/logs/load_curves.log",
    message:
        "load curves and the capacity of each"
    shell:
        "printf '%s\\n' {input.cells:q} | Rscript {input.script:q} --out {output.capacity:q} --curves {output.curves:q} - > {log:q} 2>&1"


rule predict_curves:
    input:
        cells=expand("{cell}/cell.json", cell=CURVES),
        primitives=f"{RESULTS}/primitives/primitives.csv",
        modes=f"{RESULTS}/modes.csv",
        script="analysis/predict_curves.R",
        functions=FUNCTIONS,
    output:
        f"{RESULTS}/predicted-curves.csv",
    log:
        f"{RESULTS}/logs/predict_curves.log",
    message:
        "what theory predicts along the load curves"
    shell:
        "printf '%s\\n' {input.cells:q} | Rscript {input.script:q} --primitives {input.primitives:q} --modes {input.modes:q} --out {output:q} - > {log:q} 2>&1"


rule compare_modes:
    input:
        summary=f"{RESULTS}/summary.csv",
        slices=f"{RESULTS}/slices.csv",
        capacity=f"{RESULTS}/capacity.csv",
        script="analysis/compare.R",
        protocol="analysis/PROTOCOL.md",
        functions=FUNCTIONS,
    output:
        f"{RESULTS}/comparisons.csv",
    log:
        f"{RESULTS}/logs/compare_modes.log",
    message:
        "modes against their baselines"
    shell:
        "Rscript {input.script:q} --slices {input.slices:q} --capacity {input.capacity:q} --out {output:q} {input.summary:q} > {log:q} 2>&1"


rule compare_loops:
    input:
        summary=f"{RESULTS}/summary.csv",
        slices=f"{RESULTS}/slices.csv",
        script="analysis/compare_loops.R",
        protocol="analysis/PROTOCOL.md",
        functions=FUNCTIONS,
    output:
        loops=f"{RESULTS}/loops.csv",
        generators=f"{RESULTS}/generators.csv",
    log:
        f"{RESULTS}/logs/compare_loops.log",
    message:
        "the open loop against the closed one"
    shell:
        "Rscript {input.script:q} --slices {input.slices:q} --out {output.loops:q} --out-generators {output.generators:q} {input.summary:q} > {log:q} 2>&1"


rule combine_pools:
    input:
        cells=[cell for cell in LOADED if "/database-client/" in cell],
        script="analysis/combinations.R",
        functions=FUNCTIONS,
    output:
        f"{RESULTS}/combinations.csv",
    log:
        f"{RESULTS}/logs/combine_pools.log",
    message:
        "which sizes of both pools are best together"
    shell:
        "printf '%s\\n' {input.cells:q} | Rscript {input.script:q} --out {output:q} - > {log:q} 2>&1"


rule decide_guide:
    input:
        summary=f"{RESULTS}/summary.csv",
        slices=f"{RESULTS}/slices.csv",
        capacity=f"{RESULTS}/capacity.csv",
        comparisons=f"{RESULTS}/comparisons.csv",
        modes=f"{RESULTS}/modes.csv",
        guide="analysis/guide.yaml",
        script="analysis/guide.R",
        protocol="analysis/PROTOCOL.md",
        functions=FUNCTIONS,
    output:
        guide=f"{RESULTS}/guide.csv",
        findings=f"{RESULTS}/findings.csv",
    log:
        f"{RESULTS}/logs/decide_guide.log",
    message:
        "which mode to choose"
    shell:
        "Rscript {input.script:q} --guide {input.guide:q} --modes {input.modes:q} --slices {input.slices:q} --capacity {input.capacity:q} --comparisons {input.comparisons:q} --out {output.guide:q} --out-findings {output.findings:q} {input.summary:q} > {log:q} 2>&1"


rule group_cpu:
    input:
        cells=expand("{cell}/cell.json", cell=PROFILED),
        stacks=expand("{cell}/profile.collapsed", cell=PROFILED),
        speed=f"{RESULTS}/cpu-speed.csv",
        script="analysis/group_cpu.R",
        functions=FUNCTIONS,
        groups="analysis/stack-groups.csv",
    output:
        f"{RESULTS}/cpu-groups.csv",
    log:
        f"{RESULTS}/logs/group_cpu.log",
    message:
        "where CPU time goes"
    shell:
        "printf '%s\\n' {input.cells:q} | Rscript {input.script:q} --groups {input.groups:q} --speed {input.speed:q} --out {output:q} - > {log:q} 2>&1"


rule group_allocations:
    input:
        cells=expand("{cell}/cell.json", cell=ALLOCATING),
        stacks=expand("{cell}/allocation.collapsed", cell=ALLOCATING),
        graphs=expand("{cell}/allocation.html", cell=ALLOCATING),
        script="analysis/group_allocations.R",
        functions=FUNCTIONS,
        groups="analysis/stack-groups.csv",
    output:
        f"{RESULTS}/allocations.csv",
    log:
        f"{RESULTS}/logs/group_allocations.log",
    message:
        "what requests allocate"
    shell:
        "printf '%s\n' {input.cells:q} | Rscript {input.script:q} --groups {input.groups:q} --out {output:q} - > {log:q} 2>&1"


rule draw_differences:
    input:
        causes="analysis/causes.yaml",
        cpu=f"{RESULTS}/cpu-groups.csv",
        groups="analysis/stack-groups.csv",
        speed=f"{RESULTS}/cpu-speed.csv",
        converter="profiles/convert/jfrconv.sh",
        script="analysis/differences.R",
        functions=FUNCTIONS,
    output:
        directory(f"{RESULTS}/differences"),
    log:
        f"{RESULTS}/logs/draw_differences.log",
    params:
        cells=f"{RESULTS}/cells",
    message:
        "differential flame graphs of the causes"
    shell:
        "Rscript {input.script:q} --causes {input.causes:q} --cpu {input.cpu:q} --groups {input.groups:q} --speed {input.speed:q} --cells {params.cells:q} --converter {input.converter:q} --out {output:q} > {log:q} 2>&1"


rule judge_claims:
    input:
        summary=f"{RESULTS}/summary.csv",
        comparisons=f"{RESULTS}/comparisons.csv",
        capacity=f"{RESULTS}/capacity.csv",
        memory=f"{RESULTS}/primitives/thread-memory.csv",
        combinations=f"{RESULTS}/combinations.csv",
        claims="analysis/claims.yaml",
        grid=f"{RESULTS}/grid.csv",
        script="analysis/claims.R",
        protocol="analysis/PROTOCOL.md",
        functions=FUNCTIONS,
    output:
        f"{RESULTS}/claims.csv",
    log:
        f"{RESULTS}/logs/judge_claims.log",
    params:
        results=RESULTS,
    message:
        "a verdict on every claim of the sources"
    shell:
        "Rscript {input.script:q} --claims {input.claims:q} --grid {input.grid:q} --results {params.results:q} --out {output:q} > {log:q} 2>&1"


rule trace_causes:
    input:
        summary=f"{RESULTS}/summary.csv",
        slices=f"{RESULTS}/slices.csv",
        groups=f"{RESULTS}/cpu-groups.csv",
        causes="analysis/causes.yaml",
        script="analysis/causes.R",
        protocol="analysis/PROTOCOL.md",
        functions=FUNCTIONS,
    output:
        causes=f"{RESULTS}/causes.csv",
        moved=f"{RESULTS}/moved-groups.csv",
    log:
        f"{RESULTS}/logs/trace_causes.log",
    message:
        "causes, by dose and by swap"
    shell:
        "Rscript {input.script:q} --causes {input.causes:q} --slices {input.slices:q} --groups {input.groups:q} --out {output.causes:q} --moved {output.moved:q} {input.summary:q} > {log:q} 2>&1"


rule check:
    input:
        verdicts=f"{RESULTS}/claims.csv",
        script="analysis/print_claims.R",
    message:
        "the claims of the sources, and what was found"
    shell:
        "Rscript {input.script:q} {input.verdicts:q}"


rule summarise_primitives:
    input:
        costs=expand(
            f"{RESULTS}/primitives/costs-{{repetition}}.csv",
            repetition=range(1, config["repetitions"] + 1),
        ),
        speed=f"{RESULTS}/cpu-speed.csv",
        script="analysis/primitives.R",
        functions=FUNCTIONS,
    output:
        f"{RESULTS}/primitives/primitives.csv",
    log:
        f"{RESULTS}/logs/summarise_primitives.log",
    message:
        "primitives and their intervals"
    shell:
        "Rscript {input.script:q} --out {output:q} --speed {input.speed:q} {input.costs:q} > {log:q} 2>&1"


rule bound_modes:
    input:
        summary=f"{RESULTS}/summary.csv",
        modes=f"{RESULTS}/modes.csv",
        script="analysis/bounds.R",
        functions=FUNCTIONS,
    output:
        f"{RESULTS}/bounds.csv",
    log:
        f"{RESULTS}/logs/bound_modes.log",
    params:
        cells=LOADED,
    message:
        "what theory allows each mode"
    shell:
        "printf '%s\\n' {params.cells:q} | Rscript {input.script:q} --summary {input.summary:q} --modes {input.modes:q} --out {output:q} - > {log:q} 2>&1"


# Of whatever cells are there; nothing is measured for it, so they are no inputs.
rule compare:
    input:
        script="analysis/reproduce.R",
        protocol="analysis/PROTOCOL.md",
        functions=FUNCTIONS,
    params:
        results=RESULTS,
        runs=RUNS,
        shipped=config.get("with", config["reference"]),
        # An empty word is dropped by :q.
        this=shlex.quote(config.get("this", "")),
        table=f"{RESULTS}/compare.csv",
    message:
        "a run against a shipped one"
    shell:
        "Rscript {input.script:q} --results {params.results:q} --runs {params.runs:q} --with {params.shipped:q} --this {params.this} --out {params.table:q}"
