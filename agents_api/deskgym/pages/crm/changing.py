"""Creating, changing, deleting and restoring records of Northbeam by hand."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from deskgym_apps.crm.service.activities import CallInput
from deskgym_apps.crm.service.catalog import MODELS
from deskgym_apps.crm.service.inputs import label, widgets
from deskgym_apps.crm.service.kinds import VIEW, kind_of

from ..filling import Named, fill, fill_all
from ..visit import Refused, Visit
from . import reports, setup, views
from .cases import TALKS
from .quotes import LINES, add_line, change_price_book, edit_line, remove_line
from .records import FOLDERS, Action, landed, meet, record_path, save, told

_MOVE = "move_open_activities"
_DOUBLES = "allow_duplicates"
_MOVE_LABEL = "Move open activities to the new owner"
_ATTACHED = "Attached to"


async def _named(visit: Visit, model: type[BaseModel], values: Mapping[str, Any]) -> dict[str, Any]:
    """Values with every record of a lookup as people know it."""
    kinds = {name: details["kind"] for name, details in widgets(model).items()}
    found = dict(values)
    for name, value in values.items():
        if kinds.get(name) == "lookup" and value is not None:
            found[name] = await meet(visit, value)
        elif kinds.get(name) == "records" and value is not None:
            found[name] = [await meet(visit, record_id) for record_id in value]
    return found


async def _write(visit: Visit, model: type[BaseModel], values: Mapping[str, Any]) -> None:
    """Fill the form of the present page in."""
    plain = {name: value for name, value in values.items() if not isinstance(value, list)}
    fields = {name: (label(model, name), str(details["kind"])) for name, details in widgets(model).items()}
    for name in plain:
        if name in fields and await visit.main.get_by_role("status", name=visit.called(fields[name][0])).count():
            raise Refused(f"{fields[name][0]} cannot be changed by hand")
    await fill_all(visit, visit.main, fields, plain)
    for name in values.keys() - plain.keys():
        await _attach(visit, values[name])


async def _attach(visit: Visit, records: list[Named]) -> None:
    """The lookups "Attached to", "Attached to (2)", …; those beyond the records are emptied."""
    boxes = visit.main.get_by_role("combobox", name=re.compile(rf"^{_ATTACHED}( \(\d+\))?$"))
    for _ in range(await boxes.count(), len(records)):
        await visit.press(visit.main.get_by_role("button", name="Add another record"))
    for at in range(await boxes.count()):
        shown = _ATTACHED if at == 0 else f"{_ATTACHED} ({at + 1})"
        await fill(visit, visit.main, shown, "lookup", records[at] if at < len(records) else None)


async def _create(
    visit: Visit, kind: str, model: type[BaseModel], values: Mapping[str, Any], *, in_spite: bool = False
) -> dict[str, Any]:
    shown = await _named(visit, model, values)
    # The address names the first record of a note, as the "New note" button of that record's page does.
    first = f"?record_id={values['record_ids'][0]}" if values.get("record_ids") else ""
    await visit.go(f"/crm/{FOLDERS[kind]}/new{first}")
    await _write(visit, model, shown)
    await save(visit, in_spite=in_spite)
    return {"id": landed(visit), "row_version": 1, "name": await visit.heading()}


async def create(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Fill the form of a new record in."""
    kind = str(args["object"])
    if kind == VIEW:
        return await views.create_view(visit, args["values"])
    if kind == "report":
        return await reports.create_report(visit, args["values"])
    if kind == "dashboard":
        return await reports.save_dashboard(visit, args["values"], None)
    if setup.is_setup(kind):
        return await setup.create(visit, kind, args["values"])
    if kind in LINES:
        return await add_line(visit, kind, args["values"])
    return await _create(visit, kind, MODELS[kind][0], args["values"], in_spite=bool(args.get(_DOUBLES)))


async def log_activity(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Log a call, write a new task, event or note, comment on a case or answer its customer."""
    kind = str(args["kind"])
    if kind in TALKS:
        return await TALKS[kind](visit, args["values"])
    return await _create(visit, kind, CallInput if kind == "call" else MODELS[kind][0], args["values"])


async def update(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Change fields in a record's edit form; the form carries the row version it was drawn from."""
    record_id = str(args["id"])
    if views.is_view(record_id):
        return await views.update_view(visit, args)
    if reports.is_report(record_id):
        return await reports.update_report(visit, args)
    if reports.is_dashboard(record_id):
        return await reports.save_dashboard(visit, args["values"], args)
    if setup.is_setup(kind_of(record_id).name):
        return await setup.update(visit, args)
    if kind_of(record_id).name in LINES:
        return await edit_line(visit, args)
    if "pricebook_id" in args["values"]:
        return await change_price_book(visit, args)
    model = MODELS[kind_of(record_id).name][1]
    shown = await _named(visit, model, args["values"])
    await visit.go(f"{record_path(record_id)}/edit")
    await _write(visit, model, shown)
    if args.get(_MOVE):
        await fill(visit, visit.main, _MOVE_LABEL, "checkbox", True)
    await save(visit, in_spite=bool(args.get(_DOUBLES)))
    version = args.get("row_version")
    return {"id": record_id, "row_version": None if version is None else version + 1}


async def delete(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Delete a record and confirm."""
    record_id = str(args["id"])
    if views.is_view(record_id):
        return await views.delete_view(visit, record_id)
    if reports.is_report(record_id):
        return await reports.delete_report(visit, record_id)
    if reports.is_dashboard(record_id):
        return await reports.delete_dashboard(visit, record_id)
    if setup.is_setup(kind_of(record_id).name):
        return await setup.delete(visit, args)
    if kind_of(record_id).name in LINES:
        return await remove_line(visit, args)
    await visit.go(f"{record_path(record_id)}/delete")
    await save(visit, "Delete")
    return {"id": record_id, "deleted": int(told(visit, "n") or 1)}


async def undelete(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Restore a record from the recycle bin, wherever in it it is."""
    record_id = str(args["id"])
    await visit.go("/crm/recycle-bin?scope=org")
    # The bin names records but does not link to them; only the row's own form says which record it restores.
    own = visit.page.locator(f'input[name="id"][value="{record_id}"]')
    while not await own.count():
        following = visit.main.get_by_role("link", name="Next page")
        if not await following.count():
            raise Refused(f"the recycle bin has no record {record_id} that can be restored")
        await visit.press(following)
    row = visit.main.get_by_role("row").filter(has=own)
    more = re.search(r"\b(\d+) more\b", await row.inner_text())
    await visit.press(row.get_by_role("button", name=re.compile("^Actions for ")))
    await visit.press(row.get_by_role("menuitem", name="Restore"))
    if told(visit, "done") != "restored":
        raise Refused(" ".join((await visit.page.get_by_role("status", name="Messages").inner_text()).split()))
    return {"id": record_id, "row_version": None, "restored": 1 + int(more[1] if more else 0)}


ACTIONS: Mapping[str, Action] = {
    "create": create,
    "delete": delete,
    "log_activity": log_activity,
    "undelete": undelete,
    "update": update,
}
