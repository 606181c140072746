"""config.yaml, the files of --configfile and the words of --config, each laid over those before."""

import functools
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from workloads.experiment.configuration import ConfigurationError
from workloads.experiment.schema import Loader
from workloads.machine.provenance import ROOT


class Strict(Loader):  # type: ignore[misc, valid-type]
    """Refuses a key that is there twice, of which YAML takes the last without a word."""

    def get_single_node(self) -> yaml.Node | None:
        node = super().get_single_node()
        refuse_repeated(node)
        return node


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
    parts = [from_text(Path(file).read_text(encoding="utf-8"), str(file)) for file in files]
    parts += [from_text(word.replace("=", ": ", 1), f"--config {word}") for word in words]
    found: dict[str, Any] = functools.reduce(laid_over, parts)
    if isinstance(results := found.get("results"), str) and results:
        found["results"] = os.path.normpath(results).removeprefix(f"{ROOT}/")
    return found


def from_text(text: str, name: str) -> dict[str, Any]:
    """A mapping in YAML. Raises ConfigurationError, with the name of the text."""
    try:
        found = yaml.load(text, Strict)
    except yaml.MarkedYAMLError as fault:
        line = f", line {fault.problem_mark.line + 1}" if fault.problem_mark else ""
        unread = isinstance(fault, yaml.parser.ParserError | yaml.scanner.ScannerError)
        hint = '; a text with braces is in quotes: "--port={port}"' if unread else ""
        raise ConfigurationError(f"{name}{line}: {fault.problem}{hint}") from None
    if not isinstance(found, dict):
        raise ConfigurationError(f"{name}: {found!r}; allowed: keys with their values")
    return found


def laid_over(below: Any, above: Any) -> Any:
    """Both, key by key at every depth; `above` wins, and its new keys come last."""
    if not (isinstance(below, dict) and isinstance(above, dict)):
        return above
    return below | {key: laid_over(below.get(key), value) for key, value in above.items()}
