"""Nothing is left behind: not a process, a port or a lock."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from profiles.watch import limits
from workloads.machine import testbed
from workloads.machine.testbed import Process
from workloads.tests.processes import until

ROOT = Path(__file__).resolve().parents[2]
CPUS = sorted(os.sched_getaffinity(0))[:1]
PYTHON = [sys.executable, "-c"]


def gone(pid):
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@pytest.fixture
def child(tmp_path):
    """Starts children whose log is in the folder of the test."""

    def start(*argv, cpus=CPUS, **more):
        return Process([*argv], cpus, tmp_path, "log", **more)

    return start


def with_testbed(code):
    """The command of another process of ours, which has all names of the module."""
    return [*PYTHON, f"from workloads.machine.testbed import *\n{code}"]


def other(code):
    return subprocess.Popen(with_testbed(code), cwd=ROOT, stdout=subprocess.PIPE, text=True)


def kill(process):
    process.kill()
    process.wait()


def test_child_runs_on_its_cpus_in_the_folder_of_its_log_or_elsewhere(child, tmp_path):
    code = "import os; print(sorted(os.sched_getaffinity(0)), os.getcwd(), os.getsid(0))"
    for home in (None, tmp_path.parent):
        process = child(*PYTHON, code, home=home)
        assert process.wait(30)
        assert process.log.read_text() == f"{CPUS} {home or tmp_path} {os.getsid(0)}\n"
        assert process.exit_status == 0


def test_what_a_child_has_left_behind_ends_with_it(child):
    process = child("sh", "-c", "sleep 60 & echo $!; exit 3")
    assert process.wait(10)
    assert process.exit_status == 3
    left = int(process.log.read_text())
    until(lambda: gone(left))


@pytest.mark.parametrize(
    ("at_sigterm", "grace_s", "status"),
    [("signal.SIG_IGN", 0.2, -signal.SIGKILL), ("lambda *_: exit(7)", 10, 7)],
)
def test_child_is_killed_where_sigterm_does_not_end_it(child, at_sigterm, grace_s, status):
    code = f"import signal, time; signal.signal(15, {at_sigterm}); print(1, flush=1)"
    process = child(*PYTHON, f"{code}; time.sleep(60)")
    until(process.log.read_text)
    for _ in range(2):
        process.stop(grace_s)
        assert process.exit_status == status


def test_child_dies_with_its_killed_parent(tmp_path):
    parent = other(
        f"p = Process(['sleep', '60'], {CPUS}, Path({str(tmp_path)!r}), 'log')\n"
        "print(p.pid, flush=True); time.sleep(60)"
    )
    pid = int(parent.stdout.readline())
    until(lambda: psutil.Process(pid).name() == "sleep")
    kill(parent)
    until(lambda: gone(pid))


def test_runner_stops_when_its_snakemake_is_killed(tmp_path):
    """The requester's shell survives a kill -9 of Snakemake; the runner must not."""
    runner = "stop_with_our_requester(); print(os.getpid(), flush=True); time.sleep(60)"
    snakemake = tmp_path / "snakemake"
    snakemake.write_text(
        "import subprocess\n"
        'line = \'true; "$1" "$2" "$3"; true\'\n'
        f"subprocess.run(['bash', '-c', line, 'shell', *{with_testbed(runner)!r}])\n"
    )
    requester = subprocess.Popen(
        [sys.executable, snakemake], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    pid = int(requester.stdout.readline())
    kill(requester)
    until(lambda: gone(pid))


def test_a_measurement_waits_for_another(tmp_path, monkeypatch):
    lock, said = tmp_path, tmp_path / "said"
    monkeypatch.setattr(testbed, "LOCK", lock)
    code = (
        "from workloads.machine import testbed\n"
        f"testbed.LOCK = Path({str(lock)!r})\n"
        "with alone_on_the_machine(): print('in', flush=True)"
    )
    with testbed.alone_on_the_machine(), said.open("wb") as output:
        second = subprocess.Popen(with_testbed(code), cwd=ROOT, stdout=output, stderr=output)
        until(said.read_text)
    assert second.wait(30) == 0
    waiting, inside = said.read_text().splitlines()
    assert (waiting.endswith(f"the lock {lock}"), inside) == (True, "in")


@pytest.mark.parametrize(
    ("shared", "cpus", "alone"), [("NO", 1, True), ("OK", 1, False), ("NO", 4096, False)]
)
def test_a_slurm_job_has_its_node_and_all_its_cpus(tmp_path, monkeypatch, shared, cpus, alone):
    (tmp_path / "squeue").write_text(f'#!/bin/sh\n[ "$4" = 42 ] && echo {shared} {cpus}\n')
    (tmp_path / "squeue").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    testbed.alone_on_the_node()
    monkeypatch.setenv("SLURM_JOB_ID", "42")
    refused = pytest.raises(SystemExit, match="SLURM job 42 must have its node to itself")
    with contextlib.nullcontext() if alone else refused:
        testbed.alone_on_the_node()


# ---- CPUs


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text}\n")


def show(root, cpus):
    """A /proc/stat of these CPUs."""
    put(root / "proc/stat", "\n".join(f"cpu{cpu} 1 2 3 4 5 6 7 8 0 0" for cpu in cpus))


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """Makes a root of cores, each named by its siblings, on their nodes."""

    def make(nodes, quota=None, allowed=None):
        cpus = [cpu for cores in nodes for core in cores for cpu in core]
        for node, cores in enumerate(nodes):
            for core, siblings in enumerate(cores):
                for cpu in siblings:
                    folder = tmp_path / f"sys/devices/system/cpu/cpu{cpu}"
                    (folder / f"node{node}").mkdir(parents=True)
                    put(folder / "topology/core_id", core)
                    put(folder / "topology/thread_siblings_list", ",".join(map(str, siblings)))
        show(tmp_path, cpus)
        if quota:
            put(tmp_path / "proc/self/cgroup", "0::/")
            mount = "1 0 0:1 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw"
            put(tmp_path / "proc/self/mountinfo", mount)
            put(tmp_path / "sys/fs/cgroup/cpu.max", f"{quota} 100000")
        monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(allowed or cpus))
        return tmp_path

    return make


TWO = [[[0], [1]]]
# 4 cores, 8 hyper-threads, as Linux numbers them on a PC: i and i+4 are one core.
EIGHT = [[[0, 4], [1, 5], [2, 6], [3, 7]]]
# Two nodes, whose CPUs take turns in the numbering.
NODES = [[[0, 4], [2, 6]], [[1, 5], [3, 7]]]
OFFLINE = [[[0], [2], [3], [5]]]


@pytest.mark.parametrize(
    ("nodes", "quota", "asked", "shares"),
    [
        # Both sides get whole cores of few nodes.
        (EIGHT, None, (), ([0, 1, 4, 5], [2, 3, 6, 7])),
        (NODES, None, (), ([0, 2, 4, 6], [1, 3, 5, 7])),
        # The generator gets the larger part of an odd number.
        ([[[0], [1], [2]]], None, (), ([0], [1, 2])),
        # CPUs keep their numbers where some are offline: the kernel lists the others alone.
        (OFFLINE, None, (), ([0, 2], [3, 5])),
        (OFFLINE, None, ([5], [0]), ([5], [0])),
        # Whole cores of one node where they fit; a side that requests none gets the rest.
        (NODES, None, (2, None), ([0, 4], [1, 2, 3, 5, 6, 7])),
        (NODES, None, (2, 2), ([0, 4], [2, 6])),
        (NODES, None, (None, 4), ([1, 3, 5, 7], [0, 2, 4, 6])),
        # The sibling of a hyper-thread is neither side's.
        (NODES, None, (1, None), ([0], [1, 2, 3, 5, 6, 7])),
        (NODES, None, ([0, 1], None), ([0, 1], [2, 3, 6, 7])),
        (NODES, None, (6, None), ([0, 1, 2, 4, 5, 6], [3, 7])),
        # Both have no more CPUs than a quota: a hyper-thread of each core before the second of one.
        (EIGHT, 400_000, (), ([0, 1], [2, 3])),
        (EIGHT, 650_000, (), ([0, 1, 4, 5], [2, 3])),
        (EIGHT, 390_000, (), ([0], [1, 2])),
        # Any CPUs that are named, but no more than it.
        (EIGHT, 400_000, ([3], [1, 5]), ([3], [1, 5])),
    ],
)
def test_shares_of_both_sides(machine, nodes, quota, asked, shares):
    root = machine(nodes, quota)
    assert testbed.cpu_shares(root, *asked) == shares
    assert not testbed.topology(shares, root)["siblings_split"]


@pytest.mark.parametrize(
    ("nodes", "quota", "asked", "allowed"),
    [
        (TWO, None, ([0, 9], None), r"testbed.server_cpus = \[0, 9\]; allowed: of \[0, 1\]"),
        (TWO, None, (4, None), "testbed.server_cpus = 4; allowed: up to 2 here"),
        (TWO, None, ([0], [0]), r"testbed.generator_cpus = \[0\]; allowed: of \[1\]"),
        (TWO, None, (2, None), "allowed: CPUs for both sides, of 2"),
        (NODES, None, ([5], [1, 2]), r"generator_cpus = \[1, 2\]; allowed: of \[0, 2, 3"),
        ([[[3]]], None, (), "may use = 3; allowed: two or more, for the server"),
        (EIGHT, 400_000, ([0, 4, 1], [2, 6]), "allowed: 4 CPUs together, by the control group's"),
    ],
)
def test_shares_that_there_are_not_are_refused(machine, nodes, quota, asked, allowed):
    with pytest.raises(testbed.CpuError, match=allowed):
        testbed.cpu_shares(machine(nodes, quota), *asked)


@pytest.mark.parametrize(
    ("nodes", "quota", "asked", "shares"),
    [
        (TWO, None, 2, ([0, 1], [0, 1])),
        # Two threads of one core; the record's topology says so.
        ([[[0, 1]]], None, 2, ([0, 1], [0, 1])),
        ([[[0], [1], [2]]], None, 2, ([0, 1], [2])),
        ([[[0], [1], [2], [3]]], 200_000, 2, ([0, 1], [0, 1])),
    ],
)
def test_a_server_of_so_many_cpus_shares_them_where_there_are_no_others(
    machine, nodes, quota, asked, shares
):
    root = machine(nodes, quota)
    assert testbed.beside_the_server(asked, root) == shares
    with pytest.raises(testbed.CpuError, match="shared_cpus = 5; allowed: up to [1-4] here"):
        testbed.beside_the_server(5, root)


def test_the_siblings_of_a_single_core_are_split_and_the_record_says_so(machine):
    root = machine([[[0, 1]]])
    assert testbed.cpu_shares(root) == ([0], [1])
    assert testbed.topology(([0], [1]), root) == {
        "cpus": [{"cpu": cpu, "core": 0, "node": 0, "siblings": [0, 1]} for cpu in (0, 1)],
        "siblings_split": True,
    }


@pytest.mark.parametrize(
    ("slow", "shares"),
    [
        # Two fast cores of two hyper-threads each, and eight efficient ones.
        ("4-11", ([0, 1, 2, 3], [4, 5, 6, 7, 8, 9, 10, 11])),
        # Efficient cores may have the lower numbers.
        ("0-3", ([4, 5, 6, 7, 8], [0, 1, 2, 3, 9, 10, 11])),
    ],
)
def test_no_efficient_core_is_the_servers(machine, slow, shares):
    root = machine([[[0, 1], [2, 3], *([cpu] for cpu in range(4, 12))]])
    put(root / "sys/devices/cpu_atom/cpus", slow)
    assert testbed.cpu_shares(root) == shares


def test_without_a_topology_every_cpu_is_a_core(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1, 2, 3})
    show(tmp_path, range(4))
    assert testbed.cpu_shares(tmp_path) == ([0, 1], [2, 3])
    unknown = dict.fromkeys(("core", "node"))
    last = testbed.topology(([0, 1], [2, 3]), tmp_path)["cpus"][3]
    assert last == unknown | {"cpu": 3, "siblings": [3]}


# ---- Ports


def test_no_port_is_handed_out_to_two_threads_at_once(monkeypatch):
    def slowly(port, address, is_free=testbed.is_free):
        time.sleep(0.01)
        return is_free(port, address)

    monkeypatch.setattr(testbed, "is_free", slowly)
    with ThreadPoolExecutor(8) as threads:
        ports = list(threads.map(testbed.free_port, [3] * 8))
    assert len(set(ports)) == 8


def test_server_port_is_free_and_one_of_the_servers(monkeypatch):
    first = testbed.free_port(1)
    assert first in limits.server_ports(*limits.ephemeral_ports())
    with socket.socket() as taken:
        # Servers do the same: a connection of an earlier test in TIME_WAIT would be in the way.
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", first))
        taken.listen()
        assert testbed.free_port(1) != first
    monkeypatch.setattr(testbed, "is_free", lambda *_: False)
    with pytest.raises(OSError, match="no port of 127.0.0.1 from"):
        testbed.free_port(1)


def test_port_with_a_connection_in_time_wait_is_not_free():
    """A server without SO_REUSEADDR, such as Python's plain socket, cannot listen on it."""
    with socket.socket() as server:
        server.bind((testbed.LOOPBACK, 0))
        server.listen()
        port = server.getsockname()[1]
        with socket.create_connection((testbed.LOOPBACK, port)) as client:
            server.accept()[0].close()
            # Who closes first keeps the connection.
            assert client.recv(1) == b""
    assert not testbed.is_free(port)


def test_confined_process_keeps_its_cpus_and_gives_them_to_new_threads(child):
    cpus = sorted(os.sched_getaffinity(0))
    code = (
        "import os, threading, time\n"
        "def work(): time.sleep(60)\n"
        "for _ in range(5): threading.Thread(target=work, daemon=True).start()\n"
        "work()"
    )
    process = child(*PYTHON, code, cpus=cpus)
    until(lambda: len(process.threads()) == 6)
    process.confine(cpus[:1])
    assert {tuple(os.sched_getaffinity(thread)) for thread in process.threads()} == {(cpus[0],)}
    process.stop(0.1)
    assert process.threads() == set()


@pytest.fixture
def roomy(monkeypatch):
    """A machine on which no limit is near; sets one of them by its function's name."""

    def limit(name, value):
        monkeypatch.setattr(limits, name, lambda: value)

    limit("descriptors", (1024, 1 << 20))
    limit("ephemeral_ports", (32_768, 60_999))
    limit("threads_left", (32_765, "vm.max_map_count"))
    return limit


THREADS = {"connections": 5000, "threads": 5000}


@pytest.mark.parametrize(
    ("name", "value", "load", "named"),
    [
        ("descriptors", (1024, 20_000), {"connections": 19_700}, ""),
        (
            *("descriptors", (1024, 20_000), {"connections": 19_701}),
            "19701 connections need 20001 descriptors; RLIMIT_NOFILE (ulimit -Hn) allows 20000",
        ),
        (
            *("ephemeral_ports", (10_000, 10_099), {"connections": 101, "ports": 101}),
            "101 ports; net.ipv4.ip_local_port_range allows 100",
        ),
        # Our generator takes more addresses.
        ("ephemeral_ports", (10_000, 10_099), {"connections": 5000}, ""),
        (
            *("threads_left", (5000, "pids.max of the control group a.slice"), THREADS),
            "6000 threads; pids.max of the control group a.slice allows 5000",
        ),
        ("threads_left", (-1, ""), THREADS, ""),
    ],
)
def test_limit_that_forbids_a_load_is_named(roomy, name, value, load, named):
    roomy(name, value)
    found = testbed.beyond_limits(**load)
    assert named in found if named else found == ""


def test_child_may_have_as_many_descriptors_as_the_hard_limit_allows(tmp_path):
    code = (
        f"process = Process(['sh', '-c', 'ulimit -Sn'], {CPUS}, Path({str(tmp_path)!r}), 'log')\n"
        "assert process.wait(10)"
    )
    subprocess.run(["prlimit", "--nofile=128:1500", *with_testbed(code)], cwd=ROOT, check=True)
    assert (tmp_path / "log").read_text() == "1500\n"


def test_folder_is_held_by_one_run_and_free_after_a_kill(tmp_path):
    held = f"alone_in_the_folder(Path({str(tmp_path)!r}))"
    first = other(f"{held}; print('held', flush=True); time.sleep(60)")
    assert first.stdout.readline() == "held\n"
    with pytest.raises(BlockingIOError):
        testbed.alone_in_the_folder(tmp_path)
    kill(first)
    testbed.alone_in_the_folder(tmp_path)
