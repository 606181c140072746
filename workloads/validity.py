"""The rules a cell must pass before its numbers are pooled, all in this one place.

They were written down before any result was seen. A cell that fails one is shown and counted,
with the figures below, and never averaged in. Each check is a function of the record (the parts
of cell.json measured so far) that returns None where it does not apply.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

SHARE_2XX_AT_LEAST = 0.99
GENERATOR_CPU_AT_MOST = 0.9
OTHERS_CPU_AT_MOST = 0.15
STEAL_AT_MOST = 0.05
# JIT and GC threads come and go; a pool that is off by more is not the pool asked for.
JVM_THREADS_SLACK = 5

Record = dict[str, Any]
Check = dict[str, Any]


def verdict(record: Record) -> Record:
    """The `validity` part of cell.json."""
    # Of a load that the machine's limits forbade there is nothing more to say.
    rules = [completed] if record["outcome"] == "beyond_limits" else RULES
    checks = [check for rule in rules if (check := rule(record))]
    return {"valid": all(check["passed"] for check in checks), "checks": checks}


def check(name: str, rule: str, passed: bool, **figures: Any) -> Check:
    return {"id": name, "rule": rule, "passed": passed, "figures": figures}


def completed(record: Record) -> Check:
    outcome = record["outcome"]
    return check("completed", "the outcome is completed", outcome == "completed", outcome=outcome)


def same_answer_after(record: Record) -> Check:
    before, after = record["answers"]["before"], record["answers"]["after"]
    rule = "the server answers after the load as it did before, right to the byte"
    return check(
        "same_answer_after",
        rule,
        bool(before) and before == after,
        before=before,
        after=after,
    )


def share_2xx(record: Record) -> Check:
    load = record["load"]
    share = load["responses_2xx"] / load["requests_recorded"] if load["requests_recorded"] else 0.0
    rule = f"at least {SHARE_2XX_AT_LEAST:.0%} of the requests are answered 2xx"
    return check("share_2xx", rule, share >= SHARE_2XX_AT_LEAST, share_2xx=share)


def accounting(record: Record) -> Check | None:
    asked, recorded = (
        record["load"]["requests_asked"],
        record["load"]["requests_recorded"],
    )
    if asked is None:
        return None
    rule = "every request that was due is recorded, as an answer or as an error"
    return check("accounting", rule, asked == recorded, asked=asked, recorded=recorded)


def body_bytes(record: Record) -> Check | None:
    right, answered = record["load"]["bodies_right"], record["load"]["responses_2xx"]
    if right is None:
        return None
    expected = record["configuration"]["study"]["body_bytes"]
    rule = f"every 2xx answer has a body of {expected} bytes, as in every other mode"
    return check("body_bytes", rule, right == answered, right=right, answered=answered)


def never_too_fast(record: Record) -> Check | None:
    sleep_ms, fastest_ms = (
        record["configuration"]["tier"]["sleep_ms"],
        record["load"]["latency_min_ms"],
    )
    if not sleep_ms or fastest_ms is None:
        return None
    # JMeter's clock has a resolution of 1 ms, and both its ends are rounded down.
    rule = f"no answer comes before its {sleep_ms} ms of waiting are over (resolution 1 ms)"
    return check("never_too_fast", rule, fastest_ms >= sleep_ms - 1, fastest_ms=fastest_ms)


def treatment(record: Record) -> Check:
    """Threads are counted, not properties read: started (by the JVM) and alive (by the kernel)."""
    limits, server = record["configuration"]["mode"]["threads"], record["server"]
    answered = record["load"]["responses_2xx"]
    added = server["peak_threads"] - server["idle_threads"]
    per_request = server["threads_started"] / answered if answered else 0.0
    at_most = limits.get("peak_at_most", float("inf")) + JVM_THREADS_SLACK
    least = limits.get("started_per_request_at_least", 0.0)
    most = limits.get("started_per_request_at_most", float("inf"))
    passed = bool(answered) and added <= at_most and least <= per_request <= most
    allowed = ", ".join(f"{name} {limit}" for name, limit in limits.items())
    rule = f"threads: {allowed} (alive at once: {JVM_THREADS_SLACK} more for the JVM's own)"
    figures = {"added_at_the_peak": added, "started_per_request": per_request}
    return check("treatment", rule, passed, **figures)


def generator_healthy(record: Record) -> Check:
    cpu_share = record["load"]["generator"]["cpu_share"]
    reason = record["load"]["limited_by_generator"]
    rule = (
        f"the generator used at most {GENERATOR_CPU_AT_MOST:.0%} of its CPUs and kept its schedule"
    )
    passed = cpu_share <= GENERATOR_CPU_AT_MOST and not reason
    return check("generator_healthy", rule, passed, cpu_share=cpu_share, limited_by=reason)


def machine_undisturbed(record: Record) -> Check:
    others, steal = (
        record["machine"]["others_cpu_share"],
        record["machine"]["steal_share"],
    )
    rule = (
        f"other processes took at most {OTHERS_CPU_AT_MOST:.0%} of the machine's CPU time, "
        f"the hypervisor at most {STEAL_AT_MOST:.0%}"
    )
    passed = others <= OTHERS_CPU_AT_MOST and steal <= STEAL_AT_MOST
    return check("machine_undisturbed", rule, passed, others_cpu_share=others, steal_share=steal)


RULES: list[Callable[[Record], Check | None]] = [
    completed,
    same_answer_after,
    share_2xx,
    accounting,
    body_bytes,
    never_too_fast,
    treatment,
    generator_healthy,
    machine_undisturbed,
]
