"""Accounts and contacts that are easily mistaken for others, signatures, and the recycle bin."""

from __future__ import annotations

import re
from collections import defaultdict

from deskgym_apps.kit.dates import add_days, add_seconds, long_date
from deskgym_apps.kit.norm import norm
from deskgym_apps.kit.store import Store
from deskgym_graders.expected import changed
from deskgym_graders.spec import Call, Draft, Expectation, Var, Variant
from deskgym_graders.tasks import template
from deskgym_seeds.streams import Stream

from ..per_world import per_world
from . import picks
from .picks import Row

_JOBS = ("Plant Director", "Head of Sourcing", "Metrology Lead", "Site Engineer", "Operations Lead")
_DEPARTMENTS = ("Maintenance", "Sourcing", "Metrology", "Site Services", "Process Control")
_OPEN = ("Not Started", "In Progress", "Waiting on Someone Else", "Deferred")
_WORD = 3  # shorter first words (The, Al, Los) are no name
_SIGNED = re.compile(r"\n\n(?P<name>[^\n]+)\n(?P<title>[^\n]+)\n[^\n]+\nT [^\n]+(?:\nM (?P<mobile>[^\n]+))?\s*$")


def _cities(row: Row) -> set[str]:
    return {norm(city) for city in (row["bill_city"], row["ship_city"]) if city}


@per_world
def _branches(world: Store) -> list[tuple[Row, list[Row]]]:
    """Accounts of which others have the first word in their names too, none of these with an address in its city."""
    accounts = picks.live(world, "crm_account")
    pairs = []
    for row in accounts:
        word = norm(row["name"]).split(" ")[0]
        alike = [other for other in accounts if other is not row and word in norm(other["name"]).split(" ")]
        here = norm(row["bill_city"] or "")
        if alike and here and len(word) > _WORD and not any(here in _cities(other) for other in alike):
            pairs.append((row, alike))
    return pairs


@template("crm/which-branch", kind="mutate", level=2, revision=2)
def which_branch(world: Store, stream: Stream) -> Draft:
    """Change one of several accounts of like names; the city tells them apart."""
    pairs = _branches(world)
    account, others = picks.draw(stream, pairs, "accounts of like names in different cities")
    word = account["name"].split(" ")[0]
    rating = stream.choice([value for value in ("Hot", "Warm", "Cold") if value != account["rating"]])
    staff = stream.uniform_int(120, 4800)
    values = {"rating": rating, "employees": staff}
    call = picks.set_fields(account, values)
    wrong = others[0]
    undo = picks.slip(wrong, values, {name: wrong[name] for name in values})
    return Draft(
        instruction=f"We have several accounts with {word} in their names. The one in {account['bill_city']} is "
        f"{rating} now and has {staff:,} employees: set its rating and its number of employees. The others stay.",
        person_id=picks.administrator(world),
        expectation=Expectation(any_of=((changed("crm_account", account["id"], **values),),)),
        oracle=(call,),
        variants=(
            Variant("the wrong city first, put right", (*undo, call)),
            Variant("the wrong city", undo[:1], reason="MISSING"),
        ),
        distractors=(picks.distract("accounts of a like name", "crm_account", others),),
    )


@template("crm/which-namesake", kind="mutate", level=2)
def which_namesake(world: Store, stream: Stream) -> Draft:
    """Change one of two people of the same name; the firm tells them apart."""
    firms = {row["id"]: row for row in picks.named_once(world, "crm_account", picks.live(world, "crm_account"))}
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in picks.live(world, "crm_contact"):
        groups[norm(picks.label(row))].append(row)
    pairs = [
        (row, [other for other in group if other is not row])
        for _, group in sorted(groups.items())
        for row in group
        if len(group) > 1
        and row["account_id"] in firms
        and [other["account_id"] for other in group].count(row["account_id"]) == 1
    ]
    who, others = picks.draw(stream, pairs, "two people of one name")
    values = {
        "title": f"{stream.choice(_JOBS)} {stream.choice(('North', 'South', 'East', 'West'))}",
        "department": f"{stream.choice(_DEPARTMENTS)} {stream.uniform_int(1, 9)}",
    }
    call = picks.set_fields(who, values)
    undo = picks.slip(others[0], values, {name: others[0][name] for name in values})
    return Draft(
        instruction=f"{picks.label(who)} of {firms[who['account_id']]['name']} has a new job there: set the title to "
        f'"{values["title"]}" and the department to "{values["department"]}". Mind the namesake at another company.',
        person_id=picks.administrator(world),
        expectation=Expectation(any_of=((changed("crm_contact", who["id"], **values),),)),
        oracle=(call,),
        variants=(
            Variant("the namesake first, put right", (*undo, call)),
            Variant("the namesake", undo[:1], reason="MISSING"),
        ),
        distractors=(picks.distract("namesakes", "crm_contact", others),),
    )


@per_world
def _received(world: Store) -> dict[str, list[Row]]:
    """Incoming messages by contact."""
    found: dict[str, list[Row]] = defaultdict(list)
    for row in picks.every(world, "crm_email_message"):
        if row["direction"] == "in":
            found[row["who_id"]].append(row)
    return found


def _signature(world: Store, who: Row) -> tuple[str, str] | None:
    """Title and mobile number under the newest incoming message of a contact, where it has both."""
    sent = _received(world).get(who["id"], [])
    if not sent:
        return None
    found = _SIGNED.search(max(sent, key=lambda row: (row["sent_at"], row["id"]))["body"])
    if found is None or not found["mobile"] or norm(found["name"]) != norm(picks.label(who)):
        return None
    return found["title"].strip(), "+" + re.sub(r"\D", "", found["mobile"])


@per_world
def _stale(world: Store) -> list[tuple[Row, tuple[str, str]]]:
    """Contacts whose newest signature has another mobile number or title, and what it says."""
    firms = {row["id"]: row for row in picks.named_once(world, "crm_account", picks.live(world, "crm_account"))}
    known = picks.named_once(world, "crm_contact", picks.live(world, "crm_contact"))
    found = [(who, signed) for who in known if who["account_id"] in firms and (signed := _signature(world, who))]
    return [(who, signed) for who, signed in found if (who["title"], who["mobile"]) != signed]


@template("crm/newest-signature", kind="mutate", level=3, revision=2)
def newest_signature(world: Store, stream: Stream) -> Draft:
    """Take title and mobile number of a contact from the signature of the latest e-mail, the department as told."""
    who, (title, mobile) = picks.draw(stream, _stale(world), "contact with a new title or number in the signature")
    department = f"{stream.choice(_DEPARTMENTS)} {stream.uniform_int(1, 9)}"
    new = {"title": title, "mobile": mobile, "department": department}
    values = {name: value for name, value in new.items() if who[name] != value}
    (first, value), *rest = values.items()
    step = picks.set_fields(who, {first: value}, "first")
    then = Call("crm_update", {"id": who["id"], "row_version": Var("first.row_version"), "values": dict(rest)})
    firm = picks.accounts_by_id(world)[who["account_id"]]["name"]
    others = [row for row in picks.live(world, "crm_contact", account_id=who["account_id"]) if row["id"] != who["id"]]
    others = others or [row for row in picks.live(world, "crm_contact") if row["id"] != who["id"]]
    return Draft(
        instruction=f"{picks.label(who)} of {firm} has a new signature. Bring the contact's title and mobile number up "
        f"to date with the signature of the latest e-mail that we received from {picks.label(who)}, and set the "
        f'department, which the signature leaves out, to "{department}". The telephone number stays.',
        person_id=picks.keeper(world, who),
        expectation=Expectation(any_of=((changed("crm_contact", who["id"], **values),),)),
        oracle=(picks.set_fields(who, values),),
        variants=(
            Variant("one field first, the others afterwards", (step, then)),
            Variant("one field alone", (step,), reason="MISSING"),
        ),
        distractors=(picks.distract("colleagues of the contact", "crm_contact", others),),
        because=dict.fromkeys(set(values) - {"department"}, "it stands in the signature of the latest e-mail"),
    )


@template("crm/bring-back-task", kind="mutate", level=2, revision=2)
def bring_back_task(world: Store, stream: Stream) -> Draft:
    """Bring a task back from the recycle bin and open it again with a new due date."""
    line = add_seconds(world.now, -14 * 86_400)
    gone = picks.by_id(world.select("crm_task", is_deleted=1))
    names = {row["id"]: row["name"] for table in ("crm_account", "crm_opportunity") for row in picks.live(world, table)}
    rows = [row for row in gone if row["deleted_at"] > line and row["what_id"] in names and row["kind"] == "Task"]
    rows = [row for row in picks.named_once(world, "crm_task", rows) if row["delete_batch"] in (row["id"], None)]
    rows = rows or picks.named_once(world, "crm_task", [row for row in gone if row["what_id"] in names])
    task = picks.draw(stream, rows, "deleted task whose record is live")
    who = picks.keeper(world, task)
    day = add_days(picks.today(world, who), stream.uniform_int(5, 60))
    priority = stream.choice([value for value in ("High", "Low", "Normal") if value != task["priority"]])
    status = stream.choice([value for value in _OPEN if value != task["status"]])
    values = {"status": status, "due_date": day, "priority": priority}
    back = Call("crm_undelete", {"id": task["id"]}, "back")
    dated = Call("crm_update", {"id": task["id"], "row_version": Var("back.row_version"), "values": values}, "dated")
    wrong = {
        "id": task["id"],
        "row_version": Var("back.row_version"),
        "values": values | {"due_date": add_days(day, 1)},
    }
    late = Call("crm_update", wrong, "late")
    mended = Call("crm_update", {"id": task["id"], "row_version": Var("late.row_version"), "values": values})
    others = [row for row in gone if row["id"] != task["id"]]
    reopened = {"completed_at": None} if task["status"] == "Completed" else {}
    goal = changed("crm_task", task["id"], is_deleted=0, **values, **reopened)
    return Draft(
        instruction=f'I deleted the task "{task["subject"]}" by mistake, and it is not done yet. Please bring it back '
        f"from the recycle bin and set its status to {status}, its due date to {long_date(day)} and its priority to "
        f"{priority}.",
        person_id=who,
        expectation=Expectation(any_of=((goal,),)),
        oracle=(back, dated),
        variants=(
            Variant("a wrong date put right", (back, late, mended)),
            Variant("brought back only", (back,), reason="MISSING"),
        ),
        distractors=(picks.distract("other deleted tasks", "crm_task", others),),
        because={"completed_at": "a task that is open again was not completed"} if reopened else {},
    )
