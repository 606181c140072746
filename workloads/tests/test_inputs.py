"""The inputs of the form, of a service that is watched, and sentences on what is not seen."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from workloads.servers.inputs import (
    Inputs,
    Seen,
    access_log,
    actuator,
    add_requests,
    connections,
    shown,
    time_of,
)
from workloads.tests.processes import until

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("line", "took_ms"),
    [
        ('1.2.3.4 - - [28/Nov/2026] "GET /a HTTP/1.1" 200 12 0.025', 25),
        ('1.2.3.4 - - [28/Nov/2026] "GET /a HTTP/1.1" 200 12 25', 25),
        ('"GET /a" 200 rt=25ms', 25),
        ('1.2.3.4 "GET /a" 200 "250us"', 0.25),
        ("no number at its end", None),
    ],
)
def test_time_of_a_request_is_at_the_end_of_a_line(line, took_ms):
    assert time_of(line) == (None if took_ms is None else pytest.approx(took_ms))


def test_lines_of_a_log_are_counted_from_now_on(tmp_path):
    log = tmp_path / "access.log"
    log.write_text("GET /old 200 0.500\n")
    read = access_log(log)
    assert read() == Seen(0, None)
    with log.open("a") as file:
        file.write("GET /a 200 0.010\nGET /b 200 0.030\n")
    assert read() == Seen(2, pytest.approx(40))


def test_rate_wait_and_requests_in_flight():
    inputs = Inputs()
    add_requests(inputs, Seen(100, 1000.0), Seen(600, 61000.0), lasted_s=10, used_s=2.5)
    found = {"rate_per_s": 50, "cpu_ms": 5, "latency_ms": 120, "in_flight": 6, "wait_ms": 115}
    assert inputs.found == pytest.approx(found)
    link = shown(inputs)[-1]
    assert link == "report.html#service?rate=50&wait=115&cpu=5"


def test_what_is_not_seen_is_said():
    inputs = Inputs()
    add_requests(inputs, Seen(0, None), Seen(10, None), lasted_s=10, used_s=1)
    assert "wait_ms" not in inputs.found
    assert any(line.startswith("not seen: latency") for line in shown(inputs))
    add_requests(none := Inputs(), Seen(5, None), Seen(5, None), lasted_s=10, used_s=1)
    assert none.unseen == ["requests: none came in 10 s"]


def test_short_connections_are_counted_at_whichever_time_they_come():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        read = connections(os.getpid())
        before = read().requests
        for _ in range(20):
            socket.create_connection(listener.getsockname()).close()
            listener.accept()[0].close()
        assert read().requests >= before + 20


def test_actuator_is_read(tmp_path):
    """A file has the address of its metrics."""
    found = [{"statistic": "COUNT", "value": 7}, {"statistic": "TOTAL_TIME", "value": 2}]
    (tmp_path / "metrics").mkdir()
    (tmp_path / "metrics/http.server.requests").write_text(json.dumps({"measurements": found}))
    assert actuator(f"{tmp_path.as_uri()}/")() == Seen(7, 2000)


def test_program_watches_a_process(tmp_path):
    log = tmp_path / "access.log"
    log.touch()
    code = """
import sys, time
while True:
    end = time.thread_time() + 0.005
    while time.thread_time() < end: pass
    print("GET / 200 0.020", file=open(sys.argv[1], "a"), flush=True)
    time.sleep(0.02)
"""
    with subprocess.Popen([sys.executable, "-c", code, str(log)]) as service:
        try:
            until(lambda: log.stat().st_size)
            command = ["workloads/inputs.sh", str(service.pid), "1.5", "--log", str(log)]
            ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        finally:
            service.kill()
    found = dict(line.split(": ", 1) for line in ran.stdout.splitlines()[:-1])
    assert float(found["latency_ms"]) == pytest.approx(20)
    assert 4 < float(found["cpu_ms"]) < 8
    assert float(found["cpus"]) == len(os.sched_getaffinity(0))
    assert ran.stdout.splitlines()[-1].startswith("report.html#service?rate=")


def test_process_that_is_not_there_is_named():
    command = ["workloads/inputs.sh", "999999999", "0.1"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert "999999999" in ran.stderr
