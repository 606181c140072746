"""Two builds of a user's own service: from a few keys to the study that measures them in turns.

`own` in a configuration takes the place of all its studies. It has one comparison of two modes,
old and new, which end their rounds when the new build is shown to be slower, or not to be.
"""

from __future__ import annotations

import json
import math
from typing import Any

from workloads.experiment.configuration import ConfigurationError, faults_by, schema

STUDY, OLD, NEW, TIER = "own", "old", "new", "load"
COLORS = {OLD: "gray", NEW: "blue"}
# Where config.yaml has its results, unless the command line says otherwise.
DEFAULT_RESULTS = "results"
# The plan is one word of a command line, which Linux limits to 128 KiB, and has them twice.
REQUESTS_CHARACTERS = 30_000
# JMeter counts whole seconds: a slice with its start takes two.
USERS: dict[str, Any] = {"warm_up_s": 0.3, "keep_alive": True}
USERS_SLICE_S = 1.7
# A slice at a rate has so many requests, unless it would be longer than the limit.
RATE_SLICE_REQUESTS, RATE_SLICE_S_AT_MOST = 200, 5
ANSWER_S = 0.05
# Share of the budget for warming up, in as many starts as there are at the least.
WARM_UP_SHARE, WARM_UP_S_AT_MOST, STARTS_AT_LEAST = 0.25, 60, 3
# A load for a profile; each build has one, or two where the first is disturbed.
PROFILE_SHARE, PROFILE_S_AT_LEAST = 0.1, 2
ROUNDS_AT_MOST = 1000
P99_SLOWER_PERCENT = 25


def experiment(config: dict[str, Any]) -> dict[str, Any]:
    """The configuration with the study of `own` alone; as it is without that key.

    Raises ConfigurationError naming every key of `own` that is wrong.
    """
    if "own" not in config:
        return config
    if faults := faults_of(config["own"]):
        raise ConfigurationError("\n".join(sorted(faults)))
    results, testbed, own = config["results"], config["testbed"], config["own"]
    profile_s = max(PROFILE_SHARE * own["budget_s"], PROFILE_S_AT_LEAST)
    limit = {"limit_s": min(profile_s, testbed["profiler"]["limit_s"])}
    return config | {
        "results": f"{results}/{STUDY}" if results == DEFAULT_RESULTS else results,
        "repetitions": 1,
        "thread_memory": False,
        "testbed": testbed | {"profiler": testbed["profiler"] | limit},
        # No server of ours runs, but a study names one.
        "studies": {STUDY: study_of(own, next(iter(config["servers"])))},
    }


def faults_of(own: Any) -> list[str]:
    faults = faults_by({"$ref": "#/$defs/own", "$defs": schema()["$defs"]}, own, "own")
    if faults:
        return faults
    if ("users" in own) == ("rate_per_s" in own):
        faults.append(f"own.users = {own.get('users', 'null')}; allowed: a number, or rate_per_s")
    if (characters := len(json.dumps(own["requests"]))) > REQUESTS_CHARACTERS:
        allowed = f"{REQUESTS_CHARACTERS:,} characters in all"
        faults.append(f"own.requests = {characters:,} characters; allowed: {allowed}")
    return faults


def study_of(own: dict[str, Any], server: str) -> dict[str, Any]:
    tool = "jmeter" if "users" in own else "wrk2"
    question = "Is the new build slower than the old one?"
    builds = {
        "question": question,
        "modes": {side: mode_of(own, side) for side in (OLD, NEW)},
        "tiers": [TIER],
        "profiles": {f"{TIER}/{tool}": {side: ["cpu"] for side in (OLD, NEW)}},
    }
    return {
        "title": "Two builds of one service",
        "question": question,
        "server": server,
        "verify_path": own["ready_path"],
        "comparisons": {"builds": builds},
        "tiers": {TIER: tier_of(own, tool)},
    }


def mode_of(own: dict[str, Any], side: str) -> dict[str, Any]:
    build = {key: value for key, value in own[side].items() if key != "backend"}
    ready = {"expected_status": own["ready_status"]} if "ready_status" in own else {}
    limit = {"start_limit_s": own["start_limit_s"]} if "start_limit_s" in own else {}
    return {"title": side, "color": COLORS[side]} | build | backend_of(own, side) | ready | limit


def backend_of(own: dict[str, Any], side: str) -> dict[str, Any]:
    """A build's own backend, or the one that all share; empty without one."""
    if "backend" in own[side]:
        return {"own_backend": own[side]["backend"]}
    return {"own_backend": own["backend"] | {"shared": True}} if "backend" in own else {}


def tier_of(own: dict[str, Any], tool: str) -> dict[str, Any]:
    if tool == "jmeter":
        title, length_s = f"{own['users']:,} users", USERS_SLICE_S
        load = USERS | {"users": own["users"]}
    else:
        rate_per_s = own["rate_per_s"]
        title = f"{rate_per_s:,g} requests/s"
        length_s = min(max(1, RATE_SLICE_REQUESTS / rate_per_s), RATE_SLICE_S_AT_MOST)
        enough = min(max(10, math.ceil(rate_per_s * ANSWER_S)), 500)
        connections = own.get("connections", enough)
        load = {"rate_per_s": rate_per_s, "connections": connections, "keep_alive": True}
    warm_up_s = min(WARM_UP_SHARE * own["budget_s"] / STARTS_AT_LEAST, WARM_UP_S_AT_MOST)
    return {
        "title": title,
        "path": own["ready_path"],
        "requests": [whole_request(each) for each in own["requests"]],
        "warm_up": {"limit_s": warm_up_s, "keep_alive": True},
        "slices": {
            "length_s": length_s,
            "rounds": ROUNDS_AT_MOST,
            "extra_rounds": 0,
            "until": {"budget_s": own["budget_s"], "slower_percent": limits_of(own)},
        },
        tool: load,
    }


def whole_request(request: dict[str, Any]) -> dict[str, Any]:
    return {"method": "POST" if "body" in request else "GET"} | request


def limits_of(own: dict[str, Any]) -> dict[str, float]:
    """How many percent slower is too slow, by statistic."""
    percent = own["slower_percent"]
    p99_percent = own.get("p99_slower_percent", max(percent, P99_SLOWER_PERCENT))
    return {
        "throughput_per_s": percent,
        "latency_p50_ms": percent,
        "latency_p99_ms": p99_percent,
        "cpu_us_per_request": percent,
    }
