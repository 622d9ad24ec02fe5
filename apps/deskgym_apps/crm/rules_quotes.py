"""Numbers of products and quotes: statuses, discounts that need a right, totals (CRM-7, CRM-9 g)."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from ..kit.money import round_half_up
from ..kit.roles import Reader, Row
from .rules import line_total

DRAFT, NEEDS_REVIEW, IN_REVIEW = "Draft", "Needs Review", "In Review"
APPROVED, REJECTED, PRESENTED = "Approved", "Rejected", "Presented"
ACCEPTED, DENIED = "Accepted", "Denied"
FLOW: Mapping[str, tuple[str, ...]] = {
    DRAFT: (NEEDS_REVIEW, PRESENTED),
    NEEDS_REVIEW: (IN_REVIEW, DRAFT),
    IN_REVIEW: (APPROVED, REJECTED, DRAFT),
    APPROVED: (PRESENTED, DRAFT),
    REJECTED: (NEEDS_REVIEW, DRAFT),
    PRESENTED: (ACCEPTED, DENIED, DRAFT),
    ACCEPTED: (),
    DENIED: (DRAFT,),
}
STATUSES = tuple(FLOW)
FIXED = (IN_REVIEW, APPROVED, PRESENTED, ACCEPTED, DENIED)  # what was shown to others stands: lines, tax, shipping
APPROVAL_ABOVE_BP = 2_000
VP_ABOVE_BP = 3_000
LARGEST = 10**15  # minor units


def tax_of(subtotal: int, tax_bp: int) -> int:
    """Tax on a subtotal, half-up. Minor units."""
    return round_half_up(Decimal(subtotal) * tax_bp / 10_000)


def totals(lines: int, tax_bp: int, shipping: int) -> dict[str, int]:
    """Subtotal, tax and grand total of a quote whose lines add up to `lines`. Minor units."""
    tax = tax_of(lines, tax_bp)
    return {"subtotal": lines, "tax": tax, "grand_total": lines + tax + shipping}


def number_text(number: int) -> str:
    """The visible number of the n-th quote."""
    return f"Q-{number:05d}"


def derived_total(_state: Reader, row: Row) -> int:
    """I4 of a line."""
    return line_total(row["qty_milli"], row["unit_price"], row["discount_bp"])


def derived_number(state: Reader, row: Row) -> str:
    """Quotes are numbered without a gap in the order of their creation; one command makes one quote at most."""
    earlier = sum(1 for quote in state.select("crm_quote") if quote["created_at"] <= row["created_at"])
    return number_text(earlier)


def derived_subtotal(state: Reader, row: Row) -> int:
    """The sum of the rounded lines (X-3)."""
    return sum(int(line["total"]) for line in state.select("crm_quote_line", quote_id=row["id"]))


def derived_tax(state: Reader, row: Row) -> int:
    """The tax on the lines."""
    return tax_of(derived_subtotal(state, row), row["tax_bp"])


def derived_grand_total(state: Reader, row: Row) -> int:
    """Lines, tax and shipping."""
    return derived_subtotal(state, row) + derived_tax(state, row) + int(row["shipping"])
