"""Other servers must idle before a slice: how long a session waits for that."""

from types import SimpleNamespace

import pytest

from workloads.session import place


@pytest.fixture
def idles(monkeypatch):
    """Waits for processes whose clock says this; a moment lasts a second of the limit, 3 s."""

    def run(*clocks_s, cpus=1):
        left, now_s = list(clocks_s), iter(range(1000))
        clock = SimpleNamespace(monotonic=lambda: next(now_s), sleep=lambda seconds: None)
        monkeypatch.setattr(place, "time", clock)
        return place.becomes_idle(lambda: left.pop(0), cpus, 3.0), left

    return run


def test_processes_are_waited_for_until_they_idle(idles):
    # 1.5 % of 320 ms are 4.8 ms, of which half a look may see a third.
    assert idles(1.0, 1.0015, 9.0) == (True, [9.0])
    assert idles(1.0, 1.0018, 1.0047, 9.0) == (True, [9.0])
    assert idles(1.0, 1.0018, 1.005, 1.005, 1.006, 9.0) == (True, [9.0])
    assert idles(1.0, 1.003, cpus=2) == (True, [])
    # But not beyond the limit: a client looks at its connections for 2 ms ten times a second.
    assert idles(1.0, 1.002, 1.006, 1.006, 1.01, 1.012, 9.0) == (False, [9.0])


class Clock:
    """Time that passes as a place sleeps, in which servers use shares of a CPU."""

    def __init__(self, monkeypatch, **shares):
        self.now_s, self.slept_s, self.shares = 100.0, 0.0, shares
        self.spent_s = dict.fromkeys(shares, 5.0)
        clock = SimpleNamespace(monotonic=lambda: self.now_s, sleep=self.sleep)
        monkeypatch.setattr(place, "time", clock)
        self.place = place.Place([0], [1], None, {mode: self.live(mode) for mode in shares})

    def live(self, mode):
        return SimpleNamespace(cpu_s=lambda: self.spent_s[mode], idle_cpu_share=0.0)

    def sleep(self, seconds):
        self.slept_s += seconds
        self.passes(seconds)

    def passes(self, seconds):
        self.now_s += seconds
        for mode, share in self.shares.items():
            self.spent_s[mode] += share * seconds

    def waits(self, mode):
        """For how long a slice of a mode waits, a tenth of a second after the last load."""
        self.place.load_ended()
        self.passes(0.1)
        self.slept_s = 0.0
        self.place.wait_for_others(mode)
        return self.slept_s


def test_slice_waits_only_where_other_servers_may_be_at_work(monkeypatch):
    clock = Clock(monkeypatch, first=0.9, second=0.01, third=0.0)
    # The mode itself may be busy.
    assert clock.waits("first") == 0
    # It is busy behind another's back.
    clock.shares["first"] = 0.06
    assert clock.waits("second") > 2.9
    # Nothing is known before the first load.
    clock = Clock(monkeypatch, first=0.0, second=0.0)
    clock.place.wait_for_others("first")
    assert clock.slept_s == pytest.approx(place.IDLE_LOOK_S / 2)


def test_slice_looks_longer_at_servers_that_were_busy_or_hold_requests(monkeypatch):
    clock = Clock(monkeypatch, first=0.0, second=0.0, third=0.0)
    quiet = place.Spent(1.0, {"second": 0.5, "third": 0.0}, {"second": 0.014, "third": 0.0})
    clock.place.doubt("first", quiet, left_work=False)
    assert clock.waits("third") == 0
    clock.place.doubt("first", quiet, left_work=True)
    # Its own next load need not wait for it.
    assert clock.waits("first") == 0
    assert clock.waits("third") == pytest.approx(place.IDLE_LOOK_S / 2)
    # Now it has been seen.
    assert clock.waits("third") == 0
    busy = place.Spent(1.0, {"second": 0.5, "third": 0.0}, {"second": 0.016, "third": 0.0})
    clock.place.doubt("first", busy, left_work=False)
    assert clock.waits("third") == pytest.approx(place.IDLE_LOOK_S / 2)


def test_server_that_wakes_up_without_end_is_waited_for_once_and_has_its_idle_cost(monkeypatch):
    # Ten times a second for six milliseconds.
    clock = Clock(monkeypatch, helidon=0.06, other=0.0, third=0.0)
    assert clock.waits("other") == pytest.approx(place.WAIT_LIMIT_S, abs=place.IDLE_LOOK_S)
    assert clock.place.alive["helidon"].idle_cpu_share == pytest.approx(0.06)
    for _ in range(3):
        assert clock.waits("third") == 0
        clock.place.doubt("helidon", place.Spent(1.0, {}, {}), left_work=False)
    # A server that uses more is not idle.
    clock.shares["helidon"] = 0.2
    assert clock.waits("other") > 2.9


@pytest.mark.parametrize(("share", "left_work"), [(0.06, True), (0.5, False)])
def test_server_that_is_at_work_is_not_waited_for_again_before_its_next_load(
    monkeypatch, share, left_work
):
    clock = Clock(monkeypatch, busy=share, other=0.0)
    idle = place.Spent(1.0, {}, {})
    clock.place.doubt("busy", idle, left_work=left_work)
    assert clock.waits("other") > 2.9
    assert clock.place.alive["busy"].idle_cpu_share == 0
    assert clock.waits("other") == 0
    clock.place.doubt("busy", idle, left_work=left_work)
    assert clock.waits("other") > 2.9


def test_slices_of_a_session_wait_until_their_patience_is_used_up(monkeypatch):
    clock = Clock(monkeypatch, busy=0.5, other=0.0)
    clock.place.patience_s = 4.0
    for expected_s in (3.0, 1.0, 0.0, 0.0):
        clock.place.hopeless.clear()
        assert clock.waits("other") == pytest.approx(expected_s, abs=place.IDLE_LOOK_S)


def test_idle_cost_is_taken_out_of_what_servers_spend(monkeypatch):
    clock = Clock(monkeypatch, helidon=0.06, other=0.02)
    clock.place.alive["helidon"].idle_cpu_share = 0.05
    meter = place.Meter(clock.place.others("none"))
    clock.passes(2.0)
    spent = meter.spent()
    assert spent.all_s == pytest.approx({"helidon": 0.12, "other": 0.04})
    assert spent.beyond_idle_s == pytest.approx({"helidon": 0.02, "other": 0.04})
    # One that is gone has spent nothing.
    clock.spent_s["other"] = 0.0
    assert meter.spent().all_s["other"] == 0
