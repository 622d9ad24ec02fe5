"""The pipeline board: a column for each stage, with sums over all its deals under the filter (CRM-1)."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from ...kit.call import Context
from ...kit.operations import Input, query
from .access import WRITE, reader
from .conditions import Condition, where
from .kinds import KINDS
from .naming import extra
from .opportunities import pipeline
from .selection import Selection
from .totals import Totals, money_shown

_CARD = (
    *("id", "row_version", "name", "account_id", "account.name", "stage", "amount", "expected_revenue"),
    *("probability", "close_date", "owner_id", "owner.name", "is_closed"),
)


class BoardInput(Input):
    """Which deals to show."""

    filter: list[Condition] = Field(default_factory=list, description="As in a list of opportunities.")
    logic: str | None = Field(default=None, max_length=200)
    scope: Literal["all", "mine"] = "all"
    limit: int = Field(default=25, ge=1, le=200, description="Cards of each column; sums cover all of them.")


class BoardColumn(BaseModel):
    """One stage. `amount` and `expected_revenue` are `{amounts, total, currency, approximate}`."""

    stage: str
    probability: int
    forecast_category: str
    is_closed: bool
    is_won: bool
    count: int
    amount: dict[str, Any]
    expected_revenue: dict[str, Any]
    cards: list[dict[str, Any]]


class Board(BaseModel):
    """Columns in the order of the stages."""

    columns: list[BoardColumn]
    total: int


@query("crm")
def board(ctx: Context, values: BoardInput) -> Board:
    """Deals by stage, soonest close date first, with count, amount and expected revenue of each whole column."""
    user = reader(ctx)
    user.need(KINDS["opportunity"], "read")
    selection = Selection(user, KINDS["opportunity"])
    shown, parents = set(selection.names()), selection.parents()
    bound = [selection.bind(key) for key in _CARD if key in shown or key.partition(".")[0] in parents]
    scope = selection.scope(mine=values.scope == "mine", many=True)
    condition = f"WHERE {scope} AND ({where(selection, values.filter, values.logic)})"
    sums = _sums(selection, condition)
    first = (
        "t.id IN (SELECT id FROM (SELECT t.id AS id, row_number() OVER (PARTITION BY t.stage "
        f"ORDER BY t.close_date, t.id) AS place FROM {selection.source(condition)} {condition}) WHERE place <= :limit)"
    )
    may_edit = extra("can_edit", user.visible("opportunity", "t", WRITE), "bool")
    cards = selection.rows([*bound, may_edit], f"WHERE {first} ORDER BY t.close_date, t.id", limit=values.limit)
    today = ctx.today
    for card in cards:
        card["overdue"] = not card["is_closed"] and card["close_date"] < today
    totals = Totals(ctx)
    columns = [_column(totals, stage, sums, cards) for stage in pipeline(ctx)]
    return Board(columns=columns, total=sum(column.count for column in columns))


def _sums(selection: Selection, condition: str) -> list[Any]:
    """(stage, currency, count, amount, expected revenue), hidden amounts as nothing."""
    amount, expected = money_shown(selection)
    return selection.all(
        f"SELECT t.stage, t.currency, count(*), {amount}, {expected} FROM {selection.source(condition)} {condition} "
        "GROUP BY t.stage, t.currency ORDER BY t.stage, t.currency"
    )


def _column(totals: Totals, stage: dict[str, Any], sums: list[Any], cards: list[dict[str, Any]]) -> BoardColumn:
    own = [row for row in sums if row[0] == stage["name"]]
    return BoardColumn(
        stage=stage["name"],
        probability=stage["probability"],
        forecast_category=stage["forecast_category"],
        is_closed=bool(stage["is_closed"]),
        is_won=bool(stage["is_won"]),
        count=sum(row[2] for row in own),
        amount=totals.of({row[1]: row[3] for row in own if row[3] is not None}),
        expected_revenue=totals.of({row[1]: row[4] for row in own if row[4] is not None}),
        cards=[card for card in cards if card["stage"] == stage["name"]],
    )
