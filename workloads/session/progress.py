"""The line on the terminal: what came of a cell, how many are left and how long they take."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from workloads.experiment.forecast import known_of


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
    known = known_of(shipped)
    shipped_s, pace = known.session_s, known.pace(root.parent / "sessions")
    (own, cells), *later = sessions
    later_cells = sum(number for _, number in later)
    cell_s, later_s = shipped_s(own, cells) / cells, sum(shipped_s(*each) for each in later)
    return lambda left: pace * (cell_s * (left - later_cells) + later_s)
