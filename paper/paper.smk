"""Paper: one report, every sentence on a result computed.

Inputs:  results/*.csv, what the analysis wrote; cells, with their flame graphs; the functions of analysis/R
Outputs: results/report.pdf (the paper), report.html (the same and all tables, self-contained), findings.json (for programs)
         results/own.html, of two builds of a user's own service
         of the rules of these names alone: analysis/runs/<name>/ and paper/runs/<name>/ (reference), results/published/
         (publish), README.md, analysis/README.md and pictures (readme), results/reanalysed/<name>/ (reanalyse)
         results/so-far/: the report of a run that is still measuring, of its first session

Each report has its problems.csv (table, verb, message, cells), which is no output of one rule: the analysis
and the renderer have their own rows in it. paper/problems.sh ends with status 3 where it has any.
"""

import shlex


include: "common.smk"


rule render_report:
    input:
        tables=[f"{RESULTS}/modes.csv", *tables_of("analyze", "profiles")],
        memory=THREAD_MEMORY,
        profiles=PROFILES,
        differences=f"{RESULTS}/differences",
        functions=FUNCTIONS,
        published=PUBLISHED,
        causes="analysis/causes.yaml",
        guide="analysis/guide.yaml",
        protocol="analysis/PROTOCOL.md",
        shipped=sorted(str(path) for path in Path(RUNS).glob("*/*")),
        coverage="analysis/coverage.csv",
        # Texts, their functions, their look, and what renders them.
        paper=parts_of_the_page("paper"),
    output:
        html=f"{RESULTS}/report.html",
        pdf=f"{RESULTS}/report.pdf",
    log:
        f"{RESULTS}/logs/render_report.log",
    params:
        results=RESULTS,
        reference=config["reference"],
    message:
        "the report: the paper as PDF, and with all tables as HTML"
    shell:
        "python -m paper.render --results {params.results:q} --reference {params.reference:q} --out-html {output.html:q} --out-pdf {output.pdf:q} > {log:q} 2>&1"
        # For the terminal: what wrote the report in place of Quarto, and why.
        " && sed -n 's/^report: //p' {log:q} >&2"


rule reanalyse:
    input:
        modes=f"{RESULTS}/modes.csv",
        grid=f"{RESULTS}/grid.csv",
    threads: 2
    params:
        results=RESULTS,
        cells=lambda wildcards: cells_given(),
        out=lambda wildcards: reanalysed(),
        reference=config["reference"],
    message:
        "tables and the report of the cells in {params.cells}: {params.out}"
    shell:
        "python -m paper.reanalyse --cells {params.cells:q} --out {params.out:q} --experiment {params.results:q} --reference {params.reference:q}"


# Takes all cores and the testbed: no session is measured meanwhile, and the next one has a lower priority.
rule report_so_far:
    input:
        SESSIONS[:1],
        profiles=profiles_of(FIRST),
        # Written once: a later change of config.yaml makes no report for sessions that have one.
        modes=ancient(f"{RESULTS}/modes.csv"),
        grid=ancient(f"{RESULTS}/grid.csv"),
    output:
        f"{RESULTS}/logs/so-far/after-1.txt",
    priority: 500_000
    threads: ALL_CORES
    resources:
        testbed=1,
    params:
        results=RESULTS,
        reference=config["reference"],
        of=len(SESSIONS),
        cells=records_of(cell for session in FIRST for cell in session.cells),
    message:
        "a report of the first of {params.of} sessions, while nothing is measured"
    shell:
        "printf '%s\\n' {params.cells:q} | python -m paper.reanalyse --cells {params.results:q} --out {params.results:q}/so-far --experiment {params.results:q} --reference {params.reference:q} --sessions '1 of {params.of}' 2>&1 | tee {output:q} >&2"


rule render_builds:
    input:
        table=f"{RESULTS}/builds.csv",
        profiles=PROFILES,
        functions=FUNCTIONS,
        text="paper/builds.qmd",
        look=["paper/look.yml", "paper/page.html", "paper/report.css"],
        sentences="paper/R/builds.R",
        script="paper/render.py",
    output:
        f"{RESULTS}/own.html",
    log:
        f"{RESULTS}/logs/render_builds.log",
    params:
        results=RESULTS,
    message:
        "the page of both builds, with their flame graphs"
    shell:
        "python -m paper.render --source {input.text:q} --results {params.results:q} --out-html {output:q} > {log:q} 2>&1"


def of_builds(wildcards):
    if not OWN:
        raise WorkflowError("own = null; allowed: a mapping, in a file of --configfile")
    return {"verdict": f"{RESULTS}/verdict.txt", "page": f"{RESULTS}/own.html"}


rule own:
    input:
        unpack(of_builds),
    message:
        "two builds of a user's own service"
    shell:
        "cat {input.verdict:q} && echo 'Pictures and flame graphs:' {input.page:q}"


# Cells of a default run, whatever the command line adds.
WHOLE_RUN = dict(
    results=RESULTS,
    cells=records_of(DEFAULT_GRID.cells),
    repetitions=DEFAULT["repetitions"],
    # An empty word is dropped by :q.
    name=shlex.quote(config.get("name", "")),
)


# Takes a run as it is: it has no input of results, or a missing cell would be measured for it.
rule reference:
    input:
        script="paper/publish.R",
        protocol="analysis/PROTOCOL.md",
        guide="analysis/guide.yaml",
    params:
        **WHOLE_RUN,
    message:
        "a shipped run, from a complete default run"
    shell:
        "paper/problems.sh {params.results:q} && printf '%s\\n' {params.cells:q} | Rscript {input.script:q} reference results={params.results:q} repetitions={params.repetitions} name={params.name}"


# The same run for others, who ship it: nothing of this checkout changes.
rule publish:
    input:
        script="paper/publish.R",
        protocol="analysis/PROTOCOL.md",
        guide="analysis/guide.yaml",
    params:
        **WHOLE_RUN,
    message:
        "an archive of a complete default run, for others to add"
    shell:
        "printf '%s\\n' {params.cells:q} | Rscript {input.script:q} publish results={params.results:q} repetitions={params.repetitions} name={params.name}"


rule readme:
    input:
        script="paper/publish.R",
        guide="analysis/guide.yaml",
        text="paper/findings.qmd",
    params:
        name=config["reference"],
    message:
        "the README's values and pictures, from the tables of the shipped runs"
    shell:
        "Rscript {input.script:q} readme name={params.name:q}"
