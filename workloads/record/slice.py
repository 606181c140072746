"""One slice: a load of about a second on one server of a session, and what it cost.

A slice counts if it completed. Latency includes the slice (`kept`) if its server was warm, the
machine undisturbed, the generator with CPU time to spare, and the other servers idle
(slice_rules.py).
"""

from __future__ import annotations

import contextlib
import functools
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from profiles.watch.telemetry import Sample, children, cpu_clock
from workloads.experiment.plan import Name
from workloads.machine.testbed import Process
from workloads.record.latencies import latencies_ms
from workloads.record.load import COLLECTIONS
from workloads.record.slice_rules import GENERATOR, OF_EVERYTHING, is_even
from workloads.servers.backends import Backend
from workloads.servers.subject import Subject

PLAIN, PROFILED, WARM_UP, CALIBRATION = "plain", "profiled", "warm-up", "calibration"
# So many rounds in common at unlike speeds are no accident.
UNEVEN_ROUNDS = 4
# Counters whose growth within the window counts.
GROWING = ("machine_context_switches", "listen_overflows", "retransmits")
STEP_COLUMNS = ("step", "sustained", "stands", "due", "offered_per_s", "served_per_s")
LOAD_COLUMNS = (
    *("start_epoch_s", "end_epoch_s", "duration_s", "requests_recorded", "responses_2xx"),
    *("error_share", "throughput_per_s", "answers_per_s", "latency_mean_ms"),
)
METRIC_COLUMNS = (
    *("cpu_us_per_request", "compiler_share", "server_cpu_s", "compiler_cpu_s"),
    *("idle_neighbors_share", "generator_cpu_share", "others_cpu_share", "steal_share"),
    "server_steal_share",
    *("speed_server", "probe_us", "throttled", *COLLECTIONS),
    *("backend_cpu_us_per_request", "generator_cpu_us_per_request"),
    "stood_still_s",
)


@dataclass(frozen=True)
class Beside:
    """A process that a server depends on, or that stands before it, and its CPUs."""

    id: str
    process: Process
    cpus: list[int]


@dataclass
class Live:
    """A mode of a session: its server with what that depends on, and what is known of both."""

    mode: str
    subject: Subject
    backend: Backend | None
    folder: Path
    idle: Sample
    settings: dict[str, str]
    # From the start of its process to its first answer.
    first_answer_s: float = 0.0
    # Its carriers of virtual threads after that answer; None where they are not known.
    carriers: int | None = None
    warm_up: dict[str, Any] | None = None
    # The loads that it is warm for.
    warm_for: set[Name] = field(default_factory=set)
    # Share of a CPU that its processes use without a load.
    idle_cpu_share: float = 0.0
    # Those to its requests before any load, of a user-supplied server; see servers/answers.py.
    answers: list[dict[str, Any]] = field(default_factory=list)
    # Its answer and its own counts after its last load, by where they are requested; empty where
    # they may change without one.
    left: dict[tuple[str | None, ...], tuple[bytes | None, dict[str, Any]]] = field(
        default_factory=dict
    )

    @property
    def start(self) -> int:
        """Which start of its mode it is, from 1: that of its folder (cell_folder.fresh)."""
        number = self.folder.name.removeprefix(f"{self.mode}-")
        return int(number) if number.isdigit() else 1

    def processes(self) -> list[Process]:
        """The server, and what it depends on or what stands before it."""
        beside = [self.subject.pooler, *(self.backend.processes() if self.backend else [])]
        return [self.subject.process, *(process for process in beside if process)]

    def cpu_s(self) -> float:
        """CPU time so far of these, without a backend that other servers have at work, too."""
        shared = self.backend.processes() if self.backend and self.backend.shared else []
        own = [process for process in self.processes() if process not in shared]
        return sum(clock_s(process.pid) for process in own)


def clock_s(pid: int) -> float:
    """CPU time so far of a process with its children; 0 once it is gone."""
    spent_s = 0.0
    for each in (pid, *children(pid)):
        with contextlib.suppress(OSError):
            spent_s += time.clock_gettime(cpu_clock(each))
    return spent_s


@dataclass(frozen=True)
class Turn:
    """Which slice of its cell it is; `number` counts them in order of time."""

    number: int
    round: int
    kind: str


@dataclass
class Slice:
    """A slice that was loaded. `row` is its line in slices.csv, `load` what its tool collected."""

    turn: Turn
    live: Live
    beside: list[Beside]
    folder: Path
    outcome: str
    reason: str
    load: dict[str, Any]
    samples: list[Sample]
    # The CPU time, memory and so on of processes and machine within the window.
    metrics: dict[str, Any]
    accounts: dict[str, Any]
    faults: list[str] = field(default_factory=list)
    # A step of a sweep within the objective counts although a rule finds what slows it.
    stands: bool = False

    @property
    def counts(self) -> bool:
        """Whether it counts for all but latency."""
        return OF_EVERYTHING.isdisjoint(self.faults)

    @property
    def kept(self) -> bool:
        """Whether it counts for latency too."""
        return self.stands or not self.faults

    @property
    def window(self) -> tuple[float, float]:
        return self.load["start_epoch_s"], self.load["end_epoch_s"]

    @functools.cached_property
    def latencies_ms(self) -> dict[str, float | None]:
        """Percentiles by their column in slices.csv."""
        return latencies_ms(self.folder, self.load)

    @property
    def speed(self) -> float | None:
        """Time of a fixed computation on the server's CPUs, to the usual; None without a value."""
        found: float | None = self.metrics["speed_server"]
        return found

    def row(self) -> dict[str, Any]:
        load = self.load
        switches, requests = self.metrics["machine_context_switches"], load["requests_recorded"]
        return {
            "slice": self.turn.number,
            "round": self.turn.round,
            "start": self.live.start,
            "kind": self.turn.kind,
            "kept": str(self.kept).lower(),
            "reason": ";".join(self.faults),
            **self.step(),
            **{key: load[key] for key in LOAD_COLUMNS},
            **self.latencies_ms,
            **{key: self.metrics[key] for key in METRIC_COLUMNS},
            "machine_context_switches_per_request": switches / requests if requests else None,
            "rss_mib": self.metrics["peak_rss_bytes"] / 2**20,
            "threads_peak": self.metrics["peak_threads"],
        }

    def step(self) -> dict[str, Any]:
        """Which step of a sweep it is, and its result; empty for other tools."""
        load = self.load
        if "sustained" not in load:
            return dict.fromkeys(STEP_COLUMNS)
        sustained, stands = (str(value).lower() for value in (load["sustained"], self.stands))
        rates = (load["offered_per_s"], load["served_per_s"])
        values = (self.turn.round, sustained, stands, load["requests_offered"], *rates)
        return dict(zip(STEP_COLUMNS, values, strict=True))


def is_broken(done: Slice) -> bool:
    """Whether the server is gone, hangs, or still holds requests."""
    return done.outcome != "completed" or bool(done.reason)


def common_rounds(sides: list[list[Slice]]) -> set[int]:
    """The rounds in which all sides of a pair count for latency, at one speed of the CPUs."""
    kept = [[each for each in side if each.kept and each.turn.kind == PLAIN] for side in sides]
    speeds = [{each.turn.round: each.speed for each in side} for side in kept]
    common = set.intersection(*map(set, speeds))
    return {number for number in common if is_even(speeds[0][number], speeds[-1][number])}


def is_uneven(sides: list[list[Slice]]) -> bool:
    """Whether rounds enough count on all sides and none at one speed of the CPUs.

    A mode that lets its CPU sleep has the fixed computation slow in every round: no more rounds
    will be at the other's speed.
    """
    kept = [{each.turn.round for each in side if each.kept} for side in sides]
    return len(set.intersection(*kept)) >= UNEVEN_ROUNDS and not common_rounds(sides)


def beyond_generator(slices: list[Slice]) -> set[int]:
    """Steps of a sweep at rates that the generator could not offer: above all that it could.

    Below these a load that was offered too late was disturbed.
    """
    highest = max((each.load["offered_per_s"] for each in slices if each.kept), default=0)
    late = [each for each in slices if GENERATOR in each.faults]
    return {each.turn.round for each in late if each.load["offered_per_s"] > highest}
