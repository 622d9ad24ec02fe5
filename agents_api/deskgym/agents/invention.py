"""Random arguments that fit a tool's JSON Schema, made of values that the store really holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from deskgym_apps.kit.fields import ID_PATTERN
from deskgym_apps.kit.roles import Row
from deskgym_apps.kit.store import Store
from deskgym_apps.kit.tools import Tool
from deskgym_seeds.streams import Stream

_WORDS = ("pump", "renewal", "Aldermoor", "call back", "Q3", "0", "ok", "urgent", "a", "review the offer")
_MOST = 200
Schema = Mapping[str, Any]


class Inventor:
    """Draws arguments for tools from one store. `stream` decides everything: same stream and state, same arguments."""

    def __init__(self, store: Store, stream: Stream) -> None:
        self.store = store
        self.stream = stream
        tables = sorted((name, table) for name, table in store.tables.items() if name in store.shapes)
        self._by_prefix = {table.prefix: name for name, table in tables if table.prefix}
        self._columns: dict[str, list[str]] = {}
        for name, _ in tables:
            for column in store.shapes[name].columns:
                self._columns.setdefault(column, []).append(name)

    def arguments(self, tool: Tool) -> dict[str, Any]:
        """Arguments that the tool's schema allows, with a record and its version where it takes them."""
        given: dict[str, Any] = self._object(tool.schema, tool.schema)
        self._fit_record(tool, given)
        return given

    def _fit_record(self, tool: Tool, given: dict[str, Any]) -> None:
        properties = tool.schema.get("properties", {})
        if "id" in given and "row_version" in properties:
            row = self.record()
            given["id"] = row["id"]
            if "row_version" in given:
                given["row_version"] = row.get("row_version", 1)
            self._fit_values(properties, given, self.store.tables[self._by_prefix[str(row["id"])[:3]]].label)
        for chooser in ("object", "kind"):
            if chooser in given and "values" in given:
                self._fit_values(properties, given, str(given[chooser]))

    def _fit_values(self, properties: Schema, given: dict[str, Any], title: str) -> None:
        """Values of the schema that bears the record's title, among the several that the tool takes."""
        schema = properties.get("values", {})
        for one in (*schema.get("oneOf", ()), *schema.get("anyOf", ())):
            if one.get("title") == title:
                given["values"] = self._object(one, one)

    def record(self) -> Row:
        """Any row of any table whose records have ids."""
        names = [name for name in sorted(self._by_prefix.values()) if self.store.one(f'SELECT 1 FROM "{name}" LIMIT 1')]
        versioned = [name for name in names if "row_version" in self.store.shapes[name].columns]
        name = self.stream.choice(versioned or names)
        row = self._any_row(name)
        assert row is not None, "the table was not empty"
        return row

    def _any_row(self, table: str) -> Row | None:
        rows = self.store.all(f'SELECT count(*) AS n FROM "{table}"')
        if not rows[0]["n"]:
            return None
        offset = self.stream.uniform_int(0, rows[0]["n"] - 1)
        keys = ", ".join(f'"{column}"' for column in self.store.shapes[table].key)
        return self.store.one(f'SELECT * FROM "{table}" ORDER BY {keys} LIMIT 1 OFFSET ?', (offset,))

    def value(self, schema: Schema, root: Schema, name: str = "") -> Any:
        """A value that the schema allows."""
        if "$ref" in schema:
            found: Any = root
            for part in str(schema["$ref"]).removeprefix("#/").split("/"):
                found = found[part]
            return self.value(found, root, name)
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                return self.value(self.stream.choice(schema[keyword]), root, name)
        if "enum" in schema:
            return self.stream.choice(schema["enum"])
        if "const" in schema:
            return schema["const"]
        kinds = schema.get("type", "string")
        return self._of_kind(kinds if isinstance(kinds, str) else self.stream.choice(kinds), schema, root, name)

    def _of_kind(self, kind: str, schema: Schema, root: Schema, name: str) -> Any:
        if kind == "null":
            return None
        if kind == "object":
            return self._object(schema, root)
        if kind == "array":
            count = self.stream.uniform_int(schema.get("minItems", 0), min(3, schema.get("maxItems", 3)))
            return [self.value(schema.get("items", {}), root, name) for _ in range(count)]
        if kind == "boolean":
            return self.stream.chance(1, 2)
        if kind in ("integer", "number"):
            low = int(schema.get("minimum", 0))
            return self.stream.uniform_int(low, min(int(schema.get("maximum", low + 100)), low + 1000))
        return self._text(schema, name)

    def _object(self, schema: Schema, root: Schema) -> dict[str, Any]:
        needed = set(schema.get("required", ()))
        properties: Mapping[str, Schema] = schema.get("properties", {})
        return {
            name: self.value(inner, root, name)
            for name, inner in properties.items()
            if name in needed or self.stream.chance(1, 4)
        }

    def _text(self, schema: Schema, name: str) -> str:
        if schema.get("pattern") == ID_PATTERN:
            return (None if name == "id" else self._known(name)) or str(self.record()["id"])
        if schema.get("format") == "date":
            return self._day()
        if schema.get("format") == "date-time":
            return f"{self._day()}T10:00:00Z"
        text = self._known(name) or self.stream.choice(_WORDS)
        return text[: int(schema.get("maxLength", _MOST))]

    def _day(self) -> str:
        """A day of the store's present year or of one beside it."""
        year = int(self.store.now[:4]) + self.stream.uniform_int(-1, 1)
        return f"{year}-{self.stream.uniform_int(1, 12):02}-{self.stream.uniform_int(1, 28):02}"

    def _known(self, name: str) -> str | None:
        """A text that some row has in a column of that name."""
        tables: Sequence[str] = self._columns.get(name, ())
        if not tables or self.stream.chance(1, 10):
            return None
        row = self._any_row(self.stream.choice(tables))
        found = row.get(name) if row else None
        return found if isinstance(found, str) and found else None
