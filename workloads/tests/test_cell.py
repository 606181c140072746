"""cell.json: pauses within the slices, outcomes, profiles, and records that are wrong."""

import json
from types import SimpleNamespace

import pytest
from jsonschema import ValidationError

from workloads.record import cell_folder
from workloads.record.cell import digest, measured, profile_of, silent
from workloads.record.load import gc_pauses, nothing_sent
from workloads.record.slice import PROFILED

LINE = "[2026-11-20T12:37:3{s}.500+0000][7.0s][info][gc] GC(0) {what} {ms}ms\n"
YOUNG = "Pause Young (Allocation Failure) 8M->1M(9M)"
# 2026-11-20T12:37:30Z
START_S = 1795178250.0
SPEC = {
    "testbed": {"profiler": {"event": "itimer", "interval_ms": 10}},
    "slices": {"rounds": 2},
}
TOOL = SimpleNamespace(LOOP="open", generator=lambda spec: {"name": "a tool", "version": "1"})


def test_only_pauses_within_the_load_count(tmp_path):
    log = tmp_path / "gc.log"
    log.write_text(
        LINE.format(s=1, what=YOUNG, ms="4.5")
        + LINE.format(s=2, what=YOUNG, ms="1.5")
        + LINE.format(s=3, what="Pause Full (System.gc()) 8M->1M(9M)", ms="2.0")
        + LINE.format(s=3, what="Concurrent Mark", ms="9.0")
    )
    load = {"start_epoch_s": START_S + 2, "end_epoch_s": START_S + 4}
    assert gc_pauses(log, load) == {"gc_pauses": 2, "gc_pause_ms": 3.5}
    assert gc_pauses(tmp_path / "none", load) == {"gc_pauses": 0, "gc_pause_ms": 0}


def test_pauses_between_slices_do_not_count(make_slice, live):
    windows = [{"start_epoch_s": START_S + s, "end_epoch_s": START_S + s + 1} for s in (1, 3, 4, 5)]
    slices = [
        make_slice(1, load=windows[0]),
        make_slice(2, load=windows[1]),
        make_slice(3, load=windows[2], faults=["not_completed"]),
        make_slice(1, PROFILED, load=windows[3]),
    ]
    live.subject.profile = lambda folder, asked: {"file": None}
    (live.folder / "gc.log").write_text(
        "".join(LINE.format(s=s, what=YOUNG, ms=f"{s}.0") for s in range(7))
    )
    server = measured(SPEC, TOOL, slices)["server"]
    assert (server["gc_pauses"], server["gc_pause_ms"]) == (2, 1 + 3)


def test_outcome_is_that_of_the_slice_that_did_not_complete(make_slice, live):
    live.subject.profile = lambda folder, asked: {"file": None}
    died = make_slice(2, outcome="server_died", reason="exit status 1", faults=["not_completed"])
    died.accounts["body"] = b""
    record = measured(SPEC, TOOL, [make_slice(1), died])
    assert (record["outcome"], record["outcome_reason"]) == ("server_died", "exit status 1")
    assert (record["answers"]["before"], record["answers"]["after"]) == (digest(b"ok"), "")
    # Its answers before it died still count.
    assert record["load"]["requests_recorded"] == 100
    fine = measured(SPEC, TOOL, [make_slice(1), make_slice(2)])
    assert (fine["outcome"], fine["answers"]["after"]) == ("completed", digest(b"ok"))


def test_profile_is_of_the_last_profiled_slice_that_was_kept_with_its_window(make_slice, live):
    asked = []
    live.subject.profile = lambda folder, options: asked.append(folder) or {"file": "profile.jfr"}
    assert profile_of(SPEC, [make_slice()]) == {"file": None}
    slices = [make_slice(number, PROFILED) for number in (1, 2, 3)] + [make_slice(2)]
    slices[2].faults = ["compiled"]
    start_s, end_s = slices[1].window
    expected = {"file": "profile.jfr", "start_epoch_s": start_s, "end_epoch_s": end_s}
    assert profile_of(SPEC, slices) == expected | {"slices": 3, "kept": 2}
    assert asked == [slices[1].folder]
    live.subject.profile = lambda folder, options: {"file": None}
    assert profile_of(SPEC, slices) == {"file": None, "slices": 3, "kept": 2}


def test_profile_of_slices_that_were_all_left_out_is_there_and_says_so(make_slice, live):
    live.subject.profile = lambda folder, options: {"file": "profile.jfr"}
    slices = [make_slice(1), *(make_slice(n, PROFILED, faults=["compiled"]) for n in (1, 2))]
    found = profile_of(SPEC, slices)
    assert (found["slices"], found["kept"]) == (2, 0)
    assert found["start_epoch_s"] == slices[2].window[0]


def test_waits_that_are_not_possible_are_told_in_the_log(make_slice, live, caplog):
    live.subject.profile = lambda folder, asked: {"file": None}
    load = {"counted_requests": 100, "counted_latency_mean_ms": 80.0}
    measured(SPEC, TOOL, [make_slice(load=load, after={"counters": {"pool_wait_ms": 8_000.0}})])
    assert not caplog.records
    measured(SPEC, TOOL, [make_slice(load=load, after={"counters": {"pool_wait_ms": 9_000.0}})])
    (line,) = caplog.records
    assert "longer waits than requests lasted: {'pool_wait_ms': 90.0}" in line.getMessage()


@pytest.mark.parametrize(
    ("why", "outcome", "reason"),
    [
        ("beyond_limits: no descriptors", "beyond_limits", "no descriptors"),
        ("a-mode: no right answer", "hung", "a-mode: no right answer"),
        ("server_died: a-mode: it ended", "server_died", "a-mode: it ended"),
    ],
)
def test_cell_in_which_nothing_was_sent_says_why(why, outcome, reason):
    record = silent(SPEC, TOOL, why)
    assert (record["outcome"], record["outcome_reason"]) == (outcome, reason)
    assert record["load"]["requests_recorded"] == record["load"]["slices"]["plain"] == 0
    assert nothing_sent("open").keys() <= record["load"].keys()
    assert record["server"] is record["machine"] is None


def test_schema_knows_a_wrong_record():
    with pytest.raises(ValidationError):
        cell_folder.validate({"schema": 2})
    assert json.loads(cell_folder.SCHEMA.read_text())["title"] == "cell.json"
