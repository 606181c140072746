"""Student's t: known quantiles of tables, and exact ones."""

import math

import pytest

from workloads.session.students_t import quantile


@pytest.mark.parametrize(
    ("share", "df", "value"),
    [
        (0.975, 1, 12.7062),
        (0.975, 120, 1.9799),
        (0.995, 3, 5.8409),
        (0.995, 8, 3.3554),
    ],
)
def test_quantile_is_the_known_one(share, df, value):
    assert quantile(share, df) == pytest.approx(value, abs=1e-4)


@pytest.mark.parametrize("share", [0.6, 0.9999])
def test_quantiles_that_have_a_formula_are_exact(share):
    assert quantile(share, 1) == pytest.approx(math.tan(math.pi * (share - 0.5)), rel=1e-9)
    of_two = (2 * share - 1) / math.sqrt(2 * share * (1 - share))
    assert quantile(share, 2) == pytest.approx(of_two, rel=1e-9)
