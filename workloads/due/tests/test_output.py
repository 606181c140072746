"""The text says what came of a run, and the JSON holds what its readers rely on."""

import re

import pytest

from workloads.due.tests.servers import ok

QUICK = ("-c10", "-d250ms", "-R200")


def test_text(load):
    result = load(ok, *QUICK, path="/x")
    first, accounts, *rest = result.text.splitlines()
    assert re.match(r"Running 0.25 s of 200 requests/s over 10 connections @ http://.*/x$", first)
    assert accounts == "50 due = 50 answered + 0 failed + 0 in flight at the end + 0 never sent"
    rows = {line.split()[0]: line.split()[1:] for line in rest}
    for which in ("corrected", "uncorrected"):
        figures = [result.ms(name, which) for name in ("p50", "p90", "p99", "p99_9", "max")]
        assert list(map(float, rows[which])) == pytest.approx(figures, abs=0.001)
    per_s = result.json["delivered_per_s"]
    assert float(rows["Requests/sec:"][0]) == pytest.approx(per_s, abs=0.01)
    assert "schedule lag" in " ".join(rows["Generator:"])
    for absent in ("failed,", "2xx", "mixed in"):
        assert absent not in result.text


def test_json(load):
    header = 'X-Odd: "quoted" \\ tab\there'
    result = load(ok, *QUICK, "--warm-up", "100ms", "-H", header).json
    assert result["schema"] == 2 and result["generator"] == "due"
    assert re.fullmatch(r"\d+\.\d+\.\d+", result["version"])
    assert result["argv"][-2] == header
    assert result["argv"][-1].startswith("http://127.0.0.1:")
    asked = {"offered_per_s": 200, "connections": 10, "duration_s": 0.25}
    asked |= {"warm_up_s": 0.1, "schedule": "constant", "new_connections": False}
    assert {name: result[name] for name in asked} == asked
    assert result["latency_us"]["corrected_2xx"] == result["latency_us"]["corrected"]
    for which in ("corrected", "corrected_2xx", "uncorrected", "without_lag"):
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
    assert result["stopped_by"] is None and "mixed_in" not in result
