"""Lua scripts with wrk2's interface."""

import json
from pathlib import Path

import pytest

from workloads.due.tests.servers import answering, ok, serving

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
QUICK = ("-c3", "-d200ms", "-R200")


@pytest.fixture
def script(tmp_path):
    def write(text):
        path = tmp_path / "script.lua"
        path.write_text(text)
        return str(path)

    return write


def heads(run):
    return [set(request.head.split("\r\n")) for request in run.server.requests]


def paths(run):
    return [request.head.split()[1] for request in run.server.requests]


def test_static_request(load, script):
    path = script("""
        wrk.method = "PUT"
        wrk.path = "/other"
        wrk.headers["X-Two"] = "2"
        wrk.body = "hello"
    """)
    run = load(ok, *QUICK, "-H", "X-One: 1", "-s", path, path="/x")
    assert run.account()["completed"] == 40
    host = f"Host: 127.0.0.1:{run.server.port}"
    wanted = {"PUT /other HTTP/1.1", host, "X-One: 1", "X-Two: 2", "Content-Length: 5"}
    assert all(head == wanted for head in heads(run))
    assert {request.body for request in run.server.requests} == {b"hello"}


def test_request_function(load, script):
    path = script("""
        local counter = 0
        function request()
           counter = counter + 1
           return wrk.format("GET", "/" .. counter, { ["X-N"] = counter })
        end
    """)
    run = load(ok, *QUICK, "-s", path)
    assert run.account()["completed"] == 40
    assert {*paths(run)} == {f"/{n}" for n in range(1, 41)}, "none is made and not sent"
    assert all(f"Host: 127.0.0.1:{run.server.port}" in head for head in heads(run))


def test_init_gets_the_arguments(due, script):
    path = script("""
        function init(args)
           wrk.headers["X-Args"] = args[0] .. "|" .. args[1] .. "|" .. args[2]
        end
    """)
    with serving(ok) as server:
        due(*QUICK, "-s", path, server.url(), "--", "one", "-t")
    assert f"\r\nX-Args: {server.url()}|one|-t" in server.requests[0].head


def test_connection_close_from_a_script(load, script):
    run = load(ok, *QUICK, "-s", script('wrk.headers["Connection"] = "close"'))
    assert run.account()["completed"] == len(run.server.peers) == 40
    assert run.json["new_connections"] is True


def test_head_requests(load, script):
    response = b"HTTP/1.1 200 OK\r\nContent-Length: 42\r\n\r\n"
    run = load(answering(response), *QUICK, "-s", script('wrk.method = "HEAD"'))
    assert run.account()["completed"] == 40
    assert run.json["body_bytes"] == {"min": 0, "max": 0}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("this is not Lua", "'is'"),
        ("error('on purpose')", "on purpose"),
        ("function request() return 'GET / HTTP/1.1' end", "one whole request"),
        ("function request() return wrk.format() .. wrk.format() end", "pipelining"),
        ("function request() return nil end", "must return a string"),
        # The rest of wrk2's interface is refused by name, rather than ignored.
        ("function delay() end", "function delay is not supported"),
        ("function response() end", "function response is not supported"),
        ("function done() end", "function done is not supported"),
        (None, "no-such.lua"),
    ],
)
def test_errors_in_scripts(complaint, script, text, words):
    path = script(text) if text else "no-such.lua"
    assert words in complaint(1, "-R1", "-s", path, "http://127.0.0.1:9/")


def test_sign_up(load):
    """Each request signs up another member, in every run."""
    behavior = answering(b"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
    # Two runs within a second, as the steps of a curve.
    runs = [load(behavior, *QUICK, "-s", str(SCRIPTS / "sign-up.lua")) for _ in range(2)]
    assert [run.account()["completed"] for run in runs] == [40, 40]
    assert all("Content-Type: application/json" in head for run in runs for head in heads(run))
    members = [json.loads(request.body) for run in runs for request in run.server.requests]
    assert all(set(member) == {"name", "email", "password"} for member in members)
    assert len({member["email"] for member in members}) == 80


def test_login(load):
    """The thousand members log in in turn."""
    run = load(ok, "-c1", "-d200ms", "-R200", "-s", str(SCRIPTS / "login.lua"))
    assert run.account()["completed"] == 40
    members = [json.loads(request.body)["email"] for request in run.server.requests]
    assert members == [f"member-{n:04}@mail.com" for n in range(98, 138)]


# requests.lua sends what its arguments say, and nothing without any.
POSTING = sorted({path.name for path in SCRIPTS.glob("*.lua")} - {"requests.lua"})


@pytest.mark.parametrize("name", POSTING)
def test_every_script_of_the_project_posts_json(load, name):
    run = load(ok, "-d50ms", "-R100", "-s", str(SCRIPTS / name), path="/x")
    assert run.account()["completed"] == 5
    for request in run.server.requests:
        assert request.head.startswith("POST /x HTTP/1.1\r\n")
        assert isinstance(json.loads(request.body), dict)
