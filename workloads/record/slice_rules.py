"""The rules that exclude a slice: a compiler at work, a disturbed machine, a late generator.

They judge values, before anything is known of the other slices of the cell. The rules on a whole
cell are in validity.py.
"""

from __future__ import annotations

from typing import Any

# Limit on JIT time as a share of the server's CPU time, or of one CPU if the server is nearly
# idle: late compilations take milliseconds and delay no request.
COMPILER_SHARE_AT_MOST = 0.05
COMPILER_OF_A_CPU_AT_MOST = 0.01
IDLE_NEIGHBORS_AT_MOST = 0.02
OTHERS_CPU_AT_MOST = 0.15
STEAL_AT_MOST = 0.05
SLOWER_AT_MOST = 1.15
# This rule holds for the steps of a load sweep, each of which is judged by itself.
GENERATOR = "generator_healthy"
# Disturbances that these find make latency longer, never shorter.
BURDENS = {"compiled", "undisturbed", "steady_speed", "idle_neighbors"}


def faults(outcome: str, load: dict[str, Any], metrics: dict[str, Any]) -> list[str]:
    """The names of the rules that a slice fails, plain or profiled.

    `load`: what its tool collected; `metrics`: what processes and machine used meanwhile. Profiled
    slices pass the same rules, or a profile would show the compiler.
    """
    compiling, slower = metrics["compiler_share"] or 0.0, metrics["speed_server"] or 1.0
    of_a_cpu = (metrics["compiler_cpu_s"] or 0.0) / max(load["duration_s"], 1e-3)
    others, steal = metrics["others_cpu_share"], metrics["steal_share"]
    passed = {
        "not_completed": outcome == "completed",
        "compiled": compiling <= COMPILER_SHARE_AT_MOST or of_a_cpu <= COMPILER_OF_A_CPU_AT_MOST,
        "undisturbed": others <= OTHERS_CPU_AT_MOST and steal <= STEAL_AT_MOST,
        "steady_speed": slower <= SLOWER_AT_MOST,
        "idle_neighbors": metrics["idle_neighbors_share"] <= IDLE_NEIGHBORS_AT_MOST,
        GENERATOR: "sustained" not in load or not load["limited_by_generator"],
    }
    return [name for name, passes in passed.items() if not passes]
