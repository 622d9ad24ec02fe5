"""Worker processes: started anew, cleared up at their end, interrupted when what they work for breaks off."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.util import Finalize

from . import pool, serving


@contextmanager
def worker_processes(count: int, begin: Callable[[], object] = bool) -> Iterator[ProcessPoolExecutor]:
    """An executor of spawned processes, each of which calls `begin` first and clears up at its end.

    Where the block is left by an exception, an interrupt or the end of a generator included, what waits is dropped
    and the workers are interrupted.
    """
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(count, mp_context=context, initializer=_begin, initargs=(begin,)) as executor:
        try:
            yield executor
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            for child in multiprocessing.active_children():
                if child.pid is not None:
                    os.kill(child.pid, signal.SIGINT)
            raise


def _begin(begin: Callable[[], object]) -> None:
    begin()
    Finalize(None, _release, exitpriority=100)


def _release() -> None:
    """What a worker ends with: browsers, servers, private folders. Workers skip `atexit`."""
    from . import window

    window.close_browser()
    serving.stop_servers()
    pool.release()
