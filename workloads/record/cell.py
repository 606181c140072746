"""From the slices of a cell to its folder: cell.json and the files next to it."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from workloads.experiment.plan import Name
from workloads.machine import environment, provenance
from workloads.record import cell_folder, pooling, validity
from workloads.record.load import nothing_sent
from workloads.record.slice import PROFILED, Slice
from workloads.servers.server import EVENTS


@dataclass(frozen=True)
class Facts:
    """The facts that all cells of a session share."""

    id: str
    study: str
    comparison: str
    repetition: int
    started: str
    commit: str
    server_cpus: list[int]
    generator_cpus: list[int]
    topology: dict[str, Any]
    labels: dict[str, Any]
    # The record of profiles.watch.limits before the session.
    limits: dict[str, Any]


def cell_record(
    facts: Facts,
    name: Name,
    spec: dict[str, Any],
    tool: Any,
    slices: list[Slice],
    why: str,
    parts: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Any]:
    """cell.json; `why` nothing was loaded is its reason where there are no slices.

    `tool`: its module; `parts`: `sweep` or `overload`, of cells of these tools.
    """
    body = measured(spec, tool, slices) if slices else silent(spec, tool, why)
    record = {
        "schema": 3,
        "cell": {
            "study": facts.study,
            "mode": name.mode,
            "tier": name.tier,
            "tool": name.tool,
            "repetition": facts.repetition,
        },
        "labels": labels_of(facts.labels, name),
        "session": {
            "id": facts.id,
            "comparison": facts.comparison,
            "repetition": facts.repetition,
            "rounds": spec["slices"]["rounds"],
            "topology": facts.topology,
            "phases": {},
        },
        **body,
        "configuration": spec,
        **parts,
    }
    java = provenance.java(spec["mode"].get("jdk"))
    record["provenance"] |= provenance.facts(spec, java, facts.limits) | {
        "commit": facts.commit,
        "started": facts.started,
        "ended": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "server_cpus": facts.server_cpus,
        "generator_cpus": facts.generator_cpus,
    }
    record["validity"] = validity.verdict(record)
    return record


def labels_of(labels: dict[str, Any], name: Name) -> dict[str, Any]:
    order = labels["order"]
    position = order["positions"][f"{name.mode}/{name.tier}/{name.tool}"]
    return {
        "study": labels["study"],
        "comparison": labels["comparison"],
        "mode": labels["modes"][name.mode],
        "tier": labels["tiers"][name.tier],
        "order": {"seed": order["seed"], "position": position, "of": order["of"]},
    }


def silent(spec: dict[str, Any], tool: Any, why: str) -> dict[str, Any]:
    """The parts of a cell in which nothing was sent: limits forbid it, or no server answers."""
    outcome, _, reason = why.partition(": ")
    if outcome not in ("beyond_limits", "server_died", "not_ready"):
        outcome, reason = "hung", why
    return {
        "outcome": outcome,
        "outcome_reason": reason,
        "answers": {"before": "", "after": "", "rows_before": None, "rows_after": None},
        "load": nothing_sent(tool.LOOP)
        | {
            "requests_offered": 0,
            "settling": {"latency": None, "throughput": None},
            "generator": tool.generator(spec) | {"cpu_share": 0.0},
            "slices": dict.fromkeys(("plain", "counted", "kept", "repeated", "left_out"), 0),
        },
        "server": None,
        "backend": None,
        "machine": None,
        "profile": {"file": None},
        "warm_up": None,
        "provenance": {"server_argv": [], "generator_argv": []},
    }


def measured(spec: dict[str, Any], tool: Any, slices: list[Slice]) -> dict[str, Any]:
    counted = pooling.pooled(slices)
    broken = next((done for done in slices if done.outcome != "completed"), None)
    last, live = counted[-1], counted[-1].live
    server = pooling.server_of(live, slices)
    rows_before, rows_after = pooling.rows_of(slices)
    load = pooling.load_of(slices, spec["slices"]["rounds"])
    if not pooling.is_sweep(slices):
        load["latency"] = pooling.latency(slices)
    return {
        "outcome": (broken or last).outcome,
        "outcome_reason": (broken or last).reason,
        "answers": {
            "before": digest(counted[0].accounts["body_before"]),
            "after": digest((broken or last).accounts["body"]),
            "rows_before": rows_before,
            "rows_after": rows_after,
        }
        | ({"requests": live.answers} if live.answers else {}),
        "load": load,
        "server": server | {"start_up_s": live.subject.start_up_s},
        "backend": pooling.backend_of(slices, last.beside),
        "machine": pooling.machine_of(slices),
        "profile": profile_of(spec, slices),
        "warm_up": live.warm_up,
        "provenance": {
            "server_argv": provenance.portable(live.subject.process.argv),
            "server_environment": environment.recorded(
                live.subject.process.environment, spec["mode"].get("environment", {})
            ),
            "generator_argv": provenance.portable(last.accounts["generator_argv"]),
        },
    }


def profile_of(spec: dict[str, Any], slices: list[Slice]) -> dict[str, Any]:
    """The last profiled slice that counts, with its window."""
    counted = pooling.pooled_kept(slices, PROFILED)
    if not counted:
        return {"file": None}
    last = counted[-1]
    found: dict[str, Any] = last.live.subject.profile(last.folder, spec)
    start_s, end_s = last.window
    return found | {"start_epoch_s": start_s, "end_epoch_s": end_s}


def write_cell(record: dict[str, Any], slices: list[Slice], folder: Path) -> None:
    """All files of a cell, cell.json last."""
    if slices:
        pooling.write_files(slices, folder)
        for last in pooling.pooled_kept(slices, PROFILED)[-1:]:
            for name in filter(None, (record["profile"]["file"], EVENTS)):
                if (last.folder / name).exists():
                    shutil.copyfile(last.folder / name, folder / name)
    record["series"] = cell_folder.series_of(folder)
    cell_folder.validate(record)
    cell_folder.write(record, folder)


def digest(body: bytes | None) -> str:
    """Empty without an answer; of an answer without a body that of nothing."""
    return "" if body is None else hashlib.sha256(body).hexdigest()
