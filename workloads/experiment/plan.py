"""The plan of a session: all that decides what it measures, and nothing else.

Snakemake compares it with the plan of the last run, so it holds no titles, no hosts and nothing of
the rest of the grid. It travels to the session's process as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any

# Keys of a tier's answers, instead of the study's.
OF_ANSWERS = ("body_bytes", "rows_path")


@dataclass(frozen=True, order=True)
class Name:
    """A cell of a session."""

    mode: str
    tier: str
    tool: str


@dataclass(frozen=True)
class ModePlan:
    """A mode: `mode`, `study` (with the mode's server), `backend`, `engine` as in cell.json."""

    mode: dict[str, Any]
    study: dict[str, Any]
    backend: dict[str, Any] | None
    engine: dict[str, Any] | None
    # None for the baseline itself.
    baseline: str | None


@dataclass(frozen=True)
class LoadPlan:
    """A tier's load by one tool: parts of the configuration in cell.json."""

    tier: dict[str, Any]
    tool: dict[str, Any]
    warm_up: dict[str, Any] | None
    slices: dict[str, Any]
    testbed: dict[str, Any]


@dataclass(frozen=True)
class Plan:
    """`cells` are measured; `baselines` are loaded in turns with them and not recorded."""

    seed: int
    protocol: int
    modes: dict[str, ModePlan]
    loads: dict[str, LoadPlan]
    cells: tuple[Name, ...]
    baselines: tuple[Name, ...] = ()
    # Kinds of profile by tier/tool and mode.
    profiles: dict[str, dict[str, list[str]]] = field(default_factory=dict)

    def names(self) -> Iterator[Name]:
        """Every cell that is loaded, recorded or not."""
        yield from self.cells
        yield from self.baselines

    @property
    def testbed(self) -> dict[str, Any]:
        """The same for all loads of a comparison, but for their time-outs."""
        return next(iter(self.loads.values())).testbed

    def load(self, name: Name) -> LoadPlan:
        return self.loads[f"{name.tier}/{name.tool}"]

    def baseline(self, name: Name) -> Name:
        """The cell that this one is compared with; itself where it is compared with none."""
        return replace(name, mode=self.modes[name.mode].baseline or name.mode)

    def spec(self, name: Name) -> dict[str, Any]:
        """The `configuration` of a cell's cell.json."""
        mode, load = self.modes[name.mode], self.load(name)
        study = mode.study | {key: load.tier[key] for key in OF_ANSWERS if key in load.tier}
        if mode.mode.get("answers_vary"):
            study.pop("body_bytes", None)
        kinds = self.profiles.get(f"{name.tier}/{name.tool}", {}).get(name.mode)
        return {
            "protocol": self.protocol,
            "study": study,
            "mode": mode.mode,
            "backend": mode.backend,
            "engine": mode.engine,
            **asdict(load),
            **({"profile": kinds} if kinds else {}),
        }

    def to_json(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Plan:
        found = json.loads(text)
        for key, part in (("modes", ModePlan), ("loads", LoadPlan)):
            found[key] = {name: part(**each) for name, each in found[key].items()}
        for key in ("cells", "baselines"):
            found[key] = tuple(Name(**each) for each in found[key])
        return cls(**found)
