"""The line on the terminal: what came of a cell, how many are left and how long they take."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from workloads.experiment.forecast import known_of


def progress(record: dict[str, Any], left: int, of: int, left_s: float) -> str:
    """One line for the terminal: how many cells are left of those requested and how long they
    take (0: unknown), which cell was measured, and its result."""
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
    left: int, sessions: list[tuple[str, int]], root: Path, shipped: Iterable[Path]
) -> float:
    """How long `left` cells take, the last of `sessions` (path and cells; the first is going on).

    Their cells take as long as in the shipped run, at the pace of those that have ended here; 0
    before the first has. `root`: the folder of all cells; `shipped`: run.json of each shipped run.
    """
    folder = root.parent / "sessions"
    known = known_of(folder, shipped)
    shipped_s = known.shipped_s
    (own, cells), *later = sessions
    left_of_own = left - sum(number for _, number in later)
    ahead_s = shipped_s(own, cells) * left_of_own / cells + sum(shipped_s(*each) for each in later)
    ended_s = sum(
        shipped_s(path, len(json.loads((folder / f"{path}.json").read_text())["measured"]))
        for path in known.here_s
    )
    return ahead_s * sum(known.here_s.values()) / ended_s if ended_s else 0.0
