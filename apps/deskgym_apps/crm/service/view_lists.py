"""Which saved list views a person may choose from, the one a list opens with, and the groups to share one with."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from ...kit.call import Context
from ...kit.operations import Input, Nothing, query
from .access import reader
from .kinds import KINDS, RECORDS, VIEW, kind_named


class ViewsInput(Input):
    """Whose lists."""

    object: str = Field(description=f"One of {', '.join(RECORDS)}.")


class Views(BaseModel):
    """Views by name, the person's own first; `pinned` is the id of the one that the list opens with."""

    views: list[dict[str, Any]]
    pinned: str | None


class Groups(BaseModel):
    """Public groups by name."""

    groups: list[dict[str, str]]


@query("crm")
def list_views(ctx: Context, values: ViewsInput) -> Views:
    """The list views of an object that you may see."""
    user, kind = reader(ctx), kind_named(values.object)
    user.need(kind, "read")
    rows = ctx.store.all(
        f"SELECT t.id, t.name, t.visibility, t.owner_id, p.name AS owner_name FROM crm_list_view t "
        f"JOIN org_person p ON p.id = t.owner_id WHERE t.object = :object AND {user.visible(VIEW, 't')} "
        "ORDER BY t.owner_id <> :me, t.name_norm, p.name_norm, t.id",
        user.params | {"object": kind.name},
    )
    sql = "SELECT list_view_id FROM crm_ui_pinned_view WHERE person_id = ? AND object = ?"
    pin = ctx.store.one(sql, (user.id, kind.name))
    pinned = None if pin is None or pin["list_view_id"] not in {row["id"] for row in rows} else pin["list_view_id"]
    return Views(views=[dict(row) | {"is_mine": row["owner_id"] == user.id} for row in rows], pinned=pinned)


@query("crm")
def public_groups(ctx: Context, _values: Nothing) -> Groups:
    """The public groups that list views can be shared with."""
    reader(ctx).need(KINDS[VIEW], "read")
    rows = ctx.store.all("SELECT id, name FROM crm_group WHERE kind = 'public_group' ORDER BY name, id")
    return Groups(groups=[{"id": row["id"], "name": row["name"]} for row in rows])
