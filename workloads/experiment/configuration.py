"""config.yaml as it is meant: checked, and with everything that modes and tiers take over.

A mode takes over what its kind, its comparison and its study say; a tier what its study says for
all of them; an A/A pair all of its mode.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import jsonschema

from workloads.experiment import kinds, waits
from workloads.experiment.schema import allowed, schema, types_of
from workloads.machine.provenance import user_home

TOOLS = ("jmeter", "wrk2", "sweep", "overload", "sysbench", "database-client")
# Beyond the default: heap by collector, A/A pairs, swaps of rival explanations.
EXTRAS = ["heaps", "a-a", "rivals"]
# Keys that make a mode a variant of another, and the analysis' word for it.
VARIANTS = {"a_a_of": "A/A", "as_published_of": "as published", "slower_of": "slower"}
# A mode with these alone is defined in another comparison of its study.
OF_REFERENCES = {"tiers", "baseline", "extra", "repetitions"}
# Keys of a study's heap, whose sizes are those of its collector.
OF_HEAPS = ("heap_mib", "young_mib", "gc")
# Keys of JVMs of ours, of servers of ours, and of user-supplied ones: elsewhere nothing reads them.
OF_JVMS = (*OF_HEAPS, "carriers", "cpu_limit", "scheduling", "jdk", "jvm_options", "heap_varied")
OF_OURS = (
    *("class", "server", "engine", "backend", "options", "threads_at_most"),
    *(*kinds.WORDS, *OF_JVMS),
)
OF_USERS = (
    *("folder", "environment", "verify_path", "expected_status", "expected_body"),
    *("answers_vary", "stop", "start_limit_s", "own_backend", "ready_headers", "secrets"),
)
# Words that kinds.variables() makes settings of a database.
OF_DATABASES = ("threads", "pool", "client")

Mode = dict[str, Any]
Tier = dict[str, Any]


class ConfigurationError(Exception):
    """The configuration cannot be run; the message names key, value and what is allowed."""


@dataclass(frozen=True)
class Comparison:
    """Modes that are alive together in a session, and the tiers that they meet.

    `modes`: for each its tiers, as `tier` or `tier/tool`. `baselines`: None for the first mode.
    """

    id: str
    question: str
    modes: dict[str, list[str]]
    baselines: dict[str, str | None]
    # The extras that each mode needs here.
    extras: dict[str, frozenset[str]]
    # Sessions of it at least, and of single modes at most.
    repetitions: int
    limits: dict[str, float]
    # Kinds of profile by tier/tool and mode.
    profiles: dict[str, dict[str, list[str]]]


@dataclass(frozen=True)
class Study:
    """A question with its servers and loads. `says`: the study's own keys, as in config.yaml."""

    id: str
    says: dict[str, Any]
    comparisons: dict[str, Comparison]
    modes: dict[str, Mode]
    tiers: dict[str, Tier]

    def all_loads(self) -> Iterator[tuple[Comparison, str, Tier, str]]:
        """The tiers that each mode of a comparison meets, each with its tools."""
        loads = [(tier, tool) for tier in self.tiers.values() for tool in TOOLS if tool in tier]
        for comparison in self.comparisons.values():
            for mode, named in comparison.modes.items():
                for tier, tool in loads:
                    if {tier["id"], f"{tier['id']}/{tool}"} & {*named}:
                        yield comparison, mode, tier, tool


# ---- Taken over


def whole_studies(config: dict[str, Any]) -> dict[str, Study]:
    """The studies by id; modes and tiers know their ids. The configuration must be valid."""
    return {name: whole_study(config, name) for name in config["studies"]}


def whole_study(config: dict[str, Any], name: str) -> Study:
    study = config["studies"][name]
    lines = {id: lines_of(comparison) for id, comparison in study["comparisons"].items()}
    definitions = definitions_in(lines)
    comparisons = {
        id: whole_comparison(id, study["comparisons"][id], lines[id], definitions) for id in lines
    }
    modes = {mode: whole_mode(config, study, definitions, mode) for mode in definitions}
    tiers = {tier: whole_tier(study, tier) for tier in study["tiers"]}
    return Study(name, study, comparisons, modes, tiers)


def lines_of(comparison: dict[str, Any]) -> dict[str, Mode]:
    """A comparison's modes, families by size expanded; {} where one is defined elsewhere.

    A family: `{pool}` in an id stands for each value of the key `each.pool`, which is then a word
    of the mode, and its size.
    """
    found: dict[str, Mode] = {}
    ((word, values),) = comparison.get("each", {"": [""]}).items()
    for value in values:
        for mode, line in comparison["modes"].items():
            if f"{{{word}}}" not in mode:
                found.setdefault(mode, line or {})
                continue
            filled = json.loads(json.dumps(line or {}).replace(f"{{{word}}}", str(value)))
            found[mode.replace(f"{{{word}}}", str(value))] = {word: value, "size": value} | filled
    common = only(comparison, "extra", *OF_OURS)
    return {
        mode: line if is_reference(line) else merged(common, line) for mode, line in found.items()
    }


def definitions_in(lines: dict[str, dict[str, Mode]]) -> dict[str, Mode]:
    """The modes that the lines of comparisons define."""
    return {
        mode: line
        for each in lines.values()
        for mode, line in each.items()
        if not is_reference(line)
    }


def is_reference(line: Mode) -> bool:
    return line.keys() <= OF_REFERENCES


def merged(common: Mode, own: Mode) -> Mode:
    """A mode with what its comparison says for all; options are added to each other."""
    common = without(common, *OF_OURS) if "command" in own else common
    options = common.get("options", {}) | own.get("options", {})
    return common | own | ({"options": options} if options else {})


def whole_comparison(
    id: str, comparison: dict[str, Any], lines: dict[str, Mode], definitions: dict[str, Mode]
) -> Comparison:
    first = next(iter(lines), None)
    tiers = comparison["tiers"]
    # A mode that names tiers meets those that the comparison has, too: a smoke run has others.
    wanted = {mode: line.get("tiers", tiers) for mode, line in lines.items()}
    met = {mode: common_loads(named, tiers) for mode, named in wanted.items()}

    def baseline(mode: str, line: Mode) -> str | None:
        whole = definitions.get(mode, {}) | line
        named = whole.get("baseline", whole.get("a_a_of", whole.get("slower_of")))
        named = named if named in lines else first
        return None if mode == first else named

    return Comparison(
        id,
        comparison["question"],
        met,
        {mode: baseline(mode, line) for mode, line in lines.items()},
        {
            mode: extras_of(comparison, line, definitions.get(mode, {}))
            for mode, line in lines.items()
        },
        comparison.get("repetitions", 1),
        {mode: line.get("repetitions", math.inf) for mode, line in lines.items()},
        comparison.get("profiles", {}),
    )


def extras_of(*parts: dict[str, Any]) -> frozenset[str]:
    """The extras that a run needs for something, of which these are parts."""
    return frozenset(part["extra"] for part in parts if "extra" in part)


def common_loads(named: list[str], others: list[str]) -> list[str]:
    """Loads that two lists of tiers have in common; `low/jmeter` is a part of `low`."""
    narrow = [word for word in named if {word, word.split("/")[0]} & {*others}]
    return narrow + [word for word in others if "/" in word and word.split("/")[0] in {*named}]


def whole_mode(
    config: dict[str, Any], study: dict[str, Any], definitions: dict[str, Mode], name: str
) -> Mode:
    """A mode with its kind, options, JVM options and what must be observed."""
    own = definitions[name]
    base = next((definitions[own[key]] for key in VARIANTS if key in own), own)
    if "a_a_of" in own:
        own = without(base, "title", "size", "tiers", "extra") | own
    own = only(base, "kind") | own | {"id": name}
    if "command" in own:
        return own
    # Other servers, and those of a source, have options of their own.
    other = {"server", "as_published_of"} & own.keys()
    common = {} if other else study.get("options", {})
    engine = engine_of(study, own)
    server = config["servers"][own.get("server", study["server"])]
    says_virtual = server.get("virtual_is_option", False)
    own["options"] = (
        kinds.variables(own, engine)
        if engine
        else kinds.options(own, common, virtual_is_option=says_virtual)
    )
    like = own if "threads" in own else base
    if seen := own.get("observed") or study.get("observed"):
        own["observed"] = seen
    elif "kind" in own and (own["kind"] != "pool" or "threads" in like):
        own["observed"] = kinds.observed(like | only(own, "kind"))
    return own


def engine_of(study: dict[str, Any], mode: Mode) -> str | None:
    """The database that is measured; None where a server of HTTP is."""
    name: str | None = mode.get("engine", study.get("engine"))
    return name


def whole_tier(study: dict[str, Any], name: str) -> Tier:
    own = study["tiers"][name]
    loads = {tool: study.get(tool, {}) | load for tool, load in only(own, *TOOLS).items()}
    tier = only(study, "path") | own | loads | {"id": name}
    return {"sleep_ms": waits.mean_ms(tier.get("path", ""))} | tier


def as_list(names: Any) -> list[str]:
    return [names] if isinstance(names, str) else names


def only(mapping: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: mapping[key] for key in keys if key in mapping}


def without(mapping: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in mapping.items() if key not in keys}


# ---- Modes


def facts_of(study: Study) -> list[dict[str, str]]:
    """Facts on each mode that its cells do not hold: the rows of modes.csv.

    A variant is of the family of the mode that it is one of.
    """
    rows = []
    for name, mode in study.modes.items():
        of = next((mode[key] for key in VARIANTS if key in mode), "")
        base = study.modes[of or name]
        rows.append(
            {
                "study": study.id,
                "mode": name,
                "variant": next((VARIANTS[key] for key in VARIANTS if key in mode), ""),
                "of": of,
                "family": family_of(base),
                "size": str(base.get("size", "")),
                "kind": base.get("kind", ""),
            }
        )
    return rows


def family_of(mode: Mode) -> str:
    """Modes that differ in a size have ids that end in it."""
    name: str = mode["id"]
    return name.removesuffix(f"-{mode['size']}") if "size" in mode else name


# ---- Faults


def check(config: dict[str, Any]) -> None:
    """Raises ConfigurationError naming every key that is wrong, its value and what is allowed."""
    # Each step relies on what those before it have found right.
    faults = faults_by(schema(), config)
    faults = faults or [line for name in config["studies"] for line in unknown(config, name)]
    if not faults:
        studies = whole_studies(config).values()
        for study in studies:
            faults += [*incomplete(config, study), *measured_twice(study), *different_cpus(study)]
        faults += [*different_modes(studies), *shared_cpus(config)]
    if faults:
        raise ConfigurationError("config.yaml: " + "\nconfig.yaml: ".join(sorted(set(faults))))


def faults_by(schema: dict[str, Any], part: Any, *place: str) -> list[str]:
    validator = jsonschema.Draft202012Validator(schema)
    lines = [line for error in validator.iter_errors(part) for line in explain(error, place)]
    # Each missing key is an error by itself, of which each names all.
    return list(dict.fromkeys(lines))


def explain(error: jsonschema.ValidationError, place: tuple[str, ...]) -> list[str]:
    """A line for each key that is wrong: its value, and what is allowed."""
    keys, value = [*place, *error.absolute_path], error.instance
    at = ".".join(map(str, keys))
    inside = f"{at}." if at else ""
    if error.validator == "additionalProperties":
        known = list(error.schema["properties"])
        may = f"here only {', '.join(known)}"
        return [fault(inside + str(key), value[key], may) for key in value if key not in known]
    if error.validator in ("required", "dependentRequired"):
        wanted = error.validator_value
        if error.validator == "dependentRequired":
            wanted = [name for key, names in wanted.items() if key in value for name in names]
        missing = [key for key in wanted if key not in value]
        return [fault(inside + key, None, "it must be there") for key in missing]
    return [fault(at, value, allowed(error.schema) + hint(error))]


def fault(place: str, value: Any, may: str) -> str:
    shown = json.dumps(value, ensure_ascii=False)
    return f"{place} = {shown if len(shown) <= 60 else shown[:57] + '...'}; allowed: {may}"


def hint(error: jsonschema.ValidationError) -> str:
    """How a number or word that was read as something else is written."""
    if error.validator != "type":
        return ""
    value, wanted = error.instance, types_of(error.schema)
    if "string" in wanted and not isinstance(value, str | dict | list | None):
        return "; in quotes it is a text"
    if isinstance(value, str) and {"integer", "number"} & {*wanted}:
        return "; as a decimal number, such as 10 or 0.5"
    return ""


def unknown(config: dict[str, Any], name: str) -> Iterator[str]:
    """Names of modes, tiers, servers and backends that are not there."""
    for key, value, known in names_in(config, config["studies"][name]):
        if value not in known:
            yield fault(f"studies.{name}.{key}", value, ", ".join(known))


def names_in(config: dict[str, Any], study: dict[str, Any]) -> Iterator[tuple[str, Any, list[str]]]:
    """Every name that a study's parts refer to: its key, itself, what is allowed there."""
    tiers = [
        word
        for name, tier in study["tiers"].items()
        for word in (name, *(f"{name}/{tool}" for tool in TOOLS if tool in tier))
    ]
    # Windows of a profile are no steps of a sweep.
    profiled = [word for word in tiers if "/" in word and not word.endswith(("sweep", "overload"))]
    lines = {id: lines_of(comparison) for id, comparison in study["comparisons"].items()}
    definitions = definitions_in(lines)
    bases = [mode for mode, line in definitions.items() if not VARIANTS.keys() & line.keys()]
    parts = {"": study}
    for id, comparison in study["comparisons"].items():
        place = f"comparisons.{id}"
        for tier in comparison["tiers"]:
            yield f"{place}.tiers", tier, tiers
        for load, modes in comparison.get("profiles", {}).items():
            yield f"{place}.profiles", load, profiled
            for mode in modes:
                yield f"{place}.profiles.{load}", mode, [*lines[id]]
        for mode, line in lines[id].items():
            key = f"{place}.modes.{mode}"
            parts[f"{key}."] = line
            yield key, mode, [*definitions]
            for tier in line.get("tiers", []):
                yield f"{key}.tiers", tier, tiers
            if "baseline" in line:
                known = measured_with(comparison, lines[id], mode)
                yield f"{key}.baseline", line["baseline"], known
            for variant in VARIANTS.keys() & line.keys():
                here = {*bases} if variant == "as_published_of" else {*bases} & {*lines[id]}
                yield f"{key}.{variant}", line[variant], sorted(here - {mode})
    for place, part in parts.items():
        for key in ("server", "backend"):
            for name in as_list(part.get(key, [])):
                yield f"{place}{key}", name, [*config[f"{key}s"]]


def measured_with(comparison: dict[str, Any], lines: dict[str, Mode], mode: str) -> list[str]:
    """The modes that one may be compared with: a run that measures it measures them, too."""
    own = extras_of(comparison, lines[mode])
    return [
        other
        for other, line in lines.items()
        if other != mode and extras_of(comparison, line) <= own
    ]


def incomplete(config: dict[str, Any], study: Study) -> Iterator[str]:
    """Keys that neither a mode or tier nor its study has, or that would change nothing."""
    place = f"studies.{study.id}"
    for tier, load in study.tiers.items():
        yield from faults_by(schema()["$defs"]["whole_tier"], load, place, "tiers", tier)
    for mode, part in study.modes.items():
        of = next(id for id, each in study.comparisons.items() if mode in each.modes)
        at = f"{place}.comparisons.{of}.modes.{mode}"
        if "size" in part and not mode.endswith(f"-{part['size']}"):
            yield fault(f"{at}.size", part["size"], "the number that the mode's id ends in")
        if "command" in part:
            yield from user_server_faults(study.says, part, at)
        else:
            yield from mode_faults(config, study.says, part, at)


def mode_faults(
    config: dict[str, Any], study: dict[str, Any], mode: Mode, place: str
) -> Iterator[str]:
    yield from ignored(place, mode, OF_USERS, "with a command")
    if engine_of(study, mode):
        of_jvms = {*kinds.WORDS, *OF_JVMS} - {*OF_DATABASES}
        yield from ignored(place, mode, of_jvms, "for a server on a JVM")
    elif not class_of(config, study, mode):
        yield fault(f"{place}.class", None, "a class here, in its server, or of its kind there")
    if "observed" not in mode:
        # A pool without a number of threads, or no kind at all.
        is_pool = mode.get("kind") == "pool"
        key, may = ("threads", "a number") if is_pool else ("kind", "one, or observed")
        yield fault(f"{place}.{key}", None, may)
    if "gc" in mode and "heap_mib" not in mode:
        yield fault(f"{place}.heap_mib", None, "a number, next to a collector of the mode's own")
    heap = {"heap_mib": 0, "young_mib": 0} | without_heap(study, mode) | mode
    if heap["young_mib"] and heap["young_mib"] >= heap["heap_mib"]:
        yield fault(f"{place}.young_mib", heap["young_mib"], "less than heap_mib")


def ignored(place: str, mode: Mode, keys: Iterable[str], where: str) -> Iterator[str]:
    """Keys that would change nothing here; `where` they are allowed."""
    for key, value in only(mode, *keys).items():
        yield fault(f"{place}.{key}", value, f"only {where}")


def user_server_faults(study: dict[str, Any], mode: Mode, place: str) -> Iterator[str]:
    """Keys of our servers stand at no user-supplied one; its command names its port."""
    # The size of a family may be a word of the command.
    said = {key: value for key, value in mode.items() if value != mode.get("size")}
    yield from ignored(place, said, OF_OURS, "without a command")
    if "engine" in study:
        yield fault(f"{place}.command", mode["command"], "in a study whose servers speak HTTP")
    words = [*mode["command"], *map(str, mode.get("environment", {}).values())]
    if not any("{port}" in word for word in words):
        may = "words of which one, or a variable of its environment, holds {port}"
        yield fault(f"{place}.command", mode["command"], may)
    if not user_home(mode).is_dir():
        yield fault(f"{place}.folder", mode["folder"], "a folder that is there")


def without_heap(study: dict[str, Any], mode: Mode) -> dict[str, Any]:
    """The study's keys, without those of its heap where a mode has a collector of its own."""
    return without(study, *OF_HEAPS) if "gc" in mode else study


def class_of(config: dict[str, Any], study: dict[str, Any], mode: Mode) -> str | None:
    """The class that runs a mode: its own, or its server's, for the mode's kind or for all."""
    server = config["servers"][mode.get("server", study["server"])]
    of_kind = server.get("classes", {}).get(mode.get("kind", ""))
    found: str | None = mode.get("class", of_kind or server.get("class"))
    return found


def measured_twice(study: Study) -> Iterator[str]:
    """A mode at a tier by a tool is one cell, of one comparison."""
    seen: dict[tuple[str, str, str], str] = {}
    for comparison, mode, tier, tool in study.all_loads():
        first = seen.setdefault((mode, tier["id"], tool), comparison.id)
        if first != comparison.id:
            key = f"studies.{study.id}.comparisons.{comparison.id}.modes.{mode}.tiers"
            yield fault(key, tier["id"], f"none of comparison {first}")


def different_cpus(study: Study) -> Iterator[str]:
    """Modes of a comparison are alive together, so its tiers have the same CPUs."""
    found: dict[str, dict[str, int | None]] = {}
    for comparison, _, tier, _ in study.all_loads():
        found.setdefault(comparison.id, {})[tier["id"]] = tier.get("shared_cpus")
    for id, cpus in found.items():
        if len(set(cpus.values())) > 1:
            place = f"studies.{study.id}.comparisons.{id}: shared_cpus"
            yield fault(place, cpus, "the same at all tiers of a comparison")


def different_modes(studies: Iterable[Study]) -> Iterator[str]:
    """Modes of one id in two studies are the same: the analysis knows a mode by its id alone."""
    seen: dict[str, dict[str, str]] = {}
    for facts in (row for study in studies for row in facts_of(study)):
        first = seen.setdefault(facts["mode"], facts)
        for key in facts.keys() - {"study"}:
            if facts[key] != first[key]:
                place = f"studies.{facts['study']}: mode {facts['mode']}: {key}"
                yield fault(place, facts[key], f"{first[key]}, as in {first['study']}")


def shared_cpus(config: dict[str, Any]) -> Iterator[str]:
    """CPUs that server and generator would share on one machine."""
    testbed = config["testbed"]
    both = [testbed.get(f"{side}_cpus") for side in ("server", "generator")]
    lists = [{*cpus} for cpus in both if isinstance(cpus, list)]
    if "generator_host" not in testbed and len(lists) == 2 and lists[0] & lists[1]:
        yield fault("testbed.generator_cpus", both[1], "none of the server's")
