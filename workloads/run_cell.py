"""The cell runner: lock → start → verify → warm up → load → verify → stop → record.

A server that dies, hangs or refuses is a result: an outcome in cell.json. Only a fault of the
harness (a missing tool, a generator that cannot run) fails the job, and then nothing is recorded.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib
import json
import logging
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from profiles.telemetry import Telemetry, grown
from workloads import provenance, server, validity
from workloads.backends import Backend
from workloads.figures import (
    Beside,
    gc_pauses,
    lasted_s,
    machine_figures,
    nothing_sent,
    server_figures,
)
from workloads.gate import Gate
from workloads.progress import progress
from workloads.settling import settling
from workloads.testbed import (
    Process,
    alone_on_the_machine,
    beyond_limits,
    cpu_shares,
    free_port,
    stop_with_our_requester,
)
from workloads.tools import wrk2

logger = logging.getLogger("cell")
# A server that has not answered by then, its load gone, hangs, however patient its users are.
ANSWER_LIMIT_S = 3.0


@dataclass
class Run:
    """What one cell is made with: its configuration, its folder and its share of the machine."""

    spec: dict[str, Any]
    folder: Path
    position: int
    tool: Any = field(init=False)
    java: Path = field(init=False)
    server_cpus: list[int] = field(init=False)
    generator_cpus: list[int] = field(init=False)
    all_cpus: list[int] = field(init=False)

    def __post_init__(self) -> None:
        # A tool is a module of its own, found by its name.
        name = self.spec["tool"]["id"].replace("-", "_")
        self.tool = importlib.import_module(f"workloads.tools.{name}")
        self.java = provenance.java(self.spec["mode"].get("jdk"))
        self.server_cpus, self.generator_cpus = cpu_shares()
        self.all_cpus = sorted({*self.server_cpus, *self.generator_cpus})


def measure(run: Run) -> dict[str, Any]:
    """One cell from start to stop; returns cell.json but for its labels."""
    started = datetime.now(UTC)
    generator = run.tool.generator(run.spec)
    os.sched_setaffinity(0, run.generator_cpus)
    forbidden = beyond_limits(run.spec["tool"].get("connections", 0))
    if forbidden:
        record = not_run(run, generator, forbidden)
    else:
        with backend_of(run) as backend:
            record = observe_server(run, generator, backend)
    record["configuration"] = run.spec
    record["validity"] = validity.verdict(record)
    record["provenance"] |= provenance.facts(run.spec, run.java) | {
        "started": started.isoformat(timespec="milliseconds"),
        "ended": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "server_cpus": run.server_cpus,
        "generator_cpus": run.generator_cpus,
    }
    return record


def not_run(run: Run, generator: dict[str, str], reason: str) -> dict[str, Any]:
    """The record of a rung that the machine's limits forbid: nothing was sent, nothing was seen."""
    return {
        "outcome": "beyond_limits",
        "outcome_reason": reason,
        "answers": {"before": "", "after": "", "rows_before": None, "rows_after": None},
        "load": nothing_sent(run.tool.LOOP)
        | {
            "requests_asked": 0,
            "settling": {"latency": None, "throughput": None},
            "generator": generator | {"cpu_share": 0.0, "exit_status": None},
        },
        "server": None,
        "backend": None,
        "machine": None,
        "telemetry": {"samples": 0, "rate_hz": 0.0, "cpu_share": 0.0},
        "profile": {"file": None},
        "provenance": {"server_argv": [], "generator_argv": []},
    }


@contextlib.contextmanager
def backend_of(run: Run) -> Iterator[Backend | None]:
    """What the server depends on, running; None where it depends on nothing."""
    wanted = run.spec["backend"]
    if not wanted:
        yield None
        return
    module = importlib.import_module(f"workloads.backends.{wanted['id']}")
    cpus = cpus_of(run, wanted)
    backend = module.start(run.spec, provenance.java(), cpus, run.folder, run.position)
    try:
        yield backend
    finally:
        backend.stop()


def observe_server(run: Run, generator: dict[str, str], backend: Backend | None) -> dict[str, Any]:
    """The server from its start to its stop."""
    subject = start_subject(run, backend)
    try:
        record = observe(run, subject, generator, backend)
    finally:
        subject.stop()
    record["server"] |= {
        "start_up_s": subject.start_up_s,
        "exit_status": subject.process.exit_status,
        "context_switches_voluntary": subject.process.context_switches_voluntary,
        "context_switches_involuntary": subject.process.context_switches_involuntary,
    } | gc_pauses(run.folder / "gc.log", record["load"])
    record["profile"] = subject.profile(run.spec["testbed"]["profiler"])
    record["provenance"] = {
        "server_argv": provenance.portable(subject.process.argv),
        "generator_argv": provenance.portable(record.pop("generator_argv")),
    }
    return record


def start_subject(run: Run, backend: Backend | None) -> Any:
    """What is measured: a server in a JVM, or a database, which offers the same methods."""
    if run.spec["engine"]:
        # Its client library is loaded for databases only: every cell would wait for it.
        database = importlib.import_module("workloads.databases.subject")
        return database.start(run.spec, run.java, run.server_cpus, run.folder, run.position)
    argv = server.command(run.spec, run.java, free_port(run.position), len(run.server_cpus))
    environment = {}
    if backend:
        argv += backend.options
        environment = backend.environment
    # Until the load it may use all: the JIT has most of its work before, and less remains for then.
    return server.Server(argv, run.all_cpus, run.folder, environment=environment)


@dataclass(frozen=True)
class Account:
    """What the server says of itself; one that no longer answers is not asked."""

    threads_started: int
    rows: int | None = None
    counters: dict[str, float] = field(default_factory=dict)


def account(run: Run, subject: Any, *, answers: bool = True) -> Account:
    timeout_s, study = run.spec["testbed"]["request_timeout_s"], run.spec["study"]
    # First, for the requests below may start threads.
    threads_started = subject.threads_started()
    if not answers:
        return Account(threads_started)
    rows = subject.rows(study.get("rows_path"), timeout_s)
    return Account(threads_started, rows, subject.counters(study.get("counters_path"), timeout_s))


def added(before: Account, after: Account) -> dict[str, Any]:
    """What came with the load; a server that is gone has not started fewer threads than none."""
    return {
        "threads_started": max(0, after.threads_started - before.threads_started),
        "counters": {
            name: value - before.counters.get(name, 0) for name, value in after.counters.items()
        },
    }


def observe(
    run: Run, subject: Any, generator: dict[str, str], backend: Backend | None
) -> dict[str, Any]:
    """All that happens while the server lives, and what telemetry saw of it."""
    path, timeout_s = run.spec["study"]["verify_path"], run.spec["testbed"]["request_timeout_s"]
    if not subject.port:
        raise RuntimeError(f"the server did not start: {subject.log.read_text()[-2000:]}")
    telemetry = telemetry_of(run, subject)
    beside = beside_it(run, subject, backend)
    if beside:
        telemetry.watch("backend", beside.process.pid)
    telemetry.start()
    try:
        body_before = subject.ask(path, timeout_s)
        idle = telemetry.next_sample()
        with generator_of(run, subject) as (ready, begin):
            warm_up(run, subject)
            ready()
            subject.process.confine(run.server_cpus)
            before = account(run, subject)
            process, timed_out, ran_s = apply_load(run, begin, telemetry)
        outcome, reason, body_after = subject.state(path, min(timeout_s, ANSWER_LIMIT_S))
        after = account(run, subject, answers=outcome == "completed")
        # It closes the load's window.
        telemetry.next_sample()
    finally:
        telemetry.stop()
        telemetry.write(run.folder / "telemetry.csv")
    if timed_out and outcome == "completed":
        outcome = "timed_out"
        reason = f"the load had not ended after {ran_s[1] - ran_s[0]:.0f} s"
    load = collect(run, ran_s, process)
    fault = load.pop("fault", None)
    if fault and outcome == "completed":
        outcome, reason = fault["outcome"], fault["reason"]
    load["settling"] = settling(run.folder, load)
    window = telemetry.window(load["start_epoch_s"], load["end_epoch_s"])
    load["generator"] = generator | {
        "cpu_share": grown(window, "generator_cpu_s") / lasted_s(window) / len(run.generator_cpus),
        "exit_status": process.exit_status,
    }
    return {
        "outcome": outcome,
        "outcome_reason": reason,
        "answers": {
            "before": digest(body_before),
            "after": digest(body_after),
            "rows_before": before.rows,
            "rows_after": after.rows,
        },
        "load": load,
        "server": server_figures(window, load)
        | {"idle_threads": idle["server_threads"], "in_force": subject.in_force()}
        | added(before, after),
        "backend": beside.figures(window) if beside else None,
        "machine": machine_figures(window, telemetry) | {"time_wait_before": idle["time_wait"]},
        "telemetry": {
            "samples": len(telemetry.samples),
            "rate_hz": telemetry.rate_hz(),
            "cpu_share": telemetry.cpu_share(),
        },
        "generator_argv": process.argv,
    }


def telemetry_of(run: Run, subject: Any) -> Telemetry:
    return Telemetry(
        subject.process.pid,
        subject.port,
        run.spec["testbed"]["telemetry_hz"],
        gives_way=run.tool.LOOP == "open",
    )


def beside_it(run: Run, subject: Any, backend: Backend | None) -> Beside | None:
    if backend:
        wanted = run.spec["backend"]
        return Beside(wanted["id"], backend.process, cpus_of(run, wanted))
    if subject.pooler:
        return Beside(run.spec["engine"]["id"], subject.pooler, run.server_cpus)
    return None


def cpus_of(run: Run, backend: dict[str, Any]) -> list[int]:
    return run.server_cpus if backend["cpus"] == "server" else run.generator_cpus


def warm_up(run: Run, subject: Any) -> None:
    """The same for every mode and tool: gentle, by the project's own generator.

    A database is warmed up by the tool that loads it, within its run.
    """
    plan, tier = run.spec["warm_up"], run.spec["tier"]
    if plan:
        url = f"http://127.0.0.1:{subject.port}{plan['path']}"
        argv = wrk2.due_command(plan, url)
        process = Process(argv, run.generator_cpus, run.folder, "warm-up.log")
        finish(process, plan["duration_s"] + 30)
    # What the tier's path costs the first time (class loading) is paid here.
    if "path" in tier and "script" not in run.spec["tool"]:
        subject.ask(tier["path"], run.spec["testbed"]["request_timeout_s"])


@contextlib.contextmanager
def generator_of(
    run: Run, subject: Any
) -> Iterator[tuple[Callable[[], None], Callable[[], Process]]]:
    """What waits until the generator is ready, and what makes it begin.

    One that is slow to start is started now, warms itself up beside the server, on all CPUs as the
    server does, and is then held back.
    """
    argv = run.tool.command(run.spec, provenance.java(), subject)

    def start(cpus: list[int], *more: str) -> Process:
        log, environment = "generator.log", subject.client_environment
        return Process([*argv, *more], cpus, run.folder, log, environment)

    if not hasattr(run.tool, "GATE_OPTION"):
        yield lambda: None, lambda: start(run.generator_cpus)
        return
    with contextlib.closing(Gate()) as gate:
        process = start(run.all_cpus, run.tool.GATE_OPTION.format(port=gate.port))

        def wait_for_it() -> None:
            gate.wait_for(process)
            process.confine(run.generator_cpus)

        def let_go() -> Process:
            gate.open()
            return process

        try:
            yield wait_for_it, let_go
        finally:
            process.stop(10)


def apply_load(
    run: Run, begin: Callable[[], Process], telemetry: Telemetry
) -> tuple[Process, bool, tuple[float, float]]:
    """The generator, whether it had to be cut off, and when it ran (epoch seconds)."""
    start_s = time.time()
    process = begin()
    telemetry.watch("generator", process.pid)
    timed_out = not finish(process, run.spec["testbed"]["load_limit_s"])
    return process, timed_out, (start_s, time.time())


def finish(process: Process, limit_s: float) -> bool:
    """Waits for a generator up to the limit; whatever happens it is gone afterwards."""
    try:
        return process.wait(limit_s)
    finally:
        # A generator that is told to stop still writes what it has measured.
        process.stop(10)


def collect(run: Run, ran_s: tuple[float, float], process: Process) -> dict[str, Any]:
    try:
        return run.tool.collect(run.spec, run.folder, ran_s)
    except (OSError, ValueError, KeyError) as fault:
        said = (run.folder / "generator.log").read_text(errors="replace")[-2000:]
        message = f"the generator left no results (exit status {process.exit_status}): {said}"
        raise RuntimeError(message) from fault


def digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest() if body else ""


@contextlib.contextmanager
def working_folder(out: Path) -> Iterator[Path]:
    """A folder beside the cell's own that takes its name when all is recorded.

    What was measured before under that name is moved aside, never overwritten.
    """
    partial = out.with_name(f".{out.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        yield partial
    except BaseException:
        shutil.rmtree(partial)
        raise
    if (out / "cell.json").exists():
        stamp = datetime.fromtimestamp((out / "cell.json").stat().st_mtime, UTC)
        aside = out.parents[4].with_name("replaced") / Path(*out.parts[-5:])
        aside = aside / stamp.strftime("%Y%m%dT%H%M%SZ")
        aside.parent.mkdir(parents=True, exist_ok=True)
        out.rename(aside)
    elif out.exists():
        shutil.rmtree(out)
    partial.rename(out)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        help="…/<study>/<mode>/<tier>/<tool>/rep-<n>/cell.json",
    )
    parser.add_argument("--spec", type=json.loads, required=True, help="what to measure (JSON)")
    parser.add_argument("--labels", type=json.loads, required=True, help="titles and order (JSON)")
    parser.add_argument("--held", required=True, help="cores held and cores there are, as 4/4")
    parser.add_argument("--log", type=Path, required=True)
    return parser.parse_args()


def check_alone(held: str) -> None:
    """Raises SystemExit when Snakemake could run other jobs beside this one."""
    cores, of = map(int, held.split("/"))
    if cores < of:
        sys.exit(
            f"This cell was given {cores} of {of} cores, so other jobs could disturb it: "
            "leave out --max-threads and --set-threads."
        )


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
    stop_with_our_requester()
    cell_folder = options.out.resolve().parent
    study, mode, tier, tool, repetition = cell_folder.parts[-5:]
    names = {"study": study, "mode": mode, "tier": tier, "tool": tool}
    with alone_on_the_machine(), working_folder(cell_folder) as folder:
        run = Run(options.spec, folder, options.labels["order"]["position"])
        record = measure(run)
        record = {
            "schema": 1,
            "cell": names | {"repetition": int(repetition.removeprefix("rep-"))},
            "labels": options.labels,
            **record,
        }
        provenance.validate(record)
        (folder / "cell.json").write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n")
    print(
        progress(record, options.labels, options.out.resolve()),
        file=sys.stderr,
        flush=True,
    )


if __name__ == "__main__":
    main()
