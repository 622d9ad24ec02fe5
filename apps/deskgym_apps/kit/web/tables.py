"""Lists as data: columns, rows, cells, paging, filters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlencode

from .actions import MenuItem, Pairs
from .forms import FormField

Align = Literal["start", "end", "center"]
CellKind = Literal["text", "choice", "money", "number", "date", "email", "phone", "url", "person", "badge", "check"]


@dataclass(frozen=True)
class Column:
    """One column; `sortable` gives its header a sort link. The first column is the row header."""

    key: str
    label: str
    sortable: bool = False
    align: Align = "start"
    kind: CellKind = "text"

    @property
    def end_aligned(self) -> bool:
        """Numbers and amounts stand at the right."""
        return self.align == "end" or self.kind in ("money", "number")

    @property
    def plain(self) -> bool:
        """True where a cell's text is shown as it is."""
        return self.kind not in ("badge", "person", "email")

    @property
    def css(self) -> str:
        """Class of the column's cells: right-aligned, or kept on one line."""
        if self.end_aligned:
            return "cell-end"
        return "cell-line" if self.kind in ("choice", "date", "person", "phone", "badge") else ""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One value as shown; `label` is its accessible name where the text is not unique in its row."""

    text: str
    href: str = ""
    tone: str = "neutral"
    label: str = ""
    icon: str = ""
    edit_href: str = ""
    """The page that edits this value; a script puts its inline editor into the cell."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One record. `name` is unique in the table (with a disambiguator where two share a name)."""

    id: str
    name: str
    cells: Mapping[str, Cell | str]
    actions: tuple[MenuItem, ...] = ()
    overdue: bool = False


@dataclass(frozen=True)
class Page:
    """One page of a list: `number` from 1, `size` rows, `total` rows in the whole filtered set."""

    number: int
    size: int
    total: int
    sizes: tuple[int, ...] = (25, 50, 100)

    @property
    def count(self) -> int:
        """Number of pages, at least 1."""
        return max(1, -(-self.total // self.size))

    @property
    def first(self) -> int:
        """Ordinal of the first row shown, 0 in an empty list."""
        return 0 if self.total == 0 else (self.number - 1) * self.size + 1

    @property
    def last(self) -> int:
        """Ordinal of the last row shown."""
        return min(self.number * self.size, self.total)

    @property
    def near(self) -> tuple[int | None, ...]:
        """Page numbers to link, None where some are left out: first, last, and two each side."""
        wanted = sorted({1, self.count, *range(self.number - 2, self.number + 3)} & {*range(1, self.count + 1)})
        pages: list[int | None] = []
        for number in wanted:
            if pages and pages[-1] is not None and number > pages[-1] + 1:
                pages.append(None)
            pages.append(number)
        return tuple(pages)


@dataclass(frozen=True)
class FilterChip:
    """An active filter in words ("Industry equals Energy") and the URL of the list without it."""

    text: str
    remove_href: str


@dataclass(frozen=True, kw_only=True)
class FilterPanel:
    """The filter form beside a list; submitted by GET to the list's own URL."""

    fields: tuple[FormField, ...]
    chips: tuple[FilterChip, ...] = ()
    clear_href: str = ""
    open: bool = False
    hidden: Pairs = ()


@dataclass(frozen=True, kw_only=True)
class BulkAction:
    """A button of the selection bar; posts the selected `row` ids (or `scope=all`) to `post`."""

    label: str
    post: str
    danger: bool = False


@dataclass(frozen=True, kw_only=True)
class Table:
    """A list view. `url` + `query` (filters, without sort and page) is where it lives."""

    id: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    url: str
    noun: tuple[str, str] = ("record", "records")
    query: Pairs = ()
    page: Page | None = None
    sort: str = ""
    descending: bool = False
    selectable: bool = False
    bulk: tuple[BulkAction, ...] = ()
    bulk_hidden: Pairs = ()
    filters: FilterPanel | None = None
    is_unread: bool = False
    """Nothing was looked for, since the filters could not be read: there is no number to tell."""
    empty_title: str = ""
    empty_text: str = ""
    empty_action: MenuItem | None = None
    totals: Mapping[str, str] = field(default_factory=dict)
    """Aggregates over the whole filtered set by column key (X-9)."""

    def href(self, **changes: str | int) -> str:
        """Return the list's URL with the current filters and sort, overridden by `changes`."""
        state: dict[str, str] = dict(self.query)
        if self.sort:
            state |= {"sort": self.sort, "dir": "desc" if self.descending else "asc"}
        if self.page and self.page.size != self.page.sizes[0]:
            state["size"] = str(self.page.size)
        state |= {key: str(value) for key, value in changes.items()}
        return f"{self.url}?{urlencode(state)}" if state else self.url

    def sort_href(self, column: Column) -> str:
        """Return the URL that sorts by `column`, turning round if it already does."""
        turn = column.key == self.sort and not self.descending
        return self.href(sort=column.key, dir="desc" if turn else "asc")

    def aria_sort(self, column: Column) -> str:
        """Return ascending or descending for the sorted column, else none."""
        if column.key != self.sort:
            return "none"
        return "descending" if self.descending else "ascending"

    @property
    def has_actions(self) -> bool:
        """Whether a row has a menu, so that all need the column."""
        return any(row.actions for row in self.rows)

    @property
    def amount(self) -> str:
        """How many there are, in words: "214 accounts"."""
        total = self.page.total if self.page else len(self.rows)
        return f"{total:,} {self.noun[0] if total == 1 else self.noun[1]}"
