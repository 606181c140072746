"""Turns: in which order a session loads, how often, and what ends a mode."""

import math
from dataclasses import replace
from types import MappingProxyType, SimpleNamespace

import pytest

from workloads.experiment.plan import Name
from workloads.record.slice import CALIBRATION, PLAIN
from workloads.session import turns as module
from workloads.session.loading import Loading
from workloads.session.place import Place
from workloads.session.turns import in_turns, load_once, loads_in_order, with_seed
from workloads.tests.planned import ALONE, BASELINE, plan_of, session_of, with_slices

POOL, LOOP = "fixed-pool", "event-loop"
NONE = MappingProxyType({})
LOW = [Name(mode, "low", "jmeter") for mode in (BASELINE, POOL, LOOP)]
DIED, HOLDS = ("server_died", "why"), ("completed", "still holds 9 requests of its load")


@pytest.fixture
def plan():
    return plan_of()


def a_slice(**fields):
    complete = {"outcome": "completed", "reason": "", "faults": [], "counts": True}
    return SimpleNamespace(**complete | fields)


# ---- the order of loads


def test_loads_come_in_an_order_of_the_seed_and_those_shown_once_last(plan):
    session = session_of(plan)
    order = loads_in_order(session, session.names)
    assert sorted(order) == sorted({(name.tier, name.tool) for name in session.names})
    assert {tier for tier, _ in order[-2:]} == {"high", "extreme"}
    # Before them comes the one that leaves a backlog.
    assert order[-3] == ("full", "wrk2")
    assert loads_in_order(session, session.names[::-1]) == order
    # The comparison's first meets fresh processes, whatever the seed.
    assert order[0] == (session.names[0].tier, session.names[0].tool)
    orders = {
        tuple(loads_in_order(session_of(replace(plan, seed=seed)), session.names))
        for seed in range(5)
    }
    assert len(orders) > 1
    assert len({each[0] for each in orders}) == 1
    # A load that is not measured this time leaves the order of the others.
    fewer = [name for name in session.names if (name.tier, name.tool) != order[0]]
    assert loads_in_order(session, fewer) == order[1:]


# ---- limits of the machine


@pytest.mark.parametrize(
    ("part", "needs"),
    [
        # JMeter has a thread and a connection for each user.
        ({"tool": {"id": "jmeter", "users": 5000}}, (5000, 5000, 5009)),
        ({"tool": {"id": "database-client", "workers": 64}}, (64, 64, 73)),
        # Our generator takes as many addresses as it needs.
        ({"tool": {"connections": 9000}}, (9000, 0, 9)),
        ({"tier": {"idle_connections": 900}, "tool": {"connections": 100}}, (1000, 900, 9)),
        # Both sides' threads, where the server has one for each connection.
        ({"mode": {"kind": "thread-each"}, "tool": {"users": 500}}, (500, 500, 1000)),
        # Ports and threads of a generator on another machine are that machine's.
        ({"testbed": {"generator": {}}, "tool": {"users": 500}}, (500, 0, 9)),
    ],
)
def test_needs_of_a_load_are_those_of_both_sides(part, needs):
    spec = {"tier": {}, "mode": {"kind": "pool", "options": {"threads": 9}}, "testbed": {}}
    found = module.needs_of(spec | part)
    assert found == dict(zip(("connections", "ports", "threads"), needs, strict=True))


# ---- rounds


@pytest.fixture
def turns(plan, monkeypatch):
    """Runs in_turns; returns (round, mode) of its loads in order. A load takes a second.

    By mode: `lost`: which slices a rule excludes; `speeds` of slices that are not 1; `outcomes` of
    those that did not complete. `gone`: modes whose server does not come up after their first load.
    """

    def run(lost=NONE, outcomes=NONE, speeds=NONE, p50_ms=NONE, names=LOW, gone=(), **slices):
        loaded, clock_s = [], [0.0]
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: clock_s[0]))

        def load(session, name, kind, round, done):
            mode, number = name.mode, len(done)
            if mode in gone and done:
                assert clock_s[0] < 1000, "it never ends"
                clock_s[0] += 0.001
                return
            assert kind == PLAIN
            clock_s[0] += 1
            loaded.append((round, mode))
            outcome, reason = outcomes.get(mode, {}).get(number, ("completed", ""))
            done.append(
                a_slice(
                    outcome=outcome,
                    reason=reason,
                    turn=SimpleNamespace(kind=kind, round=round),
                    kept=number not in lost.get(mode, ()),
                    speed=speeds.get(mode, {}).get(number, 1.0),
                    latencies_ms={"latency_p50_ms": p50_ms.get(mode, 5.0)},
                )
            )

        monkeypatch.setattr(module, "load_once", load)
        found = in_turns(session_of(with_slices(plan, **slices)), names)
        for name in names:
            assert len(found[name]) == len(rounds_of(loaded, name.mode))
        return loaded

    return run


def rounds_of(loaded, mode=POOL):
    return [number for number, each in loaded if each == mode]


def test_every_mode_is_loaded_once_a_round_in_an_order_that_is_drawn_again(turns):
    loaded = turns(rounds=6)
    rounds = [loaded[at : at + 3] for at in range(0, len(loaded), 3)]
    assert [{number for number, _ in each} for each in rounds] == [{n + 1} for n in range(6)]
    orders = [tuple(mode for _, mode in each) for each in rounds]
    assert {frozenset(order) for order in orders} == {frozenset(name.mode for name in LOW)}
    assert len(set(orders)) > 1
    assert turns(rounds=6) == loaded


@pytest.mark.parametrize("end", [DIED, HOLDS])
def test_mode_that_did_not_complete_or_holds_requests_is_not_loaded_again(turns, end):
    loaded = turns(outcomes={POOL: {1: end}}, rounds=3, extra_rounds=2)
    assert rounds_of(loaded) == [1, 2]
    assert rounds_of(loaded, BASELINE) == rounds_of(loaded, LOOP) == [1, 2, 3]


def test_mode_that_lost_a_slice_has_extra_rounds_beside_its_baseline(turns):
    loaded = turns(lost={POOL: (1, 2)}, rounds=2, extra_rounds=3)
    assert len(loaded) == 10
    # Round 3 is lost too, round 4 is included, a fifth is not wanted.
    assert set(loaded[6:8]) == {(3, POOL), (3, BASELINE)}
    assert set(loaded[8:]) == {(4, POOL), (4, BASELINE)}


ALL = {name.mode: range(9) for name in LOW}
SLOW = dict.fromkeys(range(99), 1.3)


@pytest.mark.parametrize(
    ("asked", "rounds", "extra_rounds", "loads"),
    [
        # Each side has lost one round, so that two are needed, though each has two of three. The
        # baseline has lost a round of every pair.
        ({"lost": {POOL: (0,), BASELINE: (1,)}}, 3, 3, (5, 5, 4)),
        # A mode whose baseline is gone has the rounds of its own.
        ({"lost": {POOL: (0,)}, "outcomes": {BASELINE: {0: DIED}}}, 2, 3, (3, 1, 2)),
        # More than half of its requests failed in each slice; the others lost theirs to chance. Six
        # loads were planned: after 2 x 2 of two modes no more begin.
        ({"lost": ALL, "p50_ms": {POOL: math.inf}}, 2, 2, (2, 5, 5)),
        ({"lost": ALL, "once": True}, 2, 2, (2, 2, 2)),
        # One pair is loaded until its six loads more have doubled the time of the six planned; more
        # are the configuration's.
        ({"lost": {POOL: range(99)}}, 2, 0, (5, 5, 2)),
        ({"lost": {POOL: range(99)}}, 2, 5, (7, 7, 2)),
        # Three of six rounds are there, and no more are needed; or the first one more is lost, too.
        ({"lost": {POOL: (0, 2, 4)}}, 6, 0, (6, 6, 6)),
        ({"lost": {POOL: (0, 2, 4, 5, 6)}}, 6, 0, (8, 8, 6)),
        # Where fewer are planned, all of them.
        ({"lost": {POOL: (0,)}}, 2, 0, (3, 3, 2)),
        # Each side has lost two of five, and no more than one round is common to them.
        ({"lost": {POOL: (0, 1), BASELINE: (2, 3)}}, 5, 0, (7, 7, 5)),
        # The machine was slow in all of a round: no side is.
        ({"speeds": {POOL: {0: 2.0}, BASELINE: {0: 2.0}}}, 3, 0, (3, 4, 4)),
        ({"speeds": {POOL: {0: 1.16}}}, 3, 0, (4, 4, 3)),
        ({"speeds": {POOL: {0: 1.15}}}, 3, 0, (3, 3, 3)),
        # A probe that never ended beside a busy pool says nothing of the other side.
        ({"speeds": {POOL: {0: None}, BASELINE: {0: 2.0}}}, 3, 0, (3, 4, 4)),
        # A mode that lets its CPU sleep is slow where it wakes, in each of its rounds. Three might
        # be an accident, and one at the same speed shows that there may be more.
        ({"speeds": {POOL: SLOW}}, 4, 3, (4, 4, 4)),
        ({"speeds": {POOL: SLOW}}, 3, 0, (4, 4, 3)),
        ({"speeds": {POOL: SLOW | {1: 1.0}}}, 4, 0, (10, 10, 4)),
    ],
)
def test_pair_is_loaded_on_until_enough_rounds_of_both_count(
    turns, asked, rounds, extra_rounds, loads
):
    loaded = turns(**asked, rounds=rounds, extra_rounds=extra_rounds)
    assert tuple(len(rounds_of(loaded, mode)) for mode in (POOL, BASELINE, LOOP)) == loads


def test_mode_that_is_measured_alone_has_no_extra_round(turns):
    alone = Name(ALONE, "low", "jmeter")
    assert len(turns(names=[alone], lost={ALONE: (0,)}, rounds=2, extra_rounds=2)) == 2


def test_server_that_does_not_come_up_again_ends_the_rounds(turns):
    loaded = turns(lost={POOL: (0,)}, rounds=2, gone={POOL, BASELINE})
    assert rounds_of(loaded) == [1]


@pytest.mark.parametrize(
    ("outcomes", "rounds"),
    [
        ({}, 7),
        # One that did not complete ends it: there is no ratio without it.
        ({(POOL, 1): DIED}, 2),
        ({(BASELINE, 0): HOLDS}, 1),
    ],
)
def test_cell_that_is_judged_is_loaded_beside_its_baseline_until_it_is_decided(
    plan, monkeypatch, outcomes, rounds
):
    # The load is one that is shown once.
    name, baseline = (Name(mode, "high", "jmeter") for mode in (POOL, BASELINE))
    session, given = session_of(plan), []
    session.names, session.bands = [name], {"throughput_per_s": (2.0, 3.0)}

    def load(session, name, kind, round, done):
        outcome, reason = outcomes.get((name.mode, len(done)), ("completed", ""))
        done.append(a_slice(mode=name.mode, outcome=outcome, reason=reason))

    def logs_of(mode, baseline):
        assert {each.mode for each in mode} == {POOL}
        assert {each.mode for each in baseline} == {BASELINE}
        return len(mode)

    def is_over(rounds, lasted_s, logs, bands):
        given.append((rounds, logs, bands))
        return rounds == 7

    monkeypatch.setattr(module, "load_once", load)
    monkeypatch.setattr(module, "logs_of", logs_of)
    monkeypatch.setattr(module, "is_over", is_over)
    found = in_turns(session, [name, baseline])
    assert [len(done) for done in found.values()] == [rounds, rounds]
    assert given[-1] == (rounds, rounds, session.bands)


BOTH = (BASELINE, POOL)


@pytest.fixture
def by_starts(plan, monkeypatch):
    """A session whose clock goes on by a second a load, and by `ready_s` for a start."""

    def run(*modes, ready_s=1, settled_after=99, failing="", plan=plan):
        until = {"budget_s": 60, "slower_percent": {"cpu_us_per_request": 5}}
        session, clock, starts = session_of(with_slices(plan, until=until)), [float(ready_s)], [1]

        def load(session, name, kind, round, done):
            clock[0] += 1
            right = {"responses_2xx": 0 if name.mode == failing else 9}
            done.append(a_slice(mode=name.mode, load=right, start=starts[-1]))

        def again(session, names):
            clock[0] += ready_s
            starts.append(starts[-1] + 1)

        monkeypatch.setattr(module, "load_once", load)
        monkeypatch.setattr(module, "start_again", again)
        monkeypatch.setattr(module, "lasted_s", lambda session: clock[0])
        monkeypatch.setattr(module, "logs_of_variants", lambda new, old: (new[0].mode, old[0].mode))
        monkeypatch.setattr(module, "is_settled", lambda logs, until: starts[-1] >= settled_after)
        return starts, in_turns(session, [Name(mode, "low", "jmeter") for mode in modes])

    return run


@pytest.mark.parametrize(
    ("asked", "count", "least"),
    [
        # Until the budget is spent, or all is settled; starts that take long are three.
        ({}, 6, 6),
        ({"settled_after": 1}, 3, 3),
        ({"ready_s": 12}, 3, 6),
    ],
)
def test_variants_are_started_at_least_three_times(by_starts, asked, count, least):
    starts, found = by_starts(*BOTH, **asked)
    assert len(starts) == count
    for done in found.values():
        assert {each.start for each in done} == {*starts}
        assert len(done) >= least


POOL_AGAIN = f"{POOL}-again"


@pytest.fixture
def with_again(plan):
    return replace(plan, modes={**plan.modes, POOL_AGAIN: plan.modes[POOL]})


@pytest.mark.parametrize(
    ("up_s", "again", "started"), [(1, {}, True), (9, {}, False), (9, {"again": True}, True)]
)
def test_second_process_of_the_first_variant_is_started_last_where_there_is_time(
    with_again, monkeypatch, up_s, again, started
):
    names = tuple(Name(mode, "low", "jmeter") for mode in (*BOTH, POOL_AGAIN))
    until = {"budget_s": 240, "slower_percent": {}} | again
    session = session_of(replace(with_slices(with_again, until=until), cells=names))
    clock, calls = iter((0.0, float(up_s))), []
    monkeypatch.setattr(module.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(session, "start_all", lambda modes, **how: calls.append((modes, how)))
    module.start_first(session, [*BOTH, POOL_AGAIN])
    last = [([POOL_AGAIN], {})] if started else []
    assert calls == [([*BOTH], {"in_order": True}), *last]


def test_second_process_that_is_not_there_is_not_loaded_and_says_why(by_starts, with_again):
    starts, found = by_starts(*BOTH, POOL_AGAIN, plan=with_again)
    assert len(starts) == 6
    *others, (name, slices) = found.items()
    assert all(done for _, done in others)
    assert slices == []
    session = session_of(with_again)
    assert module.why_not_compared(session, name, slices).startswith("not_ready: not loaded, as ")
    assert module.why_not_compared(session, others[0][0], []) == ""


def test_each_start_is_warm_for_all_loads_of_its_modes(plan, monkeypatch):
    """A sweep that follows the last start would warm each mode up once more, for minutes."""
    session, warmed = session_of(plan), []
    session.place.alive[POOL] = object()
    monkeypatch.setattr(session, "stop", lambda mode: None)
    monkeypatch.setattr(session, "start_all", lambda modes, **how: None)
    monkeypatch.setattr(module, "warm_all", lambda session, names: warmed.extend(names))
    module.start_again(session, [Name(mode, "low", "jmeter") for mode in BOTH])
    assert len(warmed) > 1
    assert warmed == [name for name in plan.names() if name.mode == POOL]


@pytest.mark.parametrize("failing", BOTH)
def test_variant_that_only_fails_does_not_spend_the_budget(by_starts, failing):
    starts, found = by_starts(*BOTH, failing=failing)
    assert starts == [1]
    assert {len(done) for done in found.values()} == {module.LOADS_WITHOUT_ANSWER}
    # One that is alone has nothing to be compared with.
    assert by_starts(POOL)[0] == [1]


@pytest.mark.parametrize(("loaded", "rounds"), [(POOL, 4), (BASELINE, 1)])
def test_cell_or_baseline_that_does_not_start_leaves_the_other(plan, monkeypatch, loaded, rounds):
    session, name = session_of(plan), Name(loaded, "high", "jmeter")
    session.names, session.bands = [Name(POOL, "high", "jmeter")], {}

    def load(session, name, kind, round, done):
        load, metrics = {"throughput_per_s": 5.0}, {"cpu_us_per_request": 7.0}
        turn = SimpleNamespace(kind=kind, round=round)
        done.append(a_slice(turn=turn, load=load, metrics=metrics, kept=False, latencies_ms={}))

    monkeypatch.setattr(module, "load_once", load)
    assert {each: len(done) for each, done in in_turns(session, [name]).items()} == {name: rounds}


@pytest.fixture
def prepared(plan, monkeypatch):
    """A session whose servers are there, and the tiers that they were prepared for."""
    session, tiers = session_of(plan), []
    subject = SimpleNamespace(prepare=lambda spec: tiers.append(spec["tier"]["id"]))
    monkeypatch.setattr(module, "alive", lambda *_: SimpleNamespace(subject=subject))
    monkeypatch.setattr(session, "driver", lambda name: None)
    return session, tiers


@pytest.mark.parametrize(
    ("end", "stopped"),
    [
        # Whatever rule excludes it.
        ({"faults": ["compiled"]}, []),
        ({"outcome": "server_died"}, [BASELINE]),
        ({"reason": "still holds 3"}, [BASELINE]),
        (None, []),
    ],
)
def test_server_that_ends_or_holds_requests_is_stopped_after_its_slice(
    prepared, monkeypatch, end, stopped
):
    (session, tiers), waited, found, done = prepared, [], [], []

    def slice(self, turn):
        assert waited.pop()
        return a_slice(turn=turn, **end)

    monkeypatch.setattr(Place, "wait_for_others", lambda self, mode: waited.append(mode))
    monkeypatch.setattr(Loading, "slice", slice)
    monkeypatch.setattr(session, "stop", found.append)
    if end is None:
        # It could not be started again.
        monkeypatch.setattr(module, "alive", lambda *_: None)
    load_once(session, LOW[0], PLAIN, 2, done)
    assert found == stopped
    assert [(each.turn.number, each.turn.round) for each in done] == [(1, 2)] * len(tiers)
    assert tiers == ([] if end is None else ["low"])


def test_load_may_have_a_spec_of_its_own(prepared, monkeypatch):
    session, seen = prepared[0], []

    def slice(self, turn):
        seen.append((turn.kind, self.spec["tool"]["rate_per_s"]))
        return a_slice(turn=turn)

    monkeypatch.setattr(Loading, "slice", slice)
    name = Name(POOL, "short", "sweep")
    spec = session.spec(name)
    load_once(session, name, CALIBRATION, 1, [], spec | {"tool": spec["tool"] | {"rate_per_s": 9}})
    assert seen == [(CALIBRATION, 9)]


def test_modes_of_a_round_meet_the_same_random_requests(plan):
    session = session_of(plan)
    steady = session.spec(Name(POOL, "low", "wrk2"))
    assert with_seed(session, steady, 1) == steady
    drawn = steady | {"tool": steady["tool"] | {"arrivals": "poisson"}}
    seed = with_seed(session, drawn, 1)["tool"]["seed"]
    assert with_seed(session, drawn | {"mode": {}}, 1)["tool"]["seed"] == seed
    assert with_seed(session, drawn, 2)["tool"]["seed"] != seed
    session.seed += "/another"
    assert with_seed(session, drawn, 1)["tool"]["seed"] != seed
    # A step of a sweep has its own.
    swept = drawn | {"tool": drawn["tool"] | {"seed": 7}}
    assert with_seed(session, swept, 1) == swept
