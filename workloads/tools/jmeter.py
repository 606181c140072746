"""The tool jmeter: a closed loop; every user waits for his answer before he asks again.

Apache JMeter without its GUI, one plan without listeners; manual: "Best Practices". Its JVM stays
alive for a session and loads on command, so that it is warm.
"""

from __future__ import annotations

import base64
import csv
import functools
import gzip
import math
import re
import zipfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from workloads.record.latencies import SAMPLES
from workloads.record.load import nothing_sent
from workloads.servers.subject import Subject
from workloads.tools.wrk2 import as_text

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / ".tools/jmeter"
FOLDER = ROOT / "workloads/jmeter"
DRIVER_JAR = FOLDER / "build/driver.jar"
RAW = "samples.raw.csv"
LOOP = "closed"
# One JVM loads all modes of a session.
A_DRIVER_FOR_EACH_MODE = False
# A quarter of a millisecond for every thread: time that a ramp-up does not have, so that JMeter
# makes all of them before the first begins.
THREADS_MADE_PER_S = 4000
FOR_EVER = -1
# JMeter's number for "at least", where answers may be of any length.
AT_LEAST = 5
# So few that they never fill a pool's queue of 100: it would grow, and go into the load with more
# threads than it starts with.
WARM_UP_USERS, WARM_UP_LOOPS = 80, 10
FOR_A_TIME = ("warm_up_s", "duration_s", "ramp_up_s")

# JMeter names a failed connection by its Java exception; these are the kinds that all tools share.
ERROR_KINDS = {
    "HttpHostConnectException": "connect_refused",
    "ConnectTimeoutException": "connect_timeout",
    "ConnectException": "connect_refused",
    "SocketTimeoutException": "timeout",
    "NoHttpResponseException": "closed_early",
    "ConnectionClosedException": "closed_early",
    "SocketException": "reset",
    "BindException": "ports_exhausted",
    "NoRouteToHostException": "ports_exhausted",
}

# The server knows nothing of these.
NOT_SENT = {"connect_refused", "connect_timeout", "ports_exhausted"}


# A line that JMeter writes for a request, by the names of its columns; times in ms.
Sample = dict[str, str]


def generator(spec: dict[str, Any]) -> dict[str, str]:
    return {"name": "Apache JMeter", "version": version()}


@functools.cache
def version() -> str:
    """The version in the jar's manifest. Raises FileNotFoundError where JMeter is not installed."""
    with zipfile.ZipFile(HOME / "bin/ApacheJMeter.jar") as jar:
        manifest = jar.read("META-INF/MANIFEST.MF").decode()
    found = re.search(r"Implementation-Version: (\S+)", manifest)
    return found[1] if found else "unknown"


def driver(spec: dict[str, Any], java: Path) -> list[str]:
    """See workloads/jmeter/Driver.java."""
    jars = [DRIVER_JAR, *sorted(HOME.rglob("*.jar"))]
    return [
        str(java),
        *spec["tool"]["jvm_options"],
        # JMeter would leave a folder in the home directory.
        "-Djava.util.prefs.userRoot=.",
        "--sun-misc-unsafe-memory-access=allow",
        f"-Dlog4j2.configurationFile={FOLDER / 'log4j2.properties'}",
        *("-cp", ":".join(map(str, jars)), "Driver"),
        *(str(HOME), str(FOLDER / "plan.jmx"), str(FOLDER / "jmeter.properties")),
    ]


def short(spec: dict[str, Any]) -> dict[str, Any]:
    """Some requests of each user, over the warm-up's path."""
    tool = {key: value for key, value in spec["tool"].items() if key not in FOR_A_TIME}
    tool |= {"users": min(tool["users"], WARM_UP_USERS), "loops": WARM_UP_LOOPS}
    return spec | {"tool": tool, "tier": spec["tier"] | {"path": spec["warm_up"]["path"]}}


def fields(spec: dict[str, Any], subject: Subject, folder: Path) -> list[str]:
    """The line that asks the driver for a load: its folder and the plan's properties."""
    tool = spec["tool"]
    ramp_up_s = tool.get("ramp_up_s", 0)
    delay_s = math.ceil(tool["users"] / THREADS_MADE_PER_S) if ramp_up_s else 0
    if "duration_s" in tool:
        loops, lasts_s = FOR_EVER, math.ceil(tool["warm_up_s"] + tool["duration_s"])
    else:
        # Nothing ends the load but the runner, at its limit.
        loops, lasts_s = tool["loops"], spec["testbed"]["load_limit_s"] + delay_s
    properties = {
        "host": subject.address,
        "port": subject.port,
        "path": spec["tier"]["path"],
        "body_bytes": spec["study"].get("body_bytes", 0),
        "users": tool["users"],
        "ramp_up_s": ramp_up_s,
        "loops": loops,
        "delay_s": delay_s,
        "duration_s": lasts_s,
        # The published servers close after every answer; so do users unless a tier says otherwise.
        "keep_alive": str(tool.get("keep_alive", False)).lower(),
        "timeout_ms": round(spec["testbed"]["request_timeout_s"] * 1000),
    }
    properties |= {} if "body_bytes" in spec["study"] else {"body_bytes_are": AT_LEAST}
    requests = spec["tier"].get("requests")
    if "body" in tool:
        json = {"Content-Type": "application/json"}
        posted = {"method": "POST", "headers": json, "body": tool["body"]}
        requests = [posted | {"path": spec["tier"]["path"]}]
    if requests:
        texts = (base64.b64encode(as_text(each).encode()).decode() for each in requests)
        properties["requests"] = ",".join(texts)
    return [str(folder), *(f"{name}={value}" for name, value in properties.items())]


def offered(spec: dict[str, Any]) -> int | None:
    """How many requests the plan offers; None where it lasts for a time instead."""
    if "duration_s" in spec["tool"]:
        return None
    return int(spec["tool"]["users"] * spec["tool"]["loops"])


def collect(spec: dict[str, Any], folder: Path, ran_s: tuple[float, float]) -> dict[str, Any]:
    """Leaves the measured samples in samples.csv.gz; every sample has its own time."""
    raw = folder / RAW
    with raw.open(newline="") as file:
        rows = csv.DictReader(file)
        # A load that was cut off may end within a line.
        samples = [row for row in rows if None not in row.values()]
    start_ms, end_ms = window_ms(spec, samples)
    within = [row for row in samples if start_ms <= ended_ms(row) <= end_ms]
    outside = [row for row in samples if not start_ms <= ended_ms(row) <= end_ms]
    in_flight = [row for row in outside if int(row["timeStamp"]) < end_ms < ended_ms(row)]
    # Between slices, while the servers wait: a better compression takes five times as long.
    with gzip.open(folder / SAMPLES, "wt", compresslevel=1, newline="") as file:
        table = csv.DictWriter(file, rows.fieldnames or [])
        table.writeheader()
        table.writerows(within)
    raw.unlink()
    load = summary(spec, within, len(in_flight), (start_ms / 1000, end_ms / 1000))
    # Answered before the window, or requested after it.
    apart = answered(outside) - answered(in_flight)
    return load | {
        "answers_in_warm_up": apart,
        # Those of the whole load that reached the server: its own counters belong to these.
        "counted_requests": sum(error_kind(row["responseCode"]) not in NOT_SENT for row in samples),
    }


def answered(samples: list[Sample]) -> int:
    return sum(row["responseCode"].startswith("2") for row in samples)


def ended_ms(row: Sample) -> int:
    return int(row["timeStamp"]) + int(row["elapsed"])


def window_ms(spec: dict[str, Any], samples: list[Sample]) -> tuple[int, int]:
    """From the first request to the last answer, or the requested duration after a warm-up."""
    tool = spec["tool"]
    first_ms = min((int(row["timeStamp"]) for row in samples), default=0)
    if "duration_s" in tool:
        start_ms = first_ms + round(tool["warm_up_s"] * 1000)
        return start_ms, start_ms + round(tool["duration_s"] * 1000)
    return first_ms, max(map(ended_ms, samples), default=0)


def summary(
    spec: dict[str, Any],
    samples: list[Sample],
    in_flight_at_end: int,
    window_s: tuple[float, float],
) -> dict[str, Any]:
    good = [row for row in samples if row["success"] == "true"]
    duration_s = window_s[1] - window_s[0]
    errors = Counter(error_kind(row["responseCode"]) for row in samples if row["success"] != "true")
    return nothing_sent(LOOP) | {
        "requests_offered": offered(spec),
        "requests_recorded": len(samples),
        "in_flight_at_end": in_flight_at_end,
        "responses_2xx": answered(samples),
        "bodies_right": len(good) if "body_bytes" in spec["study"] else None,
        "errors": dict(errors),
        "error_share": 1 - len(good) / len(samples) if samples else 1.0,
        "start_epoch_s": window_s[0],
        "end_epoch_s": window_s[1],
        "duration_s": duration_s,
        "concurrency_offered": spec["tool"]["users"],
        "users_alive": users_alive(samples),
        "answers_per_s": len(samples) / duration_s if duration_s else 0.0,
        "throughput_per_s": len(good) / duration_s if duration_s else 0.0,
        "received_bytes": total(samples, "bytes"),
        "sent_bytes": total(samples, "sentBytes"),
        "latency_mean_ms": mean_ms(samples),
        "latency_min_ms": min((int(row["elapsed"]) for row in good), default=None),
    }


def users_alive(samples: list[Sample]) -> float | None:
    """How many users there were on average; every answer reports how many there were."""
    answers = sorted((ended_ms(row), int(row["allThreads"])) for row in samples)
    start_ms = min((int(row["timeStamp"]) for row in samples), default=0)
    if not answers or answers[-1][0] == start_ms:
        return None
    ends_ms = [start_ms, *(end_ms for end_ms, _ in answers)]
    users_ms = sum(
        users * (end_ms - before_ms)
        for before_ms, (end_ms, users) in zip(ends_ms, answers, strict=False)
    )
    return users_ms / (answers[-1][0] - start_ms)


def mean_ms(samples: list[Sample]) -> float | None:
    return total(samples, "elapsed") / len(samples) if samples else None


def total(samples: Iterable[Sample], column: str) -> int:
    return sum(int(row[column]) for row in samples)


def error_kind(response_code: str) -> str:
    """One of the kinds that all tools share, from JMeter's response code column."""
    if response_code.startswith("2"):
        return "body_wrong"
    if response_code.isdigit():
        return f"http_{response_code}"
    exception = response_code.rsplit(".", 1)[-1]
    return ERROR_KINDS.get(exception, "other")
