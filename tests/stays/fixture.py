"""A small hand-made world of Harbourstay: two guests, two hosts, the reference listing of STAY-3, a request listing.

Ids read like `LST000000000001`. It is Monday 14 April 2031, 09:00 UTC. Row 1 of STAY-3, Thursday to Sunday, is
12 to 15 June 2031 here.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from typing import Any

from deskgym_apps.kit.call import read, run
from deskgym_apps.kit.image import create_tables, finish_image, insert_rows
from deskgym_apps.kit.norm import norm
from deskgym_apps.kit.store import Store
from deskgym_apps.kit.tools import call_tool

NOW = "2031-04-14T09:00:00Z"
CHECKIN, CHECKOUT = "2031-06-12", "2031-06-15"


def ident(prefix: str, number: int) -> str:
    """`ident("LST", 1)` -> `LST000000000001`."""
    return f"{prefix}{number:012d}"


ANA, BEN, HANNA, OTTO = (ident("PRS", number) for number in (1, 2, 3, 4))
CITY, LANDMARK, COUNTRY, TWIN = (ident("PLC", number) for number in (1, 2, 3, 4))
LOFT, ROOM, HOTEL, DRAFT = (ident("LST", number) for number in (1, 2, 3, 4))
VISA, DECLINED, POOR, FAILS, EXPIRED, CHECKED, BENS = (ident("PMT", number) for number in range(1, 8))
_BEHAVIOURS = ("approve", "decline", "insufficient", "3ds_fail", "approve", "3ds_approve")

Rows = Mapping[str, list[dict[str, Any]]]


def _people() -> dict[str, list[dict[str, Any]]]:
    people = []
    users = []
    for user_id, name, tz, currency, is_host in (
        (ANA, "Ana Soares", "Europe/Lisbon", "USD", 0),
        (BEN, "Ben Okoro", "UTC", "USD", 0),
        (HANNA, "Hanna Vogt", "America/New_York", "USD", 1),
        (OTTO, "Otto Lund", "America/New_York", "EUR", 1),
    ):
        first, last = name.split()
        mail = f"{first.lower()}@quay.example"
        people.append(
            {
                "id": user_id,
                "first_name": first,
                "last_name": last,
                "name": name,
                "name_norm": norm(name),
                "email": mail,
                "tz": tz,
                "locale": "en_GB",
                "currency": currency,
                "hired_on": "2027-01-01",
            }
        )
        users.append(
            {
                "id": user_id,
                "person_id": user_id,
                "first_name": first,
                "last_name": last,
                "name_norm": norm(name),
                "email": mail,
                "country": "Portugal",
                "tz": tz,
                "languages": '["en"]',
                "display_currency": currency,
                "is_host": is_host,
                "joined_on": "2028-01-01",
            }
        )
    cards = [
        {
            "id": ident("PMT", number),
            "user_id": ANA,
            "brand": "Corvane",
            "last4": f"{4241 + number}",
            "exp_month": 3 if ident("PMT", number) == EXPIRED else 12,
            "exp_year": 2031 if ident("PMT", number) == EXPIRED else 2035,
            "behaviour": behaviour,
            "is_default": int(number == 1),
        }
        for number, behaviour in enumerate(_BEHAVIOURS, start=1)
    ]
    cards.append(cards[0] | {"id": BENS, "user_id": BEN})
    return {"org_person": people, "stays_user": users, "stays_payment_method": cards}


def _places() -> dict[str, list[dict[str, Any]]]:
    def place(place_id: str, kind: str, name: str, parent: str | None, popularity: int, full: str) -> dict[str, Any]:
        return {
            "id": place_id,
            "kind": kind,
            "name": name,
            "name_norm": norm(name),
            "full_name": full,
            "parent_id": parent,
            "lat_e6": 40_500_000,
            "lng_e6": -74_000_000,
            "s_e6": 40_000_000,
            "w_e6": -74_900_000,
            "n_e6": 41_000_000,
            "e_e6": -73_000_000,
            "tz": "America/New_York",
            "currency": "USD",
            "popularity": popularity,
        }

    return {
        "stays_place": [
            place(COUNTRY, "country", "Seamark", None, 1, "Seamark"),
            place(CITY, "city", "Valencia", COUNTRY, 90, "Valencia, Seamark"),
            place(TWIN, "region", "Valencia", COUNTRY, 20, "Valencia, West Seamark"),
            place(LANDMARK, "landmark", "Quay Hall", CITY, 10, "Quay Hall, Valencia"),
        ],
        "stays_place_alias": [{"place_id": CITY, "alias_norm": "vlc"}],
        "stays_tax_rule": [
            {
                "id": ident("TAX", 1),
                "place_id": COUNTRY,
                "name": "State tax",
                "kind": "percent",
                "percent_bp": 1100,
                "base": "accommodation_and_fees",
                "valid_from": "2027-01-01",
            },
            {
                "id": ident("TAX", 2),
                "place_id": CITY,
                "name": "City tax",
                "kind": "per_person_night",
                "amount": 200,
                "currency": "USD",
                "max_nights": 7,
                "valid_from": "2027-01-01",
            },
        ],
        "stays_amenity": [
            {"code": code, "label": label, "grp": "Basics", "sort": number}
            for number, (code, label) in enumerate(
                (("wifi", "Wi-Fi"), ("parking", "Parking"), ("step_free", "Step-free"))
            )
        ],
        "stays_cancel_policy": [
            {"code": code, "title": code.title(), "summary": code, "sort": number, "is_choice": int(number < 5)}
            for number, code in enumerate(
                ("flexible", "moderate", "limited", "firm", "strict", "long_stay", "non_refundable")
            )
        ],
        "stays_coupon": [
            {
                "code": "HELLO50",
                "title": "Fifty off",
                "kind": "amount",
                "value": 5000,
                "currency": "USD",
                "min_subtotal": 50000,
                "starts_on": "2031-01-01",
                "ends_on": "2031-12-31",
            }
        ],
    }


def listing(number: int, host: str, title: str, **more: Any) -> dict[str, Any]:
    """A listing like L of STAY-3."""
    return {
        "id": ident("LST", number),
        "host_id": host,
        "title": title,
        "title_norm": norm(title),
        "description": "By the water.",
        "place_id": CITY,
        "lat_e6": 40_510_000 + number * 1000,
        "lng_e6": -74_010_000,
        "street": "1 Quay Road",
        "tz": "America/New_York",
        "property_type": "apartment",
        "room_type": "entire_home",
        "max_guests": 4,
        "included_guests": 2,
        "bedrooms": 1,
        "beds": 2,
        "baths_half": 2,
        "currency": "USD",
        "base_price": 12000,
        "weekend_price": 15000,
        "extra_guest_fee": 1500,
        "cleaning_fee": 6000,
        "weekly_bp": 1000,
        "checkin_from": "15:00",
        "checkout_by": "11:00",
        "instant_book": 1,
        "policy_code": "flexible",
        "status": "listed",
        "listed_on": "2028-01-01",
        "created_at": "2028-01-01T00:00:00Z",
        "updated_at": "2028-01-01T00:00:00Z",
        "updated_by": host,
    } | more


def _settings() -> dict[str, list[dict[str, Any]]]:
    meta = {
        "sim_now": NOW,
        "world_key": "fixture",
        "world": "fixture:1",
        "company": "Quay",
        "corp_currency": "USD",
        "fiscal_start_month": "1",
    }
    currencies = (("USD", 2, 1), ("EUR", 2, 0), ("JPY", 0, 0))
    return {
        "org_meta": [{"key": key, "value": value} for key, value in meta.items()],
        "org_currency": [{"code": code, "exponent": size, "is_corporate": own} for code, size, own in currencies],
        "org_fx_rate": [
            {"code": code, "valid_from": "2031-01-01", "rate_ppm": rate}
            for code, rate in (("EUR", 1_100_000), ("JPY", 6_700))
        ],
    }


def build_image(more: Rows | None = None, *, loft: Mapping[str, Any] | None = None) -> bytes:
    """The world's image; `more`: rows to add by table; `loft`: other columns of the loft."""
    rows = _settings() | _people() | _places()
    rows["stays_listing"] = [
        listing(1, HANNA, "Loft Nine", **(loft or {})),
        listing(2, HANNA, "Quiet room", room_type="private_room", instant_book=0, policy_code="moderate"),
        listing(3, OTTO, "Pier Hotel", room_type="hotel_room", inventory=2, policy_code="firm"),
        listing(4, HANNA, "Unfinished", status="draft", listed_on=None),
    ]
    rows["stays_listing_amenity"] = [
        {"listing_id": LOFT, "amenity": "wifi", "note": "100 Mbps"},
        {"listing_id": ROOM, "amenity": "wifi", "note": None},
    ]
    for table, extra in (more or {}).items():
        rows[table] = [*rows.get(table, []), *extra]
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as conn:
        create_tables(conn, ["desk", "stays"])
        conn.execute("PRAGMA foreign_keys = OFF")
        for table, given in rows.items():
            insert_rows(conn, table, given)
        finish_image(conn)
        return conn.serialize()


def credit(number: int, amount: int, expires_on: str) -> dict[str, Any]:
    """A gift to Ana, in minor units of USD."""
    return {
        "id": ident("CRD", number),
        "user_id": ANA,
        "kind": "gift",
        "amount": amount,
        "currency": "USD",
        "created_at": NOW,
        "expires_on": expires_on,
    }


# operation -> tool and what becomes of its arguments
_TOOLS: dict[str, tuple[str, dict[str, Any]]] = {
    "whoami": ("stays_whoami", {}),
    "places": ("stays_places", {}),
    "search": ("stays_search", {}),
    "listing": ("stays_listing", {}),
    "quote": ("stays_quote", {}),
    "book": ("stays_book", {}),
    "reservations": ("stays_reservations", {}),
    "reservation": ("stays_reservations", {}),
    "cancel_preview": ("stays_reservations", {"preview": "cancel"}),
    "alter_preview": ("stays_reservations", {"preview": "alter"}),
    "cancel": ("stays_cancel", {}),
    "alter": ("stays_alter", {}),
    "decide": ("stays_decide", {}),
}


class World:
    """An open fixture world behind one door: the services, or the tools where there is one."""

    def __init__(self, image: bytes, door: str) -> None:
        self.store = Store.memory(image)
        self.door = door

    def close(self) -> None:
        self.store.close()

    def do(self, operation: str, person: str = ANA, /, **arguments: Any) -> Any:
        """Run a command or query of Harbourstay as somebody."""
        from deskgym_apps.kit.operations import operation as known

        if self.door == "tool" and operation in _TOOLS:
            name, fixed = _TOOLS[operation]
            return call_tool(self.store, name, arguments | fixed, person_id=person, app_names=("stays",))
        if known(f"stays.{operation}").writes:
            return run(self.store, f"stays.{operation}", arguments, person_id=person, channel="ui")
        return read(self.store, f"stays.{operation}", arguments, person_id=person)

    def quote(self, person: str = ANA, /, **more: Any) -> Any:
        """A quote of row 1 of STAY-3, or of something else."""
        stay = {"listing": LOFT, "checkin": CHECKIN, "checkout": CHECKOUT, "adults": 2, "children": 1}
        return self.do("quote", person, **stay | more)

    def book(self, person: str = ANA, /, *, card: str | None = None, coupon: str | None = None, **more: Any) -> Any:
        """Book row 1 of STAY-3, or something else."""
        quoted = self.quote(person, **more)
        given = {"coupon": coupon} if coupon else {}
        method = card or (VISA if person == ANA else BENS)
        return self.do("book", person, quote_id=quoted["quote_id"], payment_method=method, accept_policy=True, **given)

    def rows(self, table: str, **equals: Any) -> list[Any]:
        return list(self.store.select(f"stays_{table}", **equals))
