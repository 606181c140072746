"""The JMeter driver: loads one after another in one JVM, against a server that answers slowly."""

import base64
import csv
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from workloads.tools import jmeter

LOAD = {"path": "/", "body_bytes": 2, "users": 5, "ramp_up_s": 0, "loops": 2, "delay_s": 0}
LOAD |= {"duration_s": 20, "keep_alive": "true", "timeout_ms": 60_000}
# Longer than any machine needs for a load that gives up.
HANGS_S = 120


class Slow(BaseHTTPRequestHandler):
    """Answers OK after 100 ms; never in time at /hang."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.methods.append(self.command)
        time.sleep(HANGS_S if self.path == "/hang" else 0.1)
        if self.path.startswith("/empty"):
            self.wfile.write(b"HTTP/1.1 204 No Content\r\n\r\n")
            return
        # One write: head and body apart would wait for the client's acknowledgment.
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK")

    do_DELETE = do_GET

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        self.server.posted.append((self.headers["Content-Type"], self.rfile.read(length).decode()))
        self.do_GET()

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self):
        self.methods, self.posted = [], []
        super().__init__(("127.0.0.1", 0), Slow)

    def handle_error(self, *_):
        pass


@pytest.fixture(scope="module")
def server():
    with Server() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


class Driver:
    def __init__(self, folder, port):
        options = ["-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
        argv = jmeter.driver({"tool": {"jvm_options": options}}, Path("java"))
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.port, self.process = port, subprocess.Popen(argv, cwd=folder, text=True, **pipes)
        assert self.process.stdout.readline() == "ready\n"

    def reply(self, folder, **properties):
        given = {"host": "127.0.0.1", "port": self.port} | LOAD | properties
        fields = [f"{name}={value}" for name, value in given.items()]
        print(folder, *fields, sep="\t", file=self.process.stdin, flush=True)
        return self.process.stdout.readline().strip().split("\t")

    def load(self, folder, **properties):
        """The samples of a load that ends as it should."""
        assert self.reply(folder, **properties) == ["done"]
        with (folder / "samples.raw.csv").open(newline="") as file:
            return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def driver(server, tmp_path_factory):
    driver = Driver(tmp_path_factory.mktemp("driver"), server.server_port)
    yield driver
    driver.process.stdin.close()
    assert driver.process.wait(timeout=60) == 0
    assert driver.process.stdout.read() == ""


def successes(rows):
    return {row["success"] for row in rows}


def test_every_request_is_a_sample_with_its_time(driver, tmp_path):
    for _ in range(2):
        start_s = time.monotonic()
        rows = driver.load(tmp_path)
        most_ms = 1000 * (time.monotonic() - start_s)
        assert [row["label"] for row in rows] == ["request"] * 10
        assert successes(rows) == {"true"}
        assert all(100 <= int(row["elapsed"]) <= most_ms for row in rows)
        assert sum(int(row["Connect"]) == 0 for row in rows) >= 5


def test_a_property_is_gone_with_its_load(driver, server, tmp_path):
    server.methods.clear()
    driver.load(tmp_path, method="DELETE", users=1)
    driver.load(tmp_path, users=1)
    assert server.methods == ["DELETE", "DELETE", "GET", "GET"]


def test_requests_are_sent_in_turns_each_with_its_headers_and_body(driver, server, tmp_path):
    server.methods.clear()
    server.posted.clear()
    # Functions in a body are evaluated.
    texts = ["GET /a?b=1,2\n\n", "POST /c\nContent-Type: text/plain\n\n1\n\n${__Random(7,7)}"]
    encoded = ",".join(base64.b64encode(text.encode()).decode() for text in texts)
    # Answers may be of any length from 1.
    rows = driver.load(tmp_path, requests=encoded, body_bytes=1, body_bytes_are=5, users=1)
    assert server.methods == ["GET", "POST"] * 2
    assert server.posted == [("text/plain", "1\n\n7")] * 2
    assert [(row["label"], row["success"]) for row in rows] == [("request", "true")] * 4


def test_a_load_for_a_time_ends_though_requests_hang(driver, tmp_path):
    start_s = time.monotonic()
    rows = driver.load(tmp_path, path="/hang", loops=-1, duration_s=1, timeout_ms=500)
    assert 1 <= time.monotonic() - start_s < HANGS_S / 2
    assert {jmeter.error_kind(row["responseCode"]) for row in rows} == {"timeout"}


def test_a_wrong_body_is_no_success_unless_any_length_is_right(driver, tmp_path):
    assert successes(driver.load(tmp_path, body_bytes=3)) == {"false"}
    assert successes(driver.load(tmp_path, body_bytes=0, body_bytes_are=5)) == {"true"}


def test_an_answer_without_a_body_is_as_long_as_it_should_be(driver, tmp_path):
    rows = driver.load(tmp_path, path="/empty?a=b%20c,d:~e+f", body_bytes=0)
    assert {(row["responseCode"], row["success"]) for row in rows} == {("204", "true")}


@pytest.mark.parametrize(
    ("folder", "properties", "reason"),
    [
        ("/proc/nowhere", {}, "/proc/nowhere"),
        ("", {"duration_s": 0.5}, "no samples"),
    ],
)
def test_a_load_that_fails_says_why_and_the_next_one_works(
    driver, tmp_path, folder, properties, reason
):
    reply, message = driver.reply(tmp_path / folder, **properties)
    assert reply == "failed"
    assert reason in message
    assert len(driver.load(tmp_path)) == 10
