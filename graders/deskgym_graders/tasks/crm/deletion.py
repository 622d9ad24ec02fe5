"""Deleting two accounts, both or neither: nothing is in the way, or a deal that was won is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from deskgym_apps.kit.money import exponent, plain_amount
from deskgym_apps.kit.norm import norm
from deskgym_apps.kit.store import Store
from deskgym_graders.comparators import EmailEq, Eq, Money, TextEq
from deskgym_graders.expected import answer_spec, changed
from deskgym_graders.spec import AnswerSpec, Call, Draft, Expectation, Goal, Submission, Variant
from deskgym_graders.tasks import template
from deskgym_seeds.streams import Stream

from ..per_world import per_world
from . import picks
from .picks import Row

_NONE = "none"
_MOST = 30
_FIELDS = {
    "contacts": "How many contacts the two accounts have together",
    "first_email": "The e-mail address of the person named first",
    "second_email": "The e-mail address of the person named second",
    "blocking": "The name of the opportunity that stands in the way, or none",
    "amount": "The amount of that opportunity in major units, or 0",
    "currency": "The ISO code of that amount, or none",
}


@dataclass(frozen=True)
class _Side:
    """One of the two accounts, and the person there whose address is asked for."""

    account: Row
    person: Row
    contacts: int


def _wording(one: _Side, other: _Side) -> str:
    return (
        f"We part with two customers. Delete the accounts {one.account['name']} in {one.account['bill_city']} and "
        f"{other.account['name']} in {other.account['bill_city']}, with all that belongs to them: both or neither. "
        "Before you do, note down how many contacts the two accounts have together, the e-mail address of "
        f"{picks.label(one.person)} at {one.account['name']} and that of {picks.label(other.person)} at "
        f"{other.account['name']}, and hand these in. If one of the two cannot be deleted, change nothing, and hand in "
        "as infeasible with the reason code won_opportunity, no_permission or no_such_account, and with the name, the "
        "amount and the currency of the opportunity that stands in the way. Where nothing stands in the way, these "
        "three are none, 0 and none."
    )


def _answer(sides: Sequence[_Side], blocking: Row | None) -> dict[str, Any]:
    one, other = sides
    return {
        "contacts": one.contacts + other.contacts,
        "first_email": one.person["email"],
        "second_email": other.person["email"],
        "blocking": _NONE if blocking is None else blocking["name"],
        "amount": "0" if blocking is None else picks.money_text(blocking),
        "currency": _NONE if blocking is None else blocking["currency"],
    }


def _spec(world: Store, sides: Sequence[_Side], blocking: Row | None) -> AnswerSpec:
    """The same schema whether something stands in the way or not, so that it gives nothing away."""
    given = _answer(sides, blocking)
    currency = world.meta("corp_currency") if blocking is None else blocking["currency"]
    return answer_spec(
        {
            "contacts": Eq(given["contacts"]),
            "first_email": EmailEq(given["first_email"]),
            "second_email": EmailEq(given["second_email"]),
            "blocking": TextEq(given["blocking"]),
            "amount": Money(0 if blocking is None else int(blocking["amount"]), currency),
            "currency": Eq(given["currency"]),
        },
        _FIELDS,
    )


def _wrong(sides: Sequence[_Side], blocking: Row | None) -> dict[str, dict[str, Any]]:
    """Slips in what is noted down."""
    right = _answer(sides, blocking)
    swapped = {"first_email": right["second_email"], "second_email": right["first_email"]}
    return {
        "the contacts of the first alone": right | {"contacts": sides[0].contacts},
        "the contacts of the second alone": right | {"contacts": sides[1].contacts},
        "one contact too few": right | {"contacts": right["contacts"] - 1},
        "the addresses the wrong way round": right | swapped,
    }


def _contacts(world: Store, account: Row) -> list[Row]:
    return picks.live(world, "crm_contact", account_id=account["id"])


def _deals(world: Store, account: Row) -> list[Row]:
    return picks.live(world, "crm_opportunity", account_id=account["id"])


@per_world
def _askable(world: Store) -> list[tuple[Row, list[Row]]]:
    """Accounts that name and city point to, with the people there that a name points to and who have an address.

    All contacts of such an account are its own, so that there is one way to count them.
    """
    guests = {row["account_id"] for row in picks.every(world, "crm_account_contact") if not row["is_direct"]}
    found = []
    for account in picks.named_once(world, "crm_account", picks.live(world, "crm_account")):
        people = _contacts(world, account)
        names = Counter(norm(picks.label(row)) for row in people)
        known = [row for row in people if row["email"] and names[norm(picks.label(row))] == 1]
        if known and account["bill_city"] and account["id"] not in guests:
            found.append((account, known))
    return found


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
    links: dict[str, set[str]] = {}
    for link in picks.every(world, "crm_note_link"):
        links.setdefault(link["note_id"], set()).add(link["record_id"])
    for note in picks.live(world, "crm_note"):
        if links.get(note["id"], set()) & gone:
            found.append(("crm_note", note))
            alone = alone and links[note["id"]] <= gone
    return found, alone


def _batch(world: Store, account: Row) -> Goal | None:
    """All that goes with an account, None where a record that stays points to it."""
    contacts, deals = _contacts(world, account), _deals(world, account)
    cases = picks.live(world, "crm_case", account_id=account["id"])
    quotes = [row for deal in deals for row in picks.live(world, "crm_quote", opportunity_id=deal["id"])]
    gone = {row["id"] for row in (account, *contacts, *deals, *cases, *quotes)}
    activities, alone = _activities(world, gone)
    others = [row for kind in ("crm_case", "crm_quote") for row in picks.live(world, kind) if row["id"] not in gone]
    pointing = [
        *(row for row in others if gone & {row["contact_id"], row.get("parent_id")}),
        *(row for row in picks.live(world, "crm_account") if row["parent_id"] in gone),
        *(row for row in picks.live(world, "crm_contact") if row["reports_to_id"] in gone and row["id"] not in gone),
    ]
    if pointing or not alone:
        return None
    rows = [("crm_account", account), *(("crm_contact", row) for row in contacts)]
    rows += [("crm_opportunity", row) for row in deals] + [("crm_quote", row) for row in quotes]
    rows += [*(("crm_case", row) for row in cases), *activities]
    return tuple(changed(table, row["id"], is_deleted=1) for table, row in rows)


def _won(world: Store, account: Row) -> list[Row]:
    return [row for row in _deals(world, account) if row["stage"] == "Closed Won"]


@per_world
def _can_go(world: Store) -> list[tuple[Row, list[Row], Goal]]:
    """Accounts that nothing keeps, the people to ask for, and what goes with each."""
    goals = [(one, people, _batch(world, one)) for one, people in _askable(world) if not _won(world, one)]
    return [(one, people, goal) for one, people, goal in goals if goal is not None and len(goal) <= _MOST]


@per_world
def _is_kept(world: Store) -> list[tuple[Row, list[Row], Row]]:
    """Accounts with exactly one deal that was won, the people to ask for, and that deal.

    The schema of an amount tells its decimals: they are those of the company's own currency, as where nothing blocks.
    """
    decimals = exponent(world.meta("corp_currency"))
    won = [(one, people, _won(world, one)) for one, people in _askable(world)]
    return [
        (one, people, deals[0])
        for one, people, deals in won
        if len(deals) == 1 and deals[0]["amount"] and exponent(deals[0]["currency"]) == decimals
    ]


def _side(world: Store, stream: Stream, account: Row, people: Sequence[Row]) -> _Side:
    return _Side(account, stream.choice(people), len(_contacts(world, account)))


@template("crm/delete-account", kind="mutate+answer", level=3, revision=2)
def delete_account(world: Store, stream: Stream) -> Draft:
    """Delete two accounts that nothing keeps, with their contacts, deals and activities."""
    free = _can_go(world)
    picks.draw(stream, free[1:], "two accounts without a deal that was won")
    chosen = stream.sample(free, 2)
    one, other = (_side(world, stream, account, people) for account, people, _ in chosen)
    sides, goal = (one, other), (*chosen[0][2], *chosen[1][2])
    answer = _answer(sides, None)
    gone, too = (Call("crm_delete", _row(side.account), f"gone{at}") for at, side in enumerate(sides))
    back = Call("crm_undelete", {"id": one.account["id"]})
    again = Call("crm_delete", {"id": one.account["id"]})
    others = [
        row for row in picks.live(world, "crm_account") if row["id"] not in (one.account["id"], other.account["id"])
    ]
    return Draft(
        instruction=_wording(one, other),
        person_id=picks.administrator(world),
        expectation=Expectation(any_of=(goal,), answer=_spec(world, sides, None)),
        oracle=(gone, too),
        submission=Submission(answer=answer),
        variants=(
            Variant("in another order", (too, gone)),
            Variant("brought back and deleted again", (gone, back, too, again)),
            Variant("one of the two", (gone,), reason="MISSING"),
            Variant("kept, called blocked", (), Submission("infeasible", "won_opportunity", answer), "ANSWER_WRONG"),
        ),
        wrong_answers=picks.told_apart(answer, _wrong(sides, None)),
        distractors=(picks.distract("other accounts", "crm_account", others),),
        twin="crm/delete-account-blocked@0",
    )


def _row(account: Row) -> dict[str, Any]:
    return {"id": account["id"], "row_version": account["row_version"]}


@template("crm/delete-account-blocked", kind="infeasible", level=3, revision=2)
def delete_account_blocked(world: Store, stream: Stream) -> Draft:
    """Find out that one of two accounts cannot be deleted, and by which deal, and so delete neither."""
    account, people, deal = picks.draw(stream, _is_kept(world), "account with one deal that was won")
    free, others_there, _ = picks.draw(stream, _can_go(world), "account that nothing keeps")
    kept, loose = _side(world, stream, account, people), _side(world, stream, free, others_there)
    sides = (kept, loose) if stream.chance(500) else (loose, kept)
    answer = _answer(sides, deal)
    blocked = Submission("infeasible", "won_opportunity", answer)
    plain = plain_amount(int(deal["amount"]), deal["currency"])
    others = [row for row in picks.live(world, "crm_account") if row["id"] not in (account["id"], free["id"])]
    rest = [row for row in _deals(world, account) if row["id"] != deal["id"]]
    wrong = {f"{row['name']} called blocking": _answer(sides, row) for row in rest if row["amount"]}
    return Draft(
        instruction=_wording(*sides),
        person_id=picks.administrator(world),
        expectation=Expectation(answer=_spec(world, sides, deal), status="infeasible", reason_code="won_opportunity"),
        oracle=tuple(Call("crm_get", {"id": side.account["id"]}) for side in sides),
        submission=blocked,
        variants=(
            Variant("the amount as a plain number", (), replace(blocked, answer=answer | {"amount": plain})),
            Variant("handed in as done", (), Submission("done", None, answer), "ANSWER_WRONG"),
            Variant("another reason code", (), Submission("infeasible", "no_permission", answer), "ANSWER_WRONG"),
            Variant("the other one deleted all the same", (Call("crm_delete", _row(free)),), reason="COLLATERAL"),
        ),
        wrong_answers=picks.told_apart(
            answer, _wrong(sides, deal) | {"none called blocking": _answer(sides, None)} | wrong
        ),
        distractors=(picks.distract("other accounts", "crm_account", others),),
        twin="crm/delete-account@0",
    )
