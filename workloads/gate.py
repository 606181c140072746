"""A gate for generators that are slow to start: they start while the server does, and wait here."""

from __future__ import annotations

import socket
import time

from workloads.testbed import Process

LIMIT_S = 60
LEAVE = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class Gate:
    """A loopback port where a generator asks, over HTTP, and is answered when it may begin."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]

    def open(self, generator: Process) -> None:
        """Lets it begin. Raises RuntimeError when it has ended, or does not ask within a minute."""
        self.listener.settimeout(0.1)
        deadline_s = time.monotonic() + LIMIT_S
        while not generator.ended() and time.monotonic() < deadline_s:
            try:
                asking, _ = self.listener.accept()
            except TimeoutError:
                continue
            with asking:
                asking.settimeout(LIMIT_S)
                asking.recv(65536)
                asking.sendall(LEAVE)
            return
        raise RuntimeError(f"the generator never asked to begin (status {generator.exit_status})")

    def close(self) -> None:
        self.listener.close()
