"""Whatever the server does, every due request has exactly one end, and it is the right one."""

import socket
import time

import pytest

from workloads.due.tests.servers import (
    BODY,
    OK,
    answering,
    not_accepting,
    ok,
    refusing,
    resetting,
    silent,
    slow,
)

QUICK = ("-c5", "-d250ms", "-R200")
CLOSE = ("-H", "Connection: close")


def test_kept_alive(load):
    run = load(ok, *QUICK, "-H", "X-One: 1", path="/a?b=c")
    server, account = run.server, run.account()
    assert account["due"] == account["sent"] == account["completed"] == 50
    assert run.json["status"] == {"2xx": 50, "3xx": 0, "4xx": 0, "5xx": 0}
    assert run.json["body_bytes"] == {"min": 42, "max": 42}
    assert run.json["bodies_right"] is None, "none was named"
    assert run.json["received_bytes"] == 50 * len(OK)
    assert run.json["connections_opened"] == len(server.peers) == 5
    assert set(server.peers) == {"127.0.0.1"}
    head = f"GET /a?b=c HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nX-One: 1"
    assert {request.head for request in server.requests} == {head}
    assert run.json["sent_bytes"] == 50 * len(head + "\r\n\r\n")
    assert len({request.connection for request in server.requests}) == 5, "all are used"


MIB = b"HTTP/1.1 200 OK\r\nContent-Length: 1048576\r\n\r\n" + bytes(1 << 20)
SAYS_CLOSE = OK.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1)
UNTIL_CLOSE = b"HTTP/1.1 200 OK\r\n\r\n" + BODY
FIXED = {"body_bytes": {"min": 42, "max": 42}}


@pytest.mark.parametrize(
    ("behavior", "flags", "completed", "opened", "wanted"),
    [
        (answering(MIB), ["-c2", "-R20"], 5, 2, {"body_bytes": {"min": 1 << 20, "max": 1 << 20}}),
        (answering(b"HTTP/1.1 204 X\r\n\r\n"), ["--body-bytes", "0"], 50, 5, {"bodies_right": 50}),
        (ok, ["-w200ms", *CLOSE], 50, 50, {"reconnects": None, "new_connections": True}),
        # Those opened in advance, then one for each request that found none open.
        (answering(SAYS_CLOSE, then_close=True), [], 50, 50, FIXED),
        # The warm-up used up those opened in advance.
        (answering(UNTIL_CLOSE, then_close=True), ["-w200ms"], 50, 55, {"reconnects": 50} | FIXED),
    ],
    ids=["1 MiB", "no body", "new connections", "close", "until close"],
)
def test_every_request_is_answered(load, behavior, flags, completed, opened, wanted):
    run = load(behavior, *QUICK, *flags)
    assert run.account()["completed"] == completed
    assert run.json["connections_opened"] == opened
    assert len(run.server.peers) == (40 + 50 if "-w200ms" in flags else opened)
    assert {name: run.json[name] for name in wanted} == wanted


def test_bodies_of_another_length_are_counted_apart(load):
    shorter = OK.replace(b"42", b"41")[:-1]

    def behave(connection, request):
        connection.sendall(OK if request.number % 2 else shorter)

    run = load(behave, "-c1", "-d400ms", "-R100", "--body-bytes", "42")
    assert run.json["body_bytes"] == {"min": 41, "max": 42}
    assert run.json["bodies_right"] == run.account()["completed"] / 2 == 20


def test_a_connection_that_failed_is_no_reconnect(load):
    """A connection has a 503, a 200, and no third answer: it ends with a failure."""
    busy = OK.replace(b"200 OK", b"503 Busy")

    def behave(connection, request):
        if request.number == 2:
            return False
        connection.sendall(OK if request.number else busy)

    run = load(behave, "-c1", "-d300ms", "-R100")
    account = run.account()
    assert account["completed"] > account["due"] / 2
    assert run.json["connections_opened"] > 5
    assert run.json["reconnects"] == 0


def test_server_closes_after_the_answer(load):
    """It is noticed before the next request is due; where the machine stalls some are lost."""
    run = load(answering(OK, then_close=True), "-c1", "-d500ms", "-R100")
    assert run.account()["completed"] > 40


def test_server_closes_with_the_answer(load):
    """A connection whose FIN came with the answer is not used again: the request would be lost."""
    late = []

    def answer_with_fin(connection, request):
        """Answer and FIN travel in one packet, unless they are 0.2 s apart."""
        begin = time.monotonic()
        connection.send(OK, socket.MSG_MORE)
        connection.shutdown(socket.SHUT_WR)
        if time.monotonic() - begin > 0.1:
            late.append(request)
        return False

    run = load(answer_with_fin, "-c1", "-d500ms", "-R100")
    assert run.account()["completed"] >= 50 - len(late)
    assert len(run.server.peers) >= 50 - len(late)


@pytest.mark.parametrize(
    ("behavior", "flags", "error"),
    [
        (answering(OK[:-1], then_close=True), (), "closed_early"),
        (resetting, (), "reset"),
        (answering(b"220 mail.example ESMTP\r\n"), (), "malformed"),
        (slow(5), ("-c50", "-R40", "-T200ms"), "timeout"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_request_fails(load, behavior, flags, error):
    run = load(behavior, *QUICK, *flags)
    account = run.account()
    due = account["due"]
    assert account[error] == due > 0
    assert f"{due} due = 0 answered + {due} failed + 0 in flight" in run.text
    assert f"failed, {error}: {due}" in run.text


def test_no_server_listens(due):
    with refusing() as server:
        run = due(*QUICK, server.url())
    assert run.account()["connect_refused"] == 50
    assert run.json["latency_us"]["corrected"]["p99"] is None
    assert run.json["body_bytes"] == {"min": None, "max": None}
    assert "Latency" not in run.text, "rather than one of 0"


def test_no_server_accepts(due):
    with not_accepting() as server:
        account = due("-c5", "-d250ms", "-R20", "-T300ms", *CLOSE, server.url()).account()
    assert account["connect_timeout"] > 0
    # Where the machine stalls, an attempt begins late and is not over when the run is.
    over = ("connect_timeout", "timeout", "in_flight_at_end", "unsent_at_end")
    assert sum(account[name] for name in over) == account["due"] == 5


def test_waits_for_the_last_answers(load):
    run = load(slow(0.3), "-c20", "-d200ms", "-R50", "-T30s")
    assert run.account()["completed"] == 10
    assert run.json["end_epoch_s"] - run.json["start_epoch_s"] == pytest.approx(0.2, abs=1e-3)
    assert run.json["delivered_per_s"] == 0, "no answer arrived within the window"


def test_never_sent(load):
    run = load(silent, "-c2", "-d500ms", "-R40", "-T300ms", "--series-every", "100ms")
    account = run.account()
    assert account["due"] == 20
    # By when they were due, not by when a connection was free, if ever.
    assert [row["due"] for row in run.series()[:5]] == ["4"] * 5
    assert account["unsent_at_end"] > 0, "two connections cannot carry 20 time-outs"
    assert account["timeout"] >= 2
    assert run.json["waited_for_connection"] > 0


def test_never_sent_in_the_warm_up(load):
    account = load(silent, "-c1", "-w200ms", "-d200ms", "-R50", "-T300ms").account()
    assert account["due"] == 10, "those of the warm-up were due as well, and do not count"


def test_status_is_counted(load):
    codes = [200, 302, 404, 500]

    def behave(connection, request):
        code = codes[request.number % 4]
        body = "x" * (code - 200)
        head = f"HTTP/1.1 {code} X\r\nContent-Length: {len(body)}\r\n\r\n"
        connection.sendall((head + body).encode())

    run = load(behave, "-c1", "-d400ms", "-R100")
    assert run.account()["completed"] == 40
    assert run.json["status"] == {"2xx": 10, "3xx": 10, "4xx": 10, "5xx": 10}
    assert "not answered with 2xx: 30" in run.text
    assert run.json["body_bytes"] == {"min": 0, "max": 0}, "of 2xx answers only"


def test_bytes_that_were_not_requested(load):
    run = load(answering(OK + b"more"), *QUICK)
    assert run.account()["completed"] == 50
    assert len(run.server.peers) >= 50, "such a connection is not used again"
