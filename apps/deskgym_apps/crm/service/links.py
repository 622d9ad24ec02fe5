"""Who plays which part: contacts in opportunities, and contacts at further accounts (I8)."""

from __future__ import annotations

from pydantic import BaseModel, Field

from ...kit.call import Context
from ...kit.errors import Invalid, NotFound, nearest
from ...kit.fields import Id, Line, widget
from ...kit.operations import Input, command, query
from .access import READ, WRITE, User, reader
from .changes import picklist_values
from .inputs import RecordInput, picklist
from .kinds import KINDS


class ContactRoleInput(RecordInput):
    """A contact's part in an opportunity; setting it again changes role and primary mark."""

    opportunity_id: Id = Field(title="Opportunity", json_schema_extra=widget("lookup", object="opportunity"))
    contact_id: Id = Field(title="Contact", json_schema_extra=widget("lookup", object="contact"))
    role: Line | None = picklist("Role", "opportunity_contact_role", "role")
    is_primary: bool = Field(
        default=False,
        title="Primary contact",
        description="An opportunity has one primary contact at most: a new one takes the mark from the former.",
        json_schema_extra=widget("checkbox"),
    )


class ContactRoleKey(Input):
    """A contact's part in an opportunity."""

    opportunity_id: Id = Field(title="Opportunity")
    contact_id: Id = Field(title="Contact")


class AccountContactInput(RecordInput):
    """A contact's relation to an account that is not its employer, or the role at its employer."""

    account_id: Id = Field(title="Account", json_schema_extra=widget("lookup", object="account"))
    contact_id: Id = Field(title="Contact", json_schema_extra=widget("lookup", object="contact"))
    role: Line | None = picklist("Role", "account_contact", "role")


class AccountContactKey(Input):
    """A contact's relation to an account."""

    account_id: Id = Field(title="Account")
    contact_id: Id = Field(title="Contact")


class ContactRole(BaseModel):
    """A contact's part in an opportunity."""

    opportunity_id: str
    contact_id: str
    role: str | None
    is_primary: bool


class AccountContact(BaseModel):
    """A contact's relation to an account."""

    account_id: str
    contact_id: str
    role: str | None
    is_direct: bool


class Removed(BaseModel):
    """A relation that is no more."""

    removed: bool


def _check_role(ctx: Context, thing: str, role: str | None) -> None:
    values = picklist_values(ctx, thing, "role")
    if role is not None and role not in values:
        message = f'Role is "{role}"; it must be one of {", ".join(values)}.{nearest(role, values)}'
        raise Invalid(message, field="role", allowed=values)


@command("crm")
def set_contact_role(ctx: Context, values: ContactRoleInput) -> ContactRole:
    """Give a contact a part in an opportunity, or change it. Needs write access to the opportunity."""
    user = User(ctx)
    user.load(KINDS["opportunity"], values.opportunity_id, WRITE)
    user.load(KINDS["contact"], values.contact_id, READ)
    _check_role(ctx, "opportunity_contact_role", values.role)
    table, key = "crm_opportunity_contact_role", (values.opportunity_id, values.contact_id)
    if values.is_primary:
        for other in list(ctx.store.select(table, opportunity_id=values.opportunity_id, is_primary=1)):
            if other["contact_id"] != values.contact_id:
                ctx.update(table, (other["opportunity_id"], other["contact_id"]), {"is_primary": 0})
    part = {"role": values.role, "is_primary": int(values.is_primary)}
    known = ctx.store.get(table, key)
    if known is None:
        ctx.insert(table, {"opportunity_id": key[0], "contact_id": key[1], **part})
    elif any(known[name] != value for name, value in part.items()):
        ctx.update(table, key, part)
    return ContactRole(opportunity_id=key[0], contact_id=key[1], role=values.role, is_primary=values.is_primary)


@command("crm")
def remove_contact_role(ctx: Context, values: ContactRoleKey) -> Removed:
    """End a contact's part in an opportunity. Needs write access to the opportunity."""
    User(ctx).load(KINDS["opportunity"], values.opportunity_id, WRITE)
    key = (values.opportunity_id, values.contact_id)
    if ctx.store.get("crm_opportunity_contact_role", key) is None:
        raise NotFound("this contact has no role in this opportunity", field="contact_id")
    ctx.delete("crm_opportunity_contact_role", key)
    return Removed(removed=True)


@command("crm")
def set_account_contact(ctx: Context, values: AccountContactInput) -> AccountContact:
    """Relate a contact to a further account, or change its role there. Needs write access to the contact."""
    user = User(ctx)
    user.load(KINDS["contact"], values.contact_id, WRITE)
    user.load(KINDS["account"], values.account_id, READ)
    _check_role(ctx, "account_contact", values.role)
    key = (values.account_id, values.contact_id)
    known = ctx.store.get("crm_account_contact", key)
    if known is None:
        ctx.insert("crm_account_contact", {"account_id": key[0], "contact_id": key[1], "role": values.role})
    elif known["role"] != values.role:
        ctx.update("crm_account_contact", key, {"role": values.role})
    is_direct = known is not None and bool(known["is_direct"])
    return AccountContact(account_id=key[0], contact_id=key[1], role=values.role, is_direct=is_direct)


@command("crm")
def remove_account_contact(ctx: Context, values: AccountContactKey) -> Removed:
    """End a contact's relation to a further account; its own account is changed in the contact itself."""
    User(ctx).load(KINDS["contact"], values.contact_id, WRITE)
    known = ctx.store.get("crm_account_contact", (values.account_id, values.contact_id))
    if known is None:
        raise NotFound("this contact is not related to this account", field="account_id")
    if known["is_direct"]:
        raise Invalid("this is the contact's own account; change the contact's account instead", field="account_id")
    ctx.delete("crm_account_contact", (values.account_id, values.contact_id))
    return Removed(removed=True)


class RoleChange(BaseModel):
    """Who last changed a contact's part in an opportunity, and when; nobody since the world began: None."""

    name: str | None
    at: str | None


@query("crm")
def last_role_change(ctx: Context, values: ContactRoleKey) -> RoleChange:
    """Who last changed a contact's part in an opportunity that the person may read."""
    reader(ctx).load(KINDS["opportunity"], values.opportunity_id)
    row = ctx.store.one(
        "SELECT p.name, c.instant FROM jrn_effect e JOIN jrn_command c ON c.seq = e.seq "
        "JOIN org_person p ON p.id = c.person_id WHERE e.tbl = 'crm_opportunity_contact_role' "
        "AND e.key = json_array(?, ?) ORDER BY e.id DESC LIMIT 1",
        (values.opportunity_id, values.contact_id),
    )
    return RoleChange(name=row["name"], at=row["instant"]) if row else RoleChange(name=None, at=None)
