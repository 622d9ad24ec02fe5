"""What each object's pages show: list columns, sections of its form and details, key facts, related lists.

Fields that a person's profile hides are left out where a page is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...kit.errors import NotFound
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


_BILLING = ("bill_street", "bill_city", "bill_state", "bill_postcode", "bill_country")
_SHIPPING = ("ship_street", "ship_city", "ship_state", "ship_postcode", "ship_country")
_MAILING = ("mail_street", "mail_city", "mail_state", "mail_postcode", "mail_country")

_ALL = (
    Pages(
        kind="account",
        path="accounts",
        icon="building",
        quick="name",
        columns=("name", "type", "industry", "region", "bill_city", "phone", "owner.name"),
        sort="name",
        sections=(
            (
                "Account",
                (
                    "name",
                    "account_number",
                    "type",
                    "industry",
                    "rating",
                    "region",
                    "parent_id",
                    "owner_id",
                    "phone",
                    "website",
                    "sla_tier",
                    "employees",
                    "currency",
                    "annual_revenue",
                ),
            ),
            ("Billing address", _BILLING),
            ("Shipping address", _SHIPPING),
            ("Description", ("description",)),
        ),
        highlights=("industry", "annual_revenue", "phone", "bill_city", "owner_id"),
        lists=("contacts", "opportunities", "cases", "child_accounts", "quotes", "tasks", "events", "notes", "emails"),
        extra=("last_activity_on",),
        cells=("type", "industry", "phone"),
        has_timeline=True,
    ),
    Pages(
        kind="contact",
        path="contacts",
        icon="person-vcard",
        quick="name",
        columns=("name", "account.name", "title", "email", "phone", "owner.name"),
        sort="name",
        sections=(
            (
                "Contact",
                (
                    "salutation",
                    "first_name",
                    "last_name",
                    "account_id",
                    "title",
                    "department",
                    "reports_to_id",
                    "owner_id",
                    "email",
                    "phone",
                    "mobile",
                    "lead_source",
                    "do_not_call",
                    "email_opt_out",
                ),
            ),
            ("Mailing address", _MAILING),
            ("Description", ("description",)),
        ),
        highlights=("account_id", "title", "email", "phone", "owner_id"),
        lists=("opportunities", "cases", "accounts", "direct_reports", "tasks", "events", "notes", "emails"),
        cells=("title", "email", "phone"),
        has_timeline=True,
    ),
    Pages(
        kind="opportunity",
        path="opportunities",
        icon="briefcase",
        quick="name",
        columns=("name", "account.name", "stage", "amount", "probability", "close_date", "owner.name"),
        sort="close_date",
        descending=True,
        sections=(
            (
                "Opportunity",
                (
                    "name",
                    "account_id",
                    "stage",
                    "close_date",
                    "amount",
                    "currency",
                    "probability",
                    "type",
                    "lead_source",
                    "next_step",
                    "owner_id",
                ),
            ),
            ("Outcome", ("lost_reason", "lost_detail")),
            ("Description", ("description",)),
        ),
        highlights=("account_id", "amount", "close_date", "probability", "expected_revenue", "owner_id"),
        lists=("contact_roles", "products", "quotes", "tasks", "events", "notes", "emails"),
        extra=(
            "pricebook_id",
            "synced_quote_id",
            "forecast_category",
            "expected_revenue",
            "closed_at",
            "last_stage_change_at",
            "last_activity_on",
        ),
        cells=("amount", "close_date"),
        has_timeline=True,
    ),
    Pages(
        kind="lead",
        path="leads",
        icon="person-plus",
        quick="name",
        columns=("name", "company", "status", "rating", "lead_source", "phone", "unread", "owner.name"),
        sort="name",
        sections=(
            (
                "Lead",
                (
                    "salutation",
                    "first_name",
                    "last_name",
                    "company",
                    "title",
                    "status",
                    "rating",
                    "lead_source",
                    "email",
                    "phone",
                    "mobile",
                    "owner_id",
                    "do_not_call",
                    "email_opt_out",
                    "unread",
                ),
            ),
            ("Company", ("website", "industry", "employees", "currency", "annual_revenue")),
            ("Address", ("street", "city", "state", "postcode", "country")),
            ("Description", ("description",)),
        ),
        highlights=("company", "title", "email", "phone", "lead_source", "owner_id"),
        lists=("matching_accounts", "matching_contacts", "tasks", "events", "notes", "emails"),
        extra=(
            "is_converted",
            "converted_at",
            "converted_account_id",
            "converted_contact_id",
            "converted_opportunity_id",
        ),
        cells=("status", "rating", "phone"),
        has_timeline=True,
    ),
    Pages(
        kind="quote",
        path="quotes",
        icon="file-earmark-text",
        quick="name",
        columns=(
            "name",
            "number",
            "opportunity.name",
            "status",
            "grand_total",
            "expires_on",
            "is_synced",
            "owner.name",
        ),
        sort="number",
        descending=True,
        sections=(
            ("Quote", ("name", "opportunity_id", "contact_id", "expires_on", "tax_percent", "shipping")),
            ("Description", ("description",)),
        ),
        highlights=("number", "opportunity_id", "grand_total", "expires_on", "is_synced", "owner_id"),
        lists=("lines",),
        extra=("status", "subtotal", "tax", "grand_total", "currency", "is_synced"),
    ),
    Pages(
        kind="case",
        path="cases",
        icon="life-preserver",
        quick="subject",
        columns=("subject", "number", "account.name", "status", "priority", "type", "owner_name", "created_at"),
        sort="number",
        descending=True,
        sections=(
            (
                "Case",
                (
                    "subject",
                    "status",
                    "priority",
                    "type",
                    "origin",
                    "account_id",
                    "contact_id",
                    "product_id",
                    "parent_id",
                    "owner_id",
                ),
            ),
            ("Description", ("description",)),
            ("Outcome", ("reason", "resolution")),
        ),
        highlights=("number", "priority", "account_id", "contact_id", "resolution_due", "owner_id"),
        lists=("comments", "emails", "child_cases", "tasks", "events", "notes"),
        extra=(
            "sla_tier",
            "first_response_due",
            "first_response_at",
            "resolution_due",
            "paused_minutes",
            "is_escalated",
            "closed_at",
        ),
        cells=("status", "priority"),
        has_timeline=True,
    ),
    Pages(
        kind="task",
        path="tasks",
        icon="check2-square",
        quick="subject",
        columns=("subject", "kind", "status", "priority", "due_date", "who_name", "what_name", "owner.name"),
        sort="due_date",
        descending=True,
        sections=(
            (
                "Task",
                ("subject", "status", "priority", "due_date", "duration_minutes", "who_id", "what_id", "owner_id"),
            ),
            ("Comments", ("comments",)),
        ),
        highlights=("status", "priority", "due_date", "who_id", "what_id", "owner_id"),
        extra=("kind", "completed_at"),
        cells=("status", "due_date"),
    ),
    Pages(
        kind="event",
        path="events",
        icon="calendar3",
        quick="subject",
        columns=("subject", "start_at", "end_at", "location", "who_name", "what_name", "owner.name"),
        sort="start_at",
        descending=True,
        sections=(
            ("Event", ("subject", "location", "start_at", "end_at", "who_id", "what_id", "owner_id")),
            ("Description", ("description",)),
        ),
        highlights=("start_at", "end_at", "location", "who_id", "what_id", "owner_id"),
        cells=("location",),
    ),
    Pages(
        kind="note",
        path="notes",
        icon="journal-text",
        quick="title",
        columns=("title", "owner.name", "updated_at"),
        sort="updated_at",
        descending=True,
        sections=(("Note", ("title", "owner_id")), ("Text", ("body",))),
        highlights=("owner_id", "updated_at"),
        lists=("records",),
    ),
    Pages(
        kind="article",
        path="articles",
        icon="book",
        quick="title",
        columns=("title", "number", "category", "status", "version", "valid_from", "valid_to"),
        sort="number",
        sections=(
            ("Article", ("title", "category", "status", "visibility", "valid_from", "valid_to", "owner_id")),
            ("Text", ("body",)),
        ),
        highlights=("number", "category", "version", "valid_from", "valid_to", "owner_id"),
        lists=("versions",),
        extra=("number", "version"),
    ),
    Pages(
        kind="email",
        path="emails",
        icon="envelope",
        quick="subject",
        columns=("subject", "from_addr", "to_addrs", "sent_at", "who_name", "what_name"),
        sort="sent_at",
        descending=True,
        sections=(),
        highlights=("from_addr", "to_addrs", "sent_at", "who_id", "what_id"),
    ),
    Pages(
        kind="product",
        path="products",
        icon="box-seam",
        quick="name",
        columns=("name", "code", "family", "is_active"),
        sort="name",
        sections=(("Product", ("name", "code", "family", "is_active")), ("Description", ("description",))),
        highlights=("code", "family", "is_active"),
        lists=("prices",),
    ),
    Pages(
        kind="pricebook",
        path="price-books",
        icon="tags",
        quick="name",
        columns=("name", "description", "is_standard", "is_active"),
        sort="name",
        sections=(("Price book", ("name", "is_active")), ("Description", ("description",))),
        highlights=("is_standard", "is_active"),
        lists=("prices",),
    ),
    Pages(
        kind="pricebook_entry",
        path="prices",
        icon="tag",
        quick="name",
        columns=("name", "code", "pricebook.name", "unit_price", "is_active"),
        sort="name",
        sections=(("Price", ("pricebook_id", "product_id", "currency", "unit_price", "is_active")),),
        highlights=("pricebook_id", "product_id", "unit_price", "is_active"),
        extra=("code",),
    ),
)
PAGES: Mapping[str, Pages] = {page.kind: page for page in _ALL}
_FOLDERS = {KINDS[page.kind].prefix: page.url for page in _ALL}
_BY_PATH = {page.path: page for page in _ALL}
SYSTEM = ("id", "created_at", "created_by", "updated_at", "updated_by")
KIND_OF_LIST: Mapping[str, str] = {
    "contacts": "contact",
    "contact_roles": "contact",
    "direct_reports": "contact",
    "opportunities": "opportunity",
    "cases": "case",
    "child_cases": "case",
    "quotes": "quote",
    "prices": "pricebook_entry",
    "accounts": "account",
    "child_accounts": "account",
    "matching_accounts": "account",
    "matching_contacts": "contact",
    "tasks": "task",
    "events": "event",
    "notes": "note",
    "emails": "email",
}


def pages_at(path: str) -> Pages:
    """The pages whose folder in the URL is `path`. Raises NotFound."""
    if path not in _BY_PATH:
        raise NotFound(f'there are no records called "{path}"')
    return _BY_PATH[path]


def record_href(record_id: str) -> str:
    """The page of a record by its id; "" for a person, who has none."""
    folder = _FOLDERS.get(record_id[:3], "")
    return folder and f"{folder}/{record_id}"
