"""Two builds of a user's own service: from the command to exit status, page and tables."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
import yaml

from paper.tests.page import Page
from paper.tests.report_checks import rows_of
from paper.tests.test_workflow import snakemake
from workloads.tests.processes import command_lines, until

ROOT = Path(__file__).resolve().parents[2]
OWN = ROOT / "workloads/own.sh"
SERVER = str(ROOT / "workloads/examples/two-builds/service.py")
LIVE_LIMIT_S = 400


def written(file, **changed):
    build = {"command": ["python3", SERVER, "{port}", "500"]}
    keys = {"old": build, "new": build, "ready_path": "/", "requests": [{"path": "/a"}]}
    keys |= {"rate_per_s": 200, "budget_s": 90, "slower_percent": 20} | changed
    file.write_text(yaml.safe_dump({"own": keys}))
    return file


def own(*words):
    """The command, from another folder."""
    return subprocess.run(
        [OWN, *words], cwd=ROOT.parent, capture_output=True, text=True, timeout=LIVE_LIMIT_S
    )


def folders():
    return {*(ROOT / "results/own").glob("*Z")}


@pytest.fixture
def before():
    there = folders()
    yield there
    for folder in folders() - there:
        shutil.rmtree(folder)


def test_build_that_takes_ten_times_as_long_ends_with_status_1(tmp_path, before):
    # So slow that it is decided on a busy machine, too, and at a rate that both serve there.
    slow = {"command": ["python3", SERVER, "{port}", "8000"]}
    # Three starts decide it, or more where other programs take the CPUs.
    done = own(written(tmp_path / "mine.yaml", new=slow, rate_per_s=100, budget_s=80))
    assert done.returncode == 1, done.stdout + done.stderr
    assert "SLOWER: the new build is slower than the limit allows: " in done.stdout
    (folder,) = folders() - before
    rows = {row["statistic"]: row for row in rows_of(folder / "builds.csv")}
    assert rows["cpu_us_per_request"]["verdict"] == "slower"
    assert 6 < float(rows["cpu_us_per_request"]["ratio"]) < 17
    assert 0 < float(rows["rss_mib"]["low"]) <= float(rows["rss_mib"]["high"])
    page = Page(folder / "own.html")
    assert "SLOWER" in page.text
    # A flame graph of each, or why there is none.
    assert page.text.count("CPU time of the") + page.text.count("has no flame graph: ") >= 2
    assert not [target for target in page.targets if target.startswith("http")]


def test_fault_of_the_file_ends_with_status_3_before_anything_starts(tmp_path, before):
    done = own(written(tmp_path / "mine.yaml", requets=1))
    assert done.returncode == 3
    assert "own.requets = 1; allowed: here only old, new" in done.stdout + done.stderr
    assert "no such file" in own(tmp_path / "none.yaml").stderr
    assert folders() == before


def test_build_that_does_not_start_ends_with_status_3_and_its_reason(tmp_path, before):
    dies = {"command": ["sh", "-c", "exit 7 # {port}"]}
    done = own(written(tmp_path / "mine.yaml", new=dies))
    assert done.returncode == 3
    assert "INVALID: new: server_died: " in done.stdout
    assert "its command ended with status 7" in done.stdout


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_signal_ends_all_that_was_started(tmp_path, before, sent):
    """A server that never listens would be waited for by minutes."""
    # Its plan has the mark, too, on the command line of what measures.
    mark = f"mark-{os.getpid()}-{sent}"
    silent = {"command": ["python3", "-c", "import time; time.sleep(999)", "{port}", mark]}
    command = [OWN, written(tmp_path / "mine.yaml", old=silent)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True)

    def is_waited_for():
        assert process.poll() is None
        return any(line[-1] == mark for line in command_lines(mark))

    until(is_waited_for, LIVE_LIMIT_S)
    process.send_signal(sent)
    assert process.wait(LIVE_LIMIT_S) == 3
    assert command_lines(mark) == []
    assert not [*(ROOT / ".snakemake/locks").glob("*")]


def test_own_without_builds_is_refused():
    refused = snakemake("--dry-run", "--nolock", "own")
    assert refused.returncode != 0
    assert "own = null; allowed: a mapping" in refused.stdout + refused.stderr
