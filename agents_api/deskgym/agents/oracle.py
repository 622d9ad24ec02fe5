"""The agent that knows the task's own solution: tool calls over MCP, the same done by hand in the browser."""

from __future__ import annotations

from deskgym_graders.spec import Task, Variant

from ..errors import DeskgymError
from ..trial import Trial


class Oracle:
    """Carries the task's calls out and hands in its submission; `variant` names another of the task's ways."""

    def __init__(self, variant: str | None = None) -> None:
        self.variant = variant

    def run(self, trial: Trial) -> None:
        """Solve the task."""
        task = trial.task
        calls, submission = task.oracle, task.submission
        if self.variant is not None:
            other = variant_named(task, self.variant)
            calls, submission = other.calls, other.submission or task.submission
        trial.perform(calls)
        trial.submit(submission)


def variant_named(task: Task, name: str) -> Variant:
    """The variant of that name. Raises DeskgymError."""
    for variant in task.variants:
        if variant.name == name:
            return variant
    known = ", ".join(variant.name for variant in task.variants) or "none"
    raise DeskgymError("not_found", f'{task.id} has no variant "{name}"', f"it has: {known}")
