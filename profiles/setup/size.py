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


def main() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], capture_output=True, text=True, check=True)
    text: Counter[str] = Counter()
    tests: Counter[str] = Counter()
    for name in filter(None, listed.stdout.split("\0")):
        area = name.partition("/")[0] if "/" in name else "(top)"
        if NO_TEXT.search(name) or not Path(name).is_file():
            continue
        if TEST.search(name):
            tests[area] += Path(name).stat().st_size
        elif not PINNED.search(name):
            text[area] += Path(name).stat().st_size
    print(f"{'area':12} {'text':>7} {'tests':>7}  kB")
    for area in sorted(text | tests):
        print(f"{area:12} {text[area] / 1000:7.1f} {tests[area] / 1000:7.1f}")
    print(f"{'all':12} {text.total() / 1000:7.1f} {tests.total() / 1000:7.1f}")


if __name__ == "__main__":
    main()
