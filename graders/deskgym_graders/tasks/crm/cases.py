"""Working cases by the book: sorting a queue, closing what is settled, figures of an agent."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from deskgym_apps.crm.rules_cases import CLOSED, NEW, WORKING
from deskgym_apps.kit.call import seconds_between
from deskgym_apps.kit.dates import local_date, long_date
from deskgym_apps.kit.store import Store
from deskgym_graders.codec import SpecError
from deskgym_graders.comparators import Clock, Comparator, Eq
from deskgym_graders.expected import answer_spec, changed
from deskgym_graders.spec import Call, Draft, Expectation, Submission, Update, Variant
from deskgym_graders.tasks import template
from deskgym_seeds.crm.triage import OWNERS, REASONS, TITLES, TOLD, post_of, priority_of
from deskgym_seeds.streams import Stream

from ..per_world import per_world
from . import picks
from .picks import Row

_ORDER = re.compile(r"WO-\d{5}")
_SORTED, _SETTLED = 4, 3
_TRIES = 300
_LEAST, _MOST = 5, 24


@per_world
def head(world: Store) -> str:
    """The person who may change every case."""
    profile = next(iter(world.select("crm_profile", name="Support Manager")))
    return str(next(iter(world.select("crm_user", profile_id=profile["id"], is_active=1)))["person_id"])


@per_world
def _holders(world: Store) -> dict[str, str]:
    """Who holds a post that articles speak of."""
    people = {str(row["title"]): str(row["id"]) for row in world.select("org_person")}
    return {post: people[title] for post, title in TITLES.items()}


@per_world
def mails(world: Store) -> dict[str, list[Row]]:
    """The mails of each case, oldest first."""
    found: dict[str, list[Row]] = {}
    for row in sorted(picks.every(world, "crm_email_message"), key=lambda row: str(row["sent_at"])):
        if str(row["what_id"]).startswith("CAS"):
            found.setdefault(row["what_id"], []).append(row)
    return found


def quoted(rows: Sequence[Row]) -> str:
    """Numbers of cases as a list."""
    numbers = [str(row["number"]) for row in rows]
    return f"{', '.join(numbers[:-1])} and {numbers[-1]}"


@per_world
def _waiting(world: Store) -> dict[str, list[Row]]:
    """New cases by the name of their queue."""
    queues = {str(row["id"]): str(row["name"]) for row in world.select("crm_group", kind="queue")}
    found: dict[str, list[Row]] = {}
    for row in picks.live(world, "crm_case", status=NEW):
        if row["owner_id"] in queues:
            found.setdefault(queues[row["owner_id"]], []).append(row)
    return {queue: rows for queue, rows in sorted(found.items()) if queue in OWNERS and len(rows) > _SORTED + 3}


def _sorted(world: Store, queue: str, row: Row) -> dict[str, Any]:
    """What the article makes of a new case."""
    account = picks.accounts_by_id(world)[row["account_id"]]
    priority = priority_of(f"{row['subject']} {row['description'] or ''}", account)
    owner = _holders(world)[post_of(queue, str(account["bill_country"]))]
    return {"owner_id": owner, "priority": priority, "status": WORKING}


def _moves(row: Row, values: dict[str, Any]) -> Update:
    given = {name: value for name, value in values.items() if row[name] != value}
    return changed("crm_case", row["id"], **given)


@template("crm/triage-queue", kind="mutate", level=3)
def triage_queue(world: Store, stream: Stream) -> Draft:
    """Give new cases of a queue the priority and the owner that the knowledge base says."""
    queues = _waiting(world)
    for _ in range(_TRIES):
        queue = picks.draw(stream, list(queues), "queue with new cases")
        chosen = sorted(stream.sample(queues[queue], _SORTED), key=lambda row: str(row["number"]))
        wanted = [_sorted(world, queue, row) for row in chosen]
        if len({item["priority"] for item in wanted}) > 1 and len({item["owner_id"] for item in wanted}) > 1:
            break
    else:
        raise SpecError("the new cases of no queue differ")
    oracle = tuple(picks.set_fields(row, item) for row, item in zip(chosen, wanted, strict=True))
    other = next(item["owner_id"] for item in wanted if item["owner_id"] != wanted[0]["owner_id"])
    astray = picks.set_fields(chosen[0], wanted[0] | {"owner_id": other})
    late = picks.set_fields(chosen[0], {name: wanted[0][name] for name in ("owner_id", "priority")})
    rest = [row for row in queues[queue] if row not in chosen]
    text = "the article on triage in the knowledge base says so, by account and words of the case"
    return Draft(
        instruction=f'Work new cases of the queue "{queue}" as our article on the triage of new cases says: the cases '
        f"{quoted(chosen)}, and no others. Give each its priority, its owner and its status.",
        person_id=head(world),
        expectation=Expectation(any_of=(tuple(_moves(*pair) for pair in zip(chosen, wanted, strict=True)),)),
        oracle=oracle,
        variants=(
            Variant("from the last to the first", oracle[::-1]),
            Variant("one to the owner of another", (astray, *oracle[1:]), reason="WRONG_VALUE"),
            Variant("the status of one forgotten", (late, *oracle[1:]), reason="MISSING"),
            Variant(
                "one more of the queue", (*oracle, picks.set_fields(rest[0], {"status": WORKING})), reason="COLLATERAL"
            ),
        ),
        distractors=(picks.distract("other new cases of the queue", "crm_case", rest),),
        because={"owner_id": text, "priority": text, "status": "the article names it for every case that is sorted"},
    )


def _cause(text: str) -> str | None:
    """The cause that a mail tells, by the words of the customer."""
    said = [cause for cause, words in TOLD.items() if words in text]
    return said[0] if len(said) == 1 else None


@per_world
def _settled(world: Store) -> list[tuple[Row, str, str]]:
    """Cases in work whose customer wrote last and told the cause, with that and the work order."""
    found = []
    for row in picks.live(world, "crm_case", status=WORKING):
        last = mails(world).get(row["id"], [{"direction": "", "body": ""}])[-1]
        cause, order = _cause(str(last["body"])), _ORDER.search(str(last["body"]))
        if last["direction"] == "in" and cause and order:
            found.append((row, cause, order[0]))
    return found


@template("crm/close-settled", kind="mutate", level=3)
def close_settled(world: Store, stream: Stream) -> Draft:
    """Close cases with the reason that their last mails give, worded as the knowledge base wants it."""
    pool = _settled(world)
    picks.draw(stream, pool[_SETTLED:], "cases that are settled")
    for _ in range(_TRIES):
        chosen = sorted(stream.sample(pool, _SETTLED), key=lambda item: str(item[0]["number"]))
        if len({cause for _, cause, _ in chosen}) > 1:
            break
    else:
        raise SpecError("all settled cases have one cause")
    values = [
        {"status": CLOSED, "reason": REASONS[cause], "resolution": f"{REASONS[cause]}; {order}"}
        for _, cause, order in chosen
    ]
    rows = [row for row, _, _ in chosen]
    oracle = tuple(picks.set_fields(row, item) for row, item in zip(rows, values, strict=True))
    goal = tuple(
        changed("crm_case", row["id"], closed_at=Clock(), **item) for row, item in zip(rows, values, strict=True)
    )
    other = next(reason for reason in REASONS.values() if reason != values[0]["reason"])
    first_look = picks.set_fields(rows[0], values[0] | {"reason": other})
    loose = picks.set_fields(rows[0], values[0] | {"resolution": f"Settled; {chosen[0][2]}"})
    rest = [row for row, _, _ in pool if row not in rows]
    return Draft(
        instruction=f"The customers of the cases {quoted(rows)} have written that their matters are settled. Close "
        "these three with the reason and the resolution that our article on closing cases asks for.",
        person_id=head(world),
        expectation=Expectation(any_of=(goal,)),
        oracle=oracle,
        variants=(
            Variant("from the last to the first", oracle[::-1]),
            Variant("the reason that it looked like", (first_look, *oracle[1:]), reason="WRONG_VALUE"),
            Variant("another resolution", (loose, *oracle[1:]), reason="WRONG_VALUE"),
            Variant("two of three", oracle[1:], reason="MISSING"),
        ),
        distractors=(picks.distract("other cases that are settled", "crm_case", rest),),
        because={
            "status": "the instruction says to close them",
            "reason": "the last mail of the customer tells the cause, the article the reason that goes with it",
            "resolution": "the article says how it is worded; the work order stands in the thread",
        },
    )


@per_world
def _transfers(world: Store) -> dict[str, tuple[int, int]]:
    """Of each case, changes of the owner from user to user, and all changes of the owner."""
    found: dict[str, tuple[int, int]] = {}
    for row in picks.every(world, "crm_field_history"):
        if row["object"] == "case" and row["field"] == "owner_id":
            between, every = found.get(row["record_id"], (0, 0))
            found[row["record_id"]] = between + str(row["old_value"]).startswith("PRS"), every + 1
    return found


def _minutes(row: Row, since: str = "created_at") -> int:
    return seconds_between(row[since] or row["created_at"], row["closed_at"]) // 60


def _figures(world: Store, rows: Sequence[Row], since: str = "created_at", every: bool = False) -> dict[str, Any]:
    known = _transfers(world)
    slowest = max(rows, key=lambda row: (_minutes(row, since), str(row["number"])), default=None)
    return {
        "cases": len(rows),
        "minutes": sum(_minutes(row, since) for row in rows),
        "transfers": sum(known.get(row["id"], (0, 0))[every] for row in rows),
        "longest": slowest["number"] if slowest else "",
    }


@template("crm/handle-time", kind="answer", level=4)
def handle_time(world: Store, stream: Stream) -> Draft:
    """Count an agent's closed cases of a span of days, their handle time and transfers."""
    closed, who = picks.live(world, "crm_case", status=CLOSED), head(world)
    zone = picks.person(world, who)["tz"]
    days = {row["id"]: local_date(row["closed_at"], zone) for row in closed}
    for _ in range(_TRIES):
        agent = str(stream.choice(closed)["owner_id"])
        mine = [row for row in closed if row["owner_id"] == agent]
        first, last = sorted(stream.sample(sorted({days[row["id"]] for row in mine}), 2))
        without = stream.choice(sorted({str(row["type"]) for row in mine}))
        every = [row for row in mine if first <= days[row["id"]] <= last]
        found = [row for row in every if row["type"] != without]
        right = _figures(world, found)
        born = [row for row in mine if first <= local_date(row["created_at"], zone) <= last]
        wrong = {
            "from the first response on": _figures(world, found, "first_response_at"),
            "taking from the queue counted as transfer": _figures(world, found, every=True),
            "created instead of closed in that time": _figures(world, born),
            "without the days at both ends": _figures(world, [r for r in found if first < days[r["id"]] < last]),
            "of every agent": _figures(world, [row for row in closed if first <= days[row["id"]] <= last]),
            "whatever the day": _figures(world, mine),
            "of every type": _figures(world, every),
        }
        kept = picks.told_apart(right, wrong)
        if _LEAST <= len(found) <= _MOST and len(kept) == len(wrong) and right["transfers"]:
            return _handle_draft(world, agent, (first, last), without, found, kept)
    raise SpecError("this world has no agent with some closed cases")


def _handle_draft(
    world: Store,
    agent: str,
    span: tuple[str, str],
    without: str,
    found: Sequence[Row],
    wrong: dict[str, dict[str, Any]],
) -> Draft:
    right = _figures(world, found)
    fields: dict[str, Comparator] = {name: Eq(value) for name, value in right.items()}
    titles = {
        "cases": "How many cases",
        "minutes": "Their handle time in minutes, in total",
        "transfers": "How many transfers they had, in total",
        "longest": "Number of the case with the longest handle time",
    }
    conditions = [
        {"field": "owner_id", "op": "equals", "value": agent},
        {"field": "closed_at", "op": "between", "value": list(span)},
        {"field": "type", "op": "not_equal", "value": without},
    ]
    ids = {row["id"] for row in found}
    others = [row for row in picks.live(world, "crm_case", status=CLOSED) if row["id"] not in ids]
    columns = ["number", "created_at", "closed_at"]
    return Draft(
        instruction=f"Take the cases of {picks.person(world, agent)['name']} that were closed from "
        f"{long_date(span[0])} to {long_date(span[1])}, both days included, in your own time zone, and are closed now. "
        f"Leave out those of the type {without}. "
        "How many are there, what is their handle time in minutes altogether, and how many transfers did they have "
        "altogether? Our knowledge base says how these figures are counted. Which case had the longest handle time? "
        "Give its number.",
        person_id=head(world),
        expectation=Expectation(answer=answer_spec(fields, titles)),
        oracle=(
            Call("crm_query", {"object": "case", "filter": conditions, "fields": columns, "limit": 200}),
            *(Call("crm_timeline", {"id": row["id"], "action": "history"}) for row in found),
        ),
        submission=Submission(answer=right),
        variants=(
            Variant("read case by case", tuple(Call("crm_timeline", {"id": row["id"]}) for row in found)),
            Variant("whatever the day", (), Submission(answer=wrong["whatever the day"]), "ANSWER_WRONG"),
        ),
        wrong_answers=wrong,
        distractors=(picks.distract("closed at other times or by others", "crm_case", others),),
    )
