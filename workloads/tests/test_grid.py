"""The configuration and the grid: what is measured, in which order, and what is refused."""

import copy
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from workloads.grid import Cell, ConfigurationError, Grid, Session

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def config():
    return yaml.safe_load((ROOT / "config.yaml").read_text())


def study(config):
    return config["studies"][0]


def refusal(config):
    with pytest.raises(ConfigurationError) as caught:
        Grid(config)
    return str(caught.value)


def test_grid_is_modes_times_tiers_times_tools_times_repetitions(config):
    first = study(config)
    first["modes"] = [
        mode for mode in first["modes"] if mode["id"] in ("thread-per-request", "fixed-pool")
    ]
    first["tiers"] = [tier for tier in first["tiers"] if tier["id"] in ("low", "high-at-once")]
    config["studies"] = [first]
    config["repetitions"] = 4
    # low has both tools; high-at-once is JMeter's alone, and shown once
    assert len(Grid(config).cells) == 2 * (2 * 4 + 1)


def test_mode_runs_on_its_own_tiers_only(config):
    tiers = {c.tier for c in Grid(config).cells if c.mode == "thread-per-request-again"}
    assert tiers == {"mid", "extreme", "waiting"}


def test_smoke_measures_tiers_with_ids_of_their_own(config):
    full = {cell.tier for cell in Grid(config).cells}
    smoke = {cell.tier for cell in Grid(config | {"smoke": True}).cells}
    assert smoke and not smoke & full


def test_order_is_blocked_by_repetition_and_differs_between_blocks(config):
    grid = Grid(config)
    ordered = sorted(grid.cells, key=grid.position)
    assert [cell.repetition for cell in ordered] == sorted(cell.repetition for cell in ordered)
    assert sorted(grid.positions.values()) == list(range(1, len(grid.cells) + 1))
    groups = [[s.group for s in grid.sessions if s.repetition == rep] for rep in (1, 2)]
    assert groups[0] != groups[1]
    assert sorted(groups[0]) == sorted(groups[1])
    blocks = [
        {(c.study, c.mode, c.tier, c.tool) for c in ordered if c.repetition == repetition}
        for repetition in (1, 2)
    ]
    once = {
        (study["id"], tier["id"], tool)
        for study in config["studies"]
        for tier in study["tiers"]
        for tool in tier
        if isinstance(tier[tool], dict) and tier[tool].get("once")
    }
    assert {(study, tier, tool) for study, _, tier, tool in blocks[0] - blocks[1]} == once
    assert not blocks[1] - blocks[0]


def test_seed_decides_the_order(config):
    by_seed = [Grid(config | {"seed": seed}).positions for seed in (1, 1, 2)]
    assert by_seed[0] == by_seed[1] != by_seed[2]


def test_more_repetitions_leave_the_earlier_ones_as_they_were(config):
    few, many = Grid(config), Grid(config | {"repetitions": config["repetitions"] + 2})
    for cell in few.cells:
        assert few.position(cell) == many.position(cell)
        assert few.spec(cell) == many.spec(cell)


def test_profiler_is_attached_in_the_first_repetitions(config):
    grid = Grid(config)
    cell = Cell("request-threads", "fixed-pool", "low", "wrk2", 1)
    assert grid.spec(cell)["slices"]["profiled"] == 1
    assert grid.spec(replace(cell, repetition=2))["slices"]["profiled"] == 0
    assert "profiled_repetitions" not in grid.spec(cell)["slices"]


def test_crowd_of_the_warm_up_is_as_large_as_the_tier_within_a_bound(config):
    grid = Grid(config)

    def crowd(study, mode, tier, tool):
        return grid.spec(Cell(study, mode, tier, tool, 1))["warm_up"]["crowd"]

    sleep = config["warm_up"]["crowd_at_most"]
    path = "/api/sleep-test?sleep_ms=100"
    assert crowd("virtual-threads", "virtual", "sleep-1999", "wrk2") == {
        "path": path,
        "connections": sleep,
    }
    assert crowd("sign-up", "virtual", "connections-100", "wrk2")["connections"] == 100
    # A pool of one would hold it for minutes, and it would take seconds of all CPUs.
    assert crowd("virtual-threads", "virtual", "cpu-2ms", "jmeter")["connections"] == 0
    assert crowd("blocking-remote", "pool-1-blocking", "users-100", "jmeter")["connections"] == 0


def test_repetition_outside_the_grid_can_be_measured(config):
    grid = Grid(config)
    outside = Cell("request-threads", "fixed-pool", "low", "jmeter", 101)
    assert grid.position(outside) == len(grid.cells) + 1
    assert grid.spec(outside) == grid.spec(
        Cell("request-threads", "fixed-pool", "low", "jmeter", 2)
    )


def test_titles_baselines_and_neighbours_do_not_change_what_is_measured(config):
    changed = copy.deepcopy(config)
    study(changed)["title"] = study(changed)["modes"][1]["title"] = "another"
    study(changed)["modes"][1]["versus"] = "event-loop"
    study(changed)["modes"][2]["options"]["core_threads"] = 11
    cell = Cell("request-threads", "fixed-pool", "low", "jmeter", 1)
    assert Grid(config).spec(cell) == Grid(changed).spec(cell)
    neighbour = Cell("request-threads", "caller-runs-pool", "mid", "jmeter", 1)
    assert Grid(config).spec(neighbour) != Grid(changed).spec(neighbour)


def cell_of_study(config, name, **wanted):
    return next(
        cell
        for cell in Grid(config).cells
        if cell.study == name and all(getattr(cell, key) == wanted[key] for key in wanted)
    )


def session_of(*cells):
    return Session(cells[0].study, cells[0].mode, cells[0].repetition, cells)


def test_backend_is_part_of_what_is_measured(config):
    cell = cell_of_study(config, "blocking-remote")
    spec = Grid(config).spec(cell)
    assert spec["backend"]["id"] == "remote"
    assert Grid(config).jars(session_of(cell)) == [
        "servers/tomcat/target/tomcat.jar",
        "servers/sockets/target/sockets.jar",
    ]
    config["backends"]["remote"]["path"] = "/work?sleep_ms=500&cpu_us=0"
    assert Grid(config).spec(cell) != spec
    alone = cell_of_study(config, "request-threads")
    assert Grid(config).spec(alone)["backend"] is None
    assert Grid(config).class_data(session_of(alone)) == []


def test_runtime_of_a_mode_decides_its_class_data(config):
    grid = Grid(config)
    virtual, lock_21 = (
        cell_of_study(config, "virtual-threads", mode=mode)
        for mode in ("virtual", "virtual-lock-21")
    )
    default, of_21 = "servers/tomcat/target/tomcat-jdk.jsa", "servers/tomcat/target/tomcat-21.jsa"
    assert grid.class_data(session_of(virtual)) == [default]
    assert grid.class_data(session_of(lock_21)) == [of_21]
    assert grid.class_data(session_of(virtual, virtual, lock_21)) == [default, of_21]


def test_time_out_of_a_tier_comes_before_the_study_s_and_that_before_the_testbed_s(config):
    def time_out(study, tier):
        cell = cell_of_study(config, study, tier=tier)
        return Grid(config).spec(cell)["testbed"]["request_timeout_s"]

    config["testbed"]["request_timeout_s"] = 9
    assert time_out("request-threads", "low") == 9
    assert time_out("blocking-remote", "rate-11") == 3
    assert time_out("blocking-remote", "users-100") == 7


def test_load_depends_on_what_its_script_says(config, tmp_path, monkeypatch):
    cell = cell_of_study(config, "sign-up", tier="connections-10")
    script = "workloads/scripts/sign-up.lua"
    before = Grid(config).spec(cell)
    monkeypatch.setattr("workloads.grid.ROOT", tmp_path)
    for name in ("sign-up", "sign-up-as-published"):
        path = tmp_path / f"workloads/scripts/{name}.lua"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("-- another\n")
    after = Grid(config).spec(cell)
    assert before["tool"]["script"] == after["tool"]["script"] == script
    assert before["tool"]["script_sha256"] != after["tool"]["script_sha256"]


@pytest.mark.parametrize(
    ("keys", "value", "expected"),
    [
        (["repetitions"], 0, "repetitions = 0; allowed: a whole number from 1"),
        (["repetitionss"], 3, "repetitionss = 3; allowed: here only results"),
        (["seed"], "x", 'seed = "x"; allowed: a whole number from 0'),
        (["results"], "../out", 'results = "../out"; allowed: a folder below this one'),
        (
            ["wrk2", "generator"],
            "wrk",
            'wrk2.generator = "wrk"; allowed: auto, wrk2 or due',
        ),
        (
            ["studies", 0, "tiers", 0, "jmeter", "threads"],
            0,
            "studies.request-threads.tiers.low.jmeter.threads = 0; allowed: 1 to 20,000 threads",
        ),
        (
            ["studies", 0, "tiers", 0, "jmeter", "warm_up_s"],
            1,
            "allowed: loops (so many requests of each user) or warm_up_s",
        ),
        (
            ["studies", 0, "tiers", 0, "path"],
            "/a;rm -rf",
            "studies.request-threads.tiers.low.path",
        ),
        (
            ["studies", 0, "modes", 1, "versus"],
            "fixed-pol",
            "modes.fixed-pool.versus = 'fixed-pol'; allowed: thread-per-request",
        ),
        (
            ["studies", 0, "modes", 1, "tiers"],
            ["lo"],
            "studies.request-threads.modes.fixed-pool.tiers = 'lo'; allowed: low, low/jmeter",
        ),
        (
            ["studies", 1, "backend"],
            "remot",
            "studies.blocking-remote.backend = 'remot'; allowed: ",
        ),
        (
            ["studies", 0, "modes", 1, "backend"],
            "remot",
            "modes.fixed-pool.backend = 'remot'; allowed: ",
        ),
        (
            ["studies", 0, "tiers", 0, "wrk2", "script"],
            "workloads/scripts/none.lua",
            "tiers.low.wrk2.script = 'workloads/scripts/none.lua'; allowed: a file that is there",
        ),
        (
            ["studies", 0, "tiers", 0, "wrk2", "script"],
            "../x.lua",
            'tiers.low.wrk2.script = "../x.lua"; allowed: a Lua script in workloads/scripts/',
        ),
        (
            ["studies", 0, "modes", 1, "id"],
            "thread-per-request",
            "studies.request-threads.modes = 'thread-per-request': is there twice",
        ),
    ],
)
def test_bad_value_is_refused_with_key_value_and_what_is_allowed(config, keys, value, expected):
    place = config
    for key in keys[:-1]:
        place = place[key]
    place[keys[-1]] = value
    assert expected in refusal(config)


def test_mode_needs_a_class_of_its_own_or_of_its_study(config):
    del study(config)["modes"][0]["class"]
    assert "modes.thread-per-request.class = null; allowed: a class" in refusal(config)


def test_missing_key_is_named(config):
    del config["protocol"]
    assert "protocol = null; allowed: it must be there" in refusal(config)


def test_all_faults_are_named_at_once(config):
    config["repetitions"], config["seed"] = 0, -1
    assert len(refusal(config).splitlines()) == 2
