"""Small cells of every study, with the ids that their sections know."""

from dataclasses import replace
from itertools import product

from paper.tests.fake_curves import Curve
from paper.tests.fake_results import Cell

HELLO, SLEEP = "/v1/hello", "/api/sleep-test?sleep_ms=100"
REPETITIONS = (1, 2)


def every_study() -> list[Cell]:
    """Two repetitions of a few cells of each study, with a little noise."""
    cells = [
        *request_threads(),
        *blocking_remote(),
        *virtual_threads(),
        *sign_up(),
        *database_pools(),
    ]
    return [
        replace(
            cell,
            repetition=n,
            cpu_us=cell.cpu_us + n,
            latency_ms=[v + n for v in cell.latency_ms],
            combinations=[(t, c, per_s + n * n) for t, c, per_s in cell.combinations],
        )
        for n in REPETITIONS
        for cell in cells
    ]


def tomcat(threads: int, **options: object) -> dict[str, object]:
    return {"server.tomcat.threads.max": threads, **options}


def virtual(**options: object) -> dict[str, object]:
    return {"spring.threads.virtual.enabled": True, **options}


def request_threads() -> list[Cell]:
    """A pool that takes half the CPU time, a trap that ends its server, a twin, two curves."""
    base, pool = "thread-per-request", "fixed-pool"
    rated = Cell(base, tool="wrk2", samples=300)
    trap = Cell(f"{pool}-as-published", versus=pool, outcome="server_died", overflows=7)
    return [
        rated,
        replace(rated, mode=pool, versus=base, cpu_us=50.0),
        replace(rated, mode=f"{base}-again", versus=base),
        Cell(base),
        Cell(pool, versus=base, cpu_us=50.0, left_out="compiled"),
        trap,
        Curve(base),
        # Its generator is the limit.
        Curve(pool, versus=base, saturation_per_s=4000.0, limit_per_s=3000.0),
    ]


def blocking_remote() -> list[Cell]:
    """A hundred users of two modes, of which one answers too few of them."""
    base, one = "pool-200-blocking", "pool-1-blocking"
    threads = {base: 200, one: 1}
    return [
        Cell(
            mode, study="blocking-remote", tier="users-100", users=100, lasts_s=10, path=HELLO,
            sleep_ms=1000, versus=None if mode == base else base, backend="remote",
            options=tomcat(number, **{"remote.client": "blocking"}),
            threads=[("http-nio-exec", "RUNNABLE", "S", min(number, 100))],
            failed_check="little" if mode == one else "",
            latency_ms=[1000.0 + i % 7 for i in range(min(number, 100) * 2)],
        )
        for mode, number in threads.items()
    ]  # fmt: skip


def virtual_threads() -> list[Cell]:
    """Kinds of threads, few requests admitted and many; a lock that pins."""
    study, base = "virtual-threads", "platform-50"
    by_kind = {
        base: (tomcat(50), 900.0),
        "platform-500": (tomcat(500), 105.0),
        "virtual": (virtual(), 104.0),
        "virtual-semaphore-50": (virtual(**{"requests.permits": 50}), 910.0),
    }
    cells = [
        Cell(
            mode, study=study, versus=None if mode == base else base, options=options,
            tier="sleep-500", users=500, path=SLEEP, sleep_ms=100,
            latency_ms=[latency + i % 5 for i in range(100)],
        )
        for mode, (options, latency) in by_kind.items()
    ]  # fmt: skip
    pinned = {"lock": "reentrant", "synchronized": "synchronized"}
    return cells + [
        Cell(
            f"virtual-{name}-21", study=study, tier="lock-20ms", users=50, lasts_s=4, jdk=21,
            versus=None if name == "lock" else "virtual-lock-21", sleep_ms=20,
            path="/api/lock-test?sleep_ms=20", options=virtual(**{"lock.kind": kind}),
            counters={"pinned": 90, "pinned_ms": 1800} if name == "synchronized" else {},
            latency_ms=[21.0 + i % 3 for i in range(90)],
        )
        for name, kind in pinned.items()
    ]  # fmt: skip


def sign_up() -> list[Cell]:
    """Steps of which the largest is forbidden; at 1,000 connections one server answers nothing."""
    modes = {"tomcat-200": (None, tomcat(200)), "virtual": ("tomcat-200", virtual())}
    return [
        Cell(
            mode, study="sign-up", tool="wrk2", path="/registration", versus=versus,
            options=options, tier=f"connections-{clients}", rate_per_s=clients,
            connections=clients, backend="mariadb",
            outcome="beyond_limits" if clients == 100000
            else "hung" if (mode, clients) == ("virtual", 1000) else "completed",
            latency_ms=[5.0 + i % 7 for i in range(min(2 * clients, 2000))],
        )
        for (mode, (versus, options)), clients in product(modes.items(), (10, 1000, 100000))
    ]  # fmt: skip


def database_pools() -> list[Cell]:
    """Connections kept, or a new one for each transaction; a database has no compiler."""
    made = {
        "thread-per-connection": (None, None, "mariadb", 1.0),
        "connect-per-transaction": ("thread-per-connection", 1, "mariadb", 4.0),
        "connect-every-4": ("thread-per-connection", 4, "mariadb", 1.75),
        "postgresql": (None, None, "postgresql", 1.0),
        "pgbouncer": ("postgresql", None, "pgbouncer", 1.3),
    }
    grid = Cell(
        "both-pools", study="database-pools", tool="database-client", tier="grid-10",
        engine="mariadb", compiler_share=None,
        combinations=[(1, 1, 100.0), (1, 5, 300.0), (4, 1, 120.0), (4, 5, 400.0)],
    )  # fmt: skip
    return [grid] + [
        Cell(
            mode, study="database-pools", tool="sysbench", tier="read-only-10", versus=versus,
            connections=10, reconnect_every=every, engine=engine, compiler_share=None,
            latency_ms=[cost + i % 5 / 10 for i in range(round(4000 / cost))],
            counters={"Connections": 2000.0 if every else 4.0, "Threads_created": 4.0},
        )
        for mode, (versus, every, engine, cost) in made.items()
    ]  # fmt: skip
