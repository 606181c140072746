"""The machine as a testbed: one cell at a time, CPUs apart, and nothing left behind."""

import contextlib
import fcntl
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypedDict

import psutil

from profiles.watch import limits
from profiles.watch.terminal import say
from workloads.machine.environment import of_child

LOOPBACK = "127.0.0.1"
LOCK = limits.LOCK


@contextlib.contextmanager
def alone_on_the_machine() -> Iterator[None]:
    """Holds the machine's one measuring lock; waits while another measurement has it.

    The kernel drops the lock with the process that holds it, however that ends.
    """
    descriptor = os.open(LOCK, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"waiting for another measurement, which holds the lock {LOCK}")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def described(pid: int) -> str:
    try:
        command = " ".join(psutil.Process(pid).cmdline())
    except psutil.Error:
        return f"process {pid}"
    return f"process {pid} ({command[:100]})"


def alone_on_the_node() -> None:
    """Raises SystemExit within a SLURM job that shares its node, or has only a part of its CPUs."""
    job = os.environ.get("SLURM_JOB_ID")
    if not job:
        return
    asked = ["squeue", "--noheader", "--format=%h %C", "--jobs", job]
    said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    shared, allotted = said.split()
    usable = len(os.sched_getaffinity(0))
    if shared != "NO" or usable < int(allotted):
        sys.exit(
            f"SLURM job {job} must have its node to itself, but OverSubscribe is {shared} and it "
            f"may use {usable} of {allotted} CPUs: submit it with profiles/slurm."
        )


def boot() -> str:
    """A name for files of this machine in a folder that other machines share."""
    return Path("/proc/sys/kernel/random/boot_id").read_text()[:8]


def alone_in_the_folder(folder: Path) -> None:
    """Holds a folder until this process ends, for one Snakemake at a time.

    Snakemake's own lock outlives a kill -9. Raises BlockingIOError while another one holds it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    # NFS locks only what is open for writing.
    fcntl.flock(open_lock(folder / "run.lock", os.O_RDWR), fcntl.LOCK_EX | fcntl.LOCK_NB)


def open_lock(path: Path, access: int = os.O_RDONLY) -> int:
    """A descriptor of the file, which is for all users. Raises OSError."""
    # Opened before created: the kernel may refuse O_CREAT on another user's file in /tmp.
    try:
        return os.open(path, access | os.O_NOFOLLOW)
    except FileNotFoundError:
        descriptor = os.open(path, os.O_CREAT | access | os.O_NOFOLLOW, 0o644)
        # Other users wait for it whatever our umask; it may be one of theirs by now.
        with contextlib.suppress(PermissionError):
            os.fchmod(descriptor, 0o644)
        return descriptor


class Cpu(TypedDict):
    """Where a CPU is; None where the kernel does not say."""

    cpu: int
    core: int | None
    node: int | None
    siblings: list[int]


Shares = tuple[list[int], list[int]]


class CpuError(ValueError):
    """CPUs that a side cannot have: key, value, allowed ones."""


# How many CPUs, or which.
AskedCpus = int | list[int] | None


def shares_of(testbed: Mapping[str, Any]) -> Shares:
    """CPUs of both sides by a configuration's testbed. Raises CpuError.

    `shared_cpus` is how many the server has, also where none are left for the generator.
    """
    if asked := testbed.get("shared_cpus"):
        return beside_the_server(asked)
    generator_cpus = None if testbed.get("generator") else testbed.get("generator_cpus")
    return cpu_shares(server=testbed.get("server_cpus"), generator=generator_cpus)


def fault_of_cpus(testbed: Mapping[str, Any]) -> str:
    """Why this machine has no CPUs for both sides; empty where it has."""
    try:
        shares_of(testbed)
    except CpuError as fault:
        return str(fault)
    return ""


def cpu_shares(
    root: Path = limits.ROOT, server: AskedCpus = None, generator: AskedCpus = None
) -> Shares:
    """CPUs for the server and for the generator, half of the physical cores each. Raises CpuError.

    A core belongs to one side, for its hyper-threads slow each other down, unless it is the only
    one. Cores are taken node by node, efficient ones last: none is the server's. No more CPUs than
    a quota lets be busy. `server` and `generator` request other shares; a side that requests none
    gets the rest.
    """
    found = limits.cpus(root)
    if refused := found.refused():
        raise CpuError(refused)
    cores = cores_of(found, root)
    if not isinstance(server, list) and not isinstance(generator, list):
        cores = within_quota(cores, found.count)
    if len(cores) == 1:
        cores = [[cpu] for cpu in cores[0]]
    shares = shared_out(cores, found, root, server, generator)
    if len(sum(shares, [])) > found.count:
        asked = f"testbed.server_cpus = {shares[0]}, testbed.generator_cpus = {shares[1]}"
        raise CpuError(f"{asked}; allowed: {found.count} CPUs together, by {found.quota_text()}")
    return shares


def beside_the_server(asked: int, root: Path = limits.ROOT) -> Shares:
    """So many CPUs for the server; for the generator the others, or the same. Raises CpuError."""
    found = limits.cpus(root)
    if refused := found.refused():
        raise CpuError(refused)
    cores = within_quota(cores_of(found, root), found.count)
    server = taken(asked, cores, "shared_cpus", root)
    return server, sorted({*sum(cores, [])}.difference(server)) or server


def shared_out(
    cores: list[list[int]],
    found: limits.Cpus,
    root: Path,
    server: AskedCpus,
    generator: AskedCpus,
) -> Shares:
    if server is generator is None:
        fast = [core for core in cores if set(core).isdisjoint(found.slow)]
        half = sum(fast[: len(cores) // 2], [])
        return sorted(half), sorted(set(sum(cores, [])).difference(half))
    on_server = taken(server, cores, "server_cpus", root) if server else []
    left = without_cpus(cores, on_server)
    on_generator = taken(generator, left, "generator_cpus", root) if generator else []
    on_server = on_server or sorted(sum(without_cpus(cores, on_generator), []))
    on_generator = on_generator or sorted(sum(left, []))
    if not on_server or not on_generator:
        asked = f"testbed.server_cpus = {server}, testbed.generator_cpus = {generator}"
        raise CpuError(f"{asked}; allowed: CPUs for both sides, of {len(sum(cores, []))}")
    return on_server, on_generator


def cores_of(found: limits.Cpus, root: Path) -> list[list[int]]:
    """The CPUs that we may use, by physical core: node by node, efficient cores last."""
    cpus = [cpu_facts(cpu, root) for cpu in found.usable]
    by_core: dict[tuple[int, ...], list[int]] = {}
    for cpu in sorted(cpus, key=lambda cpu: (cpu["cpu"] in found.slow, place(cpu))):
        by_core.setdefault(tuple(cpu["siblings"]), []).append(cpu["cpu"])
    return list(by_core.values())


def within_quota(cores: list[list[int]], count: int) -> list[list[int]]:
    """So many CPUs of these cores; a second hyper-thread of one only after the first of each."""
    places = [(nth, core) for core, cpus in enumerate(cores) for nth in range(len(cpus))]
    chosen = sorted(places)[:count]
    found: list[list[int]] = [[] for _ in cores]
    for nth, core in chosen:
        found[core].append(cores[core][nth])
    return [core for core in found if core]


def without_cpus(cores: list[list[int]], taken: list[int]) -> list[list[int]]:
    """The cores that are left; one that is begun goes to the side that began it."""
    return [core for core in cores if not set(core) & set(taken)]


def taken(asked: int | list[int], cores: list[list[int]], key: str, root: Path) -> list[int]:
    """The requested CPUs out of these cores, on one node where they fit."""
    free = sum(cores, [])
    if isinstance(asked, list):
        if set(asked) <= set(free):
            return sorted(asked)
        raise CpuError(f"testbed.{key} = {asked}; allowed: of {sorted(free)}")
    nodes: dict[int, list[int]] = {}
    for cpu in free:
        nodes.setdefault(cpu_facts(cpu, root)["node"] or 0, []).append(cpu)
    for cpus in (*nodes.values(), free):
        if len(cpus) >= asked:
            return sorted(cpus[:asked])
    raise CpuError(f"testbed.{key} = {asked}; allowed: up to {len(free)} here")


def place(cpu: Cpu) -> tuple[int, list[int], int]:
    return cpu["node"] or 0, cpu["siblings"], cpu["cpu"]


def topology(shares: Shares, root: Path = limits.ROOT) -> dict[str, Any]:
    """Where every CPU of both sides is, and whether they share a core, for a record."""
    cpus = [cpu_facts(cpu, root) for cpu in sorted({*shares[0], *shares[1]})]
    return {"cpus": cpus, "siblings_split": siblings_split(shares, cpus)}


def siblings_split(shares: Shares, cpus: list[Cpu]) -> bool:
    """Whether hyper-threads of one core are on different sides."""
    server, generator = map(set, shares)
    return server.isdisjoint(generator) and any(
        not server.isdisjoint(cpu["siblings"]) and not generator.isdisjoint(cpu["siblings"])
        for cpu in cpus
    )


def cpu_facts(cpu: int, root: Path) -> Cpu:
    folder = root / f"sys/devices/system/cpu/cpu{cpu}"
    nodes = [int(path.name.removeprefix("node")) for path in folder.glob("node[0-9]*")]
    siblings = folder / "topology/thread_siblings_list"
    return {
        "cpu": cpu,
        "core": limits.number(folder / "topology/core_id"),
        "node": nodes[0] if nodes else None,
        "siblings": limits.numbers(limits.content(siblings)) or [cpu],
    }


# Ports that a process of ours may be about to bind, so that a probe would find them free.
handed_out: set[int] = set()
handing_out = threading.Lock()


def free_port(position: int, address: str = LOOPBACK) -> int:
    """A free port of an address which this process has not had before. Raises OSError.

    Cells take turns over the ports, so that none meets its predecessor's TIME_WAIT.
    """
    ports = limits.server_ports(*limits.ephemeral_ports())
    first = position * 7 % len(ports)
    with handing_out:
        for port in (*ports[first:], *ports[:first]):
            if port not in handed_out and is_free(port, address):
                handed_out.add(port)
                return port
    raise OSError(f"no port of {address} from {ports[0]} to {ports[-1]} is free")


def is_free(port: int, address: str = LOOPBACK) -> bool:
    """Also for a server without SO_REUSEADDR, which a connection in TIME_WAIT keeps out."""
    with socket.socket() as probe, contextlib.suppress(OSError):
        probe.bind((address, port))
        return True
    return False


# Descriptors of a server or generator that are not connections: jars, logs, epoll, the listener.
OTHER_DESCRIPTORS = 300
# Threads of a session's JVMs that are not for a connection.
OTHER_THREADS = 1000


def beyond_limits(connections: int, *, ports: int = 0, threads: int = 0) -> str:
    """Which limit of this machine forbids a load; empty where none does.

    Server and generator hold a descriptor each for every connection. `ports`: of connections from
    one address. `threads`: that both start for their connections.
    """
    _, hard = limits.descriptors()
    low, high = limits.ephemeral_ports()
    left, by = limits.threads_left()
    needs = (
        (connections + OTHER_DESCRIPTORS, hard, "descriptors", "RLIMIT_NOFILE (ulimit -Hn)"),
        (ports, high - low + 1, "ports", "net.ipv4.ip_local_port_range"),
        (threads + OTHER_THREADS if threads else 0, left, "threads", by),
    )
    for needed, there, what, limit in needs:
        if 0 <= there < needed:
            return f"{connections} connections need {needed} {what}; {limit} allows {there}"
    return ""


def confine_threads(threads: Callable[[], set[int]], cpus: list[int]) -> None:
    """From now on these threads, and those that they will start, run on these CPUs.

    `threads`: their ids, asked until no more come. Raises OSError for one that may not be placed.
    """
    confined: set[int] = set()
    while unconfined := threads() - confined:
        for thread in unconfined:
            with contextlib.suppress(ProcessLookupError):
                os.sched_setaffinity(thread, cpus)
        confined |= unconfined


class Process:
    """A child in a process group of its own, on CPUs of its own, that dies with us.

    setpriv's parent-death signal covers a kill -9 of the runner. Not a session: Linux schedules
    sessions as groups (sched(7), autogroup), and the telemetry's low priority would not count
    against a generator in another one.

    It may have as many descriptors as the hard limit allows. `stdin`: keep a pipe to it in
    `child.stdin`. `home`: where it runs, if not in the folder of its log. `environment` is added to
    the list in environment.py.
    """

    def __init__(
        self,
        argv: list[str],
        cpus: list[int],
        folder: Path,
        log: str,
        environment: Mapping[str, str] | None = None,
        *,
        stdin: bool = False,
        home: Path | None = None,
    ) -> None:
        self.argv, self.environment = argv, of_child(environment)
        limits.raise_descriptors()
        cpu_list = ",".join(map(str, cpus))
        wrapped = ["setpriv", "--pdeathsig", "KILL", "taskset", "-c", cpu_list, *argv]
        with (folder / log).open("wb") as output:
            self.child = subprocess.Popen(
                wrapped,
                cwd=home or folder,
                env=self.environment,
                stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                process_group=0,
                # Each line goes out with its end.
                text=True,
                bufsize=1,
            )
        self.log, self.pid = folder / log, self.child.pid
        self.exit_status: int | None = None

    def ended(self) -> bool:
        """Whether it is gone; what it has left behind ends with it."""
        waiting = os.WEXITED | os.WNOHANG | os.WNOWAIT
        if self.exit_status is None and os.waitid(os.P_PID, self.pid, waiting):
            # Until it is reaped the id of its group is no other's.
            os.killpg(self.pid, signal.SIGKILL)
            _, status = os.waitpid(self.pid, 0)
            self.exit_status = self.child.returncode = os.waitstatus_to_exitcode(status)
        return self.exit_status is not None

    def confine(self, cpus: list[int]) -> None:
        confine_threads(self.threads, cpus)

    def threads(self) -> set[int]:
        """Thread ids; none once it is gone."""
        try:
            return {int(name) for name in os.listdir(f"/proc/{self.pid}/task")}
        except FileNotFoundError:
            return set()

    def wait(self, limit_s: float) -> bool:
        """Whether it ended by itself within the limit."""
        deadline_s = time.monotonic() + limit_s
        while not self.ended():
            if time.monotonic() > deadline_s:
                return False
            time.sleep(0.01)
        return True

    def finish(self, limit_s: float) -> bool:
        """Whether it ended by itself within the limit; it is gone afterwards."""
        try:
            return self.wait(limit_s)
        finally:
            # A generator that is told to stop still writes what it has measured.
            self.stop(10)

    def stop(self, grace_s: float) -> None:
        """SIGTERM, then SIGKILL to its whole group; nothing once it is gone."""
        if not self.ended():
            os.kill(self.pid, signal.SIGTERM)
        if not self.wait(grace_s):
            os.killpg(self.pid, signal.SIGKILL)
            self.wait(grace_s)
        if self.child.stdin:
            # A line that it has not read is lost with it.
            with contextlib.suppress(BrokenPipeError):
                self.child.stdin.close()


def stop_with_our_requester() -> None:
    """Stops this process when the Snakemake that requested the cell is gone.

    Killed with -9 it leaves its shell, and the cell would be measured for no one.
    """
    line = psutil.Process().parents()
    names = [" ".join(process.cmdline()) for process in line]
    asking = next((i for i, name in enumerate(names) if "snakemake" in name), None)
    if asking is None:
        return
    watched = line[: asking + 1]

    def watch() -> None:
        while all(process.is_running() for process in watched):
            time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="requester", daemon=True).start()
