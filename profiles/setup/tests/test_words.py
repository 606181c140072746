"""The check of words finds each one that words.tsv rules out, and nothing else."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "words.py"
ROWS = [row.split("\t") for row in SCRIPT.with_name("words.tsv").read_text().splitlines()]
WORDS = [
    (kind, word)
    for kind, words, _ in (row for row in ROWS if len(row) == 3)
    for word in words.split(", ")
]
# Words as they stand in a text, by kind.
WRITTEN = {"folder": "/{}/".format, "place": lambda word: word.replace(" ", ".")}
# How a comment begins, by language.
COMMENTS = {
    "a.py": '    """{}',
    "b.py": "x = 1  # {}",
    "a.R": "#' {}",
    "b.R": "# ---- {} ----",
    "A.java": "/** {}",
    "a.c": " * {}",
    "a.lua": "-- {}",
    "a.qmd": "## {}",
    "a.smk": "# {}",
    "a.yaml": "key: 1 # {}",
    "a.yml": "key: {{title: {}}}",
    "a.json": '{{"title": "{}"}}',
    "Makefile": "# {}",
}


def checked(folder):
    """The exit status, and the lines printed."""
    argv = [sys.executable, SCRIPT, folder]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


@pytest.mark.parametrize("kind", ["wrong", "folder", "place", "beginning"])
def test_each_word_fails_wherever_it_stands(tmp_path, kind):
    words = [WRITTEN.get(kind, str)(word) for one, word in WORDS if one == kind]
    for name, comment in COMMENTS.items():
        path = tmp_path / "workloads" / name
        path.parent.mkdir(exist_ok=True)
        lines = [comment.format(f"{word} it is") for word in words]
        path.write_text("first\n" + "\n".join(lines) + "\n")
    status, found = checked(tmp_path)
    assert status == 1
    for name in COMMENTS:
        of_file = [line for line in found if line.startswith(f"workloads/{name}:")]
        for number, word in enumerate(words, 2):
            assert any(f":{number}: {word}; instead: " in line for line in of_file), (name, word)


def test_a_phrase_is_found_across_lines_and_in_capitals(tmp_path):
    phrase = next(word for kind, word in WORDS if kind == "wrong" and word.count(" ") > 1)
    first, rest = phrase.upper().split(" ", 1)
    (tmp_path / "A.java").write_text(f"/**\n * The {first}\n * {rest}.\n */\n")
    status, found = checked(tmp_path)
    assert status == 1
    assert found[0].startswith(f"A.java:2: {first} ")


def test_right_words_pass(tmp_path):
    wrong = next(word for kind, word in WORDS if kind == "wrong")
    for part in ("results", "paper/runs", ".tools", "servers/sockets/target"):
        (tmp_path / part).mkdir(parents=True)
        (tmp_path / part / "a.md").write_text(wrong)
    (tmp_path / "a.png").write_bytes(b"\xff")
    name = f"to{wrong}_{wrong}ing"
    (tmp_path / "a.py").write_text(f"{name} = 1  # whether it is what as of\n")
    right = f"see https://localhost/home, sys/a{WRITTEN['folder']('root')}b, an index url"
    (tmp_path / "a.md").write_text(f"Asked of it: {right}.\n")
    assert checked(tmp_path) == (0, [])
