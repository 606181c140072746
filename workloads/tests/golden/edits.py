"""Small edits of golden cells: a test states the numbers that it judges.

Golden cells are real cells of a smoke run (see cut.py), kept in one archive. Each edit changes a
copy; a cell that is written is checked against cell.schema.yaml.
"""

from __future__ import annotations

import atexit
import copy
import csv
import gzip
import json
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workloads.record import cell_folder
from workloads.record.slice_rules import OF_EVERYTHING
from workloads.record.validity import EVERYTHING

ARCHIVE = Path(__file__).with_name("cells.tar.xz")


def unpacked() -> Path:
    """The archive's results, in a folder that goes with this process."""
    folder = tempfile.mkdtemp(prefix="golden-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    # Debian 12's Python has no filters, and newer ones warn without.
    filters = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(folder, **filters)
    return Path(folder) / "results"


GOLDEN = unpacked()
STACKS, LATENCIES = "profile.collapsed", "latencies.csv.gz"
SLOWER = ("latency_mean_ms", "latency_min_ms", "cpu_us_per_request")
FASTER = ("throughput_per_s", "answers_per_s")


@dataclass
class Cell:
    """A cell that is not written yet: cell.json, slices.csv, and texts in place of its files."""

    record: dict[str, Any]
    rows: list[dict[str, Any]]
    source: Path
    files: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        study, mode, tier, tool, repetition = self.record["cell"].values()
        return f"{study}/{mode}/{tier}/{tool}/rep-{repetition}"

    @property
    def plain(self) -> list[dict[str, Any]]:
        return [row for row in self.rows if row["kind"] == "plain"]

    def write(self, results: Path) -> Path:
        """Write the cell's folder, without files where nothing was sent; return its cell.json."""
        cell_folder.validate(self.record)
        folder = results / "cells" / self.name
        if self.rows:
            shutil.copytree(self.source, folder)
            with (folder / "slices.csv").open("w", newline="") as file:
                table = csv.DictWriter(file, [*self.rows[0]])
                table.writeheader()
                table.writerows(self.rows)
        else:
            folder.mkdir(parents=True)
        for name, text in self.files.items():
            packed = gzip.compress(text.encode()) if name.endswith(".gz") else text.encode()
            (folder / name).write_bytes(packed)
        (folder / "cell.json").write_text(json.dumps(self.record))
        return folder / "cell.json"


Edit = Callable[[Cell], None]


def golden(name: str, *edits: Edit) -> Cell:
    """Read a golden cell, study/mode/tier/tool, and edit it."""
    source = GOLDEN / "cells" / name / "rep-1"
    record = json.loads((source / "cell.json").read_text())
    with (source / "slices.csv").open(newline="") as file:
        return edited(Cell(record, list(csv.DictReader(file)), source), *edits)


def every(study: str = "*", *edits: Edit) -> list[Cell]:
    """Read all golden cells, or those of a study, and edit each."""
    paths = sorted(GOLDEN.glob(f"cells/{study}/*/*/*"))
    return [golden(path.relative_to(GOLDEN / "cells").as_posix(), *edits) for path in paths]


def edited(cell: Cell, *edits: Edit) -> Cell:
    """Edit a copy."""
    changed = copy.deepcopy(cell)
    for edit in edits:
        edit(changed)
    return changed


def repeated(cells: Iterable[Cell], sessions: int) -> list[Cell]:
    """Copy the cells into sessions of their own, whose values differ by a percent or two."""
    return [
        edited(cell, in_session(n), scaled(1 + n / 100 + zlib.crc32(cell.name.encode()) % 99 / 1e4))
        for n in range(1, sessions + 1)
        for cell in cells
    ]


def in_session(repetition: int) -> Edit:
    def edit(cell: Cell) -> None:
        session = cell.record["session"] | {"repetition": repetition}
        session["id"] = f"{cell.record['cell']['study']}/{session['comparison']}/rep-{repetition}"
        cell.record |= {"session": session}
        cell.record["cell"]["repetition"] = repetition

    return edit


def scaled(factor: float) -> Edit:
    """Multiply latency and CPU time; divide the throughput of a closed loop."""

    def edit(cell: Cell) -> None:
        load, server = cell.record["load"], cell.record["server"] or {}
        faster = FASTER if load["loop"] == "closed" else ()
        latencies = [
            part for part in (load.get("latency") or {}).values() if isinstance(part, dict)
        ]
        for values in (load, server, *latencies, *cell.rows):
            for name, value in values.items():
                if value in ("", None):
                    continue
                if name in SLOWER or values in latencies or name.startswith("latency_p"):
                    values[name] = float(value) * factor
                elif name in faster:
                    values[name] = float(value) / factor
        scale_histograms(cell, factor)

    return edit


def scale_histograms(cell: Cell, factor: float) -> None:
    """Multiply the latencies of each slice, where the cell has their counts."""
    path, text = cell.source / LATENCIES, cell.files.get(LATENCIES)
    if text is None and not path.exists():
        return
    header, *lines = (text or gzip.decompress(path.read_bytes()).decode()).splitlines()
    rows = [line.split(",") for line in lines]
    scaled = [f"{slice},{float(value_ms) * factor},{count}" for slice, value_ms, count in rows]
    cell.files[LATENCIES] = "\n".join([header, *scaled]) + "\n"


def changed(section: str, **values: Any) -> Edit:
    """Change values of a section of cell.json, such as `load` or `configuration.tool`."""

    def edit(cell: Cell) -> None:
        place = cell.record
        for key in section.split("."):
            place = place[key]
        place |= values

    return edit


def named(**names: str) -> Edit:
    """Change the cell's mode or tier."""

    def edit(cell: Cell) -> None:
        cell.record["cell"] |= names
        for part, name in names.items():
            changed(f"configuration.{part}", id=name)(cell)

    return edit


def judged(passed: bool, *rules: str) -> Edit:
    """Let the cell pass rules of validity or fail them, all where none is named."""

    def edit(cell: Cell) -> None:
        checks = cell.record["validity"]["checks"]
        for rule in rules or [check["id"] for check in checks]:
            found = next((check for check in checks if check["id"] == rule), None)
            if found is None:
                found = checks[0] | {"id": rule, "concerns": EVERYTHING}
                checks.append(found)
            found["passed"] = passed
        concerns = {check["concerns"] for check in checks if not check["passed"]}
        cell.record["validity"] |= {
            "valid": EVERYTHING not in concerns,
            "latency_valid": not concerns,
        }
        count_slices(cell)

    return edit


def count_slices(cell: Cell) -> None:
    plain, kept = len(cell.plain), sum(row["kept"] == "true" for row in cell.plain)
    counted = sum(OF_EVERYTHING.isdisjoint(row["reason"].split(";")) for row in cell.plain)
    counts = {"plain": plain, "counted": counted, "kept": kept, "left_out": plain - kept}
    cell.record["load"]["slices"] |= counts


def kept_rule(cell: Cell) -> str:
    """Name the rule on included slices: cells of before version 19 had another."""
    ids = {check["id"] for check in cell.record["validity"]["checks"]}
    return "slices_kept" if "slices_kept" in ids else "rounds_kept"


def quiet(cell: Cell) -> None:
    """Measure the cell on a quiet machine: no slice is excluded, and the generator is healthy."""
    for row in cell.rows:
        row |= {"kept": "true", "reason": ""}
    judged(True, kept_rule(cell), "generator_healthy")(cell)


def valid(cell: Cell) -> None:
    """Let the cell pass all rules, and count all its slices."""
    quiet(cell)
    judged(True)(cell)


def excluded(reason: str) -> Edit:
    """Let a rule exclude the first slice."""

    def edit(cell: Cell) -> None:
        cell.rows[0] |= {"kept": "false", "reason": reason}
        judged(True, kept_rule(cell))(cell)

    return edit


def ended(outcome: str) -> Edit:
    """Let the server die or hang in its last plain slice."""

    def edit(cell: Cell) -> None:
        cell.record |= {"outcome": outcome, "outcome_reason": "no answer_after <the> load"}
        cell.record["profile"] = {"file": None}
        cell.rows[:] = cell.plain
        for row in cell.rows[-1:]:
            row |= {"kept": "false", "reason": "not_completed"}
        cell.files[STACKS] = ""
        count_slices(cell)

    return edit


def silent(outcome: str) -> Edit:
    """Send nothing: the limits of the machine forbid the load, or no server answers."""

    def edit(cell: Cell) -> None:
        cell.rows.clear()
        ended(outcome)(cell)
        judged(False, "sent")(cell)
        cell.files.pop(LATENCIES, None)
        load = cell.record["load"]
        unknown = ("requests_offered", "offered_per_s", "concurrency_offered", "latency_mean_ms")
        load |= {name: 0 for name, value in load.items() if isinstance(value, int | float)}
        load |= dict.fromkeys(unknown) | {"errors": {}, "latency": None}
        cell.record |= dict.fromkeys(("server", "backend", "machine", "warm_up"))

    return edit


def sampled(samples: int) -> Edit:
    """Scale the profile to about so many samples; each stack keeps one at least."""

    def edit(cell: Cell) -> None:
        path = cell.source / STACKS
        lines = path.read_text().splitlines() if path.exists() else []
        stacks = [(stack, int(count)) for stack, count in (line.rsplit(" ", 1) for line in lines)]
        total = sum(count for _, count in stacks)
        cell.files[STACKS] = "".join(
            f"{stack} {max(1, round(count * samples / total))}\n" for stack, count in stacks
        )

    return edit
