"""How long the requests of a tier wait: sleep_ms in its path, a number or a range as 10-30."""

import re
from typing import Any

SLEEP = re.compile(r"\bsleep_ms=(\d+)(?:-(\d+))?")


def mean_ms(path: str) -> int:
    """The wait that a path names, the mean of a range; 0 where it names none."""
    found = SLEEP.search(path)
    return (int(found[1]) + int(found[2] or found[1])) // 2 if found else 0


def least_ms(tier: dict[str, Any]) -> int:
    """The shortest wait of a tier's requests: the tier's sleep_ms is the mean of a range."""
    found = SLEEP.search(tier.get("path", ""))
    return int(found[1] if found and found[2] else tier["sleep_ms"])


def at_most(waits_ms: int, path: str) -> str:
    """The path with shorter waits, of as many digits: another number of them is other code."""

    def shorter(found: re.Match[str]) -> str:
        return re.sub(r"\d+", lambda ms: f"{min(int(ms[0]), waits_ms):0{len(ms[0])}}", found[0])

    return SLEEP.sub(shorter, path)
