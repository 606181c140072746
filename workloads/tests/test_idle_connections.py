"""Idle connections during a load: as many as requested, and each that the server closes."""

import socket
import threading

import pytest

from workloads.machine.idle_connections import idle_connections, still_open

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK"


@pytest.fixture
def server():
    """Its port, and the connections that it holds; it answers once on each."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=10)
    connections: list[socket.socket] = []

    def serve():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            connections.append(connection)
            assert b"GET /ping HTTP/1.1" in connection.recv(1000)
            connection.sendall(ANSWER)

    threading.Thread(target=serve, daemon=True).start()
    yield listener.getsockname()[1], connections
    listener.shutdown(socket.SHUT_RDWR)
    for each in (listener, *connections):
        each.close()


def held_by(port, count):
    return idle_connections(("127.0.0.1", port), "/ping", count, 60)


def test_they_stay_open_until_the_end_and_closed_ones_are_not_counted(server):
    with held_by(server[0], 5) as held:
        assert (len(held), still_open(held), len(server[1])) == (5, 5, 5)
        server[1][2].close()
        assert still_open(held) == 4
    assert still_open(held) == 0


def test_answer_of_a_megabyte_is_read_to_its_end(monkeypatch, server):
    whole = ANSWER.replace(b"Length: 2", b"Length: 1048576")[:-2] + b"x" * 2**20
    monkeypatch.setattr("workloads.tests.test_idle_connections.ANSWER", whole)
    with held_by(server[0], 2) as held:
        assert still_open(held) == 2
        # Nothing is left to be read, as there would be of an answer cut off.
        for connection in held:
            with pytest.raises(BlockingIOError):
                connection.sock.recv(1, socket.MSG_DONTWAIT)


def test_connection_that_the_server_closes_after_its_answer_is_not_held(monkeypatch, server):
    closing = ANSWER.replace(b"1.1 200 OK", b"1.0 200 OK")
    monkeypatch.setattr("workloads.tests.test_idle_connections.ANSWER", closing)
    with held_by(server[0], 2) as held:
        assert still_open(held) == 0
