"""What changed in a record's tracked fields, when, by whom (CRM-11). Values are stored raw and shown by name here."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from ...kit.call import Context
from ...kit.fields import Id
from ...kit.money import plain_amount
from ...kit.operations import Input, query
from .access import User, reader
from .catalog import catalog
from .kinds import KINDS, Kind, kind_of


class HistoryInput(Input):
    """Whose history to show."""

    id: Id = Field(description="An account, contact, opportunity, lead, case, task, event or article.")
    limit: int = Field(default=50, ge=1, le=200)
    offset: int = Field(default=0, ge=0, le=100_000)


class HistoryList(BaseModel):
    """Newest first: rows of `{field, label, old, new, old_value, new_value, changed_at, changed_by, …}`.

    `old` and `new` are as shown, `old_value` and `new_value` as stored (ids; money in minor units).
    """

    rows: list[dict[str, Any]]
    total: int
    next_offset: int | None


@query("crm")
def history(ctx: Context, values: HistoryInput) -> HistoryList:
    """The changes of a record's tracked fields, newest first."""
    user = reader(ctx)
    kind = kind_of(values.id)
    user.need(kind, "read")
    row = user.load(kind, values.id)
    rows = changes_of(user, kind, row)
    page = rows[values.offset : values.offset + values.limit]
    following = values.offset + values.limit
    return HistoryList(rows=page, total=len(rows), next_offset=following if following < len(rows) else None)


def changes_of(user: User, kind: Kind, row: dict[str, Any]) -> list[dict[str, Any]]:
    """Every change of a record that the person may see, newest first."""
    stored = user.ctx.store.all(
        "SELECT h.id, h.field, h.old_value, h.new_value, h.changed_at, h.changed_by, p.name AS changed_by_name "
        "FROM crm_field_history h JOIN org_person p ON p.id = h.changed_by WHERE h.record_id = ? "
        "ORDER BY h.changed_at DESC, h.field, h.id",
        (row["id"],),
    )
    hidden, fields = user.hidden(kind.name), catalog(kind.name).fields
    names: dict[str, str] = {}
    changes = []
    for change in stored:
        if change["field"] in hidden or change["field"] not in fields:
            continue
        item = fields[change["field"]]
        shown = {}
        for side in ("old", "new"):
            value = change[f"{side}_value"]
            if value is not None and item.type == "money":
                value = f"{plain_amount(int(value), row['currency'])} {row['currency']}"
            elif value is not None and item.type == "ref":
                value = names.setdefault(value, _name(user, value))
            shown[side] = value
        changes.append(change | {"label": item.label} | shown)
    return changes


def _name(user: User, record_id: str) -> str:
    """A record's name where the person may read it, else its id."""
    kind = KINDS[kind_of(record_id).name]
    row = user.ctx.store.one(
        f"SELECT {kind.name_sql.format(t='t')} AS name FROM {kind.table} t WHERE t.id = :id "
        f"AND {user.visible(kind.name, 't')}",
        user.params | {"id": record_id},
    )
    return record_id if row is None else str(row["name"])
