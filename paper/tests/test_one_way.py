"""Data flows one way: no folder imports from a later one, sources it, or names its files.

`profiles` stands before `workloads`: a session uses what watches and converts, which knows of no
session. What is at the top (Snakefile, Makefile) is over all folders.
"""

import ast
import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
STAGES = ("servers", "profiles", "workloads", "analysis", "paper")
CODE = {".py", ".R", ".qmd", ".smk", ".sh"}
# These check all folders, read their texts or test the Makefile; own.sh runs Snakemake.
OVER_ALL = {
    "workloads/own.sh",
    *("profiles/setup/test.sh", "profiles/setup/check.sh"),
    *("profiles/setup/tests/test_check.py", "profiles/setup/words.py"),
    *("profiles/setup/tests/test_set_up.py", "profiles/setup/tests/test_words.py"),
}
# A path below a folder, a module of it, its name alone in quotes, or an import of it.
NAMED = r"""(?<![\w.-]){0}[./][\w{{$]|["']{0}["']|\b(from|import)\s+{0}\b"""
# Analysis and paper know the experiment by its cells and by modes.csv; their tests may know more.
EXPERIMENT = re.compile(r"""["']([^"']*/)?config\.yaml["']""")
KNOWS_NO_EXPERIMENT = {"analysis", "paper"}
# A file below the folder of all results, as R, Python and Snakemake spell it.
RESULT = r"""\b(?i:results)\}}?(/|\s*\+\s*["']/|\s*/\s*["']|,\s*["']){0}(?![\w-])"""
OUTPUTS = re.compile(r"^    output:\n((?:        .*\n)+)", re.MULTILINE)
OUTPUT = re.compile(r"""RESULTS(?:\}/| \+ "/)([\w./-]+)(?=["'])""")


def back_edges(root):
    """Lines that are not allowed in the folders of all stages, as `file: line of code`."""
    found = []
    for place, stage in enumerate(STAGES):
        pattern = forbidden(root, STAGES[place + 1 :])
        for file in code_files(root, stage):
            blind = stage in KNOWS_NO_EXPERIMENT and "tests" not in file.parts
            found += [
                f"{file}: {line.strip()}"
                for line in code_of(root / file).splitlines()
                if pattern.search(line) or (blind and EXPERIMENT.search(line))
            ]
    return found


def code_files(root, stage):
    files = (path.relative_to(root) for path in sorted((root / stage).rglob("*")))
    return (file for file in files if file.suffix in CODE and str(file) not in OVER_ALL)


def code_of(path):
    """Without comments and docstrings, which may name everything."""
    text = path.read_text()
    if path.suffix == ".py":
        return ast.unparse(WithoutDocstrings().visit(ast.parse(text)))
    if path.suffix == ".smk":
        text = re.sub(r'""".*?"""', "", text, flags=re.DOTALL)
    return re.sub(r"(^|\s)#.*$", "", text, flags=re.MULTILINE)


class WithoutDocstrings(ast.NodeTransformer):
    def visit_Expr(self, node):
        alone = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return ast.Expr(ast.Constant(...)) if alone else node


def forbidden(root, later):
    """Matches names of these stages, and of results of theirs."""
    names = [NAMED.format(stage) for stage in later]
    results = [RESULT.format(re.escape(name)) for name in results_of(root, later)]
    return re.compile("|".join([*names, *results]) or "(?!)")


def results_of(root, stages):
    """The files that these stages write below the folder of results, beside the cells."""
    texts = [path.read_text() for stage in stages for path in (root / stage).glob("*.smk")]
    blocks = [block for text in texts for block in OUTPUTS.findall(text)]
    tables = root / "analysis/tables.yaml"
    listed = yaml.safe_load(tables.read_text())["tables"] if tables.exists() else {}
    written = [f"{name}.csv" for verb in listed.values() for name in verb]
    named = [name for block in blocks for name in OUTPUT.findall(block)]
    return named + (written if "analysis" in stages else [])


def test_no_folder_reaches_into_a_later_one():
    assert back_edges(ROOT) == []


def test_the_snakefile_includes_the_stages_in_their_order():
    included = re.findall(r'^include: "(\w+)/', (ROOT / "Snakefile").read_text(), re.MULTILINE)
    assert tuple(included) == STAGES


def write(root, file, text):
    (root / file).parent.mkdir(parents=True, exist_ok=True)
    (root / file).write_text(f"{text}\n")


@pytest.mark.parametrize(
    ("file", "code"),
    [
        ("workloads/a.py", "module = importlib.import_module(f'analysis.{name}')"),
        ("workloads/a.py", "text = (ROOT / 'analysis' / name).read_text()"),
        ("workloads/a.py", "table = results / 'claims.csv'"),
        ("workloads/workloads.smk", 'rule a:\n    input: f"{RESULTS}/claims.csv"'),
        ("analysis/tests/test-a.R", 'source(file.path(folder, "..", "paper", "R", "text.R"))'),
        ("analysis/R/a.R", 'source("paper/R/text.R") # of the paper'),
        ("paper/a.qmd", 'modes <- yaml::read_yaml("../config.yaml")'),
    ],
)
def test_a_back_edge_is_found(tmp_path, file, code):
    rules = 'rule judge:\n    output:\n        f"{RESULTS}/claims.csv",\n    log:\n        "x"'
    write(tmp_path, "analysis/judge.smk", rules)
    write(tmp_path, file, code)
    line = code.splitlines()[-1].partition(" # ")[0].strip()
    assert back_edges(tmp_path) == [f"{file}: {line}"]


@pytest.mark.parametrize(
    ("file", "code"),
    [
        ("workloads/a.py", '"""Written for analysis/claims.R."""\n# see paper/report.qmd'),
        ("workloads/a.py", "table = cell / 'slices.csv'"),
        ("workloads/workloads.smk", '"""for the paper/"""\ninput: "servers/sockets/a.jar"'),
        ("analysis/tests/test-a.R", 'config <- yaml::read_yaml("config.yaml")'),
        ("paper/paper.smk", 'input: "analysis/causes.yaml", f"{RESULTS}/summary.csv"'),
    ],
)
def test_what_is_allowed_is_not_found(tmp_path, file, code):
    write(tmp_path, file, code)
    assert back_edges(tmp_path) == []
