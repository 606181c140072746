"""From a perf recording to collapsed stacks of the load alone.

Source: perf-script(1). Frames are written as async-profiler's: kernel frames end in _[k].
"""

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

FIELDS = "comm,time,ip,sym,dso"
HEADER = re.compile(r"^(.*\S)\s+([\d.]+):\s*$")
# All that runs on the server's CPUs may be in a recording.
DATABASES = ("mariadbd", "postgres")
FRAME = re.compile(r"^\s+[0-9a-f]+ (.*) \((.*)\)$")
OFFSET = re.compile(r"\+0x[0-9a-f]+$")


def collapsed(
    recording: Path, start_s: float, end_s: float, programs: Iterable[str] = DATABASES
) -> str:
    """A line for each stack of these programs, root first, with its samples between epoch times."""
    only = ("--comms", ",".join(programs))
    printed = subprocess.run(
        ["perf", "script", "--fields", FIELDS, "--ns", *only, "--input", str(recording)],
        capture_output=True,
        text=True,
        errors="replace",
    )
    # Stopped before perf wrote a header, as on a busy machine: no sample, and no end of the run.
    if printed.returncode != 0:
        print(f"{recording}: no stacks: {printed.stderr.strip()[-200:]}", file=sys.stderr)
        return ""
    # The last sample has no empty line after it.
    seen = samples([*printed.stdout.splitlines(), ""])
    counts = Counter(";".join(frames) for time_s, frames in seen if start_s <= time_s < end_s)
    return "".join(f"{stack} {count}\n" for stack, count in sorted(counts.items()))


def samples(lines: Iterable[str]) -> Iterator[tuple[float, list[str]]]:
    """Epoch seconds and frames of each sample that perf script prints.

    A sample is a line with program and time, its frames from leaf to root, and an empty line. The
    program stands first in what is yielded, then the frames from root to leaf.
    """
    frames: list[str] = []
    for line in lines:
        if header := HEADER.match(line):
            program, time_s = header[1], float(header[2])
        elif frame := FRAME.match(line):
            frames.append(name_of(frame[1], frame[2]))
        elif not line.strip() and frames:
            yield time_s, [program, *reversed(frames)]
            frames = []


def name_of(symbol: str, file: str) -> str:
    """Without what would break the format; a stack's frames are split by semicolons."""
    name = OFFSET.sub("", symbol).replace(";", ":").replace(" ", "_")
    return f"{name}_[k]" if "kernel" in file else name
