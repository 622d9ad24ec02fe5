"""What pages say of faulty input: each field by its label, once; never by its name in tools, an id or a time in UTC."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from tests.crm.fixture import ADA, ALDERCROFT, DANA, KESTREL, LOST, MARTA, NOTE, TODO, VISIT, ident

from deskgym_apps.crm.service.activities import CallInput
from deskgym_apps.crm.service.catalog import MODELS
from deskgym_apps.crm.service.inputs import label, widgets
from deskgym_apps.kit.operations import Input
from deskgym_apps.kit.widgets import wanted

from .conftest import Site

_LINE = re.compile(r'<div class="error-summary".*?</div>', re.DOTALL)
_AT_FIELD = re.compile(r'<p class="field-error"[^>]*>(.*?)</p>', re.DOTALL)
_TOOL_WORDS = re.compile(r"\b[a-z]+_[a-z_]+\b|\b[A-Z]{3}[0-9A-Z]{12}\b|\d{4}-\d\d-\d\dT\d\d|\binput should\b")
BAD = (
    "x" * 30_000,
    "\x07bell",
    "two\nlines",
    "\u202eturned",
    "not so",
    "-5",
    "99999999999999999999",
    "31/31/2031",
    " ",
)
HELD: dict[str, str] = {
    "account": ALDERCROFT, "contact": MARTA, "opportunity": KESTREL, "task": TODO, "event": VISIT, "note": NOTE,
}  # fmt: skip
FOLDERS = {kind: f"{kind}s" for kind in HELD} | {"opportunity": "opportunities"}


def said(page: str) -> list[str]:
    """The lines of the error summary, then what stands at the fields."""
    summary = _LINE.search(page)
    assert summary is not None
    lines = re.findall(r"<li>(.*?)</li>", summary[0], re.DOTALL) + _AT_FIELD.findall(page)
    return [" ".join(unescape(re.sub(r"<[^>]*>", "", line)).split()) for line in lines]


def check(lines: list[str], labels: list[str]) -> None:
    for line in lines:
        assert not _TOOL_WORDS.search(line), line
        for name in labels:
            assert len(re.findall(rf"(?<!\w){re.escape(name)}(?!\w)", line, re.IGNORECASE)) <= 1, (name, line)


def bad_forms(model: type[Input], fields: dict[str, str]) -> list[dict[str, str]]:
    """The form with every one of its texts bad at once, in each of the ways."""
    found = []
    for value in BAD:
        typed = {}
        for name, want in wanted(model).items():
            key = f"{name}__text" if want.kind == "lookup" else name
            if key in fields and want.kind != "checkbox":
                typed[key] = value
            if want.kind == "lookup" and key in fields:  # an id that nobody picked
                found.append(fields | {name: ident("ACC", 999), f"{name}__label": "A", f"{name}__text": "A"})
        found.append(fields | typed | {"record_1__text": value})
    return found


@pytest.mark.parametrize("kind", [*HELD, "call"])
def test_faults_of_new_records_are_told_in_words(site: Site, kind: str) -> None:
    model: Any = CallInput if kind == "call" else MODELS[kind][0]
    path = f"/crm/{FOLDERS.get(kind, 'calls')}/new"
    labels = [label(model, name) for name in widgets(model)]
    for typed in bad_forms(model, site.form(path)):
        response = site.post(path, typed)
        assert response.status_code == 422
        check(said(response.text), labels)


@pytest.mark.parametrize("kind", HELD)
def test_faults_of_changes_are_told_in_words(site: Site, kind: str) -> None:
    model: Any = MODELS[kind][1]
    path = f"/crm/{FOLDERS[kind]}/{HELD[kind]}/edit"
    labels = [label(model, name) for name in widgets(model)]
    for typed in bad_forms(model, site.form(path)):
        response = site.post(path, typed)
        assert response.status_code == 422
        check(said(response.text), labels)


RULES: dict[str, tuple[str, dict[str, str]]] = {
    "number too short": (f"accounts/{ALDERCROFT}", {"account_number": "12"}),
    "its own parent": (f"accounts/{ALDERCROFT}", {"parent_id__text": "Aldercroft Ltd"}),
    "money in minor units": (f"accounts/{ALDERCROFT}", {"annual_revenue": "1.2345"}),
    "currency": (f"opportunities/{KESTREL}", {"currency": "JPY"}),
    "reports to itself": (f"contacts/{MARTA}", {"reports_to_id__text": "Marta Ilić"}),
    "closes in the past": (f"opportunities/{KESTREL}", {"close_date": "2031-01-01"}),
    "lost without a reason": (f"opportunities/{KESTREL}", {"stage": "Closed Lost"}),
    "other without a detail": (f"opportunities/{KESTREL}", {"stage": "Closed Lost", "lost_reason": "Other"}),
    "a reason while open": (f"opportunities/{KESTREL}", {"lost_reason": "Price", "lost_detail": "x"}),
    "no amount": (f"opportunities/{KESTREL}", {"stage": "Negotiation/Review", "amount": ""}),
    "probability": (f"opportunities/{KESTREL}", {"probability": "101"}),
    "closed in the future": (f"opportunities/{LOST}", {"close_date": "2032-01-01"}),
    "unknown choice": (f"tasks/{TODO}", {"priority": "Dire", "status": "Odd"}),
}


@pytest.mark.parametrize("rule", RULES)
def test_crm_9_what_breaks_a_rule_is_told_in_words(site: Site, rule: str) -> None:
    record, typed = RULES[rule]
    path = f"/crm/{record}/edit"
    kind = next(kind for kind, folder in FOLDERS.items() if record.startswith(folder))
    response = site.post(path, site.form(path) | typed)
    assert response.status_code == 422
    model: Any = MODELS[kind][1]
    check(said(response.text), [label(model, name) for name in widgets(model)])


def test_crm_9_i_an_end_before_the_start_is_told_in_the_persons_own_time(site: Site) -> None:
    path = "/crm/events/new"
    typed = {"subject": "Visit", "start_at": "2031-03-20 09:00", "end_at": "2031-03-20 08:00"}
    response = site.post(path, site.form(path) | typed)
    assert "End: 2031-03-20 08:00 is before the start, 2031-03-20 09:00 (America/Denver)" in said(response.text)[0]


def test_tools_are_told_the_field_by_its_name(site: Site) -> None:
    from deskgym_apps.kit.errors import Invalid
    from deskgym_apps.kit.tools import call_tool

    values = {"next_step": "x" * 300}
    arguments = {"id": KESTREL, "row_version": 1, "values": values}
    with pytest.raises(Invalid) as caught:
        call_tool(site.store, "crm_update", arguments, person_id=ADA, app_names=("crm",))
    assert caught.value.as_dict()["field"] == "values.next_step"
    assert "next_step has more than 255 characters" in caught.value.message


def test_x16_an_amount_with_a_doubtful_comma_is_refused_alike_by_page_and_tool(site: Site) -> None:
    from deskgym_apps.kit.errors import Invalid
    from deskgym_apps.kit.tools import call_tool

    path = f"/crm/opportunities/{KESTREL}/edit"
    response = site.post(path, site.form(path) | {"amount": "0,500"})
    assert response.status_code == 422
    assert said(response.text)[0] == 'Amount: "0,500" can mean 0.500 or 500; write one of the two'
    arguments = {"id": KESTREL, "row_version": 1, "values": {"amount": "0,500"}}
    with pytest.raises(Invalid, match=r"can mean 0\.500 or 500; write one of the two"):
        call_tool(site.store, "crm_update", arguments, person_id=DANA, app_names=("crm",))


def test_a_message_is_told_once_and_not_by_an_address_that_is_loaded_again(site: Site) -> None:
    path = f"/crm/accounts/{ALDERCROFT}/edit"
    response = site.post(path, site.form(path) | {"website": "www.once.example"})
    assert "Changes saved." in site.get(response.location)
    assert "Changes saved." not in site.get(response.location)
    assert "moved to the recycle bin" not in site.get("/crm/accounts?done=deleted&n=7")


def test_a_message_waits_for_the_page_that_it_is_of(site: Site) -> None:
    path = f"/crm/accounts/{ALDERCROFT}/edit"
    response = site.post(path, site.form(path) | {"website": "www.once.example"})
    assert "Changes saved." not in site.get("/crm/contacts")
    assert "Changes saved." in site.get(response.location)
