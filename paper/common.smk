"""Reports besides that of a whole run: of given cells, and of what is measured so far."""

from pathlib import Path

from paper import given_cells

# A report of these is made while the others are measured.
FIRST = GRID.sessions[:1]
if config.get("cells") or config.get("run"):
    try:
        if config.get("run"):
            config["cells"] = f"{given_cells.of_run(Path(RUNS), config['run'])}"
        given_cells.check(Path(config["cells"]))
    except given_cells.Fault as fault:
        raise WorkflowError(str(fault)) from None


def parts_of_the_page(folder):
    """Texts, functions, look, and what renders them; no other command's, and none that an editor hides."""
    others = {
        "README.md",
        "builds.qmd",
        "builds.R",
        "publish.R",
        "reanalyse.py",
        "problems.sh",
    }
    found = [*Path(folder).glob("[!.]*.*"), *Path(folder, "R").glob("[!.]*.R")]
    return sorted(
        str(path) for path in found if path.name not in others and path.suffix != ".smk"
    )


def cells_given():
    """The path of --config cells=PATH, or of the cells of --config run=NAME."""
    if not config.get("cells"):
        raise WorkflowError(
            "cells = null; allowed: a folder or an archive, as --config cells=PATH, or a shipped run, as --config run=NAME"
        )
    return config["cells"]


def reanalysed():
    """The folder of their tables and report."""
    name = config.get("run") or given_cells.name_of(Path(cells_given()))
    return f"{RESULTS}/reanalysed/{name}"


def records_of(cells):
    return [f"{folder_of(cell)}/cell.json" for cell in cells]


def early_report():
    """A report of the first session, while others are left to measure."""
    others = SESSIONS[1:] and not all(map(is_measured, GRID.sessions))
    is_wanted = others and config.get("early_report", True)
    return [f"{RESULTS}/logs/so-far/after-1.txt"] if is_wanted else []


def is_measured(session):
    return os.path.exists(record_of(session)) and holds_all(GRID, session)


def profiles_of(sessions):
    wanted = {f"{RESULTS}/profiles/{session.path}.txt" for session in sessions}
    return [path for path in PROFILES if path in wanted]
