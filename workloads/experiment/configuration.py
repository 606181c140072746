"""config.yaml as it is meant: checked, and with what studies and modes take over filled in.

A tier takes over what its study says for all of them (its path, settings of a tool); a mode what
its study expects of all of them; a twin all of another mode.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema

from workloads.machine.provenance import own_home

SCHEMA = Path(__file__).with_name("config.schema.json")
ROOT = Path(__file__).resolve().parents[2]
# Loads what wrk2 does by the program of that name; a tier says only whether.
ITSELF = "wrk2-itself"
TOOLS = ("jmeter", "wrk2", ITSELF, "curve", "sysbench", "database-client")
# The tiers of a run, and those of the smoke run.
TIERS, SMOKE_TIERS = "tiers", "smoke_tiers"
# The depth of what a default run leaves out.
FULL = "full"
# What a study says for all its tiers, beside the settings of their tools.
COMMON_KEYS = ("path", "sleep_ms", "server_cpus")
# What a mode says of a server of ours, and of an own one.
OF_OURS = ("class", "jar", "engine", "client", "jdk", "backend", "options", "jvm_options")
OF_OWN = ("folder", "environment", "verify_path", "expected_status", "expected_body")
# What makes a mode a variant of another, and what the variant is called.
VARIANTS = {"twin_of": "twin", "as_published_of": "as published", "slower_of": "slower"}

Study = dict[str, Any]
Mode = dict[str, Any]
Tier = dict[str, Any]


class ConfigurationError(Exception):
    """The configuration cannot be run; the message names key, value and what is allowed."""


def in_order_of(first: Any, config: Any) -> Any:
    """The configuration with its keys in the order of `first`, and what that does not have last.

    Snakemake puts the keys of --configfile before those of config.yaml.
    """
    if not (isinstance(first, dict) and isinstance(config, dict)):
        return config
    keys = [*(key for key in first if key in config), *(key for key in config if key not in first)]
    return {key: in_order_of(first.get(key), config[key]) for key in keys}


# ---- What is taken over


def whole_studies(config: dict[str, Any]) -> dict[str, Study]:
    """The studies that this run measures, by id; modes and tiers know their ids."""
    key = SMOKE_TIERS if config.get("smoke") else TIERS
    return {name: whole_study(name, study, key) for name, study in config["studies"].items()}


def whole_study(name: str, study: Study, key: str) -> Study:
    """A study with its modes and with the tiers under one of its keys."""
    modes = {mode: whole_mode(study, mode) for mode in study["modes"]}
    whole = [whole_tier(study, key, tier) for tier in study.get(key, {})]
    tiers = {tier["id"]: tier for each in whole for tier in on_cpus(each)}
    return study | {"id": name, "modes": modes, TIERS: tiers}


def whole_mode(study: Study, name: str) -> Mode:
    own = study["modes"][name]
    twin_of = own.get("twin_of")
    taken = without(study["modes"][twin_of], "title") | {"versus": twin_of} if twin_of else {}
    return {key: study[key] for key in ("in_force",) if key in study} | taken | own | {"id": name}


def whole_tier(study: Study, key: str, name: str) -> Tier:
    own = study[key][name]
    loads = {tool: study.get(tool, {}) | own[tool] for tool in TOOLS if tool in own}
    if own.get("also_by_wrk2") and shutil.which("wrk2"):
        loads[ITSELF] = loads["wrk2"]
    return {key: study[key] for key in COMMON_KEYS if key in study} | own | loads | {"id": name}


def on_cpus(tier: Tier) -> Iterator[Tier]:
    """The tier, and one like it for each number of CPUs that the server is to have."""
    same = without(tier, "server_cpus")
    yield same
    for cpus in tier.get("server_cpus", []):
        named = f"{tier.get('title', tier['id'])}, {cpus} CPU{'' if cpus == 1 else 's'}"
        name = f"{tier['id']}-on-{cpus}"
        yield same | {"id": name, "of": tier["id"], "server_cpus": cpus, "title": named}


def as_list(names: Any) -> list[str]:
    return [names] if isinstance(names, str) else names


def without(mapping: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in mapping.items() if key not in keys}


# ---- What a mode is


def facts_of(study: Study, name: str) -> dict[str, str]:
    """What the analysis must know of a mode beyond its cells: a row of modes.csv.

    A variant looks like the mode that it is one of, and the sizes of a family look alike.
    """
    modes = study["modes"]
    of = next((modes[name][key] for key in VARIANTS if key in modes[name]), "")
    base = modes[of or name]
    family = [mode for mode in modes.values() if family_of(mode) == family_of(base)]

    def first(key: str) -> str:
        return str(next((mode[key] for mode in (modes[name], base, *family) if key in mode), ""))

    variant = next((VARIANTS[key] for key in VARIANTS if key in modes[name]), "")
    facts = {"study": study["id"], "mode": name, "variant": variant, "of": of}
    facts |= {"family": family_of(base), "size": str(base.get("size", ""))}
    return facts | {key: first(key) for key in ("color", "handling")}


def family_of(mode: Mode) -> str:
    """Modes that differ in a size have ids that end in it."""
    name: str = mode["id"]
    return name.removesuffix(f"-{mode['size']}") if "size" in mode else name


# ---- What is wrong


def check(config: dict[str, Any]) -> None:
    """Raises ConfigurationError naming every key that is wrong, its value and what is allowed."""
    schema = json.loads(SCHEMA.read_text())
    # Each step relies on what those before it have found right.
    faults = faults_by(schema, config)
    if not faults:
        faults = [fault for name in config["studies"] for fault in unknown(config, name)]
    if not faults:
        faults = [fault for name in config["studies"] for fault in incomplete(schema, config, name)]
    faults = faults or smoke_of_nothing(config) or different_looks(config) or shared_cpus(config)
    if faults:
        raise ConfigurationError("config.yaml: " + "\nconfig.yaml: ".join(sorted(faults)))


def faults_by(schema: dict[str, Any], part: Any, *place: str) -> list[str]:
    validator = jsonschema.Draft202012Validator(schema)
    return [explain(error, place) for error in validator.iter_errors(part)]


def explain(error: jsonschema.ValidationError, place: tuple[str, ...]) -> str:
    """One line: the key, its value, what is allowed."""
    keys = [*place, *error.absolute_path]
    value, allowed = error.instance, error.schema.get("description")
    if error.validator == "additionalProperties":
        known = list(error.schema["properties"])
        surplus = next(key for key in value if key not in known)
        keys, value = [*keys, surplus], value[surplus]
        allowed = f"here only {', '.join(known)}"
    elif error.validator in ("required", "dependentRequired"):
        wanted = error.validator_value
        if error.validator == "dependentRequired":
            wanted = [name for key, names in wanted.items() if key in value for name in names]
        missing = next(key for key in wanted if key not in value)
        keys, value, allowed = [*keys, missing], None, "it must be there"
    shown = json.dumps(value, ensure_ascii=False)
    shown = shown if len(shown) <= 60 else shown[:57] + "..."
    rule = f"{error.validator} {json.dumps(error.validator_value, ensure_ascii=False)}"
    return f"{'.'.join(map(str, keys))} = {shown}; allowed: {allowed or rule}"


def unknown(config: dict[str, Any], name: str) -> Iterator[str]:
    """Names of modes, tiers, backends and scripts that are not there."""
    study, place = config["studies"][name], f"studies.{name}"
    for key, value, allowed in names_in(study, config["backends"]):
        if value not in allowed:
            yield f"{place}.{key} = {value!r}; allowed: {', '.join(allowed)}"
    for key, load in loads_in(study):
        if "script" in load and not (ROOT / load["script"]).is_file():
            yield f"{place}.{key}.script = {load['script']!r}; allowed: a file that is there"


def names_in(study: Study, backends: dict[str, Any]) -> Iterator[tuple[str, str, list[str]]]:
    """Every name that a study's parts refer to: its key, itself, what is allowed there."""
    modes, tiers = study["modes"], tier_names(study)
    parts = {"": study} | {f"modes.{name}.": mode for name, mode in modes.items()}
    for key, part in parts.items():
        for name in as_list(part.get("backend", [])):
            yield f"{key}backend", name, list(backends)
    for name, mode in modes.items():
        # In a default run a baseline is measured, too.
        full = mode.get("depth") == FULL
        others = [
            other
            for other in modes
            if other != name and (full or modes[other].get("depth") != FULL)
        ]
        for key in ("versus", *VARIANTS):
            if key in mode:
                # A variant is one of a mode that is none itself.
                bases = [other for other in others if not VARIANTS.keys() & modes[other].keys()]
                yield f"modes.{name}.{key}", mode[key], bases if key in VARIANTS else others
        for key in ("tiers", "default_tiers"):
            for tier in mode.get(key, []):
                yield f"modes.{name}.{key}", tier, tiers
    for key in (TIERS, SMOKE_TIERS):
        for name, tier in study.get(key, {}).items():
            for mode in tier.get("modes", []):
                yield f"{key}.{name}.modes", mode, list(modes)


def tier_names(study: Study) -> list[str]:
    """What a mode's `tiers` may hold: a tier, or one of its tools alone."""
    return [
        word
        for key in (TIERS, SMOKE_TIERS)
        for name, tier in study.get(key, {}).items()
        for word in (name, *(f"{name}/{tool}" for tool in TOOLS if tool in tier))
    ]


def loads_in(study: Study) -> Iterator[tuple[str, dict[str, Any]]]:
    """Everything that may run a script."""
    yield "warm_up", study.get("warm_up", {})
    for part in ("wrk2", "curve"):
        yield part, study.get(part, {})
    for key in (TIERS, SMOKE_TIERS):
        for name, tier in study.get(key, {}).items():
            for part in ("warm_up", "wrk2", "curve"):
                yield f"{key}.{name}.{part}", tier.get(part, {})


def incomplete(schema: dict[str, Any], config: dict[str, Any], name: str) -> Iterator[str]:
    """What neither a mode or tier nor its study says."""
    study = config["studies"][name]
    for key in (TIERS, SMOKE_TIERS):
        for tier, whole in whole_study(name, study, key)[TIERS].items():
            yield from faults_by(schema["$defs"]["whole_tier"], whole, "studies", name, key, tier)
    for mode, whole in whole_study(name, study, TIERS)["modes"].items():
        place = f"studies.{name}.modes.{mode}"
        if not {"class", "engine", "command"} & (whole.keys() | study["server"].keys()):
            yield f"{place}.class = null; allowed: a class here or in the study's server"
        if "jvm_options" in whole.keys() - study["server"].keys() and "command" not in whole:
            yield f"{place}.jvm_options = {json.dumps(whole['jvm_options'])}; allowed: of a JVM"
        if "in_force" not in whole and "command" not in whole:
            yield f"{place}.in_force = null; allowed: it must be there, or in the study"
        if "size" in whole and not mode.endswith(f"-{whole['size']}") and "twin_of" not in whole:
            yield f"{place}.size = {whole['size']}; allowed: the number that the mode's id ends in"
        yield from own_server_faults(place, study, whole)


def own_server_faults(place: str, study: Study, mode: Mode) -> Iterator[str]:
    """What only one kind of server has, ours or an own one, stands at that kind alone."""
    own = "command" in mode
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


def smoke_of_nothing(config: dict[str, Any]) -> list[str]:
    if not config.get("smoke") or any(SMOKE_TIERS in study for study in config["studies"].values()):
        return []
    return ["smoke = true; allowed: where a study has smoke_tiers, as in workloads/smoke.yaml"]


def shared_cpus(config: dict[str, Any]) -> list[str]:
    """CPUs that server and generator would share on one machine."""
    testbed = config["testbed"]
    server, generator = testbed.get("server_cpus"), testbed.get("generator_cpus")
    if (
        "generator_host" in testbed
        or not isinstance(server, list)
        or not isinstance(generator, list)
    ):
        return []
    both = sorted({*server} & {*generator})
    return [f"testbed.generator_cpus = {generator}; allowed: none of the server's"] if both else []


def different_looks(config: dict[str, Any]) -> list[str]:
    """Modes of one id that two studies have look alike in both."""
    seen: dict[str, dict[str, str]] = {}
    faults = []
    for study in whole_studies(config).values():
        for name in study["modes"]:
            facts = facts_of(study, name)
            first = seen.setdefault(name, facts)
            faults += [
                f"studies.{study['id']}.modes.{name}.{key} = {facts[key]!r}; "
                f"allowed: {first[key]!r}, as in {first['study']}"
                for key in facts
                if key != "study" and facts[key] != first[key]
            ]
    return faults
