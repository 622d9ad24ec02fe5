"""One deleted record: who deleted it, when, with what, and what it held (CRM-10)."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from ...kit.call import Context
from ...kit.errors import NotFound
from ...kit.fields import Id
from ...kit.operations import Input, query
from .access import ALL, User, reader
from .deletion import purge_line
from .kinds import RECORDS, Kind, kind_of
from .naming import extra, name_columns, named
from .queries import columns_of
from .selection import Selection


class DeletedInput(Input):
    """Which deleted record to show."""

    id: Id = Field(description="The id of a record in the recycle bin.")


class DeletedRecord(BaseModel):
    """A record in the recycle bin. `root` is the record it was deleted with, itself where it was deleted on its own;
    restoring the root brings it back. `record` holds its fields as lists show them. `merged_into`: the record it was
    merged into, without a name where the person may not read it."""

    object: str
    id: str
    name: str
    detail: str
    deleted_at: str
    deleted_by: str
    deleted_by_name: str
    root: dict[str, Any]
    merged_into: dict[str, Any] | None
    can_restore: bool
    record: dict[str, Any]


@query("crm")
def deleted_record(ctx: Context, values: DeletedInput) -> DeletedRecord:
    """One record of the recycle bin. Raises NotFound where it is not deleted, purged, or not yours to read."""
    user, kind = reader(ctx), kind_of(values.id)
    user.need(kind, "read")
    row = user.find(kind, values.id)
    if kind.name not in RECORDS or not row["is_deleted"] or row["deleted_at"] <= purge_line(ctx):
        raise NotFound(f'the recycle bin has no {kind.label.lower()} "{values.id}"', field="id")
    root = kind_of(row["delete_batch"])
    person = ctx.store.get("org_person", row["deleted_by"])
    selection = Selection(user, kind)
    bound = [selection.bind(key) for key in columns_of(selection, None)]
    return DeletedRecord(
        **named(kind.name, selection.rows(name_columns(selection), "WHERE t.id = :id", id=values.id)[0]),
        deleted_at=row["deleted_at"],
        deleted_by=row["deleted_by"],
        deleted_by_name=person["name"] if person else row["deleted_by"],
        root=_root(user, root, row["delete_batch"]),
        merged_into=_root(user, kind, row["master_record_id"]) if row.get("master_record_id") else None,
        can_restore=_may_restore(user, root, row["delete_batch"]),
        record=selection.rows(bound, "WHERE t.id = :id", id=values.id)[0],
    )


def _root(user: User, kind: Kind, record_id: str) -> dict[str, Any]:
    """Kind, id and name of the record that was deleted; no name where the person may not read it."""
    selection = Selection(user, kind)
    seen = f"WHERE t.id = :id AND {user.visible(kind.name, 't')}"
    rows = selection.rows([extra("name", kind.name_sql.format(t="t"))], seen, id=record_id)
    return {"object": kind.name, "id": record_id, "name": rows[0]["name"] if rows else None}


def _may_restore(user: User, kind: Kind, record_id: str) -> bool:
    """Restoring needs the right to delete, and all access to the record that was deleted."""
    sql = f"SELECT 1 FROM {kind.table} t WHERE t.id = :id AND {user.visible(kind.name, 't', ALL)}"
    is_theirs = user.ctx.store.one(sql, user.params | {"id": record_id}) is not None
    return "delete" in user.rights(kind.name) and is_theirs
