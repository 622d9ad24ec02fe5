"""What an object is made of: fields, values, operators, and what the person may do."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from ...kit.call import Context
from ...kit.operations import Input, query
from .. import rules_leads
from .access import reader
from .catalog import Field as CatalogField
from .catalog import catalog
from .changes import currencies, picklist_default, picklist_values
from .conditions import FIXED_CHOICES, OPERATORS
from .kinds import KINDS, kind_named
from .leads import settable_statuses
from .opportunities import pipeline
from .periods import FORMS
from .selection import Selection

# The parts contacts play are values of the link between the records
_ROLES = {"opportunity": "opportunity_contact_role", "account": "account_contact"}


class DescribeInput(Input):
    """Which object to describe."""

    object: str = Field(description=f"One of {', '.join(KINDS)}.")


class FieldInfo(BaseModel):
    """One field. `writable`: it may be set by you; `allowed`: the values of a picklist.

    `default`: what a new record holds where nothing is given.
    """

    name: str
    label: str
    type: str
    required: bool
    writable: bool
    operators: tuple[str, ...]
    help: str | None = None
    allowed: tuple[str, ...] | None = None
    default: str | None = None
    target: str | None = None
    max_length: int | None = None


class Described(BaseModel):
    """One object. `roles`: the parts a contact may play in an opportunity or at an account. `converted_statuses`: the
    statuses a lead may take by being converted."""

    object: str
    label: str
    plural: str
    rights: list[str]
    fields: list[FieldInfo]
    parents: dict[str, str]
    columns: list[str]
    related: tuple[str, ...]
    stages: list[dict[str, Any]] | None = None
    converted_statuses: tuple[str, ...] | None = None
    roles: tuple[str, ...] | None = None
    relative_dates: str


@query("crm")
def describe(ctx: Context, values: DescribeInput) -> Described:
    """The fields of an object with their types, values and operators, and what your profile allows."""
    user = reader(ctx)
    kind = kind_named(values.object)
    user.need(kind, "read")
    selection = Selection(user, kind)
    known = catalog(kind.name)
    locked = user.locked(kind.name)
    may_write = bool({"create", "edit"} & user.rights(kind.name))
    fields = [
        _field(ctx, kind.name, known.fields[name], known.fields[name].writable and may_write and name not in locked)
        for name in selection.names()
    ]
    return Described(
        object=kind.name,
        label=kind.label,
        plural=kind.plural,
        rights=sorted(user.rights(kind.name)),
        fields=fields,
        parents={prefix: item.target or "" for prefix, item in selection.parents().items()},
        columns=list(known.columns),
        related=known.related,
        stages=pipeline(ctx) if kind.name == "opportunity" else None,
        converted_statuses=rules_leads.CONVERTED_STATUSES if kind.name == "lead" else None,
        roles=picklist_values(ctx, _ROLES[kind.name], "role") if kind.name in _ROLES else None,
        relative_dates=FORMS,
    )


def _field(ctx: Context, kind: str, item: CatalogField, writable: bool) -> FieldInfo:
    return FieldInfo(
        name=item.name,
        label=item.label,
        type=item.type,
        required=item.required,
        writable=writable,
        operators=OPERATORS[item.type],
        help=item.help,
        allowed=_allowed(ctx, item),
        default=_default(ctx, kind, item) if item.writable else None,
        target=item.target,
        max_length=item.max_length,
    )


def _allowed(ctx: Context, item: CatalogField) -> tuple[str, ...] | None:
    if item.choices == ("lead", "status"):
        return settable_statuses(ctx)
    if item.choices is not None:
        return picklist_values(ctx, *item.choices)
    if item.name == "stage":
        return tuple(row["name"] for row in pipeline(ctx))
    return currencies(ctx) if item.name == "currency" else FIXED_CHOICES.get(item.name)


def _default(ctx: Context, kind: str, item: CatalogField) -> str | None:
    if item.choices is not None:
        return picklist_default(ctx, *item.choices)
    if item.name == "stage":
        return next(str(row["name"]) for row in pipeline(ctx) if not row["is_closed"])
    if item.name == "is_active":
        return "true"
    if item.name == "owner_id":
        return ctx.person_id if item.target == "user" else None
    return str(ctx.person["currency"]) if item.name == "currency" and kind in ("account", "lead") else None
