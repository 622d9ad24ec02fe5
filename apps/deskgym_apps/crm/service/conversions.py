"""Converting several leads at once, and what pages offer before a conversion (CRM-2.2, CRM-2.9)."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from ...kit.call import Context
from ...kit.errors import Invalid, NotFound, ServiceError
from ...kit.fields import Id
from ...kit.operations import Input, command, query
from ..rules import contact_name
from ..rules_leads import CONVERTED_STATUSES
from .access import WRITE, User, reader
from .conversion import (
    NEW,
    NONE,
    RESULTS,
    ConvertLeadInput,
    convert,
    converted_before,
    default_name,
    open_deals,
    results,
)
from .kinds import KINDS
from .matching import matches
from .records import name_of

MOST = 50


class ConvertLeadsInput(Input):
    """Several leads and what each becomes."""

    items: list[ConvertLeadInput] = Field(min_length=1, max_length=MOST, description=f"At most {MOST} leads.")


class Outcome(BaseModel):
    """What became of one lead: converted, or why not."""

    lead_id: str
    name: str
    is_converted: bool
    message: str | None = None
    account_id: str | None = None
    contact_id: str | None = None
    opportunity_id: str | None = None


class ConvertedLeads(BaseModel):
    """A row for each lead that was asked for, in that order."""

    rows: list[Outcome]
    converted: int
    failed: int


@command("crm")
def convert_leads(ctx: Context, values: ConvertLeadsInput) -> ConvertedLeads:
    """Convert several leads, each wholly or not at all (CRM-2.9). Refused where not one of them can be converted."""
    user = User(ctx)
    rows = [_one(user, item) for item in values.items]
    done = sum(row.is_converted for row in rows)
    if not done:
        error = Invalid("; ".join(f"{row.name}: {row.message}" for row in rows), field="items")
        error.details = {"rows": [row.model_dump() for row in rows]}
        raise error
    return ConvertedLeads(rows=rows, converted=done, failed=len(rows) - done)


def _one(user: User, item: ConvertLeadInput) -> Outcome:
    conn = user.ctx.conn
    lead_name = name_of(user.ctx, KINDS["lead"], item.lead_id) if _is_readable(user, item.lead_id) else item.lead_id
    conn.execute("SAVEPOINT one_lead")
    try:
        done = convert(user, item)
    except ServiceError as error:
        conn.execute("ROLLBACK TO one_lead")
        conn.execute("RELEASE one_lead")
        return Outcome(lead_id=item.lead_id, name=lead_name, is_converted=False, message=error.message)
    conn.execute("RELEASE one_lead")
    became = done.model_dump(include={"account_id", "contact_id", "opportunity_id"})
    return Outcome(lead_id=item.lead_id, name=lead_name, is_converted=True, **became)


def _is_readable(user: User, lead_id: str) -> bool:
    seen = f"SELECT 1 FROM crm_lead t WHERE t.id = :id AND {user.visible('lead', 't')}"
    return user.ctx.store.one(seen, user.params | {"id": lead_id}) is not None


class ReportInput(Input):
    """Which bulk conversion to report."""

    token: str = Field(max_length=200, description="The token of the form that it was sent with.")


class Reported(Outcome):
    """`label` is unique in the report; `links` names what the person may read of what the lead became."""

    label: str
    links: dict[str, str]


class Report(BaseModel):
    """A row for each lead that was asked for."""

    rows: list[Reported]
    converted: int
    failed: int


@query("crm")
def conversion_report(ctx: Context, values: ReportInput) -> Report:
    """What became of each lead of a bulk conversion of yours. Raises NotFound where you sent no such form."""
    user = reader(ctx)
    sent = ctx.store.one(
        "SELECT result FROM org_form_token WHERE token = ? AND person_id = ? AND operation = 'crm.convert_leads' "
        "ORDER BY arguments_hash LIMIT 1",
        (values.token, user.id),
    )
    if sent is None:
        raise NotFound("there is no such report of a conversion")
    found = ConvertedLeads.model_validate_json(sent["result"])
    names = [row.name for row in found.rows]
    rows = [
        Reported(
            **row.model_dump(),
            label=f"{row.name} ({at})" if names.count(row.name) > 1 else row.name,
            links={item["object"]: item["name"] for item in _links(user, row)},
        )
        for at, row in enumerate(found.rows, 1)
    ]
    return Report(rows=rows, converted=found.converted, failed=found.failed)


def _links(user: User, row: Outcome) -> list[dict[str, str]]:
    return results(user, {f"converted_{name}_id": getattr(row, f"{name}_id") for name in RESULTS})


class ChoicesInput(Input):
    """Which leads to convert."""

    ids: list[Id] = Field(min_length=1, max_length=MOST)


class Choices(BaseModel):
    """What one lead may become. `refusal`: why it cannot be converted, with what it became where it was before.

    `accounts`, `contacts` and `opportunities` are suggestions; `account`, `contact` and `opportunity` the proposal.
    """

    lead_id: str
    name: str
    company: str
    row_version: int
    owner_id: str
    owner: str
    status: str
    refusal: str | None
    results: list[dict[str, str]]
    accounts: list[dict[str, Any]]
    contacts: list[dict[str, Any]]
    opportunities: list[dict[str, Any]]
    account: str
    contact: str
    opportunity: str
    opportunity_name: str
    statuses: tuple[str, ...]


@query("crm")
def conversion_choices(ctx: Context, values: ChoicesInput) -> list[Choices]:
    """What each of these leads may become; those you may not read are refused as not found."""
    user = reader(ctx)
    user.need(KINDS["lead"], "read")
    return [_choices(user, lead_id) for lead_id in values.ids]


def _choices(user: User, lead_id: str) -> Choices:
    lead = user.load(KINDS["lead"], lead_id)
    refusal = _refusal(user, lead)
    found = {"matching_accounts": [], "matching_contacts": []} if refusal else matches(user, lead)
    accounts, contacts = found["matching_accounts"], found["matching_contacts"]
    account = accounts[0]["id"] if accounts else NEW
    fitting = [row for row in contacts if row["account_id"] == account]
    person = user.ctx.store.get("org_person", lead["owner_id"])
    return Choices(
        **{name: lead[name] for name in ("company", "row_version", "owner_id", "status")},
        lead_id=lead_id,
        name=contact_name(lead),
        owner=person["name"] if person else lead["owner_id"],
        refusal=refusal,
        results=results(user, lead) if lead["is_converted"] else [],
        accounts=accounts,
        contacts=contacts,
        opportunities=open_deals(user, [row["id"] for row in accounts]),
        account=account,
        contact=fitting[0]["id"] if fitting else NEW,
        opportunity=NEW if "create" in user.rights("opportunity") else NONE,
        opportunity_name=default_name(lead),
        statuses=CONVERTED_STATUSES,
    )


def _refusal(user: User, lead: dict[str, Any]) -> str | None:
    if lead["is_converted"]:
        return converted_before(user, lead).message
    if lead["level"] < WRITE:
        return "you may read this lead but not change it"
    return None
