"""The tool wrk2: an open loop; requests are due at a constant rate or at random, answered or not.

The generator is the project's own, `due`, with wrk2's scripts and its main options. A mix has
the latency of the tier's path alone; the requests that are mixed in have a histogram of their own.
`due` bounds the latency from both sides: a generator that is late with a request adds to its
latency from when it was due, and `without-lag` has it without that.
"""

from __future__ import annotations

import functools
import json
import subprocess
from pathlib import Path
from typing import Any

from workloads.record.latencies import MIXED_IN, WITHOUT_LAG
from workloads.record.load import nothing_sent
from workloads.servers.subject import Subject

ROOT = Path(__file__).resolve().parents[2]
LOOP = "open"
CORRECTED, UNCORRECTED = "latency-corrected.hgrm", "latency-uncorrected.hgrm"
DUE = ROOT / "workloads/due/build/due"
REQUESTS = ROOT / "workloads/scripts/requests.lua"
# Intervals of the course of a load, which the test of settling needs, and how long they are.
INTERVALS_AT_LEAST, INTERVAL_MS_AT_MOST = 20, 50


def generator(spec: dict[str, Any]) -> dict[str, str]:
    return {"name": "due", "version": version(str(DUE))}


@functools.cache
def version(program: str) -> str:
    """The first line that the program prints of its version."""
    printed = subprocess.check_output([program, "-v"], text=True, timeout=10)
    return printed.splitlines()[0]


def is_drawn(tool: dict[str, Any]) -> bool:
    """Whether its generator draws when requests are due, or which of them are mixed in."""
    return "arrivals" in tool or "mix" in tool


def command(spec: dict[str, Any], java: Path, subject: Subject) -> list[str]:
    tool = spec["tool"]
    schedule = "burst" if tool.get("at_once") else tool.get("arrivals")
    arrivals = ("--schedule", schedule) if schedule else ()
    # A load that warms up has none.
    seed = ("--seed", str(tool["seed"])) if "seed" in tool else ()
    every_ms = min(1000 * tool["duration_s"] / INTERVALS_AT_LEAST, INTERVAL_MS_AT_MOST)
    series = ("--series", "series.csv", "--series-every", f"{every_ms:g}ms")
    return by_due(spec, subject, *arrivals, *seed, *series)


def by_due(spec: dict[str, Any], subject: Subject, *more: str) -> list[str]:
    """The command line of the project's own generator, which leaves all that from_due reads."""
    tool, study = spec["tool"], spec["study"]
    lengths = [f"-d{tool['duration_s']}s", "--warm-up", f"{tool['warm_up_s']}s"]
    # Where answers vary none is.
    right = ["--body-bytes", str(study["body_bytes"])] if "body_bytes" in study else []
    files = ["--json", "load.json", "--hgrm", CORRECTED, "--hgrm-uncorrected", UNCORRECTED]
    files += ["--hgrm-without-lag", WITHOUT_LAG]
    if "mix" in tool:
        files += ["--hgrm-mixed-in", MIXED_IN]
    timeout = ("--timeout", f"{spec['testbed']['request_timeout_s']}s")
    offered = [f"-c{tool['connections']}", f"-R{tool['rate_per_s']}", *timeout]
    offered += request_options(tool)
    url = f"http://{subject.address}:{subject.port}{spec['tier']['path']}"
    return [str(DUE), *offered, *lengths, *right, *files, *more, *aim(spec["tier"], url)]


def request_options(load: dict[str, Any]) -> list[str]:
    """How connections are used, what is sent on them, and which second path is mixed in."""
    options = [] if load.get("keep_alive") else ["-H", "Connection: close"]
    if script := load.get("script"):
        options += ["-s", str(ROOT / script)]
    if mix := load.get("mix"):
        options += ["--mix", f"{mix['share']:g}:{mix['path']}"]
    return options


def aim(load: dict[str, Any], url: str) -> list[str]:
    """The end of our generator's command line: where requests go, and which they are."""
    # It loads another address than loopback only with an option.
    remote = [] if url.startswith("http://127.") else ["--allow-remote"]
    if "requests" not in load:
        return [*remote, url]
    return [*remote, "-s", str(REQUESTS), url, "--", *map(as_text, load["requests"])]


def as_text(request: dict[str, Any]) -> str:
    """A request as requests.lua and JMeter's driver read it."""
    headers = [f"{name}: {value}" for name, value in request.get("headers", {}).items()]
    # A file of paths, relative to the checkout.
    file = [f"@{ROOT / request['file']}"] if "file" in request else []
    head = [f"{request['method']} {request['path']}", *file, *headers]
    return "\n".join([*head, "", request.get("body", "")])


def due_command(load: dict[str, Any], url: str, *more: str) -> list[str]:
    """The project's own generator outside the cells: for warming up."""
    offered = [f"-c{load['connections']}", f"-R{load['rate_per_s']}", f"-d{load['duration_s']}s"]
    return [str(DUE), *offered, *more, *request_options(load), *aim(load, url)]


def collect(spec: dict[str, Any], folder: Path, ran_s: tuple[float, float]) -> dict[str, Any]:
    return from_due(json.loads((folder / "load.json").read_text()))


def from_due(load: dict[str, Any]) -> dict[str, Any]:
    requests, status = load["requests"], load["status"]
    errors = load["errors"] | {f"http_{kind}": status[kind] for kind in ("3xx", "4xx", "5xx")}
    errors |= {"unanswered": requests["in_flight_at_end"], "unsent": requests["unsent_at_end"]}
    good, in_time = status["2xx"], load["delivered_per_s"]
    return nothing_sent(LOOP) | {
        "requests_offered": requests["due"],
        "requests_recorded": good + sum(errors.values()),
        "responses_2xx": good,
        "bodies_right": load["bodies_right"],
        "connections_opened": load["connections_opened"],
        "reconnects": load["reconnects"],
        "answers_in_warm_up": requests["completed_in_warm_up"],
        "failures_in_warm_up": requests["failed_in_warm_up"],
        # All that reached the server: what it counts itself is of the warm-up and the drain, too.
        "counted_requests": requests["completed_in_warm_up"]
        + requests["completed"]
        + requests["in_flight_at_end"]
        + load["errors"].get("timeout", 0),
        "errors": {kind: count for kind, count in errors.items() if count},
        "error_share": 1 - good / requests["due"] if requests["due"] else 1.0,
        "start_epoch_s": load["start_epoch_s"],
        "end_epoch_s": load["end_epoch_s"],
        "duration_s": load["end_epoch_s"] - load["start_epoch_s"],
        "offered_per_s": load["offered_per_s"],
        # Answers that came within the window: what came later drained a backlog.
        "answers_per_s": in_time,
        "throughput_per_s": in_time * good / max(1, requests["completed"]),
        "received_bytes": load["received_bytes"],
        "sent_bytes": load["sent_bytes"],
        "limited_by_generator": load["was_the_limit_reason"] if load["was_the_limit"] else "",
        "latency_mean_ms": milliseconds(load["latency_us"]["corrected"]["mean"]),
        **of_mix(load),
        # due keeps one histogram: with refusals in it, the fastest may be one of them.
        "latency_min_ms": milliseconds(load["latency_us"]["uncorrected"]["min"])
        if good == requests["completed"] > 0
        else None,
    }


def of_mix(load: dict[str, Any]) -> dict[str, Any]:
    """The share of all answers that a mix adds, and their mean latency; nothing without a mix."""
    found = load.get("mixed_in")
    if not found:
        return {}
    share = found["completed"] / max(1, load["requests"]["completed"])
    mean_ms = milliseconds(found["latency_us"]["mean"])
    return {"mixed_in": {"share": share, "latency_mean_ms": mean_ms}}


def milliseconds(value_us: float | None) -> float | None:
    return None if value_us is None else value_us / 1000
