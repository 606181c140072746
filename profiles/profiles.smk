"""Profiles: what async-profiler saw while the load ran, as collapsed stacks and flame graphs.

inputs   {results}/sessions/{study}/{comparison}/rep-{repetition}.json; its cells' cell.json and recordings,
         .tools/async-profiler/jfr-converter.jar
outputs  {results}/profiles/{study}/{comparison}/rep-{repetition}.txt, which names the cells; next to each cell.json
         profile.collapsed and flamegraph.html, of CPU time; both empty where there is no profile
         allocation.collapsed and allocation.html, of bytes, where the tier asks for allocation_kib
"""


rule convert_profiles:
    input:
        RESULTS + "/sessions/{study}/{comparison}/rep-{repetition}.json",
    output:
        RESULTS + "/profiles/{study}/{comparison}/rep-{repetition}.txt",
    log:
        RESULTS + "/logs/profiles/{study}/{comparison}/rep-{repetition}.log",
    threads: 2
    params:
        cells=lambda wildcards: [
            f"{RESULTS}/cells/{cell.path}"
            for cell in GRID.named_session(wildcards).cells
            if GRID.profiled(cell)
        ],
    message:
        "profiles of {wildcards.study}/{wildcards.comparison}, repetition {wildcards.repetition}"
    shell:
        "printf '%s\\n' {params.cells:q} | python -m profiles.convert {output:q} > {log:q} 2>&1"
