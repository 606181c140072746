"""SCHED_BATCH for some threads of a running JVM: those whose wake-ups are the question.

The kernel names a carrier and the timer of virtual threads alike (its names have 15 characters), so
the JVM says which is which: the thread dump has the name and the kernel's id of each (sched(7)).
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator

from workloads.servers import attach

# By the words of `scheduling`: the timer of java.util.concurrent.ForkJoinPool (JDK 25) that ends
# sleeps and timed waits, the pollers of Tomcat and of the JDK, and the carriers of virtual threads.
THREADS = {
    "batch-timer": re.compile(r"-delayScheduler$"),
    "batch-poller": re.compile(r"Poller(-\d+)?$"),
    "batch-carrier": re.compile(r"^ForkJoinPool-1-worker-\d+$"),
}
IN_DUMP = re.compile(r'^"(?P<name>[^"]+)" .*\bnid=(?P<id>\d+)\b', re.MULTILINE)


def named_threads(dump: str) -> Iterator[tuple[str, int]]:
    """The platform threads of a thread dump: name and id of the kernel."""
    for found in IN_DUMP.finditer(dump):
        yield found["name"], int(found["id"])


def set_batch(pid: int, word: str) -> list[str]:
    """Puts the threads of a kind into SCHED_BATCH; names of those that are there by now."""
    done = []
    for name, thread in named_threads(attach.command(pid, "Thread.print")):
        if THREADS[word].search(name):
            # A thread may end meanwhile.
            with contextlib.suppress(ProcessLookupError):
                os.sched_setscheduler(thread, os.SCHED_BATCH, os.sched_param(0))
                done.append(name)
    return done
