"""The schema of config.yaml: read, and in words."""

import functools
from pathlib import Path
from typing import Any

import yaml

Part = dict[str, Any]
# libyaml's reader takes a tenth of the time.
Loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
KINDS = {"boolean": "true or false", "string": "a text", "integer": "a whole number"}
ENDS = {"minimum": "from", "maximum": "to"}
# Behind a bound that is itself excluded.
MOST = {"maximum": "at most", "exclusiveMaximum": "less than"}


@functools.cache
def schema() -> Part:
    text = Path(__file__).with_name("config.schema.yaml").read_text()
    found: Part = yaml.load(text, Loader)
    close(found)
    return found


def close(part: Any) -> None:
    """Have objects refuse properties that they do not name, and patterns a line end behind them."""
    if isinstance(part, dict):
        # Python's $ lets a line end pass that follows; ECMA's, which JSON Schema means, does not.
        if str(part.get("pattern", "")).endswith("$"):
            part["pattern"] = part["pattern"].removesuffix("$") + r"\Z"
        if "properties" in part and "type" in part:
            part.setdefault("additionalProperties", False)
        for each in part.values():
            close(each)
    elif isinstance(part, list):
        for each in part:
            close(each)


def types_of(part: Part) -> list[str]:
    types = part.get("type", [])
    return [types] if isinstance(types, str) else types


def allowed(part: Part) -> str:
    """Say what a part allows: its description, or its words, keys or bounds; empty without any."""
    types = types_of(part)
    if "description" in part:
        return str(part["description"])
    if "enum" in part:
        return enumerated([*map(str, part["enum"])], "or")
    if "object" in types:
        keys = list(part.get("properties", ["names"]))
        some = keys if len(keys) < 9 else [*keys[:7], "more"]
        return f"a mapping of {enumerated(some, 'and')}" + ", or nothing" * ("null" in types)
    if "exclusiveMinimum" in part:
        most = [f"{word} {part[key]:,}" for key, word in MOST.items() if key in part]
        return ", ".join([f"more than {part['exclusiveMinimum']:,}", *most])
    ends = [f" {word} {part[key]:,}" for key, word in ENDS.items() if key in part]
    return "".join([*(KINDS.get(each, "a number") for each in types[:1]), *ends])


def enumerated(words: list[str], last: str) -> str:
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), words[-1])))
