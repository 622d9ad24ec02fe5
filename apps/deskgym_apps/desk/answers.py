"""The answer form: fields from the task's JSON Schema, and the JSON that the filled form means.

What it yields is the JSON that `submit_answer` would carry: text trimmed, each run of spaces as one; numbers as JSON
numbers; dates as `YYYY-MM-DD`; lists of plain values one a line, lists of objects as rows; other shapes as JSON text.
A schema that takes a number or text wants a number with its decimals as written (DESIGN §6): the typed text is sent
where graders read it so, else the number that the person's locale reads in it. What is no such number is refused here,
since it would be counted as wrong once it is handed in; so are decimals where a whole number is asked for, and more
decimals than the schema's description says ("At most 2 decimals", as it is made for amounts of a currency).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..kit import entry
from ..kit.dates import parse_instant
from ..kit.errors import FieldError
from ..kit.forms import Filler
from ..kit.web import FieldSection, FormField, Option

Schema = Mapping[str, Any]
ROOT = "answer"
FIRST_ROWS, MORE_ROWS, MAX_ROWS = 3, 3, 200
ABSENT: Any = object()
_LONG = 200
_SCALARS = ("choice", "flag", "integer", "number", "decimal", "date", "instant", "text")
_DECIMALS = re.compile(r"\bat most (\d) decimals\b", re.IGNORECASE)
_AS_GRADED = re.compile(r"-?(\d+|\d{1,3}(,\d{3})+)(\.\d+)?", re.ASCII)


def types_of(schema: Schema) -> set[str]:
    """The JSON types that a schema takes, those of its `anyOf` included."""
    kinds = schema.get("type", ())
    found = {kinds} if isinstance(kinds, str) else set(kinds)
    for branch in schema.get("anyOf", ()):
        found |= types_of(branch)
    return found


def kind_of(schema: Schema) -> str:
    """Which control shows a value: object, rows, lines, json, or a scalar's."""
    types = types_of(schema) - {"null"}
    if "enum" in schema:
        return "choice"
    if types == {"object"}:
        return "object" if schema.get("properties") and "anyOf" not in schema else "json"
    if types == {"array"} and isinstance(schema.get("items"), Mapping):
        inner = kind_of(schema["items"])
        if inner == "object":
            flat = all(kind_of(item) in _SCALARS for item in schema["items"]["properties"].values())
            return "rows" if flat else "json"
        return "lines" if inner in _SCALARS else "json"
    if types == {"string", "number"} and "anyOf" not in schema:
        return "decimal"
    if "string" in types:
        return {"date": "date", "date-time": "instant"}.get(str(schema.get("format")), "text")
    if types == {"boolean"}:
        return "flag"
    if types <= {"integer", "number"} and types:
        return "integer" if types == {"integer"} else "number"
    return "json"


def label_of(name: str) -> str:
    """`largest_deal` -> `Largest deal`."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").replace("-", " ").strip()
    return words[:1].upper() + words[1:]


def _help(schema: Schema, *more: str) -> str:
    parts = [str(schema[key]).strip() for key in ("title", "description") if schema.get(key)]
    return " ".join(part if part.endswith((".", "?", "!")) else part + "." for part in [*parts, *more] if part)


def _is_long(schema: Schema) -> bool:
    return int(schema.get("maxLength", 0)) > _LONG


def _choices(schema: Schema) -> tuple[Option, ...]:
    shown = [value if isinstance(value, str) else json.dumps(value) for value in schema["enum"]]
    return (Option("", "Choose…"), *(Option(value, value) for value in shown))


@dataclass(frozen=True)
class _Drawing:
    typed: Mapping[str, str]
    faults: Mapping[str, str]


def _control(name: str, label: str, schema: Schema, required: bool, drawing: _Drawing) -> FormField:
    kind = kind_of(schema)
    about: dict[str, Any] = {
        "name": name,
        "label": label,
        "required": required,
        "value": drawing.typed.get(name, ""),
        "error": drawing.faults.get(name, ""),
        "help": _help(schema),
    }
    if kind == "choice":
        return FormField(kind="select", options=_choices(schema), **about)
    if kind == "flag":
        return FormField(kind="radio", options=(Option("true", "Yes"), Option("false", "No")), **about)
    if kind in ("integer", "number", "decimal"):
        return FormField(kind="number" if kind == "integer" else "money", **about)
    if kind in ("date", "instant"):
        return FormField(kind="date" if kind == "date" else "datetime", **about)
    if kind == "text":
        return FormField(kind="textarea" if _is_long(schema) else "text", **about)
    hint = "One a line." if kind == "lines" else "Written as JSON."
    inner = _help(schema["items"]) if kind == "lines" else ""
    return FormField(kind="textarea", wide=True, **about | {"help": _help(schema, inner, hint)})


def row_count(name: str, typed: Mapping[str, str]) -> int:
    """How many rows a list of objects shows; the form carries the number along."""
    given = typed.get(f"{name}.rows", "")
    count = int(given) if given.isascii() and given.isdigit() and len(given) < 4 else FIRST_ROWS
    return min(max(count, FIRST_ROWS), MAX_ROWS)


@dataclass(frozen=True)
class Group:
    """A fieldset of the answer form. `rows_name` names a list of objects that takes more rows."""

    section: FieldSection
    rows_name: str = ""


def _fields_of(schema: Schema, name: str, required: bool, drawing: _Drawing, label: str = "") -> Iterator[FormField]:
    """Controls of the scalar properties of an object; `label` tells rows apart."""
    needed = set(schema.get("required", ())) if required else set()
    for key, inner in schema["properties"].items():
        if kind_of(inner) not in ("object", "rows"):
            shown = f"{label}{label_of(key)}"
            yield _control(f"{name}.{key}", shown, inner, key in needed, drawing)


def _row_groups(schema: Schema, name: str, title: str, drawing: _Drawing) -> Iterator[Group]:
    fields: list[FormField] = []
    for row in range(row_count(name, drawing.typed)):
        for item in _fields_of(schema["items"], f"{name}.{row}", False, drawing, f"Row {row + 1}: "):
            fields.append(item if row == 0 else replace(item, help=""))
    note = drawing.faults.get(name, "") or _help(schema, "Rows left empty do not count.")
    yield Group(FieldSection(title, tuple(fields), 2, note), name)


def _groups(schema: Schema, name: str, title: str, required: bool, drawing: _Drawing) -> Iterator[Group]:
    kind = kind_of(schema)
    if kind == "rows":
        yield from _row_groups(schema, name, title, drawing)
        return
    if kind != "object":
        yield Group(FieldSection(title, (_control(name, "Answer", schema, required, drawing),)))
        return
    own = tuple(_fields_of(schema, name, required, drawing))
    if own:
        yield Group(FieldSection(title, own, 2, "" if name == ROOT else _help(schema)))
    for key, inner in schema["properties"].items():
        if kind_of(inner) in ("object", "rows"):
            wanted = required and key in schema.get("required", ())
            yield from _groups(inner, f"{name}.{key}", label_of(key), wanted, drawing)


def answer_groups(schema: Schema, typed: Mapping[str, str], faults: Mapping[str, str]) -> tuple[Group, ...]:
    """The fieldsets of the answer form, holding what was typed and what is wrong with it."""
    return tuple(_groups(schema, ROOT, "Answer", True, _Drawing(typed, faults)))


def _given(name: str, form: Mapping[str, str]) -> bool:
    return any(
        value.strip()
        for key, value in form.items()
        if (key == name or key.startswith(f"{name}.")) and not key.endswith(".rows")
    )


class _Reader:
    """Reads a posted form along a schema; every fault is kept."""

    def __init__(self, form: Mapping[str, str], filler: Filler) -> None:
        self.form = form
        self.filler = filler
        self.faults: list[FieldError] = []

    def value(self, name: str, schema: Schema, required: bool) -> Any:
        """The value, or ABSENT where nothing was given and nothing is needed (or a fault was noted)."""
        kind = kind_of(schema)
        if kind == "object":
            return self._object(name, schema, required)
        if kind == "rows":
            return self._rows(name, schema, required)
        if kind == "lines":
            return self._lines(name, schema, required)
        text = self.form.get(name, "").strip()
        if not text:
            return self._empty(name, schema, required)
        try:
            return self._scalar(schema, text)
        except ValueError as error:
            self.faults.append(FieldError(name, str(error)))
            return ABSENT

    def _empty(self, name: str, schema: Schema, required: bool) -> Any:
        if not required:
            return ABSENT
        if "null" in types_of(schema):
            return None
        self.faults.append(FieldError(name, "give a value"))
        return ABSENT

    def _object(self, name: str, schema: Schema, required: bool) -> Any:
        if not required and not _given(name, self.form):
            return ABSENT
        needed = schema.get("required", ())
        read = {key: self.value(f"{name}.{key}", inner, key in needed) for key, inner in schema["properties"].items()}
        return {key: value for key, value in read.items() if value is not ABSENT}

    def _rows(self, name: str, schema: Schema, required: bool) -> Any:
        count = row_count(name, self.form)
        read = [self.value(f"{name}.{row}", schema["items"], False) for row in range(count)]
        rows = [value for value in read if value is not ABSENT]
        return rows if rows or required else ABSENT

    def _lines(self, name: str, schema: Schema, required: bool) -> Any:
        items = []
        for line in self.form.get(name, "").splitlines():
            if line.strip():
                try:
                    items.append(self._scalar(schema["items"], line.strip()))
                except ValueError as error:
                    self.faults.append(FieldError(name, str(error)))
                    return ABSENT
        return items if items or required else ABSENT

    def _scalar(self, schema: Schema, text: str) -> Any:
        kind = kind_of(schema)
        if kind == "choice":
            for value in schema["enum"]:
                if text == (value if isinstance(value, str) else json.dumps(value)):
                    return value
            raise ValueError(f'"{text}" is none of {", ".join(str(value) for value in schema["enum"])}')
        if kind == "flag":
            if text not in ("true", "false"):
                raise ValueError("choose Yes or No")
            return text == "true"
        if kind == "integer":
            return _whole(text, self.filler.locale)
        if kind == "decimal":
            number = entry.read_number(text, self.filler.locale)
            return _with_its_decimals(schema, text if _AS_GRADED.fullmatch(text) else number)
        if kind == "number":
            return json.loads(entry.read_number(text, self.filler.locale))
        if kind == "date":
            return entry.read_date(text, self.filler.locale)
        if kind == "instant":
            return self._instant(text)
        return _json_value(text) if kind == "json" else _plain_text(schema, text)

    def _instant(self, text: str) -> str:
        try:
            parse_instant(text)
        except ValueError:
            return entry.read_instant(text, self.filler.locale, self.filler.zone)
        return text


def _with_its_decimals(schema: Schema, number: str) -> str:
    """A number that has no more decimals than the schema says. Raises ValueError."""
    most = _DECIMALS.search(str(schema.get("description", "")))
    written = len(number.partition(".")[2])
    if most is not None and written > int(most[1]):
        noun = "decimal" if written == 1 else "decimals"
        raise ValueError(f'"{number}" has {written} {noun}; at most {most[1]} are meant')
    return number


def _whole(text: str, locale: str) -> int:
    """A whole number written without decimals. Raises ValueError for anything else, `10.0` included."""
    value = entry.read_integer(text, locale)
    written = re.sub(r"\D", "", text)
    if (written.lstrip("0") or written[:1]) != str(abs(value)) or (value == 0 and re.search(r"[.,]", text)):
        raise ValueError(f'"{text}" is written with decimals; write {value}')
    return value


def _plain_text(schema: Schema, text: str) -> str:
    """Text as a person means it: space that nobody sees makes no difference. Long text keeps its lines."""
    lines = text.splitlines() if _is_long(schema) else [text]
    return "\n".join(" ".join(line.split()) for line in lines)


def _json_value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError('this is not JSON; write it like [1, 2] or {"name": "value"}') from None


def read_answer(
    schema: Schema, form: Mapping[str, str], filler: Filler, *, required: bool
) -> tuple[Any, tuple[FieldError, ...]]:
    """The answer that a posted form means, None where it is left empty and not required, and what is wrong with it."""
    if not required and not _given(ROOT, form):
        return None, ()
    reader = _Reader(form, filler)
    value = reader.value(ROOT, schema, True)
    return (None if value is ABSENT else value), tuple(reader.faults)
