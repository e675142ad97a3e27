"""Two real processes: what one holds, the other waits for, and gets when the first is killed."""

import subprocess
import sys

import pytest
from filelock import Timeout

from tgrag.models import start_lock
from tgrag.models.start_lock import one_start_at_a_time

HOLDS = """
import sys, time
from pathlib import Path
from tgrag.models.start_lock import one_start_at_a_time
with one_start_at_a_time(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path):
    with subprocess.Popen([sys.executable, "-c", HOLDS, str(tmp_path)], stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"held\n"
        yield process
        process.kill()


def test_a_start_waits_for_another_one_and_gets_the_lock_of_a_killed_one(tmp_path, holder, monkeypatch):
    monkeypatch.setattr(start_lock, "WAIT_SECONDS", 0.2)
    with pytest.raises(Timeout), one_start_at_a_time(tmp_path):
        pass
    holder.kill()
    holder.wait()
    monkeypatch.setattr(start_lock, "WAIT_SECONDS", 10.0)
    with one_start_at_a_time(tmp_path):
        pass


def test_engines_on_other_gpus_do_not_wait(tmp_path, holder, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3")
    monkeypatch.setattr(start_lock, "WAIT_SECONDS", 0.2)
    with one_start_at_a_time(tmp_path):
        pass
