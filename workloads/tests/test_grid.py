"""The configuration and the grid: what is measured, in which order, and what is refused."""

import copy
import csv
import functools
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from workloads.experiment.configuration import (
    EXTRAS,
    ConfigurationError,
    common_loads,
    facts_of,
    whole_studies,
)
from workloads.experiment.grid import Cell, Grid
from workloads.experiment.plan import Plan
from workloads.experiment.reading import laid_over

ROOT = Path(__file__).resolve().parents[2]
SMALL = yaml.safe_load(Path(__file__).with_name("grid.yaml").read_text())
# Snakemake's own reading of it has tests of its own.
OURS = yaml.safe_load((ROOT / "config.yaml").read_text())
GONE = "<gone>"
MODES, TIERS = "studies.web.comparisons.threads.modes", "studies.web.tiers"


@pytest.fixture
def config():
    return copy.deepcopy(SMALL)


@pytest.fixture
def grid(config):
    return Grid(config)


@pytest.fixture(scope="module")
def whole():
    """All that config.yaml names."""
    return Grid(OURS | {"extras": EXTRAS})


def changed(config, *changes):
    """A copy with other values by their keys, as `slices.rounds`; GONE takes a key away."""
    config = copy.deepcopy(config)
    for keys, value in changes:
        place = config
        *above, last = keys.split(".")
        for key in above:
            place = place[key]
        if value == GONE:
            del place[last]
        else:
            place[last] = value
    return config


def refusal(config):
    with pytest.raises(ConfigurationError) as caught:
        Grid(config)
    return str(caught.value)


def web(mode="virtual", tier="fast", tool="wrk2", repetition=1):
    return Cell("web", mode, tier, tool, repetition)


def words(repetition=1, **named):
    """Wildcards, as Snakemake has them."""
    return type("Wildcards", (), named | {"repetition": str(repetition)})


def loads(config, repetition=1):
    """How often each load is met by a mode."""
    return Counter(
        f"{cell.tier}/{cell.tool}" for cell in Grid(config).cells if cell.repetition == repetition
    )


def test_grid_is_modes_times_tiers_times_tools_times_repetitions(config, grid):
    found = loads(config)
    # pool-5, virtual and sockets; the A/A pair and the slower one at fast alone.
    assert found == {
        **{"fast/wrk2": 5, "fast/jmeter": 5, "slow/wrk2": 2, "slow/jmeter": 2},
        **{"cpu/sweep": 3, "burst/wrk2": 2, "reads/sysbench": 2},
    }
    # A load that is shown once and a mode may have fewer sessions.
    again = loads(config, repetition=2)
    assert again == found - Counter({"fast/jmeter": 5, "fast/wrk2": 1})
    assert len(grid.cells) == (found + again).total()
    # ... and a comparison more.
    more = changed(config, ("studies.database.comparisons.kinds.repetitions", 3))
    assert loads(more, repetition=3) == {"reads/sysbench": 2}
    assert common_loads(["low", "mid/wrk2"], ["low/jmeter", "mid"]) == ["mid/wrk2", "low/jmeter"]
    assert common_loads(["low/wrk2"], ["low/jmeter"]) == []
    # A session beyond has what may be measured so often.
    third = grid.named_session(words(3, study="web", comparison="threads"))
    expected = {"fast/wrk2", "slow/wrk2", "slow/jmeter", "cpu/sweep"}
    assert {f"{cell.tier}/{cell.tool}" for cell in third.cells} == expected
    assert "virtual-slow" not in {cell.mode for cell in third.cells}


def test_mode_of_another_comparison_is_the_same_there_with_tiers_of_its_own(grid):
    one, other = (
        grid.plan(grid.named_session(words(study="web", comparison=id))).modes["virtual"]
        for id in ("threads", "again")
    )
    assert one.mode == other.mode and one.study == other.study
    assert (one.baseline, other.baseline) == ("pool-5", None)


def test_family_has_a_mode_for_each_size(config):
    fair = {"kind": "pool", "threads": 50, "permits": 2}
    loom = {"kind": "virtual", "baseline": "fair-{pool}"}
    pools = {"question": "Which?", "each": {"pool": [3, 7]}, "tiers": ["slow/jmeter"]}
    pools["modes"] = {"fair-{pool}": fair, "loom-{pool}": loom}
    grid = Grid(changed(config, ("studies.web.comparisons.pools", pools)))
    modes = grid.plan(grid.named_session(words(study="web", comparison="pools"))).modes
    assert {mode: part.baseline for mode, part in modes.items()} == {
        **{"fair-3": None, "loom-3": "fair-3", "fair-7": "fair-3", "loom-7": "fair-7"}
    }
    assert modes["loom-7"].mode["options"] == {"backlog": 9, "pool": 7, "virtual": True}
    assert grid.studies["web"].modes["fair-7"]["size"] == 7


def test_run_has_the_extras_that_it_names(config):
    default = {cell.path for cell in Grid(config).cells}

    def added(*extras):
        cells = {cell.path for cell in Grid(config | {"extras": list(extras)}).cells}
        assert default <= cells
        return {tuple(path.split("/")[1:4]) for path in cells - default}

    assert added() == set()
    assert added("heaps") == {(f"virtual-g1-{size}", "slow", "jmeter") for size in (64, 128)}
    # An extra mode at each tier, and an extra tier with each mode.
    rivals = added("rivals")
    assert {mode for mode, tier, _ in rivals if tier == "fast"} == {"virtual-16"}
    rare = {mode for mode, tier, _ in rivals if tier == "rare"}
    assert rare == {"pool-5", "virtual", "virtual-16"}
    assert added("heaps", "rivals") == added("heaps") | rivals
    assert Grid(config | {"extras": "heaps"}).cells == Grid(config | {"extras": ["heaps"]}).cells
    # A run that measures a mode measures its baseline, too.
    hidden = changed(config, (f"{MODES}.virtual.extra", "rivals"))
    assert Grid(hidden)
    hidden = changed(hidden, (f"{MODES}.virtual-16.extra", GONE))
    assert 'modes.virtual-16.baseline = "virtual"; allowed: pool-5, ' in refusal(hidden)


def test_file_of_the_readers_own_adds_a_comparison_a_mode_and_a_tier(config):
    modes = {"each": None, "sized-16": {"kind": "pool", "threads": 16}}
    own = {"question": "And sixteen?", "modes": modes, "tiers": ["own"]}
    load = {"sysbench": {"script": "oltp_read_only", "clients": 3}}
    database = {"comparisons": {"own": own}, "tiers": {"own": load}}
    after = Grid(laid_over(config, {"studies": {"database": database}}))
    before = Grid(SMALL)
    added = [cell for cell in after.cells if cell not in before.cells]
    assert {(cell.mode, cell.tier) for cell in added} == {("each", "own"), ("sized-16", "own")}
    assert [cell for cell in after.cells if cell in before.cells] == before.cells
    assert all(before.spec(cell) == after.spec(cell) for cell in before.cells)
    settings = after.spec(added[-1])["mode"]["options"]
    assert settings == {"thread_handling": "pool-of-threads", "thread_pool_size": 16}


SPECS = yaml.safe_load(Path(__file__).with_name("specs.yaml").read_text())


@pytest.mark.parametrize(("cell", "changes", "expected"), SPECS)
def test_cell_measures_what_its_parts_say(config, cell, changes, expected):
    grid = Grid(changed(config, *changes.items()) | {"extras": EXTRAS})
    spec = grid.spec(Cell(*cell.split("/"), 1))

    def found(keys):
        return functools.reduce(lambda part, key: part.get(key), keys.split("."), spec)

    assert {keys: found(keys) for keys in expected} == expected


def test_a_a_pair_is_its_mode(grid):
    mode, pair = grid.spec(web("pool-5"))["mode"], grid.spec(web("pool-5-a-a"))["mode"]
    assert pair == mode | {"id": "pool-5-a-a"}
    assert grid.labels(grid.alone(web("pool-5-a-a")))["modes"]["pool-5-a-a"]["baseline"] == "pool-5"


def test_variant_and_size_are_of_their_family(config):
    keys = ("variant", "of", "family", "size", "kind")
    found = {
        row["mode"]: tuple(row[key] for key in keys)
        for study in whole_studies(config).values()
        for row in facts_of(study)
    }
    assert found["pool-5"] == ("", "", "pool-5", "", "pool")
    assert found["pool-5-a-a"] == ("A/A", "pool-5", "pool-5", "", "pool")
    assert found["virtual-slow"] == ("slower", "virtual", "virtual", "", "virtual")
    assert found["virtual-16"] == ("", "", "virtual", "16", "virtual")
    assert found["published"][:3] == ("as published", "pool-5", "pool-5")
    rows = list(csv.DictReader(Grid(config).modes_table().splitlines()))
    assert [row["mode"] for row in rows] == list(found)
    # Claims may name what a default run excludes.
    cells = csv.DictReader(Grid(config).grid_table().splitlines())
    listed = ["/".join([*row.values(), "rep-1"]) for row in cells]
    every = Grid(config | {"extras": EXTRAS}).cells
    assert listed == [cell.path for cell in every if cell.repetition == 1]


def test_order_is_blocked_by_repetition_and_the_seed_s(config, grid):
    ordered = sorted(grid.cells, key=grid.position)
    assert [cell.repetition for cell in ordered] == sorted(cell.repetition for cell in ordered)
    assert sorted(grid.positions.values()) == list(range(1, len(grid.cells) + 1))
    assert len({*(Grid(config | {"seed": seed}).sessions[0].path for seed in range(9))}) > 1
    # More repetitions leave the earlier ones as they were.
    many = Grid(config | {"repetitions": 4})
    for cell in grid.cells:
        assert (grid.position(cell), grid.spec(cell)) == (many.position(cell), many.spec(cell))
    outside = web(repetition=101)
    assert grid.position(outside) == len(grid.cells) + 1


def test_profiles_are_of_the_first_session_alone(grid):
    assert [cell for cell in grid.cells if "profile" in grid.spec(cell)] == [web()]
    # A cell that is named by itself is judged.
    plan = grid.plan(grid.alone(web()))
    assert "profile" not in plan.spec(web().name)
    # A plan travels as JSON.
    plan = grid.plan(grid.named_session(words(study="web", comparison="threads")))
    assert Plan.from_json(plan.to_json()) == plan


def test_titles_baselines_and_neighbours_do_not_change_what_is_measured(config, grid):
    labels = {"title": "another", "baseline": "sockets"}
    changes = [(f"{MODES}.virtual.{key}", value) for key, value in labels.items()]
    changes += [("studies.web.title", "another"), (f"{MODES}.pool-5.backlog", 11)]
    other = Grid(changed(config, *changes))
    assert grid.spec(web()) == other.spec(web())
    assert grid.spec(web("pool-5")) != other.spec(web("pool-5"))


def test_backends_jars_and_class_data_are_part_of_what_is_measured(config):
    grid = Grid(config | {"extras": ["rivals"]})
    assert [each["id"] for each in grid.spec(web())["backend"]["others"]] == ["remote"]
    other = changed(config, ("backends.remote.path", "/work?sleep_ms=5"))
    assert Grid(other).spec(web()) != grid.spec(web())

    def needs(*cells):
        session = replace(grid.alone(cells[0]), cells=cells, baselines=())
        return grid.jars(session), grid.class_data(session)

    spring, remote = "servers/spring.jar", "servers/remote.jar"
    assert needs(web()) == ([spring, remote], ["servers/spring-jdk.jsa"])
    assert needs(web("sockets")) == (["servers/sockets.jar", remote], [])
    # A mode's runtime decides its class data.
    assert needs(web(), web("virtual-16"))[1] == ["servers/spring-jdk.jsa", "servers/spring-21.jsa"]


def test_load_depends_on_what_its_script_says(config, tmp_path, monkeypatch):
    script = "workloads/scripts/sign-up.lua"
    load = {"rate_per_s": 50, "connections": 20, "script": script}
    config = changed(config, (f"{TIERS}.slow.wrk2", load))
    before = Grid(config).spec(web(tier="slow"))["tool"]
    monkeypatch.setattr("workloads.experiment.grid.ROOT", tmp_path)
    (tmp_path / script).parent.mkdir(parents=True)
    (tmp_path / script).write_text("-- another\n")
    after = Grid(config).spec(web(tier="slow"))["tool"]
    assert before["script"] == after["script"] == script
    assert before["script_sha256"] != after["script_sha256"]


REFUSED = yaml.safe_load(Path(__file__).with_name("refused.yaml").read_text())


@pytest.mark.parametrize(
    ("place", "key", "value", "expected"),
    [(place, *case) for place, cases in REFUSED.items() for case in cases],
)
def test_bad_value_is_refused_with_key_value_and_what_is_allowed(
    config, place, key, value, expected
):
    keys = ".".join(filter(None, (place, key)))
    if "; allowed: " not in expected:
        shown = json.dumps(None if value == GONE else value, default=str)
        expected = f"config.yaml: {keys} = {shown}; allowed: {expected}"
    assert expected in refusal(changed(config, (keys, value)))


def test_faults_of_two_keys_are_named_together(config):
    assert len(refusal(config | {"repetitions": 0, "seed": -1}).splitlines()) == 2


def test_one_cell_is_measured_with_its_baseline(grid):
    cell = words(7, study="web", mode="virtual", tier="cpu", tool="sweep")
    session = grid.named_cell(cell)
    assert session.path == "web/threads/rep-7"
    assert [each.mode for each in session.cells] == ["virtual"]
    assert [each.mode for each in session.baselines] == ["pool-5"]
    cell.tier = "rare"
    with pytest.raises(ValueError, match="rare/sweep/rep-7 is no cell of this experiment"):
        grid.named_cell(cell)
    with pytest.raises(ValueError, match="web/x is no comparison; there are database/kinds, web/a"):
        grid.named_session(words(study="web", comparison="x"))


def test_cells_name_no_host(config):
    far = {"generator_host": "someone@far", "server_address": "10.0.0.1"}
    grid = Grid(config | {"testbed": config["testbed"] | far})
    assert "far" not in json.dumps(grid.spec(web()))
    assert grid.spec(web())["testbed"]["generator"] == "another machine"
    assert grid.labels(grid.sessions[0])["where"] == far | {"cpus": None}


# ---- config.yaml itself


def test_every_tier_is_met_by_a_comparison(whole):
    measured = {(cell.study, cell.tier) for cell in whole.cells}
    named = {(study.id, tier) for study in whole.studies.values() for tier in study.tiers}
    assert named == measured, f"config.yaml: no comparison meets {named - measured}"


def test_smoke_measures_tiers_with_ids_of_their_own_by_every_tool(whole):
    changes = yaml.safe_load((ROOT / "workloads/smoke.yaml").read_text())
    smoke = Grid(laid_over(copy.deepcopy(OURS), changes))
    assert {cell.study for cell in smoke.cells} == set(OURS["studies"])
    assert {cell.tool for cell in smoke.cells} == {cell.tool for cell in whole.cells}
    assert not {cell.tier for cell in smoke.cells} & {cell.tier for cell in whole.cells}
