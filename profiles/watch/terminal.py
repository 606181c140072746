"""Lines of progress on a terminal, and the reason why a job failed."""

import re
import shutil
import sys
from pathlib import Path
from typing import TextIO

# Back to the first column, and the line is empty.
CLEAR = "\r\033[K"
LINES_OF_A_LOG = 10
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
    """Lines on a job that failed: why, in one line, and then the end of its log."""
    texts = [log.read_text(errors="replace") for log in logs if log.exists()]
    lines = [line for text in texts for line in text.splitlines() if line.strip()]
    said = f"FAILED: {what}: {reason(lines)}" if logs else f"FAILED: {what}"
    # The reason says all of one or two lines.
    end = [f"    {line}" for line in lines[-LINES_OF_A_LOG:]] if len(lines) > 2 else []
    return [said, *end, *(f"    all of it: {log}" for log in logs)]
