"""Latencies of slices: percentiles of one, and the histogram or the samples of several together.

Percentiles are nearest-rank, as in HdrHistogram: the smallest latency that so many are not above.
A failed request counts as slower than all others, or a server that drops its slowest would look
fast. Where more failed than the percentile leaves out, it is that of the answers, a lower bound.
"""

from __future__ import annotations

import csv
import gzip
import math
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

POINTS = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99_9": 0.999}
SAMPLES, SERIES = "samples.csv.gz", "series.csv"
# The files of a tool in a slice's folder, the primary latency first.
HISTOGRAMS = ("latency-corrected.hgrm", "latency-uncorrected.hgrm", "latency.hgrm", "wait.hgrm")
STEP = re.compile(r"^\s*([\d.]+)\s+[01]\.\d+\s+(\d+)", re.MULTILINE)
FOOTER = r"#\[.*\b{name}\s*=\s*([\d.]+)"

Steps = Counter[float]


def latencies_ms(folder: Path, load: dict[str, Any]) -> dict[str, float | None]:
    """latency_p50_ms … of a slice; None where nothing was answered.

    Closed loop with samples: of right answers. Open loop: counted from when a request was due.
    """
    steps = steps_of(folder)
    failed, quick = load["requests_recorded"] - steps.total(), 0
    if not (folder / SAMPLES).exists():
        # A histogram holds answers that are no 2xx as well; which they are is unknown. They are
        # taken for the fastest, which errs to the slow side.
        quick = sum(count for kind, count in load["errors"].items() if kind.startswith("http_"))
        failed = load["requests_recorded"] - load["responses_2xx"]
    return {
        f"latency_{name}_ms": percentile(steps, share, failed, quick)
        for name, share in POINTS.items()
    }


def steps_of(folder: Path) -> Steps:
    """How often each latency (ms) was seen in a slice."""
    if (folder / SAMPLES).exists():
        return Counter(
            float(row["elapsed"])
            for row in samples_of(folder)
            if row["success"] == "true" and row["responseCode"].startswith("2")
        )
    found = next((folder / name for name in HISTOGRAMS if (folder / name).exists()), None)
    return read_hgrm(found.read_text()) if found else Counter()


def samples_of(folder: Path) -> list[dict[str, str]]:
    with gzip.open(folder / SAMPLES, "rt", newline="") as file:
        return list(csv.DictReader(file))


def percentile(steps: Steps, share: float, failed: int = 0, quick: int = 0) -> float | None:
    """`failed` requests are slower than all steps, but for `quick` ones among these."""
    # The error of a binary fraction must not raise the rank, as in percentiles.R.
    right, seen = steps.total() - quick, 0
    rank = quick + math.ceil((share - 1e-9) * (right + failed))
    if rank > steps.total():
        rank = math.ceil((share - 1e-9) * steps.total())
    for value_ms in sorted(steps):
        seen += steps[value_ms]
        if seen >= rank:
            return value_ms
    return None


def read_hgrm(text: str) -> Steps:
    """Counts by value; a step holds what lies between it and the one before."""
    steps: Steps = Counter()
    before = 0
    for value_ms, below in STEP.findall(text):
        steps[float(value_ms)] += int(below) - before
        before = int(below)
    return +steps


def footer(text: str, name: str) -> float:
    found = re.search(FOOTER.format(name=name), text)
    return float(found[1]) if found else 0.0


def pool_histograms(folders: Iterable[Path], out: Path) -> None:
    """Writes each histogram of the slices as one of all of them."""
    folders = list(folders)
    for name in HISTOGRAMS:
        texts = [(folder / name).read_text() for folder in folders if (folder / name).exists()]
        if not texts:
            continue
        steps: Steps = sum((read_hgrm(text) for text in texts), Counter())
        # Mean and maximum are exact in the footers, and only there.
        sums = [footer(text, "Mean") * footer(text, "Total count") for text in texts]
        most_ms = max(footer(text, "Max") for text in texts)
        (out / name).write_text(hgrm(steps, math.fsum(sums), most_ms))


def hgrm(steps: Steps, sum_ms: float, max_ms: float) -> str:
    """The histogram in HdrHistogram's percentile format, in ms."""
    count = steps.total()
    mean_ms = sum_ms / count if count else 0.0
    variance = sum(n * (value - mean_ms) ** 2 for value, n in steps.items()) / max(1, count)
    lines, below = ["       Value     Percentile TotalCount 1/(1-Percentile)", ""], 0
    for value in sorted(steps):
        below += steps[value]
        left = 1 - below / count
        inverse = f"{1 / left:14.2f}" if left > 0 else "           inf"
        lines.append(f"{value:12.3f} {below / count:2.12f} {below:10d} {inverse}")
    return "\n".join(
        [
            *lines,
            f"#[Mean    = {mean_ms:12.3f}, StdDeviation   = {math.sqrt(variance):12.3f}]",
            f"#[Max     = {max_ms:12.3f}, Total count    = {count:12d}]",
            f"#[Buckets = {len(steps):12d}, SubBuckets     = {1:12d}]\n",
        ]
    )
