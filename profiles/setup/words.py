#!/usr/bin/env python3
"""Finds words and places that words.tsv rules out, and comments that begin without their subject.

    python3 profiles/setup/words.py [checkout]      (make test)

Prints `file:line: word; instead: …`, and exits with status 1 when anything is found.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
NAMES = re.compile(
    "Makefile|Snakefile|run|.*[.](R|c|cff|css|csv|h|html|in|java|json|lua|md|properties|py|qmd|scss"
    "|sh|smk|sql|toml|typ|xml|ya?ml)"
)
FOLDERS = (".ci", ".github", "analysis", "paper", "profiles", "servers", "workloads")
# Built, measured or published.
SKIPPED = ("__pycache__", "build", "golden", "published", "runs", "target")
# A comment, docstring or title in all these languages; `# ---- ` heads a part of a file.
MARK = r"""(?:^|[\s{])(?:#+'?|//+|/?\*+|--+|<!--|\"{3}|"?title"?: "?)\s*(?:-{2,}\s+)?"""
# Marks between two words of a place.
MARKS = r"[^\w\s]+(?: [^\w\s]+)?"


def patterns(table: Path) -> Iterator[tuple[re.Pattern[str], str]]:
    """The pattern of each row, and what should stand instead."""
    for row in table.read_text(encoding="utf-8").splitlines():
        if row.startswith("#"):
            continue
        kind, words, instead = row.split("\t")
        any_word = "|".join(re.escape(word) for word in words.split(", "))
        if kind == "beginning":
            yield re.compile(rf"{MARK}({any_word})\b", re.MULTILINE), instead
        elif kind == "folder":
            yield re.compile(rf"(?<![\w.])(/(?:{any_word})/)"), instead
        elif kind == "place":
            any_word = any_word.replace(r"\ ", MARKS)
            yield re.compile(rf"(?<![\w.])({any_word})"), instead
        else:
            # A phrase may go on in the next line of a comment.
            any_word = any_word.replace(r"\ ", r"[\s#*/'|-]+")
            yield re.compile(rf"\b({any_word})\b", re.IGNORECASE), instead


def texts(root: Path) -> Iterator[Path]:
    """The files of a checkout that people read."""
    below = (path for folder in FOLDERS for path in (root / folder).rglob("*"))
    for path in sorted([*root.iterdir(), *below]):
        inside = path.relative_to(root).parts
        if NAMES.fullmatch(path.name) and path.is_file() and not {*SKIPPED} & {*inside}:
            yield path


def found(root: Path) -> Iterator[str]:
    """A line of the report for each hit."""
    wanted = list(patterns(HERE / "words.tsv"))
    for path in texts(root):
        text = path.read_text(encoding="utf-8")
        for pattern, instead in wanted:
            for hit in pattern.finditer(text):
                line = text.count("\n", 0, hit.start(1)) + 1
                word = " ".join(hit[1].split())
                yield f"{path.relative_to(root)}:{line}: {word}; instead: {instead}"


def main() -> int:
    lines = list(found(Path(*sys.argv[1:]) if sys.argv[1:] else HERE.parents[1]))
    print(*lines, sep="\n", end="\n" if lines else "")
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main())
