"""Tools: service functions, or groups of them, as shown over MCP and called by the oracle.

An app's `tools.py` defines `TOOLS: tuple[Tool, ...]`. One tool call is one command or one query: `plan` turns the
tool's arguments into the one operation and its arguments, which is what the journal records.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from .apps import apps
from .call import Channel, read, run
from .errors import FieldError, Invalid, NotFound, nearest
from .operations import operation
from .store import Store

Planned = tuple[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Tool:
    """One MCP tool. `schema` is the JSON Schema of its arguments.

    `plan(store, person_id, arguments)` names the operation and its arguments. Only the desk's tools, which are no
    commands, give `perform(store, person_id, arguments, channel)` instead.
    `destructive` and `idempotent` are the hints of the protocol for tools that write.
    """

    name: str
    title: str
    description: str
    schema: Mapping[str, Any]
    writes: bool
    plan: Callable[[Store, str, Mapping[str, Any]], Planned] | None = None
    perform: Callable[[Store, str, Mapping[str, Any], Channel], Any] | None = None
    destructive: bool = False
    idempotent: bool = False


@cache
def tools(app_names: tuple[str, ...]) -> Mapping[str, Tool]:
    """The tools of those apps by name, sorted; the desk's are always among them."""
    found: dict[str, Tool] = {}
    for name in sorted({"desk", *app_names}):
        for tool in apps()[name].module("tools").TOOLS:
            found[tool.name] = tool
    return dict(sorted(found.items()))


def published_schema(schema: Any) -> Any:
    """A JSON Schema without the form hints (`x-…`) that only pages use."""
    if isinstance(schema, dict):
        return {key: published_schema(value) for key, value in schema.items() if not str(key).startswith("x-")}
    if isinstance(schema, list):
        return [published_schema(item) for item in schema]
    return schema


def _check_text(arguments: Any) -> None:
    """Refuse half a character: JSON can write one, but no store and no answer holds it. Raises Invalid."""
    try:
        json.dumps(arguments, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        raise Invalid("the arguments hold a lone surrogate; send valid Unicode") from None


def _check_arguments(tool: Tool, arguments: Any) -> dict[str, Any]:
    if not isinstance(arguments, dict):
        raise Invalid(f"the arguments of {tool.name} are an object, not {type(arguments).__name__}")
    _check_text(arguments)
    known = set(tool.schema.get("properties", {})) | ({"idempotency_key"} if tool.writes else set())
    faults = [
        FieldError(name, f'{tool.name} has no argument "{name}".{nearest(name, sorted(known))}', tuple(sorted(known)))
        for name in arguments
        if name not in known
    ]
    faults += [
        FieldError(name, f"{tool.name} needs the argument {name}")
        for name in tool.schema.get("required", ())
        if name not in arguments
    ]
    if faults:
        raise Invalid(faults)
    return dict(arguments)


def call_tool(
    store: Store,
    name: str,
    arguments: Any,
    *,
    person_id: str,
    app_names: tuple[str, ...],
    channel: Channel = "mcp",
) -> Any:
    """Call one tool and return its result as JSON data. Raises ServiceError, NotFound for an unknown tool included."""
    table = tools(app_names)
    if name not in table:
        raise NotFound(f'there is no tool "{name}".{nearest(name, list(table))}', allowed=list(table))
    tool = table[name]
    given = _check_arguments(tool, arguments)
    key = given.pop("idempotency_key", None)
    if key is not None and not (isinstance(key, str) and 1 <= len(key) <= 200 and key.isprintable()):
        raise Invalid("idempotency_key is text of 1 to 200 characters, all of them printable", field="idempotency_key")
    if tool.perform is not None:
        return tool.perform(store, person_id, given, channel)
    if tool.plan is None:
        raise ValueError(f"tool {name} has neither plan nor perform")
    target, values = tool.plan(store, person_id, given)
    if operation(target).writes:
        return run(store, target, values, person_id=person_id, channel=channel, token=key)
    return read(store, target, values, person_id=person_id)
