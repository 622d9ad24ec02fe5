"""An agent that closes a deal by clicks and key strokes alone: the subject of the demonstration's film.

It is written as any agent of a user's would be, against `Trial`: it reads the instruction and the page, and acts. It
understands one sort of instruction only, that of crm/close-won.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..errors import DeskgymError
from ..trial import Trial

_DEAL = re.compile(r'the opportunity "(?P<name>[^"]+)" as Closed Won')


class ByHand:
    """Finds the deal by searching for it, marks it as Closed Won, hands in."""

    def run(self, trial: Trial) -> None:
        """Do the work in the browser. Raises DeskgymError (usage) for another surface or instruction."""
        found = _DEAL.search(trial.instruction)
        if trial.window is None or found is None:
            raise DeskgymError("usage", "this agent closes deals in the browser and does nothing else")
        for action in _actions(trial, found["name"]):
            seen = trial.act(action)
            if seen.error is not None:
                raise RuntimeError(f"{action}: {seen.error}")


def _actions(trial: Trial, deal: str) -> Iterator[dict[str, Any]]:
    yield {"action": "navigate", "url": "/desk"}
    yield {"action": "click", "ref": _ref(trial, "link", "Northbeam")}
    yield {"action": "fill", "ref": _ref(trial, "searchbox", "Search"), "text": deal}
    yield {"action": "key", "text": "Enter"}
    yield {"action": "click", "ref": _ref(trial, "link", f"{deal}, ")}
    yield {"action": "click", "ref": _ref(trial, "radio", "Closed Won")}
    yield {"action": "click", "ref": _ref(trial, "button", "Mark as current stage")}
    yield {"action": "click", "ref": _ref(trial, "button", "Save")}
    yield {"action": "submit", "status": "done"}


def _ref(trial: Trial, role: str, name: str) -> str:
    """The first element of a role whose name begins so. Raises LookupError where the page shows none."""
    assert trial.window is not None
    for node in trial.window.nodes():
        if node.role == role and node.name.startswith(name):
            return node.ref
    raise LookupError(f"the page shows no {role} named {name}")
