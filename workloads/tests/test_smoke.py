"""What the smoke run left, checked against numbers that a wrong pipeline would get wrong.

Runs after `make smoke`. Nothing here depends on how fast the machine is, only on what is possible.
"""

import csv
import gzip
import json
import os
import subprocess
from pathlib import Path

import psutil
import pytest
import yaml

from workloads import provenance
from workloads.grid import Grid

ROOT = Path(__file__).resolve().parents[2]
CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text()) | yaml.safe_load(
    (ROOT / "workloads/smoke.yaml").read_text()
)
GRID = Grid(CONFIG)
RESULTS = ROOT / CONFIG["results"]
SLEEP_MS = 100


def folder(cell):
    return RESULTS / "cells" / cell.path


def record(cell):
    return json.loads((folder(cell) / "cell.json").read_text())


def samples(cell):
    with gzip.open(folder(cell) / "samples.csv.gz", "rt") as file:
        return list(csv.DictReader(file))


def cells(**wanted):
    return [
        pytest.param(cell, id=cell.path)
        for cell in GRID.cells
        if all(getattr(cell, key) == value for key, value in wanted.items())
    ]


@pytest.mark.parametrize("cell", cells())
def test_cell_is_recorded_and_nothing_is_lost(cell):
    measured = record(cell)
    provenance.validate(measured)
    load = measured["load"]
    # The real wrk2 does not tell how many requests were due.
    assert load["requests_asked"] in (None, load["requests_recorded"])
    assert load["responses_2xx"] + sum(load["errors"].values()) >= load["requests_recorded"]
    names = ["telemetry.csv", "server.log", "generator.log", "profile.collapsed"]
    if cell.study != "database-pools":
        names.append("gc.log")
    for name in names:
        assert (folder(cell) / name).exists(), name


@pytest.mark.parametrize("cell", cells())
def test_treatment_is_in_force(cell):
    measured = record(cell)
    checks = {check["id"]: check for check in measured["validity"]["checks"]}
    # A server that has hung has answered nobody, in no way.
    if measured["outcome"] == "completed":
        assert checks["treatment"]["passed"], checks["treatment"]


@pytest.mark.parametrize("cell", cells(tool="jmeter"))
def test_every_request_of_jmeter_has_its_sample(cell):
    rows, load = samples(cell), record(cell)["load"]
    assert len(rows) == load["requests_recorded"]
    assert load["requests_asked"] in (None, load["requests_recorded"])
    assert {row["label"] for row in rows} == {"request"}
    assert sum(int(row["bytes"]) for row in rows) == load["received_bytes"]


@pytest.mark.parametrize("cell", cells(tool="wrk2"))
def test_open_loop_offers_what_it_was_asked_to(cell):
    measured = record(cell)
    tool = measured["configuration"]["tool"]
    if measured["load"]["requests_asked"] is not None:
        due = tool["rate_per_s"] * tool["duration_s"]
        assert abs(measured["load"]["requests_asked"] - due) <= 1


@pytest.mark.parametrize("cell", cells(tier="smoke-waiting"))
def test_answer_that_waits_is_never_early(cell):
    fastest_ms = record(cell)["load"]["latency_min_ms"]
    # JMeter's clock is rounded to 1 ms at both ends.
    assert fastest_ms >= SLEEP_MS - 1


@pytest.mark.parametrize("cell", cells(tier="smoke-waiting", tool="jmeter"))
def test_closed_loop_obeys_its_bounds(cell):
    """Throughput is bounded by users / service time, and by threads / service time for a pool."""
    measured = record(cell)
    load, options = measured["load"], measured["configuration"]["mode"].get("options", {})
    users = measured["configuration"]["tool"]["threads"]
    # A caller-runs pool has one thread more, and it is the acceptor.
    threads = min(users, options.get("core_threads", users) + 1)
    bound_per_s = threads / (SLEEP_MS / 1000)
    assert 0 < load["throughput_per_s"] <= bound_per_s * 1.05
    mean_s = sum(int(row["elapsed"]) for row in samples(cell)) / load["requests_recorded"] / 1000
    assert load["throughput_per_s"] * mean_s <= users * 1.05


def measured_at(mode, tier, tool):
    wanted = (mode, tier, tool)
    return record(next(c for c in GRID.cells if (c.mode, c.tier, c.tool) == wanted))


@pytest.mark.parametrize("cell", cells(study="blocking-remote"))
def test_nobody_answers_before_the_remote(cell):
    fastest_ms = record(cell)["load"]["latency_min_ms"]
    assert fastest_ms is None or fastest_ms >= 1000 - 1


def test_one_blocking_thread_answers_one_request_a_second():
    load = measured_at("pool-1-blocking", "smoke-remote", "jmeter")["load"]
    assert 1 <= load["requests_recorded"] <= load["duration_s"]
    assert load["in_flight_at_end"] == load["concurrency_offered"]


@pytest.mark.parametrize("cell", cells(study="blocking-remote"))
def test_states_of_threads_are_there(cell):
    with (folder(cell) / "thread-states.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["source"] for row in rows} == {"jvm", "kernel"}


@pytest.mark.parametrize(
    ("mode", "tier", "let_in", "takes_s"),
    [
        ("platform-50", "smoke-sleep", 50, 0.1),
        ("virtual-semaphore-50", "smoke-sleep", 50, 0.1),
        ("platform-hikari-5", "smoke-query", 5, 0.02),
        ("virtual-hikari-5", "smoke-query", 5, 0.02),
    ],
)
def test_nothing_is_faster_than_what_is_let_in(mode, tier, let_in, takes_s):
    load = measured_at(mode, tier, "jmeter")["load"]
    assert 0 < load["throughput_per_s"] <= let_in / takes_s * 1.02


def test_synchronized_pins_on_jdk_21_and_not_on_25():
    def pinned(mode):
        return measured_at(mode, "smoke-lock", "jmeter")["server"]["counters"]["pinned"]

    requests = measured_at("virtual-synchronized-21", "smoke-lock", "jmeter")["load"]
    assert pinned("virtual-synchronized-21") >= requests["responses_2xx"]
    assert pinned("virtual-lock-21") == 0
    assert pinned("virtual-synchronized-25") == 0


@pytest.mark.parametrize("cell", cells(study="sign-up"))
def test_every_sign_up_that_was_answered_is_in_the_database(cell):
    measured = record(cell)
    grown = measured["answers"]["rows_after"] - measured["answers"]["rows_before"]
    tool = measured["configuration"]["tool"]
    warm_up = tool["rate_per_s"] * tool["warm_up_s"] + 1
    assert 0 <= grown - measured["load"]["responses_2xx"] <= warm_up
    if cell.mode.endswith("-as-published"):
        assert grown <= 1
        assert measured["load"]["errors"]["http_5xx"] >= measured["load"]["requests_asked"] - 1
    else:
        assert grown > 0


@pytest.mark.parametrize("mode", ["thread-per-request-as-published", "fixed-pool-as-published"])
def test_published_answer_is_122_bytes(mode):
    rows = samples(next(c for c in GRID.cells if c.mode == mode and c.tool == "jmeter"))
    answered = [int(row["bytes"]) for row in rows if row["responseCode"] == "200"]
    assert answered
    assert set(answered) == {122}


def test_pool_and_thread_per_request_start_as_many_threads_as_they_should():
    def started(mode):
        cell = next(
            c for c in GRID.cells if (c.mode, c.tier, c.tool) == (mode, "smoke-burst", "wrk2")
        )
        return record(cell)["server"]["threads_started"], record(cell)["load"]["responses_2xx"]

    threads, answers = started("thread-per-request")
    assert threads >= 0.9 * answers
    threads, answers = started("fixed-pool")
    assert threads <= 20 + 5


def test_profile_is_there_unless_it_was_switched_off():
    for cell in GRID.cells:
        profile = record(cell)["profile"]
        if cell.study == "database-pools":
            continue
        assert (profile["file"] is None) == cell.mode.endswith("-unprofiled")
        if profile["file"]:
            assert profile["engine"] != "unknown"
            ended = record(cell)["outcome"] == "completed"
            assert not ended or (folder(cell) / "flamegraph.html").stat().st_size > 1000


def test_summary_has_a_row_for_every_cell():
    rows = list(csv.DictReader((RESULTS / "summary.csv").open()))
    assert len(rows) == len(GRID.cells)
    by_name = {(r["mode"], r["tier"], r["tool"], int(r["repetition"])): r for r in rows}
    for cell in GRID.cells:
        row = by_name[cell.mode, cell.tier, cell.tool, cell.repetition]
        assert int(row["requests"]) == record(cell)["load"]["requests_recorded"]


def test_reports_name_every_mode():
    text = subprocess.run(
        ["pdftotext", "-layout", RESULTS / "report.pdf", "-"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    html = (RESULTS / "report.html").read_text()
    for mode in {cell.mode for cell in GRID.cells}:
        assert mode in html
        assert mode in text.replace("-\n", "-")


def test_nothing_is_left_behind():
    ours = [
        process.cmdline()
        for process in psutil.process_iter()
        if process.pid != os.getpid()
        and any(name in " ".join(process.cmdline()) for name in ("artifact.", "mariadbd", "mysqld"))
    ]
    assert not ours
    assert not list(RESULTS.glob("cells/**/.*.partial"))
