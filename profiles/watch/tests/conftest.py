"""A JVM to be watched, and a group that limits CPU time."""

import subprocess

import pytest

from profiles.watch.control_groups import limited_group

# A hundred platform threads, one after the other, and then nothing.
SOURCE = """
void main() throws Exception {
    for (int i = 0; i < 100; i++) { Thread t = new Thread(() -> {}); t.start(); t.join(); }
    IO.println("ready");
    System.in.read();
}
"""


@pytest.fixture
def start_jvm(tmp_path):
    """Starts a JVM with these options; when it is returned it has compiled and run the source."""
    started = []

    def start(*options):
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


@pytest.fixture
def group():
    """A control group with a fifth of a CPU."""
    try:
        made = limited_group(0.2)
    except OSError as fault:
        pytest.skip(f"no control group can be made here: {fault}")
    yield made
    made.rmdir()
