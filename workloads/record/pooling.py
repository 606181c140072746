"""From the slices of a cell to the cell: one load, one set of metrics, one folder.

Counts are added, rates are means over the time that counted, peaks are the highest. Plain slices
that count are pooled; for latencies, the included ones (`kept`). Where there is none, as after a
death, all are pooled. Profiled slices are pooled by themselves; for a profile, the included ones.
"""

from __future__ import annotations

import csv
import gzip
import math
import shutil
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from profiles.watch.telemetry import COLUMNS
from workloads.record.latencies import (
    MIXED_IN,
    SAMPLES,
    WITHOUT_LAG,
    latency_of,
    merged,
    rows_in,
    steps_of,
    texts_of,
)
from workloads.record.load import COLLECTIONS
from workloads.record.overload import (
    HEAP,
    HEAP_COLUMNS,
    OVERLOADS,
    SECONDS,
    SECONDS_COLUMNS,
    heap_rows,
    is_overload,
    overload_row,
    second_rows,
)
from workloads.record.slice import (
    GROWING,
    PLAIN,
    PROFILED,
    Beside,
    Live,
    Slice,
    beyond_generator,
)

SUMMED = (
    *("requests_offered", "requests_recorded", "in_flight_at_end", "responses_2xx", "bodies_right"),
    *("duration_s", "received_bytes", "sent_bytes", "answers_in_warm_up"),
    *("failures_in_warm_up", "connections_opened", "reconnects"),
)
COUNTS = ("errors", "queries")
# Means over the time that counted.
RATES = ("answers_per_s", "throughput_per_s", "users_alive")
SAME = ("loop", "offered_per_s", "concurrency_offered")
PEAKS = (
    *("peak_threads", "peak_rss_bytes", "peak_descriptors", "peak_descriptors_share"),
    "peak_accept_queue",
)
SHARES = ("steal_share", "server_steal_share", "others_cpu_share", "idle_neighbors_share")
SPEEDS = ("speed_server", "probe_us")
# Values that mean nothing over the steps of a sweep, each at a rate of its own.
NOT_OF_A_SWEEP = ("answers_per_s", "throughput_per_s", "in_flight_mean", "offered_per_s")
# Share of the server's CPU time: above it, what the compiler's subtraction leaves is uncertain.
COMPILER_MARKED_ABOVE = 0.3
COMBINATIONS, LATENCIES_FILE = "combinations.csv", "latencies.csv.gz"
LATENCY_COLUMNS = ["slice", "value_ms", "count"]
# Column `class` of further rows, by the histogram that they are from; primary latencies have none.
CLASSES = {WITHOUT_LAG: "without-lag", MIXED_IN: "mixed-in"}
THREAD_STATES = "thread-states.csv"
SERVER_LOG = "server.log"
# Some servers write lines for each request, or the trace of an exception.
LOG_END_BYTES = 2**20


def pooled(slices: list[Slice], kind: str = PLAIN) -> list[Slice]:
    """The slices of a kind that count for all but latency; all where none does."""
    of_kind = [done for done in slices if done.turn.kind == kind]
    return [done for done in of_kind if done.counts] or of_kind


def pooled_kept(slices: list[Slice], kind: str = PLAIN) -> list[Slice]:
    """The slices of a kind that count for latency, or show in a profile; else all that count."""
    counted = pooled(slices, kind)
    return [done for done in counted if done.kept] or counted


def load_of(slices: list[Slice], rounds: float = math.inf) -> dict[str, Any]:
    """The `load` part of cell.json. `rounds`: how many are configured; by default all there are."""
    counted = pooled(slices)
    loads, timed = ([done.load for done in of] for of in (counted, pooled_kept(slices)))
    lasted_s = [load["duration_s"] for load in loads]
    requests = [load["requests_recorded"] for load in loads]
    answered = [load["requests_recorded"] for load in timed]

    def values(key: str) -> list[Any]:
        return [load.get(key) for load in loads]

    def known(key: str) -> list[Any]:
        return [value for value in values(key) if value is not None]

    pools: dict[tuple[str, ...], Callable[[str], Any]] = {
        SUMMED: lambda key: summed(values(key)),
        COUNTS: lambda key: dict(sum(map(Counter, known(key)), Counter())),
        RATES: lambda key: weighted(values(key), lasted_s),
        SAME: lambda key: values(key)[0],
    }
    there = {key for load in loads for key in load}
    found = {key: pool(key) for names, pool in pools.items() for key in names if key in there}
    timed_s = [load["duration_s"] for load in timed]
    found["in_flight_mean"] = weighted([in_flight(load) for load in timed], timed_s)
    if is_sweep(slices):
        found |= dict.fromkeys(NOT_OF_A_SWEEP)
    shares, means_ms = values("error_share"), [load["latency_mean_ms"] for load in timed]
    limited = [load["limited_by_generator"] for load in loads if load["limited_by_generator"]]
    generators = [load["generator"] for load in loads]
    return found | {
        # Over the requests of included slices.
        "latency_mean_ms": None if is_sweep(slices) else weighted(means_ms, answered),
        "latency_min_ms": min(known("latency_min_ms"), default=None),
        "error_share": weighted(shares, requests) if sum(requests) else max(shares),
        "start_epoch_s": min(load["start_epoch_s"] for load in loads),
        "end_epoch_s": max(load["end_epoch_s"] for load in loads),
        # One late slice in three is noise.
        "limited_by_generator": limited[0] if 2 * len(limited) > len(loads) else "",
        "settling": {
            name: typical([load["settling"].get(name) for load in timed])
            for name in ("latency", "throughput")
        },
        # Beyond a limit where those of most slices are.
        "generator": generators[0]
        | {"cpu_share": statistics.median(each["cpu_share"] for each in generators)},
        "slices": counts_of(slices, rounds),
    }


def in_flight(load: dict[str, Any]) -> float | None:
    """Requests in flight on average, by Little's law; those that a mix adds are among them."""
    latency_ms = load["latency_mean_ms"]
    if latency_ms is None:
        return None
    mix = load.get("mixed_in", {"share": 0.0})
    if mix["share"]:
        latency_ms += mix["share"] * (mix["latency_mean_ms"] - latency_ms)
    return float(load["answers_per_s"] * latency_ms / 1000)


def latency(slices: list[Slice]) -> dict[str, Any] | None:
    """`load.latency` of a cell."""
    kept = pooled_kept(slices)
    return latency_of([done.folder for done in kept], load_of(kept))


def is_sweep(slices: list[Slice]) -> bool:
    return "sustained" in slices[0].load


def counts_of(slices: list[Slice], configured: float) -> dict[str, int]:
    plain = [done for done in slices if done.turn.kind == PLAIN]
    whole = sum(done.counts for done in plain)
    if is_sweep(slices):
        # Where a sweep ends for want of a generator nothing was lost.
        plain = [done for done in plain if done.turn.round not in beyond_generator(plain)]
    rounds, kept = {done.turn.round for done in plain}, [done for done in plain if done.kept]
    counted, in_order = len(plain), min(len(rounds), configured)
    # A sweep's rounds are its steps: a step that is included at another load is not lost. Rounds of
    # other loads are extra beyond those configured.
    if is_sweep(slices):
        lost = rounds - {done.turn.round for done in kept}
        counted, in_order = len(kept) + len(lost), len(rounds)
    return {
        "plain": counted,
        "counted": whole,
        "kept": len(kept),
        "repeated": len(plain) - int(in_order),
        "left_out": sum(not done.kept for done in plain),
    }


def weighted(values: list[Any], weights: list[float]) -> float | None:
    pairs = [(v, w) for v, w in zip(values, weights, strict=True) if v is not None and w]
    total = sum(weight for _, weight in pairs)
    return sum(value * weight for value, weight in pairs) / total if total else None


def typical(changes: list[dict[str, float] | None]) -> dict[str, float] | None:
    """The median change of level, and the share of the slices that change to the same side."""
    known = [change for change in changes if change]
    if not known:
        return None
    found = {key: statistics.median(change[key] for change in known) for key in known[0]}
    same_side = [change["shift"] * found["shift"] > 0 for change in known]
    return found | {"same_side": sum(same_side) / len(known)}


def server_of(live: Live, slices: list[Slice]) -> dict[str, Any]:
    """The `server` part of cell.json, except what its process reports at its end."""
    counted = pooled(slices)
    metrics = [done.metrics for done in counted]
    cpu_s = sum(each["server_cpu_s"] for each in metrics)
    compiler_s = sum(each["compiler_cpu_s"] or 0.0 for each in metrics)
    knows_compiler = metrics[0]["compiler_cpu_s"] is not None
    return {
        "cpu_s": cpu_s,
        "cpu_us_per_request": cpu_us_per_request(counted),
        "compiler_share": compiler_s / cpu_s if knows_compiler and cpu_s else None,
        "compiler_marked": compiler_s > COMPILER_MARKED_ABOVE * cpu_s,
        "idle_threads": live.idle["server_threads"],
        "idle_rss_bytes": live.idle["server_rss_bytes"],
        "idle_cpu_share": live.idle_cpu_share,
        "first_answer_s": live.first_answer_s,
        "threads_started": threads_started(counted),
        "carriers": live.carriers,
        "counters": counters(counted),
        # The requests that these belong to.
        "counted_requests": summed(done.load.get("counted_requests") for done in counted),
        "settings": live.settings,
        **{name: max(each[name] for each in metrics) for name in PEAKS},
        **{name: sum(each[name] for each in metrics) for name in GROWING},
        **{name: summed(each[name] for each in metrics) for name in COLLECTIONS},
    }


def cpu_us_per_request(slices: list[Slice]) -> float | None:
    """Without the compiler's, of the slices but those in which it was not seen in time.

    As in a slice it is of the whole window, also where a grid counts only parts of it.
    """
    spent_s = answers = 0.0
    for done in slices:
        answered = done.load["answers_per_s"] * (done.window[1] - done.window[0])
        if done.metrics["cpu_us_per_request"] is not None or not answered:
            spent_s += done.metrics["server_cpu_s"] - (done.metrics["compiler_cpu_s"] or 0.0)
            answers += answered
    return 1e6 * spent_s / answers if answers else None


def summed(values: Iterable[float | None]) -> float | None:
    """None where one is not known."""
    known = list(values)
    return None if None in known else sum(value for value in known if value is not None)


def threads_started(slices: list[Slice]) -> int | None:
    """None where they are not counted, as by a server that is gone."""
    edges = [
        (done.accounts["before"]["threads_started"], done.accounts["after"]["threads_started"])
        for done in slices
    ]
    if any(None in edge for edge in edges):
        return None
    return sum(max(0, after - before) for before, after in edges)


def counters(slices: list[Slice]) -> dict[str, float]:
    """By how much the server's own counters grew."""
    grown: Counter[str] = Counter()
    for done in slices:
        before, after = (done.accounts[edge]["counters"] for edge in ("before", "after"))
        for name, value in after.items():
            grown[name] += value - before.get(name, 0)
    return dict(grown)


def rows_of(slices: list[Slice]) -> tuple[int | None, int | None]:
    """Rows in the server's table before the slices, and as many more as the slices have left."""
    edges = [
        (done.accounts["before"]["rows"], done.accounts["after"]["rows"]) for done in pooled(slices)
    ]
    if not edges or edges[0][0] is None:
        return None, None
    if any(None in edge for edge in edges):
        return edges[0][0], None
    return edges[0][0], edges[0][0] + sum(after - before for before, after in edges)


def machine_of(slices: list[Slice]) -> dict[str, Any]:
    metrics = [done.metrics for done in pooled(slices)]
    return {
        **{name: statistics.mean(each[name] for each in metrics) for name in SHARES},
        **{name: middle(each[name] for each in metrics) for name in SPEEDS},
        # Slices that were stopped count for nothing.
        "throttled": sum(done.metrics["throttled"] for done in slices if done.turn.kind == PLAIN),
    }


def middle(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None


def backend_of(slices: list[Slice], beside: list[Beside]) -> dict[str, Any] | None:
    """The `backend` part of cell.json: the first, and the others with their CPU time alone."""
    if not beside:
        return None
    metrics = [done.metrics for done in pooled(slices)]
    first, *others = [
        {
            "id": each.id,
            "cpus": each.cpus,
            "cpu_share": statistics.mean(each["backend_cpu_shares"][place] for each in metrics),
        }
        for place, each in enumerate(beside)
    ]
    return first | ({"others": others} if others else {})


def write_files(slices: list[Slice], out: Path) -> None:
    counted = pooled(slices)
    live = counted[-1].live
    folders = [done.folder for done in counted]
    table(out / "slices.csv", [done.row() for done in slices])
    samples = [sample | {"slice": done.turn.number} for done in slices for sample in done.samples]
    table(out / "telemetry.csv", samples, ["slice", *COLUMNS])
    latencies = [*latency_rows(slices)]
    table(out / LATENCIES_FILE, latencies, LATENCY_COLUMNS if not latencies else None)
    for name in (SAMPLES, COMBINATIONS):
        if (folders[0] / name).exists():
            found = ((done.turn.number, rows_in(done.folder / name)) for done in counted)
            table(out / name, [row | {"slice": number} for number, rows in found for row in rows])
    if is_overload(folders[0]):
        write_overloads([done for done in slices if done.turn.kind == PLAIN], out)
    logs = [folder / "generator.log" for folder in folders]
    (out / "generator.log").write_bytes(b"".join(log.read_bytes() for log in logs if log.exists()))
    for name in ("gc.log", "pooler.log", "backend.log"):
        if (live.folder / name).exists():
            shutil.copyfile(live.folder / name, out / name)
    if (live.folder / SERVER_LOG).exists():
        keep_log(live.folder / SERVER_LOG, out / f"{SERVER_LOG}.gz")
    profiled = pooled_kept(slices, PROFILED)
    if profiled and (profiled[-1].live.folder / THREAD_STATES).exists():
        shutil.copyfile(profiled[-1].live.folder / THREAD_STATES, out / THREAD_STATES)
        within_slices(out / THREAD_STATES, profiled)


def write_overloads(slices: list[Slice], out: Path) -> None:
    """The tables that overload.py names, of all loads, whether or not their server survived."""
    loads, seconds, heap = [], [], []
    for done in slices:
        number, folder = {"slice": done.turn.number}, done.folder
        loads.append(number | overload_row(folder, done.load, done.accounts))
        seconds += [number | row for row in second_rows(folder, done.load["objective_ms"])]
        log = done.live.folder / "gc.log"
        heap += [number | row for row in heap_rows(log, folder, done.load, done.accounts)]
    table(out / OVERLOADS, loads)
    table(out / SECONDS, seconds, SECONDS_COLUMNS)
    table(out / HEAP, heap, HEAP_COLUMNS)


def latency_rows(slices: list[Slice]) -> Iterator[dict[str, Any]]:
    """How often each latency was seen in each plain slice, whichever were excluded."""
    plain = [done for done in slices if done.turn.kind == PLAIN]
    for name, label in {"": "", **CLASSES}.items():
        for done in plain:
            steps = merged(texts_of([done.folder], name)) if name else steps_of(done.folder)
            for value_ms, count in sorted(steps.items()):
                row = {"slice": done.turn.number, "value_ms": value_ms, "count": count}
                yield row | ({"class": label} if label else {})


def keep_log(log: Path, out: Path) -> None:
    """The first and the last MiB of a log, and between them how much is left out."""
    size = log.stat().st_size
    with log.open("rb") as file, gzip.open(out, "wb") as kept:
        if size > 2 * LOG_END_BYTES:
            kept.write(file.read(LOG_END_BYTES))
            kept.write(f"\n… {size - 2 * LOG_END_BYTES:,} bytes are left out …\n".encode())
            file.seek(size - LOG_END_BYTES)
        shutil.copyfileobj(file, kept)


def within_slices(path: Path, slices: list[Slice]) -> None:
    """Leaves the rows whose time, in the first column, is in the window of one of these slices."""
    header, *lines = path.read_text().splitlines()
    kept = [
        line
        for line in lines
        for start_s, end_s in (done.window for done in slices)
        if start_s <= float(line.split(",", 1)[0] or 0) <= end_s
    ]
    path.write_text("\n".join([header, *kept]) + "\n")


def table(path: Path, rows: list[dict[str, Any]], columns: list[str] | None = None) -> None:
    """Rows as CSV, compressed where the name says so."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "wt", newline="") as file:
        fields = columns or list(dict.fromkeys(key for row in rows for key in row))
        writer = csv.DictWriter(file, fields, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
