"""Latencies of slices: percentiles of one, and those of several together.

Percentiles are nearest-rank, as in HdrHistogram: the smallest latency that so many are not above.
A failed request counts as slower than all others, or a server that drops its slowest would look
fast. A percentile that failed requests reach is infinite: no time was long enough.
"""

from __future__ import annotations

import csv
import gzip
import math
import re
from collections import Counter
from pathlib import Path
from typing import Any

POINTS = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99_9": 0.999}
# Requests beyond a percentile of a cell: a p99 has 1,000 requests at least.
BEYOND_AT_LEAST = 10
SAMPLES, SERIES = "samples.csv.gz", "series.csv"
# The files of a tool in a slice's folder, the primary latency first.
HISTOGRAMS = ("latency-corrected.hgrm", "latency-uncorrected.hgrm", "latency.hgrm")
# Latency of requests that a mix adds, which is never a part of the primary one.
MIXED_IN = "latency-mixed-in.hgrm"
# The primary latency without what the generator itself was late: the lower end of an interval.
WITHOUT_LAG = "latency-without-lag.hgrm"
STEP = re.compile(r"^\s*([\d.]+)\s+[01]\.\d+\s+(\d+)", re.MULTILINE)
FOOTER = r"#\[.*\b{name}\s*=\s*([\d.]+)"

Steps = Counter[float]


def latencies_ms(folder: Path, load: dict[str, Any]) -> dict[str, float | None]:
    """latency_p50_ms … of a slice; infinite where failures reach them, None without a request.

    Closed loop with samples: of right answers. Open loop: counted from when a request was due.
    """
    steps = steps_of(folder)
    failures = failures_of(steps, load, (folder / SAMPLES).exists())
    return {
        f"latency_{name}_ms": percentile(steps, share, *failures) for name, share in POINTS.items()
    }


def p99_without_lag_ms(folder: Path, load: dict[str, Any]) -> float | None:
    """The lower end of a slice's p99, as latency_p99_ms is the upper; None if it is not known."""
    steps = merged(texts_of([folder], WITHOUT_LAG))
    return percentile(steps, POINTS["p99"], *failures_of(steps, load, False)) if steps else None


def failures_of(steps: Steps, load: dict[str, Any], sampled: bool) -> tuple[int, int]:
    """How many requests failed, and how many of them are among the steps."""
    if sampled:
        return load["requests_recorded"] - steps.total(), 0
    # A histogram holds answers that are no 2xx as well; which they are is unknown. They are
    # taken for the fastest, which errs to the slow side. So does a failed request of a mix, which
    # counts as one of the primary path.
    quick = sum(count for kind, count in load["errors"].items() if kind.startswith("http_"))
    return load["requests_recorded"] - load["responses_2xx"], quick


def latency_of(folders: list[Path], load: dict[str, Any]) -> dict[str, Any] | None:
    """`load.latency` of a cell, of its slices together: cell.schema.yaml has the parts.

    None where no slice has recorded a latency.
    """
    if any((folder / SAMPLES).exists() for folder in folders):
        return latency_of_samples([rows_in(folder / SAMPLES) for folder in folders], load)
    corrected, uncorrected, closed = HISTOGRAMS
    name = corrected if any((folder / corrected).exists() for folder in folders) else closed
    texts = {each: texts_of(folders, each) for each in (name, uncorrected, MIXED_IN, WITHOUT_LAG)}
    if not texts[name]:
        return None
    steps = {each: merged(found) for each, found in texts.items()}
    failures = failures_of(steps[name], load, False)

    def part(name: str, failures: tuple[int, int] = (0, 0)) -> dict[str, float | None] | None:
        found = texts[name]
        return described(steps[name], failures, exact_of(found)) if found else None

    more = {"without_lag": part(WITHOUT_LAG, failures), "mixed_in": part(MIXED_IN)}
    return {
        "count": steps[name].total() + steps[MIXED_IN].total(),
        "lasted_s": load["duration_s"],
        "right": part(name, failures),
        "all": part(name) if name == closed else None,
        "uncorrected": part(uncorrected),
    } | {key: found for key, found in more.items() if found}


def latency_of_samples(slices: list[list[dict[str, str]]], load: dict[str, Any]) -> dict[str, Any]:
    rows = [row for samples in slices for row in samples]
    right = Counter(float(row["elapsed"]) for row in rows if is_right(row))
    ends = [[(int(row["timeStamp"]), int(row["elapsed"])) for row in samples] for samples in slices]
    lasted_ms = [max(map(sum, times)) - min(times)[0] for times in ends if times]
    return {
        "count": len(rows),
        "lasted_s": sum(lasted_ms) / 1000,
        "right": described(right, failures_of(right, load, True)),
        "all": described(Counter(float(row["elapsed"]) for row in rows)),
        "uncorrected": None,
    }


def described(
    steps: Steps, failures: tuple[int, int] = (0, 0), exact: tuple[float, float] | None = None
) -> dict[str, float | None] | None:
    """Mean, standard deviation, ends and percentiles; `exact` are mean and maximum, if known.

    A percentile is None where failures reach it, or too few requests lie beyond it.
    """
    count = steps.total()
    if not count:
        return None
    sum_ms = math.fsum(value * n for value, n in steps.items())
    mean_ms, max_ms = exact or (sum_ms / count, max(steps))
    variance = math.fsum(n * (value - mean_ms) ** 2 for value, n in steps.items()) / count
    points = POINTS | {"p95": 0.95}
    return {
        "mean_ms": mean_ms,
        "sd_ms": math.sqrt(variance),
        "min_ms": min(steps),
        "max_ms": max_ms,
        **{f"{name}_ms": known(steps, share, *failures) for name, share in points.items()},
    }


def known(steps: Steps, share: float, failed: int, quick: int) -> float | None:
    requests = steps.total() - quick + failed
    if (1 - share) * requests < BEYOND_AT_LEAST - 1e-6:
        return None
    found = percentile(steps, share, failed, quick)
    return None if found == math.inf else found


def texts_of(folders: list[Path], name: str) -> list[str]:
    return [(folder / name).read_text() for folder in folders if (folder / name).exists()]


def merged(texts: list[str]) -> Steps:
    return sum((read_hgrm(text) for text in texts), Counter())


def exact_of(texts: list[str]) -> tuple[float, float]:
    """Mean and maximum, which are exact in the footers, and only there."""
    count = sum(footer(text, "Total count") for text in texts)
    sums = math.fsum(footer(text, "Mean") * footer(text, "Total count") for text in texts)
    return sums / count if count else 0.0, max(footer(text, "Max") for text in texts)


def steps_of(folder: Path) -> Steps:
    """How often each primary latency (ms) was seen in a slice."""
    if (folder / SAMPLES).exists():
        rows = rows_in(folder / SAMPLES)
        return Counter(float(row["elapsed"]) for row in rows if is_right(row))
    found = next((folder / name for name in HISTOGRAMS if (folder / name).exists()), None)
    return read_hgrm(found.read_text()) if found else Counter()


def is_right(sample: dict[str, str]) -> bool:
    return sample["success"] == "true" and sample["responseCode"].startswith("2")


def rows_in(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file, compressed where its name says so."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", newline="") as file:
        return list(csv.DictReader(file))


def percentile(steps: Steps, share: float, failed: int = 0, quick: int = 0) -> float | None:
    """`failed` requests are slower than all steps, but for `quick` ones among these.

    Infinite where they reach it; None without a request.
    """
    # The error of a binary fraction must not raise the rank.
    right, seen = steps.total() - quick, 0
    rank = quick + math.ceil((share - 1e-9) * (right + failed))
    if rank > steps.total():
        return math.inf
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


def hgrm(steps: Steps, sum_ms: float, max_ms: float) -> str:
    """The histogram in HdrHistogram's percentile format, in ms, with all that is read of it."""
    count = steps.total()
    lines, below = ["       Value     Percentile TotalCount", ""], 0
    for value in sorted(steps):
        below += steps[value]
        lines.append(f"{value:12.3f} {below / count:2.12f} {below:10d}")
    lines.append(f"#[Mean    = {sum_ms / count if count else 0.0:12.3f}]")
    return "\n".join([*lines, f"#[Max     = {max_ms:12.3f}, Total count    = {count:12d}]\n"])
