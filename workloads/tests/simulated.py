"""A server whose queue is simulated, and what due would have written of a load on it."""

import csv
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workloads.record.latencies import hgrm
from workloads.tools.sweep import COURSE, EVERY_S
from workloads.tools.wrk2 import CORRECTED


@dataclass
class Queue:
    """First come, first served by one worker; `service_s` draws how long one takes."""

    service_s: Callable[[random.Random], float]

    def latencies_s(self, arrivals_s: list[float], chance: random.Random) -> Iterator[float]:
        end_s = 0.0
        for at_s in arrivals_s:
            end_s = max(at_s, end_s) + self.service_s(chance)
            yield end_s - at_s


def exponential(rate_per_s: float) -> Callable[[random.Random], float]:
    return lambda chance: chance.expovariate(rate_per_s)


def arrivals_s(tool: dict[str, Any]) -> list[float]:
    """When requests are due, from the start of the warm-up."""
    chance, lasts_s = random.Random(tool["seed"]), tool["warm_up_s"] + tool["duration_s"]
    if tool["arrivals"] == "constant":
        return [k / tool["rate_per_s"] for k in range(int(tool["rate_per_s"] * lasts_s))]
    found, at_s = [], chance.expovariate(tool["rate_per_s"])
    while at_s < lasts_s:
        found.append(at_s)
        at_s += chance.expovariate(tool["rate_per_s"])
    return found


def load(queue: Queue, tool: dict[str, Any], folder: Path) -> None:
    """Leaves load.json, the course and the histogram of a load in the folder."""
    due_s, start_s = arrivals_s(tool), tool["warm_up_s"]
    latencies_s = queue.latencies_s(due_s, random.Random(tool["seed"] + 1))
    counted = [(at - start_s, took) for at, took in zip(due_s, latencies_s, strict=True)]
    counted = [(at_s, took_s) for at_s, took_s in counted if at_s >= 0]
    write_course(counted, folder / COURSE)
    steps = Counter(float(f"{1000 * took_s:.3g}") for _, took_s in counted)
    total_ms = sum(1000 * took_s for _, took_s in counted)
    (folder / CORRECTED).write_text(hgrm(steps, total_ms, max(steps, default=0.0)))
    in_time = sum(at_s + took_s < tool["duration_s"] for at_s, took_s in counted)
    (folder / "load.json").write_text(json.dumps(as_due(tool, len(counted), in_time, total_ms)))


def write_course(counted: list[tuple[float, float]], path: Path) -> None:
    due = Counter(int(at_s / EVERY_S) for at_s, _ in counted)
    ended = Counter(int((at_s + took_s) / EVERY_S) for at_s, took_s in counted)
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["time_s", "due", "sent", "completed", "errors"])
        for index in range(max([*due, *ended], default=0) + 1):
            table.writerow([index * EVERY_S, due[index], due[index], ended[index], 0])


def as_due(tool: dict[str, Any], count: int, in_time: int, total_ms: float) -> dict[str, Any]:
    mean_us = 1000 * total_ms / count if count else None
    in_warm_up = {"completed_in_warm_up": 0, "failed_in_warm_up": 0}
    unfinished = {"in_flight_at_end": 0, "unsent_at_end": 0} | in_warm_up
    return {
        "requests": {"due": count, "sent": count, "completed": count} | unfinished,
        "status": {"2xx": count, "3xx": 0, "4xx": 0, "5xx": 0},
        "errors": {},
        "bodies_right": count,
        "connections_opened": tool["connections"],
        "reconnects": 0,
        "start_epoch_s": 100.0,
        "end_epoch_s": 100.0 + tool["duration_s"],
        "offered_per_s": tool["rate_per_s"],
        "delivered_per_s": in_time / tool["duration_s"],
        "received_bytes": 0,
        "sent_bytes": 0,
        "was_the_limit": False,
        "was_the_limit_reason": "",
        "latency_us": {"corrected": {"mean": mean_us}, "uncorrected": {"min": mean_us}},
        "cpu_share": 0.2,
        "cpu_wait_share": 0.0,
    }
