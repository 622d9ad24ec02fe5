"""The agent that does again what a recorded trial did."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from deskgym_apps.kit.errors import ServiceError

from ..errors import DeskgymError, describe
from ..trial import Trial


class Replay:
    """Repeats recorded actions in order, refused ones too. `steps` are actions or whole steps, `path` a JSONL of them.

    Browser actions by reference work again because the pages are the same to the byte.
    """

    def __init__(self, path: str | Path | None = None, steps: Sequence[Mapping[str, Any]] | None = None) -> None:
        if (path is None) == (steps is None):
            raise DeskgymError("usage", "the agent replay needs either path or steps", "give a steps.jsonl as path")
        self.actions = [_action(step) for step in (steps if steps is not None else read_steps(Path(str(path))))]

    def run(self, trial: Trial) -> None:
        """Do every action again."""
        for action in self.actions:
            if "tool" not in action:
                trial.act(action)
                continue
            try:
                trial.call(action["tool"], action["arguments"])
            except ServiceError:
                continue  # it was refused in the recording as well, or the hashes will tell


def _action(step: Mapping[str, Any]) -> Mapping[str, Any]:
    inner = step.get("action", step)
    return inner if isinstance(inner, Mapping) else step


def read_steps(path: Path) -> list[dict[str, Any]]:
    """The steps of a recorded trial. Raises DeskgymError for a file that is none."""
    try:
        return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    except OSError as error:
        raise describe(error) from error
    except ValueError as error:
        raise DeskgymError(
            "usage", f"{path} holds no recorded steps: {error}", "give the steps.jsonl of a trial"
        ) from error
