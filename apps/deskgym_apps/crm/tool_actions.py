"""Tools that carry out one of several actions: which operation an action is, and which arguments go with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..kit.errors import FieldError, Invalid, nearest

# action -> operation, arguments it needs, arguments it may take
Actions = Mapping[str, tuple[str, tuple[str, ...], tuple[str, ...]]]


def chosen(actions: Actions, arguments: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The operation of `action`, and the other arguments. Raises Invalid, with a fault for each that does not fit."""
    action = arguments["action"]
    if action not in tuple(actions):  # which any value can be compared with
        message = f'action is "{action}"; it must be one of {", ".join(actions)}.{nearest(str(action), list(actions))}'
        raise Invalid(message, field="action", allowed=tuple(actions))
    operation, needed, optional = actions[action]
    given = {name: value for name, value in arguments.items() if name != "action"}
    faults = [FieldError(name, f"{action} needs {name}") for name in needed if name not in given]
    faults += [FieldError(name, f"{action} takes no {name}") for name in given if name not in (*needed, *optional)]
    if faults:
        raise Invalid(faults)
    return operation, given
