"""Records that may be the same as another one (row 14): found before a save, and looked for beside a record.

Only records that the person may read are compared, and only by fields that the person sees: what somebody else keeps
private does not show by a refusal.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...kit.errors import Invalid
from ..rules_duplicates import ALLOW, BLOCK, EXACT, SHOWN_BY, alike, columns_of, value_of
from .access import User
from .changes import Change
from .kinds import Kind
from .naming import name_columns, named
from .records import GUARDS
from .selection import Selection

MATCHED = ("account", "contact", "lead")
MOST = 10
Row = Mapping[str, Any]


class Duplicate(Invalid):
    """A record like this one exists. `details`: `duplicates` (those that the person may read, with the rule's name) and
    `may_save`, whether saving is possible with allow_duplicates all the same."""

    code = "duplicate"

    def __init__(self, message: str, duplicates: list[dict[str, Any]], *, may_save: bool, field: str | None = None):
        super().__init__(message, field=field)
        self.details = {"duplicates": duplicates, "may_save": may_save}


@dataclass(frozen=True)
class Rule:
    """One matching rule; its criteria are (field, method)."""

    name: str
    criteria: tuple[tuple[str, str], ...]
    on_create: str
    on_edit: str

    def action(self, is_new: bool) -> str:
        """allow, warn or block."""
        return self.on_create if is_new else self.on_edit


class Finder:
    """The active rules of a kind, and the records that the person may read, by what the rules compare.

    Records are read once; `learn` tells of those that were saved since.
    """

    def __init__(self, user: User, kind: Kind) -> None:
        self.user, self.kind = user, kind
        self.rules = _rules(user, kind)
        self._known: dict[str, Row] | None = None
        self._index: dict[tuple[str, str], dict[str, list[str]]] = {}

    def _load(self) -> dict[str, Row]:
        if self._known is None:
            columns = sorted(
                {
                    column
                    for rule in self.rules
                    for field, _ in rule.criteria
                    for column in columns_of(self.kind.name, field)
                }
            )
            selection = Selection(self.user, self.kind)
            names = ", ".join(f"t.{column}" for column in ("id", *columns))
            scope = selection.scope(many=True)
            rows = selection.all(f"SELECT {names} FROM {selection.source(scope)} WHERE {scope} ORDER BY t.id")
            self._known = {row[0]: dict(zip(("id", *columns), row, strict=True)) for row in rows}
        return self._known

    def learn(self, row: Row) -> None:
        """Count a record that was saved just now."""
        known = self._load()
        columns = next(iter(known.values())).keys() if known else row.keys()
        record_id = str(row["id"])
        known[record_id] = {column: row[column] for column in columns}
        for (field, method), index in self._index.items():
            for key in _keys(value_of(self.kind.name, field, method, known[record_id]), method):
                index.setdefault(key, []).append(record_id)

    def _by_value(self, field: str, method: str) -> dict[str, list[str]]:
        """Ids by what a value begins or ends with, or by the whole value where it is compared exactly."""
        if (field, method) not in self._index:
            found: dict[str, list[str]] = {}
            for record_id, row in self._load().items():
                for key in _keys(value_of(self.kind.name, field, method, row), method):
                    found.setdefault(key, []).append(record_id)
            self._index[field, method] = found
        return self._index[field, method]

    def find(self, row: Row, rules: Iterable[Rule]) -> dict[str, list[Rule]]:
        """Ids of records like `row`, each with the rules that say so; the row itself is not among them."""
        found: dict[str, list[Rule]] = {}
        for rule in rules:
            wanted = [(field, method, value_of(self.kind.name, field, method, row)) for field, method in rule.criteria]
            if not all(value for _, _, value in wanted):
                continue
            for record_id in self._candidates(wanted):
                other = self._load()[record_id]
                if record_id != row.get("id") and all(
                    alike(value, value_of(self.kind.name, field, method, other), method)
                    for field, method, value in wanted
                ):
                    found.setdefault(record_id, []).append(rule)
        return dict(sorted(found.items()))

    def _candidates(self, wanted: Sequence[tuple[str, str, str]]) -> list[str]:
        """Ids of the records that may be alike; an exact criterion tells most of them apart."""
        field, method, value = next((one for one in wanted if one[1] == EXACT), wanted[0])
        index = self._by_value(field, method)
        return sorted({record_id for key in _keys(value, method) for record_id in index.get(key, ())})

    def named(self, found: Mapping[str, Sequence[Rule]]) -> list[dict[str, Any]]:
        """`{object, id, name, detail, reason}` of the first records found."""
        selection = Selection(self.user, self.kind)
        rows = selection.rows(
            name_columns(selection),
            "WHERE t.id IN (SELECT value FROM json_each(:ids)) ORDER BY t.id",
            ids=json.dumps(list(found)[:MOST]),
        )
        return [
            named(self.kind.name, row) | {"reason": ", ".join(rule.name for rule in found[row["id"]])} for row in rows
        ]


def _keys(value: str, method: str) -> tuple[str, ...]:
    """Under what a value is found. Of two that are nearly alike, both begin or both end with the same two letters."""
    return (value,) if method == EXACT else (f"{value[:2]}…", f"…{value[-2:]}")


def _rules(user: User, kind: Kind) -> tuple[Rule, ...]:
    """The active rules whose fields the person sees."""
    rows = user.ctx.store.all(
        "SELECT * FROM crm_matching_rule WHERE object = ? AND is_active = 1 ORDER BY name, id", (kind.name,)
    )
    hidden = user.hidden(kind.name)
    rules = []
    for row in rows:
        criteria = tuple((str(part["field"]), str(part["method"])) for part in json.loads(row["criteria"]))
        shown = {name for field, _ in criteria for name in SHOWN_BY.get((kind.name, field), (field,))}
        if not shown & hidden:
            rules.append(Rule(row["name"], criteria, row["action_create"], row["action_edit"]))
    return tuple(rules)


def check_duplicates(change: Change, allow: bool, finder: Finder | None = None) -> None:
    """Raises Duplicate where a rule warns of a record like the one to be saved, or forbids it.

    `allow` saves in spite of a warning; nothing saves in spite of a block. A rule counts for an edit that moves one of
    the fields it compares.
    """
    if change.kind.name not in MATCHED:
        return
    finder = finder or Finder(change.user, change.kind)
    rules = [rule for rule in finder.rules if rule.action(change.is_new) != ALLOW and _concerns(change, rule)]
    blocking = [rule for rule in rules if rule.action(change.is_new) == BLOCK]
    for group in (blocking, () if allow else rules):
        found = finder.find(change.after, group) if group else {}
        if found:
            raise _duplicate(finder, found, may_save=group is not blocking)


def _concerns(change: Change, rule: Rule) -> bool:
    columns = {column for field, _ in rule.criteria for column in columns_of(change.kind.name, field)}
    return change.is_new or change.moved(*columns)


def _duplicate(finder: Finder, found: Mapping[str, Sequence[Rule]], *, may_save: bool) -> Duplicate:
    rows, noun = finder.named(found), finder.kind.label.lower()
    listed = "; ".join(f"{row['name']} ({row['id']}): {row['reason']}" for row in rows)
    more = f"; and {len(found) - len(rows)} more" if len(found) > len(rows) else ""
    advice = "save with allow_duplicates all the same" if may_save else "change it, or use the one that exists"
    many = f"{len(found)} {finder.kind.plural.lower()} like this one exist" if len(found) > 1 else f"a {noun} like this"
    many = many.replace("a account", "an account") + ("" if len(found) > 1 else " one exists")
    return Duplicate(f"{many}: {listed}{more}; {advice}", rows, may_save=may_save)


def duplicates_of(user: User, kind: Kind, row: Row) -> list[dict[str, Any]]:
    """Live records that an active rule takes for the same as this one, whatever it does about them."""
    finder = Finder(user, kind)
    return finder.named(finder.find(row, finder.rules))


GUARDS.append(check_duplicates)
