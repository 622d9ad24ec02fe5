"""Agents: `oracle` knows the way, `llm` asks a language model, the others must not pass.

An agent is a class with `run(trial)`; its constructor takes options by name. `AGENTS` holds them by name.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, Protocol

from deskgym_apps.kit.errors import nearest

from ..errors import DeskgymError
from ..trial import Trial
from .constant import Constant
from .llm import Llm
from .monkey import Monkey
from .noop import Noop
from .oracle import Oracle
from .replay import Replay

__all__ = ["AGENTS", "Agent", "Constant", "Llm", "Monkey", "Noop", "Oracle", "Replay", "make_agent"]


class Agent(Protocol):
    """What a trial needs of an agent."""

    def run(self, trial: Trial) -> None:
        """Work until the work is handed in, given up, or the steps are used up."""


AGENTS: dict[str, type[Agent]] = {
    "constant": Constant,
    "llm": Llm,
    "monkey": Monkey,
    "noop": Noop,
    "oracle": Oracle,
    "replay": Replay,
}


def make_agent(name: str, options: Mapping[str, Any] | None = None) -> Agent:
    """The agent of that name. Raises DeskgymError: not_found for its name, usage for an option it does not take."""
    if name not in AGENTS:
        raise DeskgymError(
            "not_found",
            f'there is no agent "{name}".{nearest(name, sorted(AGENTS))}',
            f"agents: {', '.join(sorted(AGENTS))}",
        )
    given = dict(options or {})
    known = [option for option in inspect.signature(AGENTS[name].__init__).parameters if option != "self"]
    known = [option for option in known if option not in ("args", "kwargs")]
    for option in given:
        if option not in known:
            raise DeskgymError(
                "usage",
                f'the agent {name} has no option "{option}".{nearest(option, known)}',
                f"it takes {', '.join(known) if known else 'none'}",
            )
    missing = [
        option
        for option, parameter in inspect.signature(AGENTS[name].__init__).parameters.items()
        if option in known and parameter.default is parameter.empty and option not in given
    ]
    if missing:
        raise DeskgymError("usage", f"the agent {name} needs {', '.join(missing)}", "give it as an option")
    return AGENTS[name](**given)
