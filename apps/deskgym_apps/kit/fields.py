"""Types of input fields: one definition gives validation, JSON Schema, form widget and help (DESIGN §4).

Use them in `Input` models, with `Field(title=…, description=…)` for label and help:

    name: Line = Field(title="Account name", max_length=120)
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from .dates import kept, parse_date, parse_instant
from .money import doubt
from .norm import clean_text

_AMOUNT = re.compile(r"-?(\d+|[1-9]\d{0,2}(,\d{3})+)(\.\d+)?", re.ASCII)


def _line(text: str) -> str:
    cleaned = clean_text(text)
    if any(char in cleaned for char in "\n\t\u2028\u2029"):
        raise ValueError("only one line of text is allowed here")
    return cleaned


def _amount(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError("an amount is a number or text like 12345.67")
    text = format(Decimal(repr(value)), "f") if isinstance(value, float) else str(value).strip()
    if not _AMOUNT.fullmatch(text):
        raise ValueError(doubt(text) or f'"{text}" is not an amount; write it like 12345.67')
    number = Decimal(text.replace(",", ""))
    if abs(number) > 10**13:
        raise ValueError("an amount has at most 13 digits before the point")
    return format(number.normalize(), "f") if number else "0"


def _date(text: str) -> str:
    parse_date(text)
    return kept(text)


def _instant(text: str) -> str:
    parse_instant(text)
    return kept(text)


def widget(name: str, **details: Any) -> dict[str, Any]:
    """`json_schema_extra` that says which form widget shows a field; never part of the published schema."""
    return {"x-widget": {"kind": name, **details}}


Line = Annotated[str, AfterValidator(_line), Field(json_schema_extra=widget("text"))]
Body = Annotated[str, AfterValidator(clean_text), Field(json_schema_extra=widget("textarea"))]
Amount = Annotated[
    str,
    BeforeValidator(_amount),
    WithJsonSchema({"type": ["string", "number"], "examples": ["12345.67"], "x-widget": {"kind": "money"}}),
]
Day = Annotated[
    str,
    AfterValidator(_date),
    Field(json_schema_extra=widget("date") | {"format": "date", "examples": ["2031-03-14"]}),
]
Instant = Annotated[
    str,
    AfterValidator(_instant),
    Field(json_schema_extra=widget("instant") | {"format": "date-time", "examples": ["2031-03-14T09:00:00Z"]}),
]
ID_PATTERN = r"^[A-Z0-9]{15}$"
Id = Annotated[str, Field(min_length=15, max_length=15, pattern=ID_PATTERN)]
Version = Annotated[
    int, Field(ge=1, le=2**53, description="The row_version you read; a newer one in the database is a conflict.")
]
