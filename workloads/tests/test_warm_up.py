"""A warm-up ends at its limit, or when the compiler is idle and CPU time a request stays level."""

import json
import os
import sys
from types import SimpleNamespace

import pytest

from workloads.servers.server import Server
from workloads.session import warm_up as module
from workloads.session.warm_up import WarmUp, at_share, kinds_of, loads_of, next_share, short_load
from workloads.tests.test_server import ANSWER, LISTEN
from workloads.tools.wrk2 import DUE

PLAN = {
    "path": "/a",
    "rate_per_s": 100,
    "connections": 2,
    "burst_s": 1,
    "compiler_share_at_most": 0.05,
    "requests_at_least": 250,
    "limit_s": 20,
}
BURST = {"burst": {"path": "/burst", "connections": 20}}
NOWHERE = SimpleNamespace(client_environment={}, address="127.0.0.1", port=1)


class Machine:
    """Time, both clocks and loads of a second: (CPU time of compilers, µs a request, requests)."""

    def __init__(self, courses, dies_after=99):
        self.courses, self.now_s, self.compiled_s, self.used_s = courses, 0.0, 0.0, 0.0
        self.loads, self.dies_after = [], dies_after
        self.subject = SimpleNamespace(port=1, process=SimpleNamespace(pid=1, ended=self.ended))
        self.asked, self.waits_s = [], set()
        for name in ("ask", "rows", "counters", "watch"):
            setattr(self.subject, name, lambda *_, name=name, **on: self.asked.append(name))

    def ended(self):
        return len(self.loads) >= self.dies_after

    def short_load(self, plan, subject, cpus, folder):
        course = self.courses[plan["path"]]
        compiled_s, cost_us, requests = course.pop(0) if len(course) > 1 else course[0]
        self.loads.append(plan["path"])
        self.now_s += 1
        self.compiled_s += compiled_s
        self.used_s += compiled_s + cost_us * requests / 1e6
        return requests

    def until_idle(self, compilers, idle_at_most, limit_s, step):
        self.asked.append("wait")
        self.waits_s.add(limit_s)


@pytest.fixture
def warm_up(monkeypatch):
    """Warms up a machine by the course of its loads of /a, and of other paths by their names."""

    def run(course, *plans, compilers=("compilers",), others=(), machine=Machine, **more):
        made = machine({"/a": course, **dict(others)}, **more)
        monkeypatch.setattr(module.time, "monotonic", lambda: made.now_s)
        monkeypatch.setattr(module, "compiler_threads", lambda pid: compilers)
        monkeypatch.setattr(module, "compiler_s", lambda threads: made.compiled_s)
        monkeypatch.setattr(module, "clock_s", lambda pid: made.used_s)
        monkeypatch.setattr(module, "short_load", made.short_load)
        monkeypatch.setattr(module, "until_idle", made.until_idle)
        study = {"verify_path": "/verify"}
        return made, module.warm_up(made.subject, list(plans or [PLAN]), study, [0], None)

    return run


def test_it_ends_when_the_compiler_is_idle_and_requests_get_no_cheaper(warm_up):
    machine, result = warm_up(
        [
            *((0.9, 900, 100), (0.3, 700, 100), (0.04, 300, 100), (0.02, 290, 100)),
            *((0.2, 285, 100), (0.01, 280, 100), (0.02, 280, 100), (0.0, 280, 100)),
        ]
    )
    # In the second turn of two loads the compiler is idle, but a request costs much less CPU time
    # than in the first; in the third it is at work once more.
    assert len(machine.loads) == 8
    assert result == WarmUp("idle", 8, 800, pytest.approx(0.01))


@pytest.mark.parametrize(
    ("seen", "why"),
    [((0.06, 300, 100), "the compiler is at work"), ((0.0, 300, 10), "too few requests")],
)
def test_it_ends_at_its_limit(warm_up, seen, why):
    machine, result = warm_up([seen])
    assert (result.ended, result.lasted_s, len(machine.loads)) == ("limit", 20, 20), why
    machine, result = warm_up([seen], dies_after=2)
    assert (result.ended, len(machine.loads)) == ("limit", 2)


def test_loads_are_as_fast_as_the_server_answers(warm_up):
    asked = []

    class Slow(Machine):
        def short_load(self, plan, subject, cpus, folder):
            super().short_load(plan, subject, cpus, folder)
            asked.append(plan["rate_per_s"])
            return min(30, plan["rate_per_s"])

    warm_up([(0.5, 300, 0)], PLAN | {"limit_s": 6}, machine=Slow)
    # It answers 30 a second: 50 are too many to go on, and enough to stay.
    assert asked == [25, 50, 50, 50, 50, 50]
    for answered, share in ((90, 1.0), (50, 0.5), (49, 0.25)):
        assert next_share(0.5, PLAN, [answered]) == share
    # The result of a burst does not count.
    assert next_share(0.5, PLAN, [95, 95, 0]) == 1.0
    assert next_share(1 / 64, PLAN, [0, 0]) == 1 / 64
    assert at_share(PLAN | BURST, 1 / 64)["burst"] == {"path": "/burst", "connections": 1}


def test_server_that_answers_nothing_yet_has_longer(warm_up):
    short, nothing = PLAN | {"limit_s": 2}, (0.5, 0, 0)
    _, result = warm_up([nothing], short)
    assert (result.ended, result.lasted_s) == ("limit", module.FIRST_ANSWER_LIMIT_S)
    _, result = warm_up([*[nothing] * 9, (0.5, 300, 1)], short)
    assert result.lasted_s == 10


def test_server_without_a_compiler_is_compared_with_itself_first(warm_up):
    falls = [(0.0, 900, 500), (0.0, 500, 500), (0.0, 490, 500)]
    machine, result = warm_up(falls, compilers=())
    # Turns of two loads: a request of the second costs much less CPU time than one of the first.
    assert (result.ended, len(machine.loads)) == ("idle", 6)
    # There is nothing that so many requests would have compiled.
    few = [(0.0, 900, 9)], PLAN | {"limit_s": 9}
    assert warm_up(*few, compilers=())[1].ended == "idle"
    assert warm_up(*few)[1].ended == "limit"


def test_paths_take_turns_and_all_must_be_idle(warm_up):
    paths, idle, busy = (PLAN, PLAN | {"path": "/b"}), (0.0, 300, 100), (0.5, 300, 100)
    _, result = warm_up([idle], *paths, others={"/b": [busy]})
    # Each path has its limit.
    assert (result.ended, result.lasted_s) == ("limit", 40)
    machine, result = warm_up([idle], *paths, others={"/b": [busy, idle]})
    assert (result.ended, machine.loads) == ("idle", ["/a", "/b"] * 2)


def test_between_loads_the_server_gets_the_requests_that_it_gets_between_slices(warm_up):
    machine, _ = warm_up([(0.0, 300, 200)], PLAN | {"compiling_limit_s": 1.25})
    assert (len(machine.loads), machine.waits_s) == (2, {1.25})
    asked = ["ask", "rows", "counters", "watch", "watch"]
    assert machine.asked == [*asked, "wait"] * 2
    # A server without a compiler has nothing to wait for.
    without, _ = warm_up([(0.0, 300, 200)], compilers=())
    assert without.asked[:10] == asked * 2


@pytest.mark.parametrize(("left_s", "waits_s"), [(0.42, 0.5), (99, module.COMPILING_LIMIT_S)])
def test_load_waits_for_what_the_one_before_had_compiled(monkeypatch, left_s, waits_s):
    now = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(module.time, "sleep", lambda seconds: now.append(now.pop() + seconds))
    monkeypatch.setattr(module, "compiler_s", lambda threads: min(now[0], left_s))
    module.until_idle(
        ["compilers"], 0.05, module.COMPILING_LIMIT_S, lambda: module.time.sleep(0.05)
    )
    assert now[0] == pytest.approx(waits_s, abs=0.051)


def test_each_kind_of_load_must_be_idle(warm_up):
    plan = PLAN | {"keep_alive": True} | BURST
    kept, closed, many = kinds_of(plan)
    assert kept == plan
    assert closed == plan | {"keep_alive": False}
    assert (many["path"], many["connections"], many["rate_per_s"]) == ("/burst", 20, 200)
    bursts = {"/burst": [(0.5, 300, 100), (0.0, 300, 100)]}
    machine, result = warm_up([(0.0, 300, 100)], plan, others=bursts)
    assert result.ended == "idle"
    assert machine.loads == ["/a", "/a", "/burst"] * 2
    # Without kept connections there is one kind.
    assert kinds_of(PLAN | BURST) == [PLAN | BURST]


def test_loads_that_are_the_same_are_made_once_with_the_largest_burst():
    def spec(path, burst, own="/own", **mode):
        asked = {"path": path, "burst": {"path": own, "connections": burst}, "limit_s": 60}
        return {"warm_up": asked, "mode": mode}

    loads = loads_of([spec("/a", 10), spec("/b", 20), spec("/a", 50), spec("/a", 5)])
    bursts = [(load["path"], load["burst"]["connections"]) for load in loads]
    assert bursts == [("/a", 50), ("/b", 20)]
    # Tiers' own paths differ only where a burst asks them.
    assert len(loads_of([spec("/a", 0, "/b"), spec("/a", 0, "/c")])) == 1
    assert len(loads_of([spec("/a", 1, "/b"), spec("/a", 1, "/c")])) == 2
    # It would die of many clients, and is started again for each slice.
    alone = loads_of([spec("/a", 10, alone=True), spec("/b", 0, alone=True)])
    assert [load["burst"]["connections"] for load in alone] == [1, 0]
    assert {load["limit_s"] for load in alone} == {module.ALONE_LIMIT_S}
    assert loads_of([{"warm_up": None}]) == []


CPUS = sorted(os.sched_getaffinity(0))


def test_short_load_is_one_of_the_projects_own_generator(tmp_path):
    code = LISTEN + ANSWER.format(status=200)
    server = Server([sys.executable, "-c", code], CPUS, tmp_path)
    try:
        answered = short_load(PLAN | {"burst_s": 0.2}, server, CPUS, tmp_path)
        seen = json.loads((tmp_path / "warm-up.json").read_text())
        assert seen["requests"]["completed"] == answered >= 1
    finally:
        server.process.stop(1)


def test_load_that_cannot_run_says_why(tmp_path):
    if not DUE.exists():
        pytest.skip("the generator is not built here")
    with pytest.raises(RuntimeError, match="the warm-up failed"):
        short_load(PLAN | {"burst_s": 0.2, "connections": 0}, NOWHERE, CPUS, tmp_path)
