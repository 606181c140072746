#!/usr/bin/env python3
"""Says what this machine has, in which version, what is missing and what to do: one line each.

    python3 profiles/setup/doctor.py      (make doctor)

Where nothing is missing it measures for a quarter of a minute how quiet the machine is. Needs
nothing but Python's standard library, since it must speak where nothing is installed yet. Exit
status 1 when something that every run requires is missing, two CPUs among it; other limits draw a
remark.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from profiles.watch import limits

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TOOLS = ROOT / ".tools"

OK, REMARK, MISSING = "ok", "remark", "missing"

# The extreme tier: 10,000 connections, a descriptor and on some modes a thread for each of them,
# and as many users of JMeter.
DESCRIPTORS = 12_000
THREADS = 21_000
PORTS = 20_000
SOMAXCONN = 4096
DISK_MIB = 2048


@dataclass(frozen=True)
class Finding:
    """One line: what was looked for, how it stands, what was found, and what to do about it."""

    name: str
    state: str
    found: str
    advice: str = ""


def judged(name: str, is_right: object, found: str, advice: str, state: str = REMARK) -> Finding:
    """A finding that has its advice only where it is not right."""
    return Finding(name, OK, found) if is_right else Finding(name, state, found, advice)


def findings(needs: str = "") -> list[Finding]:
    """All of them; `needs`: MiB needed, MiB free and the session, as workloads/ computes them."""
    return [*tools(), *machine(needs), *kernel_limits()]


# ---- Tools


def tools() -> list[Finding]:
    profiler = ("async-profiler/libasyncProfiler.so", "async-profiler/jfr-converter.jar")
    return [
        python(),
        debian_packages(),
        jdk(),
        tool("R", ["Rscript", "--version"]),
        tool("Snakemake", [str(TOOLS / "venv/bin/snakemake"), "--version"]),
        unpacked("JMeter", "java-tools", "jmeter/bin/ApacheJMeter.jar"),
        unpacked("async-profiler", "java-tools", *profiler),
        unpacked("Java runtimes", "runtimes", "jdk-21/bin/java", "jdk-25/bin/java"),
        tool("MariaDB", [str(TOOLS / "mariadb/bin/mariadbd"), "--version"], again("databases")),
        quarto(),
    ]


def again(part: str) -> str:
    """How to have a part of set-up done once more."""
    return f"rm -f .tools/{part}.stamp; make setup"


def tool(name: str, argv: list[str], advice: str = "make setup", state: str = MISSING) -> Finding:
    """The version that a program says it has; `state` where it does not run."""
    said = output(argv)
    if said is None:
        return Finding(name, state, "not found", advice)
    version = re.search(r"\d+(\.\d+)+", said)
    return Finding(name, OK, version.group() if version else said.splitlines()[0])


def unpacked(name: str, part: str, *files: str) -> Finding:
    """Looks for files that a part of set-up unpacks, in the versions that it pins."""
    lacks = [file for file in files if not (TOOLS / file).exists()]
    found = f"no {', '.join(lacks)}" if lacks else "as pinned"
    return judged(name, not lacks, found, again(part), MISSING)


def output(argv: list[str]) -> str | None:
    """Return what a program prints, or None when it is absent, fails or prints nothing."""
    try:
        run = subprocess.run(
            argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=30, cwd=ROOT
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return run.stdout.strip() or None if run.returncode == 0 else None


def python() -> Finding:
    found, advice = platform.python_version(), "install Python 3.11 or newer as python3"
    return judged("Python", sys.version_info >= (3, 11), found, advice, MISSING)


def debian_packages() -> Finding:
    lines = (HERE / "debian-packages.txt").read_text().splitlines()
    wanted = {line for line in lines if line and not line.startswith("#")}
    listed = output(["dpkg-query", "--show", "--showformat=${db:Status-Status} ${Package}\n"]) or ""
    present = {line.split()[1] for line in listed.splitlines() if line.startswith("installed ")}
    missing = sorted(wanted - present)
    found, advice = f"{len(wanted) - len(missing)} of {len(wanted)}", ", ".join(missing)
    return judged("Debian packages", not missing, found, f"make setup, for {advice}", MISSING)


def jdk() -> Finding:
    env = TOOLS / "env"
    last = re.search(r"^export JAVA_HOME='(.*)'$", env.read_text(), re.M) if env.exists() else None
    home = output([str(HERE / "find-jdk.sh"), last.group(1) if last else ""])
    if home is None or not Path(home).is_dir():
        return Finding("JDK 25", MISSING, "not found", "install one, or set JAVA_HOME to it")
    version = re.search(r'^JAVA_RUNTIME_VERSION="(.*)"', (Path(home) / "release").read_text(), re.M)
    return Finding("JDK 25", OK, f"{version.group(1) if version else '25'} in {home}")


def quarto() -> Finding:
    """The first choice for the report; the version that its text needs stands in quarto.sh."""
    instead = "the stand-in renderer writes the report"
    found = tool("Quarto", ["quarto", "--version"], instead, REMARK)
    if found.state != OK:
        return found
    advice = f"{instead}, Quarto does from {quarto_at_least()} on"
    return judged("Quarto", not too_old(found.found), found.found, advice)


def quarto_at_least() -> str:
    text = (HERE / "quarto.sh").read_text()
    return re.findall(r"^at_least=(\S+)$", text, re.MULTILINE)[0]


def too_old(version: str) -> bool:
    """Whether a Quarto cannot be expected to render the report."""
    least, found = (re.findall(r"\d+", text)[:2] for text in (quarto_at_least(), version))
    return [*map(int, found)] < [*map(int, least)]


# ---- Machine and limits: most are not required, but a number may mean something else


def machine(needs: str, root: Path = limits.ROOT) -> list[Finding]:
    free_mib = shutil.disk_usage(ROOT).free >> 20
    return [
        *processors(limits.cpus(root)),
        memory(needs),
        at_least("free disk, MiB", free_mib, DISK_MIB, "a default run needs about 1 GiB"),
        data_folder(limits.data_folder(), root),
        governor(root),
        programs(),
    ]


def processors(cpus: limits.Cpus) -> list[Finding]:
    """The CPUs, and a remark for each thing that makes them less than they seem."""
    usable, slow = limits.listed(cpus.usable), limits.listed(cpus.slow)
    count = f"{len(cpus.usable)} ({usable})"
    found = [judged("CPUs", not cpus.refused(), count, cpus.refused(), MISSING)]
    if cpus.quota is not None and cpus.quota <= len(cpus.usable):
        advice = "slices that it stops count for nothing"
        found.append(Finding("CPU quota", REMARK, f"{cpus.quota} CPUs", advice))
    if slow:
        advice = "the generator's; testbed.server_cpus chooses others"
        found.append(Finding("efficient cores", REMARK, slow, advice))
    return found


def data_folder(place: Path, root: Path) -> Finding:
    in_memory = limits.in_memory(place, root)
    found = f"{place} ({limits.file_system(place, root)}{', in memory' if in_memory else ''})"
    advice = "cells of databases are not valid: set TMPDIR to a folder on a disk"
    return judged("data of databases", not in_memory, found, advice)


def kernel_limits(root: Path = limits.ROOT) -> list[Finding]:
    (soft, hard), (threads, by) = limits.descriptors(), limits.threads_left(root)
    first, last = limits.ephemeral_ports(root)
    setting = {name: limits.number(root / path) for name, path in limits.SETTINGS.items()}
    descriptors = f"descriptors ({soft} by default)"
    out_of_ports = "clients that close run out of ports: net.ipv4.tcp_tw_reuse=2"
    return [
        at_least(descriptors, hard, DESCRIPTORS, "raise it: ulimit -Hn, limits.conf"),
        at_least("ephemeral ports", last - first + 1, PORTS, "widen net.ipv4.ip_local_port_range"),
        at_least("somaxconn", setting["somaxconn"], SOMAXCONN, "raise net.core.somaxconn"),
        at_least("tcp_tw_reuse", setting["tcp_tw_reuse"], 1, out_of_ports),
        at_least("threads", threads, THREADS, f"raise {by}" if by else "no limit can be read"),
        perf_events(setting["perf_event_paranoid"]),
    ]


def at_least(name: str, found: int | None, wanted: int, advice: str) -> Finding:
    """A remark where it is less, or cannot be read; -1 is no limit."""
    if found is not None and (found >= wanted or found == -1):
        return Finding(name, OK, "no limit" if found == -1 else str(found))
    shown = "unknown" if found is None else found
    return Finding(name, REMARK, f"{shown}, better {wanted}", advice)


def memory(needs: str) -> Finding:
    """The session of config.yaml that needs most, which the packages of set-up can read."""
    name = "free memory, MiB"
    if not (found := re.fullmatch(r"(\d+) (\d+) (\S+)", needs)):
        return Finding(name, REMARK, "what a run needs is known after set-up", "make setup")
    needed, free = int(found[1]), int(found[2])
    advice = f"session {found[3]} needs it: close other programs, or lower its heaps"
    return at_least(name, free, needed, advice)


def programs() -> Finding:
    """Whether programs and libraries can run where they are: in the checkout, and as copies."""
    folders = {ROOT, Path(tempfile.gettempdir())}
    found, fault = "in " + " and ".join(sorted(map(str, folders))), no_programs(folders)
    return judged("programs run", not fault, "not everywhere" if fault else found, fault, MISSING)


def no_programs(folders: Iterable[Path]) -> str:
    """Which of these are mounted noexec: nothing that is unpacked there runs; empty if none is."""
    closed = sorted(str(path) for path in folders if os.statvfs(path).f_flag & os.ST_NOEXEC)
    advice = "export TMPDIR=… elsewhere, or move the checkout or its results"
    return f"{', '.join(closed)} mounted noexec: {advice}" if closed else ""


def no_room(folder: Path, needed_mib: int) -> str:
    """Where the disk of a folder is too small for what will be written; empty if it is not."""
    free_mib = shutil.disk_usage(folder).free >> 20
    said = f"no space left in {folder}: {free_mib} MiB are free, and about {needed_mib} are needed"
    return said if free_mib < needed_mib else ""


def governor(root: Path) -> Finding:
    found = limits.governors(root)
    shown = found or "none shown, as on most virtual machines"
    advice = "cpupower frequency-set --governor performance"
    return judged("CPU governor", found in (None, "performance"), shown, advice)


def perf_events(paranoid: int | None) -> Finding:
    """Says what async-profiler may sample: above 1 no kernel frames, above 2 no perf events."""
    is_root = os.geteuid() == 0
    shown = "absent" if paranoid is None else paranoid
    found = f"{shown}, as {'root' if is_root else 'a user'}"
    advice = (
        "profiles lack kernel frames (above 2: tick each 4 ms); sysctl kernel.perf_event_paranoid=1"
    )
    is_right = paranoid is not None and (is_root or paranoid <= 1)
    return judged("perf_event_paranoid", is_right, found, advice)


# ---- Printing


def lines(found: list[Finding]) -> list[str]:
    """The findings as aligned lines."""
    width = max(len(finding.name) for finding in found)
    return [
        f"{finding.state:<7}  {finding.name:<{width}}  {finding.found}"
        + (f": {finding.advice}" if finding.advice else "")
        for finding in found
    ]


def noise() -> list[Finding]:
    """How quiet the machine is; takes a quarter of a minute."""
    # Newer Python's syntax and modules, which the rest does without.
    from profiles.watch import noise

    return [
        Finding(line.name, REMARK if line.advice else OK, line.found, line.advice)
        for line in noise.report()
    ]


def main() -> int:
    first = f"{TOOLS / 'venv/bin'}:{TOOLS / 'bin'}"
    os.environ["PATH"] = f"{first}:{os.environ.get('PATH', os.defpath)}"
    found = findings(*sys.argv[1:2])
    print("\n".join(lines(found)), flush=True)
    missing = [finding.name for finding in found if finding.state == MISSING]
    if missing:
        print(f"\nrequired and missing: {', '.join(missing)}")
        return 1
    print("\n".join(["", *lines(noise())]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
