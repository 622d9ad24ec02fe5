"""I8 and contact roles: contacts at accounts and in opportunities."""

from __future__ import annotations

import pytest

from deskgym_apps.kit.errors import Forbidden, Invalid, NotFound

from .fixture import ALDERCROFT, BRIGHTMOOR, DANA, JUN, KESTREL, LUIS, MARTA, OSEI, TERN, WES, World


def relations(world: World, contact: str) -> dict[str, tuple[int, str | None]]:
    """Account -> (is_direct, role) of a contact."""
    rows = world.store.select("crm_account_contact", contact_id=contact)
    return {row["account_id"]: (row["is_direct"], row["role"]) for row in rows}


def parts(world: World, deal: str = KESTREL) -> dict[str, tuple[str | None, int]]:
    """Contact -> (role, is_primary) of a deal."""
    rows = world.store.select("crm_opportunity_contact_role", opportunity_id=deal)
    return {row["contact_id"]: (row["role"], row["is_primary"]) for row in rows}


def test_i8_a_contacts_account_is_its_direct_one(world: World) -> None:
    made = world.create("contact", last_name="New", account_id=TERN)
    assert relations(world, made) == {TERN: (1, None)}
    world.update(made, {"account_id": ALDERCROFT})
    assert relations(world, made) == {ALDERCROFT: (1, None)}
    world.update(made, {"account_id": None})
    assert relations(world, made) == {}


def test_i8_a_further_account_that_becomes_the_own_keeps_its_role(world: World) -> None:
    world.update(OSEI, {"account_id": BRIGHTMOOR})
    assert relations(world, OSEI) == {BRIGHTMOOR: (1, "Influencer")}


def test_a_contact_is_related_to_further_accounts_with_a_role(world: World) -> None:
    answer = world.ask("set_account_contact", account_id=TERN, contact_id=MARTA, role="Evaluator")
    assert answer == {"account_id": TERN, "contact_id": MARTA, "role": "Evaluator", "is_direct": False}
    world.ask("set_account_contact", account_id=ALDERCROFT, contact_id=MARTA, role="Decision Maker")
    assert relations(world, MARTA) == {ALDERCROFT: (1, "Decision Maker"), TERN: (0, "Evaluator")}
    rows = world.ask("get", id=TERN, related=["contacts"])["related"]["contacts"]["rows"]
    assert [(row["id"], row["role"], row["is_direct"]) for row in rows] == [(MARTA, "Evaluator", False)]
    world.ask("remove_account_contact", account_id=TERN, contact_id=MARTA)
    assert set(relations(world, MARTA)) == {ALDERCROFT}


def test_the_own_account_is_not_removed_as_a_relation(world: World) -> None:
    with pytest.raises(Invalid, match="own account"):
        world.ask("remove_account_contact", account_id=ALDERCROFT, contact_id=MARTA)
    with pytest.raises(NotFound, match="not related"):
        world.ask("remove_account_contact", account_id=TERN, contact_id=MARTA)


def test_a_contact_plays_a_part_in_a_deal(world: World) -> None:
    answer = world.ask("set_contact_role", opportunity_id=KESTREL, contact_id=OSEI, role="Decision Maker")
    assert answer == {"opportunity_id": KESTREL, "contact_id": OSEI, "role": "Decision Maker", "is_primary": False}
    assert parts(world) == {MARTA: ("Evaluator", 1), OSEI: ("Decision Maker", 0)}


def test_a_new_primary_contact_takes_the_mark_from_the_former(world: World) -> None:
    world.ask("set_contact_role", opportunity_id=KESTREL, contact_id=OSEI, is_primary=True)
    assert parts(world) == {MARTA: ("Evaluator", 0), OSEI: (None, 1)}
    world.ask("set_contact_role", opportunity_id=KESTREL, contact_id=MARTA, role="Influencer", is_primary=True)
    assert parts(world) == {MARTA: ("Influencer", 1), OSEI: (None, 0)}


def test_a_part_can_be_ended(world: World) -> None:
    assert world.ask("remove_contact_role", opportunity_id=KESTREL, contact_id=MARTA) == {"removed": True}
    assert parts(world) == {}
    with pytest.raises(NotFound, match="no role"):
        world.ask("remove_contact_role", opportunity_id=KESTREL, contact_id=MARTA)


def test_parts_do_not_touch_the_records(world: World) -> None:
    world.ask("set_contact_role", opportunity_id=KESTREL, contact_id=OSEI)
    assert (world.version(KESTREL), world.version(OSEI)) == (1, 1)


def test_roles_come_from_their_picklist(world: World) -> None:
    with pytest.raises(Invalid, match='Did you mean "Evaluator"') as refused:
        world.ask("set_contact_role", opportunity_id=KESTREL, contact_id=OSEI, role="Evaluater")
    assert refused.value.field == "role"
    assert world.ask("describe", object="opportunity")["roles"] == list(refused.value.allowed)


def test_x_10_parts_need_write_access_to_the_deal_and_read_on_the_contact(world: World) -> None:
    with pytest.raises(NotFound):
        world.ask("set_contact_role", opportunity_id=KESTREL, contact_id=MARTA, by=LUIS)
    with pytest.raises(Forbidden):
        world.ask("set_account_contact", account_id=TERN, contact_id=JUN, by=WES)
    with pytest.raises(NotFound, match="no contact"):
        world.ask("set_contact_role", opportunity_id=KESTREL, contact_id="CON0000000000ZZ", by=DANA)


def test_a_note_is_attached_to_several_records(world: World) -> None:
    made = world.create("note", title="Minutes", body="# Agreed\n- price", record_ids=[KESTREL, MARTA])
    assert {row["id"] for row in world.ask("get", id=made, related=["records"])["related"]["records"]["rows"]} == {
        KESTREL,
        MARTA,
    }
    world.update(made, {"record_ids": [KESTREL, ALDERCROFT]})
    links = {row["record_id"] for row in world.store.select("crm_note_link", note_id=made)}
    assert links == {KESTREL, ALDERCROFT}
    related = world.ask("get", id=ALDERCROFT, related=["notes"])["related"]["notes"]
    assert [row["title"] for row in related["rows"]] == ["Minutes"]
