"""A recording that cannot be read costs its cell the profile, and nothing else."""

import json

from profiles.convert import __main__ as converting

NAMES = ("profile.collapsed", "flamegraph.html", "allocation.collapsed", "allocation.html")


def cell(folder):
    """A completed cell with a CPU profile."""
    folder.mkdir()
    profile = {"file": "profile.jfr", "engine": "itimer", "start_epoch_s": 1, "end_epoch_s": 2}
    record = {"cell": {"mode": folder.name}, "outcome": "completed", "profile": profile}
    record["configuration"] = {"profile": ["cpu"]}
    (folder / "cell.json").write_text(json.dumps(record))
    return folder


def test_the_other_cells_are_converted(tmp_path, monkeypatch):
    program = tmp_path / "jfrconv"
    # It fails as the real one does on what is no recording, and else names its output.
    program.write_text('#!/bin/bash\n[[ "$*" != *broken* ]] && echo "a;b 3" >"${@: -1}"\n')
    program.chmod(0o755)
    monkeypatch.setattr(converting, "JFRCONV", program)
    broken, whole = (cell(tmp_path / name) for name in ("broken", "whole"))
    for folder in (broken, whole):
        converting.convert_or_say_why(folder)
    assert [(broken / name).read_text() for name in NAMES] == ["", "", "", ""]
    assert "cannot be read" in (broken / converting.FAULT).read_text()
    assert (whole / "profile.collapsed").read_text() == "a;b 3\n"
    assert not (whole / converting.FAULT).exists()
