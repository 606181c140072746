"""Differential flame graphs: how a request's CPU time differs between the two sides of a cause.

Samples of two cells cannot be laid over each other as they are: a cell with more requests has more
of them. So each stack counts as nanoseconds of CPU time per request, as in cpu-groups.csv.
Source: async-profiler's jfrconv, option --diff (baseline first, then what is drawn).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from profiles.convert import converter


@dataclass(frozen=True)
class Side:
    """What is the same for all repetitions of a cell."""

    study: str
    mode: str
    tier: str
    tool: str


def differences(causes: Path) -> dict[str, tuple[Side, Side]]:
    """The two sides of each cause of causes.yaml, by its id: what is drawn and its baseline.

    Where the difference has no baseline, it is what the first intervention puts in its place.
    """
    return {cause["id"]: sides(cause) for cause in yaml.safe_load(causes.read_text())["causes"]}


def sides(cause: dict[str, Any]) -> tuple[Side, Side]:
    difference = cause["difference"]
    study, tool, tier = cause["study"], difference["tool"], difference["tier"]
    other = difference | cause["interventions"][0]["changes"]
    if "versus" in difference:
        other = {
            "mode": difference["versus"],
            "tier": difference.get("versus_tier", tier),
        }
    return (
        Side(study, difference["mode"], tier, tool),
        Side(study, other["mode"], other["tier"], tool),
    )


@dataclass(frozen=True)
class Profile:
    """The collapsed stacks of one cell: lines of `frame;frame samples`."""

    cell: dict[str, Any]
    stacks: list[tuple[str, int]]

    @classmethod
    def read(cls, collapsed: Path) -> Profile:
        lines = (line.rpartition(" ") for line in collapsed.read_text().splitlines() if line)
        stacks = [(stack, int(samples)) for stack, _, samples in lines]
        return cls(json.loads(collapsed.with_name("cell.json").read_text()), stacks)

    @property
    def samples(self) -> int:
        return sum(samples for _, samples in self.stacks)

    @property
    def name(self) -> str:
        cell = self.cell["cell"]
        return f"{cell['mode']} at {cell['tier']}"

    def ns_per_sample(self) -> float:
        """CPU time per request that one sample stands for; 0 where no request was answered.

        A sample stands for the sampling interval, or for less where there are more samples than
        CPU time.
        """
        server = self.cell["server"] or {}
        if not self.samples or not server.get("cpu_us_per_request") or not server["cpu_s"]:
            return 0.0
        interval_s = self.cell["profile"]["interval_ms"] / 1000
        share = min(1 / self.samples, interval_s / server["cpu_s"])
        return float(server["cpu_us_per_request"] * 1000 * share)

    def per_request(self) -> Iterator[str]:
        """The same lines with nanoseconds of CPU time per request for samples."""
        ns = self.ns_per_sample()
        return (f"{stack} {round(samples * ns)}" for stack, samples in self.stacks)


def most_sampled(collapsed: Sequence[Path]) -> Profile | None:
    """The profile with most samples; None where no cell was sampled while it answered."""
    profiles = [profile for path in collapsed if (profile := Profile.read(path)).ns_per_sample()]
    return max(profiles, key=lambda profile: profile.samples, default=None)


def draw(drawn: Sequence[Path], baseline: Sequence[Path], out: Path) -> None:
    """Writes the flame graph; an empty file where one side has no profile.

    `drawn` and `baseline` are profile.collapsed files, each beside its cell.json.
    """
    new, old = most_sampled(drawn), most_sampled(baseline)
    if not new or not old:
        out.write_text("")
        return
    title = f"{new.name} against {old.name}: ns of CPU time per request"
    with tempfile.TemporaryDirectory() as folder:
        inputs = [Path(folder) / name for name in ("baseline.collapsed", "drawn.collapsed")]
        for path, profile in zip(inputs, (old, new), strict=True):
            path.write_text("".join(f"{line}\n" for line in profile.per_request()))
        command = [*converter(), "--diff", "--title", title]
        subprocess.run([*command, "-o", "html", *inputs, out], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--drawn", type=Path, nargs="*", default=[])
    parser.add_argument("--baseline", type=Path, nargs="*", default=[])
    given = parser.parse_args()
    draw(given.drawn, given.baseline, given.out)


if __name__ == "__main__":
    main()
