"""Quantiles of Student's t for any degrees of freedom, which Satterthwaite's need not be whole."""

from __future__ import annotations

import math
from statistics import NormalDist

# From so many on the normal distribution is the same to one part in a million.
NORMAL_FROM = 1e7
# Lentz's algorithm ends where a step changes the fraction by less than this.
SMALL = 1e-15


def quantile(share: float, df: float) -> float:
    """The value that t exceeds with probability 1 - share; share above 0.5, df above 0."""
    if df >= NORMAL_FROM:
        return NormalDist().inv_cdf(share)
    beyond, low, high = 1 - share, 0.0, 1.0
    while tail(high, df) > beyond:
        low, high = high, 2 * high
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if tail(middle, df) > beyond else (low, middle)
    return (low + high) / 2


def tail(t: float, df: float) -> float:
    """The probability that t or more is seen, for t of 0 or more."""
    return incomplete_beta(df / (df + t * t), df / 2, 0.5) / 2


def incomplete_beta(x: float, a: float, b: float) -> float:
    """The regularized incomplete beta function, by its continued fraction (DLMF 8.17.22)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(1 - x, b, a)
    front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front += a * math.log(x) + b * math.log1p(-x)
    return math.exp(front) / a / fraction(x, a, b)


def fraction(x: float, a: float, b: float) -> float:
    """1 + d1 / (1 + d2 / (1 + …)), from its first term on (Lentz's algorithm)."""
    value, upper, lower, term = 1.0, 1.0, 0.0, 0
    while True:
        term += 1
        half = term // 2
        if term % 2:
            step = -(a + half) * (a + b + half) * x / ((a + term - 1) * (a + term))
        else:
            step = half * (b - half) * x / ((a + term - 1) * (a + term))
        lower = 1 / (1 + step * lower)
        upper = 1 + step / upper
        value *= upper * lower
        if abs(upper * lower - 1) < SMALL:
            return value
