"""Threads that a JVM started are counted by the JVM itself."""

import os

import pytest

from profiles.watch import jvm_counters


def test_hundred_threads_are_a_hundred_more(jvm):
    started = jvm_counters.threads_started(jvm.pid)
    # The JVM's own threads come on top, and there are never a hundred of them.
    assert 100 < started < 200
    assert jvm_counters.counters(jvm.pid)["java.threads.live"] < started


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to another user")
def test_only_a_file_of_the_process_own_user_counts(tmp_path, monkeypatch):
    monkeypatch.setattr(jvm_counters, "FOLDER", tmp_path)
    pid, files = os.getpid(), [tmp_path / f"hsperfdata_{name}/{os.getpid()}" for name in "abc"]
    for file in files:
        file.parent.mkdir()
        file.touch()
    for file in (files[0], files[2]):
        os.chown(file, 65534, 65534)
    assert jvm_counters.published(pid) == files[1]
    files[1].unlink()
    with pytest.raises(FileNotFoundError, match=f"no JVM with process id {pid} "):
        jvm_counters.threads_started(pid)
