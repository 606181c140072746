"""A JVM to be watched."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

# A hundred platform threads, one after the other, and then nothing.
SOURCE = """
void main() throws Exception {
    for (int i = 0; i < 100; i++) { Thread t = new Thread(() -> {}); t.start(); t.join(); }
    IO.println("ready");
    System.in.read();
}
"""


@pytest.fixture
def start_jvm(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts a JVM with these options; when it is returned it has compiled and run the source."""
    started = []

    def start(*options: str) -> subprocess.Popen[str]:
        source = tmp_path / "Hundred.java"
        source.write_text(SOURCE)
        jvm = subprocess.Popen(
            ["java", *options, source], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        started.append(jvm)
        assert jvm.stdout and jvm.stdout.readline() == "ready\n"
        return jvm

    yield start
    for jvm in started:
        jvm.kill()
        jvm.communicate()
