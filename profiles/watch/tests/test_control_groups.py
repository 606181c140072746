"""Limits on CPU time by control groups: the kernel's own where this user may make one."""

import subprocess
import sys
import time

import psutil
import pytest

from profiles.watch import control_groups
from profiles.watch.control_groups import PREFIX, entering, limited_group

BURNS = """
import time
from profiles.watch import limits
begun_s = time.time()
# Where others take the CPU, the group uses its share later.
while (lasted_s := time.time() - begun_s) < 1 or not limits.throttled() and lasted_s < 30: pass
print(time.process_time(), lasted_s, limits.throttled())
"""


def test_process_in_a_limited_group_uses_no_more_cpu_time(group):
    done = subprocess.run(
        [*entering(group), sys.executable, "-c", BURNS], capture_output=True, text=True, check=True
    )
    used_s, lasted_s, stops = map(float, done.stdout.split())
    # Without the limit it uses all of a CPU that is idle. A period may begin with what is left.
    assert 0 < used_s < 0.2 * lasted_s + 0.15
    assert stops > 0


def test_group_that_a_killed_run_left_is_removed_and_one_in_use_is_not(group):
    gone = subprocess.Popen(["true"])
    gone.wait()
    left, beside = group.with_name(f"{PREFIX}{gone.pid}-1"), limited_group(1)
    left.mkdir()
    used = subprocess.Popen([*entering(group), "sleep", "60"])
    try:
        deadline_s = time.monotonic() + 10
        while psutil.Process(used.pid).name() != "sleep" and time.monotonic() < deadline_s:
            time.sleep(0.01)
        other = limited_group(1)
        other.rmdir()
        assert other != group
        assert group.exists()
        # A server of the same run that is about to start in it.
        beside.rmdir()
        assert not left.exists()
    finally:
        used.kill()
        used.wait()


@pytest.mark.parametrize("file", [None, "cpu.cfs_quota_us", "cpu.max"])
def test_limit_is_written_for_each_version_and_never_into_a_folder_that_is_none(tmp_path, file):
    if file is None:
        with pytest.raises(OSError, match="hands no limit on CPU time down"):
            control_groups.limit(tmp_path, 50_000)
        assert not [*tmp_path.iterdir()]
        return
    (tmp_path / file).touch()
    control_groups.limit(tmp_path, 50_000)
    assert (tmp_path / file).read_text() == {"cpu.max": "50000 100000"}.get(file, "50000")
