"""Idle connections that stay open during a load, as browsers keep them."""

import contextlib
import socket
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPException


@contextlib.contextmanager
def idle_connections(
    place: tuple[str, int], path: str, count: int, limit_s: float
) -> Iterator[list[HTTPConnection]]:
    """Opens so many, or fewer where the server takes no more, each after one whole answer."""
    with contextlib.ExitStack() as open_ones:
        held: list[HTTPConnection] = []
        with contextlib.suppress(OSError, HTTPException):
            for _ in range(count):
                connection = HTTPConnection(*place, timeout=limit_s)
                open_ones.callback(connection.close)
                connection.request("GET", path)
                connection.getresponse().read()
                held.append(connection)
        yield held


def still_open(held: list[HTTPConnection]) -> int:
    """How many of them the server has not closed."""
    return sum(is_open(connection.sock) for connection in held)


def is_open(connection: socket.socket | None) -> bool:
    """One that the server said it would close is closed."""
    if connection is None:
        return False
    try:
        connection.setblocking(False)
        return bool(connection.recv(1, socket.MSG_PEEK))
    except BlockingIOError:
        return True
    except OSError:
        return False
