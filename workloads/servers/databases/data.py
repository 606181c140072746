"""The data of the database study: the table of sysbench's own scripts, every row of it from a seed.

The database makes the rows in one statement. A row that is lost, doubled or changed shows in SUMS.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

TABLE = "sbtest1"
# k = 1 + (id * FACTOR + seed) % rows: every value once, scattered, as the secondary index wants it.
FACTOR = 7919
TEXT_CHARACTERS, PAD_CHARACTERS = 120, 60
MD5_CHARACTERS = 32

# Small enough to stay in memory, so that the threads are measured and not the disk.
ROWS, SEED = 10_000, 20261120
# The answer to `check_sql`, the same by every engine.
SUMS = (ROWS, 50_005_000, 50_005_000, 21_361_615_398_897)


@dataclass(frozen=True)
class Dialect:
    """How an engine says what the others say in another way.

    `text_number`: the first eight hexadecimal digits of the MD5 of c, as a number.
    """

    key: str
    engine: str
    numbers: str
    analyze: str
    text_number: str


def statements(dialect: Dialect) -> list[str]:
    """Table, rows and secondary index."""
    return [
        f"CREATE TABLE {TABLE} (id {dialect.key}, k INTEGER NOT NULL DEFAULT 0, "
        f"c CHAR({TEXT_CHARACTERS}) NOT NULL DEFAULT '', "
        f"pad CHAR({PAD_CHARACTERS}) NOT NULL DEFAULT '') {dialect.engine}",
        f"INSERT INTO {TABLE} SELECT seq, 1 + (seq * {FACTOR} + {SEED}) % {ROWS}, "
        f"{text_sql('c', TEXT_CHARACTERS)}, {text_sql('pad', PAD_CHARACTERS)} "
        f"FROM {dialect.numbers.format(rows=ROWS)}",
        f"CREATE INDEX k_1 ON {TABLE}(k)",
        f"{dialect.analyze} {TABLE}",
    ]


def text_sql(column: str, characters: int) -> str:
    parts = ", ".join(
        f"MD5(CONCAT('{SEED}/{column}/{part}/', seq))"
        for part in range(math.ceil(characters / MD5_CHARACTERS))
    )
    return f"LEFT(CONCAT({parts}), {characters})"


def check_sql(dialect: Dialect) -> str:
    """Asks for the number of rows, and for sums over them."""
    return f"SELECT COUNT(*), SUM(id), SUM(k), SUM({dialect.text_number}) FROM {TABLE}"
