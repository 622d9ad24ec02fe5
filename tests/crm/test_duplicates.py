"""Duplicate rules (row 14): on create and edit, on every path, shown as far as one may read, warned of or blocked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from deskgym_apps.crm import defaults
from deskgym_apps.crm.rules_duplicates import EXACT, FUZZY, alike, company, first_rules, person
from deskgym_apps.crm.service.duplicates import Duplicate
from deskgym_apps.kit.canonical import state_hash
from deskgym_apps.kit.errors import Invalid

from .fixture import (
    ADA,
    ALDERCROFT,
    BRIGHTMOOR,
    DANA,
    HUGO,
    JUN,
    LUIS,
    MARTA,
    OSEI,
    PRIYA,
    TERN,
    WES,
    World,
    build_image,
    ident,
)
from .invariants import broken
from .lead_rows import IVO, MARTA_AGAIN, NORA, lead_rows


def rule_rows() -> list[dict[str, Any]]:
    """The rules that worlds begin with."""
    return [{"id": ident("MRU", at)} | row for at, row in enumerate(first_rules(), 1)]


@pytest.fixture(scope="module")
def ruled_image() -> bytes:
    return build_image({**lead_rows(), "crm_matching_rule": rule_rows()})


@pytest.fixture(params=["service", "tool"])
def world(request: pytest.FixtureRequest, ruled_image: bytes) -> Iterator[World]:
    opened = World(ruled_image, request.param)
    yield opened
    assert broken(opened.store) == []
    opened.close()


def make(world: World, kind: str, by: str = DANA, **values: Any) -> str:
    """Create a record; allow_duplicates stands beside the values at one door, among them at the other."""
    allow = {"allow_duplicates": values.pop("allow_duplicates")} if "allow_duplicates" in values else {}
    if world.door == "tool":
        return str(world.tool("create", {"object": kind, "values": values} | allow, by=by)["id"])
    return str(world.run(f"create_{kind}", values | allow, by=by)["id"])


def refused(world: World, kind: str, by: str = DANA, **values: Any) -> Duplicate:
    before = state_hash(world.store)
    with pytest.raises(Duplicate) as caught:
        make(world, kind, by, **values)
    assert state_hash(world.store) == before
    assert caught.value.as_dict()["code"] == "duplicate"
    return caught.value


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Aldercroft Ltd", "The ALDERCROFT Limited", True),
        ("Aldercroft Ltd", "Aldercraft GmbH", True),
        ("Aldercroft Ltd", "Aldercrof", True),
        ("Aldercroft Ltd", "Adlercroft", True),
        ("Aldercroft Ltd", "Aldercroft Services", False),
        ("Tern", "Teen", False),
        ("Harbour Plant 1", "Harbour Plant 2", False),
        ("Brightmoor Süd GmbH", "brightmoor sud", True),
    ],
)
def test_company_names_are_compared_without_legal_form_and_but_for_one_letter(one: str, other: str, same: bool) -> None:
    assert alike(company(one), company(other), FUZZY) is same
    assert alike(company(other), company(one), FUZZY) is same


def test_peoples_names_are_compared_in_any_order_and_nothing_is_like_nothing() -> None:
    assert alike(person("Ilić, Marta"), person("marta ilic"), FUZZY)
    assert not alike(person("Jun Arai"), person("Jun Araki Sato"), FUZZY)
    assert not alike("", "", EXACT)
    assert not alike("marta", "martha", EXACT)


def test_a_warning_names_the_records_and_is_saved_all_the_same_when_allowed(world: World) -> None:
    error = refused(world, "account", name="The Aldercroft GmbH", bill_city="LEEDS")
    assert [row["id"] for row in error.details["duplicates"]] == [ALDERCROFT]
    assert error.details["may_save"] is True
    assert "allow_duplicates" in error.message
    made = make(world, "account", name="The Aldercroft GmbH", bill_city="LEEDS", allow_duplicates=True)
    assert world.record(made)["name"] == "The Aldercroft GmbH"


def test_all_criteria_of_a_rule_must_hold(world: World) -> None:
    make(world, "account", name="Aldercroft Limited", bill_city="York")
    make(world, "account", name="Aldercroft Limited")
    make(world, "contact", first_name="Marta", last_name="Ilić", account_id=BRIGHTMOOR, by=ADA)


def test_a_block_stands_whatever_is_allowed(world: World) -> None:
    ways: tuple[dict[str, Any], ...] = ({}, {"allow_duplicates": True})
    for more in ways:
        error = refused(world, "contact", last_name="New", email="M.Ilic@ALDERCROFT.example", **more)
        assert error.details["may_save"] is False
        assert [row["name"] for row in error.details["duplicates"]] == ["Marta Ilić"]
        assert "Contacts of the same e-mail" in error.message


def test_an_edit_is_checked_where_it_moves_what_a_rule_compares(world: World) -> None:
    world.update(OSEI, {"title": "CEO"})
    with pytest.raises(Duplicate) as caught:
        world.update(OSEI, {"email": "m.ilic@aldercroft.example"})
    assert caught.value.details["may_save"] is True
    world.update(OSEI, {"email": "m.ilic@aldercroft.example"}, allow_duplicates=True)
    world.update(OSEI, {"title": "CFO"})
    world.update(MARTA, {"first_name": "Kofi", "last_name": "Osei"})  # this rule lets edits pass


def test_a_deleted_record_is_no_duplicate(world: World) -> None:
    world.delete(JUN, by=ADA)
    make(world, "contact", last_name="Arai", email="jun@brightmoor.example")


def test_what_one_may_not_read_is_neither_shown_nor_in_the_way(world: World) -> None:
    mine = refused(world, "lead", last_name="P", company="C", email="ivo@halden.example", by=LUIS)
    assert [row["id"] for row in mine.details["duplicates"]] == [IVO]
    made = make(world, "lead", last_name="Petrow", company="Halden", email="ivo@halden.example", by=WES)
    assert world.record(made)["owner_id"] == WES
    found = refused(world, "lead", last_name="P", company="C", email="ivo@halden.example", by=PRIYA)
    assert {row["id"] for row in found.details["duplicates"]} == {IVO, made}


def test_a_rule_about_a_hidden_field_does_not_count(world_with: Callable[..., World]) -> None:
    agent = next(at for at, profile in enumerate(defaults.PROFILES, 1) if profile.name == "Support Agent")
    hidden = {
        "holder_kind": "profile",
        "holder_id": ident("PRF", agent),
        "object": "contact",
        "field": "first_name",
        "access": "hidden",
    }
    world = world_with({"crm_matching_rule": rule_rows(), "crm_field_perm": [hidden]})
    refused(world, "contact", last_name="New", email="jun@brightmoor.example", by=HUGO)
    made = make(world, "contact", last_name="Ilić", account_id=ALDERCROFT, by=HUGO)
    refused(world, "contact", last_name="Ilić", account_id=ALDERCROFT, by=DANA)
    assert world.record(made)["owner_id"] == HUGO


def test_conversion_is_checked_too_and_says_which_record_is_meant(world: World) -> None:
    given: dict[str, Any] = {"account": ALDERCROFT, "contact": "new", "opportunity": "none"}
    with pytest.raises(Duplicate) as caught:
        world.ask("convert_lead", lead_id=MARTA_AGAIN, row_version=1, **given)
    assert (caught.value.field, caught.value.details["may_save"]) == ("contact", False)
    assert world.record(MARTA_AGAIN)["is_converted"] == 0
    given |= {"account": "new"}
    with pytest.raises(Duplicate, match="account: an account like this one exists: Aldercroft Ltd"):
        world.ask("convert_lead", lead_id=NORA, row_version=1, **given)
    world.ask("convert_lead", lead_id=NORA, row_version=1, allow_duplicates=True, **given)
    assert world.record(NORA)["is_converted"] == 1


def test_many_at_once_are_checked_one_by_one(world: World) -> None:
    given = {"object": "contact", "ids": [MARTA, OSEI], "values": {"email": "one@aldercroft.example"}}
    with pytest.raises(Invalid, match="Kofi Osei: a contact like this one exists") as caught:
        world.run("bulk_update", given | {"expected_count": 2})
    assert [row["may_save"] for row in caught.value.details["records"]] == [True]
    world.run("bulk_update", given | {"expected_count": 2, "allow_duplicates": True})
    assert world.record(OSEI)["email"] == "one@aldercroft.example"


def test_duplicates_of_a_record_are_found_by_every_rule(world: World) -> None:
    twin = make(world, "account", name="Aldercroft", bill_city="Leeds", allow_duplicates=True)
    for one, other in ((ALDERCROFT, twin), (twin, ALDERCROFT)):
        found = world.ask("get", id=one, related=["duplicates"])["related"]["duplicates"]
        assert [(row["id"], row["reason"]) for row in found["rows"]] == [(other, "Accounts of the same name")]
    assert world.ask("get", id=TERN, related=["duplicates"])["related"]["duplicates"]["total"] == 0


def test_a_record_is_no_duplicate_of_itself(world: World) -> None:
    world.update(MARTA, {"email": "M.ILIC@aldercroft.example"})


def test_a_rule_that_is_off_does_not_count(world_with: Callable[..., World]) -> None:
    world = world_with({"crm_matching_rule": [row | {"is_active": 0} for row in rule_rows()]})
    make(world, "contact", last_name="New", email="m.ilic@aldercroft.example")
