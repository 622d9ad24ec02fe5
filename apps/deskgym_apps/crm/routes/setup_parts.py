"""What belongs to a thing of the set-up, as tables on its page: members, holders, entries, permissions, values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...kit.errors import NotFound
from ...kit.session import read
from ...kit.web import Cell, Column, MenuItem, PageHeader, RelatedList, Row, Table
from ..rules import OBJECTS
from ..rules_setup import RIGHTS
from ..service.inputs import label
from ..service.kinds import kind_of
from ..service.setup.inputs import EntryChanges
from .drawing import token
from .filters import WORDS as OPERATORS
from .reading import field_info, fields_of, label_of
from .setup_frame import crumb, setup_page
from .setup_places import ROOT, Place, word
from .specs import PAGES

RIGHT_NAMES: Mapping[str, str] = {
    "create": "Create",
    "read": "Read",
    "edit": "Edit",
    "delete": "Delete",
    "view_all": "View all",
    "modify_all": "Modify all",
    "export": "Export",
    "mass": "Change many",
}
_FIELD_WORDS = {"hidden": "Hidden", "read": "Read only", "edit": "Editable"}


def told_apart(place: Place, row: Mapping[str, Any]) -> str:
    """What a row of a list is called, unique in it."""
    name = str(row[place.pages.columns[0]])
    if place.pages.kind == "sharing_rule":
        return f"{word('object', row['object'])} of {name} for {row['target_name']}"
    if place.pages.kind == "user":
        return f"{name}, {row['title']}" if row.get("title") else name
    return (
        f"{name}, {word('object', row['object'])}"
        if place.pages.kind in ("validation_rule", "approval_process")
        else name
    )


def setup_href(row_id: str) -> str:
    """The page of a user, role, group or queue within the set-up."""
    folders = {"user": "users", "role": "roles", "queue": "queues"}
    kind = kind_of(row_id).name
    if kind == "queue":
        return f"{ROOT}/{'queues' if read('crm.get', {'id': row_id})['object'] == 'queue' else 'groups'}/{row_id}"
    return f"{ROOT}/{folders[kind]}/{row_id}"


def card(
    key: str,
    title: str,
    icon: str,
    columns: Sequence[Column],
    rows: Sequence[Row],
    noun: tuple[str, str],
    actions: tuple[MenuItem, ...] = (),
    empty: str = "",
) -> RelatedList:
    """A card with a table."""
    table = Table(id=key, caption=title, columns=tuple(columns), rows=tuple(rows), url="", noun=noun)
    return RelatedList(
        id=f"card-{key}",
        title=title,
        total=len(rows),
        icon=icon,
        actions=actions,
        table=table if rows else None,
        empty_text=empty,
    )


def related_of(place: Place, got: Mapping[str, Any]) -> tuple[RelatedList, ...]:
    """The cards of a thing's page."""
    kind, record = place.pages.kind, got["record"]
    if kind in ("group", "queue"):
        return (_members(got["id"], record["members"] if kind == "group" else record["member_list"]),)
    if kind == "user":
        return (_sets_of(got["id"], record["permission_sets"]),)
    if kind == "role":
        return (_users_of("role_id", got["id"]), _below(got["id"]))
    if kind == "profile":
        return (*_permissions(place, got), _users_of("profile_id", got["id"]))
    if kind == "permission_set":
        return (*_permissions(place, got), _holders(got["id"], record["assignments"]))
    if kind == "assignment_rule":
        return (_entries(got),)
    return (_criteria(record, kind),) if kind in ("validation_rule", "approval_process") else ()


def _remove(slug: str, row_id: str, what: str) -> tuple[MenuItem, ...]:
    return (MenuItem(label=what, dialog_href=f"{ROOT}/{slug}/{row_id}/delete", icon="x-lg", danger=True),)


def _members(group_id: str, members: Sequence[Mapping[str, Any]]) -> RelatedList:
    rows = [
        Row(
            id=item["id"],
            name=item["name"],
            cells={
                "name": Cell(text=item["name"], href=setup_href(item["member_id"])),
                "kind": word("member_kind", item["member_kind"]),
            },
            actions=_remove("members", item["id"], "Remove"),
        )
        for item in sorted(members, key=lambda item: (item["member_kind"], item["name"]))
    ]
    add = MenuItem(label="Add member", href=f"{ROOT}/members/new?group_id={group_id}", icon="plus-lg")
    columns = (Column("name", "Member"), Column("kind", "Kind"))
    return card("members", "Members", "people", columns, rows, ("member", "members"), (add,), "No members yet.")


def _sets_of(person_id: str, sets: Sequence[Mapping[str, Any]]) -> RelatedList:
    rows = [
        Row(
            id=item["id"],
            name=item["name"],
            cells={"name": Cell(text=item["name"], href=f"{ROOT}/permission-sets/{item['permission_set_id']}")},
            actions=_remove("assignments", item["id"], "Take away"),
        )
        for item in sets
    ]
    add = MenuItem(label="Assign permission set", href=f"{ROOT}/assignments/new?person_id={person_id}", icon="plus-lg")
    empty = "This user has the rights of the profile alone."
    nouns = ("permission set", "permission sets")
    return card("sets", "Permission sets", "key", (Column("name", "Permission set"),), rows, nouns, (add,), empty)


def _holders(set_id: str, people: Sequence[Mapping[str, Any]]) -> RelatedList:
    rows = [
        Row(
            id=item["id"],
            name=item["name"],
            cells={"name": Cell(text=item["name"], href=f"{ROOT}/users/{item['person_id']}")},
            actions=_remove("assignments", item["id"], "Take away"),
        )
        for item in people
    ]
    add = MenuItem(label="Assign to user", href=f"{ROOT}/assignments/new?permission_set_id={set_id}", icon="plus-lg")
    columns = (Column("name", "User"),)
    return card("holders", "Assigned to", "people", columns, rows, ("user", "users"), (add,), "Nobody has it yet.")


def _users_of(field: str, row_id: str) -> RelatedList:
    given = {"object": "user", "filter": [{"field": field, "op": "equals", "value": row_id}], "limit": 200}
    found = read("crm.query", given | {"fields": ["name", "title", "role", "profile", "is_active"]})["rows"]
    other = "profile" if field == "role_id" else "role"
    rows = [
        Row(
            id=item["id"],
            name=item["name"],
            cells={
                "name": Cell(text=item["name"], href=f"{ROOT}/users/{item['id']}"),
                "title": item["title"] or "",
                "other": item[other] or "",
                "active": "Active" if item["is_active"] else "Inactive",
            },
        )
        for item in found
    ]
    columns = (
        Column("name", "User"),
        Column("title", "Title"),
        Column("other", other.capitalize()),
        Column("active", "State"),
    )
    return card("users", "Users", "people", columns, rows, ("user", "users"), (), "No users.")


def _below(role_id: str) -> RelatedList:
    given = {"object": "role", "filter": [{"field": "parent_role_id", "op": "equals", "value": role_id}], "limit": 200}
    rows = [
        Row(
            id=item["id"],
            name=item["name"],
            cells={
                "name": Cell(text=item["name"], href=f"{ROOT}/roles/{item['id']}"),
                "users": str(item["users"]),
            },
        )
        for item in read("crm.query", given)["rows"]
    ]
    columns = (Column("name", "Role"), Column("users", "Users", kind="number"))
    return card("below", "Roles below", "diagram-3", columns, rows, ("role", "roles"), (), "No roles report to it.")


def _permissions(place: Place, got: Mapping[str, Any]) -> tuple[RelatedList, ...]:
    """Object by right, and the fields that are withheld or given back."""
    record = got["record"]
    is_admin = bool(record.get("is_admin"))
    held = {item["object"]: item for item in record["object_permissions"]}
    given = dict.fromkeys(RIGHTS, True) if is_admin else {}
    rows = []
    for thing in OBJECTS:
        rights = given or held.get(thing, {})
        name, url = word("object", thing), f"{place.pages.url}/{got['id']}/objects/{thing}"
        head = Cell(text=name) if is_admin else Cell(text=name, href=url, label=f"{name}: edit permissions")
        cells: dict[str, Cell | str] = {right: "Yes" if rights.get(right) else "–" for right in RIGHTS}
        rows.append(Row(id=thing, name=name, cells=cells | {"object": head}))
    columns = (
        Column("object", "Object"),
        *(Column(right, text, align="center") for right, text in RIGHT_NAMES.items()),
    )
    fields = [
        Row(
            id=f"{item['object']}-{item['field']}",
            name=f"{word('object', item['object'])}: {_field_label(item)}",
            cells={
                "object": word("object", item["object"]),
                "field": _field_label(item),
                "access": _FIELD_WORDS[item["access"]],
            },
        )
        for item in record["field_permissions"]
    ]
    shown = (Column("object", "Object"), Column("field", "Field"), Column("access", "Access"))
    none = "Every field shows and can be edited." if place.pages.kind == "profile" else "It gives no field back."
    return (
        card("objects", "Object permissions", "grid-3x3", columns, rows, ("object", "objects")),
        card("fields", "Field permissions", "input-cursor-text", shown, fields, ("field", "fields"), (), none),
    )


def _field_label(item: Mapping[str, Any]) -> str:
    info = fields_of(item["object"]).get(item["field"])
    return str(info["label"]) if info else str(item["field"])


def criteria_words(thing: str, criteria: Sequence[Mapping[str, Any]]) -> str:
    """Criteria as a sentence."""
    parts = []
    for item in criteria:
        value = item.get("value")
        text = ", ".join(str(one) for one in value) if isinstance(value, list) else value
        text = "" if text is None else {True: "Yes", False: "No"}.get(text, text) if isinstance(text, bool) else text
        known = field_info(thing, item["field"]) is not None
        name = label_of(thing, item["field"]) if known else item["field"]
        parts.append(f"{name} {OPERATORS[item['op']]} {text}".strip())
    return " and ".join(parts)


def _criteria(record: Mapping[str, Any], kind: str) -> RelatedList:
    then = "is refused" if kind == "validation_rule" else "may be submitted"
    rows = [
        Row(
            id=f"criterion-{at}",
            name=f"Criterion {at}",
            cells={"at": str(at), "text": criteria_words(record["object"], [item])},
        )
        for at, item in enumerate(record["criteria"], 1)
    ]
    columns = (Column("at", "No.", kind="number"), Column("text", f"A record {then} if all of these hold"))
    return card("criteria", "Criteria", "funnel", columns, rows, ("criterion", "criteria"))


def _entries(got: Mapping[str, Any]) -> RelatedList:
    entries = got["record"]["entries"]
    rows = [_entry(got["record"]["object"], item, len(entries)) for item in entries]
    new = MenuItem(label="New entry", href=f"{ROOT}/entries/new?rule_id={got['id']}", icon="plus-lg")
    columns = (
        Column("position", "Order"),
        Column("criteria", "Criteria"),
        Column("owner", label(EntryChanges, "owner_id")),
    )
    empty = "No entries: everything goes to the default owner."
    return card("entries", "Entries", "signpost", columns, rows, ("entry", "entries"), (new,), empty)


def _entry(thing: str, item: Mapping[str, Any], count: int) -> Row:
    url, at = f"{ROOT}/entries/{item['id']}", int(item["position"])
    moves = []
    for text, place, icon in (("Move up", at - 1, "arrow-up"), ("Move down", at + 1, "arrow-down")):
        if 1 <= place <= count:
            moves.append(MenuItem(label=text, post=f"{url}/move", fields=_move(item, place), icon=icon))
    return Row(
        id=item["id"],
        name=f"entry {at}",
        cells={"position": str(at), "criteria": criteria_words(thing, item["criteria"]), "owner": item["owner"] or ""},
        actions=(
            MenuItem(label="Edit", href=f"{url}/edit", icon="pencil"),
            *moves,
            MenuItem(label="Delete", dialog_href=f"{url}/delete", icon="trash3", danger=True),
        ),
    )


def _move(item: Mapping[str, Any], place: int) -> tuple[tuple[str, str], ...]:
    version = int(item["row_version"])
    made = token(f"move-{place}", item["id"], version)
    return (("form_token", made), ("row_version", str(version)), ("position", str(place)))


def picklists(place: Place) -> Any:
    """All picklists, by object and field."""
    counts: dict[tuple[str, str], list[bool]] = {}
    given = {"object": "picklist_value", "fields": ["object", "field", "is_active"], "limit": 200}
    offset: int | None = 0
    while offset is not None:
        found = read("crm.query", given | {"offset": offset})
        for row in found["rows"]:
            counts.setdefault((row["object"], row["field"]), []).append(row["is_active"])
        offset = found["next_offset"]
    rows = []
    for (thing, field), values in counts.items():
        name = list_name(thing, field)
        link = Cell(text=name, href=f"{place.pages.url}/{thing}.{field}")
        active = str(sum(values))
        rows.append(Row(id=f"{thing}-{field}", name=name, cells={"name": link, "active": active}))
    table = Table(
        id="picklists",
        caption=place.title,
        columns=(Column("name", "Picklist"), Column("active", "Active values", kind="number")),
        rows=tuple(rows),
        url=place.pages.url,
        noun=("picklist", "picklists"),
    )
    header = PageHeader(title=place.title, kicker="Setup", icon=place.pages.icon)
    return setup_page("setup.html", header, table=table, intro=place.about)


_LINKS = {"account_contact": "Contacts of accounts", "opportunity_contact_role": "Contacts of opportunities"}


def list_name(thing: str, field: str) -> str:
    """What a picklist is called."""
    info = fields_of(thing).get(field) if thing in PAGES else None
    return f"{_LINKS.get(thing, word('object', thing))}: {info['label'] if info else field.capitalize()}"


def picklist_page(place: Place, name: str) -> Any:
    """The values of one picklist, in order."""
    thing, _, field = name.partition(".")
    found = read(
        "crm.query",
        {
            "object": "picklist_value",
            "filter": [
                {"field": "object", "op": "equals", "value": thing},
                {"field": "field", "op": "equals", "value": field},
            ],
            "fields": ["value", "position", "is_default", "is_active"],
            "limit": 200,
        },
    )["rows"]
    if not found:
        raise NotFound(f'there is no picklist "{name}"')
    rows = [_value(place, row, len(found)) for row in found]
    new = MenuItem(
        label="New value", href=f"{place.pages.url}/new?object={thing}&field={field}", icon="plus-lg", primary=True
    )
    columns = (
        Column("position", "Order"),
        Column("value", "Value"),
        Column("default", "Default"),
        Column("active", "State", kind="badge"),
    )
    table = Table(id="values", caption="Values", columns=columns, rows=tuple(rows), url="", noun=("value", "values"))
    header = PageHeader(title=list_name(thing, field), kicker="Picklist", icon=place.pages.icon, actions=(new,))
    return setup_page("setup.html", header, crumbs=[crumb(place)], table=table)


def _value(place: Place, row: Mapping[str, Any], count: int) -> Row:
    url, at = f"{place.pages.url}/{row['id']}", int(row["position"])
    moves = [
        MenuItem(label=text, post=f"{url}/move", fields=_move(row, to), icon=icon)
        for text, to, icon in (("Move up", at - 1, "arrow-up"), ("Move down", at + 1, "arrow-down"))
        if 1 <= to <= count
    ]
    return Row(
        id=row["id"],
        name=row["value"],
        cells={
            "position": str(at),
            "value": row["value"],
            "default": "Default" if row["is_default"] else "",
            "active": Cell(
                text="Active" if row["is_active"] else "Retired", tone="success" if row["is_active"] else "neutral"
            ),
        },
        actions=(MenuItem(label="Edit", href=f"{url}/edit", icon="pencil"), *moves),
    )
