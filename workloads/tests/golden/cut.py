"""Cut golden cells from a smoke run's results, small enough to keep.

    make smoke
    python -m workloads.tests.golden.cut results/smoke

They are one archive, cells.tar.xz, with the same bytes for the same cells. Tests unpack it.
Golden cells are real: tests of all stages read them, changed by edits. No test depends on their
numbers, so they can be cut again from any smoke run whose cells all ended as CELLS says.
"""

from __future__ import annotations

import itertools
import json
import re
import shutil
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

ARCHIVE = Path(__file__).with_name("cells.tar.xz")
# Each study and tool, A/A, modes as published, a user-supplied server, requests that are refused.
CELLS = """
request-threads  smoke-burst      wrk2             thread-per-request virtual-thread-per-request
request-threads  smoke-burst      wrk2             fixed-pool event-loop user-asyncio
request-threads  smoke-burst      wrk2             thread-per-request-a-a fixed-pool-as-published
request-threads  smoke-burst      jmeter           thread-per-request fixed-pool
request-threads  smoke-waiting    jmeter           thread-per-request fixed-pool
request-threads  smoke-sweep      sweep            thread-per-request fixed-pool
blocking-remote  smoke-remote     jmeter           pool-200-blocking pool-1-blocking
blocking-remote  smoke-rate       wrk2             pool-200-blocking
virtual-threads  smoke-sleep      jmeter           platform-50 virtual virtual-semaphore-50
virtual-threads  smoke-query      jmeter           platform-hikari-10 virtual-hikari-10
virtual-threads  smoke-lock       jmeter           virtual-lock-21 virtual-synchronized-21
sign-up          smoke-sign-up    wrk2             tomcat-200 virtual
sign-up          smoke-source     wrk2             tomcat-200-as-published
sign-up          smoke-overload   overload         pool-200-512m virtual-512m
stacks           smoke-order      wrk2             mvc-tomcat-virtual webflux
database-pools   smoke-read-only  sysbench         thread-per-connection connect-per-transaction
database-pools   smoke-jvm        database-client  jvm-connect-per-transaction hikari-10
database-pools   smoke-grid       database-client  both-pools
"""
TABLES = (
    "slices.csv",
    "combinations.csv",
    "thread-states.csv",
    "events.csv",
    "samples.csv.gz",
    "latencies.csv.gz",
    "overloads.csv",
    "seconds.csv",
    "heap.csv",
)
HISTOGRAMS = ("latency-corrected.hgrm", "latency-uncorrected.hgrm", "latency.hgrm")
STACKS = ("profile.collapsed", "allocation.collapsed")
OF_RUN = ("modes.csv", "primitives/thread-memory.csv")
STEPS, STACK_BYTES = 30, 5000
# Replaced: facts of the machine, which differ between runs and change no test.
MACHINE = {"id": "0123456789ab", "cpu_model": "A CPU", "kernel": "6.1", "memory_bytes": 8 * 2**30}
COMMIT = "0123456789abcdef0123456789abcdef01234567"


def names() -> list[str]:
    """Paths of the cells below results/cells."""
    rows = [line.split() for line in CELLS.strip().splitlines()]
    return [
        f"{study}/{mode}/{tier}/{tool}/rep-1"
        for study, tier, tool, *modes in rows
        for mode in modes
    ]


def cut_record(record: dict[str, Any]) -> dict[str, Any]:
    """Shorten class paths, and replace facts and paths of the machine."""
    provenance = record["provenance"]
    provenance["machine"] |= MACHINE
    provenance["commit"] = COMMIT
    for name in ("server_argv", "generator_argv"):
        provenance[name] = [cut_word(word) for word in provenance[name]]
    return record


def cut_word(word: str) -> str:
    option, *path = word.split("=/", 1)
    if path:
        return f"{option}=…"
    first, *more = word.split(":")
    is_class_path = bool(more) and first.endswith(".jar")
    return f"{first}:…" if is_class_path else Path(word).name if word.startswith("/usr") else word


def cut_histogram(text: str) -> str:
    """Keep some of the steps; they are cumulative, so that each stays true, and the last is all."""
    lines = text.splitlines()
    steps = [line for line in lines if line[:1] != "#" and line.strip()[:1].isdigit()]
    kept = {*steps[:: -(len(steps) // STEPS + 1)]}
    return "\n".join(line for line in lines if line in kept or line not in steps) + "\n"


def cut_stacks(text: str) -> str:
    """Keep the stacks with most samples that have room, in their order; of files the names."""
    names = re.sub(r"(^|;)/[^; ]*/", r"\1", text, flags=re.MULTILINE)
    stacks, kept, size = names.splitlines(), set[str](), 0
    for stack in sorted(stacks, key=lambda stack: -int(stack.rsplit(" ", 1)[1])):
        if size + len(stack) <= STACK_BYTES:
            kept.add(stack)
            size += len(stack)
    return "".join(f"{stack}\n" for stack in stacks if stack in kept)


def cut_cell(source: Path, target: Path) -> None:
    target.mkdir(parents=True)
    record = cut_record(json.loads((source / "cell.json").read_text()))
    (target / "cell.json").write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n")
    for name in TABLES:
        if (source / name).exists():
            shutil.copyfile(source / name, target / name)
    for name, cut in itertools.chain(
        ((name, cut_histogram) for name in HISTOGRAMS), ((name, cut_stacks) for name in STACKS)
    ):
        if (source / name).exists():
            (target / name).write_text(cut((source / name).read_text()))


def main(results: Path) -> None:
    missing = [name for name in names() if not (results / "cells" / name / "cell.json").exists()]
    if missing:
        sys.exit(f"{results}: no cell {', '.join(missing)}")
    with tempfile.TemporaryDirectory() as folder:
        golden = Path(folder) / "results"
        for name in names():
            cut_cell(results / "cells" / name, golden / "cells" / name)
        for name in OF_RUN:
            target = golden / name
            target.parent.mkdir(exist_ok=True)
            shutil.copyfile(results / name, target)
        pack(golden)


def pack(golden: Path) -> None:
    """Archive the folder, which is called results."""
    with tarfile.open(ARCHIVE, "w:xz", preset=9) as archive:
        for path in sorted(golden.rglob("*")):
            if path.is_file():
                archive.add(path, str(path.relative_to(golden.parent)), filter=anonymous)


def anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Without owner and time."""
    member.uid = member.gid = 0
    # 1 January 2026: a zip archive knows no time before 1980.
    member.mtime = 1767225600
    member.uname = member.gname = ""
    member.mode = 0o644
    return member


if __name__ == "__main__":
    main(Path(sys.argv[1]))
