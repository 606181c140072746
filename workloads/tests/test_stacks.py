"""One contract for every mode of the study `stacks`: answers to the byte, and limits that hold.

Limits are not read back but reached: a stack that only says that it has one does not pass.
"""

import base64
import contextlib
import hashlib
import hmac
import http.client
import http.server
import json
import os
import resource
import signal
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest
import yaml

from profiles.watch.accept_queue import accept_queue
from workloads.experiment.configuration import EXTRAS
from workloads.experiment.grid import Grid
from workloads.machine import provenance
from workloads.machine.testbed import free_port
from workloads.servers.backends import mariadb
from workloads.servers.server import ROOT, Server, command

CPUS = sorted(os.sched_getaffinity(0))
CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text())
GRID = Grid(CONFIG | {"extras": EXTRAS})


def modes_of(study):
    """Every mode of a study, as its session starts it."""
    plans = [GRID.plan(session) for session in GRID.sessions if session.study == study]
    return {name: part for plan in plans for name, part in plan.modes.items()}


def with_each_option(modes):
    """Classes and options that have between them all that modes have, by the name of a mode.

    Modes of a kind that do not contradict each other are one: each limit is reached by itself.
    Those that the JVM's options tell apart have the same answers and limits.
    """
    seen, found = set(), {}
    for name, part in modes.items():
        server = part.study["server"]["class"]
        options = {"http-client": None} | part.mode["options"]
        said = {(server, *option) for option in options.items()}
        if said <= seen:
            continue
        seen |= said
        of_kind = (server, part.mode["kind"])
        agreeing = [
            together
            for kind, together in found.values()
            if kind == of_kind and together | options == options | together
        ]
        if agreeing:
            agreeing[0] |= options
        else:
            found[name] = (of_kind, options)
    return {name: options for name, (_, options) in found.items()}


OURS = {name: part for name, part in modes_of("stacks").items() if "command" not in part.mode}
MODES = with_each_option(OURS)
# Modes of one stack differ in their options, and share its limits.
STACKS = {OURS[name].study["server"]["class"]: name for name in MODES}
PATIENCE_S = 30
# That of every stack for a call of the remote.
RESPONSE_TIMEOUT_S = 10
ATTEMPTS = 5
PAGE = "요청을 받았고 이것이 응답이다".encode()
LOGIN = {"email": "member-0042@mail.com", "password": "password1234"}
ORDER = b'{"item": 7, "quantity": 1}'
JSON_TYPE, HTML_TYPE = "application/json", "text/html;charset=utf-8"
# Connections to the remote, and more requests than those let through.
CLIENT_CONNECTIONS, BURST = 500, 520
ALL_IDLE = 8300
BACKLOG = 4096


class Remote(http.server.ThreadingHTTPServer):
    """A stand-in: ?do=hold waits until it is released, ?do=fail answers 500."""

    request_queue_size = 2 * BURST
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), RemoteHandler)
        self.in_flight = 0
        self.queries = []
        self.counting = threading.Lock()
        self.may_answer = threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def count(self, change):
        with self.counting:
            self.in_flight += change

    @contextlib.contextmanager
    def holding(self):
        self.may_answer.clear()
        try:
            yield
        finally:
            self.may_answer.set()

    def handle_error(self, request, client_address):
        """A client that is gone is no error of ours."""


class RemoteHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        query = urlsplit(self.path).query
        self.server.queries.append(query)
        if query == "do=hold":
            self.server.count(1)
            self.server.may_answer.wait(PATIENCE_S)
            self.server.count(-1)
        self.send_response(500 if query == "do=fail" else 200)
        self.send_header("Content-Length", str(len(PAGE)))
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def remote():
    with Remote() as remote:
        yield remote
        remote.shutdown()


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    # All servers are alive together.
    variables = {"max_connections": 1000}
    variables |= {"innodb_buffer_pool_size": "16M", "innodb_log_file_size": "8M"}
    folder, spec = tmp_path_factory.mktemp("database"), {"backend": {"variables": variables}}
    running = mariadb.start(spec, provenance.java(), CPUS, folder, 1)
    yield running
    running.stop()


class Stack(Server):
    """A mode as a session starts it, compiled by C1 alone."""

    def __init__(self, name, database, remote, folder, position):
        self.name = name
        part = OURS[name]
        self.options = {key: value for key, value in MODES[name].items() if value is not None}
        jvm = {"jvm_options": ["-Xmx256m", "-XX:TieredStopAtLevel=1"]}
        spec = {"study": {"server": part.study["server"] | jvm}}
        spec["mode"] = part.mode | {"options": self.options}
        argv = command(spec, provenance.java(), free_port(position), len(CPUS))
        argv += [
            *database.options,
            f"--remote.url=http://127.0.0.1:{remote.server_port}/work?as=asked",
        ]
        super().__init__(argv, CPUS, folder, environment=database.environment)
        assert self.port, self.log.read_text()

    def send(self, method, path, body=b"", **headers):
        """A connection with a request in flight; `answer` reads what comes."""
        connection = connect(self.port)
        send(connection, method, path, body, **headers)
        return connection

    def answer(self, method, path, body=b"", **headers):
        with self.send(method, path, body, **headers) as connection:
            return answer(connection)

    def orders(self):
        return int(self.answer("GET", "/orders/count")[2])


def connect(port):
    return socket.create_connection(("127.0.0.1", port), PATIENCE_S)


def send(connection, method, path, body=b"", **headers):
    fields = {"Host": "127.0.0.1"} | headers
    if method == "POST":
        fields |= {"Content-Type": JSON_TYPE, "Content-Length": str(len(body))}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    connection.sendall(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + body)


def answer(connection):
    response = http.client.HTTPResponse(connection)
    response.begin()
    return response.status, response.headers, response.read()


def json_of(**fields):
    return json.dumps(fields, separators=(",", ":")).encode()


def token():
    def text(part):
        return base64.urlsafe_b64encode(part).rstrip(b"=")

    signed = text(json_of(alg="HS256")) + b"." + text(json_of(sub=LOGIN["email"]))
    key = b"a key that signs nothing of worth"
    return (signed + b"." + text(hmac.digest(key, signed, hashlib.sha256))).decode()


def posted(**fields):
    return json.dumps(LOGIN | fields).encode()


WRONG = (401, JSON_TYPE, json_of(error="wrong e-mail or password"))
FAILED = (502, JSON_TYPE, json_of(error="the remote failed"))
NO_JSON = (422, JSON_TYPE, json_of(error="not the JSON of this page"))
PAGES = [
    ("GET", "/ping", b"", (200, "text/plain;charset=utf-8", b"OK")),
    ("GET", "/plain", b"", (200, JSON_TYPE, json_of(name="stacks", version=1, stable=True))),
    ("GET", "/remote", b"", (200, HTML_TYPE, PAGE)),
    ("GET", "/remote?sleep_ms=10-30&cpu_us=0", b"", (200, HTML_TYPE, PAGE)),
    ("GET", "/remote?do=fail", b"", FAILED),
    ("POST", "/login", posted(), (200, JSON_TYPE, json_of(token=token()))),
    ("POST", "/login", posted(password="password"), WRONG),
    ("POST", "/login", posted(email="stranger@mail.com"), WRONG),
    ("POST", "/login", b'{"email": "member-0042@mail.com"}', NO_JSON),
    ("POST", "/login", b"no JSON", NO_JSON),
    ("POST", "/order", ORDER, (201, JSON_TYPE, json_of(state="ordered"))),
    ("POST", "/order?do=fail", ORDER, FAILED),
    ("POST", "/order-outside", ORDER, (201, JSON_TYPE, json_of(state="ordered"))),
    ("POST", "/order-outside?do=fail", ORDER, FAILED),
    ("POST", "/order", b"{}", NO_JSON),
]


@pytest.fixture(scope="module")
def starting(database, remote, tmp_path_factory):
    """All servers, each a future: they start side by side, and the tests of the first begin."""
    # A child dies with the thread that started it: these stay.
    with ThreadPoolExecutor(len(CPUS) + 1) as threads:
        servers = {
            name: threads.submit(
                Stack, name, database, remote, tmp_path_factory.mktemp(name), position
            )
            for position, name in enumerate(MODES)
        }
        yield servers
        list(threads.map(lambda server: server.result().stop(), servers.values()))


@pytest.fixture(scope="module", params=MODES)
def stack(request, starting):
    return starting[request.param].result()


@pytest.fixture(scope="module", params=STACKS.values(), ids=STACKS)
def one_of_stack(request, starting):
    """A mode of each stack, for limits that its modes share."""
    return starting[request.param].result()


def test_pages_are_equal_to_the_byte_on_one_connection(stack, remote):
    with connect(stack.port) as connection:
        for method, path, body, (status, content_type, expected) in PAGES:
            send(connection, method, path, body)
            found, headers, content = answer(connection)
            assert (found, content) == (status, expected), f"{method} {path} {body}"
            assert headers["Content-Type"].lower().replace(" ", "") == content_type
            assert headers["Content-Length"] == str(len(expected))
            assert headers.get("Connection", "keep-alive").lower() == "keep-alive"
    # Helidon's client may send them in another order.
    asked = [set(query.split("&")) for query in remote.queries]
    assert {"as=asked"} in asked
    assert {"sleep_ms=10-30", "cpu_us=0"} in asked
    remote.queries.clear()


def test_order_is_kept_once_it_is_answered_and_not_if_the_remote_fails(one_of_stack):
    for path in ("/order", "/order-outside"):
        before = one_of_stack.orders()
        assert one_of_stack.answer("POST", path, ORDER)[0] == 201
        assert one_of_stack.orders() == before + 1
        assert one_of_stack.answer("POST", f"{path}?do=fail", ORDER)[0] == 502
        assert one_of_stack.orders() == before + 1


def test_waits_for_a_connection_are_counted_where_hikari_is_the_pool(one_of_stack):
    before = json.loads(one_of_stack.answer("GET", "/counters")[2])
    assert one_of_stack.answer("POST", "/order", ORDER)[0] == 201
    after = json.loads(one_of_stack.answer("GET", "/counters")[2])
    if one_of_stack.name == "webflux":
        assert before == after == {}
    else:
        assert after["pool_waits"] == before["pool_waits"] + 1
        assert 0 < after["pool_wait_ms"] - before["pool_wait_ms"] < 1000


@pytest.mark.parametrize(
    ("path", "body", "expected"),
    [("/order", ORDER, 3), ("/order-outside", ORDER, 3), ("/login", posted(), 1)],
)
def test_stacks_send_the_database_equally_many_statements(
    one_of_stack, starting, database, path, body, expected
):
    for server in starting.values():
        server.result()
    # A pool that is being filled sends some, too.
    assert expected in (statements(one_of_stack, database, path, body) for _ in range(ATTEMPTS))


def statements(stack, database, path, body, requests=20):
    """Statements that a request makes its stack send, but for those that ask for their number."""

    def questions():
        return database.database.counters(PATIENCE_S)["Questions"]

    before = questions()
    own = questions() - before
    for _ in range(requests):
        assert stack.answer("POST", path, body)[0] in (200, 201)
    return (questions() - before - 2 * own) / requests


def test_order_holds_its_connection_while_the_remote_is_asked(stack, remote):
    pool = stack.options.get("pool", 10)
    sent = pool + 6
    assert most_in_flight(stack, remote, pool, sent, "POST", "/order?do=hold", ORDER) == pool
    let_in = min(sent, *(stack.options.get(name, sent) for name in ("permits", "threads")))
    outside = "POST", "/order-outside?do=hold", ORDER
    assert most_in_flight(stack, remote, let_in, sent, *outside) == let_in


def test_as_many_requests_are_let_in_as_the_mode_says(stack, remote):
    # The client that Spring Boot chooses by itself has no limit on connections.
    options = stack.options
    of_the_client = BURST if options.get("http-client") == "boot" else CLIENT_CONNECTIONS
    let_in = options.get("permits", options.get("threads", of_the_client))
    assert most_in_flight(stack, remote, let_in, BURST, "GET", "/remote?do=hold") == let_in


def most_in_flight(stack, remote, expected, requests, method, path, body=b""):
    """How many of these requests reach the remote while it answers none; all must be answered.

    A stack gives up a call after RESPONSE_TIMEOUT_S: attempts that took as long do not count.
    Where fewer came than expected they are sent again, since the first ones of a cold stack come
    slowly: the count then still rises when the wait for it ends. A lower limit stops each attempt.
    """
    found = []
    for _ in range(ATTEMPTS):
        begun_s = time.monotonic()
        with remote.holding(), contextlib.ExitStack() as open_ones:
            requests_sent = (stack.send(method, path, body) for _ in range(requests))
            sent = [*map(open_ones.enter_context, requests_sent)]
            most = settled(lambda: remote.in_flight, expected, RESPONSE_TIMEOUT_S / 2)
            remote.may_answer.set()
            statuses = {answer(connection)[0] for connection in sent}
            if time.monotonic() - begun_s < RESPONSE_TIMEOUT_S:
                assert statuses <= {200, 201}
                found.append(most)
        settled(lambda: -remote.in_flight, 0)
        if max(found, default=0) >= expected:
            break
    if not found:
        pytest.skip(f"in {RESPONSE_TIMEOUT_S} s this machine cannot send {requests} requests")
    return max(found)


def settled(number, expected, patience_s=PATIENCE_S / 2):
    """The value of a number a while after it has come to what is expected."""
    deadline_s = time.monotonic() + patience_s
    while number() < expected and time.monotonic() < deadline_s:
        time.sleep(0.01)
    time.sleep(0.1)
    return number()


def test_connections_stay_open_for_any_number_of_requests(one_of_stack):
    with contextlib.ExitStack() as open_ones:
        sent = (one_of_stack.send("GET", "/ping") for _ in range(300))
        connections = [*map(open_ones.enter_context, sent)]
        for connection in connections:
            assert answer(connection)[0] == 200
        for connection in (*connections, *connections[:1] * 120):
            send(connection, "GET", "/ping")
            assert answer(connection)[0] == 200


@pytest.fixture(scope="module")
def descriptors():
    """Lets this process have as many connections as the tests below open."""
    least = ALL_IDLE + 500
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < least:
        pytest.skip(f"{hard} descriptors at most")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, least), hard))


def test_thousands_of_idle_connections_leave_room_for_more(one_of_stack, descriptors):
    with contextlib.ExitStack() as open_ones:
        for _ in range(ALL_IDLE):
            open_ones.enter_context(connect(one_of_stack.port))
        assert one_of_stack.answer("GET", "/plain")[0] == 200


def test_requests_are_limited_in_size(one_of_stack):
    padded = posted() + b" " * (16384 - len(posted()))
    assert one_of_stack.answer("POST", "/login", padded)[0] == 200
    assert one_of_stack.answer("POST", "/login", padded + b" ")[0] == 413
    assert one_of_stack.answer("GET", "/plain", Padding="x" * 7000)[0] == 200
    with contextlib.suppress(ConnectionError, http.client.HTTPException):
        assert one_of_stack.answer("GET", "/plain", Padding="x" * 9000)[0] in (400, 413, 431)


def test_as_many_connections_wait_to_be_accepted_as_it_is_told(one_of_stack, descriptors):
    process = psutil.Process(one_of_stack.process.pid)
    most = min(BACKLOG, int(Path("/proc/sys/net/core/somaxconn").read_text()))
    os.kill(process.pid, signal.SIGSTOP)
    try:
        # Until one of its threads has been scheduled, the others still accept.
        assert settled(lambda: process.status() == psutil.STATUS_STOPPED, True)
        with contextlib.ExitStack() as open_ones:
            for _ in range(most + 100):
                connection = open_ones.enter_context(socket.socket())
                connection.setblocking(False)
                connection.connect_ex(("127.0.0.1", one_of_stack.port))
            # The kernel's queue holds one more than the backlog.
            assert settled(lambda: accept_queue(one_of_stack.port), most + 1) == most + 1
    finally:
        os.kill(process.pid, signal.SIGCONT)


def test_netty_answers_the_page_of_the_socket_servers(tmp_path):
    path = CONFIG["studies"]["request-threads"]["path"]
    part = modes_of("request-threads")["netty"]
    spec = {"study": part.study, "mode": part.mode}
    server = Server(command(spec, provenance.java(), free_port(0), len(CPUS)), CPUS, tmp_path)
    try:
        assert server.port, server.log.read_text()
        with connect(server.port) as connection:
            for ends in ({}, {"Connection": "close"}):
                send(connection, "GET", path, **ends)
                status, headers, content = answer(connection)
                assert (status, content, headers["Content-Length"]) == (200, PAGE, "42")
            assert connection.recv(1) == b""
    finally:
        server.stop()
