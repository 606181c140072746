"""The load of a cell without requests, and the pauses of a JVM within a load."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any


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


def gc_pauses(log: Path, load: dict[str, Any]) -> dict[str, float]:
    """Pauses within the load, from the JVM's unified log."""
    pauses_ms = []
    for line in log.read_text().splitlines() if log.exists() else []:
        fields = line.split("]", 1)
        if "Pause" in line and line.endswith("ms"):
            at_s = datetime.strptime(fields[0], "[%Y-%m-%dT%H:%M:%S.%f%z").timestamp()
            if load["start_epoch_s"] <= at_s <= load["end_epoch_s"]:
                pauses_ms.append(float(line.rsplit(" ", 1)[1].removesuffix("ms")))
    return {"gc_pauses": len(pauses_ms), "gc_pause_ms": sum(pauses_ms)}
