"""Importing a file by hand: upload or paste, say what the columns are, check, import; and undoing it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from deskgym_apps.crm import rules_import
from deskgym_apps.crm.service.catalog import MODELS
from deskgym_apps.crm.service.inputs import label, required

from ..filling import fill
from ..visit import PageFault, Visit
from .records import FOLDERS, Action, save, told

_OPTIONS = {
    "mode": (
        "What to do",
        {
            "insert": "Create records",
            "update": "Change records that exist",
            "upsert": "Change records that exist, create the others",
        },
    ),
    "match_field": (
        "Find records by",
        {"id": "Record id", "email": "E-mail", "account_number": "Account number"},
    ),
    "duplicate_action": (
        "New rows like a record that exists",
        {
            "skip": "Leave the row out",
            "update": "Change the record that exists",
            "create": "Create it all the same",
        },
    ),
    "numbers": ("Numbers are written", {}),
    "dates": ("Dates are written", {}),
}
_SEPARATORS = {"auto": "Found by itself", "comma": "Comma", "semicolon": "Semicolon", "tab": "Tab"}
_COUNTS = ("created", "updated", "skipped", "failed")
_JOB = re.compile(r"^/crm/imports/([A-Z0-9]{15})$")


async def import_file(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Go through the wizard, as far as a dry run does or to the end; or undo an import."""
    if "undo" in args:
        return await _undo(visit, str(args["undo"]))
    kind = str(args["object"])
    await visit.go(f"/crm/{FOLDERS[kind]}/import")
    await _upload(visit, args)
    await _next(visit, "Continue")
    await _map(visit, kind, args)
    await _next(visit, "Check the rows")
    found = {"object": kind, "job_id": None} | await _facts(visit)
    if args.get("dry_run"):
        return found
    if args.get("on_failure") == "skip" and found["failed"]:
        box = visit.main.get_by_role("checkbox", name=re.compile("^Import the other "))
        await box.set_checked(True)
    good = int(found["total"]) - int(found["failed"])
    await save(visit, f"Import {good:,} {'row' if good == 1 else 'rows'}")
    landed = _JOB.match(visit.path)
    if landed is None:
        await visit.check()
        raise PageFault(f"{visit.path} is no import")
    return found | {"job_id": landed[1]}


async def _next(visit: Visit, button: str) -> None:
    await visit.press(visit.main.get_by_role("button", name=button, exact=True))
    await visit.check()


async def _upload(visit: Visit, args: Mapping[str, Any]) -> None:
    if "file_name" in args:
        file = {"name": str(args["file_name"]), "mimeType": "text/csv", "buffer": str(args["csv"]).encode()}
        await visit.main.get_by_label("CSV file", exact=True).set_input_files(file)  # type: ignore[arg-type]
    else:
        await fill(visit, visit.main, "Or paste the lines", "textarea", args["csv"])
    if "separator" in args:
        await fill(visit, visit.main, "Separator", "picklist", _SEPARATORS[str(args["separator"])])


async def _map(visit: Visit, kind: str, args: Mapping[str, Any]) -> None:
    """Choose for every column; those that are not mapped are left out."""
    new, model = MODELS[kind]
    for column in rules_import.read_sheet(str(args["csv"]), str(args.get("separator", "auto"))).columns:
        field = args["mapping"].get(column)
        value = "Leave out"
        if field == "id":
            value = "Record id"
        elif field is not None:
            value = visit.shown(label(model, field)) + (" (required)" if field in required(new) else "")
        await fill(visit, visit.main, f'Column "{column}"', "picklist", value)
    for name, (shown, words) in _OPTIONS.items():
        if name in args:
            await fill(visit, visit.main, shown, "picklist", words.get(str(args[name]), args[name]))
    if "clear_blanks" in args:
        await fill(visit, visit.main, "Empty cells empty the field", "checkbox", args["clear_blanks"])


async def _facts(visit: Visit) -> dict[str, Any]:
    """The counts among the key facts: rows, and what they come to."""
    facts = visit.main.get_by_role("region", name="Key facts").get_by_role("definition")
    numbers = [int(text.replace(",", "")) for text in await facts.all_inner_texts()]
    return dict(zip(("total", *_COUNTS), numbers, strict=True))


async def _undo(visit: Visit, job_id: str) -> dict[str, Any]:
    await visit.go(f"/crm/imports/{job_id}/undo")
    await save(visit, "Undo import")
    return {"id": job_id, "removed": int(told(visit, "n") or 0)}


ACTIONS: Mapping[str, Action] = {"import": import_file}
