"""The real generator on a real server whose latencies are known: M/M/1.

    pytest -m alone paper/tests/test_known_queue.py

It takes three minutes and is outside of `make test`, because other work would be measured with it.
"""

import math
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from paper.tests.report_checks import rows_of

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path("results/known-queue")
OVERLAY = ROOT / "workloads/examples/known-queue/config.yaml"
STUDY = yaml.safe_load(OVERLAY.read_text())["studies"]["request-threads"]
MU = float(STUDY["comparisons"]["known-queue"]["modes"]["known-queue"]["command"][-1])
OBJECTIVE_MS = STUDY["tiers"]["known-queue"]["sweep"]["objective_ms"]

CAPACITY = """
pkgload::load_all("analysis", helpers = FALSE, quiet = TRUE)
paths <- commandArgs(trailingOnly = TRUE)
write_table(capacities_of(read_cells(paths[1])), paths[2])
"""

pytestmark = pytest.mark.alone


@pytest.fixture(scope="module")
def swept():
    """The row of capacity.csv, and the steps that the server sustained."""
    shutil.rmtree(ROOT / RESULTS, ignore_errors=True)
    cell = RESULTS / "cells/request-threads/known-queue/known-queue/sweep/rep-1"
    snakemake = ["snakemake", "--cores", "all", "--nolock", "--configfile", OVERLAY]
    snakemake += ["--config", f"results={RESULTS}", "--"]
    # In an invocation of their own, as `make build` has it.
    run(*snakemake, "build_generator", "build_jmeter_driver")
    run(*snakemake, cell / "cell.json")
    out = RESULTS / "capacity.csv"
    run("Rscript", "-e", CAPACITY, cell / "cell.json", out)
    [capacity] = rows_of(ROOT / out)
    steps = [row for row in rows_of(ROOT / cell / "slices.csv") if row["sustained"] == "true"]
    for row in steps:
        values = [row[f"latency_{name}_ms"] for name in ("mean", "p50", "p99")]
        print(f"{float(row['offered_per_s']) / MU:.2f} of the capacity:", *values, "ms")
    print(capacity)
    return capacity, steps


def run(*command):
    done = subprocess.run([str(word) for word in command], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]


def test_knee_is_where_theory_has_it(swept):
    # p99 of latency is ln(100) / (mu - rate).
    expected = MU - math.log(100) / (OBJECTIVE_MS / 1000)
    assert swept[0]["bound_capacity"] == ""
    assert float(swept[0]["capacity_per_s"]) == pytest.approx(expected, rel=0.05)


def test_capacity_is_calibrated(swept):
    assert float(swept[0]["calibrated_per_s"]) == pytest.approx(MU, rel=0.15)


@pytest.fixture(scope="module")
def waking_ms():
    """Time of a request that finds idle CPUs: a timer, and an answer of another process."""
    echo = [sys.executable, "-c", "import os\nwhile data := os.read(0, 1): os.write(1, data)"]
    with subprocess.Popen(echo, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as other:
        times_s = [time_of_a_request_s(other) for _ in range(200)]
        other.stdin.close()
    return 1000 * statistics.median(times_s)


def time_of_a_request_s(other, pause_s=0.005):
    begun_s = time.perf_counter()
    time.sleep(pause_s)
    other.stdin.write(b"x")
    other.stdout.read(1)
    return time.perf_counter() - begun_s - pause_s


@pytest.mark.parametrize(("value", "share"), [("mean", 1.0), ("p50", math.log(2))])
def test_latency_follows_theory_up_to_80_percent(swept, waking_ms, value, share):
    checked = [row for row in swept[1] if float(row["offered_per_s"]) <= 0.8 * MU]
    assert len(checked) >= 4
    for row in checked:
        # The number of requests due in the window varies.
        rate = float(row["due"]) / float(row["duration_s"])
        expected_ms = 1000 * share / (MU - rate) + waking_ms
        assert float(row[f"latency_{value}_ms"]) == pytest.approx(expected_ms, rel=0.1), rate
