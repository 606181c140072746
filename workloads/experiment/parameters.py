"""The keys of config.yaml as a table, made from its schema: `make help-config`.

Nothing but the standard library, so that it can be read before anything is installed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

SCHEMA = Path(__file__).with_name("config.schema.json")
# A unit stands in a key's name.
UNITS = {"_per_s": "1/s", "_ms": "ms", "_s": "s", "_hz": "1/s", "_bytes": "bytes"}
TYPES = {
    "object": "mapping",
    "array": "list",
    "integer": "integer",
    "number": "number",
    "string": "text",
    "boolean": "boolean",
    "null": "null",
}
NONE = "–"

Part = dict[str, Any]


class Row(NamedTuple):
    key: str
    type: str
    unit: str
    default: str
    meaning: str


class Keys:
    """All keys that the schema allows. What several places share is listed at the first."""

    def __init__(self, schema: Part) -> None:
        self.schema = schema
        self.first: dict[str, str] = {}

    def rows(self, part: Part, place: str = "", required: list[str] | None = None) -> Iterator[Row]:
        needed = required or part.get("required", [])
        for key, value in part.get("properties", {}).items():
            whole, name = self.resolved(value), place + key
            first = self.first.setdefault(value.get("$ref", name), name)
            shared = f", as {first}" if whole.get("type") == "object" and first != name else ""
            yield Row(
                name, type_of(whole), unit_of(key), default_of(key, whole, needed),
                meaning_of(whole) + shared,
            )  # fmt: skip
            if not shared:
                yield from self.below(key, whole, name)

    def below(self, key: str, whole: Part, name: str) -> Iterator[Row]:
        # A load may be said in part by the study and in part by the tier.
        tier = self.schema["$defs"]["whole_tier"]["properties"] if "." in name else {}
        yield from self.rows(whole, f"{name}.", tier.get(key, {}).get("required"))
        entry = self.resolved(whole.get("additionalProperties") or {})
        yield from self.rows(entry, f"{name}.<id>.")

    def resolved(self, part: Part) -> Part:
        while "$ref" in part:
            name = part["$ref"].removeprefix("#/$defs/")
            own = {key: value for key, value in part.items() if key != "$ref"}
            part = self.schema["$defs"][name] | own
        return part


def type_of(part: Part) -> str:
    if "enum" in part:
        return "choice"
    types = part["type"] if isinstance(part["type"], list) else [part["type"]]
    return " or ".join(TYPES[each] for each in types)


def unit_of(key: str) -> str:
    return next((unit for end, unit in UNITS.items() if key.endswith(end)), NONE)


def default_of(key: str, part: Part, required: list[str]) -> str:
    if "default" in part:
        return json.dumps(part["default"])
    return "required" if key in required else NONE


def meaning_of(part: Part) -> str:
    """The title; where it is no mapping also what is allowed."""
    allowed = "" if part.get("type") == "object" else part["description"]
    return part["title"] + (f" ({allowed})" if allowed else "")


def all_rows() -> list[Row]:
    schema = json.loads(SCHEMA.read_text())
    return list(Keys(schema).rows(schema))


def main() -> None:
    rows = [Row("key", "type", "unit", "default", "meaning"), *all_rows()]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [text.ljust(width) for text, width in zip(row, widths, strict=True)]
        print("  ".join(cells).rstrip())


if __name__ == "__main__":
    main()
