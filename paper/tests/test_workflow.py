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
CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text())
NOWHERE = "results=results/none-of-this-name"


def snakemake(*words, folder=ROOT, **variables):
    return subprocess.run(
        ["snakemake", "--cores", "4", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=600,
        env=os.environ | variables,
    )


def planned(*words, refused=False):
    """The text of a plan, or of a refusal to plan."""
    done = snakemake("--dry-run", "--nolock", *words)
    said = done.stdout + done.stderr
    assert (done.returncode != 0) == refused and "Traceback" not in said, said
    return said


def skip_without_programs(grid, sessions):
    programs = {each for of in sessions for each in [*grid.jars(of), *grid.class_data(of)]}
    if not all((ROOT / program).exists() for program in [*programs, "workloads/due/build/due"]):
        pytest.skip("the servers are not built here, so all sessions would be run again")


def path_with(folder, name, text):
    """A PATH on which a program of this name comes first."""
    (folder / name).write_text(text)
    (folder / name).chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("with=none", "with = 'none'; allowed: 2026-"),
        ("slices={rounds: few}", 'slices.rounds = "few"; allowed: a whole number from'),
    ],
)
def test_bad_configuration_stops_before_anything_starts(setting, expected):
    assert expected in planned("--config", setting, refused=True)


def test_configuration_that_is_no_yaml_is_refused_with_what_to_write(tmp_path):
    mine = tmp_path / "mine.yaml"
    mine.write_text("studies:\n  mine: {command: [x, --port={port}]}\n")
    said = planned("--configfile", str(mine), refused=True)
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


def measures(session):
    return f"measuring {session.study}/{session.comparison}, repetition {session.repetition}\n"


def test_forced_report_measures_missing_cells_alone(results):
    grid = Grid(CONFIG)
    session = next(each for each in grid.sessions if len(each.cells) > 2)
    skip_without_programs(grid, [session])
    folder = pretend(grid, session, results)

    def is_measured():
        words = ["--config", f"results={results}/", "-f", f"{results}/report.html"]
        text = planned("--printshellcmds", *words)
        assert "--again" not in text
        return measures(session) in text

    assert not is_measured()
    shutil.rmtree(folder)
    assert is_measured()


def test_whole_session_of_an_extra_that_was_measured_is_analysed_and_never_planned(results):
    grid = Grid(CONFIG | {"extras": ["rivals"]})
    (session,) = [of for of in grid.sessions if of.path == "virtual-threads/hikari-versions/rep-1"]
    record = pretend(grid, session, results) / "cell.json"

    def analysed():
        text = planned("--printshellcmds", "--config", f"results={results}")
        assert measures(session) not in text
        return sum(f"{results}/cells/{cell.path}/cell.json" in text for cell in session.cells)

    assert analysed() == len(session.cells)
    # A cell of another configuration, so that the session is not whole.
    other = json.loads(record.read_text())
    other["configuration"]["protocol"] = 99
    record.write_text(json.dumps(other))
    assert analysed() == 0


def test_a_job_has_utf_8_in_every_language_and_fails_where_it_leaves_no_record(results, tmp_path):
    """srun ends well when its node fails: the record of before must not pass for a new one."""
    record = f"{results}/sessions/request-threads/threads/rep-2.json"
    (ROOT / record).parent.mkdir(parents=True)
    (ROOT / record).write_text("{}")
    says = f'#!/bin/sh\necho "$LC_ALL $PYTHONUTF8" >{tmp_path}/said\n'
    words = ["-f", record, "--latency-wait", "0", "--allowed-rules", "measure_session"]
    words += ["--config", f"results={results}"]
    run = snakemake(*words, PATH=path_with(tmp_path, "python", says), LC_ALL="C")
    assert (tmp_path / "said").read_text() == "C.UTF-8 1\n"
    assert run.returncode != 0
    assert "MissingOutputException" in run.stderr and record in run.stderr


def test_forcing_one_cell_plans_one_measurement_and_no_report():
    text = planned("-f", "results/cells/request-threads/fixed-pool/low/jmeter/rep-2/cell.json")
    assert text.count("measuring request-threads/") == 1
    assert "measuring request-threads/fixed-pool/low/jmeter, repetition 2\n" in text
    assert "a report of" not in text


def test_file_of_the_readers_own_adds_sessions_and_leaves_the_others(tmp_path):
    mine = tmp_path / "mine.yaml"
    comparison = {"question": "Mine?", "modes": {"own": {"kind": "thread-each"}}, "tiers": ["low"]}
    added = {"request-threads": {"comparisons": {"mine": comparison}}}
    mine.write_text(yaml.safe_dump({"studies": added}))
    text = planned("--configfile", str(mine), "--config", NOWHERE)
    for session in Grid(CONFIG).sessions:
        assert text.count(measures(session)) == 1, session.path
    assert "measuring request-threads/mine, repetition 1\n" in text


def test_each_finding_is_a_target_that_measures_its_first_cell(results):
    """Also where the cell is there, as after a whole run."""
    findings = yaml.safe_load((ROOT / "analysis/guide.yaml").read_text())["findings"]
    carriers = f"{results}/cells/virtual-threads/virtual-carriers-16/neighbor-1-50/wrk2/rep-1"
    (ROOT / carriers).mkdir(parents=True)
    (ROOT / carriers / "cell.json").write_text("{}")
    targets = [f"finding-{finding['id']}" for finding in findings]
    text = planned(*targets, "--config", f"results={results}")
    pairs = [of.get("at", {}) | of | next(iter(of["pairs"].values())) for of in findings]
    keys = ("study", "mode", "tier", "tool")
    first = {tuple(pair[key] for key in keys) for pair in pairs}
    measured = [line for line in text.splitlines() if ": measuring " in line]
    assert len(measured) == len(first)
    assert any("virtual-carriers-16/neighbor-1-50/wrk2" in line for line in measured)


SMALL = f"""
include: "{ROOT}/workloads/common.smk"

onsuccess:
    if any(map(is_left_out, workflow.dag.jobs)):
        raise WorkflowError("left out")

rule measure:
    input: ancient("program")
    output: "cell"
    shell: "cp program cell"

rule build:
    input: "source"
    output: "program"
    shell: "cp source program"
"""


def test_run_that_built_a_program_alone_does_not_end_well(tmp_path):
    """Snakemake plans nothing beside an `ancient` program that is built again, and ends with 0."""

    def run(source):
        (tmp_path / "source").write_text(source)
        done = snakemake(folder=tmp_path, PYTHONPATH=str(ROOT))
        return done.returncode, "left out" in done.stderr, (tmp_path / "program").read_text()

    (tmp_path / "Snakefile").write_text(SMALL)
    assert run("one") == (0, False, "one")
    (tmp_path / "cell").unlink()
    assert run("two") == (1, True, "two")
    assert run("two") == (0, False, "two")
    assert (tmp_path / "cell").read_text() == "two"
