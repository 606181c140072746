"""The DAG adds a session where planned ones do not decide: on sessions without content."""

import json
import subprocess
from pathlib import Path

import yaml

from workloads.experiment.grid import Grid, Session

ROOT = Path(__file__).resolve().parents[2]
CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text())
# Each session takes 60 s.
SNAKEFILE = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from pathlib import Path
import yaml
from workloads.experiment.grid import Grid

configfile: {str(ROOT / "config.yaml")!r}
DEFAULT = yaml.safe_load(Path({str(ROOT / "config.yaml")!r}).read_text())
GRID = Grid(DEFAULT | dict(repetitions=config["repetitions"]))
RESULTS = "results"
SESSIONS = [f"results/sessions/{{each.path}}.json" for each in GRID.sessions]

include: {str(ROOT / "analysis/common.smk")!r}

rule analyze:
    input: SESSIONS, looks=look_sessions
    output: "looks.txt"
    params: cells=lambda wildcards: cells_of_looks(look_sessions(wildcards))
    shell: "printf '%s\\\\n' {{input.looks:q}} {{params.cells:q}} > {{output:q}}"

rule render_report:
    input: "looks.txt"
    output: "report.txt"
    shell: "cp {{input:q}} {{output:q}}"

rule measure_session:
    output: "results/sessions/{{study}}/{{comparison}}/rep-{{repetition}}.json"
    shell: "echo '{{{{\\"wall_s\\": 60}}}}' > {{output:q}}"

checkpoint decide:
    input: SESSIONS
    output: "results/undecided.csv"
    shell: "cp open.csv {{output:q}}"
"""


def run(folder: Path, *settings: str, before: tuple[str, ...] = ()) -> tuple[list[str], str]:
    """The further sessions and their cells, and what Snakemake said."""
    command = ["snakemake", *before, "--cores", "2", "--nocolor", "--config", *settings]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    return (folder / "looks.txt").read_text().split(), done.stderr


def begun(folder: Path, grid: Grid, undecided: str) -> None:
    """A run whose planned sessions are measured."""
    (folder / "Snakefile").write_text(SNAKEFILE)
    (folder / "open.csv").write_text(f"study,comparison,undecided\n{undecided}")
    for session in grid.sessions:
        record = folder / f"results/sessions/{session.path}.json"
        record.parent.mkdir(parents=True, exist_ok=True)
        record.write_text(json.dumps({"wall_s": 60}))


def paths(sessions: list[Session]) -> set[str]:
    return {each.path for each in sessions}


def test_undecided_comparisons_get_one_session_more_and_no_other(tmp_path: Path) -> None:
    grid = Grid(CONFIG | {"repetitions": 2})
    second = [each for each in grid.sessions if each.repetition == 2]
    one, two = second[0], second[1]
    by_design = next(
        each for each in grid.sessions if each.path.replace("rep-1", "rep-2") not in paths(second)
    )
    lines = [
        f"{one.study},{one.comparison},3",
        f"{two.study},{two.comparison},1",
        f"{by_design.study},{by_design.comparison},2",
    ]
    begun(tmp_path, grid, "\n".join(lines))
    used = len(grid.sessions)
    found, _ = run(tmp_path, "repetitions=2", f"minutes={used + 1}")
    # There is a minute for one: where it decides most.
    sessions = [path for path in found if "/sessions/" in path]
    assert sessions == [f"results/sessions/{one.study}/{one.comparison}/rep-3.json"]
    cells = {path.split("/cells/")[1] for path in found if "/cells/" in path}
    expected = {cell.path.replace("rep-2", "rep-3") for cell in one.cells}
    assert cells == {f"{path}/cell.json" for path in expected}
    # The further session is measured by now; the choice is the same.
    again, said = run(tmp_path, "repetitions=2", f"minutes={used + 1}")
    assert again == found
    assert "Nothing to be done" in said
    more, _ = run(tmp_path, "repetitions=2", f"minutes={used + 2}")
    # A comparison of one session by design gets its second.
    assert [path for path in more if "/sessions/" in path] == [
        *sessions,
        f"results/sessions/{by_design.study}/{by_design.comparison}/rep-2.json",
    ]


def test_forced_report_of_an_interrupted_run_is_rendered_and_measures_nothing(
    tmp_path: Path,
) -> None:
    grid = Grid(CONFIG | {"repetitions": 2})
    begun(tmp_path, grid, "")
    settings = "repetitions=2", "minutes=1000"
    run(tmp_path, *settings, before=("report.txt",))
    # Snakemake removes the record of a session that fails.
    interrupted = tmp_path / f"results/sessions/{grid.sessions[0].path}.json"
    interrupted.unlink()
    _, said = run(tmp_path, *settings, before=("-f", "report.txt"))
    assert "rule render_report:" in said and "rule measure_session:" not in said
    # Tables made again need it, and no other.
    _, said = run(tmp_path, *settings, before=("-R", "analyze"))
    assert interrupted.exists() and said.count("rule measure_session:") == 1


def test_a_run_of_one_session_and_one_without_minutes_look_at_nothing(tmp_path: Path) -> None:
    for repetitions, minutes in ((1, 1000), (2, 0)):
        folder = tmp_path / str(repetitions)
        folder.mkdir()
        grid = Grid(CONFIG | {"repetitions": repetitions})
        name = f"{grid.sessions[0].study},{grid.sessions[0].comparison},9\n"
        begun(folder, grid, name)
        found, _ = run(folder, f"repetitions={repetitions}", f"minutes={minutes}")
        assert found == []
        assert not (folder / "results/undecided.csv").exists()
