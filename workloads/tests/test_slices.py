"""Every rule that leaves a slice out is fed one that it must catch and one that it must pass."""

import time
from types import SimpleNamespace

import pytest

from profiles.watch.speed import Speed
from workloads.servers.backends import Backend
from workloads.session import slices
from workloads.session.slices import PLAIN, PROFILED, Asked, Live, Loading, Place, faults


def test_undisturbed_slice_of_a_warm_server_is_kept(make_slice):
    assert faults(make_slice()) == []


@pytest.mark.parametrize(
    ("figures", "caught_by"),
    [
        ({"compiler_share": 0.051, "compiler_cpu_s": 0.02}, "compiled"),
        ({"others_cpu_share": 0.151}, "undisturbed"),
        ({"steal_share": 0.051}, "undisturbed"),
        ({"speed_server": 1.151}, "steady_speed"),
        ({"idle_beside_share": 0.021}, "idle_beside"),
    ],
)
def test_rule_catches_what_it_is_for_and_nothing_else_does(make_slice, figures, caught_by):
    assert faults(make_slice(figures=figures)) == [caught_by]


@pytest.mark.parametrize(
    "figures",
    [
        {"compiler_share": 0.05, "compiler_cpu_s": 0.02},
        # Of a server that is nearly idle: 0.9 % of a CPU.
        {"compiler_share": 0.6, "compiler_cpu_s": 0.009},
        # Not a JVM, and no value of the probe.
        {"compiler_share": None, "compiler_cpu_s": None, "speed_server": None},
        {"others_cpu_share": 0.15, "steal_share": 0.05},
        {"speed_server": 1.15, "idle_beside_share": 0.02},
        # A faster machine, and a generator's CPU that is slow, are no fault.
        {"speed_server": 0.5, "speed_generator": 3.0},
    ],
)
def test_slice_at_its_bounds_is_kept(make_slice, figures):
    assert faults(make_slice(figures=figures)) == []


def test_slice_that_did_not_complete_is_left_out(make_slice):
    assert faults(make_slice(outcome="server_died")) == ["not_completed"]


def test_profiled_slice_is_judged_like_every_other(make_slice):
    figures = {"compiler_share": 0.4, "compiler_cpu_s": 0.2, "steal_share": 0.2}
    assert faults(make_slice(kind=PROFILED, figures=figures)) == ["compiled", "undisturbed"]


STEP = {"sustained": False, "offered_per_s": 97.5, "served_per_s": 80.5, "requests_asked": 49}


def test_generator_at_its_limit_leaves_out_a_step_of_a_curve_alone(make_slice):
    late = {"limited_by_generator": "its sends were late"}
    assert faults(make_slice(load=STEP | late)) == ["generator_healthy"]
    assert faults(make_slice(load=STEP)) == []
    # Of other loads it is judged over all slices together.
    assert faults(make_slice(load=late)) == []


def test_row_of_a_step_says_at_which_rate_it_was_and_whether_it_was_sustained(make_slice):
    row = make_slice(4, load=STEP).row()
    names = ("step", "offered_per_s", "served_per_s", "sustained", "stands", "due")
    assert [row[name] for name in names] == [4, 97.5, 80.5, "false", "false", 49]
    other = make_slice(4).row()
    assert list(other) == list(row)
    assert [other[name] for name in names] == [None] * 6


def test_row_of_a_step_that_counts_although_it_fails_a_rule_says_both(make_slice):
    row = make_slice(4, load=STEP, faults=["compiled"], stands=True).row()
    assert (row["kept"], row["reason"], row["stands"]) == ("true", "compiled", "true")
    row = make_slice(4, load=STEP, faults=["compiled"]).row()
    assert (row["kept"], row["reason"], row["stands"]) == ("false", "compiled", "false")


def test_all_faults_of_a_slice_are_in_its_row(make_slice):
    done = make_slice(round=3, figures={"steal_share": 0.2, "speed_server": 2.0})
    done.faults = faults(done)
    assert not done.kept
    row = done.row()
    assert (row["kept"], row["reason"]) == ("false", "undisturbed;steady_speed")
    assert (row["slice"], row["round"], row["kind"]) == (1, 3, PLAIN)
    assert row["machine_context_switches_per_request"] == 10
    assert (row["rss_mib"], row["threads_peak"]) == (1024, 20)
    assert make_slice().row()["kept"] == "true"
    nothing = make_slice(load={"requests_recorded": 0}).row()
    assert nothing["machine_context_switches_per_request"] is None


TOOL = SimpleNamespace(LOOP="closed")
SPEC = {
    "backend": {"id": "mariadb", "cpus": "server"},
    "engine": None,
    "study": {"verify_path": "/ping"},
    "testbed": {"request_timeout_s": 1, "telemetry_hz": 10},
}


def loading(live, spec=SPEC, **place):
    fields = {"server_cpus": [0], "generator_cpus": [1], "speeds": Speeds()}
    return Loading(TOOL, spec, live, Place(**fields | place), None)


class Speeds:
    def load(self, start_s, end_s):
        pass

    def of(self, cpus, start_s, end_s):
        return Speed(1.0, 200.0)


def load_with(answered, in_flight, timeouts, answers_per_s=0.0):
    return {
        "responses_2xx": answered,
        "answers_per_s": answers_per_s,
        "in_flight_at_end": in_flight,
        "errors": {"timeout": timeouts} if timeouts else {},
    }


@pytest.mark.parametrize(
    ("outcome", "load", "expected"),
    [
        ("hung", load_with(5, 3, 0), ("completed", "still holds 3 requests of its load")),
        ("hung", load_with(5, 3, 4), ("completed", "still holds 7 requests of its load")),
        ("hung", load_with(0, 3, 4), ("hung", "silence")),
        # It still answers what came before the window.
        ("hung", load_with(0, 3, 0, 1.0), ("completed", "still holds 3 requests of its load")),
        # It answered all that it was asked, and then no more.
        ("hung", load_with(5, 0, 0), ("hung", "silence")),
        ("server_died", load_with(5, 3, 0), ("server_died", "silence")),
        ("completed", load_with(5, 3, 0), ("completed", "silence")),
    ],
)
def test_server_that_still_holds_requests_does_not_hang(live, outcome, load, expected):
    assert loading(live).judged(outcome, "silence", load) == expected


@pytest.mark.parametrize("outcome", ["completed", "hung"])
def test_backend_that_died_behind_a_server_is_named(live, outcome):
    (live.folder / "backend.log").write_text("one\ntwo\nthree\nout of disk\n")
    live.backend = SimpleNamespace(process=SimpleNamespace(ended=lambda: True, exit_status=-9))
    expected = ("backend_died", "mariadb ended with status -9: two | three | out of disk")
    assert loading(live).judged(outcome, "", load_with(5, 0, 0)) == expected


def telemetry_of(samples, compilers=("a thread",)):
    window = [sample for sample in samples if "server_threads" in sample]
    return SimpleNamespace(
        samples=samples, compilers=compilers, window=lambda *_: window, cpu_share=lambda: 0.01
    )


def samples_of(**per_s):
    """From 0 to 4 s, counters that grow by so much a second."""
    whole = {"server_threads": 7.0, "load_1m": 2.0}
    return [{"time_s": float(t)} | whole | {k: v * t for k, v in per_s.items()} for t in range(5)]


PER_S = {
    "server_cpu_s": 0.6,
    "compiler_cpu_s": 0.1,
    "server_cpus_idle_s": 0.1,
    "generator_cpu_s": 0.4,
    "backend_cpu_s": 0.15,
    "second_backend_cpu_s": 0.1,
    "steal_s": 0.0,
}
WINDOW = {"start_epoch_s": 1.0, "end_epoch_s": 3.0, "answers_per_s": 1000.0, "duration_s": 2.0}


def test_cpu_time_per_request_is_without_compilers(live):
    figures = loading(live).figures(WINDOW, telemetry_of(samples_of(**PER_S)), 0.0, (0.5, 3.5))
    assert figures["server_cpu_s"] == pytest.approx(1.2)
    assert figures["compiler_cpu_s"] == pytest.approx(0.2)
    assert figures["compiler_share"] == pytest.approx(1 / 6)
    assert figures["cpu_us_per_request"] == pytest.approx(500)
    assert figures["generator_cpu_share"] == pytest.approx(0.4)
    assert figures["peak_threads"] == 7
    no_jvm = telemetry_of(samples_of(**PER_S | {"compiler_cpu_s": 0.0}), compilers=())
    figures = loading(live).figures(WINDOW, no_jvm, 0.0, (0.5, 3.5))
    assert (figures["compiler_cpu_s"], figures["compiler_share"]) == (None, None)
    assert figures["cpu_us_per_request"] == pytest.approx(600)
    silent = loading(live).figures(WINDOW | {"answers_per_s": 0.0}, no_jvm, 0.0, (0.5, 3.5))
    assert silent["cpu_us_per_request"] is None


def test_others_are_neither_the_server_nor_what_idles_beside_it_nor_its_backend(live):
    def others(idle_s=0.0, **place):
        window = telemetry_of(samples_of(**PER_S))
        figures = loading(live, **place).figures(WINDOW, window, idle_s, (0.0, 4.0))
        return figures["others_cpu_share"], figures["idle_beside_share"]

    assert others() == pytest.approx((0.3, 0))
    assert others(idle_s=0.2) == pytest.approx((0.2, 0.05))
    # Of two CPUs twice as much time is busy that is not idle.
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
    def process(pid):
        return SimpleNamespace(pid=pid)

    subject = SimpleNamespace(process=process(10), pooler=process(20))
    other = Live("other", subject, Backend(process(40), []), None, {}, {})
    monkeypatch.setattr(slices, "clock_s", float)
    assert loading(live, alive={"a-mode": live, "other": other}).idle_clocks() == 70


@pytest.fixture
def idles(monkeypatch):
    """Waits for processes whose clock says this; a moment lasts a second of the limit, 3 s."""

    def run(*clocks_s, cpus=1):
        left, now_s = list(clocks_s), iter(range(1000))
        clock = SimpleNamespace(monotonic=lambda: next(now_s), sleep=lambda seconds: None)
        monkeypatch.setattr(slices, "time", clock)
        return slices.becomes_idle(lambda: left.pop(0), cpus, 3.0), left

    return run


def test_processes_are_waited_for_until_they_idle(idles):
    # 1.5 % of 320 ms are 4.8 ms, of which half a look may see a third.
    assert idles(1.0, 1.0015, 9.0) == (True, [9.0])
    assert idles(1.0, 1.0018, 1.0047, 9.0) == (True, [9.0])
    assert idles(1.0, 1.0018, 1.005, 1.005, 1.006, 9.0) == (True, [9.0])
    assert idles(1.0, 1.003, cpus=2) == (True, [])


def test_processes_that_stay_busy_are_not_waited_for_beyond_the_limit(idles):
    # As a client that looks at its connections for 2 ms in each tenth of a second.
    assert idles(1.0, 1.002, 1.006, 1.006, 1.01, 1.012, 9.0) == (False, [9.0])


def test_slices_of_a_session_wait_for_others_until_their_patience_is_used_up(live, monkeypatch):
    asked, now_s = [], iter([0.0, 0.3, 1.0, 110.0, 200.0, 212.0, 300.0, 300.0])
    monkeypatch.setattr(slices, "time", SimpleNamespace(monotonic=lambda: next(now_s)))
    monkeypatch.setattr(slices, "becomes_idle", lambda *given: asked.append(given))
    one = loading(live, alive={"a-mode": live})
    for _ in range(4):
        one.wait_for_the_others()
    assert [given[:2] for given in asked] == [(one.idle_clocks, 1)] * 4
    assert [given[2] for given in asked] == pytest.approx([12.0, 12.0, 11.32, -0.36])


def test_clock_of_a_process_that_is_gone_stands_at_zero(live):
    assert slices.clock_s(2**22 + 1) == 0


class Subject:
    """A server that notes what it is asked, in order."""

    port, pooler, client_environment = 1, None, {}
    process = SimpleNamespace(pid=1)

    def __init__(self, notes, outcome="completed"):
        self.notes, self.outcome = notes, outcome

    def ask(self, path, limit_s):
        self.notes.append("asked")
        return b"ok"

    def state(self, path, limit_s):
        return self.outcome, "" if self.outcome == "completed" else "silence", b"ok"

    def watch(self, path, limit_s, *, on):
        self.notes.append(f"samplers {'on' if on else 'off'}")

    def start_profile(self, folder, asked):
        self.notes.append("profile begins")

    def end_profile(self):
        self.notes.append("profile ends")

    def threads_started(self):
        return 0

    def rows(self, path, limit_s):
        return None

    def counters(self, path, limit_s):
        return {}


class Telemetry:
    def __init__(self, notes):
        self.notes, self.compilers = notes, []
        self.samples = samples_of(server_cpu_s=0.6, server_cpus_idle_s=0.38)

    def start(self):
        self.notes.append("telemetry begins")

    def stop(self):
        self.notes.append("telemetry ends")

    def rate_hz(self):
        return 10.0

    def cpu_share(self):
        return 0.01

    def window(self, start_s, end_s):
        return self.samples


@pytest.fixture
def load_slice(live, monkeypatch):
    """Loads a slice on a server that notes what happens; returns the slice and the notes."""

    def run(kind=PLAIN, outcome="completed", timed_out=False, **load):
        notes = []
        live.subject = Subject(notes, outcome)
        spec = SPEC | {
            "backend": None,
            "tier": {"id": "low"},
            "tool": {"id": "jmeter"},
            "testbed": SPEC["testbed"] | {"profiler": {}},
        }
        whole = WINDOW | load_with(98, 0, 0) | {"requests_recorded": 100} | load
        tool = SimpleNamespace(LOOP="closed")
        tool.generator = lambda spec: {"name": "a tool", "version": "1"}
        tool.collect = lambda spec, folder, ran_s: dict(whole)
        one = Loading(tool, spec, live, Place([0], [1], Speeds()), None)

        def generate(folder, telemetry):
            notes.append("load")
            return ["a-tool"], 0, timed_out, (time.time() - 5, time.time())

        monkeypatch.setattr(one, "generate", generate)
        monkeypatch.setattr(one, "telemetry", lambda: Telemetry(notes))
        return one.slice(Asked(1, 1, kind)), notes

    return run


def test_plain_slice_has_neither_profiler_nor_samplers(load_slice):
    done, notes = load_slice()
    assert notes == ["asked", "telemetry begins", "load", "telemetry ends"]
    assert done.kept
    assert (done.folder.name, done.outcome) == ("plain-low-jmeter-1", "completed")
    assert done.load["generator"] == {
        "name": "a tool",
        "version": "1",
        "cpu_share": done.figures["generator_cpu_share"],
        "exit_status": 0,
    }


def test_profiled_slice_has_both_around_its_load(load_slice):
    _, notes = load_slice(PROFILED)
    begin, end = notes.index("telemetry begins"), notes.index("telemetry ends")
    assert notes[1:begin] == ["samplers on", "profile begins"]
    assert notes[end + 1 :] == ["samplers off", "profile ends"]


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
        # What the server came to says more than that its load was cut off.
        ({"timed_out": True, "outcome": "server_died"}, ("server_died", "silence")),
        ({"fault": {"outcome": "refused", "reason": "full"}}, ("refused", "full")),
    ],
)
def test_slice_that_does_not_complete_says_why(load_slice, asked, outcome):
    done, _ = load_slice(**asked)
    assert (done.outcome, done.reason) == outcome
    assert done.faults == ["not_completed"]
    assert "fault" not in done.load


def test_generator_without_results_fails_the_job_with_what_it_said(live, tmp_path):
    def collect(spec, folder, ran_s):
        raise FileNotFoundError("load.json")

    (tmp_path / "generator.log").write_text("no such option\n")
    one = loading(live)
    one.tool = SimpleNamespace(collect=collect, generator=lambda spec: {})
    with pytest.raises(RuntimeError, match=r"exit status 2\): no such option"):
        one.collect(tmp_path, (0.0, 1.0), 2)
