"""The machine of a cell, whose id names no host; the commit that measured it."""

import json
import os
import re
import shutil
import socket
import subprocess

import jsonschema
import pytest
import yaml

from workloads.machine import provenance
from workloads.record import cell_folder

MACHINE = {"cpu_model": "CPU", "cpu_version": "6/1/2", "cpus": 8, "memory_bytes": 16 << 30}
MACHINE |= {"kernel": "6.1", "board": "B"}


def test_machine_id_depends_on_cpu_count_memory_kernel_and_board():
    others = [MACHINE | {key: 17 << 30} for key in MACHINE]
    ids = {provenance.machine_id(machine) for machine in (MACHINE, *others)}
    assert len(ids) == 7
    # The memory that firmware keeps makes no other kind of machine.
    less = MACHINE | {"memory_bytes": (16 << 30) - (100 << 20)}
    assert provenance.machine_id(less) == provenance.machine_id(MACHINE)


@pytest.mark.parametrize(
    ("cpuinfo", "expected"),
    [
        ("cpu family\t: 26\nmodel\t\t: 2\nmodel name\t: A\nstepping\t: 1\n", "26/2/1"),
        ("CPU implementer\t: 0x41\nCPU part\t: 0xd0c\nCPU revision\t: 1\n", "0x41/0xd0c/1"),
    ],
)
def test_processors_of_one_name_differ_by_family_and_model(cpuinfo, expected):
    assert provenance.cpu_names(cpuinfo)[1] == expected


@pytest.mark.parametrize(
    ("limits", "kind"),
    [
        ({"cpus_usable": "0-7", "cpu_quota": 8.5}, {}),
        ({"cpus_usable": "0-1,7"}, {"cpus_usable": 3}),
        ({"cpu_quota": 2.5, "data_in_memory": True}, {"cpu_quota": 2.5, "data_in_memory": True}),
    ],
)
def test_machine_is_another_kind_by_the_limits_that_it_has(limits, kind):
    assert provenance.limiting(limits, cpus=8) == kind
    same_id = provenance.machine_id(MACHINE | kind) == provenance.machine_id(MACHINE)
    assert same_id == (not kind)


def test_machine_names_no_host():
    found = provenance.machine({})
    assert found["id"] == provenance.machine_id(found)
    assert socket.gethostname() not in json.dumps(found)


@pytest.fixture
def checkout(tmp_path):
    """A checkout with one commit."""
    if not shutil.which("git"):
        pytest.skip("no git on the PATH")
    for name in ("servers/a.java", "workloads/run.py", "config.yaml", "README"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"{name}\n")
    identity = ("-c", "user.name=a", "-c", "user.email=a@b")
    for words in (["init", "-q"], ["add", "."], [*identity, "commit", "-q", "-m", "First"]):
        subprocess.run(["git", "-C", tmp_path, *words], check=True)
    return tmp_path


@pytest.mark.skipif(os.geteuid() != 0, reason="only root measures as another user")
def test_root_names_the_commit_of_a_users_checkout(checkout):
    head = provenance.commit(checkout)
    for path in (checkout, *checkout.rglob("*")):
        os.chown(path, 65534, 65534)
    assert provenance.commit(checkout) == head


def test_commit_of_a_checkout_says_whether_what_measures_was_changed(checkout):
    head = provenance.commit(checkout)
    assert re.fullmatch("[0-9a-f]{40}", head)
    (checkout / "README").write_text("of no consequence\n")
    (checkout / "servers/built.jar").write_text("not tracked\n")
    assert provenance.commit(checkout) == head
    (checkout / "config.yaml").write_text("repetitions: 1\n")
    assert provenance.commit(checkout) == f"{head}+changed"


def test_commit_is_unknown_without_git_or_within_another_checkout(checkout, monkeypatch):
    assert provenance.commit(checkout / "workloads") == "unknown"
    monkeypatch.setenv("PATH", "/nowhere")
    assert provenance.commit(checkout) == "unknown"


def test_record_may_have_the_commit_of_any_checkout_and_of_older_records():
    part = yaml.safe_load(cell_folder.SCHEMA.read_text())["properties"]["provenance"]
    schema = part["properties"]["commit"]
    # Git's digests are SHA-1 or SHA-256.
    for commit in ("0" * 40, "0" * 64 + "+changed", "unknown", "sources:0123456789abcdef"):
        jsonschema.validate(commit, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate("main", schema)


def test_versions_of_libraries_are_those_of_the_files_beside_the_jar():
    jars = ("HikariCP-7.1.0", "netty-common-4.2.18.Final", "spring-boot-tomcat-4.1.2")
    jars += ("netty-transport-native-epoll-4.2.18.Final-linux-x86_64",)
    checksums = "ab  servers/spring/target/spring.jar\n"
    checksums += "".join(f"cd  servers/spring/target/lib/{jar}.jar\n" for jar in jars)
    found = {"hikaricp": "7.1.0", "netty": "4.2.18.Final"}
    assert provenance.libraries([checksums], {}) == found
    own = {"boot_on_tomcat": "spring-boot-tomcat"}
    assert provenance.libraries([checksums], own) == found | {"boot_on_tomcat": "4.1.2"}
    replaced = checksums + "45  hikari-6/HikariCP-6.3.3.jar\n"
    assert provenance.libraries([replaced], {})["hikaricp"] == "6.3.3"
