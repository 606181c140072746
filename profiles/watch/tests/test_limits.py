"""The machine's limits: from trees of the kernel's files, and live where root may set them."""

import os
import resource
import tempfile
from pathlib import Path

import pytest

from profiles.watch import limits

V2 = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate"
CPU = "sys/devices/system/cpu"


@pytest.fixture
def tree(tmp_path):
    """Makes a root of the kernel's files, by their paths."""

    def make(files):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{text}\n")
        return tmp_path

    return make


def under(place, lines):
    return {f"{place}/{name}": text for name, text in (line.split(": ", 1) for line in lines)}


def v2(group, *lines):
    """A machine whose one control group of version 2 is ours: files of the tree, and their text."""
    there = {"proc/self/cgroup": f"0::{group}", "proc/self/mountinfo": V2}
    return there | under("sys/fs/cgroup", lines)


def v1(controllers, top, group, *lines):
    """The same of version 1, whose top is mounted from a folder of the tree."""
    place = f"sys/fs/cgroup/{controllers}"
    line = f"35 31 0:29 {top} /{place} rw,relatime - cgroup cgroup rw,{controllers}"
    there = {"proc/self/cgroup": f"9:name=systemd:/\n4:{controllers}:{group}\n0::/"}
    there["proc/self/mountinfo"] = f"31 23 0:28 / /sys/fs/cgroup rw - tmpfs  rw\n{line}"
    return there | under(place, lines)


def stat_of(*cpus):
    """/proc/stat of these CPUs, each idle for a hundred times its number, in ticks."""
    lines = [f"cpu{cpu} 1 2 3 {100 * cpu} 5 6 7 {8 * cpu} 0 0" for cpu in cpus]
    return "\n".join(["cpu  9 9 9 9 9 9 9 9 0 0", *lines, "ctxt 5"])


# ---- lists, mounts


@pytest.mark.parametrize(
    ("text", "found"),
    [("0-2,8,10-11", [0, 1, 2, 8, 10, 11]), ("5", [5]), ("", []), (None, [])],
)
def test_lists_are_read_and_written_as_the_kernel_writes_them(text, found):
    assert limits.numbers(text) == found
    assert limits.listed(reversed(found)) == (text or "")
    assert limits.numbers("(null)") == []


def test_a_folder_lies_on_the_innermost_mount_and_the_last_at_one_place(tree):
    lines = (
        "1 0 254:0 / / rw - ext4 /dev/vda rw",
        "2 1 0:5 / /srv/a rw - tmpfs tmpfs rw",
        "3 1 0:6 / /srv/a rw master:1 propagate_from:2 - xfs /dev/vdb rw",
        "4 1 0:7 / /mnt/none rw - tmpfs  rw,size=5k",
    )
    root = tree({"proc/self/mountinfo": "\n".join(lines)})
    found = [limits.file_system(Path(at), root) for at in ("/srv", "/srv/a/c", "/mnt/none/x")]
    assert found == ["ext4", "xfs", "tmpfs"]
    assert limits.file_system(Path("/srv"), root / "none") == "unknown"


# ---- CPUs


@pytest.mark.parametrize(
    ("files", "quota"),
    [
        # systemd's CPUQuota=, on a slice above ours.
        (v2("/s/b", "s/b/cpu.max: max 100000", "s/cpu.max: 250000 100000"), 2.5),
        # docker --cpus with a namespace of control groups: the tree's top is ours.
        (v2("/", "cpu.max: 150000 100000"), 1.5),
        # A name outside of the namespace.
        (v2("/../../docker/b", "cpu.max: 50000 50000"), 1.0),
        # Version 1, whose container sees its group as the top of the tree.
        (v1("cpu,x", "/d/b", "/d/b", "cpu.cfs_quota_us: 25000", "cpu.cfs_period_us: 50000"), 0.5),
        # Another group's name begins with ours.
        (v1("cpu", "/d/b", "/d/bc", "cpu.cfs_quota_us: 300000"), 3.0),
        (v1("cpu", "/", "/a/b", "a/b/cpu.cfs_quota_us: -1", "a/cpu.cfs_quota_us: 200000"), 2.0),
        (v1("cpu", "/", "/", "cpu.cfs_quota_us: -1", "cpu.cfs_period_us: 100000"), None),
        ({}, None),
    ],
)
def test_cpu_quota_is_the_least_of_our_control_groups(tree, files, quota):
    assert limits.cpu_quota(tree(files)) == quota


@pytest.mark.parametrize(
    "files",
    [
        v2(
            *("/a/b", "a/b/cpu.stat: nr_periods 9\nnr_throttled 3\nthrottled_usec 8"),
            *("a/cpu.stat: nr_throttled 4", "cpu.stat: usage_usec 9"),
        ),
        v1("cpu", "/", "/a", "a/cpu.stat: nr_throttled 5", "cpu.stat: nr_throttled 2"),
    ],
)
def test_throttling_is_counted_in_all_control_groups_above_us(tree, files):
    assert limits.throttled(tree(files)) == 7


def test_idle_time_is_that_of_the_cpus_own_number(tree):
    """CPU 1 is offline: CPU 2 is the second line."""
    found = limits.cpu_times(tree({"proc/stat": stat_of(0, 2)}))
    assert found[2] == ((200 + 5 + 16) / limits.TICKS_PER_S, 16 / limits.TICKS_PER_S)


def cpus_of(tree, monkeypatch, usable, shown=None, more=()):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(usable))
    files = {"proc/stat": stat_of(*(usable if shown is None else shown))}
    return limits.cpus(tree(files | dict(more)))


@pytest.mark.parametrize(
    ("usable", "shown", "more", "count", "refused"),
    [
        ([0, 1], None, {}, 2, ""),
        # Numbers with gaps.
        ([0, 2, 3], None, {}, 3, ""),
        # lxcfs counts from 0 whatever CPUs its container has.
        ([2, 3, 4, 5], [0, 1, 2, 3], {}, 4, "= 2-5; allowed: CPUs that /proc/stat shows, 0-3"),
        ([3], None, {}, 1, "= 3; allowed: two or more"),
        (range(8), None, v2("/", "cpu.max: 350000 100000"), 3, ""),
        (
            *(range(8), None, v2("/", "cpu.max: 100000 100000"), 1),
            "CPU quota of 1 CPUs (cpu.max, cpu.cfs_quota_us); allowed: two",
        ),
    ],
)
def test_cpus_that_allow_no_measurement_are_refused(
    tree, monkeypatch, usable, shown, more, count, refused
):
    found = cpus_of(tree, monkeypatch, usable, shown, more)
    assert found.count == count
    said = found.refused()
    assert refused in said and bool(refused) == bool(said)


FREQUENCY = "cpufreq/cpuinfo_max_freq"


def each_cpu(name, values):
    return {f"{CPU}/cpu{n}/{name}": value for n, value in enumerate(values)}


@pytest.mark.parametrize(
    ("more", "slow"),
    [
        # The kernel's own list of efficient cores, capacities, or the highest frequencies.
        ({"sys/devices/cpu_atom/cpus": "4-7"}, [4, 5]),
        (each_cpu("cpu_capacity", [446] * 4 + [1024] * 2), [0, 1, 2, 3]),
        (
            each_cpu(FREQUENCY, [5_800_000, 5_799_999, 5_799_998, 5_799_997] + [4_300_000] * 2),
            [4, 5],
        ),
        # Favored cores, and a machine of one kind.
        (each_cpu(FREQUENCY, range(5_500_000, 5_800_000, 50_000)), []),
        ({"sys/devices/cpu_atom/cpus": "0-7"}, []),
    ],
)
def test_efficient_cores_are_those_that_are_slower_by_design(tree, monkeypatch, more, slow):
    assert cpus_of(tree, monkeypatch, range(6), more=more).slow == slow


# ---- memory, threads, descriptors, ports

MEMINFO = {"proc/meminfo": "MemTotal: 8388608 kB\nMemFree: 5 kB\nMemAvailable: 4194304 kB"}
GIB = 1 << 30


@pytest.mark.parametrize(
    ("files", "free_mib"),
    [
        ({}, 4096),
        # Pages of files can go.
        (
            v2(
                *("/a", f"a/memory.max: {GIB}", f"a/memory.current: {GIB // 2}"),
                f"a/memory.stat: anon 5\ninactive_file {GIB // 4}",
            ),
            768,
        ),
        # The limit is a slice's above ours.
        (
            v2(
                "/a/b",
                "a/b/memory.max: max",
                f"a/memory.max: {2 * GIB}",
                f"a/memory.current: {GIB}",
            ),
            1024,
        ),
        (
            v1(
                *("memory", "/", "/a", f"a/memory.limit_in_bytes: {2 * GIB}"),
                f"a/memory.usage_in_bytes: {GIB}",
                f"a/memory.stat: inactive_file 7\ntotal_inactive_file {GIB // 2}",
            ),
            1536,
        ),
    ],
)
def test_memory_is_the_machines_or_a_control_groups(tree, files, free_mib):
    assert limits.free_mib(tree(MEMINFO | files)) == free_mib


MAPS, PIDS_MAX = "vm.max_map_count", "pids.max of the control group a"
KERNEL = {
    "proc/sys/kernel/threads-max": 60_000,
    "proc/sys/kernel/pid_max": 50_000,
    "proc/sys/vm/max_map_count": 65_530,
    "proc/loadavg": "0.20 0.18 0.12 1/400 11206",
}


@pytest.mark.parametrize(
    ("files", "left"),
    [
        ({}, (32_765, MAPS)),
        ({"proc/sys/kernel/pid_max": 32_768}, (32_368, "kernel.pid_max")),
        (v2("/a", "a/pids.max: 10813", "a/pids.current: 813"), (10_000, PIDS_MAX)),
        (v1("pids", "/", "/a", "a/pids.max: 100", "a/pids.current: 10"), (90, PIDS_MAX)),
    ],
)
def test_threads_that_may_start_are_named_with_their_limit(tree, monkeypatch, files, left):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert limits.threads_left(tree(KERNEL | files)) == left


def test_limit_of_a_user_bounds_all_but_root(tree, monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda which: (4096, 4096))
    root = tree(KERNEL)
    for user, left in ((1000, (4096, "RLIMIT_NPROC (ulimit -u)")), (0, (32_765, MAPS))):
        monkeypatch.setattr(os, "geteuid", lambda user=user: user)
        assert limits.threads_left(root) == left
    assert limits.threads_left(root / "none") == (-1, "")


@pytest.mark.parametrize(
    ("has", "raised"),
    [
        # A table of a billion descriptors would take gigabytes of some programs.
        ((1024, 1 << 30), (1 << 20, 1 << 30)),
        ((1024, -1), (1 << 20, -1)),
        ((1 << 21, 1 << 30), None),
    ],
)
def test_soft_limit_is_never_lowered_and_not_raised_beyond_use(monkeypatch, has, raised):
    found = []
    monkeypatch.setattr(resource, "getrlimit", lambda which: has)
    monkeypatch.setattr(resource, "setrlimit", lambda which, pair: found.append(pair))
    limits.raise_descriptors()
    assert found == ([raised] if raised else [])


@pytest.mark.parametrize(
    ("low", "high", "first", "last"),
    [
        (32_768, 60_999, 22_768, 32_767),
        (10_240, 65_535, 1024, 10_239),
        # Below it there are too few: above it, or within it every other port.
        (1024, 60_999, 61_000, 65_535),
        (1024, 65_535, 1025, 65_535),
        (1, 65_535, 1024, 65_534),
    ],
)
def test_ports_of_servers_are_there_whatever_range_clients_have(low, high, first, last):
    ports = limits.server_ports(low, high)
    assert (ports[0], ports[-1]) == (first, last)
    assert len(ports) >= limits.PORTS_AT_LEAST


# ---- folders and kernel


@pytest.mark.parametrize(
    ("mount", "took_us", "found"),
    [
        ("tmpfs tmpfs", 80.0, True),
        ("ext4 /dev/zram0", 80.0, True),
        # Over memory, or a volatile one.
        ("overlay overlay", 0.6, True),
        ("overlay overlay", 12.0, False),
        ("overlay overlay", None, False),
    ],
)
def test_a_folder_in_memory_is_known_by_its_mount_or_its_time(
    tree, monkeypatch, mount, took_us, found
):
    monkeypatch.setattr(limits, "fsync_us", lambda folder: took_us)
    root = tree({"proc/self/mountinfo": f"1 0 254:0 / / rw - {mount} rw"})
    assert limits.in_memory(Path("/srv"), root) == found


def test_a_folder_in_memory_has_no_time_to_the_disk():
    assert limits.fsync_us(Path("/dev/shm")) < limits.FSYNC_US_AT_LEAST
    assert limits.fsync_us(Path("/proc")) is None


@pytest.mark.parametrize(
    ("in_memory", "folder"),
    # Where both are, a rule fails the cells of databases.
    [(set(), "/a"), ({"/a"}, "/var/tmp"), ({"/a", "/var/tmp"}, "/a")],
)
def test_databases_have_their_data_on_a_disk(monkeypatch, in_memory, folder):
    monkeypatch.setattr(tempfile, "gettempdir", lambda: "/a")
    monkeypatch.setattr(os, "access", lambda path, mode: True)
    monkeypatch.setattr(limits, "in_memory", lambda folder: str(folder) in in_memory)
    assert limits.data_folder() == Path(folder)


def test_governors_are_those_of_the_usable_cpus(tree, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {1, 2})
    assert limits.governors(tree(each_cpu("cpufreq/scaling_governor", "abb"))) == "b"
    assert limits.governors(tree({f"{CPU}/cpu1/cpufreq/scaling_governor": "a"})) == "a, b"
    assert limits.governors(tree({}) / "none") is None


def test_record_is_flat_and_of_this_machine(monkeypatch):
    monkeypatch.setattr(limits, "data_folder", lambda: Path("/dev/shm"))
    found = limits.record()
    assert found["data_in_memory"] is True
    assert all(isinstance(value, str | int | float | None) for value in found.values())
    assert limits.numbers(found["cpus_usable"]) == sorted(os.sched_getaffinity(0))
    assert found["descriptors"] == limits.descriptors()[1]
    assert found["somaxconn"] == Path("/proc/sys/net/core/somaxconn").read_text().strip()
