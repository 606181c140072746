"""The line on the terminal: what came of a cell, how many are left and how long they take."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any


def progress(record: dict[str, Any], left: int, of: int, root: Path) -> str:
    """One line for the terminal: how many cells are left of those requested and how long they
    take, which cell was measured, and its result."""
    load, cell = record["load"], record["cell"]
    name = "/".join(str(cell[key]) for key in ("study", "mode", "tier", "tool", "repetition"))
    broken = [check["id"] for check in record["validity"]["checks"] if not check["passed"]]
    valid = "valid but for latency" if record["validity"]["valid"] else "invalid"
    valid = f"{valid}: {', '.join(broken)}" if broken else "valid"
    if sweep := record.get("sweep"):
        rate = f"capacity about {sweep['calibrated_per_s']:.0f}/s"
    else:
        rate = f"{load['throughput_per_s']:.0f}/s"
    left_s = left * typical_cell_s(root)
    lasts = f", about {math.ceil(left_s / 60)} min" if left_s else ""
    return (
        f"{left} of {of} cells left{lasts}; "
        f"{name}: {record['outcome']}, {valid}; {rate}, {load['error_share']:.1%} errors"
    )


def typical_cell_s(root: Path) -> float:
    """Mean time of a cell with its share of its session, of all sessions that have ended here; 0
    before the first one has. `root`: the folder of all cells."""
    ended = [json.loads(path.read_text()) for path in root.parent.glob("sessions/*/*/rep-*.json")]
    cells = sum(len(session["measured"]) for session in ended)
    return sum(session["wall_s"] for session in ended) / cells if cells else 0.0
