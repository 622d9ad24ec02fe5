"""Deleting an account: blocked by a deal that was won, or not."""

from __future__ import annotations

from deskgym_apps.kit.store import Store
from deskgym_graders.codec import SpecError
from deskgym_graders.comparators import Eq, TextEq
from deskgym_graders.expected import answer_spec, changed
from deskgym_graders.spec import AnswerSpec, Call, Draft, Expectation, Goal, Submission, Variant
from deskgym_graders.tasks import template
from deskgym_seeds.streams import Stream

from . import picks
from .picks import Row

_NONE = "none"
_MOST = 60
_FIELDS = {
    "account": "The account's name",
    "contacts": "How many contacts it has",
    "latest": "The name of its opportunity with the latest close date",
    "blocking": "The name of the opportunity that stands in the way, or none",
}


def _wording(account: Row) -> str:
    return (
        f"Delete the account {account['name']} in {account['bill_city']}, with all that belongs to it. Before you do, "
        "note down its name, how many contacts belong to it and the name of its opportunity with the latest close "
        "date, and hand these in. If it cannot be deleted, change nothing, and hand in as infeasible with the reason "
        "code won_opportunity, no_permission or no_such_account, and with the name of the opportunity that stands in "
        'the way; otherwise "none" stands for it.'
    )


def _answer(account: Row, contacts: int, latest: str, blocking: str) -> dict[str, object]:
    return {"account": account["name"], "contacts": contacts, "latest": latest, "blocking": blocking}


def _spec(answer: dict[str, object]) -> AnswerSpec:
    fields = {name: Eq(value) if isinstance(value, int) else TextEq(str(value)) for name, value in answer.items()}
    return answer_spec(fields, _FIELDS)


def _family(world: Store, account: Row) -> tuple[list[Row], list[Row]]:
    """Contacts and opportunities of an account."""
    key = account["id"]
    return picks.live(world, "crm_contact", account_id=key), picks.live(world, "crm_opportunity", account_id=key)


def _latest(rows: list[Row]) -> str | None:
    """The name of the opportunity that closes last, None where two do or there is none."""
    ordered = sorted(rows, key=lambda row: str(row["close_date"]))
    if not ordered or (len(ordered) > 1 and ordered[-1]["close_date"] == ordered[-2]["close_date"]):
        return None
    return str(ordered[-1]["name"])


def _named_with_city(world: Store) -> list[Row]:
    rows = picks.named_once(world, "crm_account", picks.live(world, "crm_account"))
    return [row for row in rows if row["bill_city"]]


def _activities(world: Store, gone: set[str]) -> tuple[list[tuple[str, Row]], bool]:
    """Activities and notes about rows that go, and whether all of them are about nothing else."""
    found: list[tuple[str, Row]] = []
    alone = True
    for table in ("crm_task", "crm_event"):
        for row in picks.live(world, table):
            about = {row["what_id"], row["who_id"]} - {None}
            if about & gone:
                found.append((table, row))
                alone = alone and about <= gone
    for note in picks.live(world, "crm_note"):
        links = {link["record_id"] for link in world.select("crm_note_link", note_id=note["id"])}
        if links & gone:
            found.append(("crm_note", note))
            alone = alone and links <= gone
    return found, alone


def _batch(world: Store, account: Row) -> Goal | None:
    """All that goes with an account, None where a record that stays points to it."""
    contacts, deals = _family(world, account)
    gone = {row["id"] for row in (account, *contacts, *deals)}
    activities, alone = _activities(world, gone)
    pointing = [
        *(row for row in picks.live(world, "crm_account") if row["parent_id"] in gone),
        *(row for row in picks.live(world, "crm_contact") if row["reports_to_id"] in gone and row["id"] not in gone),
    ]
    if pointing or not alone:
        return None
    rows = [("crm_account", account), *(("crm_contact", row) for row in contacts)]
    rows += [*(("crm_opportunity", row) for row in deals), *activities]
    return tuple(changed(table, row["id"], is_deleted=1) for table, row in rows)


def _deletable(world: Store, stream: Stream) -> tuple[Row, int, str, Goal]:
    """An account that can go, how many contacts it has, its latest deal, and all that goes with it."""
    for account in stream.shuffle(_named_with_city(world)):
        contacts, deals = _family(world, account)
        latest = _latest(deals)
        if latest and contacts and not any(row["stage"] == "Closed Won" for row in deals):
            goal = _batch(world, account)
            if goal is not None and len(goal) <= _MOST:
                return account, len(contacts), latest, goal
    raise SpecError("this world has no account without a deal that was won")


@template("crm/delete-account", kind="mutate+answer", level=3)
def delete_account(world: Store, stream: Stream) -> Draft:
    """Delete an account that nothing keeps, with its contacts, deals and activities."""
    account, count, latest, goal = _deletable(world, stream)
    answer = _answer(account, count, latest, _NONE)
    gone = Call("crm_delete", {"id": account["id"], "row_version": account["row_version"]}, "gone")
    again = Call("crm_delete", {"id": account["id"]})
    back = Call("crm_undelete", {"id": account["id"]})
    others = [row for row in picks.live(world, "crm_account") if row["id"] != account["id"]]
    return Draft(
        instruction=_wording(account),
        person_id=picks.administrator(world),
        expectation=Expectation(any_of=(goal,), answer=_spec(answer)),
        oracle=(gone,),
        submission=Submission(answer=answer),
        variants=(
            Variant("brought back and deleted again", (gone, back, again)),
            Variant("kept, called blocked", (), Submission("infeasible", "won_opportunity", answer), "ANSWER_WRONG"),
        ),
        wrong_answers={
            "the latest deal called blocking": _answer(account, count, latest, latest),
            "one contact too few": _answer(account, count - 1, latest, _NONE),
        },
        distractors=(picks.distract("other accounts", "crm_account", others),),
        twin="crm/delete-account-blocked@0",
    )


def _kept(world: Store, stream: Stream) -> tuple[Row, int, str, str]:
    """An account with one deal that was won, how many contacts it has, its latest deal and that one."""
    for account in stream.shuffle(_named_with_city(world)):
        contacts, deals = _family(world, account)
        won = [row for row in deals if row["stage"] == "Closed Won"]
        latest = _latest(deals)
        if latest and contacts and len(won) == 1 and len(deals) > 1 and latest != won[0]["name"]:
            return account, len(contacts), latest, str(won[0]["name"])
    raise SpecError("this world has no account with one deal that was won")


@template("crm/delete-account-blocked", kind="infeasible", level=3)
def delete_account_blocked(world: Store, stream: Stream) -> Draft:
    """Find out that an account cannot be deleted, and by which deal."""
    account, count, latest, blocking = _kept(world, stream)
    answer = _answer(account, count, latest, blocking)
    others = [row for row in picks.live(world, "crm_account") if row["id"] != account["id"]]
    return Draft(
        instruction=_wording(account),
        person_id=picks.administrator(world),
        expectation=Expectation(answer=_spec(answer), status="infeasible", reason_code="won_opportunity"),
        oracle=(Call("crm_get", {"id": account["id"]}),),
        submission=Submission("infeasible", "won_opportunity", answer),
        variants=(
            Variant("handed in as done", (), Submission("done", None, answer), "ANSWER_WRONG"),
            Variant("another reason code", (), Submission("infeasible", "no_permission", answer), "ANSWER_WRONG"),
        ),
        wrong_answers={
            "the latest deal called blocking": _answer(account, count, latest, latest),
            "none called blocking": _answer(account, count, latest, _NONE),
        },
        distractors=(picks.distract("other accounts", "crm_account", others),),
        twin="crm/delete-account@0",
    )
