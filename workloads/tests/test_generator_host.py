"""The other machine: what is said where it cannot be used. `make test-hosts` measures over SSH."""

import pytest

from workloads.tools.generator_host import ROOT, GeneratorHost, HostError


def host_of(tmp_path, monkeypatch, ssh):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/ssh").write_text(f"#!/bin/sh\nfor last; do :; done\n{ssh}\n")
    (tmp_path / "bin/ssh").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=":")
    return GeneratorHost("someone@far", {"wrk2"}, tmp_path, [0], None)


@pytest.mark.parametrize(
    ("ssh", "reason"),
    [
        ("echo 'Permission denied (publickey).' >&2; exit 255", "Permission denied"),
        ("exit 255", "it does not answer"),
        # A shell there, which lacks a program.
        ('exec sh -c "command() { [ \\$2 != pgrep ]; }; $last"', r"no \['pgrep'\]"),
    ],
)
def test_a_host_that_cannot_be_used_is_named_with_the_reason(tmp_path, monkeypatch, ssh, reason):
    with pytest.raises(HostError, match=f"generator_host = 'someone@far'.*{reason}"):
        host_of(tmp_path, monkeypatch, ssh)


def test_what_was_copied_is_removed_and_what_runs_there_ends(tmp_path, monkeypatch):
    """Over a stand-in for ssh that runs everything here."""
    host = host_of(tmp_path, monkeypatch, 'exec sh -c "$last"')
    assert host.link == "veth"
    assert abs(host.clock_offset_s) <= host.clock_known_to_s
    assert host.there(f"--json={tmp_path}/a/load.json") == f"--json={host.root}/session/a/load.json"
    folder = tmp_path / "slice"
    folder.mkdir()
    script = ["sh", "-c", f"ls {ROOT}/workloads/due/build > found; sleep 60"]
    process = host.process(script, folder, "generator.log", stdin=False)
    while not host.run(f"cat {host.there(folder)}/found 2>/dev/null; true"):
        assert not process.ended()
    assert host.cpu_s(folder) >= 0
    host.fetch(folder)
    assert (folder / "found").read_text() == "due\n"
    host.close()
    assert process.wait(10)
    assert host.hold.ended()
    with pytest.raises(FileNotFoundError):
        open(f"{host.root}/workloads/due/build/due").close()
