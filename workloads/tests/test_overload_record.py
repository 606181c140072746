"""Tables of an overload: answers in time by load and by second, and what the heap holds."""

import math

import pytest

from workloads.record import overload, pooling
from workloads.record.latencies import rows_in
from workloads.record.overload import heap_rows, overload_row, second_rows

ANSWERS = """due_s,latency_us,count
0,20000.000,9
0,1500000.000,1
1,2000000.000,4
1,2000001.000,3
1,9000000.000,2
"""
# In second 1, one of ten requests failed; the last of the second interval came due in second 1.
COURSE = """time_s,due,sent,completed,errors,p50_us,p99_us,max_us
0,10,10,9,0,,,
0.99,0,0,0,0,,,
1,9,8,0,0,,,
1.99,1,2,4,0,,,
2.5,0,0,6,0,,,
3,0,0,0,1,,,
"""
LOAD = {"start_epoch_s": 1_764_140_400.0, "end_epoch_s": 1_764_140_402.0, "requests_offered": 20}
LOAD |= {"errors": {"http_5xx": 1}, "capacity_per_s": 10.5, "objective_ms": 2000}
LOAD["steps"] = [[0.5, 1], [1.5, 1]]
ACCOUNTS = {"answered_after_s": 0.25, "watched_to_epoch_s": 1_764_140_404.0}
YOUNG, FULL = "Pause Young (Allocation Failure)", "Pause Full (Allocation Failure)"
GC = "".join(
    f"[2025-11-26T07:00:0{second}+0000][9.5s][info][gc] GC(7) {said}ms\n"
    for second, said in (
        ("0.500", f"{YOUNG} 200M->50M(490M) 12.500"),
        ("1.995", f"{FULL} 480M->470M(490M) 400.000"),
        ("1.996", "Concurrent Mark 5.000"),
        ("3.500", f"{FULL} 480M->477M(490M) 410.000"),
        ("9.000", f"{YOUNG} 300M->50M(490M) 9.000"),
    )
)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / overload.ANSWERS).write_text(ANSWERS)
    (tmp_path / overload.COURSE).write_text(COURSE)
    (tmp_path / "gc.log").write_text(GC)
    return tmp_path


def test_answers_in_time_are_counted_for_the_users_and_for_any_time_out(folder):
    row = overload_row(folder, LOAD, ACCOUNTS)
    assert (row["due"], row["in_time"], row["refused"]) == (20, 14, 1)
    assert row["steps"] == "0.5x1 1.5x1"
    assert (row["capacity_per_s"], row["answered_after_s"]) == (10.5, 0.25)
    limits = [row[f"within_{limit_s}_s"] for limit_s in overload.TIME_OUTS_S]
    # A time-out is met to the microsecond.
    assert limits == [9, 14, 17, 17, 17, 17, 17, 17, 19, 19]
    hung = ACCOUNTS | {"answered_after_s": None}
    assert overload_row(folder, LOAD, hung)["answered_after_s"] is None


def test_seconds_are_those_in_which_requests_were_due(folder):
    def seconds(*keys):
        return [tuple(row[key] for key in keys) for row in second_rows(folder, 2000)]

    assert seconds("second", "due", "right", "in_time") == [(0, 10, 10, 10), (1, 10, 9, 4)]
    # One of ten has failed: it is slower than all others.
    assert seconds("p50_ms", "p99_ms") == [(20, 1500), (2000.001, math.inf)]
    # Without an answer there is no time.
    (folder / overload.ANSWERS).write_text("due_s,latency_us,count\n")
    assert seconds("right", "in_time", "p50_ms") == [(0, 0, math.inf)] * 2


def test_collections_are_those_until_the_server_was_asked_again(folder):
    rows = list(heap_rows(folder / "gc.log", folder, LOAD, ACCOUNTS))
    keys = ("time_s", "kind", "after_mib", "in_flight")
    # Requests in flight at the last are not known: one that failed may still be held.
    assert [tuple(row[key] for key in keys) for row in rows] == [
        (0.5, "young", 50, 1),
        (1.995, "full", 470, 7),
        (3.5, "full", 477, None),
    ]
    assert list(heap_rows(folder / "no.log", folder, LOAD, ACCOUNTS)) == []


OTHER_COLLECTORS = (
    ("Minor Collection (Allocation Rate) 118M(92%)->44M(34%) 0.021s", "minor", 44),
    ("Major Collection (Proactive) 90M(9%)->38M(4%) 0.120s", "major", 38),
    ("Major Collection (Proactive)", None, None),
    ("Pause Young (Normal) (G1 Evacuation Pause) 24M->5M(128M) 3.250ms", "young", 5),
    ("Pause Full (G1 Compaction Pause) 127M->90M(128M) 80.000ms", "full", 90),
    ("Pause Remark 44M->44M(128M) 2.000ms", None, None),
)


@pytest.mark.parametrize(("said", "kind", "after_mib"), OTHER_COLLECTORS)
def test_collections_are_those_of_each_collector(folder, said, kind, after_mib):
    log = f"[2025-11-26T07:00:01.000+0000][9.5s][info][gc] GC(7) {said}\n"
    (folder / "gc.log").write_text(log)
    rows = list(heap_rows(folder / "gc.log", folder, LOAD, ACCOUNTS))
    found = [(row["kind"], row["after_mib"]) for row in rows]
    assert found == ([(kind, after_mib)] if kind else [])


def test_cell_of_an_overload_has_its_tables_of_all_loads(make_slice, tmp_path):
    slices = [make_slice(1, load=LOAD), make_slice(2, load=LOAD, faults=["not_completed"])]
    for done in slices:
        (done.folder / overload.ANSWERS).write_text(ANSWERS)
        (done.folder / overload.COURSE).write_text(COURSE)
    (slices[0].live.folder / "gc.log").write_text(GC)
    pooling.write_files(slices, tmp_path)
    tables = {"overloads.csv": 2, "seconds.csv": 4, "heap.csv": 4}
    assert {name: len(rows_in(tmp_path / name)) for name in tables} == tables
