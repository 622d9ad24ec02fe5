"""What a posted form means: typed text read per field, and only what the person touched (X-7, X-12)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

from . import entry
from .errors import FieldError, Invalid
from .norm import clean_text
from .operations import Input, parse_input
from .web import Option, read_lookup
from .widgets import TEXTS, Filler, Wanted, wanted, written

Resolve = Callable[[str, str], Sequence[Option]]
"""`resolve(field, text)`: records called exactly as the text typed into a lookup; or, as `near`, those that it is a
part of the name of."""
_EMPTY = "give a value"
_QUOTED = 80


@dataclass(frozen=True)
class Typed:
    """What a posted form says, field by field, as plain values; None is an empty control.

    `faults` are texts that could not be read. `candidates`: records that a lookup's text could mean, to choose from.
    """

    model: type[Input]
    values: Mapping[str, Any]
    prefilled: Mapping[str, Any]
    faults: tuple[FieldError, ...] = ()
    candidates: Mapping[str, tuple[Option, ...]] = field(default_factory=dict)

    def created(self) -> dict[str, Any]:
        """Arguments of a create: neither what is empty nor what equals the prefilled value. Raises Invalid."""
        given = self._touched()
        faults = (*self.faults, *self._missing())
        if faults:
            raise Invalid((*faults, *self._further_faults(given, {fault.field for fault in faults})))
        return given

    def changed(self) -> dict[str, Any]:
        """Values of an update: only what differs from the row; None empties a column (X-7). Raises Invalid."""
        faults = (*self.faults, *self._missing())
        if faults:
            raise Invalid(faults)
        return self._touched()

    def _missing(self) -> list[FieldError]:
        fields = wanted(self.model)
        return [
            FieldError(name, _EMPTY) for name, value in self.values.items() if value is None and fields[name].required
        ]

    def _touched(self) -> dict[str, Any]:
        fields = wanted(self.model)
        return {
            name: value
            for name, value in self.values.items()
            if not _same(fields[name].kind, value, self.prefilled.get(name))
        }

    def _further_faults(self, given: dict[str, Any], known: set[str | None]) -> list[FieldError]:
        try:
            parse_input(self.model, given)
        except Invalid as error:
            return [fault for fault in error.errors if fault.field not in known]
        return []


def _same(kind: str, value: Any, other: Any) -> bool:
    if kind == "checkbox":
        return bool(value) == bool(other)
    if value in (None, "") or other in (None, ""):
        return value in (None, "") and other in (None, "")
    if kind in ("money", "number", "percent"):
        try:
            return Decimal(str(value)) == Decimal(str(other))
        except InvalidOperation:
            return False
    if kind in TEXTS:
        try:
            return clean_text(str(value)) == clean_text(str(other))
        except ValueError:
            return False
    return bool(value == other)


@dataclass(frozen=True)
class Meant:
    """What the text of a lookup means: one record's id, or `candidates` to choose from and a `fault` that says so."""

    id: str | None = None
    candidates: tuple[Option, ...] = ()
    fault: str = ""


def meant(name: str, form: Mapping[str, str], resolve: Resolve | None, near: Resolve | None = None) -> Meant:
    """The record that the lookup `name` of a posted form means; no id and no fault where it is empty."""
    choice = read_lookup(form, name)
    if choice.id or not choice.text:
        return Meant(choice.id or None)
    found = tuple(resolve(name, choice.text)) if resolve is not None else ()
    if len(found) == 1:
        return Meant(found[0].value)
    text = choice.text if len(choice.text) <= _QUOTED else choice.text[:_QUOTED] + "…"
    if found:
        return Meant(None, found, f'{len(found)} records are called "{text}"; choose the one you mean')
    found = tuple(near(name, choice.text)) if near is not None else ()
    if found:
        offer = "choose one of these" if len(found) > 1 else "choose the one offered"
        return Meant(None, found, f'nothing is called exactly "{text}"; {offer} or type another name')
    return Meant(None, (), f'nothing is called "{text}"; type another name')


def _lookup_value(
    name: str,
    form: Mapping[str, str],
    resolve: Resolve | None,
    near: Resolve | None,
    candidates: dict[str, tuple[Option, ...]],
) -> str | None:
    found = meant(name, form, resolve, near)
    if found.candidates:
        candidates[name] = found.candidates
    if found.fault:
        raise ValueError(found.fault)
    return found.id


def _plain_value(want: Wanted, text: str, filler: Filler) -> Any:
    if want.kind in TEXTS:
        unified = text.replace("\r\n", "\n").replace("\r", "\n")
        return unified if unified.strip() else None
    if not text.strip():
        return None
    if want.kind == "date":
        return entry.read_date(text, filler.locale)
    if want.kind == "instant":
        return entry.read_instant(text, filler.locale, filler.zone)
    if want.whole and want.kind in ("number", "percent"):
        return entry.read_integer(text, filler.locale)
    if want.kind in ("number", "percent", "money"):
        return entry.read_number(text, filler.locale)
    return text


def read_form(
    model: type[Input],
    form: Mapping[str, str],
    filler: Filler,
    *,
    values: Mapping[str, Any] | None = None,
    resolve: Resolve | None = None,
    near: Resolve | None = None,
    only: Sequence[str] | None = None,
) -> Typed:
    """What a posted form says. A field whose control was not posted is left out; an unposted checkbox is off.

    `values`: what was prefilled: the defaults of a create, the row of an update. `only`: the fields the form showed.
    `resolve` finds the records that a lookup's text names, `near` what to offer where it names none.
    """
    prefilled = values or {}
    fields = wanted(model)
    read: dict[str, Any] = {}
    faults: list[FieldError] = []
    candidates: dict[str, tuple[Option, ...]] = {}
    for name in list(fields) if only is None else only:
        want = fields[name]
        try:
            if want.kind == "checkbox":
                read[name] = form.get(name) == "1"
            elif want.kind == "lookup" and f"{name}__text" in form:
                read[name] = _lookup_value(name, form, resolve, near, candidates)
            elif name in form:
                untouched = form[name] == written(want, prefilled.get(name), filler)
                read[name] = prefilled.get(name) if untouched else _plain_value(want, form[name], filler)
        except ValueError as error:
            faults.append(FieldError(name, str(error)))
    return Typed(model, read, prefilled, tuple(faults), candidates)
