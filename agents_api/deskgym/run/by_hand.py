"""An agent that closes a deal by clicks and key strokes alone: the subject of the demonstration's film.

It is written as any agent of a user's would be, against `Trial`: it reads the instruction and the page, and acts. It
understands one sort of instruction only, that of crm/close-won.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from ..errors import DeskgymError
from ..trial import Trial

_PATIENCE = 5  # looks, a second apart
_DEAL = re.compile(r'the opportunity "(?P<name>[^"]+)" as Closed Won.* next step to "(?P<step>[^"]+)"')


class ByHand:
    """Finds the deal by searching for it, marks it as Closed Won, sets its next step, hands in."""

    def run(self, trial: Trial) -> None:
        """Do the work in the browser. Raises DeskgymError (usage) for another surface or instruction."""
        found = _DEAL.search(trial.instruction)
        if trial.window is None or found is None:
            raise DeskgymError("usage", "this agent closes deals in the browser and does nothing else")
        for aim in _work(found["name"], found["step"]):
            _do(trial, aim)


@dataclass(frozen=True)
class _Aim:
    """An action, and what it is aimed at: role, and how the name begins."""

    action: dict[str, Any]
    role: str | None = None
    name: str = ""


def _work(deal: str, step: str) -> tuple[_Aim, ...]:
    return (
        _Aim({"action": "navigate", "url": "/desk"}),
        _Aim({"action": "click"}, "link", "Northbeam"),
        _Aim({"action": "fill", "text": deal}, "searchbox", "Search"),
        _Aim({"action": "key", "text": "Enter"}),
        _Aim({"action": "click"}, "link", f"{deal}, "),
        _Aim({"action": "click"}, "radio", "Closed Won"),
        _Aim({"action": "click"}, "button", "Mark as current stage"),
        _Aim({"action": "click"}, "button", "Save"),
        _Aim({"action": "click"}, "link", "Edit"),
        _Aim({"action": "fill", "text": step}, "textbox", "Next step"),
        _Aim({"action": "click"}, "button", "Save"),
        _Aim({"action": "submit", "status": "done"}),
    )


def _do(trial: Trial, aim: _Aim) -> None:
    """Act on the target. Raises RuntimeError where the page refuses it, LookupError where the target never comes."""
    action = aim.action
    if aim.role is not None:
        for _ in range(_PATIENCE):
            ref = _ref(trial, aim.role, aim.name)
            if ref is not None:
                break
            trial.act({"action": "wait", "seconds": 1})
        else:
            raise LookupError(f"the page shows no {aim.role} named {aim.name}")
        action = action | {"ref": ref}
    seen = trial.act(action)
    if seen.error is not None:
        raise RuntimeError(f"{action}: {seen.error}")


def _ref(trial: Trial, role: str, name: str) -> str | None:
    assert trial.window is not None
    nodes = trial.window.nodes()
    return next((node.ref for node in nodes if node.role == role and node.name.startswith(name)), None)
