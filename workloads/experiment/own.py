"""Variants of a user's own service: from a few keys to the study that measures them in turns.

`own` in a configuration takes the place of all its studies. It has one comparison, of old and new
or of up to four variants, whose rounds end when each is shown to be slower than the first, or not
to be. As a program it checks a file: python -m workloads.experiment.own FILE
"""

import json
import math
import re
import sys
from collections.abc import Iterator
from typing import Any

from workloads.experiment.configuration import ConfigurationError, fault, faults_by, only, without
from workloads.experiment.schema import enumerated, schema
from workloads.machine.provenance import ROOT

STUDY, BUILDS, TIER, CAPACITY = "own", ("old", "new"), "load", "capacity"
# Ends the name of a second process of the first variant.
AGAIN = "-again"
# A shorter budget has no time for it, unless the file asks for it.
A_A_BUDGET_S = 120
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
WARM_UP_SHARE, WARM_UP_S_AT_MOST, STARTS_AT_LEAST = 0.4, 60, 3
# On eight, as elsewhere, requests that wait 20 ms were 280 a second: the 8,000 that a
# server needs until it can be warm took 29 s of a start.
WARM_UP_CONNECTIONS = 64
# A load waits this share of it, at the most, for the compiler: where it waited 5 s of 20, Spring
# Boot had answered 3,500 requests and compiled on in the slices that were measured.
COMPILING_SHARE = 1 / 16
# A load for a profile; each variant has one.
PROFILE_SHARE, PROFILE_S_AT_LEAST = 0.06, 2
ROUNDS_AT_MOST = 1000
P99_SLOWER_PERCENT = 25
# A busy machine may take so many rounds beyond the planned ones.
SWEEP = {"connections": 2000, "extra_rounds": 2}
# Requests that have failed the objective wait on in an overload, until a time-out that is so many
# times as long, within these bounds: each would cost its sweep the ten seconds of the others.
PATIENCE_OBJECTIVES, PATIENCE_S = 10, (1.0, 10.0)
# Keys of a variant that `own` may have for all; its environment and headers are added.
COMMON = ("command", "folder", "stop", "backend")
# Keys of `own` that are other ones of a mode.
READY = {"ready_status": "expected_status", "start_limit_s": "start_limit_s"}
# Words that the generator fills in for each request, and a variable's value.
FILLED, SECRET = ("{n}", "{uuid}", "{env:"), "{{env:{}}}"
# Parts of the study's keys that the user's own have not, but for the variants' names.
MODES = re.compile(r"comparisons\.builds\.modes\.(?!(old|new)(-again)?\.)")
OURS = re.compile(
    r"config\.yaml: |studies\.|comparisons\.builds\.modes\.|-again(?=\.)"
    r"|tiers\.(load|capacity)\.((wrk2|jmeter|sweep)\.)?"
)


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
        "testbed": testbed | {"profiler": testbed["profiler"] | limit} | only(own, "server_cpus"),
        # No server of ours runs, but a study names one.
        "studies": {STUDY: study_of(own, next(iter(config["servers"])))},
    }


def faults_of(own: Any) -> list[str]:
    return faults_by(schema()["$defs"]["own"], own, "own") or [*faults_beyond_the_schema(own)]


def faults_beyond_the_schema(own: dict[str, Any]) -> Iterator[str]:
    place = "own.variants" if "variants" in own else "own"
    for name, each in variants_of(own).items():
        if "command" not in each:
            yield fault(f"{place}.{name}.command", None, "it must be there, or own.command")
    requests = enumerate(own.get("requests", []))
    files = {f"requests.{at}.file": each["file"] for at, each in requests if "file" in each}
    files |= only(own, "script")
    for key, file in files.items():
        if not (ROOT / file).is_file():
            yield fault(f"own.{key}", file, "a file that is there")
    text = json.dumps(requests_of(own))
    if len(text) > REQUESTS_CHARACTERS:
        may = f"{REQUESTS_CHARACTERS:,} characters in all, by their weights, or a file or script"
        yield f"own.requests = {len(text):,} characters; allowed: {may}"
    if "users" in own and (files or any(word in text for word in FILLED)):
        may = "rate_per_s, with a file, a script, {n}, {uuid} or headers_from_environment"
        yield fault("own.users", own["users"], may)


def variants_of(own: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The variants by name, each with what `own` says for all; the first is the baseline."""
    named = own.get("variants") or only(own, *BUILDS)
    return {name: whole_variant(own, each or {}) for name, each in named.items()}


def whole_variant(own: dict[str, Any], each: dict[str, Any]) -> dict[str, Any]:
    found = only(own, *COMMON) | without(each, "options")
    if "command" in found:
        found["command"] = [*found["command"], *each.get("options", [])]
    variables = own.get("environment", {}) | each.get("environment", {})
    return found | ({"environment": variables} if variables else {})


def study_of(own: dict[str, Any], server: str) -> dict[str, Any]:
    tool = "jmeter" if "users" in own else "wrk2"
    variants = variants_of(own)
    question = f"Is {enumerated([*variants][1:], 'or')} slower than {next(iter(variants))}?"
    modes = {name: mode_of(own, name, each) for name, each in variants.items()}
    tiers = {TIER: tier_of(own, tool)} | ({CAPACITY: sweep_of(own)} if "p99_ms" in own else {})
    builds = {
        "question": question,
        "modes": modes | a_a_of(own, next(iter(variants))),
        "tiers": [*tiers],
        "profiles": {f"{TIER}/{tool}": {name: ["cpu"] for name in variants}},
    }
    return {
        "title": "Variants of one service",
        "question": question,
        "server": server,
        "verify_path": ready_of(own)[0],
        "comparisons": {"builds": builds},
        "tiers": tiers,
    }


def a_a_of(own: dict[str, Any], first: str) -> dict[str, Any]:
    """The first variant as a second process in the same turns: the floor of what can be seen."""
    enough = "variants" not in own and own["budget_s"] >= A_A_BUDGET_S
    wanted = own.get("a_a", enough)
    pair = {"title": f"{first} again", "a_a_of": first, "tiers": [TIER]}
    return {f"{first}{AGAIN}": pair} if wanted else {}


def ready_of(own: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Path and headers of the question whether a variant is ready: of the first GET by default."""
    asked = [each for each in whole_requests(own) if each["method"] == "GET"]
    first: dict[str, Any] = asked[0] if asked else {"path": "/"}
    path = own.get("ready_path", first["path"])
    headers: dict[str, Any] = {} if "ready_path" in own else first.get("headers", {})
    return path, common_headers(own) | headers | own.get("ready_headers", {})


def mode_of(own: dict[str, Any], name: str, variant: dict[str, Any]) -> dict[str, Any]:
    ready = {READY[key]: own[key] for key in READY if key in own}
    if headers := ready_of(own)[1]:
        ready["ready_headers"] = headers
    if secrets := own.get("headers_from_environment"):
        ready["secrets"] = sorted({*secrets.values()})
    if backend := variant.get("backend"):
        shared = {"shared": True} if backend is own.get("backend") else {}
        ready["own_backend"] = backend | shared
    return {"title": name} | without(variant, "backend") | ready


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
        load = {"rate_per_s": rate_per_s, "connections": connections} | way_of(own)
    return common_tier(own) | {
        "title": title,
        "slices": {
            "length_s": length_s,
            "rounds": ROUNDS_AT_MOST,
            "extra_rounds": 0,
            "until": {"budget_s": own["budget_s"], "slower_percent": limits_of(own)}
            | ({"again": True} if own.get("a_a") else {}),
        },
        tool: load,
    }


def sweep_of(own: dict[str, Any]) -> dict[str, Any]:
    """The load by which capacity is found: the highest rate at which p99 meets the objective."""
    objective_ms, (least_s, most_s) = own["p99_ms"], PATIENCE_S
    objective = {"objective_ms": objective_ms} | SWEEP
    return common_tier(own) | {
        "title": f"capacity at p99 ≤ {objective_ms:g} ms",
        "request_timeout_s": min(max(least_s, PATIENCE_OBJECTIVES * objective_ms / 1000), most_s),
        "sweep": objective | way_of(own),
    }


def way_of(own: dict[str, Any]) -> dict[str, Any]:
    script = {"script": str(ROOT / own["script"])} if "script" in own else {}
    return {"keep_alive": True} | script


def common_tier(own: dict[str, Any]) -> dict[str, Any]:
    warm_up_s = min(WARM_UP_SHARE * own["budget_s"] / STARTS_AT_LEAST, WARM_UP_S_AT_MOST)
    requests = {"requests": requests_of(own)} if "requests" in own else {}
    return requests | {
        "path": ready_of(own)[0],
        "sleep_ms": 0,
        "warm_up": {
            "limit_s": warm_up_s,
            "compiling_limit_s": COMPILING_SHARE * warm_up_s,
            "keep_alive": True,
            "connections": WARM_UP_CONNECTIONS,
        },
    }


def requests_of(own: dict[str, Any]) -> list[dict[str, Any]]:
    """The requests as they are sent in turns: one of weight 3 three times."""
    requests = whole_requests(own)
    return [without(each, "weight") for each in requests for _ in range(each.get("weight", 1))]


def whole_requests(own: dict[str, Any]) -> list[dict[str, Any]]:
    return [whole_request(each, common_headers(own)) for each in own.get("requests", [])]


def whole_request(request: dict[str, Any], headers: dict[str, Any]) -> dict[str, Any]:
    if "file" in request:
        request = {"path": f"/{request['file']}"} | request
    added = {"headers": headers | request.get("headers", {})} if headers else {}
    return {"method": "POST" if "body" in request else "GET"} | request | added


def common_headers(own: dict[str, Any]) -> dict[str, Any]:
    """Headers whose values are variables of the caller: their names alone stand anywhere."""
    secrets = own.get("headers_from_environment", {})
    return {name: SECRET.format(variable) for name, variable in secrets.items()}


def limits_of(own: dict[str, Any]) -> dict[str, float]:
    """How many percent slower is too slow, by statistic."""
    percent = own["slower_percent"]
    limits = dict.fromkeys(("throughput_per_s", "latency_p50_ms", "cpu_us_per_request"), percent)
    p99_percent = own.get("p99_slower_percent", max(percent, P99_SLOWER_PERCENT))
    return limits | {"latency_p99_ms": p99_percent}


def in_users_words(message: str) -> str:
    """A fault that names the user's keys, not those of the study that they become."""
    message = OURS.sub("", MODES.sub("variants.", message))
    return "\n".join(dict.fromkeys(message.split("\n")))


def main(path: str) -> str:
    """The faults of a file, a line each; empty without any."""
    from workloads.experiment.grid import Grid
    from workloads.experiment.reading import configuration

    try:
        config = configuration(["config.yaml", path])
        if "own" not in config:
            return f"{path}: it has no own; see workloads/examples/two-builds.yaml"
        Grid(config | experiment(config))
    except ConfigurationError as fault:
        return in_users_words(str(fault))
    return ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) or 0)
