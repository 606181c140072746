"""The session runner: start all modes → warm up → load in turns, tier by tier → stop → record.

All modes that are compared with each other are alive together, and one of them is loaded at a
time, so that what slows the machine slows all of them. Each cell is recorded as soon as its slices
are there. A mode that dies, hangs or refuses is a result: its outcome is in cell.json, the others
go on, and it is started again where another tier wants it. Only a fault of the harness (a missing
tool, a generator that cannot run) fails the job.

How a session can end early, and what then happens:
- Ctrl-C, SIGTERM: the `finally`s stop every process; the cells recorded so far stay.
- kill -9 of this process: the kernel kills its children (setpriv --pdeathsig), but not what an own
  server has started besides; the cells stay.
- kill -9 of Snakemake: this process notices within 0.2 s and stops as by SIGTERM.
- kill -9 of a server or generator: an outcome, or a fault of the harness with what it last said.
Snakemake removes cell.json of a job that failed; a second name of it in the same folder brings it
back when the session is run again, which then measures only what is missing.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import hashlib
import importlib
import json
import logging
import math
import os
import random
import shlex
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from http.client import HTTPException
from pathlib import Path
from typing import Any

import psutil

from profiles.watch.telemetry import compiler_threads, process_sample
from profiles.watch.terminal import say, show
from workloads.experiment.grid import spec_of
from workloads.machine import provenance
from workloads.machine.testbed import (
    CpuError,
    Shares,
    alone_on_the_machine,
    alone_on_the_node,
    beyond_limits,
    boot,
    cpu_shares,
    free_port,
    stop_with_our_requester,
    topology,
)
from workloads.record import cell_folder
from workloads.record.cell import Facts, Name, cell_record, write_cell
from workloads.servers import server
from workloads.servers import user_server as own_server
from workloads.servers.backends import Backend
from workloads.session.load_sweep import climb
from workloads.session.progress import progress, ratios
from workloads.session.slices import (
    CALIBRATION,
    COMPILER_SHARE_AT_MOST,
    PLAIN,
    PROFILED,
    WARM_UP,
    Asked,
    Live,
    Loading,
    Place,
    Slice,
    is_broken,
    watch_speed,
)
from workloads.session.warm_up import ask_as_between_slices, loads_of, until_idle, warm_up
from workloads.tools.driver import Driver
from workloads.tools.generator_host import GeneratorHost, HostError

logger = logging.getLogger("session")
# Sessions take turns over the ports, so that none meets its predecessor's TIME_WAIT.
FIRST_PORTS = 10_000
# How long a tool warms a server up over one path, at the most.
TOOL_WARM_UP_LIMIT_S = 4.0
# Of a database, which has no compiler.
WARM_UP_SLICES = 2
# Beside the cells while a session runs; other machines may have theirs there.
FOLDER = f"session-{boot()}-"
CURVE = "curve"
# Packages of servers that can listen elsewhere than on loopback.
REACHABLE = ("artifact.sockets", "artifact.spring")
# How long the machine is left alone with the idle servers before the first slice.
REST_S = 0.3


@dataclass
class Phases:
    """Seconds of the session by what it did; loads are those of slices, in their windows."""

    spent_s: dict[str, float] = field(default_factory=dict)

    @contextlib.contextmanager
    def phase(self, name: str) -> Iterator[None]:
        begun_s = time.monotonic()
        try:
            yield
        finally:
            self.add(name, time.monotonic() - begun_s)

    def add(self, name: str, seconds: float) -> None:
        self.spent_s[name] = self.spent_s.get(name, 0.0) + seconds


class Session:
    """The processes of a session and what is common to its cells."""

    # Why this machine has not the CPUs that are asked for.
    too_few = ""

    def __init__(
        self,
        plan: dict[str, Any],
        path: str,
        names: list[Name],
        folder: Path,
        shares: Shares,
        where: dict[str, Any] | None = None,
    ) -> None:
        """`where` the generator is, if not here: generator_host, server_address."""
        self.plan, self.names, self.folder = plan, names, folder
        self.seed = f"{plan['seed']}/{path}"
        self.random = random.Random(self.seed)
        server_cpus, generator_cpus = shares
        self.topology = topology(shares)
        self.all_cpus = sorted({*server_cpus, *generator_cpus})
        self.phases, self.started = Phases(), datetime.now(UTC)
        self.end = contextlib.ExitStack()
        # A child dies with the thread that started it (prctl(2), PR_SET_PDEATHSIG): these stay.
        self.threads = ThreadPoolExecutor(len(plan["modes"]))
        self.end.callback(self.threads.shutdown)
        speeds = watch_speed(self.all_cpus, folder, self.end)
        self.place = Place(server_cpus, generator_cpus, speeds)
        if where:
            self.load_from(where)
        self.drivers: dict[str, Driver] = {}
        # Modes that did not come up, with why: they are not started again.
        self.silent: dict[str, NotAnswering] = {}
        # How far the modes climbed: the `curve` part of these cells' records.
        self.curves: dict[Name, dict[str, Any]] = {}

    def load_from(self, where: dict[str, Any]) -> None:
        """Has the generator on another machine, and the servers where that reaches them."""
        for mode, part in self.plan["modes"].items():
            server = {**self.plan["common"]["study"].get("server", {}), **part.get("study", {})}
            if part["engine"] or not server.get("package", "").startswith(REACHABLE):
                raise HostError(f"testbed.generator_host: {mode} listens on 127.0.0.1 only")
        tools = {name.tool for name in self.names_known()}
        there = GeneratorHost(
            where["generator_host"], tools, self.folder, self.place.generator_cpus, where["cpus"]
        )
        self.end.callback(there.close)
        self.place.host, self.place.address = there, where["server_address"]
        self.topology |= {
            "link": there.link,
            "clock_offset_s": round(there.clock_offset_s, 6),
            "clock_known_to_s": round(there.clock_known_to_s, 6),
        }

    def spec(self, name: Name) -> dict[str, Any]:
        return spec_of(self.plan, name.mode, name.tier, name.tool)

    def names_known(self) -> list[Name]:
        """All cells of the plan, measured in this run or not."""
        return [Name(*words) for words in (*self.plan["cells"], *self.plan["beside"])]

    def specs_of(self, mode: str) -> list[dict[str, Any]]:
        return [self.spec(name) for name in self.names_known() if name.mode == mode]

    def versus(self, name: Name) -> Name:
        """The cell that this one is compared with; itself where it is compared with none."""
        return replace(name, mode=self.plan["versus"][name.mode] or name.mode)

    # ---- servers

    def start(self, mode: str) -> Live:
        """The mode's server, answering. Raises NotAnswering where it does not come up."""
        spec, folder = self.specs_of(mode)[0], self.folder / mode
        folder = cell_folder.fresh(folder)
        position = random.Random(f"{self.seed}/{folder.name}").randrange(FIRST_PORTS)
        with contextlib.ExitStack() as undo:
            backend = self.backend(spec, folder, position)
            if backend:
                undo.callback(backend.stop)
            subject = self.subject(spec, folder, position, backend)
            undo.callback(subject.stop)
            listens_s = time.monotonic()
            self.verify(mode, subject, spec)
            answers_s = subject.start_up_s + time.monotonic() - listens_s
            idle = process_sample("server", psutil.Process(subject.process.pid))
            live = Live(mode, subject, backend, folder, idle, subject.in_force(), answers_s)
            undo.pop_all()
        self.place.alive[mode] = live
        return live

    def backend(self, spec: dict[str, Any], folder: Path, position: int) -> Backend | None:
        wanted = spec["backend"]
        if not wanted:
            return None
        with contextlib.ExitStack() as undo:
            started = self.start_backend(spec, folder, position)
            undo.callback(started.stop)
            for other in wanted.get("others", []):
                place = cell_folder.fresh(folder / other["id"])
                started.add(self.start_backend(spec | {"backend": other}, place, position))
            undo.pop_all()
        return started

    def start_backend(self, spec: dict[str, Any], folder: Path, position: int) -> Backend:
        module = importlib.import_module(f"workloads.servers.backends.{spec['backend']['id']}")
        cpus = getattr(self.place, f"{spec['backend']['cpus']}_cpus")
        started: Backend = module.start(spec, provenance.java(), cpus, folder, position)
        return started

    def subject(
        self, spec: dict[str, Any], folder: Path, position: int, backend: Backend | None
    ) -> Any:
        """What is measured: our server in a JVM, an own one, or a database: the same methods."""
        java, cpus = provenance.java(spec["mode"].get("jdk")), self.place.server_cpus
        if spec["engine"]:
            # Its client library is loaded for databases only: every session would wait for it.
            database = importlib.import_module("workloads.servers.databases.subject")
            return database.start(spec, java, cpus, folder, position)
        if "command" in spec["mode"]:
            return own_server.OwnServer(spec["mode"], cpus, folder, free_port(position))
        address = self.place.address
        argv = server.command(spec, java, free_port(position, address), len(cpus), address)
        argv += backend.options if backend else []
        environment = backend.environment if backend else {}
        # Until it is warm it may use all CPUs: the JIT has its work before the first slice.
        return server.Server(argv, self.all_cpus, folder, environment=environment, address=address)

    @staticmethod
    def verify(mode: str, subject: Any, spec: dict[str, Any]) -> None:
        timeout_s = spec["testbed"]["request_timeout_s"]
        if not subject.port:
            raise NotAnswering(mode, subject.why_silent(), subject)
        try:
            subject.ask(spec["study"]["verify_path"], timeout_s)
        except (OSError, HTTPException) as silence:
            raise NotAnswering(mode, f"no right answer: {silence!r}", subject) from silence

    def stop(self, mode: str) -> None:
        """Ends the mode's processes; its folder stays."""
        live = self.place.alive.pop(mode, None)
        if live is None:
            return
        if mode in self.drivers:
            self.drivers.pop(mode).stop()
        live.subject.stop()
        if live.backend:
            live.backend.stop()

    def start_all(self, modes: list[str]) -> None:
        """Starts them side by side; those that do not come up are in `silent` afterwards."""

        def start(mode: str) -> None:
            try:
                self.start(mode)
            except NotAnswering as fault:
                self.silent[mode] = fault
                say(str(fault))

        list(self.threads.map(start, modes))

    def warm_all(self, modes: list[str]) -> None:
        """Warms them up on all CPUs, and then confines them to the server's."""
        lives = [self.place.alive[mode] for mode in modes if mode in self.place.alive]

        def warm(live: Live) -> None:
            specs = self.specs_of(live.mode)
            plans, study = loads_of(specs), specs[0]["study"]
            if plans:
                done = warm_up(live.subject, plans, study, self.all_cpus, live.folder)
                live.warm_up = done.record()

        # A few at a time by the project's generator, then one by one by the tools that load them:
        # of many at once none has its compiler idle before all have.
        with ThreadPoolExecutor(len(self.all_cpus) + 1) as pool:
            list(pool.map(warm, lives))
        for live in lives:
            self.warm_by_tools(live)
        for live in lives:
            live.subject.process.confine(self.place.server_cpus)
        time.sleep(REST_S)

    def warm_by_tools(self, live: Live) -> None:
        """Loads that are not counted: what a tool asks in its own way is compiled, in both JVMs.

        Of a database pages, plans and caches of threads are there afterwards.
        """
        ways = {
            (name.tool, json.dumps(self.spec(name)["warm_up"], sort_keys=True)): name
            for name in self.names_known()
            if name.mode == live.mode and not self.spec(name)["slices"]["once"]
        }
        for name in ways.values():
            driver = self.driver(name)
            if driver:
                self.warm_by_driver(live, driver, name)
            elif self.spec(name)["engine"]:
                self.warm_by_slices(live, name)

    def warm_by_driver(self, live: Live, driver: Driver, name: Name) -> None:
        tool, spec = tool_of(name.tool), self.spec(name)
        compilers = compiler_threads(live.subject.process.pid)
        limit_s = min((spec["warm_up"] or {}).get("limit_s", math.inf), TOOL_WARM_UP_LIMIT_S)

        def ask() -> None:
            folder = cell_folder.fresh(live.folder / "tool-warm-up")
            driver.ask(tool.fields(tool.short(spec), live.subject, folder))
            driver.answer(spec["testbed"]["load_limit_s"])
            ask_as_between_slices(live.subject, spec["study"])

        until_idle(compilers, COMPILER_SHARE_AT_MOST, limit_s, ask)

    def warm_by_slices(self, live: Live, name: Name) -> None:
        spec = self.spec(name)
        live.subject.prepare(spec)
        for number in range(WARM_UP_SLICES):
            loading = Loading(tool_of(name.tool), spec, live, self.place, None)
            loading.slice(Asked(number, 0, WARM_UP))

    def alive(self, mode: str) -> Live | None:
        """The mode's server; started and warmed up again where it is gone. None if it stays so."""
        live = self.place.alive.get(mode)
        if live and not any(process.ended() for process in live.processes()):
            return live
        self.stop(mode)
        if mode not in self.silent:
            with self.phases.phase("restart_s"):
                self.start_all([mode])
                self.warm_all([mode])
        return self.place.alive.get(mode)

    # ---- generators

    def driver(self, name: Name) -> Driver | None:
        """A driven generator: one for the session, or one for each mode; None for other tools.

        Started where there is none, or where one was stopped that did not end.
        """
        tool = tool_of(name.tool)
        if not hasattr(tool, "fields"):
            return None
        key = name.mode if tool.A_DRIVER_FOR_EACH_MODE else name.tool
        driver = self.drivers.get(key)
        if driver is None or driver.process.ended():
            environment = {}
            if tool.A_DRIVER_FOR_EACH_MODE:
                environment = self.place.alive[name.mode].subject.client_environment
            folder = cell_folder.fresh(self.folder / f"driver-{key}")
            argv = tool.driver(self.spec(name), provenance.java())
            cpus, host = self.place.generator_cpus, self.place.host
            driver = Driver(argv, cpus, folder, environment, host)
            self.drivers[key] = driver
            self.end.callback(driver.stop)
            driver.wait_until_ready()
        return driver

    def close(self) -> None:
        with self.phases.phase("stop_s"):
            for mode in list(self.place.alive):
                self.stop(mode)
            self.end.close()


class NotAnswering(RuntimeError):
    """A server that does not come up: an outcome, with its command and the last it said."""

    def __init__(self, mode: str, why: str, subject: Any) -> None:
        outcome = "server_died: " if subject.process.ended() else ""
        command = shlex.join(provenance.portable(subject.process.argv))
        lines = subject.log.read_text(errors="replace").strip().splitlines()[-5:]
        said = " | ".join(lines) or "nothing"
        super().__init__(f"{outcome}{mode}: {why}; command: {command}; it said last: {said}")


@functools.cache
def tool_of(name: str) -> Any:
    """A tool is a module of its own, found by its name."""
    return importlib.import_module(f"workloads.tools.{name.replace('-', '_')}")


# ---- the order of things


class Recorder:
    """Where the cells of a session are written, each as soon as its slices are there.

    `again`: cells that are loaded only as the baseline of another; their records go into the
    folders of those.
    """

    def __init__(self, session: Session, facts: Facts, root: Path, again: list[Name]) -> None:
        self.session, self.facts, self.root, self.again = session, facts, root, again
        self.written: list[tuple[Path, dict[str, Any]]] = []
        self.loaded: dict[Name, list[Slice]] = {}

    def folder(self, name: Name) -> Path:
        return folder_of(self.root, self.facts.study, name, f"rep-{self.facts.repetition}")

    def record(self, name: Name, slices: list[Slice], why: str = "") -> dict[str, Any]:
        spec = self.session.spec(name)
        curve = self.session.curves.get(name)
        return cell_record(self.facts, name, spec, tool_of(name.tool), slices, why, curve)

    def write(self, found: dict[Name, list[Slice]], why: str = "") -> None:
        """The cells of one load, with their baselines where those are not cells of this run."""
        self.loaded |= found
        for name, slices in found.items():
            if name in self.again:
                continue
            versus = self.session.versus(name)
            record = self.record(name, slices, why)
            with cell_folder.working_folder(self.folder(name)) as folder:
                write_cell(record, slices, folder)
                if versus in self.again and versus in self.loaded:
                    beside = folder / cell_folder.VERSUS
                    beside.mkdir()
                    other = self.loaded[versus]
                    write_cell(self.record(versus, other), other, beside)
            self.written.append((self.folder(name), record))
            show(progress(record, self.root))

    def add_phases(self) -> None:
        """What the session spent its time on is known at its end."""
        spent_s = self.session.phases.spent_s
        wall_s = (datetime.now(UTC) - self.session.started).total_seconds()
        for folder, record in self.written:
            record["session"]["phases"] = spent_s | {"wall_s": wall_s}
            cell_folder.write(record, folder)


def folder_of(root: Path, study: str, name: Name, repetition: str) -> Path:
    """A cell's folder, whose path is its name."""
    return root / study / name.mode / name.tier / name.tool / repetition


def measure(session: Session, recorder: Recorder) -> None:
    """All cells of a session, tier by tier; each is recorded when its slices are there."""
    names = [*session.names, *recorder.again]
    modes = [] if session.too_few else list(dict.fromkeys(name.mode for name in names))
    alone = [mode for mode in modes if session.plan["modes"][mode]["mode"].get("alone")]
    together = [mode for mode in modes if mode not in alone]
    with session.phases.phase("start_s"):
        session.start_all(together)
    with session.phases.phase("warm_up_s"):
        session.warm_all(together)
    for load in loads_in_order(session, names):
        at_once = [name for name in names if (name.tier, name.tool) == load]
        load_in_turns(session, recorder, [n for n in at_once if n.mode not in alone])
    for mode in together:
        session.stop(mode)
    for mode in alone:
        for load in loads_in_order(session, [name for name in names if name.mode == mode]):
            load_in_turns(session, recorder, [Name(mode, *load)])
        session.stop(mode)


def load_in_turns(session: Session, recorder: Recorder, names: list[Name]) -> None:
    """Loads some modes at one tier and records their cells; baselines of others come first."""
    unable = {name: why_not(session, name) for name in names}
    able = [name for name in names if not unable[name]]
    if able and able[0].tool == CURVE:
        found = climb(session, able, load_once)
    else:
        found = in_turns(session, able)
    found |= {name: [] for name in names if unable[name]}
    for name in sorted(names, key=lambda name: name not in recorder.again):
        recorder.write({name: found[name]}, unable[name] or why_not(session, name))


def why_not(session: Session, name: Name) -> str:
    """Why a cell cannot be loaded; empty where it can."""
    spec = session.spec(name)
    asked = spec["tool"].get("connections", 0) + spec["tier"].get("idle_connections", 0)
    if forbidden := session.too_few or beyond_limits(asked):
        return f"beyond_limits: {forbidden}"
    return str(session.silent.get(name.mode, ""))


def loads_in_order(session: Session, names: list[Name]) -> list[tuple[str, str]]:
    """Tiers and tools in an order that the seed decides; what is shown once comes last.

    Before it comes what leaves a server with a backlog: after it, the server is started again.
    """

    def key(load: tuple[str, str]) -> tuple[bool, bool, str]:
        slices = session.plan["loads"]["/".join(load)]["slices"]
        text = f"{session.seed}/{load}"
        digest = hashlib.sha256(text.encode()).hexdigest()
        return slices["once"], slices.get("last", False), digest

    return sorted({(name.tier, name.tool) for name in names}, key=key)


def in_turns(session: Session, names: list[Name]) -> dict[Name, list[Slice]]:
    """The slices of some modes at one tier: rounds in which each is loaded once, in any order.

    Extra rounds make up for slices that a rule left out, of both kinds. They come last: what slows
    the machine lasts for seconds, and a slice that is loaded again at once is lost again.
    """
    done: dict[Name, list[Slice]] = {name: [] for name in names}
    if not names:
        return done
    slices = session.spec(names[0])["slices"]
    rounds, profiled = slices["rounds"], slices["profiled"]
    for number in range(rounds):
        load_round(session, names, PLAIN, number + 1, done)
    for number in range(profiled):
        load_round(session, names, PROFILED, number + 1, done)
    for number in range(rounds, rounds + slices["extra_rounds"]):
        behind = [name for name in names if is_behind(done[name], PLAIN, rounds)]
        # Beside their baselines, for a ratio is one of neighboring slices.
        wanted = {*behind, *(session.versus(name) for name in behind)}
        load_round(session, [n for n in names if n in wanted], PLAIN, number + 1, done)
    for number in range(profiled, profiled + slices["extra_rounds"]):
        behind = [name for name in names if is_behind(done[name], PROFILED, profiled)]
        load_round(session, behind, PROFILED, number + 1, done)
    return done


def load_round(
    session: Session, names: list[Name], kind: str, number: int, done: dict[Name, list[Slice]]
) -> None:
    for name in session.random.sample(names, len(names)):
        if can_be_loaded(done[name], kind):
            load_once(session, name, kind, number, done[name])


def can_be_loaded(done: list[Slice], kind: str) -> bool:
    """What did not complete is not asked again, but for a profile of what it still holds."""
    broken = [each for each in done if is_broken(each)]
    return not broken or (kind == PROFILED and broken[0].outcome == "completed")


def is_behind(done: list[Slice], kind: str, rounds: int) -> bool:
    kept = sum(each.kept for each in done if each.asked.kind == kind)
    return kept < rounds and can_be_loaded(done, kind)


def load_once(
    session: Session,
    name: Name,
    kind: str,
    round: int,
    done: list[Slice],
    spec: dict[str, Any] | None = None,
) -> None:
    """A slice; a server that is gone, hangs or holds what it was asked is stopped after it.

    `spec` instead of the cell's own, which does not say at which rate a curve is loaded.
    """
    live = session.alive(name.mode)
    if live is None:
        return
    spec, begun_s = spec or session.spec(name), time.monotonic()
    live.subject.prepare(spec)
    driver = session.driver(name)
    loading = Loading(tool_of(name.tool), spec, live, session.place, driver)
    loading.wait_for_the_others()
    each = loading.slice(Asked(len(done) + 1, round, kind))
    done.append(each)
    window_s = each.load["duration_s"]
    session.phases.add("calibration_s" if kind == CALIBRATION else "load_s", window_s)
    session.phases.add("between_s", time.monotonic() - begun_s - window_s)
    logger.info("%s round %d %s: %s %s", name, round, kind, each.outcome, each.faults)
    if is_broken(each):
        # The next load wants a new one.
        session.stop(name.mode)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measures the cells of one session.")
    parser.add_argument("--cells", type=Path, required=True, help="the folder of all cells")
    parser.add_argument("--session", required=True, help="<study>/<group>/rep-<n>")
    parser.add_argument("--plan", type=json.loads, required=True, help="what to measure (JSON)")
    parser.add_argument("--labels", type=json.loads, required=True, help="titles and order (JSON)")
    parser.add_argument("--again", choices=["True", "False"], default="False", help="keep nothing")
    parser.add_argument("--held", required=True, help="cores held and cores there are, as 4/4")
    parser.add_argument("--log", type=Path, required=True)
    return parser.parse_args()


def check_alone(held: str) -> None:
    """Raises SystemExit when Snakemake, or SLURM, could run other jobs beside this one."""
    cores, of = map(int, held.split("/"))
    if cores < of:
        sys.exit(
            f"This session was given {cores} of {of} cores, so other jobs could disturb it: "
            "leave out --max-threads and --set-threads."
        )
    alone_on_the_node()


def to_measure(
    plan: dict[str, Any], folders: dict[Name, Path], *, again: bool
) -> tuple[list[Name], list[Name]]:
    """The cells to measure, and their baselines that are loaded beside them and not recorded.

    What is there and current is kept, unless Snakemake was told to measure `again`.
    """

    def is_current(name: Name) -> bool:
        spec = spec_of(plan, name.mode, name.tier, name.tool)
        return cell_folder.is_current(folders[name], spec, provenance.fingerprint(spec))

    names = [Name(*words) for words in plan["cells"]]
    chosen = [name for name in names if again or not is_current(name)]
    known = [*names, *(Name(*words) for words in plan["beside"])]
    baselines = {replace(name, mode=plan["versus"][name.mode] or name.mode) for name in chosen}
    return chosen, [name for name in known if name in baselines and name not in chosen]


def check_tools(plan: dict[str, Any]) -> None:
    """Raises FileNotFoundError, naming it, for what a session runs and this machine has not.

    A node of a cluster may lack what the machine has from which its job was submitted.
    """
    try:
        for program in ("setpriv", "taskset"):
            if not shutil.which(program):
                raise FileNotFoundError(f"no {program} on the PATH")
        for mode, tier, tool in plan["cells"]:
            provenance.java(plan["modes"][mode]["mode"].get("jdk"))
            tool_of(tool).generator(spec_of(plan, mode, tier, tool))
    except FileNotFoundError as fault:
        advice = "run make setup and make build on this machine, or in a folder that it shares"
        raise FileNotFoundError(f"{fault}: {advice}") from fault


def main() -> None:
    options = arguments()
    check_alone(options.held)
    options.log.parent.mkdir(parents=True, exist_ok=True)
    logging.basicConfig(
        filename=options.log,
        filemode="w",
        level=logging.INFO,
        format="%(asctime)s %(levelname)s %(message)s",
    )
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped by SIGTERM"))
    check_tools(options.plan)
    shares, too_few = shares_of(options.plan)
    # What runs beside the servers stays off their CPUs from the start.
    os.sched_setaffinity(0, shares[1])
    stop_with_our_requester()
    measured = run(options, shares, too_few)
    # That the session came to its end is seen by this file alone: cells of before stay.
    options.log.with_suffix(".json").write_text(json.dumps({"measured": measured}, indent=1) + "\n")


def shares_of(plan: dict[str, Any]) -> tuple[Shares, str]:
    """CPUs of both sides; all loads of a session ask for the same. Raises CpuError.

    Where a tier asks for more than there are, the second says so: another machine has them.
    """
    load = next(iter(plan["loads"].values()))
    testbed, server_cpus = load["testbed"], load["tier"].get("server_cpus")
    generator_cpus = None if testbed.get("generator") else testbed.get("generator_cpus")
    if server_cpus:
        try:
            return cpu_shares(server=server_cpus, generator=generator_cpus), ""
        except CpuError as fault:
            return cpu_shares(), str(fault)
    return cpu_shares(server=testbed.get("server_cpus"), generator=generator_cpus), ""


def run(options: argparse.Namespace, shares: Shares, too_few: str) -> list[str]:
    """Measures what is not there or not current; the names of these cells."""
    study, group, repetition = options.session.split("/")
    root = options.cells.resolve()
    with alone_on_the_machine():
        names = [Name(*words) for words in options.plan["cells"]]
        folders = {name: folder_of(root, study, name, repetition) for name in names}
        chosen, again = to_measure(options.plan, folders, again=options.again == "True")
        if not chosen:
            return []
        # Only a runner that was killed with -9 leaves its folder; no other runs now.
        for left in root.parent.glob(f"{FOLDER}*"):
            shutil.rmtree(left)
        with tempfile.TemporaryDirectory(prefix=FOLDER, dir=root.parent) as folder:
            where = options.labels.get("where")
            session = Session(options.plan, options.session, chosen, Path(folder), shares, where)
            session.too_few = too_few
            facts = Facts(
                id=f"{options.session}@{session.started:%Y%m%dT%H%M%SZ}",
                study=study,
                group=group,
                repetition=int(repetition.removeprefix("rep-")),
                started=session.started.isoformat(timespec="milliseconds"),
                commit=provenance.commit(),
                server_cpus=session.place.server_cpus,
                generator_cpus=(session.place.host or session.place).generator_cpus,
                topology=session.topology,
                labels=options.labels,
            )
            recorder = Recorder(session, facts, root, again)
            try:
                measure(session, recorder)
            finally:
                session.close()
                recorder.add_phases()
            # The steps of a curve are at other rates than the baseline's.
            if len(chosen) == 1 and again and chosen[0].tool != CURVE:
                # Before the folder goes, which holds the latencies.
                say(ratios(recorder.loaded[chosen[0]], recorder.loaded[again[0]]))
    return [f"{study}/{name.mode}/{name.tier}/{name.tool}/{repetition}" for name in chosen]


@contextlib.contextmanager
def fault_in_one_line() -> Iterator[None]:
    """A fault of the harness: where it came from stands in the log."""
    try:
        yield
    except Exception as fault:
        logger.exception("a fault of the harness")
        sys.exit(f"{type(fault).__name__}: {fault}")


if __name__ == "__main__":
    with fault_in_one_line():
        main()
