"""Load: the generator is built, then every cell is measured, alone on the machine.

inputs   config.yaml, servers' jars and fingerprints, .tools/jmeter, .tools/async-profiler
outputs  workloads/due/build/due
         {results}/cells/{study}/{mode}/{tier}/{tool}/rep-{repetition}/cell.json and what is beside it
"""


def cell_of(wildcards):
    return Cell(
        wildcards.study,
        wildcards.mode,
        wildcards.tier,
        wildcards.tool,
        int(wildcards.repetition),
    )


DUE_SOURCES = sorted(glob_wildcards("workloads/due/src/{name,[a-z0-9_.-]+}").name)


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


# The shell line is what Snakemake compares to find changed code: it stays as it is.
# What the cell depends on is `spec`; labels and order travel as resources, which re-run nothing.
rule measure_cell:
    input:
        lambda wildcards: [f"{jar}.sha256" for jar in GRID.jars(cell_of(wildcards))],
        lambda wildcards: ancient(GRID.jars(cell_of(wildcards))),
        lambda wildcards: ancient(GRID.class_data(cell_of(wildcards))),
        ancient("workloads/due/build/due"),
    output:
        update(
            RESULTS + "/cells/{study}/{mode}/{tier}/{tool}/rep-{repetition}/cell.json"
        ),
    log:
        RESULTS + "/logs/cells/{study}/{mode}/{tier}/{tool}/rep-{repetition}.log",
    priority: lambda wildcards: len(CELLS) + 2 - GRID.position(cell_of(wildcards))
    threads: lambda wildcards: workflow.cores
    resources:
        testbed=1,
        cores_there=lambda wildcards: workflow.cores,
        labels=lambda wildcards: json.dumps(
            GRID.labels(cell_of(wildcards)), sort_keys=True
        ),
    params:
        spec=lambda wildcards: json.dumps(GRID.spec(cell_of(wildcards)), sort_keys=True),
    message:
        "measuring {wildcards.study}/{wildcards.mode}/{wildcards.tier}/{wildcards.tool}/rep-{wildcards.repetition}"
    shell:
        "python -m workloads.run_cell --out {output:q} --log {log:q} --spec {params.spec:q} --labels {resources.labels:q} --held {threads}/{resources.cores_there}"


# Before the cells, that is with a priority above theirs, since predictions come before measurements.
rule measure_primitives:
    input:
        "servers/primitives/target/primitives.jar.sha256",
        ancient("servers/primitives/target/primitives.jar"),
        "servers/tomcat/target/tomcat.jar.sha256",
        ancient("servers/tomcat/target/tomcat.jar"),
        ancient("workloads/due/build/due"),
    output:
        costs=RESULTS + "/primitives/costs.csv",
        memory=RESULTS + "/primitives/thread-memory.csv",
    log:
        RESULTS + "/logs/measure_primitives.log",
    priority: len(CELLS) + 3
    threads: lambda wildcards: workflow.cores
    resources:
        testbed=1,
        cores_there=lambda wildcards: workflow.cores,
    params:
        forks=1 if config["smoke"] else 3,
    message:
        "measuring what threads, hand-offs and connections cost"
    shell:
        "python -m workloads.run_primitives --costs {output.costs:q} --memory {output.memory:q} --forks {params.forks} --log {log:q} --held {threads}/{resources.cores_there}"
