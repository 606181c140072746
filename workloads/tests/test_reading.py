"""Configurations as people type them: right, or refused in words that say what to write."""

from pathlib import Path

import pytest
import yaml

from workloads.experiment.configuration import ConfigurationError
from workloads.experiment.grid import Cell, Grid
from workloads.experiment.reading import configuration

ROOT = Path(__file__).resolve().parents[2]
OURS = ROOT / "config.yaml"
FILES = [OURS, *ROOT.glob("workloads/*.yaml"), *ROOT.glob("workloads/examples/*/config.yaml")]
# Read in a moment, as config.yaml is not.
SMALL = Path(__file__).with_name("grid.yaml")
THREADS = "studies: {web: {comparisons: {threads: {modes: {%s}}}}}"
TIERS = "studies: {web: {tiers: {%s}, comparisons: {threads: {tiers: [%s]}}}}"
LOAD = "path: /plain, wrk2: {rate_per_s: 499, connections: 9}"


@pytest.fixture
def mine(tmp_path):
    """Read a configuration with a file of this text over it."""

    def read(text):
        file = tmp_path / "mine.yaml"
        file.write_text(text)
        return configuration([SMALL, file])

    return read


def refusal(config):
    with pytest.raises(ConfigurationError) as caught:
        Grid(config)
    return str(caught.value)


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_our_own_files_are_read_as_yaml_reads_them(file):
    assert configuration([file]) == yaml.safe_load(file.read_text())


@pytest.mark.parametrize(
    ("word", "key", "value"),
    [
        ("repetitions=4", "repetitions", 4),
        ("thread_memory=False", "thread_memory", False),
        ("extras=heaps", "extras", "heaps"),
        ("results=010", "results", "010"),
        ("results=./results/mine/", "results", "results/mine"),
        ("results=/data/results/", "results", "/data/results"),
        (f"results={ROOT}/results/mine", "results", "results/mine"),
        ("name=1e3", "name", "1e3"),
    ],
)
def test_word_of_the_command_line_is_what_the_key_wants(word, key, value):
    config = configuration([SMALL], [word])
    assert config[key] == value and type(config[key]) is type(value)
    Grid(config)


def test_words_within_braces_change_what_they_name_alone():
    words = ["slices={rounds: 4}", "testbed={server_cpus: [0], generator_cpus: [1]}"]
    config, ours = configuration([SMALL], words), configuration([SMALL])
    assert config["slices"] == ours["slices"] | {"rounds": 4}
    assert config["testbed"]["server_cpus"] == [0]
    assert config["testbed"]["load_limit_s"] == ours["testbed"]["load_limit_s"]
    assert list(config) == list(ours)
    Grid(config)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("smoke=true", "smoke = true; allowed: here only results, "),
        ("thread_memory=yes", 'thread_memory = "yes"; allowed: true or false'),
        ("seed=1:30", 'seed = "1:30"; allowed: a whole number from 0; as a decimal number'),
        ("results=", 'results = ""; allowed: a folder below this one'),
        ("results=~/out", 'results = "~/out"; allowed: a folder below this one, or elsewhere'),
        ("testbed=3", "testbed = 3; allowed: "),
    ],
)
def test_word_that_cannot_be_meant_is_refused(word, expected):
    assert expected in refusal(configuration([SMALL], [word]))
    with pytest.raises(ConfigurationError, match="--config slices={rounds: 4, line 1: "):
        configuration([SMALL], ["slices={rounds: 4"])


@pytest.mark.parametrize("tier", ["500", "on", "010", "null", "2026-11-25"])
def test_ids_are_texts_as_typed(mine, tier):
    config = mine(TIERS % (f"{tier}: {{{LOAD}}}", tier))
    assert Cell("web", "pool-5", tier, "wrk2", 1) in Grid(config).cells


def test_numbers_that_yaml_reads_otherwise_are_refused(mine):
    for value in ("010", "1:30", ".nan", "on"):
        load = f"rate_per_s: {value}, connections: {value}, keep_alive: {value}"
        said = refusal(mine(TIERS % (f"late: {{path: /a, wrk2: {{{load}}}}}", "late")))
        assert f'rate_per_s = "{value}"; allowed: more than 0, at most' in said
        assert f'connections = "{value}"; allowed: a whole number from' in said
        assert f'keep_alive = "{value}"; allowed: true or false' in said
        assert "; as a decimal number, such as 10 or 0.5" in said


def test_whole_number_may_be_written_as_a_decimal_and_with_underscores(mine):
    load = "path: /a, wrk2: {rate_per_s: 499.0, connections: 50.0}, slices: {rounds: 1_0}"
    study = mine(TIERS % (f"late: {{{load}}}", "late"))["studies"]["web"]
    tier = study["tiers"]["late"]
    assert tier["wrk2"] == {"rate_per_s": 499, "connections": 50}
    assert isinstance(tier["wrk2"]["connections"], int)
    assert tier["slices"] == {"rounds": 10}


def test_command_and_its_environment_are_texts_as_typed(mine):
    said = """[server, --port, "{port}", 8080, 1.50, on], expected_body: 007,
      environment: {DEBUG: on, RATE: 0.5, MORE: 010, EMPTY: , ALSO: "on"}"""
    config = mine(THREADS % f"mine: {{command: {said}}}")
    mode = config["studies"]["web"]["comparisons"]["threads"]["modes"]["mine"]
    assert mode["command"] == ["server", "--port", "{port}", "8080", "1.50", "on"]
    assert mode["expected_body"] == "007"
    expected = {"DEBUG": "on", "RATE": "0.5", "MORE": "010", "EMPTY": "", "ALSO": "on"}
    assert mode["environment"] == expected
    Grid(config)


def test_braces_without_quotes_are_refused_with_the_way_to_write_them(mine):
    said = THREADS % "mine: {command: [x, --port={port}]}"
    with pytest.raises(ConfigurationError, match=r'mine.yaml, line 1: .*: "--port={port}"'):
        mine(said)
    config = mine(THREADS % "mine: {command: [x, {port}]}")
    assert 'command.1 = {"port": null}; allowed: a word; one that is {port}' in refusal(config)
    with pytest.raises(ConfigurationError, match="mine.yaml, line 1: found unhashable key"):
        mine(THREADS % "mine: {environment: {PORT: {{port}}}}")


def test_key_that_is_there_twice_is_refused(mine):
    with pytest.raises(ConfigurationError, match=r"mine.yaml, line 2: the key seed is there twice"):
        mine("seed: 1\nseed: 2\n")
    # An anchor brings no second key.
    assert mine("jmeter: &a {jvm_options: [-Xmx1g]}\nwarm_up: {limit_s: 3}\n")["seed"]


def test_file_without_keys_or_in_another_charset_is_refused(mine, tmp_path):
    for text in ("", "[1]", "words"):
        with pytest.raises(ConfigurationError, match="mine.yaml: .*; allowed: keys with their va"):
            mine(text)
    (tmp_path / "latin.yaml").write_bytes(b"studies: {x: {title: caf\xe9}}")
    with pytest.raises(ConfigurationError, match="latin.yaml: not UTF-8"):
        configuration([SMALL, tmp_path / "latin.yaml"])
