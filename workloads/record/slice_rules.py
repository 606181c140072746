"""The rules that exclude a slice: from everything, or from latency alone.

A slice that did not complete counts for nothing. One that was disturbed counts for CPU time,
throughput, counts and shares: in a run its CPU time was 0 to 3 % off, its throughput 0, its p99
4 % to three times as long (medians by rule). The rules on a whole cell are in validity.py.
"""

from __future__ import annotations

from typing import Any

from profiles.watch import noise

# Limit on JIT time as a share of the server's CPU time, or of one CPU if the server is nearly
# idle: late compilations take milliseconds and delay no request.
COMPILER_SHARE_AT_MOST = 0.05
COMPILER_OF_A_CPU_AT_MOST = 0.01
IDLE_NEIGHBORS_AT_MOST = 0.02
# Before a run these tell how many rounds a machine will lose.
OTHERS_CPU_AT_MOST, STEAL_AT_MOST = noise.OTHERS_CPU_AT_MOST, noise.STEAL_AT_MOST
# Time of a fixed computation: of a side of a pair, to the other's in the same round; of a step of a
# sweep, to the median of the session's loads.
SLOWER_AT_MOST = 1.15
GENERATOR = "generator_healthy"
# Rules that concern everything: the server did not serve the load, or it was not this load, or a
# quota of CPU time stopped it, or nothing ran.
STOOD_STILL = "stood_still"
OF_EVERYTHING = {"not_completed", "idle_connections", "unthrottled", STOOD_STILL}
# A machine whose processes all stop for longer did not only schedule late.
STOOD_STILL_S = 1.0
# Disturbances that these find make latency longer, never shorter.
BURDENS = {"compiled", "undisturbed", "steady_speed", "idle_neighbors"}


def faults(outcome: str, load: dict[str, Any], metrics: dict[str, Any], lost: int = 0) -> list[str]:
    """The names of the rules that a slice fails, plain or profiled.

    `load`: what its tool collected; `metrics`: what processes and machine used meanwhile; `lost`:
    idle connections that the server closed. Profiled slices pass the same rules, or a profile
    would show the compiler.
    """
    compiling, slower = metrics["compiler_share"] or 0.0, metrics["speed_server"] or 1.0
    of_a_cpu = (metrics["compiler_cpu_s"] or 0.0) / max(load["duration_s"], 1e-3)
    others, steal = metrics["others_cpu_share"], metrics["steal_share"]
    # A step has no other side at its rate; elsewhere a slice is as fast as its pair: see is_even().
    is_step = "sustained" in load
    passed = {
        "not_completed": outcome == "completed",
        "compiled": compiling <= COMPILER_SHARE_AT_MOST or of_a_cpu <= COMPILER_OF_A_CPU_AT_MOST,
        "undisturbed": others <= OTHERS_CPU_AT_MOST and steal <= STEAL_AT_MOST,
        "steady_speed": not is_step or slower <= SLOWER_AT_MOST,
        "unthrottled": not metrics["throttled"],
        STOOD_STILL: not stood_still(metrics),
        "idle_neighbors": metrics["idle_neighbors_share"] <= IDLE_NEIGHBORS_AT_MOST,
        # A generator that is late in a closed loop sends less; validity.py judges that.
        GENERATOR: load["loop"] == "closed" or not load["limited_by_generator"],
        "idle_connections": not lost,
    }
    return [name for name, passes in passed.items() if not passes]


def stood_still(metrics: dict[str, Any]) -> bool:
    """Whether the machine stopped during a slice, which is no fault of its server."""
    return float(metrics.get("stood_still_s") or 0.0) > STOOD_STILL_S


def is_even(one: float | None, other: float | None) -> bool:
    """Whether the CPUs were as fast for one side of a round as for the other, if both are known.

    Each is a slice's speed_server. A pair is judged, not a side: a mode that keeps its CPU busy
    leaves the probe without a value, or with another one than a mode that lets its CPU sleep.
    """
    if not one or not other:
        return True
    return max(one, other) <= SLOWER_AT_MOST * min(one, other)
