"""What a person sees of a run: its plan, one line of progress, and why a job failed.

Snakemake's own messages stay in its log. On a terminal a line of progress is replaced by the next
one; elsewhere each is a line.
"""

from __future__ import annotations

import logging
import re
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TextIO

# Back to the first column, and the line is empty.
CLEAR = "\r\033[K"
LINES_OF_A_LOG = 10
# Snakemake's handler that writes to the terminal, by the name that it has.
SNAKEMAKES = "DefaultStreamHandler"
# Of its messages that are no event these are for the person who waits.
WANTED = re.compile("Nothing to be done|Terminating processes|Shutting down")
# The message of R or Python that ends a log with a fault; R may go on in the next line.
FAULT = re.compile(r"^(Error\b.*|[\w.]*(Error|Exception|Refused)\b.*)$")


def show(text: str, stream: TextIO | None = None) -> None:
    """A line of progress, cut to the width of a terminal, where the next line replaces it."""
    out = stream or sys.stderr
    width = shutil.get_terminal_size().columns
    out.write(f"{CLEAR}{text[: width - 1]}" if out.isatty() else f"{text}\n")
    out.flush()


def say(text: str, stream: TextIO | None = None) -> None:
    """Text that stays."""
    out = stream or sys.stderr
    out.write(f"{CLEAR if out.isatty() else ''}{text}\n")
    out.flush()


def reason(lines: list[str]) -> str:
    """The line of a log that says why: the last message of a fault, or else the last line."""
    faults = [number for number, line in enumerate(lines) if FAULT.match(line)]
    if not faults:
        return lines[-1].strip() if lines else "it left no message"
    fault = lines[faults[-1]].strip()
    following = lines[faults[-1] + 1 :]
    return f"{fault} {following[0].strip()}" if fault.endswith(":") and following else fault


def failure(what: str, logs: list[Path]) -> list[str]:
    """What is said of a job that failed: why, in one line, and then the end of its log."""
    texts = [log.read_text(errors="replace") for log in logs if log.exists()]
    lines = [line for text in texts for line in text.splitlines() if line.strip()]
    said = f"FAILED: {what}: {reason(lines)}" if logs else f"FAILED: {what}"
    # Of one or two lines the reason is all.
    end = [f"    {line}" for line in lines[-LINES_OF_A_LOG:]] if len(lines) > 2 else []
    return [said, *end, *(f"    all of it: {log}" for log in logs)]


class Terminal(logging.Handler):
    """Snakemake's events for the person who waits. `plan` tells what jobs, by rule, mean."""

    def __init__(self, plan: Callable[[Mapping[str, int]], str], stream: TextIO) -> None:
        super().__init__()
        self.plan, self.stream = plan, stream

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self.tell(record)
        except Exception:
            self.handleError(record)

    def tell(self, record: logging.LogRecord) -> None:
        facts = vars(record)
        event, message = facts.get("event"), record.getMessage()
        if event == "run_info" and (planned := self.plan(facts["stats"])):
            say(planned, self.stream)
        elif event == "job_info":
            # What has no log writes to the terminal itself.
            tell = show if facts["log"] else say
            tell(facts["rule_msg"] or facts["rule_name"], self.stream)
        elif event == "job_error":
            what = facts["rule_msg"] or facts["rule_name"]
            say("\n".join(failure(what, [Path(log) for log in facts["log"]])), self.stream)
        elif event == "error":
            # A job's whole command, in kilobytes; its event of an error follows.
            if facts.get("exception") != "RuleException":
                say(message, self.stream)
        elif event is None and (record.levelno >= logging.WARNING or WANTED.search(message)):
            say(message, self.stream)

    def close(self) -> None:
        if self.stream.isatty():
            self.stream.write(CLEAR)
        super().close()


def take_over(
    logger: logging.Logger, settings: Any, plan: Callable[[Mapping[str, int]], str]
) -> None:
    """Puts Terminal in the place of Snakemake's own handler, where there is that one.

    A dry-run, and who asks for more of Snakemake's words, gets all of them.
    """
    if settings.dryrun or settings.verbose or settings.printshellcmds:
        return
    for handler in list(logger.handlers):
        if handler.name == SNAKEMAKES:
            logger.removeHandler(handler)
            logger.addHandler(Terminal(plan, sys.stderr))
