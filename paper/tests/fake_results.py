"""Cells with known figures, and the analysis' tables made from them."""

import csv
import gzip
import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
STUDY = "request-threads"
POOL_OPTIONS = {"backlog": 4096, "core_threads": 10, "max_threads": 20, "queue_capacity": 100}
FLAME_GRAPH = "<!DOCTYPE html><p>flames of \"{mode}\" & more</p><script>'use strict'</script>"


@dataclass
class Cell:
    """One cell: `latency_ms` of every request, and whatever of cell.json the test decides."""

    mode: str
    tier: str = "low"
    tool: str = "jmeter"
    repetition: int = 1
    versus: str | None = None
    latency_ms: list[float] = field(default_factory=lambda: [1.0 + i % 7 for i in range(200)])
    refused: int = 0
    cpu_us: float = 100.0
    outcome: str = "completed"
    profiled: bool = True
    overflows: int = 0
    sleep_ms: int = 0

    def write(self, results: Path) -> Path:
        """Writes the cell's folder; returns the path of its cell.json."""
        name = f"{STUDY}/{self.mode}/{self.tier}/{self.tool}/rep-{self.repetition}"
        folder = results / "cells" / name
        folder.mkdir(parents=True)
        if self.tool == "jmeter":
            self._write_samples(folder / "samples.csv.gz")
        else:
            self._write_histogram(folder / "latency-corrected.hgrm", 1.0)
            self._write_histogram(folder / "latency-uncorrected.hgrm", 0.5)
        self._write_telemetry(folder / "telemetry.csv")
        stacks = f"java/lang/Thread.run;Thread.start {int(self.cpu_us)}\nother;write 50\n"
        (folder / "profile.collapsed").write_text(stacks if self.profiled else "")
        page = FLAME_GRAPH.format(mode=self.mode)
        (folder / "flamegraph.html").write_text(page if self.profiled else "")
        (folder / "cell.json").write_text(json.dumps(self._record()))
        return folder / "cell.json"

    def _write_samples(self, path: Path) -> None:
        head = "timeStamp,elapsed,label,responseCode,success,bytes,sentBytes,grpThreads"
        with gzip.open(path, "wt", newline="") as file:
            out = csv.writer(file)
            out.writerow(f"{head},allThreads,Latency,IdleTime,Connect".split(","))
            for i, elapsed in enumerate(self.latency_ms):
                refused = i < self.refused
                answer = ("503", "false") if refused else ("200", "true")
                row = [1.8e12 + 10 * i, round(elapsed), "request", *answer, 164, 120, 1, 1]
                out.writerow([f"{v:.0f}" if isinstance(v, float) else v for v in [*row, 1, 0, 0]])

    def _write_histogram(self, path: Path, factor: float) -> None:
        values = sorted(factor * v for v in self.latency_ms)
        count = len(values)
        mean = sum(values) / count
        lines = [f"{v:.3f} {i / count:.12f} {i} 1.00" for i, v in enumerate(values, start=1)]
        lines.append(f"#[Mean    = {mean:.3f}, StdDeviation   = 1.000]")
        lines.append(f"#[Max     = {values[-1]:.3f}, Total count    = {count}]")
        path.write_text("\n".join(lines) + "\n")

    def _write_telemetry(self, path: Path) -> None:
        columns = "time_s,server_cpu_s,server_cpu_user_s,server_cpu_system_s,server_rss_bytes"
        rows = [f"{1.8e9 + t / 10},{t / 10},{t / 20},{t / 20},1e8,{18 + t}" for t in range(20)]
        path.write_text("\n".join([f"{columns},server_threads", *rows]) + "\n")

    def _record(self) -> dict[str, Any]:
        asked = len(self.latency_ms)
        answered = asked - self.refused
        share = answered / asked
        valid = self.outcome == "completed" and share >= 0.99
        cpu_s = self.cpu_us * asked / 1e6
        pool = "pool" in self.mode and not self.mode.endswith("-as-published")
        tool = (
            {"id": "jmeter", "threads": asked, "ramp_up_s": 0, "at_once": "once" in self.tier}
            if self.tool == "jmeter"
            else {"id": "wrk2", "rate_per_s": 100, "connections": 10, "duration_s": 2}
        )
        path = f"/work?sleep_ms={self.sleep_ms}" if self.sleep_ms else "/jmeter/test"
        labels = {
            "study": {"title": "Threads", "question": "Which way?"},
            "mode": {"versus": self.versus, "title": self.mode},
            "tier": {"title": "Some requests"},
            "order": {"seed": 1, "position": 1, "of": 1},
        }
        mode = {"id": self.mode, "class": "Mode", "options": POOL_OPTIONS if pool else {}}
        return {
            "schema": 1,
            "cell": {
                "study": STUDY,
                "mode": self.mode,
                "tier": self.tier,
                "tool": self.tool,
                "repetition": self.repetition,
            },
            "labels": labels,
            "configuration": {
                "mode": mode,
                "tier": {"id": self.tier, "path": path, "sleep_ms": self.sleep_ms},
                "tool": tool,
            },
            "outcome": self.outcome,
            "outcome_reason": "" if self.outcome == "completed" else "no answer_after <the> load",
            "validity": {
                "valid": valid,
                "checks": [
                    {"id": "share_2xx", "rule": "at least 99%", "passed": share >= 0.99},
                    {"id": "completed", "rule": "it is", "passed": self.outcome == "completed"},
                ],
            },
            "load": {
                "loop": "closed" if self.tool == "jmeter" else "open",
                "requests_asked": asked,
                "requests_recorded": asked,
                "responses_2xx": answered,
                "errors": {"http_503": self.refused},
                "error_share": 1 - share,
                "start_epoch_s": 1.8e9,
                "end_epoch_s": 1.8e9 + 2,
                "duration_s": 2.0,
                "offered_per_s": 100 if self.tool == "wrk2" else None,
                "throughput_per_s": answered / 2,
                "received_bytes": 164 * asked,
                "sent_bytes": 120 * asked,
                "generator": {"name": "due", "version": "1", "cpu_share": 0.2},
            },
            "server": {
                "start_up_s": 0.3,
                "cpu_s": cpu_s,
                "cpu_user_s": cpu_s / 2,
                "cpu_system_s": cpu_s / 2,
                "cpu_us_per_request": self.cpu_us,
                "idle_threads": 18,
                "peak_threads": 38,
                "threads_started": asked,
                "peak_rss_bytes": 1e8,
                "peak_descriptors": 300,
                "context_switches_voluntary": 2 * asked,
                "context_switches_involuntary": asked,
                "machine_context_switches": 9 * asked,
                "gc_pauses": 0,
                "gc_pause_ms": 0.0,
                "listen_overflows": self.overflows,
                "listen_drops": self.overflows,
                "retransmits": 0,
            },
            "machine": {
                "cpu_pressure_share": 0.1,
                "steal_share": 0.0,
                "load_1m": 1.0,
                "time_wait_before": 5,
            },
            "telemetry": {"samples": 20, "rate_hz": 10.0, "cpu_share": 0.01},
            "profile": {"file": "profile.jfr", "engine": "perf_events", "interval_ms": 10}
            if self.profiled
            else {"file": None},
            "provenance": {
                "started": "2026-01-02T03:04:05.678+00:00",
                "ended": "2026-01-02T03:04:15.678+00:00",
                "machine": {"cpu_model": "A CPU", "cpus": 2, "memory_bytes": 8e9},
                "limits": {"somaxconn": "4096", "cpu_governor": None},
                "versions": {"jdk": "25"},
                "jar_sha256": "0" * 64,
                "server_cpus": [0],
                "generator_cpus": [1],
            },
        }


def analyse(results: Path, cells: list[Cell]) -> None:
    """Writes the cells and runs the project's analysis on them."""
    paths = [str(cell.write(results)) for cell in cells]
    study, groups = results / "summary" / f"{STUDY}.csv", "analysis/stack-groups.csv"
    steps = [
        ["summarise", "--out", study, *paths],
        ["collect", "--out", results / "summary.csv", study],
        ["compare", "--out", results / "comparisons.csv", results / "summary.csv"],
        ["group_cpu", "--groups", groups, "--out", results / "cpu-groups.csv", *paths],
    ]
    for script, *arguments in steps:
        argv = ["Rscript", f"analysis/{script}.R", *map(str, arguments)]
        subprocess.run(argv, cwd=ROOT, check=True, capture_output=True)
