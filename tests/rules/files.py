"""Merging and importing through either door (CRM-4, CRM-5)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from html import unescape
from typing import Any
from urllib.parse import urlencode

from tests.crm.fixture import ADA
from tests.crm.pages.conftest import FORM, fields_of
from werkzeug.test import TestResponse

from .doors import PageDoorway, ToolDoorway
from .house import CODES, FOLDERS, OBJECTS, Outcome, Refused

Door = PageDoorway | ToolDoorway
_FOLDERS = {**FOLDERS, "lead": "leads"}
_COUNTS = ("created", "updated", "skipped", "failed")


def merge(door: Door, survivor: str, *losers: str, by: str = ADA, **choices: str) -> Outcome:
    """Merge records as they are now; choices are field -> id of the record whose value wins."""
    kind = OBJECTS[survivor[:3]]
    versions = {
        one: int((door.house.store.get(f"crm_{kind}", one) or {"row_version": 1})["row_version"])
        for one in (survivor, *losers)
    }
    if isinstance(door, ToolDoorway):
        given = {"survivor": survivor, "losers": list(losers), "field_choices": choices, "row_versions": versions}
        found = door.house.tool("merge", given, by)
        return Outcome(found["code"], text=found["message"]) if "message" in found else Outcome("done", found["id"])
    pairs = [("record", one) for one in versions] + [("survivor", survivor)]
    pairs += [(f"version_{one}", str(version)) for one, version in versions.items()]
    pairs += [(f"choose_{name}", record_id) for name, record_id in choices.items()]
    base = f"/crm/{_FOLDERS[kind]}/merge"
    try:
        form: dict[str, Any] = door.form(f"{base}/confirm?{urlencode(pairs)}", by, f"{base}/run")
    except Refused as refused:
        return refused.outcome
    return door.outcome(door.house.post(f"{base}/run", form | {"record": list(versions)}, by))


def _next(response: TestResponse, action: str) -> dict[str, str]:
    for found, body in FORM.findall(response.text):
        if unescape(found) == action:
            return fields_of(body)
    raise Refused(Outcome(CODES[response.status_code], text=response.text))


def bring(
    door: Door, kind: str, text: str, fields: Sequence[str], *, by: str = ADA, dry: bool = False, **options: str
) -> tuple[Outcome, dict[str, int]]:
    """Import a file whose columns are `fields`, in order. Returns the outcome and the counts."""
    if isinstance(door, ToolDoorway):
        return _by_tool(door, kind, text, fields, by, dry, options)
    base = f"/crm/{_FOLDERS[kind]}/import"
    try:
        first = door.form(base, by, f"{base}/map")
        second = _next(door.house.post(f"{base}/map", first | {"csv": text}, by), f"{base}/check")
        chosen = {f"map_{at}": name for at, name in enumerate(fields, 1)}
        plain = {name: value for name, value in options.items() if name != "on_failure"}
        checked = door.house.post(f"{base}/check", second | chosen | plain, by)
        last = _next(checked, f"{base}/run")
    except Refused as refused:
        return refused.outcome, {}
    counts = _facts(checked.text)
    if dry:
        return Outcome("done", text=checked.text), counts
    more = {"others": "1"} if options.get("on_failure") == "skip" else {}
    done = door.house.post(f"{base}/run", last | more, by)
    job = re.search(r"/crm/imports/([A-Z0-9]{15})", done.location or "")
    return Outcome(CODES[done.status_code], job[1] if job else "", text=done.text), counts


def _facts(page: str) -> dict[str, int]:
    facts = page.split('aria-label="Key facts"')[1]
    numbers = re.findall(r"<dd[^>]*>([\d,]+)</dd>", facts)[:5]
    return dict(zip(("total", *_COUNTS), (int(one.replace(",", "")) for one in numbers), strict=True))


def _by_tool(
    door: ToolDoorway, kind: str, text: str, fields: Sequence[str], by: str, dry: bool, options: Mapping[str, str]
) -> tuple[Outcome, dict[str, int]]:
    columns = re.split("[,;\t]", text.removeprefix("\ufeff").splitlines()[0])
    mapping = {column: name for column, name in zip(columns, fields, strict=True) if name}
    given = {"csv": text, "object": kind, "mapping": mapping} | dict(options) | ({"dry_run": True} if dry else {})
    found = door.house.tool("import", given, by)
    if "message" in found:
        return Outcome(found["code"], text=json.dumps(found, ensure_ascii=False)), {}
    counts = {name: int(found[name]) for name in ("total", *_COUNTS)}
    return Outcome("done", str(found["job_id"] or ""), text=json.dumps(found, ensure_ascii=False)), counts


def undo(door: Door, job_id: str, *, by: str = ADA) -> Outcome:
    """Undo an import."""
    if isinstance(door, ToolDoorway):
        found = door.house.tool("import", {"undo": job_id}, by)
        return Outcome(found["code"], text=found["message"]) if "message" in found else Outcome("done")
    path = f"/crm/imports/{job_id}/undo"
    try:
        form = door.form(path, by)
    except Refused as refused:
        return refused.outcome
    return door.outcome(door.house.post(path, form, by))
