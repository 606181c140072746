"""The doctor: one line a finding, a remark for a limit, a failure for what every run requires."""

import contextlib
import fcntl
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from profiles.setup import doctor
from profiles.setup.doctor import MISSING, OK, REMARK, Finding
from profiles.watch import limits


@pytest.fixture
def path(put, stand_ins, monkeypatch):
    """Puts stand-ins where the doctor itself finds them, too."""
    monkeypatch.setenv("PATH", f"{stand_ins}:{os.environ['PATH']}")
    return put


@pytest.fixture
def nothing(tmp_path, monkeypatch):
    """A machine without any program."""
    monkeypatch.setattr(doctor, "TOOLS", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))


def write(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")


@pytest.mark.parametrize(("state", "status"), [(OK, 0), (REMARK, 0), (MISSING, 1)])
def test_only_what_is_required_fails(monkeypatch, capsys, state, status):
    monkeypatch.setenv("PATH", os.environ["PATH"])
    monkeypatch.setattr(doctor, "findings", lambda *_: [Finding("thing", state, "…", "do this")])
    monkeypatch.setattr(doctor, "noise", lambda: [Finding("steal", OK, "0 %")])
    assert doctor.main() == status
    said = capsys.readouterr().out
    # A machine that lacks something is not measured yet.
    assert ("required and missing: thing" in said, "steal" in said) == (status == 1, status == 0)


def test_nothing_installed_is_told_tool_by_tool(nothing):
    states = {finding.name: finding.state for finding in doctor.tools()}
    required = ("Debian packages", "R", "Snakemake", "JMeter", "MariaDB", "Java runtimes")
    assert {states[name] for name in required} == {MISSING}
    assert states["Quarto"] == REMARK
    assert states["Python"] == OK


def test_a_version_is_read_from_what_a_program_says(path):
    for said, version in (("openjdk 25.0.3 2026-04-21", "25.0.3"), ("no number", "no number")):
        path("thing", f"echo '{said}'")
        assert doctor.tool("thing", ["thing"]) == Finding("thing", OK, version)


def test_missing_debian_packages_are_named(path, monkeypatch, tmp_path):
    write(tmp_path, {"debian-packages.txt": "# why\ngcc\nmaven"})
    monkeypatch.setattr(doctor, "HERE", tmp_path)
    path("dpkg-query", "echo installed gcc; echo config-files maven")
    finding = doctor.debian_packages()
    assert (finding.state, finding.found) == (MISSING, "1 of 2")
    assert "maven" in finding.advice and "gcc" not in finding.advice


@pytest.mark.parametrize(
    ("paranoid", "user", "state"), [(2, 0, OK), (1, 1000, OK), (2, 1000, REMARK)]
)
def test_profiling_depends_on_user_and_kernel(monkeypatch, paranoid, user, state):
    monkeypatch.setattr(os, "geteuid", lambda: user)
    assert doctor.perf_events(paranoid).state == state


@pytest.mark.parametrize(
    ("file", "name", "states"),
    [
        ("net/core/somaxconn", "somaxconn", {None: REMARK, 4096: OK, 128: REMARK}),
        ("kernel/pid_max", "threads", {4194304: OK, 16384: REMARK}),
        (
            *("net/ipv4/ip_local_port_range", "ephemeral ports"),
            {"1024 65535": OK, "60000 61000": REMARK},
        ),
    ],
)
def test_a_limit_that_is_low_or_unreadable_draws_a_remark(tmp_path, file, name, states):
    for text, state in states.items():
        if text is not None:
            write(tmp_path / "proc/sys", {file: text})
        found = {each.name: each.state for each in doctor.kernel_limits(tmp_path)}
        assert found.get(name) == state, text


QUIET = limits.Cpus([0, 1], [0, 1], [], None)


@pytest.mark.parametrize(
    ("change", "findings"),
    [
        ({}, {"CPUs": OK}),
        ({"usable": [0]}, {"CPUs": MISSING}),
        ({"shown": [0]}, {"CPUs": MISSING}),
        ({"quota": 2.0}, {"CPUs": OK, "CPU quota": REMARK}),
        ({"quota": 2.5}, {"CPUs": OK}),
        ({"slow": [1]}, {"CPUs": OK, "efficient cores": REMARK}),
    ],
)
def test_each_thing_that_makes_cpus_less_than_they_seem_has_its_line(change, findings):
    found = doctor.processors(replace(QUIET, **change))
    assert {each.name: each.state for each in found} == findings
    assert all(each.advice for each in found if each.state != OK)


def test_a_folder_in_memory_draws_a_remark(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "fsync_us", lambda folder: 90.0)
    mounts = "1 0 0:1 / / rw - ext4 /dev/vda rw\n2 1 0:2 / /t rw - tmpfs t rw"
    write(tmp_path, {"proc/self/mountinfo": mounts})
    disk, memory = (doctor.data_folder(Path(at), tmp_path) for at in ("/srv", "/t/x"))
    assert (disk.state, disk.found) == (OK, "/srv (ext4)")
    assert (memory.state, memory.found) == (REMARK, "/t/x (tmpfs, in memory)")


@pytest.mark.parametrize(
    ("version", "state"),
    [("1.8.24", REMARK), ("1.9.0", OK), ("1.10.19", OK)],
)
def test_quarto_must_be_new_enough(path, version, state):
    path("quarto", f"echo {version}")
    finding = doctor.quarto()
    assert (finding.state, finding.found) == (state, version)
    assert ("stand-in" in finding.advice) == ("from 1.9 on" in finding.advice) == (state == REMARK)


def test_folder_without_programs_is_named(monkeypatch, tmp_path):
    assert doctor.no_programs([tmp_path]) == ""
    monkeypatch.setattr(os, "statvfs", lambda path: SimpleNamespace(f_flag=os.ST_NOEXEC))
    assert doctor.no_programs([tmp_path]).startswith(f"{tmp_path} mounted noexec: export TMPDIR")
    assert doctor.programs().state == MISSING


def test_a_disk_that_is_too_small_is_named(tmp_path):
    free_mib = shutil.disk_usage(tmp_path).free >> 20
    assert doctor.no_room(tmp_path, free_mib // 2) == ""
    said = doctor.no_room(tmp_path, 2 * free_mib + 1)
    assert said.startswith(f"no space left in {tmp_path}: ") and f"{2 * free_mib + 1} are" in said


def test_on_this_machine_every_finding_is_one_plain_line():
    # While the machine's lock is held it is not measured.
    held = os.open(limits.LOCK, os.O_RDONLY)
    with contextlib.suppress(BlockingIOError):
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    done = subprocess.run([sys.executable, doctor.__file__], capture_output=True, text=True)
    os.close(held)
    report, _, rest = done.stdout.partition("\n\n")
    found = report.splitlines()
    assert len(found) > 15 and all(line.startswith((OK, REMARK, MISSING)) for line in found)
    assert done.returncode == (1 if rest.startswith("required") else 0), done.stderr


@pytest.mark.parametrize(
    ("said", "state", "found"),
    [
        ("7286 19765 stacks/stacks/rep-1", OK, "19765"),
        ("7286 4000 stacks/stacks/rep-1", REMARK, "4000, better 7286"),
        ("", REMARK, "what a run needs is known"),
    ],
)
def test_memory_is_that_of_the_session_that_needs_most(said, state, found):
    finding = doctor.memory(said)
    assert (finding.state, finding.found[: len(found)]) == (state, found)
    assert ("session stacks/stacks/rep-1 needs it" in finding.advice) == ("better" in found)
