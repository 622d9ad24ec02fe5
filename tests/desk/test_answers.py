"""The answer form: the JSON that a filled form means is what a tool call would carry."""

from __future__ import annotations

import json
from typing import Any

import pytest

from deskgym_apps.desk.answers import answer_groups, kind_of, label_of, read_answer
from deskgym_apps.kit.forms import Filler

LISBON, BERLIN = Filler("en_GB", "Europe/Lisbon"), Filler("de_DE", "Europe/Berlin")


EUROS = {"type": ["string", "number"], "description": "Sum of the deals. A number with at most 2 decimals."}
YEN = {"type": ["string", "number"], "description": "At most 0 decimals."}


def read(schema: dict[str, Any], form: dict[str, str], filler: Filler = LISBON, *, required: bool = True) -> Any:
    value, faults = read_answer(schema, form, filler, required=required)
    return {fault.field: fault.message for fault in faults} if faults else value


def record(**properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        ({"type": "string"}, " Aldercroft Ltd ", "Aldercroft Ltd"),
        ({"type": "string"}, "0042", "0042"),
        ({"type": "string"}, "EUR ", "EUR"),
        ({"type": "string"}, "\u00a0Aldercroft \u2009 Ltd\t", "Aldercroft Ltd"),
        ({"type": "string", "maxLength": 4000}, " one  two \r\n three ", "one two\nthree"),
        ({"type": ["string", "number"]}, "12,345.60", "12,345.60"),
        ({"type": ["string", "number"]}, " 12 345.60 ", "12345.6"),
        ({"type": ["string", "number"]}, "-0.50", "-0.50"),
        (EUROS, "34,067.41", "34,067.41"),
        (EUROS, "34 067.5", "34067.5"),
        (YEN, "34,067", "34,067"),
        ({"type": "integer"}, "007", 7),
        ({"type": "integer"}, "0", 0),
        ({"anyOf": [{"type": "string"}, {"type": "number"}]}, "5", "5"),
        ({"type": "integer"}, "1,250", 1250),
        ({"type": "integer"}, "-3", -3),
        ({"type": "number"}, "1,250.50", 1250.5),
        ({"type": "number"}, "7", 7),
        ({"type": ["integer", "null"]}, "7", 7),
        ({"type": "boolean"}, "true", True),
        ({"type": "boolean"}, "false", False),
        ({"enum": ["New", "Won"]}, "Won", "Won"),
        ({"type": "string", "format": "date"}, "14 May 2027", "2027-05-14"),
        ({"type": "string", "format": "date"}, "2027-05-14", "2027-05-14"),
        ({"type": "string", "format": "date-time"}, "2027-05-14T09:00:00Z", "2027-05-14T09:00:00Z"),
        ({"type": "string", "format": "date-time"}, "14 May 2027 09:00", "2027-05-14T08:00:00Z"),
        ({"type": "array", "items": {"type": "string"}}, "Ana\r\n\r\n Ben \r\n", ["Ana", "Ben"]),
        ({"type": "array", "items": {"type": "integer"}}, "3\n1,000", [3, 1000]),
        ({"type": "array", "items": {"type": ["string", "number"]}}, "1.50", ["1.50"]),
        ({"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}, "[[1], [2, 3]]", [[1], [2, 3]]),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, '{"a": 1}', {"a": 1}),
        ({}, "[1.0, null]", [1.0, None]),
    ],
)
def test_a_typed_text_becomes_the_json_of_its_schema(schema: dict[str, Any], text: str, value: Any) -> None:
    read_value = read(schema, {"answer": text})
    assert json.dumps(read_value) == json.dumps(value)


def test_numbers_and_dates_are_read_by_the_persons_locale() -> None:
    schema = record(total={"type": "number"}, day={"type": "string", "format": "date"})
    assert read(schema, {"answer.total": "1.250,5", "answer.day": "14.05.2027"}, BERLIN) == {
        "total": 1250.5,
        "day": "2027-05-14",
    }


def test_an_amount_is_read_by_the_persons_locale_and_never_guessed() -> None:
    amount = {"type": ["string", "number"]}
    assert read(amount, {"answer": "34.067,41"}, BERLIN) == "34067.41"
    assert read(amount, {"answer": "34,067.41"}, BERLIN) == "34,067.41"
    assert "can mean 1.25 or 1250" in read(amount, {"answer": "1,250"}, BERLIN)["answer"]
    assert "can mean 1.25 or 1250" in read(amount, {"answer": "1.250"}, BERLIN)["answer"]


@pytest.mark.parametrize(
    ("schema", "text", "message"),
    [
        ({"type": "integer"}, "three", "not a whole number"),
        ({"type": "integer"}, "1.5", "not a whole number"),
        ({"type": "integer"}, "10.0", "written with decimals; write 10"),
        ({"type": "integer"}, "0.0", "written with decimals; write 0"),
        ({"type": "integer"}, "1,250.00", "written with decimals; write 1250"),
        ({"type": ["string", "number"]}, "34,067.41 EUR", "not a number"),
        ({"type": ["string", "number"]}, "1e5", "not a number"),
        ({"type": ["string", "number"]}, "a lot", "not a number"),
        ({"type": "number"}, "1e5", "not a number"),
        (EUROS, "34,067.415", "has 3 decimals; at most 2 are meant"),
        (EUROS, "34067.410", "has 3 decimals; at most 2 are meant"),
        (EUROS, "34 067.415", "has 3 decimals; at most 2 are meant"),
        (YEN, "34,067.5", "has 1 decimal; at most 0 are meant"),
        ({"type": "array", "items": EUROS}, "1.5\n1.555", "at most 2 are meant"),
        ({"type": "boolean"}, "maybe", "Yes or No"),
        ({"enum": ["New", "Won"]}, "Lost", "none of New, Won"),
        ({"type": "string", "format": "date"}, "31/02/2027", "not a date"),
        ({"type": "string", "format": "date-time"}, "2027-05-14", "not a date and time"),
        ({"type": "array", "items": {"type": "integer"}}, "1\ntwo", '"two" is not a whole number'),
        ({}, "{", "not JSON"),
        ({}, "[" * 100_000, "not JSON"),
        ({"type": "string"}, "  ", "give a value"),
    ],
)
def test_a_text_that_does_not_fit_is_named(schema: dict[str, Any], text: str, message: str) -> None:
    assert message in read(schema, {"answer": text})["answer"]


def test_objects_are_read_field_by_field_and_every_fault_is_named() -> None:
    schema = record(
        count={"type": "integer"},
        owner=record(name={"type": "string"}, city={"type": ["string", "null"]}),
        note={"type": "string"},
    )
    schema["required"].remove("note")
    assert read(schema, {"answer.count": "2", "answer.owner.name": "Ana"}) == {
        "count": 2,
        "owner": {"name": "Ana", "city": None},
    }
    assert set(read(schema, {"answer.count": "two"})) == {"answer.count", "answer.owner.name"}


def test_rows_left_empty_do_not_count_and_half_filled_ones_are_named() -> None:
    deals = {"type": "array", "items": record(name={"type": "string"}, seats={"type": "integer"})}
    schema = record(deals=deals)
    form = {
        "answer.deals.0.name": "Alpha", "answer.deals.0.seats": "3",
        "answer.deals.2.name": "Beta", "answer.deals.2.seats": "1,000",
    }  # fmt: skip
    assert read(schema, form) == {"deals": [{"name": "Alpha", "seats": 3}, {"name": "Beta", "seats": 1000}]}
    assert read(schema, {}) == {"deals": []}
    assert read(schema, {"answer.deals.1.name": "Alpha"}) == {"answer.deals.1.seats": "give a value"}
    far = {"answer.deals.rows": "9", "answer.deals.8.name": "Last", "answer.deals.8.seats": "1"}
    assert read(schema, far) == {"deals": [{"name": "Last", "seats": 1}]}


@pytest.mark.parametrize("rows", ["x", "-1", "99999", "٣", ""])
def test_a_forged_number_of_rows_does_no_harm(rows: str) -> None:
    schema = record(deals={"type": "array", "items": record(name={"type": "string"})})
    assert read(schema, {"answer.deals.rows": rows}) == {"deals": []}
    groups = answer_groups(schema, {"answer.deals.rows": rows}, {})
    assert 3 <= sum(len(group.section.fields) for group in groups) <= 200


def test_work_that_cannot_be_done_may_leave_the_answer_empty_but_not_half_filled() -> None:
    schema = record(count={"type": "integer"}, name={"type": "string"}, all={"type": "array", "items": {}})
    assert read(schema, {"answer.count": " ", "answer.name": ""}, required=False) is None
    assert set(read(schema, {"answer.count": "1"}, required=False)) == {"answer.name", "answer.all"}


def test_every_field_of_a_form_is_labelled_explained_and_holds_what_was_typed() -> None:
    schema = record(
        largest_deal={"type": "string", "title": "Its name"},
        total={"type": ["string", "number"], "description": "A number with at most 2 decimals."},
        won={"type": "boolean"},
        stage={"type": "string", "enum": ["New", "Won"]},
        owners={"type": "array", "items": {"type": "string", "format": "date", "description": "A date."}},
    )
    (group,) = answer_groups(schema, {"answer.total": "a lot"}, {"answer.total": "not a number"})
    shown = {field.label: field for field in group.section.fields}
    assert {label: field.kind for label, field in shown.items()} == {
        "Largest deal": "text", "Total": "money", "Won": "radio", "Stage": "select", "Owners": "textarea",
    }  # fmt: skip
    assert shown["Largest deal"].help == "Its name."
    assert shown["Owners"].help == "A date. One a line."
    assert (shown["Total"].value, shown["Total"].error) == ("a lot", "not a number")
    assert all(field.required for field in shown.values())


def test_controls_of_rows_have_names_of_their_own() -> None:
    schema = record(deals={"type": "array", "items": record(name={"type": "string"}, seats={"type": "integer"})})
    (group,) = answer_groups(schema, {}, {})
    labels = [field.label for field in group.section.fields]
    assert labels[:3] == ["Row 1: Name", "Row 1: Seats", "Row 2: Name"]
    assert len(set(labels)) == len(labels) == 6
    assert group.rows_name == "answer.deals"


def test_names_become_labels() -> None:
    assert [label_of(name) for name in ("expected_revenue", "closeDate", "id")] == [
        "Expected revenue",
        "Close Date",
        "Id",
    ]


def test_a_shape_without_a_form_of_its_own_is_asked_for_as_json() -> None:
    nested = {"type": "array", "items": record(tags={"type": "array", "items": {"type": "string"}})}
    assert kind_of(nested) == kind_of({"type": "object"}) == kind_of({"type": ["object", "array"]}) == "json"
