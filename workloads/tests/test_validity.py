"""Every rule is fed a case that it must catch and one that it must pass."""

import copy
import operator
from functools import reduce

import pytest

from workloads.record import validity

REMOTE = {"id": "remote", "cpus": "generator"}
MARIADB = {"id": "mariadb", "cpus": "server", "cpu_share": 0.99}
SELDOM = {"started_per_request_at_most": 0.5}
GOOD = {
    "outcome": "completed",
    "answers": {"before": "ab", "after": "ab", "rows_before": 50, "rows_after": 50 + 995 + 100},
    "load": {
        "loop": "open",
        "requests_offered": 1000,
        "requests_recorded": 1000,
        "responses_2xx": 995,
        "bodies_right": 995,
        "errors": {"http_5xx": 5},
        "in_flight_at_end": 0,
        "answers_in_warm_up": 100,
        "offered_per_s": 200,
        "in_flight_mean": 22.0,
        "latency_min_ms": 100.2,
        "limited_by_generator": "",
        "settling": {
            "latency": {"p_value": 0.4, "shift": 0.3},
            "throughput": {"p_value": 0.001, "shift": 0.05},
        },
        "generator": {"cpu_share": 0.4},
        "slices": {"plain": 1, "counted": 1, "kept": 1},
    },
    "server": {
        "peak_threads": 38,
        "idle_threads": 18,
        "threads_started": 20,
        "listen_overflows": 0.0,
        "peak_descriptors": 60,
        "peak_descriptors_share": 0.06,
    },
    "backend": {"id": "remote", "cpu_share": 0.3},
    "machine": {"throttled": 0.0},
    "provenance": {
        "server_cpus": [0, 1],
        "limits": {
            "somaxconn": "128",
            "data_file_system": "ext4",
            "data_in_memory": False,
        },
    },
    "configuration": {
        "study": {"body_bytes": 42},
        "tier": {"sleep_ms": 100, "path": "/api/sleep-test"},
        "tool": {"rate_per_s": 200, "duration_s": 5, "connections": 30},
        "mode": {
            "observed": {"peak_at_least": 20, "peak_at_most": 20} | SELDOM,
            "options": {"backlog": 4096},
        },
        "backend": REMOTE,
        "slices": {"rounds": 1},
    },
}


def with_(changes, record=GOOD):
    """A copy with other values at these paths."""
    record = copy.deepcopy(record)
    for path, value in changes.items():
        *parents, last = path.split(".")
        reduce(operator.getitem, parents, record)[last] = value
    return record


def rows(count):
    return {"answers.rows_after": 50 + count}


def in_load(**changes):
    return {f"load.{name}": value for name, value in changes.items()}


OBSERVED, STARTED = "configuration.mode.observed", "server.threads_started"
# A thread for each request.
OFTEN = {OBSERVED: {"started_per_request_at_least": 0.9}}
KEEP = {"configuration.tool.keep_alive": True}
LATE = {"load.limited_by_generator": "its sends were late"}
LIMIT = {"load.generator.cpu_share": 0.95, "backend": None}
DRIFTS = {"load.settling.latency.p_value": 0.001}
# The same under ten users for five seconds: 10 users x 5 s = 995 answers after 47.5 ms each, and
# 2.5 s of users who wait no more.
ASKS = in_load(loop="closed", requests_offered=None, offered_per_s=None, concurrency_offered=10)
ASKS |= in_load(answers_per_s=199, in_flight_mean=9.45, latency_min_ms=41, answers_in_warm_up=0)
ASKS["configuration.tool"] = {"users": 10, "ramp_up_s": 0, "duration_s": 5}
CLOSED = with_(ASKS | rows(995) | {"configuration.tier": {"sleep_ms": 40}})
USERS_20 = with_(in_load(concurrency_offered=20, in_flight_mean=18.9), CLOSED)
FEW_ROUNDS = DRIFTS | in_load(in_flight_mean=4.0, latency_min_ms=1000)
THREE_ROUNDS = {"configuration.tool": {"duration_s": 3}, "configuration.tier": {"sleep_ms": 1000}}
CUT_OFF = with_(in_load(errors={"timeout": 3, "http_5xx": 2}, in_flight_at_end=2), CLOSED)
FAILED = with_(in_load(errors={"http_5xx": 1000}, responses_2xx=0, bodies_right=0))
IDLE = {"configuration.tier.idle_connections": 9000}
# A database's data are in memory.
IN_MEMORY = {"provenance.limits.data_in_memory": True, "backend": None, "server.settings": {}}
IN_MEMORY = with_(IN_MEMORY | {"configuration.mode.options": {}})
# It refuses nearly all, answers otherwise afterwards, dies, and leaves no thread to count.
DIED = {"outcome": "server_died", "load.slices.counted": 0, "server.peak_threads": 0, STARTED: 0}
DIED |= {"answers.after": "cd", "answers.rows_after": None}
DIED |= in_load(responses_2xx=50, bodies_right=50, errors={"reset": 950})
# A user-supplied server may leave open what must be observed, and how many threads it started.
OPEN_THREADS = with_({STARTED: None, OBSERVED: None})
SECOND = {"backend": MARIADB | {"others": [{"id": "remote", "cpu_share": 0.85}]}}
SECOND["configuration.backend"] = MARIADB | {"others": [REMOTE]}
# The sum of the steps of a sweep, the last of which failed in part: it has no rate and no level.
SWEEP = {"backend.cpu_share": 0.99, "sweep": {"calibrated_per_s": 200.0}} | rows(900 + 100)
SWEEP |= dict.fromkeys(("load.offered_per_s", "load.answers_per_s", "load.in_flight_mean"))
SWEEP |= in_load(settling={"latency": None, "throughput": None}, errors={"timeout": 100})
SWEEP = with_(SWEEP | in_load(responses_2xx=900, bodies_right=900))
SET = {"configuration.mode.options": {"thread_pool_size": 4, "skip_log_bin": True}}
SET["server.settings"] = {"thread_pool_size": "4", "skip_log_bin": "TRUE"}
SET = with_(SET | {"configuration.engine": {"id": "mariadb"}})
USER = with_({"answers.after": "cd"} | {"configuration.mode": {"command": ["run"]}})


def of_slices(count, left_out=0):
    """GOOD as the sum of so many included slices."""
    slices = {"plain": count + left_out, "counted": count, "kept": count}
    names = ("requests_offered", "requests_recorded", "responses_2xx", "bodies_right")
    sums = {name: count * GOOD["load"][name] for name in (*names, "answers_in_warm_up")}
    return with_(in_load(slices=slices, **sums) | rows(count * (995 + 100)))


def due(count, **tool):
    tool = {f"configuration.tool.{name}": value for name, value in tool.items()}
    return tool | in_load(requests_offered=count, requests_recorded=count)


def rounds(kept, planned):
    return {"load.slices.kept": kept, "configuration.slices.rounds": planned}


def pool(threads, kind="pool", **server):
    """A server of ours with a pool: 18 threads are the JVM's, and the pool's from the start."""
    options, observed = {"threads": threads}, {"peak_at_most": threads} | SELDOM
    mode = {"options": options, "kind": kind, "observed": observed}
    counted = {"idle_threads": 18 + threads, "peak_threads": 18 + threads, "threads_started": 0}
    server = {f"server.{name}": value for name, value in (counted | server).items()}
    return with_(server | {"configuration.mode": mode})


# SPRING_THREADS_VIRTUAL_ENABLED=true did that; one thread was added, and 50 were wanted.
ON_VIRTUAL_THREADS = {"idle_threads": 20, "peak_threads": 22, "threads_started": 1}


CORE_10 = {"configuration.mode.options.core-threads": 10}


def reconnected(again):
    opened = in_load(connections_opened=30 + again, reconnects=again)
    return with_(opened | KEEP | {STARTED: 10})


def per_cpu(peak):
    return {OBSERVED: {"peak_at_most_per_cpu": 4}, "server.peak_threads": 18 + peak}


@pytest.mark.parametrize(
    ("record", "changes", "caught"),
    [
        (GOOD, {}, ""),
        (GOOD, {"load.requests_recorded": 999}, "accounting"),
        (GOOD, {"load.bodies_right": 994}, "body_bytes"),
        (GOOD, {"server.peak_descriptors_share": 1.0}, "descriptors"),
        (GOOD, {"load.errors": {"descriptors_exhausted": 5}}, "generator_limits"),
        (GOOD, {"load.errors": {"ports_exhausted": 5}}, "generator_limits"),
        (GOOD, DIED, ""),
        # Idle connections that were closed, unless the server died.
        (GOOD, IDLE, ""),
        (GOOD, IDLE | {"load.slices.counted": 0}, "idle_connections"),
        (GOOD, IDLE | {"load.slices.counted": 0, "outcome": "server_died"}, ""),
        # A quota stopped each slice.
        (GOOD, {"load.slices.counted": 0}, ""),
        (GOOD, {"machine.throttled": 3.0}, ""),
        (GOOD, {"load.slices.counted": 0, "machine.throttled": 3.0}, "unthrottled"),
        # A database's data in memory; older records do not say it.
        (IN_MEMORY, {"configuration.backend": REMOTE | {"others": [MARIADB]}}, "data_on_disk"),
        (IN_MEMORY, {"configuration.engine": {"id": "pgbouncer"}}, "data_on_disk"),
        (IN_MEMORY, {}, ""),
        (IN_MEMORY, {"configuration.backend": MARIADB, "provenance.limits": {}}, ""),
        # The kernel's queue is shorter than the mode's, or as long.
        (GOOD, {"server.listen_overflows": 1.0}, "listen_queue"),
        (GOOD, {"server.listen_overflows": 9.0, "provenance.limits.somaxconn": "4096"}, ""),
        # A generator at its limit, or late. A JVM that loads a database may be the limit.
        (GOOD, LIMIT, "generator_healthy"),
        (GOOD, LATE, ""),
        (CLOSED, LATE, "generator_healthy"),
        (CLOSED, LIMIT | {"configuration.tool.id": "database-client"}, ""),
        # The remote is no limit; a database may be. On CPUs of its own the remote is judged alone.
        (GOOD, {"backend.cpu_share": 0.55}, "backend_healthy"),
        (GOOD, {"backend.cpu_share": 0.85, "configuration.backend.cpus": "server"}, ""),
        (GOOD, {"backend": MARIADB}, ""),
        (GOOD, SECOND, "backend_healthy"),
        # Little's law: users held up in the generator, or counted twice; half of them gone.
        (GOOD, {"load.in_flight_mean": 31.0}, "little"),
        (CLOSED, {}, ""),
        (CLOSED, {"load.in_flight_mean": 7.6}, "little"),
        (CLOSED, {"load.in_flight_mean": 10.9, OBSERVED: None}, "little"),
        (CLOSED, in_load(in_flight_mean=4.75, users_alive=5.1), ""),
        (CLOSED, {"load.in_flight_mean": 7.5, "configuration.tool.think_ms": 5}, ""),
        # A level that changes; a burst and a few rounds are all start and end. Users who come one
        # by one settle though each asks once.
        (GOOD, {"load.settling.latency.p_value": 0.005}, "settled"),
        (GOOD, {"load.settling.throughput.shift": -0.1}, "settled"),
        (GOOD, DRIFTS | {"configuration.tool.at_once": True}, ""),
        (CLOSED, FEW_ROUNDS | {"configuration.tool": {"users": 10, "loops": 4}}, ""),
        (CLOSED, FEW_ROUNDS | THREE_ROUNDS, ""),
        (CLOSED, FEW_ROUNDS | {"configuration.tool": {"users": 10, "ramp_up_s": 1}}, "settled"),
        # Rows of the load, of its warm-up, and of requests that failed or were cut off.
        (GOOD, rows(995 + 102) | {"load.failures_in_warm_up": 2}, ""),
        (GOOD, rows(995 + 103) | {"load.failures_in_warm_up": 2}, "writes_kept"),
        (FAILED, rows(101), "writes_kept"),
        (FAILED, rows(0), ""),
        (CUT_OFF, rows(995 - 1), "writes_kept"),
        (CUT_OFF, rows(995 + 5), ""),
        (CUT_OFF, rows(995 + 6), "writes_kept"),
        # Threads as the mode says; requests that fail have one as well.
        (GOOD, {"server.peak_threads": 44}, "observed"),
        (GOOD, {"server.peak_threads": 32}, "observed"),
        (GOOD, {STARTED: 900}, "observed"),
        (FAILED, rows(0) | {STARTED: 501}, "observed"),
        (FAILED, rows(0) | {STARTED: 501, "load.errors": {"reset": 1000}}, ""),
        (GOOD, OFTEN | {STARTED: 20}, "observed"),
        # On two CPUs eight, and five for the JVM's own.
        (GOOD, per_cpu(13), ""),
        (GOOD, per_cpu(14), "observed"),
        # 190/s of 100 ms each are 19 in flight; ten users have ten.
        (GOOD, {"server.peak_threads": 25, "load.offered_per_s": 190}, ""),
        (CLOSED, {"server.peak_threads": 25}, ""),
        (USERS_20, {"server.peak_threads": 25}, "observed"),
        # A kept connection has one thread for all its requests.
        (GOOD, OFTEN | KEEP | {STARTED: 28}, ""),
        (GOOD, OFTEN | KEEP | {STARTED: 26}, "observed"),
        # Threads that are not counted do not pass for what must be observed; those alive at a time
        # are the kernel's to count.
        (OPEN_THREADS, {}, ""),
        (OPEN_THREADS, OFTEN, "observed"),
        (OPEN_THREADS, {OBSERVED: {"peak_at_most": 20}, "server.peak_threads": 44}, "observed"),
        # A pool that ran on virtual threads; one of 5 is known by its kind of thread alone. One
        # that starts with 10 of its 50 need not have more.
        (pool(50), {}, ""),
        (pool(50, carriers=0), {}, ""),
        (pool(50, **ON_VIRTUAL_THREADS), {}, "observed"),
        (pool(5, **ON_VIRTUAL_THREADS), {}, ""),
        (pool(5, **ON_VIRTUAL_THREADS, carriers=2), {}, "observed"),
        (pool(50, idle_threads=16, peak_threads=26), CORE_10, ""),
        # Virtual threads where the mode says so; older records, and other servers, do not say it.
        (pool(20, "virtual", carriers=1), {}, ""),
        (pool(20, "virtual", carriers=0), {}, "observed"),
        (pool(20, "event-loop", carriers=2), {}, "observed"),
        (pool(20, "virtual", carriers=None), {}, ""),
        (pool(20, None, carriers=2), {}, ""),
        # A user-supplied server answers as before or says that answers vary. One that is gone has
        # no other answer, and another answer of a server of ours is its result.
        (USER, {}, "same_answer"),
        (USER, {"configuration.mode.answers_vary": True}, ""),
        (USER, {"answers.after": ""}, ""),
        (GOOD, {"answers.after": "cd"}, ""),
        # Connections that are not kept are another load, each with a thread for one request.
        (reconnected(50), {}, ""),
        (reconnected(51), {}, "kept"),
        (reconnected(51), {"configuration.tool.keep_alive": False, "load.reconnects": None}, ""),
        (reconnected(965), OFTEN | {STARTED: 995}, "kept"),
        (reconnected(965), OFTEN | {STARTED: 30}, "kept observed"),
        # Every slice has its own warm-up, schedule and connections, unless it did not complete.
        (of_slices(3), {}, ""),
        (of_slices(2, left_out=1), {}, ""),
        # At random some more may be missing, but no more than 4 of 55 deviations.
        (of_slices(3), due(2960, arrivals="poisson"), ""),
        (of_slices(3), due(2740, arrivals="poisson"), "requests_due"),
        # A hundredth of the warm-up may have failed.
        (of_slices(3), rows(3 * 995 + 296), "writes_kept"),
        (of_slices(3), rows(3 * 995 + 297), ""),
        (of_slices(3), OFTEN | KEEP | {STARTED: 2 * 30}, "observed"),
        # Three rounds or all of fewer, however many were lost.
        (of_slices(12), rounds(3, planned=12), ""),
        (of_slices(12), rounds(2, planned=12), "rounds_kept"),
        (of_slices(2), rounds(2, planned=2), ""),
        # Steps of a sweep may fail and use up what there is. 200/s of 100 ms each are 20 in flight:
        # as many as must be observed. Half of the steps must count.
        (SWEEP, {}, ""),
        (SWEEP, {"server.peak_threads": 32}, "observed"),
        (SWEEP, {"load.slices.plain": 4, "load.slices.kept": 2}, ""),
        (SWEEP, {"load.slices.plain": 9, "load.slices.kept": 4}, "rounds_kept"),
        # Random arrivals of an overload are not counted against its rate.
        (GOOD, due(990), ""),
        (GOOD, due(989), "requests_due"),
        (GOOD, due(989) | {"overload": {"capacity_per_s": 1000.0, "capacity_of": "a-mode"}}, ""),
        # A database reports the settings of its mode, if it is there.
        (SET, {}, ""),
        (SET, {"server.settings.thread_pool_size": "2"}, "settings"),
    ],
)
def test_rules_catch_what_they_are_for_and_nothing_else(record, changes, caught):
    verdict, caught = validity.verdict(with_(changes, record)), {*caught.split()}
    assert {check["id"] for check in verdict["checks"] if not check["passed"]} == caught
    assert verdict["valid"] == (caught <= OF_LATENCY)
    assert verdict["latency_valid"] == (not caught)


OF_LATENCY = {"little", "settled", "rounds_kept", "generator_healthy"}


def applied(record):
    return {check["id"]: check for check in validity.verdict(record)["checks"]}


def test_good_cell_is_judged_by_all_rules_but_some_and_a_sweep_by_fewer():
    assert validity.verdict(GOOD)["version"] == validity.VERSION
    # all but those of databases, idle and kept-alive connections, user-supplied servers and a quota
    assert len(applied(GOOD)) == len(validity.RULES) - 6
    judged_by_step = {"requests_due", "generator_healthy", "backend_healthy"}
    assert applied(GOOD).keys() - applied(SWEEP).keys() == judged_by_step | {"little", "settled"}
    for record in (with_(DIED), with_({OBSERVED: None})):
        assert "observed" not in applied(record)


def test_rules_that_cannot_be_applied_are_left_out():
    unknown = dict.fromkeys(("requests_offered", "bodies_right", "in_flight_mean"))
    unknown = in_load(**unknown, settling={"latency": None}) | {"answers.rows_before": None}
    record = with_(unknown | {"backend": None, "configuration.tier.sleep_ms": 0})
    left_out = {"accounting", "body_bytes", "never_too_fast", "little", "settled"}
    assert applied(record).keys().isdisjoint(left_out | {"writes_kept", "backend_healthy"})


def test_checks_say_what_was_seen():
    values = {"right": 990, "answered": 995}
    assert applied(with_(in_load(bodies_right=990)))["body_bytes"]["values"] == values
    assert applied(pool(50))["observed"]["values"]["peak"] == 68
    for record, concerns in ((GOOD, "latency"), (CLOSED, "throughput")):
        assert applied(record)["generator_healthy"]["concerns"] == concerns


@pytest.mark.parametrize(("same_side", "caught"), [(8 / 11, False), (10 / 11, True)])
def test_what_drifts_does_so_in_nearly_all_slices(same_side, caught):
    record = with_(DRIFTS | {"load.settling.latency.same_side": same_side})
    assert applied(record)["settled"]["passed"] != caught
    assert bool(validity.verdict(record)["bounds"]) == caught


@pytest.mark.parametrize(("fastest_ms", "passes"), [(9.0, True), (8.9, False)])
def test_answers_of_a_remote_that_varies_come_after_its_shortest_wait(fastest_ms, passes):
    path = "/remote?sleep_ms=10-190&cpu_us=0"
    record = with_({"load.latency_min_ms": fastest_ms, "configuration.tier.path": path})
    assert applied(record)["never_too_fast"]["passed"] == passes


FALLS = {"p_value": 0.001, "shift": 0.2}
RISES, FLAT = FALLS | {"shift": -0.2}, {"p_value": 0.5, "shift": 0.0}
RISING, BACKLOG = {"load.settling.latency": RISES}, {"load.in_flight_mean": 31.0}
AT_LEAST, AT_MOST = {"latency": "at_least"}, {"latency": "at_most"}


def levels(throughput, latency):
    return {"load.settling": {"throughput": throughput, "latency": latency}}


@pytest.mark.parametrize(
    ("record", "changes", "expected"),
    [
        (GOOD, {}, {}),
        (CLOSED, LIMIT, {"throughput_per_s": "at_least"}),
        # An open loop that did not offer its rate says nothing of the server at that rate.
        (GOOD, LIMIT, {}),
        # A latency that may have risen because the generator was at its limit is no bound.
        (CLOSED, LIMIT | RISING, {"throughput_per_s": "at_least"}),
        # A level that changes bounds what it leads to.
        *[
            (record, levels(*change), expected)
            for record in (GOOD, CLOSED)
            for change, expected in (
                ((FLAT, RISES), AT_LEAST),
                ((FLAT, FALLS), AT_MOST),
                ((RISES, FLAT), {}),
                ((FALLS, RISES), AT_LEAST),
                ((None, FALLS), AT_MOST),
            )
        ],
        # So does a backlog; a closed loop has the latency of survivors alone.
        (GOOD, BACKLOG, AT_LEAST),
        (GOOD, BACKLOG | {"load.settling.throughput": FALLS}, AT_LEAST),
        (CLOSED, {"load.in_flight_mean": 4.0}, {}),
        # Any other fault leaves no bound.
        (GOOD, RISING | {"load.requests_recorded": 999}, {}),
        (GOOD, RISING | {"load.slices.kept": 0}, {}),
    ],
)
def test_bounds(record, changes, expected):
    assert validity.verdict(with_(changes, record))["bounds"] == expected
