"""Every rule is fed a case that it must catch and one that it must pass."""

import copy

import pytest

from workloads import validity

GOOD = {
    "outcome": "completed",
    "answers": {"before": "ab", "after": "ab"},
    "load": {
        "requests_asked": 1000,
        "requests_recorded": 1000,
        "responses_2xx": 995,
        "bodies_right": 995,
        "latency_min_ms": 100.2,
        "limited_by_generator": "",
        "generator": {"cpu_share": 0.4},
    },
    "server": {"peak_threads": 38, "idle_threads": 18, "threads_started": 20},
    "machine": {"others_cpu_share": 0.02, "steal_share": 0.0},
    "configuration": {
        "study": {"body_bytes": 42},
        "tier": {"sleep_ms": 100},
        "mode": {"threads": {"peak_at_most": 20, "started_per_request_at_most": 0.5}},
    },
}


def with_(path, value):
    record = copy.deepcopy(GOOD)
    *parents, last = path.split(".")
    place = record
    for key in parents:
        place = place[key]
    place[last] = value
    return record


def failed(record):
    return {check["id"] for check in validity.verdict(record)["checks"] if not check["passed"]}


def test_good_cell_is_valid_and_every_rule_was_applied():
    verdict = validity.verdict(GOOD)
    assert verdict["valid"]
    assert len(verdict["checks"]) == len(validity.RULES)


@pytest.mark.parametrize(
    ("path", "value", "caught_by"),
    [
        ("outcome", "refused", "completed"),
        ("answers.after", "cd", "same_answer_after"),
        ("answers.after", "", "same_answer_after"),
        ("load.requests_recorded", 999, "accounting"),
        ("load.bodies_right", 994, "body_bytes"),
        ("load.latency_min_ms", 90.0, "never_too_fast"),
        ("server.peak_threads", 44, "treatment"),
        ("server.threads_started", 900, "treatment"),
        ("load.generator.cpu_share", 0.95, "generator_healthy"),
        ("load.limited_by_generator", "its sends were late", "generator_healthy"),
        ("machine.others_cpu_share", 0.3, "machine_undisturbed"),
        ("machine.steal_share", 0.1, "machine_undisturbed"),
    ],
)
def test_rule_catches_what_it_is_for_and_nothing_else_does(path, value, caught_by):
    record = with_(path, value)
    assert failed(record) == {caught_by}
    assert not validity.verdict(record)["valid"]


def test_share_of_2xx_is_of_all_requests_that_were_recorded():
    record = with_("load.responses_2xx", 989)
    record["load"]["bodies_right"] = 989
    assert failed(record) == {"share_2xx"}
    record["load"]["requests_recorded"] = record["load"]["requests_asked"] = 0
    assert "share_2xx" in failed(record)


def test_thread_per_request_that_reuses_threads_is_caught():
    record = with_("configuration.mode.threads", {"started_per_request_at_least": 0.9})
    record["server"]["threads_started"] = 995
    assert failed(record) == set()
    record["server"]["threads_started"] = 20
    assert failed(record) == {"treatment"}


def test_rules_that_cannot_be_applied_are_left_out():
    record = with_("load.requests_asked", None)  # wrk2 does not tell
    record["load"]["bodies_right"] = None
    record["configuration"]["tier"]["sleep_ms"] = 0
    applied = {check["id"] for check in validity.verdict(record)["checks"]}
    assert applied.isdisjoint({"accounting", "body_bytes", "never_too_fast"})
