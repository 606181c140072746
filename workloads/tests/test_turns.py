"""Turns: in which order a session loads, how often, and what ends a mode."""

import math
from dataclasses import replace
from types import SimpleNamespace

import pytest

from workloads.experiment.plan import Name
from workloads.record.slice import CALIBRATION, PLAIN
from workloads.session import turns as module
from workloads.session.loading import Loading
from workloads.session.place import Place
from workloads.session.turns import in_turns, load_once, loads_in_order, with_seed
from workloads.tests.planned import ALONE, plan_of, session_of, with_slices

LOW = [Name(mode, "low", "jmeter") for mode in ("thread-per-request", "fixed-pool", "event-loop")]


@pytest.fixture
def plan():
    return plan_of()


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
        ({"tool": {"id": "sysbench", "clients": 40}}, (40, 40, 49)),
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
    connections, ports, threads = needs
    found = module.needs_of(spec | part)
    assert found == {"connections": connections, "ports": ports, "threads": threads}


# ---- rounds


@pytest.fixture
def turns(plan, monkeypatch):
    """Runs in_turns with outcomes by mode and load; returns (kind, round, mode) in order.

    `lost`: which slices a rule excludes, as (mode, load); `speeds`: those that are not 1, by the
    same. A load takes a second. `gone`: modes whose server does not come up after their first load.
    """

    def run(
        outcomes=(), lost=(), extra_rounds=0, p50_ms=(), names=LOW, speeds=(), gone=(), **slices
    ):
        changed = with_slices(plan, extra_rounds=extra_rounds, **slices)
        loaded, clock_s = [], [0.0]
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: clock_s[0]))

        def load(session, name, kind, round, done):
            if name.mode in gone and done:
                assert clock_s[0] < 1000, "it never ends"
                clock_s[0] += 0.001
                return
            clock_s[0] += 1
            loaded.append((kind, round, name.mode))
            outcome, reason = dict(outcomes).get((name.mode, len(done)), ("completed", ""))
            kept = (name.mode, len(done)) not in lost
            done.append(
                SimpleNamespace(
                    outcome=outcome,
                    reason=reason,
                    turn=SimpleNamespace(kind=kind, round=round),
                    kept=kept,
                    speed=dict(speeds).get((name.mode, len(done)), 1.0),
                    latencies_ms={"latency_p50_ms": dict(p50_ms).get(name.mode, 5.0)},
                )
            )

        monkeypatch.setattr(module, "load_once", load)
        session = session_of(changed)
        found = in_turns(session, names)
        assert {name.mode: len(done) for name, done in found.items()} == {
            name.mode: sum(mode == name.mode for _, _, mode in loaded) for name in names
        }
        return loaded

    return run


def test_every_mode_is_loaded_once_a_round_in_an_order_that_is_drawn_again(turns):
    loaded = turns(rounds=6)
    rounds = [loaded[at : at + 3] for at in range(0, len(loaded), 3)]
    kinds = [(PLAIN, number + 1) for number in range(6)]
    assert [{(kind, number) for kind, number, _ in each} for each in rounds] == [
        {kind} for kind in kinds
    ]
    orders = [tuple(mode for _, _, mode in each) for each in rounds]
    assert {frozenset(order) for order in orders} == {frozenset(name.mode for name in LOW)}
    assert len(set(orders)) > 1
    assert turns(rounds=6) == loaded


def of_mode(loaded, mode):
    return [(kind, number) for kind, number, each in loaded if each == mode]


@pytest.mark.parametrize("outcome", ["server_died", "hung", "timed_out", "refused"])
def test_mode_that_did_not_complete_is_not_loaded_again(turns, outcome):
    loaded = turns({("fixed-pool", 1): (outcome, "why")}, rounds=3)
    assert of_mode(loaded, "fixed-pool") == [(PLAIN, 1), (PLAIN, 2)]
    for mode in ("thread-per-request", "event-loop"):
        assert len(of_mode(loaded, mode)) == 3


def test_mode_that_still_holds_requests_is_loaded_no_more(turns):
    holds = {("fixed-pool", 0): ("completed", "still holds 9 requests of its load")}
    assert of_mode(turns(holds, rounds=3), "fixed-pool") == [(PLAIN, 1)]


def test_mode_that_lost_a_slice_has_extra_rounds_beside_its_baseline(turns):
    lost = {("fixed-pool", 1), ("fixed-pool", 2)}
    loaded = turns(lost=lost, rounds=2, extra_rounds=3)
    both = {"fixed-pool", "thread-per-request"}
    assert len(loaded) == 10
    extra = [(number, mode) for _, number, mode in loaded[6:10]]
    # Round 3 is lost too, round 4 is included, a fifth is not wanted.
    assert set(extra[:2]) == {(3, mode) for mode in both}
    assert set(extra[2:]) == {(4, mode) for mode in both}


def test_pair_is_loaded_again_until_it_has_enough_rounds_in_common(turns):
    # Each side has lost one round, so that two are needed, though each has two of three.
    lost = {("fixed-pool", 0), ("thread-per-request", 1)}
    loaded = turns(lost=lost, rounds=3, extra_rounds=3)
    for mode in ("fixed-pool", "thread-per-request"):
        assert of_mode(loaded, mode) == [(PLAIN, number) for number in (1, 2, 3, 4, 5)]
    # The baseline has lost a round of every pair.
    assert of_mode(loaded, "event-loop") == [(PLAIN, number) for number in (1, 2, 3, 4)]
    # A mode whose baseline is gone has the rounds of its own.
    gone = {("thread-per-request", 0): ("server_died", "why")}
    loaded = turns(gone, lost={("fixed-pool", 0)}, rounds=2, extra_rounds=3)
    assert len(of_mode(loaded, "fixed-pool")) == 3
    assert len(of_mode(loaded, "event-loop")) == 2


def test_mode_that_fails_by_design_has_no_extra_round(turns, plan):
    lost = {(name.mode, number) for name in LOW for number in range(9)}
    wanted = {"lost": lost, "rounds": 2, "extra_rounds": 2}
    # More than half of its requests failed in each slice; the others lost theirs to chance.
    loaded = turns(p50_ms={"fixed-pool": math.inf}, **wanted)
    assert of_mode(loaded, "fixed-pool") == [(PLAIN, 1), (PLAIN, 2)]
    # Six loads were planned: after 2 x 2 of two modes no more begin.
    assert len(of_mode(loaded, "event-loop")) == 2 + 2 + 1
    assert len(turns(once=True, **wanted)) == 3 * 2
    alone = Name(ALONE, "low", "jmeter")
    assert len(turns(names=[alone], **wanted | {"lost": {(ALONE, 0)}})) == 2


def test_extra_rounds_have_an_end(turns):
    """One pair is loaded until its six loads more have doubled the time of the six planned."""
    lost = {("fixed-pool", number) for number in range(99)}
    for extra_rounds in (0, 2, 3):
        loaded = turns(lost=lost, rounds=2, extra_rounds=extra_rounds)
        assert len(of_mode(loaded, "fixed-pool")) == 2 + 3
        assert len(of_mode(loaded, "event-loop")) == 2
    # More are the configuration's.
    assert len(of_mode(turns(lost=lost, rounds=2, extra_rounds=5), "fixed-pool")) == 2 + 5


@pytest.mark.parametrize(
    ("rounds", "lost", "loads"),
    [
        # Three of six rounds are there, and no more are needed.
        (6, (0, 2, 4), 6),
        (6, (0, 2, 4, 5), 7),
        # The first one more is lost, too.
        (6, (0, 2, 4, 5, 6), 8),
        # Where fewer are planned, all of them.
        (2, (0,), 3),
        (1, (0,), 2),
        (3, (), 3),
    ],
)
def test_pair_without_enough_rounds_for_a_latency_is_loaded_on(turns, rounds, lost, loads):
    loaded = turns(lost={("fixed-pool", number) for number in lost}, rounds=rounds)
    for mode in ("fixed-pool", "thread-per-request"):
        assert of_mode(loaded, mode) == [(PLAIN, number + 1) for number in range(loads)]
    assert len(of_mode(loaded, "event-loop")) == rounds


def test_rounds_are_those_in_which_both_sides_count(turns):
    """Each side has lost two of five, and no more than one round is common to them."""
    lost = {("fixed-pool", 0), ("fixed-pool", 1)}
    lost |= {("thread-per-request", 2), ("thread-per-request", 3)}
    loaded = turns(lost=lost, rounds=5)
    assert len(of_mode(loaded, "fixed-pool")) == 5 + 2
    # The baseline has three with this mode.
    assert len(of_mode(loaded, "event-loop")) == 5


def test_round_counts_where_both_sides_had_the_same_speed(turns):
    slow = dict.fromkeys([("fixed-pool", 0), ("thread-per-request", 0)], 2.0)
    # The machine was slow in all of a round: no side is.
    assert len(of_mode(turns(speeds=slow, rounds=3), "fixed-pool")) == 3
    for slower in (1.16, 1 / 1.16):
        loaded = turns(speeds={("fixed-pool", 0): slower}, rounds=3)
        assert len(of_mode(loaded, "fixed-pool")) == 4
    assert len(of_mode(turns(speeds={("fixed-pool", 0): 1.15}, rounds=3), "fixed-pool")) == 3
    # A probe that never ended beside a busy pool says nothing of the other side.
    unknown = {("fixed-pool", 0): None, ("thread-per-request", 0): 2.0}
    assert len(of_mode(turns(speeds=unknown, rounds=3), "fixed-pool")) == 3


def test_pair_whose_speeds_differ_in_every_round_is_not_loaded_on(turns):
    """A mode that lets its CPU sleep is slow where it wakes, in each of its rounds."""
    slow = {("fixed-pool", number): 1.3 for number in range(99)}
    for extra_rounds in (0, 3):
        loaded = turns(speeds=slow, rounds=4, extra_rounds=extra_rounds)
        assert len(of_mode(loaded, "fixed-pool")) == 4
    # Three might be an accident, ...
    assert len(of_mode(turns(speeds=slow, rounds=3), "fixed-pool")) == 4
    # ... and one at the same speed shows that there may be more.
    once = slow | {("fixed-pool", 1): 1.0}
    assert len(of_mode(turns(speeds=once, rounds=4), "fixed-pool")) > 4


def test_server_that_does_not_come_up_again_ends_the_rounds(turns):
    lost = {("fixed-pool", 0)}
    loaded = turns(lost=lost, rounds=2, gone={"fixed-pool", "thread-per-request"})
    assert of_mode(loaded, "fixed-pool") == [(PLAIN, 1)]


def test_mode_that_is_gone_has_no_extra_round(turns):
    gone = {("fixed-pool", 0): ("server_died", "why")}
    assert len(turns(gone, rounds=2, extra_rounds=2)) == 5


@pytest.mark.parametrize(
    ("rounds_enough", "outcomes", "rounds"),
    [
        (7, {}, 7),
        # One that did not complete ends it: there is no ratio without it.
        (7, {("fixed-pool", 1): ("hung", "why")}, 2),
        (7, {("thread-per-request", 0): ("completed", "still holds 9 requests")}, 1),
    ],
)
def test_cell_that_is_judged_is_loaded_beside_its_baseline_until_it_is_decided(
    plan, monkeypatch, rounds_enough, outcomes, rounds
):
    name, baseline = (
        Name("fixed-pool", "high", "jmeter"),
        Name("thread-per-request", "high", "jmeter"),
    )
    session, given = session_of(plan), []
    session.names, session.bands = [name], {"throughput_per_s": (2.0, 3.0)}

    def load(session, name, kind, round, done):
        outcome, reason = outcomes.get((name.mode, len(done)), ("completed", ""))
        done.append(SimpleNamespace(mode=name.mode, outcome=outcome, reason=reason))

    def logs_of(mode, baseline):
        assert {each.mode for each in mode} == {"fixed-pool"}
        assert {each.mode for each in baseline} == {"thread-per-request"}
        return len(mode)

    def is_over(rounds, lasted_s, logs, bands):
        given.append((rounds, logs, bands))
        return rounds == rounds_enough

    monkeypatch.setattr(module, "load_once", load)
    monkeypatch.setattr(module, "logs_of", logs_of)
    monkeypatch.setattr(module, "is_over", is_over)
    # The load is one that is shown once.
    found = in_turns(session, [name, baseline])
    assert [len(done) for done in found.values()] == [rounds, rounds]
    assert given[-1] == (rounds, rounds, session.bands)


def by_starts(plan, monkeypatch, modes, ready_s=1, budget_s=60, settled_after=99, failing=""):
    """A session whose clock goes on by a second a load, and by `ready_s` for a start."""
    until = {"budget_s": budget_s, "slower_percent": {"cpu_us_per_request": 5}}
    session, clock, starts = session_of(with_slices(plan, until=until)), [float(ready_s)], [1]

    def load(session, name, kind, round, done):
        clock[0] += 1
        right = 0 if name.mode == failing else 9
        done.append(
            SimpleNamespace(
                mode=name.mode,
                start=starts[-1],
                outcome="completed",
                reason="",
                faults=[],
                load={"responses_2xx": right},
            )
        )

    def again(session, names):
        clock[0] += ready_s
        starts.append(starts[-1] + 1)

    monkeypatch.setattr(module, "load_once", load)
    monkeypatch.setattr(module, "start_again", again)
    monkeypatch.setattr(module, "lasted_s", lambda session: clock[0])
    monkeypatch.setattr(module, "logs_of_variants", lambda new, old: (new[0].mode, old[0].mode))
    monkeypatch.setattr(module, "is_settled", lambda logs, until: starts[-1] >= settled_after)
    found = in_turns(session, [Name(mode, "low", "jmeter") for mode in modes])
    return starts, found


BOTH = ("thread-per-request", "fixed-pool")


def test_variants_are_started_until_the_budget_is_spent(plan, monkeypatch):
    starts, found = by_starts(plan, monkeypatch, BOTH)
    assert len(starts) == 6
    rounds = [each.start for each in next(iter(found.values()))]
    assert all(rounds.count(start) >= 1 for start in starts)


def test_variants_that_are_settled_have_had_three_starts(plan, monkeypatch):
    assert by_starts(plan, monkeypatch, BOTH, settled_after=1)[0] == [1, 2, 3]


def test_starts_that_take_long_are_three_within_the_budget(plan, monkeypatch):
    starts, found = by_starts(plan, monkeypatch, BOTH, ready_s=12)
    assert len(starts) == 3
    assert all(len(done) >= 6 for done in found.values())


@pytest.mark.parametrize(
    ("up_s", "again", "started"), [(1, {}, True), (9, {}, False), (9, {"again": True}, True)]
)
def test_second_process_of_the_first_variant_is_started_last_where_there_is_time(
    plan, monkeypatch, up_s, again, started
):
    modes = {**plan.modes, "fixed-pool-again": plan.modes["fixed-pool"]}
    names = [Name(mode, "low", "jmeter") for mode in (*BOTH, "fixed-pool-again")]
    until = {"budget_s": 240, "slower_percent": {}} | again
    session = session_of(replace(with_slices(plan, until=until), modes=modes, cells=tuple(names)))
    clock, calls = iter((0.0, float(up_s))), []
    monkeypatch.setattr(module.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(session, "start_all", lambda modes, **how: calls.append((modes, how)))
    module.start_first(session, [*BOTH, "fixed-pool-again"])
    last = [(["fixed-pool-again"], {})] if started else []
    assert calls == [([*BOTH], {"in_order": True}), *last]


def test_second_process_that_is_not_there_is_not_loaded_and_says_why(plan, monkeypatch):
    modes = {**plan.modes, "fixed-pool-again": plan.modes["fixed-pool"]}
    plan = replace(plan, modes=modes)
    starts, found = by_starts(plan, monkeypatch, (*BOTH, "fixed-pool-again"))
    assert len(starts) == 6
    *others, (name, slices) = found.items()
    assert all(done for _, done in others)
    assert slices == []
    assert module.why_not_again(name, slices).startswith("not_ready: not loaded, as ")
    assert module.why_not_again(others[0][0], []) == ""


def test_each_start_is_warm_for_all_loads_of_its_modes(plan, monkeypatch):
    """A sweep that follows the last start would warm each mode up once more, for minutes."""
    session, warmed = session_of(plan), []
    session.place.alive["fixed-pool"] = object()
    monkeypatch.setattr(session, "stop", lambda mode: None)
    monkeypatch.setattr(session, "start_all", lambda modes, **how: None)
    monkeypatch.setattr(module, "warm_all", lambda session, names: warmed.extend(names))
    module.start_again(session, [Name(mode, "low", "jmeter") for mode in BOTH])
    assert len(warmed) > 1
    assert warmed == [name for name in plan.names() if name.mode == "fixed-pool"]


@pytest.mark.parametrize("failing", BOTH)
def test_variant_that_only_fails_does_not_spend_the_budget(plan, monkeypatch, failing):
    starts, found = by_starts(plan, monkeypatch, BOTH, failing=failing)
    assert starts == [1]
    assert {len(done) for done in found.values()} == {module.LOADS_WITHOUT_ANSWER}


def test_variant_that_is_alone_has_nothing_to_be_compared_with(plan, monkeypatch):
    """The other did not start."""
    assert by_starts(plan, monkeypatch, ("fixed-pool",))[0] == [1]


@pytest.mark.parametrize(("loaded", "rounds"), [("fixed-pool", 4), ("thread-per-request", 1)])
def test_cell_or_baseline_that_does_not_start_leaves_the_other(plan, monkeypatch, loaded, rounds):
    session, name = session_of(plan), Name(loaded, "high", "jmeter")
    session.names, session.bands = [Name("fixed-pool", "high", "jmeter")], {}

    def load(session, name, kind, round, done):
        load, metrics = {"throughput_per_s": 5.0}, {"cpu_us_per_request": 7.0}
        turn = SimpleNamespace(kind=kind, round=round)
        done.append(
            SimpleNamespace(
                **{"turn": turn, "load": load, "metrics": metrics, "counts": True},
                **{"outcome": "completed", "reason": "", "kept": False, "latencies_ms": {}},
            )
        )

    monkeypatch.setattr(module, "load_once", load)
    assert {each: len(done) for each, done in in_turns(session, [name]).items()} == {name: rounds}


def test_load_of_no_modes_is_nothing(plan):
    assert in_turns(session_of(plan), []) == {}


class Subject:
    def __init__(self):
        self.prepared = []

    def prepare(self, spec):
        self.prepared.append(spec["tier"]["id"])


@pytest.fixture
def load(plan, monkeypatch):
    """Loads one mode; each slice ends as requested: with faults, or an outcome and its reason."""

    def run(*ends, alive=True):
        session, stopped, left = session_of(plan), [], list(ends)
        live = SimpleNamespace(subject=Subject())

        waited = []

        def slice(self, turn):
            assert waited.pop()
            end = left.pop(0)
            outcome, reason = end if isinstance(end, tuple) else ("completed", "")
            faults = [] if isinstance(end, tuple) else end
            fields = {"outcome": outcome, "reason": reason, "faults": faults}
            fields["counts"] = outcome == "completed"
            return SimpleNamespace(turn=turn, load={"duration_s": 2.0}, **fields)

        monkeypatch.setattr(Place, "wait_for_others", lambda self, mode: waited.append(mode))
        monkeypatch.setattr(Loading, "slice", slice)
        monkeypatch.setattr(module, "alive", lambda session, name: live if alive else None)
        monkeypatch.setattr(session, "driver", lambda name: None)
        monkeypatch.setattr(session, "stop", stopped.append)
        done = []
        load_once(session, LOW[0], PLAIN, 2, done)
        assert live.subject.prepared == ["low"] * len(done)
        assert session.phases.spent_s.get("load_s", 0) == 2 * len(done)
        kept = [each for each in done if each.outcome == "completed"]
        assert session.phases.spent_s.get("kept_s", 0) == 2 * len(kept)
        return [(each.turn.number, each.turn.round, each.faults) for each in done], stopped

    return run


def test_slice_is_loaded_once_whatever_rule_leaves_it_out(load):
    assert load(["compiled"], []) == ([(1, 2, ["compiled"])], [])
    assert load([]) == ([(1, 2, [])], [])


@pytest.mark.parametrize("end", [("server_died", "exit status 1"), ("completed", "still holds 3")])
def test_server_that_ends_or_holds_requests_is_stopped(load, end):
    done, stopped = load(end, [])
    assert len(done) == 1
    assert stopped == ["thread-per-request"]


def test_ramp_of_a_sweep_is_loaded_at_its_rate_and_counted_apart(plan, monkeypatch):
    session, seen = session_of(plan), []
    live = SimpleNamespace(subject=Subject())

    def slice(self, turn):
        seen.append((turn.kind, self.spec["tool"]["rate_per_s"]))
        done = {"outcome": "completed", "reason": "", "faults": ["compiled"], "counts": True}
        return SimpleNamespace(turn=turn, load={"duration_s": 2.0}, **done)

    monkeypatch.setattr(Loading, "slice", slice)
    monkeypatch.setattr(module, "alive", lambda session, name: live)
    name = Name("fixed-pool", "short", "sweep")
    spec = session.spec(name)
    for kind in (CALIBRATION, PLAIN):
        load_once(session, name, kind, 1, [], spec | {"tool": spec["tool"] | {"rate_per_s": 9}})
    assert seen == [(CALIBRATION, 9), (PLAIN, 9)]
    spent_s = session.phases.spent_s
    assert [spent_s[phase] for phase in ("calibration_s", "load_s", "kept_s")] == [2, 2, 2]


def test_modes_of_a_round_meet_the_same_random_requests(plan):
    session = session_of(plan)
    steady = session.spec(Name("fixed-pool", "low", "wrk2"))
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


def test_mode_that_cannot_be_started_again_has_no_slice(load):
    assert load(alive=False) == ([], [])
