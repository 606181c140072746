"""The accept queue as the kernel reports it, on listeners whose queue is known."""

import socket
import time

import pytest

from profiles.watch.accept_queue import accept_queue, closed_since


@pytest.mark.parametrize(
    ("family", "address"), [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::ffff:127.0.0.1")]
)
def test_connections_wait_until_they_are_accepted(family, address):
    with socket.socket(family) as listener:
        listener.bind((address, 0))
        listener.listen(8)
        port = listener.getsockname()[1]
        clients = [socket.create_connection(("127.0.0.1", port)) for _ in range(3)]
        assert accept_queue(port) == 3
        listener.accept()[0].close()
        assert accept_queue(port) == 2
        for client in clients:
            client.close()


@pytest.mark.parametrize("first", ["server", "client"])
def test_connections_that_ended_are_counted_whoever_closed_them_first(first):
    with socket.create_server(("127.0.0.1", 0), backlog=200) as listener:
        port = listener.getsockname()[1]
        for _ in range(150):
            client = socket.create_connection(("127.0.0.1", port))
            server, _ = listener.accept()
            for side in (server, client) if first == "server" else (client, server):
                side.close()
        with socket.create_connection(("127.0.0.1", port)):
            assert closed_since(port, 30) == 150
        time.sleep(0.5)
        # Those of before are of another load.
        assert closed_since(port, 0.2) == 0
