"""Two builds of a user's own service: the study that a short file becomes, and what it refuses."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from workloads.experiment.configuration import ConfigurationError
from workloads.experiment.grid import Grid
from workloads.experiment.own import experiment, in_users_words, main
from workloads.machine import environment as environment_of
from workloads.machine.testbed import free_port
from workloads.servers.answers import answers
from workloads.servers.user_server import UserServer
from workloads.session.warm_up import short_load
from workloads.tools import jmeter, wrk2

ROOT = Path(__file__).resolve().parents[2]
CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text())
EXAMPLE = ROOT / "workloads/examples/two-builds.yaml"
CPUS = sorted(os.sched_getaffinity(0))
HEADERS = {"X-Key": "k: v", "Accept": "*/*"}
REQUESTS = [
    {"method": "GET", "path": "/items?a=1&b=x,y"},
    {"method": "PUT", "path": "/b", "headers": HEADERS, "body": "1\n\n2"},
]


def own(**changed):
    """The example's keys; None leaves one out."""
    keys = yaml.safe_load(EXAMPLE.read_text())["own"] | changed
    return {key: value for key, value in keys.items() if value is not None}


def grid_of(**changed):
    return Grid(experiment(CONFIG | {"own": own(**changed)}))


def plan_of(**changed):
    grid = grid_of(**changed)
    return grid.plan(grid.sessions[0])


# ---- the study


def test_short_file_becomes_one_session_of_two_modes_in_turns():
    assert experiment(CONFIG) is CONFIG
    grid = grid_of()
    (session,) = grid.sessions
    modes = ["old", "new", "old-again"]
    assert [cell.path for cell in session.cells] == [f"own/{id}/load/wrk2/rep-1" for id in modes]
    assert grid.config["results"] == "results/own"
    plan = grid.plan(session)
    baselines = [part.baseline for part in plan.modes.values()]
    assert ([*plan.modes], baselines) == (modes, [None, "old", "old"])
    assert plan.profiles == {"load/wrk2": {"old": ["cpu"], "new": ["cpu"]}}
    load = plan.loads["load/wrk2"]
    limits = dict.fromkeys(("throughput_per_s", "latency_p50_ms", "cpu_us_per_request"), 5)
    limits["latency_p99_ms"] = 25
    assert load.slices["until"] == {"budget_s": 180, "slower_percent": limits}
    assert load.tool["rate_per_s"] == 400
    assert load.testbed["profiler"]["limit_s"] == pytest.approx(10.8)
    assert [each["method"] for each in load.tier["requests"]] == ["GET", "POST"]
    # It is warmed up by the same requests, and any length of answer is right.
    assert load.warm_up["requests"] == load.tier["requests"]
    assert "body_bytes" not in grid.spec(session.cells[0])["study"]
    # A changed file is another build.
    assert str(ROOT / "workloads/examples/two-builds/service.py") in grid.files(session)


@pytest.mark.parametrize(
    ("keys", "modes", "p99"),
    [
        ({"budget_s": 60, "slower_percent": 40}, ["old", "new"], 40),
        ({"budget_s": 60, "a_a": True}, ["old", "new", "old-again"], 25),
        ({"a_a": False, "p99_slower_percent": 7}, ["old", "new"], 7),
    ],
)
def test_first_variant_is_there_twice_where_the_budget_has_time(keys, modes, p99):
    plan = plan_of(**keys)
    assert [*plan.modes] == modes
    until = plan.loads["load/wrk2"].slices["until"]
    # Where it is wanted, however long a start takes.
    assert until.get("again", False) is keys.get("a_a", False)
    assert until["slower_percent"]["latency_p99_ms"] == p99


def test_users_are_a_closed_loop_of_the_requests(tmp_path):
    plan = plan_of(rate_per_s=None, users=7)
    server = SimpleNamespace(address="127.0.0.1", port=1)
    fields = jmeter.fields(plan.spec(plan.cells[0]), server, tmp_path)
    given = dict(field.split("=", 1) for field in fields[1:])
    assert (given["users"], len(given["requests"].split(","))) == ("7", 2)


def test_readiness_folder_variables_and_cpus_are_those_of_the_file():
    build = {"command": ["sh", "run", "{port}"], "folder": "/tmp", "environment": {"LEVEL": 3}}
    grid = grid_of(old=build, ready_path="/up", ready_status=204, server_cpus=48)
    mode = grid.spec(grid.sessions[0].cells[0])["mode"]
    assert mode == build | {"id": "old", "expected_status": 204}
    assert grid.spec(grid.sessions[0].cells[1])["study"]["verify_path"] == "/up"
    assert grid.config["testbed"]["server_cpus"] == 48
    # By default the first GET.
    requests = [{"path": "/a", "body": "x"}, {"path": "/b", "headers": {"Host": "shop"}}]
    grid = grid_of(ready_path=None, requests=requests)
    spec = grid.spec(grid.sessions[0].cells[0])
    assert spec["study"]["verify_path"] == "/b"
    assert spec["mode"]["ready_headers"] == {"Host": "shop"}


USERS = {"rate_per_s": None, "users": 9}
UNLIKE = dict.fromkeys(("old", "new")) | {
    "variants": {"a": {"command": ["run", "{port}"]}, "b": {"command": ["run"]}}
}
LARGE = {"path": "/", "body": "x" * 15_000, "weight": 3}
TWO_LINES = {"path": "/", "headers": {"A": "b\nc"}}
NO_HTTPS = "a path with its query: /, then ASCII characters without spaces; HTTPS and HTTP/2"


@pytest.mark.parametrize(
    ("changed", "fault", "allowed"),
    [
        ({"bugdet_s": 9}, ".bugdet_s = 9", "here only old, new, variants"),
        ({"budget_s": "5 min"}, '.budget_s = "5 min"', "a number from 10 to 86,400"),
        ({"old": None, "new": None}, " = {", "old and new, or variants"),
        (UNLIKE | {"new": {}}, ".old = null", "it must be there"),
        ({"requests": None}, " = {", "requests, or a script"),
        ({"users": 9}, " = {", "users, or rate_per_s"),
        ({"script": "no.lua"}, '.script = "no.lua"', "a file that is there"),
        ({"requests": [{"path": "https://x/"}]}, '.requests.0.path = "https://x/"', NO_HTTPS),
        ({"requests": [TWO_LINES]}, '.requests.0.headers.A = "b\\nc"', "a text of one line"),
        ({"requests": [{"path": "/{n}"}]} | USERS, ".users = 9", "rate_per_s, with a file"),
        ({"headers_from_environment": {"A": "B"}} | USERS, ".users = 9", "rate_per_s, with a file"),
        ({"new": {"folder": "/tmp"}}, ".new.command = null", "it must be there"),
        ({"new": {"command": ["run"]}}, '.new.command = ["run"]', "words of which one"),
        (UNLIKE, '.variants.b.command = ["run"]', "words of which one"),
        # The plan, with the requests of each load twice, is a word of a command line.
        ({"requests": [LARGE]}, ".requests = 45,135 characters", "30,000 characters in all"),
    ],
)
def test_fault_is_named_with_its_value_and_what_is_allowed(changed, fault, allowed):
    with pytest.raises(ConfigurationError) as caught:
        grid_of(**changed)
    said = in_users_words(str(caught.value))
    found = [line.partition("; allowed: ") for line in said.splitlines()]
    assert [(key.startswith(f"own{fault}"), may.startswith(allowed)) for key, _, may in found] == [
        (True, True)
    ]


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("examples/two-builds.yaml", ""),
        ("examples/boot-virtual.yaml", ""),
        ("quick.yaml", "workloads/quick.yaml: it has no own; "),
    ],
)
def test_examples_are_right_and_files_without_own_are_named(file, said):
    assert main(f"workloads/{file}").partition("see ")[0] == said


def test_usage_has_a_status_of_its_own():
    ran = subprocess.run("workloads/own.sh", cwd=ROOT, capture_output=True, check=False)
    assert ran.returncode == 3


# ---- variants


VARIANTS = {
    "threads-200": None,
    "virtual": {"options": ["--virtual"], "environment": {"LEVEL": 3}},
    "virtual-16": {"command": ["other", "{port}"]},
}


def test_variants_are_one_command_with_settings():
    command = ["java", "-jar", "app.jar", "--server.port={port}"]
    found = {"command": command, "environment": {"A": 1}, "variants": VARIANTS, "p99_ms": 120}
    grid = grid_of(old=None, new=None, **found)
    (session,) = grid.sessions
    plan = grid.plan(session)
    modes = {name: part.mode for name, part in plan.modes.items()}
    assert [*modes] == [*VARIANTS]
    assert modes["threads-200"]["command"] == command
    assert modes["virtual"]["command"] == [*command, "--virtual"]
    assert modes["virtual"]["environment"] == {"A": 1, "LEVEL": 3}
    assert modes["virtual-16"]["command"] == ["other", "{port}"]
    baselines = {name: part.baseline for name, part in plan.modes.items()}
    assert baselines == {"threads-200": None, "virtual": "threads-200", "virtual-16": "threads-200"}
    # At a fixed rate, and as capacity at an objective.
    assert plan.loads["load/wrk2"].tool["rate_per_s"] == 400
    sweep = plan.loads["capacity/sweep"]
    assert (sweep.tool["objective_ms"], len(sweep.tier["requests"])) == (120, 2)
    # A request without an answer holds up an overload of the sweep no longer than it must.
    waits_s = {load: plan.loads[load].testbed["request_timeout_s"] for load in plan.loads}
    assert waits_s == {"load/wrk2": 10, "capacity/sweep": 1.2}
    first = [f"own/threads-200/{load}/rep-1" for load in waits_s]
    assert [cell.path for cell in session.cells][:2] == first


def test_backend_is_shared_unless_a_variant_has_its_own():
    backend = {"command": ["db", "{port}"], "ready": ["ping", "{port}"], "cpus": "server"}
    shared = {"id": "own", "shared": True} | backend
    assert [part.backend for part in plan_of(backend=backend).modes.values()] == [shared] * 3
    new = own()["new"] | {"backend": {"command": ["other", "{port}"]}}
    modes = plan_of(backend=backend, new=new, a_a=False).modes
    found = {name: part.backend for name, part in modes.items()}
    one = {"id": "own", "cpus": "generator", "command": ["other", "{port}"]}
    assert found == {"old": shared, "new": one}


# ---- the requests


# A service that notes each request, and refuses to create what it has.
SERVICE = """
import http.server, json, sys
known = set()
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        body = self.rfile.read(int(self.headers["Content-Length"] or 0)).decode()
        headers = {name: self.headers[name] for name in ("X-Key", "Accept") if name in self.headers}
        noted = self.command, self.path, headers, body
        print(json.dumps(noted), file=open(sys.argv[2], "a"))
        answer = (self.path + body).encode()
        self.send_response(409 if self.command == "POST" and body in known else 200)
        self.send_header("Content-Length", len(answer))
        self.end_headers()
        self.wfile.write(answer)
        known.add(body)
    do_PUT = do_POST = do_GET
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


@pytest.fixture
def start_service(tmp_path):
    """Starts it in a folder `session`, with more keys of its mode; it notes in the file `seen`."""
    (tmp_path / "session").mkdir()
    started = []

    def start(**mode):
        command = [sys.executable, "-c", SERVICE, "{port}", str(tmp_path / "seen")]
        mode |= {"command": command}
        started.append(UserServer(mode, CPUS, tmp_path / "session", free_port(0)))
        return started[0]

    yield start
    for subject in started:
        subject.stop()


def spec_of(**tool):
    return {
        "study": {"id": "own", "verify_path": "/"},
        "tier": {"id": "load", "path": "/", "sleep_ms": 0, "requests": REQUESTS},
        "tool": {"duration_s": 0.2, "warm_up_s": 0.1, "keep_alive": True} | tool,
        "testbed": {"request_timeout_s": 10, "load_limit_s": 20},
    }


def test_generator_sends_the_requests_in_turns(start_service, tmp_path):
    load, seen = sent_by_due(start_service(), tmp_path, REQUESTS)
    assert load["responses_2xx"] == load["requests_offered"] == 10
    assert load["bodies_right"] is None
    sent = [["GET", "/items?a=1&b=x,y", {}, ""], ["PUT", "/b", HEADERS, "1\n\n2"]]
    assert seen[:4] == sent * 2


def sent_by_due(subject, tmp_path, requests):
    """A load of ten requests behind five to warm up, and all that the service noted of it."""
    (tmp_path / "seen").write_text("")
    spec = spec_of(connections=1, rate_per_s=50)
    spec["tier"]["requests"] = requests
    command = wrk2.command(spec, Path("java"), subject)
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    seen = [json.loads(line) for line in (tmp_path / "seen").read_text().splitlines()]
    return wrk2.collect(spec, tmp_path, (0, 0)), seen


def test_numbers_and_ids_are_never_sent_twice(start_service, tmp_path):
    body = '{"email": "{uuid}@example.org", "n": {n}}'
    request = {"method": "POST", "path": "/u/{n}", "headers": {"X-Key": "{uuid}"}, "body": body}
    subject = start_service()
    seen = [each for _ in range(2) for each in sent_by_due(subject, tmp_path, [request])[1]]
    _, paths, headers, bodies = zip(*seen, strict=True)
    keys = [each["X-Key"] for each in headers]
    for seen in (paths, keys, bodies):
        assert len({*seen}) == len(seen) >= 20
    assert all(json.loads(body)["email"].count("-") == 4 for body in bodies)
    assert [f"/u/{json.loads(body)['n']}" for body in bodies] == [*paths]


def test_file_of_paths_and_weights_are_sent_in_turns(start_service, tmp_path):
    (tmp_path / "paths.txt").write_text("/one\n# not a path\n/two?a=1\n")
    file = str(tmp_path / "paths.txt")
    plan = plan_of(requests=[{"path": "/often", "weight": 3}, {"path": "/rare"}, {"file": file}])
    requests = plan.loads["load/wrk2"].tier["requests"]
    _, seen = sent_by_due(start_service(), tmp_path, requests)
    found = [path for _, path, _, _ in seen[:6]]
    assert sorted(found) == ["/often", "/often", "/often", "/one", "/rare", "/two?a=1"]


def test_each_question_before_a_load_has_an_identifier_of_its_own(start_service):
    """Variants may share a database that refuses what it has."""
    subject = start_service()
    request = {"method": "POST", "path": "/users", "body": "{uuid}"}
    found = [answers(subject, [request])[0] for _ in range(2)]
    assert found[0]["status"] == 200
    assert found[0] == found[1]


def test_secret_of_a_header_stands_nowhere_but_in_the_request(start_service, tmp_path, monkeypatch):
    secret = "hunter2-never-written"
    monkeypatch.setenv("API_TOKEN", secret)
    headers = {"X-Key": "API_TOKEN"}
    plan = plan_of(requests=[{"path": "/a"}], headers_from_environment=headers, ready_path=None)
    spec = plan.spec(plan.cells[0])
    subject, home = start_service(**spec["mode"]), tmp_path / "session"
    assert subject.ask("/a", 10) == b"/a"
    found = answers(subject, spec["tier"]["requests"])
    assert found[0]["status"] == 200
    load = spec["warm_up"] | {"path": "/a", "burst_s": 0.2, "connections": 1, "rate_per_s": 9}
    short_load(load, subject, CPUS, home)
    spec["tool"]["duration_s"] = 0.2
    argv = wrk2.command(spec, Path("java"), subject)
    environment = dict(os.environ) | dict(subject.client_environment)
    subprocess.run(argv, cwd=home, check=True, capture_output=True, env=environment)
    subject.stop()
    # The service got it with each request, and it is in no file, argument or record.
    assert (tmp_path / "seen").read_text().count(secret) > 5
    assert secret not in json.dumps([plan.to_json(), argv, found, subject.process.argv])
    files = [path for path in home.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if secret.encode() in path.read_bytes()]
    recorded = environment_of.recorded(subject.process.environment, ())
    assert secret not in json.dumps(recorded)


def test_variable_that_is_not_set_is_named(tmp_path):
    mode = {"command": ["true", "{port}"], "secrets": ["NO_SUCH_TOKEN"]}
    with pytest.raises(LookupError, match="the variable NO_SUCH_TOKEN is not set"):
        UserServer(mode, [0], tmp_path, 1)
