"""The latency that the wire saw: from a request's packet to its answer's, on loopback."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import statistics
import struct
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

NANOSECOND_PCAP = 0xA1B23C4D


def available() -> bool:
    return shutil.which("tcpdump") is not None and os.geteuid() == 0


@contextlib.contextmanager
def recorded(port: int, file: Path) -> Iterator[None]:
    """Records the heads of all packets to and from the port while the body runs."""
    command = ["tcpdump", "-i", "lo", "-s", "80", "-B", "65536", "--time-stamp-precision=nano"]
    recorder = subprocess.Popen(
        [*command, "-w", str(file), f"tcp port {port}"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    time.sleep(1)
    try:
        yield
    finally:
        time.sleep(0.5)
        recorder.send_signal(signal.SIGINT)
        recorder.wait(10)


def payload_packets(file: Path) -> Iterator[tuple[int, int, int]]:
    """Of each TCP packet with payload: time (ns), source port, destination port."""
    data = file.read_bytes()
    magic, *_, link = struct.unpack_from("<IHHiIII", data)
    if magic != NANOSECOND_PCAP or link != 1:
        raise ValueError(f"{file}: not a nanosecond capture of Ethernet frames")
    at = 24
    while at + 16 <= len(data):
        seconds, nanoseconds, kept, _ = struct.unpack_from("<IIII", data, at)
        frame = at + 16
        at = frame + kept
        ip = frame + 14
        ip_header = (data[ip] & 0x0F) * 4
        length = struct.unpack_from(">H", data, ip + 2)[0]
        tcp = ip + ip_header
        source, destination = struct.unpack_from(">HH", data, tcp)
        if length > ip_header + (data[tcp + 12] >> 4) * 4:
            yield seconds * 10**9 + nanoseconds, source, destination


def median_ms(file: Path, port: int, from_s: float) -> float:
    """The median latency; packets of the first `from_s` seconds do not count."""
    asked: dict[int, int] = {}
    latencies = []
    first = None
    for time_ns, source, destination in payload_packets(file):
        first = time_ns if first is None else first
        if destination == port:
            asked[source] = time_ns
        elif destination in asked and time_ns - first >= from_s * 1e9:
            latencies.append(time_ns - asked.pop(destination))
    return statistics.median(latencies) / 1e6
