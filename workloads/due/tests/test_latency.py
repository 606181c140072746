"""Latency counts from when a request was due. A slow machine cannot break the bounds."""

import csv
import os
import re
import signal
import time

import pytest

from workloads.due.tests.running import finish, start, wait_until
from workloads.due.tests.servers import OK, ok, refusing, serving, slow, stalling


def read_hgrm(path):
    """Lines of an HdrHistogram percentile file: value (ms), percentile, count."""
    lines = [line.split() for line in path.read_text().splitlines() if line]
    assert lines[0] == ["Value", "Percentile", "TotalCount", "1/(1-Percentile)"]
    rows = [line for line in lines[1:] if not line[0].startswith("#")]
    return [(float(value), float(level), int(count)) for value, level, count, *_ in rows]


def test_stall_is_felt_by_all_who_were_due(load):
    """A server that stalls 0.25 s of every second: a quarter of the requests, evenly 0 to 250 ms.

    p99 of all is then the 96th percentile of those, 240 ms; a generator that waits for its
    answers (coordinated omission) would have seen 10 of them.
    """
    run = load(stalling(every_s=1.0, for_s=0.25), "-c10", "-d1s", "-R400")
    assert run.account()["completed"] == 400
    assert run.ms("p99") >= 0.95 * 240
    assert run.ms("p90") >= 0.95 * 150
    stalled = [row for row in read_hgrm(run.folder / "corrected.hgrm") if row[0] > 25]
    assert 400 - stalled[0][2] >= 0.2 * 400
    assert run.ms("p90") - run.ms("p90", "uncorrected") >= 100
    assert run.json["waited_for_connection"] >= 50


def test_server_slower_than_the_rate(load):
    """20/s can be served, 40/s are due: the latency grows by a second every second."""
    run = load(slow(0.05), "-c1", "-d500ms", "-R40", "-T20s")
    assert run.account()["completed"] == 20
    assert run.ms("max") >= 20 * 50 - 475
    # The generator is on time, and the queue is the server's.
    assert run.ms("max", "without_lag") >= 0.9 * (20 * 50 - 475)
    assert run.ms("p50") >= 250
    assert run.ms("min") >= 50
    assert run.json["delivered_per_s"] <= 20


def test_waiting_for_a_connection_is_no_time_out(load):
    run = load(slow(0.05), "-c1", "-d500ms", "-R80", "-T400ms")
    account = run.account()
    assert account["timeout"] == 0
    assert account["unsent_at_end"] > 0, "400 ms after the window the queue is given up"
    assert run.ms("max") > 400, "longer than --timeout, most of it without a connection"


def test_answers_2xx_have_a_latency_of_their_own(load):
    """Refusals that are faster than the work would hide how long the work takes."""

    def behave(connection, request):
        refused = request.number % 2
        time.sleep(0 if refused else 0.05)
        connection.sendall(OK.replace(b"200 OK", b"503 No") if refused else OK)

    run = load(behave, "-c4", "-d500ms", "-R40")
    assert run.account()["completed"] == 20
    assert run.json["status"]["5xx"] > 0
    assert run.ms("min") < 50 <= run.ms("min", "corrected_2xx")


def test_answers_by_the_second_in_which_they_were_due(load, tmp_path):
    """Ten requests of the first second are refused; the others, on one connection, end late."""

    def behave(connection, request):
        if request.number < 10:
            connection.sendall(OK.replace(b"200 OK", b"503 No"))
        else:
            time.sleep(0.06)
            connection.sendall(OK)

    answers = tmp_path / "answers.csv"
    run = load(behave, "-c1", "-R20", "-d1200ms", "--answers", str(answers))
    assert run.account()["completed"] == 24
    rows = list(csv.DictReader(answers.open()))
    of_second = {second: [row for row in rows if row["due_s"] == second] for second in ("0", "1")}
    assert sum(int(row["count"]) for row in of_second["0"]) == 10
    assert sum(int(row["count"]) for row in of_second["1"]) == 4
    assert min(float(row["latency_us"]) for row in rows) >= 60_000
    # By the time of the last the queue has grown by 10 ms for each request before it.
    assert max(float(row["latency_us"]) for row in of_second["1"]) >= 150_000


@pytest.mark.parametrize("flags", [(), ("-H", "Connection: close")])
def test_known_delay(load, flags):
    """With a new connection a request's clock, even the uncorrected, starts at connect."""
    run = load(slow(0.05), "-c10", "-d300ms", "-R50", *flags)
    assert run.account()["completed"] == 15
    assert 50 <= run.ms("min", "uncorrected") <= run.ms("min")


def as_in_hgrm(value_ms):
    """A line is the upper end of a bucket, at most 1/1024 of its value wide, to 0.001 ms."""
    return pytest.approx(value_ms, rel=0, abs=value_ms / 1024 + 0.0005)


def test_histogram_files_agree_with_the_json(load):
    run = load(ok, "-c5", "-d250ms", "-R200")
    for which in ("corrected", "uncorrected", "without_lag"):
        rows = read_hgrm(run.folder / f"{which}.hgrm")
        assert rows[-1][1:] == (1.0, run.json["requests"]["completed"])
        assert rows[-1][0] == as_in_hgrm(run.ms("max", which))
        median = next(value for value, level, _ in rows if level >= 0.5)
        assert median == as_in_hgrm(run.ms("p50", which))
    for figure in ("min", "mean", "p50", "p90", "p99", "max"):
        assert run.ms(figure) >= run.ms(figure, "without_lag") >= run.ms(figure, "uncorrected")


STOPPED_MS = 400


@pytest.mark.parametrize("connections", [100, 1])
def test_generator_that_stands_still_bounds_the_latency_from_both_sides(tmp_path, connections):
    """Each request takes 20 ms. The generator stops for 400 ms: 20 of 100 requests are late.

    On one connection the stop delays the requests that wait for it, too.
    """
    with serving(slow(0.02)) as server:
        rate = 50 if connections > 1 else 25
        process = start(tmp_path, f"-c{connections}", "-d2s", f"-R{rate}", server.url())
        wait_until(lambda: len(server.requests) >= 10)
        os.kill(process.pid, signal.SIGSTOP)
        time.sleep(STOPPED_MS / 1000)
        os.kill(process.pid, signal.SIGCONT)
        run = finish(process, tmp_path)
    assert run.account()["completed"] == run.json["requests"]["due"]
    assert run.json["schedule_lag_us"]["max"] >= 0.8 * 1000 * STOPPED_MS
    assert run.ms("p99") >= 0.8 * STOPPED_MS
    # A server that another program disturbs takes longer than 20 ms, and never as long.
    for figure in ("min", "p50", "p90", "p99", "max"):
        assert 20 <= run.ms(figure, "without_lag") <= 20 + STOPPED_MS / 4, figure
        assert run.ms(figure, "without_lag") <= run.ms(figure)
    assert not run.json["was_the_limit"], run.json["was_the_limit_reason"]
    # A limit on lateness as a share of the p99 would refuse it.
    assert run.json["schedule_lag_us"]["p99"] > 0.1 * 1000 * run.ms("p99")


def test_generator_without_cpu_time_left_says_so(due):
    """More requests are due than one CPU can begin, each of which fails immediately.

    On 100 connections it idles for 5 % of the time, until the kernel has refused the next.
    """
    with refusing() as server:
        run = due("-c1000", "-d500ms", "-R5M", "-T200ms", server.url())
    assert run.json["was_the_limit"]
    assert "of a CPU" in run.json["was_the_limit_reason"]


def is_long(request):
    return request.head.startswith("GET /long?n=1 ")


def test_a_mix_has_a_latency_for_each_path(load, tmp_path):
    def behave(connection, request):
        time.sleep(0.1 if is_long(request) else 0)
        connection.sendall(OK)

    mixed_in = tmp_path / "mixed-in.hgrm"
    mix = ("--mix", "0.2:/long?n=1", "--hgrm-mixed-in", str(mixed_in))
    run = load(behave, "-c50", "-d1s", "-R200", *mix)
    assert run.account()["completed"] == 200
    found = run.json["mixed_in"]
    sent = sum(map(is_long, run.server.requests))
    assert found["due"] == found["completed"] == sent
    assert (found["path"], found["share"]) == ("/long?n=1", 0.2)
    assert 20 <= sent <= 60, "40 give or take 3.5 deviations"
    assert found["latency_us"]["min"] >= 100_000
    assert read_hgrm(mixed_in)[-1][2] == sent
    for others in ("corrected.hgrm", "uncorrected.hgrm"):
        assert read_hgrm(run.folder / others)[-1][2] == 200 - sent
    assert re.search(r"^ +mixed in +\d{3,}\.", run.text, re.MULTILINE)
