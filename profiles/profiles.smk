"""Profiles: what async-profiler saw while the load ran, as collapsed stacks and a flame graph.

inputs   a cell's cell.json and profile.jfr, .tools/async-profiler/jfr-converter.jar
outputs  profile.collapsed and flamegraph.html beside them, of CPU time; both empty where there is no profile
         allocation.collapsed and allocation.html, of bytes, where the tier asks for allocation_kib
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
        "python -m profiles.convert cpu {input:q} {output.collapsed:q} {output.flamegraph:q} > {log:q} 2>&1"


rule convert_allocation:
    input:
        RESULTS + "/cells/{cell}/cell.json",
    output:
        collapsed=RESULTS + "/cells/{cell}/allocation.collapsed",
        flamegraph=RESULTS + "/cells/{cell}/allocation.html",
    log:
        RESULTS + "/logs/allocations/{cell}.log",
    message:
        "what {wildcards.cell} allocates"
    shell:
        "python -m profiles.convert allocation {input:q} {output.collapsed:q} {output.flamegraph:q} > {log:q} 2>&1"
