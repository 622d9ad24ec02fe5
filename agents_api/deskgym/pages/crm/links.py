"""Contact roles of opportunities, and further accounts of contacts, by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deskgym_apps.crm.service.inputs import label
from deskgym_apps.crm.service.links import AccountContactInput, ContactRoleInput

from ..filling import fill
from ..visit import Refused, Visit
from .records import Action, meet, record_path, save


async def set_contact_role(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Add a contact role, or edit the one the contact has: the form sets role and primary mark together."""
    deal, contact = str(args["opportunity_id"]), str(args["contact_id"])
    role, is_primary = args.get("role"), bool(args.get("is_primary", False))
    roles = f"{record_path(deal)}/contact-roles"
    try:
        await visit.go(f"{roles}/{contact}")
    except Refused:  # it has none yet
        person = await meet(visit, contact)
        await visit.go(f"{roles}/new")
        await fill(visit, visit.main, label(ContactRoleInput, "contact_id"), "lookup", person)
    await fill(visit, visit.main, label(ContactRoleInput, "role"), "picklist", role)
    await fill(visit, visit.main, label(ContactRoleInput, "is_primary"), "checkbox", is_primary)
    await save(visit)
    return {"opportunity_id": deal, "contact_id": contact, "role": role, "is_primary": is_primary}


async def remove_contact_role(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """End a contact's role, and confirm."""
    await visit.go(f"{record_path(str(args['opportunity_id']))}/contact-roles/{args['contact_id']}/remove")
    await save(visit, "Remove")
    return {"removed": True}


async def set_account_contact(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Relate a contact to a further account, or change its role there."""
    account, contact = str(args["account_id"]), str(args["contact_id"])
    accounts = f"{record_path(contact)}/accounts"
    try:
        await visit.go(f"{accounts}/{account}")
    except Refused:  # they are not related yet
        company = await meet(visit, account)
        await visit.go(f"{accounts}/new")
        await fill(visit, visit.main, label(AccountContactInput, "account_id"), "lookup", company)
    await fill(visit, visit.main, label(AccountContactInput, "role"), "picklist", args.get("role"))
    await save(visit)
    return {"account_id": account, "contact_id": contact, "role": args.get("role")}


async def remove_account_contact(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """End a contact's relation to a further account, and confirm."""
    await visit.go(f"{record_path(str(args['contact_id']))}/accounts/{args['account_id']}/remove")
    await save(visit, "Remove")
    return {"removed": True}


_BY_ACTION: Mapping[str, Action] = {
    "remove_account": remove_account_contact,
    "remove_role": remove_contact_role,
    "set_account": set_account_contact,
    "set_role": set_contact_role,
}


async def link_contact(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """What the action of the tool says."""
    return await _BY_ACTION[str(args["action"])](visit, dict(args))


ACTIONS: Mapping[str, Action] = {"link_contact": link_contact}
