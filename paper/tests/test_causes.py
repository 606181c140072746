"""Causes name only what config.yaml measures."""

import subprocess
from pathlib import Path

import pytest
import yaml

from workloads.experiment.configuration import EXTRAS
from workloads.experiment.grid import Grid

ROOT = Path(__file__).resolve().parents[2]
CAUSES = yaml.safe_load((ROOT / "analysis/causes.yaml").read_text())["causes"]
CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text())
GRID, WHOLE = Grid(CONFIG), Grid(CONFIG | {"extras": EXTRAS})
# Causes of which a default run excludes a side.
OF_EXTRAS = {"hikari-version", "time-slices", "lockstep"}
# A line for each side of every difference, as it is and as each swap changes it.
SIDES = """
pkgload::load_all("analysis", helpers = FALSE, quiet = TRUE)
for (cause in read_causes("analysis/causes.yaml")) {
  steps <- if (length(cause$steps) > 0) lapply(steps_of(cause), `[`, c("mode", "baseline"))
  changes <- c(list(list()), lapply(cause$swaps, `[[`, "changes"), steps)
  sides <- if (!is.null(cause$difference)) lapply(changes, sides_of, cause = cause)
  sides <- unlist(sides, recursive = FALSE)
  for (side in Filter(length, sides)) {
    cat(cause$id, cause$study, side$mode, side$tier, side$tool, "\\n")
  }
}
"""
# Each with its cause.
DOSES = [(cause, dose) for cause in CAUSES for dose in cause.get("doses", {}).get("modes", [])]


def test_every_cell_that_a_cause_names_is_measured():
    printed = subprocess.run(
        ["Rscript", "-e", SIDES], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    named = {tuple(line.split()) for line in printed.splitlines()}
    named |= {
        (cause["id"], cause["study"], dose["mode"], dose.get("tier", cause["tier"]), cause["tool"])
        for cause, dose in DOSES
    }
    assert len(named) > 20
    default, whole = (
        {(cell.study, cell.mode, cell.tier, cell.tool) for cell in grid.cells}
        for grid in (GRID, WHOLE)
    )
    assert {side[1:] for side in named} <= whole
    assert {side[0] for side in named if side[1:] not in default} == OF_EXTRAS


@pytest.mark.parametrize(("study", "dose"), [(cause["study"], dose) for cause, dose in DOSES])
def test_a_dose_is_what_its_mode_or_tier_sets(study, dose):
    if "tier" in dose:
        numbers = [GRID.studies[study].tiers[dose["tier"]]["jmeter"]["users"]]
    else:
        mode = GRID.studies[study].modes[dose["mode"]]
        # Ten connections are HikariCP's default.
        by_default = [10] if dose["mode"] == "mvc-tomcat-virtual" else []
        numbers = [*mode["options"].values(), mode.get("carriers"), *by_default]
    assert dose["dose"] in numbers
    assert dose["dose"] + 1 not in numbers


def things(study, mode):
    """Name the things that a step may swap, of a database and of a server of HTTP."""
    part = GRID.studies[study].modes[mode]
    if "engine" in part:
        return {
            # A pooler keeps the processes of the database behind it.
            "process": part["engine"],
            "password": part["options"]["password_encryption"],
            "connection": part.get("client"),
        }
    server = part.get("server", GRID.studies[study].says["server"])
    is_webflux = server == "webflux"
    return {
        "server": server,
        "client": "reactor" if is_webflux else part["options"].get("http-client", "apache"),
        # Event loops are platform threads.
        "thread": "virtual" if part["kind"] == "virtual" else "platform",
        "epoll": is_webflux and "-Dreactor.netty.native=false" not in part.get("jvm_options", []),
    }


def swaps_of(cause):
    """Study, part, and the modes before and after it.

    Without the first step of a connection, which makes one to a pooler and swaps several things.
    """
    first = cause["difference"]["baseline"]
    before = [first, *(step["mode"] for step in cause["steps"])]
    steps = [
        *zip(cause["steps"], before, strict=False),
        *((pair, first) for pair in cause["pairs"]),
    ]
    return [
        (cause["study"], step["part"].split("-")[0], step.get("baseline", mode), step["mode"])
        for step, mode in steps
        if step["part"] != "pooled"
    ]


@pytest.mark.parametrize(
    ("study", "part", "before", "after"),
    [swap for cause in CAUSES if "steps" in cause for swap in swaps_of(cause)],
)
def test_a_step_swaps_the_one_thing_that_it_names(study, part, before, after):
    one, other = things(study, before), things(study, after)
    assert [name for name in one if one[name] != other[name]] == [part]
