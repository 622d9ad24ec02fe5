"""Who owns a deal and who plays which part in it; deals put on hold or opened again."""

from __future__ import annotations

from deskgym_apps.kit.dates import add_days, add_seconds, long_date
from deskgym_apps.kit.money import format_amount, plain_amount
from deskgym_apps.kit.store import Store
from deskgym_graders.comparators import Comparator, Eq, Money, OneOf
from deskgym_graders.expected import answer_spec, changed, expected_row
from deskgym_graders.spec import Call, Draft, Expectation, Goal, Never, Submission, Var, Variant
from deskgym_graders.tasks import template
from deskgym_seeds.streams import Stream

from ..per_world import per_world
from . import picks
from .picks import Row

_PARTS = ("Decision Maker", "Economic Buyer", "Technical Buyer", "Executive Sponsor", "Influencer", "Evaluator")


def _open_tasks(world: Store, deal: Row) -> list[Row]:
    return [
        row
        for row in picks.live(world, "crm_task", what_id=deal["id"], owner_id=deal["owner_id"])
        if row["status"] != "Completed"
    ]


def _coming_events(world: Store, deal: Row) -> list[Row]:
    rows = picks.live(world, "crm_event", what_id=deal["id"], owner_id=deal["owner_id"])
    return [row for row in rows if row["end_at"] > world.now]


def _is_settled(world: Store, deal: Row) -> bool:
    """Whether all coming events begin tomorrow or later: none can begin or end while the work goes on."""
    line = add_seconds(world.now, 86_400)
    return all(row["start_at"] > line for row in _coming_events(world, deal))


@per_world
def _can_move(world: Store) -> list[Row]:
    """Open deals with an open task of their owners, the coming events of which are some way off."""
    return [row for row in picks.workable(world) if _open_tasks(world, row) and _is_settled(world, row)]


@template("crm/hand-over", kind="mutate", level=2)
def hand_over(world: Store, stream: Stream) -> Draft:
    """Give a deal to a colleague, with the open activities and without the finished ones."""
    deal = picks.draw(stream, _can_move(world), "open deal with an open task of its owner")
    new = stream.choice([row for row in picks.sellers(world) if row["id"] != deal["owner_id"]])
    tasks, events = _open_tasks(world, deal), _coming_events(world, deal)
    goal: Goal = (
        changed("crm_opportunity", deal["id"], owner_id=new["id"]),
        *(changed("crm_task", row["id"], owner_id=new["id"]) for row in tasks),
        *(changed("crm_event", row["id"], owner_id=new["id"]) for row in events),
    )
    args = {"id": deal["id"], "row_version": deal["row_version"], "values": {"owner_id": new["id"]}}
    by_hand = tuple(picks.set_fields(row, {"owner_id": new["id"]}) for row in (*tasks, *events))
    done = [row for row in picks.live(world, "crm_task", what_id=deal["id"]) if row not in tasks]
    done = done or [row for row in picks.live(world, "crm_task", owner_id=deal["owner_id"]) if row not in tasks]
    return Draft(
        instruction=f'{new["name"]} takes over the opportunity "{deal["name"]}" from '
        f"{picks.person(world, deal['owner_id'])['name']}. Make {new['name']} its owner, and let the present owner's "
        "open tasks and coming events about it move along. Completed ones stay where they are.",
        person_id=picks.administrator(world),
        expectation=Expectation(any_of=(goal,)),
        oracle=(Call("crm_update", args | {"move_open_activities": True}),),
        variants=(
            Variant("every activity by hand", (*by_hand, Call("crm_update", args))),
            Variant("the deal alone", (Call("crm_update", args),), reason="MISSING"),
        ),
        distractors=(picks.distract("completed or other tasks", "crm_task", done),),
    )


@per_world
def _primaries(world: Store) -> dict[str, str]:
    """The primary contact of each deal that has one."""
    rows = picks.every(world, "crm_opportunity_contact_role")
    return {str(row["opportunity_id"]): str(row["contact_id"]) for row in rows if row["is_primary"]}


@per_world
def _second_contacts(world: Store) -> list[tuple[Row, list[Row]]]:
    """Deals with a primary contact, and the other people of the customer that a name points to."""
    people: dict[str, list[Row]] = {}
    for row in picks.named_once(world, "crm_contact", picks.live(world, "crm_contact")):
        people.setdefault(row["account_id"], []).append(row)
    primaries = _primaries(world)
    found = [
        (deal, [row for row in people.get(deal["account_id"], []) if row["id"] != primaries[deal["id"]]])
        for deal in picks.workable(world)
        if deal["id"] in primaries
    ]
    return [(deal, others) for deal, others in found if others]


@template("crm/primary-contact", kind="mutate", level=2)
def primary_contact(world: Store, stream: Stream) -> Draft:
    """Make another contact of the customer the primary one of a deal, in a given role."""
    deal, others = picks.draw(stream, _second_contacts(world), "deal with a second contact")
    old = _primaries(world)[deal["id"]]
    who = stream.choice(others)
    known = world.get("crm_opportunity_contact_role", (deal["id"], who["id"]))
    role = stream.choice([part for part in _PARTS if known is None or known["role"] != part])
    table, key = "crm_opportunity_contact_role", (deal["id"], who["id"])
    part = (
        expected_row(table, opportunity_id=deal["id"], contact_id=who["id"], role=role, is_primary=1)
        if known is None
        else changed(table, key, role=role, is_primary=1)
    )
    given = {"opportunity_id": deal["id"], "contact_id": who["id"], "is_primary": True}
    other = next(value for value in _PARTS if value != role)
    given |= {"action": "set_role"}
    right = Call("crm_link_contact", given | {"role": role})
    former = changed(table, (deal["id"], old), is_primary=0)
    rest = [row for row in picks.live(world, "crm_contact", account_id=deal["account_id"]) if row["id"] != who["id"]]
    return Draft(
        instruction=f'{picks.label(who)} has become our main contact for "{deal["name"]}". Make {picks.label(who)} '
        f"the primary contact of that opportunity, in the role {role}. The former primary contact keeps the role "
        "there, but is primary no longer.",
        person_id=deal["owner_id"],
        expectation=Expectation(any_of=((former, part),)),
        oracle=(right,),
        variants=(
            Variant(
                "another role first",
                (Call("crm_link_contact", given | {"role": other}), right),
            ),
        ),
        distractors=(picks.distract("other contacts of the customer", "crm_contact", rest),),
    )


@template("crm/hold-deal", kind="mutate", level=2)
def hold_deal(world: Store, stream: Stream) -> Draft:
    """Put a deal off without ever closing it."""
    deal = picks.draw(stream, picks.workable(world), "open deal of an active owner")
    day = add_days(picks.today(world, deal["owner_id"]), stream.uniform_int(100, 190))
    step = f"On hold until {long_date(day)}"
    others = [row for row in picks.deals(world, is_open=True) if row["id"] != deal["id"]]
    mine = [row for row in others if row["owner_id"] == deal["owner_id"]] or others
    values = {"close_date": day, "next_step": step}
    reason = {"stage": "Closed Lost", "lost_reason": "Timing"}
    lost = picks.set_fields(deal, values | reason, "lost")
    dated = picks.set_fields(deal, {"close_date": day}, "dated")
    return Draft(
        instruction=f'The customer has put "{deal["name"]}" on hold. Move its close date to {long_date(day)} and set '
        f'its next step to "{step}". Never close the opportunity, not even for a moment: closing tells the customer '
        "that we have given up.",
        person_id=deal["owner_id"],
        expectation=Expectation(
            any_of=((changed("crm_opportunity", deal["id"], **values),),),
            never=(
                Never(
                    "update",
                    "crm_opportunity",
                    {"id": Eq(deal["id"]), "stage": OneOf(("Closed Won", "Closed Lost"))},
                    ("stage",),
                ),
            ),
        ),
        oracle=(picks.set_fields(deal, values),),
        variants=(
            Variant(
                "field by field",
                (
                    dated,
                    Call(
                        "crm_update",
                        {"id": deal["id"], "row_version": Var("dated.row_version"), "values": {"next_step": step}},
                    ),
                ),
            ),
            Variant("closed as lost", (lost,), reason="FORBIDDEN"),
        ),
        distractors=(picks.distract("other open deals", "crm_opportunity", mine),),
    )


@template("crm/reopen-lost", kind="mutate", level=3)
def reopen_lost(world: Store, stream: Stream) -> Draft:
    """Open a lost deal again, which clears its reason and sets the stage's own probability."""
    known = [
        row
        for row in picks.workable(world, is_open=False)
        if row["stage"] == "Closed Lost" and row["amount"] and row["lost_reason"]
    ]
    deal = picks.draw(stream, known, "lost deal")
    stage = stream.choice(("Qualification", "Needs Analysis", "Value Proposition", "Negotiation/Review"))
    who = picks.administrator(world)
    day = add_days(picks.today(world, who), stream.uniform_int(20, 120))
    cleared = {"closed_at": None, "lost_reason": None} | ({"lost_detail": None} if deal["lost_detail"] else {})
    goal = picks.moved_to(world, deal, stage, close_date=day, **cleared)
    values = {"stage": stage, "close_date": day}
    staged = picks.set_fields(deal, values | {"stage": "Prospecting"}, "staged")
    mended = Call("crm_update", {"id": deal["id"], "row_version": Var("staged.row_version"), "values": values})
    rest = [row for row in known if row["id"] != deal["id"]]
    return Draft(
        instruction=f'Good news: "{deal["name"]}", which we had lost, is alive again. Reopen it in the stage {stage} '
        f"with the close date {long_date(day)} and the stage's own probability.",
        person_id=who,
        expectation=Expectation(any_of=((goal,),)),
        oracle=(picks.set_fields(deal, values),),
        variants=(Variant("reopened in the wrong stage first", (staged, mended)),),
        distractors=(picks.distract("other lost deals", "crm_opportunity", rest),),
        because=picks.stage_rules(goal)
        | {name: "reopening clears it" for name in ("lost_reason", "lost_detail") if name in goal.set},
    )


@template("crm/new-amount", kind="mutate+answer", level=2)
def new_amount(world: Store, stream: Stream) -> Draft:
    """Change a deal's amount and say what revenue is expected of it now."""
    sold = {row["opportunity_id"] for row in picks.every(world, "crm_opportunity_line")}
    rows = [row for row in picks.workable(world) if row["id"] not in sold and 0 < row["probability"] < 100]
    deal = picks.draw(stream, rows, "open deal without products")
    currency, probability = deal["currency"], deal["probability"]
    minor = stream.uniform_int(1_000_001, 9_999_999)
    expected = (minor * probability + 50) // 100
    old = deal["expected_revenue"]

    def answer(value: int) -> dict[str, str]:
        return {"expected_revenue": format_amount(value, currency), "currency": currency}

    values = {"amount": plain_amount(minor, currency)}
    wrong = {"the amount itself": answer(minor), "rounded down": answer(minor * probability // 100)}
    if old is not None:
        wrong["as it was"] = answer(old)
    wrong = {name: given for name, given in wrong.items() if given != answer(expected)}
    rest = [row for row in rows if row["id"] != deal["id"]]
    fields: dict[str, Comparator] = {"expected_revenue": Money(expected, currency), "currency": Eq(currency)}
    titles = {"expected_revenue": "In major units", "currency": "ISO code of the currency"}
    return Draft(
        instruction=f'Set the amount of the opportunity "{deal["name"]}" to {format_amount(minor, currency)} '
        f"{currency} and leave the rest alone. Then tell me its expected revenue.",
        person_id=deal["owner_id"],
        expectation=Expectation(
            any_of=((changed("crm_opportunity", deal["id"], amount=Money(minor, currency)),),),
            answer=answer_spec(fields, titles),
        ),
        oracle=(picks.set_fields(deal, values),),
        submission=Submission(answer=answer(expected)),
        variants=(
            Variant(
                "a digit too many, put right",
                picks.slip(deal, {"amount": plain_amount(minor * 10, currency)}, values),
            ),
            Variant(
                "the answer as a plain number",
                (picks.set_fields(deal, values),),
                Submission(answer={"expected_revenue": plain_amount(expected, currency), "currency": currency}),
            ),
        ),
        wrong_answers=wrong,
        distractors=(picks.distract("other open deals without products", "crm_opportunity", rest),),
    )
