"""Lines on the terminal: what came of a cell, how many are left and how long; ratios of a pair."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from workloads.record.slice import PLAIN, Slice
from workloads.session.until_decided import interval

# Statistics of a slice with their titles; those of latency are of slices that count for it.
STATISTICS: dict[str, tuple[str, Callable[[Slice], float | None]]] = {
    "throughput_per_s": ("throughput", lambda each: each.load["throughput_per_s"]),
    "latency_p99_ms": (
        "p99 of latency",
        lambda each: each.latencies_ms["latency_p99_ms"] if each.kept else None,
    ),
    "cpu_us_per_request": (
        "CPU time per request",
        lambda each: each.metrics["cpu_us_per_request"],
    ),
}


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


def ratios(mode: list[Slice], baseline: list[Slice]) -> str:
    """The mode to its baseline, from slices of the same rounds, with 95 % intervals (t)."""
    found = logs_of(mode, baseline)
    lines = [f"{title}: {in_words(found[id])}" for id, (title, _) in STATISTICS.items()]
    return "ratio to the baseline, within this session\n  " + "\n  ".join(lines)


def logs_of(mode: list[Slice], baseline: list[Slice]) -> dict[str, list[float]]:
    """Logarithms of the ratios of each round, by statistic."""
    return {id: log_ratios(mode, baseline, value) for id, (_, value) in STATISTICS.items()}


def log_ratios(
    mode: list[Slice], baseline: list[Slice], value: Callable[[Slice], float | None]
) -> list[float]:
    def by_round(slices: list[Slice]) -> dict[int, float]:
        plain = [each for each in slices if each.counts and each.turn.kind == PLAIN]
        values = {each.turn.round: value(each) for each in plain}
        # CPU time without the compiler's may come out below 0 where there was little of both.
        return {number: found for number, found in values.items() if found and 0 < found < math.inf}

    ours, theirs = by_round(mode), by_round(baseline)
    return [math.log(ours[number] / theirs[number]) for number in ours.keys() & theirs.keys()]


def in_words(logs: list[float]) -> str:
    if not logs:
        return "no round in which both slices count"
    found = interval(logs)
    if not found:
        return f"{math.exp(logs[0]):.3g} (one round)"
    ratio, low, high = map(math.exp, found)
    return f"{ratio:.3g} [{low:.3g}, {high:.3g}] ({len(logs)} rounds)"
