"""A recording of a JVM whose allocations are known, through the profiler and its converter."""

import csv
import json
import shutil
import subprocess

import pytest

from profiles.convert.__main__ import convert, convert_cell, count_events
from workloads.machine import provenance
from workloads.servers.server import PROFILER, events_of

MIB = 200
PROGRAM = """
public class Allocates {
    static byte[] kept;
    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < 30; i++) Thread.sleep(10);
        for (int i = 0; i < %d; i++) kept = new byte[1024 - 16];
    }
}
"""


@pytest.fixture(scope="module")
def cell(tmp_path_factory):
    """A cell.json next to recordings of a program that waits and then allocates so many MiB."""
    folder = tmp_path_factory.mktemp("cell")
    java = provenance.java()
    (folder / "Allocates.java").write_text(PROGRAM % (MIB * 1024))
    subprocess.run([java.with_name("javac"), "Allocates.java"], cwd=folder, check=True)
    agent = f"-agentpath:{PROFILER}=start,event=itimer,interval=1ms,alloc=64k,jfr,file=profile.jfr"
    events = f"-XX:StartFlightRecording:{events_of('events.jfr')}".replace(" ", ",")
    options = [agent, events, "-Xmx64m", "-XX:+UseSerialGC"]
    subprocess.run([java, *options, "Allocates"], cwd=folder, check=True, capture_output=True)
    profile = {"file": "profile.jfr", "engine": "itimer", "event": "itimer"}
    record = {
        "cell": {"mode": "known"},
        "configuration": {"mode": {}, "profile": ["cpu", "allocation"]},
        "outcome": "completed",
        "profile": profile | {"start_epoch_s": 0, "end_epoch_s": 4e9},
    }
    (folder / "cell.json").write_text(json.dumps(record))
    return folder / "cell.json"


def edited(cell, folder, **changes):
    record = json.loads(cell.read_text()) | changes
    (folder / "cell.json").write_text(json.dumps(record))


def counted(path, frame):
    lines = [line.rsplit(" ", 1) for line in path.read_text().splitlines()]
    return sum(int(count) for stack, count in lines if frame in stack)


def test_bytes_are_those_that_were_allocated(cell, tmp_path):
    collapsed, graph = tmp_path / "allocation.collapsed", tmp_path / "allocation.html"
    convert("allocation", cell, collapsed, graph)
    # 3,200 samples: within 10 % but for one run in 10^7. An object is sampled once, even if two
    # samples fall into it (HotSpot, ThreadHeapSampler): of objects of 10 KiB 7 % were missing.
    assert counted(collapsed, "Allocates.main") == pytest.approx(MIB * 2**20, rel=0.1)
    assert "known" in graph.read_text()


def test_cell_is_converted_once_and_is_empty_without_such_a_profile(cell, tmp_path):
    shutil.copy(cell.with_name("profile.jfr"), tmp_path)
    edited(cell, tmp_path, configuration={"mode": {}, "profile": ["cpu"]})
    convert_cell(tmp_path)
    assert 0 < counted(tmp_path / "profile.collapsed", "") < 10_000
    assert (tmp_path / "allocation.collapsed").read_text() == ""
    assert not (tmp_path / "events.csv").exists()
    (tmp_path / "flamegraph.html").write_text("as it was")
    convert_cell(tmp_path)
    assert (tmp_path / "flamegraph.html").read_text() == "as it was"


def test_events_are_counted_with_their_time_within_the_window(cell, tmp_path):
    shutil.copy(cell.with_name("events.jfr"), tmp_path)
    edited(cell, tmp_path)
    count_events(tmp_path)
    rows = {row["event"]: row for row in csv.DictReader((tmp_path / "events.csv").open())}
    slept = rows["jdk.ThreadSleep"]
    assert 30 <= int(slept["count"]) <= float(slept["total_ms"]) / 10
    # A window in which nothing was recorded has no row.
    edited(cell, tmp_path, profile={"start_epoch_s": 0, "end_epoch_s": 1})
    count_events(tmp_path)
    assert (tmp_path / "events.csv").read_text().splitlines() == ["event,count,total_ms,longest_ms"]
