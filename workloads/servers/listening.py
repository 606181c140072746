"""Who listens on a port, and the processes that belong to it, by any starter.

A client of a container engine stays in the foreground while the engine's child serves, and a
command may go to the background. The process that listens is the one to measure. Sources: proc(5),
cgroups(7), setpriv(1).
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path

import psutil

from profiles.watch.limits import TICKS_PER_S
from profiles.watch.telemetry import children
from workloads.machine.testbed import Process, described

# Programs that pass connections on to a container: their CPU time is not the server's.
FORWARDERS = {"docker-proxy", "rootlessport", "slirp4netns", "pasta", "ssh", "kubectl"}


def listeners(pid: int) -> set[tuple[str, int]]:
    """Addresses and ports where a process waits for connections; none once it is gone."""
    found = set()
    with contextlib.suppress(psutil.Error):
        for each in psutil.Process(pid).net_connections("tcp"):
            if each.status == psutil.CONN_LISTEN:
                # A socket of both protocols shows an IPv4 address as part of an IPv6 one.
                found.add((each.laddr.ip.removeprefix("::ffff:"), each.laddr.port))
    return found


def holders(port: int) -> list[int]:
    """The processes that listen on a port; none where this user cannot read who they are."""
    found = psutil.net_connections("tcp")
    here = [each for each in found if each.status == psutil.CONN_LISTEN]
    return sorted({each.pid for each in here if each.pid and each.laddr and each.laddr[1] == port})


def since_boot_s() -> float:
    """Now, by the clock of started_s(), which has ticks of 10 ms."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) - 2 / TICKS_PER_S


def started_s(pid: int) -> float:
    """When a process started, since boot; 0 once it is gone."""
    with contextlib.suppress(OSError):
        stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return int(stat[19]) / TICKS_PER_S
    return 0.0


def root_of(pid: int, since_s: float) -> int:
    """The oldest of its ancestors that came after a time and are in its control group."""
    group = group_of(pid)
    for parent in psutil.Process(pid).parents():
        if started_s(parent.pid) < since_s or group_of(parent.pid) != group:
            break
        pid = parent.pid
    return pid


def group_of(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cgroup").read_text()
    return ""


def why_not_measured(pids: list[int], port: int, begun_s: float) -> str:
    """Why the processes that listen cannot be measured as a command's; empty where they can."""
    if not pids:
        return (
            f"port {port} answers, but this user cannot read which process listens there: run as "
            "root, or start the server as this user"
        )
    named = f"{described(pids[0])} listens on port {port}"
    process = psutil.Process(pids[0])
    if started_s(process.pid) < begun_s:
        return (
            f"{named}, and did so before the command was started: end it, or use another {{port}}"
        )
    if process.name() in FORWARDERS:
        return f"{named} and passes requests on: give the container the network of the host"
    return ""


class Found(Process):
    """A server that was found by its port, with the command that had it started.

    It has the members of Process that a session uses. It is no child of ours, so its exit status is
    that of the command, or -1.
    """

    def __init__(self, pid: int, command: Process, cpus: list[int]) -> None:
        """Raises OSError where its processes may not be placed on these CPUs."""
        self.pid, self.command = pid, command
        self.argv, self.environment, self.log = command.argv, command.environment, command.log
        self.exit_status: int | None = None
        self.process = psutil.Process(pid)
        self.confine(cpus)

    def ended(self) -> bool:
        if self.exit_status is None and not alive(self.process):
            self.exit_status = self.command.exit_status if self.command.ended() else None
            self.exit_status = -1 if self.exit_status is None else self.exit_status
        return self.exit_status is not None

    def confine(self, cpus: list[int]) -> None:
        """A container that was given these CPUs, or fewer, has no need of it."""
        for pid in (self.pid, *children(self.pid)):
            for thread in os.listdir(f"/proc/{pid}/task"):
                with contextlib.suppress(ProcessLookupError):
                    if not os.sched_getaffinity(int(thread)) <= {*cpus}:
                        os.sched_setaffinity(int(thread), cpus)

    def stop(self, grace_s: float) -> None:
        """The command first, which may end the server itself; then all that is left of it."""
        family = [self.process]
        for pid in children(self.pid):
            with contextlib.suppress(psutil.NoSuchProcess):
                family.append(psutil.Process(pid))
        self.command.stop(grace_s)
        end_all(family, grace_s)
        self.ended()


def alive(process: psutil.Process) -> bool:
    with contextlib.suppress(psutil.Error):
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    return False


def end_all(processes: list[psutil.Process], grace_s: float) -> None:
    """SIGTERM, then SIGKILL; what belongs to another user stays."""
    deadline_s = time.monotonic() + grace_s
    for ends in (signal.SIGTERM, signal.SIGKILL):
        for each in processes:
            with contextlib.suppress(psutil.Error):
                each.send_signal(ends)
        while any(map(alive, processes)) and time.monotonic() < deadline_s:
            time.sleep(0.02)


def marked(mark: str) -> list[psutil.Process]:
    """Processes whose environment names a folder of ours, as all have that a command started.

    A process that went to the background has left the group and the parent that it had.
    """
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError, psutil.Error):
            if os.fsencode(mark) in Path(f"/proc/{name}/environ").read_bytes():
                found.append(psutil.Process(int(name)))
    return [each for each in found if each.pid != os.getpid() and alive(each)]
