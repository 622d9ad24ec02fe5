"""The agent that does random things: tool calls that fit their schemas, or clicks and key strokes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from deskgym_apps.kit.errors import ServiceError
from deskgym_graders.spec import Submission
from deskgym_seeds.streams import Stream

from ..trial import Trial
from .invention import Inventor

_ENDS = ("submit_answer", "finish")
_PRESSED = ("link", "button", "tab", "menuitem", "option", "checkbox", "radio", "switch", "columnheader")
_FILLED = ("textbox", "searchbox", "spinbutton")
_TEXTS = ("a", "pump", "2032-05-05", "1200", "Ümlaut 漢字", "x" * 300, "' OR 1=1 --", "<b>bold</b>", "")
_KEYS = ("Enter", "Escape", "Tab", "ArrowDown", "Backspace", "Control+a", "PageDown")


class Monkey:
    """`steps` random actions, by seed, then a random answer. `reads`: whether tools that only read are called too."""

    def __init__(self, steps: int = 40, reads: bool = True) -> None:
        self.steps = steps
        self.reads = reads

    def run(self, trial: Trial) -> None:
        """Do random things, then hand in something."""
        stream = trial.stream("monkey")
        if trial.surface == "browser":
            self._press(trial, stream)
        else:
            self._call(trial, stream)
        if not trial.done:
            trial.submit(self._submission(trial, stream))

    def _count(self, trial: Trial) -> int:
        return min(self.steps, trial.steps_left - 1)

    def _call(self, trial: Trial, stream: Stream) -> None:
        inventor = Inventor(trial.episode.store, stream)
        tools = [
            tool for name, tool in trial.episode.tools().items() if name not in _ENDS and (tool.writes or self.reads)
        ]
        for _ in range(self._count(trial)):
            tool = stream.choice(tools)
            try:
                trial.call(tool.name, inventor.arguments(tool))
            except ServiceError:
                continue  # a refusal is the usual answer to a monkey

    def _press(self, trial: Trial, stream: Stream) -> None:
        assert trial.window is not None
        trial.observe()
        for _ in range(self._count(trial)):
            trial.act(_random_action(trial.window.nodes(), stream))

    def _submission(self, trial: Trial, stream: Stream) -> Submission:
        schema = trial.answer_schema
        if schema is None:
            return Submission()
        return Submission(answer=Inventor(trial.episode.store, stream).value(schema, schema))


def _random_action(nodes: Sequence[Any], stream: Stream) -> dict[str, Any]:
    pressed = [node for node in nodes if node.role in _PRESSED and not re.search("submit", node.name, re.I)]
    filled = [node for node in nodes if node.role in _FILLED]
    chosen = [node for node in nodes if node.role == "combobox"]
    kind = stream.uniform_int(1, 20)
    if kind == 1:
        return {"action": stream.choice(("back", "reload", "new_tab"))}
    if kind == 2:
        return {"action": "key", "text": stream.choice(_KEYS)}
    if kind == 3:
        return {"action": "click", "coordinate": [stream.uniform_int(0, 1279), stream.uniform_int(0, 719)]}
    if kind <= 8 and filled:
        return {"action": "fill", "ref": stream.choice(filled).ref, "text": stream.choice(_TEXTS)}
    if kind <= 10 and chosen:
        return {"action": "click", "ref": stream.choice(chosen).ref}
    if pressed:
        return {"action": "click", "ref": stream.choice(pressed).ref}
    return {"action": "navigate", "url": "/"}
