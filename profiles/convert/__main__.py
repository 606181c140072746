"""From cells' recordings to collapsed stacks, flame graphs and events of their profiled slices.

    python -m profiles.convert LIST < names of cells' folders

Stacks count samples of CPU time, or bytes that were allocated. A cell that has them already is left
as it is, and files are empty where nothing was recorded. A recording that cannot be read leaves
empty files and the reason in profile-fault.txt. LIST names the cells at the end.

Samples before and after the slice's window are cut off here. A JVM's recording is
async-profiler's (JFR), that of a database is perf's.
Source: async-profiler's jfrconv, options --from and --to (epoch ms), --norm (names of lambdas),
--alloc with --total (bytes), --inverted (first frames at the top).
"""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from profiles.convert import perf_stacks

JFRCONV = Path(__file__).with_name("jfrconv.sh")
EVENTS = Path(__file__).with_name("Events.java")
# Recordings that the session leaves, and the tables made of them.
EVENTS_RECORDING, EVENTS_TABLE = "events.jfr", "events.csv"
FAULT = "profile-fault.txt"
# By what they count: the stacks and the flame graph, which is written last.
FILES = {
    "cpu": ("profile.collapsed", "flamegraph.html"),
    "allocation": ("allocation.collapsed", "allocation.html"),
}
# jfrconv's options for each.
KINDS = {"cpu": ["--cpu"], "allocation": ["--alloc", "--total"]}


def convert_or_say_why(folder: Path) -> None:
    """Converts a cell's recordings; one that cannot be read costs no other cell its profile."""
    try:
        convert_cell(folder)
    except (subprocess.CalledProcessError, OSError, ValueError) as fault:
        for name in (name for names in FILES.values() for name in names):
            if not (folder / name).exists():
                (folder / name).write_text("")
        print(f"{folder}: {fault}", file=sys.stderr)
        (folder / FAULT).write_text(f"the profile cannot be read: {fault}\n")


def convert_cell(folder: Path) -> None:
    """Stacks, flame graphs and events of a cell, each unless it is there."""
    for what, (collapsed, graph) in FILES.items():
        if not (folder / graph).exists():
            convert(what, folder / "cell.json", folder / collapsed, folder / graph)
    if (folder / EVENTS_RECORDING).exists() and not (folder / EVENTS_TABLE).exists():
        count_events(folder)


def count_events(folder: Path) -> None:
    window = window_ms(json.loads((folder / "cell.json").read_text())["profile"])
    java = Path(os.environ.get("JAVA_HOME", "")) / "bin/java"
    argv = [java if java.exists() else "java", EVENTS, folder / EVENTS_RECORDING, *window]
    done = subprocess.run(argv, check=True, capture_output=True, text=True)
    (folder / EVENTS_TABLE).write_text(done.stdout)


def window_ms(profile: dict[str, Any]) -> list[str]:
    return [str(int(profile[edge] * 1000)) for edge in ("start_epoch_s", "end_epoch_s")]


def convert(what: str, cell_json: Path, collapsed: Path, flamegraph: Path) -> None:
    """Writes both files; empty ones for a cell that has no such profile."""
    cell = json.loads(cell_json.read_text())
    collapsed.write_text("")
    flamegraph.write_text("")
    if not cell["profile"]["file"] or what not in cell["configuration"].get("profile", []):
        return
    recording = cell_json.with_name(cell["profile"]["file"])
    if cell["profile"]["engine"] == "perf":
        window_s = (cell["profile"][edge] for edge in ("start_epoch_s", "end_epoch_s"))
        collapsed.write_text(perf_stacks.collapsed(recording, *window_s))
    elif not from_jfr(cell, recording, collapsed, KINDS[what]):
        return
    # The first frames are at the top, where the page opens.
    subprocess.run(
        [JFRCONV, "--inverted", "--title", title(cell), collapsed, flamegraph], check=True
    )


def from_jfr(cell: dict[str, Any], recording: Path, collapsed: Path, kind: list[str]) -> bool:
    """Whether it could be read: a server that had to be killed has not ended its recording."""
    start_ms, end_ms = window_ms(cell["profile"])
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
        list(pool.map(convert_or_say_why, folders))
    Path(sys.argv[1]).write_text("".join(f"{folder}\n" for folder in folders))


if __name__ == "__main__":
    main()
