"""The line on the terminal: what came of a cell, and the time that is left."""

import json

from workloads.session.progress import progress, typical_cell_s


def ended(results, **sessions):
    """Sessions by name: how long each took, and how many cells it measured. The cells' folder."""
    for name, (wall_s, cells) in sessions.items():
        path = results / f"sessions/study/{name}/rep-1.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps({"wall_s": wall_s, "measured": ["cell"] * cells}))
    return results / "cells"


def test_time_of_a_cell_is_that_of_the_sessions_that_have_ended(tmp_path):
    assert typical_cell_s(tmp_path / "cells") == 0
    # An interrupted session measured what was missing, or nothing.
    assert typical_cell_s(ended(tmp_path, one=(90, 3), two=(10, 1), three=(5, 0))) == 105 / 4


def test_line_says_what_came_out_and_how_much_is_left(tmp_path):
    root = ended(tmp_path, one=(60, 2))
    names = ("study", "mode", "tier", "tool")
    record = {
        "cell": dict.fromkeys(names, "x") | {"repetition": 2},
        "load": {"throughput_per_s": 99.6, "error_share": 0.021},
        "outcome": "completed",
        "validity": {
            "valid": True,
            "checks": [{"id": "settled", "passed": False}, {"id": "y", "passed": True}],
        },
    }
    assert progress(record, 4, 6, root) == (
        "4 of 6 cells left, about 2 min; "
        "x/x/x/x/2: completed, valid but for latency: settled; 100/s, 2.1% errors"
    )
    # A cell that was named is all that was requested.
    assert progress(record, 0, 1, root).startswith("0 of 1 cells left; x/x/x/x/2: completed")
    # In the first session nothing is known.
    told = progress(record, 4, 6, tmp_path / "none/cells")
    assert told.startswith("4 of 6 cells left; x/x/x/x/2:")
    record["validity"]["valid"] = False
    assert "completed, invalid: settled" in progress(record, 4, 6, root)
    record |= {"sweep": {"calibrated_per_s": 512.3}}
    record["load"]["throughput_per_s"] = None
    assert progress(record, 4, 6, root).endswith("; capacity about 512/s, 2.1% errors")
