"""Snakemake's messages for a person who waits: the logger plugin of profiles/*/config.yaml.

Snakemake finds a package of this name on the path of its Python, to which set-up adds this folder.
Everything that Snakemake says stays in its own log; a dry-run, `--verbose` and `--printshellcmds`
show all of it here too. See snakemake_interface_logger_plugins.
"""

import logging
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import yaml
from snakemake_interface_logger_plugins.base import LogHandlerBase

from profiles.watch.terminal import CLEAR, failure, say, show

# Messages that are no event, and are for the person who waits.
WANTED = re.compile("Nothing to be done|Terminating processes|Shutting down")
UNREADABLE = "not valid JSON or YAML"


class LogHandler(LogHandlerBase):
    """Shows the running job in one line, and faults. How long is left a session says itself."""

    def __post_init__(self) -> None:
        settings = self.common_settings
        self.shows_all = settings.dryrun or settings.verbose or settings.printshellcmds
        self.stream = sys.stderr
        # The text of each job, by its number: an error has none.
        self.texts: dict[int, str] = {}

    def emit(self, record: logging.LogRecord) -> None:
        try:
            if self.shows_all:
                say(self.format(record), self.stream)
            else:
                self.tell(record)
            if UNREADABLE in record.getMessage():
                for place in unreadable(sys.argv[1:]):
                    say(place, self.stream)
        except Exception:
            self.handleError(record)

    def tell(self, record: logging.LogRecord) -> None:
        facts = vars(record)
        event, message = facts.get("event"), record.getMessage()
        if event == "job_info":
            text = self.texts[facts["jobid"]] = facts["rule_msg"] or facts["rule_name"]
            # A job without a log writes to the terminal itself.
            (show if facts["log"] else say)(text, self.stream)
        elif event == "job_error":
            what = self.texts.get(facts["jobid"], facts["rule_name"])
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

    writes_to_stream = True
    writes_to_file = has_formatter = needs_rulegraph = False

    @property
    def has_filter(self) -> bool:
        """Snakemake's own holds for all that is shown as it is."""
        return not self.shows_all


def unreadable(words: list[str]) -> Iterator[str]:
    """Where files after --configfile on a command line are not YAML, and what to write."""
    names = False
    for word in words:
        option, _, name = word.partition("=")
        if word.startswith("-"):
            names = option in ("--configfile", "--configfiles")
        for path in [Path(name if word.startswith("-") else word)] if names else []:
            try:
                yaml.safe_load(path.read_text(encoding="utf-8") if path.is_file() else "")
            except yaml.MarkedYAMLError as fault:
                line = fault.problem_mark.line + 1 if fault.problem_mark else 1
                hint = 'a text with braces is in quotes: "--port={port}"'
                yield f"{path}, line {line}: {fault.problem}; {hint}"
