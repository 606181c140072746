"""Measures due next to the generators on the PATH, and writes the table of ../README.md.

Each round runs every tool once on every experiment; tools take turns within an experiment, in an
order that rotates, so that a slow minute of the machine falls on all. Values are medians over
the rounds. The server and the generator have a CPU of their own each.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import datetime
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from tools import TOOLS, Load, Outcome, Tool, run, version

HERE = Path(__file__).resolve().parent
SERVER = HERE.parent / "build" / "bench_server"
README = HERE.parent / "README.md"
BEGIN, END = "<!-- bench: begin -->", "<!-- bench: end -->"


@dataclass(frozen=True)
class Experiment:
    """One server, one load, and the values to be read from it."""

    id: str
    server: tuple[str, ...]
    rate_per_s: int
    connections: int
    duration_s: int
    open_loop_only: bool = True
    wrk2_duration_s: int | None = None  # where it must run longer to record anything


@dataclass(frozen=True)
class Figure:
    """A line of the table: what is read from the outcomes of an experiment, and what is wanted."""

    title: str
    wanted: str
    experiment: str
    value: Callable[[Outcome], float | None]
    unit: str = ""


STALL = ("--stall-ms", "500", "--period-ms", "5000")
LONG_STALL = ("--stall-ms", "2000", "--period-ms", "10000")
EXPERIMENTS = [
    Experiment("stall", STALL, 1000, 10, 10, open_loop_only=False),
    Experiment("long-stall", LONG_STALL, 1000, 10, 20, open_loop_only=False),
    Experiment("overload", ("--service-us", "2000"), 1000, 10, 6),
    Experiment("rate-100", (), 100, 100, 10),
    Experiment("rate-1000", (), 1000, 100, 5),
    Experiment("rate-5000", (), 5000, 100, 5),
    Experiment("rate-10000", (), 10_000, 100, 5),
    Experiment("rate-50000", (), 50_000, 100, 5),
    Experiment("connections", (), 5000, 10_000, 10, wrk2_duration_s=75),
    Experiment("most", (), 1_000_000, 100, 5, open_loop_only=False),
]


def cpu_us(outcome: Outcome) -> float | None:
    return 1e6 * outcome.cpu_s / outcome.completed if outcome.completed else None


def share_of(rate: float) -> Callable[[Outcome], float]:
    return lambda outcome: 100 * outcome.delivered_per_s / rate


def p99(outcome: Outcome) -> float | None:
    return outcome.p99_ms


FIGURES = [
    Figure("Stall of 0.5 s every 5 s: p99", "450 ± 1 %", "stall", p99, "ms"),
    Figure("Stall of 2 s every 10 s: p99", "1900 ± 1 %", "long-stall", p99, "ms"),
    Figure(
        "Server at half the rate: p99 against its analytic value", "100 ± 1", "overload", p99, "%"
    ),
    *[
        Figure(
            f"Delivered of {rate:,}/s, 100 connections",
            "100 ± 0.1",
            f"rate-{rate}",
            share_of(rate),
            "%",
        )
        for rate in (100, 1000, 10_000, 50_000)
    ],
    Figure(
        "Delivered of 5,000/s, 10,000 connections", "100 ± 0.5", "connections", share_of(5000), "%"
    ),
    Figure("Memory at 10,000 connections", "", "connections", lambda o: o.rss_mib, "MiB"),
    Figure(
        "Most requests a second from one CPU", "≥ wrk2", "most", lambda o: o.delivered_per_s, "/s"
    ),
    *[
        Figure(f"CPU a request at {rate:,}/s", "≤ wrk2", f"rate-{rate}", cpu_us, "µs")
        for rate in (1000, 5000, 50_000)
    ],
]


def analytic_overload_p99_ms(tool: Tool, seconds: int) -> float:
    """500/s are served, 1,000/s are due: who is due at t is answered at 2t and waited t.

    A tool that waits for all answers sees 0 to `seconds` of waiting, evenly. One that stops at
    the end of its window sees the answers that came from its first measured second to the last:
    each waited half of the time since the start.
    """
    if tool.waits_at_the_end:
        return 0.99 * seconds * 1000
    first = tool.measured_from_s
    return 0.5 * (first + 0.99 * (seconds - first)) * 1000


@contextlib.contextmanager
def serving(options: tuple[str, ...], cpu: set[int]) -> Iterator[int]:
    """Starts the server; gives its port."""
    process = subprocess.Popen(
        [SERVER, *options],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: os.sched_setaffinity(0, cpu),
    )
    try:
        yield int(process.stdout.readline().rsplit(":", 1)[1])
    finally:
        process.kill()
        process.wait()


def duration_of(experiment: Experiment, tool: Tool) -> int:
    if tool.name == "wrk2" and experiment.wrk2_duration_s:
        return experiment.wrk2_duration_s
    return experiment.duration_s + tool.measured_from_s


def measure(experiment: Experiment, tool: Tool, cpus: list[int]) -> Outcome:
    with tempfile.TemporaryDirectory() as folder, serving(experiment.server, {cpus[0]}) as port:
        seconds = duration_of(experiment, tool)
        url = f"http://127.0.0.1:{port}/"
        load = Load(url, experiment.rate_per_s, experiment.connections, seconds)
        outcome = run(tool, load, Path(folder), {cpus[-1]})
    if experiment.id != "overload" or outcome.p99_ms is None:
        return outcome
    analytic_ms = analytic_overload_p99_ms(tool, seconds)
    return dataclasses.replace(outcome, p99_ms=100 * outcome.p99_ms / analytic_ms)


def measure_all(experiments: list[Experiment], tools: list[Tool], rounds: int) -> list[dict]:
    cpus = sorted(os.sched_getaffinity(0))
    records = []
    for round_number in range(rounds):
        for experiment in experiments:
            for i in range(len(tools)):
                tool = tools[(i + round_number) % len(tools)]
                if experiment.open_loop_only and not tool.open_loop:
                    continue
                record = {"round": round_number, "experiment": experiment.id, "tool": tool.name}
                try:
                    record |= dataclasses.asdict(measure(experiment, tool, cpus))
                except (RuntimeError, TypeError, ValueError) as error:
                    record["error"] = str(error)
                print(json.dumps(record), flush=True)
                records.append(record)
    return records


def median(records: list[dict], figure: Figure, tool: str) -> float | None:
    outcomes = [
        Outcome(**{field.name: record[field.name] for field in dataclasses.fields(Outcome)})
        for record in records
        if (record["experiment"], record["tool"]) == (figure.experiment, tool)
        and "error" not in record
    ]
    values = [value for value in map(figure.value, outcomes) if value is not None]
    return statistics.median(values) if values else None


def formatted(value: float | None) -> str:
    if value is None:
        return "–"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) < 100 else f"{value:.1f}"


def table(result: dict) -> str:
    """The result as Markdown."""
    names = list(result["tools"])
    lines = [
        f"Medians of {result['rounds']} interleaved rounds, {result['date']}, "
        f"{result['cpu']} ({result['cpus']} CPUs), Linux {result['kernel']}; "
        + ", ".join(f"{name}: {said}" for name, said in result["tools"].items() if said)
        + ".",
        "",
        "| | wanted | " + " | ".join(names) + " |",
        "|---|---|" + "---:|" * len(names),
    ]
    for figure in FIGURES:
        values = [formatted(median(result["records"], figure, name)) for name in names]
        title = f"{figure.title} ({figure.unit})"
        lines.append(f"| {title} | {figure.wanted} | " + " | ".join(values) + " |")
    return "\n".join(lines)


def write_readme(text: str) -> None:
    readme = README.read_text()
    before, rest = readme.split(BEGIN)
    after = rest.split(END)[1]
    README.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}")


def cpu_model() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.machine()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="*", help="ids of experiments; the README stays as it is")
    parser.add_argument("--tools", nargs="*", help="names of tools; the README stays as it is")
    parser.add_argument("--out", type=Path, default=HERE.parent / "build" / "bench.json")
    parser.add_argument("--render", type=Path, help="only write the README's table from this file")
    asked = parser.parse_args()
    if asked.render:
        write_readme(table(json.loads(asked.render.read_text())))
        return
    tools = [t for t in TOOLS if t.present() and (not asked.tools or t.name in asked.tools)]
    experiments = [e for e in EXPERIMENTS if not asked.only or e.id in asked.only]
    result = {
        "date": datetime.date.today().isoformat(),
        "rounds": asked.rounds,
        "cpu": cpu_model(),
        "cpus": os.cpu_count(),
        "kernel": platform.release(),
        "tools": {tool.name: version(tool) for tool in tools},
        "records": measure_all(experiments, tools, asked.rounds),
    }
    asked.out.write_text(json.dumps(result, indent=1))
    print(table(result))
    if not asked.only and not asked.tools:
        write_readme(table(result))


if __name__ == "__main__":
    main()
