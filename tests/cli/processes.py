"""The command line as processes of their own: other surroundings, signals, folders that may not be written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

DESKGYM = (sys.executable, "-m", "deskgym")

# File modes do not bind root; without its capabilities they do. Anybody else has none to give up.
_LOCKED = """
import ctypes, runpy, sys

class Header(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]

class Data(ctypes.Structure):
    _fields_ = [("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32)]

header, data = Header(0x20080522, 0), (Data * 2)()
assert ctypes.CDLL(None).capset(ctypes.byref(header), ctypes.byref(data)) == 0
sys.argv = ["deskgym", *sys.argv[1:]]
runpy.run_module("deskgym", run_name="__main__")
"""
LOCKED = (sys.executable, "-c", _LOCKED)


def surroundings(**env: str) -> dict[str, str]:
    """The environment of a process that imports what the tests import."""
    return os.environ | {"PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)} | env


def started(words: Sequence[str], cwd: Path, program: Sequence[str] = DESKGYM, **env: str) -> subprocess.Popen[str]:
    """`deskgym WORDS` in a folder, with its output to read, and in a process group of its own as under a shell."""
    return subprocess.Popen(
        [*program, *words],
        cwd=cwd,
        env=surroundings(**env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )


def finished(
    words: Sequence[str], cwd: Path, program: Sequence[str] = DESKGYM, **env: str
) -> subprocess.CompletedProcess[str]:
    """The same, waited for."""
    with started(words, cwd, program, **env) as process:
        stdout, stderr = process.communicate(timeout=120)
    return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)


def trials(stdout: str) -> dict[str, Mapping[str, Any]]:
    """The `trial` events of a run's JSON lines, by the trial's folder."""
    events = [json.loads(line) for line in stdout.splitlines()]
    return {event["trial_dir"]: event for event in events if event["event"] == "trial"}
