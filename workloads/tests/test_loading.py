"""A load of one server: what it cost, its outcome, and what happens around it, in order."""

import time
from types import SimpleNamespace

import pytest

from profiles.watch.speed import Speed
from workloads.record import slice as slice_module
from workloads.record.slice import PLAIN, PROFILED, Live, Turn
from workloads.servers.backends import Backend
from workloads.session import loading as loading_module
from workloads.session.loading import Loading
from workloads.session.metrics import Window
from workloads.session.place import Place, Spent
from workloads.tools.generator_place import Ran

TOOL = SimpleNamespace(LOOP="closed")
JMETER = {"id": "jmeter"}
SPEC = {
    "backend": {"id": "mariadb", "cpus": "server"},
    "engine": None,
    "study": {"verify_path": "/ping"},
    "testbed": {"request_timeout_s": 1, "telemetry_hz": 10},
}


def loading(live, spec=SPEC, tool=TOOL, **place):
    speeds = SimpleNamespace(of=lambda *_: Speed(1.0, 200.0))
    fields = {"server_cpus": [0], "generator_cpus": [1], "speeds": speeds}
    return Loading(tool, spec, live, Place(**fields | place), None)


def metrics_of(one, telemetry=None, load=(), idle_s=0.0, **fields):
    others = Spent(1.0, {"other": idle_s, "third": 0.0}, {"other": beyond(idle_s), "third": 0.0})
    window = Window(WINDOW | dict(load), telemetry or telemetry_of(), one.place)
    return window.metrics(one.beside(), others, ran((0.0, 4.0), **fields))


def beyond(idle_s):
    """A quarter is the idle cost."""
    return 0.75 * idle_s


def ran(window_s, timed_out=False, cpus=None):
    return Ran(["a-tool"], 0, timed_out, window_s, cpus)


def load_with(answered, in_flight, timeouts, answers_per_s=0.0):
    load = {"responses_2xx": answered, "answers_per_s": answers_per_s}
    errors = {"timeout": timeouts} if timeouts else {}
    return load | {"in_flight_at_end": in_flight, "errors": errors}


@pytest.mark.parametrize(
    ("outcome", "load", "expected"),
    [
        ("hung", load_with(5, 3, 4), ("completed", "still holds 7 requests of its load")),
        ("hung", load_with(0, 3, 4), ("hung", "silence")),
        # It still answers what came before the window.
        ("hung", load_with(0, 3, 0, 1.0), ("completed", "still holds 3 requests of its load")),
        # It answered all requests, and then no more.
        ("hung", load_with(5, 0, 0), ("hung", "silence")),
        ("server_died", load_with(5, 3, 0), ("server_died", "silence")),
    ],
)
def test_server_that_still_holds_requests_does_not_hang(live, outcome, load, expected):
    assert loading(live).judged(outcome, "silence", load) == expected


@pytest.mark.parametrize("died", ["mariadb", "remote"])
def test_backend_that_died_behind_a_server_is_named(live, died):
    def process(name):
        log = live.folder / f"{name}.log"
        log.write_text("one\ntwo\nthree\nout of disk\n")
        return SimpleNamespace(ended=lambda: name == died, exit_status=-9, log=log)

    live.backend = Backend(process("mariadb"), [])
    live.backend.add(Backend(process("remote"), []))
    backends = SPEC["backend"] | {"others": [{"id": "remote", "cpus": "generator"}]}
    expected = ("backend_died", f"{died} ended with status -9: two | three | out of disk")
    one = loading(live, SPEC | {"backend": backends})
    assert one.judged("hung", "", load_with(5, 0, 0)) == expected


@pytest.mark.parametrize(("closed", "reconnects"), [(12, 0), (512, 250), (1012, 500)])
def test_connections_that_the_tool_does_not_count_are_those_that_ended(
    load_slice, monkeypatch, closed, reconnects
):
    monkeypatch.setattr(loading_module, "closed_since", lambda port, seconds: closed)
    # Ten users with a connection each; in the window, half of the run, two requests failed.
    tool = {"id": "jmeter", "users": 10, "keep_alive": True}
    counts = {"requests_recorded": 500, "responses_2xx": 498, "counted_requests": 1000}
    done, _ = load_slice(tool=tool, **counts)
    assert done.load["reconnects"] == reconnects
    # due knows it better.
    assert load_slice(tool=tool, reconnects=3, **counts)[0].load["reconnects"] == 3
    assert "reconnects" not in load_slice(**counts)[0].load


def test_server_without_a_body_has_answered_all_the_same(load_slice, monkeypatch):
    """A 204 before and after the load is an answer, unlike silence."""
    monkeypatch.setattr(Subject, "rows", lambda *_: 3)
    for state, expected in ((("completed", "", b""), (b"", 3)), (("hung", "", None), (None, None))):
        monkeypatch.setattr(Subject, "state", lambda *_, state=state: state)
        accounts = load_slice()[0].accounts
        assert (accounts["body"], accounts["after"]["rows"]) == expected


def telemetry_of(compilers=("a thread",), **per_s):
    found = Telemetry([])
    found.samples, found.compilers = samples_of(**PER_S | per_s), compilers
    return found


def samples_of(**per_s):
    """From 0 to 4 s, counters that grow by so much a second."""
    whole = {"server_threads": 7.0, "accept_queue": 2.0}
    return [{"time_s": float(t)} | whole | {k: v * t for k, v in per_s.items()} for t in range(5)]


PER_S = {"server_cpu_s": 0.6, "compiler_cpu_s": 0.1, "server_cpus_idle_s": 0.1, "steal_s": 0.0}
PER_S |= {"generator_cpu_s": 0.4, "backend_cpu_s": 0.15, "second_backend_cpu_s": 0.1}
WINDOW = {"start_epoch_s": 1.0, "end_epoch_s": 3.0, "answers_per_s": 1000.0, "duration_s": 2.0}


def test_cpu_time_per_request_is_without_compilers(live):
    one = loading(live)
    expected = {"server_cpu_s": 1.2, "compiler_cpu_s": 0.2, "compiler_share": 1 / 6}
    expected |= {"cpu_us_per_request": 500, "backend_cpu_us_per_request": None, "peak_threads": 7}
    expected |= {"generator_cpu_share": 0.4, "generator_cpu_us_per_request": 400}
    metrics = metrics_of(one)
    assert {key: metrics[key] for key in expected} == pytest.approx(expected)
    no_jvm = telemetry_of(compilers=(), compiler_cpu_s=0.0)
    metrics = metrics_of(one, no_jvm)
    assert (metrics["compiler_cpu_s"], metrics["compiler_share"]) == (None, None)
    assert metrics["cpu_us_per_request"] == pytest.approx(600)
    silent = metrics_of(one, no_jvm, {"answers_per_s": 0.0})
    assert silent["cpu_us_per_request"] is None
    no_jvm.knows = lambda *_: False
    assert metrics_of(one, no_jvm)["cpu_us_per_request"] is None


def test_steal_is_a_share_of_all_cpus_and_of_the_servers(live, monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    metrics = metrics_of(loading(live), telemetry_of(steal_s=0.4, server_steal_s=0.2))
    assert metrics["steal_share"] == pytest.approx(0.1)
    assert metrics["server_steal_share"] == pytest.approx(0.2)


def test_generator_elsewhere_says_itself_how_many_cpus_it_used(live):
    one = loading(live)
    one.place.generator = SimpleNamespace(cpus=[0, 1, 2, 3], address="10.0.0.2")
    assert metrics_of(one, cpus=2.0)["generator_cpu_share"] == 0.5


def test_others_are_neither_the_server_nor_what_idles_beside_it_nor_its_backend(live):
    def others(idle_s=0.0, **place):
        metrics = metrics_of(loading(live, **place), idle_s=idle_s)
        return metrics["others_cpu_share"], metrics["idle_neighbors_share"]

    assert others() == pytest.approx((0.3, 0))
    # A generator on the server's CPU is none of the others.
    assert others(generator_cpus=[0]) == pytest.approx((0, 0), abs=1e-9)
    assert others(server_cpus=[0, 2], generator_cpus=[0, 2]) == pytest.approx((0.45, 0))
    assert others(idle_s=0.2) == pytest.approx((0.2, beyond(0.05)))
    # Two CPUs have twice as much time that is not idle.
    assert others(server_cpus=[0, 2]) == pytest.approx((0.65, 0))
    live.backend = Backend(SimpleNamespace(pid=4), [])
    assert others() == pytest.approx((0.15, 0))
    # A second one counts where it shares the server's CPUs.
    live.backend.add(Backend(SimpleNamespace(pid=5), []))
    for cpus, expected in (("server", 0.05), ("generator", 0.15)):
        second = {"others": [{"id": "remote", "cpus": cpus}]}
        asked = SPEC | {"backend": SPEC["backend"] | second}
        assert others(spec=asked) == pytest.approx((expected, 0))
    live.backend = None
    # More than there is to share out is none.
    assert others(idle_s=5.0)[0] == 0


def test_idle_clocks_are_those_of_the_other_modes(live, monkeypatch):
    process, pooler, database = (SimpleNamespace(pid=pid) for pid in (10, 20, 40))
    subject = SimpleNamespace(process=process, pooler=pooler)
    other = Live("other", subject, Backend(database, []), None, {}, {})
    monkeypatch.setattr(slice_module, "clock_s", float)
    place = loading(live, alive={"a-mode": live, "other": other}).place
    (other,) = place.others("a-mode").values()
    assert other.cpu_s() == 70


class Subject:
    """A server that notes its requests, in order."""

    port, pooler, client_environment = 1, None, {}
    process = SimpleNamespace(pid=1)
    threads_started, rows, counters = (lambda *_: 0), (lambda *_: None), (lambda *_: {})

    def __init__(self, notes, outcome="completed"):
        self.notes, self.outcome = notes, outcome
        self.start_profile = lambda *_: notes.append("profile begins")
        self.end_profile = lambda: notes.append("profile ends")

    def ask(self, path, limit_s):
        self.notes.append("asked")
        return b"ok"

    def state(self, path, limit_s):
        return self.outcome, "" if self.outcome == "completed" else "silence", b"ok"

    def watch(self, path, limit_s, *, on):
        self.notes.append(f"samplers {'on' if on else 'off'}")


class Telemetry:
    knows, stood_still_s = (lambda *_: True), (lambda *_: 0.0)

    def __init__(self, notes):
        self.samples, self.compilers = samples_of(server_cpu_s=0.6, server_cpus_idle_s=0.38), []
        self.start = lambda: notes.append("telemetry begins")
        self.stop = lambda: notes.append("telemetry ends")
        self.window = lambda *_: self.samples


@pytest.fixture
def load_slice(live, monkeypatch):
    """Loads a slice on a server that notes what happens; returns the slice and the notes."""

    def run(kind=PLAIN, outcome="completed", timed_out=False, tool=JMETER, **load):
        notes = []
        live.subject = Subject(notes, outcome)
        spec = SPEC | {"backend": None, "tier": {"id": "low"}, "tool": tool}
        spec["profile"] = ["cpu", "states"]
        whole = WINDOW | load_with(98, 0, 0) | {"requests_recorded": 100, "loop": "closed"} | load
        stub = SimpleNamespace(LOOP="closed")
        stub.generator = lambda spec: {"name": "a tool", "version": "1"}
        stub.collect = lambda spec, folder, ran_s: dict(whole)
        one = loading(live, spec, stub)
        run.place = one.place

        def generate(folder, telemetry):
            notes.append("load")
            return ran((time.time() - 5, time.time()), timed_out)

        monkeypatch.setattr(one, "generate", generate)
        monkeypatch.setattr(one, "telemetry", lambda: Telemetry(notes))
        return one.slice(Turn(1, 1, kind)), notes

    return run


def test_slice_in_which_the_machine_stood_still_is_no_fault_of_its_server(load_slice, monkeypatch):
    monkeypatch.setattr(Telemetry, "stood_still_s", lambda telemetry: 20.0)
    done, _ = load_slice(outcome="hung")
    assert (done.outcome, done.reason, done.counts) == ("completed", "", False)
    assert "stood_still" in done.faults


def test_profiled_slice_alone_has_profiler_and_samplers_around_its_load(load_slice):
    _, notes = load_slice(PROFILED)
    begins = ["asked", "samplers on", "profile begins", "telemetry begins"]
    assert notes == [*begins, "load", "telemetry ends", "samplers off", "profile ends"]
    done, notes = load_slice()
    # The one before has left an answer.
    assert notes == ["telemetry begins", "load", "telemetry ends"] and done.kept
    assert (done.folder.name, done.outcome) == ("plain-low-jmeter-1", "completed")
    share = {"cpu_share": done.metrics["generator_cpu_share"]}
    named = {"name": "a tool", "version": "1"}
    assert done.load["generator"] == named | share


def test_slice_begins_with_what_the_one_before_has_left(load_slice, live):
    first, _ = load_slice()
    second, notes = load_slice()
    assert notes == ["telemetry begins", "load", "telemetry ends"]
    assert second.accounts["body_before"] == b"ok"
    assert second.accounts["before"] is first.accounts["after"]
    # Requests of its load may still change what it counts, and keep it busy.
    load_slice(errors={"timeout": 3})
    assert live.left == {}
    assert load_slice.place.doubtful == {"a-mode"}
    assert load_slice()[1][0] == "asked"
    # A server that answers nothing is asked again, as one whose rows are other ones.
    load_slice(outcome="hung")
    assert live.left == {}
    load_slice()
    assert list(live.left) == [(None, None)]
    live.left = {("/rows", None): live.left[None, None]}
    assert load_slice()[1][0] == "asked"


def test_slice_tells_how_long_its_server_took_to_answer_after_the_load(load_slice):
    done, _ = load_slice()
    assert 0 <= done.accounts["answered_after_s"] < 1
    assert done.accounts["watched_to_epoch_s"] == pytest.approx(time.time(), abs=5)
    assert load_slice(outcome="hung")[0].accounts["answered_after_s"] is None


@pytest.mark.parametrize(
    ("tool", "time_out_s", "patience_s"),
    [
        (SimpleNamespace(ANSWER_LIMIT_S=10.0), 20, 10),
        (SimpleNamespace(ANSWER_LIMIT_S=10.0), 2, 2),
    ],
)
def test_server_has_the_time_of_its_tool_to_answer(live, tool, time_out_s, patience_s):
    limits = []
    live.subject = SimpleNamespace(state=lambda path, limit_s: limits.append(limit_s))
    spec = SPEC | {"testbed": {"request_timeout_s": time_out_s}}
    loading(live, spec, tool).state()
    assert limits == [patience_s]


def test_profile_ends_though_a_server_whose_threads_are_busy_cannot_be_told(
    load_slice, monkeypatch
):
    def watch(self, path, limit_s, *, on):
        if not on:
            raise TimeoutError

    monkeypatch.setattr(Subject, "watch", watch)
    _, notes = load_slice(PROFILED)
    assert notes[-1] == "profile ends"


@pytest.mark.parametrize(
    ("asked", "outcome"),
    [
        ({"outcome": "hung"}, ("hung", "silence")),
        ({"timed_out": True}, ("timed_out", "the load had not ended after 5 s")),
        # The server's own outcome says more than that its load was cut off.
        ({"timed_out": True, "outcome": "server_died"}, ("server_died", "silence")),
        ({"fault": {"outcome": "refused", "reason": "full"}}, ("refused", "full")),
    ],
)
def test_slice_that_does_not_complete_says_why(load_slice, asked, outcome):
    done, _ = load_slice(**asked)
    assert (done.outcome, done.reason) == outcome
    assert done.faults == ["not_completed"]
    assert "fault" not in done.load


def without_results(live):
    def collect(spec, folder, ran_s):
        raise FileNotFoundError("load.json")

    tool = SimpleNamespace(LOOP="closed", collect=collect, generator=lambda spec: {})
    return loading(live, tool=tool)


def test_generator_without_results_fails_the_job_with_what_it_said(live, tmp_path, monkeypatch):
    (tmp_path / "generator.log").write_text("no such option\n")
    with pytest.raises(RuntimeError, match=r"exit status 2\): no such option"):
        without_results(live).collect(tmp_path, Ran([], 2, False, (0.0, 1.0)))
    monkeypatch.setattr(loading_module.shutil, "disk_usage", lambda _: SimpleNamespace(free=4096))
    with pytest.raises(RuntimeError, match=f"no space left in {tmp_path}"):
        without_results(live).collect(tmp_path, Ran([], 1, False, (0.0, 1.0)))


@pytest.mark.parametrize("died", ["process", "pooler"])
def test_generator_that_fails_with_its_server_has_a_load_without_answers(live, tmp_path, died):
    """sysbench crashes where PostgreSQL is killed."""
    setattr(live.subject, died, SimpleNamespace(ended=lambda: True))
    load = without_results(live).collect(tmp_path, Ran([], -11, False, (1.0, 3.0)))
    assert (load["responses_2xx"], load["error_share"], load["duration_s"]) == (0, 1.0, 2.0)
