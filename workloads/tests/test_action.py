"""The composite action: its steps run as a runner runs them, with a stand-in for own.sh."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from workloads.experiment.own import faults_of

ROOT = Path(__file__).resolve().parents[2]
ACTION = ROOT / "workloads/own/action.yml"
# Ends with the status that the test wants, and leaves what own.sh leaves.
STAND_IN = """#!/usr/bin/env bash
cd "$(dirname "$0")/.." || exit 3
mkdir -p results/own/1
echo '**SLOWER: the new build.**' >results/own/1/summary.md
exit {status}
"""


@pytest.fixture
def checkout(tmp_path):
    (tmp_path / "artifact/workloads/own").mkdir(parents=True)
    shutil.copy(ACTION, tmp_path / "artifact/workloads/own")
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(workspace)]
    (workspace / "version").write_text("base")
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "base"]):
        subprocess.run([*git, *words], check=True)
    (workspace / "version").write_text("pull request")
    return tmp_path


def run(checkout, status, **inputs):
    """Both steps; the status of the first that fails, and what they left."""
    script = checkout / "artifact/workloads/own.sh"
    script.write_text(STAND_IN.format(status=status))
    script.chmod(0o755)
    action = yaml.safe_load(ACTION.read_text())
    defaults = {name: each.get("default", "") for name, each in action["inputs"].items()}
    given = {f"inputs.{name}": value for name, value in (defaults | inputs).items()}
    given["github.action_path"] = str(script.parent / "own")

    def filled(text):
        for name, value in given.items():
            text = text.replace(f"${{{{ {name} }}}}", value)
        assert "${{" not in text
        return text

    left = {name: checkout / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    for step in action["runs"]["steps"]:
        there = {name: filled(text) for name, text in step["env"].items()}
        environment = os.environ | there | {name: str(path) for name, path in left.items()}
        command = ["bash", "-c", step["run"]]
        ran = subprocess.run(command, cwd=checkout / "workspace", env=environment, check=False)
        if ran.returncode:
            break
    return ran.returncode, {name: path.read_text() for name, path in left.items() if path.exists()}


@pytest.mark.parametrize("status", [0, 2])
def test_status_is_that_of_the_comparison_with_its_summary(checkout, status):
    found, left = run(checkout, status, old="a {port}", new="b {port}")
    assert found == status
    assert f"status={status}\n" in left["GITHUB_OUTPUT"]
    assert left["GITHUB_STEP_SUMMARY"] == "**SLOWER: the new build.**\n"


def test_two_refs_are_built_and_the_file_is_one_that_is_accepted(checkout):
    words = {"old": "run 'a b' {port}", "new": "run c {port}", "requests": '[{path: "/a?b=1"}]'}
    refs = {"old-ref": "HEAD", "build": "cp version built"}
    assert run(checkout, 0, **words, **refs)[0] == 0
    workspace = checkout / "workspace"
    assert (workspace / "old/built").read_text() == "base"
    assert (workspace / "built").read_text() == "pull request"
    own = yaml.safe_load((workspace / "own.yaml").read_text())["own"]
    assert faults_of(own) == []
    assert own["old"] == {"command": ["run", "a b", "{port}"], "folder": str(workspace / "old")}
    assert own["new"]["folder"] == str(workspace)


def test_build_that_fails_measures_nothing(checkout):
    found, left = run(checkout, 0, old="a {port}", new="b {port}", build="false")
    assert found != 0
    assert left == {}
