"""Forms and inline editors of records: which fields, with which values, and what a posted one says."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from flask import g, request

from ...kit.errors import BadQuery, FieldError, Forbidden, Invalid, NotFound
from ...kit.forms import Face, Typed, form_moment, form_token, read_form, show_form
from ...kit.norm import norm
from ...kit.operations import Input
from ...kit.session import filler, read
from ...kit.web import Form, FormField, InlineEdit, LookupChoice, Option, read_lookup
from ..service.catalog import MODELS
from ..service.inputs import widgets
from ..service.kinds import KINDS
from .reading import detail_of, fields_of, name_behind
from .specs import Pages, record_href

_SELECTS = ("stage", "currency")
_LONGEST_NAME = 200
_OFFERED = 10
NOT_IN_PAGES = "record_ids"
ANYWAY = "allow_duplicates"


def token(form: str, record: str = "", version: int | None = None) -> str:
    """The one-time token of a form."""
    context = g.get("context")
    if context is None:
        return form_token(g.store, g.person_id, form, record, version)
    if form_moment not in context.memo:
        context.memo[form_moment] = form_moment(g.store)
    return form_token(g.store, g.person_id, form, record, version, moment=context.memo[form_moment])


@cache
def lookup_urls(model: type[Input]) -> Mapping[str, str]:
    """Where each lookup of a form asks."""
    return {
        name: f"/crm/lookup/{details['object']}"
        for name, details in widgets(model).items()
        if details["kind"] == "lookup"
    }


def resolver(model: type[Input]) -> Any:
    """Finds the records that a text typed into a lookup means: those called exactly so."""

    def resolve(field: str, text: str) -> Sequence[Option]:
        return exact(str(widgets(model)[field]["object"]), text)

    return resolve


def nearby(model: type[Input]) -> Any:
    """Finds what to offer where nothing is called exactly as a text: records that it is a part of the name of."""

    def near(field: str, text: str) -> Sequence[Option]:
        return partly(str(widgets(model)[field]["object"]), text)

    return near


def _found(target: str, text: str) -> list[Option]:
    """Candidates for a text, and for the part of it before a comma: "Aldercroft Ltd, Leeds"."""
    if len(text) > _LONGEST_NAME:
        return []
    rows: dict[str, Option] = {}
    for part in dict.fromkeys((text, text.split(",")[0])):
        for row in read("crm.lookup", {"object": target, "text": part, "limit": 50})["rows"] if norm(part) else ():
            rows.setdefault(row["id"], option_of(row))
    return list(rows.values())


def exact(target: str, text: str) -> list[Option]:
    """Records of a kind whose name, or name with what tells it apart, is the text."""
    whole = norm(text)
    found = _found(target, text)
    told_apart = [option for option in found if whole == norm(f"{option.label}, {option.detail}")]
    return told_apart or [option for option in found if whole == norm(option.label)]


def partly(target: str, text: str) -> list[Option]:
    """The first records of a kind that the text is a part of the name of, or a beginning of name and details."""
    found, whole = _found(target, text), norm(text)
    closer = [option for option in found if norm(f"{option.label}, {option.detail}").startswith(whole)]
    return (closer or found)[:_OFFERED]


def option_of(row: Mapping[str, Any]) -> Option:
    """A candidate of a lookup as pages offer it."""
    return Option(row["id"], row["name"], detail_of(row))


def writable(pages: Pages, *, transfer: bool = True, new: bool = False) -> list[str]:
    """The fields of a form that the person may set, in order."""
    known = fields_of(pages.kind)
    model = MODELS[pages.kind][0 if new else 1]
    return [
        name
        for name in pages.form_fields
        if name in known and known[name]["writable"] and name in model.model_fields and (transfer or name != "owner_id")
    ]


def named_options(pages: Pages, record: Mapping[str, Any], only: Sequence[str] | None = None) -> dict[str, Option]:
    """What the lookups of a record show."""
    known = fields_of(pages.kind)
    return {
        name: Option(str(record[name]), name_behind(name, record))
        for name in (known if only is None else only)
        if known[name]["type"] == "ref" and record.get(name)
    }


def face(
    pages: Pages,
    model: type[Input],
    names: Sequence[str],
    values: Mapping[str, Any],
    shown: Mapping[str, Option],
    *,
    typed: Mapping[str, str] | None = None,
    faults: Sequence[FieldError] = (),
    candidates: Mapping[str, tuple[Option, ...]] | None = None,
) -> Face:
    """The controls of a form of one kind of record."""
    known = fields_of(pages.kind)
    options = {name: known[name]["allowed"] for name in names if name in known and known[name]["allowed"]}
    units = {
        name: str(values["currency"])
        for name in ("amount", "annual_revenue", "shipping", "unit_price")
        if values.get("currency")
    }
    drawn = show_form(
        model,
        filler(),
        values=values,
        typed=typed,
        faults=faults,
        options=options,
        lookup_urls=lookup_urls(model),
        shown=dict(shown) | (_picked(model, names, shown) if typed is not None else {}),
        units=units,
        candidates=candidates or {},
        only=names,
        required=[name for name in names if name in known and known[name]["required"]],
    )
    return Face({name: _choosable(item, options.get(name)) for name, item in drawn.fields.items()}, drawn.errors)


def _picked(model: type[Input], names: Sequence[str], shown: Mapping[str, Option]) -> dict[str, Option]:
    """The records that the posted form chose from candidates, by name: the text beside them was only what was asked."""
    found = {}
    for name in names:
        if widgets(model)[name]["kind"] == "lookup" and request.form.get(f"{name}__pick"):
            chosen = read_lookup(request.form, name)
            if chosen.id and (name not in shown or shown[name].value != chosen.id):
                found[name] = named_record(chosen)
    return found


def named_record(chosen: LookupChoice) -> Option:
    """What a posted record is called; the text that was typed where it cannot be read."""
    try:
        return Option(chosen.id, str(read("crm.get", {"id": chosen.id, "fields": ["id"]})["name"]))
    except (NotFound, Forbidden, Invalid):
        return Option(chosen.id, chosen.text)


def _choosable(item: FormField, allowed: Sequence[str] | None) -> FormField:
    """Stages and currencies as selects."""
    if item.kind not in _SELECTS or allowed is None:
        return item
    values = list(allowed) if item.value in ("", *allowed) else [*allowed, item.value]
    blank = () if item.value and item.name == "stage" else (Option("", "–"),)
    return replace(item, kind="select", options=(*blank, *(Option(value, value) for value in values)))


def rendered(names: Sequence[str], values: Mapping[str, Any]) -> tuple[str, str]:
    """The hidden field that says what a form showed, so that only what was touched is sent (X-7)."""
    return "rendered", json.dumps({name: values.get(name) for name in names}, ensure_ascii=False)


def posted_rendered(allowed: Sequence[str]) -> dict[str, Any]:
    """What the form showed when it was drawn, by field. Raises BadQuery."""
    try:
        found = json.loads(request.form.get("rendered", "{}"))
    except (ValueError, RecursionError):
        raise BadQuery("the hidden field rendered is not JSON", field="rendered") from None
    if not isinstance(found, dict) or not all(isinstance(v, str | int | bool | None) for v in found.values()):
        raise BadQuery("the hidden field rendered is not a record", field="rendered")
    return {name: found[name] for name in allowed if name in found}


def typed_form(model: type[Input], names: Sequence[str], before: Mapping[str, Any]) -> Typed:
    """What the posted form says."""
    return read_form(
        model, request.form, filler(), values=before, resolve=resolver(model), near=nearby(model), only=names
    )


def editor_href(pages: Pages, record_id: str, name: str) -> str:
    """The page that edits one value of a record."""
    return f"{pages.url}/{record_id}/edit?field={name}"


def inline(pages: Pages, record: Mapping[str, Any], name: str, back: tuple[tuple[str, str], ...] = ()) -> InlineEdit:
    """The editor of a single value of a record, as a script puts it in the value's place."""
    model = MODELS[pages.kind][1]
    drawn = face(pages, model, [name], record, named_options(pages, record, [name]))  # type: ignore[arg-type]
    return InlineEdit(
        id=f"edit-{record['id']}",
        field=drawn[name],
        action=f"{pages.url}/{record['id']}/edit",
        token=token("edit", record["id"], record["row_version"]),
        row_version=record["row_version"],
        hidden=(rendered([name], record), *back),
        cancel_href=f"{pages.url}/{record['id']}",
    )


def doubled(error: Invalid | None) -> dict[str, Any]:
    """What a form shows of the records that it would double, and the button that saves all the same (row 14)."""
    rows = error.details.get("duplicates", ()) if error is not None else ()
    if not rows or error is None:
        return {}
    found = tuple(
        Option(record_href(row["id"]), row["name"], " · ".join(filter(None, (detail_of(row), row["reason"]))))
        for row in rows
    )
    may_save = error.details["may_save"]
    noun = KINDS[rows[0]["object"]].label.lower()
    said = "look whether it is one of these" if may_save else "it cannot be saved; use the one that exists"
    return {
        "errors": (f"a matching rule takes this for {_a(noun)} that exists already: {said}",),
        "found": found,
        "anyway": (ANYWAY, "1", "Save anyway") if may_save else None,
    }


def _a(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def anyway() -> dict[str, bool]:
    """The argument of a command whose form was sent by "Save anyway"."""
    return {"allow_duplicates": True} if request.form.get(ANYWAY) == "1" else {}


def form_of(drawn: Face, pages: Pages, **more: Any) -> Form:
    """A form in the sections of its object."""
    sections = []
    for title, names in pages.sections:
        present = [name for name in names if name in drawn.fields]
        if present:
            sections.append(drawn.section(title, *present))
    placed = {name for _, names in pages.sections for name in names}
    rest = [name for name in drawn.fields if name not in placed]
    if rest:
        sections.append(drawn.section("Further choices", *rest, columns=1))
    errors = more.pop("errors", ())  # those of the whole form, instead of a message that no field shows
    return Form(sections=tuple(sections), errors=errors or drawn.errors, **more)
