"""The MariaDB of a cell: answers its own user on loopback only, and leaves nothing behind."""

import atexit
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import psutil
import pymysql
import pytest

from workloads.servers.databases import mariadb, scratch
from workloads.servers.databases.mariadb import MariaDB
from workloads.servers.databases.scratch import PREFIX, Scratch
from workloads.tests.processes import NONE, rights, until

ROOT = Path(__file__).resolve().parents[2]
CPUS = sorted(os.sched_getaffinity(0))
SMALL = {"innodb_buffer_pool_size": "16M", "innodb_log_file_size": "8M"}


@pytest.fixture(autouse=True)
def temporary_folder(tmp_path, monkeypatch):
    """Where data directories are made: this test's own, so that what is left there shows.

    Unlike tmp_path, which pytest makes first, it can be entered by the user that servers run as.
    """
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    """One for tests that leave it as it is."""
    folder = tmp_path_factory.mktemp("database")
    database = MariaDB(SMALL | {"max_connections": 77}, CPUS, folder, 1, "log")
    yield database
    database.stop()


def left_over(folder):
    return list(folder.glob(f"{PREFIX}*"))


def test_it_answers_its_user_with_the_variables_asked_for(database):
    with database.connect() as connection, connection.cursor() as cursor:
        cursor.execute("SELECT @@max_connections, @@innodb_buffer_pool_size, DATABASE()")
        assert cursor.fetchone() == (77, 16 << 20, "artifact")


@pytest.mark.parametrize(
    ("user", "password"), [("artifact", "wrong"), ("artifact", ""), ("root", ""), ("", "")]
)
def test_no_one_else_gets_in(database, user, password):
    with pytest.raises(pymysql.OperationalError, match="denied"):
        pymysql.connect(host="127.0.0.1", port=database.port, user=user, password=password)


def test_it_listens_on_loopback_only(database):
    found = psutil.Process(database.process.pid).net_connections("inet")
    listening = [each.laddr for each in found if each.status == psutil.CONN_LISTEN]
    assert listening == [("127.0.0.1", database.port)]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has privileges to drop")
def test_it_runs_without_roots_privileges(database):
    assert rights(database.process.pid) == NONE


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can enter every folder")
def test_it_runs_where_only_root_can_read_the_installation(tmp_path, monkeypatch):
    closed = tmp_path / "closed/mariadb"
    closed.parent.mkdir(mode=0o700)
    closed.symlink_to(mariadb.HOME)
    monkeypatch.setattr(mariadb, "HOME", closed)
    at_exit = []
    monkeypatch.setattr(atexit, "register", at_exit.append)
    database = MariaDB(SMALL, CPUS, tmp_path, 1, "log")
    assert database.query("SELECT 1") == [(1,)]
    database.stop()
    (remove,) = at_exit
    remove()


def test_several_live_side_by_side(database, tmp_path):
    other = MariaDB(SMALL, CPUS, tmp_path, 1, "log")
    other.query("CREATE TABLE only_here (id INT)")
    assert other.query("SHOW TABLES") == [("only_here",)]
    assert database.query("SHOW TABLES") == []
    other.stop()
    assert database.query("SELECT 1") == [(1,)]


def test_neither_its_password_nor_it_is_left_anywhere(tmp_path, temporary_folder):
    database = MariaDB(SMALL, CPUS, tmp_path, 1, "log")
    assert database.password not in " ".join(psutil.Process(database.process.pid).cmdline())
    for path in [tmp_path / "log", *database.scratch.path.glob("*.sql")]:
        assert database.password not in path.read_text()
    assert left_over(temporary_folder)
    database.stop()
    assert not psutil.pid_exists(database.process.pid)
    assert not left_over(temporary_folder)


def test_a_wrong_variable_is_told_in_the_servers_own_words(tmp_path, temporary_folder):
    with pytest.raises(RuntimeError, match="unknown variable 'no_such_variable=1'"):
        MariaDB(SMALL | {"no_such_variable": 1}, CPUS, tmp_path, 1, "log")
    assert not left_over(temporary_folder)


def test_data_lie_where_commits_reach_a_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(scratch, "data_folder", lambda: tmp_path)
    made = Scratch()
    made.remove()
    assert made.path.parent == tmp_path


def test_what_a_killed_runner_left_is_removed_by_the_next(temporary_folder):
    code = (
        "import tempfile, time; from pathlib import Path\n"
        f"tempfile.tempdir = {str(temporary_folder)!r}\n"
        "from workloads.servers.databases.mariadb import MariaDB\n"
        f"database = MariaDB({SMALL}, {CPUS}, Path(tempfile.tempdir), 1, 'log')\n"
        "print(database.process.pid, flush=True); time.sleep(60)"
    )
    runner = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE)
    pid = int(runner.stdout.readline())
    (orphan,) = left_over(temporary_folder)
    held = Scratch()
    assert orphan.exists()
    os.kill(runner.pid, signal.SIGKILL)
    runner.communicate()
    until(lambda: not psutil.pid_exists(pid))
    Scratch().remove()
    assert left_over(temporary_folder) == [held.path]
    held.remove()
