"""The runner's rooms import in one direction, and no modules of a room import in a circle.

Imports within functions, for type checking alone, and by importlib count like all others.
"""

import graphlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Each room may import from itself and from those on earlier lines.
ORDER = (
    ("profiles.watch",),
    ("workloads.machine",),
    ("workloads.experiment", "workloads.servers"),
    ("workloads.record",),
    ("workloads.tools",),
    ("workloads.session",),
)
LEVEL = {room: level for level, rooms in enumerate(ORDER) for room in rooms}


def modules_of(root):
    """The texts of all rooms by the names of their modules, without tests."""
    found = {}
    for room in LEVEL:
        for path in sorted((root / room.replace(".", "/")).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            if "tests" not in parts:
                found[".".join(parts).removesuffix(".__init__")] = path.read_text()
    return found


def imports_of(name, text, known):
    """The known modules that a module imports, wherever it does."""
    wanted = {*re.findall(r"^\s*import ([\w.]+)", text, re.M)}
    for origin, names in re.findall(r"^\s*from ([\w.]+) import (\([^)]*\)|.*)", text, re.M):
        wanted |= {origin, *(f"{origin}.{each}" for each in re.findall(r"\w+", names))}
    # A name that is made up at run time begins so.
    begins = tuple(re.findall(r"import_module\(f?[\"']([\w.]+)", text))
    return {each for each in known if each in wanted or each.startswith(begins)} - {name}


def room_of(module):
    return ".".join(module.split(".")[:2])


def graph_of(root):
    known = modules_of(root)
    return {name: imports_of(name, text, known) for name, text in known.items()}


def faults(root):
    """Imports in the wrong direction, as `module → module`, or the first circle."""
    graph = graph_of(root)
    wrong = [
        f"{name} → {other}"
        for name, others in graph.items()
        for other in sorted(others)
        if room_of(name) != room_of(other) and LEVEL[room_of(other)] >= LEVEL[room_of(name)]
    ]
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        wrong.append(" → ".join(sorted(set(error.args[1]))))
    return wrong


def test_rooms_import_in_one_direction_and_never_in_a_circle():
    assert faults(ROOT) == []


def test_every_module_of_the_runner_is_in_a_room_and_its_imports_are_seen():
    others = {"tests", "due", "jmeter", "examples", "scripts"}
    folder = ROOT / "workloads"
    folders = {path.relative_to(folder).parts[0] for path in folder.rglob("*.py")}
    assert folders - others == {room.partition(".")[2] for room in LEVEL if "workloads" in room}
    assert not [name for name, text in modules_of(ROOT).items() if "\nfrom ." in text]
    graph = graph_of(ROOT)
    assert "workloads.servers.backends.remote" in graph["workloads.session.start"]
    assert "profiles.watch.telemetry" in graph["workloads.record.slice"]
    assert sum(map(len, graph.values())) > 100


TOOLS = "importlib.import_module(f'workloads.session.{name}')"
TYPES = "if TYPE_CHECKING:\n    from workloads.tools.a import (\n        d,\n    )"


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"record/a": "from workloads.session import b", "session/b": ""}, "record.a → session.b"),
        ({"tools/a": TOOLS, "session/b": ""}, "tools.a → session.b"),
        ({"tools/a": "from workloads.tools import b", "tools/b": TYPES}, "tools.a → tools.b"),
        ({"session/a": "import workloads.tools.b", "tools/b": "'import workloads.session.a'"}, ""),
    ],
)
def test_a_wrong_import_is_found_and_a_right_one_is_not(tmp_path, files, found):
    for name, code in files.items():
        path = tmp_path / f"workloads/{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(code)
    assert "".join(faults(tmp_path)).replace("workloads.", "") == found
