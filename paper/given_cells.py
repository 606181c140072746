"""Cells that are given by a path: a folder, or an archive (tar), of this or an older commit.

Nothing is written there. An archive is refused as a whole if a member of it is a link, or would be
written outside the folder that it is unpacked in.
"""

import csv
import hashlib
import json
import lzma
import re
import tarfile
import zlib
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from workloads.record.cell_folder import record_in

LISTS = ("modes.csv", "grid.csv")
# The cells of a shipped run, next to its tables.
SHIPPED = "cells.tar.xz"
CELLS = "*/*/*/*/rep-*/cell.json"
# A cell's name within an archive.
A_CELL = re.compile(r"([^/]+/){4}rep-[0-9]+/cell\.json$")
ENDING = re.compile(r"\.(tar(\.\w+)?|t[gx]z)$")
BROKEN = (OSError, EOFError, tarfile.TarError, lzma.LZMAError, zlib.error)
Row = dict[str, str]


class Fault(Exception):
    """Says what is wrong, and where."""


def name_of(path: Path) -> str:
    """The name of the folder that is written for these cells."""
    return re.sub(r"[^A-Za-z0-9_.-]", "-", ENDING.sub("", path.resolve().name))


def of_run(runs: Path, name: str) -> Path:
    """The cells of a shipped run, whole by the digest in its run.json. Raises Fault."""
    shipped = sorted(path.parent.name for path in runs.glob(f"*/{SHIPPED}"))
    allowed = f"allowed: {', '.join(shipped)}"
    if not (runs / name / "run.json").exists():
        raise Fault(f"run = {name}: no such run; {allowed}")
    facts = json.loads((runs / name / "run.json").read_text(encoding="utf-8"))
    archive, digest = runs / name / SHIPPED, facts.get("cells_sha256")
    if not archive.exists():
        place = facts.get("cells_url")
        if place:
            allowed = f"get {place} (SHA-256 {digest}), then --config cells=PATH"
        raise Fault(f"run = {name}: its cells are not shipped; {allowed}")
    if hashlib.sha256(archive.read_bytes()).hexdigest() != digest:
        raise Fault(f"run = {name}: {archive} is not the one of run.json (cells_sha256)")
    return archive


def check(path: Path) -> None:
    """Raises Fault for a path that is absent, is no archive, has no cells, or is not safe."""
    if not path.exists():
        raise Fault(f"cells = {path}: no such file or folder")
    if path.is_dir():
        cells_in(path)
        return
    try:
        found = members(path)
    except BROKEN as broken:
        raise Fault(
            f"cells = {path}: not a folder or a whole .tar.gz or .tar.xz archive ({broken})"
        ) from None
    for name, is_plain in found:
        place = PurePosixPath(name)
        if not is_plain or place.is_absolute() or ".." in place.parts:
            raise Fault(f"cells = {path}: {name} is a link, or leads out of the archive")
    if not any(A_CELL.search(name) for name, _ in found):
        raise Fault(f"cells = {path}: no cell in it, as cells/{CELLS}")


def members(archive: Path) -> list[tuple[str, bool]]:
    """Names of all members, each with whether it is a file or a folder."""
    with tarfile.open(archive) as tar:
        return [(each.name, each.isreg() or each.isdir()) for each in tar]


def unpack(archive: Path, folder: Path) -> None:
    """Unpacks an archive that check() has passed."""
    with tarfile.open(archive) as tar:
        # Debian 12's Python has no filters; check() has refused what they would.
        filters = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        tar.extractall(folder, **filters)  # type: ignore[arg-type]


def cells_in(folder: Path) -> Path:
    """The folder of the studies: below this one, this one itself, or below one folder in it."""
    for places in ([folder / "cells"], [folder], folder.glob("*/cells")):
        found = [place for place in places if any(place.glob(CELLS))]
        if len(found) > 1:
            raise Fault(f"cells = {folder}: {len(found)} runs, as {found[0]}; name one of them")
        if found:
            return found[0]
    raise Fault(f"cells = {folder}: no cell in it, as cells/{CELLS}")


def write_lists(cells: Path, paths: Iterable[Path], experiment: Path, out: Path) -> list[Row]:
    """Writes modes.csv and grid.csv: those next to the cells, and what they lack; returns the grid.

    Without them they are those of today's config.yaml, in `experiment`. A mode that is not listed
    is a family of its own.
    """
    modes, grid = (
        rows_like(experiment / name, cells.with_name(name)) or table(experiment / name)
        for name in LISTS
    )
    for path in sorted(paths):
        study, mode, tier, tool = path.parent.parts[-5:-1]
        place = {"study": study, "mode": mode, "tier": tier, "tool": tool}
        if place not in grid:
            grid.append(place)
        if not any((row["study"], row["mode"]) == (study, mode) for row in modes):
            modes.append(dict.fromkeys(modes[0], "") | facts_of(path))
    write_table(modes, out / LISTS[0])
    write_table(grid, out / LISTS[1])
    return grid


def rows_like(example: Path, path: Path) -> list[Row]:
    """Rows of a table with the columns of another, which an older one may lack."""
    columns = table(example)[0]
    return [{column: row.get(column) or "" for column in columns} for row in table(path)]


def facts_of(path: Path) -> Row:
    """Facts on a mode, as its cell.json has them."""
    study, mode = path.parent.parts[-5:-3]
    record = record_in(path.parent)
    kind = record.get("configuration", {}).get("mode", {}).get("kind", "")
    baseline = record.get("labels", {}).get("mode", {}).get("baseline") or ""
    a_a = {"variant": "A/A", "of": baseline} if mode.endswith("-a-a") and baseline else {}
    return {"study": study, "mode": mode, "family": mode, "kind": kind} | a_a


def table(path: Path) -> list[Row]:
    """The rows of a table; none where there is no such file."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write_table(rows: list[Row], path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
