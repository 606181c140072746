"""The DAG's promises, on plans alone: nothing is measured here."""

import json
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
        ("smoke=true", "for this run --configfile workloads/smoke.yaml"),
        ("results=../20261125", 'results = "../20261125"; allowed: a folder below this one, or'),
        ("slices={rounds: on}", 'slices.rounds = "on"; allowed: 1 to 1,000 rounds; as a decimal'),
    ],
)
def test_bad_configuration_stops_before_anything_starts(setting, expected):
    refused = plan("--config", setting)
    assert refused.returncode != 0
    assert expected in refused.stdout + refused.stderr
    assert "Traceback" not in refused.stdout + refused.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["results=20261125"],
        ["slices={rounds: 4}", "results=/nowhere/results/"],
        ["thread_memory=false"],
    ],
)
def test_words_of_a_command_line_are_what_they_mean(words):
    planned = plan("list_experiment", "--config", *words)
    assert planned.returncode == 0, planned.stdout + planned.stderr


def test_configuration_that_is_no_yaml_is_refused_with_what_to_write(tmp_path):
    mine = tmp_path / "mine.yaml"
    mine.write_text("studies:\n  mine: {command: [x, --port={port}]}\n")
    refused = plan("--configfile", str(mine))
    said = refused.stdout + refused.stderr
    assert refused.returncode != 0 and "Traceback" not in said
    assert f"{mine}, line 2: " in said and 'in quotes: "--port={port}"' in said


def pretend(grid, session, results):
    """Writes what a session that came to its end leaves; returns the folder of its last cell."""
    for cell in session.cells:
        folder = ROOT / results / "cells" / cell.path
        folder.mkdir(parents=True)
        keys = ("study", "mode", "tier", "tool", "repetition")
        place = {key: getattr(cell, key) for key in keys}
        record = {"cell": place, "configuration": grid.spec(cell)}
        (folder / "cell.json").write_text(json.dumps(record))
    record = ROOT / results / "sessions" / f"{session.path}.json"
    record.parent.mkdir(parents=True, exist_ok=True)
    record.write_text("{}")
    return folder


def test_forced_report_measures_missing_cells_alone(results):
    grid = Grid(yaml.safe_load((ROOT / "config.yaml").read_text()))
    session = next(each for each in grid.sessions if len(each.cells) > 2)
    programs = [*grid.jars(session), *grid.class_data(session), "workloads/due/build/due"]
    if not all((ROOT / program).exists() for program in programs):
        pytest.skip("the servers are not built here, so all sessions would be run again")
    folder = pretend(grid, session, results)

    def said(*words):
        planned = plan("--printshellcmds", "--config", f"results={results}", *words)
        text = planned.stdout + planned.stderr
        assert planned.returncode == 0, text
        assert "--again" not in text
        return f"measuring {message_of(session)}\n" in text

    forced = ["-f", f"{results}/report.html"]
    assert not said(*forced)
    shutil.rmtree(folder)
    assert said(*forced) and said("-R", "render_report")
    # Nothing else is requested, so nothing is missing for it.
    assert not said("--", f"{results}/modes.csv")


def test_whole_session_of_an_extra_that_was_measured_is_analysed_and_never_planned(results):
    grid = Grid(yaml.safe_load((ROOT / "config.yaml").read_text()) | {"extras": ["rivals"]})
    (session,) = [of for of in grid.sessions if of.path == "virtual-threads/hikari-versions/rep-1"]
    folder = pretend(grid, session, results)

    def analysed():
        planned = plan("--printshellcmds", "--config", f"results={results}")
        text = planned.stdout + planned.stderr
        assert planned.returncode == 0, text
        assert f"measuring {message_of(session)}\n" not in text
        return sum(f"{results}/cells/{cell.path}/cell.json" in text for cell in session.cells)

    assert analysed() == len(session.cells)
    record = json.loads((folder / "cell.json").read_text())
    # A cell of another configuration, so that the session is not whole.
    record["configuration"]["protocol"] = 99
    (folder / "cell.json").write_text(json.dumps(record))
    assert analysed() == 0


def test_r_without_its_packages_stops_a_run_before_anything_starts(results, tmp_path):
    (tmp_path / "Rscript").write_text("#!/bin/sh\necho no data.table and no other\n")
    (tmp_path / "Rscript").chmod(0o755)
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    command = ["snakemake", "--cores", "4", "--config", f"results={results}", "--", "compare"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment)
    assert run.returncode != 0
    assert f"R ({tmp_path}/Rscript) lacks data.table: " in run.stderr


@pytest.mark.parametrize("language", [{"LC_ALL": "C"}, {"LC_ALL": "", "LANG": "C"}])
def test_jobs_read_and_write_utf_8_in_every_language(results, tmp_path, language):
    (tmp_path / "python").write_text(f'#!/bin/sh\necho "$LC_ALL $PYTHONUTF8" >{tmp_path}/said\n')
    (tmp_path / "python").chmod(0o755)
    record = f"{results}/sessions/request-threads/threads/rep-2.json"
    command = ["snakemake", "--cores", "4", "-f", record, "--latency-wait", "0"]
    command += ["--allowed-rules", "measure_session", "--config", f"results={results}"]
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"} | language
    subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment)
    assert (tmp_path / "said").read_text() == "C.UTF-8 1\n"


def message_of(session):
    return f"{session.study}/{session.comparison}, repetition {session.repetition}"


def test_forcing_one_cell_plans_one_measurement():
    cell = "results/cells/request-threads/fixed-pool/low/jmeter/rep-2/cell.json"
    planned = plan("--allowed-rules", "measure_cell", "-f", cell)
    text = planned.stdout + planned.stderr
    assert planned.returncode == 0, text
    assert text.count("measuring request-threads/") == 1
    assert "measuring request-threads/fixed-pool/low/jmeter, repetition 2\n" in text


def test_a_job_that_ends_well_without_a_record_has_failed(results, tmp_path):
    """srun does so when its node fails: the record of before must not pass for a new one."""
    record = f"{results}/sessions/request-threads/threads/rep-2.json"
    (ROOT / record).parent.mkdir(parents=True)
    (ROOT / record).write_text("{}")
    (tmp_path / "python").write_text("#!/bin/sh\nexit 0\n")
    (tmp_path / "python").chmod(0o755)
    command = ["snakemake", "--cores", "4", "-f", record, "--latency-wait", "0"]
    command += ["--allowed-rules", "measure_session", "--config", f"results={results}"]
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment)
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


def test_each_finding_is_a_target_that_measures_its_first_cell(results):
    """Also where the cell is there, as after a whole run."""
    findings = yaml.safe_load((ROOT / "analysis/guide.yaml").read_text())["findings"]
    carriers = f"{results}/cells/virtual-threads/virtual-carriers-16/neighbor-1-50/wrk2/rep-1"
    (ROOT / carriers).mkdir(parents=True)
    (ROOT / carriers / "cell.json").write_text("{}")
    targets = [f"finding-{finding['id']}" for finding in findings]
    planned = plan(*targets, "--config", f"results={results}")
    assert planned.returncode == 0, planned.stdout + planned.stderr
    pairs = [(of["study"], next(iter(of["pairs"].values()))) for of in findings]
    first = {(study, pair["mode"], pair["tier"], pair["tool"]) for study, pair in pairs}
    measured = [line for line in planned.stderr.splitlines() if ": measuring " in line]
    assert len(measured) == len(first)
    assert any("virtual-carriers-16/neighbor-1-50/wrk2" in line for line in measured)
    assert plan("finding-none").returncode != 0
