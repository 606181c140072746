"""Variables that measured programs get: a list is let through, everything else stays outside.

A caller's shell holds settings of other work (SPRING_*, JAVA_TOOL_OPTIONS, PG* and more), by which
a server would not be what config.yaml says.
"""

import os
from collections.abc import Iterable, Mapping

# Where programs, files and the runtime are.
PASSED = ("PATH", "HOME", "TMPDIR", "XDG_CACHE_HOME", "JAVA_HOME")
# The same as in .tools/env.
FIXED = {"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1", "PYTHONNOUSERSITE": "1"}
# An agent, or a Kerberos ticket, that lets ssh in.
SSH = ("SSH_AUTH_SOCK", "KRB5CCNAME")
# A process that measures also asks SLURM about its job, and writes to a terminal.
MEASURING = (*PASSED, *SSH, "SLURM_JOB_ID", "SLURM_CONF", "TERM", "COLUMNS")


def of_child(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The whole environment of a measured program; `more`: what config.yaml or we add."""
    return chosen(PASSED) | FIXED | dict(more or {})


def secrets(names: Iterable[str]) -> dict[str, str]:
    """Variables of the caller for requests' headers. Raises LookupError for one that is not set."""
    there = callers or dict(os.environ)
    if missing := [name for name in names if name not in there]:
        raise LookupError(
            f"the variable {missing[0]} is not set: headers_from_environment needs it"
        )
    return {name: there[name] for name in names}


def for_ssh() -> dict[str, str]:
    return chosen(SSH)


def chosen(names: tuple[str, ...]) -> dict[str, str]:
    return {name: os.environ[name] for name in names if name in os.environ}


# The variables that this process was started with: memory alone keeps what confine() takes away.
callers: dict[str, str] = {}


def confine() -> None:
    """Leaves this process the listed variables: libpq and git within it read others, too."""
    callers.update(os.environ)
    left = chosen(MEASURING) | FIXED
    os.environ.clear()
    os.environ.update(left)


def in_shell() -> str:
    """The beginning of a command of sh elsewhere that gives a program the same list."""
    passed = (f'${{{name}:+"{name}=${name}"}}' for name in PASSED)
    fixed = (f"{name}={value}" for name, value in FIXED.items())
    return " ".join(("env -i", *passed, *fixed))


def recorded(variables: Mapping[str, str], configured: Iterable[str]) -> dict[str, str | None]:
    """A server's variables for a record.

    Those that neither are fixed nor come from config.yaml are None: paths of this machine,
    passwords.
    """
    shown = {*FIXED, *configured}
    return {name: variables[name] if name in shown else None for name in sorted(variables)}
