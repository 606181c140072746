"""When requests are due: warm-up, constant, poisson, ramp, burst; and the time series."""

from __future__ import annotations

import re

import pytest

from workloads.due.tests.servers import OK, answering, serving


def test_warm_up_is_sent_and_not_counted(due):
    with serving(answering(OK)) as server:
        run = due("-c5", "-d1s", "-R100", "--warm-up", "500ms", server.url())
    assert run.account()["due"] == 100
    assert len(server.requests) == 150
    assert run.json["requests"]["completed_in_warm_up"] == 50
    assert run.json["warm_up_s"] == 0.5
    assert "0.50s of warm-up before it, not measured" in run.text
    assert run.json["end_epoch_s"] - run.json["start_epoch_s"] == pytest.approx(1, abs=1e-3)


def test_warm_up_with_new_connections_counts_measured_ones(due):
    with serving(answering(OK)) as server:
        run = due("-c5", "-d500ms", "-R100", "-w500ms", "--new-connections", server.url())
    assert run.account()["due"] == run.json["connections_opened"] == 50
    assert len(server.peers) == 100


def test_poisson_is_reproducible(due):
    with serving(answering(OK)) as server:
        flags = ("-c5", "-d400ms", "-R500", "--schedule", "poisson", server.url())
        counts = [due("--seed", seed, *flags).account()["due"] for seed in ("1", "1", "2", "3")]
    assert counts[0] == counts[1]
    assert len(set(counts)) > 1, "another seed, another timetable"
    assert all(130 < count < 270 for count in counts), "200 give or take 5 deviations"


def test_ramp(due):
    with serving(answering(OK)) as server:
        flags = ("--schedule", "ramp", "--ramp-from", "10")
        run = due("-c5", "-d2s", "-R190", *flags, server.url())
    rows = [int(row["due"]) for row in run.series()]
    assert rows[:2] == [pytest.approx(55, abs=1), pytest.approx(145, abs=1)]
    assert run.account()["due"] == pytest.approx(200, abs=1)
    assert run.json["offered_per_s"] == 100
    assert run.json["ramp_from_per_s"] == 10


def test_burst(due):
    with serving(answering(OK)) as server:
        flags = ("--schedule", "burst", "--new-connections")
        run = due("-c40", "-d500ms", "-R80", *flags, server.url())
    assert run.account()["due"] == len(server.peers) == 40
    assert int(run.series()[0]["due"]) == 40
    # All of them at once, each on its own connection: none waits for another's.
    assert run.json["waited_for_connection"] == 0
    assert (run.json["schedule"], run.json["offered_per_s"]) == ("burst", 80)


def test_series(due):
    with serving(answering(OK)) as server:
        run = due("-c5", "-d2s", "-R50", "-t2", server.url())
    run.account()
    rows = run.series()
    assert [row["time_s"] for row in rows[:2]] == ["0", "1"]
    assert [row["due"] for row in rows[:2]] == ["50", "50"]
    answered = [row for row in rows if row["completed"] != "0"]
    assert all(0 < float(r["p50_us"]) <= float(r["p99_us"]) for r in answered)
    assert max(float(r["max_us"]) for r in answered) == pytest.approx(
        run.json["latency_us"]["corrected"]["max"], rel=1e-3
    )


def test_series_of_shorter_steps(due):
    with serving(answering(OK)) as server:
        run = due("-c5", "-d2s", "-R100", "--series-every", "100ms", server.url())
    run.account()
    rows = run.series()[:20]
    assert [float(row["time_s"]) for row in rows] == [pytest.approx(n / 10) for n in range(20)]
    assert {row["due"] for row in rows} == {"10"}
    # the text's rates stay those of whole seconds
    rates = re.search(r"Req/Sec +([\d.]+) +([\d.]+) +([\d.]+)", run.text)
    assert rates and float(rates[1]) == pytest.approx(100, abs=5)


@pytest.mark.parametrize("rate,due_count", [("0.5", 1), ("3", 3), ("1k", 1000)])
def test_rates(due, rate, due_count):
    with serving(answering(OK)) as server:
        assert due("-R", rate, "-d1s", server.url()).account()["due"] == due_count
