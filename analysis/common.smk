"""What the rules that analyze need to know of sessions and their cells."""

from types import SimpleNamespace

from workloads.experiment.looks import chosen, took_of, undecided_of


def look_sessions(wildcards):
    """A session more of each comparison that the planned ones do not decide, while minutes are left."""
    if config["repetitions"] < 2 or not config.get("minutes"):
        return []
    planned = sessions_planned()
    undecided = undecided_of(Path(checkpoints.decide.get().output[0]))
    wanted = {name: count for name, count in undecided.items() if name in planned}
    found = chosen(wanted, took_of(map(Path, SESSIONS)), config["minutes"])
    return [f"{RESULTS}/sessions/{name}/rep-{planned[name] + 1}.json" for name in found]


def sessions_planned():
    """How many sessions each comparison has, by study/comparison."""
    found = {}
    for each in GRID.sessions:
        name = f"{each.study}/{each.comparison}"
        found[name] = max(each.repetition, found.get(name, 0))
    return found


def cells_of_looks(paths):
    """The cells of further sessions, from the names of these."""
    cells = []
    for path in paths:
        study, comparison, repetition = Path(path).with_suffix("").parts[-3:]
        words = SimpleNamespace(
            study=study,
            comparison=comparison,
            repetition=repetition.removeprefix("rep-"),
        )
        cells += GRID.named_session(words).cells
    return [f"{RESULTS}/cells/{cell.path}/cell.json" for cell in cells]
