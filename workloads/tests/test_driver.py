"""A driven generator: ready once, a line for a load, a reply for each; its end is reported."""

import os
import sys

import pytest

from workloads.tests.processes import until
from workloads.tools.driver import Driver, DriverError
from workloads.tools.generator_place import GeneratorPlace

CPUS = sorted(os.sched_getaffinity(0))[:1]
# Answers every line with its words, then with the word after its last tab.
ECHO = """
import os, sys
print(os.environ.get("SECRET", "no secret"))
print("ready", flush=True)
for line in sys.stdin:
    words = line.rstrip("\\n").split("\\t")
    print("not done yet", *words, sep="|")
    print(words[-1].replace("_", "\\t"), flush=True)
"""


@pytest.fixture
def drive(tmp_path):
    drivers = []

    def start(code, ready=True, **environment):
        place = GeneratorPlace(CPUS)
        drivers.append(Driver([sys.executable, "-c", code], place, tmp_path, environment))
        if ready:
            drivers[-1].wait_until_ready()
        return drivers[-1]

    yield start
    for driver in drivers:
        driver.stop()


def test_loads_are_lines_and_replies_are_waited_for(drive):
    driver = drive(ECHO, SECRET="known")
    for number in range(3):
        driver.ask(["/out folder", f"loops={number}", "done"])
        assert driver.answer(30)
    said = driver.log.read_text()
    assert said.startswith("known\nready\n")
    assert "not done yet|/out folder|loops=2|done" in said
    driver.stop()
    assert driver.process.ended()


def test_a_load_that_fails_says_why_and_the_next_one_works(drive):
    driver = drive(ECHO)
    driver.ask(["failed_no such folder"])
    with pytest.raises(DriverError, match="failed\tno such folder"):
        driver.answer(30)
    driver.ask(["done"])
    assert driver.answer(30)


def test_one_that_ends_is_reported_with_what_it_said_last(drive):
    driver = drive("print('ready', flush=True); input(); raise SystemExit('out of memory')")
    driver.ask(["done"])
    with pytest.raises(DriverError, match=r"ended \(1\): (.|\n)*out of memory"):
        driver.answer(30)


def test_the_limit_leaves_it_at_work_and_its_reply_is_seen_later(drive):
    driver = drive("print('ready', flush=True); input(); input(); print('done'); input()")
    driver.ask(["a long load"])
    assert driver.answer(0.05) is False
    assert not driver.process.ended()
    driver.ask(["go on"])
    assert driver.answer(30)


def test_half_a_line_is_no_reply(drive):
    said = ("'done', end=''", "' is not said'")
    code = "; ".join(f"print({text}, flush=True); input()" for text in said)
    driver = drive(code, ready=False)
    for text in ("done", "done is not said\n"):
        until(lambda text=text: driver.log.read_text().endswith(text))
        assert driver.answer(0.1) is False
        driver.ask(["go on"])
