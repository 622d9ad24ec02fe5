"""One row of an import after the other (CRM-5): its cells as values, the record it means, and what is done with it.

Each row goes through the same services as a record saved by hand, wholly or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...kit.call import Context
from ...kit.errors import FieldError, Invalid, NotFound, ServiceError
from ...kit.norm import norm
from ...kit.operations import parse_input
from .. import rules_import
from .access import User
from .catalog import MODELS
from .changes import is_readable, picklist_values
from .duplicates import MATCHED, Duplicate, Finder
from .inputs import label, widgets
from .kinds import KINDS, Kind
from .naming import name_norm
from .records import TYPES, create, name_of, update
from .selection import Selection

CREATED, UPDATED, SKIPPED, FAILED = "created", "updated", "skipped", "failed"
ID = "id"
# The fields by which a file can mean a record that exists, by object
MATCH_FIELDS: Mapping[str, tuple[str, ...]] = {
    "account": (ID, "account_number"),
    "contact": (ID, "email"),
    "lead": (ID, "email"),
    "opportunity": (ID,),
}
_MATCH_COLUMNS = {"account_number": "account_number", "email": "email_norm"}


@dataclass(frozen=True)
class Options:
    """How a file is read and what is done with its rows. `mapping`: column -> field."""

    mapping: Mapping[str, str]
    mode: str
    match_field: str | None
    duplicate_action: str
    numbers: str
    dates: str
    clear_blanks: bool


@dataclass(frozen=True)
class Outcome:
    """What became of a row. `values` are its mapped values as they were read, by field."""

    row_no: int
    outcome: str
    record_id: str | None = None
    error: str | None = None
    values: Mapping[str, Any] = field(default_factory=dict)


class Importer:
    """Takes the rows of one file, in order; what earlier rows wrote counts for later ones."""

    def __init__(self, user: User, kind: Kind, options: Options, columns: Sequence[str]) -> None:
        self.user, self.kind, self.options = user, kind, options
        self.fields = [(at, options.mapping[name]) for at, name in enumerate(columns) if name in options.mapping]
        self.width = len(columns)
        self.widgets = widgets(MODELS[kind.name][1])
        self._names: dict[str, dict[str, list[str]]] = {}
        self._choices: dict[tuple[str, str], dict[str, str]] = {}
        self._written: dict[str, int] = {}
        self._finder = Finder(user, kind) if kind.name in MATCHED else None

    @property
    def ctx(self) -> Context:
        return self.user.ctx

    def take(self, row_no: int, cells: Sequence[str]) -> Outcome:
        """Do what a row says. A row that is refused leaves nothing behind but its message."""
        conn = self.ctx.conn
        values: dict[str, Any] = {}
        conn.execute("SAVEPOINT one_row")
        try:
            values |= self._values(cells)
            outcome, record_id, said = self._carry_out(row_no, values)
        except ServiceError as error:
            conn.execute("ROLLBACK TO one_row")
            conn.execute("RELEASE one_row")
            return Outcome(row_no, FAILED, None, _message(error), values)
        conn.execute("RELEASE one_row")
        if outcome in (CREATED, UPDATED):
            self._written[str(record_id)] = row_no
            self._learn(str(record_id))
        return Outcome(row_no, outcome, record_id, said, values)

    def _learn(self, record_id: str) -> None:
        self._names.pop(self.kind.name, None)
        row = self.ctx.store.get(self.kind.table, record_id)
        if self._finder is not None and self._finder.rules and row is not None:
            self._finder.learn(row)

    def _values(self, cells: Sequence[str]) -> dict[str, Any]:
        """The mapped values of a row, by field; None for an empty cell. Raises Invalid with every fault."""
        if len(cells) != self.width:
            raise Invalid(f"this row has {len(cells)} cells and the first line {self.width}")
        values: dict[str, Any] = {}
        faults = []
        for at, name in self.fields:
            text = rules_import.cell_text(cells[at])
            try:
                values[name] = self._value(name, text) if text else None
            except ValueError as error:
                faults.append(FieldError(name, f"{self._label(name)}: {error}"))
        if faults:
            raise Invalid(faults)
        return values

    def _label(self, name: str) -> str:
        return "Record id" if name == ID else label(MODELS[self.kind.name][1], name)

    def _value(self, name: str, text: str) -> Any:
        """A cell as the input takes it; the field decides the type, never the cell. Raises ValueError."""
        if name == ID:
            return text
        details = self.widgets[name]
        kind = details["kind"]
        if kind == "number":
            return rules_import.whole_text(text, self.options.numbers)
        if kind in ("money", "percent"):
            return rules_import.number_text(text, self.options.numbers)
        if kind == "date":
            return rules_import.day_text(text, self.options.dates)
        if kind == "checkbox":
            return rules_import.truth(text)
        if kind == "lookup":
            return self._meant(str(details["object"]), text)
        if kind == "picklist":
            return self._choice(str(details["object"]), str(details["field"]), text)
        return text

    def _choice(self, thing: str, name: str, text: str) -> str:
        """The value of a picklist whatever its case; another text as it is, to be refused with the list."""
        key = (thing, name)
        if key not in self._choices:
            self._choices[key] = {norm(value): value for value in picklist_values(self.ctx, thing, name)}
        return self._choices[key].get(norm(text), text)

    def _meant(self, target: str, text: str) -> str:
        """The record that a cell names by id, by name, or a user by e-mail. Raises ValueError for none or several."""
        kind = KINDS[target]
        if re.fullmatch(rf"{kind.prefix}[A-Z0-9]{{12}}", text):
            if not is_readable(self.user, kind, text):
                raise ValueError(f'there is no {kind.label.lower()} "{text}"')
            return text
        found = self._named(kind).get(norm(text), [])
        if len(found) == 1:
            return found[0]
        noun = kind.label.lower()
        if not found:
            raise ValueError(f'there is no {noun} called "{text[:80]}"')
        said = f'{len(found)} {kind.plural.lower()} are called "{text[:80]}"'
        raise ValueError(f"{said}; write the id of the one you mean")

    def _named(self, kind: Kind) -> dict[str, list[str]]:
        if kind.name not in self._names:
            selection = Selection(self.user, kind)
            keys = [name_norm(kind.name)] + (["norm(t.email)"] if kind.name == "user" else [])
            scope = selection.scope(many=True)
            sql = f"SELECT t.id, {', '.join(keys)} FROM {selection.source(scope)} WHERE {scope} ORDER BY t.id"
            found: dict[str, list[str]] = {}
            for record_id, *names in selection.all(sql):
                for name in dict.fromkeys(names):
                    found.setdefault(name, []).append(record_id)
            self._names[kind.name] = found
        return self._names[kind.name]

    def _carry_out(self, row_no: int, values: dict[str, Any]) -> tuple[str, str | None, str | None]:
        """Outcome, record and a remark. Raises ServiceError."""
        mode, match_field = self.options.mode, self.options.match_field
        if mode == "insert" or match_field is None:
            return self._insert(values)
        wanted = values.get(match_field)
        record_id = None if wanted is None else self._matching(match_field, str(wanted))
        if record_id is not None:
            return self._update(record_id, values)
        if mode == "update" or (match_field == ID and wanted is not None):
            said = f'there is no {self.kind.label.lower()} with {self._label(match_field)} "{wanted}"'
            raise NotFound(said if wanted is not None else f"{self._label(match_field)} is empty")
        return self._insert(values)

    def _matching(self, match_field: str, text: str) -> str | None:
        """The one record that the person may read with this value. Raises Invalid where there are several."""
        selection = Selection(self.user, self.kind)
        column = _MATCH_COLUMNS.get(match_field, ID)
        value = norm(text) if column.endswith("_norm") else text
        scope = selection.scope()
        sql = f"SELECT t.id FROM {self.kind.table} t WHERE t.{column} = :value AND {scope} ORDER BY t.id"
        rows = selection.all(sql, value=value)
        if len(rows) > 1:
            nouns = self.kind.plural.lower()
            raise Invalid(f'{len(rows)} {nouns} have {self._label(match_field)} "{text}"; match by id instead')
        return str(rows[0][0]) if rows else None

    def _insert(self, values: Mapping[str, Any]) -> tuple[str, str | None, str | None]:
        given = {name: value for name, value in values.items() if value is not None and name != ID}
        action = self.options.duplicate_action
        more = {"allow_duplicates": True} if action == "create" and self.kind.name in MATCHED else {}
        parsed = parse_input(MODELS[self.kind.name][0], given | more)  # type: ignore[arg-type]
        try:
            done = create(self.ctx, TYPES[self.kind.name], parsed, finder=self._finder)
        except Duplicate as error:
            return self._doubled(error, values)
        return CREATED, done.id, None

    def _doubled(self, error: Duplicate, values: Mapping[str, Any]) -> tuple[str, str | None, str | None]:
        action, found = self.options.duplicate_action, error.details["duplicates"]
        if action == "create":
            raise error
        names = ", ".join(f"{row['name']} ({row['id']})" for row in found)
        if action == "skip":
            return SKIPPED, found[0]["id"], f"a duplicate of {names}"
        if len(found) > 1:
            raise Invalid(f"{len(found)} records are like this one: {names}; match by id instead")
        return self._update(found[0]["id"], values)

    def _update(self, record_id: str, values: Mapping[str, Any]) -> tuple[str, str | None, str | None]:
        if record_id in self._written:
            name = name_of(self.ctx, self.kind, record_id)
            raise Invalid(f"row {self._written[record_id]} of this file was about {name} already")
        match_field = self.options.match_field
        kept = {
            name: value
            for name, value in values.items()
            if name not in (ID, match_field) and (value is not None or self.options.clear_blanks)
        }
        parsed = parse_input(MODELS[self.kind.name][1], kept)  # type: ignore[arg-type]
        row = self.ctx.store.get(self.kind.table, record_id)
        version = 0 if row is None else int(row["row_version"])
        allow = self.options.duplicate_action == "create"
        update(self.ctx, TYPES[self.kind.name], record_id, version, parsed, allow_duplicates=allow, finder=self._finder)
        return UPDATED, record_id, None


def _message(error: ServiceError) -> str:
    return error.message


def shown_values(importer: Importer, outcome: Outcome) -> dict[str, str]:
    """The values of a row as people read them, by field: names of records, yes and no."""
    shown = {}
    for _, name in importer.fields:
        value = outcome.values.get(name)
        if isinstance(value, bool):
            shown[name] = "Yes" if value else "No"
        elif value is not None and name != ID and importer.widgets[name]["kind"] == "lookup":
            shown[name] = name_of(importer.ctx, KINDS[str(importer.widgets[name]["object"])], str(value))
        else:
            shown[name] = "" if value is None else str(value)
    return shown
