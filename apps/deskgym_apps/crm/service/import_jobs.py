"""What came of imports, row by row; the file of what failed; undoing one (CRM-5)."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, Field

from ...kit.call import Context
from ...kit.errors import Invalid, NotFound
from ...kit.fields import Id
from ...kit.operations import Input, command, query
from .. import rules_import
from .access import ALL, User, reader
from .deletion import delete, stands_alone
from .import_rows import CREATED, FAILED
from .inputs import DeleteInput
from .kinds import KINDS, Kind
from .records import name_of


class JobInput(Input):
    """An import."""

    id: Id = Field(title="Import job")


class Undone(BaseModel):
    """How many records were removed, and those that were kept with the reason."""

    id: str
    removed: int
    kept: list[dict[str, str]]


@command("crm")
def undo_import(ctx: Context, values: JobInput) -> Undone:
    """Delete the records that an import created and that nobody changed or added to since (CRM-5)."""
    user = User(ctx)
    job = _job(user, values.id)
    kind = KINDS[str(job["object"])]
    if job["is_undone"]:
        raise Invalid("this import was undone before", field="id")
    user.need(kind, "delete")
    removed, kept = 0, []
    for row in list(ctx.store.select("crm_import_row", job_id=values.id, outcome=CREATED)):
        why = _why_kept(user, kind, str(row["record_id"]))
        if why is None:
            delete(ctx, kind, DeleteInput(id=str(row["record_id"])))
            removed += 1
        elif why:
            kept.append({"id": row["record_id"], "name": name_of(ctx, kind, row["record_id"]), "why": why})
    marks = {"is_undone": 1, "undone_at": ctx.now, "undone_by": ctx.person_id}
    ctx.update("crm_import_job", values.id, marks)
    return Undone(id=values.id, removed=removed, kept=kept)


def _why_kept(user: User, kind: Kind, record_id: str) -> str | None:
    """Why a record stays; None where it goes, "" where it is gone or is none of the person's."""
    try:
        row = user.load(kind, record_id)
    except NotFound:
        return ""
    if row.get("is_converted"):
        return "it was converted"
    if row["level"] < ALL:
        is_locked = user.reaches(kind, record_id, ALL)
        return "its approval is pending" if is_locked else "it belongs to somebody else now"
    if row["row_version"] > 1:
        return "it was changed since"
    return None if stands_alone(user.ctx, kind, row) else "something was added to it since"


def _job(user: User, job_id: str) -> dict[str, Any]:
    """A job that the person may see: their own, or any as administrator. Raises NotFound."""
    job = user.ctx.store.get("crm_import_job", job_id)
    if job is None or not (user.is_admin or job["created_by"] == user.id):
        raise NotFound(f'there is no import "{job_id}"', field="id")
    return dict(job)


class ImportsInput(Input):
    """A page of imports."""

    limit: int = Field(default=25, ge=1, le=200)
    offset: int = Field(default=0, ge=0, le=100_000)


class ImportList(BaseModel):
    """Imports, newest first: the person's own, for an administrator everybody's."""

    rows: list[dict[str, Any]]
    total: int


_JOBS = (
    "SELECT j.*, p.name AS created_by_name FROM crm_import_job j JOIN org_person p ON p.id = j.created_by "
    "WHERE (:all OR j.created_by = :me)"
)


@query("crm")
def imports(ctx: Context, values: ImportsInput) -> ImportList:
    """The imports that the person may see."""
    user = reader(ctx)
    bound = {"all": int(user.is_admin), "me": user.id}
    total = ctx.store.one(f"SELECT count(*) AS n FROM ({_JOBS})", bound)
    paged = f"{_JOBS} ORDER BY j.created_at DESC, j.id LIMIT :limit OFFSET :offset"
    rows = ctx.store.all(paged, bound | {"limit": values.limit, "offset": values.offset})
    return ImportList(rows=rows, total=int(total["n"]) if total else 0)


class JobRowsInput(JobInput):
    """A page of the rows of an import."""

    limit: int = Field(default=50, ge=1, le=200)
    offset: int = Field(default=0, ge=0, le=100_000)


class JobShown(BaseModel):
    """An import, with a page of its rows: `{row_no, outcome, record_id, error, name}`; id and name of a record only
    where the person may read it. `can_undo`: whether the person may undo it now."""

    job: dict[str, Any]
    rows: list[dict[str, Any]]
    total: int
    can_undo: bool


@query("crm")
def import_job(ctx: Context, values: JobRowsInput) -> JobShown:
    """What came of an import, row by row."""
    user = reader(ctx)
    job = _job(user, values.id)
    kind = KINDS[str(job["object"])]
    person = ctx.store.get("org_person", job["created_by"])
    sql = (
        f"SELECT r.row_no, r.outcome, r.error, t.id AS record_id, {kind.name_sql.format(t='t')} AS name "
        f"FROM crm_import_row r LEFT JOIN {kind.table} t ON t.id = r.record_id AND t.is_deleted = 0 "
        f"AND {user.visible(kind.name, 't')} WHERE r.job_id = :job ORDER BY r.row_no LIMIT :limit OFFSET :offset"
    )
    bound = {"job": values.id, "limit": values.limit, "offset": values.offset}
    job |= {name: json.loads(job[name]) for name in ("columns", "mapping", "options")}
    return JobShown(
        job=job | {"created_by_name": person["name"] if person else job["created_by"]},
        rows=user.ctx.store.all(sql, user.params | bound),
        total=int(job["total"]),
        can_undo=not job["is_undone"] and bool(job["created"]) and "delete" in user.rights(kind.name),
    )


class ErrorFile(BaseModel):
    """The failed rows of an import as a file: its own columns, and what was wrong."""

    text: str
    rows: int


@query("crm")
def import_errors(ctx: Context, values: JobInput) -> ErrorFile:
    """The failed rows of an import, to be mended and imported again."""
    job = _job(reader(ctx), values.id)
    rows = [
        (json.loads(row["cells"]), str(row["error"]))
        for row in ctx.store.select("crm_import_row", job_id=values.id, outcome=FAILED)
    ]
    separator = str(json.loads(job["options"])["separator"])
    return ErrorFile(text=rules_import.error_file(json.loads(job["columns"]), rows, separator), rows=len(rows))
