"""The pages of imports that were made: the list, what came of each row, the file of errors, undoing (CRM-5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import flask
from flask import g

from ...kit.errors import Forbidden, Invalid
from ...kit.session import read, run
from ...kit.web import (
    Cell,
    Column,
    Detail,
    DetailSection,
    Form,
    Highlight,
    Link,
    MenuItem,
    Page,
    PageHeader,
    Row,
    Table,
)
from ...kit.web.display import instant
from ..service.kinds import KINDS
from .drawing import token
from .going import go, page
from .home import SIZE, offset
from .importing import import_items
from .reading import label_of
from .routing import blueprint
from .shell import toasts
from .specs import PAGES

_URL = "/crm/imports"
_COUNTS = ("created", "updated", "skipped", "failed")
_TONES = {"created": "success", "updated": "info", "skipped": "neutral", "failed": "danger"}
_MODES = {
    "insert": "Create records",
    "update": "Change records that exist",
    "upsert": "Change records that exist, create the others",
}
_DUPLICATES = {"skip": "Left out", "update": "Changes the record that exists", "create": "Created all the same"}


@blueprint.get("/imports")
def imports() -> Any:
    """Imports, newest first."""
    number, first = offset()
    found = read("crm.imports", {"limit": SIZE, "offset": first})
    rows = []
    for at, row in enumerate(found["rows"], first + 1):
        when = instant(row["created_at"], g.person["tz"])
        name = f"{row['file_name']}, {when} ({at})"
        cells: dict[str, Cell | str] = {
            "file": Cell(text=row["file_name"], href=f"{_URL}/{row['id']}", label=name),
            "object": KINDS[row["object"]].plural,
            "when": when,
            "by": row["created_by_name"],
            "state": Cell(
                text="Undone" if row["is_undone"] else "Done", tone="neutral" if row["is_undone"] else "success"
            ),
            **{name: f"{row[name]:,}" for name in _COUNTS},
        }
        rows.append(Row(id=row["id"], name=name, cells=cells))
    table = Table(
        id="imports",
        caption="Imports",
        columns=(
            Column("file", "File"),
            Column("object", "Object"),
            Column("when", "Imported"),
            Column("by", "By", kind="person"),
            *(Column(name, name.capitalize(), kind="number") for name in _COUNTS),
            Column("state", "State", kind="badge"),
        ),
        rows=tuple(rows),
        url=_URL,
        noun=("import", "imports"),
        page=Page(number, SIZE, found["total"], (SIZE,)),
        empty_title="No imports yet",
        empty_text="Import accounts, contacts, leads or opportunities from the menu of their list.",
    )
    items = tuple(item for kind in ("lead", "account", "contact", "opportunity") for item in import_items(PAGES[kind]))
    header = PageHeader(title="Imports", icon="upload", actions=items[:1], more=items[1:], more_label="More imports")
    return page("crm/list.html", list_header=header, table=table, heading="Imports")


@blueprint.get("/imports/<job_id>")
def import_job(job_id: str) -> Any:
    """What came of an import."""
    return _shown(job_id)


def _shown(job_id: str) -> Any:
    number, first = offset()
    found = read("crm.import_job", {"id": job_id, "limit": SIZE, "offset": first})
    job = found["job"]
    return page(
        "crm/import_job.html",
        heading=f"{job['file_name']} · Import",
        import_header=_header(job, found["can_undo"]),
        table=_rows(job, found, number),
        sections=(DetailSection("How it was read", _details(job)),),
        crumbs=[Link("Imports", _URL)],
        crumb_here=job["file_name"],
        toasts=toasts(),
    )


def _header(job: Mapping[str, Any], can_undo: bool) -> PageHeader:
    url, kind = f"{_URL}/{job['id']}", KINDS[job["object"]]
    actions = []
    if job["failed"]:
        rows = "1 failed row" if job["failed"] == 1 else f"{job['failed']:,} failed rows"
        actions.append(MenuItem(label=f"Download {rows}", href=f"{url}/errors.csv", icon="download", primary=True))
    if can_undo:
        actions.append(MenuItem(label="Undo import", dialog_href=f"{url}/undo", icon="arrow-counterclockwise"))
    actions.append(MenuItem(label=f"Go to {kind.plural.lower()}", href=PAGES[kind.name].url))
    said = f"{job['created_by_name']} imported {kind.plural.lower()} on {instant(job['created_at'], g.person['tz'])}."
    if job["is_undone"]:
        said += f" Undone on {instant(job['undone_at'], g.person['tz'])}."
    return PageHeader(
        title=job["file_name"],
        kicker="Import",
        icon="upload",
        subtitle=said,
        badge="Undone" if job["is_undone"] else "Done",
        badge_tone="neutral" if job["is_undone"] else "success",
        highlights=(
            Highlight(label="Rows", value=f"{job['total']:,}"),
            *(Highlight(label=name.capitalize(), value=f"{job[name]:,}") for name in _COUNTS),
        ),
        actions=tuple(actions),
    )


def _details(job: Mapping[str, Any]) -> tuple[Detail, ...]:
    kind, options = job["object"], job["options"]

    def label(name: str) -> str:
        return "Record id" if name == "id" else label_of(kind, name)

    mapped = ", ".join(f"{column} → {label(name)}" for column, name in job["mapping"].items())
    return (
        Detail(label="What was done", value=_MODES[job["mode"]]),
        Detail(label="Records were found by", value=label(job["match_field"]) if job["match_field"] else ""),
        Detail(label="Rows like a record that existed", value=_DUPLICATES[job["duplicate_action"]]),
        Detail(label="Separator", value=str(options["separator"]).capitalize()),
        Detail(label="Numbers", value=options["numbers"]),
        Detail(label="Dates", value=options["dates"]),
        Detail(label="Columns", value=mapped, kind="longtext"),
    )


def _rows(job: Mapping[str, Any], found: Mapping[str, Any], number: int) -> Table:
    kind, rows = job["object"], []
    for row in found["rows"]:
        label = f"Row {row['row_no']}"
        record: Cell | str = ""
        if row["record_id"]:
            href = f"{PAGES[kind].url}/{row['record_id']}"
            record = Cell(text=row["name"], href=href, label=f"{row['name']}, row {row['row_no']}")
        outcome = Cell(text=row["outcome"].capitalize(), tone=_TONES[row["outcome"]])
        cells = {
            "row": str(row["row_no"]),
            "outcome": outcome,
            "record": record,
            "why": (row["error"] or "")[:1].upper() + (row["error"] or "")[1:],
        }
        rows.append(Row(id=str(row["row_no"]), name=label, cells=cells))
    return Table(
        id="import-rows",
        caption="Rows of the file",
        columns=(
            Column("row", "Row"),
            Column("outcome", "Outcome", kind="badge"),
            Column("record", KINDS[kind].label),
            Column("why", "Remark"),
        ),
        rows=tuple(rows),
        url=f"{_URL}/{job['id']}",
        noun=("row", "rows"),
        page=Page(number, SIZE, found["total"], (SIZE,)),
    )


@blueprint.get("/imports/<job_id>/errors.csv")
def import_errors(job_id: str) -> Any:
    """The failed rows as a file."""
    made = read("crm.import_errors", {"id": job_id})
    answer = flask.Response("\ufeff" + made["text"], content_type="text/csv; charset=utf-8")
    answer.headers["Content-Disposition"] = 'attachment; filename="errors.csv"'
    return answer


@blueprint.get("/imports/<job_id>/undo")
def ask_undo_import(job_id: str) -> Any:
    """Ask before undoing."""
    return _undo_page(job_id)


def _undo_page(job_id: str, errors: tuple[str, ...] = (), status: int = 200) -> Any:
    found = read("crm.import_job", {"id": job_id, "limit": 1})
    job, noun = found["job"], KINDS[found["job"]["object"]]
    if not found["can_undo"] and not errors:
        raise Forbidden(
            "this import cannot be undone by you: it was undone before, or your profile may not delete here"
        )
    title = f"Undo the import of {job['file_name']}?"
    count = f"{job['created']:,} {(noun.label if job['created'] == 1 else noun.plural).lower()}"
    form = Form(
        id="undo-import",
        title=title,
        action=f"{_URL}/{job_id}/undo",
        submit_label="Undo import",
        cancel_href=f"{_URL}/{job_id}",
        sections=(),
        intro=f"The import created {count}. Those that nobody changed or added to since go to the recycle bin; the "
        "others stay, and so do changes of records that existed before.",
        danger=True,
        token=token("undo-import", job_id),
        errors=errors,
        guard=False,
    )
    header = PageHeader(title=title, kicker="Import", icon="upload")
    crumbs = [Link("Imports", _URL), Link(job["file_name"], f"{_URL}/{job_id}")]
    return page("kit/form_page.html", status, title=title, header=header, form=form, crumbs=crumbs, toasts=())


@blueprint.post("/imports/<job_id>/undo")
def undo_import(job_id: str) -> Any:
    """Undo an import: `undo_import`. A second post of the same form answers like the first."""
    try:
        done = run("crm.undo_import", {"id": job_id})
    except Invalid as error:
        return _undo_page(job_id, (error.message,), 422)
    return go(f"{_URL}/{job_id}", "undone", n=done["removed"])
