"""A language model at the pages of a browser trial: one JSON action a turn, by accessibility tree or by pixels."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any, Literal

from ..browser import Observation, Parts
from ..browser.actions import action_schema
from ..trial import Trial
from .chat import Chat, Message, cut, opening

_RULES = (
    "You do office work in a company's applications through a browser. Do what the instruction says, and nothing else: "
    "every other change counts against you. Reply with one action: a JSON object and no other object. When the work "
    "is done, send the action submit; if it cannot be done, submit with status infeasible."
)
_BY_MODE = {
    "tree": "Aim at elements by their ref, such as e12, in the latest accessibility tree.",
    "pixels": "Aim at points by coordinate, [x, y] in pixels of the latest screenshot; you see no refs.",
}


class Pages:
    """The conversation of a browser trial."""

    def __init__(self, chat: Chat, trial: Trial, mode: Literal["tree", "pixels"], pages: int, characters: int) -> None:
        self.chat, self.trial, self.mode = chat, trial, mode
        self.pages, self.characters = pages, characters
        assert trial.window is not None
        self.window = trial.window
        schema = json.dumps(action_schema(), ensure_ascii=False, separators=(",", ":"))
        rules = f"{_RULES} {_BY_MODE[mode]}\n\nThe JSON Schema of an action:\n{schema}"
        self.opening = opening(rules, trial)
        self.turns: list[tuple[Message, Message]] = []

    def run(self) -> None:
        """One action a turn, until the work is handed in."""
        seen = self._observed()
        while not self.trial.done:
            shown = self._shown(seen)
            said = self.chat.reply([*self.opening, *self._earlier(), shown])
            text = _text(said)
            self.turns.append((shown, {"role": "assistant", "content": text}))
            action = read_action(text)
            if action is None:
                fault = 'reply with one JSON object that has a verb under "action"'
                self.trial.note_refusal(text[:2000], fault)
                seen = self._observed(fault)
            else:
                self.trial.act(action)
                seen = self._observed()

    def _observed(self, error: str | None = None) -> tuple[Observation, str | None]:
        last = self.window.last
        before = None if last is None else last.error
        seen = self.window.observe(Parts(screenshot=self.mode == "pixels"))
        return seen, error or before

    def _shown(self, observed: tuple[Observation, str | None]) -> Message:
        seen, error = observed
        lines = [f"Address: {seen.url}", f"Title: {seen.title}"]
        lines += [f"Tab {tab.tab}{' (active)' if tab.active else ''}: {tab.title}" for tab in seen.tabs]
        lines += [f"Your last action failed: {error}"] if error else []
        lines += [f"Note: {notice}" for notice in seen.notices]
        lines.append(f"Steps left: {self.trial.steps_left}")
        if self.mode == "tree":
            return {"role": "user", "content": "\n".join([*lines, cut(seen.aria, self.characters)])}
        picture = base64.b64encode(seen.screenshot or b"").decode()
        return {
            "role": "user",
            "content": [
                {"type": "text", "text": "\n".join(lines)},
                {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{picture}"}},
            ],
        }

    def _earlier(self) -> list[Message]:
        """The turns so far; only the latest pages are there in full."""
        full = len(self.turns) - max(0, self.pages - 1)
        messages: list[Message] = []
        for at, (shown, said) in enumerate(self.turns):
            messages += [shown if at >= full else {"role": "user", "content": "(an earlier page)"}, said]
        return messages


def _text(said: Message) -> str:
    content = said.get("content")
    if isinstance(content, list):
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    return str(content or "")


def read_action(text: str) -> dict[str, Any] | None:
    """The last JSON object with an `action` in a model's reply, whatever stands around it."""
    decoder, found, at = json.JSONDecoder(), None, text.find("{")
    while at != -1:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            if isinstance(value, dict) and "action" in value:
                found = value
        at = text.find("{", end)
    return found
