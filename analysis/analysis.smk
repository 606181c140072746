"""Analysis: from the cells to tables, in R. Never looks into the runner.

Inputs:  results/cells/<study>/<mode>/<tier>/<tool>/rep-<n>/ cell.json and what lies beside it,
         profile.collapsed (made from profile.jfr after measuring); results/modes.csv
Outputs: results/summary/<study>.csv   a row per cell
         results/slices.csv            a row per loaded slice of every cell
         results/summary.csv           all studies
         results/comparisons.csv       a row per mode against its `versus`, tier, tool, statistic
         results/looks.csv             a row per set of cells that was compared; grows, never removed
         results/loops.csv             a row per mode, tier, statistic: open against closed loop
         results/cpu-groups.csv        a row per cell and group of stacks: where CPU goes
         results/profiler-cost.csv     a row per mode, tier, tool, statistic: profiled against plain
         results/primitives/primitives.csv  a row per primitive, rate and statistic
         results/causes.csv            a row per intervention of a cause: does the effect go away?
         results/predictions.csv       a row per mode, tier, tool, statistic: predicted and measured
         results/prediction-score.csv  hits with the primitives as measured, and with false ones
         results/usl.csv               a row per mode, tool and path: the law's coefficients
         results/crossovers.csv        where a pool begins to win, from primitives alone
         results/compare.csv           a row per comparison and value that the reference has too: reproduced?

The scripts and all functions are inputs: a changed analysis runs again and measures nothing.
"""

FUNCTIONS = sorted(str(path) for path in Path("analysis/R").glob("*.R"))


rule summarise:
    input:
        cells=lambda wildcards: expand(
            "{cell}/cell.json", cell=cells_of(wildcards.study)
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
        "Rscript {input.script:q} --out {output:q} {input.cells:q} > {log:q} 2>&1"


rule collect_summaries:
    input:
        summaries=expand(
            "{results}/summary/{study}.csv",
            results=RESULTS,
            study=[study for study in GRID.studies if cells_of(study)],
        ),
        script="analysis/collect.R",
        functions=FUNCTIONS,
    output:
        f"{RESULTS}/summary.csv",
    log:
        f"{RESULTS}/logs/collect_summaries.log",
    message:
        "all cells in one table"
    shell:
        "Rscript {input.script:q} --out {output:q} {input.summaries:q} > {log:q} 2>&1"


rule collect_slices:
    input:
        cells=expand("{cell}/cell.json", cell=CELLS),
        script="analysis/slices.R",
        functions=FUNCTIONS,
    output:
        f"{RESULTS}/slices.csv",
    log:
        f"{RESULTS}/logs/collect_slices.log",
    message:
        "all slices in one table"
    shell:
        "Rscript {input.script:q} --out {output:q} {input.cells:q} > {log:q} 2>&1"


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


rule compare_modes:
    input:
        summary=f"{RESULTS}/summary.csv",
        slices=f"{RESULTS}/slices.csv",
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
        "Rscript {input.script:q} --slices {input.slices:q} --out {output:q} {input.summary:q} > {log:q} 2>&1"


rule compare_loops:
    input:
        summary=f"{RESULTS}/summary.csv",
        slices=f"{RESULTS}/slices.csv",
        script="analysis/compare_loops.R",
        protocol="analysis/PROTOCOL.md",
        functions=FUNCTIONS,
    output:
        f"{RESULTS}/loops.csv",
    log:
        f"{RESULTS}/logs/compare_loops.log",
    message:
        "the open loop against the closed one"
    shell:
        "Rscript {input.script:q} --slices {input.slices:q} --out {output:q} {input.summary:q} > {log:q} 2>&1"


rule group_cpu:
    input:
        cells=expand("{cell}/cell.json", cell=CELLS),
        stacks=expand("{cell}/profile.collapsed", cell=CELLS),
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
        "Rscript {input.script:q} --groups {input.groups:q} --out {output:q} {input.cells:q} > {log:q} 2>&1"


rule judge_claims:
    input:
        summary=f"{RESULTS}/summary.csv",
        slices=f"{RESULTS}/slices.csv",
        modes=f"{RESULTS}/modes.csv",
        primitives=f"{RESULTS}/primitives/primitives.csv",
        memory=f"{RESULTS}/primitives/thread-memory.csv",
        cells=expand("{cell}/cell.json", cell=CELLS),
        claims="analysis/claims.yaml",
        published=sorted(str(path) for path in Path("analysis/published").glob("*.csv")),
        causes="analysis/causes.yaml",
        experiment="config.yaml",
        script="analysis/claims.R",
        protocol="analysis/PROTOCOL.md",
        functions=FUNCTIONS,
    output:
        f"{RESULTS}/claims.csv",
    log:
        f"{RESULTS}/logs/judge_claims.log",
    params:
        primitives=f"{RESULTS}/primitives",
    message:
        "a verdict on every claim of the sources"
    shell:
        "Rscript {input.script:q} --claims {input.claims:q} --causes {input.causes:q} --experiment {input.experiment:q} --modes {input.modes:q} --slices {input.slices:q} --primitives {params.primitives:q} --out {output:q} {input.summary:q} {input.cells:q} > {log:q} 2>&1"


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
        f"{RESULTS}/causes.csv",
    log:
        f"{RESULTS}/logs/trace_causes.log",
    message:
        "each cause, link by link"
    shell:
        "Rscript {input.script:q} --causes {input.causes:q} --slices {input.slices:q} --groups {input.groups:q} --out {output:q} {input.summary:q} > {log:q} 2>&1"


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
        costs=f"{RESULTS}/primitives/costs.csv",
        script="analysis/primitives.R",
        functions=FUNCTIONS,
    output:
        f"{RESULTS}/primitives/primitives.csv",
    log:
        f"{RESULTS}/logs/summarise_primitives.log",
    message:
        "primitives and their intervals"
    shell:
        "Rscript {input.script:q} --out {output:q} {input.costs:q} > {log:q} 2>&1"


rule predict:
    input:
        primitives=f"{RESULTS}/primitives/primitives.csv",
        summary=f"{RESULTS}/summary.csv",
        modes=f"{RESULTS}/modes.csv",
        cells=expand("{cell}/cell.json", cell=CELLS),
        script="analysis/predict.R",
        protocol="analysis/PROTOCOL.md",
        functions=FUNCTIONS,
    output:
        predictions=f"{RESULTS}/predictions.csv",
        score=f"{RESULTS}/prediction-score.csv",
        usl=f"{RESULTS}/usl.csv",
        crossovers=f"{RESULTS}/crossovers.csv",
    log:
        f"{RESULTS}/logs/predict.log",
    message:
        "what theory predicts, beside what was measured"
    shell:
        "Rscript {input.script:q} --primitives {input.primitives:q} --summary {input.summary:q} --modes {input.modes:q} --out {output.predictions:q} --score {output.score:q} --usl {output.usl:q} --crossovers {output.crossovers:q} {input.cells:q} > {log:q} 2>&1"


# Of whatever cells are there; nothing is measured for it, so they are no inputs.
rule compare:
    input:
        script="analysis/reproduce.R",
        protocol="analysis/PROTOCOL.md",
        functions=FUNCTIONS,
    params:
        results=RESULTS,
        reference="analysis/reference",
        table=f"{RESULTS}/compare.csv",
    message:
        "this machine against the reference"
    shell:
        "Rscript {input.script:q} --results {params.results:q} --reference {params.reference:q} --out {params.table:q}"
