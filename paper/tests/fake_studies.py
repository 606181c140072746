"""Small cells of the other studies, with the ids that their sections know."""

from dataclasses import replace
from itertools import product
from typing import Any

from paper.tests.fake_results import Cell

HELLO, SLEEP = "/v1/hello", "/api/sleep-test?sleep_ms=100"


def repeated(cells: list[Cell], repetitions: int) -> list[Cell]:
    """The cells that many times, with a little noise."""
    return [
        replace(
            cell,
            repetition=n,
            cpu_us=cell.cpu_us + n,
            latency_ms=[v + n for v in cell.latency_ms],
            combinations=[(t, c, per_s + n * n) for t, c, per_s in cell.combinations],
        )  # fmt: skip
        for n in range(1, repetitions + 1)
        for cell in cells
    ]


def tomcat(threads: int, **options: object) -> dict[str, object]:
    return {"server.tomcat.threads.max": threads, **options}


def virtual(**options: object) -> dict[str, object]:
    return {"spring.threads.virtual.enabled": True, **options}


def blocking_remote() -> list[Cell]:
    """A hundred users of two modes, of which one answers too few of them, and two rates."""
    base, one, workers = "pool-200-blocking", "pool-1-blocking", "pool-1-worker-threads"
    options = {
        base: tomcat(200, **{"remote.client": "blocking"}),
        one: tomcat(1, **{"remote.client": "blocking"}),
        workers: tomcat(1, **{"remote.client": "worker-threads"}),
    }
    exec_100 = ("http-nio-exec", "RUNNABLE", "S", 100)
    others = ("jvm", "WAITING", "S", 15)
    threads = {
        base: [exec_100, others],
        one: [("http-nio-exec", "RUNNABLE", "S", 1), others],
        workers: [("http-nio-exec", "WAITING", "S", 1), ("worker", "RUNNABLE", "S", 100), others],
    }
    answers = {base: 200, one: 2, workers: 200}
    cells = []
    for mode in options:
        common = Cell(
            mode,
            study="blocking-remote",
            versus=None if mode == base else base,
            path=HELLO,
            sleep_ms=1000,
            options=options[mode],
            backend="remote",
            threads=threads[mode],
            latency_ms=[1000.0 + i % 7 for i in range(answers[mode])],
        )
        closed = replace(common, tier="users-100", users=100, lasts_s=10)
        cells.append(replace(closed, failed_check="little" if mode == one else ""))
        for rate in (11, 199):
            cells.append(
                replace(
                    common, tier=f"rate-{rate}", tool="wrk2", rate_per_s=rate, connections=400,
                    latency_ms=[1000.0 + i % 7 for i in range(2 * rate)],
                )
            )  # fmt: skip
    return cells


def virtual_threads() -> list[Cell]:
    """Kinds of threads under both loops, files, sizes of two pools, locks on two JDKs."""
    study = "virtual-threads"
    by_kind = {
        "platform-50": (tomcat(50), 900.0),
        "platform-500": (tomcat(500), 105.0),
        "virtual": (virtual(), 104.0),
        "virtual-semaphore-50": (virtual(**{"requests.permits": 50}), 910.0),
    }
    cells = []
    for mode, (options, latency) in by_kind.items():
        common = Cell(
            mode, study=study, versus=None if mode == "platform-50" else "platform-50",
            options=options, latency_ms=[latency + i % 5 for i in range(100)],
        )  # fmt: skip
        sleep = replace(common, path=SLEEP, sleep_ms=100)
        # What the generator could not drive is a bound, and no figure.
        limited: dict[str, Any] = {"failed_check": "generator_healthy"}
        limited["bounds"] = {"throughput_per_s": "at_least", "latency": "at_most"}
        closed = replace(sleep, tier="sleep-500", users=500)
        cells.append(replace(closed, **limited) if mode == "virtual" else closed)
        cells.append(replace(sleep, tier="sleep-1999", tool="wrk2", rate_per_s=1999))
        cells.append(replace(common, tier="cpu-2ms", path="/api/cpu-test?cpu_us=2000", users=50))
        if mode in ("platform-50", "virtual"):
            name = "virtual-files" if mode == "virtual" else mode
            cells.append(
                replace(common, mode=name, tier="file-16k", path="/api/file-test", users=50)
            )
    # Of ten threads 2 ms of computing after 18 ms of waiting use up a CPU; 200 are a little faster.
    for size, answers in ((5, 100), (10, 190), (200, 200)):
        cells.append(
            Cell(
                f"tomcat-threads-{size}", study=study, tier="work-20ms", users=100, lasts_s=4,
                versus=None if size == 10 else "tomcat-threads-10", options=tomcat(size),
                path="/api/work-test?sleep_ms=18&cpu_us=2000", sleep_ms=18,
                latency_ms=[40000.0 / answers + i % 3 for i in range(answers)],
            )
        )  # fmt: skip
    for kind, size in product(("platform", "virtual"), (5, 10)):
        options = virtual() if kind == "virtual" else tomcat(500)
        baselines = {"platform-5": "platform-hikari-10", "platform-10": None}
        cells.append(
            Cell(
                f"{kind}-hikari-{size}", study=study, tier="query-wait", users=200, lasts_s=4,
                versus=baselines.get(f"{kind}-{size}", f"platform-hikari-{size}"),
                path="/api/query-test?kind=wait", sleep_ms=20, backend="mariadb",
                options=options | {"spring.datasource.hikari.maximum-pool-size": size},
                counters={"pool_waits": 200, "pool_wait_ms": 3000.0 / size, "pool_timeouts": 0},
                latency_ms=[3000.0 / size + i % 9 for i in range(40 * size)],
            )
        )  # fmt: skip
    for kind, jdk in product(("lock", "synchronized"), (21, 25)):
        versus = {"lock-21": None, "synchronized-25": "virtual-synchronized-21"}
        pinned = kind == "synchronized" and jdk == 21
        cells.append(
            Cell(
                f"virtual-{kind}-{jdk}", study=study, tier="lock-20ms", users=50, lasts_s=4,
                jdk=jdk, versus=versus.get(f"{kind}-{jdk}", "virtual-lock-21"),
                path="/api/lock-test?sleep_ms=20", sleep_ms=20,
                options=virtual(**{"lock.kind": "reentrant" if kind == "lock" else kind}),
                counters={"pinned": 90 if pinned else 0, "pinned_ms": 1800 if pinned else 0},
                latency_ms=[21.0 + i % 3 for i in range(90)],
            )
        )  # fmt: skip
    return cells


def sign_up() -> list[Cell]:
    """Tiers of which the largest is forbidden and one falls behind; the same as published."""
    common = Cell("", study="sign-up", tool="wrk2", path="/registration")
    corrected = {
        "tomcat-200": (None, tomcat(200)),
        "tomcat-400": ("tomcat-200", tomcat(400)),
        "virtual": ("tomcat-200", virtual()),
    }
    published = {
        "tomcat-200-as-published": (None, tomcat(200)),
        "tomcat-400-as-published": ("tomcat-200-as-published", tomcat(400)),
    }
    cells = []
    for prefix, modes in (("connections", corrected), ("source", published)):
        for (mode, (versus, options)), clients in product(modes.items(), (10, 1000, 100000)):
            failing = prefix == "source"
            cells.append(
                replace(
                    common, mode=mode, versus=versus, options=options, tier=f"{prefix}-{clients}",
                    rate_per_s=clients, connections=clients, failing=failing,
                    backend=None if failing else "mariadb",
                    counters={} if failing else {"pool_waits": 200, "pool_wait_ms": 500.0},
                    # At 1,000 connections one server starts, and answers nothing.
                    outcome="beyond_limits" if clients == 100000
                    else "hung" if (mode, clients) == ("virtual", 1000) else "completed",
                    overflows=300 if clients == 1000 else 0,
                    failed_check="little" if clients == 1000 and not failing else "",
                    latency_ms=[5.0 + i % 7 for i in range(min(2 * clients, 400))],
                    refused=min(2 * clients, 400) - 1 if failing else 0,
                )
            )  # fmt: skip
    for mode, (versus, options) in corrected.items():
        # One of them takes no more connections.
        cells.append(
            replace(
                common, mode=mode, versus=versus, options=options, tier="idle-9000", rate_per_s=199,
                connections=100, backend="mariadb", idle_connections=9000,
                overflows=70 if mode == "tomcat-200" else 0,
                refused=200 if mode == "tomcat-200" else 0,
            )
        )  # fmt: skip
        cells.append(
            replace(
                common, mode=mode, versus=versus, options=options, tier="rate-499", rate_per_s=499,
                connections=100, backend="mariadb", left_out="compiled",
                # Measured at another time than its baseline: nothing pairs them.
                session="-later" if mode == "tomcat-400" else "",
            )
        )  # fmt: skip
    return cells


def database_pools() -> list[Cell]:
    """Connections kept, or a new one for each transaction; a database has no compiler."""
    made = {
        "thread-per-connection": (None, None, "mariadb", 1.0),
        "thread-pool-4": ("thread-per-connection", None, "mariadb", 1.0),
        "connect-per-transaction": ("thread-per-connection", 1, "mariadb", 4.0),
        "connect-every-4": ("thread-per-connection", 4, "mariadb", 1.75),
        "postgresql": (None, None, "postgresql", 1.0),
        "postgresql-connect": ("postgresql", 1, "postgresql", 6.0),
        "pgbouncer": ("postgresql", None, "pgbouncer", 1.3),
        "pgbouncer-connect": ("postgresql-connect", 1, "pgbouncer", 1.5),
    }
    grid = Cell(
        "both-pools", study="database-pools", tool="database-client", tier="grid-10",
        engine="mariadb", compiler_share=None,
        combinations=[
            (threads, size, 100.0 * threads * size / (1 + size * size / 50))
            for threads, size in product((1, 4), (1, 2, 5, 10, 20))
        ],
    )  # fmt: skip
    return [grid] + [
        Cell(
            mode, study="database-pools", tool="sysbench", tier=tier, versus=versus,
            connections=clients, reconnect_every=every, engine=engine, compiler_share=None,
            latency_ms=[cost + i % 5 / 10 for i in range(round(4000 / cost))],
            counters={"Connections": 2000.0 if every else 4.0, "Threads_created": 4.0},
        )
        for mode, (versus, every, engine, cost) in made.items()
        for tier, clients in (("read-only-10", 10), ("point-select-10", 10))
    ]  # fmt: skip
