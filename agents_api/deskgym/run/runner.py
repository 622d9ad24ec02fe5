"""Trials in worker processes: each writes its own folder, the parent notes the rows as they end."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import as_completed
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from ..errors import describe
from ..rollout import run_trial
from ..trial import Trial, TrialResult, TrialSpec
from ..workers import worker_processes
from .enlist import enlist
from .record import RunFolder

Row = dict[str, Any]


def do_trial(path: Path, spec: TrialSpec) -> Row:
    """Run a trial and write its folder; returns its row. A trial that cannot be written is an env_error too."""
    folder = RunFolder(path)

    def keep(trial: Trial) -> None:
        folder.write_state(spec, trial)

    enlist(spec.agent)
    result = run_trial(spec, keep)
    return folder.write_trial(spec, result)


def failed_row(path: Path, spec: TrialSpec, error: BaseException) -> Row:
    """The row of a trial that never began or broke: a task that does not compile, a worker that died, a full disk."""
    fault = describe(error)
    status = "spec_error" if fault.kind == "invalid_task" else "env_error"
    result = TrialResult(
        task=spec.task,
        seed=spec.seed,
        agent=spec.agent,
        surface=spec.surface,
        attempt=spec.attempt,
        status=status,
        reward=None,
        reason=status.upper(),
        steps=0,
        wall_s=0.0,
        state_hash=None,
        feedback=fault.message,
        error=fault.as_dict(),
    )
    return result.as_row() | {"trial_dir": str(RunFolder(path).trial_folder(spec).relative_to(path))}


def default_workers(trials: int) -> int:
    """One a processor, and never more than trials."""
    return max(
        1, min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1, trials)
    )


def run_all(folder: RunFolder, specs: Sequence[TrialSpec], workers: int) -> Iterator[Row]:
    """Run the trials; yields each row as its trial ends, noted in the folder already. One worker: in this process."""
    rows = _one_by_one(folder.path, specs) if workers <= 1 else _spread(folder.path, specs, workers)
    for row in rows:
        folder.append(row)
        yield row


def _guarded(path: Path, spec: TrialSpec, work: Callable[[], Row]) -> Row:
    try:
        return work()
    except Exception as error:
        return failed_row(path, spec, error)


@contextmanager
def _interrupts() -> Iterator[list[int]]:
    """Notes interrupts, also one that is lost: the browser gets it too, and closing it then fails in another way."""
    before, came = signal.getsignal(signal.SIGINT), list[int]()
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield came
        return

    def note(number: int, frame: FrameType | None) -> None:
        came.append(number)
        before(number, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield came
    finally:
        signal.signal(signal.SIGINT, before)


def _one_by_one(path: Path, specs: Sequence[TrialSpec]) -> Iterator[Row]:
    for spec in specs:
        with _interrupts() as came:
            row = _guarded(path, spec, lambda spec=spec: do_trial(path, spec))  # type: ignore[misc]
        if came:
            raise KeyboardInterrupt
        yield row


def _spread(path: Path, specs: Sequence[TrialSpec], workers: int) -> Iterator[Row]:
    with worker_processes(workers) as executor:
        futures = {executor.submit(do_trial, path, spec): spec for spec in specs}
        for future in as_completed(futures):
            yield _guarded(path, futures[future], future.result)
