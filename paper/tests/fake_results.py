"""Cells with known figures, and the analysis' tables made from them."""

import csv
import gzip
import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from paper.tests.fake_slices import COLUMNS, Row, plain, slice_rows
from workloads.experiment.grid import Grid
from workloads.record.validity import VERSION

ROOT = Path(__file__).resolve().parents[2]
STUDY = "request-threads"
POOL_OPTIONS = {"backlog": 4096, "core-threads": 10, "max-threads": 20, "queue-capacity": 100}
COMMIT = "0123456789abcdef0123456789abcdef01234567"
FLAME_GRAPH = "<!DOCTYPE html><p>flames of \"{mode}\" & more</p><script>'use strict'</script>"


@dataclass
class Cell:
    """One cell: `latency_ms` of every request, and whatever of cell.json the test decides.

    `users`, `rate_per_s` and `connections` are what the tool was asked for; `lasts_s` makes a
    closed loop one for a time; `threads` (group, state of the JVM, state of the kernel, number) is
    what thread-states.csv says of every moment.
    Counters named `pinned…` are in the profiled slice, too. `left_out` (rules, separated by ;)
    spoils the first slice, which is then repeated. `samples` are the profiler's.
    """

    mode: str
    study: str = STUDY
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
    path: str = ""
    options: dict[str, Any] | None = None
    jdk: int | None = None
    users: int | None = None
    lasts_s: int | None = None
    rate_per_s: int = 100
    connections: int = 10
    backend: str | None = None
    counters: dict[str, float] = field(default_factory=dict)
    threads: list[tuple[str, str, str, int]] = field(default_factory=list)
    failed_check: str = ""
    samples: int = 90
    slices: int = 3
    left_out: str = ""
    compiler_share: float | None = 0.01
    reconnect_every: int | None = None
    engine: str | None = None
    # Threads of the server, connections of the client, transactions a second.
    combinations: list[tuple[int, int, float]] = field(default_factory=list)

    @property
    def ran(self) -> bool:
        """Whether anything was loaded; a server that is hung here never answered."""
        return self.outcome not in ("beyond_limits", "hung")

    @property
    def is_open(self) -> bool:
        return self.tool in ("wrk2", "wrk2-itself")

    def write(self, results: Path) -> Path:
        """Writes the cell's folder; returns the path of its cell.json."""
        name = f"{self.study}/{self.mode}/{self.tier}/{self.tool}/rep-{self.repetition}"
        folder = results / "cells" / name
        folder.mkdir(parents=True)
        (folder / "cell.json").write_text(json.dumps(self._record()))
        self._write_profile(folder)
        if not self.ran:
            return folder / "cell.json"
        self._write_slices(folder / "slices.csv")
        if self.tool == "jmeter":
            self._write_samples(folder / "samples.csv.gz")
        elif self.is_open:
            self._write_histogram(folder / "latency-corrected.hgrm", 1.0)
            self._write_histogram(folder / "latency-uncorrected.hgrm", 0.5)
        else:
            self._write_histogram(folder / "latency.hgrm", 1.0)
        if self.combinations:
            self._write_combinations(folder / "combinations.csv")
        self._write_telemetry(folder / "telemetry.csv")
        if self.threads:
            self._write_threads(folder / "thread-states.csv")
        return folder / "cell.json"

    def _write_profile(self, folder: Path) -> None:
        started = self.samples // 2
        stacks = f"java/lang/Thread.run;Thread.start {started}\n"
        stacks += f"other;write {self.samples - started}\n"
        page = FLAME_GRAPH.format(mode=self.mode)
        sampled = self.profiled and self.ran
        (folder / "profile.collapsed").write_text(stacks if sampled else "")
        (folder / "flamegraph.html").write_text(page if sampled else "")

    def _write_slices(self, path: Path) -> None:
        with path.open("w", newline="") as file:
            out = csv.DictWriter(file, COLUMNS)
            out.writeheader()
            out.writerows(slice_rows(self))

    def _kept(self) -> list[Row]:
        return plain(slice_rows(self), kept=True)

    def _window(self) -> tuple[float, float]:
        rows = self._kept() or slice_rows(self)
        return float(rows[0]["start_epoch_s"]), float(rows[-1]["end_epoch_s"])

    def _profiled(self) -> Row | None:
        return next((row for row in slice_rows(self) if row["kind"] == "profiled"), None)

    def _write_threads(self, path: Path) -> None:
        lines = ["time_s,source,group,state,threads"]
        row = self._profiled()
        start_s = float(row["start_epoch_s"]) if row else self._window()[0]
        for moment in range(6):
            for group, *states, count in self.threads:
                for source, state in zip(("jvm", "kernel"), states, strict=True):
                    lines.append(f"{start_s + moment / 10},{source},{group},{state},{count}")
        path.write_text("\n".join(lines) + "\n")

    def _write_combinations(self, path: Path) -> None:
        columns = "slice,thread_pool_size,connection_pool_size,transactions,per_s,p99_ms,fairness"
        lines = [columns] + [
            f"{number},{threads},{connections},{per_s:.0f},{per_s},9.0,0.99"
            for number, (threads, connections, per_s) in enumerate(self.combinations, start=1)
        ]
        path.write_text("\n".join(lines) + "\n")

    def _write_samples(self, path: Path) -> None:
        head = "timeStamp,elapsed,label,responseCode,success,bytes,sentBytes,grpThreads"
        with gzip.open(path, "wt", newline="") as file:
            out = csv.writer(file)
            out.writerow(f"{head},allThreads,Latency,IdleTime,Connect,slice".split(","))
            kept = self._kept() or slice_rows(self)[-1:]
            for i, elapsed in enumerate(self.latency_ms):
                refused = i < self.refused
                answer = ("503", "false") if refused else ("200", "true")
                of = kept[i * len(kept) // len(self.latency_ms)]
                start_ms = 1000 * float(of["start_epoch_s"]) + i % 60 * 10
                row = [start_ms, round(elapsed), "request", *answer, 164, 120, 1, 1, 1, 0, 0]
                row.append(of["slice"])
                out.writerow([f"{v:.0f}" if isinstance(v, float) else v for v in row])

    def _write_histogram(self, path: Path, factor: float) -> None:
        values = sorted(factor * v for v in self.latency_ms)
        count = len(values)
        mean = sum(values) / count
        lines = [f"{v:.3f} {i / count:.12f} {i} 1.00" for i, v in enumerate(values, start=1)]
        lines.append(f"#[Mean    = {mean:.3f}, StdDeviation   = 1.000]")
        lines.append(f"#[Max     = {values[-1]:.3f}, Total count    = {count}]")
        path.write_text("\n".join(lines) + "\n")

    def _write_telemetry(self, path: Path) -> None:
        columns = "time_s,slice,server_cpu_s,server_cpu_user_s,server_cpu_system_s"
        columns += ",server_rss_bytes,server_threads,backend_cpu_s,accept_queue"
        lines = [columns]
        for row in slice_rows(self):
            for t in range(13):
                time_s = float(row["start_epoch_s"]) + t / 20
                # Between two full samples there is one of the clocks alone.
                clocks = f"{time_s},{row['slice']},{time_s - 1.8e9:.3f}"
                full = f"{time_s / 2 - 0.9e9:.3f}," * 2 + f"1e8,{18 + t},{t / 40},{t % 3}"
                lines.append(f"{clocks},{full if t % 2 == 0 else ',,,,,'}")
        path.write_text("\n".join(lines) + "\n")

    def _tool(self) -> dict[str, Any]:
        if self.is_open:
            asked = {"rate_per_s": self.rate_per_s, "connections": self.connections}
            return {"id": self.tool, "duration_s": 2} | asked
        if self.tool == "sysbench":
            return {"id": "sysbench", "clients": self.connections, "duration_s": 2}
        lasts = {"duration_s": self.lasts_s} if self.lasts_s else {}
        users = {"threads": self.users or len(self.latency_ms), "ramp_up_s": 0}
        return {"id": "jmeter", "at_once": "once" in self.tier} | users | lasts

    def _configuration(self) -> dict[str, Any]:
        pool = "pool" in self.mode and not self.mode.endswith("-as-published")
        options = self.options if self.options is not None else POOL_OPTIONS if pool else {}
        path = self.path or (f"/work?sleep_ms={self.sleep_ms}" if self.sleep_ms else "/jmeter/test")
        tomcat = {"package": "artifact.tomcat", "class": "Application"}
        by_hand = self.study == STUDY
        # ids of the first study are names of classes: fixed-pool is FixedPool.
        named = {"class": self.mode.title().replace("-", "")} if by_hand else {}
        return {
            "study": {
                "id": self.study,
                "server": {"package": "artifact.sockets.mode"} if by_hand else tomcat,
            },
            "mode": {"id": self.mode, "options": options}
            | ({"client": {"reconnect_every": every}} if (every := self.reconnect_every) else {})
            | named
            | ({"jdk": self.jdk} if self.jdk else {}),
            "backend": {"id": self.backend} if self.backend else None,
            "engine": {"id": self.engine} if self.engine else None,
            "tier": {"id": self.tier, "path": path, "sleep_ms": self.sleep_ms},
            "tool": self._tool(),
        }

    def _validity(self, share: float) -> dict[str, Any]:
        passed = {"completed": self.outcome == "completed"}
        if self.ran:
            passed |= {"share_2xx": share >= 0.99, "little": True}
            passed |= {self.failed_check: False} if self.failed_check else {}
        checks = [{"id": i, "rule": "it is", "passed": p} for i, p in passed.items()]
        valid = all(passed.values())
        return {"version": VERSION, "valid": valid, "checks": checks, "bounds": {}}

    def _load(self, answered: int) -> dict[str, Any]:
        asked = len(self.latency_ms)
        closed = not self.is_open
        if not self.ran:
            return {"loop": "open", "errors": {}, "duration_s": 0, "requests_recorded": 0}
        rows = slice_rows(self)
        kept, all_plain = plain(rows, kept=True), plain(rows)
        start_s, end_s = self._window()
        return {
            "loop": "closed" if closed else "open",
            "requests_asked": None if self.lasts_s else asked,
            "requests_recorded": asked,
            "in_flight_at_end": 1 if self.lasts_s else 0,
            "responses_2xx": answered,
            "errors": {"http_503": asked - answered},
            "error_share": 1 - answered / asked,
            "start_epoch_s": start_s,
            "end_epoch_s": end_s,
            "duration_s": 2.0,
            "slices": {
                "plain": len(all_plain),
                "kept": len(kept),
                "repeated": 1 if self.left_out else 0,
                "left_out": len(all_plain) - len(kept),
            },
            "offered_per_s": None if closed else self.rate_per_s,
            "concurrency_offered": (self.users or asked) if closed else None,
            "answers_per_s": asked / 2,
            "throughput_per_s": answered / 2,
            "received_bytes": 164 * asked,
            "sent_bytes": 120 * asked,
            "latency_mean_ms": sum(self.latency_ms) / asked,
            "generator": {"name": "due", "version": "1", "cpu_share": 0.2},
        }

    def _server(self) -> dict[str, Any]:
        asked = len(self.latency_ms)
        cpu_s = self.cpu_us * asked / 1e6
        share = self.compiler_share
        seen = {k: v for k, v in self.counters.items() if k.startswith("pinned")}
        return {
            "start_up_s": 0.3,
            "cpu_s": cpu_s,
            "cpu_user_s": cpu_s / 2,
            "cpu_system_s": cpu_s / 2,
            "cpu_us_per_request": self.cpu_us,
            "compiler_share": share,
            "compiler_cpu_s": None if share is None else cpu_s * share / (1 - share),
            "idle_threads": 18,
            "peak_threads": 38,
            "threads_started": asked,
            "peak_rss_bytes": 1e8,
            "peak_descriptors": 300,
            "peak_accept_queue": self.overflows,
            "counters": self.counters,
            "counted_requests": asked,
            "profiled": {"counters": seen, "requests": asked, "counted_requests": asked}
            if self.profiled
            else None,
            "in_force": {},
            "machine_context_switches": 9 * asked,
            "gc_pauses": 0,
            "gc_pause_ms": 0.0,
            "listen_overflows": self.overflows,
            "listen_drops": self.overflows,
            "retransmits": 0,
        }

    def _session(self) -> dict[str, Any]:
        return {
            "id": f"{self.study}-rep-{self.repetition}",
            "group": self.study,
            "repetition": self.repetition,
            "rounds": self.slices,
            "phases": {
                "start_s": 3.0, "warm_up_s": 12.0, "load_s": 60.0, "between_s": 4.0, "stop_s": 1.0,
                "wall_s": 82.0,
            },
            "load_share": 0.75,
            "topology": {
                "cpus": [
                    {"cpu": cpu, "core": cpu, "package": 0, "node": 0, "siblings": [cpu]}
                    for cpu in (0, 1)
                ],
                "siblings_split": False,
            },
        }  # fmt: skip

    def _warm_up(self) -> dict[str, Any] | None:
        if self.compiler_share is None:
            return None
        ended = "limit" if self.compiler_share > 0.05 else "idle"
        requests = 20_000 + 10 * self.repetition
        share = {"compiler_share": self.compiler_share}
        return {"ended": ended, "lasted_s": 10.0 + self.repetition, "requests": requests} | share

    def _profile(self) -> dict[str, Any]:
        row = self._profiled() if self.ran else None
        if row is None:
            return {"file": None}
        window = {name: row[name] for name in ("start_epoch_s", "end_epoch_s")}
        engine = {"engine": "perf_events", "event": "cpu", "interval_ms": 10}
        return {"file": "profile.jfr"} | engine | window

    def _record(self) -> dict[str, Any]:
        ran = self.ran
        asked = len(self.latency_ms)
        answered = asked - self.refused
        identity = ("study", "mode", "tier", "tool", "repetition")
        reasons = {"completed": "", "beyond_limits": "RLIMIT_NOFILE lets a process have 1024"}
        backend = {"id": self.backend, "cpus": [1], "cpu_share": 0.1, "peak_rss_bytes": 5e7}
        pressure = {"cpu_pressure_share": 0.1, "steal_share": 0.0, "load_1m": 1.0}
        pressure |= {"others_cpu_share": 0.02, "speed_server": 1.01, "speed_generator": 0.99}
        return {
            "schema": 2,
            "cell": {name: getattr(self, name) for name in identity},
            "session": self._session(),
            "warm_up": self._warm_up() if ran else None,
            "labels": {
                "study": {"title": f"About {self.study}", "question": "Which way?"},
                "mode": {"versus": self.versus, "title": self.mode},
                "tier": {"title": "Some requests"},
                "order": {"seed": 1, "position": 1, "of": 1},
            },
            "configuration": self._configuration(),
            "outcome": self.outcome,
            "outcome_reason": reasons.get(self.outcome, "no answer_after <the> load"),
            "validity": self._validity(answered / asked),
            "answers": {"before": "", "after": "", "rows_before": None, "rows_after": None},
            "load": self._load(answered),
            "server": self._server() if ran else None,
            "backend": backend if self.backend and ran else None,
            "machine": pressure | {"time_wait_before": 5} if ran else None,
            "telemetry": {"samples": 20, "rate_hz": 10.0, "cpu_share": 0.01},
            "profile": self._profile(),
            "provenance": {
                "started": "2026-01-02T03:04:05.678+00:00",
                "ended": "2026-01-02T03:04:15.678+00:00",
                "commit": COMMIT,
                "machine": {"id": "0123456789ab", "cpu_model": "A CPU", "cpus": 2, "kernel": "6.1"}
                | {"memory_bytes": 8 * 2**30},
                "limits": {"somaxconn": "4096", "cpu_governor": None},
                "versions": {"jdk": "25"},
                "jar_sha256": "0" * 64,
                "server_cpus": [0],
                "generator_cpus": [1],
            },
        }


def analyse(results: Path, cells: list[Cell]) -> None:
    """Writes the cells and runs the project's analysis on them."""
    for cell in cells:
        cell.write(results)
    write_measured(results)
    run_analysis(results)


def write_measured(results: Path) -> None:
    """Writes what the runner leaves beside cells: tables of the configuration, primitives."""
    grid = Grid(yaml.safe_load((ROOT / "config.yaml").read_text()))
    (results / "modes.csv").write_text(grid.modes_table())
    (results / "grid.csv").write_text(grid.grid_table())
    (results / "primitives").mkdir()
    (results / "primitives" / "costs-1.csv").write_text(COSTS)
    (results / "primitives" / "thread-memory.csv").write_text(MEMORY)


COSTS = """primitive,rate_per_s,statistic,repetition,value,unit,probe_us
pool-hand-off,,cpu,1,3,µs,200
tomcat-request,100,cpu,1,326,µs,200
tomcat-request,2000,cpu,1,94,µs,200
"""
MEMORY = """kind,threads,rss_bytes,nmt_thread_reserved_bytes,nmt_thread_committed_bytes,heap_bytes
platform,1000,20971520,1073741824,20971520,0
virtual,1000,0,0,0,2181038
"""


def run_analysis(results: Path) -> None:
    """Makes the tables of the report from the cells of `results`, as the analysis' rules do."""
    cells = sorted(
        path for path in (results / "cells").rglob("cell.json") if path.parent.name != "versus"
    )
    costs = [results / "primitives" / "costs-1.csv"]
    analyze("analyze", results, [*cells, *costs])
    stacks = sorted((results / "cells").rglob("*.collapsed"))
    analyze("profiles", results, stacks, "converter=true")


def analyze(verb: str, results: Path, paths: list[Path], *settings: str) -> None:
    """Runs one verb of the analysis."""
    done = subprocess.run(
        ["Rscript", "analysis/analyze.R", verb, f"results={results}", *settings],
        input="\n".join(map(str, paths)),
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
