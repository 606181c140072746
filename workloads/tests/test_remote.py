"""The remote service: up, answering, and gone."""

import os
import urllib.request

import pytest
import yaml

from workloads.machine import provenance
from workloads.record import cell_folder
from workloads.servers.backends import remote
from workloads.servers.server import ROOT

CPUS = sorted(os.sched_getaffinity(0))[:1]


@pytest.fixture
def spec():
    config = yaml.safe_load((ROOT / "config.yaml").read_text())
    return {"backend": config["backends"]["remote"] | {"path": "/work?sleep_ms=1&cpu_us=0"}}


def test_remote_answers_where_it_says_and_ends(spec, tmp_path):
    backend = remote.start(spec, provenance.java(), CPUS, tmp_path, 1)
    (option,) = backend.options
    with urllib.request.urlopen(option.removeprefix("--remote.url="), timeout=10) as answer:
        assert len(answer.read()) == 42
    backend.stop()
    assert backend.process.exit_status == 0


def test_backend_has_the_options_of_others_and_ends_with_them(spec, tmp_path):
    first, other = (
        remote.start(spec, provenance.java(), CPUS, cell_folder.fresh(tmp_path / "backend"), 1)
        for _ in range(2)
    )
    first.add(other)
    assert len(set(first.options)) == 2
    first.stop()
    assert [process.exit_status for process in first.processes()] == [0, 0]


def test_remote_that_cannot_start_is_told_with_its_words(spec, tmp_path):
    spec["backend"]["class"] = "artifact.sockets.mode.None"
    with pytest.raises(RuntimeError, match="artifact.sockets.mode.None"):
        remote.start(spec, provenance.java(), CPUS, tmp_path, 1)
