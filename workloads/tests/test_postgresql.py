"""PostgreSQL and the pooler before it: answer their own user on loopback, leave nothing behind."""

import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import psutil
import psycopg
import pytest

from workloads.databases.scratch import PREFIX
from workloads.databases.subject import Subject
from workloads.tools import sysbench

CPUS = sorted(os.sched_getaffinity(0))
POSTGRESQL = {"max_connections": 30, "shared_buffers": "16MB"}
POOLER = {"pool_mode": "transaction", "default_pool_size": 3, "max_client_conn": 50}
VARIABLES = {"postgresql": POSTGRESQL, "pgbouncer": POSTGRESQL | POOLER}


def spec(engine, **options):
    return {
        "engine": {"id": engine, "variables": VARIABLES[engine]},
        "mode": {"options": options},
        "tool": {"script": "oltp_read_only", "clients": 5, "duration_s": 1, "warm_up_s": 1},
    }


@pytest.fixture
def temporary_folder(monkeypatch):
    """Where data directories are made: a folder with a name short enough for a socket in it."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


@pytest.fixture
def start(tmp_path, temporary_folder):
    """Starts subjects that end with the test."""
    started = []

    def start_subject(engine, **options):
        started.append(Subject(spec(engine, **options), CPUS, tmp_path, 1))
        return started[-1]

    yield start_subject
    for subject in started:
        subject.stop()


def connect(subject, **other):
    account = {"user": "artifact", "password": subject.database.password, "dbname": "artifact"}
    return psycopg.connect(host="127.0.0.1", port=subject.port, **account | other)


@pytest.mark.parametrize("engine", VARIABLES)
def test_it_answers_its_user_and_nobody_else(start, engine):
    subject = start(engine)
    with connect(subject) as connection:
        assert connection.execute("SELECT COUNT(*) FROM sbtest1").fetchone() == (10_000,)
    for other in ({"password": "wrong"}, {"user": "postgres", "dbname": "postgres"}):
        with pytest.raises(psycopg.OperationalError):
            connect(subject, **other)


@pytest.mark.parametrize("engine", VARIABLES)
@pytest.mark.parametrize("method", ["md5", "scram-sha-256"])
def test_it_checks_passwords_as_it_is_told(start, engine, method):
    subject = start(engine, password_encryption=method)
    assert subject.in_force()["password_encryption"] == method
    with connect(subject) as connection:
        connection.execute("SELECT 1")


@pytest.mark.parametrize("engine", VARIABLES)
def test_it_listens_on_loopback_only_and_stop_leaves_nothing(start, temporary_folder, engine):
    subject = start(engine)
    processes = [psutil.Process(p.pid) for p in (subject.process, subject.pooler) if p]
    processes += processes[0].children()
    listening = {
        connection.laddr.ip
        for process in processes
        for connection in process.net_connections("inet")
        if connection.status == psutil.CONN_LISTEN
    }
    assert listening == {"127.0.0.1"}
    subject.stop()
    _, alive = psutil.wait_procs(processes, timeout=10)
    assert alive == []
    assert list(temporary_folder.glob(f"{PREFIX}*")) == []


def test_the_pooler_gives_a_few_connections_to_many_clients(start):
    subject = start("pgbouncer", default_pool_size=2)
    assert subject.in_force()["default_pool_size"] == "2"
    clients = [connect(subject, autocommit=True) for _ in range(10)]
    backends = {client.execute("SELECT pg_backend_pid()").fetchone()[0] for client in clients}
    assert len(backends) <= 2
    for client in clients:
        client.close()


def test_a_setting_that_is_wrong_is_told_in_the_servers_own_words(start):
    with pytest.raises(RuntimeError, match='unrecognized configuration parameter "no_such"'):
        start("postgresql", no_such=1)


@pytest.mark.parametrize("who", ["process", "pooler"])
def test_a_killed_process_is_an_outcome(start, who):
    subject = start("pgbouncer")
    os.kill(getattr(subject, who).pid, signal.SIGKILL)
    assert getattr(subject, who).wait(10)
    assert subject.state("/sums", 1) == ("server_died", "exit status -9", b"")


@pytest.mark.parametrize("engine", VARIABLES)
def test_sysbench_loads_it(start, tmp_path, engine):
    subject = start(engine)
    before, start_s = subject.counters(None, 5), time.time()
    argv = sysbench.command(spec(engine), None, subject)
    with (tmp_path / "generator.log").open("w") as log:
        subprocess.run(argv, cwd=tmp_path, stdout=log, stderr=log, timeout=60)
    load = sysbench.collect(spec(engine), tmp_path, (start_s, time.time()))
    assert load["responses_2xx"] > 0
    assert subject.state("/sums", 5)[0] == "completed"
    if engine == "pgbouncer":
        grown = subject.counters(None, 5)["pooler_total_xact_count"]
        assert grown >= load["responses_2xx"]
    assert before["xact_commit"] > 0
