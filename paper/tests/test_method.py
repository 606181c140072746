"""The method in full names the rules' bounds; they are those of the code and of config.yaml."""

from pathlib import Path

import pytest
import yaml

from workloads.record import slice_rules as rules
from workloads.tools.sweep import REQUESTS_AT_LEAST

ROOT = Path(__file__).resolve().parents[2]
METHOD = (ROOT / "paper" / "method-in-full.qmd").read_text()
CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text())
WARM, SWEEP = CONFIG["warm_up"], CONFIG["sweep"]


@pytest.mark.parametrize(
    ("words", "share"),
    [
        ("the compiler used at most {} of the server's CPU time", rules.COMPILER_SHARE_AT_MOST),
        ("CPU time, or at most {} of a CPU", rules.COMPILER_OF_A_CPU_AT_MOST),
        ("outside the session used at most {} of the server's CPUs", rules.OTHERS_CPU_AT_MOST),
        ("the hypervisor at most {} of all CPUs", rules.STEAL_AT_MOST),
        ("computations took at most {} longer", rules.SLOWER_AT_MOST - 1),
        ("the servers that idle used at most {} of", rules.IDLE_NEIGHBORS_AT_MOST),
        ("compiler threads use at most {} of a CPU over a turn", WARM["compiler_share_at_most"]),
    ],
)
def test_bounds_are_those_of_the_code(words: str, share: float) -> None:
    assert words.format(f"{100 * share:.0f} %") in METHOD


def test_warm_up_is_that_of_the_configuration() -> None:
    assert f"in bursts of {WARM['burst_s']} s" in METHOD
    assert f"for {WARM['limit_s']} s a path at most" in METHOD


def test_range_of_a_sweep_is_that_of_the_configuration() -> None:
    assert f"between {SWEEP['lowest']:.0%} and {SWEEP['highest']:.0%}".replace("%", " %") in METHOD
    assert f"have {REQUESTS_AT_LEAST:,} requests together" in METHOD
