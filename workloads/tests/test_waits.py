"""sleep_ms in paths: a number, or a range."""

import pytest

from workloads.experiment import waits


@pytest.mark.parametrize(
    ("path", "mean_ms", "least_ms", "shorter"),
    [
        ("/plain", 0, 20, "/plain"),
        ("/work?sleep_ms=20&cpu_us=500", 20, 20, "/work?sleep_ms=05&cpu_us=500"),
        ("/work?sleep_ms=10-30&cpu_us=500", 20, 10, "/work?sleep_ms=05-05&cpu_us=500"),
        ("/work?cpu_us=0&sleep_ms=0-39", 19, 0, "/work?cpu_us=0&sleep_ms=0-05"),
    ],
)
def test_waits_of_a_path(path, mean_ms, least_ms, shorter):
    assert waits.mean_ms(path) == mean_ms
    assert waits.least_ms({"path": path, "sleep_ms": 20}) == least_ms
    assert waits.at_most(5, path) == shorter
