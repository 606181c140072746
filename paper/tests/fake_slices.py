"""The slices of a made-up cell: rows of its slices.csv."""

from __future__ import annotations

import math
import zlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from paper.tests.fake_results import Cell

Row = dict[str, Any]

COLUMNS = (
    "slice", "round", "kind", "kept", "reason", "start_epoch_s", "end_epoch_s", "duration_s",
    "requests_recorded", "responses_2xx", "error_share", "throughput_per_s", "answers_per_s",
    "latency_mean_ms", "latency_p50_ms", "latency_p90_ms", "latency_p99_ms", "latency_p99_9_ms",
    "cpu_us_per_request", "compiler_share", "server_cpu_s", "compiler_cpu_s", "idle_beside_share",
    "generator_cpu_share", "others_cpu_share", "steal_share", "speed_server", "speed_generator",
    "machine_context_switches_per_request", "rss_mib", "threads_peak",
)  # fmt: skip
# All slices of a cell together are loaded for so long.
LOADED_S = 2.0
START_S = 1.8e9
PROFILER_COST = 1.1


def slice_rows(cell: Cell) -> list[Row]:
    """The rows in order of time: plain rounds, one of them repeated if spoilt, then a profiled one.

    What differs between rounds is common to all modes and cancels in ratios; beside it every slice
    has a noise of its own, up to 0.5 %, which is the same in every run of the tests.
    """
    plan = [(n, "plain", "") for n in range(1, cell.slices + 1)]
    if cell.left_out:
        plan.insert(0, (1, "plain", cell.left_out))
    if cell.outcome != "completed":
        plan[-1] = (cell.slices, "plain", "not_completed")
    elif cell.profiled:
        plan.append((1, "profiled", ""))
    return [_row(cell, number, *planned) for number, planned in enumerate(plan, start=1)]


def plain(rows: list[Row], *, kept: bool = False) -> list[Row]:
    """The slices without the profiler; only those that count where `kept`."""
    return [row for row in rows if row["kind"] == "plain" and (not kept or row["kept"] == "true")]


def _row(cell: Cell, number: int, which: int, kind: str, reason: str) -> Row:
    shared = 1 + 0.02 * (which - (cell.slices + 1) / 2)
    seed = f"{cell.study}/{cell.mode}/{cell.tier}/{cell.tool}/{cell.repetition}/{which}"
    own = 1 + (zlib.crc32(seed.encode()) % 1000 - 500) / 1e5
    cost = PROFILER_COST if kind == "profiled" else 1.0
    slow = shared * own * cost
    asked, window_s = len(cell.latency_ms), LOADED_S / cell.slices
    right = asked - cell.refused
    start_s = START_S + 4 * (number - 1)
    # What an open loop offers does not depend on the server, while it keeps up.
    pace = 1 / slow if not cell.is_open else 1.0
    per_s = pace / LOADED_S
    cpu_us = cell.cpu_us * slow
    cpu_s = cpu_us * asked / cell.slices / 1e6
    share = 0.2 if "compiled" in reason else cell.compiler_share
    return {
        "slice": number, "round": which, "kind": kind, "kept": "false" if reason else "true",
        "reason": reason, "start_epoch_s": start_s, "end_epoch_s": start_s + window_s,
        "duration_s": window_s, "requests_recorded": round(asked / cell.slices),
        "responses_2xx": round(right / cell.slices), "error_share": cell.refused / asked,
        "throughput_per_s": right * per_s, "answers_per_s": asked * per_s,
        "latency_mean_ms": slow * sum(cell.latency_ms) / asked,
        **{f"latency_{name}_ms": slow * _percentile(cell.latency_ms, at) for name, at in POINTS},
        "cpu_us_per_request": cpu_us, "compiler_share": "" if share is None else share,
        "server_cpu_s": cpu_s / (1 - (share or 0)),
        "compiler_cpu_s": "" if share is None else cpu_s * share / (1 - share),
        "idle_beside_share": 0.004, "generator_cpu_share": 0.2, "others_cpu_share": 0.02,
        "steal_share": 0.0, "speed_server": shared, "speed_generator": 2 - shared,
        "machine_context_switches_per_request": 3.0 * own, "rss_mib": 95.4, "threads_peak": 38,
    }  # fmt: skip


POINTS = (("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99_9", 0.999))


def _percentile(values: list[float], share: float) -> float:
    return sorted(values)[max(math.ceil(share * len(values)) - 1, 0)]
