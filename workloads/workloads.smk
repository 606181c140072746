"""Load: the generators are built, then every session is measured, alone on the machine.

inputs   config.yaml, servers' jars and fingerprints, user-supplied servers' files, .tools/jmeter,
         .tools/async-profiler
outputs  workloads/due/build/due, workloads/jmeter/build/driver.jar
         {results}/sessions/{study}/{comparison}/rep-{repetition}.json: the session came to its end
         {results}/cells/{study}/{mode}/{tier}/{tool}/rep-{repetition}/: cell.json and the files next to it
         {results}/primitives/thread-memory.csv
         {results}/modes.csv: what each mode is a variant of, its family and kind
         {results}/grid.csv: which modes the experiment measures at which tiers, by which tools

A session keeps the cells that are there and current, so that an interrupted one goes on where it stopped.
A cell.json that a command line names is measured again, in turns with its baseline, until their ratio is decided;
then VERDICT, a command of the Snakefile, judges it. BANDS is a file of ratios that are expected, or is not there.
"""


include: "common.smk"


DUE_SOURCES = sorted(glob_wildcards("workloads/due/src/{name,[a-z0-9_.-]+}").name)
# A cluster's node counts none: its job has all of them.
ALL_CORES = workflow.cores or 1
# A job that measures has a node of a cluster to itself, with all its CPUs.
WHOLE_NODE = {
    "slurm_extra": "--exclusive",
    "cpus_per_task": -1,
    "testbed": 1,
}


rule build_generator:
    input:
        "workloads/due/Makefile",
        expand("workloads/due/src/{name}", name=DUE_SOURCES),
    output:
        "workloads/due/build/due",
    log:
        RESULTS + "/logs/build_generator.log",
    priority: 1_000_000
    message:
        "building the generator"
    shell:
        "make -C workloads/due > {log:q} 2>&1"


rule build_jmeter_driver:
    input:
        "workloads/jmeter/Driver.java",
    output:
        "workloads/jmeter/build/driver.jar",
    log:
        RESULTS + "/logs/build_jmeter_driver.log",
    priority: 1_000_000
    message:
        "building the JMeter driver"
    shell:
        "(rm -rf workloads/jmeter/build/classes && javac --release 25 -proc:none -d workloads/jmeter/build/classes -cp '.tools/jmeter/bin/*:.tools/jmeter/lib/*:.tools/jmeter/lib/ext/*' {input:q}"
        " && jar --create --date=2026-01-01T00:00:00Z --file={output:q} -C workloads/jmeter/build/classes .) > {log:q} 2>&1"


# Snakemake compares the shell line and the plan to find what changed; labels are a resource, which re-runs nothing.
rule measure_session:
    input:
        of_session(jars_of),
        of_session(programs_of),
        of_session(missing_cells),
    output:
        RESULTS + "/sessions/{study}/{comparison}/rep-{repetition}.json",
    log:
        RESULTS + "/logs/sessions/{study}/{comparison}/rep-{repetition}.log",
    priority: of_session(priority_of)
    threads: ALL_CORES
    resources:
        **WHOLE_NODE,
        labels=of_session(labels_of),
    params:
        cells=RESULTS + "/cells",
        plan=of_session(plan_of),
    message:
        "measuring {wildcards.study}/{wildcards.comparison}, repetition {wildcards.repetition}"
    shell:
        "python -m workloads.session.run_session --cells {params.cells:q} --record {output:q} --log {log:q} --plan {params.plan:q} --labels {resources.labels:q}"


rule measure_cell:
    input:
        of_cell(jars_of),
        of_cell(programs_of),
    output:
        update(
            RESULTS + "/cells/{study}/{mode}/{tier}/{tool}/rep-{repetition}/cell.json"
        ),
    log:
        RESULTS + "/logs/cells/{study}/{mode}/{tier}/{tool}/rep-{repetition}.log",
    threads: ALL_CORES
    resources:
        **WHOLE_NODE,
        labels=of_cell(labels_of),
    params:
        cells=RESULTS + "/cells",
        record=of_cell(record_of),
        plan=of_cell(plan_of),
        bands=BANDS,
        verdict=VERDICT,
    message:
        "measuring {wildcards.study}/{wildcards.mode}/{wildcards.tier}/{wildcards.tool}, repetition {wildcards.repetition}"
    shell:
        "python -m workloads.session.run_session --cells {params.cells:q} --record {params.record:q} --again --bands {params.bands:q} --log {log:q} --plan {params.plan:q} --labels {resources.labels:q}"
        # The cell stays whatever becomes of the verdict.
        " && ({params.verdict} cell={wildcards.study}/{wildcards.mode}/{wildcards.tier}/{wildcards.tool}/rep-{wildcards.repetition} || true)"


rule measure_thread_memory:
    input:
        "servers/thread-memory/target/thread-memory.jar.sha256",
        ancient("servers/thread-memory/target/thread-memory.jar"),
    output:
        RESULTS + "/primitives/thread-memory.csv",
    log:
        RESULTS + "/logs/measure_thread_memory.log",
    priority: len(GRID.sessions) + 3
    threads: ALL_CORES
    resources:
        **WHOLE_NODE,
    message:
        "measuring what waiting threads hold"
    shell:
        "python -m workloads.session.thread_memory --table {output:q} --log {log:q}"


rule list_experiment:
    output:
        modes=RESULTS + "/modes.csv",
        grid=RESULTS + "/grid.csv",
    log:
        RESULTS + "/logs/list_experiment.log",
    # An early report needs both.
    priority: 1_000_000
    params:
        modes=GRID.modes_table(),
        grid=DEFAULT_GRID.grid_table(),
    message:
        "what each mode is, and what the experiment requests"
    shell:
        "(printf %s {params.modes:q} > {output.modes:q} && printf %s {params.grid:q} > {output.grid:q}) 2> {log:q}"
