"""Quantiles of Student's t for whole degrees of freedom, which Python's library does not have."""

import math


def quantile(share: float, df: int) -> float:
    """The value that t exceeds with probability 1 - share; share above 0.5, df above 0."""
    low, high = 0.0, math.pi / 2
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if within(middle, df) < 2 * share - 1 else (low, middle)
    return math.sqrt(df) * math.tan(high)


def within(angle: float, df: int) -> float:
    """The probability that t is within ± sqrt(df) tan(angle).

    Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4.
    """
    sine, cosine, odd = math.sin(angle), math.cos(angle), df % 2
    term = cosine if odd else 1.0
    total = term if df > 1 else 0.0
    for power in range(2 + odd, df, 2):
        term *= (power - 1) / power * cosine**2
        total += term
    return 2 * (angle + sine * total) / math.pi if odd else sine * total
