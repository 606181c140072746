"""Load curves with a known capacity: the latencies of M/M/1 above a base."""

import csv
import json
import math
from dataclasses import dataclass
from pathlib import Path

from paper.tests.fake_results import Cell
from paper.tests.fake_slices import COLUMNS, LOADED_S, Row, slice_rows

STEPS = 12
LOWEST, HIGHEST = 0.05, 1.2


@dataclass
class Curve(Cell):
    """A cell of the tool `curve`.

    The server is saturated at `saturation_per_s`; a request that waits for no other takes
    `base_ms`. `limit_per_s` is what the generator can drive.
    """

    tool: str = "curve"
    tier: str = "ladder"
    saturation_per_s: float = 1000.0
    base_ms: float = 100.0
    objective_ms: float = 120.0
    limit_per_s: float = math.inf

    @property
    def capacity_per_s(self) -> float:
        """The rate at which the 99th percentile meets the objective."""
        return self.saturation_per_s - 1000 * math.log(100) / (self.objective_ms - self.base_ms)

    def write(self, results: Path) -> Path:
        """Writes the cell's folder as that of any other cell, then its curve."""
        path = super().write(results)
        rows = self._steps()
        record = json.loads(path.read_text())
        ended = "not_sustained" if math.isinf(self.limit_per_s) else "generator_limit"
        record["curve"] = {
            "calibrated_per_s": self.saturation_per_s, "ended": ended, "arrivals": "poisson",
            "seed": 1, "objective_ms": self.objective_ms, "steps": len(rows), "ladder": len(rows),
        }  # fmt: skip
        path.write_text(json.dumps(record))
        with path.with_name("slices.csv").open("w", newline="") as file:
            out = csv.DictWriter(
                file, (*COLUMNS, "step", "offered_per_s", "sustained", "due", "served_per_s")
            )
            out.writeheader()
            out.writerows(rows)
        return path

    def _steps(self) -> list[Row]:
        ratio = (HIGHEST / LOWEST) ** (1 / (STEPS - 1))
        saturation = self.saturation_per_s * (1 + self.repetition / 100)
        rates = [saturation * LOWEST * ratio**position for position in range(STEPS)]
        known = [rate for rate in rates if rate < self.limit_per_s]
        return [self._step(number, rate, saturation) for number, rate in enumerate(known, start=1)]

    def _step(self, number: int, rate: float, saturation: float) -> Row:
        sustained = rate < saturation
        queue_ms = 1000 / (saturation - rate) if sustained else 1e3
        return slice_rows(self)[0] | {
            "slice": number, "round": number, "step": number, "offered_per_s": rate,
            "sustained": str(sustained).lower(), "due": round(rate * LOADED_S / self.slices),
            "served_per_s": min(rate, saturation), "cpu_us_per_request": self.cpu_us,
            "latency_p50_ms": self.base_ms + math.log(2) * queue_ms,
            "latency_p99_ms": self.base_ms + math.log(100) * queue_ms,
        }  # fmt: skip
