"""Records: what a session writes of its cells, and what becomes of servers that do not answer."""

import json
import re
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest

from workloads.experiment.plan import Name
from workloads.machine import provenance
from workloads.record import cell_folder
from workloads.record.cell import Facts
from workloads.servers.server import Server
from workloads.session import start as start_module
from workloads.session import turns
from workloads.session.recorder import Recorder
from workloads.tests.planned import (
    ALONE,
    BASELINE,
    CPUS,
    labels_of,
    plan_of,
    session_of,
)
from workloads.tests.test_server import ANSWER, LISTEN

LOW = [Name(mode, "low", "jmeter") for mode in (BASELINE, "fixed-pool", "event-loop")]


@pytest.fixture
def recorder(tmp_path, monkeypatch):
    """Records a session of the plan; its words are baselines that are not recorded."""
    # The servers need not be built.
    monkeypatch.setattr(provenance, "fingerprints", lambda spec: ["ab  a.jar"])
    plan = plan_of()
    facts = Facts(
        id="an-id",
        study="a-study",
        comparison="threads",
        repetition=1,
        started="2026-11-20T12:00:00+00:00",
        commit="0" * 40,
        server_cpus=[0],
        generator_cpus=[1],
        topology={},
        labels=labels_of(plan),
        limits={},
    )
    (tmp_path / "session").mkdir()

    def make(*baselines):
        session = session_of(plan, tmp_path / "session")
        return Recorder(session, facts, tmp_path / "results/cells", list(baselines))

    return make


def record_of(recorder, name):
    record = json.loads((recorder.folder(name) / cell_folder.CELL).read_text())
    cell_folder.validate(record)
    return record


def test_load_beyond_the_limits_is_recorded_as_such(recorder, monkeypatch):
    monkeypatch.setattr(turns, "beyond_limits", lambda connections, **_: f"no {connections}")
    one, name = recorder(), Name("event-loop", "extreme", "wrk2")
    turns.load_all(one.session, one, [name])
    record = record_of(one, name)
    assert (record["outcome"], record["outcome_reason"]) == ("beyond_limits", "no 1000")
    assert record["load"]["requests_recorded"] == 0
    assert (record["validity"]["valid"], record["validity"]["bounds"]) == (False, {})


SERVERS = {
    BASELINE: LISTEN + ANSWER.format(status=200),
    "fixed-pool": LISTEN + "print('no thread left', flush=True)\nwhile True: s.accept()[0].close()",
    "event-loop": "raise SystemExit('no such class')",
}


def test_server_that_does_not_answer_is_an_outcome_and_the_others_go_on(recorder, monkeypatch):
    one = recorder()
    session = one.session

    def subject_of(spec, folder, position, place, backend):
        return Server([sys.executable, "-c", SERVERS[spec["mode"]["id"]]], CPUS, folder)

    monkeypatch.setattr(start_module, "subject_of", subject_of)
    monkeypatch.setattr(start_module, "server", SimpleNamespace(START_LIMIT_S=0))
    session.start_all(list(SERVERS))
    silent = session.silent
    try:
        assert list(session.place.alive) == [BASELINE]
        assert set(silent) == {"fixed-pool", "event-loop"}
        why = str(silent["event-loop"])
        assert why.startswith("server_died: event-loop: it did not start to listen; command: ")
        assert why.endswith("it said last: no such class")
        name = Name("fixed-pool", "low", "wrk2")
        turns.load_all(session, one, [name])
        # It is not started again for every round.
        assert turns.alive(session, name) is None
        record = record_of(one, name)
        assert record["outcome"] == "not_ready"
        silent_since = r"fixed-pool: no right answer after \d+ s, last "
        assert re.match(silent_since, record["outcome_reason"])
        assert record["outcome_reason"].endswith(" | no thread left")
        assert record["server"] is None
    finally:
        session.stop(BASELINE)
    assert session.place.alive == {}


def test_cell_that_gets_a_profile_is_recorded_when_that_is_there(recorder, monkeypatch):
    one, notes = recorder(), []
    session = one.session
    session.plan = replace(session.plan, profiles={"low/jmeter": {"event-loop": ["cpu"]}})
    session.names = [Name("event-loop", *load) for load in (("low", "jmeter"), ("mid", "wrk2"))]

    def profile_all(session, found, load):
        notes.extend(name.tier for name in found)

    monkeypatch.setattr(turns, "in_turns", lambda session, names: {name: [] for name in names})
    monkeypatch.setattr(turns, "profile_all", profile_all)
    monkeypatch.setattr(turns, "beyond_limits", lambda connections, **_: "")
    monkeypatch.setattr(turns, "warm_all", lambda session, names: None)
    monkeypatch.setattr(session, "start_all", lambda modes, **_: None)
    monkeypatch.setattr(one, "write", lambda name, *_: notes.append(f"write {name.tier}"))
    turns.measure(session, one)
    assert notes == ["write mid", "low", "write low"]
    # Without one it is recorded with the others of its load: a cell by itself, or a baseline that
    # the cells compared with it take into their folders.
    low = session.names[0]
    assert turns.gets_profile(session, one, low)
    assert not turns.gets_profile(session, recorder(low), low)
    session.bands = {}
    assert not turns.gets_profile(session, one, low)


def test_server_that_is_gone_is_started_and_warmed_up_for_the_load_that_comes_next(monkeypatch):
    session, notes = session_of(plan_of()), []
    low, high = (Name("fixed-pool", tier, "jmeter") for tier in ("low", "high"))
    process = SimpleNamespace(ended=lambda: True)
    subject = SimpleNamespace(process=process, pooler=None, stop=lambda: notes.append("stop"))
    live = SimpleNamespace(subject=subject, backend=None, processes=lambda: [process])
    session.place.alive["fixed-pool"] = live
    running = [SimpleNamespace(ended=lambda: False)]
    renewed = SimpleNamespace(processes=lambda: running, warm_for=set())

    def start(mode):
        notes.append("start")
        session.place.alive[mode] = renewed

    def warm_all(session, names):
        notes.extend(f"warm {name.tier}" for name in names)
        renewed.warm_for |= {*names}

    monkeypatch.setattr(session, "start", start)
    monkeypatch.setattr(turns, "warm_all", warm_all)
    assert turns.alive(session, low) is renewed
    assert notes == ["stop", "start", "warm low"]
    assert turns.alive(session, low) is renewed
    assert len(notes) == 3
    # It is warm for no other load yet.
    assert turns.alive(session, high) is turns.alive(session, high) is renewed
    assert notes[3:] == ["warm high"]


def test_cell_is_recorded_with_its_baseline_that_is_no_cell_of_this_run(recorder, make_slice):
    baseline, name = LOW[:2]
    one = recorder(baseline)
    one.write(baseline, [make_slice(1)])
    assert not one.folder(baseline).exists()
    one.write(name, [make_slice(1), make_slice(2, faults=["compiled"])])
    record = record_of(one, name)
    assert (record["cell"]["mode"], record["load"]["requests_recorded"]) == ("fixed-pool", 200)
    assert (record["load"]["slices"]["kept"], record["load"]["slices"]["counted"]) == (1, 2)
    beside = one.folder(name) / cell_folder.BASELINE
    other = json.loads((beside / cell_folder.CELL).read_text())
    cell_folder.validate(other)
    assert other["cell"]["mode"] == BASELINE
    assert other["session"]["id"] == record["session"]["id"] == "an-id"
    assert (beside / "slices.csv").exists()
    # Where the baseline is a cell of the run, its folder is where it always is.
    whole = recorder()
    for each in (baseline, name):
        whole.write(each, [make_slice(1)])
    assert record_of(whole, baseline)["cell"]["mode"] == BASELINE
    assert not (whole.folder(name) / cell_folder.BASELINE).exists()


def test_modes_that_must_die_run_alone_behind_the_others(recorder, monkeypatch):
    one, notes = recorder(), []
    session = one.session
    alone = {Name(ALONE, "low", "jmeter")}
    session.names = [*LOW, *alone, Name(BASELINE, "mid", "wrk2")]
    monkeypatch.setattr(turns, "warm_all", lambda *_: None)
    monkeypatch.setattr(session, "start_all", lambda modes, **_: notes.append(sorted(modes)))
    monkeypatch.setattr(session, "stop", lambda mode: notes.append(f"stop {mode}"))
    monkeypatch.setattr(turns, "load_all", lambda *words: notes.append({*words[-1]}) or {})
    turns.measure(session, one)
    together = sorted(name.mode for name in LOW)
    assert notes[0] == together
    assert [note for note in notes if isinstance(note, set)] == [{*session.names} - alone, alone]
    last_of_others = max(notes.index(f"stop {mode}") for mode in together)
    assert last_of_others < notes.index(alone) < len(notes) - 1
    assert notes[-1] == f"stop {ALONE}"
