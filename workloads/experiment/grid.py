"""From the configuration to the cells: the grid, the order of measuring, and what each measures.

Snakemake imports this at parse time, so it reads nothing but the configuration, its schema, the
scripts that loads run and the names of user-supplied servers' files.
"""

from __future__ import annotations

import csv
import functools
import hashlib
import io
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from workloads.experiment import kinds, waits
from workloads.experiment.configuration import (
    EXTRAS,
    Comparison,
    ConfigurationError,
    Mode,
    Study,
    Tier,
    as_list,
    check,
    class_of,
    engine_of,
    extras_of,
    facts_of,
    fault,
    only,
    whole_studies,
    without,
    without_heap,
)
from workloads.experiment.plan import LoadPlan, ModePlan, Name, Plan
from workloads.machine.provenance import ROOT, user_files

# How many requests a tool has in flight.
IN_FLIGHT = {
    "overload": "connections",
    "sweep": "connections",
    "wrk2": "connections",
    "jmeter": "users",
}
# How long the window of a sweep's step is, to the time that a request waits: its second half then
# begins when answers come.
STEP_TO_WAITING = 2.5
# From this rate on an open loop has slices of half the length: longer ones vary hardly less.
FAST_PER_S = 500
# The share of a mixed-in path while the server warms up: a rare one would never be compiled.
WARM_UP_SHARE = 0.5
# Keys of a load that say whether and how often it is measured, and not what.
ROUNDS_OF_SWEEPS = ("rounds", "extra_rounds")
OF_THE_GRID = ("once", "step_s", *ROUNDS_OF_SWEEPS, "extra")
TIER_KEYS = (
    *("id", "path", "sleep_ms", "holds", "idle_connections", "body_bytes", "rows_path", "requests"),
    "period_s",
)
# Keys that a study, and before it a tier, may set otherwise than the testbed.
TESTBED_KEYS = ("request_timeout_s", "shared_cpus")
PLACE_KEYS = ("generator_host", "server_address")
STUDY_KEYS = ("verify_path", "counters_path", "watch_path", "rows_path", "body_bytes")
# Keys of a study that hold for a user-supplied server, too.
USER_KEYS = ("verify_path", "body_bytes")
SERVER_KEYS = ("jar", "package", "class_data", "libraries")
# The part of a mode that is measured, as cell.json has it.
MODE_KEYS = (
    *("id", "kind", "options", "carriers", "scheduling", "jdk", "client", "observed", "alone"),
    *("heap_varied", "cpu_limit"),
    *("command", "folder", "environment", "expected_status", "expected_body", "answers_vary"),
    *("stop", "start_limit_s", "ready_headers", "secrets"),
)


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

    @property
    def name(self) -> Name:
        return Name(self.mode, self.tier, self.tool)


@dataclass(frozen=True)
class Session:
    """One repetition of a comparison: its cells, whose modes are alive together.

    `baselines`: cells that are loaded only because one of `cells` is compared with them.
    """

    study: str
    comparison: str
    repetition: int
    cells: tuple[Cell, ...]
    baselines: tuple[Cell, ...] = ()
    # Whether it is of one cell that is named by itself: that is judged, and not profiled.
    judged: bool = False

    @property
    def path(self) -> str:
        return f"{self.study}/{self.comparison}/rep-{self.repetition}"


class Grid:
    """All cells of a configuration, the sessions that measure them, and what each is to measure.

    Raises ConfigurationError if the configuration is not valid.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        check(config)
        self.config = config
        self.studies = whole_studies(config)
        self.comparisons: dict[Cell, str] = {}
        # Repetitions of a cell, at most, however many its comparison has.
        self.limits: dict[Cell, float] = {}
        self.cells = []
        for cell, comparison, limit in self._first_cells():
            self.comparisons[cell], self.limits[cell] = comparison.id, limit
            most = min(max(comparison.repetitions, config["repetitions"]), limit)
            self.cells += [replace(cell, repetition=n + 1) for n in range(int(most))]
        if faults := {line for cell in self.comparisons for line in self._load_faults(cell)}:
            raise ConfigurationError("config.yaml: " + "\nconfig.yaml: ".join(sorted(faults)))
        self.sessions = sorted(self._sessions(), key=self.order_key)
        ordered = [cell for session in self.sessions for cell in session.cells]
        self.positions = {cell.path: position for position, cell in enumerate(ordered, start=1)}

    def _first_cells(self) -> Iterator[tuple[Cell, Comparison, float]]:
        """Repetition 1 of every cell, its comparison, and its own limit of repetitions."""
        wanted = {*as_list(self.config.get("extras", []))}
        for study in self.studies.values():
            for comparison, mode, tier, tool in study.all_loads():
                load = tier[tool]
                if comparison.extras[mode] | extras_of(tier, load) <= wanted:
                    limit = 1 if load.get("once") else comparison.limits[mode]
                    yield Cell(study.id, mode, tier["id"], tool, 1), comparison, limit

    def _load_faults(self, cell: Cell) -> Iterator[str]:
        """Loads whose script is not there, that have no request, or that would be cut off."""
        study, _, tier = self._parts(cell)
        place = f"studies.{cell.study}.tiers.{cell.tier}"
        tool = self._tool(tier, cell.tool, self._slices(study, tier, cell)["length_s"])
        for key, load in {cell.tool: tool, "warm_up": self._warm_up(study, tier) or {}}.items():
            script = load.get("script", "")
            if script.endswith(".lua") and not (ROOT / script).is_file():
                yield fault(f"{place}.{key}.script", script, "a file that is there")
            of = "burst_s" if key == "warm_up" else "slices.length_s"
            lasts_s = load.get("burst_s", load.get("duration_s", math.inf))
            if load.get("rate_per_s", math.inf) * lasts_s < 1 - 1e-9:
                may = f"at least one request in {lasts_s:g} s ({of})"
                yield fault(f"{place}.{key}.rate_per_s", load["rate_per_s"], may)
        limit_s = self.config["testbed"]["load_limit_s"]
        if cell.tool == "wrk2" and tool["warm_up_s"] + tool["duration_s"] > limit_s:
            may = f"with its warm-up at most testbed.load_limit_s = {limit_s:g}"
            yield fault(f"{place}.slices.length_s", tool["duration_s"], may)

    def _sessions(self) -> list[Session]:
        cells: dict[tuple[str, str, int], list[Cell]] = {}
        for cell in self.cells:
            cells.setdefault((cell.study, self.comparison(cell), cell.repetition), []).append(cell)
        return [Session(*key, tuple(of)) for key, of in cells.items()]

    def comparison(self, cell: Cell) -> str:
        """The comparison that measures a cell, of any repetition. Raises KeyError of no cell."""
        return self.comparisons[replace(cell, repetition=1)]

    def named_session(self, words: Any) -> Session:
        """The session of `study`, `comparison` and `repetition`, as in a path of results/sessions/.

        A repetition may be outside the configuration. Raises ValueError, naming what there is.
        """
        name, repetition = f"{words.study}/{words.comparison}", int(words.repetition)
        named = {cell: f"{cell.study}/{of}" for cell, of in self.comparisons.items()}
        first = [cell for cell, of in named.items() if of == name]
        if not first:
            known = ", ".join(sorted({*named.values()}))
            raise ValueError(f"{name} is no comparison; there are {known}")
        again = [cell for cell in first if self.limits[cell] >= repetition] or first
        wanted = tuple(replace(cell, repetition=repetition) for cell in again)
        return Session(words.study, words.comparison, repetition, wanted)

    def named_cell(self, words: Any) -> Session:
        """The session of one cell by itself, as in a path of results/cells/. Raises ValueError."""
        cell = Cell(words.study, words.mode, words.tier, words.tool, int(words.repetition))
        if replace(cell, repetition=1) not in self.comparisons:
            raise ValueError(f"{cell.path} is no cell of this experiment (results/grid.csv)")
        return self.alone(cell)

    def alone(self, cell: Cell) -> Session:
        """One cell measured by itself: its baseline is loaded in turns with it."""
        baseline = replace(cell, mode=self._baseline(cell) or cell.mode)
        there = replace(baseline, repetition=1) in self.comparisons and baseline != cell
        of, baselines = self.comparison(cell), (baseline,) if there else ()
        return Session(cell.study, of, cell.repetition, (cell,), baselines, judged=True)

    def _baseline(self, cell: Cell) -> str | None:
        comparison = self.studies[cell.study].comparisons[self.comparison(cell)]
        return comparison.baselines[cell.mode]

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

    # ---- what a session measures

    def plan(self, session: Session) -> Plan:
        """A change of it makes Snakemake run the session again."""
        cells = [*session.cells, *session.baselines]
        firsts = {cell.mode: cell for cell in cells}
        return Plan(
            seed=self.config["seed"],
            protocol=self.config["protocol"],
            modes={mode: self._mode_plan(cell) for mode, cell in firsts.items()},
            loads={f"{cell.tier}/{cell.tool}": self._load_plan(cell) for cell in cells},
            cells=tuple(cell.name for cell in session.cells),
            baselines=tuple(cell.name for cell in session.baselines),
            profiles={} if session.judged else self._profiles(session.cells),
        )

    def _profiles(self, cells: tuple[Cell, ...]) -> dict[str, dict[str, list[str]]]:
        found: dict[str, dict[str, list[str]]] = {}
        for cell in cells:
            if wanted := self.profiles(cell):
                found.setdefault(f"{cell.tier}/{cell.tool}", {})[cell.mode] = wanted
        return found

    def spec(self, cell: Cell) -> dict[str, Any]:
        """All that decides what the cell measures, and nothing else."""
        session = Session(cell.study, self.comparison(cell), cell.repetition, (cell,))
        return self.plan(session).spec(cell.name)

    def _mode_plan(self, cell: Cell) -> ModePlan:
        study, mode, _ = self._parts(cell)
        measured = only(mode, *MODE_KEYS)
        if engine_of(study.says, mode):
            # Its number of threads is one of its settings, and the client's words are the client's.
            measured["options"] = mode["options"]
        elif isinstance(mode.get("client"), str):
            del measured["client"]
        return ModePlan(
            mode=measured,
            study={"id": study.id} | self._study_part(study, mode),
            backend=self._backend(study, mode),
            engine=self._engine(study, mode),
            baseline=self._baseline(cell),
        )

    def _study_part(self, study: Study, mode: Mode) -> dict[str, Any]:
        """The study's keys for its servers; for a user-supplied one only how it is verified."""
        if "command" in mode:
            return only(study.says, *USER_KEYS) | only(mode, "verify_path")
        return {"server": self._server(study, mode)} | only(study.says, *STUDY_KEYS)

    def _server(self, study: Study, mode: Mode) -> dict[str, Any]:
        """The program that a mode runs, with all options of its JVM: the last of two holds."""
        id = mode.get("server", study.says["server"])
        server = self.config["servers"][id]
        found = {"id": id} | only(server, *SERVER_KEYS)
        if engine_of(study.says, mode):
            return found
        own = study.says if "server" not in mode else without(study.says, "jvm_options")
        parts = (server, without_heap(own, mode), mode)
        return found | {
            "class": class_of(self.config, study.says, mode),
            "jvm_options": [option for part in parts for option in kinds.jvm_options(part)],
        }

    def _backend(self, study: Study, mode: Mode) -> dict[str, Any] | None:
        # A user-supplied server has nothing of ours behind it, but may bring its own.
        if "own_backend" in mode:
            return {"id": "own", "cpus": "generator"} | mode["own_backend"]
        names = [] if "command" in mode else mode.get("backend", study.says.get("backend", []))
        found = [{"id": name} | self.config["backends"][name] for name in as_list(names)]
        return found[0] | ({"others": found[1:]} if found[1:] else {}) if found else None

    def _engine(self, study: Study, mode: Mode) -> dict[str, Any] | None:
        """The database that is measured, with the settings that a mode's options change."""
        name = engine_of(study.says, mode)
        return {"id": name} | self.config["backends"][name] if name else None

    def _load_plan(self, cell: Cell) -> LoadPlan:
        study, _, tier = self._parts(cell)
        slices = self._slices(study, tier, cell)
        return LoadPlan(
            tier=only(tier, *TIER_KEYS),
            tool=with_digest(self._tool(tier, cell.tool, slices["length_s"])),
            warm_up=with_digest(warm_up) if (warm_up := self._warm_up(study, tier)) else None,
            slices=slices,
            testbed=self._testbed() | only(study.says, *TESTBED_KEYS) | only(tier, *TESTBED_KEYS),
        )

    def _tool(self, tier: Tier, name: str, length_s: float) -> dict[str, Any]:
        tool = {"id": name} | self.config.get(name, {}) | tier[name]
        if name in ("wrk2", "sweep", "overload"):
            # Requests of before the window are still in flight when it opens.
            waits_s = tier["sleep_ms"] / 1000
            tool["warm_up_s"] = round(self.config["wrk2"]["warm_up_s"] + waits_s, 3)
        if name == "wrk2" and tool.get("at_once"):
            # A request for each connection, all due when the window opens.
            tool |= {"warm_up_s": 0, "rate_per_s": tool["connections"] / length_s}
        if name == "overload":
            tool["steps"] = [[share, tool["step_s"]] for share in tool.pop("shares")]
        # The other loads end after so many requests, or combinations of sizes.
        if name in ("wrk2", "sysbench") or "warm_up_s" in tool:
            tool = {"duration_s": length_s} | tool
        return without(tool, *OF_THE_GRID)

    def _testbed(self) -> dict[str, Any]:
        """Cells name no host: where the generator is travels with the labels."""
        testbed: dict[str, Any] = self.config["testbed"]
        elsewhere = {"generator": "another machine"} if "generator_host" in testbed else {}
        return without(testbed, *PLACE_KEYS) | elsewhere

    def _slices(self, study: Study, tier: Tier, cell: Cell) -> dict[str, Any]:
        """How many slices and how long: five times what a request waits, or as the tier says."""
        common = self.config["slices"]
        if tier[cell.tool].get("once"):
            return common | {"rounds": 1, "once": True}
        slices = common | {"length_s": self._length_s(tier, cell.tool), "once": False}
        slices |= study.says.get("slices", {}) | tier.get("slices", {})
        slices["rounds"] = tier[cell.tool].get("rounds", slices["rounds"])
        if cell.tool == "sweep":
            sweep = self.config["sweep"] | tier["sweep"]
            length_s = max(sweep["step_s"], STEP_TO_WAITING * tier["sleep_ms"] / 1000)
            slices |= {"length_s": length_s} | {key: sweep[key] for key in ROUNDS_OF_SWEEPS}
        return slices

    def _length_s(self, tier: Tier, tool: str) -> float:
        """Five times what a request waits, at the least; of an overload all its steps."""
        if tool == "overload":
            return float(tier[tool]["step_s"] * len(tier[tool]["shares"]))
        is_fast = tool == "wrk2" and tier[tool].get("rate_per_s", 0) >= FAST_PER_S
        length_s: float = self.config["slices"]["length_s"] / (2 if is_fast else 1)
        return max(length_s, 5 * tier["sleep_ms"] / 1000)

    def _warm_up(self, study: Study, tier: Tier) -> dict[str, Any] | None:
        """The tier's own path and way of asking; None for a database, which knows no compiler."""
        if "engine" in study.says:
            return None
        load = {key: said for tool in IN_FLIGHT for key, said in tier.get(tool, {}).items()}
        own = only(tier, "path", "requests") | only(load, "keep_alive", "script")
        if "mix" in load:
            own["mix"] = load["mix"] | {"share": WARM_UP_SHARE}
        common, says = self.config["warm_up"], study.says.get("warm_up", {})
        whole = common | own | says | tier.get("warm_up", {})
        in_flight = max(tier.get(tool, {}).get(key, 0) for tool, key in IN_FLIGHT.items())
        waits_ms = min(tier["sleep_ms"], whole.pop("burst_waits_ms_at_most"))
        burst = {
            "path": waits.at_most(waits_ms, tier["path"]),
            "connections": min(in_flight, whole.pop("burst_connections_at_most")),
            "waits_s": waits_ms / 1000,
        }
        return whole | {"burst": burst}

    # ---- what lies next to the cells

    def profiles(self, cell: Cell) -> list[str]:
        """The kinds of profile of a cell, in the first session alone."""
        comparison = self.studies[cell.study].comparisons[self.comparison(cell)]
        kinds = comparison.profiles.get(f"{cell.tier}/{cell.tool}", {}).get(cell.mode, [])
        return kinds if cell.repetition == 1 else []

    def labels(self, session: Session) -> dict[str, Any]:
        """Display metadata, and where the generator runs; not part of the measurement."""
        study = self.studies[session.study]
        cells = [*session.cells, *session.baselines]
        modes = {cell.mode: self._baseline(cell) for cell in cells}
        tiers = {cell.tier: study.tiers[cell.tier].get("title", cell.tier) for cell in cells}
        question = study.comparisons[session.comparison].question
        return self._where() | {
            "study": only(study.says, "title", "question"),
            "comparison": {"question": question},
            "modes": {
                mode: {"baseline": baseline, "title": study.modes[mode].get("title", mode)}
                for mode, baseline in modes.items()
            },
            "tiers": {tier: {"title": title} for tier, title in tiers.items()},
            "order": {
                "seed": self.config["seed"],
                "positions": {
                    f"{cell.mode}/{cell.tier}/{cell.tool}": self.position(cell) for cell in cells
                },
                "of": len(self.cells),
            },
        }

    def _where(self) -> dict[str, Any]:
        testbed = self.config["testbed"]
        if "generator_host" not in testbed:
            return {}
        cpus = testbed.get("generator_cpus")
        cpus = list(range(cpus)) if isinstance(cpus, int) else cpus
        return {"where": {key: testbed[key] for key in PLACE_KEYS} | {"cpus": cpus}}

    def modes_table(self) -> str:
        """modes.csv: what the analysis must know of each mode, measured or not."""
        return as_csv([row for study in self.studies.values() for row in facts_of(study)])

    def grid_table(self) -> str:
        """grid.csv: the cells of the experiment with all extras, without their repetitions."""
        keys = ("study", "mode", "tier", "tool")
        cells = self.whole.comparisons
        return as_csv([{key: getattr(cell, key) for key in keys} for cell in cells])

    @functools.cached_property
    def whole(self) -> Grid:
        """The grid with all extras."""
        return Grid(self.config | {"extras": EXTRAS})

    # ---- what a session needs

    def jars(self, session: Session) -> list[str]:
        """The jars that the session's cells run."""
        found = []
        for part in self.plan(session).modes.values():
            backend = part.backend or {}
            found += [part.study.get("server", {}), backend, *backend.get("others", [])]
        return list(dict.fromkeys(each["jar"] for each in found if "jar" in each))

    def class_data(self, session: Session) -> list[str]:
        """The archives of loaded classes that the session's servers start with."""
        parts = self.plan(session).modes.values()
        servers = [(each.study.get("server", {}), each.mode.get("jdk", "jdk")) for each in parts]
        found = [f"{of['class_data']}-{jdk}.jsa" for of, jdk in servers if "class_data" in of]
        return list(dict.fromkeys(found))

    def files(self, session: Session) -> list[str]:
        """The files of the user-supplied servers that the session starts."""
        modes = [part.mode for part in self.plan(session).modes.values()]
        own = [user_files(mode) for mode in modes if "command" in mode]
        return sorted({str(path) for files in own for path in files})

    def _parts(self, cell: Cell) -> tuple[Study, Mode, Tier]:
        study = self.studies[cell.study]
        return study, study.modes[cell.mode], study.tiers[cell.tier]


def as_csv(rows: list[dict[str, str]]) -> str:
    text = io.StringIO()
    table = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return text.getvalue()


def with_digest(load: dict[str, Any]) -> dict[str, Any]:
    """A load that runs a script of ours depends on what the script says, not on its name only."""
    if not load.get("script", "").endswith(".lua"):
        return load
    content = (ROOT / load["script"]).read_bytes()
    return load | {"script_sha256": hashlib.sha256(content).hexdigest()}
