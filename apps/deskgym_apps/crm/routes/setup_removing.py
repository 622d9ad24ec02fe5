"""Deleting in the set-up, and deactivating a user: asked first, then one command."""

from __future__ import annotations

from typing import Any

from flask import request

from ...kit.errors import Conflict, Invalid, NotFound
from ...kit.session import read, run
from ...kit.web import Form, Link, PageHeader
from ..service.setup.models import CREATED
from .drawing import token
from .going import go, page
from .reading import posted_version
from .routing import blueprint
from .setup import got_of
from .setup_forms import Asked, edited, home_of, listed_at, operation_of
from .setup_frame import crumb, need_administrator
from .setup_places import ROOT, place_at
from .specs import PAGES


def _ask(asked: Asked, title: str, action: str, button: str, intro: str, error: str = "", status: int = 200) -> Any:
    got = asked.got or {}
    version = got["record"].get("row_version")
    form = Form(
        id="setup-confirm",
        title=title,
        action=action,
        submit_label=button,
        cancel_href=home_of(asked),
        sections=(),
        intro=intro,
        danger=button in ("Delete", "Deactivate"),
        token=token(action, got["id"], version),
        row_version=version,
        errors=(error,) if error else (),
        guard=False,
    )
    return page(
        "kit/form_page.html",
        status,
        title=f"{title} · Setup",
        header=PageHeader(title=title, kicker="Setup", icon=asked.place.pages.icon),
        form=form,
        crumbs=[Link("Setup", ROOT), crumb(listed_at(asked.place))],
        crumb_here=title,
        toasts=(),
    )


def _deletable(slug: str, row_id: str) -> Asked:
    need_administrator()
    place = place_at(slug)
    if not place.may_delete:
        raise NotFound(f"{place.title.lower()} are not deleted here")
    return Asked(place, CREATED[place.pages.kind], (), {}, "", got_of(place, row_id))


def _delete_page(asked: Asked, error: str = "", status: int = 200) -> Any:
    assert asked.got is not None
    is_part = bool(asked.place.part_of) and asked.place.pages.kind != "assignment_entry"
    title = f"{'Remove' if is_part else 'Delete'} {asked.got['name']}?"
    intro = "It goes for good, and so does the access it gives." if is_part else "It goes for good."
    button = "Remove" if is_part else "Delete"
    return _ask(asked, title, f"{asked.place.pages.url}/{asked.got['id']}/delete", button, intro, error, status)


@blueprint.get("/setup/<slug>/<row_id>/delete")
def setup_ask_delete(slug: str, row_id: str) -> Any:
    """Ask before deleting."""
    return _delete_page(_deletable(slug, row_id))


@blueprint.post("/setup/<slug>/<row_id>/delete")
def setup_delete(slug: str, row_id: str) -> Any:
    """Delete it: `delete_<kind>`."""
    asked = _deletable(slug, row_id)
    home = home_of(asked) if asked.place.part_of else asked.place.pages.url
    given: dict[str, Any] = {"id": row_id}
    if request.form.get("row_version", ""):
        given["row_version"] = posted_version()
    try:
        run(operation_of("delete", asked.place), given)
    except (Invalid, Conflict) as error:
        return _delete_page(asked, error.message, error.status)
    return go(home, "setup-deleted")


def _owned(person_id: str) -> str:
    """What an owner still has to do, in words."""
    mine = {"field": "owner_id", "op": "equals", "value": person_id}
    parts = []
    for thing, more in (
        ("account", []),
        ("opportunity", [{"field": "is_closed", "op": "equals", "value": False}]),
        ("lead", []),
        ("case", [{"field": "is_closed", "op": "equals", "value": False}]),
        ("task", [{"field": "is_closed", "op": "equals", "value": False}]),
    ):
        given = {"object": thing, "filter": [mine, *more], "fields": [], "limit": 1}
        number = read("crm.query", given)["total"]
        if number:
            open_ones = "open " if more else ""
            parts.append(f"{number} {open_ones}{PAGES[thing].noun if number == 1 else PAGES[thing].nouns}")
    return ", ".join(parts)


@blueprint.get("/setup/users/<person_id>/active")
def setup_ask_active(person_id: str) -> Any:
    """Ask before a user is deactivated, and say what should be handed over first; or before one is activated."""
    return _active_page(edited("users", person_id))


def _active_page(asked: Asked, error: str = "", status: int = 200) -> Any:
    assert asked.got is not None
    person = asked.got["id"]
    action = f"{ROOT}/users/{person}/active"
    if not asked.record["is_active"]:
        intro = "The user can enter again, with the profile, role and permission sets as they are."
        return _ask(asked, f"Activate {asked.got['name']}?", action, "Activate", intro, error, status)
    owned = _owned(person)
    intro = "The user can no longer enter and cannot be given anything new. Records keep their owner."
    if owned:
        intro += f" Transfer records first: {asked.got['name']} still owns {owned}."
    return _ask(asked, f"Deactivate {asked.got['name']}?", action, "Deactivate", intro, error, status)


@blueprint.post("/setup/users/<person_id>/active")
def setup_active(person_id: str) -> Any:
    """`update_user` with `is_active` turned round."""
    asked = edited("users", person_id)
    values = {"is_active": not asked.record["is_active"]}
    try:
        run("crm.update_user", {"id": person_id, "row_version": posted_version(), "values": values})
    except (Invalid, Conflict) as error:
        return _active_page(asked, error.message, error.status)
    return go(f"{ROOT}/users/{person_id}", "saved")
