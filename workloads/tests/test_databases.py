"""Databases as subjects: known data for one user on loopback, an end that is an outcome."""

import atexit
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
import psycopg
import pymysql
import pytest

from workloads.servers.databases import data, pgbouncer, postgresql, scratch
from workloads.servers.databases.scratch import PREFIX, Scratch
from workloads.servers.databases.subject import DatabaseSubject
from workloads.tests.processes import NONE, rights, until
from workloads.tools import sysbench

ROOT = Path(__file__).resolve().parents[2]
CPUS = sorted(os.sched_getaffinity(0))
MARIADB = {"thread_handling": "one-thread-per-connection", "max_connections": 20}
MARIADB |= {"innodb_buffer_pool_size": "16M", "innodb_log_file_size": "8M"}
POSTGRESQL = {"max_connections": 30, "shared_buffers": "16MB"}
POOLER = {"pool_mode": "transaction", "default_pool_size": 3, "max_client_conn": 50}
ENGINES = {"mariadb": MARIADB, "postgresql": POSTGRESQL, "pgbouncer": POSTGRESQL | POOLER}
REFUSED = (pymysql.OperationalError, psycopg.OperationalError)
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root has what servers must not have")


def spec(engine="mariadb", **options):
    return {
        "engine": {"id": engine, "variables": ENGINES[engine]},
        "mode": {"options": options},
        "tool": {"script": "oltp_read_only", "clients": 5, "duration_s": 1},
    }


@pytest.fixture
def temporary_folder(monkeypatch):
    """Where data directories are made: this test's own, so that what is left there shows.

    Its name is short enough for a socket in it, and the user that servers run as can enter it.
    """
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


def left_over(folder):
    return list(folder.glob(f"{PREFIX}*"))


@pytest.fixture
def start(tmp_path, temporary_folder):
    """Starts subjects that end with the test."""
    started = []

    def start_subject(*engine, **options):
        started.append(DatabaseSubject(spec(*engine, **options), CPUS, tmp_path, 1))
        return started[-1]

    yield start_subject
    for subject in started:
        subject.stop()


@pytest.fixture(scope="module", params=ENGINES)
def alive(request, tmp_path_factory):
    """A subject of each engine, for tests that leave it as it is, all but the last."""
    subject = DatabaseSubject(spec(request.param), CPUS, tmp_path_factory.mktemp("alive"), 1)
    subject.engine = request.param
    yield subject
    subject.stop()


def alive_of(*engines):
    return pytest.mark.parametrize("alive", engines, indirect=True)


def connect(subject, **other):
    account = {"user": "artifact", "password": subject.database.password} | other
    account |= {"host": "127.0.0.1", "port": subject.port, "autocommit": True}
    if subject.database.sysbench_driver == "mysql":
        return pymysql.connect(**account, database="artifact")
    return psycopg.connect(**account, dbname="artifact")


def rows(subject):
    with connect(subject) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT COUNT(*) FROM sbtest1")
        return cursor.fetchone()[0]


def processes(subject):
    """The server, its children, and the pooler."""
    server = psutil.Process(subject.process.pid)
    return [server, *server.children(), *(psutil.Process(p.pid) for p in [subject.pooler] if p)]


def test_it_answers_its_user_and_no_other(alive):
    assert rows(alive) == data.ROWS
    for user, password in (("artifact", "wrong"), ("artifact", ""), ("root", ""), ("postgres", "")):
        with pytest.raises(REFUSED):
            connect(alive, user=user, password=password)


@AS_ROOT
def test_its_processes_run_without_roots_privileges(alive):
    with connect(alive):
        for process in processes(alive):
            assert rights(process.pid) == NONE


@AS_ROOT
@alive_of("postgresql", "pgbouncer")
def test_another_process_of_its_user_is_not_let_in_by_socket(alive, as_nobody):
    database = alive.database
    (socket,) = database.scratch.path.glob("**/.s.PGSQL.*[0-9]")
    for user in ("postgres", "artifact"):
        account = {"host": str(socket.parent), "port": database.server_port, "user": user}
        error = as_nobody(lambda account=account: psycopg.connect(**account, dbname="artifact"))
        assert "eer authentication failed" in error or "no pg_hba.conf entry" in error


@AS_ROOT
def test_it_runs_where_only_root_can_read_the_installation(start, tmp_path, monkeypatch):
    closed, at_exit = tmp_path / "closed", []
    closed.mkdir(mode=0o700)
    for module in (postgresql, pgbouncer):
        (closed / module.HOME.name).symlink_to(module.HOME)
        monkeypatch.setattr(module, "HOME", closed / module.HOME.name)
    monkeypatch.setattr(atexit, "register", at_exit.append)
    subject = start("pgbouncer")
    assert rows(subject) == data.ROWS
    subject.stop()
    assert len(at_exit) == 2
    for remove in at_exit:
        remove()


def test_several_live_side_by_side(start):
    subjects = [start("pgbouncer") for _ in range(2)]
    ports = [{subject.port, subject.database.server_port} for subject in subjects]
    assert ports[0].isdisjoint(ports[1])
    subjects[0].stop()
    assert rows(subjects[1]) == data.ROWS


# Its secret of SCRAM has a test of its own, below.
def test_the_pooler_checks_passwords_as_it_is_told(start):
    subject = start("pgbouncer", password_encryption="md5")
    assert subject.settings()["password_encryption"] == "md5"
    assert rows(subject) == data.ROWS


def connections(process):
    """None of a worker that has ended meanwhile."""
    try:
        return process.net_connections("inet")
    except (psutil.NoSuchProcess, FileNotFoundError):
        return []


@pytest.mark.parametrize("engine", ENGINES)
def test_it_listens_on_loopback_only_and_stop_leaves_nothing(start, temporary_folder, engine):
    subject = start(engine)
    found, password = processes(subject), subject.database.password
    places = [each for process in found for each in connections(process)]
    listening = {each.laddr.ip for each in places if each.status == psutil.CONN_LISTEN}
    assert listening == {"127.0.0.1"}
    started = filter(None, (subject.process, subject.pooler))
    assert not any(password in " ".join(process.argv) for process in started)
    for path in [subject.log, *subject.database.scratch.path.glob("*.sql")]:
        assert password not in path.read_text()
    assert left_over(temporary_folder)
    subject.stop()
    assert psutil.wait_procs(found, timeout=10)[1] == []
    assert not left_over(temporary_folder)


def test_the_pooler_gives_a_few_connections_to_many_clients(start):
    subject = start("pgbouncer", default_pool_size=2)
    assert subject.settings()["default_pool_size"] == "2"
    clients = [connect(subject) for _ in range(10)]
    backends = {client.execute("SELECT pg_backend_pid()").fetchone()[0] for client in clients}
    assert len(backends) <= 2
    for client in clients:
        client.close()


@pytest.mark.parametrize(
    ("given", "account"), [({}, "secret"), ({"auth_file": "plain"}, "password")]
)
def test_the_pooler_has_the_secret_or_the_password(start, given, account):
    subject = start("pgbouncer", password_encryption="scram-sha-256", scram_iterations=7, **given)
    assert subject.settings()["password_encryption"] == "scram-sha-256"
    database = subject.database
    # Each secret is made by the settings of its server.
    assert database.secret().startswith("SCRAM-SHA-256$7:")
    expected = {"secret": database.secret(), "password": database.password}[account]
    (file,) = database.scratch.path.glob("**/accounts.txt")
    assert file.read_text() == f'"artifact" "{expected}"\n'
    assert subject.settings().get("auth_file", "secret") == given.get("auth_file", "secret")
    assert rows(subject) == data.ROWS


def test_the_treatment_is_read_back(start):
    assert start(thread_handling="pool-of-threads", thread_pool_size=3).settings() == {
        "thread_handling": "pool-of-threads",
        "thread_pool_size": "3",
        "version": "11.4.5-MariaDB",
    }


@pytest.mark.parametrize(
    ("engine", "options", "said"),
    [
        ("mariadb", {"no_such": 1}, "unknown variable 'no_such=1'"),
        # Data that do not fit.
        (
            "mariadb",
            {"innodb_data_file_path": "ibdata1:12M:autoextend:max:12M", "innodb_file_per_table": 0},
            "full",
        ),
    ],
)
def test_what_fails_a_start_is_told_in_the_servers_own_words(
    start, temporary_folder, engine, options, said
):
    with pytest.raises(RuntimeError, match=said):
        start(engine, **options)
    assert not left_over(temporary_folder)


def test_data_that_are_not_what_their_seed_says_fail_a_start(start, temporary_folder, monkeypatch):
    monkeypatch.setattr(data, "SEED", data.SEED + 1)
    with pytest.raises(RuntimeError, match=r"the data are not what their seed says: \(10000, "):
        start("postgresql")
    assert not left_over(temporary_folder)


def test_data_lie_where_commits_reach_a_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(scratch, "data_folder", lambda: tmp_path)
    made = Scratch()
    made.remove()
    assert made.path.parent == tmp_path


@pytest.mark.parametrize(("engine", "who"), [("mariadb", "process"), ("pgbouncer", "pooler")])
def test_a_killed_process_is_an_outcome(start, engine, who):
    subject = start(engine)
    os.kill(getattr(subject, who).pid, signal.SIGKILL)
    assert getattr(subject, who).wait(10)
    assert subject.state("/sums", 1) == ("server_died", "exit status -9", None)
    assert subject.counters(None, 5) == {}
    assert subject.threads_started() is None
    if who == "process":
        with pytest.raises(OSError, match="does not answer"):
            subject.ask("/sums", 5)


@pytest.fixture
def runner(tmp_path, temporary_folder):
    """Starts a database in another process; returns that and the server."""

    def run(module, name):
        code = (
            "import tempfile, time; from pathlib import Path\n"
            f"tempfile.tempdir = {str(temporary_folder)!r}\n"
            f"from workloads.servers.databases.{module} import {name}\n"
            f"database = {name}({ENGINES[module]}, {CPUS}, Path({str(tmp_path)!r}), 1, 'log')\n"
            "print(database.process.pid, flush=True); time.sleep(60)"
        )
        process = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE)
        return process, psutil.Process(int(process.stdout.readline()))

    return run


def test_a_killed_runner_leaves_no_shared_memory(runner):
    process, server = runner("postgresql", "PostgreSQL")
    maps = Path(f"/proc/{server.pid}/maps").read_text().split()
    shared = [Path(word) for word in maps if word.startswith("/dev/shm/")]
    assert shared and all(path.exists() for path in shared)
    process.kill()
    process.communicate()
    server.wait(10)
    assert not any(path.exists() for path in shared)


def test_what_a_killed_runner_left_is_removed_by_the_next(runner, temporary_folder):
    process, server = runner("mariadb", "MariaDB")
    (orphan,) = left_over(temporary_folder)
    held = Scratch()
    assert orphan.exists()
    process.kill()
    process.communicate()
    until(lambda: not server.is_running())
    Scratch().remove()
    assert left_over(temporary_folder) == [held.path]
    held.remove()


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


@alive_of("postgresql", "pgbouncer")
def test_sysbench_loads_it(alive, tmp_path):
    before, start_s = alive.counters(None, 5), time.time()
    argv = sysbench.command(spec(alive.engine), None, alive)
    with (tmp_path / "generator.log").open("w") as log:
        subprocess.run(argv, cwd=tmp_path, stdout=log, stderr=log, timeout=60)
    load = sysbench.collect(spec(alive.engine), tmp_path, (start_s, time.time()))
    assert load["responses_2xx"] > 0
    assert alive.state("/sums", 5)[0] == "completed"
    if alive.pooler:
        grown = alive.counters(None, 5)["pooler_total_xact_count"]
        assert grown >= load["responses_2xx"]
    assert before["xact_commit"] > 0


@alive_of("mariadb")
def test_a_change_that_the_load_cannot_have_made_shows(alive):
    seen = [alive.ask("/sums", 5)]
    assert alive.state("/sums", 5) == ("completed", "", seen[0])
    for change in (
        "DELETE FROM sbtest1 WHERE id = 3",
        "UPDATE sbtest1 SET k = k + 1 WHERE id = 5",
        "UPDATE sbtest1 SET c = 'x' WHERE id = 7",
    ):
        alive.database.query(change)
        outcome, _, after = alive.state("/sums", 5)
        assert outcome == "completed" and after not in seen
        seen.append(after)
