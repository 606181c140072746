"""The order of loads: tier by tier, in rounds in which each mode is loaded once, in any order."""

import hashlib
import itertools
import logging
import math
import time
from datetime import UTC, datetime
from functools import partial
from typing import Any

from profiles.watch.noise import TIMES_PLANNED
from profiles.watch.terminal import show
from workloads.experiment.own import AGAIN, STARTS_AT_LEAST
from workloads.experiment.plan import Name
from workloads.machine.testbed import beyond_limits
from workloads.record.slice import PLAIN, Live, Slice, Turn, common_rounds, is_broken, is_uneven
from workloads.record.validity import rounds_wanted
from workloads.session.load_sweep import load_sweep
from workloads.session.loading import Loading
from workloads.session.overload import load_overload
from workloads.session.profiling import profile_all
from workloads.session.recorder import Recorder
from workloads.session.session import Session, is_judged
from workloads.session.until_decided import is_over, logs_of
from workloads.session.variants import (
    has_time_for_again,
    is_settled,
    logs_of_variants,
    start_takes_s,
)
from workloads.session.warm_all import warm_all
from workloads.tools import wrk2
from workloads.tools.tool import tool_of

logger = logging.getLogger("session")
SWEEP, OVERLOAD = "sweep", "overload"
# So many loads without a right answer are no accident of a start.
LOADS_WITHOUT_ANSWER = 3


def measure(session: Session, recorder: Recorder) -> None:
    """All cells of a session, tier by tier; each is recorded when its slices are there."""
    names = [*session.names, *recorder.baselines]
    modes = list(dict.fromkeys(name.mode for name in names))
    alone = [mode for mode in modes if session.plan.modes[mode].mode.get("alone")]
    together = [mode for mode in modes if mode not in alone]
    start_first(session, together)
    warm_all(session, [name for name in session.plan.names() if name.mode in together])
    for modes in (together, *([mode] for mode in alone)):
        profiled = load_all(session, recorder, [name for name in names if name.mode in modes])
        profile_all(session, profiled, partial(load_once, session))
        record(session, recorder, profiled, {})
        for mode in modes:
            session.stop(mode)


def start_first(session: Session, modes: list[str]) -> None:
    """Starts these modes.

    Variants come up one after the other, and a second process of the first one last, where there is
    time for it.
    """
    slices = [session.spec(name)["slices"] for name in session.names if name.mode in modes]
    until = next((each["until"] for each in slices if "until" in each), None)
    if until is None:
        session.start_all(modes)
        return
    variants = [mode for mode in modes if not mode.endswith(AGAIN)]
    begun_s = time.monotonic()
    session.start_all(variants, in_order=True)
    has_time = has_time_for_again(time.monotonic() - begun_s, until["budget_s"])
    if has_time or until.get("again"):
        session.start_all([mode for mode in modes if mode not in variants])


def load_all(session: Session, recorder: Recorder, names: list[Name]) -> dict[Name, list[Slice]]:
    """Loads some modes tier by tier, and records the cells of each; baselines of others first.

    Returns the slices of cells that get a profile, which are recorded when that is there.
    """
    profiled: dict[Name, list[Slice]] = {}
    for load in loads_in_order(session, names):
        side_by_side = [name for name in names if (name.tier, name.tool) == load]
        unable = {name: why_not(session, name) for name in side_by_side}
        found = load_plain(session, [name for name in side_by_side if not unable[name]])
        profiled |= {name: found[name] for name in found if gets_profile(session, recorder, name)}
        now = [name for name in side_by_side if name not in profiled]
        record(session, recorder, {name: found.get(name, []) for name in now}, unable)
    return profiled


def gets_profile(session: Session, recorder: Recorder, name: Name) -> bool:
    """Neither a cell by itself nor a baseline that is no cell of this run has one."""
    is_recorded = not is_judged(session) and name not in recorder.baselines
    return is_recorded and "profile" in session.spec(name)


def load_plain(session: Session, names: list[Name]) -> dict[Name, list[Slice]]:
    """The slices without a profiler of some modes at one tier."""
    if names and names[0].tool == SWEEP:
        sweeps = load_sweep(session, names, partial(load_once, session))
        session.sweeps |= {name: one.record() for name, one in sweeps.items()}
        return {name: one.slices for name, one in sweeps.items()}
    if names and names[0].tool == OVERLOAD:
        return load_overload(session, names, partial(load_once, session))
    return in_turns(session, names)


def record(
    session: Session,
    recorder: Recorder,
    found: dict[Name, list[Slice]],
    unable: dict[Name, str],
) -> None:
    for name in sorted(found, key=lambda name: name not in recorder.baselines):
        why = unable.get(name) or why_not(session, name)
        recorder.write(name, found[name], why or why_not_compared(session, name, found[name]))


def why_not(session: Session, name: Name) -> str:
    """Why a cell cannot be loaded; empty where it can."""
    if forbidden := beyond_limits(**needs_of(session.spec(name))):
        return f"beyond_limits: {forbidden}"
    return str(session.silent.get(name.mode, ""))


def why_not_compared(session: Session, name: Name, slices: list[Slice]) -> str:
    """Why a mode was not loaded though it could be; empty where it was."""
    if session.silent:
        return f"not_ready: not loaded, as {', '.join(session.silent)} did not start"
    is_missing = name.mode.endswith(AGAIN) and not slices
    return "not_ready: not loaded, as a start takes long for this budget" if is_missing else ""


def needs_of(spec: dict[str, Any]) -> dict[str, int]:
    """The needs of a load that limits may forbid, as beyond_limits() names them.

    Each user of JMeter, sysbench and our client of databases has a thread and a connection. Our
    generator takes more addresses where the ports of one are too few.
    """
    tool, mode, here = spec["tool"], spec["mode"], "generator" not in spec["testbed"]
    users = next((tool[key] for key in ("users", "clients", "workers") if key in tool), 0)
    idle = spec["tier"].get("idle_connections", 0)
    connections = tool.get("connections", users) + idle
    pool = mode.get("options", {}).get("threads", 0)
    in_server = connections if mode.get("kind") == "thread-each" else pool
    return {
        "connections": connections,
        "ports": idle + (users if here else 0),
        "threads": in_server + (users if here else 0),
    }


def loads_in_order(session: Session, names: list[Name]) -> list[tuple[str, str]]:
    """Tiers and tools in an order that the seed decides, behind the comparison's first.

    In every session that one meets fresh processes, where memory and threads count. What is shown
    once comes last, and before it what leaves a server with a backlog.
    """
    first = next(session.plan.names())

    def key(name: Name) -> tuple[bool, bool, bool, str]:
        slices, load = session.plan.load(name).slices, (name.tier, name.tool)
        digest = hashlib.sha256(f"{session.seed}/{load}".encode()).hexdigest()
        later = load != (first.tier, first.tool)
        return slices["once"], slices.get("last", False), later, digest

    ordered = sorted(names, key=key)
    return list(dict.fromkeys((name.tier, name.tool) for name in ordered))


def in_turns(session: Session, names: list[Name]) -> dict[Name, list[Slice]]:
    """The slices of some modes at one tier: rounds in which each is loaded once, in any order.

    Extra rounds are for latency alone. They come last: what slows the machine lasts for seconds,
    and a slice that is loaded again immediately is lost again. Where pairs still have too few
    rounds for a latency, they are loaded on, until this load has taken twice the time planned.
    """
    done: dict[Name, list[Slice]] = {name: [] for name in names}
    if not names:
        return done
    slices = session.spec(names[0])["slices"]
    if is_judged(session):
        load_until_decided(session, names, done)
        return done
    if "until" in slices:
        load_by_starts(session, names, done, slices["until"])
        return done
    rounds, most = slices["rounds"], slices["rounds"] + slices["extra_rounds"]
    begun_s = time.monotonic()
    for number in range(rounds):
        load_round(session, names, number + 1, done)
    ends_s = begun_s + TIMES_PLANNED * (time.monotonic() - begun_s)
    for number in range(rounds, most):
        load_round(session, behind(session, done, rounds), number + 1, done)
    load_on(session, done, most, rounds_wanted(rounds), ends_s)
    return done


def load_on(
    session: Session, done: dict[Name, list[Slice]], number: int, rounds: int, ends_s: float
) -> None:
    """Rounds after that number until no pair has fewer than `rounds`, or the time is over.

    A round that adds no slice ends them, too: no server comes up any more.
    """
    count = -1
    while time.monotonic() < ends_s and count != (count := sum(map(len, done.values()))):
        number += 1
        load_round(session, behind(session, done, rounds), number, done)


def load_until_decided(session: Session, names: list[Name], done: dict[Name, list[Slice]]) -> None:
    """Rounds of a cell by itself and its baseline until its rule ends them, or one is gone."""
    begun_s = time.monotonic()
    name = next((each for each in session.names if each in done), None)
    for number in itertools.count(1):
        if not all(map(can_be_loaded, done.values())):
            return
        load_round(session, names, number, done)
        # A mode that does not start leaves the other without a comparison.
        if name is None:
            return
        sides = done[name], done.get(session.plan.baseline(name), done[name])
        # Without its baseline, or as one, a cell has no ratio that more rounds make precise.
        logs = logs_of(*sides) if sides[0] is not sides[1] else {}
        if is_over(number, time.monotonic() - begun_s, logs, session.bands or {}):
            return


def load_by_starts(
    session: Session, names: list[Name], done: dict[Name, list[Slice]], until: dict[str, Any]
) -> None:
    """Rounds of all variants in one start after another, until the rule or the budget ends them.

    The first start is there and warm: its time counts from the session's begin. The last one that
    the budget has time for lasts until its end.
    """
    loaded = [n for n in names if n.mode in session.place.alive or not n.mode.endswith(AGAIN)]
    pairs = [
        name
        for name in names
        if session.plan.baseline(name) in {*names} - {name} and not name.mode.endswith(AGAIN)
    ]
    budget_s, number, begun_s = until["budget_s"], 0, 0.0
    for start in itertools.count(1):
        if start > 1:
            begun_s = lasted_s(session)
            start_again(session, loaded)
        ready_s = lasted_s(session) - begun_s
        ends_s = begun_s + start_takes_s(ready_s, budget_s)
        ends_s = ends_s if ends_s + ready_s < budget_s else budget_s
        before = number
        while able(session, done) and lasted_s(session) < budget_s:
            if number > before and lasted_s(session) >= ends_s:
                break
            number += 1
            load_round(session, loaded, number, done)
        logs = [logs_of_variants(done[name], done[session.plan.baseline(name)]) for name in pairs]
        show(f"{start} starts, {number} rounds, {lasted_s(session):.0f} s of {budget_s:.0f} s")
        over = lasted_s(session) >= budget_s or not pairs or not able(session, done)
        if over or (start >= STARTS_AT_LEAST and is_settled(logs, until)):
            return


def able(session: Session, done: dict[Name, list[Slice]]) -> bool:
    """Whether all can be loaded: without one that is gone or only fails nothing can be compared."""
    only_fail = (
        len(slices) >= LOADS_WITHOUT_ANSWER
        and not any(each.load["responses_2xx"] for each in slices)
        for slices in done.values()
    )
    is_complete = not session.silent and all(map(can_be_loaded, done.values()))
    return is_complete and not any(only_fail)


def lasted_s(session: Session) -> float:
    return (datetime.now(UTC) - session.started).total_seconds()


def start_again(session: Session, names: list[Name]) -> None:
    """New processes of all modes, in drawn order, and warm as those of the first start are."""
    modes = list(dict.fromkeys(name.mode for name in names))
    for mode in modes:
        session.stop(mode)
    session.start_all(modes, in_order=True)
    alive = [mode for mode in modes if mode in session.place.alive]
    warm_all(session, [name for mode in alive for name in session.names_of(mode)])


def behind(session: Session, done: dict[Name, list[Slice]], rounds: int) -> list[Name]:
    """The modes to load again, each with its baseline: a ratio is one of slices of a round.

    A pair is behind until it has so many rounds that count for latency, or it is clear that none
    ever will.
    """
    able = {name for name in done if is_mendable(session, name, done)}
    wanted: set[Name] = set()
    for name in able:
        pair = {name, session.plan.baseline(name)} & able
        sides = [done[each] for each in pair]
        if len(common_rounds(sides)) < rounds and not is_uneven(sides):
            wanted |= pair
    return [name for name in done if name in wanted]


def is_mendable(session: Session, name: Name, done: dict[Name, list[Slice]]) -> bool:
    """Whether a slice more may count for latency: not where a mode fails by design."""
    spec, slices = session.spec(name), done[name]
    fails = all(each.latencies_ms["latency_p50_ms"] == math.inf for each in slices)
    once = spec["slices"]["once"] or spec["mode"].get("alone")
    return bool(slices) and not fails and not once and not any(map(is_broken, slices))


def load_round(
    session: Session, names: list[Name], number: int, done: dict[Name, list[Slice]]
) -> None:
    for name in session.random.sample(names, len(names)):
        if can_be_loaded(done[name]):
            load_once(session, name, PLAIN, number, done[name])


def can_be_loaded(done: list[Slice]) -> bool:
    return not any(map(is_broken, done))


def alive(session: Session, name: Name) -> Live | None:
    """The mode's server, started again where it is gone; None if it stays so.

    Then it is warmed up for the load that comes next, not for all.
    """
    live = session.place.alive.get(name.mode)
    gone = not live or any(process.ended() for process in live.processes())
    if live and not gone and name in live.warm_for:
        return live
    if gone:
        session.stop(name.mode)
        if name.mode in session.silent:
            return None
        session.start_all([name.mode])
    warm_all(session, [name])
    return session.place.alive.get(name.mode)


def with_seed(session: Session, spec: dict[str, Any], round: int) -> dict[str, Any]:
    """With the generator's first random state: the same in all modes of a round."""
    tool = spec["tool"]
    if not wrk2.is_drawn(tool) or "seed" in tool:
        return spec
    place = f"{session.seed}/{spec['tier']['id']}/{round}"
    seed = int(hashlib.sha256(place.encode()).hexdigest()[:7], 16)
    return spec | {"tool": tool | {"seed": seed}}


def load_once(
    session: Session,
    name: Name,
    kind: str,
    round: int,
    done: list[Slice],
    spec: dict[str, Any] | None = None,
) -> None:
    """A slice; a server that is gone, hangs or still holds requests is stopped after it.

    `spec`: in place of the cell's own, for a step's rate.
    """
    live = alive(session, name)
    if live is None:
        return
    spec = with_seed(session, spec or session.spec(name), round)
    live.subject.prepare(spec)
    loading = Loading(tool_of(name.tool), spec, live, session.place, session.driver(name))
    session.place.wait_for_others(name.mode)
    each = loading.slice(Turn(len(done) + 1, round, kind))
    done.append(each)
    logger.info("%s round %d %s: %s %s", name, round, kind, each.outcome, each.faults)
    if is_broken(each):
        # The next load wants a new one.
        session.stop(name.mode)
