"""Profiles: what async-profiler saw while the load ran, as collapsed stacks and a flame graph.

inputs   a cell's cell.json and profile.jfr, .tools/async-profiler/jfr-converter.jar
outputs  profile.collapsed and flamegraph.html beside them; both empty where there is no profile
"""


rule convert_profile:
    input:
        RESULTS + "/cells/{cell}/cell.json",
    output:
        collapsed=RESULTS + "/cells/{cell}/profile.collapsed",
        flamegraph=RESULTS + "/cells/{cell}/flamegraph.html",
    log:
        RESULTS + "/logs/profiles/{cell}.log",
    message:
        "profile of {wildcards.cell}"
    shell:
        "python -m profiles.convert {input:q} {output.collapsed:q} {output.flamegraph:q} > {log:q} 2>&1"
