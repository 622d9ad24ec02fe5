"""The records a note is attached to, as lookups of its form: one for each, and a few empty ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from flask import request

from ...kit.errors import FieldError, Invalid
from ...kit.session import read
from ...kit.web import FieldSection, Form, FormField, Option, read_lookup
from .drawing import exact

MAX_SLOTS = 10
SPARE = 2
FIRST = "record_1__text"


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
    """The form with lookups for the records."""
    posted = FIRST in request.form
    count = max(1, min(MAX_SLOTS, len(attached) + SPARE))
    error = next((fault.message for fault in faults if fault.field and "record_ids" in fault.field), "")
    fields = tuple(
        _slot(at, attached[at - 1] if at <= len(attached) else None, posted, error if at == 1 else "")
        for at in range(1, count + 1)
    )
    section = FieldSection("Attached to", fields, note="1 to 10 accounts, contacts or opportunities.")
    loose = tuple(text for text in form.errors if text != error)
    return replace(form, sections=(*form.sections, section), errors=loose)


def _slot(at: int, attached: Option | None, posted: bool, error: str) -> FormField:
    name = f"record_{at}"
    chosen = attached or Option("", "")
    if posted:
        choice = read_lookup(request.form, name)
        chosen = Option(choice.id, choice.text)
    return FormField(
        name=name,
        label="Attached to" if at == 1 else f"Attached to ({at})",
        kind="lookup",
        required=at == 1,
        value=chosen.value,
        value_label=chosen.label,
        value_detail=chosen.detail,
        error=error,
        lookup_url="/crm/lookup/record",
    )


def posted() -> list[str]:
    """The ids that the form names, in order. Raises Invalid."""
    found: list[str] = []
    for at in range(1, MAX_SLOTS + 1):
        choice = read_lookup(request.form, f"record_{at}")
        record_id = choice.id
        if choice.text and not record_id:
            matches = exact("record", choice.text)
            if len(matches) != 1:
                many = f'{len(matches)} records are called "{choice.text}"; pick one from the list'
                none = f'nothing is called "{choice.text}"; pick one from the list'
                raise Invalid(many if matches else none, field="record_ids")
            record_id = matches[0].value
        if record_id and record_id not in found:
            found.append(record_id)
    if not found:
        raise Invalid("attach the note to at least one record", field="record_ids")
    return found


def changed(got: Mapping[str, Any]) -> dict[str, Any]:
    """`record_ids` where the form names other records than the note has."""
    wanted = posted()
    return {} if set(wanted) == {option.value for option in of_note(got)} else {"record_ids": wanted}
