"""Lines of opportunities and quotes, and what follows from each change of them (CRM-7, I3, I4).

The opportunity's amount is the sum of its lines; a quote's totals come from its own. A synced quote and its opportunity
hold the same lines: whoever changes one side changes the other in the same command.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...kit.call import Context
from ...kit.errors import Invalid
from ...kit.money import plain_amount
from ...kit.roles import Row
from .. import rules, rules_quotes
from .access import WRITE, User
from .kinds import KINDS, Kind
from .line_inputs import LineRemoved, LineSaved
from .line_values import line_columns
from .records import check_lock, name_of, save

_MIRRORED = ("pricebook_entry_id", "qty_milli", "list_price", "unit_price", "discount_bp", "total", "sort")


@dataclass(frozen=True)
class Side:
    """Where lines are: on opportunities or on quotes."""

    whole: Kind
    part: Kind
    column: str

    def lines(self, ctx: Context, whole_id: str) -> Sequence[Row]:
        """The lines of one record, in order."""
        sql = f"SELECT * FROM {self.part.table} WHERE {self.column} = ? ORDER BY sort, id"
        return ctx.store.all(sql, (whole_id,))


DEAL = Side(KINDS["opportunity"], KINDS["opportunity_line"], "opportunity_id")
QUOTE = Side(KINDS["quote"], KINDS["quote_line"], "quote_id")


def open_whole(user: User, side: Side, whole_id: str, row_version: int | None) -> Row:
    """The record whose lines are to change. Raises NotFound, Forbidden, Conflict (X-7), Invalid for a fixed quote."""
    row = user.load(side.whole, whole_id, WRITE)
    if row_version is not None:
        check_lock(user.ctx, side.whole, row, row_version)
    quote = row if side is QUOTE else synced_quote(user.ctx, whole_id)
    if quote is not None:
        refuse_fixed(quote, f"{quote['number']}, the synced quote," if side is DEAL else "this quote")
    return row


def refuse_fixed(quote: Row, what: str) -> None:
    """What others were shown stays as it was. Raises Invalid for a quote in review or beyond."""
    if quote["status"] in rules_quotes.FIXED:
        raise Invalid(f"{what} is {quote['status']}; set it back to Draft before you change lines, tax or shipping")


def synced_quote(ctx: Context, deal_id: str) -> Row | None:
    """The quote whose lines are those of an opportunity."""
    sql = "SELECT * FROM crm_quote WHERE opportunity_id = ? AND is_synced = 1 AND is_deleted = 0"
    return ctx.store.one(sql, (deal_id,))


def add_line(user: User, side: Side, whole: Row, entry: Row, given: Mapping[str, Any]) -> str:
    """Write a new line at the end. Returns its id; `settle` must follow."""
    start = {
        side.column: whole["id"],
        "pricebook_entry_id": entry["id"],
        "qty_milli": 0,
        "list_price": entry["unit_price"],
        "unit_price": entry["unit_price"],
        "discount_bp": 0,
        "sort": max((line["sort"] for line in side.lines(user.ctx, whole["id"])), default=0) + 1,
    }
    chosen = {name: value for name, value in given.items() if value is not None}
    line_id = user.ctx.new_id(side.part.table)
    user.ctx.insert(side.part.table, {"id": line_id} | line_columns(user, chosen, start, entry["currency"]))
    return line_id


def change_line(user: User, side: Side, line: Row, given: Mapping[str, Any]) -> bool:
    """Change a line as given. Returns whether anything differs; if so `settle` must follow."""
    ctx = user.ctx
    after = line_columns(user, given, line, entry_of(ctx, line)["currency"])
    moved = {name: value for name, value in after.items() if value != line[name]}
    if moved:
        ctx.update(side.part.table, line["id"], moved)
    return bool(moved)


def entry_of(ctx: Context, line: Row) -> Row:
    """The price that a line was made from."""
    entry = ctx.store.get("crm_pricebook_entry", line["pricebook_entry_id"])
    if entry is None:
        raise LookupError(f"line {line['id']} has no price book entry")
    return entry


def settle(ctx: Context, side: Side, whole: Row) -> int:
    """What follows from changed lines: totals, the other side of a synced pair. Returns the record's new version."""
    if side is DEAL:
        quote = synced_quote(ctx, whole["id"])
        if quote is not None:
            mirror(ctx, DEAL, whole["id"], QUOTE, quote["id"])
            _settle_quote(ctx, quote)
        return settle_deal(ctx, whole)
    if whole["is_synced"]:
        deal = ctx.store.get("crm_opportunity", whole["opportunity_id"])
        if deal is not None:
            mirror(ctx, QUOTE, whole["id"], DEAL, deal["id"])
            settle_deal(ctx, deal)
    return _settle_quote(ctx, whole)


def _settle_quote(ctx: Context, quote: Row, **columns: Any) -> int:
    """Write a quote's totals anew."""
    lines = sum(line["total"] for line in QUOTE.lines(ctx, quote["id"]))
    after = dict(quote) | columns
    found = rules_quotes.totals(_within(lines), after["tax_bp"], after["shipping"])
    return save(ctx, KINDS["quote"], quote, columns | found, parts=True)


def settle_deal(ctx: Context, deal: Row, **columns: Any) -> int:
    """Write an opportunity's amount anew: the sum of its lines, 0 without any. Raises Invalid (CRM-9 b)."""
    lines = DEAL.lines(ctx, deal["id"])
    amount = _within(sum(line["total"] for line in lines))
    _need_amount(ctx, deal, amount)
    found = {"amount": amount, "expected_revenue": rules.expected_revenue(amount, deal["probability"])}
    if lines:
        found["pricebook_id"] = entry_of(ctx, lines[0])["pricebook_id"]
    return save(ctx, KINDS["opportunity"], deal, found | columns, parts=True)


def _within(total: int) -> int:
    if total > rules_quotes.LARGEST:
        raise Invalid("the lines come to more than can be kept; lower quantity or price", field="quantity")
    return total


def _need_amount(ctx: Context, deal: Row, amount: int) -> None:
    """CRM-9 b: from Proposal/Price Quote on a deal that is not lost is worth something."""
    if amount or amount == deal["amount"]:
        return
    both = "FROM crm_stage a, crm_stage b WHERE a.name = ? AND b.name = ?"
    sql = f"SELECT a.is_closed, a.is_won, a.sort >= b.sort AS late {both}"
    stage = ctx.store.one(sql, (deal["stage"], rules.AMOUNT_REQUIRED_FROM))
    if stage is not None and stage["late"] and (not stage["is_closed"] or stage["is_won"]):
        raise Invalid(
            f"a deal in {deal['stage']} needs an amount above 0, and this would leave it at 0; "
            "add another product first, or move the deal back",
            field="amount",
        )


def mirror(ctx: Context, source: Side, source_id: str, target: Side, target_id: str) -> None:
    """Make the lines of one side those of the other: same prices in the same places are changed, not made anew."""
    wanted, left = list(source.lines(ctx, source_id)), list(target.lines(ctx, target_id))
    pairs: list[tuple[Row, Row | None]] = []
    for tests in (("pricebook_entry_id", "sort"), ("pricebook_entry_id",)):
        for line in list(wanted):
            same = next((one for one in left if all(one[name] == line[name] for name in tests)), None)
            if same is not None:
                pairs.append((line, same))
                wanted.remove(line)
                left.remove(same)
    for gone in left:
        ctx.delete(target.part.table, gone["id"])
    for line, same in [*pairs, *((line, None) for line in wanted)]:
        columns = {name: line[name] for name in _MIRRORED}
        if same is None:
            ctx.insert(target.part.table, {"id": ctx.new_id(target.part.table), target.column: target_id} | columns)
        elif any(same[name] != value for name, value in columns.items()):
            ctx.update(target.part.table, same["id"], {n: v for n, v in columns.items() if same[n] != v})


def remove_line(user: User, side: Side, line: Row, row_version: int | None) -> LineRemoved:
    """Take a line away."""
    ctx = user.ctx
    whole = open_whole(user, side, line[side.column], row_version)
    currency = entry_of(ctx, line)["currency"]
    ctx.delete(side.part.table, line["id"])
    version = settle(ctx, side, whole)
    return LineRemoved(
        id=line["id"],
        deleted=1,
        of=whole["id"],
        row_version=version,
        sum=_sum(ctx, side, whole["id"], currency),
        currency=currency,
    )


def saved(ctx: Context, side: Side, line_id: str, version: int) -> LineSaved:
    """What a command on a line gives back."""
    line = ctx.store.get(side.part.table, line_id)
    if line is None:
        raise LookupError(f"there is no line {line_id}")
    currency = entry_of(ctx, line)["currency"]
    return LineSaved(
        id=line_id,
        name=name_of(ctx, side.part, line_id),
        of=line[side.column],
        row_version=version,
        total=plain_amount(line["total"], currency),
        sum=_sum(ctx, side, line[side.column], currency),
        currency=currency,
    )


def _sum(ctx: Context, side: Side, whole_id: str, currency: str) -> str:
    return plain_amount(sum(line["total"] for line in side.lines(ctx, whole_id)), currency)
