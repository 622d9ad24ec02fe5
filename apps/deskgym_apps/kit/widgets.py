"""What a form needs of each field of an input model: its widget, label, help, choices (DESIGN §4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from .entry import written_instant
from .operations import Input

TEXTS = ("text", "textarea", "email", "phone", "url")


@dataclass(frozen=True)
class Filler:
    """The person who fills a form in: how they write dates and numbers, and their zone."""

    locale: str
    zone: str


@dataclass(frozen=True)
class Wanted:
    """One field of an input model as a form needs it."""

    name: str
    kind: str
    label: str
    help: str
    required: bool
    nullable: bool
    options: tuple[str, ...]
    whole: bool
    max_length: int | None


def _branches(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [schema, *(schema.get("anyOf") or ())]


def _first(schema: Mapping[str, Any], key: str) -> Any:
    return next((branch[key] for branch in _branches(schema) if key in branch), None)


def _types(schema: Mapping[str, Any]) -> set[str]:
    found: set[str] = set()
    for branch in _branches(schema):
        kind = branch.get("type", ())
        found |= {kind} if isinstance(kind, str) else set(kind)
    return found


def _kind(schema: Mapping[str, Any]) -> str:
    hint = _first(schema, "x-widget")
    if hint is not None:
        return str(hint["kind"])
    if "enum" in schema or _first(schema, "enum") is not None:
        return "picklist"
    types = _types(schema)
    if "boolean" in types:
        return "checkbox"
    return "number" if "integer" in types else "text"


def _options(schema: Mapping[str, Any]) -> tuple[str, ...]:
    values = _first(schema, "enum") or ([_first(schema, "const")] if _first(schema, "const") else [])
    return tuple(str(value) for value in values if value is not None)


def _may_be_blank(schema: Mapping[str, Any]) -> bool:
    return schema.get("default") == "" and not schema.get("minLength")


@cache
def wanted(model: type[Input]) -> Mapping[str, Wanted]:
    """The fields of a model by name, in its order."""
    whole = model.model_json_schema()
    required = set(whole.get("required", ()))
    found = {}
    for name, schema in whole.get("properties", {}).items():
        nullable = "null" in _types(schema)
        kind = _kind(schema)
        found[name] = Wanted(
            name=name,
            kind=kind,
            label=str(schema.get("title", name)),
            help=str(schema.get("description", "")),
            required=name in required or not (kind == "checkbox" or nullable or _may_be_blank(schema)),
            nullable=nullable,
            options=_options(schema),
            whole="integer" in _types(schema),
            max_length=_first(schema, "maxLength"),
        )
    return found


def written(want: Wanted, value: Any, filler: Filler) -> str:
    """The text that a control holds for a plain value."""
    if value is None:
        return ""
    if want.kind == "checkbox":
        return "1" if value else ""
    if want.kind == "instant":
        return written_instant(str(value), filler.zone)
    return str(value)
