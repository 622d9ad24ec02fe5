"""The selection of a list and what is done with it: change fields, give to another owner, delete (row 12, X-9, P3).

A selection is posted as ids, or as the list's own filters where all that match are meant. Nothing is written until
the last form, which names how many records it is about, is sent.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from flask import request

from ...kit.errors import BadQuery, Conflict, Forbidden, Invalid
from ...kit.session import read, run
from ...kit.web import BulkAction, FieldSection, Form, FormField, Link, PageHeader
from ..service.catalog import MODELS
from ..service.kinds import RECORDS
from . import filters as filtering
from .drawing import ANYWAY, NOT_IN_PAGES, anyway, face, token, typed_form, writable
from .editing import fields_label
from .going import go, page
from .reading import fields_of, may, whole_number
from .routing import blueprint
from .specs import Pages, pages_at

_OWNED = ("account", "contact", "opportunity", "lead")
# What closing needs too, by the field that closes
_CLOSING = {"stage": ("lost_reason", "lost_detail"), "status": ("reason", "resolution")}
_MOVES = "move_open_activities"
_VERBS = {"update": "edit", "owner": "edit", "delete": "delete"}


def may_select(pages: Pages) -> bool:
    """Whether the list has checkboxes for the person."""
    return pages.kind in RECORDS and may("mass", pages.kind) and (may("edit", pages.kind) or may("delete", pages.kind))


def actions(pages: Pages) -> tuple[BulkAction, ...]:
    """The buttons of the selection bar."""
    labels = {"update": "Change fields", "owner": "Change owner", "delete": "Delete"}
    usual = tuple(
        BulkAction(label=label, post=f"{pages.url}/bulk/{act}", danger=act == "delete")
        for act, label in labels.items()
        if may(_VERBS[act], pages.kind)
    )
    is_convertible = pages.kind == "lead" and may("edit", "lead")
    return (BulkAction(label="Convert leads", post=f"{pages.url}/convert"), *usual) if is_convertible else usual


def hidden(pages: Pages, filters: filtering.Filters) -> tuple[tuple[str, str], ...]:
    """What the selection bar sends along: the filters of the list, and where it was."""
    chosen = json.dumps(dict(filters.pairs), ensure_ascii=False)
    return (("form_token", token("select", pages.kind)), ("filters", chosen), ("back", request.full_path.rstrip("?")))


def _from_form(pages: Pages) -> dict[str, Any]:
    """The records that the posted form means, as the service takes them: in the order of ids. Raises BadQuery."""
    if request.form.get("scope") != "all":
        return {"object": pages.kind, "ids": sorted(request.form.getlist("row"))}
    return matching(pages)


def matching(pages: Pages) -> dict[str, Any]:
    """All records that match the list's filters and view."""
    try:
        pairs = json.loads(request.form.get("filters", "{}"))
    except (ValueError, RecursionError):
        raise BadQuery("the hidden field filters is not JSON", field="filters") from None
    if not isinstance(pairs, dict) or not all(isinstance(value, str) for value in pairs.values()):
        raise BadQuery("the hidden field filters holds no filters", field="filters")
    filters = filtering.read_filters(pairs)
    found = {"object": pages.kind, "filter": filtering.conditions(pages, filters), "scope": filters.scope}
    view = pairs.get("view", "all")
    return found if view == "all" else found | {"list_view": view}


def _counted(pages: Pages, chosen: Mapping[str, Any]) -> dict[str, Any]:
    if not chosen.get("ids", True):
        return {"total": 0, "names": []}
    found: dict[str, Any] = read("crm.count_chosen", chosen)
    return found


def _number(pages: Pages, count: int) -> str:
    return f"{count:,} {pages.noun if count == 1 else pages.nouns}"


def _carried(chosen: Mapping[str, Any], count: int) -> tuple[tuple[str, str], ...]:
    """The hidden fields that carry a selection from form to form."""
    names = ("scope", "filters", "back")
    pairs = [(name, request.form[name]) for name in names if name in request.form]
    pairs += [("row", record_id) for record_id in chosen.get("ids", ())]
    return (*pairs, ("expected_count", str(count)))


def _drawn(
    pages: Pages,
    act: str,
    title: str,
    *,
    chosen: Mapping[str, Any],
    count: int,
    sections: Sequence[FieldSection],
    intro: str,
    submit: str,
    more: Sequence[tuple[str, str]] = (),
    errors: Sequence[str] = (),
    status: int = 200,
    again: tuple[str, str, str] | None = None,
) -> Any:
    form = Form(
        id="bulk",
        title=title,
        action=f"{pages.url}/bulk/{act}",
        submit_label=submit,
        cancel_href=_back(pages),
        sections=tuple(sections),
        intro=intro,
        danger=act == "delete",
        token=token(f"bulk-{act}", pages.kind),
        hidden=(*_carried(chosen, count), *more),
        errors=tuple(errors),
        guard=False,
        anyway=again,
    )
    header = PageHeader(title=title, kicker=fields_label(pages), icon=pages.icon)
    crumbs = [Link(fields_label(pages), pages.url)]
    return page(
        "kit/form_page.html", status, title=title, header=header, form=form, crumbs=crumbs, crumb_here=title, toasts=()
    )


def _back(pages: Pages) -> str:
    back = request.form.get("back", "")
    return back if back == pages.url or back.startswith(f"{pages.url}?") else pages.url


def _names(pages: Pages, counted: Mapping[str, Any]) -> str:
    shown = list(counted["names"][:5])
    rest = int(counted["total"]) - len(shown)
    return ", ".join(shown) + (f" and {rest:,} more" if rest > 0 else "") + "."


def _nothing_selected(pages: Pages, act: str) -> Any:
    """Without scripts nothing says so before the form is sent: offer all that match."""
    count = int(_counted(pages, matching(pages))["total"])
    form = Form(
        id="bulk",
        title="Nothing is selected",
        action=f"{pages.url}/bulk/{act}",
        submit_label=f"Use all {_number(pages, count)} that match",
        cancel_href=_back(pages),
        sections=(),
        intro=f"Select {pages.nouns} in the list, or go on with all that match its filters.",
        token=token(f"bulk-{act}", pages.kind),
        hidden=(("scope", "all"), ("filters", request.form.get("filters", "{}")), ("back", _back(pages))),
        guard=False,
    )
    header = PageHeader(title="Nothing is selected", kicker=fields_label(pages), icon=pages.icon)
    return page("kit/form_page.html", 422, title="Nothing is selected", header=header, form=form, toasts=())


@blueprint.post("/<folder>/bulk/<act>")
def bulk(folder: str, act: str) -> Any:
    """Each step of changing many records: which fields, which values, and then `bulk_update`."""
    pages = pages_at(folder)
    if act not in _VERBS or pages.kind not in RECORDS:
        raise BadQuery(f'there is nothing called "{act}" to do with many {pages.nouns}')
    if not may_select(pages) or not may(_VERBS[act], pages.kind):
        raise Forbidden(f"your profile may not do this to many {pages.nouns} at once")
    chosen = _from_form(pages)
    if not chosen.get("ids", True):
        return _nothing_selected(pages, act)
    return {"update": _update, "owner": _owner, "delete": _delete}[act](pages, chosen)


def _run(pages: Pages, chosen: Mapping[str, Any], **more: Any) -> Any:
    count = whole_number(request.form.get("expected_count", ""), "expected_count")
    done = run("crm.bulk_update", dict(chosen) | {"expected_count": count} | more)
    deleted = more.get("action") == "delete"
    return go(_back(pages), "bulk-deleted" if deleted else "bulk", n=done["changed"])


def _why(error: Invalid | Conflict) -> tuple[str, ...]:
    """A refusal as lines: each record with its reason."""
    records = error.details.get("records", ())
    if not records:
        return (error.message,)
    lines = [f"{row['name']}: {row['message']}" for row in records[:20]]
    more = [f"and {len(records) - 20} more"] if len(records) > 20 else []
    return (f"{len(records)} cannot be changed, so nothing was.", *lines, *more)


def _delete(pages: Pages, chosen: Mapping[str, Any]) -> Any:
    errors: tuple[str, ...] = ()
    status = 200
    if "sure" in request.form:
        try:
            return _run(pages, chosen, action="delete")
        except (Invalid, Conflict) as error:
            errors, status = _why(error), error.status
    counted = _counted(pages, chosen)
    title = f"Delete {_number(pages, counted['total'])}?"
    intro = f"{_names(pages, counted)} They go to the recycle bin and can be restored for 15 days."
    return _drawn(
        pages,
        "delete",
        title,
        chosen=chosen,
        count=counted["total"],
        sections=(),
        intro=intro,
        submit="Delete",
        more=(("sure", "1"),),
        errors=errors,
        status=status,
    )


def _settable(pages: Pages) -> list[str]:
    return [name for name in writable(pages) if name not in (NOT_IN_PAGES, "owner_id")]


def _update(pages: Pages, chosen: Mapping[str, Any]) -> Any:
    names = [name for name in _settable(pages) if request.form.get(f"set_{name}") == "1"]
    if not names:
        return _ask_fields(pages, chosen, "fields" in request.form)
    settable = _settable(pages)
    needed = [name for closer, more in _CLOSING.items() if closer in names for name in more if name in settable]
    asked = [*names, *(name for name in needed if name not in names)]
    return _values(pages, chosen, "update", asked, names)


def _ask_fields(pages: Pages, chosen: Mapping[str, Any], is_again: bool) -> Any:
    counted = _counted(pages, chosen)
    known = fields_of(pages.kind)
    boxes = [
        FormField(name=f"set_{name}", label=f"Set {known[name]['label']}", kind="checkbox") for name in _settable(pages)
    ]
    return _drawn(
        pages,
        "update",
        f"Change {_number(pages, counted['total'])}",
        chosen=chosen,
        count=counted["total"],
        sections=(FieldSection("Fields to set", tuple(boxes), columns=3),),
        intro=f"{_names(pages, counted)} Choose the fields to set; the next step asks for their values.",
        submit="Next",
        more=(("fields", "1"),),
        errors=("Choose at least one field.",) if is_again else (),
        status=422 if is_again else 200,
    )


def _owner(pages: Pages, chosen: Mapping[str, Any]) -> Any:
    return _values(pages, chosen, "owner", ["owner_id"], ["owner_id"])


def _values(pages: Pages, chosen: Mapping[str, Any], act: str, asked: list[str], names: list[str]) -> Any:
    """The form of the values; once it comes back filled in, the command."""
    errors: tuple[str, ...] = ()
    faults, status, typed, again = (), 200, None, None
    if "values" in request.form:
        typed = typed_form(MODELS[pages.kind][1], asked, {})  # type: ignore[arg-type]
        try:
            given = typed.changed()
            values = {name: typed.values.get(name) for name in names} | given
            moves = {_MOVES: True} if request.form.get(_MOVES) == "1" and act == "owner" else {}
            return _run(pages, chosen, values=values, **moves, **anyway())
        except Invalid as error:
            status = error.status
            faults = tuple(replace(one, field=(one.field or "").removeprefix("values.")) for one in error.errors)  # type: ignore[assignment]
            if error.details.get("records"):
                faults, errors = (), _why(error)
                if all(row.get("may_save") for row in error.details["records"]):
                    again = (ANYWAY, "1", "Save anyway")
        except Conflict as error:
            status, errors = error.status, _why(error)
    counted = _counted(pages, chosen)
    drawn = face(
        pages,
        MODELS[pages.kind][1],  # type: ignore[arg-type]
        asked,
        {},
        {},
        typed=request.form if typed is not None else None,
        faults=faults,
        candidates=typed.candidates if typed is not None else None,
    )
    fields = [drawn[name] for name in asked]
    if act == "owner" and pages.kind in _OWNED:
        fields.append(_moves_field())
    title = f"{'Change' if act == 'update' else 'Change owner of'} {_number(pages, counted['total'])}"
    return _drawn(
        pages,
        act,
        title,
        chosen=chosen,
        count=counted["total"],
        sections=(FieldSection("New values", tuple(fields), columns=1),),
        intro=f"{_names(pages, counted)} Each gets these values; a field left empty is emptied.",
        submit=f"Change {_number(pages, counted['total'])}",
        more=(("values", "1"), ("fields", "1"), *((f"set_{name}", "1") for name in names)),
        errors=(*drawn.errors, *errors),
        status=status,
        again=again,
    )


def _moves_field() -> FormField:
    return FormField(
        name=_MOVES,
        label="Move open activities to the new owner",
        kind="checkbox",
        value="1" if request.form.get(_MOVES) == "1" else "",
        help="The old owners' open tasks and coming events about these records go along.",
    )
