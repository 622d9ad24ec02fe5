"""Workers end with the process that started them, however that ends, and clear up what they were at."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.processes import surroundings

_PARENT = """
import shutil, sys, tempfile, threading
from functools import partial
from deskgym.pool import default_root
from deskgym.workers import worker_processes

def wait_for_nothing(number):
    default_root()
    with tempfile.TemporaryDirectory(prefix="deskgym-at-work-"):
        print(f"at work {number}", flush=True)
        threading.Event().wait()

if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="deskgym-the-parents-") as folder:
        with worker_processes(2, orphaned=partial(shutil.rmtree, folder, ignore_errors=True)) as workers:
            waiting = [workers.submit(wait_for_nothing, number) for number in range(6)]
            waiting[0].result()
"""


@pytest.mark.parametrize("kill", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_a_parent_that_is_killed_and_leave_no_folder(tmp_path: Path, kill: signal.Signals) -> None:
    (tmp_path / "parent.py").write_text(_PARENT, "utf-8")
    (tmp_path / "tmp").mkdir()
    with subprocess.Popen(
        [sys.executable, "parent.py"],
        cwd=tmp_path,
        env=surroundings(TMPDIR=str(tmp_path / "tmp")),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        begun = {process.stdout.readline() for _ in range(2)}
        assert len(list((tmp_path / "tmp").glob("deskgym-at-work-*"))) == 2
        os.kill(process.pid, kill)
        rest = process.stdout.read()  # ends when no process holds the pipe any more
    assert len(begun) == 2
    assert rest == "", "work was begun that nobody waits for"
    assert process.returncode == -kill if kill != signal.SIGINT else process.returncode != 0
    assert list((tmp_path / "tmp").glob("deskgym-*")) == []
