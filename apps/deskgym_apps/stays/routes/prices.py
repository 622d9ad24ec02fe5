"""Prices line by line (STAY-3), and what is said of a stay that cannot be booked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...kit.web.display import full_date
from .faces import Price, PriceLine
from .routing import shown_money


def price_of(quote: Mapping[str, Any]) -> Price:
    """A quote, or the price lines of a reservation."""
    lines = tuple(PriceLine(line["label"], shown_money(line["charge"]), line["kind"]) for line in quote["lines"])
    nights = tuple((full_date(night["night"]), shown_money(night["price"])) for night in quote.get("nights") or ())
    return Price(lines=lines, total=shown_money(quote["total"]), nights=nights, note=_note(quote))


def _note(quote: Mapping[str, Any]) -> str:
    """That lines were converted, where they were."""
    money = [line["listing_amount"] for line in quote["lines"] if line.get("listing_amount")]
    currency = quote["total"]["currency"]
    if not money or money[0]["currency"] == currency:
        return ""
    rate = quote.get("rate_ppm")
    told = f", at {rate // 1_000_000}.{rate % 1_000_000:06d}".rstrip("0").rstrip(".") if rate else ""
    return (
        f"The host's prices are in {money[0]['currency']}; you are charged in {currency}{told}. Each line is rounded."
    )
