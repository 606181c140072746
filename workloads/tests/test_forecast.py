"""The lines that make prints before it does anything."""

import json
import subprocess
import sys

import pytest

from workloads.experiment.forecast import CELL_S, REST_S, ROOT, Known, known_of, plan

SHIPPED = {
    "cells": 40,
    "machine": {"cpus": 2, "cpu_model": "A CPU"},
    "session_s": {"s/g/rep-1": 120, "s/g/rep-2": 60},
}
CELLS = {"s/g/rep-1": 2, "s/g/rep-2": 1}
RUN = [
    ("s/g/rep-1", ["s/m/t/wrk2/rep-1", "s/n/t/wrk2/rep-1"], 5000),
    ("s/g/rep-2", ["s/m/t/wrk2/rep-2"], 3000),
]


def test_session_takes_as_long_as_in_the_shipped_run():
    known = Known(SHIPPED, {"s/g/rep-1": 3, "s/g/rep-2": 1})
    assert known.session_s("s/g/rep-1", 3) == 120
    # A session that it has not, like as many cells of any.
    assert known.session_s("b/g/rep-1", 8) == 8 * (120 + 60) / 40
    assert Known().session_s("b/g/rep-1", 8) == 8 * CELL_S


def test_shipped_run_has_its_times_by_its_cells(tmp_path):
    (tmp_path / "run.json").write_text(json.dumps(SHIPPED | {"session_s": {"s/g/rep-1": 90}}))
    (tmp_path / "summary.csv").write_text("session\n" + 2 * "s/g/rep-1@then\n")
    assert known_of(tmp_path / "run.json").session_s("s/g/rep-1", 1) == 45
    assert known_of(tmp_path / "none.json") == Known()


def test_plan_counts_what_is_missing(tmp_path):
    def says_with(path):
        (tmp_path / "cells" / path).mkdir(parents=True)
        (tmp_path / "cells" / path / "cell.json").touch()
        return plan(RUN, Known(SHIPPED, cells=CELLS), tmp_path, is_set_up=True, free_mib=4000)

    text = says_with("s/m/t/wrk2/rep-1")
    assert "measures 2 of 3 cells in 2 sessions" in text
    assert f"about {2 + REST_S // 60} minutes (as the shipped run took on 2" in text
    assert "But session s/g/rep-1 needs 5,000 MiB of memory, and 4,000 MiB are free:" in text
    assert "make quick" in text and "one cell" in text
    text = says_with("s/n/t/wrk2/rep-1")
    assert "It needs 3,000 MiB of memory." in text
    # This machine took twice as long.
    record = tmp_path / "sessions/s/g/rep-1.json"
    record.parent.mkdir(parents=True)
    record.write_text('{"wall_s": 240, "measured": ["a", "b"]}')
    assert "minutes (as sessions took here before)" in says_with("any")
    assert Known(SHIPPED, CELLS).pace(tmp_path / "sessions") == 2
    assert "all 3 cells are there" in says_with("s/m/t/wrk2/rep-2")


def test_before_set_up_the_shipped_run_says_how_long(tmp_path):
    text = plan(None, Known(SHIPPED), tmp_path, is_set_up=False, free_mib=4000)
    assert text.startswith("make report: set-up (about 2 minutes, once), then measures 40 cells")
    assert f"about {3 + REST_S // 60} minutes" in text
    assert "one to two hours" in plan(None, Known(), tmp_path, is_set_up=False, free_mib=4000)


@pytest.mark.parametrize("isolated", [[], ["-S"]])
def test_it_speaks_with_and_without_the_packages_of_set_up(isolated):
    """-S leaves out site-packages, and with them yaml."""
    module = ["-m", "workloads.experiment.forecast"]
    command = [sys.executable, *isolated, *module, "--shipped", "none.json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("make report: ")
