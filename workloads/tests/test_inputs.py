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
    actuator,
    add_requests,
    connections,
    shown,
)

ROOT = Path(__file__).resolve().parents[2]


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


def metrics(folder, requests, seconds):
    """The address of Actuator's metrics, which a file has."""
    found = [
        {"statistic": "COUNT", "value": requests},
        {"statistic": "TOTAL_TIME", "value": seconds},
    ]
    (folder / "metrics").mkdir(exist_ok=True)
    (folder / "metrics/http.server.requests").write_text(json.dumps({"measurements": found}))
    return f"{folder.as_uri()}/"


def test_actuator_is_read(tmp_path):
    assert actuator(metrics(tmp_path, 7, 2))() == Seen(7, 2000)


def test_program_watches_a_process(tmp_path):
    code = """
import time
while True:
    end = time.thread_time() + 0.005
    while time.thread_time() < end: pass
    time.sleep(0.02)
"""
    with subprocess.Popen([sys.executable, "-c", code]) as service:
        command = ["workloads/inputs.sh", str(service.pid), "1.5"]
        try:
            ran = subprocess.run(
                [*command, "--actuator", metrics(tmp_path, 7, 2)],
                cwd=ROOT,
                capture_output=True,
                text=True,
                check=True,
            )
        finally:
            service.kill()
    found = dict(line.split(": ", 1) for line in ran.stdout.splitlines()[:-1])
    assert 0.1 < float(found["busy_cpus"]) < 0.4
    assert float(found["cpus"]) == len(os.sched_getaffinity(0))
    assert found["not seen"] == "requests: none came in 2 s"
    assert ran.stdout.splitlines()[-1].startswith("report.html#service?cpus=")


def test_process_that_is_not_there_is_named():
    command = ["workloads/inputs.sh", "999999999", "0.1"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert "999999999" in ran.stderr
