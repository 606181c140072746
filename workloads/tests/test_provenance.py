"""The machine of a cell: an id that machines of one kind share, and that names no host."""

import json
import socket

from workloads import provenance

MACHINE = {"cpu_model": "CPU", "cpus": 8, "memory_bytes": 16 << 30, "kernel": "6.1", "board": "B"}


def test_machine_id_depends_on_cpu_count_memory_kernel_and_board():
    others = [MACHINE | {key: 9} for key in ("cpu_model", "cpus", "kernel", "board")]
    others.append(MACHINE | {"memory_bytes": 17 << 30})
    ids = {provenance.machine_id(machine) for machine in (MACHINE, *others)}
    assert len(ids) == 6
    # What firmware keeps for itself makes no other kind of machine.
    less = MACHINE | {"memory_bytes": (16 << 30) - (100 << 20)}
    assert provenance.machine_id(less) == provenance.machine_id(MACHINE)


def test_machine_names_no_host():
    found = provenance.machine()
    assert found["id"] == provenance.machine_id(found)
    assert socket.gethostname() not in json.dumps(found)
