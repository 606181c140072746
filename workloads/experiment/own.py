"""Variants of a user's own service: from a few keys to the study that measures them in turns.

`own` in a configuration takes the place of all its studies. It has one comparison, of old and new
or of up to four variants, whose rounds end when each is shown to be slower than the first, or not
to be. As a program it checks a file: python -m workloads.experiment.own FILE
"""

import json
import math
import re
import sys
from typing import Any

from workloads.experiment.configuration import ConfigurationError, faults_by
from workloads.experiment.schema import enumerated, schema
from workloads.machine.provenance import ROOT

STUDY, BUILDS, TIER, CAPACITY = "own", ("old", "new"), "load", "capacity"
# Ends the name of a second process of the first variant.
AGAIN = "-again"
# A shorter budget has no time for it, unless the file asks for it.
A_A_BUDGET_S = 120
COLORS = ("gray", "blue", "vermilion", "green")
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
SWEEP_CONNECTIONS, SWEEP_EXTRA_ROUNDS = 2000, 2
# Requests that have failed the objective wait on in an overload, until a time-out that is so many
# times as long, within these bounds: each would cost its sweep the ten seconds of the others.
PATIENCE_OBJECTIVES, PATIENCE_S = 10, (1.0, 10.0)
# Keys of a variant that `own` may have for all; its environment and headers are added.
COMMON = ("command", "folder", "stop", "backend")
# Words that the generator fills in for each request, and a variable's value.
FILLED, SECRET = ("{n}", "{uuid}"), "{{env:{}}}"
# A key of the study in a fault, and the user's own in its place.
OURS = (
    (re.compile(r"config\.yaml: "), ""),
    (re.compile(r"modes\.([a-z0-9-]+)-again\."), r"modes.\1."),
    (re.compile(r"studies\.own\.comparisons\.builds\.modes\.(old|new)\."), r"own.\1."),
    (re.compile(r"studies\.own\.comparisons\.builds\.modes\."), "own.variants."),
    (re.compile(r"studies\.own\.tiers\.(load|capacity)\.(wrk2|jmeter|sweep)\."), "own."),
    (re.compile(r"studies\.own\.(tiers\.(load|capacity)\.)?"), "own."),
    (re.compile(r"testbed\.server_cpus"), "own.server_cpus"),
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
    cpus = {"server_cpus": own["server_cpus"]} if "server_cpus" in own else {}
    return config | {
        "results": f"{results}/{STUDY}" if results == DEFAULT_RESULTS else results,
        "repetitions": 1,
        "thread_memory": False,
        "testbed": testbed | {"profiler": testbed["profiler"] | limit} | cpus,
        # No server of ours runs, but a study names one.
        "studies": {STUDY: study_of(own, next(iter(config["servers"])))},
    }


def faults_of(own: Any) -> list[str]:
    faults = faults_by({"$ref": "#/$defs/own", "$defs": schema()["$defs"]}, own, "own")
    if faults:
        return faults
    variants = variants_of(own)
    if "variants" in own and {*BUILDS} & own.keys():
        faults.append("own.variants = {...}; allowed: only without old and new")
    if "variants" not in own:
        faults += [
            f"own.{side} = null; allowed: it must be there" for side in BUILDS if side not in own
        ]
    place = "own.variants" if "variants" in own else "own"
    for name, each in variants.items():
        if "command" not in each:
            faults.append(
                f"{place}.{name}.command = null; allowed: it must be there, or own.command"
            )
    if ("users" in own) == ("rate_per_s" in own):
        faults.append(
            f"own.users = {own['users']}; allowed: a number without rate_per_s"
            if "users" in own
            else "own.users = null; allowed: a number, or rate_per_s"
        )
    if "requests" not in own and "script" not in own:
        faults.append("own.requests = null; allowed: it must be there, or script")
    return faults + [fault for fault in faults_of_requests(own) if fault]


def faults_of_requests(own: dict[str, Any]) -> list[str]:
    text = json.dumps(requests_of(own))
    faults = []
    if len(text) > REQUESTS_CHARACTERS:
        allowed = f"{REQUESTS_CHARACTERS:,} characters in all, or {{file: paths.txt}}"
        faults.append(f"own.requests = {len(text):,} characters; allowed: {allowed}")
    for at, each in enumerate(own.get("requests", [])):
        if "file" in each and not (ROOT / each["file"]).is_file():
            faults.append(
                f'own.requests.{at}.file = "{each["file"]}"; allowed: a file that is there'
            )
    named = [word for word in (*FILLED, "{env:", '"file"') if word in text]
    if "users" in own and (named or "script" in own):
        found = "a script" if not named else named[0].replace("{env:", "headers_from_environment")
        faults.append(f"own.users = {own['users']}; allowed: rate_per_s, with {found}")
    return faults


def variants_of(own: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The variants by name, each with what `own` says for all; the first is the baseline."""
    named = own.get("variants") or {side: own[side] for side in BUILDS if side in own}
    common = {key: own[key] for key in COMMON if key in own}
    return {name: whole_variant(own, common, each or {}) for name, each in named.items()}


def whole_variant(
    own: dict[str, Any], common: dict[str, Any], each: dict[str, Any]
) -> dict[str, Any]:
    found = common | {key: value for key, value in each.items() if key != "options"}
    if "command" in found:
        found["command"] = [*found["command"], *each.get("options", [])]
    variables = own.get("environment", {}) | each.get("environment", {})
    return found | ({"environment": variables} if variables else {})


def study_of(own: dict[str, Any], server: str) -> dict[str, Any]:
    tool = "jmeter" if "users" in own else "wrk2"
    variants = variants_of(own)
    question = f"Is {enumerated([*variants][1:], 'or')} slower than {next(iter(variants))}?"
    modes = {
        name: mode_of(own, name, each, color)
        for (name, each), color in zip(variants.items(), COLORS, strict=False)
    }
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


def mode_of(own: dict[str, Any], name: str, variant: dict[str, Any], color: str) -> dict[str, Any]:
    build = {key: value for key, value in variant.items() if key != "backend"}
    ready = {"expected_status": own["ready_status"]} if "ready_status" in own else {}
    ready |= {"start_limit_s": own["start_limit_s"]} if "start_limit_s" in own else {}
    if headers := ready_of(own)[1]:
        ready["ready_headers"] = headers
    if secrets := own.get("headers_from_environment"):
        ready["secrets"] = sorted({*secrets.values()})
    return {"title": name, "color": color} | build | backend_of(own, variant) | ready


def backend_of(own: dict[str, Any], variant: dict[str, Any]) -> dict[str, Any]:
    """A variant's own backend, or the one that all share; empty without one."""
    backend = variant.get("backend")
    if not backend:
        return {}
    shared = {"shared": True} if backend is own.get("backend") else {}
    return {"own_backend": backend | shared}


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
            "until": until_of(own),
        },
        tool: load,
    }


def until_of(own: dict[str, Any]) -> dict[str, Any]:
    always = {"again": True} if own.get("a_a") else {}
    return {"budget_s": own["budget_s"], "slower_percent": limits_of(own)} | always


def sweep_of(own: dict[str, Any]) -> dict[str, Any]:
    """The load by which capacity is found: the highest rate at which p99 meets the objective."""
    objective = {
        "objective_ms": own["p99_ms"],
        "connections": SWEEP_CONNECTIONS,
        "extra_rounds": SWEEP_EXTRA_ROUNDS,
    }
    title = f"capacity at p99 ≤ {own['p99_ms']:g} ms"
    patience_s = min(max(PATIENCE_S[0], PATIENCE_OBJECTIVES * own["p99_ms"] / 1000), PATIENCE_S[1])
    load = {"request_timeout_s": patience_s, "sweep": objective | way_of(own)}
    return common_tier(own) | {"title": title} | load


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
    """The requests in the order in which they are sent, each as often as its weight says."""
    return in_turns(whole_requests(own))


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


def in_turns(requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Weights as turns that are spread out: of 3 and 1 the sequence is A A B A."""
    left = [each.get("weight", 1) for each in requests]
    total, credit, found = sum(left), [0] * len(left), []
    for _ in range(total):
        credit = [have + weight for have, weight in zip(credit, left, strict=True)]
        place = credit.index(max(credit))
        credit[place] -= total
        found.append({key: value for key, value in requests[place].items() if key != "weight"})
    return found


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


def in_users_words(message: str) -> str:
    """A fault that names the user's keys, not those of the study that they become."""
    for ours, theirs in OURS:
        message = ours.sub(theirs, message)
    return "\n".join(dict.fromkeys(message.split("\n")))


def main(path: str) -> str:
    """The faults of a file, a line each; empty without any."""
    from workloads.experiment.grid import Grid
    from workloads.experiment.reading import configuration

    try:
        config = configuration(["config.yaml", path])
        if "own" not in config:
            key = next((key for key in config if str(key).lower() == "own"), "own")
            allowed = f"a mapping in {path}" if key == "own" else "own, in small letters"
            return f"{key} = null; allowed: {allowed}; see workloads/examples/two-builds.yaml"
        Grid(config | experiment(config))
    except ConfigurationError as fault:
        return in_users_words(str(fault))
    return ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) or 0)
