"""The table of config.yaml's keys, which is made from the schema."""

from workloads.experiment.parameters import NONE, all_rows


def test_row_says_type_unit_default_and_what_is_allowed():
    table = {row.key: row for row in all_rows()}
    assert table["slices.length_s"][1:4] == ("number", "s", "required")
    assert table["servers.<id>.virtual_is_option"].default == "false"
    tier = table["studies.<id>.jmeter.users"]
    assert (tier.type, tier.unit, tier.default) == ("integer", NONE, "required")
    assert "1 to 20,000" in tier.meaning
    assert table["studies.<id>.wrk2.rate_per_s"].unit == "1/s"
    # Keys of a shape that several places share stand at the first.
    assert table["studies.<id>.tiers.<id>.jmeter"].meaning.endswith(", as studies.<id>.jmeter")
    assert "studies.<id>.tiers.<id>.jmeter.users" not in table
