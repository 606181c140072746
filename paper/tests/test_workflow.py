"""The DAG's promises, on plans alone: nothing is measured here."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from workloads.experiment.grid import Grid

ROOT = Path(__file__).resolve().parents[2]


def plan(*arguments):
    command = ["snakemake", "--cores", "4", "--dry-run", "--nolock", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("repetitions=0", "repetitions = 0; allowed: a whole number from 1"),
        ("sed=3", "sed = 3; allowed: here only results"),
        ("reference=none", "config.yaml: reference = 'none'; allowed: 2026-"),
        ("with=none", "with = 'none'; allowed: 2026-"),
        ("this=none", "this = 'none'; allowed: 2026-"),
    ],
)
def test_bad_configuration_stops_before_anything_starts(setting, expected):
    refused = plan("--config", setting)
    assert refused.returncode != 0
    assert expected in refused.stdout + refused.stderr


def message_of(session):
    return f"{session.study}/{session.comparison}, repetition {session.repetition}"


def test_forcing_one_cell_plans_one_measurement():
    cell = "results/cells/request-threads/fixed-pool/low/jmeter/rep-2/cell.json"
    planned = plan("--allowed-rules", "measure_cell", "-f", cell)
    text = planned.stdout + planned.stderr
    assert planned.returncode == 0, text
    assert text.count("measuring request-threads/") == 1
    assert "measuring request-threads/fixed-pool/low/jmeter, repetition 2\n" in text


def test_a_job_that_ends_well_without_a_record_has_failed(tmp_path):
    """As srun does when its node fails: the record of before must not pass for a new one."""
    results = f"results/{tmp_path.name}-{os.getpid()}"
    record = f"{results}/sessions/request-threads/threads/rep-2.json"
    (ROOT / record).parent.mkdir(parents=True)
    (ROOT / record).write_text("{}")
    (tmp_path / "python").write_text("#!/bin/sh\nexit 0\n")
    (tmp_path / "python").chmod(0o755)
    command = ["snakemake", "--cores", "4", "-f", record, "--latency-wait", "0"]
    command += ["--allowed-rules", "measure_session", "--config", f"results={results}"]
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    try:
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment)
    finally:
        shutil.rmtree(ROOT / results)
    assert run.returncode != 0
    assert "MissingOutputException" in run.stderr
    assert record in run.stderr


def test_a_whole_run_plans_every_session_once():
    grid = Grid(yaml.safe_load((ROOT / "config.yaml").read_text()))
    planned = plan("--config", "results=results/none-of-this-name")
    text = planned.stdout + planned.stderr
    assert planned.returncode == 0, text
    for session in grid.sessions:
        assert text.count(f"measuring {message_of(session)}\n") == 1, session.path


def test_file_of_the_readers_own_adds_sessions_and_leaves_the_others(tmp_path):
    mine = tmp_path / "mine.yaml"
    comparison = {"question": "Mine?", "modes": {"own": {"kind": "thread-each"}}, "tiers": ["low"]}
    added = {"request-threads": {"comparisons": {"mine": comparison}}}
    mine.write_text(yaml.safe_dump({"studies": added}))
    planned = plan("--configfile", str(mine), "--config", "results=results/none-of-this-name")
    text = planned.stdout + planned.stderr
    assert planned.returncode == 0, text
    grid = Grid(yaml.safe_load((ROOT / "config.yaml").read_text()))
    for session in grid.sessions:
        assert text.count(f"measuring {message_of(session)}\n") == 1, session.path
    assert "measuring request-threads/mine, repetition 1\n" in text


def test_misspelt_cell_matches_no_rule():
    planned = plan("results/cells/request-threads/fixed-pool/low/jmetre/rep-2/cell.json")
    assert planned.returncode != 0
    assert "MissingRuleException" in planned.stdout + planned.stderr


def test_user_supplied_server_is_planned_with_its_files():
    """Its command holds {port}, which is no wildcard of Snakemake's."""
    settings = ["--configfile", "workloads/smoke.yaml", "--config", "results=results/none"]
    planned = plan(*settings, "--printshellcmds", "--forceall")
    text = planned.stdout + planned.stderr
    assert planned.returncode == 0, text
    assert "{port}" in text
    assert "workloads/examples/user-server/server.py" in text
