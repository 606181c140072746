"""Databases: started for one cell with a data directory of their own, and thrown away after it.

An engine is a module with one class: it starts in its constructor, knows `process`, `port` and
`password`, answers `query()`, and `stop()` leaves neither a process nor a file.
"""

# The one database and its one user, the same in every engine; the password is made for the run.
DATABASE = USER = "artifact"

# A database's own variables by the names it gives them.
Variables = dict[str, int | str | bool]


def value_of(value: int | str | bool) -> str:
    """As every engine reads it: true is 1."""
    return str(int(value)) if isinstance(value, bool) else str(value)
