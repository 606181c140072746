"""SIGINT and SIGTERM end a run at once, with what was measured so far."""

from __future__ import annotations

import signal
import socket
import time

import pytest

from workloads.due.tests.running import finish, start
from workloads.due.tests.servers import (
    OK,
    answering,
    not_accepting,
    serving,
    silent,
    unused_port,
)


def stop_after(seconds, signals, folder, *arguments):
    process = start(folder, *arguments)
    time.sleep(seconds)
    for number in signals:
        process.send_signal(number)
    return finish_at_once(process, folder)


def finish_at_once(process, folder):
    """About 100 ms on a machine that is idle; this one is shared."""
    before = time.monotonic()
    run = finish(process, folder)
    assert time.monotonic() - before < 1
    return run


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stop(tmp_path, number):
    with serving(answering(OK)) as server:
        run = stop_after(0.7, [number], tmp_path, "-t2", "-c4", "-d60s", "-R100", server.url())
    account = run.account()
    assert run.json["stopped_by"] == number.name
    assert 0 < run.json["measured_s"] < 60
    assert account["due"] == pytest.approx(100 * run.json["measured_s"], abs=4)
    assert account["completed"] > 0
    assert f"Stopped by {number.name}" in run.text
    assert run.json["delivered_per_s"] > 0


def test_stop_with_requests_under_way(tmp_path):
    with serving(silent) as server:
        run = stop_after(0.7, [signal.SIGINT], tmp_path, "-c3", "-d60s", "-R20", server.url())
    account = run.account()
    assert account["in_flight_at_end"] == 3
    assert account["unsent_at_end"] == account["due"] - 3


@pytest.mark.parametrize("schedule,assign", [("constant", "shared"), ("ramp", "own")])
def test_stop_with_much_left(tmp_path, schedule, assign):
    """Millions of requests are overdue, and thousands of millions would have come."""
    with serving(answering(OK)) as server:
        flags = ("-R20M", "-d10m", "--schedule", schedule, "--assign", assign, server.url())
        run = stop_after(0.7, [signal.SIGTERM], tmp_path, *flags)
    account = run.account()
    per_s = 20e6 if schedule == "constant" else 2e6
    assert account["due"] == pytest.approx(per_s * run.json["measured_s"], rel=0.01)
    assert account["unsent_at_end"] > 0.9 * account["due"]


@pytest.mark.parametrize("behavior", [answering(OK), silent], ids=["answers", "silent"])
def test_stop_a_warm_up_load(tmp_path, behavior):
    """How the project warms servers up: a load for longer than needed, stopped when it is warm."""
    with serving(behavior) as server:
        flags = ("-c8", "-R100000", "-d60s", server.url())
        run = stop_after(0.7, [signal.SIGTERM], tmp_path, *flags)
    account = run.account()
    assert account["due"] == pytest.approx(100_000 * run.json["measured_s"], abs=2)
    assert account["in_flight_at_end"] <= 8


def test_stop_while_every_connect_is_refused(tmp_path):
    """The next request of a connection is due at once: the loop must come to look at the signal."""
    url = f"http://127.0.0.1:{unused_port()}/"
    flags = ("-c2", "-R20M", "-d60s", "--assign", "own", url)
    account = stop_after(0.7, [signal.SIGTERM], tmp_path, *flags).account()
    assert account["connect_refused"] > 0


def test_stop_while_opening_connections(tmp_path):
    """Opened no faster than 10,000 a second: a stop does not wait for the rest."""
    with socket.create_server(("127.0.0.1", 0), backlog=4096) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        process = start(tmp_path, "-c4000", "-R20", url)
        assert process.stdout.readline().startswith("Running"), "from here on it takes signals"
        process.send_signal(signal.SIGTERM)
        run = finish_at_once(process, tmp_path)
    assert run.json["connections_opened"] < 4000


def test_stop_in_the_warm_up(tmp_path):
    with serving(answering(OK)) as server:
        flags = ("-w60s", "-d10s", "-R20", server.url())
        run = stop_after(0.7, [signal.SIGTERM], tmp_path, *flags)
    assert run.account()["due"] == 0
    assert run.json["measured_s"] == 0
    assert run.json["delivered_per_s"] == 0


def test_stop_while_connecting(tmp_path):
    with not_accepting() as port:
        flags = ("-c10", "-d10s", "-R20", "-T60s", f"http://127.0.0.1:{port}/")
        run = stop_after(0.5, [signal.SIGINT], tmp_path, *flags)
    assert run.json["stopped_by"] == "SIGINT"
    assert run.account()["completed"] == 0
