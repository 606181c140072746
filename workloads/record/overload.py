"""Marks that an overload leaves: second by second, by time-out, and in the server's heap.

Cells of the tool overload have three tables next to slices.csv, which other cells lack:
- overloads.csv, a row a load: requests that were due, answers in time, and how many any time-out
  would have left; what became of the server after the load;
- seconds.csv, a row for each second of a load, by when its requests were due;
- heap.csv, a row a collection of the heap from the start of a load until its server was asked
  again: what was in use afterwards, and how many requests were in flight.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from workloads.record.latencies import Steps, percentile, rows_in

# The files of due in a slice's folder.
ANSWERS, COURSE = "answers.csv", "course.csv"
OVERLOADS, SECONDS, HEAP = "overloads.csv", "seconds.csv", "heap.csv"
# Time-outs in seconds: due records answers for as long as the last of them.
TIME_OUTS_S = range(1, 11)
# By a pause (SerialGC, G1), or next to the program (ZGC). G1's pauses to mark are no collections.
COLLECTED = re.compile(
    r"\[(?P<ended>[^]]+)\].* (?:Pause (?P<pause>Young|Full)|(?P<cycle>Minor|Major) Collection) "
    r".*\d+M(?:\(\d+%\))?->(?P<after>\d+)M\(\d+[M%]\) [\d.]+m?s$"
)
SECONDS_COLUMNS = ["slice", "second", "due", "right", "in_time", "p50_ms", "p99_ms"]
HEAP_COLUMNS = ["slice", "time_s", "kind", "after_mib", "in_flight"]


class Interval(NamedTuple):
    """Requests of the window that came due, were answered, failed or were sent from then on."""

    time_s: float
    due: int
    answered: int
    failed: int
    sent: int


def is_overload(folder: Path) -> bool:
    return (folder / ANSWERS).exists()


def read_answers(folder: Path) -> dict[int, Steps]:
    """How often each latency in ms was seen of right answers, by the second they were due in."""
    found: dict[int, Steps] = {}
    for row in rows_in(folder / ANSWERS):
        steps = found.setdefault(int(row["due_s"]), Counter())
        steps[float(row["latency_us"]) / 1000] += int(row["count"])
    return found


def read_course(folder: Path) -> list[Interval]:
    names = ("due", "completed", "errors", "sent")
    rows = rows_in(folder / COURSE)
    return [Interval(float(row["time_s"]), *(int(row[name]) for name in names)) for row in rows]


def within(answers: dict[int, Steps], limit_ms: float) -> int:
    """Right answers that took no longer than that from when they were due."""
    return sum(in_time(steps, limit_ms) for steps in answers.values())


def in_time(steps: Steps, limit_ms: float) -> int:
    return sum(count for took_ms, count in steps.items() if took_ms <= limit_ms)


def overload_row(folder: Path, load: dict[str, Any], accounts: dict[str, Any]) -> dict[str, Any]:
    """The row of a load in overloads.csv. `accounts`: of its slice."""
    answers = read_answers(folder)
    return {
        "capacity_per_s": load["capacity_per_s"],
        "steps": " ".join(f"{share:g}x{length_s:g}" for share, length_s in load["steps"]),
        "due": load["requests_offered"],
        "in_time": within(answers, load["objective_ms"]),
        "refused": load["errors"].get("http_5xx", 0),
        # Until a request after the load was answered; empty where none was.
        "answered_after_s": accounts.get("answered_after_s"),
        **{f"within_{limit_s}_s": within(answers, 1000 * limit_s) for limit_s in TIME_OUTS_S},
    }


def second_rows(folder: Path, objective_ms: float) -> Iterator[dict[str, Any]]:
    """The rows of a load in seconds.csv. In percentiles a failed request is slower than others."""
    answers, due = read_answers(folder), Counter[int]()
    for each in read_course(folder):
        due[int(each.time_s + 1e-6)] += each.due
    for second in range(max((at for at, count in due.items() if count), default=-1) + 1):
        steps = answers.get(second, Counter())
        failed = max(0, due[second] - steps.total())
        yield {
            "second": second,
            "due": due[second],
            "right": steps.total(),
            "in_time": in_time(steps, objective_ms),
            "p50_ms": percentile(steps, 0.5, failed),
            "p99_ms": percentile(steps, 0.99, failed),
        }


def heap_rows(
    log: Path, folder: Path, load: dict[str, Any], accounts: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """The rows of a load in heap.csv, from the log of its JVM; none without a log."""
    course = read_course(folder)
    until_s = accounts.get("watched_to_epoch_s", load["end_epoch_s"])
    for line in log.read_text().splitlines() if log.exists() else []:
        if not (found := COLLECTED.match(line)):
            continue
        ended_s = datetime.fromisoformat(found["ended"]).timestamp()
        if load["start_epoch_s"] <= ended_s <= until_s:
            yield {
                "time_s": round(ended_s - load["start_epoch_s"], 3),
                "kind": (found["pause"] or found["cycle"]).lower(),
                "after_mib": int(found["after"]),
                "in_flight": in_flight(course, ended_s - load["start_epoch_s"]),
            }


def in_flight(course: list[Interval], at_s: float) -> int | None:
    """Requests sent and not answered; None once one has failed, which the server may still hold."""
    before = [each for each in course if each.time_s < at_s]
    if any(each.failed for each in before):
        return None
    return sum(each.sent - each.answered for each in before)
