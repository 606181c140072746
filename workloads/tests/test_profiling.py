"""Profiles: how long their loads last, and how often a cell is loaded for one."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from workloads.experiment.plan import Name
from workloads.record.slice import PROFILED
from workloads.session.profiling import longer, profile_all
from workloads.tests.planned import plan_of, session_of, with_slices

NAME = Name("fixed-pool", "low", "wrk2")


def session_with(*kinds, tool=None, kind="pool"):
    plan = plan_of()
    load, mode = plan.load(NAME), plan.modes[NAME.mode]
    return session_of(
        replace(
            plan,
            profiles={"low/wrk2": {"fixed-pool": list(kinds)}},
            loads=plan.loads | {"low/wrk2": replace(load, tool=load.tool | (tool or {}))},
            modes=plan.modes | {NAME.mode: replace(mode, mode=mode.mode | {"kind": kind})},
        )
    )


@pytest.mark.parametrize(
    ("cpu_s", "changes", "lasts_s"),
    [
        # 1,000 samples of 1 ms at half a CPU.
        (0.5, {}, 2),
        (0.5, {"kind": "thread-each"}, 8),
        # No shorter than a plain slice, no longer than the limit.
        (0.5, {"tool": {"duration_s": 5}}, 5),
        (0.0, {}, 30),
    ],
)
def test_load_lasts_for_the_samples_that_are_wanted(make_slice, cpu_s, changes, lasts_s):
    load = {"duration_s": 1.0}
    slices = [make_slice(n, load=load, metrics={"server_cpu_s": cpu_s}) for n in (1, 2)]
    spec = session_with("cpu", **changes).spec(NAME)
    assert longer(spec, slices)["tool"] == spec["tool"] | {"duration_s": lasts_s}


@pytest.mark.parametrize(
    ("kinds", "tool"),
    [(["states", "events"], {}), (["cpu"], {"loops": 1}), (["cpu"], {"at_once": True})],
)
def test_load_without_samples_or_of_so_many_requests_is_as_it_was(make_slice, kinds, tool):
    spec = session_with(*kinds, tool=tool).spec(NAME)
    assert longer(spec, [make_slice(metrics={"server_cpu_s": 0.01})]) == spec


def test_load_of_a_users_program_that_is_no_jvm_is_as_it_was(make_slice):
    spec = session_with("cpu").spec(NAME)
    used = {"server_cpu_s": 0.01, "compiler_cpu_s": 0.001}
    no_jvm = [make_slice(metrics=used | {"compiler_cpu_s": None})]
    # A database, which perf samples.
    assert longer(spec, no_jvm) != spec
    spec["mode"] = spec["mode"] | {"command": ["serve"]}
    assert longer(spec, no_jvm) == spec
    assert longer(spec, [make_slice(metrics=used)]) != spec


@pytest.mark.parametrize(("kept", "loads"), [([True], 1), ([False, False, True], 2), ([], 0)])
def test_profile_that_a_rule_excludes_is_loaded_once_more(make_slice, kept, loads):
    seen, left = [], list(kept)

    def load(name, kind, round, slices, spec):
        seen.append((name, kind, round, spec["tool"]["duration_s"]))
        if left:
            slices.append(SimpleNamespace(kept=left.pop(0)))

    slices = [make_slice(metrics={"server_cpu_s": 0.5})]
    profile_all(session_with("cpu"), {NAME: slices}, load)
    lasts_s = seen[0][-1]
    # A server that does not start again is tried once.
    assert seen == [(NAME, PROFILED, n + 1, lasts_s) for n in range(max(loads, 1))]
    assert len(slices) == 1 + loads


def test_variants_of_a_service_have_one_profile_each(make_slice):
    """At a low rate a compiler is at work in any load."""
    session = session_with("cpu")
    session.plan = with_slices(session.plan, until={"budget_s": 60})
    slices = [make_slice(metrics={"server_cpu_s": 0.5})]
    profile_all(session, {NAME: slices}, lambda *_: slices.append(SimpleNamespace(kept=False)))
    assert len(slices) == 2


def test_mode_that_was_not_loaded_or_did_not_complete_has_no_profile(make_slice):
    hung = make_slice(outcome="hung")
    for slices in ([], [make_slice(), hung]):
        profile_all(session_with("cpu"), {NAME: slices}, lambda *_: pytest.fail("loaded"))
