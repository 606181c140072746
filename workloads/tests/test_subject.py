"""The database as a subject: known data, treatment read back, its end an outcome."""

import os
import signal

import pytest

from workloads.servers.databases.data import ROWS, Data, check_sql
from workloads.servers.databases.subject import DatabaseSubject

CPUS = sorted(os.sched_getaffinity(0))
VARIABLES = {"thread_handling": "one-thread-per-connection", "max_connections": 20}
VARIABLES |= {"innodb_buffer_pool_size": "16M", "innodb_log_file_size": "8M"}


def spec(script="oltp_read_only", **options):
    return {
        "engine": {"id": "mariadb", "variables": VARIABLES},
        "mode": {"options": options},
        "tool": {"script": script},
    }


@pytest.fixture
def start(tmp_path):
    """Starts subjects that end with the test."""
    started = []

    def start_subject(**changes):
        started.append(DatabaseSubject(spec(**changes), CPUS, tmp_path, 1))
        return started[-1]

    yield start_subject
    for subject in started:
        subject.stop()


@pytest.fixture(scope="module")
def subject(tmp_path_factory):
    """One for tests that leave its counters, settings and most of its rows as they are."""
    subject = DatabaseSubject(spec(), CPUS, tmp_path_factory.mktemp("subject"), 1)
    yield subject
    subject.stop()


def execute(subject, statement):
    with subject.database.connect() as connection, connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall()


def test_every_row_is_what_the_seed_says(subject):
    rows = execute(subject, "SELECT id, k, c, pad FROM sbtest1 ORDER BY id")
    data, ids = Data(), list(range(1, ROWS + 1))
    assert [row[0] for row in rows] == ids
    assert sorted(row[1] for row in rows) == ids
    assert [row[2] for row in rows] == [data.text(row) for row in ids]
    assert [row[3] for row in rows[:3]] == [data.text(row, "pad", 60) for row in (1, 2, 3)]


def test_another_seed_gives_other_rows():
    assert Data(500, seed=7).expected("whole") != Data(500, seed=8).expected("whole")


@pytest.mark.parametrize("check", ["kept", "whole"])
def test_expected_sums_are_those_of_the_database(subject, check):
    assert execute(subject, check_sql(check, subject.database.dialect)) == (Data().expected(check),)


@pytest.mark.parametrize(
    ("change", "script", "seen"),
    [
        ("DELETE FROM sbtest1 WHERE id = 3", "oltp_read_only", True),
        ("DELETE FROM sbtest1 WHERE id = 4", "oltp_read_write", True),
        ("UPDATE sbtest1 SET k = k + 1 WHERE id = 5", "oltp_read_only", True),
        ("UPDATE sbtest1 SET k = k + 1 WHERE id = 6", "oltp_read_write", False),
        ("UPDATE sbtest1 SET c = 'x' WHERE id = 7", "oltp_point_select", True),
    ],
)
def test_a_change_that_the_load_cannot_have_made_shows(subject, change, script, seen):
    subject.prepare(spec(script))
    before = subject.ask("/sums", 5)
    assert subject.state("/sums", 5) == ("completed", "", before)
    execute(subject, change)
    outcome, _, after = subject.state("/sums", 5)
    assert outcome == "completed"
    assert (after != before) == seen


def test_every_slice_is_checked_by_its_own_script(subject):
    """One database serves all tiers of its mode."""
    checked = []
    for script in ("oltp_read_write", "oltp_read_only"):
        subject.prepare(spec(script))
        checked.append(subject.check)
    assert checked == ["kept", "whole"]


def test_the_treatment_is_read_back(start):
    subject = start(thread_handling="pool-of-threads", thread_pool_size=3)
    assert subject.settings() == {
        "thread_handling": "pool-of-threads",
        "thread_pool_size": "3",
        "version": "11.4.5-MariaDB",
    }


def test_counters_count_connections_and_statements(subject):
    before = subject.counters(None, 5)
    for _ in range(4):
        execute(subject, "SELECT 1")
    grown = {name: value - before[name] for name, value in subject.counters(None, 5).items()}
    # The one that counts counts itself.
    assert grown["Connections"] == 5
    assert grown["Com_select"] == 4
    assert subject.threads_started() >= 1


def test_a_killed_database_is_an_outcome(start):
    subject = start()
    os.kill(subject.process.pid, signal.SIGKILL)
    assert subject.process.wait(10)
    assert subject.state("/sums", 5) == ("server_died", "exit status -9", None)
    assert subject.counters(None, 5) == {}
    assert subject.threads_started() is None
    with pytest.raises(OSError, match="does not answer"):
        subject.ask("/sums", 5)


def test_a_database_that_refuses_is_an_outcome_in_its_own_words(start):
    subject = start(max_connections=10)
    # One more is reserved for a user who may set the thread pool, as ours may.
    taken = [subject.database.connect() for _ in range(11)]
    outcome, reason, _ = subject.state("/sums", 0.2)
    assert outcome == "refused"
    assert "Too many connections" in reason
    for connection in taken:
        connection.close()
    assert subject.state("/sums", 5)[0] == "completed"


def test_data_that_do_not_fit_fail_the_start(tmp_path):
    full = {"innodb_data_file_path": "ibdata1:12M:autoextend:max:12M", "innodb_file_per_table": 0}
    with pytest.raises(RuntimeError, match="full"):
        DatabaseSubject(spec(**full), CPUS, tmp_path, 1)
