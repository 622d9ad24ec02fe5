"""Merging records by hand: the comparison, which record stays, whose values, the confirmation."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from playwright.async_api import Error

from deskgym_apps.crm.service.catalog import MODELS
from deskgym_apps.crm.service.inputs import label
from deskgym_apps.crm.service.kinds import kind_of

from ..visit import PATIENCE, PageFault, Visit
from .records import FOLDERS, Action, save


async def merge(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Compare the records, choose as told, and merge them."""
    survivor, losers = str(args["survivor"]), [str(one) for one in args["losers"]]
    kind, ids = kind_of(survivor).name, [survivor, *losers]
    named = "&".join(f"record={record_id}" for record_id in ids)
    await visit.go(f"/crm/{FOLDERS[kind]}/merge?{named}")
    await _keep(visit, survivor)
    for name, record_id in args.get("field_choices", {}).items():
        await _take(visit, label(MODELS[kind][1], name), ids.index(str(record_id)))
    await visit.press(visit.main.get_by_role("button", name="Continue", exact=True))
    await visit.check()
    await save(visit, f"Merge {kind_of(survivor).plural.lower()}")
    version = args["row_versions"].get(survivor)
    return {"id": survivor, "row_version": None if version is None else version + 1, "merged": losers}


async def _keep(visit: Visit, survivor: str) -> None:
    """Let the first record of the address be the one that stays."""
    links = visit.main.get_by_role("link", name=re.compile("^Keep "))
    for link in await links.all():
        if (await link.get_attribute("href") or "").endswith(f"survivor={survivor}"):
            await visit.press(link)
            return


async def _take(visit: Visit, shown: str, at: int) -> None:
    """Choose the value of a field in the column of a record."""
    row = visit.main.get_by_role("row").filter(
        has=visit.page.get_by_role("rowheader", name=visit.shown(shown), exact=True)
    )
    try:
        await row.get_by_role("radio").nth(at).check(timeout=PATIENCE)
    except Error as error:
        raise PageFault(f"{visit.path}: {shown} cannot be chosen: {error.message.splitlines()[0]}") from error


ACTIONS: Mapping[str, Action] = {"merge": merge}
