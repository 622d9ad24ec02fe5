"""Approvals (row 27): a deal that has to be approved before it goes on, and a process that asks for that."""

from __future__ import annotations

from typing import Any

from deskgym_apps.crm.rules_setup import criteria_form
from deskgym_apps.kit.call import canonical_json
from deskgym_apps.kit.money import exponent
from deskgym_apps.kit.store import Store
from deskgym_graders.expected import expected_row
from deskgym_graders.spec import Call, Draft, Expectation, Variant
from deskgym_graders.tasks import template
from deskgym_seeds.streams import Stream

from ..per_world import per_world
from . import picks
from .administration import users
from .picks import Row

_STAGE = "Proposal/Price Quote"
_BEFORE = ("Needs Analysis", "Value Proposition", "Id. Decision Makers", "Perception Analysis")
_LEAST = 20_000  # of the process, in major units
_COMMENTS = (
    "The customer asks for {n} days to pay.",
    "Delivery has to be within {n} days.",
    "The offer holds for {n} days.",
    "Training for {n} people is included.",
)


@per_world
def _process(world: Store) -> Row:
    return next(row for row in picks.every(world, "crm_approval_process") if row["name"] == "Large deals")


@per_world
def _to_submit(world: Store) -> list[tuple[Row, str]]:
    """Open deals on their way that the process takes once they are at a quote, with the manager of their owner."""
    managers = {row["person_id"]: row["manager_id"] for row in picks.every(world, "crm_user")}
    active = {row["id"] for row in users(world)}
    return [
        (row, managers[row["owner_id"]])
        for row in picks.workable(world)
        if row["stage"] in _BEFORE
        and (row["amount"] or 0) >= _LEAST * 10 ** exponent(row["currency"])
        and managers[row["owner_id"]] in active
    ]


@template("crm/submit-for-approval", kind="mutate", level=3)
def submit_for_approval(world: Store, stream: Stream) -> Draft:
    """Move a deal to the stage from which it must be approved, and submit it with a comment."""
    deal, manager = picks.draw(stream, _to_submit(world), "large deal before its quote")
    comment = stream.choice(_COMMENTS).format(n=stream.uniform_int(12, 96))
    process = _process(world)
    goal = picks.moved_to(world, deal, _STAGE)
    request = expected_row(
        "crm_approval_request",
        process_id=process["id"],
        object="opportunity",
        record_id=deal["id"],
        approver_kind=process["approver_kind"],
        approver_id=manager,
        request_comment=comment,
    )
    move = picks.set_fields(deal, {"stage": _STAGE}, "moved")

    def act(action: str, said: str | None = comment) -> Call:
        return Call("crm_approval", {"action": action, "id": deal["id"]} | ({"comment": said} if said else {}))

    late = picks.set_fields(deal, {"stage": "Negotiation/Review"}, "moved")
    others = [row for row, _ in _to_submit(world) if row["id"] != deal["id"]]
    return Draft(
        instruction=f'The opportunity "{deal["name"]}" is at the stage {_STAGE} now: please move it there. A deal of '
        "this size then needs the approval of your manager, so submit it for approval as well, with exactly this "
        f'comment: "{comment}" Do nothing else about it.',
        person_id=deal["owner_id"],
        expectation=Expectation(any_of=((goal, request),)),
        oracle=(move, act("submit")),
        variants=(
            Variant("after a look at it", (Call("crm_get", {"id": deal["id"]}), move, act("submit"))),
            Variant("moved and not submitted", (move,), None, "MISSING"),
            Variant("without the comment", (move, act("submit", None)), None, "MISSING"),
            Variant("submitted and recalled", (move, act("submit"), act("recall", None)), None, "COLLATERAL"),
            Variant("a stage too far", (late, act("submit")), None, "WRONG_VALUE"),
        ),
        distractors=(picks.distract("other large deals", "crm_opportunity", others),),
        because=picks.stage_rules(goal)
        | {
            "process_id": "the process of large deals, the only one that takes it",
            "approver_kind": "the process leaves it to the manager",
            "approver_id": "the manager of who submits",
            "record_id": "the instruction names the opportunity",
            "object": "an opportunity",
        },
    )


_OPERATORS = {"gte": "at least", "gt": "more than"}


@template("crm/approval-process", kind="mutate", level=4)
def approval_process(world: Store, stream: Stream) -> Draft:
    """Set an approval process up: criteria, approver, what is set after a decision."""
    region, least = stream.choice(("AMER", "EMEA", "APAC")), 5_000 * stream.uniform_int(9, 90)
    op = stream.choice(tuple(_OPERATORS))
    kinds = stream.choice(("New Business", "Expansion", "Renewal", "Replacement"))
    approver = picks.draw(stream, users(world), "active user")
    name = f"{region} deals {stream.uniform_int(100, 999)}"
    number = stream.uniform_int(1000, 9999)
    yes, no = f"Approved under {number}", f"Stopped under {number}"
    parts: list[dict[str, Any]] = [
        {"field": "amount", "op": op, "value": str(least)},
        {"field": "account.region", "op": "equals", "value": region},
        {"field": "type", "op": "equals", "value": kinds},
    ]
    types = {"amount": "money", "account.region": "picklist", "type": "picklist"}
    form = criteria_form(world, {"criteria": canonical_json([part | {"type": types[part["field"]]} for part in parts])})
    values: dict[str, Any] = {
        "object": "opportunity",
        "name": name,
        "approver_kind": "user",
        "approver_id": approver["id"],
        "approve_field": "next_step",
        "approve_value": yes,
        "reject_field": "next_step",
        "reject_value": no,
    }

    def made(criteria: list[dict[str, Any]], **more: Any) -> Call:
        return Call("crm_create", {"object": "approval_process", "values": values | {"criteria": criteria} | more})

    swapped = {"approve_value": no, "reject_value": yes}
    return Draft(
        instruction=f'Please set up an approval process "{name}" for opportunities. It takes those whose amount is '
        f"{_OPERATORS[op]} {least:,}, whose account is in the region {region}, and whose type is {kinds}; all of that "
        f"has to hold. {approver['name']} ({approver['title']}) approves. After an approval the next step becomes "
        f'"{yes}", after a rejection "{no}". The process is active; the processes that there are stay as they are.',
        person_id=picks.administrator(world),
        expectation=Expectation(any_of=((expected_row("crm_approval_process", **values, conditions=form),),)),
        oracle=(made(parts),),
        variants=(
            Variant("criteria in another order", (made(parts[::-1]),)),
            Variant("without the type", (made(parts[:2]),), None, "MISSING"),
            Variant(
                "ten times the amount", (made([parts[0] | {"value": str(least * 10)}, *parts[1:]]),), None, "MISSING"
            ),
            Variant("decisions the wrong way round", (made(parts, **swapped),), None, "MISSING"),
            Variant("not active", (made(parts, is_active=False),), None, "COLLATERAL"),
            Variant(
                "left to the manager",
                (made(parts, approver_kind="manager", approver_id=None),),
                None,
                "MISSING",
            ),
        ),
        distractors=(
            picks.distract("processes that stay", "crm_approval_process", picks.every(world, "crm_approval_process")),
        ),
        because={
            "approver_kind": "a colleague is named",
            "approver_id": "the instruction names the colleague",
            "approve_field": "the next step, as the instruction says",
            "reject_field": "the next step, as the instruction says",
            "conditions": "amount, region and type, in normal form",
            "object": "the instruction says what it is for",
        },
    )
