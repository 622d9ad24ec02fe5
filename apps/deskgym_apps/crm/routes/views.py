"""Saved list views in the pages (CRM-6): choosing one, saving what is filtered as one, editing, copying, deleting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from flask import g, request

from ...kit.errors import BadQuery, Conflict, Forbidden, Invalid, NotFound
from ...kit.session import read, run
from ...kit.web import Form, Link, MenuItem, PageHeader
from ..service.kinds import KINDS, RECORDS, VIEW
from . import filters as filtering
from .drawing import token
from .editing import fields_label
from .going import go, page
from .reading import may, posted_version
from .routing import blueprint
from .specs import PAGES, Pages, pages_at
from .view_form import Typed, drawn, from_filters, from_view, posted

Problems = Mapping[str, str]


def views_of(kind: str) -> dict[str, Any]:
    """The views that the person may choose from, and the pinned one."""
    known: dict[str, dict[str, Any]] = g.setdefault("crm_views", {})
    if kind not in known:
        known[kind] = read("crm.list_views", {"object": kind}) if kind in RECORDS else {"views": [], "pinned": None}
    return known[kind]


def chosen(pages: Pages) -> tuple[str, dict[str, Any] | None]:
    """What the URL says of the view (`""`, "all" or an id), and the view as `get` tells it. Raises NotFound."""
    wanted = request.args.get("view", "")
    if pages.kind not in RECORDS:
        return "", None
    if not wanted and not {"q", "field1", "scope"} & request.args.keys():
        wanted = views_of(pages.kind)["pinned"] or ""
    if wanted in ("", "all"):
        return wanted, None
    return wanted, view_at(pages, wanted)


def view_at(pages: Pages, view_id: str) -> dict[str, Any]:
    """A view of these pages by its id. Raises NotFound."""
    if view_id[:3] != KINDS[VIEW].prefix or len(view_id) != 15:
        raise NotFound(f'there is no list view "{view_id}"')
    got: dict[str, Any] = read("crm.get", {"id": view_id})
    if got["record"]["object"] != pages.kind:
        raise NotFound(f'there is no list view "{view_id}" of {pages.nouns}')
    return got


def picker(pages: Pages, current: Mapping[str, Any] | None, filters: filtering.Filters) -> dict[str, Any]:
    """The menu of views above a list, and what can be done with the present one."""
    found = views_of(pages.kind)
    names = [item["name"] for item in found["views"]]
    everything = MenuItem(label=f"All {pages.nouns}", href=f"{pages.url}?view=all", current=current is None)
    items = [everything, MenuItem(label=f"My {pages.nouns}", href=f"{pages.url}?view=all&scope=mine")]
    for item in found["views"]:
        whose = "" if item["is_mine"] else f" ({item['owner_name']})"
        label = item["name"] + (whose if names.count(item["name"]) > 1 or not item["is_mine"] else "")
        label += ", opens first" if item["id"] == found["pinned"] else ""
        is_here = current is not None and current["id"] == item["id"]
        items.append(MenuItem(label=label, href=f"{pages.url}?view={item['id']}", current=is_here))
    shown = current["name"] if current else ("My " if filters.scope == "mine" else "All ") + pages.nouns
    return {"name": shown, "items": tuple(items), "actions": _actions(pages, current, filters, found["pinned"])}


def _actions(
    pages: Pages, current: Mapping[str, Any] | None, filters: filtering.Filters, pinned: str | None
) -> tuple[MenuItem, ...]:
    if not may("create", VIEW):
        return ()
    pairs = filtering.query_of(filters)
    items = [MenuItem(label="Save as new view", href=f"{pages.url}/views/new{pairs}", icon="plus-lg")]
    if current is not None:
        url = f"{pages.url}/views/{current['id']}"
        if current["access"]["edit"]:
            items.append(MenuItem(label="Edit view", href=f"{url}/edit", icon="pencil"))
        items.append(MenuItem(label="Copy view", href=f"{pages.url}/views/new?copy={current['id']}", icon="files"))
        items.append(_pin(pages, None if pinned == current["id"] else current["id"]))
        if current["access"]["delete"]:
            items.append(MenuItem(label="Delete view", dialog_href=f"{url}/delete", icon="trash3", danger=True))
    elif pinned is not None:
        items.append(_pin(pages, None))
    return tuple(items)


def _pin(pages: Pages, view_id: str | None) -> MenuItem:
    fields = (("form_token", token("pin", view_id or pages.kind)), ("list_view_id", view_id or ""))
    label = "Open the list with this view" if view_id else "Open the list with all records"
    return MenuItem(label=label, post=f"{pages.url}/views/pin", fields=fields, icon="pin-angle")


def _pages(folder: str) -> Pages:
    pages = pages_at(folder)
    if pages.kind not in RECORDS:
        raise NotFound(f"{pages.nouns} have no saved views")
    if not may("create", VIEW):
        raise Forbidden("nothing can be saved any more")
    return pages


def _form_page(
    pages: Pages,
    typed: Typed,
    got: Mapping[str, Any] | None,
    problems: Problems,
    status: int,
    loose: Sequence[str] = (),
) -> Any:
    name = None if got is None else str(got["name"])
    title = "New list view" if name is None else f"Edit {name}"
    here = f"{pages.url}/views/new" if got is None else f"{pages.url}/views/{got['id']}/edit"
    version = None if got is None else (posted_version() if request.method == "POST" else got["record"]["row_version"])
    form = Form(
        id="list-view",
        title=title,
        action=here,
        submit_label="Save view",
        cancel_href=pages.url if got is None else f"{pages.url}?view={got['id']}",
        sections=drawn(pages, typed, problems),
        token=token("view", "new" if got is None else got["id"], version),
        row_version=version,
        errors=tuple(loose),
    )
    more = MenuItem(label="More rows", href=f"{here}?{_with_rows()}")
    kind = fields_label(pages)
    return page(
        "kit/form_page.html",
        status,
        title=f"{title} · {kind}",
        header=PageHeader(title=title, kicker=kind, icon=pages.icon, actions=() if typed.is_full else (more,)),
        form=form,
        crumbs=[Link(kind, pages.url)],
        crumb_here=title,
        toasts=(),
    )


def _with_rows() -> str:
    pairs = {name: value for name, value in request.args.items() if name != "rows"} | {"rows": "all"}
    return filtering.encoded(tuple(pairs.items()))


@blueprint.get("/views/<view_id>")
def show_view(view_id: str) -> Any:
    """The list of a view, wherever it belongs."""
    if view_id[:3] != KINDS[VIEW].prefix or len(view_id) != 15:
        raise NotFound(f'there is no list view "{view_id}"')
    kind = read("crm.get", {"id": view_id, "fields": ["object"]})["record"]["object"]
    return go(f"{PAGES[kind].url}?view={view_id}")


@blueprint.get("/<folder>/views/new")
def new_view(folder: str) -> Any:
    """The form of a new view: empty, of what the list was filtered by, or of a view to copy."""
    pages = _pages(folder)
    if request.args.get("copy"):
        got = view_at(pages, request.args["copy"])
        typed = replace(from_view(pages, got), name=f"{got['name']} copy"[:80], visibility="private", groups=())
    else:
        filters = filtering.read_filters()
        view_id = request.args.get("view", "")
        based = view_at(pages, view_id) if view_id not in ("", "all") else None
        typed = from_filters(pages, filters, based)
    return _form_page(pages, typed, None, {}, 200)


@blueprint.get("/<folder>/views/<view_id>/edit")
def edit_view(folder: str, view_id: str) -> Any:
    """The form of a view."""
    pages = _pages(folder)
    got = _editable(pages, view_id)
    return _form_page(pages, from_view(pages, got), got, {}, 200)


def _editable(pages: Pages, view_id: str) -> dict[str, Any]:
    got = view_at(pages, view_id)
    if not got["access"]["edit"]:
        raise Forbidden("only the owner of a list view and administrators may change it; save a copy of your own")
    return got


@blueprint.post("/<folder>/views/new")
def create_view(folder: str) -> Any:
    """Save a view: `create_list_view`."""
    pages = _pages(folder)
    typed = posted(pages)
    try:
        made = run("crm.create_list_view", {"object": pages.kind} | typed.created(pages))
    except (Invalid, BadQuery) as error:
        problems, loose = typed.problems(pages, error)
        return _form_page(pages, typed, None, problems, 422, loose)
    return go(f"{pages.url}?view={made['id']}", "viewed")


@blueprint.post("/<folder>/views/<view_id>/edit")
def update_view(folder: str, view_id: str) -> Any:
    """Save a view's changes: `update_list_view`, with what differs from the form as it was drawn."""
    pages = _pages(folder)
    got, typed, version = _editable(pages, view_id), posted(pages), posted_version()
    try:
        values = typed.changed(pages, from_view(pages, got))
        if values or version != got["record"]["row_version"]:
            run("crm.update_list_view", {"id": view_id, "row_version": version, "values": values})
    except (Invalid, BadQuery) as error:
        problems, loose = typed.problems(pages, error)
        return _form_page(pages, typed, got, problems, 422, loose)
    except Conflict as error:
        return _form_page(pages, typed, got, {}, 409, (error.message,))
    return go(f"{pages.url}?view={view_id}", "viewed")


@blueprint.get("/<folder>/views/<view_id>/delete")
def ask_delete_view(folder: str, view_id: str) -> Any:
    """Ask before deleting a view."""
    pages = _pages(folder)
    got = _editable(pages, view_id)
    title = f"Delete {got['name']}?"
    form = Form(
        id="delete-view",
        title=title,
        action=f"{pages.url}/views/{view_id}/delete",
        submit_label="Delete",
        cancel_href=f"{pages.url}?view={view_id}",
        sections=(),
        intro=f"The list view goes for good, for everybody who sees it. The {pages.nouns} in it stay.",
        danger=True,
        token=token("delete-view", view_id, got["record"]["row_version"]),
        row_version=got["record"]["row_version"],
        guard=False,
    )
    header = PageHeader(title=title, kicker=fields_label(pages), icon=pages.icon)
    crumbs = [Link(fields_label(pages), pages.url)]
    return page("kit/form_page.html", title=title, header=header, form=form, crumbs=crumbs, crumb_here=title, toasts=())


@blueprint.post("/<folder>/views/<view_id>/delete")
def delete_view(folder: str, view_id: str) -> Any:
    """Delete a view: `delete_list_view`."""
    pages = _pages(folder)
    run("crm.delete_list_view", {"id": view_id, "row_version": posted_version()})
    return go(f"{pages.url}?view=all", "unviewed")


@blueprint.post("/<folder>/views/pin")
def pin_view(folder: str) -> Any:
    """Let the list open with a view: `pin_list_view`."""
    pages = _pages(folder)
    view_id = request.form.get("list_view_id", "") or None
    run("crm.pin_list_view", {"object": pages.kind, "list_view_id": view_id})
    return go(f"{pages.url}?view={view_id or 'all'}", "pinned")
