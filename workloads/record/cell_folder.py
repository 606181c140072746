"""The folders of cells: written whole, kept while current, moved aside when measured again."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from profiles.watch.terminal import say
from workloads.experiment.schema import Loader
from workloads.machine.testbed import boot

SCHEMA = Path(__file__).with_name("cell.schema.yaml")
CELL = "cell.json"
# The files of a cell that the analysis reads. Those that profiles are made into come later.
SERIES = (
    *("slices.csv", "latencies.csv.gz", "thread-states.csv", "combinations.csv"),
    *("overloads.csv", "seconds.csv", "heap.csv"),
)
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
    """Whether the folder holds this cell, measured as it would be now.

    Standard error names a cell that is damaged, as where Snakemake has written the record of before
    over that of a job that was interrupted.
    """
    record, fault = record_by(folder)
    if fault and (folder / CELL).exists():
        say(f"{fault}: measured again")
    provenance: dict[str, Any] = record.get("provenance", {})
    return provenance.get("jars_sha256") == jars_sha256 and is_of(record, folder, spec)


def holds(folder: Path, spec: dict[str, Any]) -> bool:
    """Whether the folder holds this cell, by whatever jars."""
    return is_of(record_in(folder), folder, spec)


def is_of(record: dict[str, Any], folder: Path, spec: dict[str, Any]) -> bool:
    """Whether a record is of this specification, and of this folder, not copied from another."""
    cell = record.get("cell")
    if cell:
        names = [cell[key] for key in ("study", "mode", "tier", "tool")]
        if folder.parts[-5:] != (*names, f"rep-{cell['repetition']}"):
            return False
    return "configuration" in record and record["configuration"] == json.loads(json.dumps(spec))


def record_in(folder: Path) -> dict[str, Any]:
    """The record of a cell; empty where none counts."""
    return record_by(folder)[0]


def record_by(folder: Path) -> tuple[dict[str, Any], str]:
    """A record that counts, or else why it does not, with the file that is wrong.

    It counts with the series that it was written with; older records do not name theirs.
    """
    try:
        record = json.loads((folder / CELL).read_text())
    except OSError as fault:
        return {}, f"{shown(folder / CELL)}: {fault.strerror}"
    except ValueError:
        record = None
    if not isinstance(record, dict):
        return {}, f"{shown(folder / CELL)}: no JSON object"
    for file, known in record.get("series", {}).items():
        path = folder / file
        if not path.exists():
            return {}, f"{shown(path)}: not there, but {CELL} was written with it"
        if md5_of(path) != known["md5"]:
            return {}, f"{shown(path)}: not the one that {CELL} was written with"
    return record, ""


def shown(path: Path) -> str:
    """A file of a cell by the cell's name."""
    return "/".join(path.parts[-6:])


def series_of(folder: Path) -> dict[str, dict[str, str]]:
    """The part `series` of a record: the checksum of each series in the folder."""
    there = [folder / name for name in SERIES if (folder / name).exists()]
    return {path.name: {"md5": md5_of(path)} for path in there}


def md5_of(path: Path) -> str:
    """A checksum that R has, too (tools::md5sum); it finds damage, not malice."""
    return hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()


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
    if (out / CELL).exists():
        aside = place_aside(out)
        aside.parent.mkdir(parents=True, exist_ok=True)
        out.rename(aside)
    elif out.exists():
        shutil.rmtree(out)
    partial.rename(out)


def place_aside(out: Path) -> Path:
    """Where a cell goes that is measured again: by the time when it was recorded."""
    recorded = datetime.fromtimestamp((out / CELL).stat().st_mtime, UTC)
    stamp = recorded.strftime("%Y%m%dT%H%M%SZ")
    return out.parents[4].with_name("replaced") / Path(*out.parts[-5:]) / stamp


def write(record: dict[str, Any], folder: Path) -> None:
    """cell.json, whole or not at all."""
    new = folder / f"{CELL}.new"
    new.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n")
    new.replace(folder / CELL)


def validate(record: dict[str, Any]) -> None:
    """Raises jsonschema.ValidationError for a record that is not what the analysis expects."""
    validator().validate(record)


@functools.cache
def validator() -> jsonschema.Draft202012Validator:
    """The validator of cell.json; checking the schema for each cell takes ten times as long."""
    return jsonschema.Draft202012Validator(exact(yaml.load(SCHEMA.read_text(), Loader)))


def exact(schema: Any) -> Any:
    """With what is required, and nothing else allowed, where the head of the schema says so."""
    if isinstance(schema, list):
        return [exact(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: exact(value) for key, value in schema.items() if key != "optional"}
    if "object" in schema.get("type", ()) and "properties" in schema and "required" not in schema:
        names = [name for name in schema["properties"] if name not in schema.get("optional", ())]
        found |= {"required": names, "additionalProperties": False}
    return found
