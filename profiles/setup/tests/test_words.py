"""The check of words finds each one that words.tsv rules out, and nothing else."""

import pytest

from profiles.setup.words import HERE, found

ROWS = [row.split("\t") for row in (HERE / "words.tsv").read_text().splitlines()]
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
    "a.R": "#' {}",
    "Makefile": "# ---- {} ----",
    "A.java": "/** {}",
    "a.c": " * {}",
    "a.lua": "-- {}",
    "a.qmd": "## {}",
    "a.yml": "key: {{title: {}}}",
    "a.json": '{{"title": "{}"}}',
}


@pytest.mark.parametrize("kind", ["wrong", "folder", "place", "beginning"])
def test_each_word_fails_wherever_it_stands(tmp_path, kind):
    words = [WRITTEN.get(kind, str)(word) for one, word in WORDS if one == kind]
    for name, comment in COMMENTS.items():
        path = tmp_path / "workloads" / name
        path.parent.mkdir(exist_ok=True)
        texts = [comment.format(f"{word} it is") for word in words]
        path.write_text("first\n" + "\n".join(texts) + "\n")
    lines = list(found(tmp_path))
    for name in COMMENTS:
        of_file = [line for line in lines if line.startswith(f"workloads/{name}:")]
        for number, word in enumerate(words, 2):
            assert any(f":{number}: {word}; instead: " in line for line in of_file), (name, word)


def test_a_phrase_is_found_across_lines_and_in_capitals(tmp_path):
    phrase = next(word for kind, word in WORDS if kind == "wrong" and word.count(" ") > 1)
    first, rest = phrase.upper().split(" ", 1)
    (tmp_path / "A.java").write_text(f"/**\n * The {first}\n * {rest}.\n */\n")
    assert next(found(tmp_path)).startswith(f"A.java:2: {first} ")


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
    assert list(found(tmp_path)) == []
