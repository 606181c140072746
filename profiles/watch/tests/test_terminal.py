"""Lines that a person sees of a run."""

import io
import logging
from types import SimpleNamespace

import pytest
from snakemake_logger_plugin_terminal import LogHandler

from profiles.watch.terminal import CLEAR, failure, reason, say, show


class Screen(io.StringIO):
    def isatty(self):
        return True


def told(*events, **settings):
    """The text that the events leave, each given as what Snakemake adds to its record."""
    given = dict.fromkeys(("dryrun", "verbose", "printshellcmds"), False) | settings
    handler = LogHandler(SimpleNamespace(**given), None)
    handler.stream = out = io.StringIO()
    for facts in events:
        level = facts.pop("level", logging.INFO)
        record = logging.LogRecord("x", level, "x.py", 1, facts.pop("text", ""), (), None)
        vars(record).update(facts)
        handler.emit(record)
    return out.getvalue()


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["a", "ValueError: no port", "b"], "ValueError: no port"),
        (["Error: no reference: the run is incomplete", "Execution halted"], None),
        (["Error in f(x) :", "  no such file", "Execution halted"], "Error in f(x) : no such file"),
        (["a", "b"], "b"),
    ],
)
def test_reason_is_the_fault_in_the_log(lines, expected):
    assert reason(lines) == (expected or lines[0])


def test_failed_job_says_why_first_and_never_its_command(tmp_path):
    log = tmp_path / "job.log"
    log.write_text("\n".join(f"line {n}" for n in range(30)) + "\nValueError: no port\n")
    facts = {"jobid": 7, "rule_name": "m", "log": [str(log)]}
    started = facts | {"event": "job_info", "rule_msg": "measuring"}
    # Snakemake gives no message with an error.
    event = facts | {"event": "job_error", "rule_msg": None}
    command = {"event": "error", "exception": "RuleException", "text": "Command 'set -e"}
    _, *lines = told(started, command, event | {"shellcmd": "kilobytes"}).splitlines()
    assert lines[0] == "FAILED: measuring: ValueError: no port"
    assert len(lines) < 15
    assert "kilobytes" not in str(lines) and "set -e" not in str(lines)
    assert failure("checking", []) == ["FAILED: checking"]


def test_chatter_stays_away_and_what_matters_comes_through():
    shown = told(
        {"text": "Select jobs to execute..."},
        {"text": "Building DAG of jobs..."},
        {"event": "job_started", "text": "Execute 1 jobs..."},
        {"event": "run_info", "stats": {"b": 3}},
        {"event": "job_info", "jobid": 1, "rule_msg": None, "rule_name": "b", "log": []},
        {"event": "progress", "text": "3 of 9 steps"},
        {"text": "disk is full", "level": logging.WARNING},
        {"event": "error", "exception": "WorkflowError", "text": "no such rule"},
        {"text": "Nothing to be done (all"},
    )
    assert shown == "b\ndisk is full\nno such rule\nNothing to be done (all\n"


def test_a_dry_run_shows_all_that_snakemake_says():
    events = [{"text": "Building DAG of jobs..."}, {"event": "run_info", "text": "Job stats"}]
    assert told(*events, dryrun=True) == "Building DAG of jobs...\nJob stats\n"


def test_on_a_terminal_a_line_of_progress_is_replaced_by_the_next(monkeypatch):
    monkeypatch.setenv("COLUMNS", "10")
    out = Screen()
    show("0123456789abc", out)
    show("second", out)
    say("stays", out)
    assert out.getvalue() == f"{CLEAR}012345678{CLEAR}second{CLEAR}stays\n"


def test_file_that_is_no_yaml_is_shown_with_its_line_and_what_to_write(tmp_path, monkeypatch):
    mine, right = tmp_path / "mine.yaml", tmp_path / "right.yaml"
    mine.write_text("studies:\n  a: [x, --port={port}]\n")
    right.write_text("seed: 1\n")
    said = {"event": "error", "text": "Config file is not valid JSON or YAML. In case"}
    for words in (["--configfile", str(right), str(mine), "-n"], [f"--configfile={mine}"]):
        monkeypatch.setattr("sys.argv", ["snakemake", *words])
        _, place = told(dict(said)).splitlines()
        assert place.startswith(f"{mine}, line 2: ")
        assert place.endswith('a text with braces is in quotes: "--port={port}"')
