"""Service functions by name: what the journal records, and what both doors call.

A service function takes the context and one typed input and returns a pydantic model or plain JSON data:

    @command("crm")
    def create_account(ctx: Context, values: AccountInput) -> Created: ...

makes the operation `crm.create_account`. `command` writes, `query` only reads.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from .apps import apps
from .errors import FieldError, Invalid, NotFound, nearest

Function = TypeVar("Function", bound=Callable[..., Any])


class Input(BaseModel):
    """Base of every service's input: unknown fields and wrong types are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Nothing(Input):
    """The input of an operation that takes none."""


@dataclass(frozen=True)
class Operation:
    """One service function: `name` is `<app>.<verb>`."""

    name: str
    input: type[Input]
    function: Callable[..., Any]
    writes: bool
    description: str

    def parse(self, arguments: Mapping[str, Any] | Input) -> Input:
        """The typed input. Raises Invalid that names every faulty field."""
        if isinstance(arguments, self.input):
            return arguments
        return parse_input(self.input, dict(arguments))


_operations: dict[str, Operation] = {}


def _without_input(function: Callable[..., Any]) -> Callable[..., Any]:
    """A service function that takes the context alone, callable like the others."""

    @wraps(function)
    def called(ctx: Any, _values: Input) -> Any:
        return function(ctx)

    return called


def _register(app: str, function: Callable[..., Any], writes: bool) -> None:
    hints = typing.get_type_hints(function)
    parameters = list(inspect.signature(function).parameters)
    model = hints[parameters[1]] if len(parameters) > 1 else Nothing
    name = f"{app}.{function.__name__}"
    if name in _operations and _operations[name].function.__module__ != function.__module__:
        raise ValueError(f"operation {name} is defined twice")
    description = inspect.cleandoc(function.__doc__ or "")
    if not description:
        raise ValueError(f"operation {name} has no docstring")
    callable_alike = function if len(parameters) > 1 else _without_input(function)
    _operations[name] = Operation(name, model, callable_alike, writes, description)


def command(app: str) -> Callable[[Function], Function]:
    """Register a service function that writes."""

    def register(function: Function) -> Function:
        _register(app, function, writes=True)
        return function

    return register


def query(app: str) -> Callable[[Function], Function]:
    """Register a service function that only reads."""

    def register(function: Function) -> Function:
        _register(app, function, writes=False)
        return function

    return register


def operation(name: str) -> Operation:
    """The operation of that name. Raises NotFound with the nearest names."""
    if name not in _operations:
        for app in apps().values():
            app.module("service")
    if name not in _operations:
        raise NotFound(f'there is no operation "{name}".{nearest(name, sorted(_operations))}')
    return _operations[name]


def operations() -> Mapping[str, Operation]:
    """Every operation by name, sorted."""
    for app in apps().values():
        app.module("service")
    return dict(sorted(_operations.items()))


def _fault(error: Mapping[str, Any], model: type[BaseModel]) -> FieldError:
    path = [str(part) for part in error["loc"] if not str(part).startswith("function-")]
    field = ".".join(path) or None
    name = path[-1] if path else "the input"
    kind, context = error["type"], error.get("ctx", {})
    if kind == "extra_forbidden":
        known = sorted(model.model_fields)
        message = f'there is no field "{name}".{nearest(name, known)} Fields: {", ".join(known)}'
        return FieldError(field, message, tuple(known))
    if kind == "missing":
        return FieldError(field, f"{name} is required", said="give a value")
    if kind in ("literal_error", "enum"):
        allowed = str(context.get("expected", ""))
        message = f"{name} is {error['input']!r}; it must be {allowed}"
        return FieldError(field, message, said=message.removeprefix(f"{name} is "))
    if kind == "value_error":
        return FieldError(field, str(context["error"]))
    given = error["input"]
    if kind == "string_too_long" or (kind == "too_long" and isinstance(given, str)):
        longest = context["max_length"]
        said = f"use at most {longest} characters; there are {len(given)} now"
        return FieldError(field, f"{name} has more than {longest} characters", said=said)
    shown = repr(given) if given is None or isinstance(given, str | int | float | bool) else type(given).__name__
    rule = f"{error['msg'].lower()}, not {shown[:200]}"
    return FieldError(field, f"{name}: {rule}", said=rule.replace("input should be", "it must be"))


def parse_input(model: type[Input], arguments: dict[str, Any]) -> Input:
    """Validate plain data against an input model. Raises Invalid that names every faulty field."""
    try:
        return model.model_validate(arguments)
    except ValidationError as error:
        inner: dict[str, Any] = (
            {"values": model.model_fields["values"].annotation} if "values" in model.model_fields else {}
        )
        faults = []
        for item in error.errors():
            owner: Any = inner.get(str(item["loc"][0]) if item["loc"] else "", model)
            target = owner if isinstance(owner, type) and issubclass(owner, BaseModel) else model
            faults.append(_fault(item, target))
        raise Invalid(faults) from None
