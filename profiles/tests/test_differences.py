"""Differential flame graphs: both sides in the same unit, and nothing where there is nothing."""

import json
from pathlib import Path

import pytest
import yaml

from profiles.differences import Profile, Side, differences, draw, most_sampled, sides
from workloads.grid import Grid

ROOT = Path(__file__).resolve().parents[2]
CAUSES = ROOT / "analysis/causes.yaml"


@pytest.fixture
def cell(tmp_path):
    """Writes a cell with these stacks; returns its profile.collapsed."""

    def write(mode, stacks, cpu_s=1.0, us_per_request=100.0, repetition=1):
        folder = tmp_path / mode / f"rep-{repetition}"
        folder.mkdir(parents=True)
        record = {
            "cell": {"study": "demo", "mode": mode, "tier": "low", "tool": "wrk2"},
            "server": {"cpu_s": cpu_s, "cpu_us_per_request": us_per_request},
            "profile": {"interval_ms": 10},
        }
        (folder / "cell.json").write_text(json.dumps(record))
        collapsed = folder / "profile.collapsed"
        collapsed.write_text("".join(f"{stack} {count}\n" for stack, count in stacks.items()))
        return collapsed

    return write


def test_a_stack_counts_as_cpu_time_per_request(cell):
    # 100 samples of 10 ms are all of a second: each is a hundredth of 100 µs.
    whole = Profile.read(cell("whole", {"run;accept": 75, "run;close it": 25}))
    assert list(whole.per_request()) == ["run;accept 75000", "run;close it 25000"]
    # Of two seconds they are half; what was not sampled is not spread over the rest.
    half = Profile.read(cell("half", {"run": 100}, cpu_s=2.0))
    assert list(half.per_request()) == ["run 50000"]
    # More samples than CPU time: no more than the request cost.
    more = Profile.read(cell("more", {"run": 200}))
    assert list(more.per_request()) == ["run 100000"]


def test_the_repetition_with_most_samples_is_taken(cell):
    few = cell("pool", {"run": 5}, repetition=1)
    many = cell("pool", {"run": 9}, repetition=2)
    unanswered = cell("pool", {"run": 99}, us_per_request=None, repetition=3)
    assert most_sampled([few, many, unanswered]).samples == 9
    assert most_sampled([unanswered]) is None


def test_a_flame_graph_shows_what_one_side_has_more_of(cell, tmp_path):
    threads = cell("threads", {"run;start": 60, "run;write": 40}, us_per_request=50.0)
    pool = cell("pool", {"run;take": 20, "run;write": 80}, us_per_request=25.0)
    out = tmp_path / "difference.html"
    draw([threads], [pool], out)
    page = out.read_text()
    assert "threads at low against pool at low: ns of CPU time per request" in page
    for frame in ("start", "write"):
        assert frame in page


def test_without_a_profile_on_both_sides_the_file_is_empty(cell, tmp_path):
    out = tmp_path / "difference.html"
    draw([cell("threads", {"run": 1})], [], out)
    assert out.read_text() == ""
    draw([cell("pool", {})], [cell("event-loop", {"run": 1})], out)
    assert out.read_text() == ""


def test_every_cause_has_two_sides():
    found = differences(CAUSES)
    assert found["thread-start-extreme"] == (
        Side("request-threads", "thread-per-request", "extreme", "wrk2"),
        Side("request-threads", "fixed-pool", "extreme", "wrk2"),
    )
    # Without a baseline: what the first intervention puts in its place.
    assert found["one-e-mail"][1] == Side("sign-up", "tomcat-200", "connections-1000", "wrk2")
    assert all(drawn != baseline for drawn, baseline in found.values())


def test_every_cell_that_a_cause_names_is_measured():
    grid = Grid(yaml.safe_load((ROOT / "config.yaml").read_text()))
    measured = {Side(cell.study, cell.mode, cell.tier, cell.tool) for cell in grid.cells}
    for cause in yaml.safe_load(CAUSES.read_text())["causes"]:
        changes = [{}, *(step["changes"] for step in cause["interventions"])]
        changed = [cause | {"difference": cause["difference"] | change} for change in changes]
        named = {side for variant in changed for side in sides(variant)}
        # A study that is not configured has nothing to be explained.
        if cause["study"] in grid.studies:
            assert named <= measured, cause["id"]
