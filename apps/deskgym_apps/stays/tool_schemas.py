"""Schemas of inputs as tools publish them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from ..kit.tools import published_schema


def schema_of(model: type[BaseModel], **described: str) -> dict[str, Any]:
    """The published schema of a service's input, without references; `described` adds or replaces descriptions."""
    schema: dict[str, Any] = published_schema(model.model_json_schema(by_alias=True))
    named = schema.pop("$defs", {})
    found: dict[str, Any] = _spelt_out(schema, named)
    for name, text in described.items():
        found["properties"][name] |= {"description": text}
    return found


def closed(properties: Mapping[str, Any], *required: str) -> dict[str, Any]:
    """An object that takes these properties alone."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def optional(*models: type[BaseModel]) -> dict[str, Any]:
    """The properties of several inputs together, the first one's where two have one name."""
    found: dict[str, Any] = {}
    for model in models:
        found = schema_of(model)["properties"] | found
    return found


def _spelt_out(schema: Any, named: Mapping[str, Any]) -> Any:
    """A schema without references, so that it can stand inside another one's; none of ours refers to itself."""
    if isinstance(schema, dict):
        if "$ref" in schema:
            rest = {key: value for key, value in schema.items() if key != "$ref"}
            return _spelt_out(named[str(schema["$ref"]).rpartition("/")[2]], named) | rest
        return {key: _spelt_out(value, named) for key, value in schema.items()}
    return [_spelt_out(item, named) for item in schema] if isinstance(schema, list) else schema
