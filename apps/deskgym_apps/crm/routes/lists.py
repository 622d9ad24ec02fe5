"""Lists of records: columns, filter panel, sort, pages, row menus, inline editing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from flask import request

from ...kit.errors import BadQuery
from ...kit.session import page_size, read
from ...kit.web import Cell, Column, MenuItem, Page, PageHeader, Row, Table
from ..service.kinds import KINDS, RECORDS
from . import exporting, selecting
from . import filters as filtering
from . import views as saved
from .case_lists import accept_items, queue_items
from .drawing import editor_href, writable
from .editing import fields_label
from .going import page
from .importing import import_items
from .merging import merge_action
from .reading import (
    access_to,
    cell_kind,
    described,
    field_info,
    label_of,
    locked,
    may,
    text_of,
    total,
    whoami,
    whole_number,
    writer,
)
from .routing import blueprint
from .specs import Pages, pages_at, record_href

SIZES = (25, 50, 100)
View = Mapping[str, Any] | None
_DISAMBIGUATORS: Mapping[str, tuple[str, ...]] = {
    "account": ("bill_city", "owner.name"),
    "contact": ("account.name", "title"),
    "opportunity": ("account.name", "close_date"),
    "quote": ("number",),
    "lead": ("company", "title", "email"),
    "task": ("what_name", "who_name", "due_date"),
    "event": ("start_at",),
    "case": ("number",),
    "note": ("updated_at",),
    "article": ("number",),
    "email": ("sent_at", "from_addr"),
    "product": ("code",),
    "pricebook": ("is_active",),
    "pricebook_entry": ("pricebook.name", "unit_price"),
}


def distinct_names(pages: Pages, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Names that are unique among the rows: the plain one, or with what tells namesakes apart (DESIGN §4)."""
    plain = [str(row[pages.quick]) for row in rows]
    names = list(plain)
    for upto in range(1, len(_DISAMBIGUATORS[pages.kind]) + 1):
        keys = _DISAMBIGUATORS[pages.kind][:upto]
        doubled = {name for name in names if names.count(name) > 1}
        for at, row in enumerate(rows):
            if names[at] in doubled:
                details = [text_of(pages.kind, key, row) for key in keys if key in row]
                names[at] = ", ".join([plain[at], *(text for text in details if text)])
    seen: dict[str, int] = {}
    for at, name in enumerate(names):
        seen[name] = seen.get(name, 0) + 1
        if names.count(name) > 1:
            names[at] = f"{name} ({seen[name]})" if seen[name] > 1 else name
    return names


def columns_of(pages: Pages, keys: Sequence[str] | None = None) -> tuple[Column, ...]:
    """The columns that the person's profile shows: those of a view, or the usual ones."""
    known = set(described(pages.kind)["columns"]) | {item["name"] for item in described(pages.kind)["fields"]}
    return tuple(
        Column(key, label_of(pages.kind, key), sortable=True, kind=cell_kind(pages.kind, key))
        for key in (pages.columns if keys is None else keys)
        if (key in known or "." in key) and field_info(pages.kind, key) is not None
    )


def _holder(key: str) -> str:
    """The field with the id of the record that a column names; "" for a column of values."""
    names = {"what_name": "what_id", "who_name": "who_id", "owner_name": "owner_id"}
    return names.get(key, f"{key.rpartition('.')[0]}_id" if key.endswith(".name") else "")


def _extra_fields(pages: Pages) -> list[str]:
    wanted = [
        pages.quick,
        "account_id",
        "owner_name",
        "who_id",
        "what_id",
        "owner_id",
        "currency",
        "due_date",
        "is_closed",
        "status",
    ]
    wanted += [key for key in _DISAMBIGUATORS[pages.kind] if key not in wanted]
    return [key for key in wanted if field_info(pages.kind, key) is not None]


def _cell(
    pages: Pages, key: str, text: str, row: Mapping[str, Any], holder: str, is_editable: bool, is_head: bool
) -> Cell | str:
    if is_head:
        return Cell(text=text or "–", href=f"{pages.url}/{row['id']}")
    href = record_href(str(row[holder])) if holder and text and row.get(holder) else ""
    if href:
        return Cell(text=text, href=href)
    return Cell(text=text, edit_href=editor_href(pages, row["id"], key)) if is_editable else text


def _menu(pages: Pages, row: Mapping[str, Any], access: Mapping[str, bool]) -> tuple[MenuItem, ...]:
    items, url = [], f"{pages.url}/{row['id']}"
    if pages.kind == "lead" and access["edit"]:
        items.append(MenuItem(label="Convert", dialog_href=f"{url}/convert", icon="arrow-left-right"))
    if access["edit"]:
        items.append(MenuItem(label="Edit", href=f"{url}/edit", icon="pencil"))
    if pages.kind == "case" and access["transfer"]:
        items += accept_items(row, request.full_path.rstrip("?"))
    if access["delete"]:
        items.append(MenuItem(label="Delete", dialog_href=f"{url}/delete", icon="trash3", danger=True))
    return tuple(items)


def _is_overdue(pages: Pages, row: Mapping[str, Any]) -> bool:
    due = row.get("due_date") or row.get("close_date")
    is_open = not row.get("is_closed") and row.get("status") != "Completed"
    return pages.kind in ("task", "opportunity") and bool(due) and is_open and str(due) < whoami()["today"]


def rows_of(pages: Pages, columns: Sequence[Column], rows: Sequence[Mapping[str, Any]]) -> tuple[Row, ...]:
    """The rows of a list with their menus, as far as the person may use them."""
    ids = [row["id"] for row in rows]
    allowed, locks = access_to(pages.kind, ids), locked(pages.kind, ids)
    editable = set(writable(pages)) & set(pages.cells) if pages.cells else set()
    parts = [(c.key, writer(pages.kind, c.key), _holder(c.key), c.key in editable) for c in columns]
    head = pages.quick if pages.quick in [c.key for c in columns] else columns[0].key if columns else ""
    drawn = []
    for name, row in zip(distinct_names(pages, rows), rows, strict=True):
        access, fixed = allowed[row["id"]], locks.get(row["id"], {})
        cells = {
            key: _cell(pages, key, write(row), row, holder, can and access["edit"] and key not in fixed, key == head)
            for key, write, holder, can in parts
        }
        menu, overdue = _menu(pages, row, access), _is_overdue(pages, row)
        drawn.append(Row(id=row["id"], name=name, cells=cells, actions=menu, overdue=overdue))
    return tuple(drawn)


def _view_sort(view: View) -> list[dict[str, str]]:
    """The order of a view, unless the URL asks for another."""
    if view is None or request.args.get("sort"):
        return []
    return [{"field": field, "direction": way} for field, way in view["record"]["sort"]]


def _sorting(pages: Pages, view: View = None) -> tuple[str, bool]:
    if first := _view_sort(view)[:1]:
        return first[0]["field"], first[0]["direction"] == "desc"
    key = request.args.get("sort", "") or pages.sort
    return key, request.args["dir"] == "desc" if "dir" in request.args else pages.descending and key == pages.sort


def _wanted_page() -> tuple[int, int]:
    size = whole_number(request.args.get("size", str(page_size())), "size")
    if size not in (*SIZES, page_size()):
        raise BadQuery(f"size is {size}; it must be one of {', '.join(map(str, SIZES))}", field="size")
    return max(1, whole_number(request.args.get("page", "1"), "page")), size


def arguments(pages: Pages, filters: filtering.Filters, view: View) -> dict[str, Any]:
    """What tells the records of a list, in its order, to a query."""
    key, descending = _sorting(pages)
    wanted = {
        "object": pages.kind,
        "filter": filtering.conditions(pages, filters),
        "scope": filters.scope,
        "sort": _view_sort(view) or [{"field": key, "direction": "desc" if descending else "asc"}],
    }
    return wanted if view is None else wanted | {"list_view": view["id"]}


def _query(pages: Pages, columns: Sequence[Column], filters: filtering.Filters, view: View) -> dict[str, Any]:
    number, size = _wanted_page()
    fields = [column.key for column in columns]
    fields += [name for name in _extra_fields(pages) if name not in fields]
    found: dict[str, Any] = read(
        "crm.query",
        arguments(pages, filters, view) | {"fields": fields, "limit": size, "offset": (number - 1) * size},
    )
    return found


def _new_item(pages: Pages) -> MenuItem | None:
    if pages.kind == "email" or not may("create", pages.kind):
        return None
    return MenuItem(label=f"New {pages.noun}", href=f"{pages.url}/new", icon="plus-lg", primary=True)


def _nothing(pages: Pages, is_filtered: bool, fault: BadQuery | None) -> tuple[str, str]:
    """What a list without rows says: nothing was looked for, nothing matches, or nothing is there."""
    if fault:
        return "Nothing was looked for", "A filter could not be read. Correct what is marked, or clear the filters."
    if is_filtered:
        return f"No {pages.nouns} match", "Remove a filter to see more."
    return f"No {pages.nouns} yet", "What you create appears here."


def _table(
    pages: Pages,
    columns: tuple[Column, ...],
    found: Mapping[str, Any],
    filters: filtering.Filters,
    view: View,
    fault: BadQuery | None,
) -> Table:
    number, size = _wanted_page()
    key, descending = _sorting(pages, view)
    key = key if view is None or key in [column.key for column in columns] else ""
    sizes = SIZES if page_size() in SIZES else (page_size(), *SIZES)
    sums = {name: total(value) for name, value in (found.get("sums") or {}).items()}
    is_filtered = filters.narrows or view is not None
    title, text = _nothing(pages, is_filtered, fault)
    return Table(
        id=pages.path,
        caption=fields_label(pages),
        columns=columns,
        rows=rows_of(pages, columns, found["rows"]),
        url=pages.url,
        noun=(pages.noun, pages.nouns),
        query=filters.pairs,
        page=Page(number, size, found["total"], sizes),
        sort=key,
        descending=descending,
        filters=filtering.panel(pages, filters, pages.url, fault),
        totals=sums,
        is_unread=fault is not None,
        selectable=bool(found["rows"]) and selecting.may_select(pages),
        bulk=(*merge_action(pages), *selecting.actions(pages)),
        bulk_hidden=selecting.hidden(pages, filters),
        empty_title=title,
        empty_text=text,
        empty_action=MenuItem(label="Clear filters", href=pages.url) if is_filtered else _new_item(pages),
    )


def _switches(pages: Pages, filters: filtering.Filters, view: View) -> tuple[MenuItem, ...]:
    if KINDS[pages.kind].owner_sql is None or view is not None:
        return ()
    if filters.scope == "mine":
        return (MenuItem(label=f"Show all {pages.nouns}", href=pages.url),)
    return (MenuItem(label=f"Show my {pages.nouns}", href=f"{pages.url}?scope=mine"),)


@blueprint.get("/<folder>")
def records(folder: str) -> Any:
    """A list of records, of a saved view or all; what cannot be read in its filters is said in the panel (400)."""
    pages = pages_at(folder)
    wanted, view = saved.chosen(pages)
    filters, fault = replace(filtering.read_filters(), view=wanted), None
    columns = columns_of(pages, None if view is None else view["record"]["columns"])
    try:
        found = _query(pages, columns, filters, view)
    except BadQuery as refused:
        if refused.field != "filter":
            raise
        found, fault = {"rows": [], "total": 0}, refused
    new = _new_item(pages)
    header = PageHeader(
        title=view["name"] if view else ("My " if filters.scope == "mine" else "All ") + pages.nouns,
        kicker=fields_label(pages),
        icon=pages.icon,
        actions=(*_switches(pages, filters, view), *((new,) if new else ())),
        more=(*import_items(pages), *exporting.items(pages, filters), *(queue_items() if pages.kind == "case" else ())),
    )
    table = _table(pages, columns, found, filters, view, fault)
    bar = saved.picker(pages, view, filters) if pages.kind in RECORDS else None
    status = 400 if fault else 200
    return page("crm/list.html", status, list_header=header, table=table, views=bar, heading=header.title)


@blueprint.get("/<folder>/export.csv")
def export(folder: str) -> Any:
    """The list as a file: the same columns, the same records, the same order. Needs the right to export."""
    pages = pages_at(folder)
    wanted, view = saved.chosen(pages)
    filters = replace(filtering.read_filters(), view=wanted)
    columns = columns_of(pages, None if view is None else view["record"]["columns"])
    return exporting.file_of(pages, columns, arguments(pages, filters, view))
