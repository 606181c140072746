"""The rule that ends the comparison of variants of a user's service: the start is the unit.

A start differs from the next by memory layout, compiled code and files that grow: in one start
each, this counts as the variant's. So all variants are started at least three times, in drawn
order, and loaded in turns meanwhile. A round gives a log ratio of each variant to the first, and a
start their mean. The interval of the mean of the starts is Student's over the starts' means, or
over the rounds within starts where that is wider. It is looked at, at 99 %, after each start from
the third on: the comparison ends where one statistic is slower than its limit allows, or none can
be, or the budget is spent. analysis/R/builds.R computes the same; tests/starts.csv gives both the
same rounds.
"""

import math
import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from workloads.experiment.own import STARTS_AT_LEAST
from workloads.record.slice import PLAIN, Slice, common_rounds
from workloads.session.students_t import quantile
from workloads.session.until_decided import OF_ROUNDS, P99, VALUES, interval, log_ratios

# A budget has time for so many, unless more than three quarters of a start would be warm-up:
# Student's t falls from 9.9 for three starts to 4.0 for six, while rounds of a start share what is
# its own.
STARTS_PLANNED, TIMES_READY = 6, 4 / 3
# A second process of the first variant joins if the variants came up within this share of a planned
# start: it costs starts of all, and what comes up slowly warms up slowly.
AGAIN_SHARE = 1 / 8
CONFIDENCE = 0.99
# Rounds from which on a slope of CPU time by speed is taken.
ROUNDS_FOR_SPEED = 5
# CPU time per request falls with the rate: beyond this factor of throughput it is not compared.
UNLIKE = 1.2
# The statistics of which less is slower; of all others more is.
LESS_IS_SLOWER = {"throughput_per_s"}
P50 = "latency_p50_ms"
CPU, SERVED = "cpu_us_per_request", "throughput_per_s"
# The speed of the CPU changes these most. p99 hardly follows it: its interval would be no narrower.
AT_ONE_SPEED = (CPU, P50)

# Log ratios of rounds, by start.
Starts = Sequence[Sequence[float]]


def interval_of(starts: Starts) -> tuple[float, float] | None:
    """The mean of the starts and half of its interval; None of too few starts."""
    known = [rounds for rounds in starts if rounds]
    if len(known) < STARTS_AT_LEAST:
        return None
    means = [statistics.mean(rounds) for rounds in known]
    count, rounds = len(known), sum(map(len, known))
    by_starts = statistics.variance(means) / count
    within = sum((each - mean) ** 2 for of, mean in zip(known, means, strict=True) for each in of)
    reach = quantile_of(count - 1) * math.sqrt(by_starts)
    if rounds > count:
        by_rounds = within / (rounds - count) / rounds
        reach = max(reach, quantile_of(rounds - count) * math.sqrt(by_rounds))
    return statistics.mean(means), reach


def quantile_of(degrees: int) -> float:
    return quantile((1 + CONFIDENCE) / 2, degrees)


def is_slower(name: str, starts: Starts, percent: float) -> bool | None:
    """Whether a statistic is slower by more than so many percent; None where neither is shown."""
    found = interval_of(starts)
    if found is None:
        return None
    (centre, reach), limit = found, math.log(1 + percent / 100)
    centre *= -1 if name in LESS_IS_SLOWER else 1
    return None if abs(centre - limit) <= reach else centre > limit


def is_settled(pairs: Sequence[Mapping[str, Starts]], until: Mapping[str, Any]) -> bool:
    """Whether no variant needs more starts: each is slower in one statistic, or in none."""
    return all(settles(logs, until["slower_percent"]) for logs in pairs)


def settles(logs: Mapping[str, Starts], limits: Mapping[str, float]) -> bool:
    served = interval_of(logs.get(SERVED, ()))
    more = 0.0 if served is None else served[0]
    unlike = abs(more) > math.log(UNLIKE)
    judged = [name for name in limits if not (unlike and name == CPU)]
    found = {is_slower(name, logs.get(name, ()), limits[name]) for name in judged}
    beyond = unlike and CPU in limits and is_beyond_rate(logs.get(CPU, ()), more, limits[CPU])
    return beyond or True in found or found == {False}


def is_beyond_rate(cpu: Starts, more: float, percent: float) -> bool:
    """Whether it takes more CPU time although it serves less, by `more` < 0 as a logarithm.

    CPU time per request rises at most as the rate falls, as where all of it is a cost of time.
    """
    at_one_rate = [[log + more for log in rounds] for rounds in cpu]
    return more < 0 and is_slower(CPU, at_one_rate, percent) is True


def start_takes_s(ready_s: float, budget_s: float) -> float:
    """How long a start lasts with its rounds, if its servers took so long until they were warm."""
    return max(budget_s / STARTS_PLANNED, min(TIMES_READY * ready_s, budget_s / STARTS_AT_LEAST))


def has_time_for_again(up_s: float, budget_s: float) -> bool:
    """Whether the first variant gets a second process, if the variants came up in so long."""
    return up_s <= AGAIN_SHARE * budget_s / STARTS_PLANNED


def logs_of_variants(mode: list[Slice], baseline: list[Slice]) -> dict[str, list[list[float]]]:
    """Log ratios of rounds by statistic and start; AT_ONE_SPEED ones at one speed of the CPU."""
    by_round = {name: log_ratios(mode, baseline, VALUES[name]) for name in VALUES}
    median = log_ratios(mode, baseline, lambda each: each.latencies_ms[P50] if each.kept else None)
    even = common_rounds([mode, baseline])
    for name, logs in ((P99, by_round[P99]), (P50, median)):
        by_round[name] = {number: log for number, log in logs.items() if number in even}
    slowness = log_ratios(mode, baseline, lambda each: each.metrics["probe_us"])
    for name in AT_ONE_SPEED:
        rounds = by_round[name]
        evened = at_one_speed([*rounds.values()], [slowness.get(each) for each in rounds])
        by_round[name] = dict(zip(rounds, evened, strict=True))
    of_round = {each.turn.round: each.live.start for each in mode if each.turn.kind == PLAIN}
    return {name: by_start(logs, of_round) for name, logs in by_round.items()}


def by_start(logs: Mapping[int, float], start_of: Mapping[int, int]) -> list[list[float]]:
    found: dict[int, list[float]] = defaultdict(list)
    for number, log in logs.items():
        found[start_of[number]].append(log)
    return [found[start] for start in sorted(found)]


def at_one_speed(logs: Sequence[float], slowness: Sequence[float | None]) -> list[float]:
    """Changes without those of the CPU's speed.

    `slowness`: log ratios of the time of a fixed computation in the same rounds, a control variate
    whose mean is 0 (Lavenberg and Welch 1981, Management Science 27(3)): the result's mean and
    standard error are those of the regression at 0. Without a value of each round, with the same in
    all, or where a variant itself slows the computation, changes stay as they are.
    """
    count, known = len(logs), [each for each in slowness if each is not None]
    found = interval(known, OF_ROUNDS)
    # Its mean differs from 0 by no more than chance explains.
    by_chance = found is not None and found.low < 0 < found.high
    if count < ROUNDS_FOR_SPEED or len(known) != count or not by_chance:
        return list(logs)
    slope, at_zero = statistics.linear_regression(known, logs)
    varied = statistics.variance(known) * (count - 1)
    of_zero = 1 + count * statistics.mean(known) ** 2 / varied
    wider = math.sqrt(of_zero * (count - 1) / (count - 2))
    pairs = zip(logs, known, strict=True)
    return [at_zero + wider * (change - slope * slow - at_zero) for change, slow in pairs]
