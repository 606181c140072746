"""A session: which of its servers another machine reaches, and what it starts where."""

import threading
from dataclasses import replace

import pytest

from workloads.session import session as module
from workloads.session.session import Session, host_of
from workloads.session.start import BeyondLimits, group_of
from workloads.tests.planned import plan_of
from workloads.tools.generator_host import HostError

WHERE = {"generator_host": "someone@far", "server_address": "10.0.0.1", "cpus": None}


@pytest.mark.parametrize(
    "changes",
    [
        {"engine": {"id": "mariadb"}},
        {"mode": {"id": "fixed-pool", "command": ["run", "{port}"]}, "study": {"id": "a-study"}},
        {"study": {"id": "a-study", "server": {"package": "artifact.stacks"}}},
    ],
)
def test_server_that_listens_on_loopback_alone_has_its_generator_here(tmp_path, changes):
    plan = plan_of()
    changed = replace(plan.modes["fixed-pool"], **changes)
    plan = replace(plan, modes=plan.modes | {"fixed-pool": changed})
    with pytest.raises(HostError, match="generator_host: fixed-pool listens on 127.0.0.1 only"):
        host_of(plan, WHERE, tmp_path, [0])


def test_speed_is_that_of_the_servers_cpus(tmp_path, monkeypatch):
    watched = []
    monkeypatch.setattr(module, "watch_speed", lambda cpus, *_: watched.append(cpus))
    # Its close stops what other sessions of this process start.
    monkeypatch.setattr(module.server, "STOPPING", threading.Event())
    Session(plan_of(), "a-session", [], tmp_path, ([0], [1])).close()
    assert watched == [[0]]


def test_limit_on_cpu_time_that_cannot_be_set_is_an_outcome(monkeypatch):
    assert group_of({"id": "pool"}) is None

    def refuse(cpus):
        raise PermissionError(f"{cpus:g} CPUs: not root")

    monkeypatch.setattr("profiles.watch.control_groups.limited_group", refuse)
    with pytest.raises(BeyondLimits, match=r"^beyond_limits: pool: cpu_limit = 1: 1 CPUs: not ro"):
        group_of({"id": "pool", "cpu_limit": 1})
