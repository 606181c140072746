"""Every rule is fed a case that it must catch and one that it must pass."""

import copy
import operator
from functools import reduce

import pytest

from workloads.record import validity

REMOTE = {"id": "remote", "cpus": "generator"}
AT_ONCE = {"peak_at_least": 20, "peak_at_most": 20}
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
            "results_file_system": "ext4",
            "results_in_memory": False,
            "data_file_system": "ext4",
            "data_in_memory": False,
        },
    },
    "configuration": {
        "study": {"body_bytes": 42},
        "tier": {"sleep_ms": 100, "path": "/api/file-test"},
        "tool": {"rate_per_s": 200, "duration_s": 5, "connections": 30},
        "mode": {"observed": AT_ONCE | SELDOM, "options": {"backlog": 4096}},
        "backend": REMOTE,
        "slices": {"rounds": 1},
    },
}
OBSERVED = "configuration.mode.observed"
# A thread for each request.
OFTEN = {OBSERVED: {"started_per_request_at_least": 0.9}}
KEPT_ALIVE = OFTEN | {"configuration.tool.keep_alive": True}


def with_(changes, record=GOOD):
    """A copy with other values at these paths."""
    record = copy.deepcopy(record)
    for path, value in changes.items():
        *parents, last = path.split(".")
        reduce(operator.getitem, parents, record)[last] = value
    return record


def closed(**load):
    """The same under ten users for five seconds."""
    tool = {"users": 10, "ramp_up_s": 0, "duration_s": 5}
    record = with_({"configuration.tool": tool, "configuration.tier": {"sleep_ms": 40}})
    # 10 users x 5 s = 995 answers after 47.5 ms each, and 2.5 s of users who wait no more
    asks = {"loop": "closed", "requests_offered": None, "offered_per_s": None}
    asks |= {"concurrency_offered": 10, "answers_per_s": 199, "in_flight_mean": 9.45}
    record["load"] |= asks | {"latency_min_ms": 41} | load
    record["answers"]["rows_after"] = 50 + 995
    del record["load"]["answers_in_warm_up"]
    return record


def at_its_limit(record):
    return with_({"load.generator.cpu_share": 0.95, "backend": None}, record)


def failed(record):
    return {check["id"] for check in validity.verdict(record)["checks"] if not check["passed"]}


def applied(record):
    return {check["id"]: check for check in validity.verdict(record)["checks"]}


def judged(record):
    verdict = validity.verdict(record)
    return verdict["valid"], verdict["latency_valid"]


def bounds(record):
    return validity.verdict(record)["bounds"]


def test_good_cell_is_valid_and_every_rule_was_applied():
    verdict = validity.verdict(GOOD)
    assert verdict["version"] == validity.VERSION
    assert judged(GOOD) == (True, True)
    assert verdict["bounds"] == {}
    # all but those of databases, idle and kept-alive connections, user-supplied servers and a quota
    assert len(verdict["checks"]) == len(validity.RULES) - 5


@pytest.mark.parametrize(
    ("path", "value", "caught_by"),
    [
        ("load.requests_recorded", 999, "accounting"),
        ("load.bodies_right", 994, "body_bytes"),
        ("answers.rows_after", 50 + 995 + 98, "writes_kept"),
        ("load.latency_min_ms", 90.0, "never_too_fast"),
        ("server.peak_threads", 44, "observed"),
        ("server.peak_threads", 32, "observed"),
        ("server.threads_started", 900, "observed"),
        ("server.peak_descriptors_share", 1.0, "descriptors"),
        ("load.errors", {"descriptors_exhausted": 5}, "generator_limits"),
        ("load.errors", {"ports_exhausted": 5}, "generator_limits"),
        ("configuration.tool.duration_s", 6, "requests_due"),
        ("backend.cpu_share", 0.55, "backend_healthy"),
        # The results' folder is in memory; the kernel's queue is shorter than the mode's.
        ("provenance.limits.results_in_memory", True, "data_on_disk"),
        ("server.listen_overflows", 1.0, "listen_queue"),
    ],
)
def test_rule_on_everything_catches_what_it_is_for_and_nothing_else_does(path, value, caught_by):
    record = with_({path: value})
    assert failed(record) == {caught_by}
    assert judged(record) == (False, False)


@pytest.mark.parametrize(
    ("path", "value", "caught_by"),
    [
        ("load.in_flight_mean", 31.0, "little"),
        ("load.settling.latency.p_value", 0.005, "settled"),
        ("load.settling.throughput.shift", -0.1, "settled"),
        ("load.slices.kept", 0, "rounds_kept"),
    ],
)
def test_rule_on_latency_leaves_the_cell_valid(path, value, caught_by):
    record = with_({path: value})
    assert failed(record) == {caught_by}
    assert judged(record) == (True, False)


@pytest.mark.parametrize(
    ("part", "found"),
    [
        ({"backend": {"id": "mariadb"}}, {"data_on_disk"}),
        ({"backend": REMOTE | {"others": [{"id": "mariadb"}]}}, {"data_on_disk"}),
        ({"engine": {"id": "pgbouncer"}}, {"data_on_disk"}),
        # Nothing is written.
        ({"tier": {"sleep_ms": 100, "path": "/"}}, set()),
    ],
)
def test_database_whose_commits_stay_in_memory_is_not_valid(part, found):
    changes = {"provenance.limits.data_in_memory": True, "configuration.mode.options": {}}
    record = with_(changes | {"backend": None, "server.settings": {}})
    record["configuration"] |= part
    assert failed(record) == found
    # Older records do not say where they wrote.
    record["provenance"]["limits"] = {}
    assert failed(record) == set()


def test_queue_that_is_as_long_as_the_mode_wants_may_be_full():
    record = with_({"provenance.limits.somaxconn": "4096", "server.listen_overflows": 9.0})
    assert failed(record) == set()


@pytest.mark.parametrize(
    ("machine", "counted", "found"),
    [
        ({"throttled": 0.0}, 0, set()),
        # Older records do not say it.
        ({}, 0, set()),
        ({"throttled": 3.0}, 1, set()),
        ({"throttled": 3.0}, 0, {"unthrottled"}),
    ],
)
def test_cell_that_a_quota_stopped_in_each_slice_is_not_valid(machine, counted, found):
    assert failed(with_({"load.slices.counted": counted, "machine": machine})) == found


def test_what_a_mode_does_is_no_fault_of_its_cell():
    # It refuses nearly all, answers otherwise afterwards, dies, and leaves no thread to count.
    record = with_({"outcome": "server_died", "load.slices.counted": 0})
    record["answers"] |= {"after": "cd", "rows_after": None}
    record["load"] |= {"responses_2xx": 50, "bodies_right": 50, "errors": {"reset": 950}}
    record["server"] |= {"threads_started": 0, "peak_threads": 0}
    assert judged(record) == (True, True)
    assert "observed" not in applied(record)


def test_tier_whose_idle_connections_were_closed_is_not_what_it_says():
    record = with_({"configuration.tier.idle_connections": 9000})
    assert failed(record) == set()
    record["load"]["slices"]["counted"] = 0
    assert failed(record) == {"idle_connections"}
    assert judged(record) == (False, False)
    record["outcome"] = "server_died"
    assert failed(record) == set()


def test_generator_at_its_limit_is_caught():
    record = at_its_limit(closed())
    assert applied(record)["generator_healthy"]["concerns"] == "throughput"
    assert judged(record) == (True, False)
    late = closed(limited_by_generator="its sends were late")
    assert failed(late) == {"generator_healthy"}
    # A JVM that loads a database may be the limit.
    record["configuration"]["tool"]["id"] = "database-client"
    assert failed(record) == set()


def test_open_loop_without_cpu_has_no_latency_and_a_late_one_is_judged_by_its_slices():
    record = at_its_limit(GOOD)
    assert failed(record) == {"generator_healthy"}
    assert applied(record)["generator_healthy"]["concerns"] == "latency"
    assert failed(with_({"load.limited_by_generator": "its sends were late"})) == set()


def test_requests_of_a_warm_up_that_failed_may_have_written():
    record = with_({"load.failures_in_warm_up": 2})
    for rows, faults in ((100, set()), (102, set()), (103, {"writes_kept"})):
        record["answers"]["rows_after"] = 50 + 995 + rows
        assert failed(record) == faults, rows


def test_requests_that_fail_are_served_and_write_nothing():
    record = with_({"load.errors": {"http_5xx": 1000}})
    record["load"] |= {"responses_2xx": 0, "bodies_right": 0}
    # Those of the warm-up failed, too, or did not.
    for rows, faults in ((101, {"writes_kept"}), (100, set()), (0, set())):
        record["answers"]["rows_after"] = 50 + rows
        assert failed(record) == faults, rows
    record["server"]["threads_started"] = 501
    assert failed(record) == {"observed"}
    record["load"]["errors"] = {"reset": 1000}
    assert failed(record) == set()


def test_little_of_a_closed_loop_is_about_all_its_users():
    assert failed(closed()) == set()
    # held up in the generator between two requests; survivors alone; counted twice
    for in_flight in (7.6, 0.5, 10.9):
        record = with_({OBSERVED: {"peak_at_most": 20}}, closed(in_flight_mean=in_flight))
        assert failed(record) == {"little"}, in_flight
    # half of them had gone, or had not come yet
    assert failed(closed(in_flight_mean=4.75, users_alive=5.1)) == set()
    thinking = {"configuration.tool.think_ms": 5}
    assert failed(with_(thinking, closed(in_flight_mean=7.5))) == set()


@pytest.mark.parametrize(
    ("tool", "sleep_ms", "found"),
    [
        # A few rounds are all start and end.
        ({"users": 10}, 0, set()),
        ({"users": 10, "loops": 4}, 0, set()),
        ({"duration_s": 3}, 1000, set()),
        # Users who come one by one settle though each asks once.
        ({"users": 10, "ramp_up_s": 1}, 0, {"settled"}),
    ],
)
def test_loads_of_a_few_rounds_need_not_settle(tool, sleep_ms, found):
    record = closed(in_flight_mean=4.0, latency_min_ms=1000)
    record["load"]["settling"]["latency"]["p_value"] = 1e-6
    record["configuration"] |= {"tool": tool, "tier": {"sleep_ms": sleep_ms}}
    assert failed(record) == found


def test_rows_of_requests_that_were_cut_off_may_be_there_or_not():
    record = closed(errors={"timeout": 3, "http_5xx": 2}, in_flight_at_end=2)
    for extra, faults in ((0, set()), (5, set()), (6, {"writes_kept"}), (-1, {"writes_kept"})):
        record["answers"]["rows_after"] = 50 + 995 + extra
        assert failed(record) == faults, extra


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        (OFTEN | {"server.threads_started": 995}, set()),
        (OFTEN | {"server.threads_started": 20}, {"observed"}),
        # On two CPUs eight, and five for the JVM's own.
        ({OBSERVED: {"peak_at_most_per_cpu": 4}, "server.peak_threads": 18 + 13}, set()),
        ({OBSERVED: {"peak_at_most_per_cpu": 4}, "server.peak_threads": 18 + 14}, {"observed"}),
        # 190/s of 100 ms each are 19 in flight.
        ({"server.peak_threads": 25, "load.offered_per_s": 190}, set()),
        # A kept connection has one thread for all its requests.
        (KEPT_ALIVE | {"server.threads_started": 28}, set()),
        (KEPT_ALIVE | {"server.threads_started": 26}, {"observed"}),
    ],
)
def test_threads_are_as_the_mode_says(changes, found):
    assert failed(with_(changes)) == found


def test_threads_are_expected_only_where_users_bring_so_many_requests_at_once():
    users = with_({"server.peak_threads": 25}, closed())
    assert failed(users) == set()
    users["load"] |= {"concurrency_offered": 20, "in_flight_mean": 18.9}
    assert failed(users) == {"observed"}


def pool(threads, kind="pool", **server):
    """A server of ours with a pool: 18 threads are the JVM's, and the pool's from the start."""
    record = with_({"configuration.mode.options": {"threads": threads}})
    record["configuration"]["mode"] |= {
        "kind": kind,
        "observed": {"peak_at_most": threads} | SELDOM,
    }
    counted = {"idle_threads": 18 + threads, "peak_threads": 18 + threads, "threads_started": 0}
    record["server"] |= counted | server
    return record


def test_pool_that_ran_on_virtual_threads_is_caught():
    """SPRING_THREADS_VIRTUAL_ENABLED=true did that; one thread was added, and 50 were wanted."""
    on_virtual_threads = {"idle_threads": 20, "peak_threads": 22, "threads_started": 1}
    assert failed(pool(50)) == failed(pool(50, carriers=0)) == set()
    assert failed(pool(50, **on_virtual_threads)) == {"observed"}
    # A pool of 5 is known by its kind of thread alone.
    assert failed(pool(5, **on_virtual_threads)) == set()
    assert failed(pool(5, **on_virtual_threads, carriers=2)) == {"observed"}
    # One that starts with 10 of its 50 need not have more.
    some = pool(50, idle_threads=16, peak_threads=26)
    some["configuration"]["mode"]["options"]["core-threads"] = 10
    assert failed(some) == set()
    found = applied(pool(50))["observed"]
    assert "all 50 of the pool" in found["rule"] and found["values"]["peak"] == 68


@pytest.mark.parametrize(
    ("kind", "carriers", "faults"),
    [
        ("virtual", 1, set()),
        ("virtual", 0, {"observed"}),
        ("event-loop", 0, set()),
        ("event-loop", 2, {"observed"}),
        # Older records, and other servers, do not say it.
        ("virtual", None, set()),
        (None, 2, set()),
    ],
)
def test_virtual_threads_run_where_the_mode_says_so(kind, carriers, faults):
    assert failed(pool(20, kind, carriers=carriers)) == faults


def test_backend_that_is_a_database_may_be_the_limit():
    assert failed(with_({"backend": {"id": "mariadb", "cpu_share": 0.99}})) == set()
    record = with_({"backend.cpu_share": 0.85})
    assert failed(record) == {"backend_healthy"}
    database = {"id": "mariadb", "cpus": "server", "cpu_share": 0.99}
    second = with_({"backend": database | {"others": [record["backend"]]}})
    second["configuration"]["backend"] = database | {"others": [REMOTE]}
    assert failed(second) == {"backend_healthy"}
    # on CPUs of its own the remote is judged alone
    assert failed(with_({"configuration.backend.cpus": "server"}, record)) == set()


def test_own_server_may_leave_open_how_many_threads_it_has():
    record = with_({"server.threads_started": None})
    del record["configuration"]["mode"]["observed"]
    assert failed(record) == set()
    assert "observed" not in applied(record)
    # Threads that are not counted do not pass for what must be observed.
    record = with_(OFTEN, record)
    assert failed(record) == {"observed"}
    found = applied(record)["observed"]
    assert "those started cannot be counted" in found["rule"]
    assert found["values"]["started_per_request"] is None
    # Those alive at a time are the kernel's to count.
    record = with_({OBSERVED: {"peak_at_most": 20}}, record)
    assert failed(record) == set()
    record["server"]["peak_threads"] = 44
    assert failed(record) == {"observed"}


def test_check_of_bodies_says_which_lengths_were_seen():
    record = with_({"load.bodies_right": 990, "load.body_bytes_min": 9, "load.body_bytes_max": 13})
    values = {"right": 990, "answered": 995, "min": 9, "max": 13}
    assert applied(record)["body_bytes"]["values"] == values


def user_supplied(**mode):
    differ = {"at": 3, "before": "at 17", "after": "at 18"}
    changes = {"answers.after": "cd", "answers.differ": differ}
    return with_(changes | {"configuration.mode": {"command": ["run"]} | mode})


def test_user_supplied_server_answers_as_before_or_says_that_answers_vary():
    record = user_supplied()
    assert failed(record) == {"same_answer"}
    assert applied(record)["same_answer"]["values"] == record["answers"]["differ"]
    assert failed(user_supplied(answers_vary=True)) == set()
    # One that is gone has no other answer, but none.
    record["answers"] |= {"after": "", "differ": {}}
    assert failed(record) == set()
    # Another answer of a server of ours is its result.
    assert failed(with_({"answers.after": "cd"})) == set()


def reconnected(again, threads, changes=()):
    opened = {"load.connections_opened": 30 + again, "load.reconnects": again}
    kept = {"configuration.tool.keep_alive": True, "server.threads_started": threads}
    return with_(opened | kept | dict(changes))


def test_connections_that_are_not_kept_are_another_load():
    for again, faults in ((0, set()), (50, set()), (51, {"kept"})):
        assert failed(reconnected(again, 10)) == faults, again
    closes = {"configuration.tool.keep_alive": False, "load.reconnects": None}
    assert failed(reconnected(51, 10, closes)) == set()


def test_thread_of_a_connection_that_was_not_kept_serves_one_request():
    assert failed(reconnected(965, 995, OFTEN)) == {"kept"}
    assert failed(reconnected(965, 30, OFTEN)) == {"kept", "observed"}


def of_slices(count, left_out=0):
    """GOOD as the sum of so many included slices."""
    slices = {"plain": count + left_out, "counted": count, "kept": count}
    record = with_({"load.slices": slices})
    for name in ("requests_offered", "requests_recorded", "responses_2xx", "bodies_right"):
        record["load"][name] *= count
    record["load"]["answers_in_warm_up"] *= count
    record["answers"]["rows_after"] = 50 + count * (995 + 100)
    return record


def test_every_slice_has_its_own_warm_up_schedule_and_connections():
    assert failed(of_slices(3)) == set()
    # Slices that did not complete have none.
    assert failed(of_slices(2, left_out=1)) == set()
    late = of_slices(3)
    late["load"]["requests_offered"] = late["load"]["requests_recorded"] = 2960
    assert failed(late) == {"requests_due"}
    # At random some more may be missing, but no more than 4 of 55 deviations.
    late["configuration"]["tool"]["arrivals"] = "poisson"
    assert failed(late) == set()
    late["load"]["requests_offered"] = late["load"]["requests_recorded"] = 2740
    assert failed(late) == {"requests_due"}
    # A hundredth of the warm-up may have failed.
    for warm_up, faults in ((296, {"writes_kept"}), (297, set()), (301, {"writes_kept"})):
        lost = with_({"answers.rows_after": 50 + 3 * 995 + warm_up}, of_slices(3))
        assert failed(lost) == faults, warm_up
    for threads, faults in ((3 * 28, set()), (2 * 30, {"observed"})):
        kept_alive = with_(KEPT_ALIVE | {"server.threads_started": threads}, of_slices(3))
        assert failed(kept_alive) == faults


def sweep():
    """GOOD as the sum of the steps of a sweep, the last of which failed in part."""
    record = with_({"answers.rows_after": 50 + 900 + 100, "backend.cpu_share": 0.99})
    unknown = ("offered_per_s", "answers_per_s", "throughput_per_s", "in_flight_mean")
    record["load"] |= dict.fromkeys(unknown) | {"settling": {"latency": None, "throughput": None}}
    record["load"] |= {"responses_2xx": 900, "bodies_right": 900, "errors": {"timeout": 100}}
    return record | {"sweep": {"calibrated_per_s": 200.0}}


def test_steps_of_a_sweep_may_fail_and_use_up_what_there_is():
    assert failed(sweep()) == set()
    # It is judged by every other rule; all steps together have no rate and no level.
    judged_by_step = {"requests_due", "generator_healthy", "backend_healthy"}
    assert applied(GOOD).keys() - applied(sweep()).keys() == judged_by_step | {"little", "settled"}
    # 200/s of 100 ms each are 20 in flight: as many as must be observed.
    assert failed(with_({"server.peak_threads": 32}, sweep())) == {"observed"}
    other = sweep()
    del other["sweep"]
    other["load"]["offered_per_s"] = 200
    assert failed(other) == {"backend_healthy"}


def test_half_of_the_steps_of_a_sweep_must_count():
    for kept, plain, caught in ((2, 4, set()), (4, 9, {"rounds_kept"})):
        record = with_({"load.slices.kept": kept, "load.slices.plain": plain}, sweep())
        assert failed(record) == caught


def test_random_arrivals_of_an_overload_are_not_counted_against_its_rate():
    record = with_({"load.requests_offered": 900, "load.requests_recorded": 900})
    assert "requests_due" in failed(record)
    record["overload"] = {"capacity_per_s": 1000.0, "capacity_of": "a-mode"}
    assert "requests_due" not in failed(record)


def test_burst_need_not_settle():
    drifts = {"load.settling.latency.p_value": 0.001, "configuration.tool.at_once": True}
    assert failed(with_(drifts)) == set()


@pytest.mark.parametrize(("same_side", "caught"), [(8 / 11, set()), (10 / 11, {"settled"})])
def test_what_drifts_does_so_in_nearly_all_slices(same_side, caught):
    record = with_({"load.settling.latency.p_value": 0.001})
    record["load"]["settling"]["latency"]["same_side"] = same_side
    assert failed(record) == caught
    assert set(bounds(record)) == ({"latency"} if caught else set())


@pytest.mark.parametrize(
    ("planned", "kept", "loaded", "caught"),
    [
        # However many were lost: half of a noisy machine's rounds may be.
        (12, 3, 12, set()),
        (12, 2, 12, {"rounds_kept"}),
        # Extra rounds count as those planned do.
        (6, 3, 33, set()),
        (2, 2, 2, set()),
        (2, 1, 2, {"rounds_kept"}),
    ],
)
def test_three_rounds_or_all_of_fewer_must_count(planned, kept, loaded, caught):
    changes = {"load.slices.kept": kept, "configuration.slices.rounds": planned}
    assert failed(with_(changes, of_slices(loaded))) == caught


FALLS = {"p_value": 0.001, "shift": 0.2}
RISES = FALLS | {"shift": -0.2}
FLAT = {"p_value": 0.5, "shift": 0.0}
RISING = {"load.settling.latency": RISES}


def test_generator_at_its_limit_bounds_a_closed_loop_from_below():
    assert bounds(at_its_limit(closed())) == {"throughput_per_s": "at_least"}
    # An open loop that did not offer its rate says nothing of the server at that rate.
    assert bounds(at_its_limit(GOOD)) == {}
    # A latency that may have risen because the generator was at its limit is no bound.
    drifting = with_(RISING, at_its_limit(closed()))
    assert failed(drifting) == {"generator_healthy", "settled"}
    assert bounds(drifting) == {"throughput_per_s": "at_least"}


@pytest.mark.parametrize(
    ("throughput", "latency", "expected"),
    [
        (FLAT, RISES, {"latency": "at_least"}),
        (FLAT, FALLS, {"latency": "at_most"}),
        (RISES, FLAT, {}),
        (FALLS, RISES, {"latency": "at_least"}),
        (None, FALLS, {"latency": "at_most"}),
    ],
)
def test_level_that_changes_bounds_what_it_leads_to(throughput, latency, expected):
    settling = {"throughput": throughput, "latency": latency}
    for whole in (closed(), GOOD):
        record = with_({"load.settling": settling}, whole)
        assert failed(record) == {"settled"}
        assert bounds(record) == expected


def test_backlog_of_an_open_loop_bounds_its_latency_from_below():
    record = with_({"load.in_flight_mean": 31.0})
    assert bounds(record) == {"latency": "at_least"}
    record["load"]["settling"]["throughput"] = FALLS
    assert bounds(record) == {"latency": "at_least"}
    # A closed loop has the latency of survivors alone.
    survivors = closed(in_flight_mean=4.0)
    assert failed(survivors) == {"little"}
    assert bounds(survivors) == {}


@pytest.mark.parametrize(
    ("path", "value"), [("load.requests_recorded", 999), ("load.slices.kept", 0)]
)
def test_any_other_fault_leaves_no_bound(path, value):
    record = with_(RISING | {path: value})
    assert "settled" in failed(record)
    assert bounds(record) == {}


def test_where_nothing_was_sent_nothing_counts():
    record = {"outcome": "hung", "server": None}
    assert failed(record) == {"sent"}
    assert judged(record) == (False, False)
    assert bounds(record) == {}


def test_database_must_report_the_settings_of_its_mode():
    record = with_({"configuration.engine": {"id": "mariadb"}})
    record["configuration"]["mode"]["options"] = {"thread_pool_size": 4, "skip_log_bin": True}
    record["server"]["settings"] = {"thread_pool_size": "4", "skip_log_bin": "TRUE"}
    assert failed(record) == set()
    record["server"]["settings"]["thread_pool_size"] = "2"
    assert failed(record) == {"settings"}
    record["server"]["settings"] = {}  # the database is gone
    assert failed(record) == {"settings"}


def test_rules_that_cannot_be_applied_are_left_out():
    record = with_({"load.requests_offered": None, "configuration.tier.sleep_ms": 0})
    record["load"] |= {"bodies_right": None, "in_flight_mean": None, "settling": {"latency": None}}
    record["answers"]["rows_before"] = record["backend"] = None
    left_out = {"accounting", "body_bytes", "never_too_fast", "little", "settled"}
    assert applied(record).keys().isdisjoint(left_out | {"writes_kept", "backend_healthy"})


@pytest.mark.parametrize(("fastest_ms", "passes"), [(9.0, True), (8.9, False)])
def test_answers_of_a_remote_that_varies_come_after_its_shortest_wait(fastest_ms, passes):
    path = "/remote?sleep_ms=10-190&cpu_us=0"
    record = with_({"load.latency_min_ms": fastest_ms, "configuration.tier.path": path})
    assert ("never_too_fast" not in failed(record)) == passes
