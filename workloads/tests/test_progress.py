"""The line on the terminal: what came of a cell, and the time that is left."""

import json

from workloads.session.progress import progress, time_left_s


def ended(results, **sessions):
    """Sessions by name: how long each took, and how many cells it measured. The cells' folder."""
    for name, (wall_s, cells) in sessions.items():
        path = results / f"sessions/study/{name}/rep-1.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps({"wall_s": wall_s, "measured": ["cell"] * cells}))
    return results / "cells"


def shipped_run(folder, **sessions):
    """The run.json of a shipped run: how long a session took by its name, and its cells."""
    run = folder / "runs/a-run"
    run.mkdir(parents=True)
    took = {f"study/{name}/rep-1": wall_s for name, (wall_s, _) in sessions.items()}
    rows = [f"study/{name}/rep-1@then" for name in sessions for _ in range(sessions[name][1])]
    (run / "run.json").write_text(json.dumps({"cells": len(rows), "session_s": took}))
    (run / "summary.csv").write_text("\n".join(["session", *rows, ""]))
    return run / "run.json"


def test_sessions_take_as_long_as_in_the_shipped_run_at_the_pace_of_those_that_ended(tmp_path):
    shipped = shipped_run(tmp_path, one=(10, 2), two=(100, 4), three=(25, 1))
    ahead = [("study/two/rep-1", 4), ("study/three/rep-1", 2)]
    assert time_left_s(ahead, tmp_path / "cells", shipped)(6) == 0
    root = ended(tmp_path, one=(20, 2))
    # This machine took twice as long.
    assert time_left_s(ahead, root, shipped)(6) == 2 * 150
    assert time_left_s(ahead, root, shipped)(3) == 2 * (100 / 4 + 50)
    # Like a cell of the shipped run: it had none of this comparison.
    assert time_left_s([("study/new/rep-1", 2)], root, shipped)(2) == 2 * 2 * 135 / 7


def test_line_says_what_came_out_and_how_much_is_left():
    checks = [{"id": "settled", "passed": False}, {"id": "y", "passed": True}]
    record = {
        "cell": dict.fromkeys(("study", "mode", "tier", "tool"), "x") | {"repetition": 2},
        "load": {"throughput_per_s": 99.6, "error_share": 0.021},
        "outcome": "completed",
        "validity": {"valid": True, "checks": checks},
    }
    assert progress(record, 4, 6, 119.5) == (
        "4 of 6 cells left, about 2 min; "
        "x/x/x/x/2: completed, valid but for latency: settled; 100/s, 2.1% errors"
    )
    # In the first session nothing is known.
    assert progress(record, 4, 6, 0).startswith("4 of 6 cells left; x/x/x/x/2: completed")
    record["validity"]["valid"] = False
    assert "completed, invalid: settled" in progress(record, 4, 6, 119.5)
    record |= {"sweep": {"calibrated_per_s": 512.3}}
    record["load"]["throughput_per_s"] = None
    assert progress(record, 4, 6, 119.5).endswith("; capacity about 512/s, 2.1% errors")
