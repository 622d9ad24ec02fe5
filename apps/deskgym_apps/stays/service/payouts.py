"""What hosts earn: payouts with totals by month, and the report for taxes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...kit.call import Context
from ...kit.operations import query
from ...kit.roles import Row
from ..rules_stays import days_between
from .access import own_listing
from .host_inputs import PayoutsInput, TaxReportInput
from .people import me, money

_SUMS = ("gross", "host_fee", "net")
_SELECT = (
    "SELECT p.*, r.code, r.checkin, r.checkout, r.status AS stay_status, r.listing_id, l.title, u.first_name, "
    "u.last_name FROM stays_payout p JOIN stays_reservation r ON r.id = p.reservation_id "
    "JOIN stays_listing l ON l.id = r.listing_id JOIN stays_user u ON u.id = r.guest_id WHERE p.host_id = :me"
)


@query("stays")
def payouts(ctx: Context, values: PayoutsInput) -> dict[str, Any]:
    """Own payouts, the last due first, in the listings' currencies.

    `months` adds up all that fit, by the month they fall due and by currency; cancelled ones count nothing there.
    `gross` is what is kept of nights, extra guests, cleaning and pets; `host_fee` is taken off; `net` is paid.
    """
    me(ctx)
    sql, params = _SELECT, {"me": ctx.person_id}
    if values.listing is not None:
        own_listing(ctx, values.listing)
        sql += " AND r.listing_id = :listing"
        params["listing"] = values.listing
    if values.status is not None:
        sql += " AND p.status = :status"
        params["status"] = values.status
    if values.month is not None:
        sql += " AND substr(p.due_on, 1, 7) = :month"
        params["month"] = values.month
    rows = ctx.store.all(f"{sql} ORDER BY p.due_on DESC, p.id", params)
    shown = rows[values.offset : values.offset + values.limit]
    return {"rows": [_shown(row) for row in shown], "total": len(rows), "months": _months(rows)}


def _shown(row: Row) -> dict[str, Any]:
    return {
        "id": row["id"],
        "code": row["code"],
        "listing": {"id": row["listing_id"], "title": row["title"]},
        "guest": f"{row['first_name']} {row['last_name']}",
        "checkin": row["checkin"],
        "checkout": row["checkout"],
        "stay_status": row["stay_status"],
        **{name: money(row[name], row["currency"]) for name in _SUMS},
        "due_on": row["due_on"],
        "status": row["status"],
        "paid_at": row["paid_at"],
    }


def _months(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Sums by month and currency, the last month first."""
    sums: dict[tuple[str, str], dict[str, int]] = {}
    for row in rows:
        if row["status"] == "cancelled":
            continue
        held = sums.setdefault((row["due_on"][:7], row["currency"]), dict.fromkeys((*_SUMS, "count", "paid"), 0))
        held["count"] += 1
        held["paid"] += row["net"] if row["status"] == "paid" else 0
        for name in _SUMS:
            held[name] += row[name]
    return [
        {"month": month, "count": sums[month, currency]["count"]}
        | {name: money(sums[month, currency][name], currency) for name in (*_SUMS, "paid")}
        for month, currency in sorted(sorted(sums, key=lambda key: key[1]), key=lambda key: key[0], reverse=True)
    ]


@query("stays")
def tax_report(ctx: Context, values: TaxReportInput) -> dict[str, Any]:
    """A year of earnings by listing: stays, nights, gross, host fee, net, and the taxes that guests paid, by name.

    It counts payouts that were paid and fell due in the year. `totals` adds up each currency.
    """
    me(ctx)
    sql = f"{_SELECT} AND p.status = 'paid' AND substr(p.due_on, 1, 4) = :year ORDER BY l.title_norm, l.id, p.id"
    found: dict[str, dict[str, Any]] = {}
    for row in ctx.store.all(sql, {"me": ctx.person_id, "year": f"{values.year:04d}"}):
        _count(ctx, found.setdefault(row["listing_id"], _empty(row)), row)
    entries = list(found.values())
    return {
        "year": values.year,
        "rows": [_entry(entry) for entry in entries],
        "totals": [_total(currency, entries) for currency in sorted({entry["currency"] for entry in entries})],
    }


def _empty(row: Row) -> dict[str, Any]:
    sums = dict.fromkeys((*_SUMS, "nights"), 0)
    listing = {"id": row["listing_id"], "title": row["title"]}
    return {"listing": listing, "currency": row["currency"], "stays": set(), "taxes": {}, **sums}


def _count(ctx: Context, entry: dict[str, Any], row: Row) -> None:
    """Add a payout to the entry of its listing; a stay's nights and taxes count once."""
    for name in _SUMS:
        entry[name] += row[name]
    if row["reservation_id"] in entry["stays"]:
        return
    entry["stays"].add(row["reservation_id"])
    if row["stay_status"] in ("confirmed", "completed"):
        entry["nights"] += days_between(row["checkin"], row["checkout"])
    for label, amount in ctx.conn.execute(
        "SELECT label, sum(listing_amount) FROM stays_price_line WHERE reservation_id = :id AND kind = 'tax' AND rev = "
        "(SELECT max(rev) FROM stays_price_line WHERE reservation_id = :id) GROUP BY label ORDER BY label",
        {"id": row["reservation_id"]},
    ):
        entry["taxes"][label] = entry["taxes"].get(label, 0) + amount


def _entry(entry: dict[str, Any]) -> dict[str, Any]:
    currency = entry["currency"]
    return {
        "listing": entry["listing"],
        "stays": len(entry["stays"]),
        "nights": entry["nights"],
        **{name: money(entry[name], currency) for name in _SUMS},
        "taxes": [{"name": name, "amount": money(amount, currency)} for name, amount in sorted(entry["taxes"].items())],
        "tax_total": money(sum(entry["taxes"].values()), currency),
    }


def _total(currency: str, entries: Sequence[dict[str, Any]]) -> dict[str, Any]:
    same = [entry for entry in entries if entry["currency"] == currency]
    return {
        "currency": currency,
        "stays": sum(len(entry["stays"]) for entry in same),
        "nights": sum(entry["nights"] for entry in same),
        **{name: money(sum(entry[name] for entry in same), currency) for name in _SUMS},
        "tax_total": money(sum(sum(entry["taxes"].values()) for entry in same), currency),
    }
