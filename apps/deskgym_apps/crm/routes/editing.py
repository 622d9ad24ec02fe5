"""New, edit and delete of every kind of record: each form is one command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flask import g, request

from ...kit.errors import Conflict, Forbidden, Invalid, NotFound
from ...kit.forms import Face, Typed
from ...kit.operations import Input
from ...kit.session import read, run, today
from ...kit.web import Form, FormField, Link, Option, PageHeader
from ..service.activities import CallInput
from ..service.catalog import MODELS
from ..service.kinds import KINDS, SHARED, WRITTEN
from . import note_links
from .drawing import (
    anyway,
    doubled,
    face,
    form_of,
    inline,
    named_options,
    posted_rendered,
    rendered,
    token,
    typed_form,
    writable,
)
from .going import back_or, back_pair, conflict_page, go, page
from .reading import fields_of, is_readable, locked, may, posted_version, text_of, whoami
from .routing import blueprint
from .specs import PAGES, Pages, pages_at

_CALL = ("subject", "due_date", "duration_minutes", "who_id", "what_id", "comments")
_MOVES = "move_open_activities"


def _editable(path: str) -> Pages:
    pages = pages_at(path)
    if pages.kind not in WRITTEN:
        raise Forbidden(f"{pages.nouns} can be read but not changed here")
    return pages


def _defaults(pages: Pages, names: Sequence[str], is_call: bool) -> tuple[dict[str, Any], dict[str, Option]]:
    """What a new record would hold anyway, and the lookups' names."""
    if is_call:
        return {"due_date": today()}, {}
    known = fields_of(pages.kind)
    values = {name: known[name]["default"] for name in names if known[name].get("default") is not None}
    return values, {"owner_id": Option(g.person_id, whoami()["name"])} if "owner_id" in values else {}


def _from_url(names: Sequence[str], pages: Pages) -> tuple[dict[str, Any], dict[str, Option]]:
    """Values that the link to the form brings along. Raises NotFound for a record that is none."""
    known = fields_of(pages.kind)
    values: dict[str, Any] = {name: request.args[name] for name in names if request.args.get(name)}
    shown = {}
    for name in values:
        if known[name]["type"] == "ref":
            shown[name] = Option(values[name], read("crm.get", {"id": values[name], "fields": ["id"]})["name"])
    return values, shown


def _new_page(pages: Pages, is_call: bool, typed: Typed | None = None, error: Invalid | None = None) -> tuple[str, int]:
    names, model = _new_fields(pages, is_call)
    defaults, shown = _defaults(pages, names, is_call)
    brought, named = _from_url(names, pages)
    faults = error.errors if error else ()
    drawn = face(
        pages,
        model,
        names,
        defaults | brought,
        shown | named,
        typed=request.form if error or note_links.wants_more() else None,
        faults=faults,
        candidates=typed.candidates if error and typed else None,
    )
    title = "Log a call" if is_call else f"New {pages.noun}"
    form = form_of(
        drawn,
        pages,
        action="/crm/calls/new" if is_call else f"{pages.url}/new",
        submit_label="Save",
        cancel_href=back_or(pages.url),
        token=request.form.get("form_token", "") or token("call" if is_call else f"new-{pages.kind}"),
        hidden=back_pair(),
        id=f"new-{'call' if is_call else pages.kind}",
        title=title,
        **doubled(error),
    )
    if pages.kind == "note":
        form = note_links.with_slots(form, note_links.from_url(), faults)
    return _form_page(pages, title, form, 422 if error else 200)


def _form_page(pages: Pages, title: str, form: Form, status: int = 200, name: str = "") -> tuple[str, int]:
    kind = fields_label(pages)
    crumbs = [Link(kind, pages.url)]
    if name:
        crumbs.append(Link(name, form.cancel_href))
    return page(
        "kit/form_page.html",
        status,
        title=f"{title} · {kind}",
        header=PageHeader(title=title, kicker=kind, icon=pages.icon),
        form=form,
        crumbs=crumbs,
        crumb_here=title,
        toasts=(),
    )


def fields_label(pages: Pages) -> str:
    """The plural as a heading: Accounts."""
    return pages.nouns[:1].upper() + pages.nouns[1:]


def _new_fields(pages: Pages, is_call: bool) -> tuple[list[str], type[Input]]:
    if is_call:
        known = fields_of("task")
        return [name for name in _CALL if name in known], CallInput
    return writable(pages, new=True), MODELS[pages.kind][0]  # type: ignore[return-value]


@blueprint.get("/<folder>/new")
def new(folder: str) -> Any:
    """The form of a new record."""
    pages, is_call = _new_of(folder)
    return _new_page(pages, is_call)


def _new_of(folder: str) -> tuple[Pages, bool]:
    is_call = folder == "calls"
    pages = PAGES["task"] if is_call else _editable(folder)
    if not may("create", pages.kind):
        raise Forbidden(f"your profile may not create {pages.nouns}")
    return pages, is_call


@blueprint.post("/<folder>/new")
def create(folder: str) -> Any:
    """Create a record: `create_<kind>`, or `log_call`."""
    pages, is_call = _new_of(folder)
    if note_links.wants_more():
        return _new_page(pages, is_call)
    names, model = _new_fields(pages, is_call)
    typed = typed_form(model, names, _defaults(pages, names, is_call)[0])
    try:
        given = _with_records(typed) if pages.kind == "note" else typed.created() | anyway()
        made = run("crm.log_call" if is_call else f"crm.create_{pages.kind}", given)
    except Invalid as error:
        return _new_page(pages, is_call, typed, error)
    home = f"{pages.url}/{made['id']}" if is_readable(made["id"]) else pages.url
    return go(back_or(home), "called" if is_call else "created", id=made["id"])


def _with_records(typed: Typed) -> dict[str, Any]:
    """A note's values with the records it is attached to; all faults at once. Raises Invalid."""
    faults: list[Any] = []
    given: dict[str, Any] = {}
    for part in (typed.created, note_links.posted):
        try:
            found = part()
            given |= found if isinstance(found, dict) else {"record_ids": found}
        except Invalid as error:  # which records is what their own lookups say
            faults += [fault for fault in error.errors if part == note_links.posted or fault.field != "record_ids"]
    if faults:
        raise Invalid(faults)
    return given


def _record(pages: Pages, record_id: str) -> dict[str, Any]:
    if KINDS[pages.kind].prefix != record_id[:3]:
        raise NotFound(f'there is no {pages.noun} "{record_id}"')
    related = ["records"] if pages.kind == "note" else []
    got: dict[str, Any] = read("crm.get", {"id": record_id, "related": related})
    return got


def _may_edit(pages: Pages, got: Mapping[str, Any]) -> list[str]:
    if not got["access"]["edit"]:
        raise Forbidden(f"you may read this {pages.noun} but not change it")
    names = writable(pages, transfer=got["access"]["transfer"])
    if pages.kind == "task" and got["record"].get("kind") != "Call":
        names = [name for name in names if name != "duration_minutes"]
    return names


def _moves_field(checked: bool) -> FormField:
    return FormField(
        name=_MOVES,
        label="Move open activities to the new owner",
        kind="checkbox",
        value="1" if checked else "",
        help="With a new owner: the old owner's open tasks and coming events about this record go along.",
    )


def _show_locked(pages: Pages, got: Mapping[str, Any], drawn: Face) -> None:
    """Show what cannot be set by hand as text with the reason. A reopened deal may be given a probability at once."""
    locks = locked(pages.kind, [got["id"]]).get(got["id"], {})
    for name, reason in locks.items():
        if name in drawn.fields and (name != "probability" or "stage" in locks):
            item = drawn.fields[name]
            text = text_of(pages.kind, name, got["record"])
            drawn.fields[name] = FormField(name=name, label=item.label, kind="static", value=text, help=reason)  # type: ignore[index]


def _edit_page(
    pages: Pages,
    got: Mapping[str, Any],
    names: Sequence[str],
    *,
    before: Mapping[str, Any] | None = None,
    typed: Typed | None = None,
    error: Invalid | None = None,
) -> tuple[str, int]:
    """The edit form; after an error with everything typed, still of the version it was drawn from."""
    record = got["record"]
    faults = error.errors if error else ()
    drawn = face(
        pages,
        MODELS[pages.kind][1],  # type: ignore[arg-type]
        names,
        record,
        named_options(pages, record),
        typed=request.form if typed else None,
        faults=faults,
        candidates=typed.candidates if error and typed else None,
    )
    _show_locked(pages, got, drawn)
    if "owner_id" in names and pages.kind in SHARED:
        drawn.fields[_MOVES] = _moves_field(request.form.get(_MOVES) == "1")  # type: ignore[index]
    version = posted_version() if typed else record["row_version"]
    title = f"Edit {got['name']}"
    form = form_of(
        drawn,
        pages,
        action=f"{pages.url}/{got['id']}/edit",
        submit_label="Save",
        cancel_href=back_or(f"{pages.url}/{got['id']}"),
        token=token("edit", got["id"], version),
        row_version=version,
        hidden=(rendered(names, before if before is not None else record), *back_pair()),
        id=f"edit-{pages.kind}",
        title=title,
        **doubled(error),
    )
    if pages.kind == "note" and "title" in names:
        form = note_links.with_slots(form, note_links.of_note(got), faults)
    return _form_page(pages, title, form, 422 if error else 200, got["name"])


@blueprint.get("/<folder>/<record_id>/edit")
def edit(folder: str, record_id: str) -> Any:
    """The edit form of a record; `field` shows one field alone, with `inline` as an editor for a script to place."""
    pages = _editable(folder)
    got = _record(pages, record_id)
    names = _may_edit(pages, got)
    one = request.args.get("field")
    if one not in names or one in locked(pages.kind, [record_id]).get(record_id, {}):
        return _edit_page(pages, got, names)
    if request.args.get("inline") == "1":
        return page("kit/inline.html", edit=inline(pages, got["record"], one, back_pair()), toasts=())
    return _edit_page(pages, got, [one])


@blueprint.post("/<folder>/<record_id>/edit")
def update(folder: str, record_id: str) -> Any:
    """Save what was touched: `update_<kind>`. The full form, an inline editor and a button all post here."""
    pages = _editable(folder)
    got = _record(pages, record_id)
    allowed = _may_edit(pages, got)
    version = posted_version()
    before = posted_rendered(allowed)
    names = list(before) or allowed
    before = before or dict(got["record"])
    typed = typed_form(MODELS[pages.kind][1], names, before)  # type: ignore[arg-type]
    if note_links.wants_more():
        return _edit_page(pages, got, names, before=before, typed=typed)
    changed: dict[str, Any] = {}
    try:
        changed = typed.changed()
        if pages.kind == "note" and note_links.FIRST in request.form:
            changed |= note_links.changed(got)
        if changed:
            moves = {_MOVES: True} if request.form.get(_MOVES) == "1" and pages.kind in SHARED else {}
            given = {"id": record_id, "row_version": version, "values": changed} | moves | anyway()
            run(f"crm.update_{pages.kind}", given)
    except Invalid as error:
        more = [name for name in allowed if name not in names and name in {fault.field for fault in error.errors}]
        before = before | {name: got["record"].get(name) for name in more}
        return _edit_page(pages, got, [*names, *more], before=before, typed=typed, error=error)
    except Conflict as error:
        return conflict_page(pages, record_id, error, typed, list(changed))
    back = back_or(f"{pages.url}/{record_id}")
    return go(back if record_id not in back or is_readable(record_id) else pages.url, _done(pages, changed))


def _done(pages: Pages, changed: Mapping[str, Any]) -> str:
    if pages.kind == "task" and set(changed) == {"status"}:
        return "completed" if changed["status"] == "Completed" else "reopened"
    if pages.kind == "case" and changed.get("owner_id") == g.person_id and len(changed) == 1:
        return "accepted"
    if pages.kind == "article" and set(changed) == {"status"}:
        return {"Published": "published", "Archived": "archived"}.get(str(changed["status"]), "saved")
    return "saved"


def _delete_page(pages: Pages, got: Mapping[str, Any], errors: tuple[str, ...] = (), status: int = 200) -> Any:
    title = f"Delete {got['name']}?"
    form = Form(
        id=f"delete-{pages.kind}",
        title=title,
        action=f"{pages.url}/{got['id']}/delete",
        submit_label="Delete",
        cancel_href=back_or(f"{pages.url}/{got['id']}"),
        sections=(),
        intro=_what_goes(pages, got["id"]),
        danger=True,
        token=token("delete", got["id"], got["record"]["row_version"]),
        row_version=got["record"]["row_version"],
        hidden=back_pair(),
        errors=errors,
        guard=False,
    )
    return _form_page(pages, title, form, status, got["name"])


def _what_goes(pages: Pages, record_id: str) -> str:
    if pages.kind == "opportunity":
        quotes = read("crm.get", {"id": record_id, "related": ["quotes"], "related_limit": 1})["related"]["quotes"]
        return (
            f"The opportunity goes to the recycle bin with its products and quotes ({quotes['total']}), and the "
            "activities "
            "and notes about nothing else. It can be restored for 15 days."
        )
    if pages.kind != "account":
        return f"The {pages.noun} goes to the recycle bin and can be restored for 15 days."
    found = read("crm.get", {"id": record_id, "related": ["contacts", "opportunities"], "related_limit": 1})["related"]
    contacts, deals = found["contacts"]["total"], found["opportunities"]["total"]
    return (
        f"The account goes to the recycle bin with its contacts (up to {contacts}), its opportunities ({deals}) "
        "and their quotes, its cases, and "
        "the activities and notes about nothing else. It can be restored for 15 days."
    )


def _deletable(folder: str, record_id: str) -> tuple[Pages, dict[str, Any]]:
    pages = _editable(folder)
    got = _record(pages, record_id)
    if not got["access"]["delete"]:
        raise Forbidden(f"you may read this {pages.noun} but not delete it")
    return pages, got


@blueprint.get("/<folder>/<record_id>/delete")
def ask_delete(folder: str, record_id: str) -> Any:
    """Ask before deleting."""
    return _delete_page(*_deletable(folder, record_id))


@blueprint.post("/<folder>/<record_id>/delete")
def delete(folder: str, record_id: str) -> Any:
    """Delete a record: `delete_<kind>`. A second post of the same form answers like the first."""
    pages = _editable(folder)
    version = posted_version()
    try:
        gone = run(f"crm.delete_{pages.kind}", {"id": record_id, "row_version": version})
    except Invalid as error:
        return _delete_page(*_deletable(folder, record_id), tuple(fault.message for fault in error.errors), 422)
    except Conflict as error:
        return _delete_page(*_deletable(folder, record_id), (error.message,), 409)
    back = back_or(pages.url)
    return go(pages.url if record_id in back else back, "deleted", n=gone["deleted"])
