"""Kinds of modes: what each fixes, so that a mode in config.yaml is one line.

A kind gives the class or the options that make it, and the platform threads that must be observed,
or it was not this mode. The analysis has its bound.
"""

from typing import Any

Mode = dict[str, Any]

# Carriers of virtual threads and event loops are as many as CPUs, unless a mode says how many; a
# JVM has a few more for timers and polling. The most seen on one CPU with one carrier was 4.
THREADS_PER_CPU = 5
# Words of a mode that are options of its server, under the same name on its command line.
WORDS = (
    *("threads", "core-threads", "queue", "permits", "beyond-permits", "pool", "backlog"),
    *("max-connections", "client", "lock", "password-workers", "control-percent"),
)
# So many carriers, and none in place of those that are pinned.
CARRIERS = (
    "-Djdk.virtualThreadScheduler.maxPoolSize",
    "-Djdk.virtualThreadScheduler.parallelism",
)
COLLECTORS = {
    "serial": "-XX:+UseSerialGC",
    "parallel": "-XX:+UseParallelGC",
    "g1": "-XX:+UseG1GC",
    "zgc": "-XX:+UseZGC",
}


def observed(mode: Mode) -> dict[str, Any]:
    """Platform threads, beyond those of an idle server, that a server of the kind must show."""
    few = {"started_per_request_at_most": 0.2}
    if mode["kind"] == "thread-each":
        return {"started_per_request_at_least": 0.9}
    if mode["kind"] == "pool":
        return {"peak_at_most": mode["threads"], "started_per_request_at_most": 0.5}
    if "threads_at_most" in mode:
        return few | {"peak_at_most": mode["threads_at_most"]}
    return few | {"peak_at_most_per_cpu": THREADS_PER_CPU - 1 + mode.get("carriers", 1)}


def options(mode: Mode, common: dict[str, Any], *, virtual_is_option: bool) -> dict[str, Any]:
    """The options of a server of ours, as on its command line; `common` ones are the study's."""
    words = {word: mode[word] for word in WORDS if word in mode}
    virtual = {"virtual": True} if virtual_is_option and mode.get("kind") == "virtual" else {}
    return common | words | virtual | mode.get("options", {})


def variables(mode: Mode, engine: str) -> dict[str, Any]:
    """The settings of a database, by its own names."""
    given: dict[str, Any] = {}
    if engine == "pgbouncer" and "pool" in mode:
        given = {"default_pool_size": mode["pool"]}
    elif engine == "mariadb" and "kind" in mode:
        each = {"thread_handling": "one-thread-per-connection"}
        pool = {"thread_handling": "pool-of-threads"}
        sized = {"thread_pool_size": mode["threads"]} if "threads" in mode else {}
        given = each if mode["kind"] == "thread-each" else pool | sized
    return given | mode.get("options", {})


def jvm_options(part: Mode) -> list[str]:
    """Heap, collector, carriers and other options of the JVM that a study or a mode names."""
    found = []
    if "heap_mib" in part:
        found += [f"-Xms{part['heap_mib']}m", f"-Xmx{part['heap_mib']}m"]
    if "young_mib" in part:
        # Survivor spaces of a fifth each (by default a tenth) hold what waits across a collection.
        found += [f"-Xmn{part['young_mib']}m", "-XX:SurvivorRatio=3"]
    if "gc" in part:
        found.append(COLLECTORS[part["gc"]])
    if "carriers" in part:
        found += [f"{option}={part['carriers']}" for option in CARRIERS]
    return [*found, *part.get("jvm_options", [])]
