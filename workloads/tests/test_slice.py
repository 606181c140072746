"""Every rule that excludes a slice is fed one that it must catch and one that it must pass."""

import pytest

from workloads.record import slice_rules
from workloads.record.slice import PLAIN, PROFILED, clock_s, common_rounds

STEP = {"loop": "open", "sustained": False, "requests_offered": 49}
STEP |= {"offered_per_s": 97.5, "served_per_s": 80.5}
LATE = {"limited_by_generator": "its sends were late"}
WARMING = {"compiler_share": 0.4, "compiler_cpu_s": 0.2, "steal_share": 0.2}


def faults(done, lost=0):
    return slice_rules.faults(done.outcome, done.load, done.metrics, lost)


def step(speed):
    return {"load": STEP, "metrics": {"speed_server": speed}}


@pytest.mark.parametrize(
    ("changes", "caught"),
    [
        ({}, []),
        ({"outcome": "server_died"}, ["not_completed"]),
        ({"metrics": {"compiler_share": 0.051, "compiler_cpu_s": 0.02}}, ["compiled"]),
        ({"metrics": {"compiler_share": 0.05, "compiler_cpu_s": 0.02}}, []),
        # A server that is nearly idle: 0.9 % of a CPU.
        ({"metrics": {"compiler_share": 0.6, "compiler_cpu_s": 0.009}}, []),
        # Not a JVM, and no value of the probe.
        ({"metrics": dict.fromkeys(("compiler_share", "compiler_cpu_s", "speed_server"))}, []),
        ({"metrics": {"others_cpu_share": 0.151}}, ["undisturbed"]),
        ({"metrics": {"steal_share": 0.051}}, ["undisturbed"]),
        ({"metrics": {"others_cpu_share": 0.15, "steal_share": 0.05}}, []),
        ({"metrics": {"idle_neighbors_share": 0.021}}, ["idle_neighbors"]),
        ({"metrics": {"idle_neighbors_share": 0.02}}, []),
        # Between two samples the count grows by part of one.
        ({"metrics": {"throttled": 0.2}}, ["unthrottled"]),
        ({"metrics": {"stood_still_s": 1.1}}, ["stood_still"]),
        ({"metrics": {"stood_still_s": 0.9}}, []),
        # A slow CPU is judged with the other side of its round. A faster machine, and a generator's
        # CPU that is slow, are no fault.
        ({"metrics": {"speed_server": 3.0}}, []),
        ({"metrics": {"speed_server": 0.5}}, []),
        # A step of a sweep has no other side at its rate.
        (step(1.151), ["steady_speed"]),
        (step(1.15), []),
        (step(0.5), []),
        (step(None), []),
        # Closed loops are judged over all slices together.
        ({"load": STEP | LATE}, ["generator_healthy"]),
        ({"load": {"loop": "open"} | LATE}, ["generator_healthy"]),
        ({"load": LATE}, []),
        # A profiled slice is judged like every other.
        ({"kind": PROFILED, "metrics": WARMING}, ["compiled", "undisturbed"]),
    ],
)
def test_rules_catch_what_they_are_for_and_nothing_else(make_slice, changes, caught):
    assert faults(make_slice(**changes)) == caught


def test_slice_whose_idle_connections_were_closed_is_another_load(make_slice):
    assert faults(make_slice(), lost=1) == ["idle_connections"]


@pytest.mark.parametrize(
    ("one", "other", "even"),
    [(1.0, 1.15, True), (1.0, 1.16, False), (2.0, 2.1, True), (None, 9.0, True)],
)
def test_round_is_judged_by_the_speeds_of_both_sides(make_slice, one, other, even):
    assert slice_rules.is_even(one, other) is slice_rules.is_even(other, one) is even
    sides = [[make_slice(7, metrics={"speed_server": speed})] for speed in (one, other)]
    assert common_rounds(sides) == ({7} if even else set())


def test_common_rounds_are_those_of_plain_slices_that_count_on_all_sides(make_slice):
    one = [make_slice(1), make_slice(2), make_slice(3, faults=["undisturbed"]), make_slice(4)]
    other = [make_slice(2), make_slice(3), make_slice(4, PROFILED), make_slice(5)]
    assert common_rounds([one, other]) == {2}
    assert common_rounds([one]) == {1, 2, 4}


@pytest.mark.parametrize(
    ("faults", "counts", "kept"),
    [
        ([], True, True),
        (["compiled", "undisturbed"], True, False),
        (["generator_healthy"], True, False),
        (["not_completed"], False, False),
        (["idle_connections", "compiled"], False, False),
    ],
)
def test_disturbed_slice_counts_for_all_but_latency(make_slice, faults, counts, kept):
    done = make_slice(faults=faults)
    assert (done.counts, done.kept) == (counts, kept)


def test_row_of_a_step_says_its_rates_and_whether_it_counts_although_a_rule_fails(make_slice):
    names = ("step", "offered_per_s", "served_per_s", "sustained", "stands", "due")
    for stands, said in ((True, "true"), (False, "false")):
        row = make_slice(4, load=STEP, faults=["compiled"], stands=stands).row()
        assert [row[name] for name in names] == [4, 97.5, 80.5, "false", said, 49]
        assert (row["kept"], row["reason"]) == (said, "compiled")
    assert {make_slice(4).row()[name] for name in names} == {None}


def test_all_faults_of_a_slice_are_in_its_row(make_slice):
    done = make_slice(round=3, metrics={"steal_share": 0.2, "idle_neighbors_share": 0.3})
    done.faults = faults(done)
    assert not done.kept
    row = done.row()
    assert (row["kept"], row["reason"]) == ("false", "undisturbed;idle_neighbors")
    assert (row["slice"], row["round"], row["kind"]) == (1, 3, PLAIN)
    assert row["machine_context_switches_per_request"] == 10
    assert (row["rss_mib"], row["threads_peak"]) == (1024, 20)
    assert make_slice().row()["kept"] == "true"
    nothing = make_slice(load={"requests_recorded": 0}).row()
    assert nothing["machine_context_switches_per_request"] is None


def test_clock_of_a_process_that_is_gone_stands_at_zero(live):
    assert clock_s(2**22 + 1) == 0
