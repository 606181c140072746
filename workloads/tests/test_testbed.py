"""Nothing is left behind: not a process, a port or a lock."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from profiles.watch import limits
from profiles.watch.tests.namespaces import in_namespace, python
from workloads.machine import testbed
from workloads.machine.testbed import Process
from workloads.tests.processes import until

ROOT = Path(__file__).resolve().parents[2]
CPUS = sorted(os.sched_getaffinity(0))[:1]


def gone(pid):
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def test_child_runs_on_its_cpus_in_its_folder(tmp_path):
    code = "import os; print(sorted(os.sched_getaffinity(0)), os.getcwd())"
    process = Process([sys.executable, "-c", code], CPUS, tmp_path, "log")
    assert process.wait(30)
    assert (tmp_path / "log").read_text().strip() == f"{CPUS} {tmp_path}"
    assert process.exit_status == 0


def test_what_a_child_has_left_behind_ends_with_it(tmp_path):
    process = Process(["sh", "-c", "sleep 60 & echo $!; exit 3"], CPUS, tmp_path, "log")
    assert process.wait(10)
    assert process.exit_status == 3
    left = int((tmp_path / "log").read_text())
    until(lambda: gone(left))


def test_child_may_run_elsewhere_than_its_log_lies(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    process = Process(["pwd"], CPUS, tmp_path, "log", home=home)
    assert process.wait(10)
    assert (tmp_path / "log").read_text().strip() == str(home)


def test_child_has_a_group_of_its_own_in_our_session(tmp_path):
    process = Process(["sleep", "60"], CPUS, tmp_path, "log")
    ids = os.getpgid(process.pid), os.getsid(process.pid)
    process.stop(5)
    assert ids == (process.pid, os.getsid(0))


def test_child_that_ignores_sigterm_is_killed(tmp_path):
    code = (
        "import signal, time; signal.signal(15, signal.SIG_IGN); print(1, flush=1); time.sleep(60)"
    )
    process = Process([sys.executable, "-c", code], CPUS, tmp_path, "log")
    until(lambda: (tmp_path / "log").read_text())
    process.stop(0.2)
    assert process.exit_status == -signal.SIGKILL


def test_child_reads_lines_from_us_until_it_is_stopped(tmp_path):
    process = Process(["cat"], CPUS, tmp_path, "log", stdin=True)
    for line in ("first", "second"):
        process.child.stdin.write(f"{line}\n")
        until(lambda line=line: (tmp_path / "log").read_text().endswith(f"{line}\n"))
    process.stop(5)
    assert (process.exit_status, process.child.stdin.closed) == (-signal.SIGTERM, True)


def test_child_may_end_by_itself_when_it_is_stopped(tmp_path):
    code = (
        "import signal, time; signal.signal(15, lambda *_: exit(7))\n"
        "print(1, flush=1); time.sleep(60)"
    )
    process = Process([sys.executable, "-c", code], CPUS, tmp_path, "log")
    until(lambda: (tmp_path / "log").read_text())
    process.stop(10)
    assert process.exit_status == 7
    process.stop(10)


def test_child_dies_with_its_killed_parent(tmp_path):
    code = (
        "import time; from pathlib import Path; from workloads.machine.testbed import Process\n"
        f"p = Process(['sleep', '60'], {CPUS}, Path({str(tmp_path)!r}), 'log')\n"
        "print(p.pid, flush=True); time.sleep(60)"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    pid = int(parent.stdout.readline())
    until(lambda: psutil.Process(pid).name() == "sleep")
    parent.kill()
    parent.wait()
    until(lambda: gone(pid))


def test_runner_stops_when_its_snakemake_is_killed(tmp_path):
    """The requester's shell survives a kill -9 of Snakemake; the runner must not."""
    runner = (
        "from workloads.machine.testbed import *; stop_with_our_requester(); "
        "print(os.getpid(), flush=True); time.sleep(60)"
    )
    snakemake = tmp_path / "snakemake"
    snakemake.write_text(
        "import subprocess, sys\n"
        'line = \'true; "$1" -c "$2"; true\'\n'
        f"subprocess.run(['bash', '-c', line, 'shell', {sys.executable!r}, {runner!r}])\n"
    )
    requester = subprocess.Popen(
        [sys.executable, snakemake], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    pid = int(requester.stdout.readline())
    requester.kill()
    requester.wait()
    until(lambda: gone(pid))


def test_the_lock_is_the_machines_whatever_temporary_folder_a_measurement_has(tmp_path):
    argv = [sys.executable, "-c", "from workloads.machine import testbed; print(testbed.LOCK)"]
    own = os.environ | {"TMPDIR": str(tmp_path)}
    said = subprocess.run(argv, cwd=ROOT, env=own, capture_output=True, text=True, check=True)
    assert said.stdout == f"{testbed.LOCK}\n"


def test_a_measurement_that_waits_names_the_holder_again_and_again(tmp_path, monkeypatch):
    monkeypatch.setattr(testbed, "LOCK", tmp_path / "lock")
    said = tmp_path / "said"
    code = (
        "from pathlib import Path; from workloads.machine import testbed\n"
        f"testbed.LOCK = Path({str(testbed.LOCK)!r}); testbed.REMINDER_S = 0.2\n"
        "with testbed.alone_on_the_machine(): print('in', flush=True)"
    )
    with testbed.alone_on_the_machine(), said.open("wb") as output:
        argv = [sys.executable, "-c", code]
        second = subprocess.Popen(argv, cwd=ROOT, stdout=output, stderr=output)
        until(lambda: said.read_text().count("\n") > 2)
    assert second.wait(30) == 0
    *reminders, last = said.read_text().splitlines()
    assert last == "in"
    holder = f"process {os.getpid()} ({' '.join(psutil.Process().cmdline())[:100]})"
    assert set(reminders) == {f"waiting for {holder}, which holds the lock {testbed.LOCK}"}


def test_a_free_lock_is_taken_in_silence(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(testbed, "LOCK", tmp_path / "lock")
    with testbed.alone_on_the_machine():
        pass
    assert capsys.readouterr().err == ""


def test_a_holder_of_another_container_is_one_that_cannot_be_seen(tmp_path, monkeypatch):
    monkeypatch.setattr(testbed, "PROC_LOCKS", tmp_path / "locks")
    testbed.PROC_LOCKS.write_text("1: POSIX  ADVISORY  READ 5 fe:00:1 0 EOF\n")
    with (tmp_path / "lock").open("w") as lock:
        assert testbed.holder_of(lock.fileno()) == "a process that this one cannot see"


def test_a_lock_file_that_cannot_be_opened_is_an_error_with_its_owner(tmp_path, monkeypatch):
    monkeypatch.setattr(testbed, "LOCK", tmp_path / "lock")
    testbed.LOCK.symlink_to(tmp_path / "elsewhere")
    with (
        pytest.raises(SystemExit, match=f"{testbed.LOCK} cannot be opened: .*user {os.getuid()}"),
        testbed.alone_on_the_machine(),
    ):
        pass


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_lock_file_of_another_user_is_an_error_with_its_owner(as_nobody):
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o711)
        lock = Path(folder) / "lock"
        lock.touch(mode=0o600)
        error = as_nobody(lambda: testbed.open_lock(lock))
    assert error == (
        f"The lock file {lock} cannot be opened: Permission denied. "
        "Have its owner, user 0, remove it while no measurement runs."
    )


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


# ---- CPUs -----------------------------------------------------------------------------------


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text}\n")


def show(root, cpus):
    """A /proc/stat of these CPUs."""
    put(root / "proc/stat", "\n".join(f"cpu{cpu} 1 2 3 4 5 6 7 8 0 0" for cpu in cpus))


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """Makes a root of cores, each named by its siblings, on their nodes."""

    def make(nodes, allowed=None, quota=None):
        cpus = [cpu for cores in nodes for core in cores for cpu in core]
        for node, cores in enumerate(nodes):
            for core, siblings in enumerate(cores):
                for cpu in siblings:
                    folder = tmp_path / f"sys/devices/system/cpu/cpu{cpu}"
                    (folder / f"node{node}").mkdir(parents=True)
                    put(folder / "topology/core_id", core)
                    put(folder / "topology/physical_package_id", node)
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


@pytest.mark.parametrize(
    ("nodes", "server", "generator"),
    [
        # 4 cores, 8 hyper-threads, as Linux numbers them on a PC: i and i+4 are one core.
        ([[[0, 4], [1, 5], [2, 6], [3, 7]]], [0, 1, 4, 5], [2, 3, 6, 7]),
        # Neighbors are one core, as in most virtual machines.
        ([[[0, 1], [2, 3]]], [0, 1], [2, 3]),
        # Two nodes, whose CPUs take turns in the numbering.
        ([[[0, 4], [2, 6]], [[1, 5], [3, 7]]], [0, 2, 4, 6], [1, 3, 5, 7]),
        # The generator gets the larger part of an odd number.
        ([[[0], [1], [2]]], [0], [1, 2]),
    ],
)
def test_both_sides_get_whole_cores_of_few_nodes(machine, nodes, server, generator):
    root = machine(nodes)
    assert testbed.cpu_shares(root) == (server, generator)
    assert not testbed.topology(root=root)["siblings_split"]


@pytest.mark.parametrize(
    ("server", "generator", "shares"),
    [
        # Whole cores of one node where they fit; a side that requests none gets the rest.
        (2, None, ([0, 4], [1, 2, 3, 5, 6, 7])),
        (2, 2, ([0, 4], [2, 6])),
        (None, 4, ([1, 3, 5, 7], [0, 2, 4, 6])),
        # The sibling of a hyper-thread is neither side's.
        (1, None, ([0], [1, 2, 3, 5, 6, 7])),
        ([5], [1, 2], None),
        ([4], [1, 2], ([4], [1, 2])),
        ([0, 1], None, ([0, 1], [2, 3, 6, 7])),
        (6, None, ([0, 1, 2, 4, 5, 6], [3, 7])),
    ],
)
def test_shares_that_are_asked_for(machine, server, generator, shares):
    root = machine([[[0, 4], [2, 6]], [[1, 5], [3, 7]]])
    refused = pytest.raises(testbed.CpuError, match="allowed: of")
    with contextlib.nullcontext() if shares else refused:
        assert testbed.cpu_shares(root, server, generator) == shares


@pytest.mark.parametrize(
    ("asked", "allowed"),
    [
        (([0, 9], None), r"testbed.server_cpus = \[0, 9\]; allowed: of \[0, 1\]"),
        ((4, None), "testbed.server_cpus = 4; allowed: up to 2 here"),
        (([0], [0]), r"testbed.generator_cpus = \[0\]; allowed: of \[1\]"),
        ((2, None), "allowed: CPUs for both sides, of 2"),
    ],
)
def test_shares_that_there_are_not_are_refused(machine, asked, allowed):
    with pytest.raises(testbed.CpuError, match=allowed):
        testbed.cpu_shares(machine([[[0], [1]]]), *asked)


@pytest.mark.parametrize(
    ("nodes", "quota", "asked", "shares"),
    [
        ([[[0], [1]]], None, 2, ([0, 1], [0, 1])),
        # Two threads of one core; the record's topology says so.
        ([[[0, 1]]], None, 2, ([0, 1], [0, 1])),
        ([[[0], [1]]], None, 1, ([0], [1])),
        ([[[0, 4], [1, 5]]], None, 2, ([0, 4], [1, 5])),
        ([[[0], [1], [2]]], None, 2, ([0, 1], [2])),
        ([[[cpu] for cpu in range(64)]], None, 32, ([*range(32)], [*range(32, 64)])),
        ([[[0], [1], [2], [3]]], 200000, 2, ([0, 1], [0, 1])),
    ],
)
def test_a_server_of_so_many_cpus_shares_them_where_there_are_no_others(
    machine, nodes, quota, asked, shares
):
    assert testbed.beside_the_server(asked, machine(nodes, quota=quota)) == shares


def test_a_server_of_more_cpus_than_there_are_is_refused(machine):
    with pytest.raises(testbed.CpuError, match="shared_cpus = 3; allowed: up to 2 here"):
        testbed.beside_the_server(3, machine([[[0], [1]]]))


def test_cpus_that_this_process_may_not_use_are_left_out(machine):
    root = machine([[[0, 4], [1, 5], [2, 6], [3, 7]]], allowed={1, 2, 5, 6})
    assert testbed.cpu_shares(root) == ([1, 5], [2, 6])


def test_the_siblings_of_a_single_core_are_split_and_the_record_says_so(machine):
    root = machine([[[0, 1]]])
    assert testbed.cpu_shares(root) == ([0], [1])
    assert testbed.topology(root=root) == {
        "cpus": [
            {"cpu": cpu, "core": 0, "package": 0, "node": 0, "siblings": [0, 1]} for cpu in (0, 1)
        ],
        "siblings_split": True,
    }


def test_a_single_cpu_is_refused(machine):
    with pytest.raises(testbed.CpuError, match="may use = 3; allowed: two or more, for the server"):
        testbed.cpu_shares(machine([[[3]]]))


EIGHT = [[[0, 4], [1, 5], [2, 6], [3, 7]]]


@pytest.mark.parametrize(
    ("quota", "asked", "shares"),
    [
        (800_000, (None, None), ([0, 1, 4, 5], [2, 3, 6, 7])),
        # A hyper-thread of each core before the second of one.
        (400_000, (None, None), ([0, 1], [2, 3])),
        (650_000, (None, None), ([0, 1, 4, 5], [2, 3])),
        (200_000, (None, None), ([0], [1])),
        (390_000, (None, None), ([0], [1, 2])),
        (300_000, (1, 2), ([0], [1, 2])),
        # Any CPUs that are named, but no more than it.
        (400_000, ([3], [1, 5]), ([3], [1, 5])),
    ],
)
def test_both_sides_have_no_more_cpus_than_a_quota(machine, quota, asked, shares):
    assert testbed.cpu_shares(machine(EIGHT, quota=quota), *asked) == shares


@pytest.mark.parametrize(
    ("quota", "asked", "allowed"),
    [
        (100_000, (None, None), "quota of 1 CPUs .*; allowed: two or more"),
        (
            400_000,
            ([0, 4, 1], [2, 6]),
            "allowed: 4 CPUs together, by the control group's CPU",
        ),
        (400_000, (4, None), "allowed: CPUs for both sides, of 4"),
    ],
)
def test_more_cpus_than_a_quota_are_refused(machine, quota, asked, allowed):
    with pytest.raises(testbed.CpuError, match=allowed):
        testbed.cpu_shares(machine(EIGHT, quota=quota), *asked)


def test_cpus_keep_their_numbers_where_some_are_offline(machine):
    """CPU 1 is: the kernel lists the others alone."""
    root = machine([[[0], [2], [3], [5]]])
    assert testbed.cpu_shares(root) == ([0, 2], [3, 5])
    assert testbed.cpu_shares(root, [5], [0]) == ([5], [0])


def test_cpus_whose_idle_time_is_not_shown_are_refused(machine):
    root = machine([[[2], [3]]])
    show(root, [0, 1])
    with pytest.raises(testbed.CpuError, match="may use = 2-3; allowed: .* /proc/stat shows, 0-1"):
        testbed.cpu_shares(root)


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


def test_of_isolated_cpus_a_side_has_one(machine):
    root = machine([[[0], [1], [2], [3]]])
    put(root / "sys/devices/system/cpu/isolated", "2-3")
    assert testbed.cpu_shares(root, [3], [0, 1]) == ([3], [0, 1])
    with pytest.raises(testbed.CpuError, match=r"generator_cpus = \[2, 3\]; allowed: .* isolated"):
        testbed.cpu_shares(root)


def test_a_record_made_under_confinement_is_of_the_shares_given(machine, monkeypatch):
    root = machine([[[0, 2], [1, 3]]])
    shares = testbed.cpu_shares(root)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {1, 3})
    assert [cpu["cpu"] for cpu in testbed.topology(shares, root)["cpus"]] == [0, 1, 2, 3]
    assert testbed.topology(([0, 1], [2, 3]), root)["siblings_split"]


def test_without_a_topology_every_cpu_is_a_core(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1, 2, 3})
    show(tmp_path, range(4))
    assert testbed.cpu_shares(tmp_path) == ([0, 1], [2, 3])
    assert testbed.topology(root=tmp_path)["cpus"][3] == {
        "cpu": 3,
        "core": None,
        "package": None,
        "node": None,
        "siblings": [3],
    }


# ---- Ports ----------------------------------------------------------------------------------


def test_a_server_has_a_port_where_clients_have_all():
    code = "from workloads.machine.testbed import free_port; print(free_port(3), free_port(4))"
    (found,) = in_namespace(
        "-n",
        "ip link set lo up && echo 1024 65535 >/proc/sys/net/ipv4/ip_local_port_range || exit 77; "
        f"{python(code)}",
    )
    first, second = map(int, found.split())
    assert 1024 < first < second <= 65_535


def test_no_port_is_handed_out_to_two_threads_at_once(monkeypatch):
    def slowly(port, address, is_free=testbed.is_free):
        time.sleep(0.01)
        return is_free(port, address)

    monkeypatch.setattr(testbed, "is_free", slowly)
    with ThreadPoolExecutor(8) as threads:
        ports = list(threads.map(testbed.free_port, [3] * 8))
    assert len(set(ports)) == 8


def test_without_a_free_port_there_is_an_error(monkeypatch):
    monkeypatch.setattr(testbed, "is_free", lambda *_: False)
    with pytest.raises(OSError, match="no port of 127.0.0.1 from"):
        testbed.free_port(1)


def test_server_port_is_free_and_one_of_the_servers():
    first = testbed.free_port(1)
    assert first in limits.server_ports(*limits.ephemeral_ports())
    with socket.socket() as taken:
        # Servers do the same: a connection of an earlier test in TIME_WAIT would be in the way.
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", first))
        taken.listen()
        assert testbed.free_port(1) != first


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


def test_confined_process_keeps_its_cpus_and_gives_them_to_new_threads(tmp_path):
    cpus = sorted(os.sched_getaffinity(0))
    code = (
        "import os, threading, time\n"
        "def work(): print(os.sched_getaffinity(0), flush=True); time.sleep(60)\n"
        "for _ in range(5): threading.Thread(target=work, daemon=True).start()\n"
        "time.sleep(0.5); work()"
    )
    process = testbed.Process([sys.executable, "-c", code], cpus, tmp_path, "log")
    while len(process.threads()) < 6:
        time.sleep(0.01)
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
    limit("files_left", None)
    limit("ephemeral_ports", (32_768, 60_999))
    limit("threads_left", (32_765, "vm.max_map_count"))
    return limit


@pytest.mark.parametrize(
    ("name", "value", "load", "named"),
    [
        ("descriptors", (1024, 20_000), {"connections": 19_700}, ""),
        (
            *("descriptors", (1024, 20_000), {"connections": 19_701}),
            "19701 connections need 20001 descriptors; RLIMIT_NOFILE (ulimit -Hn) allows 20000",
        ),
        ("descriptors", (1024, -1), {"connections": 100_000}, ""),
        ("files_left", 2599, {"connections": 1000}, "2600 open files; fs.file-max allows 2599"),
        ("files_left", 2600, {"connections": 1000}, ""),
        (
            *("ephemeral_ports", (10_000, 10_099), {"connections": 101, "ports": 101}),
            "101 connections need 101 ports; net.ipv4.ip_local_port_range allows 100",
        ),
        # Our generator takes more addresses.
        ("ephemeral_ports", (10_000, 10_099), {"connections": 5000}, ""),
        (
            *("threads_left", (5000, "pids.max of the control group a.slice")),
            {"connections": 5000, "threads": 5000},
            "5000 connections need 6000 threads; pids.max of the control group a.slice allows 5000",
        ),
        ("threads_left", (500, "kernel.pid_max"), {"connections": 5000}, ""),
        ("threads_left", (-1, ""), {"connections": 5000, "threads": 5000}, ""),
    ],
)
def test_limit_that_forbids_a_load_is_named(roomy, name, value, load, named):
    roomy(name, value)
    found = testbed.beyond_limits(**load)
    assert named in found if named else found == ""


def test_child_may_have_as_many_descriptors_as_the_hard_limit_allows(tmp_path):
    code = (
        "from pathlib import Path; from workloads.machine.testbed import Process\n"
        f"process = Process(['sh', '-c', 'ulimit -Sn'], {CPUS}, Path({str(tmp_path)!r}), 'log')\n"
        "assert process.wait(10)"
    )
    argv = ["prlimit", "--nofile=128:1500", sys.executable, "-c", code]
    subprocess.run(argv, cwd=ROOT, check=True)
    assert (tmp_path / "log").read_text() == "1500\n"


def test_a_folder_that_another_user_left_is_named_with_the_command(tmp_path, monkeypatch):
    ours, results = tmp_path / ".snakemake", tmp_path / "results"
    for name in (ours / "iocache", results / "cells/a"):
        name.mkdir(parents=True)
    pickle, cell = ours / "iocache/latest.pkl", results / "cells/a/cell.json"
    for file in (pickle, cell):
        file.touch()
    foreign = set()
    monkeypatch.setattr(testbed, "is_ours", lambda path: path not in foreign)
    monkeypatch.setattr(testbed, "name_of", lambda uid: "me")
    folders = [ours, results, tmp_path / "none"]
    # A cell that another user measured is read, and never written.
    foreign.add(str(cell))
    assert testbed.fault_of_owners(folders) == ""
    foreign |= {str(pickle), str(cell.parent)}
    assert testbed.fault_of_owners(folders).splitlines() == [
        f"{pickle} belongs to me: sudo chown -R me {ours}",
        f"{cell.parent} belongs to me: sudo chown -R me {results}",
    ]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_a_file_of_roots_is_not_a_users():
    code = "import os, sys; from workloads.machine import testbed as t; os.setuid(65534);"
    code += "print(*map(t.is_ours, (sys.argv[1], '/none', '/etc/passwd/a')), t.name_of(0))"
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        argv = [sys.executable, "-c", code, folder]
        done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "False True True root\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has files of another user")
def test_snakemake_names_a_folder_of_another_user_in_a_line(tmp_path):
    """Without capabilities, root is a user like any other."""
    os.chown(tmp_path, 65534, 65534)
    argv = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "snakemake", "-n"]
    argv += ["--config", f"results={tmp_path}"]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    said = f"{tmp_path} belongs to {tmp_path.owner()}: sudo chown -R root {tmp_path}"
    assert said in done.stderr.splitlines() and "Traceback" not in done.stderr


def test_folder_is_held_by_one_run_and_free_after_a_kill(tmp_path):
    code = (
        "import time; from pathlib import Path\n"
        "from workloads.machine.testbed import alone_in_the_folder\n"
        f"alone_in_the_folder(Path({str(tmp_path)!r})); print('held', flush=True); time.sleep(60)"
    )
    first = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE)
    assert first.stdout.readline() == b"held\n"
    with pytest.raises(BlockingIOError):
        testbed.alone_in_the_folder(tmp_path)
    first.kill()
    first.wait()
    testbed.alone_in_the_folder(tmp_path)
