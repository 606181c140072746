"""When requests are due: warm-up, constant, poisson, burst; and the time series."""

import pytest

from workloads.due.tests.servers import ok, refusing


def test_warm_up_is_sent_and_not_counted(load):
    run = load(ok, "-c5", "-d300ms", "-R100", "--warm-up", "200ms")
    assert run.account()["due"] == 30
    assert len(run.server.requests) == 50
    requests = run.json["requests"]
    assert (requests["completed_in_warm_up"], requests["failed_in_warm_up"]) == (20, 0)
    assert run.json["warm_up_s"] == 0.2
    assert "0.2 s of warm-up before it, not measured" in run.text
    assert run.json["end_epoch_s"] - run.json["start_epoch_s"] == pytest.approx(0.3, abs=1e-3)


def test_warm_up_that_fails_is_counted_apart(due):
    with refusing() as server:
        run = due("-c5", "-d300ms", "-R100", "--warm-up", "200ms", server.url())
    requests = run.json["requests"]
    assert (requests["completed_in_warm_up"], requests["failed_in_warm_up"]) == (0, 20)
    assert sum(run.json["errors"].values()) == 30


def test_seed_decides_the_timetable(due):
    with refusing() as server:
        flags = ("-c5", "-d100ms", "-R2k", "--schedule", "poisson", server.url())
        counts = [due("--seed", seed, *flags).account()["due"] for seed in ("1", "1", "2", "3")]
    assert counts[0] == counts[1] and len(set(counts)) > 1


def test_burst(load):
    flags = ("--schedule", "burst", "-H", "Connection: close")
    run = load(ok, "-c40", "-d500ms", "-R80", *flags)
    assert run.account()["due"] == len(run.server.peers) == 40
    assert int(run.series()[0]["due"]) == 40
    # Each on its own connection: none waits for another's.
    assert run.json["waited_for_connection"] == 0
    assert (run.json["schedule"], run.json["offered_per_s"]) == ("burst", 80)


def test_steps_change_the_rate_within_the_window(load):
    run = load(ok, "-c5", "-R100", "-d9s", "--steps", "0.2x1s,1x500ms,0.4x500ms")
    assert run.account()["due"] == 20 + 50 + 20
    assert [int(row["due"]) for row in run.series()[:2]] == [20, 70]
    assert run.json["steps"] == [[0.2, 1], [1, 0.5], [0.4, 0.5]]
    assert run.json["duration_s"] == 2
    assert run.json["end_epoch_s"] - run.json["start_epoch_s"] == pytest.approx(2, abs=1e-3)


def test_series(load):
    run = load(ok, "-c5", "-d500ms", "-R100", "--series-every", "100ms")
    run.account()
    rows = run.series()
    assert [float(row["time_s"]) for row in rows[:5]] == [pytest.approx(n / 10) for n in range(5)]
    assert {row["due"] for row in rows[:5]} == {"10"}
    answered = [row for row in rows if row["completed"] != "0"]
    assert all(0 < float(r["p50_us"]) <= float(r["p99_us"]) for r in answered)
    assert max(float(r["max_us"]) for r in answered) == pytest.approx(
        run.json["latency_us"]["corrected"]["max"], rel=1e-3
    )
