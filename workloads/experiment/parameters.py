"""The keys of config.yaml as a table, made from its schema: `make help-config`."""

import json
from collections.abc import Iterator
from typing import NamedTuple

from workloads.experiment.schema import Part, allowed, schema, types_of

# A unit stands in a key's name.
UNITS = {"_per_s": "1/s", "_ms": "ms", "_s": "s", "_hz": "1/s", "_bytes": "bytes"}
TYPES = {"object": "mapping", "array": "list", "string": "text"}
NONE = "–"


class Row(NamedTuple):
    key: str
    type: str
    unit: str
    default: str
    meaning: str


def all_rows() -> list[Row]:
    """All keys that the schema allows. What several places share is listed at the first."""
    return [*rows(schema(), "", None, {})]


def rows(
    part: Part, place: str, required: list[str] | None, first: dict[int, str]
) -> Iterator[Row]:
    needed = required or part.get("required", [])
    for key, value in part.get("properties", {}).items():
        name, entry = place + key, value.get("additionalProperties") or {}
        shape = value.get("properties") or entry.get("properties") or value
        before = first.setdefault(id(shape), name)
        like = "each as" if "properties" in entry else "as"
        shared = f", {like} {before}" if "object" in types_of(value) and before != name else ""
        unit = next((unit for end, unit in UNITS.items() if key.endswith(end)), NONE)
        default = "required" if key in needed else NONE
        default = json.dumps(value["default"]) if "default" in value else default
        yield Row(name, type_of(value), unit, default, meaning_of(value) + shared)
        if not shared:
            # A load may be said in part by the study and in part by the tier.
            tier = schema()["$defs"]["whole_tier"]["properties"] if place else {}
            yield from rows(value, f"{name}.", tier.get(key, {}).get("required"), first)
            yield from rows(entry, f"{name}.<id>.", None, first)


def type_of(part: Part) -> str:
    if "enum" in part:
        return "choice"
    return " or ".join(TYPES.get(each, each) for each in types_of(part))


def meaning_of(part: Part) -> str:
    """The title; where it is no mapping also what is allowed."""
    return part["title"] + ("" if part.get("type") == "object" else f" ({allowed(part)})")


def main() -> None:
    table = [Row("key", "type", "unit", "default", "meaning"), *all_rows()]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for row in table:
        cells = [text.ljust(width) for text, width in zip(row, widths, strict=True)]
        print("  ".join(cells).rstrip())


if __name__ == "__main__":
    main()
