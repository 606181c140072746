"""config.yaml as it is meant: checked, and with everything that modes and tiers take over.

A mode takes over what its kind, its comparison and its study say; a tier what its study says for
all of them; an A/A pair all of its mode.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema

from workloads.experiment import kinds, waits
from workloads.machine.provenance import ROOT, user_home

SCHEMA = Path(__file__).with_name("config.schema.json")
TOOLS = ("jmeter", "wrk2", "sweep", "overload", "sysbench", "database-client")
# Beyond the default: heap by collector, A/A pairs, swaps of rival explanations.
EXTRAS = ["heaps", "a-a", "rivals"]
# Keys of a study that hold for all its tiers, next to the settings of their tools.
COMMON_KEYS = ("path", "sleep_ms")
# Keys that make a mode a variant of another, and the analysis' word for it.
VARIANTS = {"a_a_of": "A/A", "as_published_of": "as published", "slower_of": "slower"}
# A mode with these alone is defined in another comparison of its study.
OF_REFERENCES = {"tiers", "baseline", "extra", "since", "repetitions"}
# Keys of a mode that a comparison may have for all of its modes.
OF_COMPARISONS = ("backend", "options", "extra")
# Keys of a study's heap, whose sizes are those of its collector.
OF_HEAPS = ("heap_mib", "young_mib", "gc")
# Keys of JVMs of ours alone; of servers of ours; of user-supplied ones.
OF_JVMS = (*OF_HEAPS, "carriers", "cpu_limit", "scheduling", "jdk", "jvm_options")
OF_OURS = (
    *("class", "server", "engine", "backend", "options", "threads_at_most"),
    *(*kinds.WORDS, *OF_JVMS),
)
# A database has these words alone.
NOT_OF_DATABASES = (
    *OF_JVMS,
    *(word for word in kinds.WORDS if word not in ("threads", "pool", "client")),
)
OF_USERS = (
    *("folder", "environment", "verify_path", "expected_status", "expected_body"),
    *("answers_vary", "stop", "start_limit_s", "own_backend", "ready_headers", "secrets"),
)

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
    # The extras of modes that a default run excludes here.
    extras: dict[str, frozenset[str]]
    # Sessions of it at least, and of single modes at most; None: as many as it has.
    repetitions: int
    limits: dict[str, int | None]
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

    def loads(self, comparison: Comparison, mode: str) -> Iterator[tuple[Tier, str]]:
        """The tiers that a mode meets, each with its tools."""
        named = {*comparison.modes[mode]}
        for id, tier in self.tiers.items():
            for tool in TOOLS:
                if tool in tier and named & {id, f"{id}/{tool}"}:
                    yield tier, tool


# ---- Taken over


def whole_studies(config: dict[str, Any]) -> dict[str, Study]:
    """The studies by id; modes and tiers know their ids. The configuration must be valid."""
    return {name: whole_study(config, name) for name in config["studies"]}


def whole_study(config: dict[str, Any], name: str) -> Study:
    study = config["studies"][name]
    lines = {id: lines_of(comparison) for id, comparison in study["comparisons"].items()}
    definitions = {
        mode: line
        for of_comparison in lines.values()
        for mode, line in of_comparison.items()
        if not is_reference(line)
    }
    comparisons = {
        id: whole_comparison(id, study["comparisons"][id], lines[id], definitions) for id in lines
    }
    modes = {mode: whole_mode(config, study, definitions, mode) for mode in definitions}
    tiers = {tier: whole_tier(study, tier) for tier in study["tiers"]}
    return Study(name, study, comparisons, modes, tiers)


def lines_of(comparison: dict[str, Any]) -> dict[str, Mode]:
    """A comparison's modes, families by size expanded; {} where one is defined elsewhere.

    A family: `{pool}` in an id stands for each value of the key `each.pool`, which is then a word
    of the mode, and its size. A value that is `{pool}` alone is that number.
    """
    found: dict[str, Mode] = {}
    ((word, values),) = comparison.get("each", {"": [""]}).items()
    for value in values:
        for mode, line in comparison["modes"].items():
            if f"{{{word}}}" not in mode:
                found.setdefault(mode, line or {})
                continue
            text = json.dumps(line or {}).replace(f'"{{{word}}}"', str(value))
            filled = json.loads(text.replace(f"{{{word}}}", str(value)))
            found[mode.replace(f"{{{word}}}", str(value))] = {word: value, "size": value} | filled
    common = {key: comparison[key] for key in OF_COMPARISONS if key in comparison}
    return {
        mode: line if is_reference(line) else merged(common, line) for mode, line in found.items()
    }


def is_reference(line: Mode) -> bool:
    return line.keys() <= OF_REFERENCES


def merged(common: Mode, own: Mode) -> Mode:
    """A mode with what its comparison says for all; options are added to each other."""
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
            mode: extras
            for mode, line in lines.items()
            if (extras := extras_of(comparison, line, inherited(line, definitions.get(mode, {}))))
        },
        comparison.get("repetitions", 1),
        {mode: line.get("repetitions") for mode, line in lines.items()},
        comparison.get("profiles", {}),
    )


def inherited(line: Mode, definition: Mode) -> Mode:
    """The definition of its name, for a mode that has none of its own."""
    return definition if is_reference(line) else {}


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
    if "a_a_of" in own:
        base = without(definitions[own["a_a_of"]], "title", "size", "tiers", "extra", "since")
        own = base | own
    base_of = next((own[key] for key in VARIANTS if key in own), None)
    kind = own.get("kind", definitions.get(base_of or "", {}).get("kind"))
    own = own | ({"kind": kind} if kind else {}) | {"id": name}
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
    like = own if "threads" in own else definitions.get(base_of or "", own)
    if seen := own.get("observed") or study.get("observed"):
        own["observed"] = seen
    elif kind and (kind != "pool" or "threads" in like):
        own["observed"] = kinds.observed(like | {"kind": kind})
    return own


def engine_of(study: dict[str, Any], mode: Mode) -> str | None:
    """The database that is measured; None where a server of HTTP is."""
    name: str | None = mode.get("engine", study.get("engine"))
    return name


def whole_tier(study: dict[str, Any], name: str) -> Tier:
    own = study["tiers"][name]
    loads = {tool: study.get(tool, {}) | own[tool] for tool in TOOLS if tool in own}
    return {key: study[key] for key in COMMON_KEYS if key in study} | own | loads | {"id": name}


def as_list(names: Any) -> list[str]:
    return [names] if isinstance(names, str) else names


def without(mapping: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in mapping.items() if key not in keys}


# ---- Modes


def facts_of(study: Study) -> list[dict[str, str]]:
    """Facts on each mode that its cells do not hold: the rows of modes.csv.

    A variant looks like the mode that it is one of, and the sizes of a family look alike.
    """
    rows, colors = [], colors_of(study)
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
                "color": colors[family_of(base)],
                "kind": base.get("kind", ""),
            }
        )
    return rows


def colors_of(study: Study) -> dict[str, str]:
    """A color for each family of modes; families of a comparison differ while colors are free."""
    found: dict[str, str] = {}
    for comparison in study.comparisons.values():
        # A default run's modes come before those that it excludes.
        names = sorted(comparison.modes, key=lambda mode: mode in comparison.extras)
        modes = [study.modes[mode] for mode in names]
        bases = [mode for mode in modes if not VARIANTS.keys() & mode.keys()]
        taken = {found[family_of(mode)] for mode in bases if family_of(mode) in found}
        taken |= {mode["color"] for mode in bases if "color" in mode}
        for mode in bases:
            if family_of(mode) not in found:
                found[family_of(mode)] = kinds.color(mode, taken)
                taken.add(found[family_of(mode)])
    return found


def family_of(mode: Mode) -> str:
    """Modes that differ in a size have ids that end in it."""
    name: str = mode["id"]
    return name.removesuffix(f"-{mode['size']}") if "size" in mode else name


# ---- Faults


def check(config: dict[str, Any]) -> None:
    """Raises ConfigurationError naming every key that is wrong, its value and what is allowed."""
    # Each step relies on what those before it have found right.
    faults = faults_by(schema(), config)
    for step in (unknown, incomplete):
        faults = faults or [fault for name in config["studies"] for fault in step(config, name)]
    faults = faults or measured_twice(config) or different_looks(config)
    faults = faults or shared_cpus(config) or different_cpus(config)
    if faults:
        raise ConfigurationError("config.yaml: " + "\nconfig.yaml: ".join(sorted(set(faults))))


@functools.cache
def schema() -> dict[str, Any]:
    # Python's $ lets a line end pass that follows; ECMA's, which JSON Schema means, does not.
    found: dict[str, Any] = json.loads(SCHEMA.read_text().replace('$"', r'\\Z"'))
    return found


def faults_by(schema: dict[str, Any], part: Any, *place: str) -> list[str]:
    validator = jsonschema.Draft202012Validator(schema)
    lines = [line for error in validator.iter_errors(part) for line in explain(error, place)]
    # Each missing key is an error by itself, of which each names all.
    return list(dict.fromkeys(lines))


def explain(error: jsonschema.ValidationError, place: tuple[str, ...]) -> list[str]:
    """A line for each key that is wrong: its value, and what is allowed."""
    keys, value = [*place, *error.absolute_path], error.instance
    if error.validator == "additionalProperties":
        known = list(error.schema["properties"])
        return [surplus([*keys, key], value[key], known) for key in value if key not in known]
    if error.validator in ("required", "dependentRequired"):
        wanted = error.validator_value
        if error.validator == "dependentRequired":
            wanted = [name for key, names in wanted.items() if key in value for name in names]
        missing = [key for key in wanted if key not in value]
        return [fault([*keys, key], None, "it must be there") for key in missing]
    rule = f"{error.validator} {json.dumps(error.validator_value, ensure_ascii=False)}"
    return [fault(keys, value, error.schema.get("description", rule) + hint(error))]


def surplus(keys: list[Any], value: Any, known: list[str]) -> str:
    allowed = f"here only {', '.join(known)}"
    # Such as --config smoke=true.
    if len(keys) == 1 and (ROOT / f"workloads/{keys[0]}.yaml").is_file():
        allowed += f"; for this run --configfile workloads/{keys[0]}.yaml"
    return fault(keys, value, allowed)


def fault(keys: list[Any], value: Any, allowed: str) -> str:
    # YAML has dates, too, which are no JSON.
    shown = json.dumps(value, ensure_ascii=False, default=str)
    shown = shown if len(shown) <= 60 else shown[:57] + "..."
    return f"{'.'.join(map(str, keys))} = {shown}; allowed: {allowed}"


def hint(error: jsonschema.ValidationError) -> str:
    """How a number or word that was read as something else is written."""
    if error.validator != "type":
        return ""
    value, types = error.instance, error.validator_value
    wanted = {types} if isinstance(types, str) else {*types}
    if "string" in wanted and not isinstance(value, str | dict | list | None):
        return "; in quotes it is a text"
    if isinstance(value, str) and wanted & {"integer", "number"}:
        return "; as a decimal number, such as 10 or 0.5"
    return ""


def unknown(config: dict[str, Any], name: str) -> Iterator[str]:
    """Names of modes, tiers, servers, backends and scripts that are not there."""
    study, place = config["studies"][name], f"studies.{name}"
    for key, value, allowed in names_in(config, study):
        if value not in allowed:
            yield f"{place}.{key} = {value!r}; allowed: {', '.join(allowed)}"
    for key, load in loads_in(study):
        if "script" in load and not (ROOT / load["script"]).is_file():
            yield f"{place}.{key}.script = {load['script']!r}; allowed: a file that is there"


def names_in(config: dict[str, Any], study: dict[str, Any]) -> Iterator[tuple[str, Any, list[str]]]:
    """Every name that a study's parts refer to: its key, itself, what is allowed there."""
    tiers, backends, servers = tier_names(study), [*config["backends"]], [*config["servers"]]
    lines = {id: lines_of(comparison) for id, comparison in study["comparisons"].items()}
    defined = [
        mode for each in lines.values() for mode, line in each.items() if not is_reference(line)
    ]
    bases = [
        mode
        for each in lines.values()
        for mode, line in each.items()
        if not is_reference(line) and not VARIANTS.keys() & line.keys()
    ]
    yield "server", study["server"], servers
    for backend in as_list(study.get("backend", [])):
        yield "backend", backend, backends
    for id, comparison in study["comparisons"].items():
        place = f"comparisons.{id}"
        for tier in comparison["tiers"]:
            yield f"{place}.tiers", tier, tiers
        for load, modes in comparison.get("profiles", {}).items():
            yield f"{place}.profiles", load, [word for word in tiers if is_profiled(word)]
            for mode in modes:
                yield f"{place}.profiles.{load}", mode, [*lines[id]]
        for mode, line in lines[id].items():
            key = f"{place}.modes.{mode}"
            others = [other for other in lines[id] if other != mode]
            yield key, mode, defined
            for backend in as_list(line.get("backend", [])):
                yield f"{key}.backend", backend, backends
            for tier in line.get("tiers", []):
                yield f"{key}.tiers", tier, tiers
            if "server" in line:
                yield f"{key}.server", line["server"], servers
            if "baseline" in line:
                yield (
                    f"{key}.baseline",
                    line["baseline"],
                    measured_with(comparison, lines[id], mode),
                )
            for variant in VARIANTS:
                if variant in line:
                    here = bases if variant == "as_published_of" else [*{*bases} & {*others}]
                    yield f"{key}.{variant}", line[variant], sorted(here)


def measured_with(comparison: dict[str, Any], lines: dict[str, Mode], mode: str) -> list[str]:
    """The modes that one may be compared with: a run that measures it measures them, too."""
    own = extras_of(comparison, lines[mode])
    return [
        other
        for other, line in lines.items()
        if other != mode and extras_of(comparison, line) <= own
    ]


def tier_names(study: dict[str, Any]) -> list[str]:
    """Names that a list of tiers may hold: a tier, or one of its tools alone."""
    return [
        word
        for name, tier in study["tiers"].items()
        for word in (name, *(f"{name}/{tool}" for tool in TOOLS if tool in tier))
    ]


def is_profiled(load: str) -> bool:
    """Whether a load has a profile: one by a tool, whose windows are not the steps of a sweep."""
    return "/" in load and load.rsplit("/", 1)[1] not in ("sweep", "overload")


def loads_in(study: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Everything that may run a script."""
    yield "warm_up", study.get("warm_up", {})
    for part in ("wrk2", "sweep", "overload"):
        yield part, study.get(part, {})
    for name, tier in study["tiers"].items():
        for part in ("warm_up", "wrk2", "sweep", "overload"):
            yield f"tiers.{name}.{part}", tier.get(part, {})


def incomplete(config: dict[str, Any], name: str) -> Iterator[str]:
    """Keys that neither a mode or tier nor its study has."""
    study = whole_study(config, name)
    whole = schema()["$defs"]["whole_tier"]
    for tier, load in study.tiers.items():
        yield from faults_by(whole, load, "studies", name, "tiers", tier)
        mean, says = waits.mean_ms(load.get("path", "")), load.get("sleep_ms")
        if mean not in (None, says):
            place = f"studies.{name}.tiers.{tier}.sleep_ms = {json.dumps(says)}"
            yield f"{place}; allowed: {mean:g}, the path's mean"
    for mode, part in study.modes.items():
        of = next(id for id, each in study.comparisons.items() if mode in each.modes)
        place = f"studies.{name}.comparisons.{of}.modes.{mode}"
        yield from mode_faults(config, study.says, part, place)


def mode_faults(
    config: dict[str, Any], study: dict[str, Any], mode: Mode, place: str
) -> Iterator[str]:
    if "size" in mode and not mode["id"].endswith(f"-{mode['size']}"):
        yield f"{place}.size = {mode['size']}; allowed: the number that the mode's id ends in"
    if isinstance(mode.get("permits"), str):
        yield f"{place}.permits = {json.dumps(mode['permits'])}; allowed: a number here"
    if "command" in mode:
        yield from user_server_faults(place, study, mode)
        return
    yield from ignored(place, mode, OF_USERS, "with a command")
    if "observed" not in mode:
        # A pool without a number of threads, or no kind at all.
        key, what = (
            ("threads", "a number") if mode.get("kind") == "pool" else ("kind", "one, or observed")
        )
        yield f"{place}.{key} = null; allowed: {what}"
    if engine_of(study, mode):
        yield from ignored(place, mode, NOT_OF_DATABASES, "for a server on a JVM")
    elif not class_of(config, study, mode):
        yield f"{place}.class = null; allowed: a class here, in its server, or of its kind there"
    if "gc" in mode and "heap_mib" not in mode:
        yield f"{place}.heap_mib = null; allowed: a number, next to a collector of the mode's own"
    heap = {"heap_mib": 0, "young_mib": 0} | without_heap(study, mode) | mode
    if heap["young_mib"] and heap["young_mib"] >= heap["heap_mib"]:
        yield f"{place}.young_mib = {heap['young_mib']}; allowed: less than heap_mib"


def ignored(place: str, mode: Mode, keys: Iterable[str], where: str) -> Iterator[str]:
    """Keys that would change nothing here; `where` they are allowed."""
    for key in keys:
        if key in mode:
            yield f"{place}.{key} = {json.dumps(mode[key])}; allowed: only {where}"


def without_heap(study: dict[str, Any], mode: Mode) -> dict[str, Any]:
    """The study's keys, without those of its heap where a mode has a collector of its own."""
    return without(study, *OF_HEAPS) if "gc" in mode else study


def class_of(config: dict[str, Any], study: dict[str, Any], mode: Mode) -> str | None:
    """The class that runs a mode: its own, or its server's, for the mode's kind or for all."""
    server = config["servers"][mode.get("server", study["server"])]
    of_kind = server.get("classes", {}).get(mode.get("kind", ""))
    found: str | None = mode.get("class", of_kind or server.get("class"))
    return found


def user_server_faults(place: str, study: dict[str, Any], mode: Mode) -> Iterator[str]:
    """Keys of our servers stand at no user-supplied one; its command names its port."""
    # The size of a family may be a word of the command.
    said = {key: value for key, value in mode.items() if value != mode.get("size")}
    yield from ignored(place, said, OF_OURS, "without a command")
    command = f"{place}.command = {json.dumps(mode['command'])}; allowed"
    words = [*mode["command"], *map(str, mode.get("environment", {}).values())]
    if not any("{port}" in word for word in words):
        yield f"{command}: words of which one, or a variable of its environment, holds {{port}}"
    if "engine" in study:
        yield f"{command}: in a study whose servers speak HTTP"
    if mode.get("answers_vary") and "expected_body" in mode:
        yield f"{place}.answers_vary = true; allowed: only without expected_body"
    if not user_home(mode).is_dir():
        yield f"{place}.folder = {json.dumps(mode['folder'])}; allowed: a folder that is there"


def measured_twice(config: dict[str, Any]) -> list[str]:
    """A mode at a tier by a tool is one cell, of one comparison."""
    faults = []
    for study in whole_studies(config).values():
        seen: dict[tuple[str, str, str], str] = {}
        for id, comparison in study.comparisons.items():
            for mode in comparison.modes:
                for tier, tool in study.loads(comparison, mode):
                    first = seen.setdefault((mode, tier["id"], tool), id)
                    if first != id:
                        key = f"studies.{study.id}.comparisons.{id}.modes.{mode}.tiers"
                        faults.append(
                            f"{key} = {tier['id']!r}; allowed: none of comparison {first}"
                        )
    return faults


def shared_cpus(config: dict[str, Any]) -> list[str]:
    """CPUs that server and generator would share on one machine."""
    testbed = config["testbed"]
    server, generator = testbed.get("server_cpus"), testbed.get("generator_cpus")
    lists = isinstance(server, list) and isinstance(generator, list)
    if "generator_host" in testbed or not lists:
        return []
    both = sorted({*server} & {*generator})
    return [f"testbed.generator_cpus = {generator}; allowed: none of the server's"] if both else []


def different_cpus(config: dict[str, Any]) -> list[str]:
    """Modes of a comparison are alive together, so its tiers have the same CPUs."""
    faults = []
    for study in whole_studies(config).values():
        for id, comparison in study.comparisons.items():
            tiers = [tier for mode in comparison.modes for tier, _ in study.loads(comparison, mode)]
            asked = {tier["id"]: tier.get("shared_cpus") for tier in tiers}
            if len(set(asked.values())) > 1:
                faults.append(
                    f"studies.{study.id}.comparisons.{id}: shared_cpus = {json.dumps(asked)}; "
                    "allowed: the same at all tiers of a comparison"
                )
    return faults


def different_looks(config: dict[str, Any]) -> list[str]:
    """Modes of one id that two studies have look alike in both."""
    seen: dict[str, dict[str, str]] = {}
    faults = []
    for study in whole_studies(config).values():
        for facts in facts_of(study):
            first = seen.setdefault(facts["mode"], facts)
            faults += [
                f"studies.{study.id}: mode {facts['mode']}: {key} = {facts[key]!r}; "
                f"allowed: {first[key]!r}, as in {first['study']}"
                for key in facts
                if key != "study" and facts[key] != first[key]
            ]
    return faults
