"""Input models: what they take, and messages that a person or a model can act on."""

from __future__ import annotations

import re
from typing import Any, Literal

import pytest
from pydantic import Field

from deskgym_apps.kit.errors import FieldError, Invalid
from deskgym_apps.kit.fields import Amount, Body, Day, Id, Instant, Line, Version
from deskgym_apps.kit.operations import Input, parse_input
from deskgym_apps.kit.tools import published_schema


class Deal(Input):
    """An input with one field of each sort."""

    name: Line = Field(title="Name", max_length=20)
    notes: Body | None = None
    amount: Amount | None = None
    close_on: Day | None = None
    meet_at: Instant | None = None
    account_id: Id | None = None
    stage: Literal["New", "Won"] = "New"
    seats: int | None = Field(default=None, ge=0, le=9)
    hot: bool = False


class DealUpdate(Input):
    """Changes of a deal."""

    id: Id
    row_version: Version
    values: Deal


def faults(**given: Any) -> list[FieldError]:
    with pytest.raises(Invalid) as caught:
        parse_input(Deal, {"name": "x"} | given)
    return list(caught.value.errors)


@pytest.mark.parametrize(
    ("given", "field", "message"),
    [
        ({"name": "two\nlines"}, "name", "only one line"),
        ({"name": "a\x00"}, "name", r"control character U\+0000"),
        ({"name": "n" * 21}, "name", "more than 20 characters"),
        ({"name": 5}, "name", "valid string"),
        ({"name": None}, "name", "not None"),
        ({"amount": "12,34"}, "amount", "is not an amount"),
        ({"amount": True}, "amount", "an amount is a number or text"),
        ({"amount": "1" * 15}, "amount", "at most 13 digits"),
        ({"amount": float("inf")}, "amount", "amount"),
        ({"close_on": "14 May 2027"}, "close_on", "write it like 2031-03-14"),
        ({"close_on": "2031-02-30"}, "close_on", "day"),
        ({"meet_at": "2031-03-14T09:00"}, "meet_at", "is not an instant"),
        ({"account_id": "ACC1"}, "account_id", "15"),
        ({"account_id": "acc000000000001"}, "account_id", "pattern"),
        ({"stage": "Lost"}, "stage", "'New' or 'Won'"),
        ({"seats": "3"}, "seats", "valid integer"),
        ({"seats": 3.0}, "seats", "valid integer"),
        ({"seats": True}, "seats", "valid integer"),
        ({"seats": 10}, "seats", "less than or equal to 9"),
        ({"hot": 1}, "hot", "valid boolean"),
        ({"stge": "New"}, "stge", 'Did you mean "stage"'),
    ],
)
def test_a_wrong_value_is_named_with_what_would_be_right(given: dict[str, Any], field: str, message: str) -> None:
    found = faults(**given)
    assert [fault.field for fault in found] == [field]
    assert re.search(message, found[0].message), found[0].message


def test_every_faulty_field_is_named_at_once() -> None:
    assert [fault.field for fault in faults(stage="x", seats=-1, extra=1)] == ["stage", "seats", "extra"]


def test_a_missing_field_is_named() -> None:
    with pytest.raises(Invalid, match="name is required"):
        parse_input(Deal, {})


def test_faults_of_nested_values_carry_their_path_and_the_right_fields() -> None:
    with pytest.raises(Invalid) as caught:
        parse_input(DealUpdate, {"id": "DEA000000000001", "row_version": 0, "values": {"name": "x", "stge": "New"}})
    by_field = {fault.field: fault for fault in caught.value.errors}
    assert set(by_field) == {"row_version", "values.stge"}
    assert "stage" in by_field["values.stge"].allowed


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("1,234.50", "1234.5"), (1234.5, "1234.5"), (1e3, "1000"), (0.1, "0.1"), (7, "7"), ("-0", "0"),
        ("007.10", "7.1"),        (" 5 ", "5"), (1e-7, "0.0000001"),
    ],
)  # fmt: skip
def test_an_amount_becomes_one_canonical_text_however_it_was_given(given: Any, kept: str) -> None:
    parsed = parse_input(Deal, {"name": "x", "amount": given})
    assert parsed.model_dump()["amount"] == kept


def test_text_is_composed_and_trimmed() -> None:
    parsed = parse_input(Deal, {"name": "  Cafe\u0301 ", "notes": "a\r\nb  \n"})
    assert parsed.model_dump(exclude_unset=True) == {"name": "Café", "notes": "a\nb"}


def test_what_is_published_holds_no_form_hints_and_allows_nothing_else() -> None:
    schema = published_schema(DealUpdate.model_json_schema())
    assert "x-" not in str(schema)
    assert schema["additionalProperties"] is False
    deal = schema["$defs"]["Deal"]
    assert deal["additionalProperties"] is False
    assert deal["properties"]["stage"]["enum"] == ["New", "Won"]
