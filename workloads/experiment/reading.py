"""config.yaml, the files of --configfile and the words of --config, each laid over those before."""

import functools
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from workloads.experiment.configuration import ConfigurationError
from workloads.experiment.schema import Loader
from workloads.machine.provenance import ROOT

DECIMAL = re.compile(r"[-+]?(0|[1-9][0-9_]*)")


class Strict(Loader):  # type: ignore[misc, valid-type]
    """Refuses what YAML takes for something else without a word.

    Of a key that is there twice it takes the last; 010 is 8, and 1:30 is 90.
    """

    def get_single_node(self) -> yaml.Node | None:
        node = super().get_single_node()
        refuse_repeated(node)
        return node

    def construct_decimal(self, node: yaml.ScalarNode) -> int:
        value: int = self.construct_yaml_int(node)
        if not DECIMAL.fullmatch(node.value):
            problem = f"{node.value} is {value} in YAML; allowed: a decimal number, such as 10"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
        return value


Strict.add_constructor("tag:yaml.org,2002:int", Strict.construct_decimal)
# No key is a date: the name of a run may look like one.
Strict.add_constructor("tag:yaml.org,2002:timestamp", Strict.construct_yaml_str)


def refuse_repeated(node: Any) -> None:
    """Raise a ConstructorError on a key that is twice in a mapping, at any depth."""
    seen = set()
    for part in node.value if isinstance(node, yaml.CollectionNode) else ():
        if isinstance(part, tuple):
            key, part = part
            if isinstance(key, yaml.ScalarNode) and not key.tag.endswith(":merge"):
                if key.value in seen:
                    problem = f"the key {key.value} is there twice"
                    raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
                seen.add(key.value)
        refuse_repeated(part)


def configuration(files: Iterable[Path | str], words: Iterable[str] = ()) -> dict[str, Any]:
    """The first file with what the others and then the words of --config (`key=value`) change.

    Raises ConfigurationError, naming file and line, for what is not YAML; check() reports the rest.
    """
    parts = [from_text(Path(file).read_bytes(), str(file)) for file in files]
    parts += [from_text(word.replace("=", ": ", 1), f"--config {word}") for word in words]
    found: dict[str, Any] = functools.reduce(laid_over, parts)
    if isinstance(results := found.get("results"), str) and results:
        found["results"] = os.path.normpath(results).removeprefix(f"{ROOT}/")
    return found


def from_text(text: str | bytes, name: str) -> dict[str, Any]:
    """A mapping in YAML. Raises ConfigurationError, with the name of the text."""
    try:
        found = yaml.load(text, Strict)
    except yaml.MarkedYAMLError as fault:
        line = f", line {fault.problem_mark.line + 1}" if fault.problem_mark else ""
        unread = isinstance(fault, yaml.parser.ParserError | yaml.scanner.ScannerError)
        hint = '; a text with braces is in quotes: "--port={port}"' if unread else ""
        raise ConfigurationError(f"{name}{line}: {fault.problem}{hint}") from None
    except yaml.reader.ReaderError as fault:
        raise ConfigurationError(f"{name}: {fault.reason}; allowed: a text in UTF-8") from None
    if not isinstance(found, dict):
        raise ConfigurationError(f"{name}: {found!r}; allowed: keys with their values")
    return found


def laid_over(below: Any, above: Any) -> Any:
    """Both, key by key at every depth; `above` wins, and its new keys come last."""
    if not (isinstance(below, dict) and isinstance(above, dict)):
        return above
    return below | {key: laid_over(below.get(key), value) for key, value in above.items()}
