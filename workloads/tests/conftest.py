"""Slices as a session would have loaded them; what user 65534 may do."""

import os
from types import SimpleNamespace

import pytest

from workloads.record.slice import PLAIN, Live, Slice, Turn

LOAD = {
    "loop": "closed",
    "requests_offered": None,
    "requests_recorded": 100,
    "in_flight_at_end": 2,
    "responses_2xx": 98,
    "bodies_right": 98,
    "errors": {"http_503": 2},
    "error_share": 0.02,
    "start_epoch_s": 100.0,
    "end_epoch_s": 101.0,
    "duration_s": 1.0,
    "offered_per_s": None,
    "concurrency_offered": 10,
    "users_alive": 10.0,
    "answers_per_s": 100.0,
    "throughput_per_s": 98.0,
    "received_bytes": 5000,
    "sent_bytes": 3000,
    "limited_by_generator": "",
    "latency_mean_ms": 50.0,
    "latency_min_ms": 20.0,
    "settling": {"latency": None, "throughput": None},
    "generator": {"name": "a tool", "version": "1", "cpu_share": 0.2},
}
ZERO = ("steal_share", "stood_still_s", "server_steal_share", "throttled", "peak_accept_queue")
ZERO += ("listen_overflows", "retransmits")
METRICS = dict.fromkeys(ZERO, 0.0) | {
    "server_cpu_s": 0.5,
    "compiler_cpu_s": 0.01,
    "compiler_share": 0.02,
    "cpu_us_per_request": 4900.0,
    "idle_neighbors_share": 0.001,
    "generator_cpu_share": 0.2,
    "others_cpu_share": 0.03,
    "speed_server": 1.0,
    "probe_us": 200.0,
    "backend_cpu_shares": [],
    "backend_cpu_us_per_request": None,
    "generator_cpu_us_per_request": 400.0,
    "peak_threads": 20.0,
    "peak_rss_bytes": 2.0**30,
    "peak_descriptors": 30.0,
    "peak_descriptors_share": 0.03,
    "machine_context_switches": 1000.0,
    "collections": 2,
    "full_collections": 1,
    "gc_pause_ms": 7.5,
}
EDGE = {"threads_started": 10, "rows": None, "counters": {}}


@pytest.fixture
def live(tmp_path):
    """A server of which nothing is alive."""
    process = SimpleNamespace(
        pid=1, argv=["java"], environment={}, exit_status=None, ended=lambda: False
    )
    subject = SimpleNamespace(
        process=process, pooler=None, start_up_s=0.5, port=1, address="127.0.0.1"
    )
    folder = tmp_path / "a-mode"
    folder.mkdir()
    return Live(
        "a-mode", subject, None, folder, {"server_threads": 12.0, "server_rss_bytes": 2.0**20}, {}
    )


@pytest.fixture
def make_slice(live):
    """Slices of one cell, numbered as they are made; `load` and `metrics` are changes."""
    made = []

    def make(round=1, kind=PLAIN, load=(), metrics=(), before=(), after=(), **changed):
        number = len(made) + 1
        folder = live.folder / f"slice-{number}"
        folder.mkdir()
        start_s = 100.0 + 10 * number
        window = {"start_epoch_s": start_s, "end_epoch_s": start_s + 1}
        accounts = {
            "before": EDGE | dict(before),
            "after": EDGE | dict(after),
            "body_before": b"ok",
            "body": b"ok",
            "generator_argv": ["a-tool"],
        }
        fields = {
            "live": live,
            "beside": [],
            "folder": folder,
            "outcome": "completed",
            "reason": "",
            "samples": [],
            "load": LOAD | window | dict(load),
            "metrics": METRICS | dict(metrics),
            "accounts": accounts,
        }
        made.append(Slice(turn=Turn(number, round, kind), **(fields | changed)))
        return made[-1]

    return make


@pytest.fixture
def as_nobody():
    """The error that an action ends with when user 65534 does it, as text; needs root."""

    def run(action):
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
            try:
                action()
            except BaseException as fault:
                os.write(writing, f"{fault}".encode())
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as said:
            text = said.read()
        os.waitpid(child, 0)
        return text

    return run
