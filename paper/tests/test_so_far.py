"""A run that is still measuring has reports, and one with problems ends with status 3.

No session is measured: where jobs run, a program in Python's place writes what they would leave.
"""

import os
import shutil
import subprocess
import sys
import time

import pytest
import yaml
from snakemake.utils import update_config

from paper.tests.test_workflow import (
    NOWHERE,
    ROOT,
    path_with,
    planned,
    pretend,
    skip_without_programs,
    snakemake,
)
from workloads.experiment.grid import Grid

SMOKE = ["--configfile", "workloads/smoke.yaml"]
HEADER = "table,verb,message,cells\n"
STOPPED = "causes,analyze,it stopped,\n"
# Writes the output that its job names, and notes the module and the session.
STAND_IN = f"""#!{sys.executable}
import pathlib, sys
module, words = sys.argv[2], sys.argv[3:]
named = [words[i + 1] for i, word in enumerate(words) if word in ("--record", "--sessions")]
if not named:
    sys.stdin.read()
    named = [words[0]]
if module != "paper.reanalyse":
    path = pathlib.Path(named[0])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{{}}")
with open(pathlib.Path(__file__).with_name("ran"), "a") as file:
    file.write(f"{{module}} {{named[0]}}\\n")
"""


def grid_of(*files):
    config = yaml.safe_load((ROOT / "config.yaml").read_text())
    for file in files:
        update_config(config, yaml.safe_load((ROOT / file).read_text()))
    return Grid(config)


@pytest.fixture
def grid():
    return grid_of("workloads/smoke.yaml")


def test_sessions_are_analyzed_before_the_next_is_measured(grid, results, tmp_path):
    sessions = grid.sessions[:3]
    skip_without_programs(grid, sessions)
    records = [f"{results}/sessions/{session.path}.json" for session in sessions]
    report = f"{results}/logs/so-far/after-1.txt"
    words = [*records, report, *SMOKE, "--config", f"results={results}"]
    path = path_with(tmp_path, "python", STAND_IN)
    run = snakemake(*words, PATH=path)
    assert run.returncode == 0, run.stdout + run.stderr
    ran = (tmp_path / "ran").read_text().splitlines()
    expected = [f"workloads.session.run_session {record}" for record in records]
    expected.insert(1, f"paper.reanalyse 1 of {len(grid.sessions)}")
    assert [line for line in ran if not line.startswith("profiles.convert")] == expected
    # Nothing of it is run again, once its cells are there.
    for session in sessions:
        pretend(grid, session, results)
    again = snakemake(*words, PATH=path)
    assert "Nothing to be done" in again.stderr, again.stderr


def test_a_short_run_has_no_early_report():
    assert not reports_in("--config", NOWHERE, "--configfile", "workloads/quick.yaml")


def test_a_quick_run_has_no_other_sessions_than_it_names():
    """A comparison that is new in config.yaml is in it, too, unless quick.yaml leaves it out."""
    sessions = grid_of("workloads/quick.yaml").sessions
    assert {f"{session.study}/{session.comparison}" for session in sessions} == {
        *("virtual-threads/limit-or-thread", "virtual-threads/pinning"),
        *("stacks/stacks", "database-pools/pooler"),
    }


def test_an_early_report_is_made_once_and_while_sessions_are_left(grid, results):
    words = [*SMOKE, "--config", f"results={results}"]
    pretend(grid, grid.sessions[0], results)
    done = ROOT / results / "logs/so-far/after-1.txt"
    done.parent.mkdir(parents=True)
    done.touch()
    # Another configuration would write them again; the clock of files has ticks.
    time.sleep(0.1)
    for name in ("modes.csv", "grid.csv"):
        (ROOT / results / name).touch()
    assert not reports_in(*words)
    done.unlink()
    for session in grid.sessions[1:]:
        pretend(grid, session, results)
    assert not reports_in(*words)


def reports_in(*words):
    """Early reports in a plan; the smoke run's own tests look for the one that it makes."""
    return "a report of the first" in planned(*words)


@pytest.mark.parametrize(
    ("goal", "folder", "problems"),
    [
        ("report", "results", HEADER),
        ("report", "results", HEADER + STOPPED),
        ("report", "results", None),
        ("quick", "results/quick", HEADER + STOPPED),
    ],
)
def test_make_ends_with_an_error_where_a_report_has_problems(goal, folder, problems, tmp_path):
    """make's own status is 2 for every error; it prints the 3 of the last command."""
    shutil.copytree(ROOT / "paper", tmp_path / "paper", ignore=shutil.ignore_patterns("[!p]*"))
    (tmp_path / folder).mkdir(parents=True)
    if problems:
        (tmp_path / folder / "problems.csv").write_text(problems)
    for name in ("python", "Rscript"):
        path = path_with(tmp_path, name, f"#!/bin/sh\necho {name} $*\n")
    command = ["make", "--file", ROOT / "Makefile", goal, "ENV=:", "SNAKEMAKE=true"]
    command += ["--old-file=plan", "--old-file=build"]
    environment = os.environ | {"PATH": path}
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment)
    assert f"Rscript paper/publish.R summary results={folder}\n" in run.stdout
    failed = problems != HEADER
    assert run.returncode == (2 if failed else 0), run.stderr
    assert ("Error 3" in run.stderr) == failed
    assert (f"{folder}/problems.csv is not there" in run.stderr) == (problems is None)


def test_a_run_with_problems_is_not_shipped(results):
    (ROOT / results).mkdir(parents=True)
    (ROOT / results / "problems.csv").write_text(HEADER + STOPPED)
    run = snakemake("reference", "--config", f"results={results}")
    assert run.returncode != 0
    assert f"see the 1 lines of {results}/problems.csv" in run.stderr
    assert "no run to ship" not in run.stderr
