"""What is printed can be read by what reads wrk2, and the JSON holds what its readers rely on."""

from __future__ import annotations

import re
import subprocess

import pytest

from workloads.due.tests.running import DUE
from workloads.due.tests.servers import OK, answering, serving

TIME = r"(\d+\.\d\d(?:us|ms|s|m|h))"


def read_as_wrk2(text: str) -> dict:
    """Reads a wrk2 report the way its users' parsers do: by words and columns."""
    found = {
        "test": re.search(r"^Running (\S+) test @ (\S+)$", text, re.M),
        "load": re.search(r"^  (\d+) threads and (\d+) connections$", text, re.M),
        "latency": re.search(rf"^    Latency +{TIME} +{TIME} +{TIME} +([\d.]+)%$", text, re.M),
        "rates": re.search(r"^    Req/Sec +([\d.]+k?) +([\d.]+k?) +([\d.]+k?) +", text, re.M),
        "total": re.search(rf"^  (\d+) requests in {TIME}, ([\d.]+[KMG]?B) read$", text, re.M),
        "rate": re.search(r"^Requests/sec: +([\d.]+)$", text, re.M),
        "transfer": re.search(r"^Transfer/sec: +([\d.]+[KMG]?B)$", text, re.M),
    }
    missing = [name for name, match in found.items() if match is None]
    assert not missing, f"{missing} not in:\n{text}"
    return {name: match.groups() for name, match in found.items()}


def read_distributions(text: str) -> list[tuple[str, list, list]]:
    """Of each distribution: title, percentiles, spectrum."""
    parts = text.split("  Latency Distribution (HdrHistogram - ")[1:]
    distributions = []
    for part in parts:
        percentiles = re.findall(rf"^ *([\d.]+)% +{TIME} *$", part, re.M)
        line = r"^ +([\d.]+) +([\d.]+) +(\d+) +([\d.]+|inf)$"
        spectrum = re.findall(line, part.split("Detailed Percentile spectrum:")[1], re.M)
        assert re.search(r"^#\[Mean    = +[\d.]+, StdDeviation   = +[\d.]+\]$", part, re.M)
        assert re.search(r"^#\[Max     = +[\d.]+, Total count    = +\d+\]$", part, re.M)
        assert re.search(r"^#\[Buckets = +\d+, SubBuckets     = +2048\]$", part, re.M)
        distributions.append((part.split(")")[0], percentiles, spectrum))
    return distributions


@pytest.fixture
def run(due):
    def run(*flags, duration="500ms"):
        with serving(answering(OK)) as server:
            return due("-t2", "-c10", "-d", duration, "-R200", *flags, server.url("/x"))

    return run


def test_wrk2_summary(run):
    result = run(duration="1s")
    seen = read_as_wrk2(result.text)
    assert seen["test"][0] == "1s" and seen["test"][1].endswith("/x")
    assert seen["load"] == ("2", "10")
    assert seen["total"][0] == "200"
    assert seen["total"][1] == "1.00s"
    assert float(seen["rate"][0]) == pytest.approx(result.json["delivered_per_s"], abs=0.01)
    assert float(seen["rates"][0]) == pytest.approx(100, rel=0.2), "a thread's share"
    assert "Latency Distribution" not in result.text
    assert "Socket errors" not in result.text and "Non-2xx" not in result.text


@pytest.mark.parametrize("flag", ["-L", "--latency"])
def test_wrk2_latency(run, flag):
    result = run(flag)
    [(title, percentiles, spectrum)] = read_distributions(result.text)
    assert title == "Recorded Latency"
    levels = ["50.000", "75.000", "90.000", "99.000", "99.900", "99.990", "99.999", "100.000"]
    assert [level for level, _ in percentiles] == levels
    assert spectrum[0][1] == "0.000000"
    assert spectrum[-1][1:] == ("1.000000", "100", "inf")
    values = [float(value) for value, *_ in spectrum]
    assert values == sorted(values)


@pytest.mark.parametrize("flag", ["-U", "--u_latency"])
def test_wrk2_uncorrected_latency(run, flag):
    titles = [title for title, *_ in read_distributions(run(flag).text)]
    assert titles[0] == "Recorded Latency"
    assert titles[1].startswith("Uncorrected Latency (measured without taking delayed starts into")


def test_json(run):
    result = run("--warm-up", "100ms").json
    assert result["schema"] == 1 and result["generator"] == "due"
    assert re.fullmatch(r"\d+\.\d+\.\d+", result["version"])
    assert result["argv"][-1].startswith("http://127.0.0.1:")
    asked = {"offered_per_s": 200, "connections": 10, "threads": 2, "duration_s": 0.5}
    asked |= {"warm_up_s": 0.1, "schedule": "constant", "new_connections": False}
    assert {name: result[name] for name in asked} == asked
    assert result["latency_us"]["corrected_2xx"] == result["latency_us"]["corrected"]
    for which in ("corrected", "corrected_2xx", "uncorrected"):
        figures = result["latency_us"][which]
        names = ["min", "p50", "p90", "p95", "p99", "p99_9", "max"]
        values = [figures[name] for name in names]
        assert all(a <= b * 1.001 for a, b in zip(values, values[1:], strict=False)), figures
        assert figures["min"] <= figures["mean"] <= figures["max"]
        assert figures["stdev"] >= 0
    assert sorted(result["schedule_lag_us"]) == ["max", "mean", "p50", "p99"]
    assert result["cpu_s"]["user"] + result["cpu_s"]["system"] > 0
    assert 0 < result["cpu_share"] < 1
    assert isinstance(result["was_the_limit"], bool)
    assert bool(result["was_the_limit_reason"]) == result["was_the_limit"]
    assert result["stopped_by"] is None


def test_argv_is_escaped(due):
    with serving(answering(OK)) as server:
        header = 'X-Odd: "quoted" \\ tab\there'
        run = due("-d200ms", "-R10", "-H", header, server.url())
    assert header in run.json["argv"]


def test_help_teaches():
    text = subprocess.run([DUE, "--help"], capture_output=True, text=True, check=True).stdout
    for word in ("--rate", "--warm-up", "--schedule", "Connection: close", "Examples", "SIGINT"):
        assert word in text
    assert max(map(len, text.splitlines())) <= 100
