"""The line on the terminal: what came of a cell, how many are left and how long they take."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from workloads.experiment.forecast import ended_in, of_shipped


def progress(record: dict[str, Any], left: int, of: int, left_s: float) -> str:
    """One line: cells left of those requested, how long they take (0: unknown), and a result."""
    load, cell = record["load"], record["cell"]
    name = "/".join(str(cell[key]) for key in ("study", "mode", "tier", "tool", "repetition"))
    broken = [check["id"] for check in record["validity"]["checks"] if not check["passed"]]
    valid = "valid but for latency" if record["validity"]["valid"] else "invalid"
    valid = f"{valid}: {', '.join(broken)}" if broken else "valid"
    if sweep := record.get("sweep"):
        rate = f"capacity about {sweep['calibrated_per_s']:.0f}/s"
    else:
        rate = f"{load['throughput_per_s']:.0f}/s"
    lasts = f", about {math.ceil(left_s / 60)} min" if left_s else ""
    return (
        f"{left} of {of} cells left{lasts}; "
        f"{name}: {record['outcome']}, {valid}; {rate}, {load['error_share']:.1%} errors"
    )


def time_left_s(
    sessions: list[tuple[str, int]], root: Path, shipped: Path
) -> Callable[[int], float]:
    """How long the cells that are left take, by their number: the last of `sessions` (path and
    cells; the first is going on).

    They take as long as in the shipped run, at the pace of those that have ended here; 0 before the
    first has. `root`: the folder of all cells; `shipped`: its run.json.
    """
    shipped_s = of_shipped(shipped).shipped_s
    pace = pace_of(root.parent / "sessions", shipped_s)
    (own, cells), *later = sessions
    later_cells = sum(number for _, number in later)
    cell_s, later_s = shipped_s(own, cells) / cells, sum(shipped_s(*each) for each in later)
    return lambda left: pace * (cell_s * (left - later_cells) + later_s)


def pace_of(sessions: Path, shipped_s: Callable[[str, int], float]) -> float:
    """Time of the sessions that have ended here, over that of as many cells in the shipped run."""
    took_s = expected_s = 0.0
    for path, record in ended_in(sessions):
        took_s += record["wall_s"]
        expected_s += shipped_s(path, len(record["measured"]))
    return took_s / expected_s if expected_s else 0.0
