"""The smoke run's results, checked against numbers that a wrong pipeline would get wrong.

Runs after `make smoke`. Nothing here depends on how fast the machine is, only on what is possible.
"""

import csv
import gzip
import itertools
import json
import math
import os
import tempfile
from datetime import datetime
from functools import cache
from pathlib import Path

import psutil
import pytest
import yaml
from snakemake.utils import update_config

from profiles.watch import limits
from workloads.experiment.grid import Cell, Grid
from workloads.experiment.waits import least_ms
from workloads.record import cell_folder
from workloads.record.slice_rules import BURDENS, GENERATOR, OF_EVERYTHING
from workloads.servers.databases.scratch import PREFIX
from workloads.session.profiling import LOADS_AT_MOST
from workloads.tools import wrk2

ROOT = Path(__file__).resolve().parents[2]
CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text())
# Merged like Snakemake's --configfile: key by key, at every depth.
update_config(CONFIG, yaml.safe_load((ROOT / "workloads/smoke.yaml").read_text()))
GRID = Grid(CONFIG)
# Another folder with the same cells, where one works on these checks.
RESULTS = Path(os.environ.get("SMOKE_RESULTS", ROOT / CONFIG["results"]))
SWEEP = "sweep"
UNKNOWN_WARM_UPS = {"database-client"}
WAITS_MS = {"smoke-waiting": 100, "smoke-remote": 200, "smoke-rate": 200}
PLAIN, PROFILED = "plain", "profiled"


def folder(cell):
    return RESULTS / "cells" / cell.path


@cache
def record(cell):
    return json.loads((folder(cell) / "cell.json").read_text())


def samples(cell):
    with gzip.open(folder(cell) / "samples.csv.gz", "rt") as file:
        return list(csv.DictReader(file))


@cache
def table(cell, name):
    with (folder(cell) / name).open(newline="") as file:
        return list(csv.DictReader(file))


def slices(cell, kind=None):
    rows = table(cell, "slices.csv")
    return [row for row in rows if kind in (None, row["kind"])]


def windows_s(rows):
    return [(float(row["start_epoch_s"]), float(row["end_epoch_s"])) for row in rows]


def are_apart(windows):
    return all(one[1] < other[0] for one, other in itertools.pairwise(windows))


def rounds(rows):
    return {int(row["round"]) for row in rows}


def counted(cell):
    """The slices that the cell is the sum of: plain ones that count, or all where none does."""
    plain = slices(cell, PLAIN)
    return [row for row in plain if OF_EVERYTHING.isdisjoint(row["reason"].split(";"))] or plain


def total(rows, column):
    return sum(float(row[column] or 0) for row in rows)


def grown(measured):
    return measured["answers"]["rows_after"] - measured["answers"]["rows_before"]


def is_database(cell):
    return "engine" in GRID.studies[cell.study].says


def is_jvm(cell):
    return not is_database(cell) and "command" not in record(cell)["configuration"]["mode"]


def cells(**wanted):
    return [
        cell
        for cell in GRID.cells
        if all(getattr(cell, key) == value for key, value in wanted.items())
    ]


def each(name, parts):
    return pytest.mark.parametrize(name, [pytest.param(part, id=part.path) for part in parts])


def each_cell(**wanted):
    return each("cell", cells(**wanted))


each_session = each("session", GRID.sessions)


def measured_at(mode, tier, tool):
    return record(cells(mode=mode, tier=tier, tool=tool)[0])


@each_cell()
def test_cell_is_recorded_and_nothing_is_lost(cell):
    measured = record(cell)
    cell_folder.validate(measured)
    load = measured["load"]
    # A closed loop has none that are due.
    assert load["requests_offered"] in (None, load["requests_recorded"])
    assert load["responses_2xx"] + sum(load["errors"].values()) >= load["requests_recorded"]
    names = ["slices.csv", "telemetry.csv", "server.log.gz", "generator.log"]
    kinds = GRID.profiles(cell)
    names += ["profile.collapsed", "allocation.collapsed"] if kinds else []
    if "events" in kinds:
        names.append("events.csv")
    if is_jvm(cell):
        names.append("gc.log")
    for name in names:
        assert (folder(cell) / name).exists(), name


@each_cell()
def test_slices_are_accounted_for(cell):
    measured, rows = record(cell), slices(cell)
    count = len(rounds(slices(cell, PLAIN)))
    assert [int(row["slice"]) for row in rows] == list(range(1, len(rows) + 1))
    # The rounds of a sweep are steps of its grid, as many as its range has.
    is_sweep = cell.tool == SWEEP
    assert rounds(slices(cell, PLAIN)) == set(range(1, count + 1)) or is_sweep
    planned = measured["session"]["rounds"]
    if measured["outcome"] == "completed" and not measured["outcome_reason"]:
        assert count >= planned or is_sweep
        profiled = slices(cell, PROFILED)
        assert len(profiled) in ((1, LOADS_AT_MOST) if GRID.profiles(cell) else (0,))
    for row in rows:
        # A step of a sweep stands where a rule on what makes latency longer fails, and it is short.
        stands = row["stands"] == "true"
        assert (row["kept"] == "true") == (row["reason"] == "" or stands)
        if stands:
            assert is_sweep and row["sustained"] == "true"
            assert {*BURDENS, GENERATOR}.issuperset(row["reason"].split(";"))
            assert float(row["latency_p99_ms"]) <= measured["sweep"]["objective_ms"]
        assert int(row["threads_peak"].partition(".")[0]) > 0 or "not_completed" in row["reason"]
    # Profiled ones are behind the plain ones, and none begins before the last has ended.
    assert [row["kind"] for row in rows] == sorted(row["kind"] for row in rows)
    assert are_apart(windows_s(rows))
    sampled = {int(row["slice"]) for row in table(cell, "telemetry.csv")}
    assert sampled == {int(row["slice"]) for row in rows}


@each_cell()
def test_servers_of_a_compiler_are_warmed_up(cell):
    warm_up = record(cell)["warm_up"]
    assert (warm_up is None) == is_database(cell)
    assert warm_up is None or warm_up["requests"] > 0


@each_session
def test_cells_of_a_session_were_measured_side_by_side(session):
    sessions = [record(cell)["session"] for cell in session.cells]
    (id,) = {one["id"] for one in sessions}
    assert id.startswith(f"{session.path}@")
    (wall_s,) = {one["phases"]["wall_s"] for one in sessions}
    assert sum(total(slices(cell, PLAIN), "duration_s") for cell in session.cells) < wall_s
    assert are_apart(sorted(windows_s(row for cell in session.cells for row in slices(cell))))


@each_session
def test_modes_take_turns_and_meet_their_baselines_in_every_round(session):
    modes = GRID.plan(session).modes
    # A sweep's rounds are its rates, which are drawn.
    for tier, tool in {(cell.tier, cell.tool) for cell in session.cells if cell.tool != SWEEP}:
        there = [cell for cell in session.cells if (cell.tier, cell.tool) == (tier, tool)]
        rows = [
            (float(row["start_epoch_s"]), int(row["round"]))
            for cell in there
            if not modes[cell.mode].mode.get("alone")
            for row in slices(cell, PLAIN)
        ]
        turns = [turn for _, turn in sorted(rows)]
        assert turns == sorted(turns), (tier, tool)
        met = {cell.mode: rounds(slices(cell, PLAIN)) for cell in there}
        for mode in met:
            baseline = modes[mode].baseline
            assert baseline not in met or met[mode] & met[baseline], (mode, baseline)


@each_cell()
def test_options_of_a_mode_are_observed(cell):
    measured = record(cell)
    checks = {check["id"]: check for check in measured["validity"]["checks"]}
    if "observed" not in measured["configuration"]["mode"]:
        assert "observed" not in checks
    # A server that hung, or still answered what came before the window, has answered no request
    # of its load.
    elif measured["outcome"] == "completed" and measured["load"]["responses_2xx"]:
        assert checks["observed"]["passed"], checks["observed"]


@each_cell(tool="jmeter")
def test_every_request_of_jmeter_has_its_sample(cell):
    rows, measured = samples(cell), record(cell)
    load, tool = measured["load"], measured["configuration"]["tool"]
    assert len(rows) == load["requests_recorded"]
    # A server that hung before its load has answered none.
    assert rows or measured["outcome"] == "hung"
    assert {row["label"] for row in rows} <= {"request"}
    assert sum(int(row["bytes"]) for row in rows) == load["received_bytes"]
    for row in counted(cell):
        of_slice = [sample for sample in rows if sample["slice"] == row["slice"]]
        assert len(of_slice) == int(row["requests_recorded"])
    if "loops" in tool:
        assert load["requests_offered"] == tool["users"] * tool["loops"] * len(counted(cell))


@each_cell(tool="wrk2")
def test_open_loop_offers_its_rate(cell):
    measured = record(cell)
    tool, offered = measured["configuration"]["tool"], measured["load"]["requests_offered"]
    if offered is not None:
        count = len(counted(cell))
        due = count * tool["rate_per_s"] * tool["duration_s"]
        # Random arrivals are as many as four standard deviations allow.
        spread = 4 * math.sqrt(due) if tool.get("arrivals") == "poisson" else 0
        assert abs(offered - due) <= count + spread


@each_cell(tool="overload")
def test_overload_counts_what_is_answered_in_time(cell):
    measured, rows = record(cell), table(cell, "overloads.csv")
    assert [row["slice"] for row in rows] == [row["slice"] for row in slices(cell)]
    seconds = table(cell, "seconds.csv")
    for row in rows:
        of_load = [each for each in seconds if each["slice"] == row["slice"]]
        for column in ("due", "in_time"):
            assert sum(int(each[column]) for each in of_load) == int(row[column])
        within = [int(row[f"within_{limit_s}_s"]) for limit_s in range(1, 11)]
        assert within == sorted(within) and int(row["in_time"]) == within[1]
        assert within[-1] <= int(row["due"])
    assert measured["load"]["error_share"] == pytest.approx(
        1 - total(rows, "in_time") / total(rows, "due")
    )
    # All modes are loaded at shares of the same capacity.
    assert measured["overload"]["capacity_of"] == "pool-200-512m"
    first = record(Cell(cell.study, "pool-200-512m", cell.tier, cell.tool, 1))
    assert measured["overload"] == first["overload"]


@each("cell", [cell for cell in GRID.cells if cell.tier in WAITS_MS])
def test_no_answer_is_early(cell):
    measured = record(cell)
    fastest_ms, waits_ms = measured["load"]["latency_min_ms"], WAITS_MS[cell.tier]
    assert measured["configuration"]["tier"]["sleep_ms"] == waits_ms
    if fastest_ms is None:
        assert cell.study == "blocking-remote"
    else:
        # JMeter's clock is rounded to 1 ms at both ends.
        assert fastest_ms >= waits_ms - 1


@each("cell", [cell for cell in GRID.cells if "states" in GRID.profiles(cell)])
def test_states_of_threads_are_those_of_profiled_slices(cell):
    windows = windows_s(slices(cell, PROFILED))
    if not windows:
        assert record(cell)["outcome"] != "completed"
        return
    rows = table(cell, "thread-states.csv")
    assert {row["source"] for row in rows} == {"jvm", "kernel"}
    for row in rows:
        assert any(start_s <= float(row["time_s"]) <= end_s for start_s, end_s in windows)


@pytest.mark.parametrize(
    ("mode", "tier", "admitted", "takes_s"),
    [
        ("platform-50", "smoke-sleep", 50, 0.1),
        ("virtual-semaphore-50", "smoke-sleep", 50, 0.1),
        ("platform-hikari-10", "smoke-query", 10, 0.02),
        ("virtual-hikari-10", "smoke-query", 10, 0.02),
        ("platform-fair-hikari-10", "smoke-query", 10, 0.02),
    ],
)
def test_nothing_is_faster_than_what_is_admitted(mode, tier, admitted, takes_s):
    load = measured_at(mode, tier, "jmeter")["load"]
    assert 0 < load["throughput_per_s"] <= admitted / takes_s * 1.02


def test_waiting_in_synchronized_for_a_lock_deadlocks_on_jdk_21_and_not_on_25():
    old, new = (measured_at(f"virtual-shared-{jdk}", "smoke-shared", "jmeter") for jdk in (21, 25))
    assert (old["outcome"], new["outcome"]) == ("hung", "completed")
    assert new["load"]["throughput_per_s"] > 0


def test_synchronized_pins_on_jdk_21_and_not_on_25():
    def server_of(mode):
        return measured_at(mode, "smoke-lock", "jmeter")["server"]

    # Once in each request, and in no other mode.
    server = server_of("virtual-synchronized-21")
    pinned = server["counters"]["pinned"]
    assert 0 < pinned <= server["counted_requests"]
    assert server["counters"]["pinned_ms"] >= 19 * pinned
    for mode in ("virtual-lock-21", "virtual-synchronized-25"):
        counters = server_of(mode)["counters"]
        assert counters["pinned"] == counters["pinned_ms"] == 0


@each_cell()
def test_counters_belong_to_at_least_the_requests_of_the_windows(cell):
    measured = record(cell)
    load, requests = measured["load"], measured["server"]["counted_requests"]
    # A client of databases does not report how many requests its warm-up makes.
    assert (requests is None) == (cell.tool in UNKNOWN_WARM_UPS)
    if requests is not None:
        refused = sum(load["errors"].get(kind, 0) for kind in ("connect_refused", "unsent"))
        warm_up = load.get("answers_in_warm_up", 0)
        most = load["requests_recorded"] + load["in_flight_at_end"] - refused
        assert load["responses_2xx"] + warm_up <= requests
        if not load["errors"]:
            # A user of a closed loop may have given up a request of each warm-up: no answer.
            given_up = load.get("concurrency_offered") or 0
            given_up *= len(counted(cell)) if cell.tool == "jmeter" else 0
            assert 0 <= requests - most - warm_up <= given_up


@pytest.mark.parametrize(
    ("mode", "tier", "name"),
    [
        ("platform-hikari-10", "smoke-query", "pool_wait_ms"),
        ("virtual-hikari-10", "smoke-query", "pool_wait_ms"),
        ("virtual-synchronized-21", "smoke-lock", "pinned_ms"),
    ],
)
def test_requests_wait_no_longer_than_they_last(mode, tier, name):
    measured = measured_at(mode, tier, "jmeter")
    wait_ms = measured["server"]["counters"][name] / measured["server"]["counted_requests"]
    assert 0 < wait_ms <= measured["load"]["latency_mean_ms"] + 1


@each_cell(study="stacks")
def test_every_order_took_a_connection_left_a_row_and_called_the_remote(cell):
    measured = record(cell)
    load, backend, rows = measured["load"], measured["backend"], grown(measured)
    assert rows >= load["responses_2xx"] > 0
    assert load["latency_min_ms"] >= least_ms(measured["configuration"]["tier"])
    (remote,) = backend["others"]
    assert (backend["id"], remote["id"]) == ("mariadb", "remote")
    assert 0 < backend["cpu_share"] < 1
    assert 0 < remote["cpu_share"] < 1
    waits = measured["server"]["counters"].get("pool_waits")
    # Counting the rows after each slice takes a connection, too.
    taken = rows + len(counted(cell))
    assert waits is None if cell.mode == "webflux" else taken <= waits <= taken + 20


@each_cell(study="sign-up")
def test_every_sign_up_that_was_answered_is_in_the_database(cell):
    measured = record(cell)
    load, rows = measured["load"], grown(measured)
    assert 0 <= rows - load["responses_2xx"] <= load["answers_in_warm_up"]
    if cell.mode.endswith("-as-published"):
        assert rows <= 1
        assert load["errors"]["http_5xx"] >= load["requests_offered"] - 1
    else:
        assert rows > 0


@pytest.mark.parametrize("mode", ["thread-per-request-as-published", "fixed-pool-as-published"])
def test_published_answer_is_122_bytes(mode):
    rows = samples(cells(mode=mode, tool="jmeter")[0])
    assert {int(row["bytes"]) for row in rows if row["responseCode"] == "200"} == {122}


@each_cell(study="stacks")
def test_requests_of_the_stacks_allocate(cell):
    lines = (folder(cell) / "allocation.collapsed").read_text().splitlines()
    requests = total(slices(cell, PROFILED), "requests_recorded")
    bytes_each = sum(int(line.rsplit(" ", 1)[1]) for line in lines) / requests
    # An order has a request, a row and an answer; and no server of 256 MiB holds ten MiB for each.
    assert 2**10 < bytes_each < 10 * 2**20
    assert any("artifact/stacks" in line for line in lines)


@each_cell()
def test_profile_is_of_the_profiled_slice(cell):
    measured, rows = record(cell), slices(cell, PROFILED)
    profile, ended = measured["profile"], measured["outcome"] == "completed"
    kinds = GRID.profiles(cell)
    assert kinds == measured["configuration"].get("profile", [])
    if not rows:
        assert not kinds or not ended
        assert profile == {"file": None}
    elif not {"cpu", "allocation"} & {*kinds}:
        assert profile["file"] is None
    # perf is not everywhere, nor allowed everywhere.
    elif profile["file"] or is_jvm(cell):
        assert profile["engine"] != "unknown"
        assert (folder(cell) / profile["file"]).stat().st_size > 0
        kept = [row for row in rows if row["kept"] == "true"]
        last = windows_s(kept or rows)[-1]
        assert (profile["start_epoch_s"], profile["end_epoch_s"]) == last
        assert not ended or (folder(cell) / "flamegraph.html").stat().st_size > 1000


@each_cell(mode="user-asyncio")
def test_user_supplied_server_is_measured_like_every_other(cell):
    measured = record(cell)
    load, server, profile = (measured[part] for part in ("load", "server", "profile"))
    assert measured["outcome"] == "completed"
    assert load["responses_2xx"] >= 0.99 * load["requests_recorded"] > 0
    assert load["bodies_right"] in (None, load["responses_2xx"])
    assert server["cpu_us_per_request"] is None or server["cpu_us_per_request"] > 0
    assert server["peak_threads"] >= 1 and server["peak_descriptors"] > 5
    assert server["peak_rss_bytes"] > 5_000_000
    assert (server["threads_started"], server["compiler_share"]) == (None, None)
    assert measured["provenance"]["server_argv"][1].endswith("user-server/server.py")
    assert profile["file"] is None and profile["reason"]


@pytest.mark.parametrize("table", ["summary", "capacity"])
def test_table_has_a_row_for_every_cell_of_its_kind(table):
    rows = list(csv.DictReader((RESULTS / f"{table}.csv").open()))
    planned = [cell for cell in GRID.cells if (cell.tool == SWEEP) == (table == "capacity")]
    assert len(rows) == len(planned) > 0
    by_name = {(r["mode"], r["tier"], r["tool"], int(r["repetition"])): r for r in rows}
    for cell in planned:
        row = by_name[cell.mode, cell.tier, cell.tool, cell.repetition]
        assert int(row["requests"]) == record(cell)["load"]["requests_recorded"]


def test_no_process_is_left_behind():
    names = ("artifact.", "mariadbd", "mysqld", "postgres:", "pgbouncer", "profiles.watch.speed")
    names += ("workloads.session.run_session", "jmeter.properties", "user-server/server.py")
    names += (str(wrk2.DUE),)
    # One that has ended, or that its parent has not waited for yet, has no command line.
    others = [found for found in psutil.process_iter(["cmdline"]) if found.pid != os.getpid()]
    commands = [" ".join(found.info["cmdline"] or []) for found in others]
    assert not [command for command in commands if any(name in command for name in names)]


def test_no_file_is_left_behind():
    assert not list(RESULTS.glob("cells/**/.*.partial"))
    assert not list(RESULTS.glob("session-*"))
    # The memory of threads is measured first, and its log is opened at their start.
    began_s = (RESULTS / "logs/measure_thread_memory.log").stat().st_mtime
    for cell in GRID.cells:
        started = datetime.fromisoformat(record(cell)["provenance"]["started"])
        began_s = min(began_s, started.timestamp())
    # Left by Tomcat, HotSpot, JMeter and the databases. The socket of a live JVM is its own.
    patterns = ("tomcat*", ".java_pid*", ".attach_pid*", "libasyncProfiler*", f"{PREFIX}*")
    folders = {Path(tempfile.gettempdir()), limits.data_folder()}
    found = [path for name in patterns for at in folders for path in at.glob(name)]
    left = [path for path in found if path.stat().st_mtime > began_s and not is_of_a_jvm(path)]
    assert not left


def is_of_a_jvm(path):
    pid = path.name.removeprefix(".java_pid")
    return pid.isdigit() and psutil.pid_exists(int(pid))
