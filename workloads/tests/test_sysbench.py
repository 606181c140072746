"""The tool sysbench: how it is called, what is read of what it prints, and a real run of it."""

import os
import subprocess
import time

import pytest

from workloads.servers.databases.subject import DatabaseSubject
from workloads.tools import sysbench

CPUS = sorted(os.sched_getaffinity(0))
PRINTED = """\
Threads started!

Latency histogram (values are in milliseconds)
       value  ------------- distribution ------------- count
       0.501 |**********                               1
       1.000 |**************************************** 4
      20.000 |********************                     2

SQL statistics:
    queries performed:
        read:                            98
        write:                           28
        other:                           14
    transactions:                        7      (3.50 per sec.)

Latency (ms):
         min:                                    0.50
         max:                                   20.11
         sum:                                   44.50

Threads fairness:
    events (avg/stddev):           3.5000/0.50
"""


def spec(**changes):
    variables = {"innodb_buffer_pool_size": "16M", "innodb_log_file_size": "8M"}
    variables |= {"max_connections": 20}
    return {
        "engine": {"id": "mariadb", "variables": variables},
        "mode": {"client": changes.pop("client", {})},
        "tool": {"script": "oltp_read_only", "clients": 2, "duration_s": 1} | changes,
    }


def collected(printed, folder):
    (folder / "generator.log").write_text(printed)
    return sysbench.collect(spec(), folder, (100.0, 102.5))


def test_what_it_prints_becomes_the_load(tmp_path):
    load = collected(PRINTED, tmp_path)
    assert (load["responses_2xx"], load["requests_recorded"]) == (7, 7)
    assert (load["throughput_per_s"], load["concurrency_offered"]) == (3.5, 2)
    assert (load["start_epoch_s"], load["end_epoch_s"]) == (100.5, 102.5)
    assert load["duration_s"] == 2.0
    assert load["latency_mean_ms"] == pytest.approx(44.5 / 7)
    assert load["counted_requests"] == 7
    assert load["queries"] == {"reads": 98, "writes": 28, "other": 14}


def test_its_histogram_becomes_one_as_of_the_other_tools(tmp_path):
    collected(PRINTED, tmp_path)
    lines = (tmp_path / sysbench.LATENCY).read_text().splitlines()
    rows = [line.split() for line in lines[2:5]]
    assert [(float(row[0]), int(row[2])) for row in rows] == [(0.501, 1), (1.0, 5), (20.0, 7)]
    assert float(rows[-1][1]) == 1
    assert lines[5].startswith("#[Mean    =        6.357")
    assert "Max     =       20.110, Total count    =            7" in lines[6]


def test_a_refusal_is_an_outcome_in_the_servers_words(tmp_path):
    said = "FATAL: error 1040: Too many connections\nFATAL: `thread_init' function failed\n"
    load = collected(said, tmp_path)
    words = "sysbench: error 1040: Too many connections; `thread_init' function failed"
    assert load["fault"] == {"outcome": "refused", "reason": words}
    assert (load["responses_2xx"], load["error_share"]) == (0, 1.0)
    assert load["duration_s"] == 2.5


def test_anything_else_is_a_fault_of_the_harness(tmp_path):
    with pytest.raises(ValueError, match="no such thing"):
        collected("bash: no such thing", tmp_path)


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    subject = DatabaseSubject(spec(), CPUS, tmp_path_factory.mktemp("database"), 1)
    yield subject
    subject.stop()


@pytest.fixture
def run(database, tmp_path):
    """Runs sysbench; returns the load, and by how much the database's counters grew."""

    def run_sysbench(**changes):
        asked, before, start_s = spec(**changes), database.counters(None, 5), time.time()
        argv = sysbench.command(asked, None, database)
        assert database.database.password not in " ".join(argv)
        with (tmp_path / "generator.log").open("w") as log:
            subprocess.run(argv, cwd=tmp_path, stdout=log, stderr=log, timeout=60)
        load = sysbench.collect(asked, tmp_path, (start_s, time.time()))
        after = database.counters(None, 5)
        assert database.state("/sums", 5)[0] == "completed"
        return load, {name: value - before[name] for name, value in after.items()}

    return run_sysbench


def test_transactions_are_as_many_as_the_server_counts(run):
    load, grown = run()
    # The connections are there before the first transaction; nothing runs before it.
    assert 0 < load["queries"]["reads"] == grown["Com_select"]
    # A client each, and the one that counted.
    assert grown["Connections"] == 2 + 1
    assert load["duration_s"] == pytest.approx(1, abs=0.5)
    assert load["responses_2xx"] <= grown["Com_commit"]


def test_it_reconnects_after_each_transaction(run):
    _, grown = run(client={"reconnect_every": 1}, clients=1, script="oltp_point_select")
    # Each transaction is one select; the first connection is there before the first of them.
    assert grown["Connections"] - 1 == pytest.approx(grown["Com_select"], abs=1)


def test_steps_that_print_alike_are_added():
    text = "       0.035 |                    1\n       0.035 |****      15\n       0.200 |** 7\n"
    assert sysbench.histogram(text) == {0.035: 16, 0.2: 7}
