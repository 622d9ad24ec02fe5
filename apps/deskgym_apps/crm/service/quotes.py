"""Quotes: numbered offers on an opportunity, their way through review, and the one that is synced (CRM-7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...kit.call import Context
from ...kit.errors import Forbidden, Invalid
from ...kit.ids import take
from ...kit.money import plain_amount
from ...kit.operations import command
from ...kit.roles import Row
from .. import rules_quotes as rules
from .access import WRITE, User
from .approval_rows import may_decide, pending_of
from .approvals import decide, may_recall, recall, submit
from .changes import Change
from .deletion import delete, undelete
from .inputs import Deleted, DeleteInput, Restored, UndeleteInput, Updated
from .kinds import KINDS
from .line_inputs import LineRemoved, LineSaved, QuoteLineInput, UpdateQuoteLineInput
from .line_values import entry_for, percent_bp, standard_book
from .lines import (
    DEAL,
    QUOTE,
    add_line,
    change_line,
    entry_of,
    mirror,
    open_whole,
    refuse_fixed,
    remove_line,
    saved,
    settle,
    settle_deal,
    synced_quote,
)
from .quote_inputs import (
    QuoteChanges,
    QuoteCreated,
    QuoteInput,
    QuoteKey,
    QuoteState,
    QuoteStatusInput,
    UpdateQuoteInput,
)
from .records import check_lock, create, record_type, save, update

_COUNTER = "crm_quote.number"


def _rules(change: Change) -> None:
    after, given = change.after, change.given
    if "tax_percent" in given:
        try:
            after["tax_bp"] = percent_bp("tax_percent", "Tax", given["tax_percent"] or "0")
        except Invalid as error:
            change.refuse("tax_percent", error.message)
    after["shipping"] = 0 if after["shipping"] is None else after["shipping"]
    if after["shipping"] > rules.LARGEST:
        change.refuse("shipping", "Shipping is more than can be kept")
    if after["expires_on"] is not None and change.moved("expires_on") and after["expires_on"] < change.ctx.today:
        change.refuse(
            "expires_on", f"a quote cannot expire in the past: {after['expires_on']}, today is {change.ctx.today}"
        )
    if change.before is not None and change.moved("tax_bp", "shipping"):
        try:
            refuse_fixed(change.before, "this quote")
        except Invalid as error:
            change.refuse("tax_percent" if change.moved("tax_bp") else "shipping", error.message)
    after |= rules.totals(after["subtotal"], after["tax_bp"], after["shipping"])


QUOTE_TYPE = record_type("quote", QuoteInput, QuoteChanges, _rules)


def _begin_on(deal: Row, ctx: Context) -> Any:
    """What a new quote holds: the opportunity's currency, the next number, the sum of the lines it takes over."""

    def begin(change: Change) -> None:
        change.after |= {
            "opportunity_id": deal["id"],
            "currency": deal["currency"],
            "number": rules.number_text(take(ctx.conn, _COUNTER)),
            "subtotal": sum(line["total"] for line in DEAL.lines(ctx, deal["id"])),
        }

    return begin


@command("crm")
def create_quote(ctx: Context, values: QuoteInput) -> QuoteCreated:
    """Create a draft quote on an opportunity, with its products as lines. Needs write access to the opportunity."""
    user = User(ctx)
    user.need(KINDS["quote"], "create")
    deal = user.load(KINDS["opportunity"], values.opportunity_id, WRITE)
    made = create(ctx, record_type("quote", QuoteInput, QuoteChanges, _rules, begin=_begin_on(deal, ctx)), values)
    mirror(ctx, DEAL, deal["id"], QUOTE, made.id)
    row = _row(ctx, made.id)
    count = len(QUOTE.lines(ctx, made.id))
    return QuoteCreated(id=made.id, row_version=1, name=made.name, number=row["number"], lines=count)


@command("crm")
def update_quote(ctx: Context, values: UpdateQuoteInput) -> Updated:
    """Change fields of a quote. Tax and shipping are fixed while it is in review and once it was approved or shown."""
    return update(ctx, QUOTE_TYPE, values.id, values.row_version, values.values)


@command("crm")
def delete_quote(ctx: Context, values: DeleteInput) -> Deleted:
    """Delete a quote; a synced one is no longer synced then, and the opportunity keeps its lines (CRM-10)."""
    return delete(ctx, KINDS["quote"], values)


@command("crm")
def undelete_quote(ctx: Context, values: UndeleteInput) -> Restored:
    """Bring a deleted quote back (CRM-10)."""
    return undelete(ctx, KINDS["quote"], values)


def _row(ctx: Context, quote_id: str) -> Row:
    row = ctx.store.get("crm_quote", quote_id)
    if row is None:
        raise LookupError(f"there is no quote {quote_id}")
    return row


def _open(user: User, quote_id: str, row_version: int | None) -> Row:
    quote = user.load(KINDS["quote"], quote_id, WRITE)
    if row_version is not None:
        check_lock(user.ctx, KINDS["quote"], quote, row_version)
    return quote


def needs_approval(ctx: Context, quote_id: str) -> bool:
    """Whether a line of a quote is discounted so far that it must be approved before it is presented."""
    return any(line["discount_bp"] > rules.APPROVAL_ABOVE_BP for line in QUOTE.lines(ctx, quote_id))


def _under_review(user: User, values: QuoteStatusInput, request: Row) -> Row:
    """A quote whose approval is pending, for who decides or may recall it. Raises NotFound, Forbidden, Conflict."""
    kind = KINDS["quote"]
    if not may_decide(user, request) and not may_recall(user, kind, request):
        return _open(user, values.id, values.row_version)
    quote = user.load(kind, values.id)
    if values.row_version is not None:
        check_lock(user.ctx, kind, quote, values.row_version)
    if values.status == rules.DRAFT and not may_recall(user, kind, request):
        raise Forbidden("only who submitted this, or who may change the quote, may recall it", field="status")
    return quote


@command("crm")
def set_quote_status(ctx: Context, values: QuoteStatusInput) -> QuoteState:
    """Move a quote along its flow. Into review it goes by an approval process, out of it by the approver (row 27)."""
    user = User(ctx)
    request = pending_of(ctx, values.id)
    quote = _under_review(user, values, request) if request else _open(user, values.id, values.row_version)
    if values.status == quote["status"]:
        return _state(ctx, quote)
    following = rules.FLOW[quote["status"]]
    if values.status not in following:
        ways = f"it can become {' or '.join(following)}" if following else "it is final"
        message = f"a quote that is {quote['status']} cannot become {values.status}; {ways}"
        raise Invalid(message, field="status", allowed=following)
    if values.status == rules.PRESENTED and quote["status"] == rules.DRAFT and needs_approval(ctx, quote["id"]):
        most = rules.APPROVAL_ABOVE_BP // 100
        message = f"a line is discounted by more than {most} %, so the quote must be approved before it is presented"
        raise Invalid(message, field="status", allowed=(rules.NEEDS_REVIEW,))
    if values.status == rules.IN_REVIEW:
        submit(ctx, user, KINDS["quote"], quote, None)
    elif request is not None and values.status == rules.DRAFT:
        recall(ctx, request, None)
    elif request is not None:
        decide(ctx, user, request, values.status, None)
    else:
        save(ctx, KINDS["quote"], quote, {"status": values.status})
    return _state(ctx, _row(ctx, quote["id"]))


def _state(ctx: Context, quote: Row) -> QuoteState:
    deal = ctx.store.get("crm_opportunity", quote["opportunity_id"])
    amount = deal["amount"] if deal else None
    return QuoteState(
        id=quote["id"],
        row_version=quote["row_version"],
        status=quote["status"],
        is_synced=bool(quote["is_synced"]),
        amount=None if amount is None else plain_amount(amount, quote["currency"]),
        currency=quote["currency"],
    )


@command("crm")
def sync_quote(ctx: Context, values: QuoteKey) -> QuoteState:
    """Make a quote the synced one: its lines replace those of the opportunity, and from then on each follows the other.

    A quote that was synced before is no longer.
    """
    user = User(ctx)
    quote = _open(user, values.id, values.row_version)
    if quote["is_synced"]:
        return _state(ctx, quote)
    lines = QUOTE.lines(ctx, quote["id"])
    if not lines:
        raise Invalid("a quote without lines cannot be synced; add a line first")
    deal = user.load(KINDS["opportunity"], quote["opportunity_id"], WRITE)
    if deal["currency"] != quote["currency"]:
        raise Invalid(f"the opportunity is in {deal['currency']} now, the quote in {quote['currency']}")
    former = synced_quote(ctx, deal["id"])
    if former is not None:
        save(ctx, KINDS["quote"], former, {"is_synced": 0})
    mirror(ctx, QUOTE, quote["id"], DEAL, deal["id"])
    settle_deal(ctx, deal)
    save(ctx, KINDS["quote"], quote, {"is_synced": 1})
    return _state(ctx, _row(ctx, quote["id"]))


@command("crm")
def unsync_quote(ctx: Context, values: QuoteKey) -> QuoteState:
    """End the syncing of a quote. Both sides keep the lines they have."""
    quote = _open(User(ctx), values.id, values.row_version)
    save(ctx, KINDS["quote"], quote, {"is_synced": 0})
    return _state(ctx, _row(ctx, quote["id"]))


def _book_of(ctx: Context, quote: Row) -> Row:
    """The price book of a quote: that of its lines, else its opportunity's, else the standard one. Raises Invalid."""
    lines = QUOTE.lines(ctx, quote["id"])
    deal = ctx.store.get("crm_opportunity", quote["opportunity_id"])
    book_id = entry_of(ctx, lines[0])["pricebook_id"] if lines else deal and deal["pricebook_id"]
    book = ctx.store.get("crm_pricebook", book_id) if book_id else standard_book(ctx)
    if book is None:
        raise Invalid("there is no standard price book", field="product_id")
    return book


@command("crm")
def create_quote_line(ctx: Context, values: QuoteLineInput) -> LineSaved:
    """Add a product to a quote."""
    user = User(ctx)
    quote = open_whole(user, QUOTE, values.quote_id, values.row_version)
    entry = entry_for(ctx, _book_of(ctx, quote), values.product_id, quote["currency"])
    line_id = add_line(user, QUOTE, quote, entry, _given(values.model_dump(exclude_unset=True)))
    return saved(ctx, QUOTE, line_id, settle(ctx, QUOTE, quote))


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: values[name] for name in ("quantity", "unit_price", "discount_percent") if name in values}


@command("crm")
def update_quote_line(ctx: Context, values: UpdateQuoteLineInput) -> LineSaved:
    """Change quantity, price or discount of a quote's line."""
    user = User(ctx)
    line = user.load(QUOTE.part, values.id, WRITE)
    quote = open_whole(user, QUOTE, line["quote_id"], values.row_version)
    own = {name: value for name, value in line.items() if name != "level"}
    is_changed = change_line(user, QUOTE, own, values.values.model_dump(exclude_unset=True))
    return saved(ctx, QUOTE, line["id"], settle(ctx, QUOTE, quote) if is_changed else quote["row_version"])


@command("crm")
def delete_quote_line(ctx: Context, values: DeleteInput) -> LineRemoved:
    """Remove a line from a quote."""
    user = User(ctx)
    return remove_line(user, QUOTE, user.load(QUOTE.part, values.id, WRITE), values.row_version)
