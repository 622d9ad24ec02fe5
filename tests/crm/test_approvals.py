"""The approval process (row 27): entry criteria, approvers, the lock, final actions, recall, history, notifications."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from deskgym_apps.kit.errors import Forbidden, Invalid, NotFound, ServiceError

from .fixture import (
    ADA,
    ALDERCROFT,
    BRIGHTMOOR,
    DANA,
    DESK_GROUP,
    HARBOUR,
    KESTREL,
    LUIS,
    MEI,
    PRIYA,
    REVIEW,
    TECH_QUEUE,
    TOM,
    WES,
    Rows,
    World,
    ident,
)

LARGE = ident("APC", 2)


def process(**more: Any) -> Rows:
    """A process for open deals above 1, by default for Mei."""
    criteria = '[{"field":"is_closed","op":"equals","type":"bool","value":false}]'
    row = {"id": LARGE, "object": "opportunity", "name": "Deals", "criteria": criteria, "conditions": criteria,
           "approver_kind": "user", "approver_id": MEI}  # fmt: skip
    return {"crm_approval_process": [row | more]}


def act(world: World, action: str, record: str, by: str = DANA, **more: Any) -> Any:
    """submit, approve, reject or recall."""
    if world.door == "tool":
        return world.tool("approval", {"action": action, "id": record} | more, by=by)
    if action in ("approve", "reject"):
        return world.run("decide_approval", {"id": record, "decision": action} | more, by=by)
    return world.run(f"{action}_approval", {"id": record} | more, by=by)


def requests(world: World, record: str, by: str = DANA) -> list[dict[str, Any]]:
    return list(world.read("get", {"id": record, "related": ["approvals"]}, by=by)["related"]["approvals"]["rows"])


@pytest.fixture
def desk(world_with: Callable[..., World]) -> World:
    return world_with(process())


def test_a_record_that_meets_the_criteria_is_submitted_and_its_approver_is_told(desk: World) -> None:
    made = act(desk, "submit", KESTREL, comment="60 days to pay")
    assert (made["status"], made["process"], made["approver"]) == ("Pending", "Deals", "Mei Tanaka")
    row = requests(desk, KESTREL)[0]
    assert (row["status"], row["submitted_by_name"], row["request_comment"]) == (
        "Pending",
        "Dana Whitcombe",
        "60 days to pay",
    )
    told = desk.read("notifications", by=MEI)["rows"][0]
    assert (told["kind"], told["record_id"]) == ("approval_asked", KESTREL)
    assert desk.read("approvals", by=MEI)["rows"][0]["record_id"] == KESTREL
    assert desk.read("approvals", by=LUIS)["total"] == 0


def test_what_meets_no_active_process_is_not_submitted(world_with: Callable[..., World]) -> None:
    for more in ({"is_active": 0}, {"object": "account"}):
        world = world_with(process(**more))
        with pytest.raises(Invalid, match="no active approval process"):
            act(world, "submit", KESTREL)


def test_only_who_may_change_a_record_submits_it(desk: World) -> None:
    with pytest.raises((Forbidden, NotFound)):
        act(desk, "submit", KESTREL, by=WES)
    with pytest.raises(Invalid, match="are not submitted"):
        act(desk, "submit", ident("CON", 1))


def test_a_pending_record_is_locked_for_everybody(desk: World) -> None:
    act(desk, "submit", KESTREL)
    for person in (DANA, PRIYA, ADA):
        with pytest.raises(Forbidden, match="locked while its approval is pending"):
            desk.update(KESTREL, {"next_step": "Call"}, by=person)
        assert desk.read("get", {"id": KESTREL}, by=person)["access"] == {
            "edit": False,
            "delete": False,
            "transfer": False,
        }
    with pytest.raises(Forbidden, match="locked"):
        desk.run("delete_opportunity", {"id": KESTREL})
    with pytest.raises(Invalid, match="pending already"):
        act(desk, "submit", KESTREL)


def test_lists_and_many_changes_at_once_know_the_lock(desk: World) -> None:
    act(desk, "submit", KESTREL)
    access = desk.read("record_access", {"object": "opportunity", "ids": [KESTREL, HARBOUR]}, by=ADA)["access"]
    assert (access[KESTREL]["edit"], access[HARBOUR]["edit"]) == (False, True)
    many = {"object": "opportunity", "ids": [KESTREL, HARBOUR], "values": {"next_step": "x"}, "expected_count": 2}
    with pytest.raises(ServiceError):
        desk.run("bulk_update", many, by=ADA)
    assert desk.store.get("crm_opportunity", HARBOUR)["next_step"] != "x"  # type: ignore[index]


def test_crm_10_an_account_is_not_deleted_while_an_approval_below_it_is_pending(desk: World) -> None:
    act(desk, "submit", KESTREL)
    account = str(desk.store.get("crm_opportunity", KESTREL)["account_id"])  # type: ignore[index]
    with pytest.raises(Invalid, match="an approval is pending of") as caught:
        desk.run("delete_account", {"id": account}, by=ADA)
    assert KESTREL in {row["id"] for row in caught.value.details["records"]}


def test_only_the_approver_decides(desk: World) -> None:
    act(desk, "submit", KESTREL)
    for person in (DANA, PRIYA, ADA):
        with pytest.raises(Forbidden, match="only the approver"):
            act(desk, "approve", KESTREL, by=person)
    with pytest.raises(NotFound):
        act(desk, "approve", KESTREL, by=WES)
    assert act(desk, "approve", KESTREL, by=MEI, comment="Fine")["status"] == "Approved"
    row = requests(desk, KESTREL)[0]
    assert (row["decided_by_name"], row["comment"]) == ("Mei Tanaka", "Fine")
    assert desk.read("notifications")["rows"][0]["kind"] == "approval_decided"
    desk.update(KESTREL, {"next_step": "Call"})


def test_a_decision_sets_what_the_process_says_with_history(world_with: Callable[..., World]) -> None:
    more = {"approve_field": "stage", "approve_value": "Negotiation/Review"}
    more |= {"reject_field": "next_step", "reject_value": "Revise the offer"}
    world = world_with(process(**more))
    act(world, "submit", KESTREL)
    act(world, "reject", KESTREL, by=MEI)
    assert world.store.get("crm_opportunity", KESTREL)["next_step"] == "Revise the offer"  # type: ignore[index]
    act(world, "submit", KESTREL)
    act(world, "approve", KESTREL, by=MEI)
    deal = world.store.get("crm_opportunity", KESTREL) or {}
    assert (deal["stage"], deal["probability"]) == ("Negotiation/Review", 90)
    assert "stage" in {field for field, _, _ in world.history(KESTREL)}
    assert [row["status"] for row in requests(world, KESTREL)] == ["Approved", "Rejected"]


def test_a_final_action_that_a_rule_forbids_leaves_the_request_pending(world_with: Callable[..., World]) -> None:
    world = world_with(process(approve_field="stage", approve_value="Closed Lost"))
    act(world, "submit", KESTREL)
    with pytest.raises(Invalid):
        act(world, "approve", KESTREL, by=MEI)
    assert requests(world, KESTREL)[0]["status"] == "Pending"


def test_the_submitter_and_who_could_change_the_record_recall(desk: World) -> None:
    act(desk, "submit", KESTREL)
    with pytest.raises((Forbidden, NotFound)):
        act(desk, "recall", KESTREL, by=MEI)
    act(desk, "recall", KESTREL, comment="Too early")
    assert requests(desk, KESTREL)[0]["status"] == "Recalled"
    act(desk, "submit", KESTREL)
    act(desk, "recall", KESTREL, by=PRIYA)
    with pytest.raises(Invalid, match="no approval of this opportunity is pending"):
        act(desk, "recall", KESTREL)


@pytest.mark.parametrize("group", [DESK_GROUP, TECH_QUEUE])
def test_any_member_of_a_group_or_queue_decides(world_with: Callable[..., World], group: str) -> None:
    world = world_with(process(approver_kind="group", approver_id=group))
    member = MEI if group == DESK_GROUP else ident("PRS", 10)
    act(world, "submit", KESTREL)
    assert world.read("approvals", by=member)["total"] == 1
    with pytest.raises(ServiceError):
        act(world, "approve", KESTREL, by=WES)
    act(world, "approve", KESTREL, by=member)


def test_the_manager_of_the_submitter_decides(world_with: Callable[..., World]) -> None:
    world = world_with(process(approver_kind="manager", approver_id=None))
    with pytest.raises(Invalid, match="no active manager"):
        act(world, "submit", KESTREL)
    world.run("update_user", {"id": DANA, "row_version": 1, "values": {"manager_id": PRIYA}}, by=ADA)
    assert act(world, "submit", KESTREL)["approver"] == "Priya Raman"
    act(world, "approve", KESTREL, by=PRIYA)


def test_an_administrator_sets_a_process_up(world: World) -> None:
    values: dict[str, Any] = {"object": "account", "name": "New customers", "approver_kind": "user",
                              "approver_id": MEI, "criteria": [{"field": "type", "op": "blank"}]}  # fmt: skip
    if world.door == "tool":
        made = world.tool("create", {"object": "approval_process", "values": values}, by=ADA)["id"]
    else:
        made = world.run("create_approval_process", values, by=ADA)["id"]
    with pytest.raises(Forbidden):
        world.run("create_approval_process", values | {"name": "x"}, by=PRIYA)
    got = world.read("get", {"id": made}, by=ADA)["record"]
    assert (got["approver_name"], got["pending"], got["is_active"]) == ("Mei Tanaka", 0, True)
    wrong = (
        {"approver_id": TOM}, {"approver_kind": "group"}, {"approver_kind": "user", "approver_id": None},
        {"approve_field": "name"}, {"approve_field": "amount", "approve_value": "1"},
        {"approve_field": "type", "approve_value": "Friend"}, {"name": None}, {"criteria": None},
        {"criteria": [{"field": "nothing", "op": "blank"}]}, {"approver_kind": None},
    )  # fmt: skip
    for item in wrong:
        with pytest.raises(Invalid):
            world.run("update_approval_process", {"id": made, "row_version": 1, "values": item}, by=ADA)
    world.run("delete_approval_process", {"id": made}, by=ADA)


def test_a_process_that_was_used_stays(desk: World) -> None:
    act(desk, "submit", KESTREL)
    with pytest.raises(Invalid, match="switch it off instead"):
        desk.run("delete_approval_process", {"id": LARGE}, by=ADA)
    off = {"id": LARGE, "row_version": 1, "values": {"is_active": False}}
    desk.run("update_approval_process", off, by=ADA)
    act(desk, "approve", KESTREL, by=MEI)  # what is pending is decided all the same


def test_crm_7_a_quote_goes_through_the_same_mechanism(world: World) -> None:
    offer = str(world.run("create_quote", {"opportunity_id": KESTREL, "name": "Offer"})["id"])
    with pytest.raises(Invalid, match="mark it as Needs Review"):
        act(world, "submit", offer)
    world.run("set_quote_status", {"id": offer, "status": "Needs Review"})
    act(world, "submit", offer)
    assert world.store.get("crm_quote", offer)["status"] == "In Review"  # type: ignore[index]
    with pytest.raises(Forbidden, match="a manager above the opportunity's owner"):
        act(world, "approve", offer)
    act(world, "reject", offer, by=PRIYA)
    assert world.store.get("crm_quote", offer)["status"] == "Rejected"  # type: ignore[index]
    world.run("set_quote_status", {"id": offer, "status": "Needs Review"})
    world.run("set_quote_status", {"id": offer, "status": "In Review"})
    world.run("set_quote_status", {"id": offer, "status": "Draft"})
    assert [row["status"] for row in requests(world, offer)] == ["Recalled", "Rejected"]
    assert {row["process_id"] for row in world.store.all("SELECT process_id FROM crm_approval_request")} == {REVIEW}


def test_a_pending_deal_locks_its_lines_and_quotes_but_not_what_is_written_about_it(desk: World) -> None:
    offer = str(desk.run("create_quote", {"opportunity_id": KESTREL, "name": "Offer"})["id"])
    act(desk, "submit", KESTREL)
    with pytest.raises(Forbidden):
        desk.run("update_quote", {"id": offer, "row_version": 1, "values": {"name": "Other"}})
    desk.run("create_task", {"subject": "Ask Mei", "what_id": KESTREL})


def test_requests_are_seen_by_those_they_concern(desk: World) -> None:
    act(desk, "submit", KESTREL)
    assert desk.read("query", {"object": "approval_request"})["total"] == 1
    assert desk.read("query", {"object": "approval_request"}, by=WES)["total"] == 0
    assert desk.read("query", {"object": "approval_request"}, by=ADA)["total"] == 1
    assert "approvals" in desk.read("describe", {"object": "account"})["related"]
    assert desk.read("get", {"id": ALDERCROFT, "related": ["approvals"]})["related"]["approvals"]["total"] == 0


def test_crm_4_what_was_decided_about_a_merged_record_is_about_the_survivor(world_with: Callable[..., World]) -> None:
    criteria = '[{"field":"name","op":"not_blank"}]'
    world = world_with(process(object="account", criteria=criteria, conditions=criteria))
    act(world, "submit", BRIGHTMOOR, by=ADA)
    versions = {record: world.version(record) for record in (ALDERCROFT, BRIGHTMOOR)}
    given = {"survivor": ALDERCROFT, "losers": [BRIGHTMOOR], "row_versions": versions}
    with pytest.raises(Forbidden):
        world.ask("merge_records", by=ADA, **given)
    act(world, "approve", BRIGHTMOOR, by=MEI)
    merged = world.ask("merge_records", by=ADA, **given)
    assert merged["moved"]["approval_request"] == 1
    assert [row["status"] for row in requests(world, ALDERCROFT, by=ADA)] == ["Approved"]


def test_a_process_whose_approver_has_left_is_switched_off_but_not_on_again(desk: World) -> None:
    desk.run("update_user", {"id": MEI, "row_version": 1, "values": {"is_active": False}}, by=ADA)
    off = {"id": LARGE, "row_version": 1, "values": {"is_active": False}}
    assert desk.run("update_approval_process", off, by=ADA)["row_version"] == 2
    on = {"id": LARGE, "row_version": 2, "values": {"is_active": True}}
    with pytest.raises(Invalid, match="is no active user"):
        desk.run("update_approval_process", on, by=ADA)
