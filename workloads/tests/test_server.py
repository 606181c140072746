"""A server that dies, hangs or refuses is a result: told apart on servers that do just that."""

import os
import sys

import pytest

from workloads.server import Server, command

CPUS = sorted(os.sched_getaffinity(0))[:1]
LISTEN = """
import socket, sys, time
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
print(f"listening on 127.0.0.1:{s.getsockname()[1]}", flush=True)
"""
ANSWER = """
while True:
    c, _ = s.accept(); c.recv(9999)
    c.sendall(b"HTTP/1.1 {status} X\\r\\nContent-Length: 2\\r\\n\\r\\nok"); c.close()
"""


@pytest.fixture
def serve(tmp_path):
    servers = []

    def start(code):
        servers.append(Server([sys.executable, "-c", code], CPUS, tmp_path))
        return servers[-1]

    yield start
    for server in servers:
        server.process.stop(0.1)


def test_server_that_answers_is_completed(serve):
    server = serve(LISTEN + ANSWER.format(status=200))
    assert server.start_up_s > 0
    assert server.state("/", 5) == ("completed", "", b"ok")


def test_server_that_ends_has_died_with_its_status(serve):
    server = serve(LISTEN + "sys.exit(7)")
    outcome, reason, _ = server.state("/", 5)
    assert (outcome, reason) == ("server_died", "exit status 7")


def test_server_that_closes_its_port_and_lives_has_refused(serve):
    server = serve(LISTEN + "s.close(); time.sleep(60)")
    outcome, reason, _ = server.state("/", 5)
    assert outcome == "refused"
    assert "no longer accepts" in reason


def test_server_that_closes_its_port_and_then_ends_has_died(serve):
    server = serve(LISTEN + "s.close(); time.sleep(1); sys.exit(1)")
    assert server.state("/", 5)[0] == "server_died"


def test_server_that_accepts_and_says_nothing_has_hung(serve):
    server = serve(LISTEN + "c = [s.accept() for _ in range(99)]")
    assert server.state("/", 0.3)[0] == "hung"


def test_server_that_answers_500_only_has_hung(serve):
    server = serve(LISTEN + ANSWER.format(status=500))
    outcome, reason, _ = server.state("/", 0.3)
    assert outcome == "hung"
    assert "status 500" in reason


def test_server_that_cannot_start_has_no_port(serve):
    assert serve("print('no such class')").port == 0


def test_options_of_a_mode_become_its_arguments(tmp_path):
    spec = {
        "study": {"server": {"jar": "s.jar", "package": "p.q", "jvm_options": ["-Xmx1g"]}},
        "mode": {"class": "Pool", "options": {"core_threads": 10}, "profiler": False},
        "testbed": {"profiler": {"event": "cpu", "interval_ms": 10}},
    }
    argv = command(spec, tmp_path, 8080, 1)
    assert argv[-3:] == ["p.q.Pool", "--port=8080", "--core-threads=10"]
    assert not any("agentpath" in word for word in argv)
    spec["mode"]["profiler"] = True
    agent = next(word for word in command(spec, tmp_path, 8080, 1) if "agentpath" in word)
    assert agent.endswith("=start,event=cpu,interval=10ms,jfr,file=profile.jfr")
