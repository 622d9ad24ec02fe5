"""Other records that may be the same as one, to be merged with it (row 14)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...kit.errors import NotFound
from ...kit.session import read
from ...kit.web import BulkAction, Cell, Column, Link, MenuItem, PageHeader, Row, Table
from ..service.kinds import KINDS
from ..service.merging import MERGED
from .drawing import token
from .editing import fields_label
from .going import page
from .merging import may_merge
from .reading import detail_of
from .routing import blueprint
from .specs import Pages, pages_at


def duplicates_item(pages: Pages, got: Mapping[str, Any]) -> tuple[MenuItem, ...]:
    """The button of a record that looks for others like it."""
    if pages.kind not in MERGED or got["record"].get("is_converted"):
        return ()
    return (MenuItem(label="Find duplicates", href=f"{pages.url}/{got['id']}/duplicates", icon="intersect"),)


@blueprint.get("/<folder>/<record_id>/duplicates")
def duplicates(folder: str, record_id: str) -> Any:
    """Records that a matching rule takes for the same as this one."""
    pages = pages_at(folder)
    if pages.kind not in MERGED or record_id[:3] != KINDS[pages.kind].prefix:
        raise NotFound(f'there is no {pages.noun} "{record_id}"')
    got = read("crm.get", {"id": record_id, "related": ["duplicates"]})
    title, url = "Possible duplicates", f"{pages.url}/{record_id}"
    how = " Select one or two to merge." if may_merge(pages) and got["related"]["duplicates"]["rows"] else ""
    header = PageHeader(
        title=title,
        kicker=fields_label(pages),
        icon=pages.icon,
        subtitle=f"{fields_label(pages)} that may be the same as {got['name']}.{how}",
        actions=(MenuItem(label=f"Go to {got['name']}", href=url, icon="arrow-left"),),
    )
    return page(
        "crm/list.html",
        list_header=header,
        table=_table(pages, got),
        heading=f"{title} of {got['name']}",
        crumbs=[Link(fields_label(pages), pages.url), Link(got["name"], url)],
        crumb_here=title,
        toasts=(),
    )


def _rows(pages: Pages, found: Mapping[str, Any]) -> tuple[Row, ...]:
    names: list[str] = []
    rows = []
    for row in found["rows"]:
        name = ", ".join(part for part in (row["name"], detail_of(row)) if part)
        names.append(name)
        name = f"{name} ({names.count(name)})" if names.count(name) > 1 else name
        link = Cell(text=row["name"], href=f"{pages.url}/{row['id']}", label=name)
        rows.append(Row(id=row["id"], name=name, cells={"name": link, "detail": detail_of(row), "why": row["reason"]}))
    return tuple(rows)


def _table(pages: Pages, got: Mapping[str, Any]) -> Table:
    rows, noun = _rows(pages, got["related"]["duplicates"]), f"of {got['name']}"
    return Table(
        id="duplicates",
        caption=f"Possible duplicates {noun}",
        columns=(Column("name", "Name"), Column("detail", "Details"), Column("why", "Matching rule")),
        rows=rows,
        url=f"{pages.url}/{got['id']}/duplicates",
        noun=(f"possible duplicate {noun}", f"possible duplicates {noun}"),
        selectable=bool(rows) and may_merge(pages),
        bulk=(BulkAction(label=f"Merge with {got['name']}", post=f"{pages.url}/merge"),),
        bulk_hidden=(("form_token", token("merge-select", pages.kind)), ("row", got["id"])),
        empty_title="No duplicates found",
        empty_text=f"No matching rule takes another {pages.noun} for this one. Those that you know to be the same can "
        "be selected in the list and merged there.",
        empty_action=MenuItem(label=f"Go to {pages.nouns}", href=pages.url),
    )
