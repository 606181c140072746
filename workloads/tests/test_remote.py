"""The remote service that does not start; the smoke run has one that does."""

import pytest

from workloads.experiment.reading import configuration
from workloads.machine import provenance
from workloads.servers.backends import remote
from workloads.servers.server import ROOT


def test_remote_that_cannot_start_is_told_with_its_words(tmp_path):
    backend = configuration([ROOT / "config.yaml"])["backends"]["remote"]
    backend["class"] = "artifact.sockets.mode.None"
    with pytest.raises(RuntimeError, match="artifact.sockets.mode.None"):
        remote.start({"backend": backend}, provenance.java(), [0], tmp_path, 1)
