"""Load: the generators are built, then every session is measured, alone on the machine.

inputs   config.yaml, servers' jars and fingerprints, own servers' files, .tools/jmeter,
         .tools/async-profiler
outputs  workloads/due/build/due, workloads/jmeter/build/driver.jar
         {results}/cells/{study}/{mode}/{tier}/{tool}/rep-{repetition}/cell.json and what is beside it
         {results}/primitives/costs-{repetition}.csv, {results}/primitives/thread-memory.csv
         {results}/modes.csv: what each mode is a variant of, how it handles requests, its looks
         {results}/grid.csv: which modes the experiment measures at which tiers, by which tools
"""

# What the first Snakemake was asked for. A job on a node of a cluster runs a Snakemake of its own
# with other words, which inherits these.
WORDS = json.loads(os.environ.setdefault("ASKED_WORDS", json.dumps(sys.argv)))
# By the rule that measures each. A cell that the command line names, as in
# `snakemake -f results/cells/…/cell.json`, is measured alone.
SESSIONS = {
    "measure_" + re.sub("[/-]", "_", session.title.split()[0]): session
    for session in GRID.sessions_to_run(WORDS, f"{RESULTS}/cells")
}
DUE_SOURCES = sorted(glob_wildcards("workloads/due/src/{name,[a-z0-9_.-]+}").name)


def all_cores(wildcards):
    """Of this machine. Of a cluster's node none are counted: its job has all of them."""
    return workflow.resource_settings.cores or 1


def again(wildcards):
    """Whether the first Snakemake was asked to run sessions again; on nodes each is."""
    settings = workflow.dag_settings
    told = settings.forcetargets or settings.forceall or settings.forcerun
    return os.environ.setdefault("ASKED_AGAIN", str(bool(told)))


# A job that measures has a node of a cluster to itself, with all its CPUs.
WHOLE_NODE = {"slurm_extra": "--exclusive", "cpus_per_task": -1}


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


# The shell line is what Snakemake compares to find changed code: it stays as it is.
# What the cells depend on is the plan; labels travel as resources, which re-run nothing.
for rule_name, session in SESSIONS.items():

    rule:
        name:
            rule_name
        input:
            [f"{jar}.sha256" for jar in GRID.jars(session)],
            ancient(GRID.jars(session)),
            ancient(GRID.class_data(session)),
            GRID.files(session),
            ancient("workloads/due/build/due"),
            ancient("workloads/jmeter/build/driver.jar"),
        output:
            update([f"{RESULTS}/cells/{cell.path}/cell.json" for cell in session.cells]),
            # Cells of before stay where they are, so they cannot show that the session ran to its
            # end: srun ends with status 0 when its node fails.
            f"{RESULTS}/logs/sessions/{session.title.split()[0]}.json",
        log:
            f"{RESULTS}/logs/sessions/{session.title.split()[0]}.log",
        priority: len(CELLS) + 2 - GRID.position(session.cells[0])
        threads: all_cores
        resources:
            **WHOLE_NODE,
            testbed=1,
            cores_there=all_cores,
            labels=json.dumps(GRID.labels(session), sort_keys=True),
            # Of a session that Snakemake was not told to run again, what is current is kept.
            again=again,
        params:
            cells=RESULTS + "/cells",
            session=session.path,
            # A function: of a text Snakemake would take {port} for a wildcard.
            plan=lambda wildcards, plan=json.dumps(
                GRID.plan(session), sort_keys=True
            ): plan,
        message:
            "measuring " + session.title
        shell:
            "python -m workloads.run_session --cells {params.cells:q} --session {params.session:q} --log {log:q} --plan {params.plan:q} --labels {resources.labels:q} --again {resources.again} --held {threads}/{resources.cores_there}"


# Each repetition before the cells of that repetition, that is with a priority above theirs: predictions come
# before measurements, and the machine has faster and slower minutes.
def before_repetition(wildcards):
    positions = [
        GRID.position(cell)
        for cell in GRID.cells
        if cell.repetition >= int(wildcards.repetition)
    ]
    return len(CELLS) + 2.5 - min(positions, default=0)


rule measure_primitives:
    input:
        "servers/primitives/target/primitives.jar.sha256",
        ancient("servers/primitives/target/primitives.jar"),
        "servers/spring/target/spring.jar.sha256",
        ancient("servers/spring/target/spring.jar"),
        "servers/sockets/target/sockets.jar.sha256",
        ancient("servers/sockets/target/sockets.jar"),
        ancient("workloads/due/build/due"),
    output:
        RESULTS + "/primitives/costs-{repetition}.csv",
    log:
        RESULTS + "/logs/measure_primitives_{repetition}.log",
    priority: before_repetition
    threads: all_cores
    resources:
        **WHOLE_NODE,
        testbed=1,
        cores_there=all_cores,
    message:
        "measuring what threads, hand-offs and connections cost, repetition {wildcards.repetition}"
    shell:
        "python -m workloads.run_primitives --costs {output:q} --repetition {wildcards.repetition} --log {log:q} --held {threads}/{resources.cores_there}"


rule measure_thread_memory:
    input:
        "servers/primitives/target/primitives.jar.sha256",
        ancient("servers/primitives/target/primitives.jar"),
    output:
        RESULTS + "/primitives/thread-memory.csv",
    log:
        RESULTS + "/logs/measure_thread_memory.log",
    priority: len(CELLS) + 3
    threads: all_cores
    resources:
        **WHOLE_NODE,
        testbed=1,
        cores_there=all_cores,
    message:
        "measuring what waiting threads hold"
    shell:
        "python -m workloads.run_primitives --memory {output:q} --log {log:q} --held {threads}/{resources.cores_there}"


rule list_experiment:
    output:
        modes=RESULTS + "/modes.csv",
        grid=RESULTS + "/grid.csv",
    log:
        RESULTS + "/logs/list_experiment.log",
    params:
        modes=GRID.modes_table(),
        grid=GRID.grid_table(),
    message:
        "what each mode is, and what the experiment asks for"
    shell:
        "(printf %s {params.modes:q} > {output.modes:q} && printf %s {params.grid:q} > {output.grid:q}) 2> {log:q}"
