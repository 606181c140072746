"""The folders of cells: written whole, kept while current, moved aside when measured again."""

from __future__ import annotations

import contextlib
import functools
import json
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jsonschema

from workloads.machine.testbed import boot

SCHEMA = Path(__file__).with_name("cell.schema.json")
CELL = "cell.json"
# A copy under a second name: Snakemake removes the outputs of a job that failed or was interrupted,
# also those that were whole, or writes what was there before over them, whose files are gone.
SECOND_NAME = ".cell.json"
# The folder within a cell for a baseline that is no cell of the same run.
BASELINE = "baseline"


def fresh(folder: Path) -> Path:
    """An empty folder; with a number behind its name where there is one of that name."""
    number, wanted = 1, folder
    while wanted.exists():
        number += 1
        wanted = folder.with_name(f"{folder.name}-{number}")
    wanted.mkdir(parents=True)
    return wanted


def is_current(folder: Path, spec: dict[str, Any], jars_sha256: str) -> bool:
    """Whether the folder holds this cell, measured as it would be now; its second name counts."""
    bring_back(folder)
    record = record_in(folder)
    provenance: dict[str, Any] = record.get("provenance", {})
    return provenance.get("jars_sha256") == jars_sha256 and is_of(record, folder, spec)


def holds(folder: Path, spec: dict[str, Any]) -> bool:
    """Whether the folder holds this cell, by whatever jars; nothing is brought back."""
    return is_of(record_in(folder), folder, spec)


def is_of(record: dict[str, Any], folder: Path, spec: dict[str, Any]) -> bool:
    """Whether a record is of this specification, and of this folder, not copied from another."""
    cell = record.get("cell")
    if cell and place_of(cell) != folder.parts[-5:]:
        return False
    return "configuration" in record and record["configuration"] == json.loads(json.dumps(spec))


def place_of(cell: dict[str, Any]) -> tuple[str, ...]:
    names = (cell[key] for key in ("study", "mode", "tier", "tool"))
    return (*names, f"rep-{cell['repetition']}")


def record_in(folder: Path) -> dict[str, Any]:
    """The record by its first or second name; empty without one, or where it cannot be read."""
    for name in (CELL, SECOND_NAME):
        with contextlib.suppress(OSError, ValueError):
            record = json.loads((folder / name).read_text())
            return record if isinstance(record, dict) else {}
    return {}


def bring_back(folder: Path) -> None:
    """Makes cell.json again what was recorded with the other files of the folder."""
    cell, second = folder / CELL, folder / SECOND_NAME
    if second.exists() and not (cell.exists() and cell.read_bytes() == second.read_bytes()):
        shutil.copy2(second, cell)


@contextlib.contextmanager
def working_folder(out: Path) -> Iterator[Path]:
    """A folder next to the cell's own that takes its name when all is recorded.

    What was measured before under that name is moved aside, never overwritten.
    """
    # Named by this machine: another one may still measure the same cell.
    partial = out.with_name(f".{out.name}.{boot()}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        yield partial
    except BaseException:
        shutil.rmtree(partial)
        raise
    bring_back(out)
    if (out / CELL).exists():
        aside = place_aside(out)
        aside.parent.mkdir(parents=True, exist_ok=True)
        out.rename(aside)
    elif out.exists():
        shutil.rmtree(out)
    partial.rename(out)


def place_aside(out: Path) -> Path:
    """Where a cell goes that is measured again: by the time when it was recorded."""
    stamp = datetime.fromtimestamp((out / CELL).stat().st_mtime, UTC).strftime("%Y%m%dT%H%M%SZ")
    return out.parents[4].with_name("replaced") / Path(*out.parts[-5:]) / stamp


def write(record: dict[str, Any], folder: Path) -> None:
    """cell.json, under both of its names; the second first, for it is the one that counts."""
    text = json.dumps(record, indent=1, ensure_ascii=False) + "\n"
    for name in (SECOND_NAME, CELL):
        new = folder / f"{CELL}.new"
        new.write_text(text)
        new.replace(folder / name)


def validate(record: dict[str, Any]) -> None:
    """Raises jsonschema.ValidationError for a record that is not what the analysis expects."""
    validator().validate(record)


@functools.cache
def validator() -> jsonschema.Draft202012Validator:
    """The validator of cell.json; checking the schema for each cell takes ten times as long."""
    return jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
