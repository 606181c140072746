"""What the primitives' runner makes of what JMH and the JVM print."""

from workloads.run_primitives import jmh_rows, memory_row, primitive_id


def test_a_primitive_is_named_after_its_benchmark() -> None:
    assert primitive_id("artifact.primitives.TakingTurns.virtualPark") == "virtual-park"


def test_a_fork_is_a_row_with_the_mean_of_its_iterations() -> None:
    benchmark = {
        "benchmark": "artifact.primitives.PoolHandOff.poolHandOff",
        "primaryMetric": {"rawData": [[4.0, 6.0], [7.0, 9.0]]},
        "secondaryMetrics": {"cpu": {"rawData": [[3.0, 3.0], [2.0, 4.0]]}},
    }
    rows = list(jmh_rows([benchmark]))
    assert [(row["statistic"], row["fork"], float(row["value"])) for row in rows] == [
        ("wall", 1, 5.0),
        ("wall", 2, 8.0),
        ("cpu", 1, 3.0),
        ("cpu", 2, 3.0),
    ]
    assert {row["primitive"] for row in rows} == {"pool-hand-off"}


def test_the_cpu_time_of_a_server_beside_it_is_a_statistic_of_its_own() -> None:
    metrics = {"cpu": {"rawData": [[3.0]]}, "server": {"rawData": [[9.0]]}}
    benchmark = {
        "benchmark": "artifact.primitives.Database.databaseStatement",
        "primaryMetric": {"rawData": [[5.0]]},
        "secondaryMetrics": metrics,
    }
    rows = [(row["statistic"], float(row["value"])) for row in jmh_rows([benchmark])]
    assert rows == [("wall", 5.0), ("cpu", 3.0), ("server", 9.0)]


def test_the_memory_row_is_the_last_line_whatever_the_jvm_says_before() -> None:
    row = memory_row("OpenJDK warning: something\nvirtual,500,1,2,3,4\n")
    assert row["kind"] == "virtual"
    assert (row["threads"], row["heap_bytes"]) == ("500", "4")
