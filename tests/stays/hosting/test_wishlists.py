"""Wishlists: several lists, notes, dates."""

from __future__ import annotations

from typing import Any

import pytest

from deskgym_apps.kit.errors import Conflict, Invalid, NotFound

from .fixture import BARN, GIL, HANA, INN, LOFT, VERA, World, ident

VERAS = ident("WSH", 1)


def _list(world: World, name: str = "Lisbon May", **more: Any) -> str:
    return str(world.do("wishlist", by=GIL, action="create", name=name, **more)["id"])


def test_listings_are_saved_with_notes_and_taken_off(world: World) -> None:
    made = _list(world)
    world.do("wishlist", by=GIL, action="add", id=made, listing=LOFT, note="by the water")
    world.do("wishlist", by=GIL, action="add", id=made, listing=INN)
    world.do("wishlist", by=GIL, action="note", id=made, listing=INN, note="three rooms")
    notes = {row["listing_id"]: row["note"] for row in world.rows("wishlist_item", wishlist_id=made)}
    assert notes == {LOFT: "by the water", INN: "three rooms"}
    world.do("wishlist", by=GIL, action="remove", id=made, listing=LOFT)
    shown = world.ask("wishlist_items", by=GIL, id=made)
    assert [(row["id"], row["note"]) for row in shown["rows"]] == [(INN, "three rooms")]
    row = world.row("wishlist", made)
    assert (row["user_id"], row["name"], row["is_private"]) == (GIL, "Lisbon May", 1)


def test_dates_bring_totals_and_whether_it_is_free(world: World) -> None:
    made = _list(world, checkin="2031-06-12", checkout="2031-06-15")
    for listing in (LOFT, BARN):
        world.do("wishlist", by=GIL, action="add", id=made, listing=listing)
    rows = {row["id"]: row for row in world.ask("wishlist_items", by=GIL, id=made)["rows"]}
    assert (rows[LOFT]["available"], rows[LOFT]["total"]) == (True, {"amount": "547.20", "currency": "EUR"})
    world.do("wishlist", by=GIL, action="dates", id=made, checkin="2031-07-11", checkout="2031-07-12")
    rows = {row["id"]: row for row in world.ask("wishlist_items", by=GIL, id=made)["rows"]}
    assert (rows[LOFT]["available"], rows[BARN]["available"]) == (False, True)
    world.do("wishlist", by=GIL, action="dates", id=made)
    assert world.ask("wishlist_items", by=GIL, id=made)["rows"][0]["total"] is None


def test_several_lists_are_told_apart_by_name(world: World) -> None:
    _list(world)
    _list(world, "Ghent")
    with pytest.raises(Conflict, match="lisbon may"):
        _list(world, "lisbon may")
    assert [row["name"] for row in world.ask("wishlists", by=GIL)["rows"]] == ["Ghent", "Lisbon May"]


def test_a_list_is_renamed_and_deleted_with_what_is_on_it(world: World) -> None:
    made = _list(world)
    world.do("wishlist", by=GIL, action="add", id=made, listing=LOFT)
    done = world.do("wishlist", by=GIL, action="rename", id=made, name="Lisbon June", row_version=1)
    with pytest.raises(Conflict):
        world.do("wishlist", by=GIL, action="rename", id=made, name="Late", row_version=1)
    world.do("wishlist", by=GIL, action="delete", id=made, row_version=done["row_version"])
    assert world.rows("wishlist_item") == []
    assert [row["id"] for row in world.rows("wishlist")] == [VERAS]


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({"action": "create"}, Invalid),
        ({"action": "create", "name": " "}, Invalid),
        ({"action": "add", "id": VERAS}, Invalid),
        ({"action": "hide", "id": VERAS}, Invalid),
        ({"action": "rename", "id": VERAS, "name": "x", "listing": LOFT}, Invalid),
        ({"action": "dates", "id": VERAS, "checkin": "2031-06-12"}, Invalid),
        ({"action": "dates", "id": VERAS, "checkin": "2031-06-12", "checkout": "2031-06-12"}, Invalid),
        ({"action": "add", "id": VERAS, "listing": "LST000000000009"}, NotFound),
        ({"action": "remove", "id": VERAS, "listing": LOFT}, NotFound),
    ],
)
def test_a_faulty_step_changes_nothing(world: World, given: dict[str, Any], fault: type[Exception]) -> None:
    before = world.dump()
    with pytest.raises(fault):
        world.do("wishlist", by=VERA, **given)
    assert world.dump() == before


def test_a_listing_is_on_a_list_once(world: World) -> None:
    made = _list(world, listing=LOFT)
    with pytest.raises(Conflict):
        world.do("wishlist", by=GIL, action="add", id=made, listing=LOFT)


def test_x_10_others_lists_are_not_there(world: World) -> None:
    with pytest.raises(NotFound):
        world.ask("wishlist_items", by=HANA, id=VERAS)
    for action, more in (("rename", {"name": "Mine"}), ("delete", {}), ("add", {"listing": LOFT})):
        with pytest.raises(NotFound):
            world.do("wishlist", by=HANA, action=action, id=VERAS, **more)
    assert world.ask("wishlists", by=HANA)["total"] == 0


def test_a_shared_list_is_read_by_whoever_has_its_id_and_changed_by_its_owner_alone(world: World) -> None:
    made = _list(world, listing=LOFT)
    world.do("wishlist", by=GIL, action="share", id=made, row_version=1)
    shown = world.ask("wishlist_items", by=HANA, id=made)
    assert ([row["id"] for row in shown["rows"]], shown["is_own"]) == ([LOFT], False)
    with pytest.raises(NotFound):
        world.do("wishlist", by=HANA, action="add", id=made, listing=BARN)
    assert world.ask("wishlists", by=HANA)["total"] == 0
    world.do("wishlist", by=GIL, action="unshare", id=made, row_version=2)
    with pytest.raises(NotFound):
        world.ask("wishlist_items", by=HANA, id=made)
