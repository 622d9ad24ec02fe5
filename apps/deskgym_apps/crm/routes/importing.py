"""The import wizard: upload, map, check, run (CRM-5). What was given travels from form to form; the last one writes.

The pages of imports that were made are in `imported`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flask import request

from ...kit.errors import FieldError, Forbidden, Invalid
from ...kit.session import read, run
from ...kit.web import (
    Cell,
    Column,
    FieldSection,
    Form,
    FormField,
    Highlight,
    Link,
    MenuItem,
    Option,
    PageHeader,
    Row,
    Table,
)
from .. import rules_import
from ..service.imports import IMPORTED, ImportInput
from .drawing import token
from .editing import fields_label
from .going import go, page
from .reading import label_of, may
from .routing import blueprint
from .specs import PAGES, Pages, pages_at

_MAP = "map_"
_SEPARATORS = (
    Option("auto", "Found by itself"),
    Option("comma", "Comma"),
    Option("semicolon", "Semicolon"),
    Option("tab", "Tab"),
)
_MODES = (
    Option("insert", "Create records"),
    Option("update", "Change records that exist"),
    Option("upsert", "Change records that exist, create the others"),
)
_DUPLICATES = (
    Option("skip", "Leave the row out"),
    Option("update", "Change the record that exists"),
    Option("create", "Create it all the same"),
)
_OPTIONS = ("separator", "mode", "match_field", "duplicate_action", "numbers", "dates")
_OUTCOMES = {"created": "success", "updated": "info", "skipped": "neutral", "failed": "danger"}


def import_items(pages: Pages) -> tuple[MenuItem, ...]:
    """The entry of a list's menu, for those who may."""
    if not _may_import(pages):
        return ()
    return (MenuItem(label=f"Import {pages.nouns}", href=f"{pages.url}/import", icon="upload"),)


def _may_import(pages: Pages) -> bool:
    return pages.kind in IMPORTED and may("mass", pages.kind) and (may("create", pages.kind) or may("edit", pages.kind))


def _importable(folder: str) -> Pages:
    pages = pages_at(folder)
    if not _may_import(pages):
        raise Forbidden(f"your profile may not import {pages.nouns}")
    return pages


def _header(pages: Pages, step: int, what: str, **more: Any) -> PageHeader:
    return PageHeader(
        title=f"Import {pages.nouns}",
        kicker=fields_label(pages),
        icon=PAGES[pages.kind].icon,
        subtitle=f"Step {step} of 3: {what}",
        **more,
    )


def _drawn(pages: Pages, step: int, what: str, form: Form, status: int = 200, **more: Any) -> Any:
    crumbs = [Link(fields_label(pages), pages.url), Link("Imports", "/crm/imports")]
    return page(
        "crm/import.html",
        status,
        heading=f"{what.capitalize()} · Import {pages.nouns}",
        import_header=more.pop("header", None) or _header(pages, step, what),
        form=form,
        tables=more.pop("tables", ()),
        crumbs=crumbs,
        crumb_here=f"Import {pages.nouns}",
        toasts=(),
    )


@blueprint.get("/<folder>/import")
def upload(folder: str) -> Any:
    """The first step: which file."""
    return _upload(_importable(folder))


def _upload(pages: Pages, fault: str = "", status: int = 200) -> Any:
    pasted = request.form.get("csv", "")
    kept = pasted if len(pasted) <= rules_import.MOST_TEXT else ""
    fields = (
        FormField(
            name="file",
            label="CSV file",
            kind="file",
            error=fault if not kept else "",
            help=f"In UTF-8, with the names of the columns in the first line; at most {rules_import.MOST_ROWS:,} rows.",
            wide=True,
        ),
        FormField(
            name="csv",
            label="Or paste the lines",
            kind="textarea",
            rows=10,
            value=kept,
            error=fault if kept else "",
        ),
        FormField(
            name="separator",
            label="Separator",
            kind="select",
            value=request.form.get("separator", "auto"),
            options=_SEPARATORS,
        ),
    )
    form = Form(
        id="import",
        title="The file",
        action=f"{pages.url}/import/map",
        submit_label="Continue",
        cancel_href=pages.url,
        sections=(FieldSection("The file", fields, columns=1, is_fixed=True),),
        token=token("import", pages.kind),
        multipart=True,
        guard=False,
    )
    return _drawn(pages, 1, "choose the file", form, status)


def _posted_file() -> tuple[str, str]:
    """The text of the file that was sent, and its name. Raises Invalid."""
    sent = request.files.get("file")
    if sent is not None and sent.filename:
        try:
            return rules_import.decoded(sent.read()), sent.filename.replace("\\", "/").rpartition("/")[2][:120]
        except ValueError as error:
            raise Invalid(str(error), field="file") from None
    text = request.form.get("csv", "")
    if not text.strip():
        raise Invalid("choose a file, or paste its lines", field="file")
    return text, request.form.get("file_name", "")


@blueprint.post("/<folder>/import/map")
def map_columns(folder: str) -> Any:
    """The second step: what each column is, and what is done with the rows."""
    pages = _importable(folder)
    try:
        text, name = _posted_file()
        found = _looked_into(pages, text)
    except Invalid as error:
        return _upload(pages, error.message, 422)
    return _mapping(pages, text, name, found)


def _looked_into(pages: Pages, text: str) -> dict[str, Any]:
    separator = request.form.get("separator", "auto")
    found: dict[str, Any] = read("crm.read_import_file", {"csv": text, "object": pages.kind, "separator": separator})
    return found


def _mapping(pages: Pages, text: str, name: str, found: Mapping[str, Any], faults: Sequence[FieldError] = ()) -> Any:
    errors = {str(fault.field): fault.shown for fault in faults}
    loose = [fault.shown for fault in faults if fault.field not in _OPTIONS]
    form = Form(
        id="import",
        title="Columns and options",
        action=f"{pages.url}/import/check",
        submit_label="Check the rows",
        cancel_href=f"{pages.url}/import",
        cancel_label="Another file",
        sections=(_columns(pages, found), _options(found, errors)),
        errors=tuple(loose),
        token=token("import", pages.kind),
        hidden=(("csv", text), ("file_name", name), ("separator", request.form.get("separator", "auto"))),
        multipart=True,
        guard=False,
    )
    return _drawn(pages, 2, "say what the columns are", form, 422 if faults else 200)


def _columns(pages: Pages, found: Mapping[str, Any]) -> FieldSection:
    marked = {True: " (required)", False: ""}
    choices = [Option(one["name"], one["label"] + marked[one["required"]]) for one in found["fields"]]
    known = (Option("", "Leave out"), *choices, Option("id", "Record id"))
    fields = []
    taken: set[str] = set()
    for at, column in enumerate(found["columns"], 1):
        proposed = column["field"] or ""
        if proposed in taken or proposed == "id":
            proposed = ""
        taken.add(proposed)
        samples = ", ".join(" ".join(text.split())[:40] for text in column["samples"] if text.strip())
        fields.append(
            FormField(
                name=f"{_MAP}{at}",
                label=f'Column "{column["name"]}"',
                kind="select",
                value=request.form.get(f"{_MAP}{at}", proposed),
                options=known,
                help=f"First values: {samples}" if samples else "The first rows are empty.",
            )
        )
    note = f"{found['total']:,} rows, separated by {_named_separator(found['separator'])}. "
    note += "The field decides how a value is read; nothing is guessed."
    return FieldSection("Columns", tuple(fields), note=note, is_fixed=True)


def _named_separator(name: str) -> str:
    return {"comma": "commas", "semicolon": "semicolons", "tab": "tabs"}[name]


def _select(name: str, label: str, options: Sequence[Option], errors: Mapping[str, str], help: str = "") -> FormField:
    return FormField(
        name=name,
        label=label,
        kind="select",
        value=request.form.get(name, options[0].value),
        options=tuple(options),
        error=errors.get(name, ""),
        help=help,
    )


def _options(found: Mapping[str, Any], errors: Mapping[str, str]) -> FieldSection:
    names = {"id": "Record id", "email": "E-mail", "account_number": "Account number"}
    matches = [Option("", "–"), *(Option(name, names[name]) for name in found["match_fields"])]
    fields = (
        _select("mode", "What to do", _MODES, errors),
        _select("match_field", "Find records by", matches, errors, "For records that exist; map a column to it."),
        _select("duplicate_action", "New rows like a record that exists", _DUPLICATES, errors),
        _select("numbers", "Numbers are written", [Option(name, name) for name in rules_import.NUMBERS], errors),
        _select("dates", "Dates are written", [Option(name, name) for name in rules_import.DATES], errors),
        FormField(
            name="clear_blanks",
            label="Empty cells empty the field",
            kind="checkbox",
            value="1" if request.form.get("clear_blanks") == "1" else "",
            help="Of records that exist; else empty cells change nothing.",
        ),
    )
    return FieldSection("Options", fields, is_fixed=True)


def _given(pages: Pages, text: str, name: str, found: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of the command: what differs from its defaults. Raises Invalid."""
    mapping = {}
    for at, column in enumerate(found["columns"], 1):
        if field := request.form.get(f"{_MAP}{at}", ""):
            mapping[column["name"]] = field
    if not mapping:
        raise Invalid("choose a field for at least one column", field="mapping")
    given: dict[str, Any] = {"csv": text, "object": pages.kind, "mapping": mapping}
    for option in _OPTIONS:
        value = request.form.get(option, "")
        if value and value != ImportInput.model_fields[option].default:
            given[option] = value
    more = {"clear_blanks": True} if request.form.get("clear_blanks") == "1" else {}
    return given | more | ({"file_name": name} if name else {})


def _again(pages: Pages) -> tuple[str, str, dict[str, Any]]:
    """File, name and columns of a later step."""
    text, name = request.form.get("csv", ""), request.form.get("file_name", "")
    return text, name, _looked_into(pages, text)


@blueprint.post("/<folder>/import/check")
def check_rows(folder: str) -> Any:
    """The third step: what would happen, row by row; nothing is kept."""
    pages = _importable(folder)
    text, name, found = _again(pages)
    try:
        given = _given(pages, text, name, found)
        return _checked(pages, given, run("crm.import_records", given | {"dry_run": True}))
    except Invalid as error:
        return _mapping(pages, text, name, found, error.errors)


def _checked(pages: Pages, given: Mapping[str, Any], tried: Mapping[str, Any], missing: bool = False) -> Any:
    good = tried["total"] - tried["failed"]
    fields: tuple[FieldSection, ...] = ()
    if tried["failed"]:
        rows = "1 row fails" if tried["failed"] == 1 else f"{tried['failed']:,} rows fail"
        box = FormField(
            name="others",
            label=f"Import the other {good:,}",
            kind="checkbox",
            error="say so, or mend the file: as it is nothing is imported" if missing else "",
            help=f"{rows} and can be downloaded afterwards with the reasons. Without this nothing is imported.",
        )
        fields = (FieldSection("Rows that fail", (box,), columns=1),)
    carried = [(key, value) for key, value in request.form.items() if key not in ("form_token", "others", "back")]
    form = Form(
        id="import",
        title="Import",
        action=f"{pages.url}/import/run",
        submit_label=f"Import {_number(pages, good)}",
        cancel_href=pages.url,
        sections=fields,
        intro="Nothing has been changed yet." if not fields else "",
        token=token("import-run", pages.kind),
        hidden=tuple(carried),
        anyway=("back", "1", "Change columns and options"),
        multipart=True,
        guard=False,
    )
    facts = (
        Highlight(label="Rows", value=f"{tried['total']:,}"),
        *(
            Highlight(label=f"To be {name}" if name != "failed" else "Failing", value=f"{tried[name]:,}")
            for name in ("created", "updated", "skipped", "failed")
        ),
    )
    header = _header(pages, 3, "check the rows", highlights=facts)
    tables = (_problems(tried), _preview(pages, given, tried))
    shown = tuple(table for table in tables if table.rows)
    return _drawn(pages, 3, "check the rows", form, 422 if missing else 200, header=header, tables=shown)


def _number(pages: Pages, count: int) -> str:
    return f"{count:,} {'row' if count == 1 else 'rows'}"


def _preview(pages: Pages, given: Mapping[str, Any], tried: Mapping[str, Any]) -> Table:
    names = list(given["mapping"].values())
    labels = {name: "Record id" if name == "id" else label_of(pages.kind, name) for name in names}
    columns = (
        Column("row", "Row"),
        Column("outcome", "Outcome", kind="badge"),
        *(Column(name, label) for name, label in labels.items()),
    )
    rows = []
    for one in tried["preview"]:
        cells = {name: str(one["values"].get(name, "")) for name in names}
        rows.append(_line(one, cells))
    return _table(f"The first {len(rows)} rows as they are read", "import-preview", columns, rows)


def _line(one: Mapping[str, Any], cells: Mapping[str, str]) -> Row:
    outcome = Cell(text=one["outcome"].capitalize(), tone=_OUTCOMES[one["outcome"]])
    return Row(
        id=str(one["row"]), name=f"Row {one['row']}", cells={"row": str(one["row"]), "outcome": outcome, **cells}
    )


def _problems(tried: Mapping[str, Any]) -> Table:
    columns = (Column("row", "Row"), Column("outcome", "Outcome", kind="badge"), Column("why", "Why"))
    rows = [_line(one, {"why": begun(one.get("error", ""))}) for one in tried["rows"]]
    total = tried["failed"] + tried["skipped"]
    first = f", the first {len(rows)}" if total > len(rows) else ""
    return _table(f"Rows that fail or are left out{first}", "import-problems", columns, rows)


def begun(text: str) -> str:
    """A remark as the beginning of a sentence."""
    return text[:1].upper() + text[1:]


def _table(caption: str, id: str, columns: Sequence[Column], rows: Sequence[Row]) -> Table:
    return Table(id=id, caption=caption, columns=tuple(columns), rows=tuple(rows), url="", noun=("row", "rows"))


@blueprint.post("/<folder>/import/run")
def run_import(folder: str) -> Any:
    """Import the rows: `import_records`. A second post of the same form answers like the first."""
    pages = _importable(folder)
    text, name, found = _again(pages)
    if request.form.get("back") == "1":
        return _mapping(pages, text, name, found)
    given = _given(pages, text, name, found)
    skips = {"on_failure": "skip"} if request.form.get("others") == "1" else {}
    try:
        done = run("crm.import_records", given | skips)
    except Invalid as error:
        if "rows" in error.details and not skips:
            return _checked(pages, given, run("crm.import_records", given | {"dry_run": True}), missing=True)
        return _mapping(pages, text, name, found, error.errors)
    return go(f"/crm/imports/{done['job_id']}", "imported")
