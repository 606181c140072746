"""A server that dies, hangs or refuses is a result: seen on servers that do just that."""

import os
import sys

import pytest

from workloads.servers.server import SCHEDULED, Server, command

CPUS = sorted(os.sched_getaffinity(0))[:1]
LISTEN = """
import socket, sys, time
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
print(f"listening on 127.0.0.1:{s.getsockname()[1]}", flush=True)
"""
ANSWER = """
while True:
    c, _ = s.accept()
    if c.recv(9999):
        c.sendall(b"HTTP/1.1 {status} X\\r\\nContent-Length: 2\\r\\n\\r\\nok")
    c.close()
"""


@pytest.fixture
def serve(tmp_path):
    servers = []

    def start(code, *before):
        servers.append(Server([*before, sys.executable, "-c", code], CPUS, tmp_path))
        return servers[-1]

    yield start
    for server in servers:
        server.process.stop(0.1)


def test_server_that_answers_is_completed(serve):
    server = serve(LISTEN + ANSWER.format(status=200))
    assert server.start_up_s > 0
    assert server.state("/", 60) == ("completed", "", b"ok")


@pytest.mark.parametrize(
    ("code", "limit_s", "outcome", "reason"),
    [
        ("sys.exit(7)", 60, "server_died", "exit status 7"),
        ("s.close(); time.sleep(0.2); sys.exit(1)", 60, "server_died", "exit status 1"),
        ("s.close(); time.sleep(60)", 0.2, "refused", "no longer accepts"),
        # Accepts, and says nothing.
        ("c = [s.accept() for _ in range(99)]", 0.3, "hung", "timed out"),
        (ANSWER.format(status=500), 0.3, "hung", "status 500"),
    ],
    ids=["ends", "closes and ends", "closes", "accepts", "500"],
)
def test_server_without_a_right_answer(serve, monkeypatch, code, limit_s, outcome, reason):
    monkeypatch.setattr("workloads.servers.server.REFUSED_LIMIT_S", limit_s)
    found, why, _ = serve(LISTEN + code).state("/", limit_s)
    assert found == outcome
    assert reason in why


SERVER = {"jar": "s.jar", "package": "p.q", "class": "Pool", "jvm_options": ["-Xmx1g"]}
STUDY = {"server": SERVER}


def test_options_of_a_mode_become_its_arguments(tmp_path):
    spec = {"study": STUDY, "mode": {"options": {"core-threads": 10, "virtual": True}}}
    argv = command(spec, tmp_path, 8080, 1)
    assert argv[-4:] == ["p.q.Pool", "--port=8080", "--core-threads=10", "--virtual=true"]
    assert "-Xmx1g" in argv
    # Decided by the CPUs under load: while it warms up it has all of them.
    assert "-XX:ActiveProcessorCount=1" in argv
    assert "-XX:ActiveProcessorCount=3" in command(spec, tmp_path, 8080, 3)
    spec["mode"]["scheduling"] = "batch"
    assert command(spec, tmp_path, 8080, 1) == ["chrt", "--batch", "0", *argv]
    # A JVM under a limit counts its CPUs by that, as in a container.
    spec["mode"] |= {"cpu_limit": 1}
    assert not any("ActiveProcessorCount" in word for word in command(spec, tmp_path, 8080, 2))


def test_the_profiler_is_attached_for_its_slice_and_the_samplers_with_it(serve, monkeypatch):
    server, asked = serve(LISTEN + ANSWER.format(status=200)), []
    monkeypatch.setattr("workloads.servers.attach.load_agent", lambda *words: asked.append(words))
    server.start_profile(tmp := server.log.parent, profiled("cpu"))
    server.end_profile()
    start = f"start,event=cpu-clock,interval=1ms,jfr,file={tmp}/profile.jfr"
    pid = server.process.pid
    assert [each[::2] for each in asked] == [(pid, start), (pid, "stop")]
    server.start_profile(tmp, profiled("allocation", kind="thread-each"))
    assert asked[-1][-1] == f"start,event=itimer,interval=4ms,alloc=64k,jfr,file={tmp}/profile.jfr"
    # States of threads alone need no profiler.
    asked.clear()
    server.start_profile(tmp, profiled("states"))
    server.end_profile()
    assert asked == []
    paths = []
    monkeypatch.setattr(server, "ask", lambda path, limit_s: paths.append(path))
    server.watch("/watch", 1, on=True)
    server.watch("/watch", 1, on=False)
    server.watch(None, 1, on=True)
    assert paths == ["/watch?on=true", "/watch?on=false"]


def profiled(*kinds, kind="virtual"):
    profiler = {"event": "cpu-clock", "interval_ms": 1, "samples": 9, "allocation_kib": 64}
    return {"profile": [*kinds], "mode": {"kind": kind}, "testbed": {"profiler": profiler}}


def test_where_perf_events_are_not_allowed_the_ticks_of_the_kernel_are_taken(serve, monkeypatch):
    server, asked = serve(LISTEN), []

    def refuse(pid, library, options):
        asked.append(options)
        if refused in options:
            raise RuntimeError("perf events are not allowed")

    monkeypatch.setattr("workloads.servers.attach.load_agent", refuse)
    refused = "cpu-clock"
    server.start_profile(server.log.parent, profiled("cpu"))
    assert ["itimer,interval=4ms" in options for options in asked] == [False, True]
    refused = "itimer"
    with pytest.raises(RuntimeError):
        server.start_profile(server.log.parent, profiled("cpu", kind="thread-each"))


def test_a_profile_names_the_engine_that_it_was_recorded_with(serve, tmp_path):
    server, spec = serve(LISTEN), profiled("cpu")
    assert server.profile(tmp_path, spec) == {"file": None}
    found = {"file": "profile.jfr", "event": "itimer", "interval_ms": 4, "engine": "itimer"}
    (tmp_path / "profile.jfr").write_bytes(b"\x00engine\x03\x05itimer\x00")
    assert server.profile(tmp_path, spec) == found
    (tmp_path / "profile.jfr").write_bytes(b"\x00engine\x03\x05perf_events\x00")
    found |= {"event": "cpu-clock", "interval_ms": 1, "engine": "perf_events"}
    assert server.profile(tmp_path, spec) == found


# So many threads besides the first.
WAITS = """
import threading
for _ in range({}): threading.Thread(target=threading.Event().wait, daemon=True).start()
"""


def test_server_of_a_scheduling_class_has_it_in_all_its_threads(serve):
    code = WAITS.format(1) + LISTEN + "s.accept()"
    threads = serve(code, *SCHEDULED["batch"]).process.threads()
    assert len(threads) == 2
    assert {os.sched_getscheduler(thread) for thread in threads} == {os.SCHED_BATCH}


DUMP = """2026-11-28 12:00:00
Full thread dump OpenJDK 64-Bit Server VM (25.0.3 mixed mode):

"ForkJoinPool-1-worker-1" #31 [{0}] daemon prio=5 os_prio=0 cpu=3ms tid=0x7f nid={0} waiting [0x7f]
   java.lang.Thread.State: WAITING (parking)
"ForkJoinPool-1-delayScheduler" #32 [{1}] daemon prio=5 os_prio=0 cpu=1ms tid=0x7f nid={1} waiting
"http-nio-127.0.0.1-8080-Poller" #33 [{2}] daemon prio=5 os_prio=0 cpu=1ms tid=0x7f nid={2} runnable
"""


@pytest.mark.parametrize(
    ("word", "at"), [("batch-carrier", 0), ("batch-timer", 1), ("batch-poller", 2)]
)
def test_threads_of_one_kind_alone_have_a_scheduling_class(serve, monkeypatch, word, at):
    server = serve(WAITS.format(2) + LISTEN + "s.accept()")
    threads = server.process.threads()
    dump = DUMP.format(*threads)
    monkeypatch.setattr("workloads.servers.attach.command", lambda *_: dump)
    server.prepare({"mode": {}})
    assert {os.sched_getscheduler(thread) for thread in threads} == {os.SCHED_OTHER}
    server.prepare({"mode": {"scheduling": word}})
    classes = [os.sched_getscheduler(thread) for thread in threads]
    assert [place for place, found in enumerate(classes) if found == os.SCHED_BATCH] == [at]
