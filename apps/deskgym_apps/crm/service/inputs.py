"""What every service of the CRM takes and gives back: blank text is no value, fields carry label, help and widget."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel, Field, model_validator

from ...kit.fields import Id, Version, widget
from ...kit.norm import is_unseen
from ...kit.operations import Input

MOVE_ACTIVITIES = Field(
    default=False,
    title="Move open activities to the new owner",
    description="With a new owner: the old owner's open tasks and coming events about this record go along.",
    json_schema_extra=widget("checkbox"),
)

ALLOW_DUPLICATES = Field(
    default=False,
    title="Save in spite of duplicates",
    description="Save although matching rules warn of records like this one; what they block stays refused.",
    json_schema_extra=widget("checkbox"),
)


class RecordInput(Input):
    """Values of one record, by field. Blank text counts as no value; null clears a field in an update."""

    @model_validator(mode="before")
    @classmethod
    def _blank_is_none(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        fields = cls.model_fields
        kept = {}
        for name, value in data.items():
            is_blank = isinstance(value, str) and is_unseen(value)
            if is_blank and name in fields and fields[name].is_required():
                continue
            kept[name] = None if is_blank else value
        return kept


class DeleteInput(Input):
    """A record to delete."""

    id: Id = Field(title="Record")
    row_version: Version | None = Field(
        default=None, title="Row version", description="The row_version you read; left out, the newest counts."
    )


class UndeleteInput(Input):
    """A deleted record to bring back."""

    id: Id = Field(title="Record")


class Created(BaseModel):
    """The new record."""

    id: str
    row_version: int
    name: str


class Updated(BaseModel):
    """The record after the change; the same row_version where nothing differed."""

    id: str
    row_version: int


class Deleted(BaseModel):
    """How many records went, the record itself included."""

    id: str
    deleted: int


class Restored(BaseModel):
    """How many records came back, the record itself included."""

    id: str
    row_version: int
    restored: int


def line(title: str, longest: int, help: str | None = None, kind: str = "text", **details: Any) -> Any:
    """A field of one line of text, not required."""
    return Field(
        default=None, title=title, max_length=longest, description=help, json_schema_extra=widget(kind, **details)
    )


def body(title: str, longest: int, help: str | None = None) -> Any:
    """A field of several lines of text, not required."""
    return line(title, longest, help, "textarea")


def picklist(title: str, thing: str, name: str, help: str | None = None) -> Any:
    """A field whose values stand in crm_picklist, not required."""
    return line(title, 80, help, "picklist", object=thing, field=name)


def lookup(title: str, target: str, help: str | None = None) -> Any:
    """A field that holds the id of another record, not required. `what` is an account or an opportunity, `who` a
    contact or a lead."""
    return Field(default=None, title=title, description=help, json_schema_extra=widget("lookup", object=target))


def optional(title: str, kind: str, help: str | None = None, **more: Any) -> Any:
    """A field of another widget, not required; `more` goes to pydantic's Field."""
    return Field(default=None, title=title, description=help, json_schema_extra=widget(kind), **more)


@cache
def widgets(model: type[BaseModel]) -> Mapping[str, Mapping[str, Any]]:
    """Field -> its widget: `kind`, and `object` and `field` of a picklist or `object` of a lookup."""
    found: dict[str, Mapping[str, Any]] = {}
    for name, info in model.model_fields.items():
        extra = info.json_schema_extra
        if not isinstance(extra, dict) or "x-widget" not in extra:
            raise TypeError(f"{model.__name__}.{name} has no widget")
        found[name] = extra["x-widget"]  # type: ignore[assignment]
    return found


def label(model: type[BaseModel], name: str) -> str:
    """The label of a field."""
    return model.model_fields[name].title or name


def required(model: type[BaseModel]) -> frozenset[str]:
    """The fields a new record needs."""
    return frozenset(name for name, info in model.model_fields.items() if info.is_required())
