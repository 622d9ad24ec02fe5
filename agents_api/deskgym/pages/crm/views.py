"""Saved list views, and many records at once, by hand."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from deskgym_apps.crm.routes.filters import WORDS
from deskgym_apps.crm.service.catalog import MODELS, catalog
from deskgym_apps.crm.service.inputs import label, widgets
from deskgym_apps.crm.service.kinds import KINDS, VIEW, kind_of

from ..filling import fill
from ..visit import PATIENCE, PageFault, Visit
from . import reading
from .records import FOLDERS, Action, meet, save, told

_WHO = {"private": "Only me", "groups": "Public groups", "all": "Everybody"}
_WAYS = {"asc": "Ascending", "desc": "Descending"}
_NOTHING = "–"
_MOST_SHOWN = 100


def shown_value(value: Any) -> str:
    """A value of a filter as the form takes it."""
    if isinstance(value, list):
        return ", ".join(shown_value(item) for item in value)
    if isinstance(value, bool):
        return "Yes" if value else "No"
    return "" if value is None else str(value)


async def choose(visit: Visit, name: str, wanted: str) -> None:
    """Choose in a select by label, unless that is chosen already."""
    box = visit.main.get_by_role("combobox", name=visit.shown(name), exact=True)
    now = await box.evaluate("box => (box.selectedOptions ? box.selectedOptions[0].text : box.textContent).trim()")
    if now != wanted:
        await fill(visit, visit.main, name, "select", wanted)


def field_label(kind: str, key: str) -> str:
    """What a list's pages call a field: that of a record behind a lookup by the lookup's own name."""
    prefix, _, name = key.rpartition(".")
    own = catalog(kind).fields
    if not prefix:
        return own[key].label
    holder = own[f"{prefix}_id"] if f"{prefix}_id" in own else own[prefix]
    return holder.label if name == "name" else f"{holder.label}: {catalog(holder.target or '').fields[name].label}"


async def _text(visit: Visit, name: str, value: str) -> None:
    await fill(visit, visit.main, name, "text", value)


async def filter_rows(visit: Visit, kind: str, filters: Sequence[Mapping[str, Any]]) -> None:
    """Fill the rows of conditions of a form: field, operator, value; those left over are emptied."""
    rows = await visit.main.get_by_role("combobox", name=re.compile(r"^Field \d+$")).count()
    for at in range(1, rows + 1):
        item = filters[at - 1] if at <= len(filters) else None
        await choose(visit, f"Field {at}", _NOTHING if item is None else field_label(kind, str(item["field"])))
        if item is not None:
            await choose(visit, f"Operator {at}", WORDS[str(item["op"])])
            await _text(visit, f"Value {at}", shown_value(item.get("value")))


async def _columns(visit: Visit, kind: str, columns: Sequence[str]) -> None:
    rows = await visit.main.get_by_role("combobox", name=re.compile(r"^Column \d+$")).count()
    for at in range(1, rows + 1):
        await choose(visit, f"Column {at}", field_label(kind, columns[at - 1]) if at <= len(columns) else _NOTHING)


async def _sort(visit: Visit, kind: str, sort: Sequence[Mapping[str, Any]]) -> None:
    for at in range(1, 4):
        item = sort[at - 1] if at <= len(sort) else None
        name = "Sort by" if at == 1 else f"Then by ({at})"
        await choose(visit, name, _NOTHING if item is None else field_label(kind, str(item["field"])))
        if item is not None:
            await choose(visit, f"Direction {at}", _WAYS[str(item.get("direction", "asc"))])


async def _groups(visit: Visit, group_ids: Sequence[str]) -> None:
    boxes = visit.main.get_by_role("checkbox", name=re.compile("^Share with "))
    for box in await boxes.all():
        name = await box.get_attribute("name", timeout=PATIENCE) or ""
        await box.set_checked(name.removeprefix("group_") in group_ids, timeout=PATIENCE)


async def _write(visit: Visit, kind: str, values: Mapping[str, Any]) -> None:
    if "name" in values:
        await _text(visit, "View name", str(values["name"]))
    if "scope" in values:
        plural = KINDS[kind].plural.lower()
        whose = {"all": f"All {plural}", "mine": f"Only those of who looks: my {plural}"}
        await choose(visit, "Whose records", whose[str(values["scope"])])
    if "visibility" in values:
        await choose(visit, "Who sees this view", _WHO[str(values["visibility"])])
    if "group_ids" in values:
        await _groups(visit, values["group_ids"])
    if "filters" in values:
        await filter_rows(visit, kind, values["filters"])
    if "filters" in values or "filter_logic" in values:
        await _text(visit, "Filter logic", str(values.get("filter_logic") or ""))
    if "columns" in values:
        await _columns(visit, kind, values["columns"])
    if "sort" in values:
        await _sort(visit, kind, values["sort"])


def _landed(visit: Visit) -> str:
    found = re.search(r"[?&]view=(LVW\w{12})", visit.page.url)
    if found is None:
        raise PageFault(f"{visit.path} shows no list view")
    return found[1]


async def create_view(visit: Visit, values: Mapping[str, Any]) -> dict[str, Any]:
    """Fill the form of a new view in."""
    kind = str(values["object"])
    await visit.go(f"/crm/{FOLDERS[kind]}/views/new?rows=all")
    await _write(visit, kind, values)
    await save(visit, "Save view")
    return {"id": _landed(visit), "row_version": 1, "name": await visit.heading()}


async def _open(visit: Visit, view_id: str) -> str:
    """Open the list with a view, wherever it belongs; the path of the list."""
    await visit.go(f"/crm/views/{view_id}")
    return visit.path


async def get(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Read a record's page, or look at a list through a view."""
    record_id = str(args["id"])
    kind = kind_of(record_id).name
    if kind in ("report", "dashboard"):
        await visit.go(f"/crm/{kind}s/{record_id}")
        text = await visit.main.inner_text(timeout=PATIENCE)
        return {"id": record_id, "object": kind, "name": await visit.heading(), "text": text}
    return await (get_view(visit, record_id) if is_view(record_id) else reading.get(visit, args))


def is_view(record_id: str) -> bool:
    """Whether an id is that of a list view."""
    return kind_of(record_id).name == VIEW


async def get_view(visit: Visit, view_id: str) -> dict[str, Any]:
    """Look at a list through a view."""
    await _open(visit, view_id)
    text = await visit.main.inner_text(timeout=PATIENCE)
    return {"id": view_id, "object": "list_view", "name": await visit.heading(), "text": text}


async def update_view(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Change what is given in a view's form."""
    view_id = str(args["id"])
    folder = await _open(visit, view_id)
    await visit.go(f"{folder}/views/{view_id}/edit?rows=all")
    kind = next(kind for kind, name in FOLDERS.items() if folder == f"/crm/{name}")
    await _write(visit, kind, args["values"])
    await save(visit, "Save view")
    version = args.get("row_version")
    return {"id": view_id, "row_version": None if version is None else version + 1}


async def delete_view(visit: Visit, view_id: str) -> dict[str, Any]:
    """Delete a view and confirm."""
    await visit.go(f"{await _open(visit, view_id)}/views/{view_id}/delete")
    await save(visit, "Delete")
    return {"id": view_id, "deleted": 1}


async def bulk_update(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Select in a list, choose the fields, give the values, and confirm how many."""
    kind, values = str(args["object"]), dict(args.get("values", {}))
    named = {}
    kinds = {name: str(details["kind"]) for name, details in widgets(MODELS[kind][1]).items()}
    for name, value in values.items():
        named[name] = await meet(visit, value) if kinds.get(name) == "lookup" and value is not None else value
    await _select(visit, kind, args)
    if args.get("action") == "delete":
        await _press(visit, "Delete")
        await _confirm(visit, args, "Delete")
    else:
        is_owner = set(values) == {"owner_id"}
        await _press(visit, "Change owner" if is_owner else "Change fields")
        if not is_owner:
            for name in values:
                box = visit.main.get_by_role("checkbox", name=visit.called(f"Set {label(MODELS[kind][1], name)}"))
                await box.set_checked(True, timeout=PATIENCE)
            await _press(visit, "Next")
        for name, value in named.items():
            await fill(visit, visit.main, label(MODELS[kind][1], name), kinds[name], value)
        if args.get("move_open_activities"):
            await fill(visit, visit.main, "Move open activities to the new owner", "checkbox", True)
        await _confirm(visit, args, re.compile("^Change [0-9]"))
    return {"object": kind, "matched": args["expected_count"], "changed": int(told(visit, "n") or 0)}


async def _press(visit: Visit, button: str) -> None:
    await visit.press(visit.main.get_by_role("button", name=button, exact=True))
    await visit.check()


async def _confirm(visit: Visit, args: Mapping[str, Any], button: str | re.Pattern[str]) -> None:
    """Send the last form, if it is about as many records as the call expects."""
    heading = await visit.heading()
    if f" {int(args['expected_count']):,} " not in f"{heading} ":
        raise PageFault(f'"{heading}" is not about {args["expected_count"]} records')
    before = visit.path
    exact = isinstance(button, str)
    await visit.press(visit.main.get_by_role("button", name=button, exact=exact))
    if visit.path == before:
        await visit.check()
        raise PageFault(f"{before}: sending the form led nowhere")


async def _select(visit: Visit, kind: str, args: Mapping[str, Any]) -> None:
    """Open the list of the records and select all of them: the page, then all that match."""
    pairs = reading.list_filters(args)
    if "ids" in args:
        if len(args["ids"]) > _MOST_SHOWN:
            raise PageFault(f"{len(args['ids'])} records stand on several pages; filter for them")
        pairs |= {"field1": "id", "op1": "in", "value1": ",".join(args["ids"])}
    if args.get("list_view"):
        pairs |= {"view": str(args["list_view"])}
    await visit.go(f"/crm/{FOLDERS[kind]}?{urlencode(pairs | {'size': str(_MOST_SHOWN)})}")
    await visit.main.get_by_role("checkbox", name=re.compile(r"^Select all \d+ on this page$")).check(timeout=PATIENCE)
    matching = visit.main.get_by_role("button", name=re.compile(r"^Select all [\d,]+ matching$"))
    if await matching.count():
        await visit.press(matching)


ACTIONS: Mapping[str, Action] = {"bulk_update": bulk_update, "get": get}
