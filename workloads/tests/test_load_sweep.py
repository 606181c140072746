"""Load sweeps: calibration, steps, ends; and the known capacity of a queue, found again."""

import math
import random
import statistics
from dataclasses import replace
from types import SimpleNamespace

import pytest

from workloads.experiment.plan import Name
from workloads.record import slice as slice_module
from workloads.record.latencies import latencies_ms
from workloads.record.pooling import counts_of
from workloads.record.slice import CALIBRATION, PLAIN
from workloads.record.slice_rules import BURDENS, GENERATOR
from workloads.session import load_sweep as module
from workloads.session.load_sweep import (
    HIGHEST,
    LIMIT,
    NOT_SUSTAINED,
    STEPS_BEYOND,
    ModeSweep,
    drain,
    load_sweep,
    planned_shares,
)
from workloads.tests.simulated import Queue, exponential, load
from workloads.tools.sweep import collect

ONE, OTHER = (Name(mode, "short", "sweep") for mode in ("one", "other"))
TOOL = {
    "id": "sweep",
    "connections": 1000,
    "objective_ms": 20,
    "arrivals": "poisson",
    "steps": 8,
    "lowest": 0.05,
    "highest": 1.2,
    "duration_s": 0.5,
    "warm_up_s": 0.1,
}


def spec_with(extra_rounds=0, **changes):
    slices, study = {"extra_rounds": extra_rounds}, {"body_bytes": 42}
    return {"study": study, "tier": {"sleep_ms": 0}, "tool": TOOL | changes, "slices": slices}


def session_of(seed=1, **changes):
    """A session without any process; `stopped` are modes that it was told to stop."""
    place = SimpleNamespace(alive={}, server_cpus=[0])
    session = SimpleNamespace(random=random.Random(seed), seed=f"{seed}/a", place=place, sweeps={})
    session.stopped = []
    session.stop = session.stopped.append
    session.spec = lambda name: spec_with(**changes)
    return session


def swept(session, names, load):
    """The slices of some modes; session.sweeps then has their records."""
    found = load_sweep(session, names, load)
    session.sweeps = {name: one.record() for name, one in found.items()}
    return {name: one.slices for name, one in found.items()}


@pytest.fixture
def sweep(make_slice, monkeypatch):
    """Climbs with servers of a capacity; `ends` changes single steps of a mode.

    Returns the session, its slices, and (mode, kind, step, tool) of every load in order.
    """
    monkeypatch.setattr(module, "drain", lambda session, mode: session.stopped.append(mode))
    monkeypatch.setattr(slice_module, "latencies_ms", lambda folder, load: load["latencies_ms"])

    def run(names=(ONE,), capacity=1000.0, ends=(), **changes):
        session, asked, wanted = session_of(**changes), [], dict(ends)

        def once(name, kind, step, done, spec):
            tool = spec["tool"]
            rate = tool["rate_per_s"]
            asked.append((name.mode, kind, step, tool))
            due = round(rate * tool["duration_s"])
            served = {"requests_offered": due, "responses_2xx": due, "offered_per_s": rate}
            served |= {"sustained": rate <= capacity, "served_per_s": min(rate, capacity)}
            end = dict(wanted.get((name.mode, kind, step), {}))
            if end.pop("once", False):
                del wanted[name.mode, kind, step]
            served |= {"generator_thread": end.pop("generator_thread", 0.2)}
            p99_ms = end.pop("p99_ms", 10 if rate <= capacity else 100)
            served |= {"latencies_ms": {"latency_p99_ms": p99_ms}}
            for key in ("sustained", "served_per_s"):
                served[key] = end.pop(key, served[key])
            if end.pop("gone", False):
                return
            done.append(make_slice(step, kind, load=served, **end))

        return session, swept(session, list(names), once), asked

    return run


def steps_of(slices):
    return [each.turn.round for each in slices]


# ---- the planned steps


def test_steps_are_geometric_below_and_even_above_the_knee():
    shares = planned_shares(TOOL)
    assert shares[:8] == pytest.approx([0.05, 0.173, 0.6, 0.72, 0.84, 0.96, 1.08, 1.2], abs=1e-3)
    assert shares[8:] == pytest.approx([1.2 * 1.2**step for step in range(1, STEPS_BEYOND + 1)])
    assert planned_shares(TOOL | {"steps": 4})[:4] == pytest.approx([0.6, 0.8, 1, 1.2])
    for steps in range(5, 20):
        shares = planned_shares(TOOL | {"steps": steps})
        assert len(shares) == steps + STEPS_BEYOND
        assert shares == sorted(shares)
        assert (shares[0], shares[steps - 1]) == pytest.approx((0.05, 1.2))


def test_rates_are_shares_of_what_was_calibrated():
    rates = ModeSweep(spec_with(), 1, 1000.0).rates_per_s()
    assert (rates[0], rates[7]) == (50, 1200)


# ---- calibration


def ramp_of(asked):
    return [tool["rate_per_s"] for _, kind, _, tool in asked if kind == CALIBRATION]


@pytest.mark.parametrize(
    ("capacity", "ramp"),
    [(1000, [250, 500, 1000, 2000]), (1900, [250, 500, 1000, 2000, 4000]), (30, [250])],
)
def test_rate_is_doubled_until_it_is_not_served(sweep, capacity, ramp):
    session, _, asked = sweep(capacity=capacity)
    # And once more, for once may be chance.
    assert ramp_of(asked) == [*ramp, ramp[-1]]
    # 2,000/s was served to 95 %.
    expected = 2000 if capacity == 1900 else capacity
    assert session.sweeps[ONE]["calibrated_per_s"] == expected


def test_ramp_is_short_steady_and_never_in_the_slices(sweep):
    _, found, asked = sweep()
    for _, kind, _, tool in asked:
        found_here = (tool["arrivals"], tool["duration_s"], tool["warm_up_s"])
        is_ramp = kind == CALIBRATION
        assert found_here == (("constant", 0.3, 0) if is_ramp else ("poisson", 0.5, 0.1))
    assert {each.turn.kind for each in found[ONE]} == {PLAIN}


def test_ramp_ends_where_the_connections_do(sweep):
    # 40 connections and 20 ms are 2,000 a second at most.
    session, found, asked = sweep(capacity=10**9, connections=40)
    assert ramp_of(asked) == [250, 500, 1000, 2000]
    assert session.sweeps[ONE]["calibrated_per_s"] == 2000
    assert session.sweeps[ONE]["ended"] == LIMIT
    assert max(each.load["offered_per_s"] for each in found[ONE]) <= 2000


def test_server_that_dies_in_the_ramp_is_loaded_below_it(sweep):
    died = {"outcome": "server_died", "reason": "exit status 1"}
    session, found, _ = sweep(capacity=10, ends=[((ONE.mode, CALIBRATION, 1), died)])
    assert session.sweeps[ONE]["calibrated_per_s"] == 125
    assert found[ONE]


def test_generator_at_its_limit_ends_the_ramp(sweep):
    limit = {"generator_thread": 0.95}
    session, _, asked = sweep(capacity=10**9, ends=[((ONE.mode, CALIBRATION, 1), limit)])
    assert ramp_of(asked) == [250, 250]
    assert session.sweeps[ONE]["calibrated_per_s"] == 250


def test_disturbance_of_one_load_does_not_end_the_ramp(sweep):
    slow = {"served_per_s": 70.0, "once": True}
    session, _, asked = sweep(ends=[((ONE.mode, CALIBRATION, 1), slow)])
    assert ramp_of(asked) == [250, 250, 500, 1000, 2000, 2000]
    assert session.sweeps[ONE]["calibrated_per_s"] == 1000


# ---- how it ends


def test_modes_are_loaded_in_turns_in_an_order_that_is_drawn_again(sweep):
    _, found, asked = sweep(names=(ONE, OTHER))
    plain = [(step, mode) for mode, kind, step, _ in asked if kind == PLAIN]
    assert [step for step, _ in plain] == sorted(step for step, _ in plain)
    orders = {tuple(mode for at, mode in plain if at == step) for step in range(1, 9)}
    assert orders == {("one", "other"), ("other", "one")}
    assert steps_of(found[ONE]) == steps_of(found[OTHER]) == list(range(1, 9))


def test_same_arrivals_for_all_modes_and_others_at_every_step(sweep):
    session, _, asked = sweep(names=(ONE, OTHER))
    seed = session.sweeps[ONE]["seed"]
    assert session.sweeps[OTHER]["seed"] == seed
    found = {(step, tool["seed"]) for _, kind, step, tool in asked if kind == PLAIN}
    assert found == {(step, seed + step) for step in range(1, 9)}
    assert sweep(names=(ONE, OTHER))[0].sweeps[ONE]["seed"] == seed
    assert sweep(names=(ONE,), seed=2)[0].sweeps[ONE]["seed"] != seed


def sustained(steps):
    return [((ONE.mode, PLAIN, step), {"sustained": True}) for step in range(1, steps + 1)]


def failing(*steps, **more):
    return [((ONE.mode, PLAIN, step), {"sustained": False} | more) for step in steps]


@pytest.mark.parametrize(
    ("failed", "last", "ended"),
    [
        ((3, 4), 4, NOT_SUSTAINED),
        # One alone may be chance, and is not confirmed.
        ((3, 5), 20, HIGHEST),
        ((7, 8), 8, NOT_SUSTAINED),
        # The highest, too, needs one that confirms it.
        ((8,), 20, HIGHEST),
        ((8, 9), 9, NOT_SUSTAINED),
        # Beyond it the capacity was estimated too low.
        ((12, 13), 13, NOT_SUSTAINED),
        ((), 20, HIGHEST),
    ],
)
def test_two_steps_running_that_are_not_sustained_end_a_mode(sweep, failed, last, ended):
    session, found, _ = sweep(ends=[*sustained(20), *failing(*failed)])
    assert steps_of(found[ONE]) == list(range(1, last + 1))
    assert session.sweeps[ONE]["ended"] == ended


def test_mode_that_has_ended_is_not_loaded_while_others_are(sweep):
    session, found, asked = sweep(names=(ONE, OTHER), ends=failing(2, 3))
    assert (steps_of(found[ONE]), steps_of(found[OTHER])) == ([1, 2, 3], list(range(1, 9)))
    # After both overloads of the ramp, and both steps, it is waited until the server is idle.
    assert session.stopped.count("one") == 2 + 2


def test_step_that_was_disturbed_ends_nothing(sweep):
    disturbed = failing(3, 4, faults=["undisturbed"])
    session, found, _ = sweep(ends=[*sustained(9), *disturbed])
    assert len(found[ONE]) == 11
    # From the highest on it does, lost or not.
    highest = [*sustained(20), *failing(8, 9, faults=["undisturbed"])]
    session, found, _ = sweep(ends=highest)
    assert (len(found[ONE]), session.sweeps[ONE]["ended"]) == (9, NOT_SUSTAINED)
    # Nor does it say that one before it was chance.
    lost = [*failing(3, 5), *failing(4, faults=["undisturbed"])]
    _, found, _ = sweep(ends=[*sustained(9), *lost])
    assert steps_of(found[ONE]) == [1, 2, 3, 4, 5]


def lost(*steps, mode=ONE.mode, **more):
    """Steps that a rule on the machine leaves out, and that are beyond the objective."""
    faults = {"faults": ["undisturbed"], "p99_ms": 100}
    return [((mode, PLAIN, step), faults | more) for step in steps]


def loaded_after(found, name=ONE):
    """Steps that were loaded when all had ended."""
    return [step for at, step in enumerate(steps_of(found[name]), start=1) if step != at]


def test_step_that_was_lost_is_loaded_again_when_all_have_ended(sweep):
    ends = [*lost(2, once=True), *lost(5, mode=OTHER.mode, once=True)]
    _, found, asked = sweep(names=(ONE, OTHER), ends=ends, extra_rounds=2)
    plain = [(mode, step) for mode, kind, step, _ in asked if kind == PLAIN]
    assert set(plain[16:18]) == {("one", 2), ("other", 5)}
    first, again = (tool for mode, _, step, tool in asked if (mode, step) == ("one", 2))
    assert first == again
    assert [each.kept for each in found[ONE] if each.turn.round == 2] == [False, True]
    # A step that is lost twice is not loaded a third time, one above the knee not a second time.
    _, found, _ = sweep(ends=lost(2, 8), extra_rounds=2)
    assert steps_of(found[ONE]).count(2) == 2
    _, found, _ = sweep(ends=[*failing(5, 6), *lost(3, 7)], extra_rounds=2)
    assert [loaded_after(found).count(step) for step in (3, 5, 6)] == [1, 1, 0]
    # A rate that the generator cannot offer is none that was lost.
    ends = [((ONE.mode, PLAIN, 7), {"generator_thread": 0.95})]
    _, found, _ = sweep(ends=ends, extra_rounds=2)
    assert steps_of(found[ONE]) == [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize("fault", sorted(BURDENS))
def test_step_that_meets_its_objective_counts_whatever_slowed_it(sweep, fault):
    _, found, _ = sweep(ends=lost(2, faults=[fault], p99_ms=15), extra_rounds=2)
    burdened = [each for each in found[ONE] if each.turn.round == 2]
    assert [(each.kept, each.stands, each.faults) for each in burdened] == [(True, True, [fault])]
    # The others are kept since they fail no rule.
    assert not any(each.stands for each in found[ONE] if each.turn.round != 2)
    for end in ({"p99_ms": 21}, {"p99_ms": 15, "sustained": False}, {"p99_ms": None}):
        _, found, _ = sweep(ends=lost(2, faults=[fault], once=True, **end), extra_rounds=2)
        assert [each.kept for each in found[ONE] if each.turn.round == 2] == [False, True], end


@pytest.mark.parametrize("fault", [GENERATOR, "idle_connections", "not_completed"])
def test_step_of_another_load_than_was_asked_for_does_not_count(sweep, fault):
    ends = lost(2, faults=[fault, "compiled"], p99_ms=15)
    _, found, _ = sweep(ends=ends, extra_rounds=2)
    assert [each.kept for each in found[ONE] if each.turn.round == 2] == [False, False]


def test_first_step_beyond_the_objective_is_loaded_again_to_confirm_it(sweep):
    # 960 a second is the last within.
    _, found, asked = sweep(extra_rounds=2)
    assert loaded_after(found) == [7]
    first, again = (tool for _, kind, step, tool in asked if (kind, step) == (PLAIN, 7))
    assert first == again
    # If it was chance, the next that is beyond it is confirmed.
    slow = {"p99_ms": 100, "once": True}
    ends = [((ONE.mode, PLAIN, step), dict(slow)) for step in (4, 5)]
    _, found, _ = sweep(ends=ends, extra_rounds=2)
    assert loaded_after(found) == [4, 7]
    # Where another above it is within, twice may be chance, too.
    ends = [((ONE.mode, PLAIN, step), {"p99_ms": 100}) for step in (4, 5)]
    _, found, _ = sweep(ends=ends, extra_rounds=2)
    assert loaded_after(found) == [4, 4]
    # One alone, with another within behind it, decides nothing.
    _, found, _ = sweep(ends=[((ONE.mode, PLAIN, 4), slow)], extra_rounds=2)
    assert loaded_after(found) == [7]
    assert loaded_after(sweep(extra_rounds=0)[1]) == []


def test_mode_whose_end_was_chance_goes_on(sweep):
    # Steps 7 and 8 had ended it, and are within the objective when they are loaded again.
    ramp = [((ONE.mode, CALIBRATION, 1), {"served_per_s": 1000.0})]
    chance = {"once": True, "p99_ms": 100}
    ends = [*ramp, *failing(7, **chance), *failing(8, faults=["compiled"], **chance)]
    session, found, _ = sweep(ends=[*ends, *failing(10, 11)], capacity=5000.0, extra_rounds=2)
    assert session.sweeps[ONE]["ended"] == NOT_SUSTAINED
    assert loaded_after(found) == [8, 9, 10, 10]
    # Not beyond the connections that there are: 2,000 a second, and the next is 2,074.
    _, found, _ = sweep(ends=ends, capacity=5000.0, extra_rounds=2, connections=40)
    assert loaded_after(found) == [8, 9, 10]


def test_gap_that_is_wide_is_halved(sweep):
    # The second step, 173 a second, is within, the third, 600, beyond.
    session, found, asked = sweep(ends=failing(3, 4), capacity=1000.0, extra_rounds=2)
    assert loaded_after(found)[:2] == [3, 21]
    rates = [
        tool["rate_per_s"] for _, kind, step, tool in asked if (kind, step > 20) == (PLAIN, True)
    ]
    low, high = 173.21, 600.0
    expected = [(low + high) / 2]
    expected.append((expected[-1] + high) / 2)
    assert rates == pytest.approx(expected, abs=0.02)
    assert session.sweeps[ONE]["steps_planned"] == 20
    # Three at most, each twice if need be.
    ends = [
        *failing(3, 4),
        *((((ONE.mode, PLAIN, step), {"p99_ms": 100})) for step in (21, 22, 23)),
    ]
    _, found, _ = sweep(ends=ends, extra_rounds=2)
    assert loaded_after(found) == [3, 21, 21, 22, 22, 23, 23]
    # Below the lowest step there is nothing to halve.
    _, found, _ = sweep(ends=failing(1, 2), extra_rounds=2)
    assert loaded_after(found) == [1]


def test_steps_of_a_server_that_broke_are_not_loaded_again(sweep):
    ends = [((ONE.mode, PLAIN, 2), {"faults": ["undisturbed"]})]
    ends += [((ONE.mode, PLAIN, 4), {"outcome": "server_died", "faults": ["not_completed"]})]
    _, found, _ = sweep(ends=ends, extra_rounds=2)
    assert steps_of(found[ONE]) == [1, 2, 3, 4]


def test_server_that_is_held_up_is_started_again_for_the_steps_between(sweep):
    held = failing(3, reason="still holds 9 requests of its load")
    _, found, _ = sweep(ends=held, extra_rounds=2)
    # 600 a second needs no second load that shows the same.
    assert steps_of(found[ONE]) == [1, 2, 3, 21, 22]


@pytest.mark.parametrize(
    "end",
    [
        {"outcome": "server_died", "reason": "exit status 1"},
        {"outcome": "hung", "reason": "silence"},
        {"reason": "still holds 9 requests of its load"},
    ],
)
def test_server_that_breaks_ends_its_sweep(sweep, end):
    session, found, _ = sweep(names=(ONE, OTHER), ends=[((ONE.mode, PLAIN, 3), end)])
    assert (steps_of(found[ONE]), len(found[OTHER])) == ([1, 2, 3], 8)
    assert session.sweeps[ONE]["ended"] == NOT_SUSTAINED


def test_server_that_cannot_be_started_again_ends_its_sweep(sweep):
    session, found, _ = sweep(ends=[((ONE.mode, PLAIN, 3), {"gone": True})])
    assert steps_of(found[ONE]) == [1, 2]
    assert session.sweeps[ONE]["ended"] == NOT_SUSTAINED


@pytest.mark.parametrize("busy", [{"generator_thread": 0.95}, {"metrics": "busy"}])
def test_generator_at_its_limit_ends_the_sweep_and_the_step_is_left_out(sweep, busy):
    end = dict(busy)
    if "metrics" in end:
        end["metrics"] = {"generator_cpu_share": 0.5, "backend_cpu_shares": [0.9, 0.45]}
        end["beside"] = [SimpleNamespace(id=id) for id in ("mariadb", "remote")]
    session, found, _ = sweep(ends=[((ONE.mode, PLAIN, 7), end)])
    assert session.sweeps[ONE]["ended"] == LIMIT
    assert found[ONE][-1].faults == [GENERATOR]
    assert [each.kept for each in found[ONE]] == [True] * 6 + [False]
    # At a rate below one that it has offered on time the generator was disturbed.
    session, found, _ = sweep(ends=[((ONE.mode, PLAIN, 5), end)])
    assert session.sweeps[ONE]["ended"] == NOT_SUSTAINED
    assert steps_of(found[ONE]) == [*range(1, 9)]


def test_load_that_was_late_once_is_loaded_again_and_late_twice_running_ends_the_sweep(sweep):
    late = {"faults": [GENERATOR]}
    ends = [((ONE.mode, PLAIN, 1), late | {"once": True})]
    session, found, _ = sweep(ends=ends, extra_rounds=2)
    assert loaded_after(found) == [1, 7]
    assert session.sweeps[ONE]["ended"] == NOT_SUSTAINED
    ends = [((ONE.mode, PLAIN, step), late) for step in (7, 8)]
    session, found, _ = sweep(ends=ends, extra_rounds=2)
    assert steps_of(found[ONE]) == [*range(1, 9)]
    assert session.sweeps[ONE]["ended"] == LIMIT
    # A rate that the generator could not offer is not lost; one that it could, and did not, is.
    counts = {"plain": 6, "counted": 8, "kept": 6, "repeated": 0, "left_out": 0}
    assert counts_of(found[ONE], 8) == counts
    ends.append(((ONE.mode, PLAIN, 2), late))
    _, found, _ = sweep(ends=ends)
    assert counts_of(found[ONE], 8) == counts | {"kept": 5, "left_out": 1}


def test_load_that_was_late_below_a_rate_that_was_on_time_ends_nothing(sweep):
    # Like a machine that is disturbed for seconds: two steps at the lowest rates.
    late = {"faults": ["undisturbed", GENERATOR], "once": True}
    ends = [((ONE.mode, PLAIN, step), late) for step in (1, 2)]
    session, found, _ = sweep(ends=ends, extra_rounds=1)
    assert session.sweeps[ONE]["ended"] == NOT_SUSTAINED
    assert loaded_after(found) == [1, 2, 7]


def test_late_load_that_the_server_keeps_up_with_ends_neither_ramp_nor_sweep(sweep):
    # A virtual machine whose CPUs come back late: every third load of a sweep had late sends.
    late = {"faults": [GENERATOR]}
    ends = [((ONE.mode, CALIBRATION, 1), late)]
    ends += [((ONE.mode, PLAIN, step), late | {"once": True}) for step in (3, 4, 5)]
    session, found, asked = sweep(ends=ends, extra_rounds=1)
    assert ramp_of(asked) == [250, 500, 1000, 2000, 2000]
    assert session.sweeps[ONE]["calibrated_per_s"] == 1000
    assert session.sweeps[ONE]["ended"] == NOT_SUSTAINED
    assert steps_of(found[ONE])[:8] == [*range(1, 9)]
    # Their percentiles are the generator's: they are loaded again.
    assert loaded_after(found) == [3, 4, 5, 7]


def test_record_says_how_far_a_mode_came(sweep):
    session, _, _ = sweep()
    assert session.sweeps[ONE] == {
        "calibrated_per_s": 1000,
        "ended": NOT_SUSTAINED,
        "seed": session.sweeps[ONE]["seed"],
        "arrivals": "poisson",
        "objective_ms": 20,
        "steps": 8,
        "steps_planned": 20,
    }


# ---- after an overload


@pytest.mark.parametrize(("idle", "stopped"), [(True, []), (False, ["one"])])
def test_overloaded_server_that_stays_busy_is_stopped(monkeypatch, idle, stopped):
    session = session_of()
    live = session.place.alive["one"] = SimpleNamespace(cpu_s=lambda: 0.0)
    asked = []
    monkeypatch.setattr(module, "becomes_idle", lambda *given: asked.append(given) or idle)
    drain(session, "one")
    assert asked == [(live.cpu_s, 1, module.DRAIN_LIMIT_S)]
    assert session.stopped == stopped


# ---- a server whose capacity is known


@pytest.fixture
def sweep_queue(make_slice, live, monkeypatch):
    """The steps of a queue as rows of slices.csv, and the `sweep` of its record."""
    monkeypatch.setattr(module, "drain", lambda session, mode: None)

    def run(queue, seed=1, in_ramp=None, disturbed=0.0, **changes):
        session, chance = session_of(seed, **changes), random.Random(seed)

        def once(name, kind, step, done, spec):
            done.append(each := make_slice(step, kind))
            server = in_ramp if in_ramp and kind == CALIBRATION else queue
            if kind == PLAIN and chance.random() < disturbed:
                server = replace(queue, stalls_s=(0.3, 0.36))
            load(server, spec["tool"], each.folder)
            each.load |= collect(spec, each.folder, (0.0, 1.0))

        slices = swept(session, [ONE], once)[ONE]
        return session.sweeps[ONE], [each.row() for each in slices]

    return run


MU = 1000.0


def test_capacity_of_one_worker_with_exponential_service_is_found(sweep_queue):
    found = [sweep_queue(Queue(exponential(MU)), seed)[0] for seed in range(20)]
    calibrated = [each["calibrated_per_s"] for each in found]
    assert statistics.mean(calibrated) == pytest.approx(MU, rel=0.05)
    assert all(each == pytest.approx(MU, rel=0.15) for each in calibrated)
    assert {each["ended"] for each in found} == {NOT_SUSTAINED}


def knee_per_s(rows, objective_ms):
    """Where p99 crosses the objective, its logarithm interpolated between two steps.

    Of a step that was loaded again the last, as the analysis does.
    """
    points = sorted({row["offered_per_s"]: math.log(row["latency_p99_ms"]) for row in rows}.items())
    wanted = math.log(objective_ms)
    for (low, before), (high, after) in zip(points, points[1:], strict=False):
        if before <= wanted < after:
            return low + (high - low) * (wanted - before) / (after - before)
    raise AssertionError(points)


@pytest.mark.parametrize("extra_rounds", [0, 1])
@pytest.mark.parametrize("objective_ms", [15, 60])
def test_knee_of_one_worker_is_where_theory_has_it(sweep_queue, objective_ms, extra_rounds):
    # The p99 of latency in M/M/1 is ln(100) / (mu - rate).
    expected = MU - math.log(100) / (objective_ms / 1000)
    asked = {"objective_ms": objective_ms, "duration_s": 30, "extra_rounds": extra_rounds}
    found = [
        knee_per_s(sweep_queue(Queue(exponential(MU)), seed, **asked)[1], objective_ms)
        for seed in range(3)
    ]
    assert statistics.median(found) == pytest.approx(expected, rel=0.05)


def knee_between(rows, objective_ms):
    """The steps between which the analysis looks for the knee; none where it finds a bound."""
    last = {row["offered_per_s"]: row for row in rows if row["kept"] == "true"}
    rates = sorted(last)
    within = [
        last[rate]["sustained"] == "true" and last[rate]["latency_p99_ms"] <= objective_ms
        for rate in rates
    ]
    pairs = zip(within, [*within[1:], False], strict=True)
    first = next((at for at, pair in enumerate(pairs) if not any(pair)), 0)
    return (rates[first - 1], rates[first]) if first else None


def test_knee_is_found_where_a_fifth_of_the_steps_is_disturbed(sweep_queue):
    expected, asked = MU - math.log(100) / 0.015, {"objective_ms": 15, "duration_s": 2}

    def share_found(extra_rounds):
        found = [
            knee_between(
                sweep_queue(
                    Queue(exponential(MU)), seed, disturbed=0.2, extra_rounds=extra_rounds, **asked
                )[1],
                15,
            )
            for seed in range(40)
        ]
        near = [ends and ends[0] < 1.15 * expected and ends[1] > 0.85 * expected for ends in found]
        return sum(map(bool, near)) / len(found)

    assert share_found(1) > 0.93
    # Without loads after the sweep a disturbance would often be taken for the knee.
    assert share_found(0) < 0.9


def test_latency_of_one_worker_follows_theory_up_to_80_percent(sweep_queue):
    sweeps = [sweep_queue(Queue(exponential(MU)), seed, duration_s=30)[1] for seed in range(6)]
    checked = 0
    for step, rows in enumerate(zip(*(rows[:5] for rows in sweeps), strict=True)):
        mean_ms = statistics.mean(1000 / (MU - row["offered_per_s"]) for row in rows)
        if max(row["offered_per_s"] for row in rows) > 0.85 * MU:
            continue
        checked += 1
        for name, quantile in (("p50", math.log(2)), ("p99", math.log(100))):
            found_ms = statistics.mean(row[f"latency_{name}_ms"] for row in rows)
            assert found_ms == pytest.approx(quantile * mean_ms, rel=0.1), (step, name)
        found_ms = statistics.mean(row["latency_mean_ms"] for row in rows)
        assert found_ms == pytest.approx(mean_ms, rel=0.1), step
    assert checked >= 4


def test_steps_of_a_queue_are_sustained_up_to_its_capacity(sweep_queue):
    _, rows = sweep_queue(Queue(exponential(MU)), duration_s=5)
    for row in rows:
        share = row["offered_per_s"] / MU
        if not 0.9 < share < 1.15:
            assert row["sustained"] == str(share < 1).lower(), share
        assert row["due"] == pytest.approx(5 * row["offered_per_s"], rel=0.2)


def test_server_that_stalls_in_its_ramp_comes_to_its_capacity(sweep_queue):
    # For longer than a load of the ramp lasts.
    def service(chance):
        return 1 / 1560

    stalls = Queue(service, stalls_s=(0.02, 0.32))
    found, rows = sweep_queue(Queue(service), in_ramp=stalls, objective_ms=50)
    assert found["calibrated_per_s"] < 1560 / 3
    assert found["ended"] == NOT_SUSTAINED
    held = [row["offered_per_s"] for row in rows if row["sustained"] == "true"]
    assert max(held) == pytest.approx(1560, rel=0.2)
    assert knee_per_s(rows, 50) == pytest.approx(1560, rel=0.1)


def test_pool_of_waiting_threads_has_the_capacity_of_its_threads(sweep_queue):
    # 50 threads that wait 100 ms each: 500 a second.
    pool = Queue(lambda chance: 0.1, workers=50)
    found, rows = sweep_queue(pool, objective_ms=120, duration_s=0.5, warm_up_s=0.2)
    assert found["calibrated_per_s"] == pytest.approx(500, rel=0.1)
    assert rows[0]["latency_p99_ms"] == pytest.approx(100, rel=0.02)
    assert rows[-1]["latency_p99_ms"] > 120


def test_server_that_stalls_shows_it_in_p99_and_not_in_p50(sweep_queue):
    def at_60_percent(**stalls):
        rows = sweep_queue(Queue(lambda chance: 0.001, **stalls))[1]
        return next(row for row in rows if row["step"] == 3)

    # 25 ms of the half second: 5 % of the requests and those behind them.
    still, stalled = at_60_percent(), at_60_percent(stalls_s=(0.3, 0.325))
    assert stalled["latency_p50_ms"] == pytest.approx(still["latency_p50_ms"], rel=0.25)
    assert stalled["latency_p99_ms"] > 3 * still["latency_p99_ms"]
    assert stalled["sustained"] == still["sustained"] == "true"


def test_latencies_of_a_step_are_read_from_its_own_folder(sweep_queue, live):
    _, rows = sweep_queue(Queue(lambda chance: 0.001))
    last = max(live.folder.glob("slice-*"), key=lambda folder: int(folder.name.split("-")[1]))
    known = latencies_ms(last, {"requests_recorded": 0, "responses_2xx": 0, "errors": {}})
    assert known["latency_p50_ms"] == rows[-1]["latency_p50_ms"]
