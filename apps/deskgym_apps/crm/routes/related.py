"""Related lists of a record: cards with the first few, their number, and what can be added."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from ...kit.web import MenuItem, RelatedItem, RelatedList
from ..service.kinds import SEVERAL
from . import approvals, case_lists
from .line_table import line_list
from .lists import distinct_names
from .reading import label_of, may, text_of
from .specs import KIND_OF_LIST, PAGES, Pages, record_href

_TITLES: Mapping[str, str] = {
    "contacts": "Contacts",
    "opportunities": "Opportunities",
    "cases": "Cases",
    "child_cases": "Child cases",
    "comments": "Comments",
    "versions": "Versions",
    "child_accounts": "Child accounts",
    "accounts": "Related accounts",
    "direct_reports": "Direct reports",
    "contact_roles": "Contact roles",
    "products": "Products",
    "tasks": "Tasks",
    "events": "Events",
    "notes": "Notes",
    "emails": "E-mails",
    "records": "Attached to",
    "quotes": "Quotes",
    "prices": "Prices",
    "matching_accounts": "Matching accounts",
    "matching_contacts": "Matching contacts",
}
_FACTS: Mapping[str, tuple[str, ...]] = {
    "account": ("type", "bill_city", "phone"),
    "contact": ("title", "account.name", "email", "phone"),
    "lead": ("company", "status", "email"),
    "opportunity": ("stage", "amount", "close_date"),
    "case": ("number", "status", "priority", "owner_name"),
    "task": ("status", "priority", "due_date"),
    "event": ("start_at", "location"),
    "note": ("owner.name", "updated_at"),
    "email": ("from_addr", "sent_at"),
    "quote": ("number", "status", "grand_total", "is_synced"),
    "pricebook_entry": ("pricebook.name", "unit_price", "is_active"),
}
_NEW: Mapping[tuple[str, str], tuple[str, str]] = {
    ("account", "contacts"): ("contact", "account_id"),
    ("account", "opportunities"): ("opportunity", "account_id"),
    ("account", "cases"): ("case", "account_id"),
    ("account", "child_accounts"): ("account", "parent_id"),
    ("case", "child_cases"): ("case", "parent_id"),
    ("contact", "cases"): ("case", "contact_id"),
    ("contact", "direct_reports"): ("contact", "reports_to_id"),
    ("opportunity", "quotes"): ("quote", "opportunity_id"),
    ("product", "prices"): ("pricebook_entry", "product_id"),
    ("pricebook", "prices"): ("pricebook_entry", "pricebook_id"),
}


def related_lists(pages: Pages, got: Mapping[str, Any], most: int, skip: tuple[str, ...] = ()) -> list[RelatedList]:
    """The related lists of a record that `get` brought along."""
    return [_list(pages, got, name, most) for name in pages.lists if name in got["related"] and name not in skip]


def _list(pages: Pages, got: Mapping[str, Any], name: str, most: int) -> RelatedList:
    found = got["related"][name]
    if name in ("products", "lines"):
        return line_list(got, name)
    if name == "approvals":
        return approvals.approval_list(pages, got)
    if name in ("comments", "versions"):
        return case_lists.texts(pages, got, name, most)
    if name in ("records", "matching_accounts", "matching_contacts"):
        return _named_rows(name, found)
    target = PAGES[KIND_OF_LIST[name]]
    rows = found["rows"][:most]
    names = distinct_names(target, rows)
    items = tuple(_item(pages, got, name, target, row, label) for row, label in zip(rows, names, strict=True))
    more = found["total"] > len(rows)
    return RelatedList(
        id=name.replace("_", "-"),
        title=_TITLES[name],
        total=found["total"],
        items=items,
        icon=target.icon,
        actions=_adding(pages, got, name),
        all_href=_all_href(pages, got, name, most) if more else "",
        empty_text=f"No {_TITLES[name].lower()} yet.",
    )


def _named_rows(name: str, found: Mapping[str, Any]) -> RelatedList:
    """Records of several kinds, or suggested ones with the reason."""
    items = []
    for row in found["rows"]:
        facts = [("Details", row["detail"]), ("Reason", row.get("reason", "")), ("Account", row.get("account", ""))]
        shown = tuple(("" if name == "records" else fact, text) for fact, text in facts if text)
        label = f"{row['name']}, {row['detail']}" if row["detail"] else row["name"]
        items.append(RelatedItem(name=row["name"], href=record_href(row["id"]), facts=shown, label=label))
    return RelatedList(
        id=name.replace("_", "-"),
        title=_TITLES[name],
        total=found["total"],
        items=tuple(items),
        icon="link-45deg",
        empty_text="" if name == "records" else "No record looks like it.",
    )


def _all_href(pages: Pages, got: Mapping[str, Any], name: str, most: int) -> str:
    """All of them: the Related tab, or the list filtered by this record."""
    holder = {"opportunities": "account_id", "tasks": "", "events": ""}.get(name, "")
    holder = {"cases": "contact_id" if pages.kind == "contact" else "account_id", "child_cases": "parent_id"}.get(
        name, holder
    )
    if name == "quotes" and pages.kind == "opportunity":
        holder = "opportunity_id"
    if name == "prices":
        holder = f"{pages.kind}_id"
    if name in ("tasks", "events", "emails"):
        holder = "who_id" if pages.kind in SEVERAL["who"] else "what_id"
    if name == "child_accounts":
        holder = "parent_id"
    if holder and not (name == "opportunities" and pages.kind == "contact"):
        values = {"field1": holder, "op1": "equals", "value1": got["id"]}
        return f"{PAGES[KIND_OF_LIST[name]].url}?{urlencode(values)}"
    return f"{pages.url}/{got['id']}/related"


def _item(
    pages: Pages, got: Mapping[str, Any], name: str, target: Pages, row: Mapping[str, Any], label: str
) -> RelatedItem:
    facts = [(label_of(target.kind, key), text_of(target.kind, key, row)) for key in _FACTS[target.kind] if key in row]
    if row.get("role"):
        facts.insert(0, ("Role", str(row["role"])))
    if row.get("is_primary"):
        facts.insert(0, ("Primary contact", "Yes"))
    if row.get("is_direct") and name == "accounts":
        facts.insert(0, ("Direct", "Own account"))
    return RelatedItem(
        name=str(row[target.quick]),
        href=record_href(row["id"]),
        facts=tuple((fact, text) for fact, text in facts if text),
        actions=_link_actions(pages, got, name, row, label),
        label=label,
    )


def _link_actions(
    pages: Pages, got: Mapping[str, Any], name: str, row: Mapping[str, Any], label: str
) -> tuple[MenuItem, ...]:
    if not got["access"]["edit"]:
        return ()
    if name == "contact_roles":
        url = f"{pages.url}/{got['id']}/contact-roles/{row['id']}"
        return (
            MenuItem(label="Edit role", name=f"Edit role of {label}", dialog_href=url, icon="pencil"),
            MenuItem(label="Remove", name=f"Remove {label}", dialog_href=f"{url}/remove", icon="x-lg", danger=True),
        )
    if name == "accounts" and pages.kind == "contact":
        url = f"{pages.url}/{got['id']}/accounts/{row['id']}"
        edit = MenuItem(label="Edit role", name=f"Edit role at {label}", dialog_href=url, icon="pencil")
        remove = MenuItem(label="Remove", name=f"Remove {label}", dialog_href=f"{url}/remove", icon="x-lg", danger=True)
        return (edit,) if row.get("is_direct") else (edit, remove)
    return ()


def _adding(pages: Pages, got: Mapping[str, Any], name: str) -> tuple[MenuItem, ...]:
    if (pages.kind, name) in _NEW:
        kind, holder = _NEW[(pages.kind, name)]
        if not may("create", kind) or (kind == "quote" and not got["access"]["edit"]):
            return ()
        label = f"New {PAGES[kind].noun}"
        shown = {
            "child_accounts": "New child account",
            "child_cases": "New child case",
            "direct_reports": "New direct report",
        }.get(name, label)
        href = f"{PAGES[kind].url}/new?{urlencode({holder: got['id']})}"
        return (MenuItem(label=shown, dialog_href=href, icon="plus-lg"),)
    if name == "contact_roles" and got["access"]["edit"]:
        url = f"{pages.url}/{got['id']}/contact-roles/new"
        return (MenuItem(label="Add contact role", dialog_href=url, icon="plus-lg"),)
    if name == "accounts" and pages.kind == "contact" and got["access"]["edit"]:
        url = f"{pages.url}/{got['id']}/accounts/new"
        return (MenuItem(label="Add related account", dialog_href=url, icon="plus-lg"),)
    return ()
