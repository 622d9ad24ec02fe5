"""What the conversion of a lead must leave behind (CRM-2), and the call that does it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from deskgym_apps.crm.rules_leads import company_key, web_domain
from deskgym_apps.kit.dates import fiscal_quarter
from deskgym_apps.kit.norm import norm
from deskgym_apps.kit.store import Store
from deskgym_graders.comparators import Money, RefTo
from deskgym_graders.expected import changed, expected_row
from deskgym_graders.spec import Call, Delete, Step

from ..per_world import per_world
from . import picks
from .picks import Row

STATUS = "Qualified"
_ADDRESS = ("street", "city", "state", "postcode", "country")
_TO_ACCOUNT = {
    "company": "name",
    "phone": "phone",
    "website": "website",
    "industry": "industry",
    "employees": "employees",
    "rating": "rating",
}
_TO_CONTACT = ("salutation", "first_name", "last_name", "title", "email", "phone", "mobile", "lead_source")
_WISHES = ("do_not_call", "email_opt_out")
_ACTIVITIES = ("crm_task", "crm_event", "crm_email_message")
BECAUSE: Mapping[str, str] = {
    "crm_lead": "what converting makes of a lead",
    "crm_account": "the lead's own value, into a new account or a blank field",
    "crm_contact": "the lead's own value",
    "crm_account_contact": "the contact's own account",
    "crm_opportunity": "what a new opportunity of a converted lead begins with",
    "crm_opportunity_contact_role": "the contact that the lead became",
    "crm_task": "the lead's activities go along",
    "crm_event": "the lead's activities go along",
    "crm_email_message": "the lead's e-mails go along",
    "crm_note_link": "the lead's notes go along",
}


@dataclass(frozen=True)
class Conversion:
    """One lead, the account that it belongs to or None for a new one, and whether a new deal is made of it."""

    lead: Row
    account: Row | None
    has_deal: bool

    def call(self, **more: Any) -> Call:
        """The conversion; `more` arguments take the place of the usual ones."""
        usual = {
            "lead_id": self.lead["id"],
            "row_version": self.lead["row_version"],
            "account": "new" if self.account is None else self.account["id"],
            "contact": "new",
            "opportunity": "new" if self.has_deal else "none",
        }
        return Call("crm_convert_lead", usual | more)

    def goal(self, world: Store, person_id: str) -> tuple[Step, ...]:
        """Every row that must change; names of new rows end with the lead's id."""
        lead, tag = self.lead, str(self.lead["id"])
        contact, deal = RefTo(f"c{tag}"), RefTo(f"o{tag}")
        account = RefTo(f"a{tag}") if self.account is None else self.account["id"]
        became: dict[str, Any] = {"converted_account_id": account, "converted_contact_id": contact}
        became |= {"converted_opportunity_id": deal} if self.has_deal else {}
        read = {"unread": 0} if lead["unread"] else {}
        steps: list[Step] = [changed("crm_lead", tag, status=STATUS, is_converted=1, **became, **read)]
        steps += self._account(tag)
        steps.append(expected_row("crm_contact", save_as=f"c{tag}", **self._contact(account)))
        steps.append(expected_row("crm_account_contact", account_id=account, contact_id=contact, is_direct=1))
        if self.has_deal:
            steps += self._deal(world, person_id, account, contact)
        return (*steps, *_moved(world, tag, contact, deal if self.has_deal else account))

    def _account(self, tag: str) -> list[Step]:
        lead = self.lead
        given = {target: lead[source] for source, target in _TO_ACCOUNT.items()}
        given |= {f"bill_{part}": lead[part] for part in _ADDRESS}
        if lead["annual_revenue"] is not None:
            given["annual_revenue"] = Money(lead["annual_revenue"], lead["currency"])
        known = {name: value for name, value in given.items() if value is not None}
        if self.account is None:
            new = known | {"currency": lead["currency"], "owner_id": lead["owner_id"]}
            return [expected_row("crm_account", save_as=f"a{tag}", **new)]
        blank = blanks(self.account, known, lead["currency"])
        return [changed("crm_account", self.account["id"], **blank)] if blank else []

    def _contact(self, account: Any) -> dict[str, Any]:
        lead = self.lead
        given = {name: lead[name] for name in _TO_CONTACT} | {f"mail_{part}": lead[part] for part in _ADDRESS}
        given |= {name: 1 for name in _WISHES if lead[name]} | {"owner_id": lead["owner_id"], "account_id": account}
        return {name: value for name, value in given.items() if value is not None}

    def _deal(self, world: Store, person_id: str, account: Any, contact: RefTo) -> list[Step]:
        lead, tag = self.lead, str(self.lead["id"])
        first = next(row for row in picks.stages(world).values() if row["sort"] == 1)
        source = {"lead_source": lead["lead_source"]} if lead["lead_source"] else {}
        row = expected_row(
            "crm_opportunity",
            save_as=f"o{tag}",
            name=f"{lead['company']}-",
            account_id=account,
            stage=first["name"],
            probability=first["probability"],
            forecast_category=first["forecast_category"],
            currency=lead["currency"] if self.account is None else self.account["currency"],
            close_date=quarter_end(world, person_id),
            owner_id=lead["owner_id"],
            **source,
        )
        part = expected_row(
            "crm_opportunity_contact_role", opportunity_id=RefTo(f"o{tag}"), contact_id=contact, is_primary=1
        )
        return [row, part]

    def is_told(self, world: Store) -> bool:
        """Whether activities or e-mails of the lead say, afterwards, which records it became."""
        return any(True for table in _ACTIVITIES for row in world.select(table, who_id=self.lead["id"]))


def quarter_end(world: Store, person_id: str) -> str:
    """The last day of the fiscal quarter that it is for a person."""
    return fiscal_quarter(picks.today(world, person_id), int(world.meta("fiscal_start_month")))[1]


def blanks(account: Row, known: Mapping[str, Any], currency: str) -> dict[str, Any]:
    """The fields of an account that the lead's values fill: blank ones, never half of an address."""
    found = {name: value for name, value in known.items() if account[name] is None}
    if account["currency"] != currency:
        found.pop("annual_revenue", None)
    there = {name: account[f"bill_{name}"] for name in _ADDRESS if account[f"bill_{name}"] is not None}
    if any(norm(str(known.get(f"bill_{part}", ""))) != norm(value) for part, value in there.items()):
        found = {name: value for name, value in found.items() if not name.startswith("bill_")}
    return found


def _moved(world: Store, lead_id: str, contact: RefTo, what: Any) -> list[Step]:
    """The lead's activities, e-mails and notes, which are about its contact and deal or account afterwards."""
    steps: list[Step] = []
    for table in _ACTIVITIES:
        for row in picks.by_id(world.select(table, who_id=lead_id)):
            if not row.get("is_deleted"):
                about = {} if row["what_id"] else {"what_id": what}
                steps.append(changed(table, row["id"], who_id=contact, **about))
    for link in sorted(world.select("crm_note_link", record_id=lead_id), key=lambda row: str(row["note_id"])):
        steps.append(Delete("crm_note_link", (link["note_id"], lead_id)))
        steps += [expected_row("crm_note_link", note_id=link["note_id"], record_id=key) for key in (contact, what)]
    return steps


def because(goal: tuple[Step, ...]) -> dict[str, str]:
    """Why what follows from a conversion need not stand in the instruction, by table and column."""
    found: dict[str, str] = {}
    for step in goal:
        columns = () if isinstance(step, Delete) else step.set if hasattr(step, "set") else step.values
        found |= {f"{step.table}.{column}": BECAUSE[step.table] for column in columns}
    return found


@per_world
def _accounts_by_key(world: Store) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in picks.live(world, "crm_account"):
        found.setdefault(company_key(row["name"]), []).append(row)
    return found


def accounts_of(world: Store, lead: Row) -> list[Row]:
    """The accounts that have the lead's company name, legal form aside."""
    return _accounts_by_key(world).get(company_key(lead["company"]), [])


@per_world
def _domains(world: Store) -> frozenset[str]:
    return frozenset(web_domain(row["website"]) for row in picks.live(world, "crm_account")) - {""}


def is_unknown(world: Store, lead: Row) -> bool:
    """Whether nothing says that the lead's company is an account."""
    domains = {web_domain(lead["website"]), web_domain(lead["email"])}
    return not accounts_of(world, lead) and not domains & _domains(world)


@per_world
def open_leads(world: Store) -> list[Row]:
    """Leads that can be converted as they are: of active owners, named once, with numbers as they are stored."""
    rows = [row for row in picks.live(world, "crm_lead", is_converted=0) if picks.active_owner(world, row)]
    return [row for row in picks.named_once(world, "crm_lead", rows) if _is_clean(row)]


def _is_clean(row: Row) -> bool:
    numbers = (row["phone"], row["mobile"])
    is_stored = all(number is None or (number[0] == "+" and number[1:].isdigit()) for number in numbers)
    return is_stored and row["company"] == row["company"].strip()


def is_known_person(world: Store, lead: Row) -> bool:
    """Whether a contact of one of those accounts has the lead's name or e-mail."""
    accounts = {row["id"] for row in accounts_of(world, lead)}
    name, email = lead["name_norm"], lead["email_norm"]
    return any(
        row["account_id"] in accounts and (row["name_norm"] == name or (email and row["email_norm"] == email))
        for row in picks.live(world, "crm_contact")
    )
