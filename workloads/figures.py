"""Figures of a cell from what telemetry and the JVM's log saw within the load's window.

A window is a list of samples (profiles/telemetry.py); `load` is the part of cell.json.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from profiles.telemetry import Sample, Telemetry, grown, peak
from workloads.testbed import Process


def nothing_sent(loop: str) -> dict[str, Any]:
    """The `load` of a cell in which nothing could be sent; what a tool knows goes over it."""
    counts = ("requests_recorded", "in_flight_at_end", "responses_2xx", "received_bytes")
    figures = ("error_share", "start_epoch_s", "end_epoch_s", "duration_s")
    rates = ("answers_per_s", "throughput_per_s")
    unknown = ("requests_asked", "bodies_right", "offered_per_s", "concurrency_offered")
    more_unknown = ("sent_bytes", "latency_mean_ms", "latency_min_ms")
    return {
        "loop": loop,
        "errors": {},
        "limited_by_generator": "",
        **dict.fromkeys(counts, 0),
        **dict.fromkeys((*figures, *rates), 0.0),
        **dict.fromkeys((*unknown, *more_unknown)),
    }


def lasted_s(window: list[Sample]) -> float:
    return window[-1]["time_s"] - window[0]["time_s"]


def server_figures(window: list[Sample], load: dict[str, Any]) -> dict[str, Any]:
    cpu_s = grown(window, "server_cpu_s")
    grew = (
        "machine_context_switches",
        "listen_overflows",
        "listen_drops",
        "retransmits",
    )
    peaks = {
        "peak_threads": "server_threads",
        "peak_rss_bytes": "server_rss_bytes",
        "peak_descriptors": "server_descriptors",
        "peak_accept_queue": "accept_queue",
    }
    return {
        "cpu_s": cpu_s,
        "cpu_user_s": grown(window, "server_cpu_user_s"),
        "cpu_system_s": grown(window, "server_cpu_system_s"),
        "cpu_us_per_request": cpu_us_per_request(cpu_s, window, load),
        **{name: peak(window, column) for name, column in peaks.items()},
        **{name: grown(window, name) for name in grew},
    }


def cpu_us_per_request(cpu_s: float, window: list[Sample], load: dict[str, Any]) -> float | None:
    """CPU time of the server per answer, µs.

    In a closed loop the server rests before and after the load, so all that the window caught
    belongs to its requests. In an open one it is as busy outside, so rates are compared.
    """
    answers = load["requests_recorded"]
    if load["loop"] == "open":
        answers = load["answers_per_s"] * lasted_s(window)
    return cpu_s / answers * 1e6 if answers else None


def machine_figures(window: list[Sample], telemetry: Telemetry) -> dict[str, Any]:
    """The machine while the load ran; "others" is nothing that the cell itself has started."""
    capacity_s = lasted_s(window) * (os.cpu_count() or 1)
    ours_s = (
        grown(window, "server_cpu_s")
        + grown(window, "generator_cpu_s")
        + grown(window, "backend_cpu_s")
        + telemetry.cpu_share() * lasted_s(window)
    )
    return {
        "cpu_pressure_share": grown(window, "pressure_cpu_some_s") / lasted_s(window),
        "steal_share": grown(window, "steal_s") / capacity_s,
        "others_cpu_share": max(0.0, grown(window, "machine_busy_s") - ours_s) / capacity_s,
        "load_1m": peak(window, "load_1m"),
    }


@dataclass(frozen=True)
class Beside:
    """The process that a server depends on, or that stands before it, and its share of CPUs."""

    id: str
    process: Process
    cpus: list[int]

    def figures(self, window: list[Sample]) -> dict[str, Any]:
        return {
            "id": self.id,
            "cpus": self.cpus,
            "cpu_share": grown(window, "backend_cpu_s") / lasted_s(window) / len(self.cpus),
            "peak_rss_bytes": peak(window, "backend_rss_bytes"),
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
