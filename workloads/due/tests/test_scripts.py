"""Lua scripts with wrk2's interface."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workloads.due.tests.servers import OK, answering, serving

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
QUICK = ("-c3", "-d200ms", "-R200")


@pytest.fixture
def script(tmp_path):
    def write(text: str) -> str:
        path = tmp_path / "script.lua"
        path.write_text(text)
        return str(path)

    return write


def heads(server):
    return [set(request.head.split("\r\n")) for request in server.requests]


def test_static_request(due, script):
    path = script("""
        wrk.method = "PUT"
        wrk.path = "/other"
        wrk.headers["X-Two"] = "2"
        wrk.body = "hello"
    """)
    with serving(answering(OK)) as server:
        run = due(*QUICK, "-H", "X-One: 1", "-s", path, server.url("/x"))
    assert run.account()["completed"] == 40
    host = f"Host: 127.0.0.1:{server.port}"
    wanted = {"PUT /other HTTP/1.1", host, "X-One: 1", "X-Two: 2", "Content-Length: 5"}
    assert all(head == wanted for head in heads(server))
    assert {request.body for request in server.requests} == {b"hello"}


def test_request_function(due, script):
    path = script("""
        local counter = 0
        function request()
           counter = counter + 1
           return wrk.format("GET", "/" .. counter, { ["X-N"] = counter })
        end
    """)
    with serving(answering(OK)) as server:
        run = due(*QUICK, "-s", path, server.url())
    assert run.account()["completed"] == 40
    paths = {request.head.split()[1] for request in server.requests}
    assert paths == {f"/{n}" for n in range(1, 41)}, "none is made and not sent"
    assert all(f"Host: 127.0.0.1:{server.port}" in head for head in heads(server))


def test_init_gets_the_arguments(due, script):
    path = script("""
        function init(args)
           wrk.headers["X-Args"] = args[0] .. "|" .. args[1] .. "|" .. args[2]
        end
    """)
    with serving(answering(OK)) as server:
        due(*QUICK, "-s", path, server.url(), "--", "one", "-t")
    assert f"X-Args: {server.url()}|one|-t" in heads(server)[0]


def test_setup_and_response(due, script):
    """setup hands values to the thread; response sees each answer."""
    path = script("""
        function setup(thread)
           thread:set("nested", { a = { b = "deep" } })
           assert(thread:get("nested").a.b == "deep")
        end
        function init() answered = 0 end
        function request()
           return wrk.format(nil, "/" .. nested.a.b .. "/" .. answered)
        end
        function response(status, headers, body)
           assert(status == 200 and headers["Content-Length"] == "42" and #body == 42)
           answered = answered + 1
        end
    """)
    with serving(answering(OK)) as server:
        run = due("-c1", "-d200ms", "-R50", "-s", path, server.url())
    assert run.account()["completed"] == 10
    paths = [request.head.split()[1] for request in server.requests]
    assert paths == [f"/deep/{n}" for n in range(10)], "an answer is seen before the next request"


def test_connection_close_from_a_script(due, script):
    path = script('wrk.headers["Connection"] = "close"')
    with serving(answering(OK)) as server:
        run = due(*QUICK, "-s", path, server.url())
    assert run.account()["completed"] == len(server.peers) == 40
    assert run.json["new_connections"] is True


def test_head_requests(due, script):
    path = script('wrk.method = "HEAD"')
    with serving(answering(b"HTTP/1.1 200 OK\r\nContent-Length: 42\r\n\r\n")) as server:
        run = due(*QUICK, "-s", path, server.url())
    assert run.account()["completed"] == 40
    assert run.json["body_bytes"] == {"min": 0, "max": 0}


@pytest.mark.parametrize(
    "text,words",
    [
        ("this is not Lua", ["script.lua", "'is'"]),
        ("error('on purpose')", ["on purpose"]),
        ("function request() return 'GET / HTTP/1.1' end", ["one whole request", "empty line"]),
        ("function request() return wrk.format() .. wrk.format() end", ["pipelining"]),
        ("function request() return nil end", ["must return a string"]),
        ("function setup(thread) thread.color = 1 end", ["thread.color cannot be set"]),
        # The rest of wrk2's interface is refused by name, rather than ignored.
        ("function delay() return 10 end", ["function delay is not supported", "--schedule"]),
        ("function done(summary) end", ["function done is not supported", "--json"]),
        ("function init() wrk.thread:stop() end", ["thread:stop is not supported", "-d"]),
        ("function setup(t) t.addr = nil end", ["thread.addr is not supported", "URL"]),
        ("function setup(t) print(t.addr) end", ["thread.addr is not supported", "URL"]),
        ("wrk.lookup(wrk.host, 80)", ["wrk.lookup is not supported", "URL"]),
        ("wrk.connect()", ["wrk.connect is not supported", "URL"]),
    ],
)
def test_errors_in_scripts(complaint, script, text, words):
    status, message = complaint("-R1", "-s", script(text), "http://127.0.0.1:9/")
    assert status == 1
    for word in words:
        assert word in message


def test_later_request_that_is_not_whole(complaint, script):
    path = script("""
        local calls = 0
        function request()
           calls = calls + 1
           return wrk.format() .. string.rep("x", calls - 1)
        end
    """)
    with serving(answering(OK)) as server:
        status, message = complaint("-R20", "-d1s", "-s", path, server.url())
    assert status == 1
    assert "request() must return one whole request" in message


def test_missing_script(complaint):
    status, message = complaint("-R1", "-s", "no-such.lua", "http://127.0.0.1:9/")
    assert status == 1
    assert "no-such.lua" in message


def test_sign_up(due):
    """Each request signs up another member, in every run."""
    created = b"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"
    with serving(answering(created)) as server:
        # Two runs within a second, as the steps of a curve.
        flags = (*QUICK, "-s", str(SCRIPTS / "sign-up.lua"), server.url("/members"))
        runs = [due(*flags), due(*flags)]
    assert [run.account()["completed"] for run in runs] == [40, 40]
    assert all(r.head.startswith("POST /members HTTP/1.1\r\n") for r in server.requests)
    assert all("Content-Type: application/json" in head for head in heads(server))
    members = [json.loads(request.body) for request in server.requests]
    assert all(set(member) == {"name", "email", "password"} for member in members)
    assert len({member["email"] for member in members}) == 80


def test_login(due):
    """The thousand members log in in turn."""
    with serving(answering(OK)) as server:
        run = due("-c1", "-d200ms", "-R200", "-s", str(SCRIPTS / "login.lua"), server.url())
    assert run.account()["completed"] == 40
    members = [json.loads(request.body)["email"] for request in server.requests]
    assert members == [f"member-{n:04}@mail.com" for n in range(98, 138)]


# requests.lua sends what its arguments say, and nothing without any.
POSTING = sorted({path.name for path in SCRIPTS.glob("*.lua")} - {"requests.lua"})


@pytest.mark.parametrize("name", POSTING)
def test_every_script_of_the_project_posts_json(due, name):
    with serving(answering(OK)) as server:
        run = due("-d50ms", "-R100", "-s", str(SCRIPTS / name), server.url("/x"))
    assert run.account()["completed"] == 5
    assert all(request.head.startswith("POST /x HTTP/1.1\r\n") for request in server.requests)
    assert all(isinstance(json.loads(request.body), dict) for request in server.requests)
