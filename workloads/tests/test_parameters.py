"""The table of config.yaml's keys, which is made from the schema."""

from pathlib import Path

import pytest
import yaml

from workloads.experiment.parameters import NONE, all_rows

ROOT = Path(__file__).resolve().parents[2]
# Keys in these are names of other programs, kinds or cells.
OF_IDS = ("options", "variables", "classes", "each", "libraries", "profiles")


def keys_of(part, place=""):
    """Every key of a configuration; ids of studies, modes, tiers and so on as <id>."""
    for key, value in (part or {}).items():
        yield f"{place}{key}"
        if not isinstance(value, dict) or key in OF_IDS:
            continue
        if key in ("studies", "comparisons", "modes", "tiers", "backends", "servers"):
            for entry in value.values():
                yield from keys_of(entry, f"{place}{key}.<id>.")
        else:
            yield from keys_of(value, f"{place}{key}.")


def rows():
    return {row.key: row for row in all_rows()}


def listed(key, table):
    """Where the table has a key: what is shared is listed once, under the first that has it."""
    for head, row in table.items():
        first = row.meaning.rpartition(", as ")[2]
        if key.startswith(f"{head}.") and first in table:
            return listed(first + key.removeprefix(head), table)
    return key


@pytest.mark.parametrize("file", ["config.yaml", "workloads/smoke.yaml"])
def test_every_key_of_the_experiment_is_in_the_table(file):
    table = rows()
    for key in keys_of(yaml.safe_load((ROOT / file).read_text())):
        assert table[listed(key, table)].meaning


def test_row_says_type_unit_default_and_what_is_allowed():
    table = rows()
    assert table["slices.length_s"][1:4] == ("number", "s", "required")
    assert table["servers.<id>.virtual_is_option"].default == "false"
    tier = table["studies.<id>.jmeter.users"]
    assert (tier.type, tier.unit, tier.default) == ("integer", NONE, "required")
    assert "1 to 20,000" in tier.meaning
    assert table["studies.<id>.wrk2.rate_per_s"].unit == "1/s"
    assert table["studies.<id>.tiers.<id>.jmeter"].meaning.endswith(", as studies.<id>.jmeter")
