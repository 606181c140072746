"""The wrk2 on the PATH, which loads in place of `due` if `wrk2.generator` says so.

It discards what it measures for ten seconds, and it opens a connection before a request needs it,
which holds a thread of the server's pool.
Source: wrk2's README (calibration, corrected and uncorrected latency).
"""

from __future__ import annotations

import functools
import math
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

from workloads.servers.subject import Subject

ROOT = Path(__file__).resolve().parents[2]
LOOP = "open"
CORRECTED, UNCORRECTED = "latency-corrected.hgrm", "latency-uncorrected.hgrm"


def generator(spec: dict[str, Any]) -> dict[str, str]:
    """Name and version of wrk2. Raises FileNotFoundError without one."""
    wrk2 = shutil.which("wrk2")
    # Nothing but our own is copied to another machine.
    if spec.get("testbed", {}).get("generator") or not wrk2:
        raise FileNotFoundError("wrk2.generator names wrk2, but there is no wrk2 on the PATH")
    return {"name": "wrk2", "version": version(wrk2)}


@functools.cache
def version(program: str) -> str:
    """The line in which the program prints its version; wrk2 does so with its usage, status 1."""
    printed = subprocess.run(
        [program, "-v"], capture_output=True, text=True, timeout=10, check=False
    )
    lines = (printed.stdout + printed.stderr).strip().splitlines()
    return lines[0] if lines else "unknown"


def command(spec: dict[str, Any], java: Path, subject: Subject) -> list[str]:
    """wrk2's command line, to be run in the slice's folder."""
    duration_s = spec["tool"]["duration_s"] + calibration_s(spec)
    length = f"-d{math.ceil(duration_s)}s"
    texts = ("--latency", "--u_latency")
    return ["wrk2", "-t1", *common(spec), length, *texts, url_of(spec, subject)]


def common(spec: dict[str, Any]) -> list[str]:
    """The options that both generators take."""
    tool = spec["tool"]
    return [
        f"-c{tool['connections']}",
        f"-R{tool['rate_per_s']}",
        *("--timeout", f"{spec['testbed']['request_timeout_s']}s"),
        *connection_options(tool),
    ]


def url_of(spec: dict[str, Any], subject: Subject) -> str:
    return f"http://{subject.address}:{subject.port}{spec['tier']['path']}"


def connection_options(load: dict[str, Any]) -> list[str]:
    """How connections are used and what is sent on them; the same for wrk2 and due."""
    per_request = [] if load.get("keep_alive") else ["-H", "Connection: close"]
    script = load.get("script")
    return [*per_request, *(("-s", str(ROOT / script)) if script else ())]


def calibration_s(spec: dict[str, Any]) -> float:
    """How long wrk2 throws latencies away: 10 s and 5 ms for every connection of a thread."""
    return 10 + 0.005 * spec["tool"]["connections"]


def collect(spec: dict[str, Any], folder: Path, ran_s: tuple[float, float]) -> dict[str, Any]:
    """The load of a slice; leaves both latency histograms in its folder.

    `ran_s`: start and end of the generator, epoch seconds; wrk2 itself reports no times.
    """
    text = (folder / "generator.log").read_text()
    for spectrum, name in zip(spectra(text), (CORRECTED, UNCORRECTED), strict=True):
        (folder / name).write_text(spectrum)
    return from_wrk2(spec, text, ran_s)


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
        "requests_offered": None,
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
