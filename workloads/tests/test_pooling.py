"""Slices become a cell: sums, means, peaks; latencies are those of included slices."""

import gzip
from collections import Counter
from unittest.mock import ANY

import pytest

from workloads.record import pooling, slice_rules
from workloads.record.latencies import HISTOGRAMS, MIXED_IN, SAMPLES, WITHOUT_LAG, hgrm, rows_in
from workloads.record.slice import PROFILED, Beside

CORRECTED = HISTOGRAMS[0]


def change(shift):
    return {"p_value": 0.001, "at": 0.5, "shift": shift}


@pytest.fixture
def load_of(make_slice):
    """The load of a cell whose slices have these changes."""
    return lambda *loads: pooling.load_of([make_slice(load=each) for each in loads])


def server_of(slices):
    return pooling.server_of(slices[0].live, slices)


def write_histogram(done, name, counts):
    """Leaves one of a slice, in which each latency was seen so often."""
    total_ms = sum(value_ms * count for value_ms, count in counts.items())
    (done.folder / name).write_text(hgrm(Counter(counts), total_ms, max(counts)))


def test_counts_are_added_and_rates_are_means_over_time(load_of):
    short = {"duration_s": 1.0, "answers_per_s": 100.0, "throughput_per_s": 90.0}
    long = {"duration_s": 3.0, "answers_per_s": 200.0, "throughput_per_s": 190.0}
    short |= {"requests_recorded": 100, "errors": {"timeout": 1}, "latency_mean_ms": 10.0}
    short |= {"reconnects": 1}
    long |= {"requests_recorded": 400, "errors": {"timeout": 2, "reset": 3}, "error_share": 0.06}
    long |= {"latency_mean_ms": 30.0, "latency_min_ms": 7.0, "users_alive": 6.0, "reconnects": 2}
    load = load_of(short, long)
    assert (load["requests_recorded"], load["duration_s"]) == (500, 4.0)
    assert (load["in_flight_at_end"], load["responses_2xx"], load["reconnects"]) == (4, 196, 3)
    assert load["errors"] == {"timeout": 3, "reset": 3}
    assert load["answers_per_s"] == pytest.approx((100 + 3 * 200) / 4)
    assert load["throughput_per_s"] == pytest.approx((90 + 3 * 190) / 4)
    assert load["users_alive"] == pytest.approx((10 + 3 * 6) / 4)
    # Latencies are over requests, and so is the share of errors.
    assert load["latency_mean_ms"] == pytest.approx((100 * 10 + 400 * 30) / 500)
    assert load["error_share"] == pytest.approx((100 * 0.02 + 400 * 0.06) / 500)
    assert (load["latency_min_ms"], load["concurrency_offered"]) == (7.0, 10)
    # From the first start to the last end, in whatever order.
    assert (load["start_epoch_s"], load["end_epoch_s"]) == (110, 121)
    assert (load["requests_offered"], load["offered_per_s"]) == (None, None)


def test_slices_without_an_answer_have_no_latency_and_fail_whole(load_of):
    nothing = {"requests_recorded": 0, "latency_mean_ms": None, "latency_min_ms": None}
    load = load_of(*[nothing | {"error_share": 1.0}] * 2)
    assert (load["latency_mean_ms"], load["latency_min_ms"], load["error_share"]) == (None, None, 1)


@pytest.mark.parametrize(
    ("reasons", "expected"),
    [
        (["late", ""], ""),
        (["", "late", "full"], "late"),
    ],
)
def test_generator_is_the_limit_where_it_was_in_most_slices(load_of, reasons, expected):
    load = load_of(*({"limited_by_generator": reason} for reason in reasons))
    assert load["limited_by_generator"] == expected


def test_settling_is_that_of_the_median_slice(load_of):
    changes = [*map(change, (0.5, 0.0, 0.01)), None]
    load = load_of(*({"settling": {"latency": each, "throughput": None}} for each in changes))
    agreed = change(0.01) | {"same_side": 2 / 3}
    assert load["settling"] == {"latency": agreed, "throughput": None}


def test_what_did_not_complete_or_was_profiled_is_never_pooled(make_slice):
    huge = {"requests_recorded": 10**6, "duration_s": 10.0**6, "latency_min_ms": 0.0}
    metrics = {"server_cpu_s": 10.0**6, "peak_threads": 10.0**6, "steal_share": 1.0}
    counted = {"counters": {"hits": 10**6}, "threads_started": 10**6}
    other = {"load": huge, "metrics": metrics, "after": counted}
    kept = make_slice(1)
    slices = [
        make_slice(1, **other, faults=["not_completed"]),
        kept,
        make_slice(1, PROFILED, **other),
        make_slice(2, PROFILED, **other, faults=["undisturbed"]),
    ]
    assert pooling.pooled(slices) == [kept]
    load = pooling.load_of(slices)
    assert (load["requests_recorded"], load["latency_min_ms"]) == (100, 20.0)
    counts = {"plain": 2, "counted": 1, "kept": 1, "repeated": 1, "left_out": 1}
    assert load["slices"] == counts
    server = server_of(slices)
    assert (server["cpu_s"], server["peak_threads"], server["threads_started"]) == (0.5, 20, 0)
    assert pooling.machine_of(slices)["steal_share"] == 0
    assert server["counters"] == {}


def test_disturbed_slice_counts_for_all_but_latency(make_slice):
    slow = {"answers_per_s": 50.0, "throughput_per_s": 48.0, "latency_mean_ms": 200.0}
    slow |= {"settling": {"latency": change(0.5), "throughput": None}}
    slices = [
        make_slice(1),
        make_slice(2, load=slow, metrics={"server_cpu_s": 0.7}, faults=["undisturbed"]),
    ]
    load = pooling.load_of(slices)
    assert (load["requests_recorded"], load["throughput_per_s"]) == (200, (98 + 48) / 2)
    assert server_of(slices)["cpu_s"] == 1.2
    assert load["latency_mean_ms"] == 50
    assert load["settling"]["latency"] is None
    # Users of a closed loop are in flight all the while, however slow its answers are.
    assert load["in_flight_mean"] == 100 * 50 / 1000
    assert load["slices"]["counted"] == 2
    for done, latency_ms in zip(slices, (50, 200), strict=True):
        write_histogram(done, CORRECTED, {latency_ms: 100})
    # Only those of its failures count.
    slices[1].load["responses_2xx"] = 0
    latency = pooling.latency(slices)
    assert (latency["count"], latency["right"]["p50_ms"]) == (100, 50)


@pytest.mark.parametrize("fault", ["compiled", "not_completed"])
def test_where_none_was_kept_all_plain_ones_are_pooled(make_slice, fault):
    slices = [make_slice(1, faults=[fault]), make_slice(2, faults=[fault]), make_slice(1, PROFILED)]
    load = pooling.load_of(slices)
    assert (load["requests_recorded"], load["latency_mean_ms"]) == (200, 50)
    assert (load["slices"]["counted"], load["slices"]["kept"]) == (2 * (fault == "compiled"), 0)
    assert pooling.pooled_kept(slices) == slices[:2]


def test_generator_s_cpu_is_that_of_most_slices(load_of):
    generators = ({"cpu_share": share} for share in (0.1, 0.95, 0.92))
    load = load_of(*({"generator": each} for each in generators))
    assert load["generator"]["cpu_share"] == 0.92


@pytest.mark.parametrize(("compiler_s", "marked"), [(0.36, False), (0.37, True)])
def test_cell_whose_compiler_took_much_of_the_cpu_time_is_marked(make_slice, compiler_s, marked):
    metrics = [{"server_cpu_s": 0.5, "compiler_cpu_s": 0.0}] * 2
    metrics[1] = {"server_cpu_s": 0.7, "compiler_cpu_s": compiler_s}
    slices = [make_slice(metrics=each, faults=["compiled"]) for each in metrics]
    assert server_of(slices)["compiler_marked"] is marked


def test_cpu_time_per_request_is_without_the_compilers(make_slice):
    metrics = [
        {"server_cpu_s": 0.5, "compiler_cpu_s": 0.1, "peak_threads": 21.0, "retransmits": 1.0},
        {"server_cpu_s": 0.7, "compiler_cpu_s": 0.3, "peak_threads": 33.0, "retransmits": 2.0},
    ]
    before = {"threads_started": 14, "counters": {"hits": 51}}
    counts = [({"threads_started": 10}, {"threads_started": 14}), (before, {})]
    slices = [
        make_slice(metrics=each, before=before, after=after)
        for each, (before, after) in zip(metrics, counts, strict=True)
    ]
    server = server_of(slices)
    assert server["cpu_us_per_request"] == pytest.approx(1e6 * (1.2 - 0.4) / 200)
    assert server["cpu_s"] == pytest.approx(1.2)
    assert server["compiler_share"] == pytest.approx(1 / 3)
    assert (server["peak_threads"], server["idle_threads"]) == (33, 12)
    assert (server["retransmits"], server["collections"]) == (3, 4)
    # A server that is gone counts nothing any more: none are taken away.
    assert (server["threads_started"], server["counters"]) == (4, {})
    for each in slices:
        each.metrics |= {"compiler_cpu_s": None, "compiler_share": None}
    database = server_of(slices)
    assert database["compiler_share"] is None
    assert database["cpu_us_per_request"] == pytest.approx(1e6 * 1.2 / 200)
    slices[0].accounts["after"] |= {"threads_started": None}
    assert server_of(slices)["threads_started"] is None
    slices[0].metrics["cpu_us_per_request"] = None
    assert server_of(slices)["cpu_us_per_request"] == pytest.approx(1e6 * 0.7 / 100)


def test_gaps_within_a_window_are_no_requests(make_slice):
    """The grid of pools counts half of the time between its start and its end."""
    load = {"duration_s": 0.5, "answers_per_s": 100.0, "end_epoch_s": 111.0}
    done = make_slice(load=load | {"start_epoch_s": 110.0}, metrics={"cpu_us_per_request": 4900.0})
    # The same as in the slice's own row: requests at the same rate all the while.
    assert server_of([done])["cpu_us_per_request"] == pytest.approx(4900)


def waited(make_slice, waits_ms, requests, **other):
    """A slice whose server has counted so much waiting in all requests of its load."""
    return make_slice(
        load={"counted_requests": requests},
        before={"counters": {"pool_wait_ms": 500.0, "pinned_ms": 7.0}},
        after={"counters": {"pool_wait_ms": 500.0 + waits_ms, "pinned_ms": 7.0}},
        **other,
    )


def test_counters_belong_to_all_requests_of_a_load(make_slice):
    # In the windows are 100 requests each: see conftest.py.
    slices = [waited(make_slice, 12_000.0, 200), waited(make_slice, 4_000.0, 100)]
    slices.append(waited(make_slice, 900.0, 10, kind=PROFILED))
    server = server_of(slices)
    assert server["counters"] == {"pool_wait_ms": 16_000, "pinned_ms": 0}
    assert server["counted_requests"] == 300
    # A tool may not count the requests of its warm-up.
    slices.append(waited(make_slice, 1.0, None))
    assert server_of(slices)["counted_requests"] is None


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        ([(0, 7), (100, 104)], (0, 11)),
        ([(50, 57)], (50, 57)),
        ([(None, None), (None, None)], (None, None)),
        ([(3, 7), (7, None)], (3, None)),
    ],
)
def test_rows_are_those_that_the_slices_have_left(make_slice, edges, expected):
    slices = [make_slice(before={"rows": b}, after={"rows": a}) for b, a in edges]
    profiled = make_slice(kind=PROFILED, before={"rows": 0}, after={"rows": 1000})
    assert pooling.rows_of([*slices, profiled]) == expected


def test_machine_is_the_mean_of_shares_and_the_median_of_speeds(make_slice):
    stolen = {"steal_share": 0.04, "server_steal_share": 0.08}
    metrics = [stolen | {"speed_server": 1.1}]
    metrics += [dict.fromkeys(stolen, 0.0) | {"speed_server": speed} for speed in (1.0, 3.0, None)]
    machine = pooling.machine_of([make_slice(metrics=each) for each in metrics])
    assert (machine["speed_server"], machine["steal_share"]) == (1.1, 0.01)
    assert (machine["server_steal_share"], machine["throttled"]) == (0.02, 0)
    stopped = [make_slice(metrics={"throttled": 3.0}, faults=["unthrottled"]), make_slice()]
    assert pooling.machine_of(stopped)["throttled"] == 3


def test_backend_is_the_mean_of_shares(make_slice):
    shares = ([0.2, 0.6], [0.4, 0.8])
    done = [make_slice(metrics={"backend_cpu_shares": each}) for each in shares]
    first, second = (Beside(id, None, [cpu]) for id, cpu in (("mariadb", 0), ("remote", 1)))
    found = pooling.backend_of(done, [first])
    assert found == {"id": "mariadb", "cpus": [0], "cpu_share": ANY}
    assert found["cpu_share"] == pytest.approx(0.3)
    (other,) = pooling.backend_of(done, [first, second])["others"]
    assert other == {"id": "remote", "cpus": [1], "cpu_share": pytest.approx(0.7)}
    assert pooling.backend_of(done, []) is None


def latencies_in(folder):
    return [tuple(row.values()) for row in rows_in(folder / pooling.LATENCIES_FILE)]


def leave(done, latency_ms):
    """Leaves the files of a tool in the folder of a slice: its log, samples and a histogram."""
    (done.folder / "generator.log").write_text(f"log of {done.turn.number}\n")
    with gzip.open(done.folder / SAMPLES, "wt", newline="") as file:
        file.write(f"elapsed,success,responseCode\n{latency_ms},true,200\n")
    write_histogram(done, CORRECTED, {latency_ms: 2})
    (done.folder / pooling.COMBINATIONS).write_text(f"size,mean_ms\n1,{latency_ms}\n")


def test_files_of_a_cell_are_those_of_its_slices_that_count(make_slice, live, tmp_path):
    first = [{"time_s": 1.0, "server_threads": 3.0}, {"time_s": 1.02, "server_cpu_s": 0.1}]
    slices = [
        make_slice(1, faults=["not_completed"], samples=first),
        make_slice(1, samples=[{"time_s": 2.0}]),
        make_slice(2, faults=["compiled"]),
        make_slice(1, PROFILED, samples=[{"time_s": 9.0}]),
    ]
    for done, latency_ms in zip(slices, (1.0, 20.0, 30.0, 400.0), strict=True):
        leave(done, latency_ms)
    (live.folder / "gc.log").write_text("pauses\n")
    (live.folder / pooling.THREAD_STATES).write_text("time_s,state\n120.5,plain\n140.5,profiled\n")
    out = tmp_path
    pooling.write_files(slices, out)
    table = rows_in(out / "slices.csv")
    assert [row["slice"] for row in table] == ["1", "2", "3", "4"]
    assert [row["kept"] for row in table] == ["false", "true", "false", "true"]
    # One answer of a hundred requests is no median.
    assert [row["latency_p50_ms"] for row in table] == ["inf"] * 4
    assert latencies_in(out) == [("1", "1.0", "1"), ("2", "20.0", "1"), ("3", "30.0", "1")]
    samples = [(row["slice"], row["elapsed"]) for row in rows_in(out / SAMPLES)]
    assert samples == [("2", "20.0"), ("3", "30.0")]
    assert [row["slice"] for row in rows_in(out / pooling.COMBINATIONS)] == ["2", "3"]
    # A latency is written once.
    assert not list(out.glob("*.hgrm"))
    telemetry = rows_in(out / "telemetry.csv")
    assert list(telemetry[0]) == ["slice", *pooling.COLUMNS]
    times_s = [f"{row['slice']} {row['time_s']}" for row in telemetry]
    assert times_s == ["1 1.0", "1 1.02", "2 2.0", "4 9.0"]
    assert (telemetry[1]["server_threads"], telemetry[1]["server_cpu_s"]) == ("", "0.1")
    assert (out / "generator.log").read_text() == "log of 2\nlog of 3\n"
    assert (out / "gc.log").read_text() == "pauses\n"
    assert [row["state"] for row in rows_in(out / pooling.THREAD_STATES)] == ["profiled"]
    assert not (out / "server.log.gz").exists()


def test_mix_and_latency_without_lag_are_beside_the_primary_one(make_slice, tmp_path):
    """A server that takes 2 ms; in the second slice a tenth of the requests was sent 90 ms late."""
    slices = [make_slice(number, load={"loop": "open"}) for number in (1, 2)]
    in_time, mix = {2: 100}, {"mixed_in": {"share": 0.1, "latency_mean_ms": 110.0}}
    for done, counts in zip(slices, (in_time, {2: 90, 92: 10}), strict=True):
        write_histogram(done, CORRECTED, counts)
        write_histogram(done, WITHOUT_LAG, in_time)
        write_histogram(done, MIXED_IN, {50: 40})
        done.load |= {"responses_2xx": 100, "errors": {}, "latency_mean_ms": 10.0} | mix
        done.faults = slice_rules.faults(done.outcome, done.load, done.metrics)
    assert [done.kept for done in slices] == [True, True]
    profiled = make_slice(3, PROFILED)
    write_histogram(profiled, WITHOUT_LAG, in_time)
    pooling.write_files([*slices, profiled], tmp_path)
    assert latencies_in(tmp_path) == [
        ("1", "2.0", "100", ""),
        ("2", "2.0", "90", ""),
        ("2", "92.0", "10", ""),
        ("1", "2.0", "100", "without-lag"),
        ("2", "2.0", "100", "without-lag"),
        ("1", "50.0", "40", "mixed-in"),
        ("2", "50.0", "40", "mixed-in"),
    ]
    found = pooling.latency(slices)
    assert (found["count"], found["right"]["p90_ms"], found["right"]["max_ms"]) == (280, 2, 92)
    assert (found["without_lag"]["mean_ms"], found["without_lag"]["max_ms"]) == (2, 2)
    assert found["uncorrected"] is None and found["mixed_in"]["p50_ms"] == 50
    # Requests of a mix are in flight, too.
    assert pooling.load_of(slices)["in_flight_mean"] == pytest.approx(2)
    # A failed request is slower than all others on both sides.
    slices[1].load |= {"responses_2xx": 97, "requests_recorded": 103}
    assert pooling.latency(slices)["without_lag"]["p95_ms"] == 2
    slices[1].load |= {"responses_2xx": 100, "requests_recorded": 130}
    assert pooling.latency(slices)["without_lag"]["p90_ms"] is None


def test_log_is_kept_without_the_middle_of_a_long_one(tmp_path):
    log, out = tmp_path / "server.log", tmp_path / "server.log.gz"
    log.write_text("started\nended\n")
    pooling.keep_log(log, out)
    assert gzip.decompress(out.read_bytes()) == log.read_bytes()
    log.write_text("the first line\n" + ("x" * 99 + "\n") * 80_000 + "the last line\n")
    pooling.keep_log(log, out)
    text = gzip.decompress(out.read_bytes())
    assert text.startswith(b"the first line\n") and text.endswith(b"\nthe last line\n")
    assert b"bytes are left out" in text and len(text) < 2_200_000


def test_slice_of_an_extra_round_is_one_that_was_repeated(make_slice):
    slices = [make_slice(1), make_slice(2, faults=["undisturbed"]), make_slice(3)]
    counts = pooling.load_of(slices, rounds=2)["slices"]
    assert counts == {"plain": 3, "counted": 3, "kept": 2, "repeated": 1, "left_out": 1}


def test_steps_of_a_sweep_have_counts_in_common_and_no_rates(make_slice):
    slices = [
        make_slice(step, load={"sustained": True, "offered_per_s": 100.0, "served_per_s": 99.0})
        for step in (1, 2)
    ]
    load = pooling.load_of(slices)
    assert (load["requests_recorded"], load["duration_s"]) == (200, 2)
    for name in ("answers_per_s", "throughput_per_s", "latency_mean_ms", "offered_per_s"):
        assert load[name] is None
