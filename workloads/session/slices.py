"""One slice: a load of about a second on one of the servers of a session, and what it cost.

A slice is kept when its server was warm, the machine undisturbed and as fast as before, and the
servers beside it idle. Otherwise it is left out, and its mode is loaded in an extra round: the
rules are `faults`, below. What a slice measures of the load is what its tool collects.
"""

from __future__ import annotations

import contextlib
import functools
import json
import logging
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import Any

from profiles.watch.speed import Speeds
from profiles.watch.telemetry import Sample, Telemetry, children, cpu_clock, grown_between, peak
from workloads.machine import provenance
from workloads.machine.idle_connections import idle_connections, still_open
from workloads.machine.testbed import LOOPBACK, Process
from workloads.record import cell_folder
from workloads.record.figures import Beside, gc_pauses
from workloads.record.latencies import latencies_ms
from workloads.record.settling import settling
from workloads.servers.backends import Backend
from workloads.tools.driver import Driver
from workloads.tools.generator_host import GeneratorHost

logger = logging.getLogger("slices")
# A server that has not answered by then, its load gone, hangs, however patient its users are.
ANSWER_LIMIT_S = 3.0
# Of the server's CPU time; or, where it has little to do, of a CPU: what has been called often
# enough in all those seconds is compiled at any time, in milliseconds that delay nothing.
COMPILER_SHARE_AT_MOST = 0.05
COMPILER_OF_A_CPU_AT_MOST = 0.01
IDLE_BESIDE_AT_MOST = 0.02
# Some servers have work left after their load: Helidon's client looks at each connection that it
# keeps every 101 ms, until the remote closes it after 10 s. All do so at once: half a look sees
# that at least once, a whole one three times. What it sees must be less than what the rule allows,
# as the slice may see a little more.
IDLE_BESIDE_LIMIT_S, IDLE_LOOK_S, IDLE_LOOK_AT_MOST = 12.0, 0.32, 0.015
OTHERS_CPU_AT_MOST = 0.15
STEAL_AT_MOST = 0.05
SLOWER_AT_MOST = 1.15
# What telemetry calls the processes beside a server, in their order.
BESIDE = ("backend", "second_backend")
PLAIN, PROFILED, WARM_UP, CALIBRATION = "plain", "profiled", "warm-up", "calibration"
# A rule for the steps of a curve, each of which stands for itself.
GENERATOR = "generator_healthy"
# What these find makes latency longer and never shorter.
BURDENS = {"compiled", "undisturbed", "steady_speed", "idle_beside"}


@dataclass
class Live:
    """A mode of a session: its server with what that depends on, and what is known of both."""

    mode: str
    subject: Any
    backend: Backend | None
    folder: Path
    idle: Sample
    in_force: dict[str, str]
    # From the start of its process to its first answer.
    first_answer_s: float = 0.0
    warm_up: dict[str, Any] | None = None

    def processes(self) -> list[Process]:
        """The server, and what it depends on or what stands before it."""
        beside = [self.subject.pooler, *(self.backend.processes() if self.backend else [])]
        return [self.subject.process, *(process for process in beside if process)]

    def cpu_s(self) -> float:
        """CPU time so far of these."""
        return sum(clock_s(process.pid) for process in self.processes())


@dataclass
class Place:
    """The CPUs of both sides, the probes of their speed, and what is alive beside a server.

    `host`: another machine for the generator. What else is on the generator's CPUs stays here.
    `address`: where servers listen.
    """

    server_cpus: list[int]
    generator_cpus: list[int]
    speeds: Speeds
    alive: dict[str, Live] = field(default_factory=dict)
    host: GeneratorHost | None = None
    address: str = LOOPBACK
    # For how long a session's slices wait until others idle: some machines never have them idle.
    patience_s: float = 120.0


@dataclass(frozen=True)
class Asked:
    """Which slice this is; `number` counts those of its cell in order of time."""

    number: int
    round: int
    kind: str


@dataclass
class Slice:
    """A slice that was loaded. `row` is its line in slices.csv, `load` what its tool collected."""

    asked: Asked
    live: Live
    beside: list[Beside]
    folder: Path
    outcome: str
    reason: str
    load: dict[str, Any]
    samples: list[Sample]
    rate_hz: float
    figures: dict[str, Any]
    accounts: dict[str, Any]
    faults: list[str] = field(default_factory=list)
    # A curve's step within the objective counts although it fails a rule that finds what slows it.
    stands: bool = False

    @property
    def kept(self) -> bool:
        return self.stands or not self.faults

    @property
    def window(self) -> tuple[float, float]:
        return self.load["start_epoch_s"], self.load["end_epoch_s"]

    @functools.cached_property
    def latencies_ms(self) -> dict[str, float | None]:
        """Percentiles by their column in slices.csv."""
        return latencies_ms(self.folder, self.load)

    def row(self) -> dict[str, Any]:
        """Its line in slices.csv."""
        load = self.load
        switches, requests = self.figures["machine_context_switches"], load["requests_recorded"]
        return {
            "slice": self.asked.number,
            "round": self.asked.round,
            "kind": self.asked.kind,
            "kept": str(self.kept).lower(),
            "reason": ";".join(self.faults),
            **step_of(self),
            **{key: load[key] for key in LOAD_COLUMNS},
            **self.latencies_ms,
            **{key: self.figures[key] for key in FIGURE_COLUMNS},
            "machine_context_switches_per_request": switches / requests if requests else None,
            "rss_mib": self.figures["peak_rss_bytes"] / 2**20,
            "threads_peak": self.figures["peak_threads"],
        }


def is_broken(done: Slice) -> bool:
    """Whether the server is gone, hangs, or holds what it was asked."""
    return done.outcome != "completed" or bool(done.reason)


def step_of(done: Slice) -> dict[str, Any]:
    """Which step of a curve it is, and what came of it; empty for other tools."""
    if "sustained" not in done.load:
        return dict.fromkeys(STEP_COLUMNS)
    load = done.load
    sustained, stands = (str(value).lower() for value in (load["sustained"], done.stands))
    rates = (load["offered_per_s"], load["served_per_s"])
    values = (done.asked.round, sustained, stands, load["requests_asked"], *rates)
    return dict(zip(STEP_COLUMNS, values, strict=True))


STEP_COLUMNS = ("step", "sustained", "stands", "due", "offered_per_s", "served_per_s")
LOAD_COLUMNS = (
    *("start_epoch_s", "end_epoch_s", "duration_s", "requests_recorded", "responses_2xx"),
    *("error_share", "throughput_per_s", "answers_per_s", "latency_mean_ms"),
)
FIGURE_COLUMNS = (
    *("cpu_us_per_request", "compiler_share", "server_cpu_s", "compiler_cpu_s"),
    *("idle_beside_share", "generator_cpu_share", "others_cpu_share", "steal_share"),
    *("speed_server", "speed_generator", "probe_us"),
)


@dataclass
class Loading:
    """How slices of one cell are loaded: its tool, its spec, its server and the generator."""

    tool: Any
    spec: dict[str, Any]
    live: Live
    place: Place
    # None: the tool is started for each slice.
    driver: Driver | None
    # CPUs that a generator on another machine used in the last slice.
    there_cpus: float = 0.0

    def slice(self, asked: Asked) -> Slice:
        """Loads once. The server may be gone afterwards: see `outcome`."""
        name = f"{asked.kind}-{self.spec['tier']['id']}-{self.spec['tool']['id']}"
        folder = cell_folder.fresh(self.live.folder / f"{name}-{asked.number}")
        subject, timeout_s = self.live.subject, self.spec["testbed"]["request_timeout_s"]
        profiled = asked.kind == PROFILED
        body_before = self.answer()
        before = self.account()
        if profiled:
            self.switch_profiler(folder, on=True)
        telemetry = self.telemetry()
        path = self.spec["study"]["verify_path"]
        idle_ones = self.spec["tier"].get("idle_connections", 0)
        listens = (self.place.address, subject.port)
        with idle_connections(listens, path, idle_ones, timeout_s) as held:
            idle_s = self.idle_clocks()
            telemetry.start()
            try:
                argv, exit_status, timed_out, ran_s = self.generate(folder, telemetry)
            finally:
                telemetry.stop()
            idle_s = self.idle_clocks() - idle_s
            lost = idle_ones - still_open(held)
        if profiled:
            self.switch_profiler(folder, on=False)
        load = self.collect(folder, ran_s, exit_status)
        outcome, reason, body = subject.state(
            self.spec["study"]["verify_path"], min(timeout_s, ANSWER_LIMIT_S)
        )
        outcome, reason = self.judged(outcome, reason, load)
        if timed_out and outcome == "completed":
            outcome = "timed_out"
            reason = f"the load had not ended after {ran_s[1] - ran_s[0]:.0f} s"
        fault = load.pop("fault", None)
        if fault and outcome == "completed":
            outcome, reason = fault["outcome"], fault["reason"]
        after = self.account(answers=bool(body))
        load["generator"]["exit_status"] = exit_status
        if self.driver:
            pauses = gc_pauses(self.driver.log.with_name("gc.log"), load)
            load["generator"]["gc_pause_ms"] = pauses["gc_pause_ms"]
        load["settling"] = settling(folder, load)
        if self.place.host:
            # What is read here from now on was timed here.
            for key in ("start_epoch_s", "end_epoch_s"):
                load[key] -= self.place.host.clock_offset_s
        figures = self.figures(load, telemetry, idle_s, ran_s)
        load["generator"]["cpu_share"] = figures["generator_cpu_share"]
        done = Slice(
            asked=asked,
            live=self.live,
            beside=self.beside(),
            folder=folder,
            outcome=outcome,
            reason=reason,
            load=load,
            samples=telemetry.samples,
            rate_hz=telemetry.rate_hz(),
            figures=figures,
            accounts={
                "before": before,
                "after": after,
                "body_before": body_before,
                "body": body,
                "generator_argv": argv,
            },
        )
        done.faults = faults(done) + (["idle_connections"] if lost else [])
        return done

    def answer(self) -> bytes:
        """What the server answers before its load; nothing where it does not."""
        try:
            body: bytes = self.live.subject.ask(
                self.spec["study"]["verify_path"], self.spec["testbed"]["request_timeout_s"]
            )
        except (OSError, HTTPException):
            return b""
        return body

    def judged(self, outcome: str, reason: str, load: dict[str, Any]) -> tuple[str, str]:
        """What the outcome is when more is known than what the server answers.

        One that still answers what it holds does not hang: it was asked too much. And a failure has
        another name where what the server depends on has died.
        """
        backend = self.live.backend
        if backend and backend.process.ended():
            said = (self.live.folder / "backend.log").read_text(errors="replace").splitlines()[-3:]
            wanted, status = self.spec["backend"]["id"], backend.process.exit_status
            return "backend_died", f"{wanted} ended with status {status}: {' | '.join(said)}"
        waiting = load["in_flight_at_end"] + load["errors"].get("timeout", 0)
        answers = load["responses_2xx"] or load["answers_per_s"]
        if outcome == "hung" and answers and waiting:
            return "completed", f"still holds {waiting} requests of its load"
        return outcome, reason

    def generate(
        self, folder: Path, telemetry: Telemetry
    ) -> tuple[list[str], int | None, bool, tuple[float, float]]:
        """The generator's command line and exit status, whether it was cut off, when it ran."""
        limit_s, subject = self.spec["testbed"]["load_limit_s"], self.live.subject
        if self.place.host:
            return self.generate_there(self.place.host, folder)
        start_s = time.time()
        if self.driver:
            telemetry.watch("generator", self.driver.process.pid)
            fields = self.tool.fields(self.spec, subject, folder)
            self.driver.ask(fields)
            timed_out = not self.driver.answer(limit_s)
            if timed_out:
                # It would go on beside the next slice.
                self.driver.stop()
            return [*self.driver.argv, *fields], 0, timed_out, (start_s, time.time())
        argv = self.tool.command(self.spec, provenance.java(), subject)
        process = Process(
            argv, self.place.generator_cpus, folder, "generator.log", subject.client_environment
        )
        telemetry.watch("generator", process.pid)
        timed_out = not finish(process, limit_s)
        return argv, process.exit_status, timed_out, (start_s, time.time())

    def generate_there(
        self, host: GeneratorHost, folder: Path
    ) -> tuple[list[str], int | None, bool, tuple[float, float]]:
        """As generate(), on another machine, which says itself what CPU time it took."""
        driver, subject = self.driver, self.live.subject
        limit_s = self.spec["testbed"]["load_limit_s"]
        if driver:
            argv = [*driver.argv, *(fields := self.tool.fields(self.spec, subject, folder))]
            host.make(folder)
            used_s, start_s = host.cpu_s(driver.folder), time.time()
            driver.ask([host.there(word) for word in fields])
            timed_out, exit_status = not driver.answer(limit_s), 0
            ran_s = (start_s, time.time())
            self.there_cpus = (host.cpu_s(driver.folder) - used_s) / (ran_s[1] - ran_s[0])
            if timed_out:
                driver.stop()
            host.fetch(driver.folder)
            host.fetch(folder)
            return argv, exit_status, timed_out, ran_s
        argv, start_s = self.tool.command(self.spec, provenance.java(), subject), time.time()
        process = host.process(argv, folder, "generator.log", stdin=False)
        timed_out = not process.wait(limit_s)
        if timed_out:
            # It still writes what it has measured.
            host.end(folder)
            process.wait(10)
        process.stop(1)
        ran_s = (start_s, time.time())
        host.fetch(folder)
        if (folder / "load.json").exists():
            self.there_cpus = json.loads((folder / "load.json").read_text())["cpu_share"]
        return argv, process.exit_status, timed_out, ran_s

    def collect(
        self, folder: Path, ran_s: tuple[float, float], exit_status: int | None
    ) -> dict[str, Any]:
        generator = self.tool.generator(self.spec) | {"cpu_share": 0.0, "exit_status": None}
        try:
            load = self.tool.collect(self.spec, folder, ran_s)
        except (OSError, ValueError, KeyError) as fault:
            log = folder / "generator.log"
            said = log.read_text(errors="replace")[-2000:] if log.exists() else ""
            message = f"the generator left no results (exit status {exit_status}): {said}"
            raise RuntimeError(message) from fault
        return load | {"generator": generator}

    def switch_profiler(self, folder: Path, *, on: bool) -> None:
        """With the profiler the server's own samplers; a server that is gone has neither."""
        subject, asked = self.live.subject, self.spec["testbed"]["profiler"]
        watched = self.spec["study"].get("watch_path")
        profiler = (
            functools.partial(subject.start_profile, folder, asked) if on else subject.end_profile
        )
        # A server whose only thread is busy cannot be told, and is profiled all the same.
        for step in (functools.partial(subject.watch, watched, ANSWER_LIMIT_S, on=on), profiler):
            try:
                step()
            except (OSError, RuntimeError) as fault:
                logger.warning("%s: the profiled slice: %s", self.live.mode, fault)

    def telemetry(self) -> Telemetry:
        subject = self.live.subject
        telemetry = Telemetry(
            subject.process.pid,
            subject.port,
            self.place.server_cpus,
            self.spec["testbed"]["telemetry_hz"],
            gives_way=self.tool.LOOP == "open",
            forks="command" in self.spec["mode"],
        )
        for role, beside in zip(BESIDE, self.beside(), strict=False):
            telemetry.watch(role, beside.process.pid)
        return telemetry

    def beside(self) -> list[Beside]:
        """The processes that the server depends on, or the one that stands before a database."""
        if self.live.backend:
            wanted = self.spec["backend"]
            asked = [wanted, *wanted.get("others", [])]
            return [
                Beside(each["id"], process, getattr(self.place, f"{each['cpus']}_cpus"))
                for each, process in zip(asked, self.live.backend.processes(), strict=True)
            ]
        if self.live.subject.pooler:
            engine = self.spec["engine"]["id"]
            return [Beside(engine, self.live.subject.pooler, self.place.server_cpus)]
        return []

    def idle_clocks(self) -> float:
        """CPU time so far of all servers that are not loaded."""
        alive = self.place.alive.items()
        return sum(live.cpu_s() for mode, live in alive if mode != self.live.mode)

    def wait_for_the_others(self) -> None:
        """Until they idle; those that do not in time are left to the rule `idle_beside`."""
        begun_s, place = time.monotonic(), self.place
        limit_s = min(IDLE_BESIDE_LIMIT_S, place.patience_s)
        becomes_idle(self.idle_clocks, len(place.server_cpus), limit_s)
        place.patience_s -= max(0.0, time.monotonic() - begun_s - IDLE_LOOK_S)

    def account(self, *, answers: bool = True) -> dict[str, Any]:
        """What the server says of itself; one that no longer answers is not asked."""
        subject, study = self.live.subject, self.spec["study"]
        # First, for the requests below may start threads.
        threads_started = subject.threads_started()
        if not answers:
            return {"threads_started": threads_started, "rows": None, "counters": {}}
        timeout_s = self.spec["testbed"]["request_timeout_s"]
        return {
            "threads_started": threads_started,
            "rows": subject.rows(study.get("rows_path"), timeout_s),
            "counters": subject.counters(study.get("counters_path"), timeout_s),
        }

    def figures(
        self,
        load: dict[str, Any],
        telemetry: Telemetry,
        idle_beside_s: float,
        ran_s: tuple[float, float],
    ) -> dict[str, Any]:
        """What the processes and the machine used within the window."""
        start_s, end_s = load["start_epoch_s"], load["end_epoch_s"]
        samples, lasted_s = telemetry.samples, max(end_s - start_s, 1e-3)
        cpus, host = len(self.place.server_cpus), self.place.host

        def grew(key: str) -> float:
            return grown_between(samples, key, start_s, end_s)

        server_s, compiler_s = grew("server_cpu_s"), grew("compiler_cpu_s")
        answers = load["answers_per_s"] * lasted_s
        beside = [
            (each, grew(f"{role}_cpu_s")) for role, each in zip(BESIDE, self.beside(), strict=False)
        ]
        on_server_s = server_s + idle_beside_s
        on_server_s += sum(used_s for each, used_s in beside if each.cpus == self.place.server_cpus)
        busy_s = lasted_s * cpus - grew("server_cpus_idle_s")
        window = telemetry.window(start_s, end_s)
        speeds = self.place.speeds
        speed = speeds.of(self.place.server_cpus, start_s, end_s)
        return {
            "server_cpu_s": server_s,
            "compiler_cpu_s": compiler_s if telemetry.compilers else None,
            "compiler_share": compiler_s / server_s if telemetry.compilers and server_s else None,
            "cpu_user_s": grew("server_cpu_user_s"),
            "cpu_system_s": grew("server_cpu_system_s"),
            "cpu_us_per_request": 1e6 * (server_s - compiler_s) / answers if answers else None,
            "idle_beside_share": idle_beside_s / max(ran_s[1] - ran_s[0], 1e-3) / cpus,
            "generator_cpu_share": (self.there_cpus if host else grew("generator_cpu_s") / lasted_s)
            / len((host or self.place).generator_cpus),
            "others_cpu_share": max(0.0, busy_s - on_server_s) / lasted_s / cpus,
            "steal_share": grew("steal_s") / lasted_s / (os.cpu_count() or 1),
            "cpu_pressure_share": grew("pressure_cpu_some_s") / lasted_s,
            "speed_server": speed.relative,
            "probe_us": speed.probe_us,
            "speed_generator": None
            if host
            else speeds.of(self.place.generator_cpus, start_s, end_s).relative,
            "backend_cpu_shares": [used_s / lasted_s / len(each.cpus) for each, used_s in beside],
            "peak_backend_rss_bytes": peak(window, "backend_rss_bytes"),
            "peak_threads": peak(window, "server_threads"),
            "peak_rss_bytes": peak(window, "server_rss_bytes"),
            "peak_descriptors": peak(window, "server_descriptors"),
            "peak_accept_queue": peak(window, "accept_queue"),
            "load_1m": peak(window, "load_1m"),
            "telemetry_cpu_share": telemetry.cpu_share(),
            "time_wait": peak(window[:1], "time_wait"),
            **{key: grew(key) for key in GROWING},
        }


GROWING = ("machine_context_switches", "listen_overflows", "listen_drops", "retransmits")


def faults(done: Slice) -> list[str]:
    """The rules that a slice fails, by name; without any it is kept.

    A profile of code that is not compiled yet is one of the compiler, so profiled slices pass the
    same rules.
    """
    figures = done.figures
    compiling, slower = figures["compiler_share"] or 0.0, figures["speed_server"] or 1.0
    of_a_cpu = (figures["compiler_cpu_s"] or 0.0) / max(done.load["duration_s"], 1e-3)
    others, steal = figures["others_cpu_share"], figures["steal_share"]
    rules: dict[str, Callable[[], bool]] = {
        "not_completed": lambda: done.outcome == "completed",
        "compiled": lambda: (
            compiling <= COMPILER_SHARE_AT_MOST or of_a_cpu <= COMPILER_OF_A_CPU_AT_MOST
        ),
        "undisturbed": lambda: others <= OTHERS_CPU_AT_MOST and steal <= STEAL_AT_MOST,
        "steady_speed": lambda: slower <= SLOWER_AT_MOST,
        "idle_beside": lambda: figures["idle_beside_share"] <= IDLE_BESIDE_AT_MOST,
        GENERATOR: lambda: "sustained" not in done.load or not done.load["limited_by_generator"],
    }
    return [name for name, passes in rules.items() if not passes()]


def watch_speed(cpus: list[int], folder: Path, end: contextlib.ExitStack) -> Speeds:
    """The CPUs' speed from now until the end, see profiles/watch/speed.py."""
    paths = []
    for cpu in cpus:
        path, argv = folder / f"speed-{cpu}.csv", [sys.executable, "-m", "profiles.watch.speed"]
        there = {"PYTHONPATH": str(provenance.ROOT)}
        process = Process([*argv, str(cpu)], [cpu], folder, path.name, there)
        end.callback(process.stop, 5)
        paths.append(path)
    return Speeds(paths)


def beyond_generator(slices: list[Slice]) -> set[int]:
    """Rounds of a curve at rates that the generator could not offer: above all that it could.

    Below these a load that was offered too late was disturbed.
    """
    highest = max((each.load["offered_per_s"] for each in slices if each.kept), default=0)
    late = [each for each in slices if GENERATOR in each.faults]
    return {each.asked.round for each in late if each.load["offered_per_s"] > highest}


def clock_s(pid: int) -> float:
    """CPU time so far of a process with its children; 0 once it is gone."""
    spent_s = 0.0
    for each in (pid, *children(pid)):
        with contextlib.suppress(OSError):
            spent_s += time.clock_gettime(cpu_clock(each))
    return spent_s


def becomes_idle(clocks: Callable[[], float], cpus: int, limit_s: float) -> bool:
    """Waits until processes idle so that `idle_beside` holds; false where they do not in time.

    `clocks` tells the CPU time in seconds that they have used so far. Half a look is enough where
    it sees a third of what a whole one may.
    """
    most_s = IDLE_LOOK_AT_MOST * IDLE_LOOK_S * cpus
    deadline_s = time.monotonic() + limit_s
    while time.monotonic() < deadline_s:
        before_s = clocks()
        for seen_at_most_s in (most_s / 3, most_s):
            time.sleep(IDLE_LOOK_S / 2)
            if clocks() - before_s <= seen_at_most_s:
                return True
    return False


def finish(process: Process, limit_s: float) -> bool:
    """Waits for a generator up to the limit; whatever happens it is gone afterwards."""
    try:
        return process.wait(limit_s)
    finally:
        # A generator that is told to stop still writes what it has measured.
        process.stop(10)
