"""The agent that does nothing and says it is done."""

from __future__ import annotations

from deskgym_graders.spec import Submission

from ..trial import Trial


class Noop:
    """Hands in `done`, without an answer. No task may pass it."""

    def run(self, trial: Trial) -> None:
        """Hand in nothing."""
        trial.submit(Submission())
