"""What the rules that analyze need to know of sessions and their cells."""

from types import SimpleNamespace

from workloads.experiment.looks import chosen, took_of, undecided_of

# A session more than the run has, of comparisons that two or more do not decide.
LOOK = config["repetitions"] + 1


def look_sessions(wildcards):
    """Sessions that are measured since the planned ones do not decide their primaries."""
    if config["repetitions"] < 2 or not config.get("minutes"):
        return []
    undecided = undecided_of(Path(checkpoints.decide.get().output[0]))
    # What is measured in fewer sessions by design gets no further one.
    able = [each for each in GRID.sessions if each.repetition == config["repetitions"]]
    names = {f"{each.study}/{each.comparison}" for each in able}
    wanted = {name: count for name, count in undecided.items() if name in names}
    found = chosen(wanted, took_of(map(Path, SESSIONS)), config["minutes"])
    return [f"{RESULTS}/sessions/{name}/rep-{LOOK}.json" for name in found]


def cells_of_looks(paths):
    """The cells of further sessions, from the names of these."""
    parts = [Path(path).with_suffix("").parts[-3:] for path in paths]
    words = [
        SimpleNamespace(study=study, comparison=comparison, repetition=LOOK)
        for study, comparison, _ in parts
    ]
    cells = [cell for each in words for cell in GRID.named_session(each).cells]
    return [f"{RESULTS}/cells/{cell.path}/cell.json" for cell in cells]
