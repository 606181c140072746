"""The memory of waiting threads; the smoke run has the whole table."""

from workloads.session import thread_memory


def test_row_is_the_last_line_whatever_the_jvm_says_before():
    found = thread_memory.row("OpenJDK warning: something\nvirtual,500,1,2,3,4\n")
    assert (found["kind"], found["threads"], found["heap_bytes"]) == ("virtual", "500", "4")
