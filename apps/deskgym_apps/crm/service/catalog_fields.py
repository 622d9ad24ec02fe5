"""A field of a kind of record, as lists, filters and results know it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

LONG = frozenset({"description", "comments", "body", "resolution"})


@dataclass(frozen=True)
class Field:
    """One field: `type` is text, phone, picklist, number, money, date, instant, bool, ref, id or json.

    `sql` gives its value and `norm` what texts are matched and sorted by, {t} being the row. `target` is the kind a
    ref points to. `choices` is the (object, field) of a picklist.
    """

    name: str
    label: str
    type: str
    sql: str
    norm: str | None = None
    target: str | None = None
    help: str | None = None
    choices: tuple[str, str] | None = None
    required: bool = False
    writable: bool = False
    max_length: int | None = None
    currency: str = "{t}.currency"  # SQL of the code that money is in
    is_summed: bool = True  # of money: whether a list adds it up

    @property
    def is_long(self) -> bool:
        """Whether the text is too long for a list's column."""
        return self.name in LONG


def own(name: str, label: str, type: str, sql: str | None = None, **more: Any) -> Field:
    """A field of the row itself; its column is called like it unless `sql` says otherwise."""
    return Field(name, label, type, sql or f"{{t}}.{name}", **more)


def ref(name: str, label: str, target: str) -> Field:
    """A field that holds the id of a record of the kind `target`."""
    return own(name, label, "ref", target=target)
