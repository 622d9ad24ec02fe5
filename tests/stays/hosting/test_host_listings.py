"""A host's listings: what the editor shows and changes (J9, X-7)."""

from __future__ import annotations

from typing import Any

import pytest

from deskgym_apps.kit.errors import Conflict, Invalid, NotFound

from .fixture import BARN, CITY, COMING, GIL, HANA, INN, LOFT, ROOM, STAYS, World


def _update(world: World, values: dict[str, Any], **more: Any) -> Any:
    given: dict[str, Any] = {"listing": LOFT, "values": values, "row_version": world.version()}
    return world.do("update_listing", **(given | more))


def test_own_listings_come_with_what_is_to_come(world: World) -> None:
    found = world.ask("host_listings")
    assert [row["id"] for row in found["rows"]] == [LOFT, INN]
    assert found["counts"] == {"listed": 2}
    loft = found["rows"][0]
    assert (loft["upcoming"], loft["next_checkin"], loft["pending"]) == (1, "2031-07-10", 1)
    assert world.ask("host_listings", status="draft")["rows"] == []
    assert world.ask("host_listings", by=GIL)["total"] == 0


def test_the_editor_shows_values_that_can_be_sent_back_unchanged(world: World) -> None:
    shown = world.ask("host_listing", id=LOFT)
    before = world.dump()
    done = _update(world, shown["values"], row_version=shown["row_version"])
    assert done["row_version"] == shown["row_version"]
    priced = world.do("host_pricing", listing=LOFT, values=shown["pricing"], row_version=shown["row_version"])
    assert priced["row_version"] == shown["row_version"]
    assert world.dump() == before


def test_j9_a_reservation_keeps_its_own_policy_and_hour(world: World) -> None:
    stay = world.row("reservation", STAYS[COMING])
    _update(world, {"policy": "firm", "checkin_from": "17:00", "max_guests": 3, "title": "Canal Loft, new"})
    row = world.row("listing", LOFT)
    assert (row["policy_code"], row["checkin_from"], row["max_guests"]) == ("firm", "17:00", 3)
    assert (row["title"], row["title_norm"]) == ("Canal Loft, new", "canal loft, new")
    assert (row["updated_by"], row["row_version"]) == (HANA, 2)
    assert world.row("reservation", STAYS[COMING]) == stay


def test_the_note_of_an_amenity_is_corrected_and_the_others_stay(world: World) -> None:
    _update(world, {"amenities": [{"amenity": "wifi", "note": "30 Mbps"}]})
    notes = {row["amenity"]: row["note"] for row in world.rows("listing_amenity", listing_id=LOFT)}
    assert notes == {"parking": None, "wifi": "30 Mbps"}
    assert world.version() == 2


def test_amenities_come_and_go(world: World) -> None:
    _update(world, {"amenities": [{"amenity": "kitchen"}, {"amenity": "wifi"}], "remove_amenities": ["parking"]})
    notes = {row["amenity"]: row["note"] for row in world.rows("listing_amenity", listing_id=LOFT)}
    assert notes == {"kitchen": None, "wifi": "120 Mbps"}


def test_house_rules_are_set_one_by_one(world: World) -> None:
    _update(world, {"rules": {"parties": "no", "quiet_hours": "22:00-08:00"}})
    _update(world, {"rules": {"smoking": None}})
    rules = {row["code"]: row["value"] for row in world.rows("listing_rule", listing_id=LOFT)}
    assert rules == {"parties": "no", "quiet_hours": "22:00-08:00"}


def test_rooms_make_up_the_bedrooms_and_beds(world: World) -> None:
    rooms = [
        {"name": "Attic", "double_beds": 1, "single_beds": 2},
        {"name": "Hall", "is_bedroom": False, "sofa_beds": 1},
    ]
    _update(world, {"rooms": rooms})
    row = world.row("listing", LOFT)
    assert (row["bedrooms"], row["beds"]) == (1, 4)
    assert [room["name"] for room in world.rows("listing_room", listing_id=LOFT)] == ["Attic", "Hall"]


def test_photos_change_places_and_new_ones_come(world: World) -> None:
    before = {row["pos"]: row for row in world.rows("listing_photo", listing_id=LOFT)}
    photos = [{"pos": 3}, {"pos": 1, "caption": "From the street"}, {"room": "kitchen", "caption": "The kitchen"}]
    _update(world, {"photos": photos})
    after = world.rows("listing_photo", listing_id=LOFT)
    assert [(row["pos"], row["room"], row["caption"]) for row in after] == [
        (1, "bath", "The bath"),
        (2, "outside", "From the street"),
        (3, "kitchen", "The kitchen"),
    ]
    assert [row["seed"] for row in after[:2]] == [before[3]["seed"], before[1]["seed"]]
    assert after[2]["seed"] not in {row["seed"] for row in before.values()}


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"title": None}, "title"),
        ({"title": " "}, "values.title"),
        ({"policy": "long_stay"}, "policy"),
        ({"policy": "lenient"}, "policy"),
        ({"property_type": "Castle"}, "property_type"),
        ({"max_guests": 1}, "max_guests"),
        ({"min_nights": 10, "max_nights": 5}, "max_nights"),
        ({"checkin_to": "14:00"}, "checkin_to"),
        ({"checkin_from": "25:00"}, "values.checkin_from"),
        ({"baths": "1.25"}, "baths"),
        ({"status": "draft"}, "status"),
        ({"amenities": [{"amenity": "moat"}]}, "amenities"),
        ({"amenities": [{"amenity": "wifi"}, {"amenity": "wifi"}]}, "amenities"),
        ({"remove_amenities": ["kitchen"]}, "remove_amenities"),
        ({"rooms": [{"name": "Hall"}]}, "rooms"),
        ({"photos": [{"pos": 9}]}, "photos"),
        ({"photos": [{"pos": 1}, {"pos": 1}]}, "photos"),
        ({"photos": [{"caption": "?"}]}, "photos"),
        ({"rules": {"smoking": "maybe"}}, "values.rules.smoking"),
        ({"base_price": "100"}, "values.base_price"),
        ({"host_id": GIL}, "values.host_id"),
    ],
)
def test_a_faulty_change_is_refused_by_field_and_nothing_is_written(
    world: World, values: dict[str, Any], field: str
) -> None:
    before = world.dump()
    with pytest.raises(Invalid) as refused:
        _update(world, {"description": "Changed as well."} | values)
    assert refused.value.field == field
    assert world.dump() == before


def test_an_unknown_amenity_tells_the_codes(world: World) -> None:
    with pytest.raises(Invalid) as refused:
        _update(world, {"amenities": [{"amenity": "moat"}]})
    assert "wifi" in refused.value.allowed


def test_a_listing_is_snoozed_and_listed_again_with_its_first_date(world: World) -> None:
    for status in ("snoozed", "listed", "unlisted", "snoozed", "listed"):
        _update(world, {"status": status})
    row = world.row("listing", LOFT)
    assert (row["status"], row["listed_on"], row["row_version"]) == ("listed", "2030-01-10", 6)


def test_rooms_that_are_reserved_stay(world: World) -> None:
    with pytest.raises(Invalid, match=ROOM):
        _update(world, {"inventory": 2}, listing=INN)
    _update(world, {"inventory": 4}, listing=INN)


def test_x_7_an_old_version_is_a_conflict_and_keeps_the_other_change(world: World) -> None:
    version = world.version()
    _update(world, {"amenities": [{"amenity": "wifi", "note": "30 Mbps"}]})
    with pytest.raises(Conflict):
        _update(world, {"title": "Late"}, row_version=version)
    assert world.row("listing", LOFT)["title"] == "Canal Loft"


def test_others_listings_are_not_there(world: World) -> None:
    with pytest.raises(NotFound):
        world.ask("host_listing", id=BARN)
    with pytest.raises(NotFound):
        _update(world, {"title": "Mine now"}, listing=BARN, row_version=1)


def test_a_listing_begins_as_a_draft_and_is_listed_once_complete(world: World) -> None:
    made = world.do(
        "create_listing",
        by=GIL,
        place=CITY,
        title="Attic by the Lys",
        description="Under the roof.",
        property_type="Loft",
        room_type="private_room",
        max_guests=2,
        base_price="85",
        rooms=[{"name": "Attic", "double_beds": 1}],
        amenities=[{"amenity": "wifi", "note": "60 Mbps"}],
        rules={"smoking": "no"},
    )
    row = world.row("listing", made["id"])
    assert (row["host_id"], row["status"], row["listed_on"]) == (GIL, "draft", None)
    assert (row["currency"], row["tz"], row["base_price"]) == ("EUR", "Europe/Brussels", 8_500)
    assert world.row("user", GIL)["is_host"] == 1
    version = 1
    with pytest.raises(Invalid, match="a photo, a street"):
        world.do("update_listing", by=GIL, listing=made["id"], values={"status": "listed"}, row_version=version)
    values = {"street": "Leie 3", "photos": [{"room": "bedroom", "caption": "The attic"}]}
    version = world.do("update_listing", by=GIL, listing=made["id"], values=values, row_version=version)["row_version"]
    world.do("update_listing", by=GIL, listing=made["id"], values={"status": "listed"}, row_version=version)
    row = world.row("listing", made["id"])
    assert (row["status"], row["listed_on"]) == ("listed", "2031-03-14")


@pytest.mark.parametrize(
    ("values", "field"),
    [({"place": "PLC000000000001"}, "place"), ({"base_price": "3"}, "base_price"), ({"rooms": []}, "rooms")],
)
def test_a_faulty_draft_is_refused_and_makes_nobody_a_host(world: World, values: dict[str, Any], field: str) -> None:
    whole: dict[str, Any] = {
        "place": CITY,
        "title": "Attic",
        "description": "Under the roof.",
        "property_type": "Loft",
        "room_type": "private_room",
        "max_guests": 2,
        "base_price": "85",
        "rooms": [{"name": "Attic", "double_beds": 1}],
    }
    before = world.dump()
    with pytest.raises(Invalid) as refused:
        world.do("create_listing", by=GIL, **(whole | values))
    assert refused.value.field == field
    assert world.dump() == before


def test_choices_name_only_policies_that_hosts_choose(world: World) -> None:
    found = world.ask("listing_choices")
    assert [policy["code"] for policy in found["policies"]] == ["flexible", "moderate", "firm"]
    assert [place["full_name"] for place in found["places"]] == ["Ghent"]
