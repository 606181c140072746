"""Student's t: known quantiles of tables, and exact ones."""

import math
from statistics import NormalDist

import pytest

from workloads.session.students_t import quantile, tail


@pytest.mark.parametrize(
    ("share", "df", "value"),
    [
        (0.975, 1, 12.7062),
        (0.975, 2, 4.3027),
        (0.975, 10, 2.2281),
        (0.975, 30, 2.0423),
        (0.975, 120, 1.9799),
        (0.995, 3, 5.8409),
        (0.995, 8, 3.3554),
        (0.995, 318, 2.5914),
        (0.95, 5, 2.0150),
        # By R's qt(): these are in no table.
        (0.975, 0.7, 36.6114),
        (0.975, 3.5, 2.9401),
        (0.975, 11.3, 2.1939),
        (0.975, math.inf, 1.9600),
    ],
)
def test_quantile_is_the_known_one(share, df, value):
    assert quantile(share, df) == pytest.approx(value, abs=1e-4)


@pytest.mark.parametrize("share", [0.6, 0.975, 0.995, 0.9999])
def test_quantiles_that_have_a_formula_are_exact(share):
    assert quantile(share, 1) == pytest.approx(math.tan(math.pi * (share - 0.5)), rel=1e-9)
    of_two = (2 * share - 1) / math.sqrt(2 * share * (1 - share))
    assert quantile(share, 2) == pytest.approx(of_two, rel=1e-9)
    # The normal one is near wherever the change to it is made.
    for df in (0.99e7, 1.01e7):
        assert quantile(share, df) == pytest.approx(NormalDist().inv_cdf(share), rel=1e-6)


def test_tail_is_half_at_zero_and_falls():
    assert tail(0.0, 3.3) == 0.5
    values = [tail(t, 3.3) for t in (0, 0.5, 1, 2, 4, 8, 100)]
    assert values == sorted(values, reverse=True)
