"""Paper: a paper and its supplement, every sentence on a result computed.

Inputs:  results/*.csv, what the analysis wrote; cells, with their flame graphs; what parts cost by
         themselves; what the sources published; the functions of analysis/R
Outputs: results/report.html (both, self-contained), results/report.pdf (the paper),
         results/supplement.pdf
         paper/reference/, analysis/reference/, numbers in README.md: of `snakemake reference` alone
"""


rule render_report:
    input:
        tables=expand(
            "{results}/{table}.csv",
            results=RESULTS,
            table=[
                "modes",
                "summary",
                "slices",
                "cpu-speed",
                "profiler-cost",
                "capacity",
                "curves",
                "predicted-curves",
                "comparisons",
                "loops",
                "generators",
                "cpu-groups",
                "allocations",
                "claims",
                "causes",
                "cause-counters",
                "moved-groups",
                "guide",
                "findings",
                "combinations",
                "combination-laws",
                "predictions",
                "prediction-score",
                "usl",
                "crossovers",
                "travel",
                "primitives/primitives",
                "primitives/thread-memory",
            ],
        ),
        flamegraphs=expand("{cell}/flamegraph.html", cell=PROFILED),
        differences=f"{RESULTS}/differences",
        functions=FUNCTIONS,
        published=PUBLISHED,
        causes="analysis/causes.yaml",
        guide="analysis/guide.yaml",
        protocol="analysis/PROTOCOL.md",
        reference=sorted(str(path) for path in Path("analysis/reference").glob("*")),
        coverage="analysis/coverage.csv",
        text=expand(
            "paper/{name}.qmd", name=sorted(glob_wildcards("paper/{name}.qmd").name)
        ),
        references="paper/references.bib",
        look=expand(
            "paper/{name}",
            name=[
                "look.yml",
                "look.typ",
                "page.html",
                "report.css",
                "dark.scss",
                "stand-in.css",
                "stand-in.html",
            ],
        ),
        sentences=expand(
            "paper/R/{name}.R", name=sorted(glob_wildcards("paper/R/{name}.R").name)
        ),
        script="paper/render.py",
        renderer=["paper/knit.R", "paper/filter.lua"],
    output:
        html=f"{RESULTS}/report.html",
        pdf=f"{RESULTS}/report.pdf",
        supplement=f"{RESULTS}/supplement.pdf",
    log:
        f"{RESULTS}/logs/render_report.log",
    params:
        results=RESULTS,
    message:
        "the report: HTML, the paper's PDF and the supplement's"
    shell:
        "python {input.script:q} --results {params.results:q} --out-html {output.html:q} --out-pdf {output.pdf:q} --out-supplement {output.supplement:q} > {log:q} 2>&1"


# Takes a run as it is: it has no input of results, or a missing cell would be measured for it.
rule reference:
    input:
        condense="analysis/reference.R",
        publish="paper/reference.R",
        protocol="analysis/PROTOCOL.md",
    log:
        f"{RESULTS}/logs/reference.log",
    params:
        results=RESULTS,
        cells=default_cells,
        repetitions=DEFAULT["repetitions"],
        # What it writes itself may differ from the commit.
        written="analysis/reference,paper/reference,README.md",
    message:
        "the reference, from a complete default run"
    shell:
        "(Rscript {input.condense:q} --results {params.results:q} --out analysis/reference --repetitions {params.repetitions} --written {params.written:q} {params.cells:q}"
        " && Rscript {input.publish:q} --results {params.results:q} --reference analysis/reference --out paper/reference --readme README.md) > {log:q} 2>&1"
