"""PostgreSQL and the pooler before it: answer their own user on loopback, leave nothing behind."""

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
import pytest

from workloads.servers.databases import pgbouncer, postgresql
from workloads.servers.databases.scratch import PREFIX
from workloads.servers.databases.subject import DatabaseSubject
from workloads.tests.processes import NONE, rights
from workloads.tools import sysbench

ROOT = Path(__file__).resolve().parents[2]
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


def test_a_user_without_a_name_is_named_by_number(monkeypatch):
    monkeypatch.setattr(postgresql.os, "geteuid", lambda: 54321)
    with pytest.raises(RuntimeError, match="PostgreSQL needs a name for user 54321: add a line"):
        postgresql.runner_name()


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
        started.append(DatabaseSubject(spec(engine, **options), CPUS, tmp_path, 1))
        return started[-1]

    yield start_subject
    for subject in started:
        subject.stop()


def connect(subject, **other):
    account = {"user": "artifact", "password": subject.database.password, "dbname": "artifact"}
    return psycopg.connect(host="127.0.0.1", port=subject.port, **account | other)


@pytest.fixture(scope="module", params=VARIABLES)
def alive(request, tmp_path_factory):
    """A subject of each engine, for tests that leave it as it is."""
    subject = DatabaseSubject(spec(request.param), CPUS, tmp_path_factory.mktemp("alive"), 1)
    yield subject
    subject.stop()


def rows(subject):
    with connect(subject) as connection:
        return connection.execute("SELECT COUNT(*) FROM sbtest1").fetchone()[0]


def processes(subject):
    return [psutil.Process(each.pid) for each in (subject.process, subject.pooler) if each]


def test_it_answers_its_user_and_no_other(alive):
    assert rows(alive) == 10_000
    for other in ({"password": "wrong"}, {"user": "postgres", "dbname": "postgres"}):
        with pytest.raises(psycopg.OperationalError):
            connect(alive, **other)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has privileges to drop")
def test_its_processes_run_without_roots_privileges(alive):
    with connect(alive):
        found = processes(alive)
        for process in (*found, *found[0].children()):
            assert rights(process.pid) == NONE


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_another_process_of_its_user_is_not_let_in_by_socket(alive, as_nobody):
    database = alive.database
    (socket,) = database.scratch.path.glob("**/.s.PGSQL.*[0-9]")
    for user in ("postgres", "artifact"):
        account = {"host": str(socket.parent), "port": database.server_port, "user": user}
        error = as_nobody(lambda account=account: psycopg.connect(**account, dbname="artifact"))
        assert "eer authentication failed" in error or "no pg_hba.conf entry" in error


def test_the_installed_data_trusts_no_client():
    lines = (postgresql.TEMPLATE / "pg_hba.conf").read_text().splitlines()
    methods = {line.split()[-1] for line in lines if line and not line.startswith("#")}
    assert methods == {"peer", "md5"}
    assert postgresql.TEMPLATE.stat().st_uid == postgresql.HOME.stat().st_uid


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can enter every folder")
def test_it_runs_where_only_root_can_read_the_installation(start, tmp_path, monkeypatch):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    for module in (postgresql, pgbouncer):
        (closed / module.HOME.name).symlink_to(module.HOME)
        monkeypatch.setattr(module, "HOME", closed / module.HOME.name)
    at_exit = []
    monkeypatch.setattr(atexit, "register", at_exit.append)
    subject = start("pgbouncer")
    assert rows(subject) == 10_000
    subject.stop()
    assert len(at_exit) == 2
    for remove in at_exit:
        remove()


def test_several_live_side_by_side(start, temporary_folder):
    subjects = [start("pgbouncer") for _ in range(2)]
    ports = [port for subject in subjects for port in (subject.port, subject.database.server_port)]
    assert len(set(ports)) == 4
    subjects[1].stop()
    assert subjects[0].state("/sums", 5)[0] == "completed"


# The pooler's secret of SCRAM has a test of its own, below.
@pytest.mark.parametrize(
    ("engine", "method"),
    [("postgresql", "md5"), ("postgresql", "scram-sha-256"), ("pgbouncer", "md5")],
)
def test_it_checks_passwords_as_it_is_told(start, engine, method):
    subject = start(engine, password_encryption=method)
    assert subject.settings()["password_encryption"] == method
    assert rows(subject) == 10_000


def connections(process):
    """None of a worker that has ended meanwhile."""
    try:
        return process.net_connections("inet")
    except (psutil.NoSuchProcess, FileNotFoundError):
        return []


@pytest.mark.parametrize("engine", VARIABLES)
def test_it_listens_on_loopback_only_and_stop_leaves_nothing(start, temporary_folder, engine):
    subject = start(engine)
    found = processes(subject)
    found += found[0].children()
    listening = {
        connection.laddr.ip
        for process in found
        for connection in connections(process)
        if connection.status == psutil.CONN_LISTEN
    }
    assert listening == {"127.0.0.1"}
    subject.stop()
    assert psutil.wait_procs(found, timeout=10)[1] == []
    assert list(temporary_folder.glob(f"{PREFIX}*")) == []


def test_the_pooler_gives_a_few_connections_to_many_clients(start):
    subject = start("pgbouncer", default_pool_size=2)
    assert subject.settings()["default_pool_size"] == "2"
    clients = [connect(subject, autocommit=True) for _ in range(10)]
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
    assert rows(subject) == 10_000


def test_a_setting_that_is_wrong_is_told_in_the_servers_own_words(start):
    with pytest.raises(RuntimeError, match='unrecognized configuration parameter "no_such"'):
        start("postgresql", no_such=1)


def is_there(files, segments):
    """Whether all of this shared memory is; fails where only a part is."""
    ids = {line.split()[1] for line in Path("/proc/sysvipc/shm").read_text().splitlines()}
    found = {*map(Path.exists, files), *(segment in ids for segment in segments)}
    assert files and segments and len(found) == 1
    return found.pop()


@pytest.mark.parametrize("who", ["process", "pooler"])
def test_a_killed_process_is_an_outcome_and_leaves_nothing(start, who):
    subject = start("pgbouncer")
    files, segments = subject.database.shared
    # The server makes more once it works.
    for each in psutil.Process(subject.process.pid).children():
        files = {*files, *postgresql.shared_memory(each.pid)[0]}
    os.kill(getattr(subject, who).pid, signal.SIGKILL)
    assert getattr(subject, who).wait(10)
    assert subject.state("/sums", 1) == ("server_died", "exit status -9", None)
    assert is_there(files, segments)
    subject.stop()
    assert len(files) > 1 and not is_there(files, segments)


def test_a_killed_runner_leaves_no_shared_memory(tmp_path, temporary_folder):
    code = (
        "import tempfile, time; from pathlib import Path\n"
        f"tempfile.tempdir = {str(temporary_folder)!r}\n"
        "from workloads.servers.databases.postgresql import PostgreSQL\n"
        f"database = PostgreSQL({POSTGRESQL}, {CPUS}, Path({str(tmp_path)!r}), 1, 'log')\n"
        "print(database.process.pid, flush=True); time.sleep(60)"
    )
    runner = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE)
    server = psutil.Process(int(runner.stdout.readline()))
    shared = postgresql.shared_memory(server.pid)
    assert is_there(*shared)
    runner.kill()
    runner.communicate()
    server.wait(10)
    assert not is_there(*shared)


def test_sysbench_loads_it(alive, tmp_path):
    subject, engine = alive, "pgbouncer" if alive.pooler else "postgresql"
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
