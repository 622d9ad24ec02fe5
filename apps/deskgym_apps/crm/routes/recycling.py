"""The recycle bin (CRM-10), and what a person is told who comes to a record that was deleted meanwhile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flask import g, request

from ...kit.errors import Invalid, NotFound
from ...kit.forms import Typed
from ...kit.session import error_page, read, run, sentence
from ...kit.web import Cell, Column, Detail, DetailSection, Link, MenuItem, Page, PageHeader, Row, Table, Toast
from ...kit.web.display import instant
from ..service.catalog import MODELS
from ..service.kinds import KINDS, RECORDS, kind_of
from . import note_links
from .drawing import posted_rendered, token, typed_form
from .going import back_pair, beside, go, page
from .home import SIZE, offset
from .reading import detail_of, field_info, label_of, text_of
from .routing import blueprint
from .shell import toasts
from .specs import PAGES

_URL = "/crm/recycle-bin"
_COLUMNS = (
    Column("name", "Name"),
    Column("object", "Object"),
    Column("with", "Deleted with it"),
    Column("by", "Deleted by", kind="person"),
    Column("at", "Deleted"),
)
_LOOKUP_PARTS = ("", "__label", "__text", "__pick", "__asked")


def _restore_item(record_id: str, label: str = "Restore", more: Sequence[tuple[str, str]] = ()) -> MenuItem:
    return MenuItem(
        label=label,
        post=_URL,
        fields=(("id", record_id), ("form_token", token("restore", record_id)), *more),
        icon="arrow-counterclockwise",
        primary=label != "Restore",
    )


def _rows(rows: Sequence[Mapping[str, Any]]) -> tuple[Row, ...]:
    """Rows under names that tell namesakes apart: object, what is known of the record, when it was deleted."""
    drawn: list[Row] = []
    names: list[str] = []
    for row in rows:
        at = instant(row["deleted_at"], g.person["tz"])
        parts = [row["name"], KINDS[row["object"]].label.lower(), detail_of(row)]
        name = ", ".join(part for part in parts if part)
        names.append(name)
        if names.count(name) > 1:
            name = f"{name}, deleted {at} ({names.count(name)})"
        cells = {
            "name": Cell(text=row["name"], href=f"{_URL}/{row['id']}", label=name),
            "object": KINDS[row["object"]].label,
            "with": f"{row['with_it']} more" if row["with_it"] else "",
            "by": row["deleted_by_name"] or "",
            "at": at,
        }
        actions = (_restore_item(row["id"]),) if row["can_restore"] else ()
        drawn.append(Row(id=row["id"], name=name, cells=cells, actions=actions))
    return tuple(drawn)


def _bin(status: int = 200, faults: tuple[Toast, ...] = ()) -> Any:
    number, first = offset()
    scope = "org" if request.args.get("scope") == "org" else "mine"
    found = read("crm.recycle_bin", {"scope": scope, "limit": SIZE, "offset": first})
    table = Table(
        id="recycle-bin",
        caption="Deleted records",
        columns=_COLUMNS,
        rows=_rows(found["rows"]),
        url=_URL,
        noun=("deleted record", "deleted records"),
        query=(("scope", "org"),) if scope == "org" else (),
        page=Page(number, SIZE, found["total"], (SIZE,)),
        empty_title="Nothing here",
        empty_text=f"Deleted records stay here for {found['keep_days']} days.",
    )
    switch = MenuItem(label="Show what I deleted", href=_URL)
    if scope == "mine":
        switch = MenuItem(label="Show all I may restore", href=f"{_URL}?scope=org")
    header = PageHeader(
        title="Recycle bin",
        icon="trash3",
        subtitle=f"Records stay here for {found['keep_days']} days. A record comes back with what was deleted with it.",
        actions=(switch,),
    )
    told = faults or toasts()
    return page("crm/list.html", status, list_header=header, table=table, heading="Recycle bin", toasts=told)


@blueprint.get("/recycle-bin")
def recycle_bin() -> Any:
    """Deleted records that can still be restored."""
    return _bin()


def _who_and_when(gone: Mapping[str, Any]) -> str:
    """A sentence: who deleted the record, when, and with what."""
    root, noun = gone["root"], KINDS[gone["object"]].label.lower()
    if gone["merged_into"]:
        into = gone["merged_into"]["name"] or gone["merged_into"]["id"]
        at = instant(gone["deleted_at"], g.person["tz"])
        return f"{gone['deleted_by_name']} merged this {noun} into {into} on {at}."
    said = f"{gone['deleted_by_name']} deleted this {noun} on {instant(gone['deleted_at'], g.person['tz'])}"
    if root["id"] == gone["id"]:
        return f"{said}."
    return f"{said}, together with the {KINDS[root['object']].label.lower()} {root['name'] or root['id']}."


def _restoring(gone: Mapping[str, Any], more: Sequence[tuple[str, str]] = ()) -> tuple[MenuItem, ...]:
    """The button that brings a record back, or the record that it was deleted with."""
    if not gone["can_restore"]:
        return ()
    noun = KINDS[gone["root"]["object"]].label.lower()
    return (_restore_item(gone["root"]["id"], f"Restore {noun}", more),)


@blueprint.get("/recycle-bin/<record_id>")
def deleted(record_id: str) -> Any:
    """A deleted record: what it held, who deleted it and when, and how it comes back."""
    gone = read("crm.deleted_record", {"id": record_id})
    kind, record = gone["object"], gone["record"]
    held = tuple(
        Detail(label=label_of(kind, key), value=text_of(kind, key, record))
        for key in record
        if field_info(kind, key) is not None and key != "currency"
    )
    facts = (
        Detail(label="Deleted by", value=gone["deleted_by_name"], kind="person"),
        Detail(label="Deleted", value=instant(gone["deleted_at"], g.person["tz"])),
    )
    header = PageHeader(
        title=gone["name"],
        kicker=f"Deleted {KINDS[kind].label.lower()}",
        icon=PAGES[kind].icon,
        subtitle=_who_and_when(gone),
        actions=_restoring(gone),
    )
    return page(
        "crm/deleted.html",
        deleted_header=header,
        sections=(DetailSection("What it held", held), DetailSection("Deletion", facts)),
        heading=f"{gone['name']} · Deleted {KINDS[kind].label.lower()}",
        crumbs=[Link("Recycle bin", _URL)],
    )


@blueprint.post("/recycle-bin")
def restore() -> Any:
    """Bring a record back: `undelete_<kind>`. What was typed for it before it was found deleted can then be saved."""
    record_id = request.form.get("id", "")
    kind = kind_of(record_id).name
    if kind not in RECORDS:
        raise NotFound(f'the recycle bin has no record "{record_id}"')
    try:
        run(f"crm.undelete_{kind}", {"id": record_id})
    except Invalid as error:
        return _bin(422, tuple(Toast(f"Not restored: {fault.shown}.", tone="danger") for fault in error.errors))
    edited = request.form.get("edited", "")
    return _typed_before(edited) if edited else go(_URL, "restored", id=record_id)


def _typed_before(record_id: str) -> Any:
    """The restored record beside what was typed for it, to be saved or not."""
    pages = PAGES[kind_of(record_id).name]
    typed, changed = _typed(pages.kind)
    if note_links.FIRST in request.form:
        got = read("crm.get", {"id": record_id, "related": ["records"]})
        changed += list(note_links.changed(got))
    heading = "The record is restored; your values are not saved yet"
    texts = {"code": "Restored", "heading": heading, "retry_label": "Save my values"}
    return page("kit/conflict.html", conflict=beside(pages, record_id, {}, typed, changed, **texts), toasts=())


def _typed(kind: str) -> tuple[Typed, list[str]]:
    """What the posted form says of a record that is not there, and the fields that it changes."""
    model: Any = MODELS[kind][1]
    before = posted_rendered(list(model.model_fields))
    names = [name for name in model.model_fields if name in request.form or f"{name}__text" in request.form]
    names += [name for name, value in before.items() if isinstance(value, bool) and name not in names]
    typed = typed_form(model, names, before)
    try:
        return typed, list(typed.changed())
    except Invalid:
        return typed, names


def _kept(kind: str) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """What was typed: label and text for the page, and the pairs that send it again."""
    shown, pairs = [], []
    for name in _typed(kind)[1]:
        info = field_info(kind, name)
        if info is None:
            continue
        text = request.form.get(f"{name}__text", request.form.get(name, ""))
        shown.append((label_of(kind, name), ("Yes" if text == "1" else "No") if info["type"] == "bool" else text))
        keys = [name + part for part in _LOOKUP_PARTS]
        pairs += [(key, request.form[key]) for key in keys if key in request.form]
    if note_links.FIRST in request.form:
        shown.append(("Attached to", note_links.typed()))
        pairs += note_links.posted_again()
    return shown, pairs


@blueprint.errorhandler(NotFound)
def not_found(error: NotFound) -> Any:
    """The page of what is not there; of a deleted record it says who deleted it, and keeps what was typed."""
    record_id = error.details.get("deleted")
    try:
        gone = read("crm.deleted_record", {"id": record_id}) if record_id else None
    except NotFound:  # purged
        gone = None
    if gone is None:
        return error_page(error.status, sentence(error.message))
    pages, is_post = PAGES[gone["object"]], request.method == "POST"
    is_edit = is_post and (request.view_args or {}).get("record_id") == record_id
    shown, pairs = _kept(gone["object"]) if is_edit else ([], [])
    if pairs and "rendered" in request.form:
        pairs.append(("rendered", request.form["rendered"]))
    more = (("edited", gone["id"]), *back_pair(), *pairs) if pairs else ()
    return page(
        "crm/gone.html",
        404,
        heading=f"{gone['name']} was deleted",
        reason=_who_and_when(gone),
        kept=shown,
        is_post=is_post,
        can_restore=gone["can_restore"],
        restoring=_restoring(gone, more),
        bin_href=f"{_URL}/{gone['id']}",
        list_href=pages.url,
        nouns=pages.nouns,
        toasts=(),
    )
