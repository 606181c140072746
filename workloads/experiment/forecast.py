"""Forecast of a run: what it measures, how long that takes here, and how to have less.

make runs it before set-up, so it needs nothing but Python's standard library. Where the packages
of set-up are there, it knows which cells are missing.

    python3 -m workloads.experiment.forecast --shipped analysis/runs/NAME/run.json
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workloads.experiment import memory

ROOT = Path(__file__).resolve().parents[2]
# A cell with its share of its session's start and warm-up, on 2 CPUs, where no run is known.
CELL_S = 15.0
# The memory of threads before the cells, tables and report behind them.
REST_S = 6 * 60
LESS = """\
For less, after `. .tools/env`:
  make quick                                                 the first findings: 12 minutes
  snakemake --cores 4 results/sessions/{session}.json
                                                             one comparison
  snakemake --cores 4 -f results/cells/{cell}/cell.json
                                                             one cell: about a minute
Ctrl-C stops it at any time. What is measured stays, and the next run goes on from there."""
EXAMPLE = {
    "session": "virtual-threads/limit-or-thread/rep-1",
    "cell": "virtual-threads/virtual/sleep-500/jmeter/rep-1",
}


@dataclass
class Known:
    """How long sessions took, by their path, here or in a shipped run, and their `cells` there."""

    shipped: dict[str, Any] = field(default_factory=dict)
    here_s: dict[str, float] = field(default_factory=dict)
    cells: Mapping[str, int] = field(default_factory=dict)

    def session_s(self, path: str, cells: int) -> float:
        """One session: as it took here, as another repetition did, or as in the shipped run."""
        here_s = of_comparison(path, self.here_s)
        return here_s if here_s is not None else self.shipped_s(path, cells)

    def shipped_s(self, path: str, cells: int) -> float:
        """Time that as many cells took in the shipped run, of this comparison if it has them."""
        took_s = self.shipped.get("session_s", {})
        cell_s = {name: s / self.cells[name] for name, s in took_s.items() if name in self.cells}
        of_this_s = of_comparison(path, cell_s)
        return cells * (of_this_s if of_this_s is not None else self.cell_s())

    def cell_s(self) -> float:
        """A cell of the shipped run, whichever it is."""
        took_s = sum(self.shipped.get("session_s", {}).values())
        return took_s / self.shipped["cells"] if took_s else CELL_S

    def source(self) -> str:
        if self.here_s:
            return "as sessions took here before"
        if self.shipped:
            cpus, model = (self.shipped["machine"][key] for key in ("cpus", "cpu_model"))
            return f"as the shipped run took on {cpus} CPUs ({model})"
        return "a guess: nothing was measured here before"


def of_comparison(path: str, known_s: Mapping[str, float]) -> float | None:
    """Value of a session, or the highest of its other repetitions; None where there is none."""
    comparison = path.rsplit("/", 1)[0]
    same = [s for name, s in known_s.items() if name.rsplit("/", 1)[0] == comparison]
    return known_s.get(path, max(same, default=None))


def known_of(sessions: Path, shipped: Path) -> Known:
    """The sessions that were measured here, and those of a shipped run."""
    known = of_shipped(shipped)
    known.here_s = {name: record["wall_s"] for name, record in ended_in(sessions)}
    return known


def ended_in(sessions: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Path and record of each session that has ended here."""
    for path in sessions.glob("*/*/rep-*.json"):
        yield str(path.relative_to(sessions).with_suffix("")), json.loads(path.read_text())


def of_shipped(run: Path) -> Known:
    """A shipped run by its run.json; nothing is known where there is none."""
    if not run.exists():
        return Known()
    return Known(json.loads(run.read_text()), cells=cells_of(run.parent))


def cells_of(run: Path) -> Mapping[str, int]:
    """How many cells each session of a shipped run has."""
    if not (run / "summary.csv").exists():
        return {}
    with (run / "summary.csv").open(newline="") as rows:
        return Counter(row["session"].partition("@")[0] for row in csv.DictReader(rows))


def minutes(known: Known, sessions: Iterable[tuple[str, int]]) -> float:
    """Sessions by path and number of cells."""
    return sum(known.session_s(path, cells) for path, cells in sessions) / 60


def whole_run() -> list[tuple[str, list[str], int]] | None:
    """The sessions of config.yaml: their cells, and memory needed in MiB; None before set-up."""
    try:
        from workloads.experiment.configuration import ConfigurationError
        from workloads.experiment.grid import Grid
        from workloads.experiment.reading import configuration
    except ImportError:
        return None
    try:
        grid = Grid(configuration([ROOT / "config.yaml"]))
    except ConfigurationError as error:
        sys.exit(str(error))
    return [
        (each.path, [cell.path for cell in each.cells], memory.needed_mib(grid.plan(each)))
        for each in grid.sessions
    ]


def plan(
    run: list[tuple[str, list[str], int]] | None,
    known: Known,
    cells: Path,
    *,
    is_set_up: bool,
    free_mib: int,
) -> str:
    """The whole text for a terminal."""
    first = "" if is_set_up else "set-up (about 2 minutes, once), then "
    needs = ""
    if run is None:
        count = known.shipped.get("cells")
        took_s = sum(known.shipped.get("session_s", {}).values())
        what = f"{count} cells" if count else "all cells"
        lasts = f"about {(took_s + REST_S) / 60:.0f} minutes" if took_s else "one to two hours"
    else:
        missing = {
            path: [cell for cell in of if not (cells / cell / "cell.json").exists()]
            for path, of, _ in run
        }
        count, left = sum(len(of) for _, of, _ in run), sum(map(len, missing.values()))
        if not left:
            return f"make report: {first}brings the report up to date; all {count} cells are there."
        what = f"{left} of {count} cells" if left < count else f"{count} cells"
        sessions = [(path, len(of)) for path, of in missing.items() if of]
        what += f" in {len(sessions)} sessions"
        lasts = f"about {minutes(known, sessions) + REST_S / 60:.0f} minutes"
        most = max((mib, path) for path, _, mib in run if missing[path])
        lacks = memory.fault(most, free_mib)
        needs = f"But {lacks}.\n" if lacks else f"It needs {most[0]:,} MiB of memory.\n"
    return (
        f"make report: {first}measures {what} and writes a report, HTML and PDF.\n"
        f"On this machine ({os.cpu_count()} CPUs) that takes {lasts} ({known.source()}).\n"
        + needs
        + LESS.format(**EXAMPLE)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--shipped", type=Path, required=True, help="run.json")
    options = parser.parse_args()
    cells = ROOT / "results/cells"
    known = known_of(ROOT / "results/sessions", options.shipped)
    is_set_up = (ROOT / ".tools/venv.stamp").exists()
    free_mib = memory.free_mib()
    print(plan(whole_run(), known, cells, is_set_up=is_set_up, free_mib=free_mib))


if __name__ == "__main__":
    main()
