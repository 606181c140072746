"""The line on the terminal after a cell: what came out, how many cells are left and how long."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any


def progress(record: dict[str, Any], labels: dict[str, Any], out: Path) -> str:
    """One line for the terminal: which cell, what came out, how many are left and how long."""
    order, load = labels["order"], record["load"]
    name = "/".join(out.parts[-6:-1])
    broken = [check["id"] for check in record["validity"]["checks"] if not check["passed"]]
    valid = f"invalid: {', '.join(broken)}" if broken else "valid"
    measured = list(out.parents[5].glob("*/*/*/*/rep-*/cell.json"))
    left = max(0, order["of"] - len(measured))
    return (
        f"{name}: {record['outcome']}, {valid}; {load['throughput_per_s']:.0f}/s, "
        f"{load['error_share']:.1%} errors; {left} of {order['of']} cells left, "
        f"about {left * typical_cell_s(measured) / 60:.0f} min"
    )


def typical_cell_s(measured: list[Path]) -> float:
    """Mean duration of the cells measured last: tiers differ by far, so one is not enough."""
    last = sorted(measured, key=lambda path: path.stat().st_mtime)[-30:]
    lasted = []
    for path in last:
        facts = json.loads(path.read_text())["provenance"]
        begun, ended = (datetime.fromisoformat(facts[key]) for key in ("started", "ended"))
        lasted.append((ended - begun).total_seconds())
    return sum(lasted) / len(lasted)
