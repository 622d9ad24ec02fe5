"""Merging of accounts, contacts and leads, clause by clause (CRM-4), through both doors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from deskgym_apps.kit.canonical import state_hash
from deskgym_apps.kit.errors import Conflict, Forbidden, Invalid, NotFound, ServiceError

from .fixture import (
    ADA,
    ALDERCROFT,
    BRIGHTMOOR,
    CASE_MAIL,
    DANA,
    HARBOUR,
    JUN,
    KESTREL,
    LEAK,
    LUIS,
    MARTA,
    MEI,
    NOTE,
    OLGA,
    OSEI,
    OVERDUE,
    PRIYA,
    ROWAN,
    TERN,
    VISIT,
    WES,
    World,
    account,
    build_image,
    contact,
    ident,
    service_rows,
)
from .invariants import broken
from .lead_rows import IVO, NORA, STALE, lead_rows

CRAFT, DAUGHTER = ident("ACC", 11), ident("ACC", 12)
MARTHA, BOSS, GONE = ident("CON", 11), ident("CON", 12), ident("CON", 13)


def _more() -> dict[str, list[dict[str, Any]]]:
    """A second Aldercroft with its own people, a daughter of the first, a second Marta and her boss."""
    rows: dict[str, list[dict[str, Any]]] = {}
    for part in (lead_rows(), service_rows()):
        for table, found in part.items():
            rows.setdefault(table, []).extend(found)
    gone = {"is_deleted": 1, "deleted_at": "2031-03-13T10:00:00Z", "deleted_by": DANA, "delete_batch": GONE}
    more: dict[str, list[dict[str, Any]]] = {
        "crm_account": [
            account(11, "Aldercroft Limited", DANA, phone="+441632960099", region="AMER", account_number="00099999")
            | {"annual_revenue": 500_000, "currency": "EUR"},
            account(12, "Aldercroft Services", DANA, parent_id=CRAFT),
        ],
        "crm_contact": [
            contact(11, "Martha", "Ilić", DANA, account_id=CRAFT, email="martha@aldercroft.example", mobile="+4479"),
            contact(12, "Bo", "Berg", DANA, account_id=CRAFT, reports_to_id=MARTHA),
            contact(13, "Gone", "Girl", DANA, account_id=CRAFT) | gone,
        ],
        "crm_account_contact": [
            {"account_id": CRAFT, "contact_id": MARTHA, "role": "Evaluator", "is_direct": 1},
            {"account_id": CRAFT, "contact_id": BOSS, "is_direct": 1},
            {"account_id": CRAFT, "contact_id": GONE, "is_direct": 1},
            {"account_id": CRAFT, "contact_id": OSEI, "role": "Influencer"},
            {"account_id": ALDERCROFT, "contact_id": MARTHA, "role": "Other"},
        ],
        "crm_opportunity_contact_role": [
            {"opportunity_id": KESTREL, "contact_id": MARTHA, "role": "Influencer"},
            {"opportunity_id": HARBOUR, "contact_id": MARTHA, "role": "Influencer", "is_primary": 1},
            {"opportunity_id": HARBOUR, "contact_id": MARTA},
        ],
        "crm_record_share": [
            {
                "object": "account",
                "record_id": CRAFT,
                "grantee_kind": "user",
                "grantee_id": MEI,
                "access": "write",
                "cause": "manual",
            },
            {
                "object": "account",
                "record_id": CRAFT,
                "grantee_kind": "user",
                "grantee_id": WES,
                "access": "write",
                "cause": "team",
            },
            {
                "object": "account",
                "record_id": ALDERCROFT,
                "grantee_kind": "user",
                "grantee_id": WES,
                "access": "read",
                "cause": "team",
            },
        ],
        "crm_note_link": [{"note_id": NOTE, "record_id": MARTHA}],
    }
    for table, found in more.items():
        rows.setdefault(table, []).extend(found)
    return rows


@pytest.fixture(scope="module")
def merge_image() -> bytes:
    return build_image(_more())


@pytest.fixture(params=["service", "tool"])
def world(request: pytest.FixtureRequest, merge_image: bytes) -> Iterator[World]:
    opened = World(merge_image, request.param)
    yield opened
    assert broken(opened.store) == []
    opened.close()


def merge(world: World, survivor: str, *losers: str, by: str = ADA, **choices: str) -> Any:
    """Merge records at their present versions."""
    versions = {record_id: world.version(record_id) for record_id in (survivor, *losers)}
    given = {"survivor": survivor, "losers": list(losers), "field_choices": choices, "row_versions": versions}
    return world.ask("merge_records", by=by, **given)


def refused(world: World, error: type[ServiceError], *records: str, by: str = ADA, **choices: str) -> str:
    """The message of a merge that is refused and writes nothing."""
    before = state_hash(world.store)
    with pytest.raises(error) as caught:
        merge(world, *records, by=by, **choices)
    assert state_hash(world.store) == before
    return caught.value.message


def test_crm_4_the_survivor_keeps_its_values_but_for_those_that_are_chosen(world: World) -> None:
    done = merge(world, ALDERCROFT, CRAFT, phone=CRAFT)
    assert (done["id"], done["merged"], done["row_version"]) == (ALDERCROFT, [CRAFT], 2)
    row = world.record(ALDERCROFT)
    assert (row["name"], row["region"], row["annual_revenue"]) == ("Aldercroft Ltd", "EMEA", 1_250_000_000)
    assert (row["phone"], row["phone_digits"], row["account_number"]) == ("+441632960099", "441632960099", "00012345")
    assert world.history(ALDERCROFT) == [("phone", "+441632960001", "+441632960099")]


def test_crm_4_an_empty_value_can_be_chosen_too(world: World) -> None:
    merge(world, ALDERCROFT, CRAFT, industry=CRAFT, type=CRAFT)
    assert (world.record(ALDERCROFT)["industry"], world.record(ALDERCROFT)["type"]) == (None, None)


def test_crm_4_a_chosen_unique_number_goes_over(world: World) -> None:
    merge(world, ALDERCROFT, CRAFT, account_number=CRAFT)
    assert world.record(ALDERCROFT)["account_number"] == "00099999"


def test_crm_4_an_amount_is_chosen_with_its_currency(world: World) -> None:
    merge(world, ALDERCROFT, CRAFT, annual_revenue=CRAFT)
    row = world.record(ALDERCROFT)
    assert (row["annual_revenue"], row["currency"]) == (500_000, "EUR")


def test_crm_4_losers_are_soft_deleted_each_by_itself_and_name_the_survivor(world: World) -> None:
    merge(world, ALDERCROFT, CRAFT, TERN)
    for loser in (CRAFT, TERN):
        row = world.record(loser)
        assert (row["is_deleted"], row["master_record_id"], row["delete_batch"]) == (1, ALDERCROFT, loser)
        assert (row["deleted_by"], row["row_version"]) == (ADA, 2)
    assert world.record(ALDERCROFT)["master_record_id"] is None


def test_crm_4_what_an_account_had_is_the_survivors(world: World) -> None:
    done = merge(world, BRIGHTMOOR, ALDERCROFT, CRAFT)
    for record_id in (MARTA, OSEI, MARTHA, BOSS, KESTREL, LEAK):
        assert world.record(record_id)["account_id"] == BRIGHTMOOR
    assert world.record(DAUGHTER)["parent_id"] == BRIGHTMOOR
    assert world.record(VISIT)["what_id"] == BRIGHTMOOR
    assert world.history(KESTREL) == [("account_id", ALDERCROFT, BRIGHTMOOR)]
    assert world.version(KESTREL) == 2
    assert done["moved"]["contact"] == 5
    assert world.record(BRIGHTMOOR)["last_activity_on"] == "2031-03-10"
    assert world.record(ALDERCROFT)["last_activity_on"] is None


def test_crm_4_what_is_in_the_bin_comes_back_to_the_survivor(world: World) -> None:
    merge(world, ALDERCROFT, CRAFT)
    world.undelete(GONE, by=ADA)
    assert world.record(GONE)["account_id"] == ALDERCROFT


def test_crm_4_links_keep_their_role_and_a_duplicate_key_fills_the_survivors_blanks(world: World) -> None:
    merge(world, ALDERCROFT, CRAFT)
    links = {row["contact_id"]: row for row in world.store.select("crm_account_contact", account_id=ALDERCROFT)}
    assert (links[OSEI]["role"], links[OSEI]["is_direct"]) == ("Influencer", 1)
    assert (links[MARTHA]["role"], links[MARTHA]["is_direct"]) == ("Other", 1)
    assert (links[BOSS]["role"], links[BOSS]["is_direct"]) == (None, 1)
    assert list(world.store.select("crm_account_contact", account_id=CRAFT)) == []


def test_crm_4_shares_go_over_and_the_survivors_own_wins(world: World) -> None:
    merge(world, ALDERCROFT, CRAFT)
    shares = {
        (row["grantee_id"], row["cause"]): row["access"]
        for row in world.store.select("crm_record_share", record_id=ALDERCROFT)
    }
    assert shares == {(MEI, "manual"): "write", (WES, "team"): "read"}
    assert list(world.store.select("crm_record_share", record_id=CRAFT)) == []


def test_crm_4_what_a_contact_had_is_the_survivors(world: World) -> None:
    merge(world, MARTHA, MARTA)
    roles = {
        row["opportunity_id"]: row for row in world.store.select("crm_opportunity_contact_role", contact_id=MARTHA)
    }
    assert (roles[KESTREL]["role"], roles[KESTREL]["is_primary"]) == ("Influencer", 1)
    assert (roles[HARBOUR]["role"], roles[HARBOUR]["is_primary"]) == ("Influencer", 1)
    assert world.record(LEAK)["contact_id"] == MARTHA
    assert world.record(OVERDUE)["who_id"] == MARTHA
    assert world.row("email_message", CASE_MAIL)["who_id"] == MARTHA
    assert {row["record_id"] for row in world.store.select("crm_note_link", note_id=NOTE)} == {KESTREL, MARTHA}
    links = {row["account_id"]: row for row in world.store.select("crm_account_contact", contact_id=MARTHA)}
    assert (links[ALDERCROFT]["role"], links[ALDERCROFT]["is_direct"]) == ("Other", 0)
    assert (links[CRAFT]["role"], links[CRAFT]["is_direct"]) == ("Evaluator", 1)


def test_crm_4_the_account_that_is_chosen_is_the_direct_one(world: World) -> None:
    merge(world, MARTHA, MARTA, account_id=MARTA)
    links = {
        row["account_id"]: row["is_direct"] for row in world.store.select("crm_account_contact", contact_id=MARTHA)
    }
    assert links == {ALDERCROFT: 1, CRAFT: 0}


def test_crm_4_who_reported_to_a_loser_reports_to_the_survivor(world: World) -> None:
    merge(world, MARTA, MARTHA)
    assert world.record(BOSS)["reports_to_id"] == MARTA


def test_crm_4_what_a_lead_had_is_the_survivors(world: World) -> None:
    had = {row["id"] for kind in ("task", "event") for row in world.store.select(f"crm_{kind}", who_id=NORA)}
    mails = {row["id"] for row in world.store.select("crm_email_message", who_id=NORA)}
    notes = {row["note_id"] for row in world.store.select("crm_note_link", record_id=NORA)}
    assert had
    assert mails
    assert notes
    merge(world, STALE, NORA)
    assert all(world.record(record_id)["who_id"] == STALE for record_id in had)
    assert all(world.row("email_message", record_id)["who_id"] == STALE for record_id in mails)
    assert {row["note_id"] for row in world.store.select("crm_note_link", record_id=STALE)} == notes


def test_crm_4_a_record_never_stands_above_itself(world: World) -> None:
    world.update(ALDERCROFT, {"parent_id": CRAFT}, by=ADA)
    merge(world, ALDERCROFT, CRAFT)
    assert world.record(ALDERCROFT)["parent_id"] is None


def test_crm_4_a_parent_above_the_losers_is_kept(world: World) -> None:
    world.update(ALDERCROFT, {"parent_id": CRAFT}, by=ADA)
    world.update(CRAFT, {"parent_id": TERN}, by=ADA)
    merge(world, ALDERCROFT, CRAFT)
    assert world.record(ALDERCROFT)["parent_id"] == TERN


def test_crm_4_a_merge_that_would_close_a_circle_is_refused(world: World) -> None:
    world.update(ALDERCROFT, {"parent_id": DAUGHTER}, by=ADA)
    assert "above and below" in refused(world, Invalid, ALDERCROFT, CRAFT)


def test_crm_4_undeleting_a_loser_restores_the_row_only(world: World) -> None:
    merge(world, ALDERCROFT, CRAFT)
    assert world.undelete(CRAFT, by=ADA)["restored"] == 1
    row = world.record(CRAFT)
    assert (row["is_deleted"], row["master_record_id"], row["name"]) == (0, None, "Aldercroft Limited")
    assert world.record(BOSS)["account_id"] == ALDERCROFT
    assert world.record(DAUGHTER)["parent_id"] == ALDERCROFT


def test_crm_4_a_contact_that_comes_back_stands_at_its_account_again(world: World) -> None:
    merge(world, MARTA, MARTHA)
    world.undelete(MARTHA, by=ADA)
    assert world.row("account_contact", (CRAFT, MARTHA))["is_direct"] == 1
    assert world.record(BOSS)["reports_to_id"] == MARTA


def test_crm_4_a_loser_whose_number_was_taken_over_does_not_come_back(world: World) -> None:
    merge(world, ALDERCROFT, CRAFT, account_number=CRAFT)
    with pytest.raises(Invalid, match="now belongs to Aldercroft Ltd"):
        world.undelete(CRAFT, by=ADA)


def test_crm_4_needs_delete_on_the_losers_and_edit_on_the_survivor(world: World) -> None:
    assert "may not delete accounts" in refused(world, Forbidden, ALDERCROFT, CRAFT, by=DANA)
    assert "but not delete it" in refused(world, Forbidden, JUN, MARTA, by=LUIS)
    assert "but not change" in refused(world, Forbidden, MARTA, JUN, by=LUIS)
    assert "may not delete" in refused(world, Forbidden, MARTA, OSEI, by=ROWAN)
    refused(world, NotFound, NORA, IVO, by=WES)
    merge(world, MARTA, OSEI, by=DANA)


def test_crm_4_choosing_another_owner_needs_the_right_to_give_it_away(world: World) -> None:
    world.update(JUN, {"owner_id": OLGA}, by=ADA)
    merge(world, MARTA, JUN, by=ADA, owner_id=JUN)
    assert world.record(MARTA)["owner_id"] == OLGA
    assert world.notes_to(OLGA)[-1].endswith("made you the owner of the contact Marta Ilić")


def test_crm_4_a_field_that_one_may_only_read_cannot_be_chosen(world: World) -> None:
    assert "no field" in refused(world, Invalid, ALDERCROFT, CRAFT, colour=CRAFT)
    assert "not among the records" in refused(world, Invalid, ALDERCROFT, CRAFT, phone=TERN)
    assert "no field" in refused(world, Invalid, ALDERCROFT, CRAFT, currency=CRAFT)
    assert "no field" in refused(world, Invalid, ALDERCROFT, CRAFT, is_deleted=CRAFT)


@pytest.mark.parametrize(
    ("records", "said"),
    [
        ((ALDERCROFT, ALDERCROFT), "once only"),
        ((ALDERCROFT, MARTA), "only records of one object"),
        ((KESTREL, HARBOUR), "cannot be merged"),
        ((ALDERCROFT, CRAFT, TERN, BRIGHTMOOR), "losers"),
    ],
)
def test_crm_4_two_or_three_records_of_one_object(world: World, records: tuple[str, ...], said: str) -> None:
    assert said in refused(world, Invalid, *records)


def test_crm_4_every_record_is_locked_at_the_version_that_was_read(world: World) -> None:
    versions = {ALDERCROFT: 1, CRAFT: 1}
    given = {"survivor": ALDERCROFT, "losers": [CRAFT]}
    for record_id in (ALDERCROFT, CRAFT):
        world.update(record_id, {"website": "www.example.com"}, by=PRIYA)
        with pytest.raises(Conflict, match="Priya Raman changed this account"):
            world.ask("merge_records", by=ADA, row_versions=versions, **given)
        versions[record_id] = 2
    with pytest.raises(Invalid, match="give the row_version"):
        world.ask("merge_records", by=ADA, row_versions={ALDERCROFT: 2}, **given)
    with pytest.raises(Invalid, match="not among the records"):
        world.ask("merge_records", by=ADA, row_versions=versions | {TERN: 1}, **given)
    world.ask("merge_records", by=ADA, row_versions=versions, **given)


def test_crm_4_of_two_people_who_merge_the_same_records_the_second_is_refused(world: World) -> None:
    merge(world, ALDERCROFT, CRAFT)
    assert "recycle bin" in refused(world, NotFound, CRAFT, ALDERCROFT, by=OLGA)


def test_crm_4_deleted_and_converted_records_are_not_merged(world: World) -> None:
    world.delete(BOSS, by=ADA)
    refused(world, NotFound, MARTA, BOSS)
    given = {"account": "new", "contact": "new", "opportunity": "none", "row_version": world.version(IVO)}
    done = world.ask("convert_lead", by=ADA, lead_id=IVO, **given)
    assert "converted" in refused(world, Forbidden, STALE, IVO)
    assert "converted" in refused(world, Forbidden, IVO, STALE)
    merge(world, ALDERCROFT, done["account_id"])
    merge(world, MARTA, done["contact_id"])
    row = world.record(IVO)
    assert (row["converted_account_id"], row["converted_contact_id"]) == (ALDERCROFT, MARTA)


def test_crm_4_the_bin_says_what_a_record_was_merged_into(world: World) -> None:
    merge(world, ALDERCROFT, CRAFT)
    found = world.read("deleted_record", {"id": CRAFT}, by=ADA)
    assert found["merged_into"] == {"object": "account", "id": ALDERCROFT, "name": "Aldercroft Ltd"}
    assert world.read("deleted_record", {"id": GONE}, by=ADA)["merged_into"] is None


def test_records_are_compared_field_by_field_before_they_are_merged(world: World) -> None:
    found = world.read("compare_records", {"ids": [ALDERCROFT, CRAFT]}, by=ADA)
    assert {"name", "phone", "region", "annual_revenue", "industry"} <= set(found["differing"])
    assert {"parent_id", "owner_id", "website"} <= set(found["same"])
    assert [row["related"] for row in found["records"]] == [
        {"contact": 2, "opportunity": 2, "case": 2, "event": 1},
        {"account": 1, "contact": 2},
    ]
    mine = world.read("compare_records", {"ids": [MARTA, JUN]}, by=DANA)["records"]
    assert [(row["may_keep"], row["may_lose"]) for row in mine] == [(True, True), (False, False)]
    with pytest.raises(Invalid, match="only records of one object"):
        world.read("compare_records", {"ids": [ALDERCROFT, MARTA]}, by=ADA)
    with pytest.raises(NotFound):
        world.read("compare_records", {"ids": [ALDERCROFT, ident("ACC", 99)]}, by=ADA)
