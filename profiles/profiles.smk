"""Profiles: what async-profiler saw while the load ran, as collapsed stacks and a flame graph.

inputs   a cell's cell.json and profile.jfr, .tools/async-profiler/jfr-converter.jar;
         analysis/causes.yaml, which names the pairs to be compared
outputs  profile.collapsed and flamegraph.html beside them; both empty where there is no profile
         {results}/differences/{cause}.html: two profiles laid over each other; likewise
"""

from pathlib import Path

from profiles.differences import differences


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


DIFFERENCES = differences(Path("analysis/causes.yaml"))


def profiles_of(side):
    """The stacks of all repetitions that this run measures of one side of a difference."""
    return [
        f"{RESULTS}/cells/{cell.path}/profile.collapsed"
        for cell in GRID.cells
        if (cell.study, cell.mode, cell.tier, cell.tool)
        == (side.study, side.mode, side.tier, side.tool)
    ]


rule difference_of_profiles:
    input:
        drawn=lambda wildcards: profiles_of(DIFFERENCES[wildcards.cause][0]),
        baseline=lambda wildcards: profiles_of(DIFFERENCES[wildcards.cause][1]),
    output:
        RESULTS + "/differences/{cause}.html",
    log:
        RESULTS + "/logs/differences/{cause}.log",
    message:
        "differential flame graph of {wildcards.cause}"
    shell:
        "python -m profiles.differences --out {output:q} --drawn {input.drawn:q} --baseline {input.baseline:q} > {log:q} 2>&1"
