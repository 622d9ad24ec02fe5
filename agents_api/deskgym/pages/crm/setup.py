"""Setting Northbeam up by hand, as an administrator does; and sharing a record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from deskgym_apps.crm.routes.setup_parts import RIGHT_NAMES
from deskgym_apps.crm.routes.setup_permissions import ACCESS_NAMES
from deskgym_apps.crm.routes.setup_places import WORDS, word
from deskgym_apps.crm.service.catalog import catalog
from deskgym_apps.crm.service.inputs import label, widgets
from deskgym_apps.crm.service.kinds import kind_of
from deskgym_apps.crm.service.setup.models import CHANGED, CREATED

from ..filling import Named, fill
from ..visit import PageFault, Visit
from .people import listed
from .records import Action, record_path, save
from .views import filter_rows

_FOLDERS = {
    "user": "users",
    "role": "roles",
    "queue": "queues",
    "group": "groups",
    "group_member": "members",
    "profile": "profiles",
    "permission_set": "permission-sets",
    "permission_set_assignment": "assignments",
    "sharing_rule": "sharing-rules",
    "assignment_rule": "assignment-rules",
    "assignment_entry": "entries",
    "approval_process": "approval-processes",
    "validation_rule": "validation-rules",
    "picklist_value": "picklists",
}
_IN_ADDRESS = {
    "group_member": ("group_id",),
    "permission_set_assignment": ("permission_set_id",),
    "assignment_entry": ("rule_id",),
    "approval_process": ("object",),
    "validation_rule": ("object",),
    "picklist_value": ("object", "field"),
}
_PERMISSIONS = ("object_permissions", "field_permissions")


def is_setup(kind: str) -> bool:
    """Whether a kind is set up by administrators."""
    return kind in _FOLDERS


async def _named(visit: Visit, record_id: str) -> Named:
    kind = kind_of(record_id).name
    if kind != "queue":
        return await listed(visit, kind, record_id)
    try:
        return await listed(visit, "queue", record_id)
    except PageFault:
        return await listed(visit, "group", record_id)


async def _write(
    visit: Visit, model: type[BaseModel], values: Mapping[str, Any], named: Mapping[str, Named | None], thing: str
) -> None:
    kinds = {name: str(details["kind"]) for name, details in widgets(model).items()}
    for name, value in values.items():
        if name in named:
            await fill(visit, visit.main, label(model, name), "lookup", named[name])
        elif name in WORDS:
            await fill(visit, visit.main, label(model, name), "select", word(name, str(value)))
        elif name.rpartition("_")[2] == "field":
            shown = None if value is None else catalog(thing).fields[str(value)].label
            await fill(visit, visit.main, label(model, name), "select", shown)
        else:
            await fill(visit, visit.main, label(model, name), kinds[name], value)


async def _lookups(visit: Visit, model: type[BaseModel], values: Mapping[str, Any]) -> dict[str, Named | None]:
    return {
        name: None if values[name] is None else await _named(visit, values[name])
        for name, details in widgets(model).items()
        if details["kind"] == "lookup" and name in values
    }


async def create(visit: Visit, kind: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Fill the form of something new in; what it belongs to stands in the form's address."""
    model = CREATED[kind]
    fixed = {name: str(values[name]) for name in _IN_ADDRESS.get(kind, ())}
    rest = {name: value for name, value in values.items() if name not in fixed}
    criteria = rest.pop("criteria", None)
    named = await _lookups(visit, model, rest)
    address = "&".join(f"{name}={value}" for name, value in fixed.items())
    thing = fixed.get("object", "")
    if kind == "assignment_entry":
        await visit.go(f"/crm/setup/assignment-rules/{fixed['rule_id']}")
        thing = "lead" if await visit.main.get_by_text("Leads", exact=True).count() else "case"
    await visit.go(f"/crm/setup/{_FOLDERS[kind]}/new{'?' + address if address else ''}")
    await _write(visit, model, rest, named, thing)
    if criteria is not None:
        await filter_rows(visit, thing, criteria)
    await save(visit)
    return {"id": visit.path.rpartition("/")[2], "row_version": 1, "name": await visit.heading()}


async def update(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Change what is given in an edit form, or rights in the form of one object."""
    row_id, values = str(args["id"]), dict(args["values"])
    kind = kind_of(row_id).name
    if kind == "queue":
        is_queue = await _is_queue(visit, row_id)
        kind = "queue" if is_queue else "group"
    if any(name in values for name in _PERMISSIONS):
        await _permit(visit, kind, row_id, values)
    else:
        model = CHANGED["queue" if kind == "group" else kind]
        criteria = values.pop("criteria", None)
        named = await _lookups(visit, model, values)
        needed = criteria is not None or any(name.rpartition("_")[2] == "field" for name in values)
        thing = await _thing(visit, kind, row_id) if needed else ""
        await visit.go(f"/crm/setup/{_FOLDERS[kind]}/{row_id}/edit")
        await _write(visit, model, values, named, thing)
        if criteria is not None:
            await filter_rows(visit, thing, criteria)
        await save(visit)
    version = args.get("row_version")
    return {"id": row_id, "row_version": None if version is None else version + 1}


async def _is_queue(visit: Visit, row_id: str) -> bool:
    try:
        await listed(visit, "queue", row_id)
    except PageFault:
        return False
    return True


async def _thing(visit: Visit, kind: str, row_id: str) -> str:
    """The object that criteria are about, from the page of their rule."""
    folder = _FOLDERS[kind]
    if kind == "assignment_entry":
        raise PageFault("an entry's criteria are changed by making a new one")
    await visit.go(f"/crm/setup/{folder}/{row_id}")
    words = {text: name for name, text in WORDS["object"].items()}
    shown = await visit.main.get_by_role("definition").all_inner_texts()
    found = [words[text.strip()] for text in shown if text.strip() in words]
    if len(found) != 1:
        raise PageFault(f"{visit.path} does not say which object the rule is about")
    return found[0]


async def _permit(visit: Visit, kind: str, row_id: str, values: Mapping[str, Any]) -> None:
    """One object's rights and fields."""
    objects, fields = values.get(_PERMISSIONS[0], []), values.get(_PERMISSIONS[1], [])
    things = {item["object"] for item in (*objects, *fields)}
    if len(things) != 1 or set(values) - set(_PERMISSIONS):
        raise PageFault("a form holds the permissions of one object, and nothing else")
    thing = things.pop()
    await visit.go(f"/crm/setup/{_FOLDERS[kind]}/{row_id}/objects/{thing}")
    for item in objects:
        for right, name in RIGHT_NAMES.items():
            await fill(visit, visit.main, name, "checkbox", bool(item.get(right)))
    for item in fields:
        name = catalog(thing).fields[item["field"]].label
        await fill(visit, visit.main, name, "select", ACCESS_NAMES[item["access"]])
    await save(visit)


async def delete(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Delete or remove something and confirm."""
    row_id = str(args["id"])
    kind = kind_of(row_id).name
    if kind == "queue" and not await _is_queue(visit, row_id):
        kind = "group"
    await visit.go(f"/crm/setup/{_FOLDERS[kind]}/{row_id}/delete")
    is_part = kind in ("group_member", "permission_set_assignment")
    await save(visit, "Remove" if is_part else "Delete")
    return {"id": row_id, "deleted": 1}


async def share(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Share a record by hand, or take the share away."""
    path = f"{record_path(str(args['record']))}/sharing"
    grantee = str(args["grantee"])
    if args["access"] == "none":
        await visit.go(f"{path}/{grantee}/remove")
        await save(visit, "Take away")
    else:
        person = await _named(visit, grantee)
        await visit.go(f"{path}/new")
        await fill(visit, visit.main, "Share with", "lookup", person)
        await fill(visit, visit.main, "Access", "select", word("access", str(args["access"])))
        await save(visit, "Share")
    return {name: args[name] for name in ("record", "grantee", "access")}


ACTIONS: Mapping[str, Action] = {"share": share}
