"""Forecast of a run: what it measures, how long that takes here, and how to have less.

make runs it before set-up, so it needs nothing but Python's standard library. Where the packages
of set-up are there, it knows which cells are missing.

    python3 -m workloads.experiment.forecast --shipped analysis/runs/NAME/run.json
"""

import argparse
import csv
import json
import os
import sys
from collections import Counter
from collections.abc import Mapping
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
  snakemake --cores 4 results/sessions/virtual-threads/limit-or-thread/rep-1.json
                                                             one comparison
  snakemake --cores 4 -f results/cells/virtual-threads/virtual/sleep-500/jmeter/rep-1/cell.json
                                                             one cell: about a minute
Ctrl-C stops it at any time. What is measured stays, and the next run goes on from there."""


@dataclass
class Known:
    """A shipped run by its run.json, empty without one, and the `cells` of its sessions by path."""

    shipped: dict[str, Any] = field(default_factory=dict)
    cells: Mapping[str, int] = field(default_factory=dict)

    def session_s(self, path: str, cells: int) -> float:
        """Time that as many cells took there, of this session if it has them."""
        took_s = self.shipped.get("session_s", {})
        cell_s = {name: s / self.cells[name] for name, s in took_s.items() if name in self.cells}
        any_s = sum(took_s.values()) / self.shipped["cells"] if took_s else CELL_S
        return cells * cell_s.get(path, any_s)

    def pace(self, sessions: Path) -> float:
        """Time of the sessions that have ended here, over that of as many cells there; or 0."""
        took_s = expected_s = 0.0
        for path in sessions.glob("*/*/rep-*.json"):
            record, name = json.loads(path.read_text()), path.relative_to(sessions).with_suffix("")
            took_s += record["wall_s"]
            expected_s += self.session_s(str(name), len(record["measured"]))
        return took_s / expected_s if expected_s else 0.0


def known_of(run: Path) -> Known:
    """A shipped run by its run.json; nothing is known where there is none."""
    if not run.exists():
        return Known()
    table, cells = run.with_name("summary.csv"), Counter[str]()
    if table.exists():
        with table.open(newline="") as rows:
            cells.update(row["session"].partition("@")[0] for row in csv.DictReader(rows))
    return Known(json.loads(run.read_text()), cells)


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
    results: Path,
    *,
    is_set_up: bool,
    free_mib: int,
) -> str:
    """The whole text for a terminal."""
    first = "" if is_set_up else "set-up (about 2 minutes, once), then "
    needs, pace, source = "", known.pace(results / "sessions"), "a guess"
    if pace:
        source = "as sessions took here before"
    elif known.shipped:
        cpus, model = (known.shipped["machine"][key] for key in ("cpus", "cpu_model"))
        source = f"as the shipped run took on {cpus} CPUs ({model})"
    if run is None:
        count = known.shipped.get("cells")
        took_s = sum(known.shipped.get("session_s", {}).values())
        what = f"{count} cells" if count else "all cells"
        lasts = f"about {(took_s + REST_S) / 60:.0f} minutes" if took_s else "one to two hours"
    else:
        missing = {
            path: [cell for cell in of if not (results / "cells" / cell / "cell.json").exists()]
            for path, of, _ in run
        }
        count, left = sum(len(of) for _, of, _ in run), sum(map(len, missing.values()))
        if not left:
            return f"make report: {first}brings the report up to date; all {count} cells are there."
        what = f"{left} of {count} cells" if left < count else f"{count} cells"
        sessions = [(path, len(of)) for path, of in missing.items() if of]
        what += f" in {len(sessions)} sessions"
        lasts_s = (pace or 1) * sum(known.session_s(*each) for each in sessions) + REST_S
        lasts = f"about {lasts_s / 60:.0f} minutes"
        most = max((mib, path) for path, _, mib in run if missing[path])
        lacks = memory.fault(most, free_mib)
        needs = f"But {lacks}.\n" if lacks else f"It needs {most[0]:,} MiB of memory.\n"
    return (
        f"make report: {first}measures {what} and writes a report, HTML and PDF.\n"
        f"On this machine ({os.cpu_count()} CPUs) that takes {lasts} ({source}).\n" + needs + LESS
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--shipped", type=Path, required=True, help="run.json")
    options = parser.parse_args()
    known, is_set_up = known_of(options.shipped), (ROOT / ".tools/venv.stamp").exists()
    text = plan(
        whole_run(), known, ROOT / "results", is_set_up=is_set_up, free_mib=memory.free_mib()
    )
    print(text)


if __name__ == "__main__":
    main()
