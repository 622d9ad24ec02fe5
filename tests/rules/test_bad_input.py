"""X-12: bad input of every kind on every field, through both doors: the same field is named, nothing is written at
all, and the page keeps what was typed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from tests.crm.fixture import ALDERCROFT, DANA, KESTREL, LOST, MARTA, NOTE, TODO, VISIT, ident

from deskgym_apps.crm.service.activities import CallInput
from deskgym_apps.crm.service.catalog import MODELS
from deskgym_apps.crm.service.inputs import label, widgets

from .conftest import Doorway
from .doors import PageDoorway, ToolDoorway
from .house import KINDS

LONG = "x" * 30_000
HELD = {"account": ALDERCROFT, "contact": MARTA, "opportunity": KESTREL, "task": TODO, "event": VISIT, "note": NOTE}
VALID: dict[str, dict[str, Any]] = {
    "account": {"name": "Fenwick"},
    "contact": {"last_name": "Okafor"},
    "opportunity": {"name": "Pump", "close_date": "2031-06-12"},
    "task": {"subject": "Call"},
    "call": {"subject": "Renewal"},
    "event": {"subject": "Visit", "start_at": "2031-03-20T15:00:00Z", "end_at": "2031-03-20T16:00:00Z"},
    "note": {"title": "Terms", "body": "Net", "record_ids": [KESTREL]},
}
# widget -> what no field of it holds, as text that both doors can be given
BAD: dict[str, tuple[Any, ...]] = {
    "text": (LONG, "bell\x07", "\u202eturned"),
    "textarea": (LONG, "bell\x07"),
    "email": (LONG, "no at", "a@b@c.example"),
    "phone": (LONG, "call me", "12"),
    "url": (LONG, "not a site"),
    "picklist": ("No such value",),
    "stage": ("No such stage",),
    "currency": ("XXX", "dollars"),
    "date": ("2031-02-30", "someday", "1899-12-31", "2200-01-01"),
    "instant": ("2031-02-30 10:00", "someday", "1899-12-31 10:00"),
    "money": ("-1", "many", "1e5", "NaN", "0.001", "9" * 20),
    "number": (-1, 10**12),
    "percent": (-1, 101),
    "lookup": (ident("ACC", 999), ident("TSK", 2), ident("PRS", 99)),
    "records": ([], [ident("ACC", 999)], [ident("TSK", 2)]),
}
# values that only JSON can write
WRONG_TYPES: dict[str, tuple[Any, ...]] = {
    "checkbox": ("yes", 2, [], {}),
    "number": ("many", 1.5, True, []),
    "percent": ("many", 1.5, True, {}),
    "money": (True, [], {}, "1,00", "٥"),
    "records": ("NTE", {}, [1], [None], [ALDERCROFT] * 11),
}
ANY_WRONG: tuple[Any, ...] = ([], {}, 1, 1.5, True)


def fields(kind: str, new: bool) -> Iterator[tuple[str, str]]:
    """Fields and their widgets. An account's SLA tier is none of a representative's (CRM-3)."""
    model: Any = CallInput if kind == "call" else MODELS[kind][0 if new else 1]
    for name, details in widgets(model).items():
        if name != "sla_tier":
            yield name, str(details["kind"])


def cases(new: bool) -> list[Any]:
    kinds = [*KINDS, "call"] if new else list(KINDS)
    return [
        pytest.param(kind, name, sort, id=f"{kind}-{name}")
        for kind in kinds
        for name, sort in fields(kind, new)
        if sort != "checkbox"
    ]


def control(page: str, name: str) -> str | None:
    """The value of a control of a page."""
    for tag in re.findall(r"<(?:input|textarea)\b[^>]*>[^<]*", page):
        if re.search(rf'\bname="{name}"', tag):
            value = re.search(r'\bvalue="([^"]*)"', tag)
            return unescape(value[1] if value else tag.partition(">")[2])
    chosen = re.search(rf'<select[^>]*name="{name}".*?</select>', page, re.DOTALL)
    found = re.search(r'<option value="([^"]*)"[^>]*selected', chosen[0]) if chosen else None
    return unescape(found[1]) if found else None


def check(door: Doorway, outcome: Any, kind: str, name: str, value: Any, sort: str) -> None:
    shown = {"record_ids" if re.fullmatch(r"record_\d+", one) else one for one in outcome.faults}
    assert (outcome.code, shown) == ("validation", {name}), f"{value!r:.60}: {outcome}"
    if not isinstance(door, PageDoorway) or sort in ("lookup", "records", "stage", "currency", "picklist"):
        return
    kept = control(outcome.text, name)
    assert kept is not None
    assert kept.strip().replace("\r\n", "\n") == str(value).strip(), f"{kind}.{name} lost {value!r:.60}"


# Fields that a form of the pages lacks: calls alone have a duration, and a price book is chosen with the first product.
OFF_FORM = {"duration_minutes", "pricebook_id"}


@pytest.mark.parametrize(("kind", "name", "sort"), cases(new=True))
def test_x_12_5_bad_input_of_a_new_record(door: Doorway, kind: str, name: str, sort: str) -> None:
    if isinstance(door, PageDoorway) and name == "pricebook_id":
        assert not [one for one in door.form("/crm/opportunities/new", DANA) if one.startswith(name)]
        return
    for value in BAD[sort]:
        with door.house.unchanged():
            outcome = door.create(kind, **VALID[kind] | {name: value})
        check(door, outcome, kind, name, value, sort)


@pytest.mark.parametrize(("kind", "name", "sort"), cases(new=False))
def test_x_12_5_bad_input_of_a_change(door: Doorway, kind: str, name: str, sort: str) -> None:
    for value in BAD[sort]:
        draft = door.draft(HELD[kind])
        if door.name == "page" and name not in draft.form and f"{name}__text" not in draft.form and sort != "records":
            assert name in OFF_FORM, name
            continue
        with door.house.unchanged():
            outcome = door.save(draft, {name: value})
        check(door, outcome, kind, name, value, sort)


@pytest.mark.parametrize("kind", [*KINDS, "call"])
def test_x_12_5_values_of_another_type_are_refused_by_their_field(tools: ToolDoorway, kind: str) -> None:
    for name, sort in fields(kind, True):
        for value in WRONG_TYPES.get(sort, ANY_WRONG):
            with tools.house.unchanged():
                outcome = tools.create(kind, **VALID[kind] | {name: value})
            assert outcome.code == "validation", f"{name} {value!r}: {outcome}"
            assert {one.split(".")[0] for one in outcome.faults} == {name}, f"{name} {value!r}: {outcome}"


@pytest.mark.parametrize("kind", KINDS)
def test_x_12_5_unknown_and_forbidden_fields_are_refused(tools: ToolDoorway, kind: str) -> None:
    """Mass assignment: what is no field of the form cannot be set."""
    for name, value in (("created_at", "2031-01-01T00:00:00Z"), ("is_deleted", 1), ("row_version", 9), ("id", "x"),
                        ("name_norm", "x"), ("closed_at", None), ("nope", 1)):  # fmt: skip
        with tools.house.unchanged():
            made = tools.create(kind, **VALID[kind] | {name: value})
            saved = tools.update(HELD[kind], {name: value})
        assert {made.code, saved.code} == {"validation"}, f"{name}: {made} {saved}"
        assert {*made.faults, *saved.faults} == {name}


@pytest.mark.parametrize("kind", KINDS)
def test_x_12_5_fields_that_a_form_does_not_have_are_not_taken_from_a_post(pages: PageDoorway, kind: str) -> None:
    extra = {
        "created_at": "2031-01-01T00:00:00Z",
        "is_deleted": "1",
        "closed_at": "",
        "sla_tier": "Gold",
        "kind": "Call",
    }
    draft = pages.draft(HELD[kind])
    forged = dict(draft.form) | {name: value for name, value in extra.items() if name not in draft.form}
    with pages.house.unchanged():
        pages.save(type(draft)(draft.id, draft.by, draft.version, forged), {})


def said(door: Doorway, kind: str, name: str, value: Any) -> str:
    outcome = door.create(kind, **VALID[kind] | {name: value})
    return outcome.faults[name]


SAME_WORDS = [
    ("account", "account_number", "12"),
    ("account", "type", "No such value"),
    ("contact", "email", "no at"),
    ("contact", "phone", "12"),
    ("opportunity", "stage", "No such stage"),
    ("opportunity", "currency", "XXX"),
    ("opportunity", "close_date", "2031-01-01"),
    ("opportunity", "amount", "0.001"),
    ("opportunity", "lost_reason", "Price"),
    ("call", "due_date", "2031-04-01"),
]


@pytest.mark.parametrize(("kind", "name", "value"), SAME_WORDS)
def test_x_12_5_the_rule_is_told_in_the_same_words(pages: PageDoorway, kind: str, name: str, value: Any) -> None:
    model: Any = CallInput if kind == "call" else MODELS[kind][0]
    by_tool = said(ToolDoorway(pages.house), kind, name, value)
    by_page = said(pages, kind, name, value).removeprefix(f"{label(model, name)}: ")
    assert by_page.lower().removesuffix(".") == by_tool.removeprefix(f"{label(model, name)}: ").lower().removesuffix(
        "."
    )


def test_x_12_5_everything_bad_at_once_names_everything(door: Doorway) -> None:
    bad = {"account_number": "1", "phone": "x", "website": "not so", "type": "None", "annual_revenue": "-1"}
    with door.house.unchanged():
        made = door.create("account", name="Fenwick", **bad)
    assert (made.code, set(made.faults)) == ("validation", set(bad))
    with door.house.unchanged():
        saved = door.update(LOST, {"close_date": "2031-12-31", "amount": "-1", "type": "None"}, by=DANA)
    assert (saved.code, set(saved.faults)) == ("validation", {"close_date", "amount", "type"}), str(saved)
