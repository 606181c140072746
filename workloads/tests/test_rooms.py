"""The runner's rooms import in one direction, and no modules of a room import in a circle.

Imports within functions, for type checking alone, and by importlib count like all others.
"""

from __future__ import annotations

import ast
import graphlib
from collections.abc import Iterator
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


def modules_of(root: Path) -> dict[str, Path]:
    """The files of all rooms by the names of their modules, without tests."""
    found = {}
    for room in LEVEL:
        for path in sorted((root / room.replace(".", "/")).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            if "tests" not in parts:
                found[".".join(parts).removesuffix(".__init__")] = path
    return found


def imports_of(name: str, path: Path, known: dict[str, Path]) -> set[str]:
    """The known modules that a module imports, wherever it does."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    wanted = {
        word for node in ast.walk(ast.parse(path.read_text())) for word in words(node, package)
    }
    return {each for each in known for word in wanted if each == word or fits(word, each)} - {name}


def fits(word: str, module: str) -> bool:
    """Whether a name that is made up at run time, and begins so, may be this module's."""
    return word.endswith("*") and module.startswith(word[:-1])


def words(node: ast.AST, package: str) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        parts = package.split(".")[: len(package.split(".")) - node.level + 1]
        origin = ".".join([*(parts if node.level else []), *filter(None, [node.module])])
        yield origin
        yield from (f"{origin}.{alias.name}" for alias in node.names)
    elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
        first = node.args[0]
        if isinstance(first, ast.JoinedStr):
            yield f"{ast.literal_eval(first.values[0])}*"
        elif isinstance(first, ast.Constant):
            yield str(first.value)


def room_of(module: str) -> str:
    return ".".join(module.split(".")[:2])


def graph_of(root: Path) -> dict[str, set[str]]:
    known = modules_of(root)
    return {name: imports_of(name, path, known) for name, path in known.items()}


def faults(root: Path) -> list[str]:
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


def test_rooms_import_in_one_direction_and_never_in_a_circle() -> None:
    assert faults(ROOT) == []


def test_every_module_of_the_runner_is_in_a_room_and_its_imports_are_seen() -> None:
    others = {"tests", "due", "jmeter", "examples", "scripts"}
    folder = ROOT / "workloads"
    folders = {path.relative_to(folder).parts[0] for path in folder.rglob("*.py")}
    assert folders - others == {room.partition(".")[2] for room in LEVEL if "workloads" in room}
    graph = graph_of(ROOT)
    assert "workloads.servers.backends.remote" in graph["workloads.session.start"]
    assert "profiles.watch.telemetry" in graph["workloads.record.slice"]
    assert sum(map(len, graph.values())) > 100


@pytest.mark.parametrize(
    ("files", "found"),
    [
        (
            {"record/a": "from workloads.session import b", "session/b": ""},
            ["workloads.record.a → workloads.session.b"],
        ),
        (
            {"servers/a": "def f():\n    import workloads.experiment.b", "experiment/b": ""},
            ["workloads.servers.a → workloads.experiment.b"],
        ),
        (
            {"../profiles/watch/a": "from workloads.machine.b import c", "machine/b": ""},
            ["profiles.watch.a → workloads.machine.b"],
        ),
        (
            {"tools/a": "importlib.import_module(f'workloads.session.{name}')", "session/b": ""},
            ["workloads.tools.a → workloads.session.b"],
        ),
        (
            {"tools/a": "from .b import c",
             "tools/b": "if TYPE_CHECKING:\n    from workloads.tools.a import d"},
            ["workloads.tools.a → workloads.tools.b"],
        ),
        (
            {"tools/a": "import workloads.tools.b",
             "tools/b": "def f():\n    from workloads.tools import c",
             "tools/c": "from workloads.tools.a import d"},
            ["workloads.tools.a → workloads.tools.b → workloads.tools.c"],
        ),
        (
            {"servers/databases/__init__": "from .a import b",
             "servers/databases/a": "from workloads.servers.databases import USER"},
            ["workloads.servers.databases → workloads.servers.databases.a"],
        ),
        (
            {"session/a": "import workloads.tools.b\nfrom workloads.session import c",
             "tools/b": "from workloads.servers.d import E",
             "session/c": "import workloads.servers.d",
             "servers/d": "'from workloads.session import a'  # import a"},
            [],
        ),
    ],
)  # fmt: skip
def test_a_wrong_import_is_found_and_a_right_one_is_not(
    tmp_path: Path, files: dict[str, str], found: list[str]
) -> None:
    for name, code in files.items():
        path = tmp_path / f"workloads/{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(code)
    assert faults(tmp_path) == found
