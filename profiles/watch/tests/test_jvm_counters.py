"""Threads that a JVM started are counted by the JVM itself."""

import os

import pytest

from profiles.watch import jvm_counters


def test_hundred_threads_are_a_hundred_more(start_jvm):
    jvm = start_jvm()
    started = jvm_counters.threads_started(jvm.pid)
    # The JVM's own threads come on top, and there are never a hundred of them.
    assert 100 < started < 200
    assert jvm_counters.counters(jvm.pid)["java.threads.live"] < started


def test_no_jvm_is_named():
    with pytest.raises(FileNotFoundError, match="no JVM with process id 1 "):
        jvm_counters.threads_started(1)


@pytest.fixture
def publish(tmp_path, monkeypatch):
    """Publishes counters of a process as if a JVM did, in a folder with that name."""
    monkeypatch.setattr(jvm_counters, "FOLDER", tmp_path)

    def publish_counters(name, pid):
        file = tmp_path / f"hsperfdata_{name}/{pid}"
        file.parent.mkdir()
        file.touch()
        return file

    return publish_counters


@pytest.mark.skipif(os.geteuid() == 0, reason="root has the test below")
def test_our_file_is_not_the_counters_of_roots_process(publish):
    publish("other", 1)
    with pytest.raises(FileNotFoundError):
        jvm_counters.published(1)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to another user")
@pytest.mark.parametrize(("own", "other"), [("a", "b"), ("b", "a")])
def test_only_a_file_of_the_process_own_user_counts(publish, own, other):
    pid = os.getpid()
    others = publish(other, pid)
    os.chown(others.parent, 65534, 65534)
    with pytest.raises(FileNotFoundError):
        jvm_counters.published(pid)
    ours = publish(own, pid)
    assert jvm_counters.published(pid) == ours


def test_other_data_is_refused():
    with pytest.raises(ValueError, match="not HotSpot"):
        jvm_counters.parse(b"\0" * 64)
