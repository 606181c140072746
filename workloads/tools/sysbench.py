"""The tool sysbench: a closed loop on a database; every client waits before it asks again.

sysbench 1.0.20 with its own OLTP scripts, which sysbench.lua lets reconnect. A request is a
transaction. Source: sysbench's README, and sb_histogram.c for what its histogram prints.
"""

from __future__ import annotations

import functools
import math
import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any, cast

from workloads.record.latencies import hgrm
from workloads.record.load import nothing_answered, nothing_sent
from workloads.servers.databases import DATABASE, USER
from workloads.servers.databases.data import ROWS, SEED
from workloads.servers.databases.subject import DatabaseSubject
from workloads.servers.subject import Subject

LUA = Path(__file__).with_name("sysbench.lua")
LATENCY = "latency.hgrm"
LOOP = "closed"


def generator(spec: dict[str, Any]) -> dict[str, str]:
    return {"name": "sysbench", "version": version()}


@functools.cache
def version() -> str:
    said = subprocess.run(["sysbench", "--version"], capture_output=True, text=True, check=False)
    return said.stdout.strip().removeprefix("sysbench ")


def command(spec: dict[str, Any], java: Path, subject: Subject) -> list[str]:
    tool, database = spec["tool"], cast(DatabaseSubject, subject)
    driver = database.database.sysbench_driver
    return [
        "sysbench",
        # The password is in there: a command line is for all to see.
        f"--config-file={database.client_file}",
        f"--db-driver={driver}",
        *(f"--{driver}-host=127.0.0.1", f"--{driver}-port={subject.port}"),
        *(f"--{driver}-user={USER}", f"--{driver}-db={DATABASE}"),
        # Prepared again on every connection they would cost the reconnecting modes alone; and a
        # pooler that hands out connections by transaction loses them.
        "--db-ps-mode=disable",
        f"--threads={tool['clients']}",
        # It knows whole seconds alone.
        f"--time={math.ceil(tool['duration_s'])}",
        "--events=0",
        "--tables=1",
        f"--table-size={ROWS}",
        f"--rand-seed={SEED}",
        "--percentile=99",
        "--histogram=on",
        str(LUA),
        f"--script={tool['script']}",
        # Transactions to a connection; 0 for all.
        f"--reconnect-every={spec['mode'].get('client', {}).get('reconnect_every', 0)}",
        "run",
    ]


def collect(spec: dict[str, Any], folder: Path, ran_s: tuple[float, float]) -> dict[str, Any]:
    """Leaves the histogram of latencies in the cell's folder.

    A client that is refused ends sysbench: that is an outcome, reported as "fault".
    """
    text = (folder / "generator.log").read_text(errors="replace")
    steps, clients = histogram(text), spec["tool"]["clients"]
    # Each of many clients says the same.
    fatal = list(dict.fromkeys(re.findall(r"FATAL: (.*)", text)))
    if fatal and not steps:
        fault = {"outcome": "refused", "reason": f"sysbench: {'; '.join(fatal[:3])}"}
        nothing = nothing_answered(LOOP, ran_s)
        return nothing | {"concurrency_offered": clients, "fault": fault}
    figures = {name: number(text, pattern) for name, pattern in FIGURES.items()}
    (folder / LATENCY).write_text(hgrm(steps, figures["sum_ms"], figures["max_ms"]))
    events = round(figures["events"])
    per_s = figures["per_s"]
    duration_s = events / per_s if per_s else float(spec["tool"]["duration_s"])
    return nothing_sent(LOOP) | {
        "concurrency_offered": clients,
        "requests_recorded": events,
        "responses_2xx": events,
        "error_share": 0.0 if events else 1.0,
        # sysbench reports no times, but ends with the load.
        "start_epoch_s": ran_s[1] - duration_s,
        "end_epoch_s": ran_s[1],
        "duration_s": duration_s,
        "answers_per_s": events / duration_s,
        "throughput_per_s": events / duration_s,
        "latency_mean_ms": figures["sum_ms"] / events if events else None,
        # It has no warm-up of its own.
        "counted_requests": events,
        "latency_min_ms": figures["min_ms"],
        "queries": {kind: round(figures[kind]) for kind in ("reads", "writes", "other")},
    }


FIGURES = {
    "events": r"transactions: +(\d+)",
    "per_s": r"transactions: +\d+ +\(([\d.]+) per sec",
    "min_ms": r"min: +([\d.]+)",
    "max_ms": r"max: +([\d.]+)",
    "sum_ms": r"sum: +([\d.]+)",
    "reads": r"read: +(\d+)",
    "writes": r"write: +(\d+)",
    "other": r"other: +(\d+)",
}


def number(text: str, pattern: str) -> float:
    found = re.search(pattern, text)
    if not found:
        raise ValueError(f"generator.log: not what sysbench prints at its end: {text[-200:]!r}")
    return float(found[1])


def histogram(text: str) -> Counter[float]:
    """How often sysbench saw each latency in ms, of which it prints whole microseconds.

    Several of its steps below 0.1 ms have the same value.
    """
    found: Counter[float] = Counter()
    for value, count in re.findall(r"^ +([\d.]+) \|\** +(\d+)$", text, flags=re.MULTILINE):
        found[float(value)] += int(count)
    return found
