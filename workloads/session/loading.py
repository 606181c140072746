"""One load of one server: asked before and after, watched meanwhile, judged at its end."""

import functools
import logging
import shutil
import time
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any

from profiles.watch.accept_queue import closed_since
from profiles.watch.telemetry import Telemetry
from workloads.machine import provenance
from workloads.machine.idle_connections import idle_connections, still_open
from workloads.record import cell_folder
from workloads.record.load import collections, nothing_answered
from workloads.record.settling import settling
from workloads.record.slice import PROFILED, Beside, Live, Slice, Turn
from workloads.record.slice_rules import faults, stood_still
from workloads.record.validity import PERHAPS_WRITTEN, connections_of
from workloads.session.metrics import BESIDE, Window
from workloads.session.place import Meter, Place, Spent
from workloads.tools.driver import Driver
from workloads.tools.generator_place import LOG, Ran
from workloads.tools.tool import Driven, Started

logger = logging.getLogger("slices")
# A server that has not answered by then, its load gone, hangs, however patient its users are.
ANSWER_LIMIT_S = 3.0
FULL_BELOW_BYTES = 64 << 10


@dataclass
class Loading:
    """How slices of one cell are loaded: its tool, its spec, its server and the generator."""

    tool: Started | Driven
    spec: dict[str, Any]
    live: Live
    place: Place
    # None: the tool is started for each slice.
    driver: Driver | None

    def slice(self, turn: Turn) -> Slice:
        """Loads once. The server may be gone afterwards: see `outcome`."""
        name = f"{turn.kind}-{self.spec['tier']['id']}-{self.spec['tool']['id']}-{turn.number}"
        folder = cell_folder.fresh(self.live.folder / name)
        body_before, before = self.before()
        if turn.kind == PROFILED:
            self.switch_profiler(folder, on=True)
        telemetry = self.telemetry()
        ran, others, lost = self.run(folder, telemetry)
        keeps = self.spec["tool"].get("keep_alive")
        lasted_s = time.time() - ran.window_s[0]
        closed = closed_since(self.live.subject.port, lasted_s) if keeps else 0
        if turn.kind == PROFILED:
            self.switch_profiler(folder, on=False)
        asked_s = time.monotonic()
        state = self.state()
        answered_after_s = time.monotonic() - asked_s if state[0] == "completed" else None
        watched_to_epoch_s = time.time()
        after = self.account(answers=state[2] is not None)
        self.place.load_ended()
        load = self.collect(folder, ran)
        outcome, reason, body = self.outcome(load, ran, state)
        self.leave(load, others, (body, after) if outcome == "completed" else None)
        self.complete(load, folder)
        if keeps:
            load.setdefault("reconnects", self.reconnects(load, closed))
        metrics = Window(load, telemetry, self.place).metrics(self.beside(), others, ran)
        metrics |= collections(self.live.folder / "gc.log", load)
        load["generator"]["cpu_share"] = metrics["generator_cpu_share"]
        if stood_still(metrics) and outcome != "server_died":
            outcome, reason = "completed", ""
        return Slice(
            turn=turn,
            live=self.live,
            beside=self.beside(),
            folder=folder,
            outcome=outcome,
            reason=reason,
            load=load,
            samples=telemetry.samples,
            metrics=metrics,
            accounts={
                "before": before,
                "after": after,
                "body_before": body_before,
                "body": body,
                "generator_argv": ran.argv,
                "answered_after_s": answered_after_s,
                "watched_to_epoch_s": watched_to_epoch_s,
            },
            faults=faults(outcome, load, metrics, lost),
        )

    def run(self, folder: Path, telemetry: Telemetry) -> tuple[Ran, Spent, int]:
        """The generator's run, CPU time of the other servers meanwhile, idle connections lost."""
        path, limit_s = self.spec["study"]["verify_path"], self.spec["testbed"]["request_timeout_s"]
        idle_ones, mode = self.spec["tier"].get("idle_connections", 0), self.live.mode
        listens = (self.place.generator.address, self.live.subject.port)
        with idle_connections(listens, path, idle_ones, limit_s) as held:
            meter = Meter(self.place.others(mode))
            telemetry.start()
            try:
                ran = self.generate(folder, telemetry)
            finally:
                telemetry.stop()
            return ran, meter.spent(), idle_ones - still_open(held)

    def generate(self, folder: Path, telemetry: Telemetry) -> Ran:
        subject, limit_s = self.live.subject, self.spec["testbed"]["load_limit_s"]
        watch = functools.partial(telemetry.watch, "generator")
        if isinstance(self.tool, Driven):
            assert self.driver
            fields = self.tool.fields(self.spec, subject, folder)
            return self.driver.load(fields, folder, limit_s, watch)
        argv = self.tool.command(self.spec, provenance.java(), subject)
        place = self.place.generator
        return place.run(argv, folder, limit_s, watch, subject.client_environment)

    def collect(self, folder: Path, ran: Ran) -> dict[str, Any]:
        """The tool's results of the load. Raises RuntimeError where it left none.

        One that fails with its server leaves none: sysbench crashes when PostgreSQL dies.
        """
        try:
            load = self.tool.collect(self.spec, folder, ran.window_s)
        except (OSError, ValueError, KeyError) as fault:
            if not any(process.ended() for process in self.live.processes()):
                if shutil.disk_usage(folder).free < FULL_BELOW_BYTES:
                    raise RuntimeError(f"no space left in {folder}") from fault
                log = folder / LOG
                said = log.read_text(errors="replace")[-2000:] if log.exists() else ""
                message = f"the generator left no results (exit status {ran.exit_status}): {said}"
                raise RuntimeError(message) from fault
            load = nothing_answered(self.tool.LOOP, ran.window_s)
        return load | {"generator": {**self.tool.generator(self.spec)} | {"cpu_share": 0.0}}

    def complete(self, load: dict[str, Any], folder: Path) -> None:
        load["settling"] = settling(folder, load, self.spec["tier"].get("period_s"))
        for key in ("start_epoch_s", "end_epoch_s"):
            load[key] -= self.place.generator.clock_offset_s

    def reconnects(self, load: dict[str, Any], closed: int) -> int:
        """Connections that the server dropped in the window of a tool that does not count them.

        `closed`: those of the whole run, at whose end the tool closes its own.
        """
        tool, within = self.spec["tool"], load["requests_recorded"]
        own = connections_of(tool) + within - load["responses_2xx"]
        of_run = max(within, load.get("counted_requests", within), 1)
        return round(max(0, closed - own) * within / of_run)

    def answer(self) -> bytes | None:
        limit_s = self.spec["testbed"]["request_timeout_s"]
        try:
            return self.live.subject.ask(self.spec["study"]["verify_path"], limit_s)
        except (OSError, HTTPException):
            return None

    def before(self) -> tuple[bytes | None, dict[str, Any]]:
        """The server's answer and counts before a load: those that its last one has left."""
        left = self.live.left.get(self.counted())
        return left or (self.answer(), self.account())

    def counted(self) -> tuple[str | None, ...]:
        return tuple(self.spec["study"].get(key) for key in ("rows_path", "counters_path"))

    def leave(
        self, load: dict[str, Any], others: Spent, left: tuple[bytes | None, dict[str, Any]] | None
    ) -> None:
        """Keeps what the load has left for the next, unless the server may still be at work."""
        left_work = any(load["errors"].get(kind) for kind in PERHAPS_WRITTEN)
        self.live.left = {self.counted(): left} if left and not left_work else {}
        self.place.doubt(self.live.mode, others, left_work=left_work)

    def state(self) -> tuple[str, str, bytes | None]:
        """(outcome, reason, body) as the server answers after the load."""
        patience_s = getattr(self.tool, "ANSWER_LIMIT_S", ANSWER_LIMIT_S)
        limit_s = min(self.spec["testbed"]["request_timeout_s"], patience_s)
        return self.live.subject.state(self.spec["study"]["verify_path"], limit_s)

    def outcome(
        self, load: dict[str, Any], ran: Ran, state: tuple[str, str, bytes | None]
    ) -> tuple[str, str, bytes | None]:
        outcome, reason, body = state
        outcome, reason = self.judged(outcome, reason, load)
        fault = load.pop("fault", None)
        if outcome == "completed" and ran.timed_out:
            outcome, reason = "timed_out", f"the load had not ended after {ran.lasted_s:.0f} s"
        elif outcome == "completed" and fault:
            outcome, reason = fault["outcome"], fault["reason"]
        return outcome, reason, body

    def judged(self, outcome: str, reason: str, load: dict[str, Any]) -> tuple[str, str]:
        """The outcome when more is known than what the server answers.

        One that still answers what it holds does not hang: it was overloaded. A failure has another
        name where what the server depends on has died.
        """
        for each in self.beside() if self.live.backend else []:
            if (process := each.process).ended():
                said = " | ".join(process.log.read_text(errors="replace").splitlines()[-3:])
                return "backend_died", f"{each.id} ended with status {process.exit_status}: {said}"
        waiting = load["in_flight_at_end"] + load["errors"].get("timeout", 0)
        answers = load["responses_2xx"] or load["answers_per_s"]
        if outcome == "hung" and answers and waiting:
            return "completed", f"still holds {waiting} requests of its load"
        return outcome, reason

    def switch_profiler(self, folder: Path, *, on: bool) -> None:
        """With the profiler the server's own samplers; a server that is gone has neither."""
        subject = self.live.subject
        states = "states" in self.spec["profile"]
        watched = self.spec["study"].get("watch_path") if states else None
        profiler = (
            functools.partial(subject.start_profile, folder, self.spec)
            if on
            else subject.end_profile
        )
        # A server whose only thread is busy does not answer, and is profiled all the same.
        for step in (functools.partial(subject.watch, watched, ANSWER_LIMIT_S, on=on), profiler):
            try:
                step()
            except (OSError, HTTPException, RuntimeError) as fault:
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
            first = self.spec["backend"]
            wanted = [first, *first.get("others", [])]
            return [
                Beside(each["id"], process, self.place.cpus_of(each["cpus"]))
                for each, process in zip(wanted, self.live.backend.processes(), strict=True)
            ]
        if self.live.subject.pooler:
            engine = self.spec["engine"]["id"]
            return [Beside(engine, self.live.subject.pooler, self.place.server_cpus)]
        return []

    def account(self, *, answers: bool = True) -> dict[str, Any]:
        """The server's own counts; one that no longer answers is not asked."""
        subject, study = self.live.subject, self.spec["study"]
        # First, for the requests below may start threads.
        found: dict[str, Any] = {"threads_started": subject.threads_started()}
        found |= {"rows": None, "counters": {}}
        if answers:
            timeout_s = self.spec["testbed"]["request_timeout_s"]
            found["rows"] = subject.rows(study.get("rows_path"), timeout_s)
            found["counters"] = subject.counters(study.get("counters_path"), timeout_s)
        return found
