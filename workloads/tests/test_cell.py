"""cell.json: pauses within the slices, outcomes and profiles."""

from types import SimpleNamespace

import pytest

from workloads.record.cell import digest, measured, profile_of, silent
from workloads.record.load import COLLECTIONS, collections, nothing_sent
from workloads.record.slice import PROFILED

LINE = "[2026-11-20T12:37:3{s}.500+0000][7.0s][info][gc] GC(0) {what} {ms}ms\n"
YOUNG = "Pause Young (Allocation Failure) 8M->1M(9M)"
# 2026-11-20T12:37:30Z
START_S = 1795178250.0
SPEC = {
    "mode": {"id": "a-mode"},
    "testbed": {"profiler": {"event": "itimer", "interval_ms": 10}},
    "slices": {"rounds": 2},
}
TOOL = SimpleNamespace(LOOP="open", generator=lambda spec: {"name": "a tool", "version": "1"})


@pytest.fixture(autouse=True)
def no_profile(live):
    live.subject.profile = lambda folder, asked: {"file": None}


def test_only_collections_within_the_load_count_and_full_ones_apart(tmp_path):
    log = tmp_path / "gc.log"
    full = "Pause Full (Ergonomics) 8M->1M(9M)"
    lines = [(1, YOUNG, 4.5), (2, YOUNG, 1.5), (3, full, 2.0), (3, "Concurrent Mark", 9.0)]
    lines += [(3, "Pause Remark 8M->8M(9M)", 0.5), (5, full, 8.0)]
    log.write_text("".join(LINE.format(s=s, what=what, ms=ms) for s, what, ms in lines))
    load = {"start_epoch_s": START_S + 2, "end_epoch_s": START_S + 4}
    before = {"start_epoch_s": START_S - 9, "end_epoch_s": START_S}
    for window, expected in ((load, (2, 1, 4.0)), (before, (0, 0, 0.0))):
        assert collections(log, window) == dict(zip(COLLECTIONS, expected, strict=True))
    # Nothing is known without a log, and of one that is not HotSpot's or without pauses.
    assert collections(tmp_path / "none", load) == dict.fromkeys(COLLECTIONS)
    zgc = "[2026-11-20T12:37:30.500+0000][0.010s][info][gc] Using The Z Garbage Collector\n"
    for text in ("", "<?xml version='1.0'?>\n<verbosegc>\n", zgc + log.read_text()):
        log.write_text(text)
        assert collections(log, load) == dict.fromkeys(COLLECTIONS), text


def test_cell_names_the_variables_of_its_server_and_shows_no_secret(make_slice, live):
    got = {"PATH": "/opt/bin", "LC_ALL": "C.UTF-8", "SPRING_DATASOURCE_PASSWORD": "s", "A": "1"}
    live.subject.process.environment = got
    spec = SPEC | {"mode": {"id": "a-mode", "environment": {"A": 1}}}
    found = measured(spec, TOOL, [make_slice(1)])["provenance"]["server_environment"]
    assert found == dict.fromkeys(got) | {"LC_ALL": "C.UTF-8", "A": "1"}


def test_outcome_is_that_of_the_slice_that_did_not_complete(make_slice):
    died = make_slice(2, outcome="server_died", reason="exit status 1", faults=["not_completed"])
    died.accounts["body"] = None
    record = measured(SPEC, TOOL, [make_slice(1), died])
    assert (record["outcome"], record["outcome_reason"]) == ("server_died", "exit status 1")
    assert (record["answers"]["before"], record["answers"]["after"]) == (digest(b"ok"), "")
    # Its answers before it died still count.
    assert record["load"]["requests_recorded"] == 100
    fine = measured(SPEC, TOOL, [make_slice(1), make_slice(2)])
    assert (fine["outcome"], fine["answers"]["after"]) == ("completed", digest(b"ok"))


def test_answer_without_a_body_is_another_than_none():
    assert digest(b"") != digest(None) == ""


def test_profile_is_of_the_last_profiled_slice_that_was_kept_with_its_window(make_slice, live):
    asked = []
    live.subject.profile = lambda folder, options: asked.append(folder) or {"file": "profile.jfr"}
    assert profile_of(SPEC, [make_slice()]) == {"file": None}
    slices = [make_slice(number, PROFILED) for number in (1, 2, 3)] + [make_slice(2)]
    slices[2].faults = ["compiled"]
    start_s, end_s = slices[1].window
    expected = {"file": "profile.jfr", "start_epoch_s": start_s, "end_epoch_s": end_s}
    assert profile_of(SPEC, slices) == expected
    assert asked == [slices[1].folder]


@pytest.mark.parametrize(
    ("why", "outcome", "reason"),
    [
        ("beyond_limits: no descriptors", "beyond_limits", "no descriptors"),
        ("server_died: a-mode: it ended", "server_died", "a-mode: it ended"),
        ("another reason", "hung", "another reason"),
    ],
)
def test_cell_in_which_nothing_was_sent_says_why(why, outcome, reason):
    record = silent(SPEC, TOOL, why)
    assert (record["outcome"], record["outcome_reason"]) == (outcome, reason)
    assert record["load"]["requests_recorded"] == record["load"]["slices"]["plain"] == 0
    assert nothing_sent("open").keys() <= record["load"].keys()
    assert record["server"] is record["machine"] is None
