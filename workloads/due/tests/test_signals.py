"""SIGINT and SIGTERM end a run within about 100 ms, with what was measured so far."""

import signal
import socket
import time

import pytest

from workloads.due.tests.running import finish, start, wait_until
from workloads.due.tests.servers import not_accepting, ok, refusing, serving, silent

# A busy machine makes it more than 100 ms; the runs would last for a minute or more.
AT_MOST_S = 10


def stop_when(condition, folder, *arguments, by=signal.SIGTERM):
    """Starts a run, and stops it once the condition holds."""
    process = start(folder, *arguments)
    assert process.stdout.readline().startswith("Running"), "from here on it takes signals"
    wait_until(condition)
    process.send_signal(by)
    before = time.monotonic()
    run = finish(process, folder)
    assert time.monotonic() - before < AT_MOST_S
    return run


@pytest.fixture
def stop_after(tmp_path):
    """Stops a run once a server that behaves so has seen so many requests."""

    def run(count, behavior, *flags, by=signal.SIGTERM):
        with serving(behavior) as server:
            flags = (*flags, server.url())
            return stop_when(lambda: len(server.requests) >= count, tmp_path, *flags, by=by)

    return run


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stop(stop_after, number):
    run = stop_after(20, ok, "-c4", "-d60s", "-R100", by=number)
    account = run.account()
    assert run.json["stopped_by"] == number.name
    assert 0 < run.json["measured_s"] < 60
    assert account["due"] == pytest.approx(100 * run.json["measured_s"], abs=1)
    assert account["completed"] >= 19
    assert f"Stopped by {number.name}" in run.text
    assert run.json["delivered_per_s"] > 0


def test_stop_with_requests_in_flight(stop_after):
    run = stop_after(3, silent, "-c3", "-d60s", "-R20", "-T60s")
    account = run.account()
    assert account["in_flight_at_end"] == 3
    assert account["unsent_at_end"] == account["due"] - 3


def test_stop_with_much_left(stop_after):
    """Millions of requests are overdue, and thousands of millions would have come."""
    run = stop_after(100, ok, "-R20M", "-d10m")
    account = run.account()
    assert account["due"] == pytest.approx(20e6 * run.json["measured_s"], rel=0.01)
    assert account["unsent_at_end"] > 0.9 * account["due"]


def test_stop_while_every_connect_is_refused(tmp_path):
    """The next request of a connection is overdue: the loop must come to look at the signal."""
    begin = time.monotonic()
    with refusing() as server:
        flags = ("-c2", "-R100M", "-d60s", server.url())
        run = stop_when(lambda: time.monotonic() - begin > 0.5, tmp_path, *flags)
    assert run.account()["connect_refused"] > 0


def test_stop_while_opening_connections(tmp_path):
    """Opened no faster than 10,000 a second: a stop does not wait for the rest."""
    with socket.create_server(("127.0.0.1", 0), backlog=4096) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        begin, looked = time.monotonic(), []
        run = stop_when(
            lambda: not looked.append(time.monotonic()), tmp_path, "-c4000", "-R20", url
        )
    # A machine that takes as long to send the signal may have opened all by then.
    assert run.json["connections_opened"] < 4000 or looked[0] - begin > 0.4
    assert run.account()["completed"] == 0


def test_stop_in_the_warm_up(stop_after):
    run = stop_after(3, ok, "-w60s", "-d10s", "-R20")
    assert run.account()["due"] == 0
    assert run.json["measured_s"] == 0
    assert run.json["delivered_per_s"] == 0


def test_stop_while_connecting(tmp_path):
    with not_accepting() as server:
        flags = ("-c10", "-d10s", "-R20", "-T60s", server.url())
        run = stop_when(lambda: True, tmp_path, *flags)
    assert run.account()["completed"] == 0
