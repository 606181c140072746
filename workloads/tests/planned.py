"""A small plan, and a session of it without any process."""

from __future__ import annotations

import os
import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from workloads.experiment.plan import LoadPlan, ModePlan, Name, Plan
from workloads.session.place import Place
from workloads.session.session import Session

CPUS = sorted(os.sched_getaffinity(0))
BASELINE = "thread-per-request"
ALONE = "fixed-pool-as-published"
MODES = (BASELINE, "fixed-pool", "event-loop", ALONE)
JAR = "servers/sockets/target/sockets.jar"
SERVER = {"id": "sockets", "jar": JAR, "package": "artifact.sockets.mode"}
STUDY = {"id": "a-study", "server": SERVER, "verify_path": "/", "body_bytes": 42}
SLICES = {"rounds": 3, "extra_rounds": 0, "once": False, "length_s": 1}
PROFILER = {"event": "cpu-clock", "interval_ms": 1, "samples": 1000, "limit_s": 30}
TESTBED = {"request_timeout_s": 60, "load_limit_s": 60, "telemetry_hz": 10} | {
    "profiler": PROFILER | {"allocation_kib": 64}
}
OPEN = {"id": "wrk2", "connections": 10, "rate_per_s": 10, "duration_s": 1}
CLOSED = {"id": "jmeter", "users": 10, "loops": 10, "jvm_options": []}
SWEPT = {"id": "sweep", "connections": 500, "objective_ms": 20}


def mode_plan(mode: str) -> ModePlan:
    alone = {"alone": True} if mode == ALONE else {}
    spec = {"id": mode, "kind": "pool", "options": {"threads": 9}} | alone
    return ModePlan(spec, STUDY, None, None, None if mode == BASELINE else BASELINE)


def load_plan(tier: str, tool: dict[str, Any], **slices: Any) -> LoadPlan:
    where = {"id": tier, "path": "/", "sleep_ms": 0}
    return LoadPlan(where, tool, None, SLICES | slices, TESTBED)


def plan_of() -> Plan:
    """Four modes, of which one is measured alone; loads of all kinds."""
    loads = {
        "low/jmeter": load_plan("low", CLOSED),
        "low/wrk2": load_plan("low", OPEN),
        "mid/wrk2": load_plan("mid", OPEN),
        "full/wrk2": load_plan("full", OPEN, last=True),
        "high/jmeter": load_plan("high", CLOSED, rounds=1, once=True),
        "extreme/wrk2": load_plan("extreme", OPEN | {"connections": 1000}, rounds=1, once=True),
        "short/sweep": load_plan("short", SWEPT, rounds=2),
    }
    names = tuple(Name(mode, *load.split("/")) for mode in MODES for load in loads)
    return Plan(1, 7, {mode: mode_plan(mode) for mode in MODES}, loads, names)


def with_slices(plan: Plan, **changes: Any) -> Plan:
    loads = {id: replace(load, slices=load.slices | changes) for id, load in plan.loads.items()}
    return replace(plan, loads=loads)


def session_of(plan: Plan, folder: Path | None = None) -> Session:
    session = object.__new__(Session)
    session.plan, session.seed = plan, f"{plan.seed}/a-session"
    session.folder = folder or Path()
    session.names = list(plan.cells)
    session.random = random.Random(session.seed)
    session.place, session.drivers = Place(CPUS[:1], CPUS[-1:], None), {}
    session.silent, session.sweeps, session.bands = {}, {}, None
    session.capacities = {}
    session.threads, session.started = ThreadPoolExecutor(4), datetime.now(UTC)
    return session


def labels_of(plan: Plan) -> dict[str, Any]:
    names = list(plan.names())
    modes = {mode: {"baseline": part.baseline, "title": mode} for mode, part in plan.modes.items()}
    places = {f"{name.mode}/{name.tier}/{name.tool}": n for n, name in enumerate(names, start=1)}
    return {
        "study": {"title": "A study", "question": "Which?"},
        "comparison": {"question": "Which of these?"},
        "modes": modes,
        "tiers": {name.tier: {"title": name.tier} for name in names},
        "order": {"seed": plan.seed, "positions": places, "of": len(names)},
        "requested": {"of": len(names), "sessions": [("a-study/a-comparison/rep-1", len(names))]},
        "shipped": "none.json",
    }
