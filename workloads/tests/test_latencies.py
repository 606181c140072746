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


def up_to(most):
    """A request for each number of milliseconds from 1 on."""
    return Counter(map(float, range(1, most + 1)))


def load_of(requests, right=None, **errors):
    right = requests if right is None else right
    return {"requests_recorded": requests, "responses_2xx": right, "errors": errors}


def test_percentiles_are_nearest_rank():
    steps = up_to(100)
    shares = (0.5, 0.9, 0.99, 0.991, 0.999, 1.0)
    assert [percentile(steps, share) for share in shares] == [50, 90, 99, 100, 100, 100]
    assert percentile(Counter({3.0: 1}), 0.5) == 3
    # The 999th of 1000 values, whatever 0.999 x 1000 is in binary.
    assert percentile(up_to(1000), 0.999) == 999
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


def folders_with(tmp_path, *lists, name="latency-corrected.hgrm"):
    for number, values in enumerate(lists):
        folder = tmp_path / f"slice-{number}"
        folder.mkdir(parents=True)
        text = hgrm(Counter(values), sum(values), max(values, default=0))
        (folder / name).write_text(text)
        yield folder


def write_samples(folder, columns, rows):
    with gzip.open(folder / SAMPLES, "wt", newline="") as file:
        csv.writer(file).writerows([columns, *rows])


def test_latencies_of_a_closed_loop_are_those_of_right_answers(tmp_path):
    rows = [(10, "true", "200"), (20, "true", "200")]
    rows += [(900, "false", "200"), (1, "false", "503"), (2, "true", "302")]
    write_samples(tmp_path, ("elapsed", "success", "responseCode"), rows)
    found = latencies_ms(tmp_path, load_of(5, 3))
    percentiles = ("p50", "p90", "p99", "p99_9")
    assert found == {f"latency_{name}_ms": math.inf for name in percentiles}
    assert latencies_ms(tmp_path, load_of(2))["latency_p99_ms"] == 20


def test_primary_latency_of_an_open_loop_counts_from_when_it_was_due(tmp_path):
    for name, value in (("latency-uncorrected.hgrm", 1.0), ("latency-corrected.hgrm", 5.0)):
        (tmp_path / name).write_text(hgrm(Counter({value: 9}), 9 * value, value))
    assert latencies_ms(tmp_path, load_of(9))["latency_p50_ms"] == 5
    assert set(latencies_ms(tmp_path / "nothing", load_of(9)).values()) == {None}


def test_p99_without_lag_counts_failures_as_the_primary_one_does(tmp_path):
    assert p99_without_lag_ms(tmp_path, load_of(100)) is None
    (tmp_path / WITHOUT_LAG).write_text(hgrm(Counter({5.0: 98, 9.0: 2}), 508, 9.0))
    assert p99_without_lag_ms(tmp_path, load_of(100)) == 9
    assert p99_without_lag_ms(tmp_path, load_of(102, 100)) == math.inf


def test_failed_requests_are_slower_than_all_others():
    steps = up_to(990)
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
    (folder,) = folders_with(tmp_path, up_to(100))
    found = latencies_ms(folder, load_of(102, 95, http_5xx=5, timeout=2))
    assert (found["latency_p50_ms"], found["latency_p90_ms"]) == (5 + 51, 5 + 92)


def test_latency_of_a_cell_is_that_of_all_slices_together(tmp_path):
    folders = list(folders_with(tmp_path, up_to(60), up_to(100) - up_to(60)))
    load = load_of(100) | {"duration_s": 2.0}
    found = latency_of(folders, load)
    assert (found["count"], found["lasted_s"]) == (100, 2.0)
    right = found["right"]
    assert [right[f"{name}_ms"] for name in ("min", "p50", "p90", "max")] == [1, 50, 90, 100]
    # Five requests lie beyond the 95th percentile of 100, and ten are needed.
    assert right["p95_ms"] is None
    assert right["mean_ms"] == pytest.approx(50.5, abs=0.001)
    assert right["sd_ms"] == pytest.approx(28.866, abs=0.001)
    assert found["all"] is None and found["uncorrected"] is None
    # Ten requests that failed are slower than all answers.
    assert latency_of(folders, load | {"requests_recorded": 110})["right"]["p90_ms"] == 99
    # With one more, they reach it.
    assert latency_of(folders, load | {"requests_recorded": 112})["right"]["p90_ms"] is None
    assert latency_of([tmp_path / "none"], load) is None


def test_latency_of_samples_counts_right_answers_and_all_of_them(tmp_path):
    rows = [(0, 10, 200, "true"), (5, 20, 200, "true"), (40, 60, 500, "false")]
    write_samples(tmp_path, ("timeStamp", "elapsed", "responseCode", "success"), rows)
    found = latency_of([tmp_path], {"requests_recorded": 3})
    assert found["right"]["mean_ms"] == 15 and found["right"]["max_ms"] == 20
    assert found["all"]["mean_ms"] == 30 and found["all"]["max_ms"] == 60
    # From the first start to the last end.
    assert (found["count"], found["lasted_s"]) == (3, 0.1)
