#!/usr/bin/env python3
"""Says what this machine has, in which version, what is missing and what to do: one line each.

    python3 profiles/setup/doctor.py      (make doctor)

Needs nothing but Python's standard library, since it must speak where nothing is installed yet.
Exit status 1 when something that every run requires is missing; a limit only ever draws a remark.
"""

from __future__ import annotations

import os
import platform
import re
import resource
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TOOLS = ROOT / ".tools"
PROC_SYS = Path("/proc/sys")

OK, REMARK, MISSING = "ok", "remark", "missing"
COLOURS = {OK: "\033[32m", REMARK: "\033[33m", MISSING: "\033[31m"}

PANDOC_VERSION = "import pypandoc; print(pypandoc.get_pandoc_version())"
TYPST_VERSION = "from importlib.metadata import version; import typst; print(version('typst'))"

DATABASES = "rm -f .tools/databases.stamp; make setup"

# The extreme tier: 10,000 connections, a descriptor and on some modes a thread for each of them.
# A platform thread of the JVM takes two memory maps.
DESCRIPTORS = 12_000
MEMORY_MAPS = 24_000
THREADS = 12_000
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


def findings(needs: str = "") -> list[Finding]:
    """All of them; `needs`: MiB needed, MiB free and the session, as workloads/ computes them."""
    return [*tools(), *machine(needs), *limits()]


# ---- Tools ----------------------------------------------------------------------------------


def tools() -> list[Finding]:
    venv = TOOLS / "venv/bin"
    setup = "make setup"
    return [
        python(),
        debian_packages(),
        jdk(),
        tool("Maven", ["mvn", "--version"], setup),
        tool("C compiler", ["gcc", "--version"], setup),
        tool("R", ["Rscript", "--version"], setup),
        python_packages(venv),
        tool("Snakemake", [str(venv / "snakemake"), "--version"], setup),
        tool("pandoc", [str(venv / "python"), "-c", PANDOC_VERSION], setup),
        tool("typst", [str(venv / "python"), "-c", TYPST_VERSION], setup),
        jmeter(),
        async_profiler(),
        runtime(21),
        runtime(25),
        tool("sysbench", ["sysbench", "--version"], setup),
        tool("MariaDB", [str(TOOLS / "mariadb/bin/mariadbd"), "--version"], DATABASES),
        tool("Quarto", ["quarto", "--version"], "the stand-in renderer writes the report", REMARK),
        tool("wrk2", ["wrk2", "--version"], "the project's own generator is used", REMARK),
    ]


def tool(name: str, argv: list[str], advice: str, otherwise: str = MISSING) -> Finding:
    """The version that a program says it has; `otherwise` is the state when it does not run."""
    said = output(argv)
    if said is None:
        return Finding(name, otherwise, "not found", advice)
    version = re.search(r"\d+(\.\d+)+", said)
    return Finding(name, OK, version.group() if version else said.splitlines()[0])


def output(argv: list[str]) -> str | None:
    """Return what a program prints, or None when it is absent, fails or prints nothing."""
    try:
        run = subprocess.run(
            argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=30, cwd=ROOT
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    # wrk and wrk2 print their version and leave with 1.
    return run.stdout.strip() or None if run.returncode in (0, 1) else None


def python() -> Finding:
    found = platform.python_version()
    if tuple(int(part) for part in found.split(".")[:2]) < (3, 11):
        return Finding("Python", MISSING, found, "install Python 3.11 or newer as python3")
    return Finding("Python", OK, found)


def debian_packages() -> Finding:
    lines = (HERE / "debian-packages.txt").read_text().splitlines()
    wanted = {line for line in lines if line and not line.startswith("#")}
    listed = output(["dpkg-query", "--show", "--showformat=${db:Status-Status} ${Package}\n"])
    if listed is None:
        return Finding("Debian packages", REMARK, "no dpkg here", "install what is missing below")
    present = {line.split()[1] for line in listed.splitlines() if line.startswith("installed ")}
    missing = sorted(wanted - present)
    found = f"{len(wanted) - len(missing)} of {len(wanted)}"
    if missing:
        return Finding("Debian packages", MISSING, found, "make setup, for " + ", ".join(missing))
    return Finding("Debian packages", OK, found)


def jdk() -> Finding:
    env = TOOLS / "env"
    last = re.search(r"^export JAVA_HOME='(.*)'$", env.read_text(), re.M) if env.exists() else None
    home = output([str(HERE / "find-jdk.sh"), last.group(1) if last else ""])
    if home is None or not Path(home).is_dir():
        return Finding("JDK 25", MISSING, "not found", "install one, or set JAVA_HOME to it")
    release = (Path(home) / "release").read_text()
    version = re.search(r'^JAVA_RUNTIME_VERSION="(.*)"', release, re.MULTILINE)
    return Finding("JDK 25", OK, f"{version.group(1) if version else '25'} in {home}")


def python_packages(venv: Path) -> Finding:
    """Compares what the environment holds with the pins that apply to every machine."""
    pins = HERE / "requirements.txt"
    pinned = dict(re.findall(r"^([a-z0-9-]+)==([^ ;]+) \\$", pins.read_text(), re.MULTILINE))
    listed = output([str(venv / "python"), "-m", "pip", "freeze", "--disable-pip-version-check"])
    if listed is None:
        return Finding("Python packages", MISSING, "no .tools/venv that works", "make setup")
    present = dict(line.split("==") for line in listed.lower().splitlines() if "==" in line)
    present = {name.replace("_", "-"): version for name, version in present.items()}
    off = sorted(name for name, version in pinned.items() if present.get(name) != version)
    found = f"{len(pinned) - len(off)} of {len(pinned)} as pinned"
    if off:
        advice = "rm -f .tools/venv.stamp; make setup, for " + ", ".join(off)
        return Finding("Python packages", MISSING, found, advice)
    return Finding("Python packages", OK, found)


def jmeter() -> Finding:
    core = list((TOOLS / "jmeter/lib/ext").glob("ApacheJMeter_core-*.jar"))
    if not core or not (TOOLS / "jmeter/bin/ApacheJMeter.jar").exists():
        return Finding("JMeter", MISSING, "not found", "rm -f .tools/java-tools.stamp; make setup")
    return Finding("JMeter", OK, core[0].stem.removeprefix("ApacheJMeter_core-"))


def async_profiler() -> Finding:
    name, folder = "async-profiler", TOOLS / "async-profiler"
    version = re.search(r"<async-profiler.version>(.*)<", (HERE / "java-tools.pom.xml").read_text())
    parts = [folder / "libasyncProfiler.so", folder / "jfr-converter.jar"]
    if version is None or not all(part.exists() for part in parts):
        return Finding(name, MISSING, "not found", "rm -f .tools/java-tools.stamp; make setup")
    return Finding(name, OK, version.group(1))


def runtime(jdk: int) -> Finding:
    """One of the runtimes that modes with `jdk:` run on, from its release file."""
    name, folder = f"Java runtime {jdk}", TOOLS / f"jdk-{jdk}"
    if not (folder / "bin/java").exists():
        return Finding(name, MISSING, "not found", "rm -f .tools/runtimes.stamp; make setup")
    version = re.search(r'^JAVA_RUNTIME_VERSION="(.*)"', (folder / "release").read_text(), re.M)
    return Finding(name, OK, version.group(1) if version else str(jdk))


# ---- Machine and limits: nothing here is required, but a number may mean something else -----


def machine(needs: str) -> list[Finding]:
    architecture = platform.machine()
    return [
        at_least("CPUs", len(os.sched_getaffinity(0)), 2, "server and generator share one"),
        Finding(
            "architecture",
            OK if architecture in ("x86_64", "aarch64") else REMARK,
            architecture,
            "" if architecture in ("x86_64", "aarch64") else "tried on x86_64 and aarch64 only",
        ),
        memory(needs),
        at_least(
            "free disk, MiB",
            shutil.disk_usage(ROOT).free >> 20,
            DISK_MIB,
            "results of the default run need about 1 GiB",
        ),
        charset(),
        governor(),
    ]


def limits() -> list[Finding]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    ports = sysctl("net/ipv4/ip_local_port_range")
    first, last = (int(port) for port in (ports or "0 0").split())
    return [
        at_least(
            f"descriptors ({soft} by default)",
            hard,
            DESCRIPTORS,
            "raise it: ulimit -Hn, limits.conf",
        ),
        at_least("ephemeral ports", last - first + 1, PORTS, "widen net.ipv4.ip_local_port_range"),
        at_least("somaxconn", number("net/core/somaxconn"), SOMAXCONN, "raise net.core.somaxconn"),
        at_least(
            "tcp_max_syn_backlog",
            number("net/ipv4/tcp_max_syn_backlog"),
            1024,
            "raise net.ipv4.tcp_max_syn_backlog",
        ),
        at_least("memory maps", number("vm/max_map_count"), MEMORY_MAPS, "raise vm.max_map_count"),
        at_least(
            "threads",
            min(number("kernel/pid_max"), number("kernel/threads-max")),
            THREADS,
            "raise kernel.pid_max and kernel.threads-max",
        ),
        perf_events(),
    ]


def at_least(name: str, found: int, wanted: int, advice: str) -> Finding:
    if found >= wanted:
        return Finding(name, OK, str(found))
    return Finding(name, REMARK, f"{found}, better {wanted}", advice)


def sysctl(name: str) -> str | None:
    try:
        return (PROC_SYS / name).read_text().strip()
    except OSError:
        return None


def number(name: str) -> int:
    """A kernel setting; 0, which draws a remark, where it cannot be read."""
    return int(sysctl(name) or 0)


def memory(needs: str) -> Finding:
    """The session of config.yaml that needs most, which the packages of set-up can read."""
    name = "free memory, MiB"
    if not (found := re.fullmatch(r"(\d+) (\d+) (\S+)", needs)):
        return Finding(name, REMARK, "what a run needs is known after set-up", "make setup")
    needed, free = int(found[1]), int(found[2])
    advice = f"session {found[3]} needs it: close other programs, or lower its heaps"
    return at_least(name, free, needed, advice)


def charset() -> Finding:
    set_to = os.environ.get("LC_ALL") or os.environ.get("LC_CTYPE") or os.environ.get("LANG") or "C"
    if "utf" in set_to.lower():
        return Finding("charset", OK, set_to)
    return Finding("charset", REMARK, set_to, "`. .tools/env` sets C.UTF-8; make does so by itself")


def governor() -> Finding:
    file = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    if not file.exists():
        return Finding("CPU governor", OK, "none shown, as on most virtual machines")
    found = file.read_text().strip()
    if found == "performance":
        return Finding("CPU governor", OK, found)
    return Finding("CPU governor", REMARK, found, "cpupower frequency-set --governor performance")


def perf_events() -> Finding:
    """What async-profiler may sample: above 1 no kernel frames, above 2 no perf events."""
    paranoid = sysctl("kernel/perf_event_paranoid")
    found = f"{paranoid or 'absent'}, as {'root' if os.geteuid() == 0 else 'a user'}"
    if paranoid is not None and (os.geteuid() == 0 or int(paranoid) <= 1):
        return Finding("perf_event_paranoid", OK, found)
    advice = (
        "profiles lack kernel frames (above 2: tick each 4 ms); sysctl kernel.perf_event_paranoid=1"
    )
    return Finding("perf_event_paranoid", REMARK, found, advice)


# ---- Printing -------------------------------------------------------------------------------


def lines(found: list[Finding], colours: bool) -> list[str]:
    """The findings as aligned lines, in colours only where a person looks at them."""
    width = max(len(finding.name) for finding in found)
    return [
        (f"{COLOURS[finding.state]}{finding.state:<7}\033[0m" if colours else f"{finding.state:<7}")
        + f"  {finding.name:<{width}}  {finding.found}"
        + (f": {finding.advice}" if finding.advice else "")
        for finding in found
    ]


def main() -> int:
    os.environ["PATH"] = f"{TOOLS / 'venv/bin'}:{os.environ.get('PATH', os.defpath)}"
    found = findings(*sys.argv[1:2])
    print("\n".join(lines(found, sys.stdout.isatty() and "NO_COLOR" not in os.environ)))
    missing = [finding.name for finding in found if finding.state == MISSING]
    if missing:
        print(f"\nrequired and missing: {', '.join(missing)}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
