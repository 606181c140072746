"""Databases: started for one cell with a data directory of their own, and thrown away after it.

An engine is a module with one class: it starts in its constructor, knows `process`, `port` and
`password`, and `stop()` leaves neither a process nor a file.
"""

# The one database and its one user, the same in every engine; the password is made for the run.
DATABASE = USER = "artifact"
