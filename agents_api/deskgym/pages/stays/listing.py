"""A host's listing by hand: its prices, its seasons, and the steps of its editor."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from deskgym_apps.kit.operations import Input
from deskgym_apps.kit.widgets import wanted
from deskgym_apps.stays.service.host_inputs import ListingChanges, PricingChanges, RuleChanges, SeasonChanges

from ..filling import fill, fill_all
from ..visit import PATIENCE, PageFault, Visit
from .going import Action, send

_KINDS = {"picklist": "select", "integer": "number"}
_SAVE = re.compile("^Save ")
_BASICS = frozenset(
    {
        "title",
        "description",
        "street",
        "postcode",
        "property_type",
        "room_type",
        "max_guests",
        "baths",
        "status",
    }
)
_ELSEWHERE = frozenset({"rooms", "photos", "amenities", "remove_amenities", "rules"})


def _controls(model: type[Input]) -> dict[str, tuple[str, str]]:
    return {name: (want.label, _KINDS.get(want.kind, want.kind)) for name, want in wanted(model).items()}


async def _edit(visit: Visit, listing: str, step: str, model: type[Input], values: Mapping[str, Any]) -> None:
    """Fill fields of one step of the editor in and save it."""
    await visit.go(f"/stays/host/listings/{listing}/{step}")
    form = visit.main.get_by_role("tabpanel")
    await fill_all(visit, form, _controls(model), values)
    await send_step(visit)


async def send_step(visit: Visit) -> None:
    """Press the step's own Save."""
    await send(visit, _SAVE, visit.main.get_by_role("tabpanel"))


async def host_pricing(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Change prices, or make, change or delete a season."""
    action = args.get("action", "update")
    if action == "update":
        await _edit(visit, str(args["listing"]), "pricing", PricingChanges, args["values"])
        return {"id": args["listing"], "row_version": _next(args)}
    if action != "create_season":
        raise PageFault("the pages know a season by its listing only")
    await visit.go(f"/stays/host/listings/{args['listing']}/seasons/new")
    await fill_all(visit, visit.main, _controls(SeasonChanges), args["values"])
    await send(visit, "Save season")
    return {"id": None, "row_version": 1}


def _next(args: Mapping[str, Any]) -> int | None:
    version = args.get("row_version")
    return None if version is None else int(version) + 1


async def host_listing_update(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Change what one step of the editor holds."""
    listing, values = str(args["listing"]), dict(args["values"])
    if values.keys() <= {"amenities", "remove_amenities"}:
        await _amenities(visit, listing, values)
    elif values.keys() == {"rules"}:
        await _edit(visit, listing, "rules", RuleChanges, values["rules"])
    else:
        is_basic = values.keys() <= _BASICS
        if values.keys() & _ELSEWHERE or (values.keys() & _BASICS and not is_basic):
            raise PageFault(f"no step of the editor holds {', '.join(sorted(values))}")
        await _edit(visit, listing, "basics" if is_basic else "booking", ListingChanges, values)
    return {"id": listing, "row_version": _next(args)}


async def _amenities(visit: Visit, listing: str, values: Mapping[str, Any]) -> None:
    await visit.go(f"/stays/host/listings/{listing}/amenities")
    for item in values.get("amenities", ()):
        label = await _amenity(visit, str(item["amenity"]))
        await fill(visit, visit.main, label, "checkbox", True)
        if "note" in item:
            await fill(visit, visit.main, f"Note on {label}", "text", item["note"])
    for code in values.get("remove_amenities", ()):
        await fill(visit, visit.main, await _amenity(visit, str(code)), "checkbox", False)
    await send_step(visit)


async def _amenity(visit: Visit, code: str) -> str:
    """What the page calls an amenity."""
    label = visit.main.locator(f'label[for="has-{code}"]')
    return (await label.inner_text(timeout=PATIENCE)).strip()


ACTIONS: Mapping[str, Action] = {"host_listing_update": host_listing_update, "host_pricing": host_pricing}
