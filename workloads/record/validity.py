"""The rules a cell must pass before its numbers are pooled, all in this one place.

Earlier runs shaped them: analysis/PROTOCOL.md says what changed after which results. A check says
what it concerns. Where one of everything fails, the cell is shown and counted, with the values
below, and never averaged in. One of latency leaves throughput, CPU time and counts; where the cell
still gives a bound, `bounds` says which. No rule judges what a mode does: a server that refuses,
hangs or dies has an outcome and a share of failed requests, which are results.

Each check is a function of the record (the parts of cell.json measured so far) that returns None
where it does not apply. Which slices are excluded is decided before, in slice_rules.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from profiles.watch import noise
from workloads.experiment import waits

# The version of these rules and those of slice_rules.py; analysis/PROTOCOL.md lists its changes.
VERSION = 21
EVERYTHING, LATENCY, THROUGHPUT = "everything", "latency", "throughput"
# Share of the answers to a warm-up, where no more of the load's requests failed.
SHARE_2XX_AT_LEAST = 0.99
# Share of the requests that the rate and the length of an open loop offer.
SHARE_DUE_AT_LEAST = 0.99
# Poisson arrivals may be fewer by so many standard deviations, once in 30,000 cells.
POISSON_DEVIATIONS = 4
# The end of a closed loop cuts off up to one round of its users' requests: a fifth of five rounds.
# In fewer, there is nothing between start and end.
ROUNDS_AT_LEAST = 5
USERS_WAITING_AT_LEAST = 1 - 1 / ROUNDS_AT_LEAST
# Both ends of a sample are rounded to the ms; beyond that no user can wait twice at a time.
USERS_WAITING_AT_MOST = 1.05
# Fewer than 1 % of flat series with independent values are caught, however noisy; where half of a
# deviation stays for the next value, as in a queue, fewer than 2 % if they vary by 10 %, and 7 % if
# they vary by 30 %. A complete change within the first quarter is not significant yet. What shifts
# the mean by less than a tenth passes. Where all sessions drift alike that is bias, which no spread
# between them shows: the report prints how far levels drift from the first to the last round.
CHANGE_P_AT_MOST = 0.005
CHANGE_SHIFT_AT_LEAST = 0.1
# A drift recurs in each slice; random arrivals make one slice rise and another fall.
CHANGE_SAME_SIDE_AT_LEAST = 0.9
GENERATOR_CPU_AT_MOST = 0.9
BACKEND_CPU_AT_MOST = 0.9
# Share of the requests on kept-alive connections that may need a new one: Tomcat closes each
# after a hundred.
RECONNECTS_AT_MOST = 0.05
# Failures for want of what this side has too little of.
EXHAUSTED = ("descriptors_exhausted", "ports_exhausted")
# A server that accepts no more has all descriptors of its limit open.
DESCRIPTORS_BELOW = 0.99
# Failures after which the server may still have done the requested write.
PERHAPS_WRITTEN = ("timeout", "reset", "closed_early", "unanswered")
# Rounds that count for latency: the interval shows what three leave open. A share of the rounds
# would refuse a cell that has many and lost half. Before a run these tell what a machine loses.
KEPT_AT_LEAST = noise.ROUNDS_KEPT
# The steps of a sweep are no rounds: each is at a rate of its own.
STEPS_KEPT_AT_LEAST = 0.5
# A sweep judges these step by step, in slice_rules.py and load_sweep.py: at overload they may fail.
STEP_BY_STEP = ("requests_due", "generator_healthy", "backend_healthy")
# Backends that keep no data.
NO_DATABASES = {"remote"}
# JIT and GC threads come and go; a pool that is off by more is not the configured one.
JVM_THREADS_SLACK = 5

Record = dict[str, Any]
Check = dict[str, Any]


def verdict(record: Record) -> Record:
    """The `validity` part of cell.json."""
    # Without a request there is nothing more to say.
    rules = RULES if record["server"] else [sent]
    if "sweep" in record:
        rules = [rule for rule in rules if rule.__name__ not in STEP_BY_STEP]
    checks = [{"id": rule.__name__} | found for rule in rules if (found := rule(record))]
    failed = [check for check in checks if not check["passed"]]
    valid = all(check["concerns"] != EVERYTHING for check in failed)
    return {
        "version": VERSION,
        "valid": valid,
        # A generator at its limit makes latency longer, too.
        "latency_valid": not failed,
        "checks": checks,
        "bounds": bounds(record, {check["id"] for check in failed}) if valid else {},
    }


def bounds(record: Record, failed: set[str]) -> dict[str, str]:
    """The bounds that a valid cell gives in place of values that a limit or a drift spoils.

    A generator at its limit: the server can do at least as much. A backlog that grows, or a level
    that rises: a longer load would have found longer latencies.
    """
    found: dict[str, str] = {}
    closed = record["load"]["loop"] == "closed"
    if closed and "generator_healthy" in failed:
        found["throughput_per_s"] = "at_least"
    if not failed <= {"settled", "little"}:
        return found
    if "little" in failed and not closed:
        found["latency"] = "at_least"
    change = record["load"]["settling"].get("latency")
    if "settled" in failed and change and moved(change):
        # The mean lies below the level after the change, or above it.
        found["latency"] = "at_least" if change["shift"] < 0 else "at_most"
    return found


def check(rule: str, passed: bool, concerns: str = EVERYTHING, **values: Any) -> Check:
    return {"concerns": concerns, "rule": rule, "passed": passed, "values": values}


def sent(record: Record) -> Check:
    """Nothing is sent where the machine's limits forbid it, or no server comes up."""
    return check("the load was sent", bool(record["server"]), outcome=record["outcome"])


def idle_connections(record: Record) -> Check | None:
    """A tier is what it says where the server held its idle connections, if it lived."""
    held = record["configuration"]["tier"].get("idle_connections")
    if not held:
        return None
    counted = record["load"]["slices"]["counted"]
    passed = counted > 0 or record["outcome"] != "completed"
    rule = "the server kept the tier's idle connections open through a slice"
    return check(rule, passed, held=held, slices=counted)


def unthrottled(record: Record) -> Check | None:
    """A quota of CPU time: the slices in which it stopped us count for nothing."""
    throttled = (record["machine"] or {}).get("throttled")
    if not throttled:
        return None
    counted = record["load"]["slices"]["counted"]
    rule = "a quota of CPU time (cpu.max, cpu.cfs_quota_us) left at least one slice alone"
    return check(rule, counted > 0, throttled=throttled, slices=counted)


def data_on_disk(record: Record) -> Check | None:
    configuration, limits = record["configuration"], record["provenance"].get("limits", {})
    parts = [configuration.get("engine"), configuration.get("backend")]
    ids = {part["id"] for part in (*filter(None, parts), *(parts[1] or {}).get("others", []))}
    # Older records do not say it.
    kind = limits.get("data_file_system")
    if not ids - NO_DATABASES or kind is None:
        return None
    rule = (
        "what a database writes is brought to a disk: in memory a commit costs nothing "
        "(set TMPDIR to a folder on a disk)"
    )
    return check(rule, not limits["data_in_memory"], data=kind)


def listen_queue(record: Record) -> Check | None:
    """Where the kernel cut a mode's accept queue shorter, and connections found it full."""
    limits, server = record["provenance"].get("limits", {}), record["server"]
    wanted = record["configuration"]["mode"].get("options", {}).get("backlog")
    most = int(limits.get("somaxconn") or 0)
    if not wanted or not most or wanted <= most:
        return None
    lost = server["listen_overflows"]
    rule = f"no connection met an accept queue that net.core.somaxconn cut from {wanted} to {most}"
    return check(rule, not lost, overflows=lost)


def accounting(record: Record) -> Check | None:
    load = record["load"]
    offered, recorded = load["requests_offered"], load["requests_recorded"]
    if offered is None:
        return None
    rule = "every request that was due is recorded, as an answer or as an error"
    passed = offered == recorded
    return check(rule, passed, offered=offered, recorded=recorded)


def little(record: Record) -> Check | None:
    """Little's law: throughput x latency is how many requests were in flight on average."""
    in_flight = record["load"]["in_flight_mean"]
    if in_flight is None:
        return None
    if record["load"]["loop"] == "open":
        connections = record["configuration"]["tool"]["connections"]
        rule = "X·R is at most the connections: beyond, requests wait where no server sees them"
        passed = in_flight <= connections
        return check(rule, passed, LATENCY, in_flight=in_flight, connections=connections)
    return little_closed(record, in_flight)


def little_closed(record: Record, in_flight: float) -> Check | None:
    """The users who are missing were held up by the generator, or still waited at the end."""
    if rounds(record) < ROUNDS_AT_LEAST:
        return None
    load = record["load"]
    # In a few rounds the last users come when the first are about to go.
    users = load.get("users_alive") or load["concurrency_offered"]
    thinking = load["answers_per_s"] * record["configuration"]["tool"].get("think_ms", 0) / 1000
    share = (in_flight + thinking) / users
    rule = (
        f"X·R, with those who think, is {USERS_WAITING_AT_LEAST:.0%} to "
        f"{USERS_WAITING_AT_MOST:.0%} of the users there: latency is not that of survivors alone"
    )
    passed = USERS_WAITING_AT_LEAST <= share <= USERS_WAITING_AT_MOST
    values = {"in_flight": in_flight, "thinking": thinking, "users": users}
    values["users_offered"] = load["concurrency_offered"]
    return check(rule, passed, LATENCY, **values)


def rounds(record: Record) -> float:
    """How many requests a user of a closed loop sends, at the most."""
    tool, sleep_ms = record["configuration"]["tool"], record["configuration"]["tier"]["sleep_ms"]
    if "duration_s" not in tool:
        return float(tool.get("loops", 1))
    return (
        (tool.get("warm_up_s", 0) + tool["duration_s"]) * 1000 / sleep_ms if sleep_ms else math.inf
    )


def settled(record: Record) -> Check | None:
    """Loads that go on: a burst, or a few rounds of a closed loop, never settle and need not."""
    load, tool = record["load"], record["configuration"]["tool"]
    if load["loop"] == "open":
        goes_on = not tool.get("at_once")
    else:
        goes_on = tool.get("ramp_up_s", 0) > 0 or rounds(record) >= ROUNDS_AT_LEAST
    changes = {name: found for name, found in load.get("settling", {}).items() if found}
    if not goes_on or not changes:
        return None
    rule = (
        f"neither latency nor throughput changes its level within the load (Pettitt's test, "
        f"p at most {CHANGE_P_AT_MOST}) so that its mean shifts by {CHANGE_SHIFT_AT_LEAST:.0%}, "
        f"to the same side in {CHANGE_SAME_SIDE_AT_LEAST:.0%} of the slices"
    )
    return check(rule, not any(map(moved, changes.values())), LATENCY, **changes)


def moved(change: dict[str, float]) -> bool:
    """Older records do not say how many slices agree."""
    significant = change["p_value"] <= CHANGE_P_AT_MOST
    agreed = change.get("same_side", 1.0) >= CHANGE_SAME_SIDE_AT_LEAST
    return significant and agreed and abs(change["shift"]) >= CHANGE_SHIFT_AT_LEAST


def body_bytes(record: Record) -> Check | None:
    load = record["load"]
    right, answered = load["bodies_right"], load["responses_2xx"]
    if right is None:
        return None
    expected = record["configuration"]["study"]["body_bytes"]
    rule = f"every 2xx answer has a body of {expected} bytes, as in every other mode"
    return check(rule, right == answered, right=right, answered=answered)


def same_answer(record: Record) -> Check | None:
    """A user-supplied server answers as before: only its author knows whether it may not."""
    mode, answers = record["configuration"]["mode"], record["answers"]
    if "command" not in mode or mode.get("answers_vary"):
        return None
    if not answers["before"] or not answers["after"]:
        return None
    rule = "verify_path is answered after the load as before, unless answers_vary is true"
    return check(rule, answers["before"] == answers["after"])


def kept(record: Record) -> Check | None:
    """Requests on kept-alive connections find one open, unless the request before failed on it."""
    again, requests = record["load"].get("reconnects"), record["load"]["requests_recorded"]
    if again is None or not requests:
        return None
    share = again / requests
    rule = (
        f"the load keeps its connections: at most {RECONNECTS_AT_MOST:.0%} of the requests needed "
        "a new one, but for those after a failure"
    )
    passed = share <= RECONNECTS_AT_MOST
    return check(rule, passed, reconnects=again, requests=requests, share=share)


def generator_limits(record: Record) -> Check:
    """Where the generator itself cannot open a connection, that is no fault of the server."""
    errors = record["load"]["errors"]
    found = {kind: errors[kind] for kind in EXHAUSTED if errors.get(kind)}
    rule = "the generator had a descriptor and a port for every request"
    return check(rule, not found, **found)


def descriptors(record: Record) -> Check | None:
    """A server at its own limit of descriptors shows that limit, and not its concurrency model."""
    share = record["server"].get("peak_descriptors_share")
    if share is None:
        return None
    rule = "no process of the server had all descriptors open that its own limit allows (ulimit -n)"
    opened = record["server"]["peak_descriptors"]
    return check(rule, share < DESCRIPTORS_BELOW, share=share, open=opened)


def writes_kept(record: Record) -> Check | None:
    """Nothing that was answered 2xx is missing, and nothing was written twice."""
    answers, load = record["answers"], record["load"]
    if answers["rows_before"] is None or answers["rows_after"] is None:
        return None
    grown = answers["rows_after"] - answers["rows_before"]
    perhaps = sum(load["errors"].get(kind, 0) for kind in PERHAPS_WRITTEN)
    perhaps += load["in_flight_at_end"] + load.get("failures_in_warm_up", 0)
    # The generator's own warm-ups write too.
    warm_up = load.get("answers_in_warm_up", 0)
    least = load["responses_2xx"]
    # Where the load's requests failed, those of its warm-up may have, too.
    if least >= SHARE_2XX_AT_LEAST * load["requests_recorded"]:
        least += math.floor(SHARE_2XX_AT_LEAST * warm_up)
    most = load["responses_2xx"] + warm_up + perhaps
    rule = "every 2xx answer, and no other request but for those cut off, has left one row"
    values = {"rows": grown, "responses_2xx": load["responses_2xx"], "warm_up": warm_up}
    return check(rule, least <= grown <= most, **values, perhaps=perhaps)


def slices_pooled(record: Record) -> int:
    """How many slices the load is the sum of."""
    slices = record["load"]["slices"]
    return int(slices["counted"] or slices["plain"])


def never_too_fast(record: Record) -> Check | None:
    least_ms = waits.least_ms(record["configuration"]["tier"])
    fastest_ms = record["load"]["latency_min_ms"]
    if not least_ms or fastest_ms is None:
        return None
    # JMeter's clock has a resolution of 1 ms, and both its ends are rounded down.
    rule = f"no answer comes before its {least_ms} ms of waiting are over (resolution 1 ms)"
    passed = fastest_ms >= least_ms - 1
    return check(rule, passed, fastest_ms=fastest_ms)


def observed(record: Record) -> Check | None:
    """Threads are counted, not properties read: started (by the JVM), alive and named (kernel)."""
    limits, server = record["configuration"]["mode"].get("observed"), record["server"]
    load = record["load"]
    errors = load["errors"].items()
    answered = load["responses_2xx"] + sum(n for kind, n in errors if kind.startswith("http_"))
    # A user-supplied server may leave open what must be observed, and one that is gone counts no
    # threads.
    if limits is None or not answered or not load["slices"]["counted"]:
        return None
    added = server["peak_threads"] - server["idle_threads"]
    started = server["threads_started"]
    per_request = None if started is None else started / min(answered, connections_kept(record))
    peak_least = limits.get("peak_at_least", -math.inf)
    if in_flight_at_least(record) < peak_least:
        peak_least = -math.inf
    cpus = len(record["provenance"]["server_cpus"])
    peak_most = limits.get("peak_at_most", limits.get("peak_at_most_per_cpu", math.inf) * cpus)
    least = limits.get("started_per_request_at_least", 0.0)
    most = limits.get("started_per_request_at_most", math.inf)
    unknown = per_request is None and (least > 0 or most < math.inf)
    # A pool of ours starts with all its threads, or those that it keeps.
    mode = record["configuration"]["mode"]
    carriers, kind = server.get("carriers"), mode.get("kind")
    options = mode.get("options", {}) if kind == "pool" else {}
    pool = int(options.get("core-threads", options.get("threads", 0)))
    passed = (
        peak_least - JVM_THREADS_SLACK <= added <= peak_most + JVM_THREADS_SLACK
        and not unknown
        and least <= (per_request or 0.0) <= most
        and server["peak_threads"] >= pool
        and (carriers is None or not kind or (carriers > 0) == (kind == "virtual"))
    )
    allowed = ", ".join(f"{name} {limit}" for name, limit in limits.items())
    rule = (
        f"threads: {allowed} (at the peak: {JVM_THREADS_SLACK} more or fewer for the JVM's own; "
        "at least: where the load offers as many concurrent requests)"
    )
    values = {"added_at_the_peak": added, "started_per_request": per_request}
    if pool:
        values["peak"] = server["peak_threads"]
        rule += f"; all {pool} of the pool, which are there from the start"
    if carriers is not None:
        values["carriers"] = carriers
        rule += "; carriers of virtual threads where the mode is of that kind, and only there"
    if unknown:
        rule += "; those started cannot be counted: no JVM of the server publishes its counters"
    return check(rule, passed, **values)


def settings(record: Record) -> Check | None:
    """A database reports the settings of its mode."""
    if not record["configuration"].get("engine"):
        return None
    options = record["configuration"]["mode"].get("options", {})
    wanted = {name: str(value).lower() for name, value in options.items()}
    found = {name: str(record["server"]["settings"].get(name)).lower() for name in wanted}
    rule = "the database reports the settings of its mode back"
    return check(rule, wanted == found, wanted=wanted, found=found)


def connections_kept(record: Record) -> float:
    """How many are to be served where a connection, with its thread, outlives a request."""
    tool = record["configuration"]["tool"]
    if not tool.get("keep_alive"):
        return math.inf
    opened = record["load"].get("connections_opened")
    return float(opened or connections_of(tool) * slices_pooled(record))


def connections_of(tool: Record) -> int:
    """How many connections a load with a user or a request on each has."""
    users: int = tool.get("users", 0)
    connections: int = tool.get("connections", users)
    return connections


def in_flight_at_least(record: Record) -> float:
    """Requests that are in flight together whatever the server does, as the load was planned."""
    load, tier = record["load"], record["configuration"]["tier"]
    if load["loop"] == "open":
        # A sweep goes at least to its mode's capacity.
        rate = record["sweep"]["calibrated_per_s"] if "sweep" in record else load["offered_per_s"]
        return float(rate * tier["sleep_ms"] / 1000)
    return float(load["concurrency_offered"])


def generator_healthy(record: Record) -> Check | None:
    """A JVM with its pool of connections is not a generator only: what it costs is measured."""
    if record["configuration"]["tool"].get("id") == "database-client":
        return None
    load = record["load"]
    cpu_share, reason = load["generator"]["cpu_share"], load["limited_by_generator"]
    passed = cpu_share <= GENERATOR_CPU_AT_MOST
    rule = f"the generator used at most {GENERATOR_CPU_AT_MOST:.0%} of its CPUs in most slices"
    values = {"cpu_share": cpu_share, "limited_by": reason}
    if load["loop"] == "open":
        # A late one is judged slice by slice.
        return check(rule, passed, LATENCY, **values)
    return check(rule, passed and not reason, THROUGHPUT, **values)


def requests_due(record: Record) -> Check | None:
    """An open loop whose generator says how many requests came due; at random some are missing."""
    load, tool = record["load"], record["configuration"]["tool"]
    # Arrivals of an overload are random, and its rate changes.
    if load["loop"] != "open" or load["requests_offered"] is None or "overload" in record:
        return None
    due = slices_pooled(record) * math.floor(tool["rate_per_s"] * tool["duration_s"])
    # None, where a record's slices are shorter than the time between two requests.
    share = float(load["requests_offered"] / due if due else 1)
    least = SHARE_DUE_AT_LEAST
    if due and tool.get("arrivals") == "poisson":
        least -= POISSON_DEVIATIONS / math.sqrt(due)
    rule = f"at least {least:.0%} of the configured requests came due"
    return check(rule, share >= least, due_share=share)


def backend_healthy(record: Record) -> Check | None:
    """A database is part of what is measured, and may be the limit; a stand-in may not."""
    remote = remote_of(record["backend"])
    if not remote:
        return None
    settings = remote_of(record["configuration"]["backend"])
    shared = settings["cpus"] == "generator"
    generator_share = record["load"]["generator"]["cpu_share"] if shared else 0.0
    rule = (
        f"the remote, with the generator where they share CPUs, used at most "
        f"{BACKEND_CPU_AT_MOST:.0%} of them"
    )
    passed = remote["cpu_share"] + generator_share <= BACKEND_CPU_AT_MOST
    shares = {"cpu_share": remote["cpu_share"], "generator_cpu_share": generator_share}
    return check(rule, passed, **shares)


def remote_of(backend: dict[str, Any] | None) -> dict[str, Any]:
    """The remote's part of a record; empty where the server depends on none."""
    parts = [backend, *backend.get("others", [])] if backend else []
    return next((part for part in parts if part["id"] == "remote"), {})


def rounds_kept(record: Record) -> Check:
    """The compiler and the other servers idle, the machine undisturbed, the generator not busy.

    Rounds in which both sides of a pair count are the analysis' own.
    """
    slices, planned = record["load"]["slices"], record["configuration"]["slices"]["rounds"]
    why = "count for latency: completed, undisturbed, with CPU time left to the generator"
    if "sweep" in record:
        share = slices["kept"] / slices["plain"] if slices["plain"] else 0.0
        rule = f"at least {STEPS_KEPT_AT_LEAST:.0%} of the sweep's steps {why}"
        return check(rule, share >= STEPS_KEPT_AT_LEAST, LATENCY, **slices)
    least = rounds_wanted(planned)
    rule = f"at least {least} rounds {why}"
    return check(rule, slices["kept"] >= least, LATENCY, **slices)


def rounds_wanted(planned: int) -> int:
    """How many rounds a latency needs where so many are planned."""
    return min(planned, KEPT_AT_LEAST)


RULES: list[Callable[[Record], Check | None]] = [
    sent,
    idle_connections,
    unthrottled,
    data_on_disk,
    listen_queue,
    accounting,
    little,
    settled,
    body_bytes,
    same_answer,
    kept,
    writes_kept,
    never_too_fast,
    observed,
    settings,
    requests_due,
    generator_healthy,
    generator_limits,
    descriptors,
    backend_healthy,
    rounds_kept,
]
