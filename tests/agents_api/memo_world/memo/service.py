"""What memos do."""

from typing import Any

from pydantic import Field

from deskgym_apps.kit.call import Context, check_version
from deskgym_apps.kit.errors import NotFound
from deskgym_apps.kit.fields import Id, Line, Version
from deskgym_apps.kit.operations import Input, command, query


class MemoInput(Input):
    title: Line = Field(min_length=1, max_length=80)


class DoneInput(Input):
    id: Id
    row_version: Version


class ListInput(Input):
    done: bool | None = None


@command("memo")
def add_memo(ctx: Context, values: MemoInput) -> dict[str, Any]:
    """Write a memo."""
    key = ctx.new_id("memo_memo")
    ctx.insert("memo_memo", {"id": key, "title": values.title, "created_by": ctx.person_id, "created_at": ctx.now})
    return {"id": key, "row_version": 1}


@command("memo")
def finish_memo(ctx: Context, values: DoneInput) -> dict[str, Any]:
    """Mark a memo as done."""
    row = ctx.store.get("memo_memo", values.id)
    if row is None:
        raise NotFound(f"there is no memo {values.id}")
    check_version({**row, "updated_by": row["created_by"], "updated_at": row["created_at"]}, values.row_version)
    ctx.update("memo_memo", values.id, {"done": 1, "row_version": values.row_version + 1})
    return {"id": values.id, "row_version": values.row_version + 1}


@query("memo")
def list_memos(ctx: Context, values: ListInput) -> list[dict[str, Any]]:
    """The memos, by id."""
    wanted = {} if values.done is None else {"done": int(values.done)}
    return [dict(row) for row in ctx.store.select("memo_memo", **wanted)]
