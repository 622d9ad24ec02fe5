"""Which rows of a kind a person sees, and by which SQL their fields are read, matched and sorted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any
from weakref import WeakSet

from ...kit.errors import BadQuery, nearest
from ...kit.money import plain_amount
from ...kit.norm import norm
from ...kit.store import Store
from .access import User
from .catalog import SEEN, Catalog, Field, catalog
from .kinds import KINDS, Kind

_prepared: WeakSet[Store] = WeakSet()
_ODD = ("bool", "json", "number")  # types whose values are not shown as they are stored; money is another


@lru_cache(maxsize=1 << 16)
def _norm(value: Any) -> str | None:
    return None if value is None else norm(str(value))


def _has_word(text: str | None, start: str) -> int:
    """Whether a word of a normed text begins with `start`; words begin after anything but letters and digits."""
    at = -1 if text is None else text.find(start)
    while text is not None and at >= 0:
        if at == 0 or not text[at - 1].isalnum() or not start[0].isalnum():
            return 1
        at = text.find(start, at + 1)
    return 0


def _alias(prefix: str) -> str:
    return f"j_{prefix}"


def give_functions(store: Store) -> None:
    """Let the store's SQL call `norm(text)` and `has_word(normed text, start)`."""
    if store not in _prepared:
        store.conn.create_function("norm", 1, _norm, deterministic=True)
        store.conn.create_function("has_word", 2, _has_word, deterministic=True)
        _prepared.add(store)


@dataclass(frozen=True)
class Bound:
    """A field in one query: `key` as written (`account.region`), `sql` its value, `currency` that of money."""

    key: str
    field: Field
    sql: str
    norm: str
    currency: str | None

    @property
    def is_own(self) -> bool:
        """Whether the field belongs to the row itself, not to a record it points to."""
        return "." not in self.key

    def json(self, value: Any, currency: str | None) -> Any:
        """The stored value as results show it: money as decimal text in major units, booleans as such."""
        if value is None:
            return None
        if self.field.type == "money":
            return plain_amount(value, currency or "")
        if self.field.type == "json":
            return json.loads(value)
        if isinstance(value, float):  # a quantity or a percentage, stored in thousandths or hundredths
            return format(Decimal(repr(value)).normalize(), "f")
        return bool(value) if self.field.type == "bool" else value


class Selection:
    """The rows of one kind with alias `t`, joined to the records that the used fields come from."""

    def __init__(self, user: User, kind: Kind) -> None:
        give_functions(user.ctx.store)
        self.user = user
        self.kind = kind
        self.params: dict[str, Any] = {}
        self._joins: dict[str, str] = {}
        self._hidden = user.hidden(kind.name)
        self.catalog: Catalog = catalog(kind.name)

    def names(self) -> list[str]:
        """The kind's own fields that the person's profile shows."""
        return [name for name in self.catalog.fields if name not in self._hidden]

    def parents(self) -> Mapping[str, Field]:
        """Lookups whose records' fields may be used, by prefix."""
        return {
            prefix: item
            for prefix, item in self.catalog.parents.items()
            if item.name not in self._hidden and "read" in self.user.rights(item.target or "")
        }

    def bind(self, key: str, where: str = "fields") -> Bound:
        """The field called `key`. Raises BadQuery with the nearest names; `where` is the argument at fault."""
        if key in self.catalog.fields and key not in self._hidden:
            return self._bound(key, self.catalog.fields[key], "t", self.kind.name)
        prefix, _, name = key.partition(".")
        parent = self.parents().get(prefix)
        if name and parent is not None and parent.target is not None:
            fields = catalog(parent.target).fields
            if name in fields and name not in self.user.hidden(parent.target):
                return self._bound(key, fields[name], self._join(prefix, parent), parent.target)
        raise self._unknown(key, where)

    def _unknown(self, key: str, where: str) -> BadQuery:
        known = self.names()
        prefix = key.partition(".")[0]
        parent = self.parents().get(prefix)
        if parent is not None and parent.target is not None:
            known = [f"{prefix}.{name}" for name in catalog(parent.target).fields]
        message = f'{self.kind.label.lower()} has no field "{key}".{nearest(key, known)}'
        return BadQuery(message, field=where, allowed=known)

    def _bound(self, key: str, item: Field, alias: str, kind: str) -> Bound:
        see = {}
        if "{see_" in item.sql:
            see = {f"see_{name}": self._shown(name, row) for name, row in SEEN.items()}
        sql = item.sql.format(t=alias, **see)
        matched = item.norm.format(t=alias) if item.norm else f"norm({sql})"
        currency = item.currency.format(t=alias) if item.type == "money" else None
        return Bound(key, item, sql, matched, currency)

    def _shown(self, kind: str, alias: str) -> str:
        """SQL: whether the name of a record behind a row shows. What is never deleted outlives what it is about."""
        shown = self.user.visible(kind, alias)
        is_live = KINDS[kind].is_record and not self.kind.is_record
        return f"{alias}.is_deleted = 0 AND {shown}" if is_live else shown

    def _join(self, prefix: str, parent: Field) -> str:
        alias = _alias(prefix)
        if prefix not in self._joins:
            target = KINDS[parent.target or ""]
            link = parent.sql.format(t="t")
            shown = self._shown(target.name, alias)
            self._joins[prefix] = f"LEFT JOIN {target.table} {alias} ON {alias}.id = {link}" + (
                "" if shown == "1" else f" AND {shown}"
            )
        return alias

    def source(self, *used: str) -> str:
        """The FROM clause of a statement that uses such SQL. Every field was bound; joins neither add nor drop rows."""
        text = " ".join(used)
        joins = [join for prefix, join in self._joins.items() if f"{_alias(prefix)}." in text]
        return " ".join([f"{self.kind.table} t", *joins])

    def scope(self, *, mine: bool = False, deleted: bool = False, many: bool = False, unlisted: bool = False) -> str:
        """SQL: the rows the person may read, live or deleted, perhaps only those that are theirs.

        `many`: for statements that read most rows of the kind (see `User.reach`). `unlisted`: also rows that no list
        shows, such as converted leads.
        """
        clauses = [self.user.visible(self.kind.name, "t", many=many)]
        if self.kind.listed_sql and not unlisted:
            clauses.append(self.kind.listed_sql.format(t="t"))
        if self.kind.is_record:
            clauses.append(f"+t.is_deleted = {int(deleted)}")  # the plus: no index of live rows stands for the table
        elif deleted:
            raise BadQuery(f"{self.kind.plural.lower()} are never deleted", field="deleted")
        if self.kind.name == "user":
            clauses.append("EXISTS (SELECT 1 FROM crm_user u WHERE u.person_id = t.id)")
        if mine and self.kind.name != "user":
            if self.kind.owner_sql is None:
                raise BadQuery(f"{self.kind.plural.lower()} have no owner", field="scope")
            clauses.append(f"{self.kind.owner_sql.format(t='t')} = :me")
        return " AND ".join(clauses)

    def all(self, sql: str, **more: Any) -> list[Any]:
        """Run SQL with the person's and the query's parameters."""
        parameters = self.user.params | self.params | more
        return self.user.ctx.conn.execute(sql, parameters).fetchall()

    def page(self, bound: Iterable[Bound], condition: str, order: str, **more: Any) -> list[dict[str, Any]]:
        """The rows of one page (`:limit`, `:offset`): first which they are, then the fields of these few."""
        chosen = f"SELECT t.id FROM {self.source(condition, order)} {condition} {order} LIMIT :limit OFFSET :offset"
        return self.rows(bound, f"WHERE t.id IN ({chosen}) {order}", **({"offset": 0} | more))

    def rows(self, bound: Iterable[Bound], rest: str, **more: Any) -> list[dict[str, Any]]:
        """Rows of the bound fields by key; `rest` is everything after FROM. Money brings its currency along."""
        fields = list(bound)
        wanted = [item.sql for item in fields]
        places: dict[str, int] = {}
        for item in fields:
            if item.currency is not None and item.currency not in places:
                places[item.currency] = len(wanted)
                wanted.append(item.currency)
        columns = ", ".join(wanted)
        odd = [(at, item) for at, item in enumerate(fields) if item.currency or item.field.type in _ODD]
        keys = [item.key for item in fields]
        result = []
        for values in self.all(f"SELECT {columns} FROM {self.source(columns, rest)} {rest}", **more):
            row: dict[str, Any] = dict(zip(keys, values, strict=False))
            for at, item in odd:
                currency = values[places[item.currency]] if item.currency else None
                row[item.key] = item.json(values[at], currency)
                if item.currency:
                    prefix = item.key.rpartition(".")[0]
                    row.setdefault(f"{prefix}.currency" if prefix else "currency", currency)
            result.append(row)
        return result


def order_by(selection: Selection, keys: Iterable[tuple[Bound, bool]]) -> str:
    """ORDER BY: (field, descending) pairs, empty values last either way, id at the end (X-9)."""
    parts = []
    for bound, descending in keys:
        sql = sort_sql(selection, bound)
        parts.append(f"{sql} DESC" if descending else f"{sql} ASC NULLS LAST")
    return "ORDER BY " + ", ".join([*parts, "t.id"])


def sort_sql(selection: Selection, bound: Bound) -> str:
    """What a field is sorted by: stages by their order, money as a number in its own currency, texts by norm."""
    item = bound.field
    if item.name == "stage":
        return f"(SELECT s.sort FROM crm_stage s WHERE s.name = {bound.sql})"
    if item.type == "money":
        rows = selection.all("SELECT code, exponent FROM org_currency ORDER BY code")
        cases = " ".join(f"WHEN '{code}' THEN {10 ** (3 - exponent)}" for code, exponent in rows)
        return f"({bound.sql} * CASE {bound.currency} {cases} END)"
    if item.type in ("text", "picklist"):
        return bound.norm
    return bound.sql
