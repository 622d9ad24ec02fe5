"""What each column means to a grader (grading.md §3.2). Every column of every graded table has one role.

Tasks cannot relax a role. A role is data, but for `derive`, which recomputes a derived column from rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

Row = Mapping[str, Any]
Key = tuple[Any, ...]


class Reader(Protocol):
    """Rows of one state, however it is held: a database, or S0 with atoms laid over it."""

    def get(self, table: str, key: Key) -> Row | None:
        """The row of that primary key, or None."""
        ...

    def select(self, table: str, **equals: Any) -> Iterator[Row]:
        """Rows whose columns equal the given values, by primary key."""
        ...


Derive = Callable[[Reader, Row], Any]


@dataclass(frozen=True)
class Role:
    """One column's role.

    `kind`: id, ref, money, int, decimal, bool, enum, date, instant, text, rich, json, derived, and those the server
    sets: clock (instant of the insert), touch (instant of the last change), actor (who inserted), touch_actor (who
    changed last), version (+1 a command), clock_when (an instant set as column `of` changes, or NULL),
    clock_if / actor_if / batch_if (set while the boolean column `of` is 1, else NULL), worded (said in the person's own
    way; what it comes to stands in the column `of`, which is compared instead), meta (org_meta.value).
    `of`: table of a ref, values of an enum, currency column or code of money, sort of text
    (name, free, code, email, phone, url), scale of a decimal. `initial`: what a new row holds where the person
    gives nothing: a value, or ACTOR (the person); absent means the schema's default.
    """

    kind: str
    of: Any = None
    derive: Derive | None = None
    initial: Any = None


ACTOR_VALUE = "@actor"

ID = Role("id")
INT = Role("int")
BOOL = Role("bool")
DATE = Role("date")
INSTANT = Role("instant")
RICH = Role("rich")
CLOCK = Role("clock")
TOUCH = Role("touch")
ACTOR = Role("actor")
TOUCH_ACTOR = Role("touch_actor")
VERSION = Role("version")


def ref(table: str, initial: Any = None) -> Role:
    """A key of another table; `ref("ref.place")` points into the reference database."""
    return Role("ref", table, initial=initial)


def money(currency: str) -> Role:
    """Minor units; `currency` is the column that holds the code, or a code in capitals."""
    return Role("money", currency)


def decimal(scale: int) -> Role:
    """An integer that counts units of 10**-scale."""
    return Role("decimal", scale)


def enum(*values: str, initial: Any = None) -> Role:
    """One of a closed set. No values: the set lives in a table (a picklist)."""
    return Role("enum", values, initial=initial)


def text(sort: str, initial: Any = None) -> Role:
    """Text of a sort: name, free, code, email, phone, url."""
    if sort not in ("name", "free", "code", "email", "phone", "url"):
        raise ValueError(f"unknown sort of text {sort!r}")
    return Role("text", sort, initial=initial)


def json(schema: str) -> Role:
    """JSON text of a named shape, compared as parsed JSON."""
    return Role("json", schema)


def worded(column: str, normal_form: Derive) -> Role:
    """Said in the person's own way, like filter logic: explained when its `normal_form` stands in `column`."""
    return Role("worded", column, normal_form)


def derived(function: Derive) -> Role:
    """Recomputed from other rows and columns; explained when it equals what `function` gives."""
    return Role("derived", derive=function)


@dataclass(frozen=True)
class Table:
    """One graded table: what people call it, its id prefix, its columns' roles.

    `system`: rows are written by the app as a side effect (history, notifications); `record` then gives the
    (table, key) that such a row is about. `irreversible`: an insert cannot be taken back (outbox, orders).
    `part_of`: the rows only spell out what a row of another table holds in normal form (a `worded` role of that row);
    it gives that row's (table, key). Goals name the whole, never its parts.
    """

    label: str
    columns: Mapping[str, Role]
    prefix: str | None = None
    system: bool = False
    irreversible: bool = False
    record: Callable[[Row], tuple[str, Key] | None] | None = field(default=None, compare=False)
    part_of: Callable[[Row], tuple[str, Key]] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if self.prefix is not None and len(self.prefix) != 3:
            raise ValueError(f"an id prefix has 3 characters, not {self.prefix!r}")
        if self.system and self.record is None:
            raise ValueError(f"system table {self.label!r} must say which record a row is about")
