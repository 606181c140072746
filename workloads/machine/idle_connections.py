"""Connections that are open beside a load and ask nothing more, as those of browsers."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator

from profiles.watch.limits import raise_descriptors

REQUEST = "GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


@contextlib.contextmanager
def idle_connections(
    place: tuple[str, int], path: str, count: int, limit_s: float
) -> Iterator[list[socket.socket]]:
    """Opens so many to an address and port, each with one answered request.

    Fewer where the server takes no more.
    """
    raise_descriptors()
    with contextlib.ExitStack() as open_ones:
        held: list[socket.socket] = []
        with contextlib.suppress(OSError):
            for _ in range(count):
                connection = socket.create_connection(place, limit_s)
                held.append(open_ones.enter_context(connection))
                connection.sendall(REQUEST.format(path=path).encode())
                connection.recv(2**16)
        yield held


def still_open(held: list[socket.socket]) -> int:
    """How many of them the server has not closed."""
    return sum(map(is_open, held))


def is_open(connection: socket.socket) -> bool:
    try:
        connection.setblocking(False)
        return bool(connection.recv(1, socket.MSG_PEEK))
    except BlockingIOError:
        return True
    except OSError:
        return False
