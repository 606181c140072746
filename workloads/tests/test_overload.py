"""Overloads of a session: one capacity for all modes, the same arrivals, broken servers."""

import random
from types import SimpleNamespace

import pytest

from workloads.experiment.plan import Name
from workloads.record.slice import CALIBRATION, PLAIN
from workloads.session import load_sweep as sweep_module
from workloads.session import overload as module
from workloads.session.load_sweep import seed_of
from workloads.session.overload import load_overload

BASE, OTHER = (Name(mode, "beyond", "overload") for mode in ("base", "other"))
CAPACITY = {"base": 1000.0, "other": 3000.0}
STEPS = [[0.5, 10], [1.5, 10]]


def session_of(rounds=1, seed=1, path="/page"):
    spec = {
        "tier": {"sleep_ms": 0, "path": path},
        "slices": {"rounds": rounds},
        "tool": {"connections": 8000, "objective_ms": 2000, "steps": STEPS, "duration_s": 20},
    }
    plan = SimpleNamespace(baseline=lambda name: BASE if name != BASE else name)
    place = SimpleNamespace(alive={}, server_cpus=[0])
    session = SimpleNamespace(random=random.Random(seed), seed=f"{seed}/a", place=place, plan=plan)
    session.capacities, session.spec, session.drained = {}, lambda name: spec, []
    return session


@pytest.fixture(autouse=True)
def drained(monkeypatch):
    for each in (module, sweep_module):
        monkeypatch.setattr(each, "drain", lambda session, mode: session.drained.append(mode))


@pytest.fixture
def overloaded(make_slice):
    """Loads modes; `ends` are changes of the plain loads of a mode, in their order.

    Returns the slices, and (mode, kind, tool) of every load in order.
    """

    def run(session, names=(BASE, OTHER), ends=()):
        asked, wanted = [], {mode: list(changes) for mode, changes in dict(ends).items()}

        def once(name, kind, number, done, spec):
            tool = spec["tool"]
            asked.append((name.mode, kind, tool))
            left = wanted.get(name.mode, []) if kind == PLAIN else []
            end = left.pop(0) if left else {}
            rate, most = tool["rate_per_s"], CAPACITY[name.mode]
            due = round(rate * 0.3)
            served = {"requests_offered": due, "responses_2xx": due, "sustained": rate <= most}
            served |= {"served_per_s": min(rate, most), "generator_thread": 0.1}
            if end is not None:
                done.append(make_slice(number, kind, load=served, **end))

        return load_overload(session, list(names), once), asked

    return run


def plain(asked):
    return [(mode, tool) for mode, kind, tool in asked if kind == PLAIN]


def test_all_modes_are_loaded_at_shares_of_what_the_baseline_serves(overloaded):
    session = session_of()
    found, asked = overloaded(session)
    assert {mode for mode, kind, _ in asked if kind == CALIBRATION} == {"base"}
    assert [(tool["rate_per_s"], tool["steps"]) for _, tool in plain(asked)] == [(1000, STEPS)] * 2
    assert session.capacities == {"/page": {"capacity_per_s": 1000.0, "capacity_of": "base"}}
    assert {name: len(slices) for name, slices in found.items()} == {BASE: 1, OTHER: 1}


def test_ramp_has_no_steps_and_few_connections(overloaded):
    _, asked = overloaded(session_of())
    ramp = [tool for _, kind, tool in asked if kind == CALIBRATION]
    assert all(tool["steps"] == [] for tool in ramp)
    # The last is longer, and half beyond what the ramp found.
    assert [tool["duration_s"] for tool in ramp] == [0.3] * (len(ramp) - 1) + [2]
    assert ramp[-1]["rate_per_s"] == 1500
    assert max(tool["connections"] for tool in ramp) < 1000


def test_capacity_is_estimated_once_for_a_page(overloaded):
    session = session_of()
    overloaded(session)
    _, asked = overloaded(session, names=[OTHER])
    assert [kind for _, kind, _ in asked] == [PLAIN]
    assert asked[0][2]["rate_per_s"] == 1000
    session.spec = session_of(path="/other").spec
    _, asked = overloaded(session, names=[OTHER])
    # Without the baseline it is that of the first mode.
    assert asked[-1][2]["rate_per_s"] == 3000
    assert session.capacities["/other"]["capacity_of"] == "other"


def test_a_tier_that_names_its_rate_loads_nothing_before(overloaded):
    """A server that was loaded to estimate a capacity is no longer cold."""
    session = session_of()
    spec = session.spec(BASE)
    session.spec = lambda name: spec | {"tool": spec["tool"] | {"rate_per_s": 9973}}
    _, asked = overloaded(session)
    assert {kind for _, kind, _ in asked} == {PLAIN}
    assert [tool["rate_per_s"] for _, tool in plain(asked)] == [9973, 9973]
    assert session.capacities["/page"] == {"capacity_per_s": 9973, "capacity_of": "rate_per_s"}


def test_ramp_that_ended_too_low_is_corrected_by_longer_loads(make_slice):
    rates = []

    def once(name, kind, number, done, spec):
        rate = spec["tool"]["rate_per_s"]
        rates.append(rate)
        # Disturbed for two loads.
        load = {"served_per_s": min(rate, 200.0 if len(rates) < 3 else 1000.0)}
        load |= {"requests_offered": 100, "responses_2xx": 100, "generator_thread": 0.1}
        done.append(make_slice(number, kind, load=load))

    session = session_of()
    load_overload(session, [BASE], once)
    assert rates == [250, 300, 300, 450, 675, 1012.5, 1500, 1000]
    assert session.capacities["/page"]["capacity_per_s"] == 1000


def test_modes_meet_the_same_arrivals_and_others_in_every_round(overloaded):
    session = session_of(rounds=2)
    found, asked = overloaded(session)
    seeds = {mode: [tool["seed"] for m, tool in plain(asked) if m == mode] for mode in CAPACITY}
    first = seed_of(session, BASE)
    assert seeds["base"] == seeds["other"] == [first + 1, first + 2]
    assert [each.turn.round for each in found[BASE]] == [1, 2]
    assert session.drained.count("other") == 2


@pytest.mark.parametrize(
    "end", [{"outcome": "hung", "reason": "silence"}, {"reason": "still holds 9 requests"}]
)
def test_mode_whose_server_broke_is_not_loaded_again(overloaded, end):
    session = session_of(rounds=3)
    found, _ = overloaded(session, ends={"other": [{}, end]})
    assert (len(found[BASE]), len(found[OTHER])) == (3, 2)
    # The session stops its server: there is nothing to wait for.
    assert session.drained.count("other") == 1


def test_mode_that_does_not_start_again_has_no_more_slices(overloaded):
    found, _ = overloaded(session_of(rounds=2), ends={"other": [{}, None]})
    assert len(found[OTHER]) == 1
