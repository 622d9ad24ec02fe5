"""The tools about stays themselves: finding, pricing, booking, changing, cancelling and deciding (mcp.md §8.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..kit.errors import FieldError, Invalid
from ..kit.operations import Nothing
from ..kit.store import Store
from ..kit.tools import Planned, Tool
from .service.command_inputs import AlterInput, BookInput, CancelInput, DecideInput, InquireInput
from .service.inputs import (
    AlterPreviewInput,
    CalendarInput,
    ListingInput,
    PlacesInput,
    QuoteInput,
    ReservationInput,
    ReservationsInput,
    SearchInput,
)
from .tool_schemas import closed, optional, schema_of

Plan = Callable[[Store, str, Mapping[str, Any]], Planned]
_MONEY = "Money in results is {amount, currency}, amount decimal text in major units."


def _straight(operation: str) -> Plan:
    """A tool whose arguments are the operation's."""

    def plan(_store: Store, _person_id: str, arguments: Mapping[str, Any]) -> Planned:
        return operation, arguments

    return plan


def _only(arguments: Mapping[str, Any], names: set[str], what: str) -> dict[str, Any]:
    """The arguments, refused where one does not go with what is asked. Raises Invalid, a fault for each."""
    faults = [FieldError(name, f"{what} takes no {name}") for name in arguments if name not in names]
    if faults:
        raise Invalid(faults)
    return dict(arguments)


def _fields(model: Any) -> set[str]:
    return {field.alias or name for name, field in model.model_fields.items()}


def _listing(_store: Store, _person_id: str, arguments: Mapping[str, Any]) -> Planned:
    if "months" in arguments or "from" in arguments:
        given = _only(arguments, {"id", "from", "months"}, "a calendar (from, months)")
        return "stays.calendar", {"listing" if name == "id" else name: value for name, value in given.items()}
    return "stays.listing", arguments


def _whoami(_store: Store, _person_id: str, arguments: Mapping[str, Any]) -> Planned:
    return "stays.whoami", arguments


def _reservations(_store: Store, _person_id: str, arguments: Mapping[str, Any]) -> Planned:
    preview = arguments.get("preview")
    rest = {name: value for name, value in arguments.items() if name != "preview"}
    if preview is not None and preview not in ("cancel", "alter"):
        raise Invalid(
            f'preview is "{preview}"; it must be cancel or alter', field="preview", allowed=("cancel", "alter")
        )
    if preview is not None and "code" not in rest:
        raise Invalid("a preview needs the reservation's code", field="code")
    if preview == "alter":
        return "stays.alter_preview", _only(rest, _fields(AlterPreviewInput), "a preview of a change")
    if "code" in rest:
        operation = "stays.cancel_preview" if preview else "stays.reservation"
        return operation, _only(rest, _fields(ReservationInput), "one reservation")
    return "stays.reservations", _only(rest, _fields(ReservationsInput), "a list")


_ACTIONS = ("accept", "decline", "withdraw", "preapprove", "special_offer", "withdraw_offer", "inquire")


def _decide(_store: Store, _person_id: str, arguments: Mapping[str, Any]) -> Planned:
    if arguments["action"] == "inquire":
        given = {name: value for name, value in arguments.items() if name not in ("action", "message")}
        body = {"body": arguments["message"]} if "message" in arguments else {}
        return "stays.inquire", _only(given, _fields(InquireInput), "inquire") | body
    return "stays.decide", _only(arguments, _fields(DecideInput), str(arguments["action"]))


def _decide_schema() -> dict[str, Any]:
    properties = optional(DecideInput, InquireInput)
    properties.pop("body")
    properties["action"] = {"type": "string", "enum": list(_ACTIONS)}
    return closed(properties, "action")


def _listing_schema() -> dict[str, Any]:
    properties = optional(ListingInput, CalendarInput)
    properties.pop("listing")
    return closed(properties, "id")


GUEST_TOOLS: tuple[Tool, ...] = (
    Tool(
        name="stays_whoami",
        title="Who you are on Harbourstay",
        description="You as guest and host: id, display currency, zone, the simulated instant (now, UTC) and your "
        f"today, unread threads, credit that is left, and your payment methods (id, brand, last4, expiry). {_MONEY}",
        schema=schema_of(Nothing),
        writes=False,
        plan=_whoami,
    ),
    Tool(
        name="stays_places",
        title="Find a place",
        description="Places for a text: exact names and aliases first, then beginnings, the most popular first. Give "
        'the id as placeId to stays_search where a name is that of several places. Example: {"text": "Porto"}.',
        schema=schema_of(PlacesInput),
        writes=False,
        plan=_straight("stays.places"),
    ),
    Tool(
        name="stays_search",
        title="Search listings",
        description="Listed places to stay, 18 a page (page), total exact. With checkin and checkout: only those that "
        "are free and allow the stay, each with its total, taxes and fees in it. Without dates there are no totals: "
        "the price is the average night before fees. weekend_in (YYYY-MM) finds any free Friday to Sunday. minPrice "
        "and maxPrice go by price_mode (nightly, or total with dates), in currency (yours by default). amenities are "
        "codes; an unknown one is refused with the list. min_rating leaves out listings under 3 reviews unless "
        "include_new. south, west, north, east (decimal degrees) search a map box. Your own listings are not "
        f'found. {_MONEY} Example: {{"location": "Porto", "checkin": "2031-10-09", "checkout": "2031-10-13", '
        '"adults": 2, "children": 1, "amenities": ["wifi"], "sort": "price_low", "price_mode": "total"}.',
        schema=schema_of(SearchInput),
        writes=False,
        plan=_straight("stays.search"),
    ),
    Tool(
        name="stays_listing",
        title="Read a listing or its calendar",
        description="A listing: facts, rooms, amenities with notes, house rules, hours, policy, host, rating "
        "(null under 3 reviews). With checkin and checkout also the price as stays_quote gives it; without dates "
        "there is no total. With from or months instead: its calendar, a row a night (available, reason, price, "
        f"min_nights, checkin, checkout), 1 to 14 months. Rates ending in _bp are hundredths of a percent. "
        f"{_MONEY}",
        schema=_listing_schema(),
        writes=False,
        plan=_listing,
    ),
    Tool(
        name="stays_quote",
        title="Price a stay",
        description="The price of a stay, line by line, in the currency that is charged (yours by default), with "
        "nightly prices in the listing's currency, the cancellation policy with its deadlines, and whether it can be "
        "booked (bookable, faults). quote_id books exactly this with stays_book; it is valid for 15 simulated minutes. "
        "coupon is tried: coupon_error says which condition fails. rate_plan nonrefundable is cheaper where the "
        f"listing has it (rate_plans compares). {_MONEY}",
        schema=schema_of(QuoteInput),
        writes=False,
        plan=_straight("stays.quote"),
    ),
    Tool(
        name="stays_book",
        title="Book a quoted stay",
        description="Books what was quoted and charges the payment method (mode instant), or sends the host a request "
        "and holds the amount for 24 hours (mode request). accept_policy must be true. The coupon is given here again. "
        "Errors: dates_taken (nothing charged), payment_declined, quote_expired (ask anew), coupon (names the "
        "condition), policy. Returns the code.",
        schema=schema_of(BookInput),
        writes=True,
        plan=_straight("stays.book"),
    ),
    Tool(
        name="stays_reservations",
        title="Read reservations",
        description="Without code: own trips (scope guest) or reservations of own listings (scope host), total and "
        "counts by status; status also takes upcoming, past, cancelled; limit at most 200. With code: one reservation "
        "with price lines, payments, policy, change requests, row_version and the actions open to you. With code and "
        "preview cancel: the refund at this instant, which stays_cancel wants echoed. With code, preview alter and "
        f"other dates or guests: the new price and the delta, which stays_alter wants echoed. {_MONEY}",
        schema=closed(
            optional(ReservationsInput, AlterPreviewInput)
            | {"preview": {"type": "string", "enum": ["cancel", "alter"]}}
        ),
        writes=False,
        plan=_reservations,
    ),
    Tool(
        name="stays_cancel",
        title="Cancel a reservation",
        description="Cancels a confirmed reservation. As guest, confirm_refund is refund.amount of stays_reservations "
        "with preview cancel; another figure is a conflict. As host, give reason: the guest gets everything back, and "
        "you pay a penalty, lose the nights and get a note among the reviews. It cannot be undone.",
        schema=schema_of(CancelInput),
        writes=True,
        plan=_straight("stays.cancel"),
        destructive=True,
    ),
    Tool(
        name="stays_alter",
        title="Change a reservation",
        description="propose: ask the other side for other dates or guests (row_version needed; guests echo "
        "confirm_delta, the delta.amount of stays_reservations with preview alter). accept, decline: answer what the "
        "other side asked; guests echo its delta on accept. withdraw: take your own back. Nothing changes until it is "
        "accepted; it expires after 72 hours or at check-in. One waits at a time: a new one takes its place.",
        schema=schema_of(AlterInput),
        writes=True,
        plan=_straight("stays.alter"),
    ),
    Tool(
        name="stays_decide",
        title="Answer or withdraw a request, or inquire",
        description="As host, on a request: accept (captures the amount; other requests for nights that are gone then "
        "are declined by themselves) or decline. On an inquiry: preapprove, special_offer (total in the listing's "
        "currency, all in it; other dates or guests may be given) or decline; an offer holds for 24 hours. "
        "withdraw_offer takes it back. As guest: withdraw your request or inquiry; inquire (listing, checkin, "
        "checkout, guests, message) asks a host without holding anything. id is a code or RSV id, for all but "
        "inquire. message goes to the other side.",
        schema=_decide_schema(),
        writes=True,
        plan=_decide,
    ),
)
