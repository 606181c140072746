"""make check starts no process, and counts text by what it is."""

import pytest

from profiles.setup import no_process, size


@pytest.mark.parametrize("event", ["subprocess.Popen", "os.fork", "os.posix_spawn"])
def test_what_starts_a_process_is_skipped(event):
    with pytest.raises(pytest.skip.Exception, match="starts a process"):
        no_process.refuse(event, ())
    no_process.refuse("open", ())


def test_text_tests_and_what_a_program_writes_are_told_apart(tmp_path, monkeypatch, capsys):
    names = [
        "a/b.py",
        "a/tests/b.py",
        "a/c.csv",
        "a/x.sha256",
        "analysis/runs/r/run.json",
        "top.md",
    ]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(1000 * "x")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(size, "listed", lambda: names)
    size.main()
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[1:]]
    assert rows == [["(top)", "1.0", "0.0"], ["a", "1.0", "1.0"], ["all", "2.0", "1.0"]]
