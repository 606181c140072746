"""The process that measures a session: start all modes → warm up → load in turns → record.

All modes of a comparison are alive together, and one of them is loaded at a time. Each cell is
recorded as soon as its slices are there. A mode that dies, hangs or refuses is a result: only a
fault of the harness (a missing tool, a generator that cannot run) fails the job.

A session may end early by Ctrl-C, SIGTERM or a kill -9 of Snakemake, which is noticed within 0.2 s:
every process is stopped. After a kill -9 of this process the kernel kills its children, but not
what a user-supplied server has started besides. The cells recorded so far stay, but for one that
was measured by itself, whose cell.json Snakemake removes.
"""

import argparse
import json
import logging
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import astuple
from pathlib import Path
from typing import Any

from profiles.watch import limits
from workloads.experiment.plan import Name, Plan
from workloads.machine import environment, provenance
from workloads.machine.testbed import (
    Shares,
    alone_on_the_machine,
    alone_on_the_node,
    boot,
    shares_of,
    stop_with_our_requester,
)
from workloads.record import cell_folder
from workloads.record.cell import Facts
from workloads.session.recorder import Recorder, folder_of
from workloads.session.session import Session
from workloads.session.turns import measure
from workloads.session.until_decided import bands_of
from workloads.tools.tool import tool_of

logger = logging.getLogger("session")
# The folder of a running session, next to the cells; other machines may have theirs there.
FOLDER = f"session-{boot()}-"


def main() -> None:
    environment.confine()
    options = arguments()
    begin(options.log)
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, lambda got, _: sys.exit(f"stopped by {signal.Signals(got).name}"))
    check_tools(options.plan)
    there = limits.record()
    shares = shares_of(options.plan.testbed)
    # This process and its helpers stay off the servers' CPUs from the start.
    os.sched_setaffinity(0, shares[1])
    stop_with_our_requester()
    with alone_on_the_machine():
        measured = run(options, shares, there)
    write_end(options, folders_of(options).values(), measured)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measures the cells of one session.")
    parser.add_argument("--cells", type=Path, required=True, help="the folder of all cells")
    parser.add_argument(
        "--record", type=Path, required=True, help="<study>/<comparison>/rep-<n>.json, written last"
    )
    parser.add_argument("--plan", type=Plan.from_json, required=True, help="what to measure (JSON)")
    parser.add_argument("--labels", type=json.loads, required=True, help="titles and order (JSON)")
    parser.add_argument(
        "--again", action="store_true", help="measure cells that exist, too, until they are decided"
    )
    parser.add_argument("--bands", type=Path, help="ranges of ratios that are expected (CSV)")
    parser.add_argument("--log", type=Path, required=True)
    return parser.parse_args()


def begin(log: Path) -> None:
    """Begin a job that measures: alone, and with its log."""
    alone_on_the_node()
    log.parent.mkdir(parents=True, exist_ok=True)
    logging.basicConfig(
        filename=log,
        filemode="w",
        level=logging.INFO,
        format="%(asctime)s %(levelname)s %(message)s",
    )


def check_tools(plan: Plan) -> None:
    """Raises FileNotFoundError, naming it, for what a session runs and this node has not."""
    try:
        for name in plan.cells:
            spec = plan.spec(name)
            provenance.java(spec["mode"].get("jdk"))
            tool_of(name.tool).generator(spec)
    except FileNotFoundError as fault:
        advice = "run make setup and make build on this machine, or in a folder that it shares"
        raise FileNotFoundError(f"{fault}: {advice}") from fault


def run(options: argparse.Namespace, shares: Shares, there: dict[str, Any]) -> list[str]:
    """Measures what is not there or not current; returns the paths of these cells."""
    root, folders = options.cells.resolve(), folders_of(options)
    chosen, baselines = to_measure(options.plan, folders, again=options.again)
    if not chosen:
        return []
    # Only a runner that was killed with -9 leaves its folder; no other runs now.
    for left in root.parent.glob(f"{FOLDER}*"):
        shutil.rmtree(left)
    with tempfile.TemporaryDirectory(prefix=FOLDER, dir=root.parent) as folder:
        path, where = path_of(options), options.labels.get("where")
        session = Session(options.plan, "/".join(path), chosen, Path(folder), shares, where)
        if options.again:
            session.bands = bands_of(options.bands, (path[0], *astuple(chosen[0])))
        kept = len(folders) - len(chosen)
        recorder = Recorder(session, facts_of(options, session, there), root, baselines, kept)
        try:
            measure(session, recorder)
        finally:
            session.close()
            recorder.add_wall_time()
    return [str(folders[name].relative_to(root)) for name in chosen]


def write_end(options: argparse.Namespace, folders: Iterable[Path], measured: list[str]) -> None:
    """The session's record, which alone shows that it came to its end.

    `wall_s` is that of the whole session, also where only missing cells were measured now. A cell
    that is measured by itself makes the record newer than its readers.
    """
    if options.again:
        if options.record.exists():
            options.record.touch()
        return
    records = (json.loads((folder / cell_folder.CELL).read_text()) for folder in folders)
    wall_s = max(record["session"]["phases"].get("wall_s", 0.0) for record in records)
    options.record.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"measured": measured, "wall_s": wall_s}, indent=1)
    options.record.write_text(f"{text}\n")


def folders_of(options: argparse.Namespace) -> dict[Name, Path]:
    study, _, repetition = path_of(options)
    root = options.cells.resolve()
    return {name: folder_of(root, study, name, repetition) for name in options.plan.cells}


def path_of(options: argparse.Namespace) -> tuple[str, str, str]:
    """Study, comparison and repetition."""
    study, comparison, repetition = options.record.with_suffix("").parts[-3:]
    return study, comparison, repetition


def to_measure(
    plan: Plan, folders: dict[Name, Path], *, again: bool
) -> tuple[list[Name], list[Name]]:
    """The cells to measure, and their baselines that are loaded with them and not recorded."""

    def is_current(name: Name) -> bool:
        spec = plan.spec(name)
        return cell_folder.is_current(folders[name], spec, provenance.fingerprint(spec))

    chosen = [name for name in plan.cells if again or not is_current(name)]
    wanted = set(map(plan.baseline, chosen)).difference(chosen)
    return chosen, [name for name in plan.names() if name in wanted]


def facts_of(options: argparse.Namespace, session: Session, there: dict[str, Any]) -> Facts:
    study, comparison, repetition = path_of(options)
    return Facts(
        id=f"{study}/{comparison}/{repetition}@{session.started:%Y%m%dT%H%M%SZ}",
        study=study,
        comparison=comparison,
        repetition=int(repetition.removeprefix("rep-")),
        started=session.started.isoformat(timespec="milliseconds"),
        commit=provenance.commit(),
        server_cpus=session.place.server_cpus,
        generator_cpus=session.place.generator.cpus,
        topology=session.topology,
        labels=options.labels,
        limits=there,
    )


if __name__ == "__main__":
    try:
        main()
    except Exception as fault:
        # In one line: where it came from stands in the log.
        logger.exception("a fault of the harness")
        sys.exit(f"{type(fault).__name__}: {fault}")
