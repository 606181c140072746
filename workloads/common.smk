"""Facts on a session, from the grid, for the rules that measure."""

import json
import os
from pathlib import Path

from workloads.machine import provenance
from workloads.record import cell_folder


def of_session(fact):
    """A fact on the session that wildcards name, as a function of them."""
    return lambda wildcards: fact(GRID.named_session(wildcards))


def of_cell(fact):
    """The same on the session of the cell that they name."""
    return lambda wildcards: fact(GRID.named_cell(wildcards))


def plan_of(session):
    return GRID.plan(session).to_json()


def jars_of(session):
    """Fingerprints: a jar that was built again with the same bytes measures nothing again."""
    return [f"{jar}.sha256" for jar in GRID.jars(session)]


def programs_of(session):
    """Files that must be there, however new they are; and those of user-supplied servers."""
    built = [
        *GRID.jars(session),
        *GRID.class_data(session),
        "workloads/due/build/due",
        "workloads/jmeter/build/driver.jar",
    ]
    return [*map(ancient, built), *GRID.files(session)]


def missing_cells(session):
    """No input: runs a session again whose record is there, but not each of its cells.

    Cells may have been deleted, or the record copied without them; without Snakemake's own files
    nothing else shows that they were measured by another configuration.
    """
    if os.path.exists(record_of(session)) and not holds_all(GRID, session):
        workflow.dag.forcefiles.add(record_of(session))
    return []


def folder_of(cell):
    return f"{RESULTS}/cells/{cell.path}"


def holds_all(grid, session):
    """Whether each cell of the session is there, and of the configuration of this grid."""
    plan = grid.plan(session)
    return all(
        cell_folder.holds(Path(folder_of(cell)), plan.spec(cell.name))
        for cell in session.cells
    )


def measured_beside():
    """Cells of whole sessions of extras, measured by name: a report has them, and never measures
    them.
    """
    planned = {cell.path for cell in GRID.cells}
    for session in GRID.whole.sessions:
        if os.path.exists(record_of(session)) and holds_all(GRID.whole, session):
            yield from (cell for cell in session.cells if cell.path not in planned)


def measured_elsewhere():
    """A message where cells of another kind of machine are there; empty where none is."""
    here, found = provenance.this_machine(), {}
    for session in GRID.sessions:
        folders = map(Path, map(folder_of, session.cells))
        record = next(filter(None, map(cell_folder.record_in, folders)), {})
        there = record.get("provenance", {}).get("machine", here)
        if there["id"] != here["id"]:
            found[session.path] = f"{there['cpu_model']}, Linux {there['kernel']}"
    if not found:
        return ""
    return (
        f"{RESULTS} has sessions of another kind of machine ({len(found)}: "
        f"{'; '.join(sorted(set(found.values())))}), and this run adds to them. "
        "For a run of this machine alone: --config results=results/here"
    )


def sessions_to_measure():
    """Those of this run, once Snakemake knows its jobs; a cell that is named is a small one."""
    named = {"measure_session": GRID.named_session, "measure_cell": GRID.named_cell}
    jobs = workflow.dag.needrun_jobs()
    return [
        named[job.rule.name](job.wildcards) for job in jobs if job.rule.name in named
    ]


def is_left_out(job):
    """Whether a job lacks its output, or was forced, and has not run, while its program was built."""
    dag = workflow.dag
    is_there = all(map(os.path.exists, job.output))
    is_forced = not dag.forcefiles.isdisjoint(job.output)
    is_to_run = (is_forced or not is_there) and not dag.finished(job)
    return is_to_run and any(map(dag.finished, dag.dependencies[job]))


def labels_of(session):
    run = {
        "requested": requested(session),
        "shipped": f"{RUNS}/{config['reference']}/run.json",
    }
    labels = GRID.labels(session) | run
    return json.dumps(labels, sort_keys=True)


def requested(session):
    """How many cells the command line requests; path and cells of a session and of those after it."""
    targets = workflow.dag_settings.targets
    named = [of for of in GRID.sessions if record_of(of) in targets] or GRID.sessions
    # A cell by itself is no session of the grid.
    if session not in named:
        named = [session]
    counts = [(each.path, len(each.cells)) for each in named]
    of = sum(cells for _, cells in counts)
    return {"of": of, "sessions": counts[named.index(session) :]}


def record_of(session):
    return f"{RESULTS}/sessions/{session.path}.json"


def priority_of(session):
    """Sessions run in the order of the grid."""
    order = [other.path for other in GRID.sessions]
    return len(order) - order.index(session.path) if session.path in order else 0
