"""Lines on the terminal: what came of a cell, how many are left and how long; ratios of a pair."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from workloads.record.slice import PLAIN, Slice

# 97.5 % quantiles of Student's t for 1, 2, … degrees of freedom; beyond, that of the last is used.
STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
STATISTICS: dict[str, Callable[[Slice], float | None]] = {
    "throughput": lambda each: each.load["throughput_per_s"],
    "p99 of latency": lambda each: each.latencies_ms["latency_p99_ms"] if each.kept else None,
    "CPU time per request": lambda each: each.metrics["cpu_us_per_request"],
}


def progress(record: dict[str, Any], root: Path) -> str:
    """One line for the terminal: which cell, what came out, how many are left and how long."""
    order, load, cell = record["labels"]["order"], record["load"], record["cell"]
    name = "/".join(str(cell[key]) for key in ("study", "mode", "tier", "tool", "repetition"))
    broken = [check["id"] for check in record["validity"]["checks"] if not check["passed"]]
    valid = "valid but for latency" if record["validity"]["valid"] else "invalid"
    valid = f"{valid}: {', '.join(broken)}" if broken else "valid"
    measured = list(root.glob("*/*/*/*/rep-*/cell.json"))
    left = max(0, order["of"] - len(measured))
    if sweep := record.get("sweep"):
        rate = f"{sweep['ended']}, about {sweep['calibrated_per_s']:.0f}/s"
    else:
        rate = f"{load['throughput_per_s']:.0f}/s"
    left_min = left * typical_cell_s(measured) / 60
    return (
        f"{left} of {order['of']} cells left, about {left_min:.0f} min; "
        f"{name}: {record['outcome']}, {valid}; {rate}, {load['error_share']:.1%} errors"
    )


def typical_cell_s(measured: list[Path]) -> float:
    """Mean time from one recorded cell to the next, among those measured last.

    Tiers differ by far, so one is not enough; what lies hours apart was not measured in one go.
    """
    ended_s = sorted(
        datetime.fromisoformat(json.loads(path.read_text())["provenance"]["ended"]).timestamp()
        for path in sorted(measured, key=lambda path: path.stat().st_mtime)[-60:]
    )
    gaps_s = [later - earlier for earlier, later in zip(ended_s, ended_s[1:], strict=False)]
    within = [gap_s for gap_s in gaps_s if gap_s < 300]
    return statistics.mean(within) if within else 0.0


def ratios(mode: list[Slice], baseline: list[Slice]) -> str:
    """The mode to its baseline, from slices of the same rounds, with 95 % intervals (t)."""
    lines = []
    for name, value in STATISTICS.items():
        found = interval(log_ratios(mode, baseline, value))
        lines.append(f"{name}: {found or 'fewer than two rounds in which both slices count'}")
    return "ratio to the baseline, within this session\n  " + "\n  ".join(lines)


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


def interval(logs: list[float]) -> str:
    if len(logs) < 2:
        return ""
    mean, error = statistics.mean(logs), statistics.stdev(logs) / math.sqrt(len(logs))
    reach = STUDENT[min(len(logs) - 2, len(STUDENT) - 1)] * error
    low, high = math.exp(mean - reach), math.exp(mean + reach)
    return f"{math.exp(mean):.3g} [{low:.3g}, {high:.3g}] ({len(logs)} rounds)"
