"""Products on opportunities, and quotes, by hand: lines, status, syncing, the deal's price book."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from deskgym_apps.crm.service.inputs import label, widgets
from deskgym_apps.crm.service.line_inputs import DealLineChanges, DealLineInput, QuoteLineChanges, QuoteLineInput
from deskgym_apps.crm.service.opportunities import OpportunityChanges

from ..filling import Named, fill, fill_all
from ..visit import PageFault, Visit
from .records import Action, meet, record_path, save, told

LINES: Mapping[str, tuple[str, type[BaseModel], type[BaseModel]]] = {
    "opportunity_line": ("opportunity_id", DealLineInput, DealLineChanges),
    "quote_line": ("quote_id", QuoteLineInput, QuoteLineChanges),
}


def _controls(model: type[BaseModel]) -> dict[str, tuple[str, str]]:
    return {name: (label(model, name), str(details["kind"])) for name, details in widgets(model).items()}


async def _write(visit: Visit, model: type[BaseModel], values: Mapping[str, Any], records: Mapping[str, Named]) -> None:
    await fill_all(visit, visit.main, _controls(model), {**values, **records})


async def add_line(visit: Visit, kind: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Press "Add product" on the record's page and fill the form in."""
    column, model, _ = LINES[kind]
    given = {name: value for name, value in values.items() if name not in (column, "row_version")}
    chosen = [name for name in ("pricebook_id", "product_id") if name in given]
    records: dict[str, Named] = {name: await meet(visit, given.pop(name)) for name in chosen}
    await visit.go(f"{record_path(values[column])}/lines/new")
    await _write(visit, model, given, records)
    await save(visit)
    version = values.get("row_version")
    following = None if version is None else int(version) + 1
    return {"id": told(visit, "id"), "of": values[column], "row_version": following}


async def edit_line(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Edit a line; the form carries the version of the record that it belongs to."""
    line_id = str(args["id"])
    kind = "opportunity_line" if line_id.startswith("OLI") else "quote_line"
    await visit.go(f"/crm/lines/{line_id}")
    await _write(visit, LINES[kind][2], args["values"], {})
    await save(visit)
    version = args.get("row_version")
    return {"id": line_id, "row_version": None if version is None else int(version) + 1}


async def remove_line(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Remove a line and confirm."""
    line_id, version = str(args["id"]), args.get("row_version")
    await visit.go(f"/crm/lines/{line_id}/remove")
    await save(visit, "Remove")
    return {"id": line_id, "deleted": 1, "row_version": None if version is None else int(version) + 1}


async def change_price_book(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Choose another price book for an opportunity, in its own dialog; its products go where it has any."""
    record_id = str(args["id"])
    book = await meet(visit, args["values"]["pricebook_id"])
    await visit.go(f"{record_path(record_id)}/price-book")
    await fill(visit, visit.main, label(OpportunityChanges, "pricebook_id"), "lookup", book)
    await save(visit, "Remove the products and save" if args.get("remove_products") else "Save")
    return {"id": record_id, "row_version": int(args["row_version"]) + 1}


async def quote(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """One action on a quote: create, add_line, edit_line, remove_line, set_status, sync, unsync."""
    from .changing import create

    action, values = str(args["action"]), dict(args.get("values", {}))
    version = {"row_version": args["row_version"]} if "row_version" in args else {}
    if action == "create":
        return await create(visit, {"object": "quote", "values": values})
    if action == "add_line":
        return await add_line(visit, "quote_line", {"quote_id": args["id"], **values, **version})
    if action == "edit_line":
        return await edit_line(visit, {"id": args["line_id"], "values": values, **version})
    if action == "remove_line":
        return await remove_line(visit, {"id": args["line_id"], **version})
    if action == "set_status":
        await _set_status(visit, str(args["id"]), str(args["status"]))
    else:
        await visit.go(f"{record_path(args['id'])}/{action}")
        await save(visit, "Start syncing" if action == "sync" else "Stop syncing")
    return {"id": args["id"], "row_version": int(args["row_version"]) + 1 if version else None}


async def _set_status(visit: Visit, quote_id: str, status: str) -> None:
    """Choose a step of the path and mark it. Raises Refused where the page says why not."""
    await visit.go(record_path(quote_id))
    path = visit.main.get_by_role("group", name=visit.shown("Status"))
    await path.get_by_role("radio", name=status, exact=True).check(force=True)
    await visit.press(visit.main.get_by_role("button", name="Mark as current status"))
    await visit.check()
    if told(visit, "done") != "status":
        raise PageFault(f"{visit.path}: the status was not changed")


ACTIONS: Mapping[str, Action] = {"quote": quote}
