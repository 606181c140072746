"""From the configuration to the cells: the grid, and the order of measuring.

Snakemake imports this at parse time, so it reads nothing but the configuration, its schema, the
scripts that loads run and the names of own servers' files.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from workloads.experiment.configuration import (
    FULL,
    ITSELF,
    TIERS,
    TOOLS,
    VARIANTS,
    Mode,
    Study,
    Tier,
    as_list,
    check,
    facts_of,
    whole_studies,
    whole_study,
    without,
)
from workloads.machine.provenance import own_files

ROOT = Path(__file__).resolve().parents[2]
# What says how many requests a tool has under way at once.
AT_ONCE = {"curve": "connections", "wrk2": "connections", "jmeter": "users"}
# How long the window of a curve's step is, to the time that a request waits: its second half then
# begins when answers come.
STEP_TO_WAITING = 2.5
CELL_PATH = re.compile(r"([a-z0-9-]+)/" * 4 + r"rep-([0-9]+)/cell.json")
# What a tier may say of its answers instead of the study.
OF_ANSWERS = ("body_bytes", "rows_path")
TIER_KEYS = ("id", "path", "sleep_ms", "idle_connections", "server_cpus", *OF_ANSWERS)
# What a study, and before it a tier, may set otherwise than the testbed.
TESTBED_KEYS = ("request_timeout_s",)
PLACE_KEYS = ("generator_host", "server_address")
STUDY_KEYS = (*("server", "verify_path", "counters_path", "watch_path", "rows_path", "body_bytes"),)
# What of a study holds for an own server, too.
ASKED_KEYS = ("id", "verify_path", "body_bytes")
# What a mode says that no measurement depends on, and what stands apart from it in a plan.
NOT_MEASURED = (
    *VARIANTS,
    *("size", "color", "handling", "versus", "title", "tiers", "default_tiers", "depth"),
)
STANDS_APART = ("backend", "verify_path")
# Cells call these keys as they did at first: under another name all cells would be measured again.
NAME_IN_CELLS = {"in_force": "threads", "users": "threads"}


@dataclass(frozen=True)
class Cell:
    """One cell of the grid. `path` is its name."""

    study: str
    mode: str
    tier: str
    tool: str
    repetition: int

    @property
    def path(self) -> str:
        return f"{self.study}/{self.mode}/{self.tier}/{self.tool}/rep-{self.repetition}"


@dataclass(frozen=True)
class Session:
    """The modes of one group, alive together; a repetition of all their cells.

    `group`: the mode that all others are compared with, in the end. `beside`: cells that are loaded
    only because one of `cells` is compared with them.
    """

    study: str
    group: str
    repetition: int
    cells: tuple[Cell, ...]
    beside: tuple[Cell, ...] = ()
    alone: bool = False

    @property
    def path(self) -> str:
        return f"{self.study}/{self.group}/rep-{self.repetition}"

    @property
    def title(self) -> str:
        """What a reader calls it: one cell by its own path."""
        return self.cells[0].path if self.alone else f"{self.path} ({len(self.cells)} cells)"


class Grid:
    """All cells of a configuration, the sessions that measure them, and what each is to measure.

    Raises ConfigurationError if the configuration is not valid.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        check(config)
        self.config = config
        self.studies = whole_studies(config)
        self.groups = {name: groups_of(study["modes"]) for name, study in self.studies.items()}
        self.cells = [
            Cell(study["id"], mode["id"], tier["id"], tool, repetition)
            for study in self.studies.values()
            for mode, tier, tool in asked_of(study, config.get("depth"))
            # Nothing but our own is copied to another machine.
            if tool != ITSELF or "generator_host" not in config["testbed"]
            for repetition in range(1, config["repetitions"] + 1)
            if repetition == 1 or not tier[tool].get("once")
        ]
        self.sessions = sorted(self._sessions(), key=self.order_key)
        ordered = [cell for session in self.sessions for cell in session.cells]
        self.positions = {cell.path: position for position, cell in enumerate(ordered, start=1)}

    def _sessions(self) -> list[Session]:
        cells: dict[tuple[str, str, int], list[Cell]] = {}
        for cell in self.cells:
            cells.setdefault((cell.study, self._group(cell), cell.repetition), []).append(cell)
        return [Session(*key, tuple(of)) for key, of in cells.items()]

    def alone(self, cell: Cell) -> Session:
        """One cell measured again alone: its baseline is loaded in turns with it."""
        versus = self._parts(cell)[1].get("versus")
        baseline = replace(cell, mode=versus or cell.mode)
        asked = replace(baseline, repetition=1) in self.cells and baseline != cell
        beside = (baseline,) if asked else ()
        return Session(cell.study, self._group(cell), cell.repetition, (cell,), beside, alone=True)

    def _group(self, cell: Cell) -> str:
        """A JVM decides by its CPUs when it starts: other numbers of them are other sessions."""
        cpus = self.studies[cell.study][TIERS][cell.tier].get("server_cpus")
        return self.groups[cell.study][cell.mode] + (f"-on-{cpus}" if cpus else "")

    def sessions_to_run(self, words: list[str], cells_folder: str) -> list[Session]:
        """All sessions, but for the cells that a command line names: each of them is one alone."""
        named = [cell for word in words if (cell := self.cell_at(word, cells_folder))]
        left = [
            replace(session, cells=tuple(cell for cell in session.cells if cell not in named))
            for session in self.sessions
        ]
        return [session for session in left if session.cells] + [self.alone(cell) for cell in named]

    def cell_at(self, word: str, cells_folder: str) -> Cell | None:
        """The cell whose cell.json this is, of any repetition; None of any other word."""
        found = CELL_PATH.fullmatch(word.removeprefix(f"{cells_folder}/"))
        if not found:
            return None
        cell = Cell(found[1], found[2], found[3], found[4], int(found[5]))
        return cell if replace(cell, repetition=1) in self.cells else None

    def order_key(self, session: Session) -> tuple[int, str]:
        """Blocks of one repetition each, within a block a random order that the seed decides.

        A digest instead of a shuffle: adding a mode or a repetition leaves the order of the
        others as it was.
        """
        digest = hashlib.sha256(f"{self.config['seed']}/{session.path}".encode()).hexdigest()
        return session.repetition, digest

    def position(self, cell: Cell) -> int:
        """Position in the order of measuring, from 1; repetitions outside the grid come last."""
        return self.positions.get(cell.path, len(self.cells) + 1)

    def plan(self, session: Session) -> dict[str, Any]:
        """All that decides what a session measures, and nothing else.

        A change of it makes Snakemake run the session again, so titles and the rest of the grid
        are left out. What its cells share stands once: see spec_of.
        """
        cells = [*session.cells, *session.beside]
        parts = {cell.mode: self._parts(cell) for cell in cells}
        study = self.studies[session.study]
        return {
            "seed": self.config["seed"],
            "common": {
                "protocol": self.config["protocol"],
                "study": {"id": study["id"]}
                | {key: study[key] for key in STUDY_KEYS if key in study},
            },
            "modes": {mode: self._mode_part(study, part[1]) for mode, part in parts.items()},
            "loads": {f"{cell.tier}/{cell.tool}": self._load_part(cell) for cell in cells},
            "versus": {mode: part[1].get("versus") for mode, part in parts.items()},
            "cells": [[cell.mode, cell.tier, cell.tool] for cell in session.cells],
            "beside": [[cell.mode, cell.tier, cell.tool] for cell in session.beside],
        }

    def spec(self, cell: Cell) -> dict[str, Any]:
        """All that decides what the cell measures, and nothing else."""
        plan = self.plan(Session(cell.study, cell.mode, cell.repetition, (cell,)))
        return spec_of(plan, cell.mode, cell.tier, cell.tool)

    def _mode_part(self, study: Study, mode: Mode) -> dict[str, Any]:
        part = {
            "mode": as_in_cells(without(mode, *NOT_MEASURED, *STANDS_APART)),
            "backend": self._backend(study, mode),
            "engine": self._engine(study, mode),
        }
        if "command" in mode:
            # Of the study what is asked of it, and not what says what our server is.
            asked = study | {"verify_path": mode.get("verify_path", study["verify_path"])}
            part["study"] = {key: asked[key] for key in ASKED_KEYS if key in asked}
        return part

    def _load_part(self, cell: Cell) -> dict[str, Any]:
        study, _, tier = self._parts(cell)
        sleep_ms = tier.get("sleep_ms", 0)
        slices = self._slices(study, tier, cell)
        tool = {"id": cell.tool} | self.config.get(cell.tool, {}) | tier[cell.tool]
        if cell.tool in ("wrk2", "curve"):
            # Requests of before the window are still under way when it opens.
            tool["warm_up_s"] = round(self.config["wrk2"]["warm_up_s"] + sleep_ms / 1000, 3)
        if cell.tool == "wrk2" and tool.get("at_once"):
            # A request for each connection, all due when the window opens.
            tool |= {"warm_up_s": 0, "rate_per_s": tool["connections"] / slices["length_s"]}
        # The other loads end after so many requests, or combinations of sizes.
        if cell.tool in ("wrk2", ITSELF, "sysbench") or "warm_up_s" in tool:
            tool = {"duration_s": slices["length_s"]} | tool
        return {
            "tier": {"sleep_ms": sleep_ms} | {key: tier[key] for key in TIER_KEYS if key in tier},
            "tool": with_digest(as_in_cells(without(tool, "once", "step_s", "rounds"))),
            "warm_up": self._warm_up(study, tier),
            "slices": slices,
            "testbed": self._testbed()
            | {key: part[key] for part in (study, tier) for key in TESTBED_KEYS if key in part}
            | self._profiler(tier),
        }

    def _profiler(self, tier: Tier) -> dict[str, Any]:
        """The testbed's, and where a tier asks for it a sample of each so many KiB allocated."""
        key = "allocation_kib"
        own = {key: tier[key]} if key in tier else {}
        return {"profiler": self.config["testbed"]["profiler"] | own}

    def _testbed(self) -> dict[str, Any]:
        """Cells name no host: where the generator is travels with the labels."""
        testbed: dict[str, Any] = self.config["testbed"]
        elsewhere = {"generator": "another machine"} if "generator_host" in testbed else {}
        return without(testbed, *PLACE_KEYS) | elsewhere

    def _where(self) -> dict[str, Any]:
        testbed = self.config["testbed"]
        if "generator_host" not in testbed:
            return {}
        cpus = testbed.get("generator_cpus")
        cpus = list(range(cpus)) if isinstance(cpus, int) else cpus
        return {"where": {key: testbed[key] for key in PLACE_KEYS} | {"cpus": cpus}}

    def _slices(self, study: Study, tier: Tier, cell: Cell) -> dict[str, Any]:
        """How many slices and how long: five times what a request waits, or as the tier says."""
        common = self.config["slices"]
        if tier[cell.tool].get("once"):
            of_one = {"rounds": 1, "profiled": 0, "once": True}
            return without(common, "profiled_repetitions") | of_one
        least_s = 5 * tier.get("sleep_ms", 0) / 1000
        slices = common | {"length_s": max(common["length_s"], least_s), "once": False}
        slices |= study.get("slices", {}) | tier.get("slices", {})
        slices["rounds"] = tier[cell.tool].get("rounds", slices["rounds"])
        if cell.tool == ITSELF:
            # Of twelve seconds each: wrk2 throws ten of them away.
            slices |= {"rounds": 1, "profiled": 0, "extra_rounds": 0}
        if cell.tool == "curve":
            curve = self.config["curve"] | tier["curve"]
            length_s = max(curve["step_s"], STEP_TO_WAITING * tier.get("sleep_ms", 0) / 1000)
            slices |= {"length_s": length_s, "rounds": curve["steps"], "profiled": 0}
        if cell.repetition > slices.pop("profiled_repetitions"):
            slices["profiled"] = 0
        return slices

    def profiled(self, cell: Cell) -> bool:
        """Whether the cell's repetition is one that has slices with the profiler."""
        study, _, tier = self._parts(cell)
        slices = self.config["slices"] | study.get("slices", {}) | tier.get("slices", {})
        return (
            cell.tool not in (ITSELF, "curve") and cell.repetition <= slices["profiled_repetitions"]
        )

    def allocates(self, cell: Cell) -> bool:
        """Whether the cell's profiler samples what a server of ours allocates."""
        study, mode, tier = self._parts(cell)
        is_ours = "command" not in mode and not self._engine(study, mode)
        return is_ours and self.profiled(cell) and "allocation_kib" in tier

    def labels(self, session: Session) -> dict[str, Any]:
        """What a reader wants beside the cells' numbers and what never changes them."""
        study = self.studies[session.study]
        cells = [*session.cells, *session.beside]
        return self._where() | {
            "study": {key: study[key] for key in ("title", "question")},
            "modes": {
                name: {"versus": mode.get("versus"), "title": mode.get("title", name)}
                for name, mode in study["modes"].items()
                if name in {cell.mode for cell in cells}
            },
            "tiers": {
                name: {"title": tier.get("title", name)}
                for name, tier in study[TIERS].items()
                if name in {cell.tier for cell in cells}
            },
            "order": {
                "seed": self.config["seed"],
                "positions": {
                    f"{cell.mode}/{cell.tier}/{cell.tool}": self.position(cell) for cell in cells
                },
                "of": len(self.cells),
            },
        }

    def modes_table(self) -> str:
        """modes.csv: what the analysis must know of each mode, measured or not."""
        studies = self.studies.values()
        return as_csv([facts_of(study, name) for study in studies for name in study["modes"]])

    def grid_table(self) -> str:
        """grid.csv: what the experiment asks for; the smoke run measures other tiers."""
        studies = self.config["studies"].items()
        return as_csv(
            [
                {"study": name, "mode": mode["id"], "tier": tier["id"], "tool": tool}
                for name, study in studies
                for mode, tier, tool in asked_of(
                    whole_study(name, study, TIERS), self.config.get("depth")
                )
            ]
        )

    def jars(self, session: Session) -> list[str]:
        """The jars that the session's cells run."""
        found: dict[str, None] = {}
        for cell in (*session.cells, *session.beside):
            study, mode, _ = self._parts(cell)
            backend = self._backend(study, mode) or {}
            parts = [server_of(study, mode), backend, *backend.get("others", [])]
            jars = [part.get("jar") for part in parts]
            found |= dict.fromkeys(filter(None, jars))
        return list(found)

    def class_data(self, session: Session) -> list[str]:
        """The archives of loaded classes that the session's servers start with."""
        found: dict[str, None] = {}
        for cell in (*session.cells, *session.beside):
            study, mode, _ = self._parts(cell)
            prefix = server_of(study, mode).get("class_data")
            if prefix:
                found[f"{prefix}-{mode.get('jdk', 'jdk')}.jsa"] = None
        return list(found)

    def files(self, session: Session) -> list[str]:
        """The files of the own servers that the session starts."""
        modes = [self._parts(cell)[1] for cell in (*session.cells, *session.beside)]
        own = [path for mode in modes if "command" in mode for path in own_files(mode)]
        return sorted({str(path) for path in own})

    def _warm_up(self, study: Study, tier: Tier) -> dict[str, Any] | None:
        """The tier's own path and way of asking; None for a database, which knows no compiler."""
        if "engine" in study["server"]:
            return None
        load = tier.get("curve", {}) | tier.get("wrk2", {}) | tier.get("jmeter", {})
        own = {"path": tier["path"]} | {
            key: load[key] for key in ("keep_alive", "script") if key in load
        }
        asked = self.config["warm_up"] | own | study.get("warm_up", {}) | tier.get("warm_up", {})
        at_once = max(tier.get(tool, {}).get(key, 0) for tool, key in AT_ONCE.items())
        waits_ms = min(tier.get("sleep_ms", 0), asked.pop("crowd_waits_ms_at_most"))
        crowd = {
            "path": waiting_at_most(waits_ms, tier["path"]),
            "connections": min(at_once, asked.pop("crowd_at_most")),
            "waits_s": waits_ms / 1000,
        }
        return with_digest(asked | {"crowd": crowd})

    def _backend(self, study: Study, mode: Mode) -> dict[str, Any] | None:
        # An own server has nothing of ours behind it.
        names = [] if "command" in mode else mode.get("backend", study.get("backend", []))
        found = [{"id": name} | self.config["backends"][name] for name in as_list(names)]
        return found[0] | ({"others": found[1:]} if found[1:] else {}) if found else None

    def _engine(self, study: Study, mode: Mode) -> dict[str, Any] | None:
        """The database that is measured, with the settings that a mode's options change."""
        name = mode.get("engine", study["server"].get("engine"))
        return {"id": name} | self.config["backends"][name] if name else None

    def _parts(self, cell: Cell) -> tuple[Study, Mode, Tier]:
        study = self.studies[cell.study]
        return study, study["modes"][cell.mode], study[TIERS][cell.tier]


def server_of(study: Study, mode: Mode) -> dict[str, Any]:
    """What the study says of its server: nothing of an own one."""
    if "command" in mode:
        return {}
    server: dict[str, Any] = study["server"] | {key: mode[key] for key in ("jar",) if key in mode}
    return server


def spec_of(plan: dict[str, Any], mode: str, tier: str, tool: str) -> dict[str, Any]:
    """What one cell of a plan measures: the `configuration` of its cell.json."""
    spec: dict[str, Any] = plan["common"] | plan["modes"][mode] | plan["loads"][f"{tier}/{tool}"]
    answers = {key: spec["tier"][key] for key in OF_ANSWERS if key in spec["tier"]}
    return spec | {"study": spec["study"] | answers}


def as_in_cells(part: dict[str, Any]) -> dict[str, Any]:
    return {NAME_IN_CELLS.get(key, key): value for key, value in part.items()}


def groups_of(modes: dict[str, Mode]) -> dict[str, str]:
    """For each mode the name of its group: modes that `versus` links, by whichever way.

    A group is named for its first mode that is compared with no other.
    """
    links = {name: {name} for name in modes}
    for name, mode in modes.items():
        if "versus" in mode:
            both = links[name] | links[mode["versus"]]
            links |= dict.fromkeys(both, both)
    order = list(modes)
    return {
        mode: min(group, key=lambda name: ("versus" in modes[name], order.index(name)))
        for mode, group in links.items()
    }


def asked_of(study: Study, depth: str | None = None) -> Iterator[tuple[Mode, Tier, str]]:
    """Which modes are measured at which tiers, by which tools, in a run of a depth."""
    for mode, tier, tool in product(study["modes"].values(), study[TIERS].values(), TOOLS):
        left_out = depth != FULL and FULL in (mode.get("depth"), tier.get("depth"))
        if tool in tier and not left_out and is_asked(mode, tier, tool, depth):
            yield mode, tier, tool


def is_asked(mode: Mode, tier: Tier, tool: str, depth: str | None) -> bool:
    """A tier names its modes; or a mode its tiers, all of their tools or one (`low/jmeter`).

    Where neither does, every mode is measured at every tier. A mode may have fewer by default.
    """
    tool = "wrk2" if tool == ITSELF else tool
    if "modes" in tier:
        return mode["id"] in tier["modes"]
    name = tier.get("of", tier["id"])
    tiers = mode.get("tiers", [name])
    if depth != FULL:
        tiers = mode.get("default_tiers", tiers)
    return name in tiers or f"{name}/{tool}" in tiers


def as_csv(rows: list[dict[str, str]]) -> str:
    text = io.StringIO()
    table = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return text.getvalue()


def waiting_at_most(waits_ms: int, path: str) -> str:
    """The path with shorter waits, of as many digits: another number of them is other code."""

    def shorter(found: re.Match[str]) -> str:
        digits = found[2]
        return f"{found[1]}{min(int(digits), waits_ms):0{len(digits)}}"

    return re.sub(r"(\bsleep_ms=)(\d+)", shorter, path)


def with_digest(load: dict[str, Any]) -> dict[str, Any]:
    """A load that runs a script of ours depends on what the script says, not on its name only."""
    if not load.get("script", "").endswith(".lua"):
        return load
    content = (ROOT / load["script"]).read_bytes()
    return load | {"script_sha256": hashlib.sha256(content).hexdigest()}
