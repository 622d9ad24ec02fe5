"""Forms from input models: the fields a page shows, and what a posted form means (DESIGN §4; X-6, X-7, X-12).

One `Input` model gives both. Its fields carry their widget (`fields.widget`), label (`title`) and help
(`description`); values are the plain JSON that a tool call would hold:

    defaults = {"type": "Prospect"}
    face = show_form(AccountInput, filler, values=defaults, lookup_urls={"parent_id": "/crm/lookup/account"})
    Form(action=…, sections=(face.section("About", "name", "type"), …), errors=face.errors, token=form_token(…))

    typed = read_form(AccountInput, request.form, filler, values=defaults, resolve=find_account)
    arguments = typed.created()        # or {"id": …, "row_version": …, "values": typed.changed()}

Widget kinds: text, textarea, email, phone, url, number, percent, money, date, instant, picklist, lookup, checkbox.
A field without a widget is a checkbox for a bool, a picklist for a closed set, a number for an int, else text.
An instant is one control, date and time in the filler's zone.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from .errors import FieldError
from .operations import Input
from .posted import Resolve, Typed, read_form
from .store import Store
from .web import FieldSection, FormField, Option, read_lookup
from .widgets import TEXTS, Filler, Wanted, wanted, written

__all__ = ["Face", "Filler", "Resolve", "Typed", "form_token", "read_form", "show_form"]

_KINDS = {"picklist": "select", "instant": "datetime"}


def form_moment(store: Store) -> tuple[bytes, int]:
    """What the tokens of forms drawn now have in common: the world's key and the last command."""
    seq = store.conn.execute("SELECT coalesce(max(seq), 0) FROM jrn_command").fetchone()[0]
    return store.meta("world_key").encode(), int(seq)


def form_token(
    store: Store,
    person_id: str,
    form: str,
    record: str = "",
    version: int | None = None,
    *,
    moment: tuple[bytes, int] | None = None,
) -> str:
    """The one-time token of a form as rendered now (X-6): equal until the next command, written nowhere.

    `moment`: `form_moment` of the read transaction, for pages with many forms.
    """
    key, seq = moment or form_moment(store)
    text = "|".join((person_id, form, record, "" if version is None else str(version), str(seq)))
    return hmac.digest(key, text.encode(), hashlib.sha256).hex()


@dataclass(frozen=True)
class Face:
    """A form as it is shown: its control by field, and the errors that belong to none of them."""

    fields: Mapping[str, FormField]
    errors: tuple[str, ...] = ()

    def section(self, title: str, *names: str, columns: Any = 2, note: str = "") -> FieldSection:
        """A titled group of those fields, in that order. Raises KeyError for a name the form does not have."""
        return FieldSection(title, tuple(self.fields[name] for name in names), columns, note)

    def __getitem__(self, name: str) -> FormField:
        return self.fields[name]


@dataclass(frozen=True, kw_only=True)
class _Drawing:
    """Everything one control may need."""

    filler: Filler
    values: Mapping[str, Any]
    typed: Mapping[str, str] | None
    faults: Mapping[str, str]
    options: Mapping[str, Sequence[Option | str]]
    lookup_urls: Mapping[str, str]
    shown: Mapping[str, Option]
    units: Mapping[str, str]
    candidates: Mapping[str, tuple[Option, ...]]
    required: Collection[str]


@cache
def _same(value: str) -> Option:
    return Option(value, value)


def _choices(want: Wanted, drawing: _Drawing, value: str, required: bool) -> tuple[Option, ...]:
    given: Sequence[Option | str] = drawing.options.get(want.name, want.options)
    options = [_same(item) if isinstance(item, str) else item for item in given]
    if value and value not in [item.value for item in options]:
        options.append(Option(value, value))
    if not required or not value:
        options.insert(0, Option("", "Choose…" if required else "–"))
    return tuple(options)


def _was_shown(want: Wanted, typed: Mapping[str, str]) -> bool:
    """Whether the posted form had this control; one that a fault adds to it holds the record's value."""
    return want.kind == "checkbox" or want.name in typed or f"{want.name}__text" in typed


def _value(want: Wanted, drawing: _Drawing) -> str:
    if drawing.typed is not None and _was_shown(want, drawing.typed):
        return drawing.typed.get(want.name, "")
    return written(want, drawing.values.get(want.name), drawing.filler)


def _held(want: Wanted, drawing: _Drawing) -> dict[str, str]:
    """The record that a lookup holds. Of a posted one the id stands again only while it counts: text that was typed
    over the name of another record must not take that record's id along."""
    record = drawing.shown.get(want.name, Option("", ""))
    if drawing.typed is None or not _was_shown(want, drawing.typed):
        return {"value_label": record.label, "value_detail": record.detail}
    choice = read_lookup(drawing.typed, want.name)
    if choice.id and choice.id == record.value:
        return {"value": choice.id, "value_label": record.label, "value_detail": record.detail}
    return {"value": choice.id, "value_label": drawing.typed.get(f"{want.name}__text", "")}


def _draw(want: Wanted, drawing: _Drawing) -> FormField:
    name = want.name
    required = want.required or name in drawing.required
    plain: dict[str, Any] = {
        "name": name,
        "label": want.label,
        "kind": _KINDS.get(want.kind, want.kind),
        "required": required,
        "error": drawing.faults.get(name, ""),
        "help": want.help,
        "unit": drawing.units.get(name, drawing.filler.zone if want.kind == "instant" else ""),
    }
    value = _value(want, drawing)
    plain["value"] = value
    if want.kind == "picklist":
        plain["options"] = _choices(want, drawing, value, required)
    elif want.kind == "lookup":
        plain |= _held(want, drawing)
        plain |= {"lookup_url": drawing.lookup_urls[name], "candidates": drawing.candidates.get(name, ())}
    elif want.kind in TEXTS:
        plain["max_length"] = want.max_length
    return FormField(**plain)


def _by_field(faults: Sequence[FieldError], names: Collection[str]) -> tuple[dict[str, str], tuple[str, ...]]:
    placed: dict[str, str] = {}
    loose: list[str] = []
    for fault in faults:
        name = (fault.field or "").removeprefix("values.").split(".")[0]
        if name in names:
            placed.setdefault(name, fault.shown)
        else:
            loose.append(fault.shown)
    return placed, tuple(loose)


def show_form(
    model: type[Input],
    filler: Filler,
    *,
    values: Mapping[str, Any] | None = None,
    typed: Mapping[str, str] | None = None,
    faults: Sequence[FieldError] = (),
    options: Mapping[str, Sequence[Option | str]] | None = None,
    lookup_urls: Mapping[str, str] | None = None,
    shown: Mapping[str, Option] | None = None,
    units: Mapping[str, str] | None = None,
    candidates: Mapping[str, tuple[Option, ...]] | None = None,
    only: Sequence[str] | None = None,
    required: Collection[str] = (),
) -> Face:
    """The controls of a form.

    `values`: what is prefilled, as plain values. `typed`: the posted form after an error; every typed text stands
    again (X-12). `faults`: `Invalid.errors`. `options`: the choices of a picklist that lives in a table. `shown`:
    label and detail of the record that a lookup holds. `units`: unit of a field, e.g. a currency. `only`: the fields
    to show, all by default. `required`: fields to mark beyond what the model says.
    """
    fields = wanted(model)
    names = list(fields) if only is None else list(only)
    placed, loose = _by_field(faults, names)
    drawing = _Drawing(
        filler=filler,
        values=values or {},
        typed=typed,
        faults=placed,
        options=options or {},
        lookup_urls=lookup_urls or {},
        shown=shown or {},
        units=units or {},
        candidates=candidates or {},
        required=required,
    )
    return Face({name: _draw(fields[name], drawing) for name in names}, loose)
