"""The gate: closed until it is opened, and no wait for a generator that is gone."""

import os
import sys
import time

import pytest

from workloads.gate import Gate
from workloads.testbed import Process

CPUS = sorted(os.sched_getaffinity(0))[:1]
ASK = """
import sys, urllib.request
with urllib.request.urlopen(f"http://127.0.0.1:{sys.argv[1]}/", timeout=30) as answer:
    print(answer.status, flush=True)
"""


def test_generator_begins_when_the_gate_is_opened(tmp_path):
    gate = Gate()
    generator = Process([sys.executable, "-c", ASK, str(gate.port)], CPUS, tmp_path, "log")
    gate.wait_for(generator)
    time.sleep(0.3)
    assert not generator.ended()
    gate.open()
    assert generator.wait(30)
    assert (tmp_path / "log").read_text() == "200\n"
    gate.close()


def test_generator_that_ended_is_told(tmp_path):
    gate = Gate()
    generator = Process([sys.executable, "-c", "raise SystemExit(3)"], CPUS, tmp_path, "log")
    with pytest.raises(RuntimeError, match="status 3"):
        gate.wait_for(generator)
    gate.close()
