"""Student's t: exact quantiles; tests/rounds.csv compares others with R's."""

import math

import pytest

from workloads.session.students_t import quantile


@pytest.mark.parametrize("share", [0.6, 0.9999])
def test_quantiles_that_have_a_formula_are_exact(share):
    assert quantile(share, 1) == pytest.approx(math.tan(math.pi * (share - 0.5)), rel=1e-9)
    of_two = (2 * share - 1) / math.sqrt(2 * share * (1 - share))
    assert quantile(share, 2) == pytest.approx(of_two, rel=1e-9)
