"""From cells' recordings to collapsed stacks and flame graphs of their profiled slices.

    python -m profiles.convert LIST < names of cells' folders

Stacks count samples of CPU time, or bytes that were allocated. A cell that has them already is left
as it is. LIST names the cells that have them at the end.

Samples before and after the slice's window are cut off here. A JVM's recording is
async-profiler's (JFR), that of any other program is perf's.
Source: async-profiler's jfrconv, options --from and --to (epoch ms), --norm (names of lambdas),
--alloc with --total (bytes).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from profiles.convert import perf_stacks

JFRCONV = Path(__file__).with_name("jfrconv.sh")
# By what they count: the stacks and the flame graph, which is written last.
FILES = {
    "cpu": ("profile.collapsed", "flamegraph.html"),
    "allocation": ("allocation.collapsed", "allocation.html"),
}


def convert_cell(folder: Path) -> None:
    """Stacks and flame graphs of a cell, each unless it is there."""
    configuration = json.loads((folder / "cell.json").read_text())["configuration"]
    for what, (collapsed, graph) in FILES.items():
        wanted = what == "cpu" or "allocation_kib" in configuration["testbed"]["profiler"]
        if wanted and not (folder / graph).exists():
            convert(what, folder / "cell.json", folder / collapsed, folder / graph)


def convert(what: str, cell_json: Path, collapsed: Path, flamegraph: Path) -> None:
    """Writes both files; empty ones for a cell that ran without the profiler."""
    cell = json.loads(cell_json.read_text())
    collapsed.write_text("")
    flamegraph.write_text("")
    if not cell["profile"]["file"]:
        return
    recording = cell_json.with_name(cell["profile"]["file"])
    if cell["profile"]["engine"] == "perf":
        from_perf(cell, recording, collapsed)
    elif not from_jfr(cell, recording, collapsed, kind_of(what, cell)):
        return
    subprocess.run([JFRCONV, "--title", title(cell), collapsed, flamegraph], check=True)


def kind_of(what: str, cell: dict[str, Any]) -> list[str]:
    """jfrconv's options for what is to be seen."""
    if what == "allocation":
        return ["--alloc", "--total"]
    return ["--wall" if cell["profile"]["event"] == "wall" else "--cpu"]


def from_perf(cell: dict[str, Any], recording: Path, collapsed: Path) -> None:
    start_s, end_s = (cell["profile"][edge] for edge in ("start_epoch_s", "end_epoch_s"))
    # A user-supplied server's processes alone were recorded.
    programs = () if "command" in cell["configuration"]["mode"] else perf_stacks.DATABASES
    collapsed.write_text(perf_stacks.collapsed(recording, start_s, end_s, programs))


def from_jfr(cell: dict[str, Any], recording: Path, collapsed: Path, kind: list[str]) -> bool:
    """Whether it could be read: a server that had to be killed has not ended its recording."""
    profile = cell["profile"]
    start_ms, end_ms = (str(int(profile[edge] * 1000)) for edge in ("start_epoch_s", "end_epoch_s"))
    window = ["--from", start_ms, "--to", end_ms]
    command: list[str | Path] = [JFRCONV, *kind, "--norm", *window, "-o", "collapsed"]
    done = subprocess.run([*command, recording, collapsed], check=False)
    if done.returncode and cell["outcome"] == "completed":
        raise subprocess.CalledProcessError(done.returncode, done.args)
    if done.returncode:
        collapsed.write_text("")
    return not done.returncode


def title(cell: dict[str, Any]) -> str:
    return " · ".join(str(part) for part in cell["cell"].values())


def main() -> None:
    folders = [Path(line) for line in sys.stdin.read().split()]
    # One more CPU saves little: jfrconv lives for half a second.
    with ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        list(pool.map(convert_cell, folders))
    Path(sys.argv[1]).write_text("".join(f"{folder}\n" for folder in folders))


if __name__ == "__main__":
    main()
