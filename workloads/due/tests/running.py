"""Starting the generator under test and reading what it leaves."""

import json
import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from workloads.due.tests.servers import Server

HERE = Path(__file__).resolve().parent
DUE = Path(os.environ.get("DUE", HERE.parent / "build" / "due"))

ERROR_KINDS = {
    *("connect_refused", "connect_timeout", "connect_other", "reset"),
    *("descriptors_exhausted", "ports_exhausted"),
    *("closed_early", "timeout", "malformed", "write"),
}


@dataclass
class Run:
    """A finished run of due."""

    text: str
    warnings: str
    json: dict
    folder: Path
    server: Server | None = None

    def account(self):
        """Every due request and what became of it; fails unless the sums close."""
        requests, errors = self.json["requests"], self.json["errors"]
        assert set(errors) == ERROR_KINDS
        ends = requests["completed"] + sum(errors.values())
        ends += requests["in_flight_at_end"] + requests["unsent_at_end"]
        assert ends == requests["due"], self.json
        assert sum(self.json["status"].values()) == requests["completed"]
        assert self.series_sum("due") == requests["due"]
        assert self.series_sum("sent") == requests["sent"]
        assert self.series_sum("completed") == requests["completed"]
        assert self.series_sum("errors") == sum(errors.values())
        return {**requests, **errors}

    def series(self):
        lines = (self.folder / "series.csv").read_text().splitlines()
        names = lines[0].split(",")
        return [dict(zip(names, line.split(","), strict=True)) for line in lines[1:]]

    def series_sum(self, column):
        return sum(int(row[column]) for row in self.series())

    def ms(self, percentile, which="corrected"):
        return self.json["latency_us"][which][percentile] / 1000


def start(folder, *arguments, **options):
    command = [DUE, "--json", folder / "load.json", "--series", folder / "series.csv"]
    command += ["--hgrm", folder / "corrected.hgrm"]
    command += ["--hgrm-uncorrected", folder / "uncorrected.hgrm"]
    command += ["--hgrm-without-lag", folder / "without_lag.hgrm"]
    return subprocess.Popen(
        [*map(str, command), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def wait_until(condition):
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.01)


def finish(process, folder):
    try:
        text, warnings = process.communicate(timeout=50)
    finally:
        process.kill()
    assert process.returncode == 0, warnings
    return Run(text, warnings, json.loads((folder / "load.json").read_text()), folder)
