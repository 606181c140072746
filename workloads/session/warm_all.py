"""The warm-up of all servers of a session: on all CPUs, before the first slice of any."""

import contextlib
import math
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from typing import Any

from profiles.watch.telemetry import compiler_threads
from workloads.experiment.plan import Name
from workloads.machine.testbed import confine_threads
from workloads.record import cell_folder
from workloads.record.slice import WARM_UP, Live, Turn
from workloads.record.slice_rules import COMPILER_SHARE_AT_MOST
from workloads.session.loading import Loading
from workloads.session.place import IDLE_COST_AT_MOST, Meter, Place
from workloads.session.session import Session, is_judged
from workloads.session.warm_up import (
    ask_as_between_slices,
    compiler_s,
    loads_of,
    until_idle,
    warm_up,
    way_of,
)
from workloads.tools.driver import Driver
from workloads.tools.tool import Driven, tool_of

# How long a tool warms a server up over one path, at the most, and how long itself: cold JMeter
# took 0.9 of a CPU for loads that later cost it 0.1.
TOOL_WARM_UP_LIMIT_S, DRIVER_WARM_UP_LIMIT_S = 10.0, 20.0
# And then by loads as they are measured: with all users, JMeter and the server run code that fewer
# have not shown. A generator that loads all modes is warm then; a cell by itself has too few rounds
# to lose one, so each of its servers is warmed up like that.
OWN_LOADS_LIMIT_S = 10.0
# Slices of a database, which has no compiler.
WARM_UP_SLICES = 2
# How long the machine is left alone with the idle servers before the first slice: three times as
# long as Helidon's client waits before it looks at its connections again.
REST_S = 0.32


def warm_all(session: Session, names: list[Name]) -> None:
    """Warms servers up for these loads on all CPUs, and then confines them to the server's."""
    place = session.place
    own = {mode: [name for name in names if name.mode == mode] for mode in place.alive}
    lives = {mode: live for mode, live in place.alive.items() if own[mode]}

    def warm(live: Live) -> None:
        specs = [session.spec(name) for name in own[live.mode]]
        if plans := loads_of(specs):
            done = warm_up(live.subject, plans, specs[0]["study"], place.all_cpus, live.folder)
            live.warm_up = asdict(done)

    # A few at a time by the project's generator, then one by one by the tools that load them:
    # with many together none has its compiler idle before all have. Variants of a user's service
    # all at once: their time is that of a start, and each has as much of it.
    at_once = len(place.all_cpus) + 1
    if any("until" in session.spec(name)["slices"] for name in names):
        at_once = max(at_once, len(lives))
    spread_compilers(lives, place.all_cpus)
    with ThreadPoolExecutor(at_once) as pool:
        list(pool.map(warm, lives.values()))
    for mode, live in lives.items():
        warm_by_tools(session, live, own[mode])
        live.warm_for |= {*own[mode]}
        # The counts that its last load left are stale.
        live.left = {}
    for live in lives.values():
        live.subject.process.confine(place.server_cpus)
    spread_compilers(lives, place.server_cpus)
    rest(place, lives)


def spread_compilers(lives: dict[str, Live], cpus: list[int]) -> None:
    """From now on the compilers of all JVMs run on these CPUs.

    A user-supplied server counts its CPUs at its start, and so has the server's from then on.
    """
    for live in lives.values():
        # A container that was given its CPUs may refuse others: it keeps its own.
        with contextlib.suppress(PermissionError):
            confine_threads(partial(compilers_of, live), cpus)


def compilers_of(live: Live) -> set[int]:
    return {int(each.parent.name) for each in compiler_threads(live.subject.process.pid)}


def rest(place: Place, lives: dict[str, Live]) -> None:
    """Leaves the machine alone, and takes the idle cost of servers without their compilers."""
    compilers = {mode: compiler_threads(live.subject.process.pid) for mode, live in lives.items()}
    compiled_s = {mode: compiler_s(threads) for mode, threads in compilers.items()}
    meter = Meter(lives)
    time.sleep(REST_S)
    spent = meter.spent()
    for mode, live in lives.items():
        own_s = spent.all_s[mode] - (compiler_s(compilers[mode]) - compiled_s[mode])
        live.idle_cpu_share = min(max(0.0, own_s / spent.lasted_s), IDLE_COST_AT_MOST)
    place.load_ended()


def warm_by_tools(session: Session, live: Live, names: list[Name]) -> None:
    """Loads that are not counted: what a tool requests in its own way is compiled, in both JVMs.

    A database has its pages, plans and caches of threads afterwards.
    """
    ways = {
        (name.tool, way_of(session.spec(name)["warm_up"])): name
        for name in names
        if is_judged(session) or not session.spec(name)["slices"]["once"]
    }
    for name in ways.values():
        if isinstance(tool_of(name.tool), Driven):
            warm_by_driver(session, live, name)
        elif (spec := session.spec(name))["engine"]:
            live.subject.prepare(spec)
            loading = Loading(tool_of(name.tool), spec, live, session.place, None)
            for number in range(WARM_UP_SLICES):
                loading.slice(Turn(number, 0, WARM_UP))


def warm_by_driver(session: Session, live: Live, name: Name) -> None:
    """Loads until the compilers of server and generator, which has all CPUs meanwhile, are idle."""
    tool, spec = tool_of(name.tool), session.spec(name)
    assert isinstance(tool, Driven)

    def driver() -> Driver:
        """One that did not end a load is started again for the next."""
        found = session.driver(name)
        assert found
        return found

    compilers = compiler_threads(live.subject.process.pid)
    if driver().warmed_up_s < DRIVER_WARM_UP_LIMIT_S:
        compilers += compiler_threads(driver().process.pid)
    limit_s = min((spec["warm_up"] or {}).get("limit_s", math.inf), TOOL_WARM_UP_LIMIT_S)

    def load(spec: dict[str, Any]) -> None:
        folder = cell_folder.fresh(live.folder / "tool-warm-up")
        fields = tool.fields(spec, live.subject, folder)
        driver().load(fields, folder, spec["testbed"]["load_limit_s"], watch=lambda pid: None)
        ask_as_between_slices(live.subject, spec["study"])

    begun_s = time.monotonic()
    session.place.generator.confine(driver().process, session.place.all_cpus)
    until_idle(compilers, COMPILER_SHARE_AT_MOST, limit_s, lambda: load(tool.short(spec)))
    if is_judged(session) or not (tool.A_DRIVER_FOR_EACH_MODE or driver().is_warm):
        own_limit_s = min(limit_s, OWN_LOADS_LIMIT_S)
        until_idle(compilers, COMPILER_SHARE_AT_MOST, own_limit_s, lambda: load(spec))
        driver().is_warm = True
    session.place.generator.confine(driver().process, session.place.generator_cpus)
    driver().warmed_up_s += time.monotonic() - begun_s
