"""The pipeline board: deals by stage, with sums of whole columns (CRM-1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flask import request

from ...kit.errors import BadQuery
from ...kit.session import read
from ...kit.web import Board, BoardColumn, Card, FilterPanel, Link, MenuItem, PageHeader
from ...kit.web.display import long_date
from . import filters as filtering
from .drawing import token
from .going import page
from .lists import distinct_names
from .reading import amount, may, total, whoami
from .routing import blueprint
from .specs import PAGES

_PAGES = PAGES["opportunity"]
_URL = "/crm/opportunities/board"


def _card(card: Mapping[str, Any], label: str) -> Card:
    url = f"{_PAGES.url}/{card['id']}"
    movable = card["can_edit"] and (not card["is_closed"] or whoami()["can_reopen"])
    facts = [("Account", card.get("account.name")), ("Close date", long_date(card["close_date"]))]
    here = request.full_path.rstrip("?")
    return Card(
        id=card["id"],
        name=card["name"],
        href=url,
        label=label,
        amount=amount(card.get("amount"), card.get("currency")),
        owner=str(card.get("owner.name") or ""),
        overdue="Overdue" if card["overdue"] else "",
        facts=tuple((name, str(text)) for name, text in facts if text),
        move_post=f"{url}/stage" if movable else "",
        move_href=f"{url}/stage" if movable else "",
        fields=(
            ("form_token", token("stage", card["id"], card["row_version"])),
            ("row_version", str(card["row_version"])),
            ("back", here),
        ),
    )


def _column(column: Mapping[str, Any], names: Mapping[str, str]) -> BoardColumn:
    count, shown = column["count"], len(column["cards"])
    tone = ("success" if column["is_won"] else "danger") if column["is_closed"] else ""
    more = None
    if count > shown:
        pairs = f"field1=stage&op1=equals&value1={column['stage'].replace(' ', '+').replace('/', '%2F')}"
        more = Link(f"View all {count} in {column['stage']}", f"{_PAGES.url}?{pairs}")
    return BoardColumn(
        value=column["stage"],
        label=column["stage"],
        count=f"{count} {'deal' if count == 1 else 'deals'}",
        total=total(column["amount"]),
        note=f"Expected {total(column['expected_revenue'])}",
        cards=tuple(_card(card, names[card["id"]]) for card in column["cards"]),
        asks=column["is_closed"],
        tone=tone,
        more=more,
    )


def _names(columns: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    cards = [card for column in columns for card in column["cards"]]
    return {card["id"]: name for card, name in zip(cards, distinct_names(_PAGES, cards), strict=True)}


@blueprint.get("/opportunities/board")
def board() -> Any:
    """The board, of everything the person may read or of their own deals, under the panel's filters."""
    filters, fault = filtering.read_filters(), None
    try:
        found = read("crm.board", {"filter": filtering.conditions(_PAGES, filters), "scope": filters.scope})
    except BadQuery as refused:
        if refused.field != "filter":
            raise
        found, fault = {"columns": [], "total": 0}, refused
    names = _names(found["columns"])
    columns = tuple(_column(column, names) for column in found["columns"])
    drawn = Board(label="Pipeline board", field="stage", columns=columns)
    return page(
        "crm/board.html",
        400 if fault else 200,
        board_header=_header(filters, None if fault else found["total"]),
        board=drawn,
        panel=_panel(filters, fault),
        action=_URL,
    )


def _header(filters: filtering.Filters, count: int | None) -> PageHeader:
    mine = filters.scope == "mine"
    actions = [
        MenuItem(label="Show all opportunities", href=_URL)
        if mine
        else MenuItem(label="Show my opportunities", href=f"{_URL}?scope=mine"),
        MenuItem(label="List view", href=_PAGES.url, icon="list-ul"),
    ]
    if may("create", "opportunity"):
        actions.append(MenuItem(label="New opportunity", href=f"{_PAGES.url}/new", icon="plus-lg", primary=True))
    return PageHeader(
        title="My pipeline" if mine else "Pipeline",
        kicker="Opportunities",
        icon="kanban",
        subtitle=_how_many(count),
        actions=tuple(actions),
    )


def _how_many(count: int | None) -> str:
    return "" if count is None else "1 opportunity" if count == 1 else f"{count:,} opportunities"


def _panel(filters: filtering.Filters, fault: BadQuery | None) -> FilterPanel:
    return filtering.panel(_PAGES, filters, _URL, fault)
