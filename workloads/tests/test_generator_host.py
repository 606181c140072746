"""The generator here and on another machine: the same loads, and what is said where that fails.

`make test-hosts` measures over SSH; here a stand-in for ssh runs everything on this machine.
"""

import os
import sys
from pathlib import Path

import pytest

from workloads.machine.environment import FIXED, PASSED
from workloads.tools.driver import Driver
from workloads.tools.generator_host import ROOT, GeneratorHost, HostError
from workloads.tools.generator_place import GeneratorPlace

# Outside this checkout, whose paths have others on another machine.
PYTHON = os.path.realpath(sys.executable)
WHERE = {"generator_host": "someone@far", "server_address": "10.0.0.1", "cpus": None}


def host_of(tmp_path, monkeypatch, ssh):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/ssh").write_text(f"#!/bin/sh\nfor last; do :; done\n{ssh}\n")
    (tmp_path / "bin/ssh").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=":")
    return GeneratorHost(WHERE, {"wrk2"}, tmp_path, [0])


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "slice").mkdir()
    return tmp_path / "slice"


@pytest.mark.parametrize(
    ("ssh", "reason"),
    [
        ("echo 'Permission denied (publickey).' >&2; exit 255", "Permission denied"),
        ("exit 255", "it does not answer"),
        # A program there is missing.
        ('exec sh -c "$(echo "$last" | sed \'s/ pgrep / no-pgrep /\')"', r"no \['no-pgrep'\]"),
    ],
)
def test_a_host_that_cannot_be_used_is_named_with_the_reason(tmp_path, monkeypatch, ssh, reason):
    with pytest.raises(HostError, match=f"generator_host = 'someone@far'.*{reason}"):
        host_of(tmp_path, monkeypatch, ssh)


def test_variables_of_the_account_there_do_not_reach_the_generator(tmp_path, folder, monkeypatch):
    monkeypatch.setenv("SSH_AUTH_SOCK", "/agent")
    ssh = 'printenv SSH_AUTH_SOCK >>"$0.agent"; JAVA_TOOL_OPTIONS=-Xint exec sh -c "$last"'
    host = host_of(tmp_path, monkeypatch, f"export JAVA_TOOL_OPTIONS\n{ssh}")
    assert host.process(["sh", "-c", "env > found"], folder).wait(10)
    host.fetch(folder)
    host.close()
    names = {line.partition("=")[0] for line in (folder / "found").read_text().splitlines()}
    assert "PATH" in names and names <= {*PASSED, *FIXED, "PWD", "SHLVL", "_", "OLDPWD"}
    assert {*(tmp_path / "bin/ssh.agent").read_text().split()} == {"/agent"}


GREETING = "echo 'Welcome'; printf '3 updates'"
# Words in quotes are all that shells such as fish and tcsh have in common with sh.
OTHER_SHELL = """eval "set -- $last"
[ $# = 4 ] && [ "$1 $2 $3" = "exec sh -c" ] && exec sh -c "$4"; echo syntax error >&2; exit 2"""


@pytest.mark.parametrize("ssh", [f'{GREETING}; exec sh -c "$last"', OTHER_SHELL])
def test_what_was_copied_is_removed_and_what_runs_there_ends(tmp_path, folder, monkeypatch, ssh):
    host = host_of(tmp_path, monkeypatch, ssh)
    assert host.facts()["link"] == "veth"
    assert abs(host.clock_offset_s) <= host.clock_known_to_s
    assert host.there(f"--json={tmp_path}/a/load.json") == f"--json={host.root}/session/a/load.json"
    script = ["sh", "-c", f"ls {ROOT}/workloads/due/build > found; sleep 60"]
    process = host.process(script, folder)
    while not host.command(f"cat {host.there(folder)}/found 2>/dev/null; true"):
        assert not process.ended()
    assert host.cpu_s(folder) >= 0
    host.fetch(folder)
    assert (folder / "found").read_text() == "due\n"
    host.close()
    assert process.wait(10)
    assert host.hold.ended()
    assert not Path(f"{host.root}/workloads/due/build/due").exists()


@pytest.fixture(params=["here", "there"])
def place(request, tmp_path, monkeypatch):
    """The generator's place, which knows whether it is here."""
    if request.param == "here":
        found = GeneratorPlace(sorted(os.sched_getaffinity(0)))
    else:
        found = host_of(tmp_path, monkeypatch, 'exec sh -c "$last"')
    found.is_here = request.param == "here"
    yield found
    found.close()


LOAD = """
import json, sys, time
json.dump({"cpu_share": 0.25}, open("load.json", "w"))
print("said", flush=True)
time.sleep(float(sys.argv[1]))
"""


@pytest.mark.parametrize(("lasts_s", "timed_out"), [(0, False), (60, True)])
def test_generator_runs_once_and_leaves_its_files_here(place, folder, lasts_s, timed_out):
    watched = []
    argv = [PYTHON, "-c", LOAD, str(lasts_s)]
    ran = place.run(argv, folder, 2, watched.append)
    assert (ran.argv, ran.timed_out) == (argv, timed_out)
    assert ran.exit_status == 0 or timed_out
    assert (folder / "load.json").exists()
    assert (folder / "generator.log").read_text().startswith("said\n")
    # Telemetry sees what runs here, and no other.
    assert (len(watched), ran.cpus) == ((1, None) if place.is_here else (0, 0.25))
    assert 0 < ran.lasted_s < 30


DRIVEN = """
import pathlib, sys
print("ready", flush=True)
for line in sys.stdin:
    words = line.rstrip("\\n").split("\\t")
    if words[-1] != "never":
        pathlib.Path(words[0], "samples").write_text(words[1])
        print("done", flush=True)
"""


def test_driver_loads_where_its_place_is(place, tmp_path, folder):
    watched = []
    (tmp_path / "driver").mkdir()
    driver = Driver([PYTHON, "-u", "-c", DRIVEN], place, tmp_path / "driver")
    driver.wait_until_ready()
    fields = [str(folder), "users=3"]
    ran = driver.load(fields, folder, 30, watched.append)
    assert (folder / "samples").read_text() == "users=3"
    assert ran.argv == [*driver.argv, *fields]
    assert (ran.exit_status, ran.timed_out) == (0, False)
    assert len(watched) == int(place.is_here)
    assert (ran.cpus is None) == place.is_here
    # One that does not end would go on during the next slice.
    assert driver.load([*fields, "never"], folder, 0.1, watched.append).timed_out
    assert driver.process.ended()
