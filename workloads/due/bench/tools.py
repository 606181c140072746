"""How each generator is started, and how its report is read."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

DUE = Path(__file__).resolve().parent.parent / "build" / "due"


@dataclass(frozen=True)
class Load:
    """The load that a generator is to send."""

    url: str
    rate_per_s: int
    connections: int
    duration_s: int


@dataclass(frozen=True)
class Outcome:
    """The result of a run: by the tool's own report; CPU time and memory by the kernel's."""

    delivered_per_s: float
    p50_ms: float | None
    p99_ms: float | None
    completed: int
    cpu_s: float
    rss_mib: float


@dataclass(frozen=True)
class Tool:
    """A generator. `measured_from_s`: it discards what it measures before that second."""

    name: str
    program: str
    command: Callable[[Load, Path], list[str]]
    read: Callable[[str, Path, Load], tuple[float, float | None, float | None, int]]
    measured_from_s: int = 0
    open_loop: bool = True
    waits_at_the_end: bool = False

    def present(self) -> bool:
        return shutil.which(self.program) is not None


def due_command(load: Load, scratch: Path) -> list[str]:
    return [str(DUE), *wrk2_options(load), "--json", str(scratch / "due.json"), load.url]


def wrk2_options(load: Load) -> list[str]:
    return [f"-c{load.connections}", f"-d{load.duration_s}s", f"-R{load.rate_per_s}"]


def read_due(text: str, scratch: Path, load: Load):
    result = json.loads((scratch / "due.json").read_text())
    latency = result["latency_us"]["corrected"]
    percentiles = [latency[name] and latency[name] / 1000 for name in ("p50", "p99")]
    return result["delivered_per_s"], *percentiles, result["requests"]["completed"]


def wrk2_command(load: Load, scratch: Path) -> list[str]:
    return ["wrk2", "-t1", *wrk2_options(load), "--latency", load.url]


def wrk_command(load: Load, scratch: Path) -> list[str]:
    options = [f"-c{load.connections}", f"-d{load.duration_s}s"]
    return ["wrk", "-t1", *options, "--latency", load.url]


UNITS_MS = {"us": 1e-3, "ms": 1.0, "s": 1e3, "m": 6e4}


def read_wrk(text: str, scratch: Path, load: Load):
    def percentile(level: str) -> float | None:
        found = re.search(rf"^ *{level}(?:\.000)?% +([\d.]+)(us|ms|s|m)", text, re.M)
        return float(found[1]) * UNITS_MS[found[2]] if found and float(found[1]) else None

    rate = float(re.search(r"^Requests/sec: +([\d.]+)", text, re.M)[1])
    completed = int(re.search(r"^ +(\d+) requests in", text, re.M)[1])
    return rate, percentile("50"), percentile("99"), completed


TOOLS = [
    Tool("due", str(DUE), due_command, read_due, waits_at_the_end=True),
    Tool("wrk2", "wrk2", wrk2_command, read_wrk, measured_from_s=10),
    Tool("wrk", "wrk", wrk_command, read_wrk, open_loop=False),
]


def peak_rss_mib(pid: int, peak: list[float]) -> None:
    """Follows a process to its end. (The value of wait4 includes the parent's before exec.)"""
    while True:
        try:
            status = Path(f"/proc/{pid}/status").read_text()
        except OSError:
            return
        found = re.search(r"^VmHWM:\s+(\d+) kB", status, re.M)
        if not found:
            return
        peak.append(int(found[1]) / 1024)
        time.sleep(0.1)


def run(tool: Tool, load: Load, scratch: Path, cpu: set[int]) -> Outcome:
    """One run on these CPUs. Raises RuntimeError with the tool's words when it fails."""
    with open(scratch / "stdout", "w+") as out, open(scratch / "stderr", "w+") as err:
        process = subprocess.Popen(
            tool.command(load, scratch),
            stdout=out,
            stderr=err,
            preexec_fn=lambda: os.sched_setaffinity(0, cpu),
        )
        peak: list[float] = []
        follower = threading.Thread(target=peak_rss_mib, args=(process.pid, peak))
        follower.start()
        # Not communicate(): the kernel reports what a process used to its reaper alone.
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    follower.join()
    text = (scratch / "stdout").read_text()
    if process.returncode != 0:
        raise RuntimeError(f"{tool.name}: {text[-500:]}{(scratch / 'stderr').read_text()[-500:]}")
    delivered, p50, p99, completed = tool.read(text, scratch, load)
    cpu_s = usage.ru_utime + usage.ru_stime
    return Outcome(delivered, p50, p99, completed, cpu_s, peak[-1])


def version(tool: Tool) -> str:
    """The first line that says a version; wrk and wrk2 say it with an error status."""
    flag = "-v" if tool.program in ("wrk", "wrk2") else "--version"
    done = subprocess.run([tool.program, flag], capture_output=True, text=True)
    return (done.stdout + done.stderr).splitlines()[0].split(" Copyright")[0].strip()
