"""The records a note is attached to, as lookups of its form: one for each, and a few empty ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from flask import request

from ...kit.errors import FieldError, Invalid
from ...kit.posted import Meant, meant
from ...kit.session import read
from ...kit.web import Change, FieldSection, Form, FormField, More, Option, read_lookup
from ..service.notes import MAX_LINKS
from .drawing import exact, named_record, partly

MAX_SLOTS = MAX_LINKS
SPARE = 2
FIRST = "record_1__text"
_NAMES = [f"record_{at}" for at in range(1, MAX_SLOTS + 1)]


def from_url() -> list[Option]:
    """The record that the link to the form names."""
    record_id = request.args.get("record_id", "")
    if not record_id:
        return []
    return [Option(record_id, str(read("crm.get", {"id": record_id, "fields": ["id"]})["name"]))]


def of_note(got: Mapping[str, Any]) -> list[Option]:
    """The records a note is attached to."""
    return [Option(row["id"], row["name"], row["detail"]) for row in got["related"]["records"]["rows"]]


def with_slots(form: Form, attached: Sequence[Option], faults: Sequence[FieldError]) -> Form:
    """The form with lookups for the records, one more where it was sent with the button for that."""
    slots = [name for name in _NAMES if f"{name}__text" in request.form]
    count = len(slots) + wants_more() if slots else len(attached) + SPARE
    names = _NAMES[: max(1, min(MAX_SLOTS, count))]
    errors = {_NAMES[0] if fault.field == "record_ids" else str(fault.field): fault.shown for fault in faults}
    fields = tuple(
        _slot(at, name, attached[at - 1] if at <= len(attached) else None, errors.get(name, ""))
        for at, name in enumerate(names, 1)
    )
    more = More("Add another record", "record_", MAX_SLOTS) if len(names) < MAX_SLOTS else None
    note = f"1 to {MAX_SLOTS} accounts, contacts, opportunities, leads or cases."
    section = FieldSection("Attached to", fields, note=note, more=more)
    loose = tuple(text for text in form.errors if text not in [errors.get(name) for name in names])
    return replace(form, sections=(*form.sections, section), errors=loose)


def wants_more() -> bool:
    """Whether the form was sent with the button that adds a lookup, not to be saved."""
    return request.form.get("more") == "1"


def _slot(at: int, name: str, attached: Option | None, error: str) -> FormField:
    chosen = attached or Option("", "")
    candidates: tuple[Option, ...] = ()
    if f"{name}__text" in request.form:
        choice = read_lookup(request.form, name)
        chosen = named_record(choice) if choice.id else Option("", choice.text)
        candidates = _meant(name).candidates if error else ()
    return FormField(
        name=name,
        label="Attached to" if at == 1 else f"Attached to ({at})",
        kind="lookup",
        required=at == 1,
        value=chosen.value,
        value_label=chosen.label,
        value_detail=chosen.detail,
        error=error,
        candidates=candidates,
        lookup_url="/crm/lookup/record",
    )


def _meant(name: str) -> Meant:
    return meant(name, request.form, lambda _, text: exact("record", text), lambda _, text: partly("record", text))


def posted() -> list[str]:
    """The ids that the form names, in order. Raises Invalid."""
    found = {name: _meant(name) for name in _NAMES}
    faults = [FieldError(name, one.fault) for name, one in found.items() if one.fault]
    if faults:
        raise Invalid(faults)
    ids = list(dict.fromkeys(one.id for one in found.values() if one.id))
    if not ids:
        raise Invalid("attach the note to at least one record", field="record_ids")
    return ids


def change(got: Mapping[str, Any], who: str, when: str) -> Change:
    """The typed records beside those that the note has now, for the conflict page; `who` changed them, `when`."""
    theirs = ", ".join(option.label for option in of_note(got))
    return Change(label="Attached to", theirs=theirs, yours=typed(), who=who, when=when)


def typed() -> str:
    """The records that the form names, in words."""
    choices = [read_lookup(request.form, name) for name in _NAMES]
    return ", ".join(named_record(choice).label if choice.id else choice.text for choice in choices if choice.text)


def posted_again() -> list[tuple[str, str]]:
    """The lookups as they were sent."""
    return [(name, text) for name, text in request.form.items() if name.startswith("record_")]


def changed(got: Mapping[str, Any]) -> dict[str, Any]:
    """`record_ids` where the form names other records than the note has."""
    wanted = posted()
    return {} if set(wanted) == {option.value for option in of_note(got)} else {"record_ids": wanted}
