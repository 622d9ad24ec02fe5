"""Products on an opportunity: add, change, remove (CRM-7). The first line fixes the opportunity's price book."""

from __future__ import annotations

from ...kit.call import Context
from ...kit.errors import Invalid
from ...kit.operations import command
from ...kit.roles import Row
from .access import WRITE, User
from .inputs import DeleteInput
from .line_inputs import DealLineInput, LineRemoved, LineSaved, UpdateDealLineInput
from .line_values import entry_for, standard_book
from .lines import DEAL, add_line, change_line, open_whole, remove_line, saved, settle


def book_of(ctx: Context, deal: Row, chosen: str | None) -> Row:
    """The price book that a new line's price comes from. Raises Invalid for another one than the lines have."""
    has_lines = bool(DEAL.lines(ctx, deal["id"]))
    book_id = chosen or deal["pricebook_id"]
    book = ctx.store.get("crm_pricebook", book_id) if book_id else standard_book(ctx)
    if book is None:
        raise Invalid(f'there is no price book "{book_id}"', field="pricebook_id")
    if has_lines and book["id"] != deal["pricebook_id"]:
        own = ctx.store.get("crm_pricebook", deal["pricebook_id"])
        held = own["name"] if own else deal["pricebook_id"]
        message = f"the products of this opportunity come from {held}; remove them to use {book['name']}"
        raise Invalid(message, field="pricebook_id")
    if not book["is_active"] and not has_lines:
        raise Invalid(f"{book['name']} is out of use", field="pricebook_id")
    return book


@command("crm")
def create_opportunity_line(ctx: Context, values: DealLineInput) -> LineSaved:
    """Add a product to an opportunity. Its amount is then the sum of its lines."""
    user = User(ctx)
    deal = open_whole(user, DEAL, values.opportunity_id, values.row_version)
    entry = entry_for(ctx, book_of(ctx, deal, values.pricebook_id), values.product_id, deal["currency"])
    given = values.model_dump(exclude_unset=True)
    line_id = add_line(user, DEAL, deal, entry, given)
    return saved(ctx, DEAL, line_id, settle(ctx, DEAL, deal))


@command("crm")
def update_opportunity_line(ctx: Context, values: UpdateDealLineInput) -> LineSaved:
    """Change quantity, price, discount, service date or description of an opportunity's line."""
    user = User(ctx)
    line = user.load(DEAL.part, values.id, WRITE)
    deal = open_whole(user, DEAL, line["opportunity_id"], values.row_version)
    own = {name: value for name, value in line.items() if name != "level"}
    is_changed = change_line(user, DEAL, own, values.values.model_dump(exclude_unset=True))
    return saved(ctx, DEAL, line["id"], settle(ctx, DEAL, deal) if is_changed else deal["row_version"])


@command("crm")
def delete_opportunity_line(ctx: Context, values: DeleteInput) -> LineRemoved:
    """Remove a line from an opportunity. Without lines the amount is 0 and can be set by hand again."""
    user = User(ctx)
    return remove_line(user, DEAL, user.load(DEAL.part, values.id, WRITE), values.row_version)
