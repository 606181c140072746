"""Servers and pages that config.yaml names are in the sources; errors name the missing file."""

import re
from pathlib import Path

import pytest
import yaml

from workloads.experiment.configuration import EXTRAS
from workloads.experiment.grid import Grid

ROOT = Path(__file__).resolve().parents[2]
CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text())
GRID = Grid(CONFIG | {"extras": EXTRAS})
PLANS = [GRID.plan(session) for session in GRID.sessions]
SERVERS = [part.study.get("server", {}) for plan in PLANS for part in plan.modes.values()]
CLASSES = sorted({(server["id"], server["class"]) for server in SERVERS if "class" in server})
MODULES = [pom.parent for pom in sorted(ROOT.glob("servers/stacks/*/pom.xml"))]


@pytest.mark.parametrize(("id", "name"), CLASSES)
def test_class_of_every_mode_is_in_the_module_of_its_jar(id, name):
    server = CONFIG["servers"][id]
    path = f"{server['package']}.{name}".replace(".", "/")
    source = ROOT / Path(server["jar"]).parents[1] / f"src/main/java/{path}.java"
    assert source.is_file(), f"config.yaml: servers.{id}: there is no {source.relative_to(ROOT)}"


@pytest.mark.parametrize("module", [module.name for module in MODULES])
def test_module_of_every_stack_is_built_and_its_own_library_recorded(module):
    folder = f"servers/stacks/{module}"
    said = f"<module>{module}</module>"
    assert said in (ROOT / "servers/stacks/pom.xml").read_text(), (
        f"servers/stacks/pom.xml: no {said}"
    )
    if module == "common":
        return
    rows = [row for row in CONFIG["servers"].values() if row["jar"].startswith(f"{folder}/")]
    assert rows, f"config.yaml: servers: none is of {folder}"
    # Other versions are those of servers/pom.xml, which every cell records.
    chosen = re.findall(r"<([\w.]+)[.]version>", (ROOT / folder / "pom.xml").read_text())
    named = {name for row in rows for name in row.get("libraries", {})}
    assert set(chosen) <= named, f"config.yaml: servers.{module}: libraries has none of {chosen}"


def test_every_path_of_a_load_on_spring_is_a_page():
    pages = "\n".join(
        path.read_text() for path in (ROOT / "servers/spring/src/main").rglob("*.java")
    )
    for study in GRID.studies.values():
        if study.says["server"] != "spring":
            continue
        for tier in study.tiers.values():
            loads = [tier, *(tier.get(tool, {}).get("mix", {}) for tool in ("wrk2", "warm_up"))]
            for path in (load["path"].partition("?")[0] for load in loads if "path" in load):
                place = f"config.yaml: {study.id}.{tier['id']}"
                assert f'"{path}"' in pages, f"{place}: no class of servers/spring has {path}"
