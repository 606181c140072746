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


def test_processes_that_stay_busy_are_not_waited_for_beyond_the_limit(idles):
    # Like a client that looks at its connections for 2 ms in each tenth of a second.
    assert idles(1.0, 1.002, 1.006, 1.006, 1.01, 1.012, 9.0) == (False, [9.0])


def test_slices_of_a_session_wait_for_others_until_their_patience_is_used_up(monkeypatch):
    given, now_s = [], iter([0.0, 0.3, 1.0, 110.0, 200.0, 212.0, 300.0, 300.0])
    monkeypatch.setattr(place, "time", SimpleNamespace(monotonic=lambda: next(now_s)))
    monkeypatch.setattr(place, "becomes_idle", lambda *words: given.append(words))
    clocks_s = {"a-mode": 40.0, "other": 30.0, "third": 2.0}
    alive = {mode: SimpleNamespace(cpu_s=lambda s=s: s) for mode, s in clocks_s.items()}
    one = place.Place([0], [1], None, alive)
    for _ in range(4):
        one.wait_for_others("a-mode")
    assert [(clocks(), cpus) for clocks, cpus, _ in given] == [(32.0, 1)] * 4
    assert [limit_s for *_, limit_s in given] == pytest.approx([12.0, 12.0, 11.32, -0.36])
