"""A small hand-made Harbourstay: two hosts, two guests, three listings, a few stays.

Ids read like `LST000000000001`. It is Friday 14 March 2031, 09:00 UTC.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from typing import Any

from deskgym_apps.kit.call import advance_clock, read, run
from deskgym_apps.kit.image import create_tables, finish_image, insert_rows
from deskgym_apps.kit.norm import norm
from deskgym_apps.kit.store import Store
from deskgym_apps.kit.tools import call_tool
from deskgym_apps.stays.rules_stays import nights_between

NOW = "2031-03-14T09:00:00Z"
LONG_AGO = "2030-11-04T10:00:00Z"


def ident(prefix: str, number: int) -> str:
    """`ident("LST", 1)` -> `LST000000000001`."""
    return f"{prefix}{number:012d}"


# first and last name, person of the company, host, display currency
_PEOPLE = {
    "hana": ("Hana", "Lindt", 1, 1, "EUR"),
    "otto": ("Otto", "Marsh", 1, 1, "EUR"),
    "gil": ("Gil", "Serra", 1, 0, "EUR"),
    "nia": ("Nia", "Okafor", 1, 0, "USD"),
    "vera": ("Vera", "Holm", 0, 0, "EUR"),
}
PEOPLE = {name: ident("PRS", number) for number, name in enumerate(_PEOPLE, start=1)}
HANA, OTTO, GIL, NIA, VERA = PEOPLE.values()
CITY = ident("PLC", 2)
LOFT, INN, BARN = (ident("LST", number) for number in (1, 2, 3))  # Hana's loft and inn, Otto's barn
SUMMER = ident("SEA", 1)
THREAD, OTHERS_THREAD = ident("THR", 1), ident("THR", 2)
REVIEW = ident("RVW", 1)
STAYED, COMING, ASKED, OLD, ELSEWHERE, LEFT, ROOM = (f"HB{number:06d}" for number in range(1, 8))
_CODES = (STAYED, COMING, ASKED, OLD, ELSEWHERE, LEFT, ROOM)
STAYS = {code: ident("RSV", number) for number, code in enumerate(_CODES, start=1)}
AMENITIES = ("wifi", "parking", "kitchen", "step_free")


def _people() -> dict[str, list[dict[str, Any]]]:
    persons: list[dict[str, Any]] = []
    users: list[dict[str, Any]] = []
    cards: list[dict[str, Any]] = []
    for name, (first, last, ours, is_host, currency) in _PEOPLE.items():
        if ours:
            persons.append(
                {
                    "id": PEOPLE[name],
                    "first_name": first,
                    "last_name": last,
                    "name": f"{first} {last}",
                    "name_norm": norm(f"{first} {last}"),
                    "email": f"{name}@northbeam.example",
                    "title": "Engineer",
                    "tz": "Europe/Brussels",
                    "locale": "en_GB",
                    "currency": currency,
                    "hired_on": "2028-01-03",
                }
            )
        users.append(
            {
                "id": PEOPLE[name],
                "person_id": PEOPLE[name] if ours else None,
                "first_name": first,
                "last_name": last,
                "name_norm": norm(f"{first} {last}"),
                "email": f"{name}@post.example",
                "country": "Belgium",
                "tz": "Europe/Brussels",
                "languages": '["English"]',
                "display_currency": currency,
                "is_host": is_host,
                "joined_on": "2029-05-01",
            }
        )
        cards.append(
            {
                "id": ident("PMT", len(cards) + 1),
                "user_id": PEOPLE[name],
                "brand": "Visa",
                "last4": "4242",
                "exp_month": 12,
                "exp_year": 2033,
                "behaviour": "approve",
                "is_default": 1,
            }
        )
    return {"org_person": persons, "stays_user": users, "stays_payment_method": cards}


def _place(number: int, kind: str, name: str, parent: str | None) -> dict[str, Any]:
    spot = {"lat_e6": 51_050_000, "lng_e6": 3_720_000}
    box = {"s_e6": 51_000_000, "w_e6": 3_700_000, "n_e6": 51_100_000, "e_e6": 3_750_000}
    return (
        spot
        | box
        | {
            "id": ident("PLC", number),
            "kind": kind,
            "name": name,
            "name_norm": norm(name),
            "full_name": name,
            "parent_id": parent,
            "tz": "Europe/Brussels",
            "currency": "EUR",
            "popularity": 50,
        }
    )


def listing(number: int, host: str, title: str, **more: Any) -> dict[str, Any]:
    """A listing in Ghent at 120.00 EUR a night, 150.00 at weekends."""
    return {
        "id": ident("LST", number),
        "host_id": host,
        "title": title,
        "title_norm": norm(title),
        "description": "A quiet place by the water.",
        "place_id": CITY,
        "lat_e6": 51_050_000 + number,
        "lng_e6": 3_720_000,
        "street": f"Kanaalstraat {number}",
        "tz": "Europe/Brussels",
        "property_type": "Loft",
        "room_type": "entire_home",
        "max_guests": 4,
        "included_guests": 2,
        "bedrooms": 1,
        "beds": 2,
        "baths_half": 2,
        "currency": "EUR",
        "base_price": 12_000,
        "weekend_price": 15_000,
        "extra_guest_fee": 1_500,
        "cleaning_fee": 6_000,
        "weekly_bp": 1_000,
        "checkin_from": "15:00",
        "checkout_by": "11:00",
        "instant_book": 1,
        "policy_code": "moderate",
        "status": "listed",
        "listed_on": "2030-01-10",
        "created_at": LONG_AGO,
        "updated_at": LONG_AGO,
        "updated_by": host,
    } | more


def _stay(code: str, guest: str, home: str, checkin: str, checkout: str, status: str, **more: Any) -> dict[str, Any]:
    confirmed = None if status == "pending" else LONG_AGO
    return {
        "id": STAYS[code],
        "code": code,
        "listing_id": home,
        "guest_id": guest,
        "status": status,
        "checkin": checkin,
        "checkout": checkout,
        "checkin_from": "15:00",
        "adults": 2,
        "policy_code": "moderate",
        "currency": "EUR",
        "charge_currency": "EUR",
        "fx_rate_ppm": 1_000_000,
        "total": 50_000,
        "created_at": LONG_AGO,
        "confirmed_at": confirmed,
        "updated_at": LONG_AGO,
        "updated_by": guest,
    } | more


def _reservations() -> list[dict[str, Any]]:
    asked = {"requested_at": "2031-03-14T08:00:00Z", "expires_at": "2031-03-15T08:00:00Z"}
    left = {"cancelled_at": "2031-03-09T20:00:00Z", "cancel_reason": "Called home"}
    return [
        _stay(STAYED, GIL, LOFT, "2031-03-05", "2031-03-08", "completed"),
        _stay(COMING, NIA, LOFT, "2031-07-10", "2031-07-13", "confirmed"),
        _stay(ASKED, VERA, LOFT, "2031-05-02", "2031-05-04", "pending", **asked),
        _stay(OLD, VERA, LOFT, "2031-02-01", "2031-02-04", "completed"),
        _stay(ELSEWHERE, VERA, BARN, "2031-04-01", "2031-04-03", "confirmed"),
        _stay(ROOM, VERA, INN, "2031-09-01", "2031-09-03", "confirmed"),
        _stay(LEFT, NIA, BARN, "2031-03-08", "2031-03-12", "cancelled_guest", **left),
    ]


def _nights(stays: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"listing_id": stay["listing_id"], "night": night, "unit": 3 if stay["code"] == ROOM else 1}
        | {"reservation_id": stay["id"], "price": 12_000}
        for stay in stays
        if stay["status"] in ("confirmed", "completed")
        for night in nights_between(stay["checkin"], stay["checkout"])
    ]


def _money(stays: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    lines, payments, payouts = [], [], []
    for number, stay in enumerate(stays, start=1):
        for pos, (kind, label, amount) in enumerate(
            (("nights", "Nights", 40_000), ("service_fee", "Service fee", 5_600), ("tax", "City tax", 4_400)), start=1
        ):
            lines.append(
                {
                    "reservation_id": stay["id"],
                    "rev": 1,
                    "pos": pos,
                    "kind": kind,
                    "label": label,
                    "listing_amount": amount,
                    "charge_amount": amount,
                    "charge_currency": "EUR",
                    "detail_json": None,
                }
            )
        if stay["status"] == "pending":
            continue
        card = ident("PMT", list(PEOPLE.values()).index(stay["guest_id"]) + 1)
        payments.append(
            {
                "id": ident("PAY", number),
                "reservation_id": stay["id"],
                "method_id": card,
                "kind": "capture",
                "amount": 50_000,
                "currency": "EUR",
                "at": LONG_AGO,
            }
        )
        due = nights_between(stay["checkin"], stay["checkout"])[1]
        is_paid = due < NOW[:10]
        payouts.append(
            {
                "id": ident("PYO", number),
                "host_id": OTTO if stay["listing_id"] == BARN else HANA,
                "reservation_id": stay["id"],
                "gross": 40_000,
                "host_fee": 1_200,
                "net": 38_800,
                "currency": "EUR",
                "due_on": due,
                "status": "paid" if is_paid else "scheduled",
                "paid_at": f"{due}T00:00:00Z" if is_paid else None,
            }
        )
    return {"stays_price_line": lines, "stays_payment": payments, "stays_payout": payouts}


def _words() -> dict[str, list[dict[str, Any]]]:
    said = [
        (1, THREAD, GIL, "Is there a lift?", "2031-03-01T10:00:00Z"),
        (2, THREAD, HANA, "There is.", "2031-03-01T11:00:00Z"),
        (3, THREAD, GIL, "Thanks, see you.", "2031-03-02T10:00:00Z"),
        (4, OTHERS_THREAD, VERA, "Is the barn warm?", "2031-03-03T10:00:00Z"),
    ]
    return {
        "stays_thread": [
            {"id": THREAD, "listing_id": LOFT, "guest_id": GIL, "host_id": HANA, "created_at": said[0][4]},
            {"id": OTHERS_THREAD, "listing_id": BARN, "guest_id": VERA, "host_id": OTTO, "created_at": said[3][4]},
        ],
        "stays_message": [
            {"id": ident("MSG", number), "thread_id": thread, "sender_id": sender, "body": body, "at": at}
            for number, thread, sender, body, at in said
        ],
        "stays_review": [
            {
                "id": REVIEW,
                "reservation_id": STAYS[OLD],
                "listing_id": LOFT,
                "author_id": VERA,
                "direction": "guest_to_host",
                "overall": 3,
                **dict.fromkeys(("cleanliness", "accuracy", "checkin", "communication", "location", "value"), 4),
                "body": "Lovely loft, slow Wi-Fi.",
                "submitted_at": "2031-02-05T10:00:00Z",
                "is_published": 1,
                "published_at": "2031-02-18T00:00:00Z",
            }
        ],
        "stays_wishlist": [
            {
                "id": ident("WSH", 1),
                "user_id": VERA,
                "name": "Ghent",
                "name_norm": "ghent",
                "created_at": LONG_AGO,
                "updated_at": LONG_AGO,
                "updated_by": VERA,
            }
        ],
    }


def rows() -> dict[str, list[dict[str, Any]]]:
    """Every row of the world, by table."""
    stays = _reservations()
    return {
        "org_meta": [
            {"key": key, "value": value}
            for key, value in {
                "sim_now": NOW,
                "world_key": "c0ffee00c0ffee00",
                "world": "small",
                "seed": "1",
                "company": "Northbeam",
                "corp_currency": "EUR",
                "fiscal_year_start_month": "1",
            }.items()
        ],
        "org_currency": [
            {"code": "EUR", "exponent": 2, "is_corporate": 1},
            {"code": "USD", "exponent": 2, "is_corporate": 0},
        ],
        "org_fx_rate": [{"code": "USD", "valid_from": "2030-01-01", "rate_ppm": 900_000}],
        **_people(),
        "stays_place": [_place(1, "country", "Belgium", None), _place(2, "city", "Ghent", ident("PLC", 1))],
        "stays_cancel_policy": [
            {"code": code, "title": code.title(), "summary": "", "sort": sort, "is_choice": choice}
            for sort, (code, choice) in enumerate(
                (("flexible", 1), ("moderate", 1), ("firm", 1), ("long_stay", 0), ("non_refundable", 0)), start=1
            )
        ],
        "stays_amenity": [
            {"code": code, "label": code.title(), "grp": "Basics", "sort": sort}
            for sort, code in enumerate(AMENITIES, start=1)
        ],
        "stays_listing": [
            listing(1, HANA, "Canal Loft"),
            listing(2, HANA, "Harbour Inn", room_type="hotel_room", inventory=3, prep_days=0),
            listing(3, OTTO, "Long Barn"),
        ],
        "stays_listing_room": [
            {"listing_id": ident("LST", number), "pos": 1, "name": "Bedroom", "double_beds": 1, "sofa_beds": 1}
            for number in (1, 2, 3)
        ],
        "stays_listing_amenity": [
            {"listing_id": LOFT, "amenity": "parking", "note": None},
            {"listing_id": LOFT, "amenity": "wifi", "note": "120 Mbps"},
        ],
        "stays_listing_rule": [{"listing_id": LOFT, "code": "smoking", "value": "no"}],
        "stays_listing_photo": [
            {"listing_id": LOFT, "pos": pos, "caption": caption, "room": room, "seed": 100 + pos}
            for pos, (room, caption) in enumerate(
                (("outside", "The house"), ("bedroom", "The bedroom"), ("bath", "The bath")), start=1
            )
        ],
        "stays_calendar_override": [
            {"listing_id": LOFT, "night": "2031-06-01", "blocked": 1, "price": None, "min_nights": None, "note": None},
            {
                "listing_id": LOFT,
                "night": "2031-06-02",
                "blocked": 1,
                "price": 20_000,
                "min_nights": None,
                "note": None,
            },
        ],
        "stays_season": [
            {
                "id": SUMMER,
                "listing_id": LOFT,
                "name": "Summer",
                "date_from": "2031-07-01",
                "date_to": "2031-08-31",
                "adjust_bp": 2_500,
                "priority": 1,
            }
        ],
        "stays_reservation": stays,
        "stays_reservation_night": _nights(stays),
        **_money(stays),
        **_words(),
        "org_id_counter": [{"name": "stays_reservation.code", "next": 8}],
    }


def build_image() -> bytes:
    """The world's image."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as conn:
        create_tables(conn, ["stays", "desk"])
        conn.execute("PRAGMA foreign_keys = OFF")
        for table, given in rows().items():
            insert_rows(conn, table, given)
        finish_image(conn)
        return conn.serialize()


# operation -> the tool that does the same, and what its arguments are called there
def _tool(name: str, given: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    views = {
        "host_listings": "listings",
        "host_listing": "listing",
        "host_calendar_view": "calendar",
        "host_calendar_count": "calendar_count",
        "host_example_quote": "example_quote",
        "listing_choices": "choices",
        "payouts": "payouts",
        "tax_report": "tax_report",
    }
    if name in views:
        return "host", {"view": views[name], **given}
    if name == "create_season":
        return "host_pricing", {"action": name, "listing": given.pop("listing"), "values": given}
    if name in ("update_season", "delete_season"):
        return "host_pricing", {"action": name, "season": given.pop("id"), **given}
    if name == "create_listing":
        return "host_listing_update", {"values": given}
    if name == "read_thread":
        return "message", {"action": "read", "thread": given["id"]}
    if name == "quick_reply":
        action = f"{given.pop('action')}_quick_reply"
        return "message", {"action": action, **({"quick_reply": given.pop("id")} if "id" in given else {}), **given}
    if name == "resolutions":
        return "resolution", {"action": "list", **given}
    if name in ("wishlists", "wishlist_items"):
        return "wishlist", {"action": "list" if name == "wishlists" else "items", **given}
    same = {
        "update_listing": "host_listing_update",
        "threads": "messages",
        "thread": "messages",
        "reviews_to_write": "reviews",
        "stay_reviews": "reviews",
        "reply_review": "review",
    }
    return same.get(name, name), given


class World:
    """One private copy of the world, used through one door: the services, as pages call them, or the tools."""

    def __init__(self, image: bytes, door: str = "service") -> None:
        self.store = Store.memory(image)
        self.door = door

    def do(self, name: str, /, *, by: str = HANA, **arguments: Any) -> Any:
        """A command, or through the tools a query as well."""
        if self.door == "tool":
            tool, given = _tool(name, dict(arguments))
            return call_tool(self.store, f"stays_{tool}", given, person_id=by, app_names=("stays",))
        return run(self.store, f"stays.{name}", arguments, person_id=by, channel="ui")

    def ask(self, name: str, /, *, by: str = HANA, **arguments: Any) -> Any:
        """A query."""
        if self.door == "tool":
            return self.do(name, by=by, **arguments)
        return read(self.store, f"stays.{name}", arguments, person_id=by)

    def row(self, table: str, key: str | tuple[Any, ...]) -> dict[str, Any]:
        """One row as stored."""
        found = self.store.get(f"stays_{table}", key)
        assert found is not None
        return dict(found)

    def rows(self, table: str, **equals: Any) -> list[dict[str, Any]]:
        """Rows as stored, by key."""
        return [dict(row) for row in self.store.select(f"stays_{table}", **equals)]

    def version(self, listing_id: str = LOFT) -> int:
        """The row_version of a listing."""
        return int(self.row("listing", listing_id)["row_version"])

    def dump(self) -> Mapping[str, list[dict[str, Any]]]:
        """Every graded row of Harbourstay."""
        return {name: list(self.rows(name[6:])) for name in sorted(self.store.tables) if name.startswith("stays_")}

    def wait(self, seconds: int) -> None:
        """Let the clock move on."""
        advance_clock(self.store, seconds)
