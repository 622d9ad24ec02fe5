"""Who reaches a record and why, and sharing it by hand with a user or a public group (CRM-3)."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from ...kit.call import Context
from ...kit.errors import Invalid
from ...kit.fields import Id, widget
from ...kit.operations import Input, command, query
from ...kit.roles import Row
from .access import ALL, READ, WRITE, User, reader
from .kinds import KINDS, SHARED, Kind, kind_of, party

_TABLE = "crm_record_share"
_LEVELS = {0: "none", READ: "read", WRITE: "write", ALL: "all"}


class ShareInput(Input):
    """A share by hand."""

    record: Id = Field(
        title="Record",
        description="An account, contact, opportunity, lead or case.",
        json_schema_extra=widget("id"),
    )
    grantee: Id = Field(
        title="Share with",
        description="A user or a public group.",
        json_schema_extra=widget("lookup", object="grantee"),
    )
    access: Literal["read", "write", "none"] = Field(
        title="Access", description="none takes the share away.", json_schema_extra=widget("picklist")
    )


class Shared(BaseModel):
    """The share as it stands."""

    record: str
    grantee: str
    access: str


class SharingInput(Input):
    """Whose sharing to show."""

    id: Id


class Sharing(BaseModel):
    """`shares`: what was shared by hand or with a team; `access`: everybody who reaches the record, and why."""

    shares: list[dict[str, Any]]
    access: list[dict[str, Any]]


def _shareable(user: User, record_id: str) -> tuple[Kind, Row]:
    """The record, for who may share it: its owner, roles above, and administrators."""
    kind = kind_of(record_id)
    if kind.name not in SHARED:
        raise Invalid(f"{kind.plural.lower()} cannot be shared by hand", field="record")
    user.need(kind, "read")
    return kind, user.load(kind, record_id, ALL)


@command("crm")
def share(ctx: Context, values: ShareInput) -> Shared:
    """Share a record with a user or a public group, change that share, or take it away."""
    user = User(ctx)
    kind, row = _shareable(user, values.record)
    grantee = _grantee(ctx, values.grantee, gone=values.access == "none")
    if values.grantee == row["owner_id"] and values.access != "none":
        raise Invalid("the owner has every access already", field="grantee")
    key = (kind.name, values.record, grantee, values.grantee, "manual")
    old = ctx.store.get(_TABLE, key)
    if values.access == "none":
        if old is None:
            raise Invalid("the record is not shared with them by hand", field="grantee")
        ctx.delete(_TABLE, key)
    elif old is None:
        columns = dict(zip(("object", "record_id", "grantee_kind", "grantee_id", "cause"), key, strict=True))
        ctx.insert(_TABLE, columns | {"access": values.access})
    elif old["access"] != values.access:
        ctx.update(_TABLE, key, {"access": values.access})
    return Shared(record=values.record, grantee=values.grantee, access=values.access)


def _grantee(ctx: Context, grantee: str, *, gone: bool) -> str:
    """Whether it is a user or a group. Raises Invalid for an inactive user, a queue, and what is neither."""
    user = ctx.store.get("crm_user", grantee)
    if user is not None:
        if not user["is_active"] and not gone:
            raise Invalid("this user is not active", field="grantee")
        return "user"
    group = ctx.store.get("crm_group", grantee)
    if group is None or group["kind"] != "public_group":
        raise Invalid(f'there is no user or public group "{grantee}"', field="grantee")
    return "group"


@query("crm")
def record_sharing(ctx: Context, values: SharingInput) -> Sharing:
    """The shares of a record, and everybody who reaches it with the reasons. For those who may share it."""
    kind, row = _shareable(reader(ctx), values.id)
    return sharing_of(ctx, kind, row)


def sharing_of(ctx: Context, kind: Kind, row: Row) -> Sharing:
    """What `record_sharing` shows of a record."""
    name = party("s.grantee_kind", "s.grantee_id")
    shares = ctx.store.all(
        f"SELECT s.grantee_kind, s.grantee_id, {name} AS name, s.access, s.cause FROM {_TABLE} s "
        "WHERE s.object = ? AND s.record_id = ? ORDER BY name, s.grantee_id, s.cause",
        (kind.name, row["id"]),
    )
    people = ctx.store.all(
        "SELECT p.id, p.name FROM crm_user u JOIN org_person p ON p.id = u.person_id WHERE u.is_active = 1 "
        "ORDER BY p.name_norm, p.id"
    )
    reached = []
    for person in people:
        user = User(Context(ctx.store, person["id"], ctx.channel, ctx.now))
        level = _level(user, kind, row["id"])
        if level:
            reasons = _reasons(user, kind, row, [dict(one) for one in shares])
            found = {"person_id": person["id"], "name": person["name"], "access": _LEVELS[level], "why": reasons}
            reached.append(found)
    return Sharing(shares=[dict(one) for one in shares], access=reached)


def _level(user: User, kind: Kind, record_id: str) -> int:
    sql = f"SELECT {user.level_sql(kind.name, 't')} AS level FROM {kind.table} t WHERE t.id = :id"
    found = user.ctx.store.one(sql, user.params | {"id": record_id})
    return 0 if found is None else int(found["level"])


def _reasons(user: User, kind: Kind, row: Row, shares: list[dict[str, Any]]) -> list[str]:
    """Why a person reaches a record, the strongest reason first."""
    owner, found = row["owner_id"], []
    if owner == user.id:
        found.append("Owner")
    if owner in user.queues:
        found.append("Member of the queue that owns it")
    if user.is_admin:
        found.append("Administrator")
    if owner in user.team and user.goes_up(kind.name):
        found.append("Role above the owner's")
    if user.all_of(kind.name):
        found.append(f"May see all {kind.plural.lower()}")
    if user.default_of(kind.name) in ("read", "write"):
        found.append("Organisation-wide default")
    if any(one["person_id"] == owner for one in user.rules_for(kind.name)):
        found.append("Sharing rule")
    for one in shares:
        by = "Shared by hand" if one["cause"] == "manual" else "Team"
        if one["grantee_id"] == user.id:
            found.append(by)
        elif one["grantee_id"] in user.groups:
            found.append(f"{by} with {one['name']}")
    return found or ["Through a related record"]


class Defaults(BaseModel):
    """The organisation-wide default of each object: access private, read, write or parent (that on the account)."""

    defaults: list[dict[str, Any]]


@query("crm")
def sharing_defaults(ctx: Context) -> Defaults:
    """The organisation-wide defaults. For administrators."""
    user = reader(ctx)
    user.need(KINDS["sharing_rule"], "read")
    return Defaults(defaults=[dict(row) for row in ctx.store.all("SELECT * FROM crm_owd ORDER BY object")])
