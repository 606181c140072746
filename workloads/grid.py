"""From the configuration to the cells: validation, the grid, and the order of measuring.

Snakemake imports this at parse time, so it reads nothing but the configuration, its schema, the
scripts that loads run and the names of own servers' files.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jsonschema

from workloads.provenance import own_files, own_home

SCHEMA = Path(__file__).with_name("config.schema.json")
ROOT = Path(__file__).resolve().parents[1]
TOOLS = ("jmeter", "wrk2", "sysbench", "database-client")
# What says how many requests a tool has under way at once.
AT_ONCE = {"wrk2": "connections", "jmeter": "threads"}
CELL_PATH = re.compile(r"([a-z0-9-]+)/" * 4 + r"rep-([0-9]+)/cell.json")
TIER_KEYS = ("id", "path", "sleep_ms")
# What a study, and before it a tier, may set otherwise than the testbed.
TESTBED_KEYS = ("request_timeout_s",)
STUDY_KEYS = (*("server", "verify_path", "counters_path", "watch_path", "rows_path", "body_bytes"),)
# What of a study holds for an own server, too.
ASKED_KEYS = ("id", "verify_path", "body_bytes")
# What a mode says of a server of ours, and of an own one.
OF_OURS = ("class", "engine", "client", "jdk", "backend", "options")
OF_OWN = ("folder", "environment", "verify_path", "expected_status", "expected_body")


class ConfigurationError(Exception):
    """The configuration cannot be run; the message names key, value and what is allowed."""


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
        self.studies = {study["id"]: study for study in config["studies"]}
        self.groups = {study["id"]: groups_of(study["modes"]) for study in config["studies"]}
        self.cells = [
            Cell(study["id"], mode["id"], tier["id"], tool, repetition)
            for study in config["studies"]
            for mode in study["modes"]
            for tier in tiers_of(config, study)
            for tool in TOOLS
            if tool in tier and is_asked(mode, tier, tool)
            for repetition in range(1, config["repetitions"] + 1)
            if repetition == 1 or not tier[tool].get("once")
        ]
        self.sessions = sorted(self._sessions(), key=self.order_key)
        ordered = [cell for session in self.sessions for cell in session.cells]
        self.positions = {cell.path: position for position, cell in enumerate(ordered, start=1)}

    def _sessions(self) -> list[Session]:
        cells: dict[tuple[str, str, int], list[Cell]] = {}
        for cell in self.cells:
            group = self.groups[cell.study][cell.mode]
            cells.setdefault((cell.study, group, cell.repetition), []).append(cell)
        return [Session(*key, tuple(of)) for key, of in cells.items()]

    def alone(self, cell: Cell) -> Session:
        """One cell measured again alone: its baseline is loaded in turns with it."""
        versus = self._parts(cell)[1].get("versus")
        baseline = replace(cell, mode=versus or cell.mode)
        asked = replace(baseline, repetition=1) in self.cells and baseline != cell
        group = self.groups[cell.study][cell.mode]
        beside = (baseline,) if asked else ()
        return Session(cell.study, group, cell.repetition, (cell,), beside, alone=True)

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

    def _mode_part(self, study: dict[str, Any], mode: dict[str, Any]) -> dict[str, Any]:
        part = {
            "mode": without(mode, "versus", "title", "tiers", "backend", "verify_path"),
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
        if cell.tool == "wrk2":
            # Requests of before the window are still under way when it opens.
            tool["warm_up_s"] = round(tool["warm_up_s"] + sleep_ms / 1000, 3)
        # The other loads end after so many requests, or combinations of sizes.
        if cell.tool in ("wrk2", "sysbench") or "warm_up_s" in tool:
            tool = {"duration_s": slices["length_s"]} | tool
        return {
            "tier": {"sleep_ms": sleep_ms} | {key: tier[key] for key in TIER_KEYS if key in tier},
            "tool": with_digest(without(tool, "once")),
            "warm_up": self._warm_up(study, tier),
            "slices": slices,
            "testbed": self.config["testbed"]
            | {key: part[key] for part in (study, tier) for key in TESTBED_KEYS if key in part},
        }

    def _slices(self, study: dict[str, Any], tier: dict[str, Any], cell: Cell) -> dict[str, Any]:
        """How many slices and how long: five times what a request waits, or as the tier says."""
        common = without(self.config["slices"], "profiled_repetitions")
        if tier[cell.tool].get("once"):
            return common | {"rounds": 1, "profiled": 0, "once": True}
        least_s = 5 * tier.get("sleep_ms", 0) / 1000
        slices = common | {"length_s": max(common["length_s"], least_s), "once": False}
        slices |= study.get("slices", {}) | tier.get("slices", {})
        if cell.repetition > self.config["slices"]["profiled_repetitions"]:
            slices["profiled"] = 0
        return slices

    def labels(self, session: Session) -> dict[str, Any]:
        """What a reader wants beside the cells' numbers and what never changes them."""
        study = self.studies[session.study]
        cells = [*session.cells, *session.beside]
        return {
            "study": {key: study[key] for key in ("title", "question")},
            "modes": {
                mode["id"]: {"versus": mode.get("versus"), "title": mode.get("title", mode["id"])}
                for mode in study["modes"]
                if mode["id"] in {cell.mode for cell in cells}
            },
            "tiers": {
                tier["id"]: {"title": tier["title"]}
                for tier in tiers_of(self.config, study)
                if tier["id"] in {cell.tier for cell in cells}
            },
            "order": {
                "seed": self.config["seed"],
                "positions": {
                    f"{cell.mode}/{cell.tier}/{cell.tool}": self.position(cell) for cell in cells
                },
                "of": len(self.cells),
            },
        }

    def jars(self, session: Session) -> list[str]:
        """The jars that the session's cells run."""
        found: dict[str, None] = {}
        for cell in (*session.cells, *session.beside):
            study, mode, _ = self._parts(cell)
            backend = self._backend(study, mode) or {}
            jars = [server_of(study, mode).get("jar"), backend.get("jar")]
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

    def _warm_up(self, study: dict[str, Any], tier: dict[str, Any]) -> dict[str, Any] | None:
        """The tier's own path and way of asking; None for a database, which knows no compiler."""
        if "engine" in study["server"]:
            return None
        load = tier.get("wrk2", {}) | tier.get("jmeter", {})
        own = {"path": tier["path"]} | {
            key: load[key] for key in ("keep_alive", "script") if key in load
        }
        asked = self.config["warm_up"] | own | study.get("warm_up", {}) | tier.get("warm_up", {})
        at_once = max(tier.get(tool, {}).get(key, 0) for tool, key in AT_ONCE.items())
        crowd = {"path": tier["path"], "connections": min(at_once, asked.pop("crowd_at_most"))}
        return with_digest(asked | {"crowd": crowd})

    def _backend(self, study: dict[str, Any], mode: dict[str, Any]) -> dict[str, Any] | None:
        # An own server has nothing of ours behind it.
        name = None if "command" in mode else mode.get("backend", study.get("backend"))
        return {"id": name} | self.config["backends"][name] if name else None

    def _engine(self, study: dict[str, Any], mode: dict[str, Any]) -> dict[str, Any] | None:
        """The database that is measured, with the settings that a mode's options change."""
        name = mode.get("engine", study["server"].get("engine"))
        return {"id": name} | self.config["backends"][name] if name else None

    def _parts(self, cell: Cell) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
        study = self.studies[cell.study]
        mode = next(mode for mode in study["modes"] if mode["id"] == cell.mode)
        tier = next(tier for tier in tiers_of(self.config, study) if tier["id"] == cell.tier)
        return study, mode, tier


def server_of(study: dict[str, Any], mode: dict[str, Any]) -> dict[str, Any]:
    """What the study says of its server: nothing of an own one."""
    server: dict[str, Any] = {} if "command" in mode else study["server"]
    return server


def spec_of(plan: dict[str, Any], mode: str, tier: str, tool: str) -> dict[str, Any]:
    """What one cell of a plan measures: the `configuration` of its cell.json."""
    spec: dict[str, Any] = plan["common"] | plan["modes"][mode] | plan["loads"][f"{tier}/{tool}"]
    return spec


def groups_of(modes: list[dict[str, Any]]) -> dict[str, str]:
    """For each mode the name of its group: modes that `versus` links, by whichever way.

    A group is named for its first mode that is compared with no other.
    """
    links = {mode["id"]: {mode["id"]} for mode in modes}
    for mode in modes:
        if "versus" in mode:
            both = links[mode["id"]] | links[mode["versus"]]
            links |= dict.fromkeys(both, both)
    first = {mode["id"]: "versus" in mode for mode in modes}
    order = list(first)
    return {
        mode: min(group, key=lambda name: (first[name], order.index(name)))
        for mode, group in links.items()
    }


def is_asked(mode: dict[str, Any], tier: dict[str, Any], tool: str) -> bool:
    """A mode names its tiers, all of their tools or one: `low` or `low/jmeter`; or none for all."""
    tiers = mode.get("tiers", [tier["id"]])
    return tier["id"] in tiers or f"{tier['id']}/{tool}" in tiers


def tiers_of(config: dict[str, Any], study: dict[str, Any]) -> list[dict[str, Any]]:
    """The tiers that this run measures: the study's own or its smoke tiers."""
    return study["smoke_tiers" if config["smoke"] else "tiers"]


def with_digest(load: dict[str, Any]) -> dict[str, Any]:
    """A load that runs a script of ours depends on what the script says, not on its name only."""
    if not load.get("script", "").endswith(".lua"):
        return load
    content = (ROOT / load["script"]).read_bytes()
    return load | {"script_sha256": hashlib.sha256(content).hexdigest()}


def without(mapping: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in mapping.items() if key not in keys}


def check(config: dict[str, Any]) -> None:
    """Raises ConfigurationError naming every key that is wrong, its value and what is allowed."""
    schema = json.loads(SCHEMA.read_text())
    validator = jsonschema.Draft202012Validator(schema)
    faults = [explain(error, config) for error in validator.iter_errors(config)]
    if not faults:
        faults = list(dangling_references(config))
    if faults:
        raise ConfigurationError("config.yaml: " + "\nconfig.yaml: ".join(sorted(faults)))


def explain(error: jsonschema.ValidationError, config: dict[str, Any]) -> str:
    """One line: the key by names of studies, modes and tiers, its value, what is allowed."""
    keys = list(error.absolute_path)
    value, allowed = error.instance, error.schema.get("description")
    if error.validator == "additionalProperties":
        known = list(error.schema["properties"])
        unknown = next(key for key in value if key not in known)
        keys, value, allowed = (
            [*keys, unknown],
            value[unknown],
            f"here only {', '.join(known)}",
        )
    elif error.validator == "required":
        missing = next(key for key in error.validator_value if key not in value)
        keys, value, allowed = [*keys, missing], None, "it must be there"
    elif error.validator == "pattern" and error.absolute_schema_path[-2] == "propertyNames":
        allowed = allowed or "option names in snake_case"
    shown = json.dumps(value, ensure_ascii=False)
    shown = shown if len(shown) <= 60 else shown[:57] + "..."
    rule = f"{error.validator} {json.dumps(error.validator_value, ensure_ascii=False)}"
    return f"{named(keys, config)} = {shown}; allowed: {allowed or rule}"


def named(keys: list[str | int], config: dict[str, Any]) -> str:
    """A place in the configuration with ids instead of list positions."""
    place: Any = config
    names = []
    for key in keys:
        # A key that is missing has no place any more.
        place = place.get(str(key)) if isinstance(place, dict) else place[key]
        has_id = isinstance(key, int) and isinstance(place, dict) and "id" in place
        names.append(str(place["id"] if has_id else key))
    return ".".join(names)


def dangling_references(config: dict[str, Any]) -> list[str]:
    """Ids that are there twice, and names of modes and tiers that are not there at all."""
    faults = []
    for place, ids in id_lists(config):
        faults += [
            f"{place} = {name!r}: is there twice" for name in set(ids) if ids.count(name) > 1
        ]
    for study in config["studies"]:
        modes = [mode["id"] for mode in study["modes"]]
        tiers = [
            name
            for key in ("tiers", "smoke_tiers")
            for tier in study[key]
            for name in (tier["id"], *(f"{tier['id']}/{tool}" for tool in TOOLS if tool in tier))
        ]
        for mode in study["modes"]:
            place = f"studies.{study['id']}.modes.{mode['id']}"
            others = [name for name in modes if name != mode["id"]]
            if "versus" in mode and mode["versus"] not in others:
                faults.append(f"{place}.versus = {mode['versus']!r}; allowed: {', '.join(others)}")
            for tier in mode.get("tiers", []):
                if tier not in tiers:
                    faults.append(f"{place}.tiers = {tier!r}; allowed: {', '.join(tiers)}")
            if not {"class", "engine", "command"} & (mode.keys() | study["server"].keys()):
                faults.append(
                    f"{place}.class = null; allowed: a class here or in the study's server"
                )
        faults += unknown_backends(study, config["backends"])
        faults += missing_scripts(study)
        faults += [fault for mode in study["modes"] for fault in own_server_faults(study, mode)]
    return faults


def unknown_backends(study: dict[str, Any], backends: dict[str, Any]) -> list[str]:
    places = {f"studies.{study['id']}": study} | {
        f"studies.{study['id']}.modes.{mode['id']}": mode for mode in study["modes"]
    }
    return [
        f"{place}.backend = {part['backend']!r}; allowed: {', '.join(backends)}"
        for place, part in places.items()
        if "backend" in part and part["backend"] not in backends
    ]


def missing_scripts(study: dict[str, Any]) -> list[str]:
    loads = {f"studies.{study['id']}.warm_up": study.get("warm_up", {})} | {
        f"studies.{study['id']}.{key}.{tier['id']}.wrk2": tier.get("wrk2", {})
        for key in ("tiers", "smoke_tiers")
        for tier in study[key]
    }
    return [
        f"{place}.script = {load['script']!r}; allowed: a file that is there"
        for place, load in loads.items()
        if "script" in load and not (ROOT / load["script"]).is_file()
    ]


def own_server_faults(study: dict[str, Any], mode: dict[str, Any]) -> Iterator[str]:
    """What only one kind of server has, ours or an own one, stands at that kind alone."""
    place, own = f"studies.{study['id']}.modes.{mode['id']}", "command" in mode
    for key in OF_OURS if own else OF_OWN:
        if key in mode:
            wanted = "without" if own else "with"
            yield f"{place}.{key} = {json.dumps(mode[key])}; allowed: only {wanted} a command"
    if not own:
        return
    command = f"{place}.command = {json.dumps(mode['command'])}; allowed"
    words = [*mode["command"], *map(str, mode.get("environment", {}).values())]
    if not any("{port}" in word for word in words):
        yield f"{command}: words of which one, or a variable of its environment, holds {{port}}"
    if "engine" in study["server"]:
        yield f"{command}: in a study whose servers speak HTTP"
    if not own_home(mode).is_dir():
        yield f"{place}.folder = {json.dumps(mode['folder'])}; allowed: a folder that is there"


def id_lists(config: dict[str, Any]) -> list[tuple[str, list[str]]]:
    lists = [("studies", [study["id"] for study in config["studies"]])]
    for study in config["studies"]:
        for key in ("modes", "tiers", "smoke_tiers"):
            lists.append((f"studies.{study['id']}.{key}", [item["id"] for item in study[key]]))
    return lists
