"""Many rows at once: dates pushed, tasks for several owners, notes on several records, a new customer from nothing."""

from __future__ import annotations

from deskgym_apps.kit.dates import add_days, long_date
from deskgym_apps.kit.money import format_amount, plain_amount
from deskgym_apps.kit.store import Store
from deskgym_graders.codec import SpecError
from deskgym_graders.comparators import Money, RefTo
from deskgym_graders.expected import changed, expected_row
from deskgym_graders.spec import Call, Draft, Expectation, Insert, Var, Variant, for_each
from deskgym_graders.tasks import template
from deskgym_seeds.streams import Stream

from ..per_world import per_world
from . import picks
from .picks import Row

_ROWS = (8, 15)
_FIRST = ("Ilse", "Oona", "Tarek", "Priya", "Emeka", "Solveig", "Baptiste", "Noor", "Yara", "Leopold")
_LAST = ("Vandersteen", "Okonjo", "Halvorsen", "Castellane", "Brightwater", "Ferreira", "Lindqvist", "Marchetti")
_FIRMS = ("Quarrymead", "Ostervale", "Fennimore", "Larchgate", "Tarnhollow", "Windermarsh", "Copperfield")
_TRADES = ("Ceramics", "Hydraulics", "Brewing", "Glassworks", "Turbines", "Paper")


def _cut(rows: list[Row]) -> list[tuple[str, list[Row]]]:
    """Days of the rows' close dates before which 8 to 15 of them lie."""
    days = sorted({row["close_date"] for row in rows})
    found = [(day, [row for row in rows if row["close_date"] < day]) for day in days]
    return [(day, before) for day, before in found if _ROWS[0] <= len(before) <= _ROWS[1]]


@per_world
def _cuts(world: Store) -> list[tuple[Row, list[Row], str, list[Row]]]:
    """Sellers, their open deals, a day of these, and the 8 to 15 that close before it."""
    choices = []
    for seller in picks.sellers(world):
        rows = [row for row in picks.deals(world, is_open=True) if row["owner_id"] == seller["id"]]
        choices += [(seller, rows, day, before) for day, before in _cut(rows)]
    return choices


@template("crm/push-dates", kind="mutate", level=3)
def push_dates(world: Store, stream: Stream) -> Draft:
    """Move the close date of all of one owner's open deals that were to close before a day."""
    seller, rows, day, before = picks.draw(stream, _cuts(world), "owner with 8 to 15 open deals before a day")
    new = add_days(max(row["close_date"] for row in rows), stream.uniform_int(8, 90))
    calls = tuple(picks.set_fields(row, {"close_date": new}) for row in before)
    boundary = [row for row in rows if row["close_date"] == day]
    over = picks.slip(boundary[0], {"close_date": new}, {"close_date": day})
    closed = [row for row in picks.deals(world, is_open=False) if row["owner_id"] == seller["id"]]
    return Draft(
        instruction=f"The quarter has slipped. Please move the close date of every open opportunity that "
        f"{seller['name']} owns and that was to close before {long_date(day)} to {long_date(new)}; overdue ones "
        f"included. Those that close on {long_date(day)} itself or later stay, and so do closed ones.",
        person_id=seller["id"],
        expectation=Expectation(
            any_of=(for_each(before, lambda row: changed("crm_opportunity", row["id"], close_date=new)),)
        ),
        oracle=calls,
        variants=(
            Variant("in another order", calls[::-1]),
            *(
                (Variant("one too many, put right", (*calls, *over)),)
                if day >= picks.today(world, seller["id"])
                else ()
            ),
            Variant("the day itself included", (*calls, over[0]), reason="COLLATERAL"),
            Variant("all but the last", calls[:-1], reason="MISSING"),
        ),
        distractors=(
            picks.distract("closing on the day itself", "crm_opportunity", boundary),
            picks.distract("closed ones", "crm_opportunity", closed),
        ),
    )


def _follow_up(deal: Row, subject: str, day: str) -> tuple[Insert, Call]:
    given = {"subject": subject, "priority": "High", "due_date": day, "what_id": deal["id"]}
    given["owner_id"] = deal["owner_id"]
    return expected_row("crm_task", **given), Call("crm_create", {"object": "task", "values": given})


@per_world
def _spans(world: Store) -> list[tuple[str, str, list[Row]]]:
    """Spans of days in which 12 to 14 open deals of three active owners or more close, and no others."""
    rows = [row for row in picks.deals(world, is_open=True) if picks.active_owner(world, row)]
    left = [row for row in picks.deals(world, is_open=True) if not picks.active_owner(world, row)]
    days = sorted({row["close_date"] for row in rows})
    spans = []
    for start, first in enumerate(days):
        for last in days[start:]:
            found = [row for row in rows if first <= row["close_date"] <= last]
            stray = any(first <= row["close_date"] <= last for row in left)
            if 12 <= len(found) <= 14 and not stray and len({row["owner_id"] for row in found}) >= 3:
                spans.append((first, last, found))
    return spans


@template("crm/chase-owners", kind="mutate", level=4)
def chase_owners(world: Store, stream: Stream) -> Draft:
    """Give the owner of each open deal that closes in a span of days a task about it."""
    rows = [row for row in picks.deals(world, is_open=True) if picks.active_owner(world, row)]
    first, last, found = picks.draw(stream, _spans(world), "span with 12 to 14 open deals")
    admin = picks.administrator(world)
    day = add_days(picks.today(world, admin), stream.uniform_int(3, 20))
    subject = f"Confirm close date, round {stream.uniform_int(100, 999)}"
    made = [_follow_up(row, subject, day) for row in found]
    calls = tuple(call for _, call in made)
    rest = [row for row in rows if row["close_date"] not in {deal["close_date"] for deal in found}]
    low = Call("crm_create", {"object": "task", "values": calls[0].args["values"] | {"priority": "Low"}}, "slip")
    raised = {"id": Var("slip.id"), "row_version": Var("slip.row_version"), "values": {"priority": "High"}}
    return Draft(
        instruction=f"For every open opportunity that closes from {long_date(first)} to {long_date(last)}, both days "
        f'included, create a task "{subject}" of High priority, due on {long_date(day)}, related to that opportunity '
        "and assigned to its owner. One task for each opportunity, without a contact.",
        person_id=admin,
        expectation=Expectation(any_of=(tuple(row for row, _ in made),)),
        oracle=calls,
        variants=(
            Variant("in another order", calls[::-1]),
            Variant("a wrong priority put right", (low, Call("crm_update", raised), *calls[1:])),
            Variant("all but one", calls[1:], reason="MISSING"),
        ),
        distractors=(picks.distract("closing on other days", "crm_opportunity", rest),),
        because={"what_id": "one for each of those opportunities", "owner_id": "the owner of the opportunity"},
    )


@template("crm/note-on-several", kind="mutate", level=2, revision=2)
def note_on_several(world: Store, stream: Stream) -> Draft:
    """Write one note and attach it to three accounts."""
    rows = picks.named_once(world, "crm_account", picks.live(world, "crm_account"))
    chosen = stream.sample(rows, 3)
    number = stream.uniform_int(1000, 9999)
    title = f"Price list {number}"
    body = f"The price list {number} applies from {long_date(add_days(world.now[:10], stream.uniform_int(10, 80)))}"
    ids = [row["id"] for row in chosen]
    names = [row["name"] for row in chosen]
    goal = (
        expected_row("crm_note", title=title, body=body, save_as="note"),
        *(expected_row("crm_note_link", note_id=RefTo("note"), record_id=key) for key in ids),
    )
    values = {"title": title, "body": body}
    created = Call("crm_create", {"object": "note", "values": values | {"record_ids": ids}})
    first = Call("crm_create", {"object": "note", "values": values | {"record_ids": ids[:1]}}, "note")
    wider = {"id": Var("note.id"), "row_version": Var("note.row_version"), "values": {"record_ids": ids}}
    return Draft(
        instruction=f"Write one note for the three accounts {names[0]}, {names[1]} and {names[2]}, attached to all of "
        f'them, with the title "{title}" and the text "{body}".',
        person_id=picks.administrator(world),
        expectation=Expectation(any_of=(goal,)),
        oracle=(created,),
        variants=(
            Variant("attached one by one", (first, Call("crm_update", wider))),
            Variant("two notes", (created, first), reason="COLLATERAL"),
        ),
        distractors=(picks.distract("other accounts", "crm_account", [r for r in rows if r["id"] not in ids]),),
    )


@template("crm/new-customer", kind="mutate", level=4, revision=2)
def new_customer(world: Store, stream: Stream) -> Draft:
    """Set up a customer from nothing: account, two contacts, a deal, both roles, a task and a note."""
    seller = picks.draw(stream, [row for row in picks.sellers(world) if row["currency"] == "USD"], "seller in USD")
    firm = f"{stream.choice(_FIRMS)} {stream.choice(_TRADES)} {stream.uniform_int(11, 99)}"
    firsts, lasts = stream.sample(_FIRST, 2), stream.sample(_LAST, 2)
    mails = [f"{first}.{last}@{firm.split(' ')[0]}.example".lower() for first, last in zip(firsts, lasts, strict=True)]
    names = [f"{first} {last}" for first, last in zip(firsts, lasts, strict=True)]
    if any(list(world.select("crm_account", name=firm))):
        raise SpecError(f"{firm} is known already")
    deal_name = f"{firm} – Pilot line"
    minor = stream.uniform_int(500_000, 9_000_000)
    day = add_days(picks.today(world, seller["id"]), stream.uniform_int(30, 150))
    due = add_days(picks.today(world, seller["id"]), stream.uniform_int(2, 12))
    subject, title = f"Send offer to {firsts[0]}", f"First visit at {firm}"
    body = f"They run {stream.uniform_int(3, 40)} lines and want to begin with one"
    link = "crm_account_contact"
    role = "crm_opportunity_contact_role"
    parts = (("Decision Maker", 1), ("Technical Buyer", 0))
    people = [
        expected_row(
            "crm_contact",
            save_as=f"c{at}",
            first_name=firsts[at],
            last_name=lasts[at],
            email=mails[at],
            account_id=RefTo("a"),
        )
        for at in (0, 1)
    ]
    goal = (
        expected_row("crm_account", save_as="a", name=firm, type="Prospect", bill_city="Tacoma", currency="USD"),
        *people,
        *(expected_row(link, account_id=RefTo("a"), contact_id=RefTo(f"c{at}"), is_direct=1) for at in (0, 1)),
        expected_row(
            "crm_opportunity",
            save_as="o",
            name=deal_name,
            account_id=RefTo("a"),
            stage="Prospecting",
            probability=10,
            forecast_category="Pipeline",
            amount=Money(minor, "USD"),
            currency="USD",
            close_date=day,
        ),
        *(
            expected_row(role, opportunity_id=RefTo("o"), contact_id=RefTo(f"c{at}"), role=part, is_primary=mark)
            for at, (part, mark) in enumerate(parts)
        ),
        expected_row("crm_task", subject=subject, due_date=due, who_id=RefTo("c0"), what_id=RefTo("o")),
        expected_row("crm_note", save_as="n", title=title, body=body),
        expected_row("crm_note_link", note_id=RefTo("n"), record_id=RefTo("a")),
    )

    def create(kind: str, save_as: str | None = None, **values: object) -> Call:
        return Call("crm_create", {"object": kind, "values": values}, save_as)

    def contact(at: int) -> Call:
        given = {"first_name": firsts[at], "last_name": lasts[at], "email": mails[at], "account_id": Var("a.id")}
        return create("contact", f"c{at}", **given)

    def part(at: int) -> Call:
        given = {"opportunity_id": Var("o.id"), "contact_id": Var(f"c{at}.id"), "role": parts[at][0]}
        return Call("crm_link_contact", given | {"action": "set_role"} | ({"is_primary": True} if parts[at][1] else {}))

    money = plain_amount(minor, "USD")
    account = create("account", "a", name=firm, type="Prospect", bill_city="Tacoma")
    deal = create("opportunity", "o", name=deal_name, account_id=Var("a.id"), amount=money, close_date=day)
    task = create("task", subject=subject, due_date=due, who_id=Var("c0.id"), what_id=Var("o.id"))
    note = create("note", title=title, body=body, record_ids=[Var("a.id")])
    others = [row for row in picks.live(world, "crm_account") if row["owner_id"] == seller["id"]]
    return Draft(
        instruction=f"I have won over a new prospect, please set it up in my name. Account: {firm}, type Prospect, "
        f"billing city Tacoma. Contacts there: {names[0]} ({mails[0]}) and {names[1]} ({mails[1]}). Opportunity "
        f'"{deal_name}" over {format_amount(minor, "USD")} USD in the stage Prospecting (10 %, Pipeline), closing on '
        f"{long_date(day)}, with {names[0]} as primary contact in the role Decision Maker and {names[1]} in the role "
        f'Technical Buyer. Then a task "{subject}", due on {long_date(due)}, with {names[0]} about the opportunity, '
        f'and a note on the account with the title "{title}" and the text "{body}". Fill in nothing else.',
        person_id=seller["id"],
        expectation=Expectation(any_of=(goal,)),
        oracle=(account, contact(0), contact(1), deal, part(0), part(1), task, note),
        variants=(
            Variant("in another order", (account, note, deal, contact(1), part(1), contact(0), task, part(0))),
            Variant(
                "without the second role", (account, contact(0), contact(1), deal, part(0), task, note), None, "MISSING"
            ),
        ),
        distractors=(picks.distract("other accounts of the seller", "crm_account", others),),
        because={"is_direct": "the account is the contact's own", "crm_opportunity_contact_role.is_primary": "as said"},
    )
