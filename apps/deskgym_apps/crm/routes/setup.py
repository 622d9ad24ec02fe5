"""The set-up's home, its lists, and the page of each thing in it. Administrators only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import g, request

from ...kit.errors import NotFound
from ...kit.session import read
from ...kit.web import Cell, Column, Detail, DetailSection, MenuItem, Page, PageHeader, Row, Table
from ..service.kinds import KINDS
from . import setup_parts
from .reading import fields_of, text_of, whole_number
from .routing import blueprint
from .setup_frame import crumb, need_administrator, setup_page
from .setup_parts import picklist_page, picklists
from .setup_places import DEFAULTS, ROOT, WORDS, Place, place_at, word

_SIZE = 50
_NUMBERS = ("users", "people", "position")


@blueprint.get("/setup")
def setup_home() -> Any:
    """The places of the set-up, with quick find."""
    need_administrator()
    return setup_page("setup.html", PageHeader(title="Setup", kicker="Administration", icon="gear"), places=True)


@blueprint.get("/setup/<slug>")
def setup_list(slug: str) -> Any:
    """The list of one place."""
    need_administrator()
    if slug == DEFAULTS:
        return _defaults()
    place = place_at(slug)
    if place.part_of:
        raise NotFound(f'the set-up has no place "{slug}"')
    if slug == "picklists":
        return picklists(place)
    number = max(1, whole_number(request.args.get("page", "1"), "page"))
    fields = list(dict.fromkeys((*place.pages.columns, "id")))
    given = {"object": place.pages.kind, "fields": fields, "limit": _SIZE, "offset": (number - 1) * _SIZE}
    found = read("crm.query", given)
    if slug == "roles":
        found = found | {"rows": in_tree(read("crm.query", given | {"fields": [*fields, "parent_role_id"]})["rows"])}
    nouns = (place.pages.noun, place.pages.nouns)
    table = Table(
        id=slug,
        caption=place.title,
        columns=tuple(_column(place, key) for key in place.pages.columns),
        rows=tuple(_row(place, row) for row in found["rows"]),
        url=place.pages.url,
        noun=nouns,
        page=Page(number, _SIZE, found["total"], (_SIZE,)),
        empty_title=f"No {nouns[1]} yet",
        empty_text=place.about,
    )
    new = MenuItem(label=f"New {nouns[0]}", href=f"{place.pages.url}/new", icon="plus-lg", primary=True)
    header = PageHeader(
        title=place.title, kicker="Setup", icon=place.pages.icon, actions=(new,) if place.may_create else ()
    )
    return setup_page("setup.html", header, table=table, intro=place.about)


def in_tree(roles: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Roles from the top down, each below the one it reports to; `depth` says how far below."""
    known, found = {row["id"] for row in roles}, []

    def below(parent: str | None, depth: int) -> None:
        for row in roles:
            above = row["parent_role_id"] if row["parent_role_id"] in known else None
            if above == parent:
                found.append(row | {"depth": depth})
                below(row["id"], depth + 1)

    below(None, 0)
    return found


def _column(place: Place, key: str) -> Column:
    label = str(fields_of(place.pages.kind)[key]["label"])
    return Column(key, label, kind="number" if key in _NUMBERS else "badge" if key == "is_active" else "text")


def shown(place: Place, key: str, record: Mapping[str, Any]) -> str:
    """A value as the set-up writes it."""
    value = record.get(key)
    if key in WORDS and isinstance(value, str):
        return word(key, value)
    if key == "is_active":
        return "Active" if value else "Inactive"
    return text_of(place.pages.kind, key, record)


def _row(place: Place, row: Mapping[str, Any]) -> Row:
    head = place.pages.columns[0]
    cells: dict[str, Cell | str] = {key: shown(place, key, row) for key in place.pages.columns[1:]}
    name = str(row[head])
    label = setup_parts.told_apart(place, row)
    step = "\u2003" * int(row.get("depth", 0))
    cells[head] = Cell(
        text=step + name, href=f"{place.pages.url}/{row['id']}", label=label if step or label != name else ""
    )
    if "is_active" in cells:
        cells["is_active"] = Cell(text=str(cells["is_active"]), tone="success" if row["is_active"] else "neutral")
    return Row(id=row["id"], name=label, cells=cells)


@blueprint.get("/setup/<slug>/<row_id>")
def setup_detail(slug: str, row_id: str) -> Any:
    """One user, role, group, …, with what belongs to it."""
    need_administrator()
    place = place_at(slug)
    if slug == "picklists" and "." in row_id:
        return picklist_page(place, row_id)
    if place.part_of or slug == "picklists":
        raise NotFound(f'there is no {place.pages.noun} "{row_id}" with a page of its own')
    got = got_of(place, row_id)
    header = PageHeader(
        title=got["name"],
        kicker=KINDS[place.pages.kind].label,
        icon=place.pages.icon,
        badge=_badge(got["record"]),
        badge_tone="success" if got["record"].get("is_active") else "neutral",
        actions=_actions(place, got),
    )
    facts = tuple(
        _detail(place, key, got["record"]) for key in place.facts if key not in ("name", "people", "is_active")
    )
    return setup_page(
        "setup.html",
        header,
        crumbs=[crumb(place)],
        sections=(DetailSection("Details", facts),) if facts else (),
        related=setup_parts.related_of(place, got),
    )


def got_of(place: Place, row_id: str) -> dict[str, Any]:
    """A row of a place. Raises NotFound."""
    if KINDS[place.pages.kind].prefix != row_id[:3]:
        raise NotFound(f'there is no {place.pages.noun} "{row_id}"')
    got: dict[str, Any] = read("crm.get", {"id": row_id})
    if got["object"] != place.pages.kind:
        raise NotFound(f'there is no {place.pages.noun} "{row_id}"')
    return got


def _badge(record: Mapping[str, Any]) -> str:
    return "" if "is_active" not in record else "Active" if record["is_active"] else "Inactive"


def _actions(place: Place, got: Mapping[str, Any]) -> tuple[MenuItem, ...]:
    url, record = f"{place.pages.url}/{got['id']}", got["record"]
    if record.get("is_admin"):
        return ()
    items = [MenuItem(label="Edit", href=f"{url}/edit", icon="pencil", primary=True)]
    if place.pages.kind == "user":
        doing = "Deactivate" if record["is_active"] else "Activate"
        items += [MenuItem(label=doing, dialog_href=f"{url}/active", icon="power")] if got["id"] != g.person_id else []
    if place.may_delete:
        items.append(MenuItem(label="Delete", dialog_href=f"{url}/delete", icon="trash3"))
    return tuple(items)


def _detail(place: Place, key: str, record: Mapping[str, Any]) -> Detail:
    label = str(fields_of(place.pages.kind)[key]["label"])
    text = shown(place, key, record)
    href = ""
    if place.pages.kind == "user" and key in ("profile", "role") and record.get(f"{key}_id"):
        href = f"{ROOT}/{key}s/{record[f'{key}_id']}"
    if key == "manager_id" and record.get(key):
        text = str(read("crm.get", {"id": record[key], "fields": ["name"]})["name"])
        href = f"{ROOT}/users/{record[key]}"
    return Detail(label=label, value=text, href=href, kind="email" if key == "email" else "text")


def _defaults() -> Any:
    rows = read("crm.sharing_defaults")["defaults"]
    said = {
        "private": "Private",
        "read": "Everybody may read",
        "write": "Everybody may read and write",
        "parent": "As the account it belongs to",
    }
    table = Table(
        id=DEFAULTS,
        caption="Sharing defaults",
        columns=(
            Column("object", "Object"),
            Column("access", "Records of others"),
            Column("hierarchy", "Roles above the owner's"),
        ),
        rows=tuple(
            Row(
                id=row["object"],
                name=word("object", row["object"]),
                cells={
                    "object": word("object", row["object"]),
                    "access": said[row["access"]],
                    "hierarchy": "Same as the owner" if row["hierarchy"] else "Nothing more",
                },
            )
            for row in rows
        ),
        url=f"{ROOT}/{DEFAULTS}",
        noun=("object", "objects"),
    )
    header = PageHeader(title="Sharing defaults", kicker="Setup", icon="globe")
    intro = "What people may do with records that others own. Sharing rules, shares by hand and roles open up more."
    return setup_page("setup.html", header, table=table, intro=intro)
