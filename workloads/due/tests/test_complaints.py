"""Every refusal names the flag, the value and the remedy."""

import os
import resource
import socket
import subprocess
import threading
from pathlib import Path

import pytest

from workloads.due.tests.running import finish, start, wait_until
from workloads.due.tests.servers import Server, ok, refusing, serving

URL = "http://127.0.0.1:9/"


@pytest.mark.parametrize(
    ("flag", "words"),
    [
        ("-R 0", "500"),
        ("-R fast", "500"),
        ("-R -5", "500"),
        ("-d 0", "30s"),
        ("-d 10x", "30s"),
        ("-c 1.5", "whole number"),
        ("-t 0", "-t 0"),
        ("--warm-up soon", "30s"),
        ("--timeout 0", "30s"),
        ("--schedule ramp", "constant, poisson or burst"),
        ("--seed x", "for example 1"),
        ("--body-bytes -1", "for example 42"),
        ("--steps 0.5x10s,", "0.5x10s,1.5x10s"),
        ("--steps 0.5x10y", "not steps"),
        ("--steps -1x1s", "not steps"),
        ("--steps 0x1s", "not steps"),
        ("--steps " + ",".join(["1x1s"] * 17), "up to 16"),
        ("--mix 5:/long", "between 0 and 1"),
        ("--mix 0.05", "a colon and a path"),
        ("--mix 0.05:long", "0.05:/report"),
        ("--hgrm-mixed-in x", "without --mix"),
    ],
)
def test_value_of_a_flag(complaint, flag, words):
    message = complaint(2, "-R1", *flag.split(), URL)
    assert flag in message and words in message


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-c5", URL], ["-R is missing", "-R 500"]),
        (["-R1", "--schedule", "burst", "--steps", "1x1s", URL], ["--steps", "burst"]),
        (["-R1", "-B", URL], ["-B, --batch_latency", "leave it out"]),
        (["-R1", "-H", "NoColon", URL], ["-H 'NoColon'", "Name: value"]),
        (["-R1", "-H", "X: a\r\nY: b", URL], ["not a header"]),
        (["-R1"], ["URL is missing", "http://"]),
        (["-R1", URL, "more"], ["'more'", "-s"]),
        (["-R1", "https://127.0.0.1/"], ["https://127.0.0.1/", "TLS", "http://"]),
        (["-R1", "127.0.0.1:80"], ["127.0.0.1:80", "http://"]),
        (["-R1", "http://127.0.0.1:99999/"], ["99999", "not a URL"]),
        (["-R1", "http://:80/"], ["not a URL"]),
        (["-R1", "http://192.0.2.1/"], ["http://192.0.2.1/", "--allow-remote"]),
        (["-R1", "http://[2001:db8::1]:80/"], ["--allow-remote"]),
        (["-R1", "--nonsense", URL], ["--nonsense", "--help"]),
        (["-R1", "--mix", "0.05:/long", "-s", "x.lua", URL], ["--mix and -s"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_command_line(complaint, arguments, words):
    message = complaint(2, *arguments)
    assert all(word in message for word in words), message


def test_unwritable_output(complaint, tmp_path):
    path = str(tmp_path / "no-such-folder" / "load.json")
    message = complaint(1, "-R1", "--json", path, URL)
    assert f"--json {path}: No such file or directory" in message


def test_unresolvable_host(complaint):
    message = complaint(1, "-R1", "http://[::1%no-such-interface]/")  # takes no name server
    assert "cannot resolve ::1%no-such-interface" in message


def descriptors(soft, hard):
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_too_few_descriptors(complaint):
    message = complaint(1, "-R1", "-c100", URL, preexec_fn=descriptors(64, 64))
    words = ("-c 100", "needs 120", "may hold 64", "-c 44 or less", "ulimit -n 120")
    assert all(word in message for word in words), message


def test_soft_limit_is_raised(due):
    with serving(ok) as server:
        flags = ("-R100", "-c100", "-d200ms", server.url())
        run = due(*flags, preexec_fn=descriptors(64, 1024))
    assert run.account()["completed"] == 20
    assert run.json["connections_opened"] == 100


def test_wrk2_command_line(load):
    """wrk2's threads share rate and connections, so one is as good."""
    flags = ("-t2", "-c100", "-d0.2s", "-R200", "--latency", "--timeout", "2s", "-U")
    run = load(ok, *flags)
    assert run.account()["completed"] == 40
    assert "-t 2: taken as -t 1" in run.warnings


def test_source_addresses(tmp_path):
    """Where a minute of closed connections would use half of the ports up, there are more."""
    low, high = map(int, Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split())
    rate = 5 * (high - low + 1) / 2 / 60  # in a minute five times half of the ports
    with serving(ok) as server:
        flags = (f"-R{rate}", "-d60s", "-c1", "-H", "Connection: close", server.url())
        process = start(tmp_path, *flags)
        wait_until(lambda: len(server.peers) >= 12)
        process.terminate()
        finish(process, tmp_path)
    assert set(server.peers) == {f"127.0.0.{n}" for n in range(1, 7)}


def test_ipv6(due):
    if not socket.has_dualstack_ipv6():
        pytest.skip("this machine has no IPv6")
    with socket.create_server(("::1", 0), family=socket.AF_INET6) as listener:
        server = Server(ok, port=listener.getsockname()[1])
        threading.Thread(target=server.serve, args=(listener,), daemon=True).start()
        run = due("-R100", "-d200ms", f"http://[::1]:{server.port}/")
    assert run.account()["completed"] == 20
    assert f"Host: [::1]:{server.port}" in server.requests[0].head


MORE_ADDRESSES = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
int getaddrinfo(const char *host, const char *port, const struct addrinfo *hints,
                struct addrinfo **found) {
    __typeof__(getaddrinfo) *real = dlsym(RTLD_NEXT, "getaddrinfo");
    return real("192.0.2.1", port, hints, found) ||
           real("127.0.0.2", port, hints, &(*found)->ai_next) ||
           real(host, port, hints, &(*found)->ai_next->ai_next);
}
"""


@pytest.fixture
def more_addresses(tmp_path):
    """An environment where another machine and 127.0.0.2 come before a name's own address.

    So ::1 can come before 127.0.0.1 for localhost; but not every machine has IPv6.
    """
    library = tmp_path / "more_addresses.so"
    compile_it = ["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", library]
    subprocess.run(compile_it, input=MORE_ADDRESSES, text=True, check=True)
    return os.environ | {"LD_PRELOAD": str(library)}


def test_host_with_several_addresses(due, more_addresses):
    for serve, end in ((serving(ok), "completed"), (refusing(), "connect_refused")):
        with serve as server:
            run = due("-R100", "-d200ms", f"http://localhost:{server.port}/", env=more_addresses)
        assert run.account()[end] == 20
