"""Who gets which rights: permission sets by an article, single records by hand, and a request without approval."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from deskgym_apps.kit.norm import norm
from deskgym_apps.kit.store import Store
from deskgym_graders.comparators import Comparator, EmailEq, RefTo, TextEq
from deskgym_graders.expected import answer_spec, expected_row
from deskgym_graders.spec import (
    AnswerSpec,
    Call,
    Delete,
    Distractors,
    Draft,
    Expectation,
    Goal,
    Insert,
    Submission,
    Var,
    Variant,
)
from deskgym_graders.tasks import template
from deskgym_seeds.streams import Stream

from ..per_world import per_world
from . import picks
from .administration import users
from .confidential import people
from .picks import Row

_CLOSING, _EXPORT = "Access while a quarter is being closed", "Who may take customer data along"
_REASON = "approval_missing"


def _article(world: Store, title: str) -> Row:
    return next(iter(world.select("crm_article", title=title)))


def _listed(world: Store, title: str) -> list[Row]:
    """The users whom an article lists by name."""
    names = {norm(line[2:]) for line in str(_article(world, title)["body"]).split("\n") if line.startswith("- ")}
    return [row for row in users(world) if norm(str(row["name"])) in names]


def _given(person: Row, set_id: Any, save_as: str | None = None) -> Insert:
    return expected_row("crm_user_permset", person_id=person["id"], permission_set_id=set_id, save_as=save_as)


def _give(person: Row, set_id: Any) -> Call:
    values = {"permission_set_id": set_id, "person_id": person["id"]}
    return Call("crm_create", {"object": "permission_set_assignment", "values": values})


@template("crm/grant-by-article", kind="mutate", level=3)
def grant_by_article(world: Store, stream: Stream) -> Draft:
    """Make a permission set, and give it to those whom an article of the knowledge base lists."""
    people = _listed(world, _CLOSING)
    name = f"Quarter close {stream.uniform_int(100, 999)}"
    text = f"For the close under ticket {stream.uniform_int(10_000, 99_999)}."
    made = Call(
        "crm_create",
        {"object": "permission_set", "values": {"name": name, "description": text, "can_reopen": True}},
        "s",
    )
    head = expected_row("crm_permset", name=name, description=text, can_reopen=1, save_as="s")
    goal: Goal = (head, *(_given(person, RefTo("s")) for person in people))
    gives = [_give(person, Var("s.id")) for person in people]
    others = [row for row in users(world) if row not in people]
    plain = Call("crm_create", {"object": "permission_set", "values": {"name": name, "description": text}}, "s")
    return Draft(
        instruction=f'Please make a permission set "{name}" with the description "{text}" that lets people reopen '
        "closed deals and gives nothing else, and assign it to exactly those colleagues whom our article on access "
        "while a quarter is being closed lists. The permission sets that there are stay as they are.",
        person_id=picks.administrator(world),
        expectation=Expectation(any_of=(goal,)),
        oracle=(made, *gives),
        variants=(
            Variant("from the last to the first", (made, *gives[::-1])),
            Variant("one forgotten", (made, *gives[1:]), None, "MISSING"),
            Variant("one too many", (made, *gives, _give(others[0], Var("s.id"))), None, "COLLATERAL"),
            Variant("nobody may reopen", (plain, *gives), None, "MISSING"),
        ),
        distractors=(
            Distractors("users whom it does not list", "crm_user", tuple((row["id"],) for row in others[:5])),
            picks.distract("permission sets that are there", "crm_permset", picks.every(world, "crm_permset")),
        ),
        because={
            "person_id": "the article lists the colleagues",
            "permission_set_id": "the set that was made",
            "can_reopen": "the instruction says what it lets people do",
        },
    )


@per_world
def _shares(world: Store) -> list[tuple[Row, Row]]:
    """Leads that were shared by hand and that name and company point to, with the person."""
    leads = {str(row["id"]): row for row in picks.named_once(world, "crm_lead", picks.live(world, "crm_lead"))}
    found = []
    for share in picks.every(world, "crm_record_share"):
        lead = leads.get(str(share["record_id"]))
        if lead is not None and not lead["is_converted"] and share["cause"] == "manual":
            found.append((lead, picks.person(world, share["grantee_id"])))
    return sorted(found, key=lambda item: str(item[0]["id"]))


@template("crm/move-share", kind="mutate", level=2)
def move_share(world: Store, stream: Stream) -> Draft:
    """Give one colleague access to a lead, and take another one's away."""
    lead, former = picks.draw(stream, _shares(world), "lead that was shared by hand")
    new = picks.draw(
        stream, [row for row in users(world) if row["id"] not in (lead["owner_id"], former["id"])], "colleague"
    )
    access = stream.choice(("read", "write"))
    key = ("lead", lead["id"], "user", former["id"], "manual")
    row = {"object": "lead", "record_id": lead["id"], "grantee_kind": "user", "cause": "manual"}
    goal: Goal = (
        expected_row("crm_record_share", grantee_id=new["id"], access=access, **row),
        Delete("crm_record_share", key),
    )

    def call(person: Row, how: str) -> Call:
        return Call("crm_share", {"record": lead["id"], "grantee": person["id"], "access": how})

    give, take = call(new, access), call(former, "none")
    other = "write" if access == "read" else "read"
    rest = [item for item, _ in _shares(world) if item["id"] != lead["id"]]
    how = "only read it" if access == "read" else "read and change it"
    return Draft(
        instruction=f"{former['name']} no longer works on the lead {picks.label(lead)} of {lead['company']}: take away "
        f"what was shared by hand there. Instead share the lead by hand with {new['name']}, who should {how}. The "
        "owner stays, and nobody else's access changes.",
        person_id=picks.keeper(world, lead),
        expectation=Expectation(any_of=(goal,)),
        oracle=(give, take),
        variants=(
            Variant("taken away first", (take, give)),
            Variant("corrected", (call(new, other), give, take)),
            Variant("given alone", (give,), None, "MISSING"),
            Variant("the other access", (call(new, other), take), None, "MISSING"),
        ),
        distractors=(picks.distract("other leads that were shared", "crm_lead", rest),),
        because={
            "record_id": "the lead that the instruction names",
            "object": "it is a lead",
            "grantee_kind": "a colleague, not a group",
            "cause": "it is shared by hand",
            "grantee_id": "the instruction names the colleague",
            "access": "to read, or to read and change",
        },
    )


@dataclass(frozen=True)
class _Request:
    """Who asks for the export, who gets another set along with it, and the contact whose address is asked for."""

    first: Row
    other: Row
    set: Row
    contact: Row
    account: Row


_TITLES = {
    "number": "Number of the article, 8 digits",
    "first_email": "E-mail address of the colleague who asks for the export",
    "contact_email": "E-mail address of the contact",
    "second_email": "E-mail address of the other colleague",
}


def _sets(world: Store) -> dict[str, Row]:
    return {str(row["name"]): dict(row) for row in picks.every(world, "crm_permset")}


def _has(world: Store, person: Row, permission_set: Row) -> bool:
    return any(True for _ in world.select("crm_user_permset", person_id=person["id"],
                                          permission_set_id=permission_set["id"]))  # fmt: skip


def _request(world: Store, stream: Stream, first: Sequence[Row]) -> _Request:
    one = picks.draw(stream, list(first), "user who may ask")
    extra = stream.choice([row for name, row in sorted(_sets(world).items()) if name != "Data Export"])
    free = [row for row in users(world) if row["id"] != one["id"] and not _has(world, row, extra)]
    other = picks.draw(stream, free, "user without the set")
    contact = picks.draw(stream, people(world), "contact that a name points to")
    return _Request(one, other, extra, contact, picks.accounts_by_id(world)[contact["account_id"]])


def _wording(asked: _Request) -> str:
    return (
        f"Two requests came in. {asked.first['name']} asks for the permission set Data Export; our article on who may "
        f"take customer data along says whether that is possible. {asked.other['name']} needs the permission set "
        f"{asked.set['name']}. Assign both, or neither. Hand in the number of the article, the e-mail addresses of "
        f"{asked.first['name']} and {asked.other['name']}, and that of {picks.label(asked.contact)} at "
        f"{asked.account['name']}, whom they want to write to. If the article does not allow it, change nothing and "
        "hand these in as infeasible, with the reason code approval_missing, "
        "no_permission or no_such_set."
    )


def _answer(world: Store, asked: _Request) -> dict[str, Any]:
    return {
        "number": _article(world, _EXPORT)["number"],
        "first_email": asked.first["email"],
        "contact_email": asked.contact["email"],
        "second_email": asked.other["email"],
    }


def _spec(answer: dict[str, Any]) -> AnswerSpec:
    emails: dict[str, Comparator] = {name: EmailEq(value) for name, value in answer.items() if name != "number"}
    return answer_spec({"number": TextEq(answer["number"]), **emails}, _TITLES)


def _wrong(answer: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {
        "the addresses the wrong way round": answer
        | {"first_email": answer["second_email"], "second_email": answer["first_email"]},
        "the colleague for the contact": answer | {"contact_email": answer["first_email"]},
        "another article": answer | {"number": re.sub(r"\d$", "0", answer["number"])},
    }


def _distractors(world: Store, asked: _Request) -> tuple[Distractors, ...]:
    others = [row for row in users(world) if row["id"] not in (asked.first["id"], asked.other["id"])]
    return (
        Distractors("other users", "crm_user", tuple((row["id"],) for row in others[:5])),
        picks.distract("other permission sets", "crm_permset", list(_sets(world).values())),
    )


@template("crm/grant-export", kind="mutate+answer", level=4)
def grant_export(world: Store, stream: Stream) -> Draft:
    """Assign two permission sets, one of them after an article shows the approval."""
    asked = _request(world, stream, _listed(world, _EXPORT))
    export = _sets(world)["Data Export"]
    answer = _answer(world, asked)
    gives = (_give(asked.first, export["id"]), _give(asked.other, asked.set["id"]))
    goal: Goal = (_given(asked.first, export["id"]), _given(asked.other, asked.set["id"]))
    return Draft(
        instruction=_wording(asked),
        person_id=picks.administrator(world),
        expectation=Expectation(any_of=(goal,), answer=_spec(answer)),
        oracle=gives,
        submission=Submission(answer=answer),
        variants=(
            Variant("in another order", gives[::-1]),
            Variant("one of the two", gives[:1], None, "MISSING"),
            Variant("turned down", (), Submission("infeasible", _REASON, answer), "ANSWER_WRONG"),
        ),
        wrong_answers=picks.told_apart(answer, _wrong(answer)),
        distractors=_distractors(world, asked),
        because={
            "person_id": "the instruction names the colleagues",
            "permission_set_id": "the instruction names the sets",
        },
        twin="crm/grant-export-refused@0",
    )


@template("crm/grant-export-refused", kind="infeasible", level=4)
def grant_export_refused(world: Store, stream: Stream) -> Draft:
    """Find out that a request has no approval, and so assign nothing."""
    listed = {row["id"] for row in _listed(world, _EXPORT)}
    export = _sets(world)["Data Export"]
    free = [row for row in users(world) if row["id"] not in listed and not _has(world, row, export)]
    asked = _request(world, stream, free)
    answer = _answer(world, asked)
    refused = Submission("infeasible", _REASON, answer)
    gives = (_give(asked.first, export["id"]), _give(asked.other, asked.set["id"]))
    return Draft(
        instruction=_wording(asked),
        person_id=picks.administrator(world),
        expectation=Expectation(answer=_spec(answer), status="infeasible", reason_code=_REASON),
        oracle=(Call("crm_get", {"id": asked.first["id"]}),),
        submission=refused,
        variants=(
            Variant(
                "after a look at both", tuple(Call("crm_get", {"id": row["id"]}) for row in (asked.first, asked.other))
            ),
            Variant("handed in as done", (), Submission("done", None, answer), "ANSWER_WRONG"),
            Variant("another reason code", (), Submission("infeasible", "no_permission", answer), "ANSWER_WRONG"),
            Variant("assigned all the same", gives, reason="COLLATERAL"),
            Variant("the other one alone", gives[1:], reason="COLLATERAL"),
        ),
        wrong_answers=picks.told_apart(answer, _wrong(answer)),
        distractors=_distractors(world, asked),
        twin="crm/grant-export@0",
    )
