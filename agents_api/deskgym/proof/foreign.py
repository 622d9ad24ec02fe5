"""A process with other settings, in which oracles run again (A10): another hash seed, zone, language and year.

One for all shipped tasks that a process audits, since starting it takes longest; one besides for each other module of
tasks, so that what such a module does as it is imported reaches no task but its own.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import Any

FOREIGN = {"PYTHONHASHSEED": "4711", "TZ": "Pacific/Chatham", "LANG": "tr_TR.UTF-8", "LC_ALL": "C"}
SHIPPED = "deskgym_graders.tasks"
PATIENCE_S = 300
_kept: dict[str, Foreigner] = {}

# The clock is put forward before anything of ours is imported. The first runs are made alone, the others at once. What
# a task prints is dropped. The end of stdin ends it.
_PROGRAM = """
import datetime, json, os, sys, time
shift = datetime.timedelta(days=400)
seconds, nanoseconds, moment, day = time.time, time.time_ns, datetime.datetime, datetime.date
time.time = lambda: seconds() + shift.total_seconds()
time.time_ns = lambda: nanoseconds() + int(shift.total_seconds()) * 10**9
class Later(moment):
    now = classmethod(lambda cls, tz=None: moment.now(tz) + shift)
    utcnow = classmethod(lambda cls: moment.now(datetime.timezone.utc).replace(tzinfo=None) + shift)
    today = classmethod(lambda cls: moment.today() + shift)
class LaterDay(day):
    today = classmethod(lambda cls: day.today() + shift)
datetime.datetime, datetime.date = Later, LaterDay
import importlib, traceback
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice
from pathlib import Path
told, sys.stdout = sys.stdout, sys.stderr
def found(module, template, seeds, at_once, name, digest, store, reference):
    importlib.import_module(module)
    from deskgym.proof.again import fingerprint
    from deskgym.proof.case import PlacedWorld
    world = PlacedWorld(name, digest, Path(store), Path(reference) if reference else None)
    made = lambda seed: (seed, fingerprint(template, seed, world))
    alone = [made(seed) for seed in seeds]
    with ThreadPoolExecutor(at_once) as pool:
        return alone + list(pool.map(made, islice(cycle(seeds), max(at_once, len(seeds)))))
for line in sys.stdin:
    try:
        answer = [found(*json.loads(line)), None]
    except Exception:
        answer = [None, traceback.format_exc()]
    print(json.dumps(answer), file=told, flush=True)
"""


class Foreigner:
    """Such a process. `ask` it one thing at a time; `close()` ends it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM],
            env=os.environ | FOREIGN | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip

    def ask(self, given: Sequence[Any]) -> Sequence[tuple[int, Any]] | str:
        """(seed, fingerprint) of each run; or what it said as it broke, or as it took too long."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        late = threading.Timer(PATIENCE_S, self._process.kill)
        late.start()
        try:
            self._process.stdin.write(json.dumps(given) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        except BaseException:
            self._process.kill()  # else the next one who asks would be given this answer
            raise
        finally:
            late.cancel()
        if not line:
            return f"it ended with {self._process.wait()}"
        found, broken = json.loads(line)
        return str(broken) if broken is not None else [(seed, one) for seed, one in found]

    @property
    def alive(self) -> bool:
        """Whether it can be asked."""
        return self._process.poll() is None

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.communicate()


def foreigner_of(module: str) -> Foreigner:
    """The process for the tasks of a module, started on first use and where the last one ended."""
    key = SHIPPED if f"{module}.".startswith(f"{SHIPPED}.") else module
    if key in _kept and not _kept[key].alive:
        _kept.pop(key).close()
    if key not in _kept:
        _kept[key] = Foreigner()
    return _kept[key]


@atexit.register
def close_foreigners() -> None:
    """End every such process."""
    while _kept:
        _kept.popitem()[1].close()
