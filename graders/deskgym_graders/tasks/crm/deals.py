"""One opportunity: a field, a stage, a call, an owner, a contact's role."""

from __future__ import annotations

from deskgym_apps.kit.dates import add_days, long_date
from deskgym_apps.kit.store import Store
from deskgym_graders.comparators import Clock
from deskgym_graders.expected import changed, expected_row
from deskgym_graders.spec import Call, Draft, Expectation, Var, Variant
from deskgym_graders.tasks import template
from deskgym_seeds.streams import Stream

from . import picks

_STEPS = (
    "Send the revised drawing for the {n} inch flange",
    "Ask purchasing for the order number of lot {n}",
    "Agree on delivery in week {n}",
    "Get the safety data sheet for line {n} signed",
)
_AFTER = (
    "Send the order confirmation by week {n}",
    "Book the fitter for week {n}",
    "Hand over to service, folder {n}",
    "Order part {n} from stock",
)
_LOST = ("Price", "Timing", "No Budget", "Missing Feature", "Lost to Competitor", "No Decision", "Other")
_DETAILS = (
    "They wanted delivery within {n} days",
    "The competing offer was {n} percent lower",
    "The board froze spending for {n} months",
    "Their plant needs {n} more channels than we offer",
)


def phrase(stream: Stream, phrases: tuple[str, ...]) -> str:
    """A sentence with a number in it, so that few bindings share one."""
    return stream.choice(phrases).format(n=stream.uniform_int(12, 96))


@template("crm/next-step", kind="mutate", level=1)
def next_step(world: Store, stream: Stream) -> Draft:
    """Set the next step of one deal."""
    deal = picks.draw(stream, picks.workable(world), "open deal of an active owner")
    step = phrase(stream, _STEPS)
    others = [row for row in picks.deals(world, is_open=True) if row["id"] != deal["id"]]
    same_owner = [row for row in others if row["owner_id"] == deal["owner_id"]]
    call = picks.set_fields(deal, {"next_step": step})
    wrong = picks.first_where(same_owner, lambda row: True, "second deal of that owner")
    undo = picks.slip(wrong, {"next_step": step}, {"next_step": wrong["next_step"]})
    return Draft(
        instruction=f'Please set the next step of the opportunity "{deal["name"]}" to "{step}". Leave everything else '
        "about it as it is.",
        person_id=deal["owner_id"],
        expectation=Expectation(any_of=((changed("crm_opportunity", deal["id"], next_step=step),),)),
        oracle=(call,),
        variants=(
            Variant("the wrong deal first, then put right", (*undo, call)),
            Variant("a typing slip put right", picks.slip(deal, {"next_step": step[:-3]}, {"next_step": step})),
            Variant("the wrong deal", undo[:1], reason="MISSING"),
        ),
        distractors=(picks.distract("other open deals of the same owner", "crm_opportunity", same_owner),),
    )


@template("crm/close-won", kind="mutate", level=1, revision=2)
def close_won(world: Store, stream: Stream) -> Draft:
    """Move a deal to Closed Won, which also sets its close date to today, and set its next step."""
    rows = [
        row
        for row in picks.workable(world)
        if row["amount"] and row["close_date"] > picks.today(world, row["owner_id"])
    ]
    deal = picks.draw(stream, rows, "open deal with an amount and a close date to come")
    day, step = picks.today(world, deal["owner_id"]), phrase(stream, _AFTER)
    goal = picks.moved_to(world, deal, "Closed Won", close_date=day, next_step=step)

    def then(saved: str, **values: str) -> Call:
        return Call("crm_update", {"id": deal["id"], "row_version": Var(f"{saved}.row_version"), "values": values})

    won = picks.set_fields(deal, {"stage": "Closed Won"}, "won")
    by_hand = picks.set_fields(deal, {"stage": "Closed Won", "close_date": day}, "won")
    stepped = picks.set_fields(deal, {"next_step": step}, "stepped")
    return Draft(
        instruction=f'The customer has signed! Please mark the opportunity "{deal["name"]}" as Closed Won with today, '
        f'{long_date(day)}, as its close date, and set its next step to "{step}". The amount of '
        f"{picks.money_text(deal)} {deal['currency']} stays.",
        person_id=deal["owner_id"],
        expectation=Expectation(any_of=((goal,),)),
        oracle=(won, then("won", next_step=step)),
        variants=(
            Variant("the close date typed as well", (by_hand, then("won", next_step=step))),
            Variant("the next step first, the stage afterwards", (stepped, then("stepped", stage="Closed Won"))),
            Variant("the stage alone", (won,), reason="MISSING"),
        ),
        distractors=(picks.distract("other open deals", "crm_opportunity", [r for r in rows if r is not deal]),),
        because=picks.stage_rules(goal),
    )


@template("crm/close-lost", kind="mutate", level=1)
def close_lost(world: Store, stream: Stream) -> Draft:
    """Move a deal to Closed Lost with a reason and a detail."""
    rows = [row for row in picks.workable(world) if row["close_date"] > picks.today(world, row["owner_id"])]
    deal = picks.draw(stream, rows, "open deal with a close date to come")
    day, reason, detail = picks.today(world, deal["owner_id"]), stream.choice(_LOST), phrase(stream, _DETAILS)
    goal = picks.moved_to(world, deal, "Closed Lost", close_date=day, lost_reason=reason, lost_detail=detail)
    given = {"stage": "Closed Lost", "lost_reason": reason, "lost_detail": detail}
    other = next(value for value in _LOST[:-1] if value != reason)
    return Draft(
        instruction=f'We have lost "{deal["name"]}". Close it as Closed Lost today, {long_date(day)}, with the lost '
        f'reason {reason} and the lost detail "{detail}".',
        person_id=deal["owner_id"],
        expectation=Expectation(any_of=((goal,),)),
        oracle=(picks.set_fields(deal, given),),
        variants=(
            Variant("the reason corrected afterwards", picks.slip(deal, given | {"lost_reason": other}, given)),
            Variant(
                "the wrong reason", (picks.set_fields(deal, given | {"lost_reason": other}),), reason="WRONG_VALUE"
            ),
        ),
        distractors=(picks.distract("other open deals", "crm_opportunity", [r for r in rows if r is not deal]),),
        because=picks.stage_rules(goal),
    )


@template("crm/log-call", kind="mutate", level=2)
def log_call(world: Store, stream: Stream) -> Draft:
    """Log yesterday's call on a deal, then set the next step."""
    people = picks.named_once(world, "crm_contact", picks.live(world, "crm_contact"))
    known = {row["account_id"] for row in people}
    rows = [row for row in picks.workable(world) if row["account_id"] in known]
    deal = picks.draw(stream, rows, "open deal with a contact")
    who = stream.choice([row for row in people if row["account_id"] == deal["account_id"]])
    day = add_days(picks.today(world, deal["owner_id"]), -1)
    minutes, step = stream.uniform_int(11, 58), phrase(stream, _STEPS)
    subject = (
        f"Call about {stream.choice(('prices', 'delivery', 'the trial', 'the contract', 'service'))}, {minutes} min"
    )
    call = expected_row(
        "crm_task",
        subject=subject,
        kind="Call",
        status="Completed",
        completed_at=Clock(),
        due_date=day,
        duration_minutes=minutes,
        who_id=who["id"],
        what_id=deal["id"],
    )
    values = {
        "subject": subject,
        "due_date": day,
        "duration_minutes": minutes,
        "who_id": who["id"],
        "what_id": deal["id"],
    }
    logged = Call("crm_log_activity", {"kind": "call", "values": values})
    stepped = picks.set_fields(deal, {"next_step": step})
    others = [row for row in picks.live(world, "crm_contact") if row["id"] != who["id"]]
    short = Call("crm_log_activity", {"kind": "call", "values": values | {"duration_minutes": 10}}, "slip")
    longer = {"id": Var("slip.id"), "row_version": Var("slip.row_version"), "values": {"duration_minutes": minutes}}
    return Draft(
        instruction=f"Yesterday, {long_date(day)}, I had a {minutes}-minute call with {picks.label(who)} about the "
        f'opportunity "{deal["name"]}". Log it as a call with the subject "{subject}", related to that opportunity, '
        f'without comments. Then set the next step of the opportunity to "{step}".',
        person_id=deal["owner_id"],
        expectation=Expectation(any_of=((call, changed("crm_opportunity", deal["id"], next_step=step)),)),
        oracle=(logged, stepped),
        variants=(
            Variant("the next step first", (stepped, logged)),
            Variant("wrong minutes put right", (short, Call("crm_update", longer), stepped)),
            Variant("the call alone", (logged,), reason="MISSING"),
        ),
        distractors=(picks.distract("other contacts", "crm_contact", others),),
        because={"crm_task.kind": "it is logged as a call", "crm_task.status": "a call that was held is completed"},
    )
