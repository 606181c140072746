#!/usr/bin/env python3
"""Prints how large the hand-written text of each folder is, in kB: without tests, and tests.

    python3 profiles/setup/size.py      (make check)

Tables, pictures, pages, archives, shipped runs, golden cells and pinned versions count for nothing.
"""

import re
import subprocess
from collections import Counter
from pathlib import Path

NO_TEXT = re.compile(r"\.(csv|gz|html|pdf|png|svg|xz)$|^(analysis|paper)/runs/|golden")
PINNED = re.compile(r"requirements.*\.txt$|sha256|pom\.xml$|jdk-\d+\.txt$|debian-packages")
TEST = re.compile(r"(^|/)(tests|testthat)/|(^|/)test_|src/test")


def listed() -> list[str]:
    done = subprocess.run(["git", "ls-files", "-z"], capture_output=True, text=True, check=True)
    return done.stdout.split("\0")


def main() -> None:
    text: Counter[str] = Counter()
    tests: Counter[str] = Counter()
    for path in (Path(name) for name in listed() if name and not NO_TEXT.search(name)):
        area = path.parts[0] if len(path.parts) > 1 else "(top)"
        if path.is_file() and not PINNED.search(str(path)):
            (tests if TEST.search(str(path)) else text)[area] += path.stat().st_size
    print(f"{'area':12} {'text':>7} {'tests':>7}  kB")
    for area in [*sorted(text | tests), "all"]:
        row = [of.total() if area == "all" else of[area] for of in (text, tests)]
        print(f"{area:12} {row[0] / 1000:7.1f} {row[1] / 1000:7.1f}")


if __name__ == "__main__":
    main()
