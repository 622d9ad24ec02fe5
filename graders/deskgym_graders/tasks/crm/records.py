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

from . import picks
from .picks import Row

_JOBS = ("Plant Director", "Head of Sourcing", "Metrology Lead", "Site Engineer", "Operations Lead")
_DEPARTMENTS = ("Maintenance", "Sourcing", "Metrology", "Site Services", "Process Control")
_SIGNED = re.compile(r"\n\n(?P<name>[^\n]+)\n(?P<title>[^\n]+)\n[^\n]+\nT [^\n]+(?:\nM (?P<mobile>[^\n]+))?\s*$")


@template("crm/which-branch", kind="mutate", level=2)
def which_branch(world: Store, stream: Stream) -> Draft:
    """Change one of several accounts whose names begin alike; the city tells them apart."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in picks.live(world, "crm_account"):
        groups[norm(row["name"]).split(" ")[0]].append(row)
    pairs = [
        (row, [other for other in group if other is not row])
        for _, group in sorted(groups.items())
        for row in group
        if len(group) > 1 and row["bill_city"] and [other["bill_city"] for other in group].count(row["bill_city"]) == 1
    ]
    account, others = picks.draw(stream, pairs, "accounts whose names begin alike in different cities")
    word = account["name"].split(" ")[0]
    rating = stream.choice([value for value in ("Hot", "Warm", "Cold") if value != account["rating"]])
    staff = stream.uniform_int(120, 4800)
    values = {"rating": rating, "employees": staff}
    call = picks.set_fields(account, values)
    wrong = others[0]
    undo = picks.slip(wrong, values, {name: wrong[name] for name in values})
    return Draft(
        instruction=f"We have several accounts that are called {word} something. The one in {account['bill_city']} is "
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


def _signature(world: Store, who: Row) -> tuple[str, str] | None:
    """Title and mobile number under the newest incoming message of a contact, where it has both."""
    sent = [row for row in world.select("crm_email_message", who_id=who["id"]) if row["direction"] == "in"]
    if not sent:
        return None
    found = _SIGNED.search(max(sent, key=lambda row: (row["sent_at"], row["id"]))["body"])
    if found is None or not found["mobile"] or norm(found["name"]) != norm(picks.label(who)):
        return None
    return found["title"].strip(), "+" + re.sub(r"\D", "", found["mobile"])


@template("crm/newest-signature", kind="mutate", level=3)
def newest_signature(world: Store, stream: Stream) -> Draft:
    """Take title and mobile number of a contact from the signature of the latest e-mail."""
    firms = {row["id"]: row for row in picks.named_once(world, "crm_account", picks.live(world, "crm_account"))}
    known = picks.named_once(world, "crm_contact", picks.live(world, "crm_contact"))
    found = [(who, signed) for who in known if who["account_id"] in firms and (signed := _signature(world, who))]
    stale = [(who, signed) for who, signed in found if who["mobile"] != signed[1]]
    who, (title, mobile) = picks.draw(stream, stale, "contact with a new number in the newest signature")
    new = {"title": title, "mobile": mobile}
    values = {name: value for name, value in new.items() if who[name] != value}
    step = picks.set_fields(who, {"mobile": mobile}, "mobile")
    rest = {"id": who["id"], "row_version": Var("mobile.row_version"), "values": {"title": title}}
    others = [row for row in picks.live(world, "crm_contact", account_id=who["account_id"]) if row["id"] != who["id"]]
    others = others or [row for row in known if row["id"] != who["id"]]
    return Draft(
        instruction=f"{picks.label(who)} of {firms[who['account_id']]['name']} has written with a new signature. Bring "
        "the contact's title and mobile number up to date from the signature of the latest e-mail we received from "
        "there; the telephone number is still right.",
        person_id=picks.keeper(world, who),
        expectation=Expectation(any_of=((changed("crm_contact", who["id"], **values),),)),
        oracle=(picks.set_fields(who, values),),
        variants=(Variant("one field at a time", (step, Call("crm_update", rest))),),
        distractors=(picks.distract("colleagues of the contact", "crm_contact", others),),
        because=dict.fromkeys(values, "it stands in the signature of the latest e-mail"),
    )


@template("crm/bring-back-task", kind="mutate", level=2)
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
    values = {"due_date": day, "priority": priority}
    back = Call("crm_undelete", {"id": task["id"]}, "back")
    dated = Call("crm_update", {"id": task["id"], "row_version": Var("back.row_version"), "values": values}, "dated")
    wrong = {"id": task["id"], "row_version": Var("back.row_version"), "values": {"due_date": add_days(day, 1)}}
    late = Call("crm_update", wrong, "late")
    mended = Call("crm_update", {"id": task["id"], "row_version": Var("late.row_version"), "values": values})
    others = [row for row in gone if row["id"] != task["id"]]
    goal = changed("crm_task", task["id"], is_deleted=0, **values)
    return Draft(
        instruction=f'I deleted the task "{task["subject"]}" by mistake. Please bring it back from the recycle bin '
        f"(it must not stay deleted), set its due date to {long_date(day)} and its priority to {priority}.",
        person_id=who,
        expectation=Expectation(any_of=((goal,),)),
        oracle=(back, dated),
        variants=(
            Variant("a wrong date put right", (back, late, mended)),
            Variant("brought back only", (back,), reason="MISSING"),
        ),
        distractors=(picks.distract("other deleted tasks", "crm_task", others),),
    )
