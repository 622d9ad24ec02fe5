"""The seeded Harbourstay looks like one: places, hours, shares, words and people fit together (seed-data.md)."""

import json
import re
from collections import Counter, defaultdict
from datetime import date
from statistics import mean
from typing import Any

import pytest

from deskgym_apps.kit.dates import local_date, zone
from deskgym_apps.kit.norm import norm
from deskgym_apps.kit.store import Store
from deskgym_seeds.places import countries
from deskgym_seeds.scales import SCALES
from deskgym_seeds.stays import Rows, rows
from deskgym_seeds.stays.community import BRANDS, STAFF_HOSTS
from deskgym_seeds.world import World, make_setting

Row = dict[str, Any]
TARGETS = SCALES["small"].stays
NETWORKS = ("visa", "mastercard", "maestro", "amex", "discover", "diners", "airbnb", "booking.com", "vrbo", "hilton")


@pytest.fixture(scope="module")
def places(store: Store) -> dict[str, Row]:
    return {row["id"]: row for row in store.all("SELECT * FROM stays_place")}


@pytest.fixture(scope="module")
def listings(store: Store) -> dict[str, Row]:
    return {row["id"]: row for row in store.all("SELECT * FROM stays_listing")}


@pytest.fixture(scope="module")
def users(store: Store) -> dict[str, Row]:
    return {row["id"]: row for row in store.all("SELECT * FROM stays_user")}


def _is_within(inner: Row, outer: Row) -> bool:
    return bool(outer["s_e6"] <= inner["lat_e6"] <= outer["n_e6"] and outer["w_e6"] <= inner["lng_e6"] <= outer["e_e6"])


def test_the_scale_says_how_many_there_are(store: Store) -> None:
    def count(table: str, where: str = "1") -> int:
        return int(store.conn.execute(f"SELECT count(*) FROM {table} WHERE {where}").fetchone()[0])

    assert count("stays_place") == TARGETS.places
    assert count("stays_user", "is_host = 1") == TARGETS.hosts
    assert count("stays_user", "is_host = 0 AND person_id IS NULL") == TARGETS.guests
    assert count("stays_listing") == TARGETS.listings
    assert count("stays_season") == TARGETS.seasons
    assert count("stays_coupon") == TARGETS.coupons
    assert count("stays_reservation") == pytest.approx(2000, rel=0.1)
    assert count("stays_calendar_override") == pytest.approx(TARGETS.overrides, rel=0.2)
    assert count("stays_listing_amenity") == pytest.approx(6000, rel=0.15)


def test_harbourstay_adds_at_most_five_megabytes(store: Store) -> None:
    names = "name LIKE 'stays%' OR name LIKE 'sqlite_autoindex_stays%'"
    used = store.conn.execute(f"SELECT sum(pgsize) FROM dbstat WHERE {names}").fetchone()[0]
    assert used <= 5_000_000


def test_every_place_lies_within_what_it_belongs_to(places: dict[str, Row]) -> None:
    assert Counter(place["kind"] for place in places.values()) == Counter(
        country=14, region=12, city=26, district=18, landmark=10
    )
    order = ("country", "region", "city", "district", "landmark")
    for place in places.values():
        zone(place["tz"])
        if place["parent_id"] is not None:
            parent = places[place["parent_id"]]
            assert _is_within(place, parent), place["full_name"]
            assert order.index(parent["kind"]) < order.index(place["kind"])
            assert place["full_name"] == f"{place['name']}, {parent['full_name']}"


def test_some_names_mean_two_places(store: Store) -> None:
    twice = store.all("SELECT name_norm FROM stays_place GROUP BY name_norm HAVING count(*) > 1 ORDER BY 1")
    assert [row["name_norm"] for row in twice] == ["naples", "valencia"]
    aliases = {row["alias_norm"] for row in store.all("SELECT alias_norm FROM stays_place_alias")}
    assert {"lisboa", "gent", "napoli", "wien"} <= aliases


def test_listings_lie_in_their_place_with_its_zone_and_currency(
    listings: dict[str, Row], places: dict[str, Row]
) -> None:
    for row in listings.values():
        place: Row | None = places[row["place_id"]]
        assert place is not None
        assert place["kind"] in ("city", "district")
        assert (row["tz"], row["currency"]) == (place["tz"], place["currency"])
        while place is not None:
            assert _is_within(row, place), (row["title"], place["full_name"])
            place = places.get(place["parent_id"])


def test_rooms_add_up_to_the_beds_of_their_listing(store: Store, listings: dict[str, Row]) -> None:
    rooms: dict[str, list[Row]] = defaultdict(list)
    for row in store.all("SELECT * FROM stays_listing_room"):
        rooms[row["listing_id"]].append(row)
    for key, listing in listings.items():
        beds = sum(room["double_beds"] + room["single_beds"] + room["sofa_beds"] for room in rooms[key])
        assert (beds, sum(room["is_bedroom"] for room in rooms[key])) == (listing["beds"], listing["bedrooms"])


def test_prices_grow_with_bedrooms_and_have_whole_units(listings: dict[str, Row]) -> None:
    homes = [row for row in listings.values() if row["room_type"] == "entire_home" and row["currency"] == "EUR"]
    by_size = [mean(row["base_price"] for row in homes if row["bedrooms"] == size) for size in (1, 2, 3)]
    assert by_size == sorted(by_size)
    assert all(row["base_price"] % 100 == 0 for row in listings.values())
    assert {row["policy_code"] for row in listings.values()} == {"flexible", "moderate", "limited", "firm", "strict"}
    assert {row["instant_book"] for row in listings.values()} == {0, 1}
    assert any(row["inventory"] > 2 for row in listings.values() if row["room_type"] == "hotel_room")
    assert any(row["checkin_weekdays"] != "1234567" for row in listings.values())


def test_titles_that_are_nearly_alike_are_noted(small: World, listings: dict[str, Row]) -> None:
    namesakes = {entry["key"] for entry in small.oracle["stays.namesake_listing"]}
    titles = Counter(row["title"] for row in listings.values())
    assert titles["Casa Fonte"] == 2
    assert titles["Casa da Fonte"] == 1
    assert {"Casa Fonte", "Loft Nine", "Loft Nineteen"} <= {listings[key]["title"] for key in namesakes}
    spaced = {key for key, row in listings.items() if row["title"] != row["title"].strip()}
    assert spaced == {entry["key"] for entry in small.oracle["stays.trailing_space"]}


def test_the_mess_is_listed(small: World) -> None:
    rules = {rule.removeprefix("stays.") for rule in small.oracle if rule.startswith("stays.")}
    assert rules == {
        *("namesake_listing", "trailing_space", "stale_policy", "changed_policy", "contradictory_note"),
        *("cancelled_and_rebooked", "overlapping_requests", "wifi_complaint", "arrival_changed"),
    }


def test_ratings_are_j_shaped(store: Store) -> None:
    stars = Counter(row["overall"] for row in store.all("SELECT overall FROM stays_review WHERE overall IS NOT NULL"))
    assert sum(star * count for star, count in stars.items()) / stars.total() == pytest.approx(4.7, abs=0.1)
    assert stars[5] > stars[4] > stars[3]
    assert stars[1] > stars[2] / 2


def test_reviews_come_after_the_stay_and_are_published_in_time(store: Store) -> None:
    rows = store.all(
        "SELECT v.*, r.checkout, r.status, r.listing_id AS stayed_at, r.guest_id, l.host_id FROM stays_review v "
        "JOIN stays_reservation r ON r.id = v.reservation_id JOIN stays_listing l ON l.id = r.listing_id "
        "WHERE v.direction <> 'system'"
    )
    both = Counter(row["reservation_id"] for row in rows)
    for row in rows:
        assert row["status"] == "completed"
        assert row["listing_id"] == row["stayed_at"]
        assert row["author_id"] == (row["guest_id"] if row["direction"] == "guest_to_host" else row["host_id"])
        assert row["checkout"] <= row["submitted_at"][:10] <= store.now[:10]
        ages = (date.fromisoformat(store.now[:10]) - date.fromisoformat(row["checkout"])).days
        assert row["is_published"] == int(both[row["reservation_id"]] == 2 or ages > 14)
        if row["is_published"]:
            assert row["submitted_at"] <= row["published_at"] <= store.now
        if row["reply"] is not None:
            assert row["published_at"] < row["reply_at"] <= store.now


def test_bookings_follow_the_rules_of_the_listing(
    store: Store, listings: dict[str, Row], users: dict[str, Row]
) -> None:
    least: dict[tuple[str, str], int] = {
        (row["listing_id"], row["night"]): row["min_nights"]
        for row in store.all("SELECT * FROM stays_calendar_override WHERE min_nights IS NOT NULL")
    }
    for row in store.all("SELECT * FROM stays_reservation"):
        listing, first = listings[row["listing_id"]], date.fromisoformat(row["checkin"])
        booked_on = date.fromisoformat(local_date(row["created_at"], listing["tz"]))
        count = (date.fromisoformat(row["checkout"]) - first).days
        minimum = int(least.get((row["listing_id"], row["checkin"])) or listing["min_nights"])
        assert minimum <= count <= listing["max_nights"], row["code"]
        assert str(first.isoweekday()) in listing["checkin_weekdays"]
        assert (first - booked_on).days >= listing["advance_notice_days"]
        assert listing["listed_on"] < booked_on.isoformat()
        assert users[row["guest_id"]]["joined_on"] < booked_on.isoformat()


def test_instants_of_a_reservation_are_in_order(store: Store) -> None:
    for row in store.all("SELECT * FROM stays_reservation"):
        known = [row["created_at"], row["requested_at"] or row["created_at"], row["confirmed_at"], row["cancelled_at"]]
        order = [instant for instant in known if instant is not None]
        assert order == sorted(order)
        assert order[-1] <= row["updated_at"] <= store.now
        assert (row["requested_at"] is None) == (row["expires_at"] is None)
        if row["confirmed_at"] is not None and row["requested_at"] is not None:
            assert row["confirmed_at"] <= row["expires_at"]


def test_nobody_is_in_two_places_at_once(store: Store) -> None:
    trips: dict[str, list[Row]] = defaultdict(list)
    held = "status IN ('confirmed', 'completed')"
    for row in store.all(f"SELECT * FROM stays_reservation WHERE {held} ORDER BY guest_id, checkin"):
        earlier = trips[row["guest_id"]]
        assert not earlier or earlier[-1]["checkout"] <= row["checkin"], row["code"]
        earlier.append(row)


def test_payment_methods_have_every_behaviour_and_no_real_brand(store: Store, users: dict[str, Row]) -> None:
    cards = store.all("SELECT * FROM stays_payment_method")
    assert {card["brand"] for card in cards} == set(BRANDS)
    for user in (row for row in users.values() if row["person_id"] is not None):
        own = [card for card in cards if card["user_id"] == user["id"]]
        assert {card["behaviour"] for card in own} == {"approve", "decline", "insufficient", "3ds_approve", "3ds_fail"}
        year, month = int(store.now[:4]), int(store.now[5:7])
        assert any((card["exp_year"], card["exp_month"]) < (year, month) for card in own)
        assert [card["last4"] for card in own if card["is_default"]] == ["4242"]


def test_no_real_company_or_address_is_named(store: Store) -> None:
    for table, columns in (
        ("stays_user", ("email", "about")),
        ("stays_listing", ("title", "description")),
        ("stays_message", ("body",)),
        ("stays_review", ("body",)),
        ("stays_place", ("name",)),
    ):
        for row in store.select(table):
            text = " ".join(str(row[column] or "") for column in columns).casefold()
            assert not any(re.search(rf"\b{re.escape(name)}\b", text) for name in NETWORKS), (table, text)
            assert "lorem" not in text
            assert "{" not in text
    assert all(row["email"].endswith(".example") for row in store.select("stays_user"))


def test_people_of_the_company_travel_and_some_are_hosts(store: Store, users: dict[str, Row]) -> None:
    staff = {row["id"]: row for row in store.select("org_person")}
    known = {key: row for key, row in users.items() if row["person_id"] is not None}
    assert set(known) == set(staff)
    for key, row in known.items():
        person = staff[key]
        assert (row["first_name"], row["last_name"], row["email"], row["tz"]) == (
            person["first_name"],
            person["last_name"],
            person["email"],
            person["tz"],
        )
    hosts = Counter(row["host_id"] for row in store.select("stays_listing") if row["host_id"] in staff)
    assert sorted(hosts.values()) == sorted(count for _, _, count in STAFF_HOSTS)


def test_everybody_who_may_act_has_something_to_do(store: Store) -> None:
    guests: dict[str, Counter[str]] = defaultdict(Counter)
    hosts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in store.all(
        "SELECT r.status, r.guest_id, l.host_id FROM stays_reservation r JOIN stays_listing l ON l.id = r.listing_id"
    ):
        guests[row["guest_id"]][row["status"]] += 1
        hosts[row["host_id"]][row["status"]] += 1
    active = [row["id"] for row in store.select("org_person") if row["left_on"] is None]
    for key in active:
        assert guests[key]["confirmed"] >= 2, key
        assert guests[key]["completed"] >= 2, key
    company = {row["host_id"] for row in store.select("stays_listing") if row["host_id"] in active}
    for key in company:
        assert hosts[key]["pending"] >= 3, key
        assert hosts[key]["confirmed"] >= 3, key
        assert hosts[key]["inquiry"] >= 1, key
    waiting = store.all(
        "SELECT l.host_id FROM stays_review v JOIN stays_listing l ON l.id = v.listing_id "
        "WHERE v.direction = 'guest_to_host' AND v.is_published = 1 AND v.reply IS NULL"
    )
    assert company <= {row["host_id"] for row in waiting}


def test_threads_belong_to_their_listing_and_messages_to_their_thread(
    store: Store, listings: dict[str, Row], users: dict[str, Row]
) -> None:
    threads = {row["id"]: row for row in store.select("stays_thread")}
    began: dict[str, str] = {}
    for row in store.all("SELECT * FROM stays_message ORDER BY thread_id, at, id"):
        thread = threads[row["thread_id"]]
        assert row["sender_id"] in (thread["guest_id"], thread["host_id"])
        assert row["at"] < store.now
        began.setdefault(row["thread_id"], row["at"])
    assert {key: row["created_at"] for key, row in threads.items()} == began
    for thread in threads.values():
        assert thread["host_id"] == listings[thread["listing_id"]]["host_id"]
        assert users[thread["guest_id"]]["person_id"] or users[thread["host_id"]]["person_id"]
    unread = store.all(
        "SELECT DISTINCT m.thread_id FROM stays_message m JOIN stays_ui_thread_read u ON u.thread_id = m.thread_id "
        "WHERE m.at > u.last_read_at AND m.sender_id <> u.user_id"
    )
    assert len(unread) >= 10


def test_messages_name_facts_of_their_reservation(store: Store) -> None:
    codes = {row["code"]: row for row in store.select("stays_reservation")}
    threads = {row["id"]: row for row in store.select("stays_thread")}
    named = 0
    for row in store.select("stays_message"):
        for code in re.findall(r"HB\d{6}", row["body"]):
            reservation, thread = codes[code], threads[row["thread_id"]]
            assert (reservation["listing_id"], reservation["guest_id"]) == (thread["listing_id"], thread["guest_id"])
            named += 1
    assert named > 300


def test_languages_amenities_and_json_are_well_formed(store: Store, users: dict[str, Row]) -> None:
    names = {country.name for country in countries().values()}
    for row in users.values():
        assert json.loads(row["languages"])
        assert row["country"] in names
        assert row["name_norm"] == norm(f"{row['first_name']} {row['last_name']}")
    for rule in store.select("stays_npc_rule"):
        assert isinstance(json.loads(rule["condition_json"]), dict)
        assert json.loads(rule["action_json"])


def _made(name: str) -> Rows:
    scale, seed = name.split(":")
    return rows(make_setting(name, scale, seed, "key"))


def test_the_same_seed_gives_the_same_rows_and_another_one_others() -> None:
    one, again, other = _made("small:1"), _made("small:1"), _made("small:2")
    assert (one.tables, one.counters, one.oracle) == (again.tables, again.counters, again.oracle)
    assert {row["title"] for row in one.tables["stays_listing"]} != {
        row["title"] for row in other.tables["stays_listing"]
    }


def test_rows_do_not_depend_on_the_key_of_ids() -> None:
    one = rows(make_setting("small:1", "small", "1", "one"))
    other = rows(make_setting("small:1", "small", "1", "another"))
    for table, column in (("stays_listing", "title"), ("stays_message", "body"), ("stays_reservation", "total")):
        assert [row[column] for row in one.tables[table]] == [row[column] for row in other.tables[table]], table
