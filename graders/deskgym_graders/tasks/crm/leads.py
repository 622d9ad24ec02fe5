"""Leads: converted one by one and by rule, counted, and brought up to date from an e-mail (CRM-2)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from deskgym_apps.kit.dates import local_date, long_date
from deskgym_apps.kit.norm import norm
from deskgym_apps.kit.store import Store
from deskgym_graders.codec import SpecError
from deskgym_graders.comparators import Eq, TextEq
from deskgym_graders.expected import answer_spec, changed
from deskgym_graders.spec import Call, Draft, Expectation, Submission, Var, Variant
from deskgym_graders.tasks import template
from deskgym_seeds.streams import Stream

from ..per_world import per_world
from . import picks
from .lead_goals import Conversion, accounts_of, because, is_known_person, is_unknown, open_leads
from .picks import Row

_TRIES = 400
_SOME = (3, 6)
_SIGNED = re.compile(r"\n\n(?P<name>[^\n]+)\n(?P<title>[^\n]+)\n[^\n]+\nT (?P<phone>[^\n]+)\nM (?P<mobile>[^\n]+)\s*$")


@per_world
def _at_customers(world: Store) -> list[tuple[Row, Row]]:
    """Leads of new people at companies that are an account, once, under a name with another legal form or case."""
    pairs = []
    for lead in open_leads(world):
        accounts = accounts_of(world, lead)
        if len(accounts) == 1 and not is_known_person(world, lead) and lead["status"] != "Unqualified":
            pairs.append((lead, accounts[0]))
    return [pair for pair in pairs if pair[0]["company"] != pair[1]["name"]] or pairs


@template("crm/convert-customer-lead", kind="mutate", level=3)
def convert_customer_lead(world: Store, stream: Stream) -> Draft:
    """Convert two leads at companies that are customers already: their accounts, new contacts, no opportunity."""
    first = picks.draw(stream, _at_customers(world), "lead of somebody new at an account")
    rest = [pair for pair in _at_customers(world) if _is_apart(pair, first)]
    pairs = (first, picks.draw(stream, rest, "second lead of somebody new at another account"))
    person = picks.administrator(world)
    one, two = (Conversion(lead, account, has_deal=False) for lead, account in pairs)
    goal = (*one.goal(world, person), *two.goal(world, person))
    ids = {lead["id"] for lead, _ in pairs}
    others = [row for row in open_leads(world) if row["id"] not in ids and accounts_of(world, row)]
    extra = "WRONG_VALUE" if one.is_told(world) else "COLLATERAL"
    named = " and ".join(f"{picks.label(lead)} ({lead['company']})" for lead, _ in pairs)
    return Draft(
        instruction=f"Please convert the leads {named}. Both companies are in our accounts already, if perhaps with "
        "another legal form in the name; so use those accounts. Both people are new to us and become new contacts "
        "there. There is no opportunity yet, so create none. The owners stay the same.",
        person_id=person,
        expectation=Expectation(any_of=(goal,)),
        oracle=(one.call(), two.call()),
        variants=(
            Variant("after a look at the matches, the other way round", (_look(one.lead), two.call(), one.call())),
            Variant(
                "owner and status spelled out",
                (one.call(owner=one.lead["owner_id"], status="Qualified"), two.call()),
            ),
            Variant(
                "a second account",
                (one.call(account="new", allow_duplicates=True), two.call()),
                reason="WRONG_VALUE",
            ),
            Variant("an opportunity as well", (one.call(opportunity="new"), two.call()), reason=extra),
            Variant("the first alone", (one.call(),), reason="MISSING"),
        ),
        distractors=(picks.distract("other leads at accounts", "crm_lead", others),),
        because=because(goal),
    )


def _is_apart(one: tuple[Row, Row], other: tuple[Row, Row]) -> bool:
    """Whether two leads are of two companies and two people, so that converting one is no matter to the other."""
    (lead, account), (another, elsewhere) = one, other
    return bool(account["id"] != elsewhere["id"] and lead["name_norm"] != another["name_norm"])


def _look(lead: Row) -> Call:
    return Call("crm_get", {"id": lead["id"], "related": ["matching_accounts", "matching_contacts"]})


_STATUSES = ("Open - Not Contacted", "Working - Contacted", "Nurturing")


@dataclass(frozen=True)
class _Rule:
    """A source, a status and a span of days, and how each lead that meets them is converted."""

    source: str
    status: str
    first: str
    last: str
    plans: tuple[Conversion, ...]


@per_world
def _born(world: Store) -> dict[str, str]:
    """The day on which each lead was created, where administrators are."""
    zone = picks.person(world, picks.administrator(world))["tz"]
    return {row["id"]: local_date(row["created_at"], zone) for row in picks.every(world, "crm_lead")}


def _rule(world: Store, stream: Stream) -> _Rule:
    """What 3 to 6 leads meet, all of which can be converted without doubt."""
    leads, born = picks.live(world, "crm_lead", is_converted=0), _born(world)
    known = {row["id"] for row in open_leads(world)}
    sources = sorted({str(row["lead_source"]) for row in leads if row["lead_source"]})
    days = sorted(set(born.values()))
    for _ in range(_TRIES):
        source, status = stream.choice(sources), stream.choice(_STATUSES)
        first, last = sorted(stream.sample(days, 2))
        rows = [row for row in leads if (row["lead_source"], row["status"]) == (source, status)]
        rows = [row for row in rows if first <= born[row["id"]] <= last]
        if not _SOME[0] <= len(rows) <= _SOME[1] or not all(row["id"] in known for row in rows):
            continue
        plans = [plan for plan in (_plan(world, row) for row in rows) if plan is not None]
        if len(plans) == len(rows) == len({norm(row["company"]) for row in rows}):
            return _Rule(source, status, first, last, tuple(plans))
    raise SpecError("this world has no source, status and days that 3 to 6 leads without doubt meet")


def _plan(world: Store, lead: Row) -> Conversion | None:
    """How a lead is converted with a new deal; None where that is a matter of opinion."""
    accounts = accounts_of(world, lead)
    if is_known_person(world, lead) or not lead["currency"]:
        return None
    if len(accounts) == 1:
        return Conversion(lead, accounts[0], has_deal=True)
    return Conversion(lead, None, has_deal=True) if is_unknown(world, lead) else None


@template("crm/convert-by-rule", kind="mutate", level=4)
def convert_by_rule(world: Store, stream: Stream) -> Draft:
    """Convert every lead of a source and status that came in a span of days; some belong to accounts that exist."""
    rule, person = _rule(world, stream), picks.administrator(world)
    plans = rule.plans
    goal = tuple(step for plan in plans for step in plan.goal(world, person))
    calls = tuple(plan.call() for plan in plans)
    ids = {plan.lead["id"] for plan in plans}
    leads = [row for row in picks.every(world, "crm_lead") if not row["is_deleted"] and row["id"] not in ids]
    here = [row for row in leads if row["lead_source"] == rule.source]
    elsewhere = [row for row in leads if row["status"] == rule.status and row["lead_source"] != rule.source]
    again = [row for row in open_leads(world) if row["id"] not in ids and row["status"] in _STATUSES]
    less = "WRONG_VALUE" if plans[0].is_told(world) else "MISSING"
    wrong = Conversion(again[0], None, has_deal=False).call()
    return Draft(
        instruction=f'Please convert every lead whose source is "{rule.source}", whose status is "{rule.status}" and '
        f"that was created on {long_date(rule.first)} to {long_date(rule.last)}, both days included; no others. Where "
        "the company is an account already, perhaps with another legal form in its name, use that account; otherwise "
        "create one. Each of these people is new to us and becomes a new contact, and each conversion creates an "
        "opportunity under the name that is proposed. The owners stay the same.",
        person_id=person,
        expectation=Expectation(any_of=(goal,)),
        oracle=calls,
        variants=(
            Variant("in another order", calls[::-1]),
            Variant("all but the last", calls[:-1], reason="MISSING"),
            Variant("one that does not meet the rule too", (*calls, wrong), reason="COLLATERAL"),
            Variant("one without an opportunity", (plans[0].call(opportunity="none"), *calls[1:]), reason=less),
        ),
        distractors=(
            picks.distract("of other days or another status, some converted before", "crm_lead", here),
            picks.distract("of another source", "crm_lead", elsewhere),
        ),
        because=because(goal),
    )


@per_world
def _mails(world: Store) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in picks.every(world, "crm_email_message"):
        if row["direction"] == "in" and str(row["who_id"]).startswith("LEA"):
            found[row["who_id"]].append(row)
    return found


@per_world
def _outdated(world: Store) -> list[tuple[Row, dict[str, str]]]:
    """Leads whose latest e-mail is signed with another title or number, and what the signature says."""
    found = []
    for lead in open_leads(world):
        sent = _mails(world).get(lead["id"], [])
        signed = _SIGNED.search(max(sent, key=lambda row: (row["sent_at"], row["id"]))["body"]) if sent else None
        if signed is None or norm(signed["name"]) != lead["name_norm"]:
            continue
        numbers = {name: "+" + re.sub(r"\D", "", signed[name]) for name in ("phone", "mobile")}
        said = {"title": signed["title"].strip()} | numbers
        new = {name: value for name, value in said.items() if lead[name] != value}
        if new.keys() >= {"phone", "mobile"}:
            found.append((lead, new))
    return found


@template("crm/lead-details", kind="mutate", level=2)
def lead_details(world: Store, stream: Stream) -> Draft:
    """Take title and numbers of a lead from the signature of the latest e-mail, and rate it as told."""
    lead, new = picks.draw(stream, _outdated(world), "lead with new details in the latest e-mail")
    rating = stream.choice([value for value in ("Hot", "Warm", "Cold") if value != lead["rating"]])
    employees = stream.uniform_int(12, 940)
    values = new | {"rating": rating, "employees": employees + (employees == lead["employees"])}
    owner, name = str(lead["owner_id"]), picks.label(lead)
    read = {"unread": 0} if lead["unread"] else {}
    step = picks.set_fields(lead, {"phone": new["phone"]}, "first")
    rest = {key: value for key, value in values.items() if key != "phone"}
    then = Call("crm_update", {"id": lead["id"], "row_version": Var("first.row_version"), "values": rest})
    others = [row for row in open_leads(world) if row["owner_id"] == owner and row["id"] != lead["id"]]
    return Draft(
        instruction=f"{name} of {lead['company']}, one of my leads, has written that the contact details have changed. "
        f"Bring the lead's title, phone and mobile number up to date with the signature of the latest e-mail we "
        f"received from {name}, rate the lead {rating}, and note that the company has {values['employees']} employees "
        "now. Nothing else changes.",
        person_id=owner,
        expectation=Expectation(any_of=((changed("crm_lead", lead["id"], **values, **read),),)),
        oracle=(picks.set_fields(lead, values),),
        variants=(
            Variant("one field first, the others afterwards", (step, then)),
            Variant("the phone number alone", (step,), reason="MISSING"),
        ),
        distractors=(picks.distract("other leads of the owner", "crm_lead", others),),
        because={
            **dict.fromkeys(new, "it stands in the signature of the latest e-mail"),
            **({"unread": "a lead that its owner edits is read"} if read else {}),
        },
    )


def _largest(rows: Sequence[Row]) -> Row | None:
    """The one lead with the most employees, or None where two have as many or none says."""
    ranked = sorted((row for row in rows if row["employees"]), key=lambda row: -row["employees"])
    if not ranked or (len(ranked) > 1 and ranked[0]["employees"] == ranked[1]["employees"]):
        return None
    return ranked[0]


def _summary(rows: Iterable[Row]) -> dict[str, Any]:
    found = list(rows)
    best = _largest(found)
    return {
        "count": len(found),
        "employees": sum(row["employees"] or 0 for row in found),
        "company": best["company"] if best else "none",
    }


@template("crm/lead-pipeline", kind="answer", level=2)
def lead_pipeline(world: Store, stream: Stream) -> Draft:
    """Count leads of some statuses since a day, add up their companies' employees, name the largest."""
    person = picks.administrator(world)
    zone = picks.person(world, person)["tz"]
    rows = [row for row in picks.live(world, "crm_lead", is_converted=0) if row["company"] == row["company"].strip()]
    born = {row["id"]: local_date(row["created_at"], zone) for row in rows}
    statuses = sorted({str(row["status"]) for row in rows})
    for _ in range(_TRIES):
        pair = sorted(stream.sample(statuses, 2))
        days = sorted({born[row["id"]] for row in rows if row["status"] in pair})
        span = sorted(stream.sample(days, 2))
        found = [row for row in rows if row["status"] in pair and span[0] <= born[row["id"]] <= span[1]]
        best = _largest(found)
        if best is None or len(found) < 8:
            continue
        right = _summary(found)
        wrong = picks.told_apart(right, _wrong_ways(world, rows, found, born, pair, span))
        if len(wrong) >= 5 and sum(row["company"] == best["company"] for row in rows) == 1:
            return _asked(person, pair, span, right, wrong, [row for row in rows if row not in found])
    raise SpecError("this world has no statuses and days that tell right from wrong")


def _wrong_ways(
    world: Store, rows: Sequence[Row], found: Sequence[Row], born: dict[str, str], pair: Sequence[str], span: list[str]
) -> dict[str, dict[str, Any]]:
    first, last = span
    everything = [row for row in picks.every(world, "crm_lead") if not row["is_deleted"]]
    converted = [row for row in everything if row["is_converted"] and first <= row["created_at"][:10] <= last]
    return {
        "of all time": _summary(row for row in rows if row["status"] in pair),
        "since then": _summary(row for row in rows if row["status"] in pair and born[row["id"]] >= first),
        "the first status alone": _summary(row for row in found if row["status"] == pair[0]),
        "whatever the status": _summary(row for row in rows if first <= born[row["id"]] <= last),
        "without the days at both ends": _summary(row for row in found if first < born[row["id"]] < last),
        "converted ones too": _summary([*found, *converted]),
        "only those that say how many": _summary(row for row in found if row["employees"]),
    }


def _asked(
    person: str, pair: Sequence[str], span: list[str], right: dict[str, Any], wrong: dict[str, Any], rest: list[Row]
) -> Draft:
    return Draft(
        instruction=f'Look at the leads with the status "{pair[0]}" or "{pair[1]}" that were created on '
        f"{long_date(span[0])} to {long_date(span[1])}, both days included. How many are there, how many employees do "
        "their companies have together (a lead that does not say counts for none), and which company has the most?",
        person_id=person,
        expectation=Expectation(
            answer=answer_spec(
                {"count": Eq(right["count"]), "employees": Eq(right["employees"]), "company": TextEq(right["company"])},
                {
                    "count": "How many leads",
                    "employees": "Employees of their companies together",
                    "company": "The company with the most employees, as it stands in the lead",
                },
            )
        ),
        oracle=(_listed(pair, span),),
        submission=Submission(answer=right),
        variants=(Variant("one status after the other", tuple(_listed([status], span) for status in pair)),),
        wrong_answers=wrong,
        distractors=(picks.distract("other leads", "crm_lead", rest),),
    )


def _listed(statuses: Sequence[str], span: list[str]) -> Call:
    condition = [
        {"field": "status", "op": "in", "value": list(statuses)},
        {"field": "created_at", "op": "between", "value": span},
    ]
    wanted = {"object": "lead", "filter": condition, "fields": ["company", "employees"], "limit": 200}
    return Call("crm_query", wanted)
