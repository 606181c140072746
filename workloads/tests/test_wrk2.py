"""Loads from wrk2's text and due's JSON, and which generator a cell gets."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from workloads.record.settling import PARTS_AT_LEAST
from workloads.tools import wrk2, wrk2_itself

SERVER = SimpleNamespace(address="127.0.0.1", port=8080)
SPEC = {
    "study": {"body_bytes": 42},
    "tier": {"path": "/jmeter/test"},
    "testbed": {"request_timeout_s": 10},
    "tool": {
        "generator": "due",
        "connections": 100,
        "rate_per_s": 500,
        "duration_s": 4,
        "warm_up_s": 1,
    },
}
BY_WRK2 = SPEC | {"tool": SPEC["tool"] | {"generator": "wrk2"}}
SPECTRUM = """  Detailed Percentile spectrum:
       Value   Percentile   TotalCount 1/(1-Percentile)

       {low}     0.000000            1         1.00
       1.120     0.500000         1000         2.00
       5.090     1.000000         2000          inf
#[Mean    =        1.126, StdDeviation   =        0.544]
#[Max     =        5.088, Total count    =         2000]
#[Buckets =           27, SubBuckets     =         2048]
----------------------------------------------------------
"""
TEXT = f"""Running 15s test @ http://127.0.0.1:8080/jmeter/test
  1 threads and 100 connections
  Latency Distribution (HdrHistogram - Recorded Latency)
 50.000%    1.12ms
{SPECTRUM.format(low="0.210")}
  Latency Distribution (HdrHistogram - Uncorrected Latency (…))
{SPECTRUM.format(low="0.110")}
  7000 requests in 14.00s, 984.38KB read
  Socket errors: connect 0, read 3, write 0, timeout 7
  Non-2xx or 3xx responses: 70
Requests/sec:    500.00
Transfer/sec:     70.31KB
"""
DUE = {
    "offered_per_s": 500,
    "start_epoch_s": 10.0,
    "end_epoch_s": 14.0,
    "requests": {
        "due": 2000,
        "sent": 1990,
        "completed": 1985,
        "in_flight_at_end": 2,
        "unsent_at_end": 10,
        "completed_in_warm_up": 3,
    },
    "status": {"2xx": 1980, "3xx": 0, "4xx": 0, "5xx": 5},
    "errors": {"connect_refused": 3, "timeout": 0},
    "body_bytes": {"min": 41, "max": 42},
    "bodies_right": 1978,
    "connections_opened": 103,
    "reconnects": 3,
    "delivered_per_s": 397.0,
    "received_bytes": 1,
    "sent_bytes": 2,
    "was_the_limit": True,
    "was_the_limit_reason": "late",
    "latency_us": {"uncorrected": {"min": 110.0}, "corrected": {"mean": 2500.0}},
}


def test_wrk2_on_the_path_changes_no_cell_unless_it_is_asked_for(path_with_wrk2, monkeypatch):
    monkeypatch.setattr(wrk2, "version", lambda program: "1")
    assert wrk2.generator(SPEC)["name"] == "due"
    assert wrk2.generator(BY_WRK2) == {"name": "wrk2", "version": "wrk 4.0.0 [epoll]"}


def test_wrk2_runs_for_its_calibration_and_the_measurement(path_with_wrk2):
    command = wrk2.command(BY_WRK2, Path("java"), SERVER)
    assert command == wrk2_itself.command(SPEC, Path("java"), SERVER)
    assert command[0] == "wrk2"
    assert {"-t1", "--latency", "--u_latency"} <= set(command), "it has two threads otherwise"
    # 10 s and 5 ms for each of 100 connections are thrown away, 4 s are measured; rounded up
    assert "-d15s" in command


def test_one_script_serves_both_generators():
    tool = {"script": "workloads/scripts/sign-up.lua", "keep_alive": True}
    spec = SPEC | {"tool": SPEC["tool"] | tool}
    script = str(wrk2.ROOT / "workloads/scripts/sign-up.lua")
    by_wrk2 = wrk2_itself.command(spec, Path("java"), SERVER)
    assert by_wrk2[by_wrk2.index("-s") + 1] == script
    assert "-H" not in by_wrk2
    by_due = wrk2.command(spec, Path("java"), SERVER)
    assert by_due[by_due.index("-s") + 1] == script


def test_burst_is_due_s_whatever_is_on_the_path(path_with_wrk2, monkeypatch):
    monkeypatch.setattr(wrk2, "version", lambda program: "1")
    burst = {"at_once": True, "rate_per_s": 5000.0, "connections": 500, "warm_up_s": 0}
    spec = BY_WRK2 | {"tool": BY_WRK2["tool"] | burst}
    assert wrk2.generator(spec)["name"] == "due"
    command = wrk2.command(spec, Path("java"), SERVER)
    assert command[command.index("--schedule") + 1] == "burst"
    assert {"-c500", "-R5000.0"} <= set(command)
    steady = wrk2.command(SPEC | {"tool": SPEC["tool"] | {"connections": 2000}}, None, SERVER)
    assert "--schedule" not in steady
    assert steady[steady.index("--series") + 1] == "series.csv"


MIX = {"mix": {"path": "/long?cpu_us=50000", "share": 0.05}}


def test_random_arrivals_and_a_mix_are_due_s_whatever_is_asked_for(path_with_wrk2, monkeypatch):
    monkeypatch.setattr(wrk2, "version", lambda program: "1")
    tool = BY_WRK2["tool"] | {"arrivals": "poisson", "seed": 7} | MIX
    spec = BY_WRK2 | {"tool": tool}
    assert wrk2.generator(spec)["name"] == "due"
    command = wrk2.command(spec, Path("java"), SERVER)
    words = {"--schedule": "poisson", "--seed": "7", "--mix": "0.05:/long?cpu_us=50000"}
    words["--hgrm-mixed-in"] = "latency-mixed-in.hgrm"
    assert {flag: command[command.index(flag) + 1] for flag in words} == words
    # The paths of a mix are warmed up together.
    warm_up = {"connections": 5, "rate_per_s": 100, "duration_s": 0.3} | MIX
    by_due = wrk2.due_command(warm_up, "http://127.0.0.1:8080/short")
    assert by_due[by_due.index("--mix") + 1] == words["--mix"]
    plain = wrk2.command(SPEC, Path("java"), SERVER)
    assert set(plain).isdisjoint(words)


def test_mix_says_what_it_adds():
    assert "mixed_in" not in wrk2.from_due(DUE)
    mixed_in = {"completed": 397, "latency_us": {"mean": 90_000.0}}
    load = wrk2.from_due(DUE | {"mixed_in": mixed_in})
    assert load["mixed_in"] == {"share": 0.2, "latency_mean_ms": 90}
    assert load["latency_mean_ms"] == 2.5


@pytest.mark.parametrize(("duration_s", "every"), [(0.5, "25ms"), (1, "50ms"), (4, "50ms")])
def test_course_of_a_short_load_has_enough_intervals_for_the_test_of_settling(duration_s, every):
    spec = SPEC | {"tool": SPEC["tool"] | {"duration_s": duration_s}}
    command = wrk2.command(spec, Path("java"), SERVER)
    assert command[command.index("--series-every") + 1] == every
    assert duration_s * 1000 / float(every.removesuffix("ms")) >= PARTS_AT_LEAST


def test_wrk2_that_is_asked_for_must_be_there(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(FileNotFoundError, match="no wrk2 on the PATH"):
        wrk2.generator(BY_WRK2)


def test_text_of_wrk2(path_with_wrk2, tmp_path):
    (tmp_path / "generator.log").write_text(TEXT)
    load = wrk2.collect(BY_WRK2, tmp_path, (100.0, 115.0))
    assert load == wrk2_itself.collect(SPEC, tmp_path, (100.0, 115.0))
    assert load["requests_recorded"] == 7010
    assert load["responses_2xx"] == 6930
    assert load["errors"] == {"reset": 3, "timeout": 7, "http_other": 70}
    assert load["throughput_per_s"] == pytest.approx(495)
    assert load["latency_min_ms"] == 0.110
    assert load["latency_mean_ms"] == 1.126
    assert load["received_bytes"] == round(984.38 * 1024)
    corrected = (tmp_path / wrk2.CORRECTED).read_text()
    assert "0.210     0.000000" in corrected
    assert "0.110     0.000000" in (tmp_path / wrk2.UNCORRECTED).read_text()
    assert corrected.rstrip().splitlines()[-1].startswith("#[Buckets")


def test_broken_text_of_wrk2_is_named():
    with pytest.raises(ValueError, match="not what wrk2 prints"):
        wrk2_itself.from_wrk2(SPEC, "unable to connect", (0, 1))


def test_every_due_request_is_accounted_for():
    load = wrk2.from_due(DUE)
    assert load["requests_offered"] == load["requests_recorded"] == 2000
    assert load["errors"] == {"connect_refused": 3, "http_5xx": 5, "unanswered": 2, "unsent": 10}
    assert load["error_share"] == pytest.approx(0.01)
    # 397 answers a second came within the window, 1980 of all 1985 were good
    assert load["throughput_per_s"] == pytest.approx(396)
    assert load["limited_by_generator"] == "late"
    assert load["bodies_right"] == 1978
    assert (load["body_bytes_min"], load["body_bytes_max"]) == (41, 42)
    assert load["latency_mean_ms"] == 2.5
    assert load["answers_in_warm_up"] == 3
    # The warm-up's, the window's, and two that were still in flight; not those never sent.
    assert load["counted_requests"] == 3 + 1985 + 2
    assert load["latency_min_ms"] is None  # five refusals are among the latencies


def test_fastest_answer_is_told_where_all_were_right():
    status = {"2xx": 1985, "3xx": 0, "4xx": 0, "5xx": 0}
    assert wrk2.from_due(DUE | {"status": status})["latency_min_ms"] == 0.11


def test_due_counts_bodies_of_the_right_length_where_there_is_one():
    command = wrk2.command(SPEC, Path("java"), SERVER)
    assert command[command.index("--body-bytes") + 1] == "42"
    assert "--body-bytes" not in wrk2.command(SPEC | {"study": {}}, Path("java"), SERVER)


def test_due_leaves_the_latency_without_its_own_lateness():
    command = wrk2.command(SPEC, Path("java"), SERVER)
    assert command[command.index("--hgrm-without-lag") + 1] == "latency-without-lag.hgrm"


def test_connections_are_counted_by_due():
    load = wrk2.from_due(DUE)
    assert (load["connections_opened"], load["reconnects"]) == (103, 3)
