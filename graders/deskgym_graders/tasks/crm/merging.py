"""Merging duplicates (CRM-4): accounts by the rules of an article, and a contact that somebody else may own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from deskgym_apps.crm.rules_duplicates import FUZZY, alike, company
from deskgym_apps.crm.rules_leads import web_domain
from deskgym_apps.kit.dates import add_days, local_date
from deskgym_apps.kit.store import Store
from deskgym_graders.codec import SpecError
from deskgym_graders.comparators import Comparator, DateEq, TextEq
from deskgym_graders.expected import answer_spec
from deskgym_graders.spec import AnswerSpec, Call, Draft, Expectation, Submission, Variant
from deskgym_graders.tasks import template
from deskgym_seeds.streams import Stream

from ..per_world import per_world
from . import picks
from .merge_goals import Merge, because
from .picks import Row

_ARTICLE = "Duplicate accounts: what is one, and how to merge"
_MOST = 40
_TRIES = 400
Pair = tuple[Row, Row]


def _is_family(one: Row, other: Row) -> bool:
    return bool(one["parent_id"] == other["id"] or other["parent_id"] == one["id"])


def _is_one(one: Row, other: Row) -> bool:
    """What the article says: country, and domain or street and city; neither above the other."""
    places = [(row["bill_street"], row["bill_city"]) for row in (one, other)]
    domains = [web_domain(row["website"]) for row in (one, other)]
    is_there = places[0] == places[1] and all(places[0])
    is_same = bool(domains[0]) and domains[0] == domains[1]
    return (is_there or is_same) and one["bill_country"] == other["bill_country"] and not _is_family(one, other)


@per_world
def _pairs(world: Store) -> tuple[list[Pair], list[Pair]]:
    """Pairs of accounts of nearly the same name: those that are one company, and those that are two for sure."""
    rows = picks.named_once(world, "crm_account", picks.live(world, "crm_account"))
    same, apart = [], []
    for at, one in enumerate(rows):
        for other in rows[at + 1 :]:
            if not _alike(one, other):
                continue
            pair = (one, other) if one["created_at"] < other["created_at"] else (other, one)
            if _is_one(one, other):
                same.append(pair)
            elif _is_family(one, other) or one["bill_country"] != other["bill_country"]:
                apart.append(pair)
    return same, apart


def _alike(one: Row, other: Row) -> bool:
    names = [company(row["name"]) for row in (one, other)]
    return alike(names[0], names[1], FUZZY) or (_is_family(one, other) and names[0].split()[0] == names[1].split()[0])


def _merge(pair: Pair) -> Merge:
    """By the article: the older one stays, with the newer one's number if it has one."""
    older, newer = pair
    taken = ("phone",) if newer["phone"] and newer["phone"] != older["phone"] else ()
    return Merge("crm_account", older, newer, taken)


@per_world
def _mergeable(world: Store) -> list[Pair]:
    return [
        pair
        for pair in _pairs(world)[0]
        if pair[0]["created_at"] != pair[1]["created_at"]
        and _merge(pair).taken
        and len(_merge(pair).goal(world)) <= _MOST
        and _numbers_fit(pair)
    ]


def _numbers_fit(pair: Pair) -> bool:
    """Whether the newer number is stored as numbers are."""
    return str(pair[1]["phone"]).startswith("+") and str(pair[1]["phone"])[1:].isdigit()


@template("crm/merge-accounts", kind="mutate", level=3)
def merge_accounts(world: Store, stream: Stream) -> Draft:
    """Merge the two accounts among three pairs of look-alikes that are one company, as an article says."""
    same = picks.draw(stream, _mergeable(world), "two accounts of one company")
    used = {row["id"] for row in same}
    rest = [pair for pair in _pairs(world)[1] if not used & {row["id"] for row in pair}]
    first = picks.draw(stream, rest, "two companies of nearly the same name")
    used |= {row["id"] for row in first}
    second = picks.draw(stream, [pair for pair in rest if not used & {row["id"] for row in pair}], "two more")
    pairs = stream.shuffle([same, first, second])
    merge, wrong = _merge(same), Merge("crm_account", *first)
    goal = merge.goal(world)
    named = "; ".join(f"{_told(one)} and {_told(other)}" for one, other in map(_shuffled(stream), pairs))
    others = [row for pair in (first, second) for row in pair]
    back = Call("crm_undelete", {"id": merge.loser["id"]})
    return Draft(
        instruction=f"Somebody has noticed accounts with nearly the same name: {named}. Not all are duplicates. "
        f'Please go by our article "{_ARTICLE}": merge those two accounts that are one company, with the record that '
        "stays and the values that the article asks for, and leave the others as they are.",
        person_id=picks.administrator(world),
        expectation=Expectation(any_of=(goal,)),
        oracle=(merge.call(),),
        variants=(
            Variant("after a look at the article and both", (*_looks(world, same), merge.call())),
            Variant("the other record kept", (merge.turned().call(),), reason="MISSING"),
            Variant("its own number kept", (merge.call(field_choices={}),), reason="MISSING"),
            Variant("two companies merged as well", (merge.call(), wrong.call()), reason="COLLATERAL"),
            Variant("merged and the other one brought back", (merge.call(), back), reason="MISSING"),
        ),
        distractors=(picks.distract("accounts of nearly the same name", "crm_account", others),),
        because=because(goal),
    )


def _shuffled(stream: Stream) -> Any:
    def turned(pair: Pair) -> Pair:
        return pair if stream.chance(500) else (pair[1], pair[0])

    return turned


def _told(row: Row) -> str:
    return f"{row['name']} ({row['bill_city']})" if row["bill_city"] else str(row["name"])


def _looks(world: Store, pair: Pair) -> tuple[Call, ...]:
    article = next(row for row in world.select("crm_article") if row["title"] == _ARTICLE)
    return tuple(Call("crm_get", {"id": row["id"]}) for row in (article, *pair))


@dataclass(frozen=True)
class _Move:
    """A contact that is kept, the one that is to be merged into it, and who is asked to."""

    stays: Row
    goes: Row
    person: str


@per_world
def _people(world: Store) -> list[Row]:
    """Contacts that a name points to, of active owners, with an account."""
    rows = [row for row in picks.live(world, "crm_contact") if row["account_id"] and picks.active_owner(world, row)]
    return [
        row
        for row in picks.named_once(world, "crm_contact", rows)
        if row["first_name"] and row["email"] and row["title"]
    ]


@per_world
def _sellers(world: Store) -> frozenset[str]:
    """People whose profile may delete contacts of theirs, and who see no others as theirs: nobody's role is below."""
    above = {row["parent_role_id"] for row in world.select("crm_role")}
    able = {
        row["holder_id"]
        for row in world.select("crm_object_perm", holder_kind="profile", object="contact")
        if row["can_delete"] and row["can_edit"] and not row["modify_all"]
    }
    return frozenset(
        str(row["person_id"])
        for row in world.select("crm_user", is_active=1)
        if row["profile_id"] in able and row["role_id"] and row["role_id"] not in above
    )


def _move(world: Store, stream: Stream, *, is_mine: bool) -> _Move:
    """Two contacts at two accounts: both the person's own, or the one to be merged away a colleague's."""
    rows, sellers = _people(world), _sellers(world)
    own = [row for row in rows if row["owner_id"] in sellers]
    for _ in range(_TRIES):
        stays, goes = picks.draw(stream, own, "contact of somebody without a team"), stream.choice(rows)
        move = _Move(stays, goes, str(stays["owner_id"]))
        if goes["account_id"] == stays["account_id"] or (goes["owner_id"] == stays["owner_id"]) != is_mine:
            continue
        if len(_moving(move).goal(world)) <= _MOST and not _above(world, goes, str(stays["id"])):
            return move
    raise SpecError("this world has no two contacts that can be merged, or cannot")


def _above(world: Store, row: Row, record_id: str) -> bool:
    """Whether a contact stands above another one."""
    seen: set[str] = set()
    at: Any = record_id
    while at is not None and at not in seen:
        seen.add(at)
        found = world.get("crm_contact", (at,))
        at = None if found is None else found["reports_to_id"]
        if at == row["id"]:
            return True
    return False


def _moving(move: _Move) -> Merge:
    return Merge("crm_contact", move.stays, move.goes, ("email",))


def _company(world: Store, row: Row) -> str:
    return str(picks.accounts_by_id(world)[row["account_id"]]["name"])


def _asked(world: Store, move: _Move) -> str:
    stays, goes = move.stays, move.goes
    return (
        f"The contact {picks.label(goes)} at {_company(world, goes)} turns out to be nobody but "
        f"{picks.label(stays)} at {_company(world, stays)}, entered a second time under a wrong name. Merge "
        f"{picks.label(goes)} into {picks.label(stays)}: {picks.label(stays)} is kept with all values, but for the "
        f"e-mail address, which is that of {picks.label(goes)}. Before you do, note down who owns the contact "
        f"{picks.label(goes)}, which title it has, and on which days the two contacts were created, and hand these "
        "in. If you may not do this merge, change nothing, and hand in as infeasible with the reason code "
        "no_permission, no_such_contact or name_differs."
    )


_FIELDS = {
    "owner": "Who owns the contact to be merged away",
    "title": "The title of that contact",
    "created_on": "The day on which that contact was created",
    "kept_created_on": "The day on which the contact to be kept was created",
}


def _facts(world: Store, move: _Move) -> tuple[AnswerSpec, dict[str, Any], dict[str, dict[str, Any]]]:
    """The answer's schema, the right answer, and what careless workers would hand in."""
    zone = picks.person(world, move.person)["tz"]
    owner = picks.person(world, move.goes["owner_id"])["name"]
    days = [local_date(row["created_at"], zone) for row in (move.goes, move.stays)]
    title = str(move.goes["title"])
    right = {"owner": owner, "title": title, "created_on": days[0], "kept_created_on": days[1]}
    wrong = {
        "the owner of the one that is kept": right | {"owner": picks.person(world, move.stays["owner_id"])["name"]},
        "the days the wrong way round": right | {"created_on": days[1], "kept_created_on": days[0]},
        "the day of the last change": right | {"created_on": local_date(move.goes["updated_at"], zone)},
        "the title of the one that is kept": right | {"title": str(move.stays["title"])},
        "the next day": right | {"created_on": add_days(days[0], 1)},
    }
    comparators: dict[str, Comparator] = {"owner": TextEq(owner), "title": TextEq(title)}
    comparators |= {"created_on": DateEq(days[0]), "kept_created_on": DateEq(days[1])}
    return answer_spec(comparators, _FIELDS), right, picks.told_apart(right, wrong)


def _others(world: Store, move: _Move) -> Sequence[Row]:
    ids, accounts = (move.stays["id"], move.goes["id"]), (move.stays["account_id"], move.goes["account_id"])
    free = [row for row in picks.live(world, "crm_contact") if not {row["id"], row["reports_to_id"]} & set(ids)]
    return [row for row in free if row["account_id"] in accounts] or free


@template("crm/merge-contact", kind="mutate+answer", level=3)
def merge_contact(world: Store, stream: Stream) -> Draft:
    """Merge a contact of one's own into another one, with the e-mail address of the one that goes."""
    move = _move(world, stream, is_mine=True)
    merge = _moving(move)
    goal, (spec, answer, wrong) = merge.goal(world), _facts(world, move)
    look = Call("crm_get", {"id": move.goes["id"]})
    return Draft(
        instruction=_asked(world, move),
        person_id=move.person,
        expectation=Expectation(any_of=(goal,), answer=spec),
        oracle=(merge.call(),),
        submission=Submission(answer=answer),
        variants=(
            Variant("after a look", (look, merge.call())),
            Variant("the other one kept", (merge.turned().call(),), reason="MISSING"),
            Variant("the address forgotten", (merge.call(field_choices={}),), reason="MISSING"),
            Variant("given up", (), Submission("infeasible", "no_permission", answer), "ANSWER_WRONG"),
        ),
        wrong_answers=wrong,
        distractors=(picks.distract("other contacts", "crm_contact", _others(world, move)),),
        because=because(goal),
        twin="crm/merge-contact-blocked@0",
    )


@template("crm/merge-contact-blocked", kind="infeasible", level=3)
def merge_contact_blocked(world: Store, stream: Stream) -> Draft:
    """Find out that the contact to be merged away is a colleague's, which one may not delete."""
    move = _move(world, stream, is_mine=False)
    spec, answer, wrong = _facts(world, move)
    stays = move.stays
    half = picks.set_fields(stays, {"email": move.goes["email"]})
    forced = Call("crm_update", dict(half.args) | {"allow_duplicates": True})
    return Draft(
        instruction=_asked(world, move),
        person_id=move.person,
        expectation=Expectation(answer=spec, status="infeasible", reason_code="no_permission"),
        oracle=tuple(Call("crm_get", {"id": row["id"]}) for row in (stays, move.goes)),
        submission=Submission("infeasible", "no_permission", answer),
        variants=(
            Variant("after a look at one alone", (Call("crm_get", {"id": move.goes["id"]}),)),
            Variant("handed in as done", (), Submission("done", None, answer), "ANSWER_WRONG"),
            Variant("another reason code", (), Submission("infeasible", "name_differs", answer), "ANSWER_WRONG"),
            Variant("the address taken over all the same", (forced,), reason="COLLATERAL"),
        ),
        wrong_answers=wrong,
        distractors=(picks.distract("other contacts", "crm_contact", _others(world, move)),),
        twin="crm/merge-contact@0",
    )
