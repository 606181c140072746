"""make check starts no process."""

import pytest

from profiles.setup import no_process


@pytest.mark.parametrize("event", ["subprocess.Popen", "os.fork", "os.posix_spawn"])
def test_what_starts_a_process_is_skipped(event):
    with pytest.raises(pytest.skip.Exception, match="starts a process"):
        no_process.refuse(event, ())
    no_process.refuse("open", ())
