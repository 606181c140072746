"""The profiler is attached to a running JVM, detached, and leaves nothing behind."""

import os
import signal
import urllib.request

import pytest

from profiles.watch.telemetry import children
from workloads.machine import provenance
from workloads.servers import attach
from workloads.servers.server import PROFILER, ROOT, Server

CPUS = sorted(os.sched_getaffinity(0))
JAR = ROOT / "servers/sockets/target/sockets.jar"


ARGV = [str(provenance.java()), "-Xmx64m", "-XX:+UseSerialGC", "-XX:+EnableDynamicAgentLoading"]
ARGV += ["-cp", str(JAR), "artifact.sockets.mode.EventLoop", "--port=0", "--backlog=50"]
# Its mounts and process numbers are its own, as those of a container are.
CONTAINED = ["unshare", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child", "sh", "-c"]
CONTAINED += ['mount -t tmpfs none /tmp && exec "$@"', "sh"]


@pytest.fixture
def jvm(tmp_path):
    server = Server(ARGV, CPUS, tmp_path)
    assert server.port, server.log.read_text()
    yield server
    server.stop()


SPEC = {
    "profile": ["cpu", "events"],
    "mode": {"kind": "event-loop"},
    "testbed": {"profiler": {"event": "itimer", "interval_ms": 4}},
}


def has_left_a_socket(jvm):
    return (attach.TMP / f".java_pid{jvm.process.pid}").exists()


def answers(jvm):
    with urllib.request.urlopen(f"http://127.0.0.1:{jvm.port}/jmeter/test", timeout=10) as answer:
        return len(answer.read())


def test_it_records_between_start_and_stop_and_the_jvm_goes_on(jvm, tmp_path):
    for number in (1, 2):
        folder = tmp_path / f"slice-{number}"
        folder.mkdir()
        jvm.start_profile(folder, SPEC)
        assert answers(jvm) == 42
        jvm.end_profile()
        recording = folder / "profile.jfr"
        for path in (recording, folder / "events.jfr"):
            assert path.read_bytes()[:4] == b"FLR\0"
        size = recording.stat().st_size
        assert jvm.profile(folder, SPEC)["engine"] == "itimer"
        assert answers(jvm) == 42
        # Detached: nothing is written any more.
        assert recording.stat().st_size == size
    assert not jvm.process.ended()


def test_options_that_it_refuses_are_reported_with_what_it_said(jvm):
    for said, library, options in (
        ("start,event=nonsense", PROFILER, "start,event=nonsense,jfr,file=x.jfr"),
        ("none.so was not loaded", PROFILER.with_name("none.so"), "start"),
        # It was not started.
        ("refused", PROFILER, "stop"),
    ):
        with pytest.raises(RuntimeError, match=said):
            attach.load_agent(jvm.process.pid, library, options)
    assert answers(jvm) == 42


def test_jvm_in_a_container_is_profiled_through_its_own_files(tmp_path):
    server = Server([*CONTAINED, *ARGV], CPUS, tmp_path)
    if not server.port:
        pytest.skip(f"no namespaces here: {server.log.read_text()}")
    try:
        (pid,) = children(server.process.pid)
        inside = attach.inside(pid)
        assert inside and attach.inside(os.getpid()) is None
        library = inside.put(PROFILER)
        options = f"event=itimer,jfr,file={inside.folder}/profile.jfr"
        attach.load_agent(pid, library, f"start,{options}")
        assert answers(server) == 42
        attach.load_agent(pid, library, "stop")
        inside.fetch("profile.jfr", tmp_path)
        assert (tmp_path / "profile.jfr").read_bytes()[:4] == b"FLR\0"
        inside.remove()
        assert not inside.reached.exists()
    finally:
        server.stop()


def test_killed_jvm_leaves_a_socket_to_remove_and_cannot_be_attached_to(jvm):
    assert "JVMTI" in attach.command(jvm.process.pid, "help")
    os.kill(jvm.process.pid, signal.SIGKILL)
    assert jvm.process.wait(10)
    assert has_left_a_socket(jvm)
    # The second time there is nothing to remove.
    for _ in range(2):
        attach.forget(jvm.process.pid)
        assert not has_left_a_socket(jvm)
    with pytest.raises(RuntimeError, match=f"{jvm.process.pid} does not answer: .*pid") as fault:
        jvm.start_profile(jvm.log.parent, SPEC)
    assert "\n" not in str(fault.value)


def test_jvm_that_stands_still_is_waited_for_no_longer_than_the_limit(jvm, monkeypatch):
    attach.command(jvm.process.pid, "help")
    monkeypatch.setattr(attach, "LIMIT_S", 2)
    os.kill(jvm.process.pid, signal.SIGSTOP)
    try:
        with pytest.raises(RuntimeError, match=f"JVM {jvm.process.pid} does not answer within 2 s"):
            attach.command(jvm.process.pid, "help")
    finally:
        os.kill(jvm.process.pid, signal.SIGCONT)
    assert answers(jvm) == 42


def test_the_version_that_is_recorded_is_the_library_s():
    pins = (ROOT / "profiles/setup/java-tools.pom.xml").read_text()
    version = provenance.profiler_version()
    assert f"<async-profiler.version>{version}</async-profiler.version>" in pins
