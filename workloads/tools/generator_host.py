"""Another machine for the generator, by SSH: `testbed.generator_host`.

Nothing is installed there. A session has one connection, whose shell makes a folder and then reads
its standard input: when that ends, however this process does, the shell ends what still runs there
and removes the folder. Everything else is a command over that connection (ssh_config(5),
ControlMaster).
"""

from __future__ import annotations

import contextlib
import json
import shlex
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from profiles.watch.limits import numbers
from workloads.machine.environment import for_ssh, in_shell
from workloads.machine.testbed import Process, boot
from workloads.tools.generator_place import LOG, GeneratorPlace, Watch

ROOT = Path(__file__).resolve().parents[2]
CONNECT_LIMIT_S = 15
COMMAND_LIMIT_S = 60
# Commands that we run over there and do not copy.
PROGRAMS = ("taskset", "env", "tar", "pgrep", "mktemp", "find")
DUE = "workloads/due/build/due"
COPIED = {
    "wrk2": (DUE, "workloads/scripts"),
    "sweep": (DUE, "workloads/scripts"),
    "overload": (DUE, "workloads/scripts"),
    "jmeter": (
        *(".tools/jmeter", "workloads/jmeter/build/driver.jar"),
        *(f"workloads/jmeter/{name}" for name in ("plan.jmx", "jmeter.properties")),
        "workloads/jmeter/log4j2.properties",
    ),
}
# A shell may print a greeting or a note of updates first, from .bashrc: output follows this line.
MARK = "output of threads-artifact:"
# A group's id is that of its shell, which is there as long as its file. In one line, for tcsh.
HOLD = (
    'folder=$(mktemp -d "${TMPDIR:-/tmp}/threads-artifact.XXXXXX")'
    f' && echo && echo "{MARK} $folder"'
    "; cat >/dev/null"
    '; for file in $(find "$folder" -name group.pid); do kill -KILL "-$(cat "$file")"; done'
    '; rm -rf "$folder"'
)


class HostError(RuntimeError):
    """The other machine cannot be used; the message names it and the reason."""


class GeneratorHost(GeneratorPlace):
    """The other machine during one session. Raises HostError where it cannot be used.

    `where`: generator_host, server_address, and the CPUs of the generator there, by default all.
    `folder` is the session's own here, whose files have their place in a folder there. `near`: the
    CPUs of our ends of its connections.
    """

    def __init__(
        self, where: Mapping[str, Any], tools: set[str], folder: Path, near: list[int]
    ) -> None:
        target: str = where["generator_host"]
        self.target, self.folder, self.near = target, folder, near
        self.address = where["server_address"]
        with contextlib.ExitStack() as undo:
            # The path of a socket has at most 107 characters.
            sockets = undo.enter_context(tempfile.TemporaryDirectory(prefix="threads-ssh-"))
            self.ssh = ["ssh", "-o", "BatchMode=yes", "-o", f"ConnectTimeout={CONNECT_LIMIT_S - 5}"]
            self.ssh += ["-o", "ServerAliveInterval=5", "-o", f"ControlPath={sockets}/s"]
            # Against a terminal or a command in a user's configuration of ssh.
            self.ssh += ["-T", "-o", "RemoteCommand=none"]
            argv = self._argv(HOLD, "-M")
            self.hold = Process(argv, near, folder, "generator-host.log", for_ssh(), stdin=True)
            undo.callback(self._let_go)
            self.root = self._folder_there()
            self._copy(tools)
            # pid 4711's current affinity list: 0-3,8
            usable = self.command("taskset -cp $$").rpartition(":")[2]
            super().__init__(where["cpus"] or numbers(usable.strip()))
            self.same_kernel = self.command("cat /proc/sys/kernel/random/boot_id")[:8] == boot()
            self.clock_offset_s, self.clock_known_to_s = self._clock()
            self.undo = undo.pop_all()

    def _folder_there(self) -> str:
        log, deadline_s = self.folder / "generator-host.log", time.monotonic() + CONNECT_LIMIT_S
        while not self.hold.ended() and time.monotonic() < deadline_s:
            for line in log.read_text(errors="replace").splitlines():
                if line.startswith(MARK):
                    return line.removeprefix(MARK).strip()
            time.sleep(0.05)
        said = log.read_text(errors="replace").strip() or "it does not answer"
        raise HostError(f"testbed.generator_host = {self.target!r}: {said}")

    def _copy(self, tools: set[str]) -> None:
        programs = [*PROGRAMS, *(["java"] if "jmeter" in tools else [])]
        lacks = self.command(
            f"for p in {' '.join(programs)}; do command -v $p >/dev/null || echo $p; done"
        )
        if lacks:
            raise HostError(f"testbed.generator_host = {self.target!r} has no {lacks.split()}")
        wanted = sorted({name for tool in tools for name in COPIED[tool]})
        # Links of .tools lead to places that are not copied.
        archive = ["tar", "--create", "--dereference", "--directory", str(ROOT), *wanted]
        content = subprocess.run(archive, capture_output=True, check=True).stdout
        self.command(f"tar --extract --directory {shlex.quote(self.root)}", content)
        if DUE in wanted:
            # It says which library is missing there.
            self.command(f"{shlex.quote(self.root)}/{DUE} -v || [ $? -lt 126 ]")

    def _clock(self) -> tuple[float, float]:
        """How far that clock is before ours, in seconds, and how well that is known."""
        argv = self._argv(f"echo '{MARK}'; while read -r line; do date +%s.%N; done")
        found = []
        with subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        ) as shell:
            assert shell.stdin and shell.stdout
            while (line := shell.stdout.readline()) and MARK not in line:
                pass
            for _ in range(10):
                begun_s = time.time()
                shell.stdin.write("\n")
                there_s = float(shell.stdout.readline())
                ended_s = time.time()
                found.append(((ended_s - begun_s) / 2, there_s - (begun_s + ended_s) / 2))
            shell.stdin.close()
        known_to_s, offset_s = min(found)
        return offset_s, known_to_s

    def facts(self) -> dict[str, Any]:
        """The link between both sides, and how both clocks differ."""
        return {
            # A kernel that both share, or a network.
            "link": "veth" if self.same_kernel else "two hosts",
            "clock_offset_s": round(self.clock_offset_s, 6),
            "clock_known_to_s": round(self.clock_known_to_s, 6),
        }

    def watch(self, process: Process, watch: Watch) -> None:
        """Our end of the connection says nothing of the generator."""

    def confine(self, process: Process, cpus: list[int]) -> None:
        """It has CPUs of its own."""

    def command(self, script: str, content: bytes = b"") -> str:
        """The output of a script there. Raises HostError, with its error, where it fails."""
        return self._command(script, content).decode(errors="replace").strip()

    def _command(self, script: str, content: bytes = b"") -> bytes:
        argv = self._argv(f"echo '{MARK}'; {script}")
        done = subprocess.run(argv, input=content, capture_output=True, timeout=COMMAND_LIMIT_S)
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip()
            raise HostError(f"testbed.generator_host = {self.target!r}: {script[:80]}: {said}")
        return done.stdout.partition(f"{MARK}\n".encode())[2]

    def _argv(self, script: str, *options: str) -> list[str]:
        """A script of sh, whatever shell the account there has."""
        return [*self.ssh, *options, self.target, f"exec sh -c {shlex.quote(script)}"]

    def there(self, word: str | Path) -> str:
        word = str(word).replace(str(self.folder), f"{self.root}/session")
        return word.replace(f"{ROOT}/", f"{self.root}/")

    def make(self, folder: Path) -> None:
        self.command(f"mkdir -p {shlex.quote(self.there(folder))}")

    def process(
        self,
        argv: Sequence[str],
        folder: Path,
        environment: Mapping[str, str] | None = None,
        *,
        stdin: bool = False,
    ) -> Process:
        """Our end of a command there, in the place of a folder here; both end together."""
        # A runtime of ours is not copied: theirs is taken.
        words = ["java" if Path(word).name == "java" else self.there(word) for word in argv]
        place, cpus = shlex.quote(self.there(folder)), ",".join(map(str, self.cpus))
        script = (
            f"mkdir -p {place} && cd {place} && echo $$ >group.pid"
            f" && taskset -c {cpus} {in_shell()} {shlex.join(words)}"
            "; status=$?; rm group.pid; exit $status"
        )
        return Process(self._argv(script), self.near, folder, LOG, for_ssh(), stdin=stdin)

    def finish(self, process: Process, folder: Path, limit_s: float) -> bool:
        ended = process.wait(limit_s)
        if not ended:
            # It still writes what it has measured.
            self.end(folder)
            process.wait(10)
        process.stop(1)
        return ended

    def end(self, folder: Path) -> None:
        """Ends what still runs there for a folder; without a connection it has ended already."""
        file = shlex.quote(f"{self.there(folder)}/group.pid")
        with contextlib.suppress(HostError):
            self.command(f"[ ! -e {file} ] || kill -TERM -$(cat {file})")

    def cpus_reported(self, folder: Path) -> float | None:
        load = folder / "load.json"
        return float(json.loads(load.read_text())["cpu_share"]) if load.exists() else None

    def cpu_s(self, folder: Path) -> float:
        file = shlex.quote(f"{self.there(folder)}/group.pid")
        lines = self.command(f"for p in $(pgrep -g $(cat {file})); do cat /proc/$p/stat; done")
        # proc(5): utime and stime are fields 14 and 15, in ticks of 10 ms; 2 is a name in brackets.
        fields = [line.rpartition(")")[2].split() for line in lines.splitlines()]
        return sum(int(each[11]) + int(each[12]) for each in fields) / 100

    def fetch(self, folder: Path) -> None:
        script = f"tar --create --exclude group.pid --directory {shlex.quote(self.there(folder))} ."
        # tar itself keeps out of other folders; Python's tarfile does so from 3.11.4 on.
        subprocess.run(
            ["tar", "--extract", "--no-same-owner", "--directory", folder],
            input=self._command(script),
            check=True,
        )

    def _let_go(self) -> None:
        if self.hold.child.stdin:
            self.hold.child.stdin.close()
        self.hold.wait(COMMAND_LIMIT_S)
        self.hold.stop(5)

    def close(self) -> None:
        self.undo.close()
