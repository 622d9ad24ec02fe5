"""Prices of a host's listing, seasons, and what a stay would cost and bring (STAY-3, STAY-13)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from ...kit.call import Context, check_version
from ...kit.errors import Conflict, FieldError, Invalid, NotFound
from ...kit.money import format_money, parse_money, plain_amount
from ...kit.operations import command, query
from ...kit.roles import Row
from ..rules_calendar import price_floor
from ..rules_prices import Party, Season, season_price
from ..rules_stays import party_faults, shifted
from .access import own_listing
from .calendars import today_at
from .checks import as_result
from .host_inputs import (
    DeleteSeasonInput,
    ExampleQuoteInput,
    HostPricingInput,
    PricingChanges,
    SeasonChanges,
    SeasonInput,
    UpdateSeasonInput,
)
from .people import me, money, toucher
from .pricing import Pricing, shown_quote

_NIGHTLY = ("base_price", "weekend_price")
_FEES = ("extra_guest_fee", "cleaning_fee", "pet_fee")
_SHARES = {
    "weekly_percent": "weekly_bp",
    "monthly_percent": "monthly_bp",
    "early_bird_percent": "early_bird_bp",
    "last_minute_percent": "last_minute_bp",
    "nonrefundable_percent": "nonrefundable_bp",
}
_ZERO = (*_FEES, "weekly_bp", "monthly_bp")  # columns that hold 0 for nothing
_HIGHEST_BP = 9000
_EXAMPLE_DAYS = 14


def percent(bp: int | None) -> str | None:
    """`1250` -> `12.5`."""
    return None if bp is None else format((Decimal(bp) / 100).normalize(), "f")


def pricing_values(listing: Row) -> dict[str, Any]:
    """The prices of a listing under the names of `PricingChanges`."""
    currency = listing["currency"]
    amounts = {
        name: None if listing[name] is None else plain_amount(listing[name], currency) for name in (*_NIGHTLY, *_FEES)
    }
    whole = {name: listing[name] for name in ("included_guests", "early_bird_days", "last_minute_days")}
    shares = {name: percent(listing[column]) for name, column in _SHARES.items()}
    return {name: (amounts | whole | shares)[name] for name in PricingChanges.model_fields}


def _basis_points(name: str, text: str, least: int, most: int) -> int:
    value = Decimal(text) * 100
    if value != value.to_integral_value() or not least <= value <= most:
        low, high = percent(least), percent(most)
        raise Invalid(f"{name} is from {low} to {high} percent, with at most 2 decimals, not {text}", field=name)
    return int(value)


def _amount(name: str, text: str, currency: str, floor: int) -> int:
    try:
        value = parse_money(text, currency)
    except ValueError as error:
        raise Invalid(str(error), field=name) from None
    if value < floor:
        raise Invalid(f"{name} is at least {format_money(floor, currency)}, not {text}", field=name)
    return value


def _column(listing: Row, name: str, value: Any) -> tuple[str, Any]:
    """The column of a field and what it holds. Raises Invalid."""
    column = _SHARES.get(name, name)
    if value is None:
        if name in ("base_price", "included_guests"):
            raise Invalid(f"{name} cannot be empty", field=name)
        return column, 0 if column in _ZERO else None
    if name in _NIGHTLY:
        return column, _amount(name, value, listing["currency"], price_floor(listing["currency"]))
    if name in _FEES:
        return column, _amount(name, value, listing["currency"], 0)
    if name in _SHARES:
        return column, _basis_points(name, value, 0 if column in _ZERO else 1, _HIGHEST_BP)
    return column, value


def pricing_columns(listing: Row, values: PricingChanges) -> dict[str, Any]:
    """The columns that the given prices change. Raises Invalid that names every faulty field."""
    columns: dict[str, Any] = {}
    faults: list[FieldError] = []
    for name, value in values.model_dump(exclude_unset=True).items():
        try:
            column, held = _column(listing, name, value)
            columns[column] = held
        except Invalid as refused:
            faults += refused.errors
    if not faults:
        faults = _faults_together({**listing, **columns})
    if faults:
        raise Invalid(faults)
    return {name: value for name, value in columns.items() if listing[name] != value}


def _faults_together(after: Row) -> list[FieldError]:
    found = []
    if after["included_guests"] > after["max_guests"]:
        said = f"at most {after['max_guests']} guests stay here, so no more than that are included"
        found.append(FieldError("included_guests", said))
    for name in ("early_bird", "last_minute"):
        if (after[f"{name}_days"] is None) != (after[f"{name}_bp"] is None):
            missing = "percent" if after[f"{name}_bp"] is None else "days"
            found.append(FieldError(f"{name}_{missing}", f"{name}_days and {name}_percent go together"))
    return found


@command("stays")
def host_pricing(ctx: Context, values: HostPricingInput) -> dict[str, Any]:
    """Change prices of one's own listing. Reservations keep what was agreed (J9). Null clears a price.

    Prices of a night are at least 10 units of the currency (STAY-13), those of seasons that follow the base price too.
    """
    me(ctx)
    listing = own_listing(ctx, values.listing)
    check_version(listing, values.row_version)
    changes = pricing_columns(listing, values.values)
    if "base_price" in changes:
        for row in _seasons(ctx, listing["id"]):
            _check_floor(listing, Season.of(row), changes["base_price"], "base_price")
    return touch_listing(ctx, listing, changes)


def touch_listing(ctx: Context, listing: Row, changes: dict[str, Any], *, parts: bool = False) -> dict[str, Any]:
    """Write changes of a listing; `parts`: what belongs to it changed too, so that it has a new version."""
    version = listing["row_version"]
    if changes or parts:
        version += 1
        more = {"updated_at": ctx.now, "updated_by": toucher(ctx), "row_version": version}
        ctx.update("stays_listing", listing["id"], changes | more)
    return {"id": listing["id"], "row_version": version}


@query("stays")
def host_example_quote(ctx: Context, values: ExampleQuoteInput) -> dict[str, Any]:
    """What guests would pay for a stay at one's own listing, line by line, and what the host would get (STAY-3).

    `values` tries prices without saving them. In the listing's currency. `faults`: why guests could not stay so.
    """
    me(ctx)
    listing = own_listing(ctx, values.listing)
    if values.values is not None:
        listing = {**listing, **pricing_columns(listing, values.values)}
    today = today_at(ctx, listing)
    checkin = values.checkin or shifted(today, _EXAMPLE_DAYS)
    if checkin < today:
        raise Invalid(f"checkin {checkin} is past; today is {today} at the listing", field="checkin")
    party = Party(values.adults, values.children, 0, values.pets)
    checkout = shifted(checkin, values.nights)
    found = Pricing(ctx, [listing], checkin, checkout, listing["currency"]).quote(listing, party, today)
    currency = found.currency
    return shown_quote(found) | {
        "listing": listing["id"],
        "checkin": checkin,
        "checkout": checkout,
        "faults": as_result(party_faults(listing, party)),
        "earnings": {
            "subtotal": money(found.subtotal, currency),
            "host_fee": money(found.host_fee, currency),
            "net": money(found.subtotal - found.host_fee, currency),
        },
    }


def _seasons(ctx: Context, listing_id: str) -> list[Row]:
    sql = "SELECT * FROM stays_season WHERE listing_id = ? ORDER BY priority DESC, id"
    return list(ctx.store.all(sql, (listing_id,)))


def seasons_shown(ctx: Context, listing: Row) -> list[dict[str, Any]]:
    """Seasons of a listing, the highest priority first; `price`: of a night in it."""
    return [
        {
            "id": row["id"],
            "name": row["name"],
            "date_from": row["date_from"],
            "date_to": row["date_to"],
            "adjust_percent": percent(row["adjust_bp"]),
            "fixed_price": None
            if row["fixed_price"] is None
            else plain_amount(row["fixed_price"], listing["currency"]),
            "price": money(season_price(listing["base_price"], Season.of(row)), listing["currency"]),
            "priority": row["priority"],
            "row_version": row["row_version"],
        }
        for row in _seasons(ctx, listing["id"])
    ]


def _check_floor(listing: Row, season: Season, base_price: int, field: str) -> None:
    floor, price = price_floor(listing["currency"]), season_price(base_price, season)
    if price < floor:
        least, had = (format_money(amount, listing["currency"]) for amount in (floor, price))
        raise Invalid(f"a night costs at least {least}; season {season.name} would make it {had}", field=field)


def _season_columns(ctx: Context, listing: Row, before: Row | None, values: SeasonChanges) -> dict[str, Any]:
    """The columns of a season as it is to be. Raises Invalid, Conflict."""
    given = values.model_dump(exclude_unset=True, exclude={"listing"})
    after: dict[str, Any] = (
        dict(before) if before is not None else {"adjust_bp": None, "fixed_price": None, "priority": None}
    )
    for name in ("name", "date_from", "date_to", "priority"):
        if name in given:
            if given[name] is None and (before is not None or name != "priority"):
                raise Invalid(f"{name} cannot be empty", field=name)
            after[name] = given[name]
    _take_price(listing, after, given)
    if after["date_to"] <= after["date_from"]:
        said = f"a season has at least two nights; the last, {after['date_to']}, is not after {after['date_from']}"
        raise Invalid(said, field="date_to")
    _check_floor(listing, Season.of(after), listing["base_price"], "adjust_percent")
    others = [row for row in _seasons(ctx, listing["id"]) if before is None or row["id"] != before["id"]]
    if after["priority"] is None:
        after["priority"] = max((row["priority"] for row in others), default=0) + 1
    for row in others:
        if row["priority"] == after["priority"]:
            raise Conflict(f"season {row['name']} has priority {row['priority']} already", field="priority")
    return after


def _take_price(listing: Row, after: dict[str, Any], given: dict[str, Any]) -> None:
    """One of the two prices of a season; giving one takes the other away. Raises Invalid."""
    adjust, fixed = given.get("adjust_percent"), given.get("fixed_price")
    if adjust is not None and fixed is not None:
        raise Invalid("give adjust_percent or fixed_price, not both", field="fixed_price")
    for name, column in (("adjust_percent", "adjust_bp"), ("fixed_price", "fixed_price")):
        if name in given and given[name] is None:
            after[column] = None
    if adjust is not None:
        after |= {"adjust_bp": _basis_points("adjust_percent", adjust, -9000, 50_000), "fixed_price": None}
    elif fixed is not None:
        floor = price_floor(listing["currency"])
        after |= {"fixed_price": _amount("fixed_price", fixed, listing["currency"], floor), "adjust_bp": None}
    if after["adjust_bp"] is None and after["fixed_price"] is None:
        raise Invalid("a season needs adjust_percent or fixed_price", field="adjust_percent")


def _own_season(ctx: Context, season_id: str, row_version: int) -> tuple[Row, Row]:
    """A season of one's own listing, and the listing. Raises NotFound, Conflict."""
    row = ctx.store.get("stays_season", season_id)
    listing = ctx.store.get("stays_listing", row["listing_id"]) if row is not None else None
    if row is None or listing is None or listing["host_id"] != ctx.person_id:
        raise NotFound(f"you have no season {season_id}", field="id")
    check_version({**row, "updated_by": None, "updated_at": None}, row_version)
    return row, listing


@command("stays")
def create_season(ctx: Context, values: SeasonInput) -> dict[str, Any]:
    """Give the nights of some weeks a price of their own, at one's own listing. Where seasons overlap, one wins."""
    me(ctx)
    listing = own_listing(ctx, values.listing)
    columns = _season_columns(ctx, listing, None, values)
    season_id = ctx.new_id("stays_season")
    ctx.insert("stays_season", {"id": season_id, "listing_id": listing["id"], **columns})
    return {"id": season_id, "row_version": 1, "priority": columns["priority"]}


@command("stays")
def update_season(ctx: Context, values: UpdateSeasonInput) -> dict[str, Any]:
    """Change a season of one's own listing."""
    me(ctx)
    row, listing = _own_season(ctx, values.id, values.row_version)
    after = _season_columns(ctx, listing, row, values.values)
    changes = {name: value for name, value in after.items() if row[name] != value}
    if not changes:
        return {"id": row["id"], "row_version": row["row_version"]}
    ctx.update("stays_season", row["id"], changes | {"row_version": row["row_version"] + 1})
    return {"id": row["id"], "row_version": row["row_version"] + 1}


@command("stays")
def delete_season(ctx: Context, values: DeleteSeasonInput) -> dict[str, Any]:
    """Take a season away from one's own listing."""
    me(ctx)
    row, _ = _own_season(ctx, values.id, values.row_version)
    ctx.delete("stays_season", row["id"])
    return {"id": row["id"], "deleted": True}
