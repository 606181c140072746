"""Counters that a running HotSpot JVM publishes in shared memory, read without disturbing it.

Source: HotSpot's perfMemory.hpp (version 2 of the format); `jcmd <pid> PerfCounter.print` shows the
same, and takes a third of a second.
"""

import struct
from pathlib import Path

MAGIC = b"\xca\xfe\xc0\xc0"
# HotSpot publishes here, whatever java.io.tmpdir and TMPDIR say.
FOLDER = Path("/tmp")


def threads_started(pid: int) -> int:
    """Platform threads that the JVM has started so far. Raises OSError where it does not say.

    -XX:-UsePerfData and -XX:+PerfDisableSharedMem make it silent, and a full or read-only /tmp.
    """
    try:
        return counters(pid)["java.threads.started"]
    except (LookupError, ValueError, struct.error) as fault:
        raise OSError(f"the counters of the JVM {pid} cannot be read: {fault!r}") from fault


def counters(pid: int) -> dict[str, int]:
    """All whole-number counters of the JVM, by name."""
    return parse(published(pid).read_bytes())


def published(pid: int) -> Path:
    """The file that the JVM publishes its counters in; every user can make such a file."""
    owner = Path(f"/proc/{pid}").stat().st_uid
    for file in FOLDER.glob(f"hsperfdata_*/{pid}"):
        if file.lstat().st_uid == owner:
            return file
    raise FileNotFoundError(f"no JVM with process id {pid} publishes counters")


def parse(data: bytes) -> dict[str, int]:
    if data[:4] != MAGIC:
        raise ValueError("not HotSpot performance data")
    offset, entries = struct.unpack_from("=ii", data, 24)
    values = {}
    for _ in range(entries):
        length, name_at, vector_length = struct.unpack_from("=iii", data, offset)
        kind = chr(data[offset + 12])
        (data_at,) = struct.unpack_from("=i", data, offset + 16)
        if kind == "J" and vector_length == 0:
            end = data.index(b"\0", offset + name_at)
            name = data[offset + name_at : end].decode()
            (values[name],) = struct.unpack_from("=q", data, offset + data_at)
        offset += length
    return values
