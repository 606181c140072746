"""User-supplied servers: started by a command, watched with all their processes, faults named."""

import contextlib
import os
import re
import shlex
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest
import yaml

from profiles.watch import control_groups
from profiles.watch.telemetry import children, jvm_of, process_sample
from workloads.experiment.configuration import ConfigurationError
from workloads.experiment.grid import Grid
from workloads.experiment.plan import ModePlan, Name
from workloads.machine import provenance
from workloads.servers import listening, server, user_server
from workloads.servers.answers import hopeless
from workloads.servers.user_server import UserServer
from workloads.session import start as start_module
from workloads.session.start import ASK_AGAIN_S
from workloads.session.warm_all import compilers_of, spread_compilers
from workloads.tests.planned import plan_of, session_of
from workloads.tests.processes import command_lines, until
from workloads.tests.test_server import ANSWER
from workloads.tests.test_testbed import gone

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "workloads/examples/user-server"
JAR = ROOT / "servers/sockets/target/sockets.jar"
CPUS = sorted(os.sched_getaffinity(0))
ASKED = {
    "profile": ["cpu"],
    "mode": {},
    "testbed": {"profiler": {"event": "itimer", "interval_ms": 4}},
}
PYTHON = [sys.executable, "-c"]
LISTEN = """
import os, socket, sys, time
s = socket.socket(); s.bind(("{address}", {port})); s.listen()
print("it is up", flush=True)
"""


def listen(address="127.0.0.1", port="int(sys.argv[1])"):
    return LISTEN.format(address=address, port=port)


def code(address="127.0.0.1", status=200, **port):
    return listen(address, **port) + ANSWER.format(status=status)


def python(text):
    """A program whose last word is its port."""
    return [*PYTHON, text, "{port}"]


GOOD = python(code())


def until_it_said(words, monkeypatch):
    """`listening` of a server that is waited for until it has said so, however long that takes."""
    real = UserServer.listening

    def listening(server):
        if words in server.log.read_text():
            monkeypatch.setattr("workloads.servers.server.START_LIMIT_S", 0)
        return real(server)

    return listening


@pytest.fixture
def start(tmp_path, monkeypatch):
    """Starts a mode as a session does; returns what is alive and why nothing is."""
    sessions = []

    def run(*command, path="/", given_up_after="", backend=None, **more):
        if given_up_after:
            monkeypatch.setattr(UserServer, "listening", until_it_said(given_up_after, monkeypatch))
        mode = {"id": "mine", "command": list(command), **more}
        part = ModePlan(mode, {"id": "a-study", "verify_path": path}, backend, None, None)
        plan = replace(plan_of(), modes={"mine": part}, cells=(Name("mine", "low", "wrk2"),))
        session = session_of(plan, tmp_path / f"session-{len(sessions)}")
        sessions.append(session)
        session.start_all(["mine"])
        return session.place.alive.get("mine"), str(session.silent.get("mine", ""))

    yield run
    for session in sessions:
        session.stop("mine")
        session.place.close()
        session.threads.shutdown()


@pytest.fixture
def up(start):
    """Starts a mode that must come up."""

    def run(*command, **more):
        live, why = start(*command, **more)
        assert live and why == ""
        return live

    return run


@pytest.fixture
def refusal(start):
    """Why a mode does not come up."""

    def run(*command, **more):
        live, why = start(*command, **more)
        assert live is None
        return why

    return run


# ---- what comes up


def test_command_is_started_on_the_servers_cpus_and_asked(up, tmp_path):
    trap, told = tmp_path / "trap", tmp_path / "told"
    stop = ["sh", "-c", f"echo {{name}} {{port}} >{told}"]
    subject = up(
        *GOOD, f"; touch {trap}", f"$(touch {trap})", "{cpus}", "{name}", stop=stop
    ).subject
    assert subject.ask("/", 60) == b"ok"
    assert subject.start_up_s > 0
    assert os.sched_getaffinity(subject.process.pid) == set(CPUS[:1])
    # Only a JVM counts these.
    assert subject.threads_started() is None
    # Words in braces are filled in, and none reaches a shell.
    name = f"own-mine-{subject.port}"
    assert subject.process.argv[-2:] == [str(CPUS[0]), name]
    assert not trap.exists()
    subject.stop()
    assert told.read_text() == f"{name} {subject.port}\n"


def test_it_runs_in_its_folder_with_its_environment(up, tmp_path):
    says = "import os, sys, threading\n"
    says += "print(os.getcwd(), os.environ['PORT'], os.environ['TMPDIR'], flush=True)\n"
    # Its standard input stays open and silent.
    says += "def end(): sys.stdin.read(); os._exit(5)\n"
    says += "threading.Thread(target=end, daemon=True).start()\n"
    home = tmp_path / "home of mine"
    home.mkdir()
    live = up(
        *(*PYTHON, says + code(status=404, port="int(os.environ['PORT'])")),
        folder=str(home),
        environment={"PORT": "{port}", "LEVEL": 3},
        expected_status=404,
        expected_body="ok",
    )
    port, folder = live.subject.port, live.folder
    assert live.subject.log.read_text().startswith(f"{home} {port} {folder}/tmp\n")
    assert (folder / "tmp").is_dir()
    time.sleep(0.2)
    assert not live.subject.process.ended()


# ---- what does not


@pytest.mark.parametrize(
    ("command", "ended", "said"),
    [
        (["no-such-program"], "127; command: no-such-program", "No such file or directory"),
        ([*PYTHON, "print('no licence'); raise SystemExit(3)"], "3; command: ", "no licence"),
    ],
)
def test_command_that_ends_at_once_has_died_with_what_it_said(refusal, command, ended, said):
    why = refusal(*command, "{port}")
    assert why.startswith(f"server_died: mine: its command ended with status {ended}")
    assert why.partition("it said last: ")[2].endswith(said)


@pytest.mark.parametrize(
    ("program", "said", "found"),
    [
        ("import time; print('hm', flush=True); time.sleep(99)", "hm", "no port; command: "),
        (code("127.0.0.2"), "it is up", "127.0.0.2:"),
    ],
    ids=["nowhere", "address"],
)
def test_server_that_listens_elsewhere_is_told_where(refusal, program, said, found):
    why = refusal(*python(program), given_up_after=said)
    assert why.startswith("not_ready: mine: it must listen on port ")
    assert f"; its processes listen on {found}" in why
    assert why.endswith(f"it said last: {said}")


def test_wrong_answer_is_shown_beside_the_right_one(refusal, monkeypatch):
    limit = SimpleNamespace(START_LIMIT_S=0, STOPPING=threading.Event())
    monkeypatch.setattr(start_module, "server", limit)
    why = refusal(*GOOD, expected_body="yes")
    assert re.match(r"not_ready: mine: no right answer after \d+ s, last ", why)
    assert "body b'ok', not b'yes'" in why


# Listens before it is ready: answers 503, or closes the connection, as many times as its argument.
LATE = """
asked = 0
while True:
    c, _ = s.accept()
    asked += 1
    early = asked <= int(sys.argv[2])
    print("early" if early else "ready", flush=True)
    if c.recv(9999) and not (early and sys.argv[3] == "close"):
        status = b"503 Busy" if early else b"200 OK"
        c.sendall(b"HTTP/1.1 " + status + b"\\r\\nContent-Length: 2\\r\\n\\r\\nok")
    c.close()
"""
LATE = python(listen() + LATE)


def test_server_whose_port_opens_before_it_is_ready_is_asked_again(up):
    live = up(*LATE, "4", "close")
    assert live.subject.log.read_text().split("\n")[1:6] == [*["early"] * 4, "ready"]
    # Its start-up ends with a connection, too.
    assert live.subject.start_up_s + 3 * ASK_AGAIN_S < live.first_answer_s < 60


def test_server_that_stays_unready_is_refused_with_its_last_status(refusal, monkeypatch, capsys):
    limit = SimpleNamespace(START_LIMIT_S=60, STOPPING=threading.Event())
    said, asked = [], []

    def ask(*arguments, real=start_module.wrong_answer):
        asked.extend(said)
        if len(asked) > 3:
            limit.START_LIMIT_S = 0
        return real(*arguments)

    def say(line, real=start_module.say):
        said.append(line)
        real(line)

    monkeypatch.setattr(start_module, "server", limit)
    monkeypatch.setattr(start_module, "SAID_AFTER_S", 0.2)
    monkeypatch.setattr(start_module, "say", say)
    monkeypatch.setattr(start_module, "wrong_answer", ask)
    why = refusal(*LATE, "999", "503")
    refused = r"no right answer after \d+ s, last HTTPException\('status 503, not 200: ok'\)"
    assert re.search(refused, why)
    # A person who waits reads why, once.
    assert len(re.findall(f"{refused}; it has until 60 s", capsys.readouterr().err)) == 1


MOVED = code(status=302).replace("2\\r\\n\\r\\nok", "0\\r\\nLocation: /login\\r\\n\\r\\n")


def test_server_that_never_will_be_ready_is_refused_before_its_limit(refusal, monkeypatch):
    monkeypatch.setattr(start_module, "SAID_AFTER_S", 0.2)
    begun_s = time.monotonic()
    expected = "status 302 to /login, not 200'); name a ready_path that answers by itself"
    assert expected in refusal(*python(MOVED))
    assert time.monotonic() - begun_s < 60


@pytest.mark.parametrize(
    ("fault", "mode", "advice"),
    [
        ("status 404, not 200", {}, "name a ready_path that it has"),
        ("status 404, not 200", {"start_limit_s": 300}, ""),
        ("status 400, not 200", {}, "if it wants a header: ready_headers"),
        ("status 503, not 200", {}, ""),
        ("timed out", {}, ""),
    ],
)
def test_advice_on_a_server_that_will_never_be_ready(fault, mode, advice):
    assert hopeless(SimpleNamespace(mode=mode), fault).startswith(advice)
    assert bool(hopeless(SimpleNamespace(mode=mode), fault)) == bool(advice)


def test_server_that_ends_before_it_is_ready_has_died(refusal):
    ends = listen() + "while not s.accept()[0].recv(9): pass\nsys.exit(3)"
    assert refusal(*python(ends)).startswith("server_died: mine: ")


# ---- its processes


# A shell that waits for what it has started.
BEHIND_A_SHELL = ["sh", "-c", '"$@" & wait', "sh"]
JAVA = [str(provenance.java()), "-Xmx64m", "-XX:+UseSerialGC"]


EVENT_LOOP = [*JAVA, "-cp", str(JAR), "artifact.sockets.mode.EventLoop", "--backlog=50"]


def test_children_are_watched_and_end_with_it(up):
    live = up(*BEHIND_A_SHELL, *GOOD)
    pid = live.subject.process.pid
    (server,) = children(pid)
    assert process_sample("server", pid)["server_threads"] == 2
    live.subject.stop()
    assert live.subject.process.exit_status is not None
    until(lambda: gone(server), 60)


def test_jvm_among_its_processes_is_profiled_counted_and_has_compilers(up, tmp_path):
    live = up(*BEHIND_A_SHELL, *EVENT_LOOP, "--port={port}", path="/jmeter/test")
    subject = live.subject
    assert subject.jvm == jvm_of(children(subject.process.pid)) != subject.process.pid
    assert subject.threads_started() > 5
    (folder := tmp_path / "a-slice").mkdir()
    subject.start_profile(folder, ASKED)
    subject.end_profile()
    assert subject.profile(folder, ASKED)["engine"] == "itimer"
    assert (live.folder / "gc.log").exists()
    # They alone have more CPUs until it is warm.
    compilers = compilers_of(live)
    others = {int(name) for name in os.listdir(f"/proc/{subject.jvm}/task")} - compilers
    assert compilers and others
    for cpus in (CPUS, CPUS[:1]):
        spread_compilers({"mine": live}, cpus)
        assert affinities(compilers) == {frozenset(cpus)}
        assert affinities(others) == {frozenset(CPUS[:1])}


def affinities(threads):
    """The CPUs of those that are still there: HotSpot ends compilers that idle."""
    found = set()
    for thread in threads:
        with contextlib.suppress(ProcessLookupError):
            found.add(frozenset(os.sched_getaffinity(thread)))
    return found


def test_jvm_that_listens_is_profiled_and_not_the_one_before_it(up):
    """A build tool that starts the server may be a JVM, too."""
    both = shlex.join([*EVENT_LOOP, "--port=0"]) + ' & "$@" & wait'
    command = ["sh", "-c", both, "sh", *EVENT_LOOP, "--port={port}"]
    subject = up(*command, path="/jmeter/test").subject
    assert subject.jvm in children(subject.process.pid)
    until(lambda: subject.jvm != jvm_of(children(subject.process.pid)))


def test_another_program_has_no_profile_and_says_why(up, tmp_path):
    subject = up(*GOOD).subject
    with pytest.raises(RuntimeError, match="no JVM is among its processes"):
        subject.start_profile(tmp_path, ASKED)
    subject.end_profile()
    assert subject.profile(tmp_path, ASKED)["reason"] == "no JVM is among its processes"


# ---- the configuration


MINE = {"command": ["python3", "server.py", "{port}"], "folder": str(EXAMPLE)}


def configured(**mode):
    """config.yaml with the mode `mine` in request-threads."""
    config = yaml.safe_load((ROOT / "config.yaml").read_text())
    threads = config["studies"]["request-threads"]["comparisons"]["threads"]
    threads["modes"]["mine"] = mode
    return config


def test_user_supplied_server_joins_the_session_of_its_comparison():
    mine = MINE | {"baseline": "event-loop", "tiers": ["high/wrk2", "saturated/jmeter"]}
    grid = Grid(configured(**mine, verify_path="/health", expected_body="up"))
    found = {(cell.tier, cell.tool) for cell in grid.cells if cell.mode == "mine"}
    assert found == {("high", "wrk2"), ("saturated", "jmeter")}
    session = next(one for one in grid.sessions if one.path == "request-threads/threads/rep-1")
    assert {"mine", "event-loop"} <= {cell.mode for cell in session.cells}
    assert str(EXAMPLE / "server.py") in grid.files(session)
    assert grid.plan(session).modes["mine"].baseline == "event-loop"
    # Nothing of our server is said of it.
    cell = next(cell for cell in grid.cells if cell.mode == "mine")
    spec = grid.spec(cell)
    assert spec["study"] == {"id": "request-threads", "verify_path": "/health", "body_bytes": 42}
    assert (spec["backend"], spec["engine"]) == (None, None)
    assert spec["mode"] == {"id": "mine", "expected_body": "up"} | MINE
    # Its baseline's jar.
    assert grid.jars(grid.alone(cell)) == ["servers/sockets/target/sockets.jar"]
    neighbor = next(cell for cell in grid.cells if cell.mode == "event-loop")
    assert "server" in grid.spec(neighbor)["study"]


def test_answers_that_vary_have_no_length_that_is_right():
    # Its port may stand in the environment alone.
    told = {"command": ["run"], "environment": {"PORT": "{port}"}, "tiers": ["high/wrk2"]}
    grid = Grid(configured(**told, answers_vary=True))
    spec = next(grid.spec(cell) for cell in grid.cells if cell.mode == "mine")
    assert "body_bytes" not in spec["study"]
    assert spec["mode"]["answers_vary"] is True


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"command": ["run"]}, 'command = ["run"]; allowed: words of which one, or'),
        ({"folder": "no/such"}, 'folder = "no/such"; allowed: a folder that is there'),
        ({"options": {"backlog": 5}}, '"backlog": 5}; allowed: only without a command'),
    ],
)
def test_fault_is_named_with_its_value_and_what_is_allowed(changed, expected):
    with pytest.raises(ConfigurationError, match="mine.") as caught:
        Grid(configured(**MINE | changed))
    assert expected in str(caught.value)


# ---- what it is


def test_user_supplied_server_is_its_program_the_files_it_names_and_its_folder(tmp_path):
    for folder in ("home/part", "home/__pycache__"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("run", "part/a.txt", ".hidden", "__pycache__/b.pyc"):
        (tmp_path / "home" / name).write_text(name)
    (tmp_path / "home/run").chmod(0o755)
    (tmp_path / "settings").write_text("1")
    mode = {"command": ["./run", str(tmp_path / "settings"), "--port={port}", "x" * 999]}
    mode |= {"folder": str(tmp_path / "home")}

    def found(**changed):
        return {path.name for path in provenance.user_files(mode | changed)}

    assert found() == {"run", "a.txt", "settings"}
    assert found(command=["sh", "-c", "exit"]) == {"sh", "run", "a.txt"}
    # Without a folder it runs in this checkout, of which it is no more than it names.
    of_checkout = {"command": ["python3", "workloads/experiment/grid.py", "{port}"]}
    assert {path.name for path in provenance.user_files(of_checkout)} == {"python3", "grid.py"}


def test_change_of_a_file_is_another_server(tmp_path):
    mode = {"command": ["sh", "run.sh", "{port}"], "folder": str(tmp_path)}
    spec = {"study": {"id": "a-study"}, "backend": None, "mode": mode}

    def fingerprint(name, text):
        (tmp_path / name).write_text(text)
        provenance.sha256.cache_clear()
        return provenance.fingerprint(spec)

    first = fingerprint("run.sh", "exit")
    assert fingerprint(".cache", "x") == first
    assert fingerprint("run.sh", "exit 1") != first


# ---- the process that listens is measured


# Stands for a container engine, which is there before: starts a command for each line it is sent.
ENGINE = """
import json, subprocess, sys
for line in sys.stdin:
    subprocess.Popen(json.loads(line), start_new_session=True, stdin=subprocess.DEVNULL)
"""
HELD = "held = b'x' * (40 << 20)\n"


@pytest.fixture
def engine(tmp_path):
    """A command that has the engine start another; nothing of it is a child of the command."""
    pipe = tmp_path / "engine"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDWR)
    process = subprocess.Popen([sys.executable, "-c", ENGINE], stdin=reading)
    # Older than a command by more than the ticks of /proc.
    time.sleep(0.1)
    send = 'import json, sys, time; open(sys.argv[1], "w").write(json.dumps(sys.argv[2:]) + "\\n")'
    yield [*PYTHON, f"{send}; print('sent', flush=True); time.sleep(999)", str(pipe)], process.pid
    os.close(reading)
    process.kill()
    process.wait()


def test_process_of_another_session_is_measured_placed_and_ended(up, engine):
    command, engine_pid = engine
    live = up(*command, *python(HELD + code()))
    server = psutil.Process(live.subject.process.pid)
    assert server.ppid() == engine_pid
    assert live.idle["server_rss_bytes"] > 40 << 20
    assert os.sched_getaffinity(server.pid) == set(CPUS[:1])
    assert live.subject.ask("/", 60) == b"ok"
    live.subject.stop()
    assert gone(server.pid)
    assert live.subject.process.ended()


@pytest.mark.skipif(os.geteuid() != 0, reason="a control group of its own needs root")
def test_memory_of_a_control_group_is_that_of_all_its_processes(up, engine):
    parent = control_groups.memory_group("self")
    if not parent or not os.access(parent, os.W_OK):
        pytest.skip("no control group can be made here")
    group = parent / f"own-{os.getpid()}"
    try:
        group.mkdir()
    except OSError as fault:
        pytest.skip(str(fault))
    enter = ["sh", "-c", f'echo $$ >{group}/cgroup.procs && exec "$@"', "sh"]
    try:
        subject = up(*engine[0], *enter, *python(HELD + code())).subject
        assert control_groups.own_group(subject.process.pid) == group
        assert 40 << 20 < control_groups.memory_bytes(group) < 400 << 20
        subject.stop()
    finally:
        until(lambda: not (group / "cgroup.procs").read_text())
        group.rmdir()


def test_command_that_goes_to_the_background_leaves_nothing_behind(up):
    behind = "import os\nif os.fork(): os._exit(0)\nos.setsid()\nif os.fork(): os._exit(0)\n"
    live = up(*python(behind + code()))
    assert live.idle["server_threads"] == 1
    live.subject.stop()
    assert gone(live.subject.process.pid)


def test_nothing_of_a_background_command_that_does_not_listen_is_left(refusal, monkeypatch):
    monkeypatch.setattr(server, "START_LIMIT_S", 1)
    behind = "import os, time\nif os.fork(): os._exit(0)\nos.setsid()\ntime.sleep(999)\n"
    assert "mine: " in refusal(*python(behind))
    assert command_lines(behind) == []


def test_server_is_waited_for_until_the_session_ends(refusal, monkeypatch):
    begun_s = time.monotonic()
    monkeypatch.setattr(server, "STOPPING", ended := threading.Event())
    ended.set()
    assert "it must listen on port" in refusal(*PYTHON, code(), "0")
    assert time.monotonic() - begun_s < 30


ENDED = (1 << 22) + 1


@pytest.mark.parametrize(
    ("holders", "expected"),
    [
        ([], "answers, but this user cannot read which process listens there"),
        ([ENDED], f"process {ENDED}, which listened on port"),
    ],
)
def test_listener_that_cannot_be_read_or_ends_is_named(refusal, monkeypatch, holders, expected):
    monkeypatch.setattr(user_server, "holders", lambda port: holders)
    assert expected in refusal(*GOOD)


def test_forwarder_of_a_container_is_not_taken_for_the_server(monkeypatch):
    monkeypatch.setattr(listening, "FORWARDERS", {psutil.Process().name()})
    assert "passes requests on" in listening.why_not_measured([os.getpid()], 80, 0.0)
    assert listening.why_not_measured([os.getpid()], 80, 1e12).endswith("another {port}")


# ---- its backend


def test_backend_starts_before_and_ends_after(up):
    marks = "import os; print('backend port', os.environ['DB'], flush=True)\n"
    backend = {"command": GOOD, "ready": "/", "environment": {"A": "{name}"}}
    live = up(
        *python(marks + code()),
        environment={"DB": "{backend_port}"},
        backend={"id": "own", "cpus": "generator"} | backend,
    )
    pid = live.backend.process.pid
    assert live.subject.log.read_text().startswith(f"backend port {live.backend.port}\n")
    assert live.backend.server.ask("/", 60) == b"ok"
    assert pid in {process.pid for process in live.processes()}
    assert os.sched_getaffinity(pid) == set(CPUS[-1:])
    live.backend.stop()
    assert gone(pid)


def test_shared_backend_is_one_and_no_cost_of_a_neighbor(up):
    live = up(*GOOD, backend={"id": "own", "cpus": "server", "command": GOOD, "shared": True})
    busy_s = process_sample("server", live.subject.process.pid)["server_cpu_s"]
    assert live.cpu_s() == pytest.approx(busy_s, abs=0.05)
    live.backend.stop()


@pytest.mark.parametrize(
    ("backend", "expected"),
    [
        ({"command": python("print('no disk')")}, "it said last: no disk"),
        ({"command": GOOD, "ready": ["false"], "start_limit_s": 3}, "it was not ready after "),
    ],
)
def test_backend_that_does_not_come_up_is_named(start, backend, expected):
    with pytest.raises(RuntimeError, match=expected):
        start(*GOOD, backend={"id": "own", "cpus": "generator"} | backend)
