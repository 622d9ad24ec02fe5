"""Worker processes: started anew, cleared up at their end, interrupted when what they work for breaks off or is gone.

A worker watches the process that started it. Where that one was killed, and can interrupt nobody any more, the worker
breaks off what it does, clears up and ends by itself.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing.connection import wait
from multiprocessing.process import parent_process
from multiprocessing.util import Finalize
from typing import ParamSpec, TypeVar

from . import pool, serving

GRACE_S = 5.0  # for what a worker does to come to an end once it was interrupted
Given = ParamSpec("Given")
Result = TypeVar("Result")


class Workers(ProcessPoolExecutor):
    """An executor of processes that end with the one that started them."""

    def submit(self, work: Callable[Given, Result], /, *args: Given.args, **kwargs: Given.kwargs) -> Future[Result]:
        """Have a worker call `work`, which pickles as its arguments and result do."""
        return super().submit(partial(_watched, work, *args, **kwargs))


@contextmanager
def worker_processes(
    count: int, begin: Callable[[], object] = bool, orphaned: Callable[[], object] = bool
) -> Iterator[Workers]:
    """An executor of spawned processes, each of which calls `begin` first and clears up at its end.

    `orphaned` is called by a worker whose parent is gone: what the parent would have cleared up is cleared up there.

    Where the block is left by an exception, an interrupt or the end of a generator included, what waits is dropped
    and the workers are interrupted.
    """
    context = multiprocessing.get_context("spawn")
    with Workers(count, mp_context=context, initializer=_begin, initargs=(begin, orphaned)) as executor:
        try:
            yield executor
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            for child in multiprocessing.active_children():
                if child.pid is not None:
                    os.kill(child.pid, signal.SIGINT)
            raise


# --- In a worker ----------------------------------------------------------------------------------------

_idle = threading.Event()
_idle.set()
_ending = threading.Event()


def _begin(begin: Callable[[], object], orphaned: Callable[[], object]) -> None:
    signal.signal(signal.SIGINT, _interrupt)
    begin()
    Finalize(None, _release, exitpriority=100)
    threading.Thread(target=_end_with_the_parent, args=(orphaned,), name="deskgym-parent", daemon=True).start()


def _interrupt(_signal: int, _frame: object) -> None:
    """Break off the work at hand, once; what the executor has handed over besides is not begun."""
    first = not _ending.is_set()
    _ending.set()
    if first and not _idle.is_set():
        raise KeyboardInterrupt


def _watched(work: Callable[Given, Result], /, *args: Given.args, **kwargs: Given.kwargs) -> Result:
    """Do a piece of work, so that it is known when nothing is done."""
    _idle.clear()
    try:
        if _ending.is_set():
            raise KeyboardInterrupt
        return work(*args, **kwargs)
    finally:
        _idle.set()


def _end_with_the_parent(orphaned: Callable[[], object]) -> None:
    """Wait until the parent is gone; then interrupt what is done here, clear up, and end this process."""
    parent = parent_process()
    assert parent is not None
    wait([parent.sentinel])
    try:
        os.kill(os.getpid(), signal.SIGINT)
        _idle.wait(GRACE_S)
        orphaned()
        _release()
    finally:
        os._exit(1)


def _release() -> None:
    """What a worker ends with: browsers, servers, private folders. Workers skip `atexit`."""
    from . import window

    window.close_browser()
    serving.stop_servers()
    pool.release()
