"""A year of earnings with the taxes that guests paid (row 18)."""

from __future__ import annotations

from flask import request

from ...kit.session import read
from .faces import counted
from .hosting import HOST, host_page, need_host
from .routing import blueprint, href, round_money, shown_money

REPORT = f"{HOST}/earnings/tax"
_YEARS = 4
_MONEY = ("gross", "host_fee", "net", "tax_total")


@blueprint.get("/host/earnings/tax")
def tax_report() -> tuple[str, int]:
    """One year by listing: stays, nights, gross, fee, net and each tax; sums by currency."""
    me = need_host()
    this_year = int(me["today"][:4])
    typed = request.args.get("year", "").strip()
    year = int(typed) if typed.isascii() and typed.isdigit() and len(typed) == 4 else this_year
    found = read("stays.tax_report", {"year": year})
    rows = [
        {
            "id": row["listing"]["id"],
            "title": row["listing"]["title"],
            "stays": counted(row["stays"], "stay"),
            "nights": counted(row["nights"], "night"),
            "taxes": [(tax["name"], shown_money(tax["amount"])) for tax in row["taxes"]],
            **{name: shown_money(row[name]) for name in _MONEY},
        }
        for row in found["rows"]
    ]
    totals = [
        {
            "currency": row["currency"],
            "stays": counted(row["stays"], "stay"),
            "nights": counted(row["nights"], "night"),
            **{name: shown_money(row[name]) for name in _MONEY},
            "lead": round_money(row["net"]),
        }
        for row in found["totals"]
    ]
    years = [{"year": one, "href": href(REPORT, {"year": one})} for one in range(this_year, this_year - _YEARS, -1)]
    return host_page("stays/tax_report.html", "earnings", year=year, rows=rows, totals=totals, years=years)
