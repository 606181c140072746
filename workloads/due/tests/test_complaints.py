"""Every refusal names the flag, the value and the remedy."""

import resource
from pathlib import Path

import pytest

from workloads.due.tests.running import finish, start, wait_until
from workloads.due.tests.servers import ok, serving

URL = "http://127.0.0.1:9/"


@pytest.mark.parametrize(
    "flag",
    [
        *("-R 0", "-R fast", "-R -5", "-d 10x", "-c 1.5", "--warm-up soon", "--timeout 0"),
        *("--schedule ramp", "--seed x", "--body-bytes -1"),
        *("--steps 0.5x10s,", "--steps 0.5x10y", "--steps 0x1s"),
        "--steps " + ",".join(["1x1s"] * 17),
        *("--mix 5:/long", "--mix 0.05", "--mix 0.05:long", "--hgrm-mixed-in x"),
    ],
)
def test_value_of_a_flag(complaint, flag):
    assert flag in complaint(2, "-R1", *flag.split(), URL)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([URL], "-R is missing"),
        (["-R1", "--schedule", "burst", "--steps", "1x1s", URL], "a burst has none"),
        (["-R1", "-H", "NoColon", URL], "-H 'NoColon'"),
        (["-R1", "-H", "X: a\r\nY: b", URL], "not a header"),
        (["-R1"], "URL is missing"),
        (["-R1", URL, "more"], "'more'"),
        (["-R1", "https://127.0.0.1/"], "not a URL"),
        (["-R1", "127.0.0.1:80"], "not a URL"),
        (["-R1", "http://127.0.0.1:99999/"], "not a URL"),
        (["-R1", "http://:80/"], "not a URL"),
        (["-R1", "http://192.0.2.1/"], "--allow-remote"),
        (["-R1", "--nonsense", URL], "--nonsense"),
        (["-R1", "--mix", "0.05:/long", "-s", "x.lua", URL], "--mix and -s"),
    ],
    ids=lambda value: " ".join(value),
)
def test_command_line(complaint, arguments, words):
    assert words in complaint(2, *arguments)


def test_unwritable_output(complaint, tmp_path):
    path = str(tmp_path / "no-such-folder" / "load.json")
    message = complaint(1, "-R1", "--json", path, URL)
    assert f"{path}: No such file or directory" in message


def test_unresolvable_host(complaint):
    host = "a" * 64  # A label has 63 characters at most: this takes no name server.
    assert f"cannot resolve {host}" in complaint(1, "-R1", f"http://{host}/")


def descriptors(soft, hard):
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_too_few_descriptors(complaint):
    message = complaint(1, "-R1", "-c100", URL, preexec_fn=descriptors(64, 64))
    assert "-c 100: needs 120 descriptors" in message


def test_soft_limit_is_raised(due):
    with serving(ok) as server:
        flags = ("-R100", "-c100", "-d200ms", server.url())
        run = due(*flags, preexec_fn=descriptors(64, 1024))
    assert run.account()["completed"] == 20
    assert run.json["connections_opened"] == 100


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
