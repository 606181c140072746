"""The tool database_client: a closed loop on a database from inside a JVM, with think time.

servers/database-client: HikariCP or a new connection for every transaction, platform or virtual
threads. A request is a transaction. One run holds a combination of the two pools' sizes, or many:
combinations.csv has a row for each, and the load is all of them together.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any, cast

from workloads.record.latencies import rows_in
from workloads.record.load import nothing_answered, nothing_sent
from workloads.servers.databases import DATABASE, USER
from workloads.servers.databases.data import ROWS, SEED
from workloads.servers.databases.subject import DatabaseSubject
from workloads.servers.subject import Subject

ROOT = Path(__file__).resolve().parents[2]
JAR = ROOT / "servers/database-client/target/database-client.jar"
COMBINATIONS, LATENCY = "combinations.csv", "latency.hgrm"
LOOP = "closed"
SIZES = ("pool_sizes", "server_pool_sizes")
# The JVM with its pool belongs to the mode.
A_DRIVER_FOR_EACH_MODE = True
# Before each combination of sizes.
WARM_UP_MS = 150
VERSIONS = ("HikariCP", "mariadb-java-client")


def generator(spec: dict[str, Any]) -> dict[str, str]:
    """Name, and the versions of the pool and the driver that it uses."""
    jars = [path.stem for path in sorted((JAR.parent / "lib").glob("*.jar"))]
    version = ", ".join(jar for jar in jars if jar.startswith(VERSIONS))
    return {"name": "database-client", "version": version}


def driver(spec: dict[str, Any], java: Path) -> list[str]:
    return [
        str(java),
        *spec["tool"]["jvm_options"],
        *("-cp", str(JAR), "artifact.database.Driver"),
    ]


def short(spec: dict[str, Any]) -> dict[str, Any]:
    """One combination of sizes for a second."""
    sizes = {key: spec["tool"][key][:1] for key in SIZES if key in spec["tool"]}
    return spec | {"tool": spec["tool"] | sizes | {"window_s": 1.0}}


def fields(spec: dict[str, Any], subject: Subject, folder: Path) -> list[str]:
    """The line that asks the driver for a load: its folder and the client's options."""
    tool, client = spec["tool"], spec["mode"]["client"]
    pool_sizes = tool.get("pool_sizes", [client.get("pool_size", 0)])
    return [
        str(folder),
        f"--url=jdbc:mariadb://127.0.0.1:{subject.port}/{DATABASE}?sslMode=disable",
        f"--user={USER}",
        f"--statement={tool['statement']}",
        f"--workers={tool['workers']}",
        *(["--virtual"] if client["threads"] == "virtual" else []),
        f"--think-ms={tool['think_ms']}",
        f"--rows={ROWS}",
        f"--pool-sizes={','.join(map(str, pool_sizes))}",
        f"--server-pool-sizes={','.join(map(str, tool.get('server_pool_sizes', [0])))}",
        f"--warm-up-ms={WARM_UP_MS}",
        f"--window-ms={round(tool['window_s'] * 1000)}",
        f"--seed={SEED + cast(DatabaseSubject, subject).position}",
    ]


def collect(spec: dict[str, Any], folder: Path, ran_s: tuple[float, float]) -> dict[str, Any]:
    """The `load` part of cell.json; combinations.csv and latency.hgrm are the client's own."""
    rows = rows_in(folder / COMBINATIONS)
    clients = {"concurrency_offered": spec["tool"]["workers"]}
    if not rows:
        said = (folder / "generator.log").read_text(errors="replace")[-2000:]
        fault = {"outcome": "refused", "reason": f"database-client: {said.strip()}"}
        return nothing_answered(LOOP, ran_s) | clients | {"fault": fault}
    good, failed = total(rows, "transactions"), total(rows, "failed")
    windows_s = [(float(row["start_epoch_s"]), float(row["end_epoch_s"])) for row in rows]
    # Between two combinations nothing is counted.
    counted_s = sum(end_s - start_s for start_s, end_s in windows_s)
    smallest = re.search(r"^ *([\d.]+) +0\.0+ ", (folder / LATENCY).read_text(), re.MULTILINE)
    load = nothing_sent(LOOP) | clients
    return load | {
        "requests_recorded": round(good + failed),
        "responses_2xx": round(good),
        "errors": errors(rows),
        "error_share": failed / (good + failed) if good + failed else 1.0,
        "start_epoch_s": min(windows_s)[0],
        "end_epoch_s": max(windows_s)[1],
        "duration_s": counted_s,
        "answers_per_s": (good + failed) / counted_s if counted_s else 0.0,
        "throughput_per_s": good / counted_s if counted_s else 0.0,
        "latency_mean_ms": mean_ms(rows),
        "latency_min_ms": float(smallest[1]) if smallest else None,
    }


def mean_ms(rows: list[dict[str, str]]) -> float | None:
    """Over all transactions of all combinations."""
    transactions = total(rows, "transactions")
    weighted = sum(float(row["mean_ms"]) * int(row["transactions"]) for row in rows)
    return weighted / transactions if transactions else None


def total(rows: list[dict[str, str]], column: str) -> float:
    return sum(float(row[column]) for row in rows)


def errors(rows: list[dict[str, str]]) -> dict[str, int]:
    """The client's kinds of errors with their counts, of all combinations."""
    counts: Counter[str] = Counter()
    for part in filter(None, ";".join(row["errors"] for row in rows).split(";")):
        kind, count = part.rsplit("=", 1)
        counts[kind] += int(count)
    return dict(counts)
