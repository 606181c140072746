"""Lua scripts with wrk2's interface."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workloads.due.tests.servers import OK, answering, serving

SIGN_UP = Path(__file__).resolve().parents[2] / "scripts/sign-up.lua"
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


def test_threads_setup_and_done(due, script, tmp_path):
    """setup and done run in one environment, each thread in its own."""
    out = tmp_path / "out.json"
    path = script(f"""
        local threads = {{}}
        function setup(thread)
           threads[#threads + 1] = thread
           thread:set("id", #threads)
           thread:set("nested", {{ a = {{ b = "deep", [1] = true }} }})
           assert(tostring(thread.addr):find("127.0.0.1:"))
           thread.addr = thread.addr
        end
        function init() sent, answered = 0, 0 end
        function request()
           sent = sent + 1
           assert(nested.a.b == "deep" and nested.a[1] == true)
           return wrk.format(nil, "/" .. id)
        end
        function response(status, headers, body)
           assert(status == 200 and headers["Content-Length"] == "42" and #body == 42)
           answered = answered + 1
        end
        function done(summary, latency, requests)
           local sum = {{ sent = 0, answered = 0 }}
           for _, thread in ipairs(threads) do
              sum.sent = sum.sent + thread:get("sent")
              sum.answered = sum.answered + thread:get("answered")
           end
           local counted, i = 0, 1
           while counted < #latency do
              local _, count = latency(i)
              counted, i = counted + count, i + 1
           end
           local file = io.open("{out}", "w")
           file:write(string.format(
              '{{"sent": %d, "answered": %d, "requests": %d, "duration": %d, "bytes": %d, ' ..
              '"errors": [%d, %d, %d, %d, %d], "p50": %f, "max": %f, "min": %f, "mean": %f, ' ..
              '"stdev": %f, "last": %f, "count": %d, "counted": %d, "rate": %f}}',
              sum.sent, sum.answered, summary.requests, summary.duration, summary.bytes,
              summary.errors.connect, summary.errors.read, summary.errors.write,
              summary.errors.status, summary.errors.timeout,
              latency:percentile(50), latency.max, latency.min, latency.mean, latency.stdev,
              latency[#latency], #latency, counted, requests.max))
           file:close()
        end
    """)
    with serving(answering(OK)) as server:
        run = due("-t2", "-c4", "-d1s", "-R100", "-s", path, server.url())
    assert run.account()["completed"] == 100
    assert {request.head.split()[1] for request in server.requests} == {"/1", "/2"}
    seen = json.loads(out.read_text())
    assert seen["sent"] == seen["answered"] == seen["requests"] == seen["count"] == 100
    assert seen["counted"] == 100
    assert seen["duration"] == 1_000_000
    assert seen["bytes"] == run.json["received_bytes"]
    assert seen["errors"] == [0] * 5
    latency = run.json["latency_us"]["corrected"]
    assert seen["p50"] == pytest.approx(latency["p50"], abs=0.01)
    assert seen["max"] == pytest.approx(latency["max"], abs=0.01)
    assert seen["last"] == pytest.approx(latency["max"], rel=1e-3)
    assert seen["min"] <= seen["mean"] <= seen["max"]
    assert 40 <= seen["rate"] <= 60


def test_delay(due, script):
    """A delay moves when a request is due; it is no latency."""
    path = script("function delay() return 300 end")
    with serving(answering(OK)) as server:
        plain = due("-c50", "-d500ms", "-R40", server.url())
        delayed = due("-c50", "-d500ms", "-R40", "-s", path, server.url())
    assert plain.account()["due"] == delayed.account()["completed"] == 20
    seconds = [row for row in delayed.series() if row["completed"] != "0"]
    assert delayed.ms("min") < 300
    assert seconds


def test_pipelined_batches(due, script):
    """A request string may hold several requests; each takes its place in the timetable."""
    path = script("""
        function init(args)
           local batch = {}
           for i = 1, 4 do batch[i] = wrk.format("POST", "/" .. i, nil, string.rep("x", i)) end
           all = table.concat(batch)
        end
        function request() return all end
    """)
    with serving(answering(OK)) as server:
        run = due("-c3", "-d500ms", "-R80", "-s", path, server.url())
    assert run.account()["completed"] == 40
    assert len(server.requests) == 40
    assert {r.head.split()[1] for r in server.requests} == {"/1", "/2", "/3", "/4"}
    with serving(answering(OK)) as server:
        run = due("-B", "-c3", "-d500ms", "-R80", "-s", path, server.url())
    assert run.account()["completed"] == 40
    last = (run.folder / "corrected.hgrm").read_text()
    assert "Total count    =           10]" in last, "of each batch the last answer only"


def test_pipelined_batch_beyond_the_end(due, script):
    path = script("""
        function request() return wrk.format() .. wrk.format() .. wrk.format() end
    """)
    with serving(answering(OK)) as server:
        run = due("-c1", "-d500ms", "-R20", "-s", path, server.url())
    assert run.account()["completed"] == 10, "the timetable has 10, whatever the batches"


def test_stop_from_a_script(due, script):
    path = script("""
        local answers = 0
        function response()
           answers = answers + 1
           if answers == 10 then wrk.thread:stop() end
        end
    """)
    with serving(answering(OK)) as server:
        run = due("-c1", "-d60s", "-R100", "-s", path, server.url())
    assert run.account()["completed"] == 10
    assert run.json["measured_s"] < 60


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


def test_lookup_and_connect(due, script):
    path = script("""
        function setup(thread)
           local found = wrk.lookup(wrk.host, wrk.port)
           assert(#found >= 1 and wrk.connect(found[1]))
           assert(wrk.time_us() > 1e15)
           thread.addr = found[1]
        end
    """)
    with serving(answering(OK)) as server:
        assert due(*QUICK, "-s", path, server.url()).account()["completed"] == 40


@pytest.mark.parametrize(
    "text,words",
    [
        ("this is not Lua", ["script.lua", "'is'"]),
        ("error('on purpose')", ["on purpose"]),
        ("function request() return 'GET / HTTP/1.1' end", ["whole requests", "empty line"]),
        ("function request() return nil end", ["must return a string"]),
        ("function setup(thread) thread:set('f', print) end", ["function", "another thread"]),
        ("function setup(thread) thread.color = 1 end", ["thread.color cannot be set"]),
        (
            "function setup(t) t.addr = wrk.lookup('192.0.2.1', '80')[1] end",
            ["not an address of this machine", "--allow-remote"],
        ),
    ],
)
def test_errors_in_scripts(complaint, script, text, words):
    status, message = complaint("-R1", "-s", script(text), "http://127.0.0.1:9/")
    assert status == 1
    for word in words:
        assert word in message


def test_batch_that_changes_its_length(complaint, script):
    path = script("""
        local calls = 0
        function request()
           calls = calls + 1
           return string.rep(wrk.format(), calls)
        end
    """)
    with serving(answering(OK)) as server:
        status, message = complaint("-R20", "-d1s", "-s", path, server.url())
    assert status == 1
    assert "as many whole requests each time: 1 at first, now 2" in message


def test_missing_script(complaint):
    status, message = complaint("-R1", "-s", "no-such.lua", "http://127.0.0.1:9/")
    assert status == 1
    assert "no-such.lua" in message


def test_sign_up(due):
    """Each request signs up another member, in every thread and run."""
    created = b"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"
    with serving(answering(created)) as server:
        # Two runs within a second, as the steps of a curve.
        runs = [due("-t2", *QUICK, "-s", str(SIGN_UP), server.url("/members")) for _ in range(2)]
    assert [run.account()["completed"] for run in runs] == [40, 40]
    assert all(r.head.startswith("POST /members HTTP/1.1\r\n") for r in server.requests)
    assert all("Content-Type: application/json" in head for head in heads(server))
    members = [json.loads(request.body) for request in server.requests]
    assert all(set(member) == {"name", "email", "password"} for member in members)
    assert len({member["email"] for member in members}) == 80
