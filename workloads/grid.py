"""From the configuration to the cells: validation, the grid, and the order of measuring.

Snakemake imports this at parse time, so it reads nothing but the configuration, its schema and
the scripts that loads run.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema

SCHEMA = Path(__file__).with_name("config.schema.json")
ROOT = Path(__file__).resolve().parents[1]
TOOLS = ("jmeter", "wrk2", "sysbench", "database-client")
TIER_KEYS = ("id", "path", "sleep_ms")
# What a study, and before it a tier, may set otherwise than the testbed.
TESTBED_KEYS = ("request_timeout_s",)
STUDY_KEYS = ("server", "verify_path", "counters_path", "rows_path", "body_bytes")


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


class Grid:
    """All cells of a configuration, and for each cell what is to be measured and when.

    Raises ConfigurationError if the configuration is not valid.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        check(config)
        self.config = config
        self.studies = {study["id"]: study for study in config["studies"]}
        self.cells = [
            Cell(study["id"], mode["id"], tier["id"], tool, repetition)
            for study in config["studies"]
            for mode in study["modes"]
            for tier in tiers_of(config, study)
            for tool in TOOLS
            if tool in tier and is_asked(mode, tier, tool)
            for repetition in range(1, config["repetitions"] + 1)
        ]
        ordered = sorted(self.cells, key=self.order_key)
        self.positions = {cell.path: position for position, cell in enumerate(ordered, start=1)}

    def order_key(self, cell: Cell) -> tuple[int, str]:
        """Blocks of one repetition each, within a block a random order that the seed decides.

        A digest instead of a shuffle: adding a mode or a repetition leaves the order of the
        others as it was.
        """
        digest = hashlib.sha256(f"{self.config['seed']}/{cell.path}".encode()).hexdigest()
        return cell.repetition, digest

    def position(self, cell: Cell) -> int:
        """Position in the order of measuring, from 1; repetitions outside the grid come last."""
        return self.positions.get(cell.path, len(self.cells) + 1)

    def spec(self, cell: Cell) -> dict[str, Any]:
        """All that decides what the cell measures, and nothing else.

        A change of it makes Snakemake measure the cell again, so titles, order and the rest of
        the grid are left out.
        """
        study, mode, tier = self._parts(cell)
        return {
            "protocol": self.config["protocol"],
            "study": {"id": study["id"]} | {key: study[key] for key in STUDY_KEYS if key in study},
            "mode": without(mode, "versus", "title", "tiers", "backend"),
            "backend": self._backend(study, mode),
            "engine": self._engine(study, mode),
            "tier": {"sleep_ms": 0} | {key: tier[key] for key in TIER_KEYS if key in tier},
            "tool": with_digest(
                {"id": cell.tool}
                | self.config.get(cell.tool, {})
                | study.get(cell.tool, {})
                | tier[cell.tool]
            ),
            "warm_up": self._warm_up(study, tier),
            "testbed": self.config["testbed"]
            | {key: part[key] for part in (study, tier) for key in TESTBED_KEYS if key in part},
        }

    def labels(self, cell: Cell) -> dict[str, Any]:
        """What a reader wants beside the cell's numbers and what never changes them."""
        study, mode, tier = self._parts(cell)
        return {
            "study": {key: study[key] for key in ("title", "question")},
            "mode": {
                "versus": mode.get("versus"),
                "title": mode.get("title", mode["id"]),
            },
            "tier": {"title": tier["title"]},
            "order": {
                "seed": self.config["seed"],
                "position": self.position(cell),
                "of": len(self.cells),
            },
        }

    def jars(self, cell: Cell) -> list[str]:
        """The jars that the cell runs."""
        study, mode, _ = self._parts(cell)
        backend = self._backend(study, mode) or {}
        return [study["server"]["jar"], *([backend["jar"]] if "jar" in backend else [])]

    def class_data(self, cell: Cell) -> list[str]:
        """The archive of loaded classes that the cell's server starts with, if any."""
        study, mode, _ = self._parts(cell)
        prefix = study["server"].get("class_data")
        return [f"{prefix}-{mode.get('jdk', 'jdk')}.jsa"] if prefix else []

    def _warm_up(self, study: dict[str, Any], tier: dict[str, Any]) -> dict[str, Any] | None:
        """None for a database, which its tool warms up."""
        if "engine" in study["server"]:
            return None
        asked = self.config["warm_up"] | {"path": study["verify_path"]}
        return with_digest(asked | study.get("warm_up", {}) | tier.get("warm_up", {}))

    def _backend(self, study: dict[str, Any], mode: dict[str, Any]) -> dict[str, Any] | None:
        name = mode.get("backend", study.get("backend"))
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
        allowed = "option names in snake_case"
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
            if "versus" in mode and mode["versus"] not in modes:
                faults.append(f"{place}.versus = {mode['versus']!r}; allowed: {', '.join(modes)}")
            for tier in mode.get("tiers", []):
                if tier not in tiers:
                    faults.append(f"{place}.tiers = {tier!r}; allowed: {', '.join(tiers)}")
            if not {"class", "engine"} & (mode.keys() | study["server"].keys()):
                faults.append(
                    f"{place}.class = null; allowed: a class here or in the study's server"
                )
        faults += unknown_backends(study, config["backends"])
        faults += missing_scripts(study)
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


def id_lists(config: dict[str, Any]) -> list[tuple[str, list[str]]]:
    lists = [("studies", [study["id"] for study in config["studies"]])]
    for study in config["studies"]:
        for key in ("modes", "tiers", "smoke_tiers"):
            lists.append((f"studies.{study['id']}.{key}", [item["id"] for item in study[key]]))
    return lists
