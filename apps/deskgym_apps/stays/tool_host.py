"""The tools of hosts: what they read, calendars, prices, listings (mcp.md §8.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..kit.operations import Nothing
from ..kit.store import Store
from ..kit.tools import Planned, Tool
from .service.host_inputs import (
    ExampleQuoteInput,
    HostCalendarInput,
    ListingChanges,
    ListingInput,
    NightsInput,
    PayoutsInput,
    PricingChanges,
    SeasonChanges,
    SeasonInput,
    TaxReportInput,
)
from .service.inputs import HostCalendarViewInput, HostListingInput, HostListingsInput
from .tool_actions import Actions, by_word, fitting, object_of, straight, word_of
from .tool_schemas import closed, optional, schema_of

_MONEY = "Money in results is {amount, currency}, amount decimal text in major units."
_VIEWS: Actions = {
    "listings": ("stays.host_listings", HostListingsInput),
    "listing": ("stays.host_listing", HostListingInput),
    "calendar": ("stays.host_calendar_view", HostCalendarViewInput),
    "calendar_count": ("stays.host_calendar_count", NightsInput),
    "example_quote": ("stays.host_example_quote", ExampleQuoteInput),
    "choices": ("stays.listing_choices", Nothing),
    "payouts": ("stays.payouts", PayoutsInput),
    "tax_report": ("stays.tax_report", TaxReportInput),
}
# action -> arguments it needs
_PRICING: Mapping[str, tuple[str, ...]] = {
    "update": ("listing", "values", "row_version"),
    "create_season": ("listing", "values"),
    "update_season": ("season", "values", "row_version"),
    "delete_season": ("season", "row_version"),
}
_ID = {"type": "string", "pattern": "^[A-Z0-9]{15}$"}
_VERSION = {"type": "integer", "minimum": 1, "description": "The row_version you read; a newer one is a conflict."}


def _host_schema() -> dict[str, Any]:
    properties = optional(*(model for _, model in _VIEWS.values()))
    properties["status"] = {
        "type": "string",
        "enum": ["draft", "listed", "snoozed", "unlisted", "scheduled", "paid", "cancelled"],
        "description": "Of listings: draft, listed, snoozed, unlisted. Of payouts: scheduled, paid, cancelled.",
    }
    return closed({"view": {"type": "string", "enum": list(_VIEWS)}} | properties, "view")


def _pricing(_store: Store, _person_id: str, arguments: Mapping[str, Any]) -> Planned:
    action = word_of("action", _PRICING, arguments, "update")
    rest = {name: value for name, value in arguments.items() if name != "action"}
    given = fitting(action, rest, set(_PRICING[action]), set(_PRICING[action]))
    if action == "update":
        object_of(given)
        return "stays.host_pricing", given
    if action == "create_season":
        return "stays.create_season", {"listing": given["listing"], **object_of(given)}
    return f"stays.{action}", {"id": given.pop("season"), **given}


def _listing(_store: Store, _person_id: str, arguments: Mapping[str, Any]) -> Planned:
    values = object_of(arguments)
    if "listing" not in arguments:
        fitting("a new listing", arguments, {"values"}, {"values"})
        return "stays.create_listing", values
    needed = {"listing", "values", "row_version"}
    return "stays.update_listing", fitting("a change", arguments, needed, needed)


def _titled(model: Any, title: str, *left_out: str) -> dict[str, Any]:
    schema = schema_of(model) | {"title": title}
    schema["properties"] = {name: item for name, item in schema["properties"].items() if name not in left_out}
    schema["required"] = [name for name in schema.get("required", []) if name not in left_out]
    return schema


def _listing_values() -> dict[str, Any]:
    """The values of a change, and those that only a new listing has."""
    schema = schema_of(ListingChanges)
    added = schema_of(ListingInput)["properties"]
    for name in ("place", "base_price"):
        said = f"{added[name].get('description', '')} Of a new listing only.".strip()
        schema["properties"][name] = added[name] | {"description": said}
    return schema


HOST_TOOLS: tuple[Tool, ...] = (
    Tool(
        name="stays_host",
        title="Read what you host",
        description="listings: your own (status). listing (id): everything of one, with `values` and `pricing` under "
        "the names that stays_host_listing_update and stays_host_pricing take, seasons and row_version. calendar "
        "(from, to, both included, at most 92 nights; listing, or all listed ones): a row a night with price, minimum, "
        "note and the reservations. calendar_count: how many nights a change of the calendar means (arguments of "
        "stays_host_calendar without expected_nights), and which are reserved. example_quote (listing, checkin, "
        "nights, guests): what a stay costs and brings; values tries prices without saving. choices: amenity codes, "
        "policies, property types, places. payouts (status, month YYYY-MM, listing): with totals by month. "
        f"tax_report (year). {_MONEY}",
        schema=_host_schema(),
        writes=False,
        plan=by_word("view", _VIEWS),
    ),
    Tool(
        name="stays_host_calendar",
        title="Change nights of a calendar",
        description="Nights of your own listing from `from` to `to`, both included, on the given weekdays: block and "
        "open them, set a price (at least 10 units of the listing's currency), min_nights (for stays that begin on "
        "the night) or a note; value null takes the nights' own away. expected_nights is how many nights that is "
        "(stays_host, view calendar_count); another number is a conflict that tells the count. All or none. A reserved "
        "night is never blocked: the refusal names the reservations. Prices and minimums leave reservations as they "
        'are. At most 366 nights, none past. Example: {"listing": "LST…", "from": "2031-07-01", "to": "2031-07-31", '
        '"weekdays": "56", "action": "price", "value": "210", "expected_nights": 8}.',
        schema=schema_of(HostCalendarInput),
        writes=True,
        plan=straight("stays.host_calendar"),
        idempotent=True,
    ),
    Tool(
        name="stays_host_pricing",
        title="Change prices and seasons",
        description="update (the default): prices of your own listing; only those given change, null clears one. "
        "Amounts are decimal numbers in the listing's currency, percentages numbers such as 12.5; a night costs at "
        "least 10 units. row_version is the listing's. create_season, update_season, delete_season: nights of some "
        "weeks, both ends included, with adjust_percent of the base price or a fixed_price; where seasons overlap the "
        "highest priority wins. update_season and delete_season take season (SEA…) and its own row_version. For each "
        "night one price holds: the night's own, else the season's, else the weekend's, else the base price. "
        "Reservations keep what was agreed.",
        schema=closed(
            {
                "action": {"type": "string", "enum": list(_PRICING), "default": "update"},
                "listing": _ID | {"description": "Your listing, for update and create_season."},
                "season": _ID | {"description": "The season, for update_season and delete_season."},
                "values": {
                    "anyOf": [
                        _titled(PricingChanges, "update"),
                        _titled(SeasonInput, "create_season", "listing"),
                        _titled(SeasonChanges, "update_season"),
                    ]
                },
                "row_version": _VERSION,
            }
        ),
        writes=True,
        plan=_pricing,
    ),
    Tool(
        name="stays_host_listing_update",
        title="Change or begin a listing",
        description="Changes your own listing: only the values given; null clears street, postcode, checkin_to, a note "
        "or a house rule. amenities adds some or changes their notes, remove_amenities takes some away; rooms and "
        "photos are given whole, in order (a photo that stays by its present pos). status: listed, snoozed (out of "
        "search for a while) or unlisted; no way back to draft. Without listing and row_version a new draft begins; "
        "it needs place, title, description, property_type, room_type, max_guests, base_price and rooms. Other "
        "prices: stays_host_pricing. Codes are in stays_host, view choices. Reservations keep their own terms. "
        'Example: {"listing": "LST…", "row_version": 4, "values": {"amenities": [{"amenity": "wifi", "note": '
        '"30 Mbps"}]}}.',
        schema=closed(
            {
                "listing": _ID | {"description": "Your listing; left out, a new one begins."},
                "values": _listing_values(),
                "row_version": _VERSION,
            },
            "values",
        ),
        writes=True,
        plan=_listing,
    ),
)
