"""Forms as data: fields, sections, a whole form, and how a submitted lookup is read back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from .actions import Pairs

FieldKind = Literal[
    "text", "textarea", "number", "money", "percent", "email", "phone", "url",
    "checkbox", "select", "lookup", "date", "datetime", "radio", "static", "file",
]  # fmt: skip


@dataclass(frozen=True)
class Option:
    """One choice of a select, radio group or lookup; `detail` tells namesakes apart."""

    value: str
    label: str
    detail: str = ""


@dataclass(frozen=True, kw_only=True)
class FormField:
    """One labelled control.

    `value` is the text as shown (a select: the option's value; a checkbox: "1" or ""; a lookup: the
    record id, with `value_label` and `value_detail` for what is shown; a date: YYYY-MM-DD; a datetime:
    YYYY-MM-DD HH:MM in the person's zone, which belongs in `unit`).
    `unit` is shown in the label, e.g. "Amount (USD)". `lookup_url` answers `?q=TEXT` with
    `{"options": [{"id", "label", "detail"}], "more": bool}`.
    """

    name: str
    label: str
    kind: FieldKind = "text"
    required: bool = False
    value: str = ""
    value_label: str = ""
    value_detail: str = ""
    error: str = ""
    help: str = ""
    options: tuple[Option, ...] = ()
    lookup_url: str = ""
    unit: str = ""
    autocomplete: str = "off"
    max_length: int | None = None
    min_value: str = ""
    max_value: str = ""
    rows: int = 4
    wide: bool = False
    candidates: tuple[Option, ...] = ()
    """Records that the text of a lookup could mean: radio buttons beside the error."""

    @property
    def option_label(self) -> str:
        """The label of the chosen option, or "" if the value is none of them."""
        return next((o.label for o in self.options if o.value == self.value), "")


@dataclass(frozen=True)
class More:
    """A button that adds a lookup to its section, whose fields are `PREFIX1`, `PREFIX2` and so on, at most `most`.

    Without JavaScript it sends the form with `more=1`: answer with the form as typed and one more lookup.
    """

    label: str
    prefix: str
    most: int


@dataclass(frozen=True)
class FieldSection:
    """A titled group of fields, drawn as a fieldset in one, two or three columns."""

    title: str
    fields: tuple[FormField, ...]
    columns: Literal[1, 2, 3] = 2
    note: str = ""
    more: More | None = None
    is_fixed: bool = False
    """The order of the fields says something, so no variation changes it."""


@dataclass(frozen=True, kw_only=True)
class Form:
    """A form page or dialog body.

    `token` is the one-time form token (X-6), `row_version` the version the form was drawn from
    (X-7); both travel as hidden fields `form_token` and `row_version`. `hidden` adds more.
    """

    action: str
    sections: tuple[FieldSection, ...]
    submit_label: str
    cancel_href: str
    token: str = ""
    row_version: int | None = None
    hidden: Pairs = ()
    errors: tuple[str, ...] = ()
    """Errors that belong to no field, shown in the summary."""
    id: str = "form"
    title: str = ""
    intro: str = ""
    danger: bool = False
    cancel_label: str = "Cancel"
    anyway: tuple[str, str, str] | None = None
    """A second button that sends the form in spite of what was said: name, value, label."""
    found: tuple[Option, ...] = ()
    """What the form would double: links (`value` is the address), shown with the errors."""
    multipart: bool = False
    """Sent part by part: for a file, and for long texts."""
    guard: bool = True
    """Ask before leaving with unsaved changes (in-page dialog)."""

    @property
    def fields(self) -> tuple[FormField, ...]:
        """All fields in reading order."""
        return tuple(f for section in self.sections for f in section.fields)

    @property
    def problems(self) -> tuple[tuple[str, str, str], ...]:
        """(field id or "", label or "", message) of everything wrong, in reading order."""
        whole = [("", "", message) for message in self.errors]
        return (*whole, *((f"{self.id}-{f.name}", f.label, f.error) for f in self.fields if f.error))


@dataclass(frozen=True)
class LookupChoice:
    """What a person submitted in a lookup: a picked record id, or text still to be resolved."""

    id: str = ""
    text: str = ""


def read_lookup(form: Mapping[str, str], name: str) -> LookupChoice:
    """Return the choice submitted by the lookup field `name`.

    The control sends `NAME` (picked id), `NAME__label` (the label that id had) and `NAME__text`
    (what stands in the box). The id counts only while the text still is that label, so editing the
    text without JavaScript never keeps a stale id. Blank text means no record.

    Where candidates stood beside it, `NAME__pick` is the chosen one's id and `NAME__asked` the text they
    answered: the choice, too, counts only while the text is the same.
    """
    text = form.get(f"{name}__text", "").strip()
    chosen = form.get(f"{name}__pick", "").strip()
    if chosen and text == form.get(f"{name}__asked", "").strip():
        return LookupChoice(id=chosen, text=text)
    picked = form.get(name, "").strip()
    if picked and text == form.get(f"{name}__label", "").strip():
        return LookupChoice(id=picked, text=text)
    return LookupChoice(text=text)


def lookup_answer(options: Iterable[Option], more: bool = False) -> dict[str, object]:
    """Return the JSON body a lookup URL answers with, in the order given."""
    rows = [{"id": o.value, "label": o.label, "detail": o.detail} for o in options]
    return {"options": rows, "more": more}


@dataclass(frozen=True, kw_only=True)
class InlineEdit:
    """The small form that takes the place of a value (X-5, X-7): one field posted to `action`.

    `id` is unique in the page that the editor is put into. `cancel_href` leads to the record.
    """

    id: str
    field: FormField
    action: str
    token: str = ""
    row_version: int | None = None
    hidden: Pairs = ()
    cancel_href: str = "?"


@dataclass(frozen=True, kw_only=True)
class Detail:
    """One labelled value of a record; with `edit_href`, the page that edits it, it has a pencil "Edit LABEL"."""

    label: str
    value: str = ""
    href: str = ""
    kind: Literal["text", "money", "number", "date", "email", "phone", "url", "longtext", "person", "badge"] = "text"
    tone: str = "neutral"
    edit_href: str = ""
    note: str = ""
    """Why it cannot be changed by hand, where a person would expect to."""


@dataclass(frozen=True)
class DetailSection:
    """A collapsible section of a record's details in two columns."""

    title: str
    details: tuple[Detail, ...] = field(default_factory=tuple)
