"""Tools that do one of several things: which operation a word means, and which arguments go with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import BaseModel

from ..kit.errors import FieldError, Invalid, nearest
from ..kit.store import Store
from ..kit.tools import Planned

# word -> operation and its input
Actions = Mapping[str, tuple[str, type[BaseModel]]]
Plan = Callable[[Store, str, Mapping[str, Any]], Planned]


def names_of(model: type[BaseModel]) -> dict[str, bool]:
    """The arguments of an input under the names that tools use, and whether they are needed."""
    return {field.alias or name: field.is_required() for name, field in model.model_fields.items()}


def fitting(word: str, arguments: Mapping[str, Any], needed: set[str], known: set[str]) -> dict[str, Any]:
    """The arguments. Raises Invalid with a fault for each that is missing or does not go with the word."""
    faults = [FieldError(name, f"{word} needs {name}") for name in sorted(needed) if name not in arguments]
    faults += [
        FieldError(name, f"{word} takes no {name}; it takes {', '.join(sorted(known)) or 'nothing more'}")
        for name in arguments
        if name not in known
    ]
    if faults:
        raise Invalid(faults)
    return dict(arguments)


def word_of(argument: str, actions: Mapping[str, Any], arguments: Mapping[str, Any], default: str | None = None) -> str:
    """The word that was given. Raises Invalid for another one."""
    word = arguments.get(argument, default)
    if word not in tuple(actions):  # which any value can be compared with
        said = f'{argument} is "{word}"; it must be one of {", ".join(actions)}.{nearest(str(word), list(actions))}'
        raise Invalid(said, field=argument, allowed=tuple(actions))
    return str(word)


def by_word(argument: str, actions: Actions) -> Plan:
    """A tool whose `argument` says which operation; the others are that one's own."""

    def plan(_store: Store, _person_id: str, arguments: Mapping[str, Any]) -> Planned:
        word = word_of(argument, actions, arguments)
        operation, model = actions[word]
        rest = {name: value for name, value in arguments.items() if name != argument}
        names = names_of(model)
        return operation, fitting(word, rest, {name for name, needed in names.items() if needed}, set(names))

    return plan


def straight(operation: str) -> Plan:
    """A tool whose arguments are the operation's."""

    def plan(_store: Store, _person_id: str, arguments: Mapping[str, Any]) -> Planned:
        return operation, arguments

    return plan


def object_of(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """What `values` holds. Raises Invalid where that is no object."""
    values = arguments.get("values")
    if not isinstance(values, dict):
        raise Invalid(f"values is an object, field by field, not {type(values).__name__}", field="values")
    return values
