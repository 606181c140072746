"""Profiles: what async-profiler and the JVM saw while the load ran, as collapsed stacks and flame graphs.

inputs   {results}/sessions/{study}/{comparison}/rep-{repetition}.json; its cells' cell.json and recordings,
         .tools/async-profiler/jfr-converter.jar
outputs  {results}/profiles/{study}/{comparison}/rep-{repetition}.txt, which names the cells; next to each cell.json,
         by the kinds of its profile and empty where there is no recording:
         profile.collapsed and flamegraph.html, of CPU time (cpu)
         allocation.collapsed and allocation.html, of bytes (allocation)
         events.csv, how often and how long threads waited (events)
"""


rule convert_profiles:
    input:
        RESULTS + "/sessions/{study}/{comparison}/rep-{repetition}.json",
    output:
        RESULTS + "/profiles/{study}/{comparison}/rep-{repetition}.txt",
    log:
        RESULTS + "/logs/profiles/{study}/{comparison}/rep-{repetition}.log",
    # Before the next session, whose priority is lower: an early report needs them.
    priority: 1_000_000
    threads: 2
    params:
        cells=lambda wildcards: [
            f"{RESULTS}/cells/{cell.path}"
            for cell in GRID.named_session(wildcards).cells
            if GRID.profiles(cell)
        ],
    message:
        "profiles of {wildcards.study}/{wildcards.comparison}, repetition {wildcards.repetition}"
    shell:
        "printf '%s\\n' {params.cells:q} | python -m profiles.convert {output:q} > {log:q} 2>&1"
