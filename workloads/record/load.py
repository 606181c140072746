"""The load of a cell without requests, and the collections of a JVM within a load."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from typing import Any

COLLECTIONS = ("collections", "full_collections", "gc_pause_ms")
# How a line of HotSpot's unified log begins, and what collectors call themselves in its first line
# whose collections are no pauses.
UNIFIED = re.compile(r"\[\d{4}-\d\d-\d\dT(?!.*Using (The Z|Shenandoah))")
# A concurrent collector also pauses to mark: such a pause is no collection.
PAUSE = re.compile(r"\[(?P<ended>[^]]+)\].* Pause (?P<kind>\w+).* (?P<ms>[\d.]+)ms$")


def nothing_sent(loop: str) -> dict[str, Any]:
    """The `load` of a cell in which nothing could be sent; what a tool knows goes over it."""
    counts = ("requests_recorded", "in_flight_at_end", "responses_2xx", "received_bytes")
    times = ("error_share", "start_epoch_s", "end_epoch_s", "duration_s")
    rates = ("answers_per_s", "throughput_per_s")
    unknown = ("requests_offered", "bodies_right", "offered_per_s", "concurrency_offered")
    more_unknown = ("sent_bytes", "latency_mean_ms", "latency_min_ms", "in_flight_mean")
    return {
        "loop": loop,
        "errors": {},
        "limited_by_generator": "",
        **dict.fromkeys(counts, 0),
        **dict.fromkeys((*times, *rates), 0.0),
        **dict.fromkeys((*unknown, *more_unknown)),
    }


def nothing_answered(loop: str, ran_s: tuple[float, float]) -> dict[str, Any]:
    """The `load` of a generator that ended, within `ran_s`, without an answer that it counted."""
    return nothing_sent(loop) | {
        "errors": {"fatal": 1},
        "error_share": 1.0,
        "start_epoch_s": ran_s[0],
        "end_epoch_s": ran_s[1],
        "duration_s": ran_s[1] - ran_s[0],
    }


def collections(log: Path, load: dict[str, Any]) -> dict[str, Any]:
    """Collections that ended within the load, and their pauses, from the JVM's unified log.

    The log is read from its end. All are None without a log, and of another JVM's or of a collector
    that hardly pauses.
    """
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    if not lines or not UNIFIED.match(lines[0]):
        return dict.fromkeys(COLLECTIONS)
    young, full, pause_ms = 0, 0, 0.0
    for line in reversed(lines):
        if not (found := PAUSE.match(line)):
            continue
        ended_s = datetime.fromisoformat(found["ended"]).timestamp()
        if ended_s < load["start_epoch_s"]:
            break
        if ended_s <= load["end_epoch_s"]:
            young, full = young + (found["kind"] == "Young"), full + (found["kind"] == "Full")
            pause_ms += float(found["ms"])
    return dict(zip(COLLECTIONS, (young + full, full, pause_ms), strict=True))
