"""A running service, watched without a load: the inputs of the report's form, and what is unknown.

CPU time and threads come from /proc, rate and latency from Actuator's metrics, or else the rate
from the machine's new connections.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import psutil

from profiles.watch.telemetry import children, family_cpu_s
from workloads.servers.listening import listeners

SECONDS, LIMIT_S = 60.0, 5.0


class Seen(NamedTuple):
    """Requests so far and the time that they took in all; None where a source does not say."""

    requests: float
    took_ms: float | None


Source = Callable[[], Seen]


@dataclass
class Inputs:
    """Values by the names of the form's fields; `unseen`: sentences on what is not known."""

    found: dict[str, float] = field(default_factory=dict)
    unseen: list[str] = field(default_factory=list)


def actuator(url: str) -> Source:
    """Count and total time of Boot's `http.server.requests`."""

    def read() -> Seen:
        address = f"{url.rstrip('/')}/metrics/http.server.requests"
        with urllib.request.urlopen(address, timeout=LIMIT_S) as answer:
            measured = json.load(answer)["measurements"]
        of = {each["statistic"]: float(each["value"]) for each in measured}
        return Seen(of["COUNT"], 1000 * of["TOTAL_TIME"])

    return read


def connections(pid: int) -> Source:
    """Connections that were accepted in the process's network namespace, at any port.

    As many requests, where none is kept alive and no other service has many (PassiveOpens of TCP,
    RFC 4022). One that ends within a moment is in no list of open ones.
    """

    def read() -> Seen:
        lines = Path(f"/proc/{pid}/net/snmp").read_text().splitlines()
        names, values = (line.split() for line in lines if line.startswith("Tcp:"))
        return Seen(float(values[names.index("PassiveOpens")]), None)

    return read


def watch(pid: int, seconds: float, source: Source | None) -> Inputs:
    """Raises psutil.NoSuchProcess where there is no such process."""
    inputs, begun_s = Inputs(), time.monotonic()
    psutil.Process(pid)
    before, cpu_s, peak = source() if source else None, family_cpu_s(pid), threads(pid)
    while time.monotonic() < begun_s + seconds:
        time.sleep(min(1.0, seconds))
        peak = max(peak, threads(pid))
        if source:
            source()
    lasted_s, used_s = time.monotonic() - begun_s, family_cpu_s(pid) - cpu_s
    inputs.found |= {"cpus": float(len(os.sched_getaffinity(pid))), "threads": float(peak)}
    inputs.found["busy_cpus"] = used_s / lasted_s
    if before and source:
        add_requests(inputs, before, source(), lasted_s, used_s)
    else:
        inputs.unseen.append("rate and latency: it listens on no port; name --actuator")
    return inputs


def add_requests(inputs: Inputs, before: Seen, after: Seen, lasted_s: float, used_s: float) -> None:
    count = after.requests - before.requests
    if count <= 0:
        inputs.unseen.append(f"requests: none came in {lasted_s:.0f} s")
        return
    rate_per_s, cpu_ms = count / lasted_s, 1000 * used_s / count
    inputs.found |= {"rate_per_s": rate_per_s, "cpu_ms": cpu_ms}
    if after.took_ms is None:
        inputs.unseen.append("latency, so the time that a request waits: no source has times")
        return
    latency_ms = (after.took_ms - (before.took_ms or 0.0)) / count
    inputs.found["latency_ms"] = latency_ms
    # Little's law; a request waits whenever it does not compute.
    inputs.found["in_flight"] = rate_per_s * latency_ms / 1000
    inputs.found["wait_ms"] = max(0.0, latency_ms - cpu_ms)


def threads(pid: int) -> int:
    """Threads of all its processes."""
    count = 0
    for each in (pid, *children(pid)):
        with contextlib.suppress(psutil.Error):
            count += psutil.Process(each).num_threads()
    return count


OF_FORM = ("rate_per_s", "wait_ms", "cpu_ms", "cpus", "threads")


def shown(inputs: Inputs) -> list[str]:
    found = inputs.found
    lines = [f"{name}: {value:.4g}" for name, value in found.items()]
    lines += [f"not seen: {each}" for each in inputs.unseen]
    # Names of paper/service.js.
    form = {name.split("_")[0]: f"{found[name]:.4g}" for name in OF_FORM if name in found}
    return [*lines, f"report.html#service?{urllib.parse.urlencode(form)}"]


def main() -> None:
    parser = argparse.ArgumentParser(prog="workloads/inputs.sh")
    parser.add_argument("pid", type=int)
    parser.add_argument("seconds", type=float, nargs="?", default=SECONDS)
    parser.add_argument("--actuator")
    options = parser.parse_args()
    try:
        listens = any(listeners(pid) for pid in (options.pid, *children(options.pid)))
        if options.actuator:
            source: Source | None = actuator(options.actuator)
        else:
            source = connections(options.pid) if listens else None
        inputs = watch(options.pid, options.seconds, source)
    except psutil.NoSuchProcess:
        sys.exit(f"PID {options.pid}: no such process")
    except (OSError, KeyError, ValueError, psutil.Error) as fault:
        sys.exit(f"{options.actuator or options.pid}: {fault}")
    if not options.actuator and "rate_per_s" in inputs.found:
        inputs.unseen.append(
            "requests: the rate is that of connections accepted on this machine, at all ports; "
            "--actuator has that of requests"
        )
    print("\n".join(shown(inputs)))


if __name__ == "__main__":
    main()
