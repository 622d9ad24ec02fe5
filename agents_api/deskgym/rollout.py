"""Run one trial: start an episode, let an agent work in it, grade.

    result = run_trial(TrialSpec("crm/close-won", seed=3, agent="oracle"))
    result.status, result.reward, result.reason

A fault of the infrastructure (browser, server, disk, an agent that breaks) is status "env_error" with reward None:
never 0.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any

from deskgym_apps.kit.errors import ServiceError

from . import catalogue
from .agents import make_agent
from .errors import describe
from .opening import episode_of
from .trial import OutOfSteps, Trial, TrialResult, TrialSpec

if TYPE_CHECKING:
    from deskgym_graders.spec import Task

    from .window import Window


def run_trial(spec: TrialSpec, keep: Callable[[Trial], None] | None = None) -> TrialResult:
    """Start an episode, let the agent work, grade, close. Never raises for a fault of infrastructure or agent.

    `keep` looks at the graded trial before its episode is closed.

    Raises DeskgymError for a spec that names no task, world or agent, and for a task that does not compile.
    """
    agent = make_agent(spec.agent, spec.options)
    task = catalogue.bind(spec.task, catalogue.world(spec.world), spec.seed)
    began = time.perf_counter()
    trial: Trial | None = None
    try:
        with _started(spec, task) as trial:
            _work(agent, trial)
            result = _graded(spec, trial, began)
            if keep is not None:
                keep(trial)
            return result
    except Exception as error:  # everything below the agent may fail; the kind of error is kept
        return _faulty(spec, trial, error, began)


class _started:
    """The trial of a spec as a context manager: its window and its episode are closed at the end."""

    def __init__(self, spec: TrialSpec, task: Task) -> None:
        self.spec = spec
        self.episode = episode_of(spec, task)
        self.window: Window | None = None

    def __enter__(self) -> Trial:
        spec = self.spec
        try:
            if spec.surface == "browser":
                from .browser import Parts
                from .window import Window

                self.window = Window(self.episode, parts=Parts(screenshot=spec.pictures))
            return Trial(
                self.episode,
                spec.surface,
                seed=spec.seed,
                attempt=spec.attempt,
                max_steps=spec.max_steps,
                window=self.window,
            )
        except BaseException as error:
            self._close(error)
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close(error)

    def _close(self, first: BaseException | None) -> None:
        """Close both. What failed `first`, or an interrupt, is told, and not what follows from it."""
        try:
            try:
                if self.window is not None:
                    self.window.close()
            finally:
                self.episode.close()
        except Exception:
            if first is None:
                raise


def _work(agent: Any, trial: Trial) -> None:
    try:
        agent.run(trial)
    except (OutOfSteps, ServiceError):
        return  # the last step says why; what was done so far is graded


def _graded(spec: TrialSpec, trial: Trial, began: float) -> TrialResult:
    verdict = trial.episode.grade(replay=spec.replay)
    return TrialResult(
        **_named(spec),
        status=verdict.status,
        reward=verdict.reward,
        reason=verdict.reason,
        steps=len(trial.trace),
        wall_s=time.perf_counter() - began,
        state_hash=trial.episode.state_hash(),
        feedback=verdict.feedback,
        verdict=verdict.to_json(),
        submission=trial.episode.submission,
        trace=tuple(trial.trace),
        journal=tuple(trial.episode.journal()),
    )


def _faulty(spec: TrialSpec, trial: Trial | None, error: Exception, began: float) -> TrialResult:
    fault = describe(error)
    trace = tuple(trial.trace) if trial is not None else ()
    return TrialResult(
        **_named(spec),
        status="env_error",
        reward=None,
        reason="ENV_ERROR",
        steps=len(trace),
        wall_s=time.perf_counter() - began,
        state_hash=None,
        feedback=fault.message,
        error=fault.as_dict(),
        trace=trace,
    )


def _named(spec: TrialSpec) -> dict[str, Any]:
    return {
        "task": spec.task,
        "seed": spec.seed,
        "agent": spec.agent,
        "surface": spec.surface,
        "attempt": spec.attempt,
    }
