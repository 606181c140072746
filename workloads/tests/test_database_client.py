"""The tool database_client: how it is called, and what is read of its output."""

import csv
from pathlib import Path
from types import SimpleNamespace

import pytest

from workloads.servers.databases.data import SEED
from workloads.tools import database_client

HGRM = """       Value     Percentile TotalCount 1/(1-Percentile)

       0.125 0.000000000000          1           1.00
       9.000 1.000000000000         30
#[Mean    =        2.000, StdDeviation   =        1.000]
#[Max     =        9.000, Total count    =           30]
"""
ROWS = [
    {"thread_pool_size": 1, "connection_pool_size": 4, "start_epoch_s": 10, "end_epoch_s": 12}
    | {"transactions": 20, "failed": 0, "mean_ms": 1.5, "errors": ""},
    {"thread_pool_size": 2, "connection_pool_size": 4, "start_epoch_s": 13, "end_epoch_s": 15}
    | {"transactions": 10, "failed": 4, "mean_ms": 3, "errors": "no-connection-in-time=3;sql-08=1"},
]


def spec(**tool):
    load = {"statement": "point", "workers": 8, "think_ms": 1, "warm_up_s": 1, "window_s": 0.5}
    return {
        "mode": {"client": {"threads": "virtual", "connections": "hikari", "pool_size": 3}},
        "tool": load | {"jvm_options": ["-Xmx64m"]} | tool,
    }


def collected(folder, rows):
    with (folder / database_client.COMBINATIONS).open("w", newline="") as file:
        writer = csv.DictWriter(file, ROWS[0])
        writer.writeheader()
        writer.writerows(rows)
    (folder / database_client.LATENCY).write_text(HGRM)
    (folder / "generator.log").write_text("Connection refused\n")
    return database_client.collect(spec(), folder, (9.0, 16.0))


def fields(**tool):
    subject = SimpleNamespace(port=3307, position=4)
    return database_client.fields(spec(**tool), subject, Path("/out"))


def test_a_mode_has_one_combination():
    expected = {"--pool-sizes=3", "--server-pool-sizes=0", "--virtual", "--window-ms=500"}
    assert expected <= {*fields()}


def test_a_grid_has_all_sizes_in_an_order_of_its_own_cell():
    words = fields(pool_sizes=[1, 8], server_pool_sizes=[2, 4])
    assert {"--pool-sizes=1,8", "--server-pool-sizes=2,4", f"--seed={SEED + 4}"} <= {*words}


def test_all_combinations_together_are_the_load(tmp_path):
    load = collected(tmp_path, ROWS)
    assert (load["responses_2xx"], load["requests_recorded"]) == (30, 34)
    assert load["errors"] == {"no-connection-in-time": 3, "sql-08": 1}
    assert (load["start_epoch_s"], load["end_epoch_s"], load["duration_s"]) == (10, 15, 4)
    assert load["throughput_per_s"] == 7.5
    assert load["latency_mean_ms"] == 2
    assert load["latency_min_ms"] == 0.125
    assert load["error_share"] == pytest.approx(4 / 34)


def test_a_client_that_got_nowhere_is_an_outcome_in_its_own_words(tmp_path):
    load = collected(tmp_path, [])
    reason = "database-client: Connection refused"
    assert load["fault"] == {"outcome": "refused", "reason": reason}
    assert (load["responses_2xx"], load["error_share"], load["duration_s"]) == (0, 1.0, 7.0)
