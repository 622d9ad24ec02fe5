"""What a profile or permission set allows with one object and its fields: one form, one command."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import request

from ...kit.errors import Conflict, Forbidden, Invalid, NotFound
from ...kit.session import run
from ...kit.web import FieldSection, Form, FormField, Link, Option, PageHeader
from ..rules import OBJECTS
from ..rules_setup import RIGHTS
from .drawing import token
from .going import go, page
from .reading import fields_of, posted_version
from .routing import blueprint
from .setup import got_of
from .setup_frame import crumb, need_administrator
from .setup_parts import RIGHT_NAMES
from .setup_places import ROOT, Place, place_at, word

_HOLDERS = ("profile", "permission_set")
ACCESS_NAMES = {"edit": "Editable", "read": "Read only", "hidden": "Hidden"}
_NONE = "none"
_NEEDED = ("owner_id",)


def _of(slug: str, row_id: str, thing: str) -> tuple[Place, dict[str, Any]]:
    need_administrator()
    place = place_at(slug)
    if place.pages.kind not in _HOLDERS or thing not in OBJECTS:
        raise NotFound(f'there is no "{thing}" with permissions here')
    got = got_of(place, row_id)
    if got["record"].get("is_admin"):
        raise Forbidden(f"{got['name']} may do everything, always; nothing of it can be changed")
    return place, got


def _rights(got: Mapping[str, Any], thing: str) -> dict[str, bool]:
    held: Mapping[str, Any] = next(
        (item for item in got["record"]["object_permissions"] if item["object"] == thing), {}
    )
    return {right: bool(held.get(right)) for right in RIGHTS}


def _fields(place: Place, got: Mapping[str, Any], thing: str) -> dict[str, str]:
    """Access by field, for those that may be withheld or given back; `none` where a set says nothing."""
    held = {item["field"]: item["access"] for item in got["record"]["field_permissions"] if item["object"] == thing}
    usual = "edit" if place.pages.kind == "profile" else _NONE
    return {
        name: held.get(name, usual)
        for name, info in fields_of(thing).items()
        if info["writable"] and not info["required"] and name not in _NEEDED
    }


def _choices(place: Place) -> tuple[Option, ...]:
    if place.pages.kind == "profile":
        return tuple(Option(value, text) for value, text in ACCESS_NAMES.items())
    return (Option(_NONE, "–"), Option("read", ACCESS_NAMES["read"]), Option("edit", ACCESS_NAMES["edit"]))


def _form_page(place: Place, got: Mapping[str, Any], thing: str, error: Invalid | Conflict | None = None) -> Any:
    url, name = f"{place.pages.url}/{got['id']}", word("object", thing)
    is_again = error is not None
    rights, fields = _rights(got, thing), _fields(place, got, thing)
    if is_again:
        rights = {right: request.form.get(f"right_{right}") == "1" for right in RIGHTS}
        fields = {field: request.form.get(f"field_{field}", held) for field, held in fields.items()}
    boxes = tuple(
        FormField(name=f"right_{right}", label=RIGHT_NAMES[right], kind="checkbox", value="1" if held else "")
        for right, held in rights.items()
    )
    selects = tuple(
        FormField(
            name=f"field_{field}",
            label=str(fields_of(thing)[field]["label"]),
            kind="select",
            value=held,
            options=_choices(place),
        )
        for field, held in fields.items()
    )
    title = f"{got['name']}: {name}"
    version = posted_version() if is_again else int(got["record"]["row_version"])
    note = "Every field is editable where nothing else is said."
    form = Form(
        id="permissions",
        title=title,
        action=f"{url}/objects/{thing}",
        sections=(
            FieldSection("Records", boxes, columns=2),
            FieldSection("Fields", selects, columns=3, note=note if place.pages.kind == "profile" else ""),
        ),
        submit_label="Save",
        cancel_href=url,
        token=token(f"permissions-{thing}", got["id"], version),
        row_version=version,
        errors=(error.message,) if error else (),
    )
    crumbs = [Link("Setup", ROOT), crumb(place), Link(got["name"], url)]
    return page(
        "kit/form_page.html",
        error.status if error else 200,
        title=f"{title} · Setup",
        header=PageHeader(title=title, kicker="Permissions", icon=place.pages.icon),
        form=form,
        crumbs=crumbs,
        crumb_here=name,
        toasts=(),
    )


@blueprint.get("/setup/<slug>/<row_id>/objects/<thing>")
def setup_permissions(slug: str, row_id: str, thing: str) -> Any:
    """The rights to one object and its fields."""
    place, got = _of(slug, row_id, thing)
    return _form_page(place, got, thing)


@blueprint.post("/setup/<slug>/<row_id>/objects/<thing>")
def setup_permit(slug: str, row_id: str, thing: str) -> Any:
    """Save them: `update_profile` or `update_permission_set` with what was changed."""
    place, got = _of(slug, row_id, thing)
    rights = {right: request.form.get(f"right_{right}") == "1" for right in RIGHTS}
    values: dict[str, Any] = {}
    if rights != _rights(got, thing):
        held = {right: True for right, given in rights.items() if given}
        values["object_permissions"] = [{"object": thing, **held}]
    fields = []
    for field, was in _fields(place, got, thing).items():
        now = request.form.get(f"field_{field}", was)
        if now != was and now != _NONE:
            fields.append({"object": thing, "field": field, "access": now})
    if fields:
        values["field_permissions"] = fields
    try:
        if values:
            given = {"id": got["id"], "row_version": posted_version(), "values": values}
            run(f"crm.update_{place.pages.kind}", given)
    except (Invalid, Conflict) as error:
        return _form_page(place, got, thing, error)
    return go(f"{place.pages.url}/{got['id']}", "saved")
