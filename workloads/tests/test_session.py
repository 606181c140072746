"""Sessions: which cells they hold, in which order they load, and what is recorded."""

import copy
import json
import os
import random
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from snakemake.utils import update_config

from workloads.experiment.configuration import ConfigurationError
from workloads.experiment.grid import Cell, Grid, groups_of, spec_of
from workloads.machine import provenance
from workloads.record import cell_folder
from workloads.record.cell import Facts, Name
from workloads.record.slice import CALIBRATION, PLAIN, PROFILED
from workloads.servers.server import Server
from workloads.session import run_session
from workloads.session.loading import Loading
from workloads.session.place import Place
from workloads.session.run_session import (
    Phases,
    Recorder,
    Session,
    in_turns,
    load_once,
    loads_in_order,
)

ROOT = Path(__file__).resolve().parents[2]
CPUS = sorted(os.sched_getaffinity(0))
FOLDER = "results/cells"


@pytest.fixture
def config():
    return yaml.safe_load((ROOT / "config.yaml").read_text())


def with_smoke(config):
    """As Snakemake does it with --configfile: key by key, at every depth."""
    update_config(config, yaml.safe_load((ROOT / "workloads/smoke.yaml").read_text()))
    return config


def modes(**versus):
    return {id: {"versus": other} if other else {} for id, other in versus.items()}


# ---- which cells a session holds


def test_modes_that_versus_links_are_a_group_across_several_links():
    chain = groups_of(modes(a=None, b="a", c="b", d=None, e="d", f=None))
    assert chain == {"a": "a", "b": "a", "c": "a", "d": "d", "e": "d", "f": "f"}
    # In whatever order, and where two chains are joined late.
    assert set(groups_of(modes(c="b", b="a", a=None)).values()) == {"a"}
    joined = groups_of(modes(a=None, b="a", c=None, d="c", e="d", c2="b", link="e", a2="link"))
    assert joined["a2"] == joined["link"] == joined["c"] == "c"
    assert joined["c2"] == joined["b"] == "a"


def test_mode_that_is_compared_both_ways_joins_two_groups():
    both = modes(a=None, b="a", c=None)
    both["c"]["versus"] = "b"
    assert set(groups_of(both).values()) == {"a"}


def test_mode_that_is_its_own_versus_is_refused(config):
    config["studies"]["request-threads"]["modes"]["fixed-pool"]["versus"] = "fixed-pool"
    with pytest.raises(ConfigurationError) as caught:
        Grid(config)
    (line,) = str(caught.value).splitlines()
    assert "modes.fixed-pool.versus = 'fixed-pool'; allowed: thread-per-request, " in line
    assert "fixed-pool" not in line.partition("allowed: ")[2].split(", ")


@pytest.mark.parametrize("smoke", [False, True])
def test_every_cell_is_in_one_session_with_its_baseline(config, smoke):
    grid = Grid(with_smoke(config) if smoke else config)
    held = [cell for session in grid.sessions for cell in session.cells]
    assert sorted(held, key=str) == sorted(grid.cells, key=str)
    for session in grid.sessions:
        versus = grid.plan(session)["versus"]
        there = {cell.mode for cell in session.cells}
        everywhere = {cell.mode for cell in grid.cells if cell.study == session.study}
        assert {versus[mode] for mode in there} & everywhere <= there | {None}


@pytest.mark.parametrize("smoke", [False, True])
def test_cell_of_a_plan_is_what_the_grid_says_it_is(config, smoke):
    grid = Grid(with_smoke(config) if smoke else config)
    for session in grid.sessions:
        # As it arrives in the session runner.
        plan = json.loads(json.dumps(grid.plan(session)))
        assert len(plan["cells"]) == len(session.cells)
        for cell in session.cells:
            spec = spec_of(plan, cell.mode, cell.tier, cell.tool)
            assert spec == json.loads(json.dumps(grid.spec(cell))), cell


def test_titles_and_labels_are_no_part_of_a_plan(config):
    changed = copy.deepcopy(config)
    study = changed["studies"]["request-threads"]
    study["title"] = study["tiers"]["low"]["title"] = "another"
    before, after = Grid(config), Grid(changed)
    session = next(one for one in before.sessions if one.study == "request-threads")
    assert before.plan(session) == after.plan(session)
    assert before.labels(session) != after.labels(session)


def test_load_that_is_shown_once_has_one_slice_in_the_first_repetition(config):
    grid = Grid(config)
    once = {cell for cell in grid.cells if grid.spec(cell)["slices"]["once"]}
    assert {(cell.tier, cell.tool) for cell in once} >= {("high", "jmeter"), ("extreme", "jmeter")}
    for cell in once:
        slices, tool = grid.spec(cell)["slices"], grid.spec(cell)["tool"]
        assert (cell.repetition, slices["rounds"], slices["profiled"]) == (1, 1, 0)
        assert "once" not in tool
    for cell in set(grid.cells) - once:
        assert replace(cell, repetition=2) in grid.cells


def test_slice_is_five_times_as_long_as_a_request_waits_or_as_its_tier_says(config):
    grid = Grid(config)

    def length_s(**wanted):
        of = (c for c in grid.cells if all(getattr(c, k) == v for k, v in wanted.items()))
        return grid.spec(next(of))["slices"]["length_s"]

    assert length_s(tier="low") == 1
    config["slices"]["length_s"] = 0.2
    grid = Grid(config)
    assert length_s(tier="waiting") == 0.5
    assert length_s(study="blocking-remote") == 3


FIXED_POOL = Cell("request-threads", "fixed-pool", "low", "jmeter", 2)


def test_cells_that_are_named_leave_their_session_and_are_measured_alone(config):
    grid = Grid(config)
    words = ["snakemake", "-f", f"{FOLDER}/{FIXED_POOL.path}/cell.json"]
    sessions = grid.sessions_to_run(words, FOLDER)
    assert sessions[-1] == grid.alone(FIXED_POOL)
    held = [cell for session in sessions for cell in session.cells]
    assert held.count(FIXED_POOL) == 1
    assert sorted(held, key=str) == sorted(grid.cells, key=str)
    assert len(sessions) == len(grid.sessions) + 1
    assert grid.sessions_to_run(["snakemake", "all"], FOLDER) == grid.sessions


def test_session_of_which_every_cell_is_named_is_none(config):
    grid = Grid(config)
    small = min(grid.sessions, key=lambda session: len(session.cells))
    words = [f"{FOLDER}/{cell.path}/cell.json" for cell in small.cells]
    sessions = grid.sessions_to_run(words, FOLDER)
    assert all(session.cells for session in sessions)
    assert len(sessions) == len(grid.sessions) - 1 + len(small.cells)


def test_cell_alone_has_its_baseline_beside_it(config):
    grid = Grid(config)
    alone = grid.alone(FIXED_POOL)
    assert alone.cells == (FIXED_POOL,)
    assert alone.beside == (replace(FIXED_POOL, mode="thread-per-request"),)
    assert (alone.alone, alone.title) == (True, FIXED_POOL.path)
    plan = grid.plan(alone)
    assert plan["beside"] == [["thread-per-request", "low", "jmeter"]]
    assert set(plan["modes"]) == {"fixed-pool", "thread-per-request"}
    # The baseline of others has none itself.
    assert grid.alone(alone.beside[0]).beside == ()
    outside = replace(FIXED_POOL, repetition=101)
    assert grid.sessions_to_run([f"{FOLDER}/{outside.path}/cell.json"], FOLDER)[-1].cells == (
        outside,
    )


@pytest.mark.parametrize(
    "word",
    [
        "results/cells/request-threads/fixed-pool/low/jmetre/rep-2/cell.json",
        "results/cells/request-threads/fixed-pool/waiting/sysbench/rep-2/cell.json",
        "results/cells/request-threads/fixed-pool/low/jmeter/rep-2",
        "results/run.lock",
    ],
)
def test_any_other_word_names_no_cell(config, word):
    assert Grid(config).cell_at(word, FOLDER) is None


# ---- the order of loads


def session_of(plan, folder=None):
    """A session without any process."""
    session = object.__new__(Session)
    session.plan, session.folder, session.seed = plan, folder, f"{plan['seed']}/a-session"
    session.names = [Name(*words) for words in plan["cells"]]
    session.random, session.phases = random.Random(session.seed), Phases()
    session.place, session.drivers = Place(CPUS[:1], CPUS[-1:], None), {}
    session.silent, session.curves = {}, {}
    session.all_cpus, session.threads = CPUS, ThreadPoolExecutor(4)
    return session


@pytest.fixture
def plan(config):
    """The first session of the first study."""
    grid = Grid(config)
    study = next(iter(config["studies"]))
    one = next(one for one in grid.sessions if one.study == study and one.repetition == 1)
    return grid.plan(one)


def test_loads_come_in_an_order_of_the_seed_and_those_shown_once_last(plan):
    session = session_of(plan)
    order = loads_in_order(session, session.names)
    assert sorted(order) == sorted({(name.tier, name.tool) for name in session.names})
    once = [plan["loads"]["/".join(load)]["slices"]["once"] for load in order]
    assert once == sorted(once) and True in once and False in once
    assert loads_in_order(session, session.names[::-1]) == order
    orders = set()
    for seed in range(5):
        other = session_of(plan | {"seed": seed})
        orders.add(tuple(loads_in_order(other, session.names)))
    assert len(orders) > 1
    # A load that is not measured this time leaves the order of the others.
    fewer = [name for name in session.names if (name.tier, name.tool) != order[0]]
    assert loads_in_order(session, fewer) == order[1:]


def test_load_that_leaves_a_backlog_comes_behind_all_but_those_shown_once(config):
    grid = Grid(config)
    sessions = [one for one in grid.sessions if one.group == "tomcat-200"]
    for plan in map(grid.plan, sessions):
        session = session_of(plan)
        order = loads_in_order(session, session.names)
        backlog = order.index(("connections-10000", "wrk2"))
        assert {tier for tier, _ in order[backlog + 1 :]} <= {"connections-100000"}


LOW = [Name(mode, "low", "jmeter") for mode in ("thread-per-request", "fixed-pool")]
LOW += [Name("thread-per-request-as-published", "low", "jmeter")]


def set_slices(plan, **changes):
    for load in plan["loads"].values():
        load["slices"] |= changes


@pytest.fixture
def turns(plan, monkeypatch):
    """Runs in_turns with outcomes by mode and load; returns (kind, round, mode) in order.

    `lost`: which slices a rule leaves out, as (mode, load).
    """

    def run(outcomes=(), lost=(), extra_rounds=0, **slices):
        set_slices(plan, extra_rounds=extra_rounds, **slices)
        loaded = []

        def load(session, name, kind, round, done):
            loaded.append((kind, round, name.mode))
            outcome, reason = dict(outcomes).get((name.mode, len(done)), ("completed", ""))
            kept = (name.mode, len(done)) not in lost
            turn = SimpleNamespace(kind=kind, round=round)
            done.append(SimpleNamespace(outcome=outcome, reason=reason, turn=turn, kept=kept))

        monkeypatch.setattr(run_session, "load_once", load)
        found = in_turns(session_of(plan), LOW)
        assert {name.mode: len(done) for name, done in found.items()} == {
            name.mode: sum(mode == name.mode for _, _, mode in loaded) for name in LOW
        }
        return loaded

    return run


def test_every_mode_is_loaded_once_a_round_in_an_order_that_is_drawn_again(turns):
    loaded = turns(rounds=6, profiled=2)
    rounds = [loaded[at : at + 3] for at in range(0, len(loaded), 3)]
    kinds = [(PLAIN, number + 1) for number in range(6)] + [(PROFILED, 1), (PROFILED, 2)]
    assert [{(kind, number) for kind, number, _ in each} for each in rounds] == [
        {kind} for kind in kinds
    ]
    orders = [tuple(mode for _, _, mode in each) for each in rounds]
    assert {frozenset(order) for order in orders} == {frozenset(name.mode for name in LOW)}
    assert len(set(orders)) > 1
    assert turns(rounds=6, profiled=2) == loaded


def of_mode(loaded, mode):
    return [(kind, number) for kind, number, each in loaded if each == mode]


@pytest.mark.parametrize("outcome", ["server_died", "hung", "timed_out", "refused"])
def test_mode_that_did_not_complete_is_not_loaded_again(turns, outcome):
    loaded = turns({("fixed-pool", 1): (outcome, "why")}, rounds=3, profiled=1)
    assert of_mode(loaded, "fixed-pool") == [(PLAIN, 1), (PLAIN, 2)]
    for mode in ("thread-per-request", "thread-per-request-as-published"):
        assert len(of_mode(loaded, mode)) == 4


def test_mode_that_still_holds_requests_is_loaded_again_for_its_profile_alone(turns):
    holds = {("fixed-pool", 0): ("completed", "still holds 9 requests of its load")}
    loaded = turns(holds, rounds=3, profiled=1)
    assert of_mode(loaded, "fixed-pool") == [(PLAIN, 1), (PROFILED, 1)]


def test_mode_that_lost_a_slice_has_extra_rounds_beside_its_baseline(turns):
    lost = {("fixed-pool", 1), ("fixed-pool", 3)}
    loaded = turns(lost=lost, rounds=2, profiled=1, extra_rounds=3)
    both = {"fixed-pool", "thread-per-request"}
    assert [kind for kind, _, _ in loaded] == [PLAIN] * 6 + [PROFILED] * 3 + [PLAIN] * 4
    extra = [(number, mode) for _, number, mode in loaded[9:]]
    # Round 3 is lost too, round 4 is kept, a fifth is not wanted.
    assert set(extra[:2]) == {(3, mode) for mode in both}
    assert set(extra[2:]) == {(4, mode) for mode in both}


def test_profiled_slice_that_a_rule_left_out_is_loaded_again_and_comes_last(turns):
    # The third slice of each is its profiled one; with the fourth none is behind any more.
    lost = {("fixed-pool", 1), ("fixed-pool", 2)}
    loaded = turns(lost=lost, rounds=2, profiled=1, extra_rounds=2)
    expected = [(PLAIN, 1), (PLAIN, 2), (PROFILED, 1), (PLAIN, 3), (PROFILED, 2)]
    assert of_mode(loaded, "fixed-pool") == expected
    # A profile is compared with nothing of its round, so its baseline is not loaded again.
    baseline = of_mode(loaded, "thread-per-request")
    assert baseline == [(PLAIN, 1), (PLAIN, 2), (PROFILED, 1), (PLAIN, 3)]
    never_clean = {("fixed-pool", number) for number in range(2, 9)}
    loaded = turns(lost=never_clean, rounds=2, profiled=1, extra_rounds=2)
    assert of_mode(loaded, "fixed-pool")[2:] == [(PROFILED, 1), (PROFILED, 2), (PROFILED, 3)]


def test_extra_rounds_have_an_end(turns):
    lost = {("fixed-pool", number) for number in range(9)}
    assert len(of_mode(turns(lost=lost, rounds=2, profiled=0, extra_rounds=2), "fixed-pool")) == 4
    assert len(of_mode(turns(lost=lost, rounds=2, profiled=0), "fixed-pool")) == 2


def test_mode_that_is_gone_has_no_extra_round(turns):
    gone = {("fixed-pool", 0): ("server_died", "why")}
    assert len(turns(gone, rounds=2, profiled=0, extra_rounds=2)) == 5


def test_load_of_no_modes_is_nothing(plan):
    assert in_turns(session_of(plan), []) == {}


class Subject:
    def __init__(self):
        self.prepared = []

    def prepare(self, spec):
        self.prepared.append(spec["tier"]["id"])


@pytest.fixture
def load(plan, monkeypatch):
    """Loads one mode; each slice ends as asked: with faults, or an outcome and its reason."""

    def run(*ends, alive=True):
        session, stopped, left = session_of(plan), [], list(ends)
        live = SimpleNamespace(subject=Subject())

        waited = []

        def slice(self, turn):
            assert waited.pop()
            end = left.pop(0)
            outcome, reason = end if isinstance(end, tuple) else ("completed", "")
            faults = [] if isinstance(end, tuple) else end
            fields = {"outcome": outcome, "reason": reason, "faults": faults, "kept": not faults}
            return SimpleNamespace(turn=turn, load={"duration_s": 2.0}, **fields)

        monkeypatch.setattr(Place, "wait_for_others", lambda self, mode: waited.append(mode))
        monkeypatch.setattr(Loading, "slice", slice)
        monkeypatch.setattr(session, "alive", lambda mode: live if alive else None)
        monkeypatch.setattr(session, "driver", lambda name: None)
        monkeypatch.setattr(session, "stop", stopped.append)
        done = []
        load_once(session, LOW[0], PLAIN, 2, done)
        assert live.subject.prepared == ["low"] * len(done)
        assert session.phases.spent_s.get("load_s", 0) == 2 * len(done)
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


def test_ramp_of_a_curve_is_loaded_as_asked_and_counted_apart(plan, monkeypatch):
    session, seen = session_of(plan), []
    live = SimpleNamespace(subject=Subject())

    def slice(self, turn):
        seen.append((turn.kind, self.spec["tool"]["rate_per_s"]))
        done = {"outcome": "completed", "reason": "", "faults": ["compiled"], "kept": False}
        return SimpleNamespace(turn=turn, load={"duration_s": 2.0}, **done)

    monkeypatch.setattr(Loading, "slice", slice)
    monkeypatch.setattr(session, "alive", lambda mode: live)
    name = Name("fixed-pool", "saturated", "curve")
    spec = session.spec(name)
    for kind in (CALIBRATION, PLAIN):
        load_once(session, name, kind, 1, [], spec | {"tool": spec["tool"] | {"rate_per_s": 9}})
    assert seen == [(CALIBRATION, 9), (PLAIN, 9)]
    assert (session.phases.spent_s["calibration_s"], session.phases.spent_s["load_s"]) == (2, 2)


def test_mode_that_cannot_be_started_again_has_no_slice(load):
    assert load(alive=False) == ([], [])


# ---- what is measured, and what is kept


@pytest.fixture
def folders(plan, tmp_path, monkeypatch):
    monkeypatch.setattr(provenance, "fingerprint", lambda spec: "ab")
    names = [Name(*words) for words in plan["cells"]]
    return {name: tmp_path / name.mode / name.tier / name.tool for name in names}


def measured(plan, folder, name, **changed):
    spec = spec_of(plan, name.mode, name.tier, name.tool)
    folder.mkdir(parents=True)
    provenance_of = {"provenance": {"jars_sha256": "ab"} | changed}
    cell_folder.write({"configuration": spec} | provenance_of, folder)


def test_current_cells_are_kept_and_the_baselines_of_others_loaded_beside(plan, folders):
    chosen, again = run_session.to_measure(plan, folders, again=False)
    assert (chosen, again) == (list(folders), [])
    missing, stale = Name("fixed-pool", "low", "wrk2"), Name("event-loop", "mid", "wrk2")
    for name, folder in folders.items():
        if name != missing:
            measured(plan, folder, name, **({"jars_sha256": "cd"} if name == stale else {}))
    chosen, again = run_session.to_measure(plan, folders, again=False)
    assert set(chosen) == {missing, stale}
    assert set(again) == {replace(name, mode="thread-per-request") for name in chosen}
    # The baseline itself is measured again without the others.
    (folders[again[0]] / cell_folder.CELL).unlink()
    (folders[again[0]] / cell_folder.SECOND_NAME).unlink()
    chosen, rest = run_session.to_measure(plan, folders, again=False)
    assert set(chosen) == {missing, stale, again[0]}
    assert rest == again[1:]
    assert run_session.to_measure(plan, folders, again=True) == (list(folders), [])


def test_cell_alone_is_measured_with_its_baseline_which_is_not_recorded(config, tmp_path):
    grid = Grid(config)
    plan = grid.plan(grid.alone(FIXED_POOL))
    name = Name("fixed-pool", "low", "jmeter")
    chosen, again = run_session.to_measure(plan, {name: tmp_path}, again=True)
    assert chosen == [name]
    assert again == [Name("thread-per-request", "low", "jmeter")]


def test_session_that_is_not_alone_is_refused():
    run_session.check_alone("4/4")
    with pytest.raises(SystemExit, match="1 of 4 cores"):
        run_session.check_alone("1/4")


def test_what_this_machine_lacks_is_named_before_anything_starts(plan, monkeypatch):
    run_session.check_tools(plan)
    monkeypatch.setattr(run_session.shutil, "which", lambda name: None)
    with pytest.raises(FileNotFoundError, match="no setpriv on the PATH: run make setup"):
        run_session.check_tools(plan)


# ---- what is recorded


@pytest.fixture
def recorder(config, plan, tmp_path, monkeypatch):
    """Of the first session of the first study; `again` are baselines that are not recorded."""
    grid = Grid(config)
    study = next(iter(config["studies"]))
    one = next(one for one in grid.sessions if one.study == study and one.repetition == 1)
    facts = Facts(
        id="an-id",
        study=study,
        group=one.group,
        repetition=1,
        started="2026-11-20T12:00:00+00:00",
        commit="0" * 40,
        server_cpus=[0],
        generator_cpus=[1],
        topology={},
        labels=grid.labels(one),
    )
    (tmp_path / "session").mkdir()

    def make(*again):
        session = session_of(plan, tmp_path / "session")
        session.started = run_session.datetime.now(run_session.UTC)
        return Recorder(session, facts, tmp_path / FOLDER, list(again))

    return make


def record_of(recorder, name):
    record = json.loads((recorder.folder(name) / cell_folder.CELL).read_text())
    cell_folder.validate(record)
    return record


def test_load_beyond_the_limits_is_recorded_as_such(recorder, monkeypatch):
    monkeypatch.setattr(run_session, "beyond_limits", lambda connections: f"no {connections}")
    one, name = recorder(), Name("event-loop", "extreme", "wrk2")
    run_session.load_in_turns(one.session, one, [name])
    record = record_of(one, name)
    assert (record["outcome"], record["outcome_reason"]) == ("beyond_limits", "no 1000")
    assert record["load"]["requests_recorded"] == 0
    assert (record["validity"]["valid"], record["validity"]["bounds"]) == (False, {})


def test_more_cpus_than_there_are_are_recorded_as_such(plan, recorder):
    for load in plan["loads"].values():
        load["tier"]["server_cpus"] = 4096
    shares, too_few = run_session.shares_of(plan)
    assert shares == run_session.cpu_shares()
    assert too_few.startswith("testbed.server_cpus = 4096; allowed: up to ")
    one = recorder()
    one.session.too_few = too_few
    run_session.measure(one.session, one)
    assert one.written and not one.session.place.alive
    assert {record["outcome"] for _, record in one.written} == {"beyond_limits"}


LISTEN = """
import socket, time
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
print(f"listening on 127.0.0.1:{s.getsockname()[1]}", flush=True)
"""
ANSWER = """
while True:
    c, _ = s.accept(); c.recv(9999)
    c.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok"); c.close()
"""
SERVERS = {
    "thread-per-request": LISTEN + ANSWER,
    "fixed-pool": LISTEN + "print('no thread left', flush=True)\nwhile True: s.accept()[0].close()",
    "event-loop": "raise SystemExit('no such class')",
}


def test_server_that_does_not_answer_is_an_outcome_and_the_others_go_on(recorder, monkeypatch):
    one = recorder()
    session = one.session

    def subject(spec, folder, position, backend):
        return Server([sys.executable, "-c", SERVERS[spec["mode"]["id"]]], CPUS, folder)

    monkeypatch.setattr(session, "subject", subject)
    session.start_all(list(SERVERS))
    silent = session.silent
    try:
        assert list(session.place.alive) == ["thread-per-request"]
        assert set(silent) == {"fixed-pool", "event-loop"}
        why = str(silent["event-loop"])
        assert why.startswith("server_died: event-loop: it did not start to listen; command: ")
        assert why.endswith("it said last: no such class")
        name = Name("fixed-pool", "low", "wrk2")
        run_session.load_in_turns(session, one, [name])
        # It is not started again for every round.
        assert session.alive("fixed-pool") is None
        record = record_of(one, name)
        assert record["outcome"] == "hung"
        assert record["outcome_reason"].startswith("fixed-pool: no right answer: ")
        assert record["outcome_reason"].endswith(" | no thread left")
        assert record["server"] is None
    finally:
        session.stop("thread-per-request")
    assert session.place.alive == {}


def test_curve_is_climbed_and_recorded_with_how_far_each_mode_came(
    recorder, make_slice, monkeypatch
):
    one = recorder()
    names = [Name(mode, "saturated", "curve") for mode in ("thread-per-request", "fixed-pool")]
    facts = {"calibrated_per_s": 800.5, "ended": "not_sustained", "seed": 7}
    facts |= {"arrivals": "poisson", "objective_ms": 20, "steps": 8, "ladder": 20}

    def climb(session, names, load):
        assert load is load_once
        session.curves = dict.fromkeys(names, facts)
        step = {"sustained": True, "offered_per_s": 50.0, "served_per_s": 50.0, "loop": "open"}
        return {name: [make_slice(1, load=step)] for name in names}

    monkeypatch.setattr(run_session, "climb", climb)
    run_session.load_in_turns(one.session, one, names)
    for name in names:
        record = record_of(one, name)
        assert record["curve"] == facts
        assert record["load"]["throughput_per_s"] is None
        assert record["session"]["rounds"] == 8
    # Without any mode there is nothing to climb.
    run_session.load_in_turns(one.session, one, [])


def test_server_that_is_gone_is_started_and_warmed_up_again(plan, monkeypatch):
    session, notes = session_of(plan), []
    process = SimpleNamespace(ended=lambda: True)
    subject = SimpleNamespace(process=process, pooler=None, stop=lambda: notes.append("stop"))
    live = SimpleNamespace(subject=subject, backend=None, processes=lambda: [process])
    session.place.alive["fixed-pool"] = live
    renewed = SimpleNamespace(processes=lambda: [SimpleNamespace(ended=lambda: False)])

    def start(mode):
        notes.append("start")
        session.place.alive[mode] = renewed

    monkeypatch.setattr(session, "start", start)
    monkeypatch.setattr(session, "warm_all", lambda modes: notes.append(f"warm {modes}"))
    assert session.alive("fixed-pool") is renewed
    assert notes == ["stop", "start", "warm ['fixed-pool']"]
    assert session.alive("fixed-pool") is renewed
    assert len(notes) == 3
    assert session.phases.spent_s["restart_s"] >= 0


def test_cell_is_recorded_with_its_baseline_that_is_no_cell_of_this_run(recorder, make_slice):
    baseline, name = LOW[:2]
    one = recorder(baseline)
    one.write({baseline: [make_slice(1)]})
    assert not one.folder(baseline).exists()
    one.write({name: [make_slice(1), make_slice(2, faults=["compiled"])]})
    record = record_of(one, name)
    assert (record["cell"]["mode"], record["load"]["requests_recorded"]) == ("fixed-pool", 100)
    assert record["load"]["slices"] == {"plain": 2, "kept": 1, "repeated": 0, "left_out": 1}
    beside = one.folder(name) / cell_folder.VERSUS
    versus = json.loads((beside / cell_folder.CELL).read_text())
    cell_folder.validate(versus)
    assert versus["cell"]["mode"] == "thread-per-request"
    assert versus["session"]["id"] == record["session"]["id"] == "an-id"
    assert (beside / "slices.csv").exists()
    # Where the baseline is a cell of the run, its folder is where it always is.
    whole = recorder()
    whole.write({baseline: [make_slice(1)], name: [make_slice(1)]})
    assert record_of(whole, baseline)["cell"]["mode"] == "thread-per-request"
    assert not (whole.folder(name) / cell_folder.VERSUS).exists()


def test_phases_of_the_session_are_in_all_of_its_cells(recorder, make_slice):
    one = recorder()
    for name in LOW[:2]:
        one.write({name: [make_slice()]})
        assert record_of(one, name)["session"]["phases"] == {}
    one.session.phases.add("load_s", 1.5)
    one.session.phases.add("load_s", 2.0)
    one.add_phases()
    phases = [record_of(one, name)["session"]["phases"] for name in LOW[:2]]
    assert phases[0] == phases[1]
    assert phases[0]["load_s"] == 3.5
    assert phases[0]["wall_s"] >= 0
    for name in LOW[:2]:
        folder = one.folder(name)
        assert (folder / cell_folder.CELL).read_bytes() == (
            folder / cell_folder.SECOND_NAME
        ).read_bytes()


def test_modes_that_must_die_run_alone_behind_the_others(recorder, monkeypatch):
    one, notes = recorder(), []
    session = one.session
    session.names = [*LOW, Name("fixed-pool-as-published", "low", "jmeter")]
    session.names += [Name("thread-per-request", "mid", "wrk2")]
    monkeypatch.setattr(session, "warm_all", lambda *_: None)
    monkeypatch.setattr(session, "start_all", lambda modes: notes.append(sorted(modes)))
    monkeypatch.setattr(session, "stop", lambda mode: notes.append(f"stop {mode}"))

    def load(session, recorder, names):
        notes.append((*{(name.tier, name.tool) for name in names}, {name.mode for name in names}))

    monkeypatch.setattr(run_session, "load_in_turns", load)
    run_session.measure(session, one)
    together = sorted(name.mode for name in LOW)
    assert notes[0] == together
    loads = [note for note in notes if isinstance(note, tuple)]
    assert (("low", "jmeter"), set(together)) in loads[:2]
    assert (("mid", "wrk2"), {"thread-per-request"}) in loads[:2]
    assert loads[2:] == [(("low", "jmeter"), {"fixed-pool-as-published"})]
    last_of_others = max(notes.index(f"stop {mode}") for mode in together)
    assert last_of_others < notes.index(loads[2]) < len(notes) - 1
    assert notes[-1] == "stop fixed-pool-as-published"
