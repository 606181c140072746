"""A backend of a user's own service: any command, ready by its port, a path or a command."""

from __future__ import annotations

import http.client
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workloads.machine.provenance import user_home
from workloads.machine.testbed import free_port
from workloads.servers.backends import PORTS_APART, Backend
from workloads.servers.server import START_LIMIT_S
from workloads.servers.user_server import UserServer, filled

ASK_AGAIN_S, ASK_LIMIT_S = 0.1, 10


@dataclass
class OwnBackend(Backend):
    """A user's backend. `port`: where servers reach it, as {backend_port} in their commands."""

    server: UserServer = field(kw_only=True)

    @property
    def port(self) -> int:
        return self.server.wanted

    def end(self) -> None:
        self.server.stop()


def start(
    spec: dict[str, Any], java: Path, cpus: list[int], folder: Path, position: int
) -> OwnBackend:
    own = spec["backend"]
    there = folder / "backend"
    there.mkdir()
    server = UserServer(own, cpus, there, free_port(position + PORTS_APART))
    begun_s, limit_s = time.monotonic(), own.get("start_limit_s", START_LIMIT_S)
    why = "" if server.port else server.why_silent()
    while not why and not is_ready(server, own):
        if server.process.ended() or time.monotonic() > begun_s + limit_s:
            why = f"it was not ready after {time.monotonic() - begun_s:.0f} s"
        time.sleep(ASK_AGAIN_S)
    if why:
        said = " | ".join(server.log.read_text(errors="replace").splitlines()[-5:])
        server.stop()
        raise RuntimeError(f"the backend did not start: {why}; it said last: {said}")
    shared = bool(own.get("shared"))
    return OwnBackend(server.process, [], shared=shared, server=server)


def is_ready(server: UserServer, own: dict[str, Any]) -> bool:
    ready = own.get("ready")
    if ready is None:
        return True
    if isinstance(ready, list):
        argv = [filled(word, server.words) for word in ready]
        home, there = user_home(own), server.command.environment
        try:
            ran = subprocess.run(
                argv, capture_output=True, timeout=ASK_LIMIT_S, cwd=home, env=there, check=False
            )
        except subprocess.TimeoutExpired:
            return False
        return ran.returncode == 0
    try:
        server.ask(ready, ASK_LIMIT_S)
    except (OSError, http.client.HTTPException):
        return False
    return True
