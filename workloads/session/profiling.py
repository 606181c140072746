"""Profiles: loads of their own, after all measured slices, of the cells that config.yaml names.

A load lasts until its server has used CPU time for so many samples, by what its plain slices took,
but no longer than a limit. It is loaded once more where a rule of slices fails: a profile is of a
server whose compiler is idle. Variants of a user's service have one, for at a low rate their
compilers are at work in any load.
"""

from collections.abc import Callable
from typing import Any

from workloads.experiment.plan import Name
from workloads.record.pooling import pooled
from workloads.record.slice import PROFILED, Slice
from workloads.servers.server import sampling
from workloads.session.session import Session

LOADS_AT_MOST = 2
# Kinds that sample stacks; the others need the length of a plain slice alone.
SAMPLED = {"cpu", "allocation"}
# Loads that end after so many requests have no length.
COUNTED = ("loops", "at_once")


def profile_all(
    session: Session, found: dict[Name, list[Slice]], load: Callable[..., None]
) -> None:
    """Adds a profiled slice to those of each cell, which have its plain ones; see load_once()."""
    for name, slices in found.items():
        if not slices or any(each.outcome != "completed" for each in slices):
            continue
        spec = longer(session.spec(name), slices)
        for number in range(1 if "until" in spec["slices"] else LOADS_AT_MOST):
            before = len(slices)
            load(name, PROFILED, number + 1, slices, spec)
            # Nothing was loaded where the server does not start again.
            if len(slices) == before or slices[-1].kept:
                break


def longer(spec: dict[str, Any], slices: list[Slice]) -> dict[str, Any]:
    tool, wanted = spec["tool"], spec["testbed"]["profiler"]
    key = "window_s" if "window_s" in tool else "duration_s"
    plain = pooled(slices)
    # A user-supplied server without a JIT compiler is no JVM, and nothing samples it.
    sampled = "command" not in spec["mode"] or plain[0].metrics["compiler_cpu_s"] is not None
    if not sampled or not SAMPLED & {*spec["profile"]} or any(tool.get(word) for word in COUNTED):
        return spec
    lasted_s = sum(each.load["duration_s"] for each in plain)
    share = sum(each.metrics["server_cpu_s"] for each in plain) / lasted_s if lasted_s else 0.0
    needed_s = wanted["samples"] * sampling(spec)["interval_ms"] / 1000
    length_s = min(wanted["limit_s"], needed_s / share if share else wanted["limit_s"])
    # JMeter and sysbench count whole seconds.
    return spec | {"tool": tool | {key: max(tool[key], float(round(length_s + 0.5)))}}
