"""A caller's variables reach nothing that is measured; what config.yaml names does."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from workloads.machine import environment
from workloads.machine.testbed import free_port
from workloads.servers.server import ROOT
from workloads.servers.user_server import UserServer
from workloads.tests.processes import until
from workloads.tools.generator_place import GeneratorPlace

CPUS = sorted(os.sched_getaffinity(0))[:1]
# Each of a family that some measured program reads.
FOREIGN = {
    "SPRING_THREADS_VIRTUAL_ENABLED": "true",
    "THREADS": "7",
    "JAVA_TOOL_OPTIONS": "-Xint",
    "PGOPTIONS": "-c work_mem=64",
    "PYTHONPATH": "/nowhere",
    "SSH_AUTH_SOCK": "/nowhere",
}
LISTED = {*environment.PASSED, *environment.FIXED}


@pytest.fixture(autouse=True)
def foreign(monkeypatch):
    for name, value in FOREIGN.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")


@pytest.fixture
def started():
    found = []
    yield found.append
    for each in found:
        each.stop()


def variables(pid):
    pairs = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
    return dict(pair.split("=", 1) for pair in pairs if pair)


def test_a_generator_gets_the_list_and_the_secret_of_its_subject(tmp_path, started):
    place = GeneratorPlace(CPUS)
    process = place.process(["sleep", "60"], tmp_path, {"DATABASE_PASSWORD": "secret"})
    started(SimpleNamespace(stop=lambda: process.stop(1)))
    until(lambda: Path(f"/proc/{process.pid}/cmdline").read_text().startswith("sleep\0"))
    found = variables(process.pid)
    assert found.pop("DATABASE_PASSWORD") == "secret"
    assert {*found} <= LISTED


def test_a_user_supplied_server_gets_what_its_mode_names(tmp_path, started):
    mine = {"SPRING_PROFILES_ACTIVE": "mine", "THREADS": 9, "ADDRESS": "at {port}"}
    command = [sys.executable, "-m", "http.server", "--bind", "127.0.0.1", "{port}"]
    mode = {"command": command, "environment": mine}
    port = free_port(1)
    server = UserServer(mode, CPUS, tmp_path, port)
    started(server)
    assert server.port, server.log.read_text()
    found = variables(server.process.pid)
    assert {*found} <= LISTED | {"TMPDIR", "JAVA_TOOL_OPTIONS", *mine}
    assert "-Xint" not in found["JAVA_TOOL_OPTIONS"]
    assert (found["THREADS"], found["ADDRESS"]) == ("9", f"at {port}")
    record = environment.recorded(server.process.environment, mine)
    assert {*record} == {*found} and record["ADDRESS"] == f"at {port}"


def test_a_shell_on_another_machine_gives_the_same_list(monkeypatch):
    monkeypatch.setenv("HOME", "/a home")
    monkeypatch.delenv("TMPDIR", raising=False)
    argv = ["sh", "-c", f"{environment.in_shell()} env"]
    said = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    assert dict(line.split("=", 1) for line in said.splitlines()) == environment.of_child()


def test_what_runs_within_a_runner_is_shielded_too(monkeypatch):
    """It ends at its options; the variables that it has left are those of the list."""
    code = (
        "import atexit, os, runpy\natexit.register(lambda: print(*os.environ))\n"
        "runpy.run_module('workloads.session.run_session', run_name='__main__')"
    )
    monkeypatch.delenv("PYTHONPATH")
    argv = [sys.executable, "-c", code]
    said = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "the following arguments are required" in said.stderr
    assert {*said.stdout.split()} <= {*environment.MEASURING, *environment.FIXED}
