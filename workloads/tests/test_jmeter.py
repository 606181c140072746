"""Loads from JMeter's samples, and the line that asks its driver for them."""

import base64
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from workloads.record.latencies import SAMPLES, rows_in
from workloads.tools import jmeter

PLAN = jmeter.FOLDER / "plan.jmx"
SERVER = SimpleNamespace(address="127.0.0.1", port=8080)
SPEC = {
    "study": {"verify_path": "/jmeter/test", "body_bytes": 42},
    "tier": {"path": "/work?sleep_ms=100&cpu_us=0"},
    "testbed": {"request_timeout_s": 10, "load_limit_s": 120},
    "tool": {"users": 2, "ramp_up_s": 1, "loops": 2, "jvm_options": ["-Xmx2g"]},
}
HEADER = "timeStamp,elapsed,label,responseCode,success,bytes,sentBytes,grpThreads,allThreads"
HEADER += ",Latency,IdleTime,Connect"
ROWS = [
    "1000,100,request,200,true,144,128,2,2,100,0,1",
    "1050,110,request,200,true,144,128,2,2,110,0,1",
    "1100,5,request,503,false,99,128,2,2,5,0,0",
    "1160,40,request,Non HTTP response code: org.apache.http.conn.HttpHostConnectException,"
    "false,0,0,2,2,0,0,40",
]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / jmeter.RAW).write_text("\n".join([HEADER, *ROWS]) + "\n")
    return tmp_path


def collected(folder, **tool):
    return jmeter.collect(SPEC | {"tool": SPEC["tool"] | tool}, folder, (0, 0))


def test_summary_counts_what_was_asked_answered_and_refused(folder):
    load = collected(folder)
    assert (load["requests_offered"], load["requests_recorded"]) == (4, 4)
    assert (load["responses_2xx"], load["bodies_right"]) == (2, 2)
    assert load["errors"] == {"http_503": 1, "connect_refused": 1}
    assert load["error_share"] == 0.5
    # from the first start, 1.000 s, to the last end, 1.160 + 0.040 s
    assert load["duration_s"] == pytest.approx(0.2)
    assert load["throughput_per_s"] == pytest.approx(10)
    assert load["received_bytes"] == 144 + 144 + 99
    assert load["latency_min_ms"] == 100
    assert [row["elapsed"] for row in rows_in(folder / SAMPLES)] == ["100", "110", "5", "40"]
    assert not (folder / jmeter.RAW).exists()


def test_line_that_was_cut_off_is_left_out(folder):
    (folder / jmeter.RAW).write_text("\n".join([HEADER, *ROWS])[:-60])
    assert collected(folder)["requests_recorded"] == 3


def test_users_are_averaged_over_the_time_of_the_load():
    columns = ("timeStamp", "elapsed", "allThreads")
    rows = [(1000, 100, 4), (1050, 250, 2), (1100, 300, 1)]
    samples = [dict(zip(columns, map(str, row), strict=True)) for row in rows]
    # 4 users for 100 ms, 2 for 200 ms, 1 for 100 ms
    assert jmeter.users_alive(samples) == pytest.approx((400 + 400 + 100) / 400)
    assert jmeter.users_alive([]) is None


def test_load_for_a_time_counts_what_ended_within_it(folder):
    load = collected(folder, warm_up_s=0, duration_s=0.15)
    # from 1.000 to 1.150 s; the second answer came at 1.160, the fourth request began at 1.160
    assert (load["requests_offered"], load["concurrency_offered"]) == (None, 2)
    assert (load["requests_recorded"], load["in_flight_at_end"]) == (2, 1)
    # The fourth request was refused, and no connection of it reached the server.
    assert (load["answers_in_warm_up"], load["counted_requests"]) == (0, 3)
    assert load["latency_mean_ms"] == pytest.approx((100 + 5) / 2)
    found = (load["duration_s"], load["throughput_per_s"])
    assert found == pytest.approx((0.15, 1 / 0.15))


def asked_for(**tool):
    folder, *words = jmeter.fields(SPEC | {"tool": SPEC["tool"] | tool}, SERVER, Path("/out"))
    assert folder == "/out"
    return dict(word.split("=", 1) for word in words)


def test_a_load_for_a_time_lasts_whole_seconds_and_no_less():
    given = asked_for(warm_up_s=0.5, duration_s=1.25)
    assert (given["loops"], given["duration_s"], given["delay_s"]) == ("-1", "2", "1")
    counted = asked_for(ramp_up_s=0)
    assert (counted["loops"], counted["duration_s"], counted["delay_s"]) == ("2", "120", "0")


def test_warm_up_of_a_load_for_a_time_is_left_out(folder):
    load = collected(folder, duration_s=0.05, warm_up_s=0.102)
    # from 1.102 to 1.152 s: the first answer came at 1.100, the second at 1.160
    assert (load["requests_recorded"], load["in_flight_at_end"]) == (1, 1)
    assert load["answers_in_warm_up"] == 1
    assert (load["start_epoch_s"], load["end_epoch_s"]) == (1.102, 1.152)


def test_no_samples_at_all_is_all_errors(tmp_path):
    (tmp_path / jmeter.RAW).write_text(HEADER + "\n")
    load = collected(tmp_path)
    assert (load["requests_recorded"], load["throughput_per_s"], load["error_share"]) == (0, 0, 1)
    assert (load["counted_requests"], load["latency_mean_ms"]) == (0, None)


JAVA = "Non HTTP response code: java.net"


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("200", "body_wrong"),
        ("404", "http_404"),
        (f"{JAVA}.SocketTimeoutException", "timeout"),
        (f"{JAVA}.NoHttpResponseException", "closed_early"),
        (f"{JAVA}.SocketException", "reset"),
        (f"{JAVA}.BindException", "ports_exhausted"),
        (f"{JAVA}.IllegalStateException", "other"),
    ],
)
def test_error_kinds(code, kind):
    assert jmeter.error_kind(code) == kind


def test_every_property_of_the_plan_is_given_and_no_other():
    used = set(re.findall(r"\$\{__P\((\w+)\)\}", PLAN.read_text()))
    assert set(asked_for()) == used
    assert set(asked_for(warm_up_s=1, duration_s=1)) == used


def test_where_answers_vary_every_length_is_right(folder):
    spec = SPEC | {"study": {"verify_path": "/"}}
    words = jmeter.fields(spec, SERVER, Path("/out"))
    assert {"body_bytes=0", "body_bytes_are=5"} <= set(words)
    assert asked_for()["body_bytes"] == "42" and "body_bytes_are" not in asked_for()
    assert jmeter.collect(spec, folder, (0, 0))["bodies_right"] is None


def test_a_body_is_posted_as_json():
    text = base64.b64decode(asked_for(body='{"a": 1}')["requests"])
    page = SPEC["tier"]["path"]
    assert text.decode() == f'POST {page}\nContent-Type: application/json\n\n{{"a": 1}}'
