"""Percentiles and pooled histograms: the same as of all latencies together."""

import csv
import gzip
import math
from collections import Counter

import pytest

from workloads.record.latencies import (
    SAMPLES,
    WITHOUT_LAG,
    footer,
    hgrm,
    latencies_ms,
    latency_of,
    p99_without_lag_ms,
    percentile,
    read_hgrm,
)


def test_percentiles_are_nearest_rank():
    steps = Counter({float(value): 1 for value in range(1, 101)})
    shares = (0.5, 0.9, 0.99, 0.991, 0.999, 1.0)
    assert [percentile(steps, share) for share in shares] == [50, 90, 99, 100, 100, 100]
    assert percentile(Counter({3.0: 1}), 0.5) == 3
    # The 999th of 1000 values, whatever 0.999 x 1000 is in binary.
    assert percentile(Counter({float(value): 1 for value in range(1, 1001)}), 0.999) == 999
    assert percentile(Counter(), 0.5) is None


def test_histogram_is_read_as_it_was_written():
    steps = Counter({0.25: 3, 1.5: 1, 40.0: 2})
    text = hgrm(steps, sum_ms=82.3, max_ms=40.7)
    assert read_hgrm(text) == steps
    assert footer(text, "Total count") == 6
    assert footer(text, "Mean") == pytest.approx(82.3 / 6, abs=0.0005)
    assert footer(text, "Max") == 40.7
    assert read_hgrm(hgrm(Counter(), 0, 0)) == Counter()
    assert footer("", "Mean") == 0


def folders_with(tmp_path, name, lists, step_ms):
    """A slice's folder for each list of latencies, as steps of a histogram, rounded up."""
    for number, values in enumerate(lists):
        folder = tmp_path / f"slice-{number}"
        folder.mkdir()
        steps = Counter(-(-value // step_ms) * step_ms for value in values)
        (folder / name).write_text(hgrm(steps, sum(values), max(values, default=0)))
        yield folder


def test_latencies_of_a_closed_loop_are_those_of_right_answers(tmp_path):
    rows = [(10, "true", "200"), (20, "true", "200")]
    rows += [(900, "false", "200"), (1, "false", "503"), (2, "true", "302")]
    with gzip.open(tmp_path / SAMPLES, "wt", newline="") as file:
        writer = csv.writer(file)
        writer.writerows([("elapsed", "success", "responseCode"), *rows])
    found = latencies_ms(tmp_path, {"requests_recorded": 5, "responses_2xx": 3, "errors": {}})
    assert found == {
        "latency_p50_ms": math.inf,
        "latency_p90_ms": math.inf,
        "latency_p99_ms": math.inf,
        "latency_p99_9_ms": math.inf,
    }
    two_right = {"requests_recorded": 2, "responses_2xx": 2, "errors": {}}
    assert latencies_ms(tmp_path, two_right)["latency_p99_ms"] == 20


def test_primary_latency_of_an_open_loop_counts_from_when_it_was_due(tmp_path):
    for name, value in (("latency-uncorrected.hgrm", 1.0), ("latency-corrected.hgrm", 5.0)):
        (tmp_path / name).write_text(hgrm(Counter({value: 9}), 9 * value, value))
    load = {"requests_recorded": 9, "responses_2xx": 9, "errors": {}}
    assert latencies_ms(tmp_path, load)["latency_p50_ms"] == 5
    assert set(latencies_ms(tmp_path / "nothing", load).values()) == {None}


def test_p99_without_lag_counts_failures_as_the_primary_one_does(tmp_path):
    load = {"requests_recorded": 100, "responses_2xx": 100, "errors": {}}
    assert p99_without_lag_ms(tmp_path, load) is None
    (tmp_path / WITHOUT_LAG).write_text(hgrm(Counter({5.0: 98, 9.0: 2}), 508, 9.0))
    assert p99_without_lag_ms(tmp_path, load) == 9
    assert p99_without_lag_ms(tmp_path, load | {"requests_recorded": 102}) == math.inf


def test_failed_requests_are_slower_than_all_others():
    steps = Counter({float(value): 1 for value in range(1, 991)})
    assert percentile(steps, 0.99) == 981
    # Ten of 1000 requests failed: the slowest that was answered is the 990th.
    assert percentile(steps, 0.99, failed=10) == 990
    assert percentile(steps, 0.5, failed=10) == 500
    # Five of them were answered quickly, with another status than 2xx.
    assert percentile(steps, 0.5, failed=5, quick=5) == 500
    assert percentile(steps, 0.5, failed=10, quick=5) == 503
    # More failed than the percentile leaves out: no time was long enough.
    assert percentile(steps, 0.99, failed=11) == math.inf
    assert percentile(Counter(), 0.5, failed=1) == math.inf


def test_failures_of_an_open_loop_are_told_by_their_kind(tmp_path):
    (tmp_path / "latency-corrected.hgrm").write_text(
        hgrm(Counter({float(value): 1 for value in range(1, 101)}), 5050.0, 100.0)
    )
    load = {"requests_recorded": 102, "responses_2xx": 95}
    load["errors"] = {"http_5xx": 5, "timeout": 2}
    assert latencies_ms(tmp_path, load)["latency_p50_ms"] == 5 + 51
    assert latencies_ms(tmp_path, load)["latency_p90_ms"] == 5 + 92


def test_latency_of_a_cell_is_that_of_all_slices_together(tmp_path):
    lists = [[float(ms) for ms in range(1, 61)], [float(ms) for ms in range(61, 101)]]
    folders = list(folders_with(tmp_path, "latency-corrected.hgrm", lists, 1.0))
    load = {"requests_recorded": 100, "responses_2xx": 100, "errors": {}, "duration_s": 2.0}
    found = latency_of(folders, load)
    assert (found["count"], found["lasted_s"], found["resolution_ms"]) == (100, 2.0, 0.001)
    right = found["right"]
    assert [right[f"{name}_ms"] for name in ("min", "p50", "p90", "max")] == [1, 50, 90, 100]
    # Five requests lie beyond the 95th percentile of 100.
    assert right["p95_ms"] is right["p99_ms"] is None
    assert right["mean_ms"] == pytest.approx(50.5, abs=0.001)
    assert right["sd_ms"] == pytest.approx(28.866, abs=0.001)
    assert found["all"] is None and found["uncorrected"] is None
    # Ten requests that failed are slower than all answers.
    failed = load | {"requests_recorded": 110}
    assert latency_of(folders, failed)["right"]["p90_ms"] == 99
    # With one more, they reach it.
    assert latency_of(folders, load | {"requests_recorded": 112})["right"]["p90_ms"] is None
    assert latency_of([tmp_path / "none"], load) is None


def test_percentile_of_a_cell_has_ten_requests_beyond_it(tmp_path):
    for requests, known in ((999, False), (1000, True)):
        (tmp_path / f"{requests}").mkdir()
        lists = [[float(ms) for ms in range(1, requests + 1)]]
        folders = list(folders_with(tmp_path / f"{requests}", "latency.hgrm", lists, 1.0))
        load = dict.fromkeys(("requests_recorded", "responses_2xx"), requests)
        right = latency_of(folders, load | {"errors": {}, "duration_s": 1.0})["right"]
        assert (right["p99_ms"] == 990) is known and (right["p99_ms"] is None) is not known
        # A slice has them all.
        assert latencies_ms(folders[0], load | {"errors": {}})["latency_p99_9_ms"] is not None


def test_latency_of_samples_counts_right_answers_and_all_of_them(tmp_path):
    rows = [(0, 10, "200"), (5, 20, "200"), (40, 60, "500")]
    with gzip.open(tmp_path / SAMPLES, "wt", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["timeStamp", "elapsed", "responseCode", "success"])
        writer.writerows((at, ms, code, str(code == "200").lower()) for at, ms, code in rows)
    found = latency_of([tmp_path], {"requests_recorded": 3})
    assert found["right"]["mean_ms"] == 15 and found["right"]["max_ms"] == 20
    assert found["all"]["mean_ms"] == 30 and found["all"]["max_ms"] == 60
    # From the first start to the last end.
    assert (found["count"], found["lasted_s"]) == (3, 0.1)
