"""The configuration and the grid: what is measured, in which order, and what is refused."""

import copy
import csv
import json
import re
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
import yaml

from workloads.experiment.configuration import (
    ConfigurationError,
    common_loads,
    facts_of,
    whole_studies,
    without,
)
from workloads.experiment.grid import Cell, Grid
from workloads.experiment.plan import Plan
from workloads.experiment.reading import laid_over

ROOT = Path(__file__).resolve().parents[2]
BASE = "thread-per-request"
FILES = [ROOT / "config.yaml", ROOT / "workloads/smoke.yaml", ROOT / "workloads/quick.yaml"]


@pytest.fixture
def config():
    return yaml.safe_load(FILES[0].read_text())


def overlaid(config, overlay):
    """Merge as --configfile does."""
    return laid_over(copy.deepcopy(config), overlay)


def study(config):
    return config["studies"]["request-threads"]


def modes(config, comparison="threads", study="request-threads"):
    return config["studies"][study]["comparisons"][comparison]["modes"]


def refusal(config):
    with pytest.raises(ConfigurationError) as caught:
        Grid(config)
    return str(caught.value)


def some(mapping, *keys):
    return {key: mapping[key] for key in keys}


def test_grid_is_modes_times_tiers_times_tools_times_repetitions(config):
    threads = study(config)["comparisons"]["threads"]
    threads["modes"] = some(threads["modes"], "thread-per-request", "fixed-pool")
    threads["tiers"] = ["low", "high"]
    del threads["profiles"], study(config)["tiers"]["low"]["wrk2"]["repetitions"]
    study(config)["comparisons"] = {"threads": threads}
    config["studies"] = {"request-threads": study(config)}
    config["repetitions"] = 4
    # JMeter loads low once, and high not in a default run.
    assert len(Grid(config).cells) == 2 * (2 * 4 + 1)
    threads["tiers"] = ["low", "high/wrk2"]
    assert len(Grid(config).cells) == 2 * (2 * 4 + 1)
    threads["tiers"] = ["low/wrk2", "high/wrk2"]
    assert len(Grid(config).cells) == 2 * 2 * 4


def test_comparison_mode_or_load_may_have_fewer_repetitions(config):
    config["repetitions"] = 3
    threads = study(config)["comparisons"]["threads"]
    del study(config)["tiers"]["mid"]["wrk2"]["repetitions"]

    def repetitions(mode, tier, tool="wrk2"):
        found = [c for c in Grid(config).cells if (c.mode, c.tier, c.tool) == (mode, tier, tool)]
        return max(cell.repetition for cell in found)

    assert repetitions("fixed-pool", "high") == 3
    study(config)["tiers"]["high"]["wrk2"]["repetitions"] = 2
    assert (repetitions("fixed-pool", "high"), repetitions("fixed-pool", "mid")) == (2, 3)
    modes(config)["fixed-pool"]["repetitions"] = 1
    assert (repetitions("fixed-pool", "mid"), repetitions("event-loop", "mid")) == (1, 3)
    # A session beyond has what may be measured so often.
    third = Grid(config).named_session(words(3, study="request-threads", comparison="threads"))
    assert "fixed-pool" not in {cell.mode for cell in third.cells}
    assert "high" not in {cell.tier for cell in third.cells}
    threads["repetitions"] = 1
    assert repetitions("event-loop", "mid") == 1
    assert (
        Grid(config).named_session(words(3, study="request-threads", comparison="threads")).cells
        == third.cells
    )


def test_lists_of_tiers_have_in_common_what_the_narrower_names():
    assert common_loads(["low", "mid/wrk2", "high"], ["low/jmeter", "mid"]) == [
        "mid/wrk2",
        "low/jmeter",
    ]
    assert common_loads(["low/wrk2"], ["low/jmeter"]) == []


def test_mode_meets_the_tiers_that_it_names_and_its_comparison_has(config):
    def met():
        return {c.tier for c in Grid(config).cells if c.mode == "thread-per-request-a-a"}

    assert met() == {"high"}
    study(config)["comparisons"]["threads"]["tiers"] = ["low", "extreme"]
    assert met() == set()


def test_mode_of_another_comparison_is_the_same_there_with_tiers_of_its_own(config):
    grid = Grid(config | {"depth": "full"})
    at_files = grid.spec(Cell("virtual-threads", "platform-50", "file-16k", "jmeter", 1))
    at_sleep = grid.spec(Cell("virtual-threads", "platform-50", "sleep-500", "jmeter", 1))
    assert at_files["mode"] == at_sleep["mode"]
    files = grid.named_session(words(study="virtual-threads", comparison="files"))
    assert {cell.mode for cell in files.cells} == {"platform-50", "virtual-files"}
    assert "platform-50-a-a" not in {cell.mode for cell in files.cells}
    modes(config, "files", "virtual-threads")["platform-51"] = None
    assert "comparisons.files.modes.platform-51 = 'platform-51'; allowed: " in refusal(config)


def words(repetition=1, **named):
    """Wildcards, as Snakemake has them."""
    return type("Wildcards", (), named | {"repetition": str(repetition)})


def test_family_has_a_mode_for_each_size(config):
    pool = config["studies"]["virtual-threads"]["comparisons"]["connection-pool"]
    pool["each"] = {"pool": [3, 7]}
    pool["modes"] = {
        "platform-hikari-{pool}": {"kind": "pool", "threads": 500},
        "virtual-hikari-{pool}": {"kind": "virtual", "baseline": "platform-hikari-{pool}"},
    }
    grid = Grid(config)
    session = grid.named_session(words(study="virtual-threads", comparison="connection-pool"))
    assert [cell.mode for cell in session.cells] == [
        *("platform-hikari-3", "virtual-hikari-3", "platform-hikari-7", "virtual-hikari-7"),
    ]
    plan = grid.plan(session)
    assert plan.modes["virtual-hikari-7"].mode["options"] == {"pool": 7, "virtual": True}
    assert plan.modes["virtual-hikari-7"].baseline == "platform-hikari-7"
    assert plan.modes["platform-hikari-7"].baseline == "platform-hikari-3"
    assert plan.modes["platform-hikari-3"].baseline is None


def test_permits_of_a_family_are_its_size_on_platform_threads_too(config):
    pool = config["studies"]["virtual-threads"]["comparisons"]["connection-pool"]
    pool["each"] = {"pool": [3, 7]}
    pool["modes"] = {"fair-{pool}": {"kind": "pool", "threads": 500, "permits": "{pool}"}}
    grid = Grid(config)
    for size in (3, 7):
        fair = grid.spec(Cell("virtual-threads", f"fair-{size}", "query-wait", "jmeter", 1))
        assert fair["mode"]["options"] == {"threads": 500, "permits": size, "pool": size}
        assert fair["mode"]["observed"]["peak_at_most"] == 500
    # No other value of a family is one of its numbers.
    modes(config, "connection-pool", "virtual-threads")["mine"] = {
        "kind": "pool",
        "threads": 9,
        "permits": "{pool}",
    }
    assert 'connection-pool.modes.mine.permits = "{pool}"; allowed: a number' in refusal(config)


def test_default_run_excludes_the_depth_full(config):
    default, full = Grid(config).cells, Grid(config | {"depth": "full"}).cells
    assert set(default) < set(full)
    more = {cell for cell in full if cell.study == "stacks"} - set(default)
    lines = modes(config, "stacks", "stacks")
    deep = {name for name, line in lines.items() if (line or {}).get("depth") == "full"}
    tiers = config["studies"]["stacks"]["tiers"]
    deep_tiers = {name for name, tier in tiers.items() if tier.get("depth") == "full"}
    assert deep and deep_tiers
    assert not deep & {cell.mode for cell in default}
    assert not deep_tiers & {cell.tier for cell in default}
    assert deep <= {cell.mode for cell in more} and deep_tiers <= {cell.tier for cell in more}
    # A comparison of that depth is excluded as a whole.
    assert {cell.mode for cell in more if "carriers" in cell.mode}
    # A default run measures baselines, too.
    del lines["vertx-workers"]["depth"]
    assert "stacks.modes.vertx-workers.baseline = 'vertx'; allowed: " in refusal(config)
    config["depth"] = "deep"
    assert 'depth = "deep"; allowed: default, full: what has this depth, too, or a-a' in refusal(
        config
    )


def test_depth_of_a_a_pairs_has_each_pair_in_all_sessions_and_nothing_else(config):
    grid = Grid(config | {"depth": "a-a", "repetitions": 3})
    full = {replace(cell, repetition=1) for cell in Grid(config | {"depth": "full"}).cells}
    named = {cell for cell in full if cell.mode.endswith("-a-a")}
    bases = {replace(cell, mode=cell.mode.removesuffix("-a-a")) for cell in named}
    assert set(grid.comparisons) == named | bases
    assert len(grid.cells) == 3 * len(named | bases)
    # A default run has one session of these.
    assert {session.repetition for session in grid.sessions if session.study == "stacks"} == {
        1,
        2,
        3,
    }


def test_smoke_measures_tiers_with_ids_of_their_own(config):
    grid = Grid(config)
    smoke = Grid(overlaid(config, yaml.safe_load(FILES[1].read_text())))
    full = {cell.tier for cell in grid.cells}
    assert {cell.study for cell in smoke.cells} == set(config["studies"])
    assert {cell.tool for cell in smoke.cells} == {cell.tool for cell in grid.cells}
    assert not {cell.tier for cell in smoke.cells} & full
    kinds = [{part["kind"] for part in facts} for facts in (all_facts(grid), all_facts(smoke))]
    assert kinds[0] == kinds[1]


def all_facts(grid):
    return [row for study in grid.studies.values() for row in facts_of(study)]


OWN = {
    "studies": {
        "database-pools": {
            "comparisons": {
                "own": {
                    "question": "And sixteen?",
                    "modes": {
                        "thread-per-connection": None,
                        "thread-pool-16": {"kind": "pool", "threads": 16},
                    },
                    "tiers": ["own"],
                }
            },
            "tiers": {
                "own": {"sysbench": {"script": "oltp_read_only", "clients": 3}},
                "read-only-1": {"title": "another"},
            },
        }
    },
    "repetitions": 1,
}


def test_file_of_the_readers_own_adds_a_comparison_a_mode_and_a_tier(config):
    before, after = Grid(config | {"repetitions": 1}), Grid(overlaid(config, OWN))
    added = [cell for cell in after.cells if cell not in before.cells]
    assert {(cell.mode, cell.tier) for cell in added} == {
        ("thread-per-connection", "own"),
        ("thread-pool-16", "own"),
    }
    assert [cell for cell in after.cells if cell in before.cells] == before.cells
    assert all(before.spec(cell) == after.spec(cell) for cell in before.cells)
    pools = after.studies["database-pools"]
    assert list(pools.tiers)[0] == "read-only-1" and list(pools.tiers)[-1] == "own"
    assert pools.tiers["read-only-1"]["title"] == "another"
    settings = after.spec(added[-1])["mode"]["options"]
    assert settings == {"thread_handling": "pool-of-threads", "thread_pool_size": 16}


def test_tier_takes_over_what_its_study_says(config):
    spec = Grid(config).spec(Cell("sign-up", "tomcat-200", "connections-1000", "wrk2", 1))
    assert spec["tier"]["path"] == "/registration"
    assert (spec["tool"]["connections"], spec["tool"]["keep_alive"]) == (1000, True)
    config["studies"]["sign-up"]["tiers"]["connections-1000"]["wrk2"]["keep_alive"] = False
    own = Grid(config).spec(Cell("sign-up", "tomcat-200", "connections-1000", "wrk2", 1))
    assert own["tool"]["keep_alive"] is False


def test_kind_gives_options_and_what_must_be_observed(config):
    grid = Grid(config | {"depth": "full"})

    def mode(study, mode, tier, tool="jmeter"):
        return grid.spec(Cell(study, mode, tier, tool, 1))["mode"]

    pool = mode("virtual-threads", "platform-50", "sleep-500")
    assert pool["observed"] == {"peak_at_most": 50, "started_per_request_at_most": 0.5}
    virtual = mode("virtual-threads", "virtual", "sleep-500")
    assert virtual["options"] == {"virtual": True}
    assert virtual["observed"] == {"peak_at_most_per_cpu": 5, "started_per_request_at_most": 0.2}
    # A line may say otherwise, in a word or in full.
    assert mode("virtual-threads", "virtual-files", "file-16k")["observed"]["peak_at_most"] == 60
    # 16 carriers on a CPU are 15 threads more.
    carriers = mode("virtual-threads", "virtual-synchronized-21-carriers-16", "lock-20ms")
    assert carriers["observed"]["peak_at_most_per_cpu"] == 20
    blocking = mode("blocking-remote", "pool-200-blocking", "users-100")
    assert blocking["observed"] == {"peak_at_most": 200, "started_per_request_at_most": 0.5}
    # A study's options are for its server, below what a mode says, and for none as published.
    assert blocking["options"] == {"states-every-ms": 100, "threads": 200, "client": "blocking"}
    webflux = grid.spec(Cell("stacks", "webflux", "plain", "wrk2", 1))
    assert (webflux["mode"]["options"], webflux["study"]["server"]["id"]) == ({}, "webflux")
    backlog = mode("request-threads", "fixed-pool-backlog-50", "burst-5000", "wrk2")
    assert backlog["options"]["backlog"] == 50
    published = grid.spec(Cell("request-threads", "fixed-pool-as-published", "low", "jmeter", 1))
    assert published["mode"]["options"] == {}
    assert published["mode"]["observed"]["peak_at_most"] == 20
    assert published["study"]["server"]["class"] == "FixedPoolAsPublished"


def test_heap_collector_and_carriers_are_options_of_the_jvm(config):
    config["depth"] = "full"
    modes(config, "limit-or-thread", "virtual-threads")["virtual"] |= {"heap_mib": 2048, "gc": "g1"}
    config["studies"]["virtual-threads"] |= {"heap_mib": 256, "young_mib": 192, "jvm_options": []}
    grid = Grid(config)

    def jvm(study, mode, tier, tool):
        return grid.spec(Cell(study, mode, tier, tool, 1))["study"]["server"]["jvm_options"]

    small = ["-Xms256m", "-Xmx256m", "-Xmn192m", "-XX:SurvivorRatio=3", "-XX:+UseSerialGC"]
    large = ["-Xms2048m", "-Xmx2048m", "-XX:+UseG1GC"]
    assert jvm("virtual-threads", "platform-50", "sleep-500", "jmeter") == small
    # A JVM takes one collector, and the sizes of a study are those of its collector.
    assert jvm("virtual-threads", "virtual", "sleep-500", "jmeter") == large
    for server in ("mvc-tomcat-200", "mvc-tomcat-virtual", "webflux"):
        chosen = jvm("stacks", f"{server}-zgc-128", "order-in-flight", "overload")
        assert chosen[-3:] == ["-Xms128m", "-Xmx128m", "-XX:+UseZGC"]
        assert sum(option.startswith("-Xm") or option.endswith("GC") for option in chosen) == 3
    carriers = jvm("stacks", "mvc-tomcat-virtual-carriers-2", "login", "jmeter")
    assert carriers[-2:] == [
        "-Djdk.virtualThreadScheduler.maxPoolSize=2",
        "-Djdk.virtualThreadScheduler.parallelism=2",
    ]


def test_study_says_what_its_modes_must_show_and_an_a_a_pair_is_its_mode(config):
    grid = Grid(config)

    def spec(mode):
        return grid.spec(Cell("database-pools", mode, "read-only-10", "sysbench", 1))["mode"]

    assert spec("thread-per-connection")["observed"] == {"started_per_request_at_most": 1.1}
    assert spec("pgbouncer-connect")["observed"] == {"started_per_request_at_most": 0.3}
    assert spec("pgbouncer-connect")["options"]["default_pool_size"] == 8
    pair = spec("thread-per-connection-a-a")
    assert pair == spec("thread-per-connection") | {"id": "thread-per-connection-a-a"}
    plan = grid.plan(grid.named_session(words(study="database-pools", comparison="database")))
    assert plan.modes["thread-per-connection-a-a"].baseline == "thread-per-connection"


@pytest.mark.parametrize(
    ("study", "mode", "expected"),
    [
        ("request-threads", "fixed-pool", ("", "", "fixed-pool", "", "blue", "pool")),
        (
            "request-threads",
            "fixed-pool-as-published",
            ("as published", "fixed-pool", "fixed-pool", "", "blue", "pool"),
        ),
        ("request-threads", f"{BASE}-a-a", ("A/A", BASE, BASE, "", "vermilion", "thread-each")),
        (
            "virtual-threads",
            "virtual-plus-5",
            ("slower", "virtual", "virtual", "", "green", "virtual"),
        ),
        ("database-pools", "thread-pool-8", ("", "", "thread-pool", "8", "blue", "pool")),
        ("database-pools", "both-pools", ("", "", "both-pools", "", "olive", "pool")),
        ("stacks", "nginx", ("", "", "nginx", "", "gray", "")),
    ],
)
def test_variant_and_size_look_like_their_family(config, study, mode, expected):
    (facts,) = [row for row in facts_of(whole_studies(config)[study]) if row["mode"] == mode]
    keys = ("variant", "of", "family", "size", "color", "kind")
    assert tuple(facts[key] for key in keys) == expected


def test_families_of_a_comparison_differ_in_color_while_colors_are_free(config):
    for study in whole_studies(config).values():
        colors = {row["family"]: row["color"] for row in facts_of(study)}
        for comparison in study.comparisons.values():
            rows = [row for row in facts_of(study) if row["mode"] in comparison.modes]
            families = {
                row["family"]
                for row in rows
                if not row["variant"] and row["mode"] not in comparison.deep
            }
            shown = {colors[family] for family in families}
            named = {mode["color"] for mode in study.modes.values() if "color" in mode}
            assert len(shown) == min(8, len(families)) or named, comparison.id


def test_table_of_modes_has_every_mode_once(config):
    grid = Grid(config)
    rows = list(csv.DictReader(grid.modes_table().splitlines()))
    found = [(row["study"], row["mode"]) for row in rows]
    assert len(found) == len(set(found))
    full = Grid(config | {"depth": "full"})
    assert {(cell.study, cell.mode) for cell in full.cells} == set(found)


def test_table_of_the_grid_has_each_cell_once(config):
    grid = Grid(config)
    rows = csv.DictReader(grid.grid_table().splitlines())
    listed = ["/".join([*row.values(), "rep-1"]) for row in rows]
    # Claims may name what a default run leaves out.
    whole = Grid(config | {"depth": "full"})
    assert listed == [cell.path for cell in whole.cells if cell.repetition == 1]
    assert {cell.path for cell in grid.cells if cell.repetition == 1} < set(listed)


def test_plan_travels_as_json_and_says_what_each_cell_measures(config):
    grid = Grid(config)
    session = grid.named_session(words(study="stacks", comparison="stacks"))
    plan = grid.plan(session)
    assert Plan.from_json(plan.to_json()) == plan
    for cell in session.cells:
        assert plan.spec(cell.name) == grid.spec(cell)


def test_order_is_blocked_by_repetition_and_differs_between_blocks(config):
    grid = Grid(config)
    ordered = sorted(grid.cells, key=grid.position)
    assert [cell.repetition for cell in ordered] == sorted(cell.repetition for cell in ordered)
    assert sorted(grid.positions.values()) == list(range(1, len(grid.cells) + 1))
    groups = [
        [(s.study, s.comparison) for s in grid.sessions if s.repetition == rep] for rep in (1, 2)
    ]
    assert [group for group in groups[0] if group in groups[1]] != groups[1]
    # A later block has the comparisons that have so many sessions.
    limits = {
        (name, id): comparison.get("repetitions", config["repetitions"])
        for name, each in config["studies"].items()
        for id, comparison in each["comparisons"].items()
    }
    assert {group for group in groups[0] if limits[group] > 1} == set(groups[1])


def test_profiles_are_of_cells_that_are_measured_in_the_first_session_alone(config):
    grid = Grid(config)
    named = {
        (study, mode, *load.split("/"))
        for study, each in config["studies"].items()
        for comparison in each["comparisons"].values()
        for load, modes in comparison.get("profiles", {}).items()
        for mode in modes
    }
    profiled = {cell for cell in grid.cells if grid.profiles(cell)}
    assert {(cell.study, cell.mode, cell.tier, cell.tool) for cell in profiled} == named
    assert {cell.repetition for cell in profiled} == {1}
    cell = Cell("stacks", "webflux", "plain", "wrk2", 1)
    assert grid.spec(cell)["profile"] == ["allocation"]
    assert "profile" not in grid.spec(replace(cell, repetition=2))
    assert "profile" not in grid.spec(replace(cell, tier="order-outside", tool="jmeter"))
    # A cell that is named by itself is judged.
    alone = grid.plan(grid.alone(cell))
    assert "profile" not in alone.spec(cell.name)
    again = Plan.from_json(grid.plan(grid.named_session(grid.sessions[0])).to_json())
    assert again == grid.plan(grid.named_session(grid.sessions[0]))


def test_clients_and_servers_meet_one_rate_in_one_session(config):
    grid = Grid(config | {"depth": "full"})
    (session,) = [each for each in grid.sessions if each.path.startswith("stacks/client/")]
    specs = {c.mode: grid.spec(c) for c in session.cells if not c.mode.endswith("-a-a")}
    assert {spec["tool"]["rate_per_s"] for spec in specs.values()} == {1999}
    assert {spec["slices"]["rounds"] for spec in specs.values()} == {10}
    clients = {mode: spec["mode"]["options"].get("http-client") for mode, spec in specs.items()}
    assert clients == {
        "mvc-tomcat-virtual": None,
        "mvc-tomcat-virtual-reactor": "reactor",
        "mvc-tomcat-virtual-jdk": "jdk",
        "mvc-tomcat-200": None,
        "mvc-tomcat-200-reactor": "reactor",
        "mvc-tomcat-200-jdk": "jdk",
        "webflux": None,
        "webflux-nio": None,
        "helidon": None,
    }
    on_nio = {
        mode
        for mode, spec in specs.items()
        if "-Dreactor.netty.native=false" in spec["study"]["server"]["jvm_options"]
    }
    assert on_nio == {"webflux-nio"}
    # All modes of a default run have a profile of what a request allocates.
    default = {cell.mode for cell in Grid(config).cells if cell.tier == "remote-1999"}
    assert {
        mode for mode, spec in specs.items() if "allocation" in spec.get("profile", [])
    } == default
    assert set(specs) - default == {"mvc-tomcat-200-jdk"}


@pytest.mark.parametrize(
    ("profiles", "said"),
    [
        ({"nowhere/wrk2": {"webflux": ["cpu"]}}, "profiles = 'nowhere/wrk2'; allowed: plain/wrk2,"),
        ({"plain/jmeter": {"webflux": ["cpu"]}}, "profiles = 'plain/jmeter'; allowed: plain/wrk2,"),
        ({"remote-997/sweep": {"webflux": ["cpu"]}}, "profiles = 'remote-997/sweep'"),
        ({"plain/wrk2": {"tomcat": ["cpu"]}}, "profiles.plain/wrk2 = 'tomcat'; allowed: mvc-"),
        ({"plain/wrk2": {"webflux": ["wall"]}}, 'webflux.0 = "wall"; allowed: cpu, allocation'),
        ({"plain/wrk2": {"webflux": []}}, "webflux = []; allowed: a list of cpu"),
    ],
)
def test_profile_of_no_cell_or_of_no_kind_is_refused(config, profiles, said):
    config["studies"]["stacks"]["comparisons"]["stacks"]["profiles"] = profiles
    with pytest.raises(ConfigurationError, match=re.escape(said)):
        Grid(config)


def test_two_tiers_are_loaded_by_wrk2_too_where_there_is_one(config, path_with_wrk2, monkeypatch):
    found = [cell for cell in Grid(config).cells if cell.tool == "wrk2-itself"]
    assert {cell.tier for cell in found} == {"mid", "extreme-kept"}
    # Those that due loads there, and none that JMeter alone does.
    by_due = {(c.mode, c.tier) for c in Grid(config).cells if c.tool == "wrk2"}
    assert {(c.mode, c.tier) for c in found} == {
        pair for pair in by_due if pair[1] in ("mid", "extreme-kept")
    }
    spec, own = (
        Grid(config).spec(replace(found[0], tool=tool)) for tool in ("wrk2-itself", "wrk2")
    )
    for key in ("rate_per_s", "connections"):
        assert spec["tool"][key] == own["tool"][key]
    assert spec["slices"]["rounds"] == 1
    config["testbed"] |= {"generator_host": "someone@far", "server_address": "10.0.0.1"}
    assert "wrk2-itself" not in {cell.tool for cell in Grid(config).cells}
    del config["testbed"]["generator_host"], config["testbed"]["server_address"]
    monkeypatch.setenv("PATH", "/nowhere")
    assert "wrk2-itself" not in {cell.tool for cell in Grid(config).cells}


def test_seed_decides_the_order(config):
    by_seed = [Grid(config | {"seed": seed}).positions for seed in (1, 1, 2)]
    assert by_seed[0] == by_seed[1] != by_seed[2]


def test_more_repetitions_leave_the_earlier_ones_as_they_were(config):
    few, many = Grid(config), Grid(config | {"repetitions": config["repetitions"] + 2})
    for cell in few.cells:
        assert few.position(cell) == many.position(cell)
        assert few.spec(cell) == many.spec(cell)


def test_burst_of_the_warm_up_is_as_large_as_the_tier_within_a_bound(config):
    grid = Grid(config)

    def burst(study, mode, tier, tool):
        return grid.spec(Cell(study, mode, tier, tool, 1))["warm_up"]["burst"]

    sleep = config["warm_up"]["burst_connections_at_most"]
    assert burst("virtual-threads", "virtual", "sleep-1999", "wrk2") == {
        "path": "/api/sleep-test?sleep_ms=010",
        "connections": sleep,
        "waits_s": 0.01,
    }
    assert burst("request-threads", "fixed-pool", "extreme-kept", "wrk2")["connections"] == 10
    # It would take seconds of all CPUs.
    assert burst("virtual-threads", "virtual", "cpu-2ms", "jmeter")["connections"] == 0


def cpu_ms(path):
    return int(path.rsplit("cpu_us=", 1)[1]) / 1000


def test_mixes_use_the_share_of_a_cpu_that_they_name_and_are_long_enough_for_a_p99(config):
    grid, used = Grid(config | {"depth": "full"}), {}
    for tier, says in config["studies"]["virtual-threads"]["tiers"].items():
        mix = says.get("wrk2", {}).get("mix")
        if mix:
            spec = grid.spec(Cell("virtual-threads", "virtual", tier, "wrk2", 1))
            rate, share = spec["tool"]["rate_per_s"], mix["share"]
            mean_ms = (1 - share) * cpu_ms(says["path"]) + share * cpu_ms(mix["path"])
            used[tier] = rate * mean_ms / 1000
            lasts_s = spec["slices"]["rounds"] * spec["tool"]["duration_s"]
            assert rate * lasts_s * (1 - share) >= 3000, tier
            assert spec["warm_up"]["mix"]["path"].startswith("/api/long-test?")
    assert len(used) == 7
    for tier, share in used.items():
        assert share == pytest.approx(int(tier.rsplit("-", 1)[1]) / 100, abs=0.005), tier


def test_sweep_has_rounds_of_its_own_and_no_rate(config):
    grid = Grid(config | {"depth": "full"})
    spec = grid.spec(Cell("request-threads", "fixed-pool", "saturated", "sweep", 1))
    assert spec["tool"] == {
        "id": "sweep",
        "connections": 1000,
        "objective_ms": 20,
        **{key: config["sweep"][key] for key in ("lowest", "highest", "arrivals")},
        "duration_s": config["sweep"]["step_s"],
        "warm_up_s": config["wrk2"]["warm_up_s"],
    }
    assert spec["slices"]["rounds"] == config["sweep"]["rounds"]
    # Requests that wait have a window of two and a half times that; first answers come earlier.
    waits = grid.spec(Cell("virtual-threads", "virtual", "sleep-100", "sweep", 1))
    assert (waits["tool"]["duration_s"], waits["tool"]["warm_up_s"]) == (0.5, 0.2)
    assert waits["tool"]["keep_alive"] is True
    script = grid.spec(Cell("sign-up", "tomcat-400", "sign-ups", "sweep", 1))["tool"]
    assert len(script["script_sha256"]) == 64


def test_overload_has_steps_in_time_and_no_rate(config):
    cell = Cell("sign-up", "virtual-512m", "overload-recovery", "overload", 1)
    spec = Grid(config).spec(cell)
    assert spec["tool"]["steps"] == [[0.5, 5], *[[1.5, 5]] * 2, *[[0.5, 5]] * 3]
    assert spec["tool"]["duration_s"] == 30
    assert spec["tool"].keys().isdisjoint({"shares", "step_s", "rounds", "rate_per_s"})
    assert len(spec["tool"]["script_sha256"]) == 64
    # Answers are recorded for longer than users wait.
    assert spec["tool"]["objective_ms"] == 2000
    assert spec["testbed"]["request_timeout_s"] == 10
    assert spec["mode"]["heap_varied"] is True
    assert "-Xmx512m" in spec["study"]["server"]["jvm_options"]


def test_rounds_of_one_tool_are_not_those_of_the_tier(config):
    tier = config["studies"]["request-threads"]["tiers"]["low"]
    assert tier["wrk2"]["rounds"] > config["slices"]["rounds"]
    grid = Grid(config)
    fast, slow = (
        grid.spec(Cell("request-threads", "fixed-pool", "low", tool, 1))
        for tool in ("wrk2", "jmeter")
    )
    assert fast["slices"]["rounds"] == tier["wrk2"]["rounds"]
    assert slow["slices"]["rounds"] == 1
    # How often it is loaded is no part of the load.
    assert "rounds" not in fast["tool"]


def test_sweep_warms_up_as_the_other_loads_over_its_path(config):
    grid = Grid(config | {"depth": "full"})

    def plan(tier, tool):
        plan = grid.spec(Cell("virtual-threads", "platform-50", tier, tool, 1))["warm_up"]
        return without(plan, "burst"), plan["burst"]

    assert plan("compute-2ms", "sweep")[0] == plan("cpu-2ms", "jmeter")[0]
    assert plan("compute-2ms", "sweep")[1]["connections"] == 0
    assert plan("sleep-100", "sweep") == plan("sleep-500", "wrk2")


def test_burst_has_a_request_for_each_connection(config):
    config["slices"]["length_s"] = 2
    cell = Cell("request-threads", "fixed-pool-backlog-50", "burst-5000", "wrk2", 1)
    spec = Grid(config).spec(cell)
    tool = spec["tool"]
    assert tool["rate_per_s"] * tool["duration_s"] == tool["connections"] == 5000
    assert (tool["warm_up_s"], spec["testbed"]["request_timeout_s"]) == (0, 4)
    assert spec["mode"]["options"]["backlog"] == 50


@pytest.mark.parametrize(
    ("load", "slices", "length_s"),
    [
        ({"wrk2": {"rate_per_s": 500}}, {}, 0.5),
        ({"wrk2": {"rate_per_s": 499}}, {}, 1),
        # A tier's own length holds, and five times what a request waits.
        ({"wrk2": {"rate_per_s": 500}, "slices": {"length_s": 1}}, {}, 1),
        ({"wrk2": {"rate_per_s": 500}, "sleep_ms": 150}, {}, 0.75),
        ({"wrk2": {"rate_per_s": 500}}, {"length_s": 2}, 1),
    ],
)
def test_fast_open_loop_has_slices_of_half_the_length(config, load, slices, length_s):
    tier = study(config)["tiers"]["high"]
    tier["wrk2"] |= load.pop("wrk2")
    tier |= load
    config["slices"] |= slices
    spec = Grid(config).spec(Cell("request-threads", "fixed-pool", "high", "wrk2", 1))
    assert (spec["slices"]["length_s"], spec["tool"]["duration_s"]) == (length_s, length_s)


@pytest.mark.parametrize(("rate_per_s", "length_s"), [(0.5, 2), (0.9, 1.2), (0.1, 10), (1, 1)])
def test_rate_below_one_is_loaded_in_slices_that_are_long_enough(config, rate_per_s, length_s):
    tier = study(config)["tiers"]["low"]
    tier["wrk2"] |= {"rate_per_s": rate_per_s}
    tier["slices"] = {"length_s": length_s}
    tool = Grid(config).spec(Cell("request-threads", "fixed-pool", "low", "wrk2", 1))["tool"]
    assert (tool["rate_per_s"], tool["duration_s"]) == (rate_per_s, length_s)


def test_wrk2_itself_has_whole_rates(config):
    study(config)["tiers"]["low"]["wrk2"]["rate_per_s"] = 1.5
    Grid(config)
    config["wrk2"]["generator"] = "wrk2"
    assert "rate_per_s = 1.5; allowed: a whole number, where wrk2 itself loads" in refusal(config)


def test_repetition_outside_the_grid_can_be_measured(config):
    grid = Grid(config)
    outside = Cell("request-threads", "fixed-pool", "low", "jmeter", 101)
    assert grid.position(outside) == len(grid.cells) + 1
    assert grid.spec(outside) == grid.spec(
        Cell("request-threads", "fixed-pool", "low", "jmeter", 2)
    )


def test_titles_baselines_and_neighbours_do_not_change_what_is_measured(config):
    changed = copy.deepcopy(config)
    pool = modes(changed)["fixed-pool"]
    study(changed)["title"] = pool["title"] = "another"
    pool |= {"color": "pink", "baseline": "event-loop"}
    modes(changed)["event-loop"]["backlog"] = 11
    cell = Cell("request-threads", "fixed-pool", "low", "jmeter", 1)
    assert Grid(config).spec(cell) == Grid(changed).spec(cell)
    neighbour = Cell("request-threads", "event-loop", "high", "wrk2", 1)
    assert Grid(config).spec(neighbour) != Grid(changed).spec(neighbour)


def cell_of_study(config, name, **wanted):
    return next(
        cell
        for cell in Grid(config).cells
        if cell.study == name and all(getattr(cell, key) == wanted[key] for key in wanted)
    )


def session_of(config, *cells):
    return replace(Grid(config).alone(cells[0]), cells=cells, baselines=())


def test_backend_is_part_of_what_is_measured(config):
    cell = cell_of_study(config, "blocking-remote")
    spec = Grid(config).spec(cell)
    assert spec["backend"]["id"] == "remote"
    assert Grid(config).jars(session_of(config, cell)) == [
        "servers/spring/target/spring.jar",
        "servers/sockets/target/sockets.jar",
    ]
    config["backends"]["remote"]["path"] = "/work?sleep_ms=500&cpu_us=0"
    assert Grid(config).spec(cell) != spec
    alone = cell_of_study(config, "request-threads")
    assert Grid(config).spec(alone)["backend"] is None
    assert Grid(config).class_data(session_of(config, alone)) == []


def test_mode_may_have_a_jar_and_backends_and_a_tier_answers_of_its_own(config):
    config["depth"] = "full"
    order = cell_of_study(config, "stacks", mode="vertx", tier="order")
    grid, first, remote = Grid(config), config["backends"]["mariadb"], config["backends"]["remote"]
    assert grid.spec(order)["backend"] == {
        **first,
        "id": "mariadb",
        "others": [{**remote, "id": "remote"}],
    }
    assert grid.jars(session_of(config, order)) == [
        "servers/stacks/vertx/target/stacks-vertx.jar",
        "servers/sockets/target/sockets.jar",
    ]
    plain = cell_of_study(config, "stacks", mode="vertx", tier="plain")
    assert grid.spec(order)["study"]["rows_path"] == "/orders/count"
    assert "rows_path" not in grid.spec(plain)["study"]
    assert grid.spec(plain)["study"]["body_bytes"] != grid.spec(order)["study"]["body_bytes"]
    config["studies"]["stacks"]["backend"] = ["mariadb", "remot"]
    assert "studies.stacks.backend = 'remot'; allowed: " in refusal(config)


def test_runtime_of_a_mode_decides_its_class_data(config):
    grid = Grid(config)
    virtual, lock_21 = (
        cell_of_study(config, "virtual-threads", mode=mode)
        for mode in ("virtual", "virtual-lock-21")
    )
    default, of_21 = "servers/spring/target/spring-jdk.jsa", "servers/spring/target/spring-21.jsa"
    assert grid.class_data(session_of(config, virtual)) == [default]
    assert grid.class_data(session_of(config, lock_21)) == [of_21]
    assert grid.class_data(session_of(config, virtual, virtual, lock_21)) == [default, of_21]


def test_time_out_of_a_tier_comes_before_the_study_s_and_that_before_the_testbed_s(config):
    def time_out(study, tier):
        cell = cell_of_study(config, study, tier=tier)
        return Grid(config).spec(cell)["testbed"]["request_timeout_s"]

    config["testbed"]["request_timeout_s"] = 9
    assert time_out("request-threads", "low") == 9
    assert time_out("blocking-remote", "rate-399") == 3
    assert time_out("blocking-remote", "users-100") == 7


def test_load_depends_on_what_its_script_says(config, tmp_path, monkeypatch):
    cell = cell_of_study(config, "sign-up", tier="connections-1000")
    script = "workloads/scripts/sign-up.lua"
    before = Grid(config).spec(cell)
    monkeypatch.setattr("workloads.experiment.grid.ROOT", tmp_path)
    for name in ("sign-up", "sign-up-as-published"):
        path = tmp_path / f"workloads/scripts/{name}.lua"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("-- another\n")
    after = Grid(config).spec(cell)
    assert before["tool"]["script"] == after["tool"]["script"] == script
    assert before["tool"]["script_sha256"] != after["tool"]["script_sha256"]


THREADS = ("studies", "request-threads", "comparisons", "threads", "modes")
NEIGHBOR = ("studies", "virtual-threads", "tiers", "neighbor-1-50", "wrk2")
SIGN_UPS = ("studies", "sign-up", "comparisons", "overload", "modes")


@pytest.mark.parametrize(
    ("keys", "value", "expected"),
    [
        (["repetitions"], 0, "repetitions = 0; allowed: a whole number from 1"),
        (["repetitionss"], 3, "repetitionss = 3; allowed: here only results"),
        (
            ["studies", "request-threads", "tiers", "burst-500", "also_by_wrk2"],
            True,
            "tiers.burst-500.wrk2.rate_per_s = null; allowed: it must be there",
        ),
        (["seed"], "x", 'seed = "x"; allowed: a whole number from 0'),
        (["reference"], 3, "reference = 3; allowed: a folder of "),
        (["name"], "../x", 'name = "../x"; allowed: small letters, digits, dots and hyphens'),
        (["results"], "../out", 'results = "../out"; allowed: a folder below this one'),
        # YAML's reading of 20261125, 2026-11-25, `on`, 010 in quotes.
        (["results"], 20261125, "results = 20261125; allowed: a folder below this one, or"),
        (["results"], 20261125, "; in quotes it is a text"),
        (["results"], date(2026, 11, 25), 'results = "2026-11-25"; allowed: a folder below'),
        (["smoke"], True, "; for this run --configfile workloads/smoke.yaml"),
        (["primitives"], "no", 'primitives = "no"; allowed: true or false'),
        (
            ["studies", "request-threads", "tiers", 500],
            {"path": "/"},
            "tiers = 500; allowed: lower-case letters, digits and single hyphens; in quotes",
        ),
        (
            ["studies", "request-threads", "tiers", "low", "wrk2", "connections"],
            "010",
            'connections = "010"; allowed: 1 to 1,000,000 connections; as a decimal number',
        ),
        (
            ["wrk2", "generator"],
            "wrk",
            'wrk2.generator = "wrk"; allowed: due or wrk2',
        ),
        (
            ["studies", "request-threads", "tiers", "low", "jmeter", "users"],
            0,
            "studies.request-threads.tiers.low.jmeter.users = 0; allowed: 1 to 20,000 users",
        ),
        (
            ["studies", "request-threads", "tiers", "low", "jmeter", "warm_up_s"],
            1,
            "allowed: loops (so many requests of each user) or warm_up_s",
        ),
        (
            ["studies", "request-threads", "tiers", "low", "path"],
            "/a;rm -rf",
            "studies.request-threads.tiers.low.path",
        ),
        (
            [*THREADS, "fixed-pool", "baseline"],
            "fixed-pol",
            "modes.fixed-pool.baseline = 'fixed-pol'; allowed: thread-per-request",
        ),
        (
            [*THREADS, "fixed-pool", "tiers"],
            ["lo"],
            "comparisons.threads.modes.fixed-pool.tiers = 'lo'; allowed: low, low/jmeter",
        ),
        (
            ["studies", "blocking-remote", "backend"],
            "remot",
            "studies.blocking-remote.backend = 'remot'; allowed: ",
        ),
        (
            [*THREADS, "fixed-pool", "backend"],
            "remot",
            "modes.fixed-pool.backend = 'remot'; allowed: ",
        ),
        (
            ["studies", "request-threads", "tiers", "low", "wrk2", "script"],
            "workloads/scripts/none.lua",
            "tiers.low.wrk2.script = 'workloads/scripts/none.lua'; allowed: a file that is there",
        ),
        (
            ["studies", "request-threads", "tiers", "low", "wrk2", "script"],
            "../x.lua",
            'tiers.low.wrk2.script = "../x.lua"; allowed: a Lua script in workloads/scripts/',
        ),
        (
            [*THREADS, "Pool"],
            {},
            'comparisons.threads.modes = "Pool"; allowed: lower-case letters, digits',
        ),
        (["studies"], [], "studies = []; allowed: a mapping of ids to studies"),
        (
            [*THREADS, "fixed-pool"],
            3,
            "threads.modes.fixed-pool = 3; allowed: a mapping of kind, threads, options",
        ),
        (
            [*THREADS, "fixed-pool", "kind"],
            "pol",
            'modes.fixed-pool.kind = "pol"; allowed: pool, virtual, event-loop or thread-each',
        ),
        (
            [*THREADS, "fixed-pool", "server"],
            "sokets",
            "threads.modes.fixed-pool.server = 'sokets'; allowed: sockets, peers, spring",
        ),
        (
            ["studies", "request-threads", "comparisons", "lasting", "tiers"],
            ["low", "lasting"],
            "comparisons.lasting.modes.thread-per-request.tiers = 'low'; allowed: none of compar",
        ),
        (
            ["studies", "virtual-threads", "comparisons", "pool-size", "each"],
            {"thread": [1]},
            'pool-size.each = "thread"; allowed: threads, pool, permits',
        ),
        (
            [*THREADS, "fixed-pool", "options"],
            {"Max": 1},
            'modes.fixed-pool.options = "Max"; allowed: option names as on the command line',
        ),
        (
            [*THREADS, f"{BASE}-a-a", "a_a_of"],
            "thread-per-connection",
            "a-a.a_a_of = 'thread-per-connection'; allowed: event-loop, fixed-pool",
        ),
        (
            [*THREADS, "fixed-pool", "size"],
            3,
            "modes.fixed-pool.size = 3; allowed: the number that the mode's id ends in",
        ),
        (
            ["studies", "request-threads", "comparisons", "threads", "tiers"],
            ["lo"],
            "request-threads.comparisons.threads.tiers = 'lo'; allowed: low, low/jmeter",
        ),
        (
            ["studies", "sign-up", "comparisons", "threads", "modes", "virtual", "color"],
            "pink",
            "sign-up: mode virtual: color = 'pink'; allowed: 'green', as in virtual-threads",
        ),
        (
            [*THREADS, "fixed-pool", "permits"],
            0,
            "fixed-pool.permits = 0; allowed: a whole number from 1 to 100,000, or the name of",
        ),
        (
            [*THREADS, "fixed-pool", "lock"],
            "none",
            'fixed-pool.lock = "none"; allowed: reentrant, synchronized, shared, native or class',
        ),
        (
            [*NEIGHBOR, "mix"],
            {"path": "/a", "share": 1},
            "tiers.neighbor-1-50.wrk2.mix.share = 1; allowed: more than 0, less than 1",
        ),
        ([*NEIGHBOR, "mix"], {"path": "/a"}, "wrk2.mix.share = null; allowed: it must be there"),
        ([*NEIGHBOR, "arrivals"], "random", 'arrivals = "random"; allowed: poisson or constant'),
        ([*NEIGHBOR[:-1], "requests"], [{"path": "/a"}], "allowed: no mix, where"),
        ([*NEIGHBOR, "script"], "workloads/scripts/order.lua", "allowed: connections, and rate"),
        ([*NEIGHBOR[:-1], "also_by_wrk2"], True, "allowed: rate_per_s without arrivals and mix"),
        (["sweep", "lowest"], 1, "sweep.lowest = 1; allowed: more than 0, less than 1"),
        (["sweep", "highest"], 3, "sweep.highest = 3; allowed: 1 to 2"),
        (
            ["studies", "request-threads", "tiers", "saturated", "sweep"],
            {"connections": 9},
            "tiers.saturated.sweep.objective_ms = null; allowed: it must be there",
        ),
        (
            ["studies", "sign-up", "tiers", "overload-150", "overload", "shares"],
            [1.5, 0],
            "overload-150.overload.shares.1 = 0; allowed: exclusiveMinimum 0",
        ),
        (
            ["studies", "sign-up", "tiers", "overload-150", "overload"],
            {"step_s": 2},
            "tiers.overload-150.overload.shares = null; allowed: it must be there",
        ),
        (
            [*SIGN_UPS, "virtual-512m", "beyond-permits"],
            "drop",
            'virtual-512m.beyond-permits = "drop"; allowed: wait, answer-503 or close',
        ),
        (
            ["studies", "request-threads", "tiers", "burst-500", "wrk2", "rate_per_s"],
            9,
            "burst-500.wrk2 = {",
        ),
        (
            ["studies", "database-pools", "comparisons", "jvm", "modes", "hikari-10", "heap_mib"],
            100,
            "jvm.modes.hikari-10.heap_mib = 100; allowed: only for a server on a JVM",
        ),
        (
            ["studies", "database-pools", "comparisons", "jvm", "modes", "hikari-10", "scheduling"],
            "batch",
            'jvm.modes.hikari-10.scheduling = "batch"; allowed: only for a server on a JVM',
        ),
        (
            ["studies", "database-pools", "comparisons", "jvm", "modes", "hikari-10", "permits"],
            5,
            "jvm.modes.hikari-10.permits = 5; allowed: only for a server on a JVM",
        ),
        (
            [*THREADS, "fixed-pool", "scheduling"],
            "idle",
            'threads.modes.fixed-pool.scheduling = "idle"; allowed: batch',
        ),
        (
            ["studies", "stacks", "tiers", "remote", "path"],
            "/remote?sleep_ms=10-50",
            "stacks.tiers.remote.sleep_ms = 20; allowed: 30, the path's mean",
        ),
        (
            ["studies", "stacks", "young_mib"],
            512,
            "mvc-tomcat-200.young_mib = 512; allowed: less than heap_mib",
        ),
        (
            [
                "studies",
                "virtual-threads",
                "comparisons",
                "limit-or-thread",
                "modes",
                "virtual",
                "gc",
            ],
            "g1",
            "virtual.heap_mib = null; allowed: a number, next to a collector of the mode's own",
        ),
        (
            ["studies", "request-threads", "tiers", "low", "wrk2", "rate_per_s"],
            0.5,
            "low.wrk2.rate_per_s = 0.5; allowed: at least one request in a slice of 1 s; for this "
            "rate the tier needs slices: {length_s: 2}",
        ),
        (
            ["studies", "request-threads", "tiers", "mid", "slices"],
            {"length_s": 120},
            "mid.slices.length_s = 120; allowed: with its warm-up at most testbed.load_limit_s",
        ),
        (["warm_up", "rate_per_s"], 0.5, "warm_up.rate_per_s = 0.5; allowed: at least one"),
        (
            ["studies", "sign-up", "tiers", "connections-10", "wrk2"],
            {"rate_per_s": 1},
            "sign-up.tiers.connections-10.wrk2.connections = null; allowed: it must be there",
        ),
    ],
)
def test_bad_value_is_refused_with_key_value_and_what_is_allowed(config, keys, value, expected):
    place = config
    for key in keys[:-1]:
        place = place[key]
    place[keys[-1]] = value
    assert expected in refusal(config)


def test_mode_needs_a_class_of_its_own_or_of_its_server_or_kind(config):
    del config["servers"]["sockets"]["classes"]["pool"]
    assert "threads.modes.fixed-pool.class = null; allowed: a class" in refusal(config)


def test_mode_needs_what_must_be_observed_of_its_kind_or_its_own(config):
    del modes(config)["fixed-pool"]["threads"]
    assert "modes.fixed-pool.threads = null; allowed: a number" in refusal(config)
    for mode in ("fixed-pool", "fixed-pool-as-published"):
        modes(config)[mode]["observed"] = {"peak_at_most": 20}
    Grid(config)


def test_missing_key_is_named(config):
    del config["protocol"]
    assert "protocol = null; allowed: it must be there" in refusal(config)


def test_all_faults_are_named_at_once(config):
    config["repetitions"], config["seed"] = 0, -1
    assert len(refusal(config).splitlines()) == 2


def test_one_cell_is_measured_with_its_baseline(config):
    grid = Grid(config)
    cell = words(
        7, study="virtual-threads", mode="virtual-hikari-10", tier="query-wait", tool="jmeter"
    )
    session = grid.named_cell(cell)
    assert session.path == "virtual-threads/connection-pool/rep-7"
    assert [each.mode for each in session.cells] == ["virtual-hikari-10"]
    assert [each.mode for each in session.baselines] == ["platform-hikari-10"]
    cell.tier = "lock-20ms"
    with pytest.raises(ValueError, match="lock-20ms/jmeter/rep-7 is no cell of this experiment"):
        grid.named_cell(cell)
    with pytest.raises(ValueError, match="stacks/x is no comparison; there are blocking-remote/cl"):
        grid.named_session(words(study="stacks", comparison="x"))


def test_cells_name_no_host(config):
    cell = Grid(config).cells[0]
    config["testbed"] |= {"generator_host": "someone@far", "server_address": "10.0.0.1"}
    grid = Grid(config)
    assert "far" not in json.dumps(grid.spec(cell))
    assert grid.spec(cell)["testbed"]["generator"] == "another machine"
    where = grid.labels(grid.sessions[0])["where"]
    assert where == {"generator_host": "someone@far", "server_address": "10.0.0.1", "cpus": None}


@pytest.mark.parametrize(
    ("testbed", "fault"),
    [
        ({"generator_host": "a@b"}, "testbed.server_address = null; allowed: it must be there"),
        ({"generator_host": "a;b", "server_address": "10.0.0.1"}, 'generator_host = "a;b"'),
        ({"generator_host": "-oProxyCommand=x", "server_address": "10.0.0.1"}, "generator_host"),
        ({"server_cpus": [0, 1], "generator_cpus": [1]}, "allowed: none of the server's"),
        ({"server_cpus": 0}, "testbed.server_cpus = 0; allowed: how many"),
    ],
)
def test_testbeds_that_cannot_be_are_refused(config, testbed, fault):
    config["testbed"] |= testbed
    with pytest.raises(ConfigurationError, match=re.escape(fault)):
        Grid(config)
