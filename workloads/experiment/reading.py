"""config.yaml, the files of --configfile and the words of --config, as a person means them.

YAML makes numbers and truth values of words: 010 is 8, 1:30 is 90, `on` and `no` are true and false
(https://yaml.org/spec/1.1/). Here the schema decides: where it wants a text, and in every key, a
word is the text as typed. Elsewhere true, false, null and decimal numbers are what they are in
JSON. Every other word stays a text, which the check of the configuration then refuses.
"""

import functools
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from workloads.experiment.configuration import ConfigurationError
from workloads.experiment.schema import Loader, schema, types_of
from workloads.machine.provenance import ROOT

CONSTANTS = {"true": True, "false": False, "null": None, "~": None, "": None}
INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*(_[0-9]+)*)")
DECIMAL = re.compile(r"[-+]?((0|[1-9][0-9]*)\.[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")


class Word(str):
    """A scalar without quotes."""


class Words(Loader):  # type: ignore[misc, valid-type]
    """Leaves plain scalars as words, and refuses a key that is there twice."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}

    def get_single_node(self) -> yaml.Node | None:
        node = super().get_single_node()
        refuse_repeated(node)
        return node

    def construct_word(self, node: Any) -> str:
        return str(node.value) if node.style else Word(node.value)


Words.add_implicit_resolver("tag:yaml.org,2002:merge", re.compile("<<$"), ["<"])
Words.add_constructor("tag:yaml.org,2002:str", Words.construct_word)


def refuse_repeated(node: Any) -> None:
    """Raise a ConstructorError on a key that is twice in a mapping, at any depth."""
    seen: set[str | None] = set()
    for part in node.value if isinstance(node, yaml.CollectionNode) else ():
        if isinstance(part, tuple):
            key, part = part
            # The constructor refuses other keys than words.
            name = key.value if isinstance(key, yaml.ScalarNode) else None
            if name is not None and name in seen and not key.tag.endswith(":merge"):
                problem = f"the key {name} is there twice"
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            seen.add(name)
        refuse_repeated(part)


def configuration(files: Iterable[Path | str], words: Iterable[str] = ()) -> dict[str, Any]:
    """The first file with what the others and then the words of --config (`key=value`) change.

    Raises ConfigurationError, naming file and line, for what is not YAML; check() reports the rest.
    """
    parts = [*map(from_file, files), *map(from_word, words)]
    found: dict[str, Any] = meant(functools.reduce(laid_over, parts), schema())
    if isinstance(results := found.get("results"), str) and results:
        whole = os.path.normpath(results)
        found["results"] = whole.removeprefix(f"{ROOT}/")
    return found


def from_file(path: Path | str) -> dict[str, Any]:
    try:
        return from_text(Path(path).read_text(encoding="utf-8"), str(path))
    except UnicodeDecodeError:
        raise ConfigurationError(f"{path}: not UTF-8") from None


def from_text(text: str, name: str) -> dict[str, Any]:
    """A mapping, whose scalars without quotes are words. Raises ConfigurationError."""
    try:
        found = yaml.load(text, Words)
    except yaml.MarkedYAMLError as fault:
        # libyaml finds what is missing at the end on the line behind it.
        last = len(text.splitlines())
        line = f", line {min(fault.problem_mark.line + 1, last)}" if fault.problem_mark else ""
        unread = isinstance(fault, yaml.parser.ParserError | yaml.scanner.ScannerError)
        hint = '; a text with braces is in quotes: "--port={port}"' if unread else ""
        raise ConfigurationError(f"{name}{line}: {fault.problem}{hint}") from None
    if not isinstance(found, dict):
        raise ConfigurationError(f"{name}: {found!r}; allowed: keys with their values")
    return found


def from_word(word: str) -> dict[str, Any]:
    """The mapping that `key=value` says; the value is YAML where the schema wants no text."""
    key, _, value = word.partition("=")
    if wants_text(schema()["properties"].get(key, {})):
        return {key: Word(value)}
    return {key: from_text(f"_: {value}", f"--config {word}")["_"]}


def laid_over(below: Any, above: Any) -> Any:
    """Both, key by key at every depth; `above` wins, and its new keys come last."""
    if not (isinstance(below, dict) and isinstance(above, dict)):
        return above
    return below | {key: laid_over(below.get(key), value) for key, value in above.items()}


def meant(value: Any, part: dict[str, Any]) -> Any:
    """The value as this part of the schema describes it."""
    if isinstance(value, dict):
        known, others = part.get("properties", {}), part.get("additionalProperties") or {}
        return {str(key): meant(each, known.get(key, others)) for key, each in value.items()}
    if isinstance(value, list):
        return [meant(each, part.get("items", {})) for each in value]
    if isinstance(value, Word):
        return str(value) if wants_text(part) else scalar(value, part)
    return value


def wants_text(part: dict[str, Any]) -> bool:
    """Whether a text is the first type of what the schema allows."""
    return types_of(part)[:1] == ["string"]


def scalar(word: str, part: dict[str, Any]) -> Any:
    if word.lower() in CONSTANTS:
        return CONSTANTS[word.lower()]
    if INTEGER.fullmatch(word):
        return int(word)
    if DECIMAL.fullmatch(word):
        number = float(word)
        return int(number) if part.get("type") == "integer" and number.is_integer() else number
    return str(word)
