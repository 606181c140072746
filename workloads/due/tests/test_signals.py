"""SIGINT and SIGTERM end a run at once, with what was measured so far."""

from __future__ import annotations

import signal
import time

import pytest

from workloads.due.tests.running import finish, start
from workloads.due.tests.servers import OK, answering, not_accepting, serving, silent


def stop_after(seconds, signals, folder, *arguments):
    process = start(folder, *arguments)
    time.sleep(seconds)
    for number in signals:
        process.send_signal(number)
    before = time.monotonic()
    run = finish(process, folder)
    assert time.monotonic() - before < 30, "does not go on to the end"
    return run


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stop(tmp_path, number):
    with serving(answering(OK)) as server:
        run = stop_after(1.5, [number], tmp_path, "-t2", "-c4", "-d60s", "-R100", server.url())
    account = run.account()
    assert run.json["stopped_by"] == number.name
    assert 0 < run.json["measured_s"] < 60
    assert account["due"] == pytest.approx(100 * run.json["measured_s"], abs=4)
    assert account["completed"] > 0
    assert f"Stopped by {number.name}" in run.text
    assert run.json["delivered_per_s"] > 0


def test_stop_with_requests_under_way(tmp_path):
    with serving(silent) as server:
        run = stop_after(1.5, [signal.SIGINT], tmp_path, "-c3", "-d60s", "-R20", server.url())
    account = run.account()
    assert account["in_flight_at_end"] == 3
    assert account["unsent_at_end"] == account["due"] - 3


def test_stop_in_the_warm_up(tmp_path):
    with serving(answering(OK)) as server:
        flags = ("-w60s", "-d10s", "-R20", server.url())
        run = stop_after(1.0, [signal.SIGTERM], tmp_path, *flags)
    assert run.account()["due"] == 0
    assert run.json["measured_s"] == 0
    assert run.json["delivered_per_s"] == 0


def test_stop_while_connecting(tmp_path):
    with not_accepting() as port:
        flags = ("-c10", "-d10s", "-R20", "-T60s", f"http://127.0.0.1:{port}/")
        run = stop_after(0.5, [signal.SIGINT], tmp_path, *flags)
    assert run.json["stopped_by"] == "SIGINT"
    assert run.account()["completed"] == 0
