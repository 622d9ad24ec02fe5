"""Converting a lead into an account, a contact and perhaps an opportunity, in one transaction (CRM-2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from pydantic import BaseModel, Field

from ...kit.call import Context
from ...kit.errors import FieldError, Forbidden, Invalid, NotFound
from ...kit.fields import Id, Line, Version
from ...kit.operations import Input, command, parse_input
from ..rules_leads import CONVERTED_STATUSES
from .access import WRITE, User
from .accounts import ACCOUNT, AccountChanges, AccountInput
from .activities import COMPLETED
from .activity_days import refresh
from .contacts import CONTACT, ContactChanges, ContactInput
from .duplicates import Duplicate
from .inputs import ALLOW_DUPLICATES
from .kinds import KINDS
from .lead_mapping import blank_values, new_values
from .opportunities import OPPORTUNITY, OpportunityChanges, OpportunityInput
from .periods import fiscal_quarter_of
from .records import RecordType, check_lock, create, name_of, save, update
from .selection import Selection

NEW, NONE = "new", "none"
RESULTS = ("account", "contact", "opportunity")
_ID = "[A-Z0-9]{15}"
_ROLES = "crm_opportunity_contact_role"
Row = Mapping[str, Any]


class ConvertLeadInput(Input):
    """A lead and what it becomes."""

    lead_id: Id = Field(title="Lead")
    row_version: Version
    account: str = Field(title="Account", pattern=f"^({NEW}|{_ID})$", description="The id of an account, or new.")
    contact: str = Field(
        title="Contact",
        pattern=f"^({NEW}|{_ID})$",
        description="The id of a contact of that account, or new. Of records that exist only blank fields are filled.",
    )
    opportunity: str = Field(
        title="Opportunity",
        pattern=f"^({NEW}|{NONE}|{_ID})$",
        description="new, none, or the id of an open opportunity of that account.",
    )
    opportunity_name: Line | None = Field(
        default=None,
        title="Opportunity name",
        max_length=120,
        description="Of a new one; the company with a hyphen after it, where left out.",
    )
    status: Line | None = Field(
        default=None,
        title="Converted status",
        max_length=80,
        description=f"What the lead's status becomes, one of {', '.join(CONVERTED_STATUSES)}; the first, if left out.",
    )
    owner: Id | None = Field(
        default=None,
        title="Owner of the new records",
        description="The lead's owner, where left out. Another one also gets the lead owner's open activities.",
    )
    allow_duplicates: bool = ALLOW_DUPLICATES


class Converted(BaseModel):
    """What the lead became. `created` names those of account, contact and opportunity that are new."""

    lead_id: str
    row_version: int
    account_id: str
    contact_id: str
    opportunity_id: str | None
    created: list[str]


@command("crm")
def convert_lead(ctx: Context, values: ConvertLeadInput) -> Converted:
    """Convert a lead: it becomes an account, a contact and perhaps an opportunity, and read-only. Not reversible."""
    return convert(User(ctx), values)


def convert(user: User, values: ConvertLeadInput) -> Converted:
    """The whole conversion. Raises Invalid that names the field, NotFound, Forbidden, Conflict; all or nothing."""
    ctx, kind = user.ctx, KINDS["lead"]
    lead = user.load(kind, values.lead_id)
    if lead["is_converted"]:
        raise converted_before(user, lead)
    lead = user.load(kind, values.lead_id, WRITE)
    check_lock(ctx, kind, lead, values.row_version)
    status, owner = _status(values), values.owner or lead["owner_id"]
    with _about("account"):
        account_id = _account(user, lead, values, owner)
    with _about("contact"):
        contact_id = _contact(user, lead, values, owner, account_id)
    with _about("opportunity"):
        opportunity_id = _opportunity(user, lead, values, owner, account_id)
    if opportunity_id is not None:
        _add_role(ctx, opportunity_id, contact_id)
    _move_activities(ctx, lead, contact_id, opportunity_id or account_id, owner)
    refresh(ctx, account_id, opportunity_id)
    became = {
        "converted_account_id": account_id,
        "converted_contact_id": contact_id,
        "converted_opportunity_id": opportunity_id,
    }
    marks = {"status": status, "is_converted": 1, "converted_at": ctx.now, "unread": 0}
    return Converted(
        lead_id=lead["id"],
        row_version=save(ctx, kind, lead, marks | became),
        account_id=account_id,
        contact_id=contact_id,
        opportunity_id=opportunity_id,
        created=[name for name in RESULTS if getattr(values, name) == NEW],
    )


def _status(values: ConvertLeadInput) -> str:
    status = values.status or CONVERTED_STATUSES[0]
    if status not in CONVERTED_STATUSES:
        message = f'a converted lead cannot have the status "{status}"; it must be one of '
        raise Invalid(message + ", ".join(CONVERTED_STATUSES), field="status", allowed=CONVERTED_STATUSES)
    return status


def results(user: User, lead: Row) -> list[dict[str, str]]:
    """What a converted lead became, as far as the person may read it: `{object, id, name}`, deleted ones included."""
    found = []
    for name in RESULTS:
        record_id = lead[f"converted_{name}_id"]
        seen = f"SELECT 1 FROM {KINDS[name].table} t WHERE t.id = :id AND {user.visible(name, 't')}"
        if record_id is not None and user.ctx.store.one(seen, user.params | {"id": record_id}):
            found.append({"object": name, "id": record_id, "name": name_of(user.ctx, KINDS[name], record_id)})
    return found


def converted_before(user: User, lead: Row) -> Invalid:
    """The refusal of a second conversion, with what the first one made (CRM-2.8)."""
    became = results(user, lead)
    named = ", ".join(f"{item['object']} {item['name']} ({item['id']})" for item in became)
    error = Invalid(f"this lead was converted before{f', to {named}' if named else ''}", field="lead_id")
    error.details = {"records": became}
    return error


@contextmanager
def _about(target: str) -> Iterator[None]:
    """Say of a refusal which of the three records it is about: `contact.email`, `account`."""
    try:
        yield
    except Duplicate as error:
        message = f"{target}: {error.message}"
        raise Duplicate(
            message, error.details["duplicates"], may_save=error.details["may_save"], field=target
        ) from error
    except Invalid as error:
        faults = [_fault(target, fault) for fault in error.errors]
        raise Invalid(faults) from error
    except (NotFound, Forbidden) as error:
        error.field = target
        raise


def _fault(target: str, fault: FieldError) -> FieldError:
    if fault.field in (target, "owner", "opportunity_name", None):
        return FieldError(fault.field or target, fault.message, fault.allowed, fault.said)
    if fault.field == "owner_id":
        return FieldError("owner", fault.message, fault.allowed, fault.said)
    return FieldError(f"{target}.{fault.field}", f"{target}: {fault.message}", fault.allowed)


def _make(ctx: Context, record: RecordType, model: type[Input], given: dict[str, Any], allow: bool = False) -> str:
    return create(ctx, record, parse_input(model, given | ({"allow_duplicates": True} if allow else {}))).id


def _fill(
    ctx: Context, record: RecordType, model: type[Input], row: Row, given: dict[str, Any], allow: bool = False
) -> None:
    if given:
        values = parse_input(model, given)
        update(ctx, record, row["id"], row["row_version"], values, allow_duplicates=allow)


def _account(user: User, lead: Row, values: ConvertLeadInput, owner: str) -> str:
    if values.account == NEW:
        given = new_values(user, "account", lead) | {"owner_id": owner}
        return _make(user.ctx, ACCOUNT, AccountInput, given, values.allow_duplicates)
    row = user.load(KINDS["account"], values.account, WRITE)
    _fill(user.ctx, ACCOUNT, AccountChanges, row, blank_values(user, "account", lead, row), values.allow_duplicates)
    return values.account


def _contact(user: User, lead: Row, values: ConvertLeadInput, owner: str, account_id: str) -> str:
    """CRM-2.7: exactly one contact, new or there before."""
    ctx = user.ctx
    if values.contact == NEW:
        given = new_values(user, "contact", lead) | {"owner_id": owner, "account_id": account_id}
        return _make(ctx, CONTACT, ContactInput, given, values.allow_duplicates)
    row = user.load(KINDS["contact"], values.contact, WRITE)
    given = blank_values(user, "contact", lead, row)
    if row["account_id"] is None:
        given["account_id"] = account_id
    elif ctx.store.get("crm_account_contact", (account_id, row["id"])) is None:
        name = name_of(ctx, KINDS["contact"], row["id"])
        raise Invalid(f"{name} is no contact of the chosen account; choose one of it, or new", field="contact")
    _fill(ctx, CONTACT, ContactChanges, row, given, values.allow_duplicates)
    return values.contact


def _opportunity(user: User, lead: Row, values: ConvertLeadInput, owner: str, account_id: str) -> str | None:
    ctx = user.ctx
    if values.opportunity != NEW and values.opportunity_name is not None:
        raise Invalid("only a new opportunity is given a name", field="opportunity_name")
    if values.opportunity == NONE:
        return None
    hidden = user.hidden("opportunity") | user.locked("opportunity")
    source = {} if lead["lead_source"] is None or "lead_source" in hidden else {"lead_source": lead["lead_source"]}
    if values.opportunity == NEW:
        given = {
            "name": values.opportunity_name or default_name(lead),
            "account_id": account_id,
            "close_date": fiscal_quarter_of(ctx, ctx.today)[1],
            "owner_id": owner,
        }
        return _make(ctx, OPPORTUNITY, OpportunityInput, given | source)
    row = user.load(KINDS["opportunity"], values.opportunity, WRITE)
    stage = ctx.store.get("crm_stage", row["stage"])
    if row["account_id"] != account_id or stage is None or stage["is_closed"]:
        message = f"{row['name']} is no open opportunity of the chosen account; choose one of it, new or none"
        raise Invalid(message, field="opportunity")
    _fill(ctx, OPPORTUNITY, OpportunityChanges, row, source if row["lead_source"] is None else {})
    return values.opportunity


def default_name(lead: Row) -> str:
    """What a new opportunity is called where nobody names it (CRM-2.5)."""
    return f"{lead['company']}-"


def _add_role(ctx: Context, opportunity_id: str, contact_id: str) -> None:
    """CRM-2.5: the contact has a role in the opportunity, primary unless another contact is."""
    if ctx.store.get(_ROLES, (opportunity_id, contact_id)) is not None:
        return
    has_primary = any(ctx.store.select(_ROLES, opportunity_id=opportunity_id, is_primary=1))
    key = {"opportunity_id": opportunity_id, "contact_id": contact_id}
    ctx.insert(_ROLES, key | {"is_primary": int(not has_primary)})


def _move_activities(ctx: Context, lead: Row, contact_id: str, what_id: str, owner: str) -> None:
    """CRM-2.6: everything about the lead is about the contact now, and about the opportunity, else the account.

    What was about something else already stays so. A new owner gets the old one's open activities.
    """
    for kind in (KINDS["task"], KINDS["event"]):
        for row in list(ctx.store.select(kind.table, who_id=lead["id"], is_deleted=0)):
            moved = {"who_id": contact_id, "what_id": row["what_id"] or what_id}
            is_open = row["status"] != COMPLETED if kind.name == "task" else row["end_at"] > ctx.now
            if is_open and row["owner_id"] == lead["owner_id"]:
                moved["owner_id"] = owner
            save(ctx, kind, row, moved)
    for row in list(ctx.store.select("crm_email_message", who_id=lead["id"])):
        about = {"who_id": contact_id, "what_id": row["what_id"] or what_id}
        ctx.update("crm_email_message", row["id"], about)
    for link in list(ctx.store.select("crm_note_link", record_id=lead["id"])):
        ctx.delete("crm_note_link", (link["note_id"], lead["id"]))
        for record_id in (contact_id, what_id):
            if ctx.store.get("crm_note_link", (link["note_id"], record_id)) is None:
                ctx.insert("crm_note_link", {"note_id": link["note_id"], "record_id": record_id})


def open_deals(user: User, account_ids: list[str]) -> list[dict[str, Any]]:
    """Open opportunities of these accounts that the person may change: `{id, name, account_id, stage, account}`."""
    if "edit" not in user.rights("opportunity"):
        return []
    selection = Selection(user, KINDS["opportunity"])
    keys = ("id", "name", "account_id", "stage", "account.name")
    bound = [selection.bind(key) for key in keys]
    found = []
    for account_id in account_ids:
        rest = (
            f"WHERE t.account_id = :account AND {selection.scope()} AND {user.visible('opportunity', 't', WRITE)} "
            "AND t.stage IN (SELECT name FROM crm_stage WHERE is_closed = 0) ORDER BY t.name_norm, t.id"
        )
        found += selection.rows(bound, rest, account=account_id)
    return [row | {"account": row.pop("account.name")} for row in found]
