"""Two builds of a user's own service: the study that a short file becomes, and what it refuses."""

import base64
import json
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from workloads.experiment.configuration import ConfigurationError
from workloads.experiment.grid import Grid
from workloads.experiment.own import REQUESTS_CHARACTERS, experiment
from workloads.tools import jmeter, wrk2

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "workloads/examples/two-builds.yaml"
REQUESTS = [
    {"method": "GET", "path": "/items?a=1&b=x,y"},
    {
        "method": "PUT",
        "path": "/b",
        "headers": {"X-Key": "k: v", "Accept": "*/*"},
        "body": "1\n\n2",
    },
]


def own(**changed):
    """The example's keys; None leaves one out."""
    keys = yaml.safe_load(EXAMPLE.read_text())["own"] | changed
    return {key: value for key, value in keys.items() if value is not None}


def grid_of(**changed):
    config = yaml.safe_load((ROOT / "config.yaml").read_text())
    return Grid(experiment(config | {"own": own(**changed)}))


# ---- the study


def test_configuration_without_the_key_stays_as_it_is():
    config = {"results": "results", "studies": {}}
    assert experiment(config) is config


def test_short_file_becomes_one_session_of_two_modes_in_turns():
    assert len(EXAMPLE.read_text().splitlines()) <= 15
    grid = grid_of()
    (session,) = grid.sessions
    assert [cell.path for cell in session.cells] == [
        "own/old/load/wrk2/rep-1",
        "own/new/load/wrk2/rep-1",
    ]
    assert grid.config["results"] == "results/own"
    plan = grid.plan(session)
    assert {mode: part.baseline for mode, part in plan.modes.items()} == {"old": None, "new": "old"}
    assert plan.profiles == {"load/wrk2": {"old": ["cpu"], "new": ["cpu"]}}
    load = plan.loads["load/wrk2"]
    limits = {"throughput_per_s": 5, "latency_p99_ms": 25, "cpu_us_per_request": 5}
    assert load.slices["until"] == {"budget_s": 180, "slower_percent": limits}
    assert load.tool["rate_per_s"] == 400
    assert load.testbed["profiler"]["limit_s"] == 18
    assert [each["method"] for each in load.tier["requests"]] == ["GET", "POST"]
    # It is warmed up by the same requests, and any length of answer is right.
    assert load.warm_up["requests"] == load.tier["requests"]
    assert "body_bytes" not in grid.spec(session.cells[0])["study"]
    # A changed file is another build.
    assert str(ROOT / "workloads/examples/two-builds/service.py") in grid.files(session)


def test_users_are_a_closed_loop():
    grid = grid_of(rate_per_s=None, users=7)
    load = grid.plan(grid.sessions[0]).loads["load/jmeter"]
    assert (load.tool["users"], load.tool["warm_up_s"] + load.tool["duration_s"]) == (7, 2)


@pytest.mark.parametrize(
    ("changed", "p99"),
    [({"slower_percent": 40}, 40), ({"p99_slower_percent": 7}, 7), ({"slower_percent": 0.5}, 25)],
)
def test_p99_has_a_limit_of_its_own(changed, p99):
    grid = grid_of(**changed)
    until = grid.plan(grid.sessions[0]).loads["load/wrk2"].slices["until"]
    assert until["slower_percent"]["latency_p99_ms"] == p99


def test_readiness_folder_and_variables_are_those_of_the_builds():
    build = {"command": ["sh", "run", "{port}"], "folder": "/tmp", "environment": {"LEVEL": 3}}
    grid = grid_of(old=build, ready_path="/up", ready_status=204)
    mode = grid.spec(grid.sessions[0].cells[0])["mode"]
    assert mode == build | {"id": "old", "expected_status": 204}
    assert grid.spec(grid.sessions[0].cells[1])["study"]["verify_path"] == "/up"


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"bugdet_s": 9}, "own.bugdet_s = 9; allowed: here only old, new, ready_path"),
        ({"old": None}, "own.old = null; allowed: it must be there"),
        ({"new": {"folder": "/tmp"}}, "own.new.command = null; allowed: it must be there"),
        ({"new": {"command": "run {port}"}}, 'own.new.command = "run {port}"; allowed: a list of'),
        ({"new": {"command": ["run"]}}, 'modes.new.command = ["run"]; allowed: words of which one'),
        ({"new": {"command": ["a{port}"], "folder": "no/such"}}, 'modes.new.folder = "no/such"'),
        ({"ready_path": "up"}, 'own.ready_path = "up"; allowed: a path'),
        ({"requests": []}, "own.requests = []; allowed: a list of mappings"),
        ({"requests": [{"path": "a b"}]}, 'own.requests.0.path = "a b"; allowed: a path'),
        ({"requests": [{"path": "/", "header": {}}]}, "own.requests.0.header = {}; allowed: here"),
        ({"requests": [{"path": "/", "headers": {"A": "b\nc"}}]}, "own.requests.0.headers.A = "),
        ({"requests": [{"path": "/", "method": "get"}]}, 'requests.0.method = "get"; allowed: cap'),
        (
            {"requests": [{"path": "/", "body": "x" * REQUESTS_CHARACTERS}]},
            "characters; allowed: 30",
        ),
        ({"users": 9}, "own.users = 9; allowed: a number, or rate_per_s"),
        ({"rate_per_s": None}, "own.users = null; allowed: a number, or rate_per_s"),
        ({"rate_per_s": 0}, "own.rate_per_s = 0; allowed: more than 0"),
        ({"rate_per_s": None, "users": 9, "connections": 9}, "own.rate_per_s = null; allowed"),
        ({"budget_s": "5 min"}, 'own.budget_s = "5 min"; allowed: 10 to 86,400 s'),
        ({"slower_percent": 0}, "own.slower_percent = 0; allowed: more than 0, at most 1,000 %"),
    ],
)
def test_fault_is_named_with_its_value_and_what_is_allowed(changed, expected):
    with pytest.raises(ConfigurationError) as caught:
        grid_of(**changed)
    assert expected in str(caught.value)


# ---- the requests


class Recorder(BaseHTTPRequestHandler):
    """Answers every request, and notes it."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        headers = {name: self.headers[name] for name in ("X-Key", "Accept") if name in self.headers}
        self.server.seen.append((self.command, self.path, headers, body))
        # The bodies have different lengths.
        answer = b"x" * len(self.path)
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(answer)}\r\n\r\n".encode()
        self.wfile.write(head + answer)

    do_PUT = do_GET

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Recorder) as server:
        server.daemon_threads, server.block_on_close, server.seen = True, False, []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


SENT = [
    ("GET", "/items?a=1&b=x,y", {}, ""),
    ("PUT", "/b", {"X-Key": "k: v", "Accept": "*/*"}, "1\n\n2"),
]


def spec_of(**tool):
    return {
        "study": {"id": "own", "verify_path": "/"},
        "tier": {"id": "load", "path": "/", "sleep_ms": 0, "requests": REQUESTS},
        "tool": {"duration_s": 0.2, "warm_up_s": 0.1, "keep_alive": True} | tool,
        "testbed": {"request_timeout_s": 10, "load_limit_s": 20},
    }


def test_generator_sends_the_requests_in_turns(server, tmp_path):
    spec = spec_of(connections=1, rate_per_s=50)
    subject = SimpleNamespace(address="127.0.0.1", port=server.server_port)
    command = wrk2.command(spec, Path("java"), subject)
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    load = wrk2.collect(spec, tmp_path, (0, 0))
    assert load["responses_2xx"] == load["requests_offered"] == 10
    assert load["bodies_right"] is None
    assert server.seen[:4] == SENT * 2


def test_warm_up_sends_them_too():
    load = {"connections": 1, "rate_per_s": 1, "duration_s": 1, "requests": REQUESTS}
    assert wrk2.due_command(load, "http://127.0.0.1:1/")[-4:] == [
        "http://127.0.0.1:1/",
        "--",
        "GET /items?a=1&b=x,y\n\n",
        "PUT /b\nX-Key: k: v\nAccept: */*\n\n1\n\n2",
    ]


def test_driver_is_given_each_request_and_any_length_of_answer(tmp_path):
    spec = spec_of(users=2)
    fields = jmeter.fields(spec, SimpleNamespace(address="127.0.0.1", port=1), tmp_path)
    given = dict(field.split("=", 1) for field in fields[1:])
    texts = [base64.b64decode(each).decode() for each in given["requests"].split(",")]
    assert texts == [wrk2.as_text(each) for each in REQUESTS]
    assert (given["body_bytes"], given["body_bytes_are"]) == ("0", "5")
    assert not any(set("\t\n") & set(field) for field in fields)


def test_plan_of_the_largest_requests_fits_a_command_line():
    body = "x" * (REQUESTS_CHARACTERS - 200)
    grid = grid_of(requests=[{"path": "/", "body": body}])
    assert len(json.dumps(grid.plan(grid.sessions[0]).to_json())) < 128 * 1024
