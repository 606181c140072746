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
        self.asking: socket.socket | None = None

    def wait_for(self, generator: Process) -> None:
        """Until it asks. Raises RuntimeError when it ends, or does not ask within a minute."""
        self.listener.settimeout(0.1)
        deadline_s = time.monotonic() + LIMIT_S
        while not generator.ended() and time.monotonic() < deadline_s:
            try:
                self.asking, _ = self.listener.accept()
            except TimeoutError:
                continue
            self.asking.settimeout(LIMIT_S)
            self.asking.recv(65536)
            return
        raise RuntimeError(f"the generator never asked to begin (status {generator.exit_status})")

    def open(self) -> None:
        """Lets begin who asked. Raises RuntimeError when nobody has."""
        if self.asking is None:
            raise RuntimeError("nobody has asked to begin")
        self.asking.sendall(LEAVE)
        self.asking.close()

    def close(self) -> None:
        self.listener.close()
        if self.asking:
            self.asking.close()
