"""Writing expectations: rows filled from the registry, values typed by their column's role, answers with a schema.

    expected_row("crm_note", title="Renewal", body="Call moved", save_as="n")
    changed("crm_opportunity", key, stage="Closed Won", probability=100)
    answer_spec({"amount": Money(1_730_000, "USD"), "currency": Eq("USD")}, {"amount": "Total of the open ones"})

Templates use these; the dataclasses of `spec.py` are what they give.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from deskgym_apps.kit.money import EXPONENTS, exponent

from .codec import SpecError
from .comparators import (
    COMPARATORS,
    BagOf,
    Comparator,
    DateEq,
    Default,
    Eq,
    Fields,
    InstantEq,
    ListOf,
    Money,
    Number,
    OneOf,
    SetOf,
    TextEq,
)
from .shapes import default_of, is_server_set, role_of, shape_of, table_of
from .spec import AnswerSpec, Insert, Key, Update


def typed(table: str, column: str, value: Any, currency: Any = None) -> Comparator:
    """The comparator of a plain value on a column: text, date, instant or money by its role, else `Eq`.

    A comparator goes through as it is. `currency`: the code of the row, for a money column.
    """
    if isinstance(value, COMPARATORS):
        return cast(Comparator, value)
    role = role_of(table, column)
    if isinstance(value, bool):
        return Eq(int(value))
    if isinstance(value, str):
        if role.kind == "text" and role.of in ("name", "free"):
            return TextEq(value)
        if role.kind in ("date", "instant"):
            return DateEq(value) if role.kind == "date" else InstantEq(value)
    if role.kind == "money" and isinstance(value, int):
        code = role.of if role.of in EXPONENTS else currency.value if isinstance(currency, Eq) else currency
        if isinstance(code, str):
            return Money(value, code)
    if value is None or isinstance(value, str | int):
        return Eq(value)
    raise SpecError(f"{table}.{column}: {value!r} is neither a comparator nor text, an integer or None")


def _typed_all(table: str, given: Mapping[str, Any]) -> dict[str, Comparator]:
    values = {}
    for column, value in given.items():
        role = role_of(table, column)
        values[column] = typed(table, column, value, given.get(role.of) if role.kind == "money" else None)
    return values


def expected_row(table: str, *, save_as: str | None = None, **given: Any) -> Insert:
    """One new row: `given` columns typed by role, every other one that the server does not set is its default.

    Raises SpecError for an unknown column, and for a column that has no default and is not given.
    """
    values = _typed_all(table, given)
    for column in table_of(table).columns:
        if column not in values and not is_server_set(table, column):
            default_of(table, column, None)
            values[column] = Default()
    order = list(table_of(table).columns)
    return Insert(table, dict(sorted(values.items(), key=lambda item: order.index(item[0]))), save_as)


def changed(table: str, key: Key | str, **given: Any) -> Update:
    """A row whose `given` columns have these values afterwards, typed by role (money with a `Money`, or an integer)."""
    shape_of(table)
    return Update(table, key, _typed_all(table, given))


def _json_schema(comparator: Comparator) -> dict[str, Any]:
    if isinstance(comparator, Money):
        decimals = exponent(comparator.currency)
        return {"type": ["string", "number"], "description": f"A number with at most {decimals} decimals."}
    if isinstance(comparator, Number):
        return {"type": ["string", "number"], "description": f"At most {comparator.decimals} decimals."}
    if isinstance(comparator, DateEq):
        return {"type": "string", "format": "date", "description": "A date as YYYY-MM-DD."}
    if isinstance(comparator, InstantEq):
        return {"type": "string", "format": "date-time", "description": "An instant as 2031-03-14T09:00:00Z."}
    if isinstance(comparator, SetOf | BagOf | ListOf):
        inner = _json_schema(comparator.items[0]) if comparator.items else {"type": "string"}
        return {"type": "array", "items": inner} | ({"uniqueItems": True} if isinstance(comparator, SetOf) else {})
    if isinstance(comparator, Fields):
        return _object({name: _json_schema(inner) for name, inner in comparator.fields.items()})
    value = comparator.values[0] if isinstance(comparator, OneOf) else getattr(comparator, "value", "")
    if isinstance(value, bool):
        return {"type": "boolean"}
    return {"type": "integer"} if isinstance(value, int) else {"type": "string"}


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def answer_spec(
    fields: Mapping[str, Comparator],
    titles: Mapping[str, str] | None = None,
    choices: Mapping[str, Sequence[str]] | None = None,
) -> AnswerSpec:
    """An answer with the JSON Schema that the agent sees; no schema tells how many items a list has.

    `titles`: what a field means. `choices`: the closed set that a text field is chosen from.
    Raises SpecError where titles or choices name no field.
    """
    for name in (*(titles or {}), *(choices or {})):
        if name not in fields:
            raise SpecError(f'the answer has no field "{name}"; it has {", ".join(fields)}')
    properties = {}
    for name, comparator in fields.items():
        schema = _json_schema(comparator)
        if titles and name in titles:
            schema["title"] = titles[name]
        if choices and name in choices:
            schema["enum"] = list(choices[name])
        properties[name] = schema
    return AnswerSpec(dict(fields), _object(properties))
