"""Small servers that behave in one stated way each, well or badly."""

import contextlib
import re
import socket
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

BODY = b"x" * 42
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 42\r\n\r\n" + BODY


@dataclass
class Request:
    """One request: its text, which one it is on its connection, and on which connection."""

    head: str
    body: bytes
    number: int
    connection: int


# Answers one request; returning False closes the connection.
Behavior = Callable[[socket.socket, Request], bool | None]


@dataclass
class Server:
    """Listens on a port of the kernel's choice, a thread for every connection."""

    behavior: Behavior
    requests: list[Request] = field(default_factory=list)
    peers: list[str] = field(default_factory=list)
    port: int = 0

    def url(self, path="/"):
        return f"http://127.0.0.1:{self.port}{path}"

    def serve(self, listener):
        with contextlib.suppress(OSError):
            while True:
                connection, peer = listener.accept()
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.peers.append(peer[0])
                arguments = (connection, len(self.peers))
                threading.Thread(target=self.converse, args=arguments, daemon=True).start()

    def converse(self, connection, number):
        with contextlib.suppress(OSError), connection:
            for i, (head, body) in enumerate(read_requests(connection)):
                request = Request(head, body, i, number)
                self.requests.append(request)
                if self.behavior(connection, request) is False:
                    return


def read_requests(connection):
    received = b""
    while True:
        while b"\r\n\r\n" not in received:
            piece = connection.recv(65536)
            if not piece:
                return
            received += piece
        head, received = received.split(b"\r\n\r\n", 1)
        length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
        wanted = int(length[1]) if length else 0
        while len(received) < wanted:
            received += connection.recv(65536)
        yield head.decode(), received[:wanted]
        received = received[wanted:]


@contextlib.contextmanager
def serving(behavior):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = Server(behavior, port=listener.getsockname()[1])
        threading.Thread(target=server.serve, args=(listener,), daemon=True).start()
        yield server
        # close() alone leaves a blocked accept() alone.
        listener.shutdown(socket.SHUT_RDWR)


@contextlib.contextmanager
def not_accepting():
    """A server whose backlog is full: the kernel drops every further attempt to connect."""
    with (
        socket.create_server(("127.0.0.1", 0), backlog=0) as listener,
        contextlib.ExitStack() as fillers,
    ):
        address = listener.getsockname()
        with contextlib.suppress(TimeoutError):
            while True:
                fillers.enter_context(socket.create_connection(address, timeout=0.2))
        yield Server(silent, port=address[1])


@contextlib.contextmanager
def refusing():
    """A port that no process listens on, and that no other can take meanwhile."""
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        yield Server(silent, port=reserved.getsockname()[1])


def ok(connection, request):
    connection.sendall(OK)


def answering(response, then_close=False):
    def behave(connection, request):
        connection.sendall(response)
        return not then_close

    return behave


def slow(seconds):
    def behave(connection, request):
        time.sleep(seconds)
        connection.sendall(OK)

    return behave


def resetting(connection, request):
    connection.sendall(OK[:20])
    # Closing with this option sends RST instead of FIN.
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return False


def silent(connection, request):
    pass


def stalling(every_s, for_s):
    """Answers immediately, but for the first `for_s` of every `every_s` not at all."""
    start = time.monotonic()

    def behave(connection, request):
        since = (time.monotonic() - start) % every_s
        if since < for_s:
            time.sleep(for_s - since)
        connection.sendall(OK)

    return behave
