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


@pytest.fixture(scope="session")
def jvm(tmp_path_factory):
    """A JVM that has compiled and run the source, with all its compiler threads."""
    source = tmp_path_factory.mktemp("jvm") / "Hundred.java"
    source.write_text(SOURCE)
    argv = ["java", "-XX:-UseDynamicNumberOfCompilerThreads", source]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as jvm:
        assert jvm.stdout and jvm.stdout.readline() == "ready\n"
        yield jvm
        jvm.kill()


@pytest.fixture
def group():
    """A control group with a fifth of a CPU."""
    try:
        made = limited_group(0.2)
    except OSError as fault:
        pytest.skip(f"no control group can be made here: {fault}")
    yield made
    made.rmdir()
