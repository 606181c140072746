"""Where the cells of a session are written, each as soon as its slices are there."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from profiles.watch.terminal import show
from workloads.experiment.plan import Name
from workloads.record import cell_folder
from workloads.record.cell import Facts, cell_record, write_cell
from workloads.record.slice import Slice
from workloads.session.progress import progress, time_left_s
from workloads.session.session import Session
from workloads.tools.tool import tool_of


class Recorder:
    """The records of a session's cells.

    `baselines`: cells that are loaded only as the baseline of another, into whose folder their
    records go. `kept`: how many of the session's cells are there already.
    """

    def __init__(
        self, session: Session, facts: Facts, root: Path, baselines: list[Name], kept: int = 0
    ) -> None:
        self.session, self.facts, self.root, self.baselines = session, facts, root, baselines
        requested = facts.labels["requested"]
        self.of, sessions = requested["of"], requested["sessions"]
        self.left = sum(cells for _, cells in sessions) - kept
        self.time_left_s = time_left_s(sessions, root, Path(facts.labels["shipped"]))
        self.written: list[tuple[Path, dict[str, Any]]] = []
        self.loaded: dict[Name, list[Slice]] = {}

    def folder(self, name: Name) -> Path:
        return folder_of(self.root, self.facts.study, name, f"rep-{self.facts.repetition}")

    def record(self, name: Name, slices: list[Slice], why: str = "") -> dict[str, Any]:
        spec, sweep = self.session.spec(name), self.session.sweeps.get(name)
        parts = {"sweep": sweep} if sweep else {}
        capacity = self.session.capacities.get(spec["tier"].get("path", ""))
        if name.tool == "overload" and capacity:
            parts = {"overload": capacity}
        return cell_record(self.facts, name, spec, tool_of(name.tool), slices, why, parts)

    def write(self, name: Name, slices: list[Slice], why: str = "") -> None:
        """A cell, with its baseline where that is not a cell of this run."""
        self.loaded[name] = slices
        if name in self.baselines:
            return
        baseline = self.session.plan.baseline(name)
        record = self.record(name, slices, why)
        with cell_folder.working_folder(self.folder(name)) as folder:
            write_cell(record, slices, folder)
            if baseline in self.baselines and baseline in self.loaded:
                own = folder / cell_folder.BASELINE
                own.mkdir()
                other = self.loaded[baseline]
                write_cell(self.record(baseline, other), other, own)
        self.written.append((self.folder(name), record))
        self.left -= 1
        show(progress(record, self.left, self.of, self.time_left_s(self.left)))

    def add_wall_time(self) -> None:
        """Adds how long the session took, which is known at its end."""
        wall_s = (datetime.now(UTC) - self.session.started).total_seconds()
        for folder, record in self.written:
            record["session"]["phases"] = {"wall_s": wall_s}
            cell_folder.write(record, folder)


def folder_of(root: Path, study: str, name: Name, repetition: str) -> Path:
    """A cell's folder, whose path is its name."""
    return root / study / name.mode / name.tier / name.tool / repetition
