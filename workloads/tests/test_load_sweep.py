"""Load sweeps: the ramp, rounds at the rates of the grid; the known capacity of a queue."""

import math
import random
import statistics
from types import SimpleNamespace

import pytest

from workloads.experiment.plan import Name
from workloads.record import slice as slice_module
from workloads.record.slice import CALIBRATION, PLAIN
from workloads.record.slice_rules import BURDENS, GENERATOR
from workloads.session import load_sweep as module
from workloads.session.load_sweep import GROWTH, drain, load_sweep
from workloads.tests.simulated import Queue, exponential, load
from workloads.tools.sweep import collect

ONE, OTHER = (Name(mode, "short", "sweep") for mode in ("one", "other"))
TOOL = {"id": "sweep", "connections": 1000, "objective_ms": 20, "arrivals": "poisson"}
TOOL |= {"lowest": 0.6, "highest": 1.1, "duration_s": 0.5, "warm_up_s": 0.1}


def session_of(seed=1, extra_rounds=0, rounds=2, **changes):
    """A session without any process; `stopped` are modes that it was told to stop."""
    slices = {"extra_rounds": extra_rounds, "rounds": rounds}
    spec = {"study": {"body_bytes": 42}, "tier": {"sleep_ms": 0}, "slices": slices}
    place = SimpleNamespace(alive={}, server_cpus=[0])
    session = SimpleNamespace(random=random.Random(seed), seed=f"{seed}/a", place=place, stopped=[])
    session.stop = session.stopped.append
    session.spec = lambda name: spec | {"tool": TOOL | changes}
    return session


@pytest.fixture
def sweep(make_slice, monkeypatch):
    """Sweeps servers of a capacity; `ends` changes loads of a (mode, kind, step) in their order.

    Returns the sweeps, and (mode, kind, step, tool) of every load in order.
    """
    monkeypatch.setattr(module, "drain", lambda session, mode: session.stopped.append(mode))
    monkeypatch.setattr(slice_module, "latencies_ms", lambda folder, load: load["latencies_ms"])

    def run(names=(ONE,), capacity=1000.0, ends=(), **changes):
        session, asked = session_of(**changes), []
        wanted = {key: list(values) for key, values in dict(ends).items()}

        def once(name, kind, step, done, spec):
            tool = spec["tool"]
            rate = tool["rate_per_s"]
            asked.append((name.mode, kind, step, tool))
            due = round(rate * tool["duration_s"])
            served = {"requests_offered": due, "responses_2xx": due, "offered_per_s": rate}
            served |= {"sustained": rate <= capacity, "served_per_s": min(rate, capacity)}
            left = wanted.get((name.mode, kind, step), [])
            end = dict(left.pop(0) if left else {})
            p99_ms = end.pop("p99_ms", 10 if rate <= capacity else 100)
            served |= {"generator_thread": 0.2, "latencies_ms": {"latency_p99_ms": p99_ms}}
            served |= {key: end.pop(key) for key in served.keys() & end.keys()}
            if not end.pop("gone", False):
                done.append(make_slice(step, kind, load=served, **end))

        return load_sweep(session, list(names), once), asked

    return run


def ramp_of(asked, mode=ONE.mode):
    return [
        tool["rate_per_s"] for name, kind, _, tool in asked if (name, kind) == (mode, CALIBRATION)
    ]


def steps_of(asked, mode=ONE.mode):
    return [step for name, kind, step, _ in asked if (name, kind) == (mode, PLAIN)]


def loads_at(found, step):
    return [each for each in found[ONE].slices if each.turn.round == step]


# ---- the ramp


def in_ramp(*ends):
    return {(ONE.mode, CALIBRATION, 1): ends}


@pytest.mark.parametrize(
    ("asked", "ends", "ramp", "estimate"),
    [
        # A second overload, by half of what the server did in the first.
        ({"capacity": 1000}, (), [250, 500, 1000, 2000, 1500], 1000),
        ({"capacity": 100}, (), [250, 150], 100),
        # One load was disturbed.
        ({}, [{"served_per_s": 70.0}], [250, 105, 210, 420, 840, 1680, 1500], 1000),
        # 40 connections and 20 ms are 2,000 a second at most; or the generator has no CPU left.
        ({"capacity": 10**9, "connections": 40}, (), [250, 500, 1000, 2000], 2000),
        ({"capacity": 10**9}, [{"generator_thread": 0.95}], [250], 250),
        # A server that breaks is loaded below it.
        ({}, [{"outcome": "server_died", "reason": "1"}], [250], 125),
        ({}, [{"gone": True}], [250], 125),
    ],
)
def test_rate_is_doubled_until_it_is_not_served(sweep, asked, ends, ramp, estimate):
    found, loads = sweep(**asked, ends=in_ramp(*ends), extra_rounds=8)
    assert (ramp_of(loads), found[ONE].calibrated_per_s) == (ramp, estimate)
    assert max(tool["rate_per_s"] for _, _, _, tool in loads) <= 50 * asked.get("connections", 999)
    assert steps_of(loads)


def test_next_ramp_begins_at_half_of_what_the_last_mode_did(sweep):
    found, asked = sweep(names=(ONE, OTHER), capacity=4000)
    first, second = sorted((ramp_of(asked, name.mode) for name in found), key=len, reverse=True)
    assert first == [250, 500, 1000, 2000, 4000, 8000, 6000]
    assert second == [2000, 4000, 8000, 6000]


def test_ramp_is_short_and_steady_and_never_in_the_slices(sweep):
    found, asked = sweep()
    for _, kind, _, tool in asked:
        found_here = (tool["arrivals"], tool["duration_s"], tool["warm_up_s"])
        assert (found_here == ("constant", 0.3, 0)) == (kind == CALIBRATION)
    assert {each.turn.kind for each in found[ONE].slices} == {PLAIN}


# ---- rounds

# 606 and 1,083 a second: the range of 1,000.
RANGE = range(68, 74)


def plain(changes):
    return {(ONE.mode, PLAIN, step): ends for step, ends in changes.items()}


def lost(times=1, fault="undisturbed", **more):
    return [{"faults": [fault], "p99_ms": 100} | more] * times


def test_rates_are_those_of_the_grid_in_a_range_of_the_estimate(sweep):
    found, asked = sweep()
    assert sorted(steps_of(asked)) == sorted([*RANGE, *RANGE])
    rates = {tool["rate_per_s"] for _, kind, _, tool in asked if kind == PLAIN}
    assert rates == {round(GROWTH**step, 2) for step in RANGE}
    assert all(600 < rate < 1100 for rate in rates)
    assert found[ONE].record() == {"calibrated_per_s": 1000, "objective_ms": 20}


def test_modes_take_turns_at_rates_in_an_order_that_is_drawn(sweep):
    _, asked = sweep(names=(ONE, OTHER), rounds=3)
    order = [mode for mode, kind, _, _ in asked if kind == PLAIN]
    turns = {tuple(order[at : at + 2]) for at in range(0, len(order), 2)}
    assert turns == {("one", "other"), ("other", "one")}
    rounds = [steps_of(asked)[at : at + len(RANGE)] for at in range(0, 3 * len(RANGE), len(RANGE))]
    assert all(sorted(each) == list(RANGE) for each in rounds)
    assert len(set(map(tuple, rounds))) == 3


def test_modes_meet_the_same_arrivals_and_others_in_every_round(sweep):
    found, asked = sweep(names=(ONE, OTHER))
    first = found[ONE].seed
    expected = sorted(first + step + 1000 * n for step in RANGE for n in (0, 1))
    for mode in ("one", "other"):
        tools = (tool for name, kind, _, tool in asked if (name, kind) == (mode, PLAIN))
        assert sorted(tool["seed"] for tool in tools) == expected
    assert sweep(seed=2)[0][ONE].seed != first == sweep()[0][ONE].seed


OF_ANOTHER_KIND = ["idle_connections", "not_completed"]


@pytest.mark.parametrize("fault", [min(BURDENS), GENERATOR, *OF_ANOTHER_KIND])
def test_load_that_meets_its_objective_counts_whatever_slowed_it(sweep, fault):
    found, _ = sweep(ends=plain({70: lost(fault=fault, p99_ms=15)}), extra_rounds=8)
    counted = [(each.kept, each.stands) for each in loads_at(found, 70)]
    if fault in OF_ANOTHER_KIND:
        assert counted == [(False, False), (True, False), (True, False)]
    else:
        assert counted == [(True, True), (True, False)]


@pytest.mark.parametrize("end", [{"p99_ms": None}, {"p99_ms": 15, "sustained": False}])
def test_load_that_was_lost_is_loaded_again_in_a_further_round(sweep, end):
    ends = {70: lost(**end), 71: lost(5)}
    _, asked = sweep(ends=plain(ends), extra_rounds=8)
    counts = {step: steps_of(asked).count(step) for step in RANGE}
    assert counts == dict.fromkeys(RANGE, 2) | {70: 3, 71: 4}
    assert steps_of(sweep(ends=plain(ends))[1]).count(70) == 2


def test_load_at_the_limit_of_the_generator_counts_only_if_the_objective_is_met(sweep):
    busy = {"generator_thread": 0.95}
    found, _ = sweep(ends=plain({70: [busy], 73: [busy]}))
    kept = {(each.turn.round, each.kept) for each in found[ONE].slices if each.faults}
    assert kept == {(70, True), (73, False)}


@pytest.mark.parametrize(("without_lag_ms", "lost"), [(15, True), (21, False), (None, False)])
def test_load_that_only_the_generators_own_lateness_spoils_is_loaded_again(
    sweep, monkeypatch, without_lag_ms, lost
):
    """Its p99 is above the objective of 20 ms from when requests were due."""
    monkeypatch.setattr(module, "p99_without_lag_ms", lambda folder, load: without_lag_ms)
    found, asked = sweep(ends=plain({70: [{"p99_ms": 100}]}), extra_rounds=8)
    first = loads_at(found, 70)[0]
    assert (first.faults, first.kept) == ([GENERATOR] if lost else [], not lost)
    assert steps_of(asked).count(70) == (3 if lost else 2)


@pytest.mark.parametrize(("cpu_s", "kept"), [(0.9, True), (0.8, False)])
def test_server_without_cpu_left_is_the_limit_however_late_its_load(sweep, cpu_s, kept):
    busy = {"metrics": {"server_cpu_s": cpu_s, "others_cpu_share": 0.1}}
    late = lost(fault=GENERATOR, sustained=False, **busy)
    found, _ = sweep(ends=plain({73: late}))
    assert loads_at(found, 73)[0].kept == kept


@pytest.mark.parametrize(
    ("ramp", "estimate"),
    [([{"served_per_s": 200.0}] * 2, 200), ([{}] * 3 + [{"served_per_s": 2000.0}], 2000)],
)
def test_range_goes_to_where_the_capacity_is(sweep, ramp, estimate):
    # The ramp misjudges 1,000 a second, which lies between 72 and 73.
    found, asked = sweep(ends=in_ramp(*ramp), extra_rounds=8)
    assert found[ONE].calibrated_per_s == estimate
    steps = steps_of(asked)
    assert [steps.count(step) for step in (72, 73)] == [2, 2]
    planned = [step for step in steps if 0.6 * estimate <= GROWTH**step <= 1.1 * estimate]
    assert steps[: len(set(planned))] == planned[: len(set(planned))]
    assert len(set(steps)) <= 24


def test_range_goes_down_where_the_lowest_rate_is_lost_in_both_rounds(sweep):
    _, asked = sweep(ends=plain({RANGE[0]: lost(4)}), extra_rounds=8)
    assert min(steps_of(asked)) == RANGE[0] - 3
    _, asked = sweep(ends=plain({RANGE[0]: lost(4, fault=GENERATOR)}), extra_rounds=8)
    assert min(steps_of(asked)) == RANGE[0]


def test_server_that_broke_is_not_loaded_at_that_rate_again(sweep):
    _, asked = sweep(ends=plain({71: [{"outcome": "server_died", "reason": "1"}]}), rounds=3)
    steps = steps_of(asked)
    assert max(steps[steps.index(71) + 1 :]) < 71


@pytest.mark.parametrize(("idle", "stopped"), [(True, []), (False, ["one"])])
def test_overloaded_server_that_stays_busy_is_stopped(monkeypatch, idle, stopped):
    session = session_of()
    used_s, asked = [5.0], []
    live = session.place.alive["one"] = SimpleNamespace(cpu_s=lambda: used_s[0], idle_cpu_share=0.0)
    monkeypatch.setattr(module, "becomes_idle", lambda *given: asked.append(given) or idle)
    drain(session, "one")
    ((clock_s, *others),) = asked
    assert others == [1, module.DRAIN_LIMIT_S]
    used_s[0] += 0.25
    assert clock_s() == 0.25
    # CPU time at rest is none of its load.
    live.idle_cpu_share = 1e9
    assert clock_s() == 0
    assert session.stopped == stopped


# ---- a server whose capacity is known

MU = 1000.0


@pytest.fixture
def sweep_queue(make_slice, monkeypatch):
    """Sweep a queue; its rows of slices.csv, and the estimate."""
    monkeypatch.setattr(module, "drain", lambda session, mode: None)

    def run(queue, seed=1, **changes):
        def once(name, kind, step, done, spec):
            done.append(each := make_slice(step, kind))
            load(queue, spec["tool"], each.folder)
            each.load |= collect(spec, each.folder, (0.0, 1.0))

        one = load_sweep(session_of(seed, extra_rounds=8, **changes), [ONE], once)[ONE]
        return one.calibrated_per_s, [each.row() for each in one.slices]

    return run


def test_capacity_of_one_worker_is_calibrated(sweep_queue):
    found = [sweep_queue(Queue(exponential(MU)), seed)[0] for seed in range(8)]
    assert statistics.mean(found) == pytest.approx(MU, rel=0.1)
    assert all(each == pytest.approx(MU, rel=0.25) for each in found)


def test_objective_is_met_up_to_where_theory_has_it(sweep_queue):
    # The p99 of latency in M/M/1 is ln(100) / (mu - rate).
    expected = MU - math.log(100) / 0.015
    _, rows = sweep_queue(Queue(exponential(MU)), objective_ms=15, duration_s=20)
    for row in rows:
        share = row["offered_per_s"] / expected
        met = row["sustained"] == "true" and row["latency_p99_ms"] <= 15
        if not 0.93 < share < 1.07:
            assert met == (share < 1), share
