"""What reports can be about: the report types, with what belongs to their records (CRM-13)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..rules_reports import OBJECTS


@dataclass(frozen=True)
class Child:
    """Records that belong to a report's rows: of which kind, and SQL that gives the row's id, {t} being the child."""

    kind: str
    label: str
    sql: str
    table: str = ""
    """A table of links to join as `l`, where the child does not point to the row itself."""


@dataclass(frozen=True)
class Base:
    """One report type. `dated`: the date field that a date range is about unless another is named.

    `rated`: the date whose exchange rate its amounts are converted at; "" for today's.
    """

    object: str
    label: str
    dated: str
    rated: str = ""
    children: Mapping[str, Child] = field(default_factory=dict)


def _children(*pairs: tuple[str, str, str]) -> dict[str, Child]:
    return {kind: Child(kind, label, f"{{t}}.{column}") for kind, label, column in pairs}


_ABOUT_WHAT = (("task", "Tasks", "what_id"), ("event", "Events", "what_id"))
_ABOUT_WHO = (("task", "Tasks", "who_id"), ("event", "Events", "who_id"))
_OF_ACCOUNT = tuple(
    (kind, label, "account_id")
    for kind, label in (("contact", "Contacts"), ("opportunity", "Opportunities"), ("case", "Cases"))
)
_PLAYS = "crm_opportunity_contact_role l ON l.opportunity_id = {t}.id"
BASES: Mapping[str, Base] = {
    base.object: base
    for base in (
        Base("account", "Accounts", "created_at", "", _children(*_OF_ACCOUNT, *_ABOUT_WHAT)),
        Base(
            "contact",
            "Contacts",
            "created_at",
            "",
            {"opportunity": Child("opportunity", "Opportunities", "l.contact_id", _PLAYS)}
            | _children(("case", "Cases", "contact_id"), *_ABOUT_WHO),
        ),
        Base(
            "opportunity",
            "Opportunities",
            "close_date",
            "close_date",
            _children(
                ("opportunity_line", "Products", "opportunity_id"), ("quote", "Quotes", "opportunity_id"), *_ABOUT_WHAT
            ),
        ),
        Base("opportunity_line", "Opportunities with products", "opportunity.close_date", "opportunity.close_date"),
        Base("quote", "Quotes", "created_at", "opportunity.close_date"),
        Base("lead", "Leads", "created_at", "", _children(*_ABOUT_WHO)),
        Base(
            "case",
            "Cases",
            "created_at",
            "",
            _children(("case_comment", "Comments", "case_id"), *_ABOUT_WHAT),
        ),
        Base("task", "Tasks and calls", "due_date"),
        Base("event", "Events", "start_at"),
    )
}
if tuple(BASES) != OBJECTS:
    raise ValueError("the report types and rules_reports.OBJECTS are two lists of the same")
