"""Lines on the terminal: the time that is left, and the ratio of a cell to its baseline."""

import json
import math

import pytest

from workloads.record.slice import PROFILED
from workloads.session.progress import in_words, log_ratios, progress, ratios, typical_cell_s


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


def slices_of(make_slice, values, **changed):
    """A slice a round with this throughput and CPU time per request."""
    return [
        make_slice(
            round, load={"throughput_per_s": v}, metrics={"cpu_us_per_request": v}, **changed
        )
        for round, v in enumerate(values, start=1)
    ]


def throughput(each):
    return each.load["throughput_per_s"]


def test_ratio_is_of_slices_of_the_same_round(make_slice):
    mode = slices_of(make_slice, (20.0, 60.0, 5.0))
    baseline = slices_of(make_slice, (10.0, 20.0))
    found = log_ratios(mode, baseline, throughput)
    assert sorted(math.exp(each) for each in found) == pytest.approx([2, 3])


def test_what_did_not_complete_or_was_profiled_has_no_part_in_it(make_slice):
    baseline = slices_of(make_slice, (10.0, 10.0))
    left_out = slices_of(make_slice, (900.0,), faults=["not_completed"])
    profiled = slices_of(make_slice, (900.0,), kind=PROFILED)
    repeated = slices_of(make_slice, (20.0, 0.0))
    found = log_ratios([*repeated, *left_out, *profiled], baseline, throughput)
    # A round without an answer has no ratio either.
    assert [math.exp(each) for each in found] == pytest.approx([2])


def test_round_without_a_positive_value_has_no_ratio(make_slice):
    mode, baseline = slices_of(make_slice, [0.0, -2.0, 6.0]), slices_of(make_slice, [1.0, 1.0, 3.0])
    assert log_ratios(mode, baseline, throughput) == [math.log(2)]
    assert log_ratios(baseline, mode, throughput) == [math.log(1 / 2)]


def test_ratio_has_its_interval_or_is_of_one_round():
    # Mean 0.2, standard error 0.1 x sqrt(3) / 3: of three values, t is 4.303.
    reach = 4.303 * 0.1 / math.sqrt(3)
    low, high = math.exp(0.2 - reach), math.exp(0.2 + reach)
    expected = f"{math.exp(0.2):.3g} [{low:.3g}, {high:.3g}] (3 rounds)"
    assert in_words([0.1, 0.2, 0.3]) == expected
    assert in_words([math.log(0.02)]) == "0.02 (one round)"
    assert in_words([]) == "no round in which both slices count"


def test_ratios_are_printed_for_each_statistic(make_slice):
    mode = slices_of(make_slice, (20.0, 20.0, 20.0))
    baseline = slices_of(make_slice, (10.0, 10.0, 10.0))
    # A disturbed slice has no part in the ratio of latencies alone.
    mode[0].faults = ["undisturbed"]
    text = ratios(mode, baseline)
    assert "throughput: 2 [2, 2] (3 rounds)" in text
    assert "CPU time per request: 2 [2, 2] (3 rounds)" in text
    # Requests failed, and none has left a latency.
    assert "p99 of latency: no round in which both slices count" in text
    for each in (*mode, *baseline):
        each.latencies_ms = {"latency_p99_ms": 5.0}
    assert "p99 of latency: 1 [1, 1] (2 rounds)" in ratios(mode, baseline)
