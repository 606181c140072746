"""The histogram against HdrHistogram's own Java library: the same text for the same values.

golden/ has what Histogram(1, 3600000000000, 3) of HdrHistogram 2.2.2 wrote for each set of values
by outputPercentileDistribution(file, 5, 1e6).
"""

import math
import os
import random
import re
import subprocess
from decimal import Decimal
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
BUILD = Path(os.environ.get("BUILD", HERE.parent / "build"))

random.seed(1)
VALUES = {
    "none": [],
    "the-same": [5000] * 100,
    "small": range(3000),
    "every-magnitude": [int(math.exp(random.uniform(0, math.log(3.6e12)))) for _ in range(5000)],
    "bucket-edges": [2**n + d for n in range(11, 41) for d in (-1, 0, 1)],
    "stall": [80_000] * 900 + [i * 5_000_000 for i in range(100)],
}


def assert_same_number(ours, theirs):
    """Equal to the last digit but one: on a tie Java rounds up, and C to the even digit."""
    digits = len(theirs.partition(".")[2])
    difference = abs(Decimal(ours) - Decimal(theirs))
    assert difference <= Decimal(10) ** -digits if digits else difference == 0


@pytest.mark.parametrize("name", VALUES)
def test_same_as_the_library(name):
    ours = subprocess.run(
        [BUILD / "histogram_test", "print", "1000000", "5"],
        input="\n".join(map(str, VALUES[name])),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    theirs = (HERE / f"golden/{name}.hgrm").read_text()
    number = re.compile(r"\d+(?:\.\d+)?")
    assert number.sub("N", ours) == number.sub("N", theirs)
    for mine, other in zip(number.findall(ours), number.findall(theirs), strict=True):
        assert_same_number(mine, other)
