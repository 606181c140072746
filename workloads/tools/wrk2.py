"""The tool wrk2: an open loop; requests are due at a constant rate, answered or not.

The generator is the `wrk2` on the PATH within its limits, otherwise the project's own, `due`.
Both are given the same command line and print the same text; `due` adds what wrk2 cannot tell.
Source: wrk2's README (calibration, corrected and uncorrected latency).
"""

from __future__ import annotations

import functools
import json
import math
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

from workloads.server import Server

ROOT = Path(__file__).resolve().parents[2]
DUE = ROOT / "workloads/due/build/due"
LOOP = "open"

# Beyond it wrk2's pacing falls behind and its timers add up: it is no longer the server we measure.
WRK2_CONNECTIONS_AT_MOST = 1000
CORRECTED, UNCORRECTED = "latency-corrected.hgrm", "latency-uncorrected.hgrm"
SERIES = ("--series", "series.csv", "--series-every", "50ms")


def generator(spec: dict[str, Any]) -> dict[str, str]:
    """Name and version of this cell's generator. Raises FileNotFoundError without one."""
    wanted = spec["tool"]["generator"]
    # Nothing but our own is copied to another machine.
    wrk2 = None if spec.get("testbed", {}).get("generator") else shutil.which("wrk2")
    if wanted == "wrk2" and not wrk2:
        raise FileNotFoundError("wrk2.generator = 'wrk2', but there is no wrk2 on the PATH")
    within = spec["tool"]["connections"] <= WRK2_CONNECTIONS_AT_MOST
    if wrk2 and not is_burst(spec) and (wanted == "wrk2" or (wanted == "auto" and within)):
        return {"name": "wrk2", "version": version(wrk2)}
    return due()


def due() -> dict[str, str]:
    """The project's own generator."""
    return {"name": "due", "version": version(str(DUE))}


def is_burst(spec: dict[str, Any]) -> bool:
    """Whether all requests are due at once, which only the project's own generator can do."""
    return bool(spec["tool"].get("at_once"))


@functools.cache
def version(program: str) -> str:
    """What the program prints of its own version; wrk2 prints it with its usage, status 1."""
    printed = subprocess.run(
        [program, "-v"], capture_output=True, text=True, timeout=10, check=False
    )
    lines = (printed.stdout + printed.stderr).strip().splitlines()
    return lines[0] if lines else "unknown"


def command(spec: dict[str, Any], java: Path, subject: Server) -> list[str]:
    """The generator's command line, to be run in the slice's folder."""
    if generator(spec)["name"] == "wrk2":
        duration_s = spec["tool"]["duration_s"] + calibration_s(spec)
        return ["wrk2", *common(spec), f"-d{math.ceil(duration_s)}s", url_of(spec, subject)]
    burst = ("--schedule", "burst") if is_burst(spec) else ()
    return by_due(spec, subject, *burst, *SERIES)


def by_due(spec: dict[str, Any], subject: Server, *more: str) -> list[str]:
    """The command line of the project's own generator, which leaves all that from_due reads."""
    tool = spec["tool"]
    lengths = [f"-d{tool['duration_s']}s", "--warm-up", f"{tool['warm_up_s']}s"]
    files = ["--json", "load.json", "--hgrm", CORRECTED, "--hgrm-uncorrected", UNCORRECTED]
    url = url_of(spec, subject)
    return [str(DUE), *common(spec), *lengths, *files, *more, *reaching(url), url]


def common(spec: dict[str, Any]) -> list[str]:
    """What both generators are asked for in the same words."""
    tool = spec["tool"]
    return [
        "-t1",
        f"-c{tool['connections']}",
        f"-R{tool['rate_per_s']}",
        *("--timeout", f"{spec['testbed']['request_timeout_s']}s"),
        *connection_options(tool),
        *("--latency", "--u_latency"),
    ]


def url_of(spec: dict[str, Any], subject: Server) -> str:
    return f"http://{subject.address}:{subject.port}{spec['tier']['path']}"


def connection_options(load: dict[str, Any]) -> list[str]:
    """How connections are used and what is sent on them; the same for wrk2 and due."""
    per_request = [] if load.get("keep_alive") else ["-H", "Connection: close"]
    script = load.get("script")
    return [*per_request, *(("-s", str(ROOT / script)) if script else ())]


def reaching(url: str) -> list[str]:
    """Our generator loads another address than loopback only with an option."""
    return [] if url.startswith("http://127.") else ["--allow-remote"]


def due_command(load: dict[str, Any], url: str, *more: str) -> list[str]:
    """The project's own generator, asked for nothing but a load: for warming up, for primitives."""
    asked = [f"-c{load['connections']}", f"-R{load['rate_per_s']}", f"-d{load['duration_s']}s"]
    return [str(DUE), "-t1", *asked, *more, *connection_options(load), *reaching(url), url]


def calibration_s(spec: dict[str, Any]) -> float:
    """How long wrk2 throws latencies away: 10 s and 5 ms for every connection of a thread."""
    return 10 + 0.005 * spec["tool"]["connections"]


def collect(spec: dict[str, Any], folder: Path, ran_s: tuple[float, float]) -> dict[str, Any]:
    """The load of a slice; leaves both latency histograms in its folder.

    `ran_s`: start and end of the generator, epoch seconds; wrk2 itself tells no times.
    """
    if generator(spec)["name"] == "due":
        return from_due(spec, json.loads((folder / "load.json").read_text()))
    text = (folder / "generator.log").read_text()
    for spectrum, name in zip(spectra(text), (CORRECTED, UNCORRECTED), strict=True):
        (folder / name).write_text(spectrum)
    return from_wrk2(spec, text, ran_s)


def from_due(spec: dict[str, Any], load: dict[str, Any]) -> dict[str, Any]:
    requests, status = load["requests"], load["status"]
    body = load["body_bytes"]
    right = body["min"] == body["max"] == spec["study"]["body_bytes"]
    errors = load["errors"] | {
        "http_3xx": status["3xx"],
        "http_4xx": status["4xx"],
        "http_5xx": status["5xx"],
        "unanswered": requests["in_flight_at_end"],
        "unsent": requests["unsent_at_end"],
    }
    duration_s = load["end_epoch_s"] - load["start_epoch_s"]
    good = status["2xx"]
    return {
        "loop": LOOP,
        "requests_asked": requests["due"],
        "requests_recorded": sum(status.values())
        + sum(load["errors"].values())
        + requests["in_flight_at_end"]
        + requests["unsent_at_end"],
        "responses_2xx": good,
        "bodies_right": good if right else 0,
        "answers_in_warm_up": requests["completed_in_warm_up"],
        "errors": {kind: count for kind, count in errors.items() if count},
        "error_share": 1 - good / requests["due"] if requests["due"] else 1.0,
        "start_epoch_s": load["start_epoch_s"],
        "end_epoch_s": load["end_epoch_s"],
        "duration_s": duration_s,
        "in_flight_at_end": 0,
        "offered_per_s": load["offered_per_s"],
        "concurrency_offered": None,
        # Answers that came within the window: what came later drained a backlog.
        "answers_per_s": load["delivered_per_s"],
        "throughput_per_s": load["delivered_per_s"] * good / max(1, requests["completed"]),
        "received_bytes": load["received_bytes"],
        "sent_bytes": load["sent_bytes"],
        "limited_by_generator": load["was_the_limit_reason"] if load["was_the_limit"] else "",
        "latency_mean_ms": milliseconds(load["latency_us"]["corrected"]["mean"]),
        # due keeps one histogram: with refusals in it, the fastest may be one of them.
        "latency_min_ms": milliseconds(load["latency_us"]["uncorrected"]["min"])
        if good == requests["completed"] > 0
        else None,
    }


def milliseconds(value_us: float | None) -> float | None:
    return None if value_us is None else value_us / 1000


def from_wrk2(spec: dict[str, Any], text: str, ran_s: tuple[float, float]) -> dict[str, Any]:
    """From wrk2's text. What it does not tell (requests due, bytes sent and of bodies) is None."""
    done = re.search(r"(\d+) requests in [\d.]+\w+, ([\d.]+)([KMGT]?)B read", text)
    rate = re.search(r"Requests/sec:\s+([\d.]+)", text)
    if not done or not rate:
        raise ValueError(f"generator.log: not what wrk2 prints at its end: {text[-200:]!r}")
    completed = int(done[1])
    failed = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
    bad_status = int(failed[1]) if failed else 0
    sockets = re.search(
        r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", text
    )
    kinds = ("connect_other", "reset", "write", "timeout")
    counts = [int(count) for count in sockets.groups()] if sockets else [0, 0, 0, 0]
    errors = dict(zip(kinds, counts, strict=True)) | {"http_other": bad_status}
    good = completed - bad_status
    recorded = completed + sum(counts)
    per_s = float(rate[1])
    return {
        "loop": LOOP,
        "requests_asked": None,
        "requests_recorded": recorded,
        "responses_2xx": good,
        "bodies_right": None,
        "errors": {kind: count for kind, count in errors.items() if count},
        "error_share": 1 - good / recorded if recorded else 1.0,
        "start_epoch_s": ran_s[0],
        "end_epoch_s": ran_s[1],
        "duration_s": completed / per_s if per_s else 0.0,
        "in_flight_at_end": 0,
        "offered_per_s": spec["tool"]["rate_per_s"],
        "concurrency_offered": None,
        "answers_per_s": per_s,
        "throughput_per_s": per_s * good / completed if completed else 0.0,
        "received_bytes": round(float(done[2]) * 1024 ** "_KMGT".index(done[3] or "_")),
        "sent_bytes": None,
        "limited_by_generator": "",
        "latency_mean_ms": float(mean[1])
        if (mean := re.search(r"#\[Mean *= *([\d.]+)", text))
        else None,
        "latency_min_ms": smallest_ms(text),
    }


def spectra(text: str) -> list[str]:
    """The percentile distributions in wrk2's output, in the standard .hgrm format, values in ms."""
    pattern = r"Detailed Percentile spectrum:\n(.*?#\[Buckets[^\n]*\n)"
    return re.findall(pattern, text, flags=re.DOTALL)


def smallest_ms(text: str) -> float | None:
    """The smallest uncorrected latency, the first value of the last spectrum."""
    rows = [line.split() for line in spectra(text)[-1].splitlines()[1:] if line.strip()]
    numbers = [row for row in rows if len(row) == 4]
    return float(numbers[0][0]) if numbers else None
