"""Several workers of the agent plane in one container: forks of one process, started anew when they die.

`deskgym serve` has a supervisor of its own; this one is for where only the apps are installed.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import sys
import time
from collections.abc import Callable

from .process import end_with

SOON_S = 5.0
MOST_FAILURES = 5
_ENDING = (signal.SIGTERM, signal.SIGINT)
_log = logging.getLogger("deskgym.workers")


class Forks:
    """`count` forks of this process that each run `serve`, until SIGTERM. Start no thread before `run`."""

    def __init__(self, count: int, serve: Callable[[], None]) -> None:
        self._count = count
        self._serve = serve
        self._started: dict[int, float] = {}
        self._lifeline = os.pipe()
        self._failures = 0

    def run(self) -> int:
        """Keep them running; returns the exit code: 0 after SIGTERM, 1 where they end as soon as they start."""
        code = 0
        try:
            for _ in range(self._count):
                self._start()
            while self._failures < MOST_FAILURES:
                self._replace(*os.wait())
            _log.error("workers end as soon as they start")
            code = 1
        except SystemExit:
            _log.info("draining")
        self._end()
        return code

    def _start(self) -> None:
        # A signal between the fork and its note would leave a worker that nobody waits for.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
        pid = os.fork()
        if pid == 0:
            self._be_a_worker(before)
        self._started[pid] = time.monotonic()
        _log.info("worker %d started", pid)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _be_a_worker(self, mask: set[int | signal.Signals]) -> None:
        code = 1
        try:
            reader, writer = self._lifeline
            os.close(writer)  # else the lifeline would not end with the process that forked
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            end_with(reader)
            self._serve()
            code = 0
        except SystemExit as ended:
            code = 0 if ended.code in (None, 0) else 1
        except BaseException:
            _log.exception("a worker failed")
        finally:
            sys.stdout.flush()
            os._exit(code)

    def _replace(self, pid: int, status: int) -> None:
        began = self._started.pop(pid, None)
        if began is None:
            return
        _log.warning("worker %d ended: %d", pid, os.waitstatus_to_exitcode(status))
        self._failures = self._failures + 1 if time.monotonic() - began < SOON_S else 0
        if self._failures < MOST_FAILURES:
            self._start()

    def _end(self) -> None:
        for number in _ENDING:
            signal.signal(number, signal.SIG_IGN)
        for pid in self._started:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
        for pid in self._started:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
        for descriptor in self._lifeline:
            os.close(descriptor)
