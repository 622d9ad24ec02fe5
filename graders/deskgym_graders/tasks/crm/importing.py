"""Importing a file of leads (CRM-5), and a person who turns out to be there already (row 14)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from deskgym_apps.kit.norm import norm
from deskgym_apps.kit.store import Store
from deskgym_graders.comparators import Any as Whatever
from deskgym_graders.comparators import Eq, SetOf, TextEq
from deskgym_graders.expected import answer_spec, changed, expected_row
from deskgym_graders.spec import Call, Draft, Expectation, Step, Submission, Var, Variant
from deskgym_graders.tasks import template
from deskgym_seeds.streams import Stream

from ..per_world import per_world
from . import picks
from .picks import Row

_COLUMNS = {
    "Nachname": "last_name",
    "Vorname": "first_name",
    "Firma": "company",
    "E-Mail": "email",
    "PLZ": "postcode",
    "Ort": "city",
    "Mitarbeiter": "employees",
    "Quelle": "lead_source",
}
_STEMS = ("Kalk", "Rohr", "Ventil", "Pumpen", "Mess", "Dampf", "Filter", "Kessel", "Tank", "Wasser")
_ENDS = ("hof", "berg", "tal", "werk", "bach", "feld")
_FORMS = ("GmbH", "AG", "GmbH & Co. KG", "KG")
_CITIES = (("01067", "Dresden"), ("04109", "Leipzig"), ("06108", "Halle"), ("07743", "Jena"), ("08056", "Zwickau"))
_SOURCE = "Trade Show"
_SAID = "the file says so"
_TITLES = ("Head of Procurement", "Plant Engineer", "Technical Director")
_DEPARTMENTS = ("Procurement", "Engineering", "Operations")


@dataclass(frozen=True)
class _Line:
    """One line of the file, by column."""

    cells: tuple[str, ...]

    @property
    def email(self) -> str:
        """The address as the file has it."""
        return self.cells[3]

    def values(self) -> dict[str, Any]:
        """What the fields hold afterwards; numbers as the file means them."""
        given: dict[str, Any] = dict(zip(_COLUMNS.values(), self.cells, strict=True))
        given["employees"] = int(given["employees"].replace(".", "")) if given["employees"] else None
        return {name: value for name, value in given.items() if value not in ("", None)}


@per_world
def _surnames(world: Store) -> list[tuple[str, str]]:
    """First and last names of contacts, plain ones, each pair once."""
    rows = picks.live(world, "crm_contact")
    return sorted(
        {
            (row["first_name"], row["last_name"])
            for row in rows
            if row["first_name"] and str(row["first_name"]).isalpha() and str(row["last_name"]).isalpha()
        }
    )


@per_world
def _known_leads(world: Store) -> list[Row]:
    """Open leads whose e-mail no other lead has, which an import can bring up to date."""
    rows = [row for row in picks.live(world, "crm_lead", is_converted=0) if row["email"] and row["first_name"]]
    count: dict[str, int] = {}
    for row in picks.live(world, "crm_lead"):
        count[str(row["email_norm"])] = count.get(str(row["email_norm"]), 0) + 1
    plain = [row for row in rows if count[row["email_norm"]] == 1 and picks.active_owner(world, row)]
    return [row for row in plain if all(str(row[name]).strip() == row[name] for name in ("last_name", "company"))]


def _new_line(stream: Stream, names: tuple[str, str], firm: str) -> _Line:
    first, last = names
    postcode, city = stream.choice(_CITIES)
    employees = stream.uniform_int(1_020, 9_800) if stream.chance(600) else stream.uniform_int(12, 980)
    domain = norm(firm.split()[0]).replace("ß", "ss")
    email = f"{norm(first)[0]}.{norm(last)}@{domain}-{stream.uniform_int(100, 999)}.example"
    return _Line((last, first, firm, email, postcode, city, f"{employees:,}".replace(",", "."), _SOURCE))


def _spoilt(line: _Line, how: str) -> _Line:
    cells = list(line.cells)
    if how == "e-mail":
        cells[3] = cells[3].replace("@", "@@")
    elif how == "number":
        cells[6] = cells[6].replace(".", "") + "?"
    else:
        cells[2] = ""
    return _Line(tuple(cells))


def _known_line(stream: Stream, lead: Row) -> _Line:
    """A lead that is there, with a place and a size that it has not."""
    postcode, city = stream.choice([place for place in _CITIES if place[1] != lead["city"]])
    employees = stream.uniform_int(1_020, 9_800)
    size = f"{employees + (employees == lead['employees']):,}".replace(",", ".")
    source = "" if lead["lead_source"] else _SOURCE
    return _Line((lead["last_name"], lead["first_name"], lead["company"], lead["email"], postcode, city, size, source))


def _file(lines: Sequence[_Line]) -> str:
    quoted = [[f'"{cell}"' if ";" in cell or '"' in cell else cell for cell in line.cells] for line in lines]
    return "\n".join(";".join(cells) for cells in (list(_COLUMNS), *quoted)) + "\n"


def _updated(lead: Row, line: _Line, person: str) -> Step:
    new = {name: value for name, value in line.values().items() if lead[name] != value and name != "email"}
    read = {"unread": 0} if lead["unread"] and lead["owner_id"] == person else {}
    return changed("crm_lead", lead["id"], **new, **read)


@template("crm/import-leads", kind="mutate+answer", level=4)
def import_leads(world: Store, stream: Stream) -> Draft:
    """Import a file with known people and faulty lines among new ones; report what became of it."""
    person = picks.administrator(world)
    wrong = stream.uniform_int(2, 4)
    count = wrong + stream.uniform_int(5, 9)
    known = stream.sample(_known_leads(world), stream.uniform_int(1, 3))
    names = stream.sample(_surnames(world), count)
    firms = stream.sample([f"{stem}{end} {form}" for stem in _STEMS for end in _ENDS for form in _FORMS], count)
    fresh = [_new_line(stream, pair, firm) for pair, firm in zip(names, firms, strict=True)]
    ways = stream.shuffle(["e-mail", "number", "firm", "e-mail"])[:wrong]
    faulty = [_spoilt(line, how) for line, how in zip(fresh[:wrong], ways, strict=True)]
    good, old = fresh[wrong:], [_known_line(stream, lead) for lead in known]
    lines = stream.shuffle([*faulty, *good, *old])
    text = _file(lines)
    failing = sorted(at for at, line in enumerate(lines, 1) if line in faulty)
    counts: dict[str, Any] = {"created": len(good), "updated": len(old), "failed": len(faulty)}
    job = expected_row(
        "crm_import_job",
        object="lead",
        mode="insert",
        duplicate_action="update",
        file_name=Whatever("nobody asks for the name of the file"),
        columns=Eq(_json(list(_COLUMNS))),
        mapping=Eq(_json(dict(sorted(_COLUMNS.items())))),
        options=Whatever("there are several ways to have the file read rightly; the leads show that it was"),
        total=len(lines),
        skipped=0,
        **counts,
    )
    leads = [expected_row("crm_lead", **_lead(line, world, person)) for line in good]
    changes = [_updated(lead, line, person) for lead, line in zip(known, old, strict=True)]
    address = lines[failing[0] - 1].email
    answer = {"created": len(good), "updated": len(old), "rows": failing, "address": address}
    given = {"csv": text, "object": "lead", "mapping": _COLUMNS, "numbers": "1.234,50"}
    call = Call("crm_import", given | {"duplicate_action": "update", "on_failure": "skip"})
    tried = Call("crm_import", dict(call.args) | {"dry_run": True})
    skipping = Call("crm_import", given | {"on_failure": "skip"})
    doubling = Call("crm_import", given | {"duplicate_action": "create", "on_failure": "skip"})
    goal = (job, *leads, *changes)
    others = [row for row in _known_leads(world) if row["id"] not in {lead["id"] for lead in known}]
    return Draft(
        instruction="We are back from the fair in Dresden. Import this file of leads; it is in German, with numbers "
        "written like 1.234,50, and its columns are last name, first name, company, e-mail, postcode, city, employees "
        "and lead source:\n\n"
        f"{text}\n"
        "Import all eight columns in one go, so that new leads are created. Where a line is about a lead that we have "
        "already (the e-mail address tells), the import changes that lead; where a line cannot be imported, leave it "
        "out and do not correct it. Then report how many leads were created and how many updated, the numbers of the "
        "rows that failed (the first row after the names of the columns is row 1), and the e-mail address, as the file "
        "has it, in the first of these.",
        person_id=person,
        expectation=Expectation(
            any_of=(goal,),
            answer=answer_spec(
                {
                    "created": Eq(len(good)),
                    "updated": Eq(len(old)),
                    "rows": SetOf(tuple(Eq(at) for at in failing)),
                    "address": TextEq(address),
                },
                {
                    "created": "How many leads were created",
                    "updated": "How many leads were updated",
                    "rows": "The numbers of the rows that failed",
                    "address": "The e-mail address of the first of them",
                },
            ),
        ),
        oracle=(call,),
        submission=Submission(answer=answer),
        variants=(
            Variant("tried first", (tried, call)),
            Variant("numbers read the English way", (_english(call),), reason="MISSING"),
            Variant("known leads left out", (skipping,), reason="MISSING"),
            Variant("known leads doubled", (doubling,), reason="MISSING"),
        ),
        wrong_answers=picks.told_apart(
            answer,
            {
                "rows counted with the names of columns": answer | {"rows": [at + 1 for at in failing]},
                "all of them created": answer | {"created": len(good) + len(old), "updated": 0},
                "the first failing row alone": answer | {"rows": failing[:1]},
            },
        ),
        distractors=(picks.distract("other open leads", "crm_lead", others),),
        because=_because(goal),
    )


def _english(call: Call) -> Call:
    return Call(call.tool, {name: value for name, value in call.args.items() if name != "numbers"})


def _lead(line: _Line, world: Store, person: str) -> dict[str, Any]:
    return line.values() | {"unread": 0, "currency": picks.person(world, person)["currency"]}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _because(goal: Sequence[Any]) -> dict[str, str]:
    found: dict[str, str] = {}
    for step in goal:
        columns = step.set if hasattr(step, "set") else step.values
        found |= {f"{step.table}.{column}": _SAID for column in columns}
    return found


@per_world
def _met(world: Store) -> list[tuple[Row, Row, Row]]:
    """Contacts with a plain number and an address of their own, their account, and an open deal of it without them."""
    parts = {(row["opportunity_id"], row["contact_id"]) for row in picks.every(world, "crm_opportunity_contact_role")}
    emails: dict[str, int] = {}
    for row in picks.live(world, "crm_contact"):
        emails[str(row["email_norm"])] = emails.get(str(row["email_norm"]), 0) + 1
    accounts = picks.accounts_by_id(world)
    named = {row["id"] for row in picks.named_once(world, "crm_account", accounts.values())}
    found = []
    for row in picks.named_once(world, "crm_contact", picks.live(world, "crm_contact")):
        is_plain = row["email"] and emails[row["email_norm"]] == 1 and row["first_name"]
        if not is_plain or row["account_id"] not in named:
            continue
        for deal in picks.workable(world):
            if deal["account_id"] == row["account_id"] and (deal["id"], row["id"]) not in parts:
                found.append((row, accounts[row["account_id"]], deal))
    return found


@template("crm/known-contact", kind="mutate", level=3)
def known_contact(world: Store, stream: Stream) -> Draft:
    """Enter a person whose address is that of a contact under a short name: bring that contact up to date instead."""
    contact, account, deal = picks.draw(stream, _met(world), "contact at an account with an open deal")
    title = stream.choice([one for one in _TITLES if one != contact["title"]])
    department = stream.choice([one for one in _DEPARTMENTS if one != contact["department"]])
    role = stream.choice(("Evaluator", "Decision Maker", "Technical Buyer"))
    short = f"{str(contact['first_name'])[0]}. {contact['last_name']}"
    person = picks.administrator(world)
    values = {"title": title, "department": department}
    part = {"opportunity_id": deal["id"], "role": role}
    goal = (
        changed("crm_contact", contact["id"], **values),
        expected_row("crm_opportunity_contact_role", contact_id=contact["id"], **part),
    )
    save = picks.set_fields(contact, values)
    join = Call("crm_link_contact", {"action": "set_role", "contact_id": contact["id"], **part})
    new = {"last_name": contact["last_name"], "account_id": account["id"]} | values
    new |= {"email": f"info@{str(contact['email']).partition('@')[2]}"}
    other = Call("crm_create", {"object": "contact", "values": new, "allow_duplicates": True}, "c")
    first = Call(join.tool, dict(join.args) | {"is_primary": True})
    joined = Call("crm_link_contact", {"action": "set_role", "contact_id": Var("c.id"), **part})
    rest = [row for row in picks.live(world, "crm_contact", account_id=account["id"]) if row["id"] != contact["id"]]
    rest = rest or [row for row in picks.live(world, "crm_contact") if row["id"] != contact["id"]]
    return Draft(
        instruction=f"I met somebody from {account['name']} at the fair; the card says {short}, {title}, department "
        f"{department}, {contact['email']}. Enter this person as a contact of {account['name']}, and as {role} of the "
        f'opportunity "{deal["name"]}", not as primary contact. If the system has the person already, keep that '
        "contact with its name and bring title and department up to date instead of entering anybody anew.",
        person_id=person,
        expectation=Expectation(any_of=(goal,)),
        oracle=(save, join),
        variants=(
            Variant("the role first", (join, save)),
            Variant("the role forgotten", (save,), reason="MISSING"),
            Variant("entered anew with another address", (other, joined), reason="MISSING"),
            Variant("primary contact", (save, first), reason="COLLATERAL"),
        ),
        distractors=(picks.distract("other contacts", "crm_contact", rest),),
        because={"contact_id": "the address is that of this contact"},
    )
