"""Global search (CRM-14), and what lookup fields ask."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote_plus

from flask import request

from ...kit.errors import NotFound
from ...kit.session import read
from ...kit.web import MenuItem, PageHeader, RelatedItem, RelatedList, lookup_answer
from ..service.kinds import KINDS, RECORDS, SEVERAL
from .drawing import option_of
from .going import page
from .reading import detail_of
from .routing import blueprint
from .specs import PAGES, record_href

_MANY = 200
_SETUP = ("group", "role", "profile", "permission_set")
_TARGETS = (*RECORDS, *SEVERAL, *_SETUP, "user", "queue", "product", "pricebook", "record")


@blueprint.get("/lookup/<target>")
def lookup(target: str) -> Any:
    """Candidates for what is typed into a lookup, as JSON."""
    if target not in _TARGETS:
        raise NotFound(f'there are no records called "{target}"')
    asked: dict[str, Any] = {"object": target, "text": request.args.get("q", "")[:200]}
    if request.args.get("account_id"):
        asked["account_id"] = request.args["account_id"]
    found = read("crm.lookup", asked)
    return lookup_answer([option_of(row) for row in found["rows"]], more=found["more"])


def _group(group: Mapping[str, Any], text: str) -> RelatedList:
    kind = group["object"]
    items = tuple(
        RelatedItem(
            name=row["name"],
            href=record_href(row["id"]),
            facts=(("Details", detail),) if detail else (),
            label=f"{row['name']}, {detail}" if detail else row["name"],
        )
        for row in group["rows"]
        for detail in (detail_of(row),)
    )
    return RelatedList(
        id=f"found-{kind}",
        title=group["label"],
        total=group["total"],
        items=_told_apart(items),
        icon=PAGES[kind].icon,
        all_href=f"/crm/search?q={_quoted(text)}&object={kind}",
    )


def _told_apart(items: tuple[RelatedItem, ...]) -> tuple[RelatedItem, ...]:
    seen: dict[str, int] = {}
    drawn = []
    for item in items:
        seen[item.label] = seen.get(item.label, 0) + 1
        drawn.append(item if seen[item.label] == 1 else replace(item, label=f"{item.label} ({seen[item.label]})"))
    return tuple(drawn)


def _quoted(text: str) -> str:
    return quote_plus(text)


@blueprint.get("/search")
def search() -> Any:
    """What was found, in groups of five; `object` shows more of one."""
    text, one = request.args.get("q", "").strip(), request.args.get("object", "")
    groups: list[Mapping[str, Any]] = []
    message = ""
    if len(text) < 2:
        message = "Type at least 2 characters into the search box above."
    else:
        asked: dict[str, Any] = {"text": text[:200], "limit": 5}
        if one:
            asked |= {"objects": [one], "limit": _MANY}
        groups = read("crm.search", asked)["groups"]
        if not groups:
            message = f'No record has words that begin with "{text}".'
    count = sum(group["total"] for group in groups)
    back = (MenuItem(label="Show all objects", href=f"/crm/search?q={_quoted(text)}"),) if one in KINDS and text else ()
    header = PageHeader(
        title=f'Search results for "{text}"' if text else "Search",
        icon="search",
        subtitle=f"{count:,} {'record' if count == 1 else 'records'}" if groups else "",
        actions=back,
    )
    shown = tuple(_group(group, text) for group in groups)
    return page("crm/search.html", search_header=header, groups=shown, message=message)
