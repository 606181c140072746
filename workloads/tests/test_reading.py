"""Configurations as people type them: right, or refused in words that say what to write."""

from pathlib import Path

import pytest

from workloads.experiment.configuration import ConfigurationError
from workloads.experiment.grid import Grid
from workloads.experiment.reading import configuration

ROOT = Path(__file__).resolve().parents[2]
SMALL = Path(__file__).with_name("grid.yaml")
COMMAND = "studies: {web: {comparisons: {threads: {modes: {mine: {command: [x, %s]}}}}}}"


@pytest.fixture
def mine(tmp_path):
    """Read a configuration with a file of this text over it."""

    def read(text):
        file = tmp_path / "mine.yaml"
        file.write_text(text)
        return configuration([SMALL, file])

    return read


@pytest.mark.parametrize(
    ("word", "key", "value"),
    [
        ("repetitions=4", "repetitions", 4),
        ("extras=[heaps, a-a]", "extras", ["heaps", "a-a"]),
        ("results=./results/mine/", "results", "results/mine"),
        (f"results={ROOT}/results/mine", "results", "results/mine"),
        ("results=/data/a=b", "results", "/data/a=b"),
        ("name=2026-11-30", "name", "2026-11-30"),
    ],
)
def test_word_of_the_command_line_is_yaml(word, key, value):
    assert configuration([SMALL], [word])[key] == value


def test_words_within_braces_change_what_they_name_alone():
    words = ["slices={rounds: 4}", "testbed={server_cpus: [0], generator_cpus: [1]}"]
    config, ours = configuration([SMALL], words), configuration([SMALL])
    assert config["slices"] == ours["slices"] | {"rounds": 4}
    assert config["testbed"]["server_cpus"] == [0]
    assert config["testbed"]["load_limit_s"] == ours["testbed"]["load_limit_s"]
    assert list(config) == list(ours)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (COMMAND % "--port={port}", r'mine.yaml, line 1: .*: "--port={port}"'),
        (COMMAND % "{{port}}", "mine.yaml, line 1: found unhashable key"),
        (COMMAND % "{port}", r'command.1 = {"port": null}; allowed: a word; one that is {port}'),
        (COMMAND % '"{port}", 8080', "command.2 = 8080; allowed: .*; in quotes it is a text"),
        ("seed: 1\nseed: 2\n", "mine.yaml, line 2: the key seed is there twice"),
        ("seed: 1\nrepetitions: 010\n", "mine.yaml, line 2: 010 is 8 in YAML; allowed: a decimal"),
        ("words", "mine.yaml: 'words'; allowed: keys with their values"),
    ],
)
def test_file_that_cannot_be_meant_is_refused(mine, text, expected):
    with pytest.raises(ConfigurationError, match=expected):
        Grid(mine(text))


def test_file_in_another_charset_is_named(tmp_path):
    (tmp_path / "latin.yaml").write_bytes(b"studies: {x: {title: caf\xe9}}")
    with pytest.raises(ConfigurationError, match="latin.yaml: .*; allowed: a text in UTF-8"):
        configuration([SMALL, tmp_path / "latin.yaml"])


def test_anchor_brings_no_second_key(mine):
    found = mine("wrk2: &a {warm_up_s: 3}\nx: &b {y: 1}\nsweep: {<<: *a, <<: *b, warm_up_s: 4}\n")
    assert (found["sweep"]["warm_up_s"], found["sweep"]["y"]) == (4, 1)
