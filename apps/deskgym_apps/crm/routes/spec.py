"""What the pages of one kind of record show."""

from __future__ import annotations

from dataclasses import dataclass

from ..service.kinds import KINDS

Sections = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class Pages:
    """The pages of one kind of record. `path` is its folder in the URL; `quick` the field that the quick filter reads.

    `columns` may hold fields of a parent (`account.name`); `lists` are related lists in order; `system` ends the
    details and is never in a form.
    """

    kind: str
    path: str
    icon: str
    quick: str
    columns: tuple[str, ...]
    sort: str
    sections: Sections
    highlights: tuple[str, ...]
    lists: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()
    descending: bool = False
    has_timeline: bool = False

    @property
    def noun(self) -> str:
        """account, task, …"""
        return KINDS[self.kind].label.lower()

    @property
    def nouns(self) -> str:
        """accounts, tasks, …"""
        return KINDS[self.kind].plural.lower()

    @property
    def url(self) -> str:
        """The list's URL."""
        return f"/crm/{self.path}"

    @property
    def form_fields(self) -> tuple[str, ...]:
        """Every field of the form, in order."""
        return tuple(name for _, names in self.sections for name in names)
