"""Servers and generators are warmed up by the loads that they will have."""

from types import SimpleNamespace

import pytest

from workloads.experiment.plan import Name
from workloads.record.slice import Live
from workloads.session import warm_all as module
from workloads.session.place import IDLE_COST_AT_MOST, Place
from workloads.session.warm_all import rest, warm_all, warm_by_tools
from workloads.session.warm_up import WarmUp
from workloads.tests.planned import plan_of, session_of

LOW, ONCE = (Name("fixed-pool", tier, "jmeter") for tier in ("low", "high"))


@pytest.fixture
def warmed(monkeypatch, live):
    """Warms up by JMeter; returns how each load was made, as the compilers are busy for a while."""

    def run(names, driver=None, bands=None):
        session, loads, confined = session_of(plan_of()), [], []
        session.bands = bands
        process = SimpleNamespace(pid=2, confine=confined.append)
        driver = driver or SimpleNamespace(process=process, is_warm=False, warmed_up_s=0.0)
        driver.load = lambda fields, *_, **words: loads.append(fields)
        tool = SimpleNamespace(
            LOOP="closed",
            A_DRIVER_FOR_EACH_MODE=False,
            short=lambda spec: spec | {"tool": "short"},
            fields=lambda spec, subject, folder: "short" if spec["tool"] == "short" else "own",
        )
        monkeypatch.setattr(module, "Driven", SimpleNamespace)
        monkeypatch.setattr(module, "tool_of", lambda name: tool)
        monkeypatch.setattr(session, "driver", lambda name: driver)
        monkeypatch.setattr(module, "compiler_threads", lambda pid: [f"of {pid}"])
        monkeypatch.setattr(module, "ask_as_between_slices", lambda *_: None)

        def until_idle(compilers, at_most, limit_s, load):
            assert compilers == ["of 1", "of 2"]
            for _ in range(2):
                load()

        monkeypatch.setattr(module, "until_idle", until_idle)
        warm_by_tools(session, live, names)
        # Until it is warm it may use all CPUs.
        place = session.place
        assert confined in ([], [place.all_cpus, place.generator_cpus])
        return loads, driver

    return run


def test_generator_is_warmed_by_loads_as_they_are_measured_once_a_session(warmed):
    loads, driver = warmed([LOW])
    assert loads == ["short", "short", "own", "own"]
    assert driver.is_warm
    assert warmed([LOW], driver)[0] == ["short", "short"]
    # A load that is shown once is not worth a warm-up.
    assert warmed([ONCE])[0] == []


def test_each_server_of_a_cell_by_itself_is_warmed_by_its_own_loads(warmed):
    loads, driver = warmed([ONCE], bands={})
    assert loads == ["short", "short", "own", "own"]
    assert warmed([ONCE], driver, bands={})[0] == loads


def test_warm_up_makes_the_counts_that_a_load_left_stale(live, monkeypatch):
    """Rows of its requests had been called written twice."""
    session = session_of(plan_of())
    name = next(session.plan.names())
    live.mode, live.left = name.mode, {("/rows", None): (b"ok", {"rows": 3})}
    live.subject.process.confine = lambda cpus: None
    session.place.alive[name.mode] = live
    monkeypatch.setattr(module, "compiler_threads", lambda pid: [])
    monkeypatch.setattr(module, "warm_up", lambda *_: WarmUp())
    monkeypatch.setattr(module, "warm_by_tools", lambda *_: None)
    monkeypatch.setattr(module, "rest", lambda *_: None)
    warm_all(session, [name])
    assert live.left == {}
    assert live.warm_for == {name}


def test_idle_cost_is_what_a_server_uses_at_rest_without_its_compiler(monkeypatch):
    now, used_s = [0.0], {"busy": 0.0, "helidon": 0.0, "compiling": 0.0}
    shares = {"busy": 0.5, "helidon": 0.06, "compiling": 0.31}

    def sleep(seconds):
        now[0] += seconds
        for mode, share in shares.items():
            used_s[mode] += share * seconds

    clock = SimpleNamespace(monotonic=lambda: now[0], sleep=sleep)
    monkeypatch.setattr(module, "time", clock)
    monkeypatch.setattr("workloads.session.place.time", clock)
    monkeypatch.setattr(module, "compiler_threads", lambda pid: pid)
    monkeypatch.setattr(module, "compiler_s", lambda pid: 0.3 * now[0] * (pid == "compiling"))
    monkeypatch.setattr(Live, "cpu_s", lambda self: used_s[self.mode])
    lives = {
        mode: Live(mode, SimpleNamespace(process=SimpleNamespace(pid=mode)), None, None, {}, {})
        for mode in shares
    }
    place = Place([0], [1], None, lives)
    rest(place, lives)
    found = {mode: live.idle_cpu_share for mode, live in lives.items()}
    assert found == pytest.approx({"busy": IDLE_COST_AT_MOST, "helidon": 0.06, "compiling": 0.01})
    assert place.meter is not None
