"""Converting a lead by hand: the Convert page of Northbeam."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from playwright.async_api import Locator

from ..filling import Named, fill
from ..visit import PATIENCE, PageFault, Visit
from .records import Action, meet, record_path, save

_TARGETS = ("account", "contact", "opportunity")
_PLAIN = {"new": re.compile(r"^Create an? "), "none": re.compile(r"^No opportunity")}
_HREF = re.compile(r"/crm/(accounts|contacts|opportunities)/([A-Z0-9]{15})$")
_KINDS = {"accounts": "account", "contacts": "contact", "opportunities": "opportunity"}


async def convert_lead(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Fill the Convert page in and send it; the lead's page then says what it became."""
    lead_id = str(args["lead_id"])
    given = {target: str(args[target]) for target in _TARGETS}
    records = {target: await meet(visit, value) for target, value in given.items() if value not in _PLAIN}
    owner = await meet(visit, args["owner"]) if args.get("owner") else None
    await visit.go(f"{record_path(lead_id)}/convert")
    for target, value in given.items():
        await _choose(visit, target, value, records.get(target))
    if args.get("opportunity_name"):
        await fill(visit, visit.main, "Opportunity name", "text", args["opportunity_name"])
    if args.get("status"):
        await fill(visit, visit.main, "Converted status", "picklist", args["status"])
    if owner is not None:
        await fill(visit, visit.main, "Owner of the new records", "lookup", owner)
    await save(visit, "Convert lead", in_spite=bool(args.get("allow_duplicates")))
    became = await _became(visit)
    version = args.get("row_version")
    return {
        "lead_id": lead_id,
        "row_version": None if version is None else version + 1,
        **{f"{target}_id": became.get(target) for target in _TARGETS},
        "created": [target for target in _TARGETS if given[target] == "new"],
    }


async def _choose(visit: Visit, target: str, value: str, record: Named | None) -> None:
    """Choose among the suggestions, or name another record."""
    shown = visit.shown(f"Choose the {target}")
    group = visit.main.get_by_role("radiogroup", name=re.compile(rf"^{re.escape(shown)}\b"))
    labels = group.locator("label")
    texts = [" ".join(text.split()) for text in await labels.all_inner_texts()]
    at = _place(texts, value, record)
    if at is None:
        at = next(place for place, text in enumerate(texts) if text.startswith("Another "))
        await _press(group, at)
        await fill(visit, visit.main, f"Another {target}", "lookup", record)
        return
    await _press(group, at)


async def _press(group: Locator, at: int) -> None:
    await group.get_by_role("radio").nth(at).check(timeout=PATIENCE)


def _place(texts: list[str], value: str, record: Named | None) -> int | None:
    """Where the choice stands; None for a record that is not suggested. Raises PageFault where it cannot be told."""
    if record is None:
        for at, text in enumerate(texts):
            if _PLAIN[value].match(text):
                return at
        raise PageFault(f"the Convert page offers no {value}; it offers {'; '.join(texts)}")
    same = [at for at, text in enumerate(texts) if text == record.name or text.startswith(f"{record.name} ")]
    if len(same) > 1:
        same = [at for at in same if _agrees(texts[at].removeprefix(record.name), record.text)]
    if len(same) > 1:
        raise PageFault(f'{len(same)} suggestions mean "{record.name}"')
    return same[0] if same else None


def _agrees(detail: str, text: str) -> bool:
    parts = (part.strip().removeprefix("owner ") for part in detail.split(","))
    return all(part in text for part in parts if part and not part.startswith("same "))


async def _became(visit: Visit) -> dict[str, str]:
    """Ids behind the links among the key facts of a converted lead."""
    facts = visit.main.get_by_role("region", name="Key facts").get_by_role("link")
    found = {}
    for link in await facts.all():
        match = _HREF.search(await link.get_attribute("href") or "")
        if match:
            found[_KINDS[match[1]]] = match[2]
    return found


ACTIONS: Mapping[str, Action] = {"convert_lead": convert_lead}
