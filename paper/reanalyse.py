"""Makes the tables and the report of cells that are there already. Nothing is measured.

    python -m paper.reanalyse --cells PATH --out FOLDER --experiment FOLDER --reference RUN

PATH is a folder or an archive of cells (see given_cells.py), and is only read. FOLDER gets what a
run leaves; cells of an archive are in it, too. It is replaced as a whole; where the new one fails,
the former stays. A folder that this script did not make is refused. Stacks and the memory of
threads may be absent.

With `--sessions "1 of 28"` it is the report of a run that goes on: the names of its cells come by
standard input, and a fault is a warning.
"""

import argparse
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from paper import given_cells
from paper.given_cells import CELLS, LISTS, Fault, Row, table
from profiles.watch.terminal import failure, say
from workloads.record.cell_folder import record_in

ANALYZE = ("Rscript", "analysis/analyze.R")
STACKS = {"cpu": "profile.collapsed", "allocation": "allocation.collapsed"}
MEMORY = "primitives/thread-memory.csv"
# Names the folders that this script may remove.
MARK = "reanalysed.txt"
UNPACKED, SUMMARY = "unpacked", "summary"
STEP_LIMIT_S = 900


@dataclass
class Request:
    """The cells to analyze, and the place of the result.

    `experiment`: a folder with modes.csv and grid.csv of today's config.yaml; `reference`: the
    shipped run to compare with; `names`: paths of the cells, where they are not all in `cells`.
    """

    cells: Path
    out: Path
    experiment: Path
    reference: str
    names: list[str] | None = None


def reanalyse(request: Request) -> None:
    """Replaces the folder `out`. Raises Fault."""
    given, out = request.cells, request.out
    given_cells.check(given)
    if given.resolve().is_relative_to(out.resolve()):
        raise Fault(f"cells = {given}: this folder is written here; name what it was made of")
    former = out.with_name(f"{out.name}.former")
    for folder in (out, former):
        if folder.exists() and not (folder / MARK).is_file():
            raise Fault(f"{folder} was not made by this command; move it, or set results")
    shutil.rmtree(former, ignore_errors=True)
    if out.exists():
        out.rename(former)
    try:
        write(request)
    except BaseException:
        if former.exists():
            shutil.rmtree(out, ignore_errors=True)
            former.rename(out)
        raise
    shutil.rmtree(former, ignore_errors=True)


def write(request: Request) -> None:
    """Writes the folder `out`, which is not there."""
    out = request.out
    for folder in ("logs", "primitives"):
        (out / folder).mkdir(parents=True)
    (out / MARK).write_text(f"{request.cells.resolve()}\n")
    cells = linked_cells(request.cells, out)
    found = map(Path, request.names) if request.names is not None else cells.glob(CELLS)
    paths = [out / "cells" / Path(*each.parts[-6:]) for each in found if each.exists()]
    paths = in_order(paths, given_cells.write_lists(cells, paths, request.experiment, out))
    for name in LISTS:
        if not cells.with_name(name).exists():
            say(f"{name} is not with the cells: it is made of them and of config.yaml")
    if (cells.parent / MEMORY).exists():
        shutil.copy(cells.parent / MEMORY, out / MEMORY)
    results = f"results={out}"
    run("analyze", [*ANALYZE, "analyze", results], out, paths)
    converter = "converter=profiles/convert/jfrconv.sh"
    run("profiles", [*ANALYZE, "profiles", results, converter], out, stacks_of(paths))
    words = ["--results", f"{out}", "--reference", request.reference]
    words += ["--out-html", f"{out}/report.html", "--out-pdf", f"{out}/report.pdf"]
    run("render_report", [sys.executable, "-m", "paper.render", *words], out)
    if request.names is None:
        run(SUMMARY, ["Rscript", "paper/publish.R", "summary", results], out)
    without_link(out)


def linked_cells(given: Path, out: Path) -> Path:
    """The folder of the cells, which `out` then has a link to; an archive is unpacked in `out`."""
    source = given.resolve()
    if given.is_file():
        source = out.resolve() / UNPACKED
        given_cells.unpack(given, source)
    cells = given_cells.cells_in(source)
    (out / "cells").symlink_to(cells)
    return cells


def without_link(out: Path) -> None:
    """Puts the cells of an archive in place of the link: an archive of these results has none."""
    link = out / "cells"
    cells = link.resolve()
    link.unlink()
    if cells.is_relative_to(out.resolve()):
        cells.rename(link)
        shutil.rmtree(out / UNPACKED, ignore_errors=True)


def in_order(paths: list[Path], grid: list[Row]) -> list[Path]:
    """The cells in the order of the experiment, which is that of the tables' rows."""
    rank = {tuple(row.values()): number for number, row in enumerate(grid)}
    repetition = {path: int(path.parent.name.removeprefix("rep-")) for path in paths}
    return sorted(paths, key=lambda path: (rank[path.parent.parts[-5:-1]], repetition[path]))


def stacks_of(paths: list[Path]) -> list[Path]:
    """The stacks of the cells that were to be profiled, where they are there."""
    kinds = {path: record_in(path.parent).get("configuration", {}).get("profile") for path in paths}
    return [
        path.with_name(name)
        for kind, name in STACKS.items()
        for path in paths
        if kind in (kinds[path] or []) and path.with_name(name).exists()
    ]


def run(name: str, words: list[str], out: Path, names: Iterable[str | Path] = ()) -> None:
    """Runs one step, with a log. Raises Fault with its end when it fails, or does not end."""
    log = out / "logs" / f"{name}.log"
    text = "".join(f"{each}\n" for each in names)
    with log.open("w") as file:
        try:
            done = subprocess.run(
                words, input=text, stdout=file, stderr=file, text=True, timeout=STEP_LIMIT_S
            )
        except subprocess.TimeoutExpired:
            raise Fault(f"{name} had not ended after {STEP_LIMIT_S} s") from None
    if done.returncode:
        raise Fault("\n".join(failure(name, [log])))


def report_so_far(request: Request, sessions: str) -> None:
    """Says where the report of a run that goes on is, and what failed. Raises nothing."""
    try:
        reanalyse(request)
        say(f"{sessions} sessions are analyzed; the report so far: {request.out}/report.html")
        problems = table(request.out / "problems.csv")
    except Exception as fault:
        say(f"WARNING: {sessions} sessions could not be analyzed; measuring goes on: {fault}")
        return
    if problems:
        say(f"WARNING: {len(problems)} problems, in {request.out}/problems.csv")


def main() -> None:
    """Command line; exit status 1 and the reason on stderr when it fails."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--cells", type=Path, required=True, help="a folder or an archive")
    parser.add_argument("--out", type=Path, required=True, help="the folder that is written")
    parser.add_argument("--experiment", type=Path, required=True, help="has modes.csv, grid.csv")
    parser.add_argument("--reference", required=True, help="the shipped run to compare with")
    parser.add_argument("--sessions", help="of a run that goes on: how many were measured")
    words = vars(parser.parse_args())
    if sessions := words.pop("sessions"):
        report_so_far(Request(**words, names=sys.stdin.read().splitlines()), sessions)
        return
    request = Request(**words)
    try:
        reanalyse(request)
    except Fault as fault:
        sys.exit(str(fault))
    print((request.out / "logs" / f"{SUMMARY}.log").read_text(), end="")


if __name__ == "__main__":
    main()
