"""Each shipped run is of one piece, and README and pictures are of the run that config.yaml names.

Values are compared, never wording: each line's with those of the line made again from the tables.
"""

import csv
import json
import math
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterable
from html import unescape
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
NAMED = yaml.safe_load((ROOT / "config.yaml").read_text())["reference"]
NAMES = sorted(path.parent.name for path in (ROOT / "analysis/runs").glob("*/run.json"))
READMES = ("README.md", "analysis/README.md")
PICTURES = ("findings-light.svg", "findings-dark.svg")
README_BYTES_AT_MOST = 9000
VALUE = re.compile(r"`[0-9a-f]{7}`|\d[\d,]*(?:\.\d+)?")
BLOCK = re.compile(r"<!-- readme:begin (\w+) .*?-->\n(.*?)<!-- readme:end \1 -->", re.DOTALL)
WRITE_ALL = """
source("paper/load.R"); load_paper("paper", "analysis")
given <- commandArgs(trailingOnly = TRUE)
for (root in given[-1]) write_readme(root, given[1])
"""


# ---- Within a run


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


def run_faults(root: Path, name: str) -> list[str]:
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
    counts = {"loads": len(loads), "curves": len(curves), "sessions": sessions}
    for report in sorted((root / "paper/runs" / name).glob("report.*")):
        sentences = sentences_of(report)
        # How to cite a finding names the machine, too.
        told = [machine["cpu_model"] in each and "cells" in each for each in sentences]
        place = told.index(True) if True in told else 0
        faults += [f"{report.name}: {fault}" for fault in count_faults(sentences[place], counts)]
        after = " ".join(sentences[place : place + 2])
        named = "".join(re.findall(r"[Cc]ommits?\b([^.]*)", after))
        commits = set(re.findall(r"\b([0-9a-f]{7})[0-9a-f]*\b", named))
        if commits != {commit[:7] for commit in known}:
            faults.append(f"{report.name}: commits {commits}, not {facts['commit'][:7]}")
    return faults


def centred(row: dict[str, str]) -> bool:
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


def sentences_of(report: Path) -> list[str]:
    """A report's sentences, of a PDF those of its first page."""
    if report.suffix == ".html":
        body = re.sub(r"<(style|script)\b.*?</\1>", "", report.read_text(), flags=re.DOTALL)
        text = unescape(re.sub(r"<[^>]*>", "", body))
    else:
        argv = ["pdftotext", "-l", "1", str(report), "-"]
        text = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    return re.split(r"\.\s", " ".join(text.split()))


def count_faults(sentence: str, counts: dict[str, int]) -> list[str]:
    """Counts in the sentence on the run, up to its colon, that are not of the run."""
    stated = {
        int(value.replace(",", "")) for value in re.findall(r"\d[\d,]*", sentence.split(":")[0])
    }
    total = counts["loads"] + counts["curves"]
    needed = {counts["sessions"], total if total in stated else counts["loads"]}
    if needed <= stated <= {*counts.values(), total}:
        return []
    return [f"{sorted(stated)}, not {counts}"]


# ---- The README


def blocks_of(root: Path) -> dict[str, str]:
    return {
        name: text for file in READMES for name, text in BLOCK.findall((root / file).read_text())
    }


def values_of(lines: Iterable[str]) -> list[Counter[str]]:
    """The values of each line that has some."""
    found = (VALUE.findall(line.replace("−", "-")) for line in lines)
    return [Counter(value.rstrip(",") for value in values) for values in found if values]


def texts_of(picture: Path) -> list[str]:
    """A picture's texts, but for the axes, whose breaks are the plotting library's."""
    texts = re.findall(r"<text[^>]*>(.*?)</text>", picture.read_text())
    return [unescape(text) for text in texts if re.search(r"[^\d.,\s]", text)]


def value_faults(what: str, lines: Iterable[str], again: Iterable[str]) -> list[str]:
    here, there = values_of(lines), values_of(again)
    if len(here) != len(there):
        return [f"{what}: {len(here)} lines with values, not {len(there)}"]
    return [
        f"{what}: {sorted(one - other)}"
        for one, other in zip(here, there, strict=True)
        if one - other
    ]


def example_faults(root: Path) -> list[str]:
    """Faults of what the README's first command prints: its shipped ratio is not the run's."""
    row = of_first_check(rows_of(root / "analysis/runs" / NAMED / "comparisons.csv"))
    estimate, low, high = (f"{float(row[name]):.3g}" for name in ("estimate", "low", "high"))
    shipped = f"times the shipped {estimate} [{low}, {high}]"
    return [] if shipped in (root / "README.md").read_text() else [f"example: not {shipped}"]


def readme_faults(root: Path, again: Path) -> list[str]:
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


def copy_of_checkout(root: Path, source: Path = ROOT) -> Path:
    """Copies README and pictures, and what they are made of."""
    for folder in ("analysis/runs", "paper/runs"):
        shutil.copytree(source / folder, root / folder, ignore=shutil.ignore_patterns("cells.*"))
    for file in (*READMES, "analysis/guide.yaml", "paper/findings.qmd"):
        shutil.copy(source / file, root / file)
    return root


def replace_in(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text, old
    path.write_text(text.replace(old, new, 1))


def tables_of_another_run(root: Path) -> None:
    """Commit 6fafee6 had this: the tables are those of a run of fewer cells, on another day."""
    folder = root / "analysis/runs" / NAMED
    for name in ("summary.csv", "comparisons.csv"):
        lines = (folder / name).read_text().splitlines(keepends=True)
        (folder / name).write_text("".join(lines[:-3]))
    facts = json.loads((folder / "run.json").read_text())
    facts |= {"ended": "2026-01-01T00:00:00", "cells": facts["cells"] - 3}
    (folder / "run.json").write_text(json.dumps(facts))


def edited_finding(root: Path) -> None:
    text = (root / "README.md").read_text()
    ratio = re.search(r"\d[\d.]* × \[", text)
    assert ratio
    replace_in(root / "README.md", ratio[0], "7.7 × [")


def edited_alt(root: Path) -> None:
    text = (root / "README.md").read_text()
    value = re.search(r'alt="[^"]*?(\d[\d,.]*/s)', text)
    assert value
    replace_in(root / "README.md", f" {value[1]}", " 77/s")


def edited_example(root: Path) -> None:
    replace_in(root / "README.md", "times the shipped ", "times the shipped 7")


def edited_commit(root: Path) -> None:
    path = root / "analysis/runs" / NAMED / "run.json"
    facts = json.loads(path.read_text())
    path.write_text(json.dumps(facts | {"commit": "0" * 40}))


def edited_picture(root: Path) -> None:
    path = root / "paper/runs" / NAMED / PICTURES[0]
    value = next(text for text in texts_of(path) if text.endswith("/s"))
    replace_in(path, f">{value}<", ">77/s<")


def edited_comparison(
    row_of: Callable[[list[dict[str, str]]], dict[str, str]],
) -> Callable[[Path], None]:
    def edit(root: Path) -> None:
        path = root / "analysis/runs" / NAMED / "comparisons.csv"
        rows = rows_of(path)
        row = row_of(rows)
        row["estimate"] = str(1.3 * float(row["estimate"]))
        with path.open("w") as file:
            writer = csv.DictWriter(file, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)

    return edit


def of_first_check(rows: list[dict[str, str]]) -> dict[str, str]:
    """The comparison that decides the README's first finding."""
    found = re.search(r"\|([^|/]+)/([^|/]+)/([^|/]+)/([^|/]+) \|", blocks_of(ROOT)["checks"])
    assert found
    keys = dict(zip(("study", "mode", "tier", "tool"), found.groups(), strict=True))
    keys["statistic"] = "throughput_per_s"
    return next(row for row in rows if keys.items() <= row.items())


def far_from_readme(rows: list[dict[str, str]]) -> dict[str, str]:
    """A comparison that no block shows."""
    return next(row for row in rows if row["statistic"] == "rss_mib" and row["low"])


FALSIFIED: dict[str, Callable[[Path], None]] = {
    "tables of another run": tables_of_another_run,
    "edited finding": edited_finding,
    "edited alt": edited_alt,
    "edited example": edited_example,
    "edited commit": edited_commit,
    "edited picture": edited_picture,
    "edited comparison of a finding": edited_comparison(of_first_check),
    "edited comparison": edited_comparison(far_from_readme),
}


# Where README and pictures must be written again, from these tables.
OTHER_TABLES = {
    "tables of another run",
    "edited commit",
    "edited comparison of a finding",
}


def other_wording(root: Path) -> None:
    """The same values in other words, of which some are in another order."""
    path = root / "README.md"
    text = path.read_text()
    first = re.search(r"(?m)^- `[a-z-]+`: .*$", text)
    assert first
    words = first[0].split(" ")
    path.write_text(text.replace(first[0], " ".join([*words[9:], "or so", *words[:9]])))


@pytest.fixture(scope="module")
def faults(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The faults of the checkout and of each falsified copy of it."""
    changes = {"as it is": lambda root: None, "other wording": other_wording} | FALSIFIED
    folder = tmp_path_factory.mktemp("checkouts")
    for name, change in changes.items():
        change(copy_of_checkout(folder / name))
        if name in ("as it is", *OTHER_TABLES):
            copy_of_checkout(folder / f"{name} again", folder / name)
    again = {
        name: folder / f"{name if name in OTHER_TABLES else 'as it is'} again" for name in changes
    }
    argv = ["Rscript", "-e", WRITE_ALL, NAMED, *map(str, {*again.values()})]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    # Only the named run is falsified.
    of_others = [fault for run in NAMES if run != NAMED for fault in run_faults(ROOT, run)]
    return {
        name: readme_faults(folder / name, again[name])
        + run_faults(folder / name, NAMED)
        + of_others
        for name in changes
    }


@pytest.mark.parametrize("name", ["as it is", "other wording"])
def test_runs_readme_and_pictures_agree(faults: dict[str, list[str]], name: str) -> None:
    assert faults[name] == []


def test_citation_is_of_the_release_and_of_the_run() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert str(citation["date-released"]) == NAMED[:10]
    released = f"## {citation['version']} ({citation['date-released']})"
    assert released in (ROOT / "CHANGELOG.md").read_text()


def test_archive_of_a_release_says_what_the_citation_does() -> None:
    """Zenodo reads its own file and not the citation."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert json.loads((ROOT / ".zenodo.json").read_text()) == {
        "upload_type": citation["type"],
        "title": citation["title"],
        "description": citation["abstract"].strip(),
        "creators": citation["authors"],
        "license": citation["license"],
        "keywords": citation["keywords"],
    }


def test_readme_is_read_in_minutes() -> None:
    assert (ROOT / "README.md").stat().st_size <= README_BYTES_AT_MOST


@pytest.mark.parametrize("name", FALSIFIED)
def test_what_is_of_another_run_is_found(faults: dict[str, list[str]], name: str) -> None:
    assert faults[name] != [] and faults["as it is"] == []


@pytest.mark.parametrize(
    ("commit", "expected"),
    [
        ("Commit of the cells: `0123456789ab`.", []),
        ("Commit of the cells: `fedcba987654`.", ["report.html: commits {'fedcba9'}, not 0123456"]),
        ("Commit not recorded.", ["report.html: commits set(), not 0123456"]),
    ],
)
def test_report_prints_the_commit_of_its_tables(
    tmp_path: Path, commit: str, expected: list[str]
) -> None:
    folder, paper = (
        tmp_path / "analysis/runs/2026-12-01-cpu",
        tmp_path / "paper/runs/2026-12-01-cpu",
    )
    shutil.copytree(ROOT / "analysis/runs" / NAMED, folder)
    paper.mkdir(parents=True)
    facts = json.loads((folder / "run.json").read_text())
    curves = len(rows_of(folder / "capacity.csv"))
    facts |= {"beside": {"cells": 0, "session_s": {}}}
    loads = rows_of(folder / "summary.csv")
    sessions = len({row["session"] for row in loads + rows_of(folder / "capacity.csv")})
    facts |= {"cells": len(loads) + curves, "sessions": sessions}
    counts = f"{len(loads)} cells and {curves} curves from {sessions} sessions"
    told = f"It rests on {counts}: on {facts['machine']['cpu_model']} with 2 CPUs. {commit}"
    (paper / "report.html").write_text(f"<p>{told}</p>")
    facts |= {"commit": "0123456789ab", "ended": "2026-12-01T00:00:00"}
    (folder / "run.json").write_text(json.dumps(facts))
    faults = [fault for fault in run_faults(tmp_path, folder.name) if "report" in fault]
    assert faults == expected
