"""Memory that sessions need, and what is said where there is less."""

import pytest
import yaml

from workloads.experiment import memory
from workloads.experiment.grid import Grid
from workloads.experiment.memory import NATIVE_MIB, PROCESS_MIB, REST_MIB, jvm_mib, needed_mib
from workloads.servers.server import ROOT


@pytest.fixture
def config():
    return yaml.safe_load((ROOT / "config.yaml").read_text())


def plans(config):
    grid = Grid(config)
    return {each.path: grid.plan(each) for each in grid.sessions if each.repetition == 1}


@pytest.mark.parametrize(
    ("options", "heap_mib"),
    [
        (["-Xms300m", "-Xmx300m", "-Xmn200m", "-Xss256k"], 120 + 180 / 3),
        (["-Xms256m", "-Xmx256m", "-XX:+UseSerialGC", "-Xms2g", "-Xmx2g"], 7 / 15 * 2048),
        (["-XX:+UseSerialGC"], 7 / 15 * memory.HEAP_MIB),
        (["-Xms128m", "-Xmx128m", "-XX:+UseZGC"], 128),
    ],
)
def test_heap_counts_as_it_starts_and_fills(options, heap_mib):
    assert jvm_mib(options) == pytest.approx(NATIVE_MIB + heap_mib)


def test_modes_live_together_and_those_alone_come_after_them(config):
    def plan_of(config):
        return plans(config)["request-threads/threads/rep-1"]

    plan = plan_of(config)
    alone = [mode for mode, part in plan.modes.items() if part.mode.get("alone")]
    together = sum(memory.mode_mib(plan.modes[mode]) for mode in plan.modes if mode not in alone)
    jmeter_mib = jvm_mib(config["jmeter"]["jvm_options"])
    assert alone and needed_mib(plan) == round(together + jmeter_mib + REST_MIB)
    config["testbed"] |= {"generator_host": "b", "server_address": "10.0.0.1"}
    assert needed_mib(plan_of(config)) == round(together + REST_MIB)


def test_each_mode_has_its_own_backends(config):
    plan = plans(config)["stacks/stacks/rep-1"]
    with_pool = memory.mode_mib(plan.modes["mvc-tomcat-200"])
    servers = jvm_mib(plan.modes["mvc-tomcat-200"].study["server"]["jvm_options"])
    assert with_pool == servers + PROCESS_MIB["mariadb"] + PROCESS_MIB["remote"] + 200 / 20


def test_one_cell_needs_its_pair_alone(config):
    grid = Grid(config)
    cell = next(cell for cell in grid.cells if cell.study == "stacks")
    pair, whole = grid.alone(cell), memory.largest(grid, grid.sessions)
    assert memory.largest(grid, [pair])[0] < whole[0] / 2
    assert memory.largest(grid, []) == (0, "")


def test_too_little_is_told_with_the_session_and_what_to_do():
    assert memory.fault((5000, "s/g/rep-1"), 5000) is None
    said = memory.fault((5000, "s/g/rep-1"), 4000)
    expected = "session s/g/rep-1 needs 5,000 MiB of memory, and 4,000 MiB are free: close other"
    assert said.startswith(expected) and "lower heap_mib" in said
    assert 0 < memory.free_mib() < 100_000_000
