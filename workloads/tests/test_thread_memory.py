"""The memory of waiting threads: the program's row, and a table that stays."""

import contextlib
import os

from workloads.session import thread_memory


def test_row_is_the_last_line_whatever_the_jvm_says_before():
    found = thread_memory.row("OpenJDK warning: something\nvirtual,500,1,2,3,4\n")
    assert (found["kind"], found["threads"], found["heap_bytes"]) == ("virtual", "500", "4")


def test_table_stays_while_its_program_is_the_same(tmp_path, monkeypatch):
    """-F runs the rule again, and a copy may have lost its times."""
    jar, table, done = tmp_path / "a.jar.sha256", tmp_path / "memory.csv", []
    jar.write_text("ab  a.jar")

    def rows(folder):
        done.append(1)
        yield {"kind": "virtual", "jars_sha256": thread_memory.fingerprint()}

    monkeypatch.setattr(thread_memory, "FINGERPRINT", jar)
    monkeypatch.setattr(thread_memory, "rows", rows)
    monkeypatch.setattr(thread_memory, "stop_with_our_requester", lambda: None)
    monkeypatch.setattr(thread_memory.environment, "confine", lambda: None)
    monkeypatch.setattr(thread_memory, "alone_on_the_machine", contextlib.nullcontext)
    argv = ["--table", str(table), "--held", "4/4", "--log", str(tmp_path / "log")]
    monkeypatch.setattr("sys.argv", ["thread_memory", *argv])
    thread_memory.main()
    first = table.read_text()
    os.utime(table, (0, 0))
    thread_memory.main()
    assert (len(done), table.read_text()) == (1, first) and table.stat().st_mtime > 0
    jar.write_text("cd  a.jar")
    thread_memory.main()
    assert len(done) == 2 and table.read_text() != first
    # One of before says nothing of its program.
    table.write_text("kind\nvirtual\n")
    thread_memory.main()
    assert len(done) == 3
