"""The accept queue as the kernel tells it, on listeners whose queue is known."""

import socket

import pytest

from profiles.watch.accept_queue import accept_queue


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


def test_without_a_listener_nobody_waits():
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        assert accept_queue(closed.getsockname()[1]) == 0
