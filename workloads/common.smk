"""What the rules that measure need to know of a session, from the grid."""

import json


def jars_of(session):
    """Fingerprints: a jar that was built again with the same bytes measures nothing again."""
    return [f"{jar}.sha256" for jar in GRID.jars(session)]


def programs_of(session):
    """What must be there, however new it is; and the files of user-supplied servers."""
    built = [
        *GRID.jars(session),
        *GRID.class_data(session),
        "workloads/due/build/due",
        "workloads/jmeter/build/driver.jar",
    ]
    return [*map(ancient, built), *GRID.files(session)]


def labels_of(session):
    return json.dumps(GRID.labels(session), sort_keys=True)


def priority_of(session):
    """Sessions run in the order of the grid."""
    order = [other.path for other in GRID.sessions]
    return len(order) - order.index(session.path) if session.path in order else 0


def priority_of_repetition(repetition):
    """Just above the first session of a repetition."""
    of = [each for each in GRID.sessions if each.repetition >= repetition]
    return priority_of(of[0]) + 1 if of else 0
