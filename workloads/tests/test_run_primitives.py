"""The primitives' runner reads what JMH and the JVM print."""

import contextlib
import os

import pytest
import yaml

from workloads.experiment.configuration import FULL
from workloads.experiment.grid import Grid
from workloads.machine.provenance import ROOT
from workloads.session import run_primitives
from workloads.session.request_primitives import OPERATIONS, SERVERS
from workloads.session.run_primitives import cost_row, jmh_rows, memory_row, primitive_id


def test_a_primitive_is_named_after_its_benchmark() -> None:
    assert primitive_id("artifact.primitives.PoolHandOff.poolHandOff") == "pool-hand-off"


def test_a_cost_is_the_mean_of_the_iterations() -> None:
    benchmark = {
        "benchmark": "artifact.primitives.PoolHandOff.poolHandOff",
        "primaryMetric": {"rawData": [[4.0, 6.0]]},
        "secondaryMetrics": {"cpu": {"rawData": [[2.0, 4.0]]}, "server": {"rawData": [[9.0]]}},
    }
    rows = list(jmh_rows([benchmark]))
    found = [(row["statistic"], float(row["value"])) for row in rows]
    assert found == [("wall", 5.0), ("cpu", 3.0), ("server", 9.0)]
    assert {row["primitive"] for row in rows} == {"pool-hand-off"}


@pytest.mark.parametrize(
    ("value_us", "expected"), [(-0.25, "-0.2500"), (0.0, "0.0000"), (1e9, f"{1e9:.4f}"), (None, "")]
)
def test_a_cost_is_recorded_as_it_was_measured(value_us: float | None, expected: str) -> None:
    row = cost_row("thread-start", 100, "cpu", value_us, None)
    assert (row["value"], row["probe_us"]) == (expected, "")


def test_no_primitive_is_measured_on_a_mode_of_a_study() -> None:
    # A value of the mode itself would predict it whatever the models say.
    config = yaml.safe_load((ROOT / "config.yaml").read_text())
    grid = Grid(config | {"depth": FULL})
    plans = [part for one in grid.sessions for part in grid.plan(one).modes.values()]
    servers = [part.study["server"] for part in plans if "server" in part.study]
    # One application for many modes is none of them.
    modes = {
        f"{server['package']}.{server['class']}"
        for server in servers
        if "class" in server and "class" not in config["servers"][server["id"]]
    }
    started = {word for argv in SERVERS.values() for word in argv}
    assert modes and not modes & started
    paths = {operation.path for operation in OPERATIONS if operation.server == "tomcat"}
    assert paths == {"/ping"}
    assert not paths & {grid.spec(cell)["tier"].get("path") for cell in grid.cells}


def test_every_operation_has_a_server_and_rates_from_low_to_high() -> None:
    assert {operation.server for operation in OPERATIONS} == set(SERVERS)
    assert all(sorted(op.rates_per_s) == list(op.rates_per_s) for op in OPERATIONS)
    assert len({op.primitive for op in OPERATIONS}) == len(OPERATIONS)


def test_the_memory_row_is_the_last_line_whatever_the_jvm_says_before() -> None:
    row = memory_row("OpenJDK warning: something\nvirtual,500,1,2,3,4\n")
    assert row["kind"] == "virtual"
    assert (row["threads"], row["heap_bytes"]) == ("500", "4")


def test_a_table_stays_while_its_programs_are_the_same(tmp_path, monkeypatch) -> None:
    """-F runs the rule again, and a copy may have lost its times."""
    jars = [tmp_path / "a.jar.sha256", tmp_path / "b.jar.sha256"]
    for jar in jars:
        jar.write_text("ab")
    monkeypatch.setattr(run_primitives, "FINGERPRINTS", jars)
    table, done = tmp_path / "costs.csv", []
    monkeypatch.setattr(run_primitives, "costs", lambda testbed: done.append(1) or [{"value": "1"}])
    monkeypatch.setattr(run_primitives, "COST_COLUMNS", ("value",))
    monkeypatch.setattr(run_primitives, "stop_with_our_requester", lambda: None)
    monkeypatch.setattr(run_primitives, "alone_on_the_machine", contextlib.nullcontext)
    words = ["--costs", str(table), "--held", "4/4", "--log", str(tmp_path / "log")]
    monkeypatch.setattr("sys.argv", ["run_primitives", *words])
    run_primitives.main()
    first = table.read_text()
    os.utime(table, (0, 0))
    run_primitives.main()
    assert (len(done), table.read_text()) == (1, first) and table.stat().st_mtime > 0
    jars[0].write_text("cd")
    run_primitives.main()
    assert len(done) == 2 and table.read_text() != first
    # One of before says nothing of its programs.
    table.write_text("value\n1\n")
    run_primitives.main()
    assert len(done) == 3
