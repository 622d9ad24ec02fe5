"""Forms and inline editors of records: which fields, with which values, and what a posted one says."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from flask import g, request

from ...kit.errors import BadQuery, FieldError
from ...kit.forms import Face, Typed, form_moment, form_token, read_form, show_form
from ...kit.norm import norm
from ...kit.operations import Input
from ...kit.session import filler, read
from ...kit.web import Form, FormField, InlineEdit, Option
from ..service.catalog import MODELS
from ..service.inputs import widgets
from .reading import fields_of, name_behind
from .specs import Pages

_SELECTS = ("stage", "currency")
NOT_IN_PAGES = "record_ids"


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


def exact(target: str, text: str) -> list[Option]:
    """Records of a kind whose name, or name with what tells it apart, is the text."""
    if len(text) > 200:
        return []
    head = text.split(",")[0]
    found = read("crm.lookup", {"object": target, "text": head, "limit": 50})["rows"]
    whole = norm(text)
    return [
        Option(row["id"], row["name"], row["detail"])
        for row in found
        if whole in (norm(row["name"]), norm(f"{row['name']}, {row['detail']}"))
    ]


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
    units = {name: str(values["currency"]) for name in ("amount", "annual_revenue") if values.get("currency")}
    drawn = show_form(
        model,
        filler(),
        values=values,
        typed=typed,
        faults=faults,
        options=options,
        lookup_urls=lookup_urls(model),
        shown=shown,
        units=units,
        candidates=candidates or {},
        only=names,
        required=[name for name in names if name in known and known[name]["required"]],
    )
    return Face({name: _choosable(item, options.get(name)) for name, item in drawn.fields.items()}, drawn.errors)


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
    except ValueError:
        raise BadQuery("the hidden field rendered is not JSON", field="rendered") from None
    if not isinstance(found, dict) or not all(isinstance(v, str | int | bool | None) for v in found.values()):
        raise BadQuery("the hidden field rendered is not a record", field="rendered")
    return {name: found[name] for name in allowed if name in found}


def typed_form(model: type[Input], names: Sequence[str], before: Mapping[str, Any]) -> Typed:
    """What the posted form says."""
    return read_form(model, request.form, filler(), values=before, resolve=resolver(model), only=names)


def inline(pages: Pages, record: Mapping[str, Any], names: Sequence[str], back: str = "") -> dict[str, InlineEdit]:
    """Editors of single values of a record, by field."""
    model = MODELS[pages.kind][1]
    drawn = face(pages, model, names, record, named_options(pages, record, names))  # type: ignore[arg-type]
    url = f"{pages.url}/{record['id']}/edit"
    seal = token("edit", record["id"], record["row_version"])
    return {
        name: InlineEdit(
            field=drawn[name],
            action=url,
            token=seal,
            row_version=record["row_version"],
            hidden=(rendered([name], record), *((("back", back),) if back else ())),
            href=f"{url}?field={name}",
        )
        for name in names
    }


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
    return Form(sections=tuple(sections), errors=(*drawn.errors, *more.pop("errors", ())), **more)
