"""Each shipped run is of one piece, and README and pictures are of the run that config.yaml names.

Values are compared, never wording: each line's with those of the line made again from the tables.
"""

import json
import math
import re
import shutil
import subprocess
from collections import Counter
from html import unescape
from pathlib import Path

import pytest
import yaml

from paper.tests.page import spaced
from paper.tests.report_checks import rows_of

ROOT = Path(__file__).resolve().parents[2]
NAMED = yaml.safe_load((ROOT / "config.yaml").read_text())["reference"]
NAMES = sorted(path.parent.name for path in (ROOT / "analysis/runs").glob("*/run.json"))
READMES = ("README.md", "analysis/README.md")
PICTURES = ("findings-light.svg", "findings-dark.svg")
README_BYTES_AT_MOST = 9000
VALUE = re.compile(r"`[0-9a-f]{7}`|\d[\d,]*(?:\.\d+)?")
BLOCK = re.compile(r"<!-- readme:begin (\w+) .*?-->\n(.*?)<!-- readme:end \1 -->", re.DOTALL)
WRITE = """
source("paper/load.R"); load_paper("paper", "analysis")
given <- commandArgs(trailingOnly = TRUE)
write_readme(given[1], given[2])
"""


# ---- Within a run


def run_faults(root, name):
    """Faults of a run's folders: what is not of that run."""
    folder = root / "analysis/runs" / name
    facts = json.loads((folder / "run.json").read_text())
    loads, curves, comparisons = (
        rows_of(folder / f"{table}.csv") for table in ("summary", "capacity", "comparisons")
    )
    machine = facts["machine"]
    # Cells beside the default run have a commit of their own.
    beside = {"cells": 0, "session_s": {}} | facts.get("beside", {})
    sessions = facts["sessions"] + len(beside["session_s"] or {})
    known = {facts["commit"], beside.get("commit", facts["commit"])}
    same = {
        "date": (name[:10], facts["ended"][:10]),
        "cells": (facts["cells"] + beside["cells"], len(loads) + len(curves)),
        "sessions": (sessions, len({row["session"] for row in loads + curves})),
        "machine": ({machine["id"]}, {row["machine"] for row in loads}),
        "rules": (
            {str(facts["rules"]["comparisons"])},
            {row["rules_version"] for row in comparisons},
        ),
        "commit": (known, {row.get("commit", facts["commit"]) for row in loads}),
    }
    faults = [f"{what}: {one} and {other}" for what, (one, other) in same.items() if one != other]
    faults += [
        f"not centred: {row['mode']}/{row['tier']}" for row in comparisons if not centred(row)
    ]
    said = [
        f"rests on {len(loads):,} cells and {len(curves)} load curves from {sessions} sessions: ",
        machine["cpu_model"],
        *(commit[:12] for commit in known),
    ]
    for report in sorted((root / "paper/runs" / name).glob("*.pdf")):
        text = text_of(report)
        faults += [f"{report.name}: not {words}" for words in said if words not in text]
    return faults


def centred(row):
    """Whether the estimate is the middle of its interval.

    Ends of shares are binomial, and a late generator moves one end of a latency: these hold it.
    """
    one_sided = row["statistic"].startswith("latency_") and row["tool"] in {"wrk2", "overload"}
    try:
        ends = [float(row[key]) for key in ("estimate", "low", "high")]
    except ValueError:
        return True
    if row["effect"] == "ratio":
        ends = [math.log(end) if end > 0 else -math.inf for end in ends]
    middle, low, high = ends
    if not all(map(math.isfinite, ends)):
        return True
    if row["statistic"] == "error_share" or one_sided:
        return low <= middle <= high
    return abs(low + high - 2 * middle) <= 1e-4 + 1e-5 * (high - low)


def text_of(report):
    """The words of the first page of a PDF."""
    argv = ["pdftotext", "-l", "1", str(report), "-"]
    return spaced(subprocess.run(argv, capture_output=True, text=True, check=True).stdout)


# ---- The README


def blocks_of(root):
    return {
        name: text for file in READMES for name, text in BLOCK.findall((root / file).read_text())
    }


def values_of(lines):
    """The values of each line that has some."""
    found = (VALUE.findall(line.replace("−", "-")) for line in lines)
    return [Counter(value.rstrip(",") for value in values) for values in found if values]


def texts_of(picture):
    """A picture's texts, but for the axes, whose breaks are the plotting library's."""
    texts = re.findall(r"<text[^>]*>(.*?)</text>", picture.read_text())
    return [unescape(text) for text in texts if re.search(r"[^\d.,\s]", text)]


def value_faults(what, lines, again):
    here, there = values_of(lines), values_of(again)
    if len(here) != len(there):
        return [f"{what}: {len(here)} lines with values, not {len(there)}"]
    return [
        f"{what}: {sorted(one - other)}"
        for one, other in zip(here, there, strict=True)
        if one - other
    ]


def example_faults(root):
    """Faults of what the README's first command prints: its shipped ratio is not the run's."""
    row = of_first_check(rows_of(root / "analysis/runs" / NAMED / "comparisons.csv"))
    estimate, low, high = (f"{float(row[name]):.3g}" for name in ("estimate", "low", "high"))
    shipped = f"times the shipped {estimate} [{low}, {high}]"
    return [] if shipped in (root / "README.md").read_text() else [f"example: not {shipped}"]


def readme_faults(root, again):
    """Faults of README and pictures: what is not of the tables, from which `again` was written."""
    blocks, made = blocks_of(root), blocks_of(again)
    assert {*made} == {"picture", "findings", "run", "checks"} and all(
        map(values_of, map(str.splitlines, made.values()))
    )
    faults = [f"READMEs: blocks {sorted(blocks)}"] if blocks.keys() != made.keys() else []
    faults += example_faults(root)
    for name in made.keys() & blocks.keys():
        faults += value_faults(name, blocks[name].splitlines(), made[name].splitlines())
    for name in ("picture", "findings"):
        links = set(re.findall(r"paper/runs/([^/]+)/", blocks.get(name, "")))
        faults += [f"{name}: links to {sorted(links)}"] if links != {NAMED} else []
    for picture in PICTURES:
        path = Path("paper/runs") / NAMED / picture
        faults += value_faults(picture, texts_of(root / path), texts_of(again / path))
    return faults


# ---- The shipped run, and falsified ones

TABLES, REPORTS = f"analysis/runs/{NAMED}", f"paper/runs/{NAMED}"


def copy_of_checkout(root, *folders):
    """Copies README and pictures, and what they are made of."""
    for folder in (*folders, REPORTS):
        shutil.copytree(ROOT / folder, root / folder, ignore=shutil.ignore_patterns("cells.*"))
    for file in (*READMES, "analysis/guide.yaml", "paper/findings.qmd"):
        shutil.copy(ROOT / file, root / file)
    return root


def of_first_check(rows):
    """The comparison that decides the README's first finding."""
    found = re.search(r"\|([^|/]+)/([^|/]+)/([^|/]+)/([^|/]+) \|", blocks_of(ROOT)["checks"])
    keys = dict(zip(("study", "mode", "tier", "tool"), found.groups(), strict=True))
    keys["statistic"] = "throughput_per_s"
    return next(row for row in rows if keys.items() <= row.items())


@pytest.fixture(scope="module")
def again(tmp_path_factory):
    """README and pictures, written again from the tables."""
    root = copy_of_checkout(tmp_path_factory.mktemp("again"), "analysis/runs")
    argv = ["Rscript", "-e", WRITE, root, NAMED]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return root


def faults_with(file, old, new, root, again):
    """Faults of a copy of the run in which the first text of a pattern is replaced."""
    path = copy_of_checkout(root, TABLES) / file
    text, count = re.subn(old, new, path.read_text(), count=1)
    assert count == 1
    path.write_text(text)
    return readme_faults(root, again) + run_faults(root, NAMED)


def test_readme_and_pictures_agree_with_the_tables(again):
    assert readme_faults(ROOT, again) == []


@pytest.mark.parametrize("name", NAMES)
def test_a_run_is_of_one_piece(name):
    assert run_faults(ROOT, name) == []


# A file, what is replaced in it and by what, and the fault that is found.
FALSIFIED = {
    # Commit 6fafee6 had tables of a run of fewer cells, on another day.
    "fewer cells": (f"{TABLES}/summary.csv", r"(?m)^(.*\n){3}\Z", "", "cells: "),
    "another day": (f"{TABLES}/run.json", r'("ended": ")[0-9-]+', r"\g<1>2026-01-01", "date: "),
    "another commit": (f"{TABLES}/run.json", r'("commit": ")\w+', r"\g<1>0000000", "not 0000000"),
    "edited alt": ("README.md", r'(alt="[^"]*? )\d[\d,.]*/s', r"\g<1>77/s", "picture: "),
    "edited example": ("README.md", "times the shipped ", r"\g<0>7", "example: "),
    "edited picture": (f"{REPORTS}/{PICTURES[0]}", r">[^<>]*/s<", ">77/s<", f"{PICTURES[0]}: "),
    # No block shows this comparison.
    "edited comparison": (
        f"{TABLES}/comparisons.csv",
        r",rss_mib,MiB,lower,ratio,(?=[\d.]+,\d)",
        r"\g<0>7",
        "not centred: ",
    ),
}


@pytest.mark.parametrize(("file", "old", "new", "fault"), FALSIFIED.values(), ids=FALSIFIED)
def test_what_is_of_another_run_is_found(file, old, new, fault, tmp_path, again):
    assert fault in "\n".join(faults_with(file, old, new, tmp_path, again))


def test_citation_is_of_the_release_and_of_the_run():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert str(citation["date-released"]) == NAMED[:10]
    released = f"## {citation['version']} ({citation['date-released']})"
    assert released in (ROOT / "CHANGELOG.md").read_text()


def test_readme_is_read_in_minutes():
    assert (ROOT / "README.md").stat().st_size <= README_BYTES_AT_MOST
