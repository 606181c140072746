"""The remote service of blocking-remote: answers a page of 42 bytes after a second.

The event loop of request-threads waits without a thread, so it is never the limit at the rates
offered here; every cell shows that by its CPU (validity: backend_healthy).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from workloads.machine.testbed import free_port
from workloads.servers.backends import PORTS_APART, Backend
from workloads.servers.server import ROOT, Server

LOG = "backend.log"


def start(
    spec: dict[str, Any], java: Path, cpus: list[int], folder: Path, position: int
) -> Backend:
    remote = spec["backend"]
    argv = [
        str(java),
        *remote["jvm_options"],
        *("-cp", str(ROOT / remote["jar"]), remote["class"]),
        f"--port={free_port(position + PORTS_APART)}",
        f"--backlog={remote['backlog']}",
    ]
    service = Server(argv, cpus, folder, LOG)
    if not service.port:
        raise RuntimeError(f"the remote did not start: {service.log.read_text()[-2000:]}")
    url = f"http://127.0.0.1:{service.port}{remote['path']}"
    return Backend(service.process, [f"--remote.url={url}"])
