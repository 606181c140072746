"""Where a cell's numbers come from: machine, versions, limits, fingerprints; no names of hosts."""

import functools
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import psutil

from profiles.watch import limits as machine_limits
from profiles.watch.limits import content, numbers

ROOT = Path(__file__).resolve().parents[2]
# Decides how a cell is measured.
MEASURING = ("servers", "workloads", "profiles", "config.yaml")
PROFILER = ROOT / ".tools/async-profiler/libasyncProfiler.so"
# Written by set-up.
DATABASES = ROOT / ".tools/databases.json"
# Libraries that decide what servers cost, by their jars; a server of config.yaml may name more.
LIBRARIES = {
    "spring-boot": "spring_boot",
    "tomcat-embed-core": "tomcat",
    "netty-common": "netty",
    "reactor-netty-http": "reactor_netty",
    "httpclient5": "apache_httpclient",
    "jackson-databind": "jackson",
    "HikariCP": "hikaricp",
    "mariadb-java-client": "mariadb_java_client",
    "r2dbc-mariadb": "r2dbc_mariadb",
}
# Limits that make another kind of machine, by their names in a record, where there are any.
LIMITING = ("cpus_usable", "cpu_quota", "data_in_memory")
DMI = Path("/sys/class/dmi/id")
# Names in /proc/cpuinfo: of x86, then of Arm.
VERSION_OF_CPU = (
    *("cpu family", "model", "stepping"),
    *("cpu implementer", "cpu part", "cpu revision"),
)
BOARD = ("sys_vendor", "product_name", "board_vendor", "board_name")


def commit(root: Path = ROOT) -> str:
    """The commit of this checkout, with `+changed` where what measures differs from it.

    `unknown` without git, or in a copy without its history.
    """
    if not (root / ".git").exists():
        return "unknown"
    try:
        head = git(root, "rev-parse", "HEAD")
        changes = git(root, "status", "--porcelain", "--untracked-files=no", "--", *MEASURING)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{head}+changed" if changes else head


def git(root: Path, *words: str) -> str:
    # Without a lock, for somebody may be committing. Root measures in a user's checkout.
    argv = ["git", "--no-optional-locks", "-c", "safe.directory=*", "-C", str(root), *words]
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.strip()


def java(jdk: int | None = None) -> Path:
    """The java of JAVA_HOME or the PATH, or of a runtime of set-up. Raises FileNotFoundError."""
    if jdk:
        runtime = ROOT / f".tools/jdk-{jdk}/bin/java"
        if not runtime.exists():
            raise FileNotFoundError(f"no runtime of JDK {jdk} in .tools: run make setup")
        return runtime
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=f"{home}/bin") if home else shutil.which("java")
    if not found:
        raise FileNotFoundError("no java in JAVA_HOME or on the PATH: run make setup, . .tools/env")
    return Path(found)


def machine(limits: dict[str, Any]) -> dict[str, Any]:
    """The facts of this machine, with an id that machines of the same kind share."""
    cpuinfo = Path("/proc/cpuinfo").read_text()
    model, version = cpu_names(cpuinfo)
    found: dict[str, Any] = {
        "cpu_model": model,
        "cpu_version": version,
        "cpus": os.cpu_count(),
        "memory_bytes": psutil.virtual_memory().total,
        "architecture": platform.machine(),
        "kernel": platform.release(),
        "board": " ".join(filter(None, (content(DMI / name) for name in BOARD))),
        "os": platform.freedesktop_os_release().get("PRETTY_NAME", "unknown"),
        "virtualised": "hypervisor" in cpuinfo,
    }
    found |= limiting(limits, found["cpus"])
    return {"id": machine_id(found)} | found


def this_machine() -> dict[str, Any]:
    """The same with its limits of now; a process that is confined to some CPUs has others."""
    return machine(machine_limits.record())


def limiting(limits: dict[str, Any], cpus: int) -> dict[str, Any]:
    """Those that this machine has: neither all CPUs, nor a quota above them, is a limit."""
    usable = len(numbers(limits.get("cpus_usable"))) or cpus
    found = {key: limits.get(key) for key in LIMITING}
    found["cpus_usable"] = usable if usable != cpus else None
    if (found["cpu_quota"] or 0) > usable:
        found["cpu_quota"] = None
    return {key: value for key, value in found.items() if value}


def machine_id(found: dict[str, Any]) -> str:
    """A digest of CPU, memory in GiB, kernel, board, and limits of which there are any."""
    facts = [found[key] for key in ("cpu_model", "cpu_version", "cpus", "kernel", "board")]
    facts.append(round(found["memory_bytes"] / 2**30))
    facts += [f"{key} {found[key]}" for key in LIMITING if key in found]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:12]


def facts(spec: dict[str, Any], java: Path, limits: dict[str, Any]) -> dict[str, Any]:
    """All of provenance that is the same from the start of a cell to its end."""
    return {
        "machine": machine(limits),
        "limits": limits,
        "versions": {
            "jdk": jdk_version(java),
            "python": platform.python_version(),
            "async_profiler": profiler_version(),
            **libraries(fingerprints(spec), spec["study"].get("server", {}).get("libraries", {})),
            **(json.loads(DATABASES.read_text()) if DATABASES.exists() else {}),
        },
        "jars_sha256": fingerprint(spec),
        "root": os.geteuid() == 0,
    }


def fingerprints(spec: dict[str, Any]) -> list[str]:
    """Lists of checksums, a jar and its libraries each, of all jars that a cell runs."""
    server, backend = spec["study"].get("server", {}), spec["backend"] or {}
    parts = (server, backend, *backend.get("others", []))
    jars = filter(None, (part.get("jar") for part in parts))
    return [(ROOT / f"{jar}.sha256").read_text() for jar in jars]


def libraries(fingerprints: list[str], own: dict[str, str]) -> dict[str, str]:
    """Versions of the known libraries, and of a server's own, by the names of their files.

    The last one counts: a jar that replaces a library has both.
    """
    found = re.findall(r"/([\w-]+?)-(\d[\w.]*)\.jar$", "".join(fingerprints), re.MULTILINE)
    known = LIBRARIES | {jar: name for name, jar in own.items()}
    return {known[name]: version for name, version in found if name in known}


def fingerprint(spec: dict[str, Any]) -> str:
    """The digest of a cell's jars with their libraries, or of a user-supplied server's files."""
    texts = [text.encode() for text in fingerprints(spec)]
    if "command" in spec["mode"]:
        texts += [f"{path.name} {sha256(path)}\n".encode() for path in user_files(spec["mode"])]
    return hashlib.sha256(b"".join(texts)).hexdigest()


def user_home(mode: dict[str, Any]) -> Path:
    return ROOT / mode.get("folder", "")


def user_files(mode: dict[str, Any]) -> list[Path]:
    """A user-supplied server's program, files that its command names, and all in its folder.

    Hidden files, and what Python leaves next to its modules, are excluded.
    """
    home, (program, *words) = user_home(mode), mode["command"]
    found = [shutil.which(str(home / program) if "/" in program else program) or ""]
    found += [str(home / word) for word in words]
    if "folder" in mode:
        found += [str(path) for path in home.rglob("*") if not is_left_out(path.relative_to(home))]
    return sorted(Path(name) for name in set(found) if os.path.isfile(name))


def is_left_out(path: Path) -> bool:
    return any(part.startswith(".") or part == "__pycache__" for part in path.parts)


@functools.cache
def sha256(path: Path) -> str:
    """The digest of a file as it was when this process started it."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def portable(argv: list[str]) -> list[str]:
    """A command line with paths relative to the checkout: results name no one's folders."""
    return [word.replace(f"{ROOT}/", "") for word in argv]


def cpu_names(cpuinfo: str) -> tuple[str, str]:
    """A processor's model; and what tells it from others where a hypervisor gives them one name.

    That is family, model and stepping (x86), or implementer, part and revision (Arm): "26/2/1".
    """
    lines = (line.partition(":") for line in cpuinfo.splitlines())
    said = {name.strip().lower(): value.strip() for name, _, value in lines}
    model = said.get("model name") or said.get("hardware") or platform.processor() or "unknown"
    return model, "/".join(said[name] for name in VERSION_OF_CPU if name in said)


def jdk_version(java: Path) -> str:
    """Vendor and version from the JDK's release file, without starting a JVM."""
    text = (java.resolve().parents[1] / "release").read_text()
    release = dict(re.findall(r'^(\w+)="(.*)"$', text, re.MULTILINE))
    # A runtime that jlink made reports its version without the build.
    version = release.get("JAVA_RUNTIME_VERSION", release["JAVA_VERSION"])
    return " ".join(filter(None, (release.get("IMPLEMENTOR"), version)))


@functools.cache
def profiler_version() -> str:
    library = PROFILER.read_bytes() if PROFILER.exists() else b""
    found = re.search(rb"async-profiler (\d+(?:\.\d+)+)", library)
    return found[1].decode() if found else "unknown"
