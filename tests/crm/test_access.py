"""CRM-3 and X-10: who sees and does what, by every way to a record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from deskgym_apps.kit.errors import BadQuery, Forbidden, Invalid, NotFound, ServiceError

from .fixture import (
    ADA,
    ALDERCROFT,
    BRIGHTMOOR,
    DANA,
    DESK_GROUP,
    HARBOUR,
    JUN,
    KESTREL,
    LUIS,
    MAIL,
    MARTA,
    MEI,
    NOTE,
    OLGA,
    PRIYA,
    ROLES,
    ROWAN,
    TERN,
    TODO,
    TOM,
    WES,
    World,
    account,
    ident,
)

RULE = {
    "id": ident("SHR", 1),
    "object": "opportunity",
    "source_kind": "role",
    "source_id": ROLES["AE East"],
    "target_kind": "group",
    "target_id": DESK_GROUP,
    "access": "read",
}


def refusal(call: Callable[[], Any]) -> str:
    """The code of the refusal a call ends with, or `done`."""
    try:
        call()
    except ServiceError as error:
        return error.code
    return "done"


def test_crm_3_the_worked_example(world_with: Callable[..., World]) -> None:
    world = world_with({"crm_sharing_rule": [RULE]})
    change = {"next_step": "Call back"}
    assert refusal(lambda: world.update(KESTREL, change, by=DANA)) == "done"  # the owner
    assert refusal(lambda: world.update(KESTREL, change, by=PRIYA)) == "done"  # a role above the owner's
    assert refusal(lambda: world.ask("get", id=KESTREL, by=LUIS)) == "not_found"  # the same role
    assert refusal(lambda: world.ask("get", id=KESTREL, by=MEI)) == "done"  # shared with the Deal Desk, read
    assert refusal(lambda: world.update(KESTREL, change, by=MEI)) == "forbidden"
    assert refusal(lambda: world.update(KESTREL, change, by=LUIS)) == "not_found"


def ways_to_a_deal(world: World, person: str) -> Iterator[bool]:
    """Whether the deal Kestrel shows by each way a person might find it."""
    yield KESTREL in world.ids("opportunity", by=person)
    found = world.ask("search", text="kestrel", by=person)
    yield any(row["id"] == KESTREL for group in found["groups"] for row in group["rows"])
    yield KESTREL in [
        row["id"] for row in world.read("lookup", {"object": "opportunity", "text": "kes"}, by=person)["rows"]
    ]
    columns = world.read("board", {}, by=person)["columns"]
    yield KESTREL in [card["id"] for column in columns for card in column["cards"]]
    yield refusal(lambda: world.ask("get", id=KESTREL, by=person)) == "done"
    yield refusal(lambda: world.ask("timeline", id=KESTREL, by=person)) == "done"
    yield refusal(lambda: world.ask("history", id=KESTREL, by=person)) == "done"
    related = world.ask("get", id=ALDERCROFT, related=["opportunities"], by=person)["related"]["opportunities"]
    yield KESTREL in [row["id"] for row in related["rows"]]
    yield related["total"] > 0


@pytest.mark.parametrize(("person", "sees"), [(DANA, True), (PRIYA, True), (ADA, True), (LUIS, False), (WES, False)])
def test_x_10_every_way_to_a_record_knows_the_same_people(world: World, person: str, sees: bool) -> None:
    assert list(ways_to_a_deal(world, person)) == [sees] * 9


def test_x_10_counts_and_sums_leave_out_what_the_person_may_not_read(world: World) -> None:
    answer = world.ask("query", object="opportunity", by=LUIS)
    assert (answer["total"], [row["id"] for row in answer["rows"]]) == (1, [HARBOUR])
    assert answer["sums"]["amount"]["amounts"] == [{"amount": "500.00", "currency": "EUR"}]


def test_x_10_what_may_not_be_read_is_unknown_in_error_messages(world: World) -> None:
    with pytest.raises(NotFound, match="there is no opportunity") as refused:
        world.update(KESTREL, {"name": "x"}, by=LUIS)
    assert "Kestrel" not in refused.value.message
    with pytest.raises(Invalid, match="there is no account, opportunity or case"):
        world.create("task", subject="Peek", what_id=KESTREL, by=LUIS)


def test_crm_3_default_read_lets_everybody_see_but_not_change(world: World) -> None:
    assert world.ask("get", id=TERN)["access"] == {"edit": False, "delete": False, "transfer": False}
    with pytest.raises(Forbidden):
        world.update(TERN, {"rating": "Hot"})


def test_crm_3_default_write_lets_everybody_change_but_not_delete_or_transfer(world_with: Callable[..., World]) -> None:
    world = world_with(opportunity="write")
    world.update(KESTREL, {"next_step": "Mine too"}, by=LUIS)
    with pytest.raises(Forbidden, match="give this to someone else"):
        world.update(KESTREL, {"owner_id": LUIS}, by=LUIS)
    with pytest.raises(Forbidden):
        world.delete(KESTREL, by=LUIS)


def test_crm_3_default_parent_gives_the_level_on_the_account(world: World) -> None:
    assert world.ask("get", id=JUN, by=WES)["access"]["edit"] is False  # the account is open to read
    with pytest.raises(Forbidden):
        world.update(JUN, {"title": "CEO"}, by=WES)
    world.create("contact", last_name="Nowak", account_id=BRIGHTMOOR, by=DANA)
    theirs = world.ids("contact", ("last_name", "equals", "Nowak"), by=LUIS)
    world.update(theirs[0], {"title": "Buyer"}, by=LUIS)  # Luis owns the account


def test_crm_3_private_accounts_show_to_owner_roles_above_and_through_their_records(
    world_with: Callable[..., World],
) -> None:
    world = world_with(account="private")
    assert set(world.ids("account", by=LUIS)) == {BRIGHTMOOR}
    assert set(world.ids("account", by=PRIYA)) == {ALDERCROFT, BRIGHTMOOR, TERN}
    share = {
        "object": "opportunity",
        "record_id": KESTREL,
        "grantee_kind": "user",
        "grantee_id": WES,
        "access": "read",
        "cause": "team",
    }
    world = world_with({"crm_record_share": [share]}, account="private")
    assert set(world.ids("account", by=WES)) == {TERN, ALDERCROFT}  # implicit read through the shared deal
    with pytest.raises(Forbidden):
        world.update(ALDERCROFT, {"rating": "Hot"}, by=WES)


@pytest.mark.parametrize("cause", ["manual", "team"])
def test_crm_3_a_share_gives_its_level_and_no_more(world_with: Callable[..., World], cause: str) -> None:
    share = {
        "object": "opportunity",
        "record_id": KESTREL,
        "grantee_kind": "user",
        "grantee_id": LUIS,
        "access": "write",
        "cause": cause,
    }
    world = world_with({"crm_record_share": [share]})
    world.update(KESTREL, {"next_step": "Joint visit"}, by=LUIS)
    with pytest.raises(Forbidden):
        world.delete(KESTREL, by=LUIS)


def test_crm_3_a_sharing_rule_reaches_a_role_and_those_below(world_with: Callable[..., World]) -> None:
    member = {
        "id": ident("GRM", 9),
        "group_id": DESK_GROUP,
        "member_kind": "role_and_sub",
        "member_id": ROLES["VP Sales"],
    }
    world = world_with({"crm_sharing_rule": [RULE | {"access": "write"}], "crm_group_member": [member]})
    world.update(KESTREL, {"next_step": "West helps"}, by=WES)
    only_role = world_with({"crm_sharing_rule": [RULE], "crm_group_member": [member | {"member_kind": "role"}]})
    assert only_role.ids("opportunity", by=WES) == [ident("OPP", 3)]


def test_crm_3_view_all_gives_read_and_modify_all_gives_everything(world_with: Callable[..., World]) -> None:
    world = world_with({"crm_account": [account(9, "Head Office", ADA)]}, account="private")
    assert world.ask("get", id=ident("ACC", 9), by=PRIYA)["access"] == {
        "edit": False,
        "delete": False,
        "transfer": False,
    }
    with pytest.raises(Forbidden):
        world.update(ident("ACC", 9), {"rating": "Hot"}, by=PRIYA)
    assert refusal(lambda: world.ask("get", id=ident("ACC", 9), by=LUIS)) == "not_found"
    world.update(ident("ACC", 9), {"owner_id": OLGA}, by=OLGA)
    world.delete(KESTREL, by=OLGA)
    assert refusal(lambda: world.ask("get", id=TODO, by=OLGA)) == "not_found"  # of activities she may not see all


def test_crm_3_a_profile_without_read_sees_nothing_of_an_object(world: World) -> None:
    world.store.conn.execute("INSERT INTO jrn_open VALUES (1, 0, 'inject')")
    world.store.conn.execute("DELETE FROM crm_object_perm WHERE object = 'account' AND holder_id = 'PRF000000000006'")
    world.store.conn.execute("DELETE FROM jrn_open")
    for call in (
        lambda: world.ids("account", by=ROWAN),
        lambda: world.ask("get", id=TERN, by=ROWAN),
        lambda: world.ask("describe", object="account", by=ROWAN),
    ):
        assert refusal(call) == "forbidden"
    assert "account" not in [group["object"] for group in world.ask("search", text="tern", by=ROWAN)["groups"]]
    with pytest.raises(BadQuery, match="no field"):
        world.ids("contact", ("account.name", "equals", "x"), by=ROWAN)


def test_crm_3_without_hierarchy_roles_above_see_nothing_more(world: World, image: bytes) -> None:
    world.store.conn.execute("INSERT INTO jrn_open VALUES (1, 0, 'inject')")
    world.store.conn.execute("UPDATE crm_owd SET hierarchy = 0 WHERE object = 'opportunity'")
    assert world.ids("opportunity", by=PRIYA) == []


def test_crm_3_object_permissions_cap_everything(world: World) -> None:
    assert world.ask("get", id=TERN, by=ROWAN)["name"] == "Tern Logistics"
    with pytest.raises(Forbidden, match="Read Only, may not create accounts"):
        world.create("account", name="Mine", by=ROWAN)
    with pytest.raises(Forbidden, match="may not delete accounts"):
        world.delete(ALDERCROFT, by=DANA)


def test_crm_3_hidden_fields_do_not_exist_for_the_profile(world: World) -> None:
    assert "annual_revenue" not in world.ask("get", id=ALDERCROFT, by=ROWAN)["record"]
    names = [field["name"] for field in world.ask("describe", object="account", by=ROWAN)["fields"]]
    assert "annual_revenue" not in names
    for more in ({"fields": ["annual_revenue"]}, {"sort": [{"field": "annual_revenue"}]}):
        with pytest.raises(BadQuery, match="no field"):
            world.ask("query", object="account", by=ROWAN, **more)
    with pytest.raises(BadQuery, match="no field"):
        world.ids("account", ("annual_revenue", "gt", 1), by=ROWAN)
    with pytest.raises(BadQuery, match="no field"):
        world.ids("contact", ("account.annual_revenue", "gt", 1), by=ROWAN)


def test_crm_3_locked_fields_are_read_but_not_set(world: World) -> None:
    with pytest.raises(Forbidden, match="may read SLA tier but not set it"):
        world.update(ALDERCROFT, {"sla_tier": "Gold"}, by=DANA)
    world.update(ALDERCROFT, {"sla_tier": "Gold"}, by=ADA)
    assert world.ask("get", id=ALDERCROFT)["record"]["sla_tier"] == "Gold"


def test_crm_3_activities_and_notes_follow_what_they_are_about(world: World) -> None:
    assert refusal(lambda: world.ask("get", id=TODO, by=LUIS)) == "not_found"
    assert refusal(lambda: world.ask("get", id=TODO, by=PRIYA)) == "done"
    assert refusal(lambda: world.ask("get", id=NOTE, by=LUIS)) == "done"  # attached to a contact he may read
    with pytest.raises(Forbidden):
        world.update(NOTE, {"title": "Mine"}, by=LUIS)
    assert refusal(lambda: world.ask("get", id=MAIL, by=LUIS)) == "done"  # from a contact he may read


def test_x_10_a_name_behind_a_lookup_shows_only_to_who_may_read_it(world: World) -> None:
    made = world.create("task", subject="Ask Luis", what_id=KESTREL, owner_id=LUIS)
    record = world.ask("get", id=made, by=LUIS)["record"]
    assert (record["what_id"], record["what_name"]) == (KESTREL, None)


def test_crm_3_an_inactive_user_may_do_nothing(world: World) -> None:
    with pytest.raises(Forbidden, match="no active user"):
        world.ids("account", by=TOM)


def test_crm_3_mine_is_what_i_own(world: World) -> None:
    assert world.ids("account", by=PRIYA, scope="mine") == []
    assert world.ids("contact", scope="mine", sort=[{"field": "last_name"}]) == [MARTA, ident("CON", 2)]
