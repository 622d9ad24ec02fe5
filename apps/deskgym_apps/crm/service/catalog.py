"""Every field of every kind of record that people can see, filter and sort by: its label, type and SQL.

Labels, help and picklists come from the input models; what the app sets by itself is named here.
A field of the record that a lookup points to is written `account.region`, `owner.name` (CRM-6).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from pydantic import BaseModel

from ..rules_approvals import APPROVABLE
from . import approval_fields, priced_fields, setup_fields
from .accounts import AccountChanges, AccountInput
from .activities import EventChanges, EventInput, TaskChanges, TaskInput
from .articles import ArticleChanges, ArticleInput
from .cases import CaseChanges, CaseInput
from .catalog_fields import Field as Field
from .catalog_fields import own as _own
from .catalog_fields import ref as _ref
from .contacts import ContactChanges, ContactInput
from .inputs import required, widgets
from .kinds import SEVERAL, SHARED
from .leads import LeadChanges, LeadInput
from .line_inputs import DealLineChanges, DealLineInput, QuoteLineChanges, QuoteLineInput
from .notes import NoteChanges, NoteInput
from .opportunities import OpportunityChanges, OpportunityInput
from .product_inputs import (
    EntryChanges,
    EntryInput,
    PricebookChanges,
    PricebookInput,
    ProductChanges,
    ProductInput,
)
from .quote_inputs import QuoteChanges, QuoteInput
from .report_fields import DASHBOARD, REPORT

_TYPES = {
    "textarea": "text",
    "url": "text",
    "email": "text",
    "phone": "phone",
    "picklist": "picklist",
    "stage": "picklist",
    "currency": "picklist",
    "lookup": "ref",
    "percent": "number",
    "checkbox": "bool",
}
MODELS: Mapping[str, tuple[type[BaseModel], type[BaseModel]]] = {
    "account": (AccountInput, AccountChanges),
    "contact": (ContactInput, ContactChanges),
    "opportunity": (OpportunityInput, OpportunityChanges),
    "quote": (QuoteInput, QuoteChanges),
    "case": (CaseInput, CaseChanges),
    "lead": (LeadInput, LeadChanges),
    "task": (TaskInput, TaskChanges),
    "event": (EventInput, EventChanges),
    "note": (NoteInput, NoteChanges),
    "article": (ArticleInput, ArticleChanges),
    "product": (ProductInput, ProductChanges),
    "pricebook": (PricebookInput, PricebookChanges),
    "pricebook_entry": (EntryInput, EntryChanges),
    "opportunity_line": (DealLineInput, DealLineChanges),
    "quote_line": (QuoteLineInput, QuoteLineChanges),
}


@dataclass(frozen=True)
class Catalog:
    """The fields of one kind by name, those a list shows by default, and its lookups by prefix (`account`)."""

    fields: Mapping[str, Field]
    columns: tuple[str, ...]
    related: tuple[str, ...] = ()
    parents: Mapping[str, Field] = field(default_factory=dict)


_ID = _own("id", "Record id", "id")
_TRAIL = (
    _own("created_at", "Created", "instant"),
    _ref("created_by", "Created by", "user"),
    _own("updated_at", "Last modified", "instant"),
    _ref("updated_by", "Last modified by", "user"),
    _own("row_version", "Row version", "number"),
)
_NUMBER = _own("number", "Number", "text", norm="{t}.number", help="8 digits, given by the app.")
OWNER_NAME = (
    "coalesce((SELECT p.name FROM org_person p WHERE p.id = {column}), "
    "(SELECT q.name FROM crm_group q WHERE q.id = {column}))"
)
QUEUE_MEMBERS = (
    "(SELECT group_concat(name, ', ') FROM (SELECT p.name FROM crm_group_member m "
    "JOIN org_person p ON p.id = m.member_id WHERE m.group_id = {t}.id AND m.member_kind = 'user' "
    "ORDER BY p.name, p.id))"
)
_LAST_ACTIVITY = _own(
    "last_activity_on", "Last activity", "date", help="Day of the latest completed task or past event."
)
_WHAT_NAME = _own(
    "what_name",
    "Related to (name)",
    "text",
    "coalesce((SELECT a.name FROM crm_account a WHERE a.id = {t}.what_id AND {see_account}), "
    "(SELECT o.name FROM crm_opportunity o WHERE o.id = {t}.what_id AND {see_opportunity}), "
    "(SELECT k.subject FROM crm_case k WHERE k.id = {t}.what_id AND {see_case}))",
)
_WHO_NAME = _own(
    "who_name",
    "Contact or lead (name)",
    "text",
    "coalesce((SELECT trim(coalesce(c.first_name, '') || ' ' || c.last_name) FROM crm_contact c "
    "WHERE c.id = {t}.who_id AND {see_contact}), "
    "(SELECT trim(coalesce(l.first_name, '') || ' ' || l.last_name) FROM crm_lead l "
    "WHERE l.id = {t}.who_id AND {see_lead}))",
)
SEEN = {"account": "a", "opportunity": "o", "case": "k", "contact": "c", "lead": "l"}  # kind -> its alias in those two
_PERSON_NAME = _own(
    "name", "Name", "text", "trim(coalesce({t}.first_name, '') || ' ' || {t}.last_name)", norm="{t}.name_norm"
)
_SPECIAL: dict[str, tuple[Field, ...]] = {
    "account": (_LAST_ACTIVITY,),
    "contact": (_PERSON_NAME,),
    "opportunity": (
        _own("forecast_category", "Forecast category", "picklist"),
        _own("expected_revenue", "Expected revenue", "money", help="Amount x probability."),
        _own("is_closed", "Closed", "bool", "(SELECT s.is_closed FROM crm_stage s WHERE s.name = {t}.stage)"),
        _own("is_won", "Won", "bool", "(SELECT s.is_won FROM crm_stage s WHERE s.name = {t}.stage)"),
        _own("closed_at", "Closed at", "instant"),
        _own("last_stage_change_at", "Last stage change", "instant"),
        _LAST_ACTIVITY,
        _own(
            "synced_quote_id",
            "Synced quote",
            "ref",
            "(SELECT y.id FROM crm_quote y WHERE y.opportunity_id = {t}.id AND y.is_synced = 1 AND y.is_deleted = 0)",
            target="quote",
            help="The quote whose lines are those of the opportunity.",
        ),
    ),
    "lead": (
        _PERSON_NAME,
        _own("is_converted", "Converted", "bool", help="A converted lead is in no list and no search."),
        _own("converted_at", "Converted at", "instant"),
        _ref("converted_account_id", "Converted to account", "account"),
        _ref("converted_contact_id", "Converted to contact", "contact"),
        _ref("converted_opportunity_id", "Converted to opportunity", "opportunity"),
    ),
    "case": (
        _own("owner_name", "Owner", "text", OWNER_NAME.format(column="{t}.owner_id"), help="A user or a queue."),
        _own("is_closed", "Closed", "bool", "({t}.status = 'Closed')"),
        _own("is_escalated", "Escalated", "bool", help="Is escalated, or ever was."),
        _own("closed_at", "Closed at", "instant"),
        _own("sla_tier", "Service level", "text", help="The account's, as the case was opened."),
        _own("first_response_at", "First response", "instant", help="First public comment or e-mail of ours."),
        _own("first_response_due", "First response due", "instant"),
        _own("resolution_due", "Resolution due", "instant"),
        _own("paused_minutes", "Paused minutes", "number", help="Business minutes spent waiting or closed."),
    ),
    "quote": priced_fields.QUOTE,
    "task": (
        _own("kind", "Kind", "picklist", help="Task or Call."),
        _own("is_closed", "Completed", "bool", "({t}.status = 'Completed')"),
        _own("completed_at", "Completed at", "instant"),
        _WHO_NAME,
        _WHAT_NAME,
    ),
    "event": (_WHO_NAME, _WHAT_NAME),
    "note": (),
    "article": (_own("version", "Version", "number"),),
    "product": (),
    "pricebook": (_own("is_standard", "Standard price book", "bool"),),
    "pricebook_entry": priced_fields.ENTRY,
}
_FILTERS = (
    "(SELECT json_group_array(json_object('field', f.field, 'op', f.op, 'value', json(f.value))) FROM "
    "(SELECT * FROM crm_list_view_filter WHERE list_view_id = {t}.id ORDER BY pos) f)"
)
_GROUPS = (
    "(SELECT json_group_array(s.group_id) FROM "
    "(SELECT * FROM crm_list_view_share WHERE list_view_id = {t}.id ORDER BY group_id) s)"
)
_FIXED: dict[str, tuple[Field, ...]] = {
    "case_comment": (
        _ID,
        _ref("case_id", "Case", "case"),
        _own("is_public", "Public", "bool", help="Whether the customer sees it."),
        _own("body", "Text", "text"),
        _own("created_at", "Created", "instant"),
        _ref("created_by", "Created by", "user"),
    ),
    "queue": (
        _ID,
        _own("name", "Name", "text"),
        _own("email", "E-mail", "text"),
        _own("queue_object", "Holds", "text", help="The kind of record the queue may own."),
        _own("members", "Members", "text", QUEUE_MEMBERS),
        *setup_fields.QUEUE_FIELDS,
    ),
    **setup_fields.FIELDS,
    "opportunity_line": (_ID, *priced_fields.DEAL_LINE),
    "quote_line": (_ID, *priced_fields.QUOTE_LINE),
    "email": (
        _ID,
        _own("subject", "Subject", "text", norm="{t}.subject_norm"),
        _own("direction", "Direction", "picklist", help="in or out."),
        _own("from_addr", "From", "text"),
        _own("to_addrs", "To", "text"),
        _own("sent_at", "Sent", "instant"),
        _own("thread_id", "Thread", "id"),
        _ref("who_id", "Contact or lead", "who"),
        _ref("what_id", "Related to", "what"),
        _WHO_NAME,
        _WHAT_NAME,
        _own("body", "Text", "text"),
    ),
    "user": (
        _ID,
        _own("name", "Name", "text", norm="{t}.name_norm"),
        _own("first_name", "First name", "text"),
        _own("last_name", "Last name", "text"),
        _own("email", "E-mail", "text"),
        _own("title", "Title", "text"),
        _own("department", "Department", "text"),
        _own("city", "City", "text"),
        _own("tz", "Time zone", "text"),
        _own(
            "role",
            "Role",
            "text",
            "(SELECT r.name FROM crm_user u JOIN crm_role r ON r.id = u.role_id WHERE u.person_id = {t}.id)",
        ),
        _own(
            "profile",
            "Profile",
            "text",
            "(SELECT f.name FROM crm_user u JOIN crm_profile f ON f.id = u.profile_id WHERE u.person_id = {t}.id)",
        ),
        _own(
            "is_active",
            "Active",
            "bool",
            "(SELECT u.is_active FROM crm_user u WHERE u.person_id = {t}.id)",
            writable=True,
        ),
        _own(
            "manager_id",
            "Manager",
            "id",
            "(SELECT u.manager_id FROM crm_user u WHERE u.person_id = {t}.id)",
            writable=True,
        ),
        *setup_fields.USER_FIELDS,
    ),
    "list_view": (
        _ID,
        _own("name", "Name", "text", norm="{t}.name_norm"),
        _own("object", "Object", "text"),
        _ref("owner_id", "Owner", "user"),
        _own("visibility", "Who sees it", "text", help="private, groups or all."),
        _own("scope", "Scope", "text", help="mine or all."),
        _own("filters", "Filters", "json", _FILTERS, help="field, op and value, in the order of their numbers."),
        _own("filter_logic", "Filter logic", "text", help="All filters must hold where it is empty."),
        _own("columns", "Columns", "json"),
        _own("sort", "Sort", "json", help="Field and direction, by importance."),
        _own("group_ids", "Groups", "json", _GROUPS, help="The public groups that see it."),
        *_TRAIL,
    ),
}
_FIXED |= {"report": (_ID, *REPORT, *_TRAIL), "dashboard": (_ID, *DASHBOARD, *_TRAIL)}
_FIXED["approval_request"] = approval_fields.FIELDS
_COLUMNS: dict[str, tuple[str, ...]] = {
    "approval_request": approval_fields.COLUMNS,
    "dashboard": ("name", "folder", "visibility", "owner.name", "updated_at"),
    "report": ("name", "description", "folder", "object", "format", "visibility", "owner.name", "updated_at"),
    "account": ("name", "account_number", "type", "industry", "region", "bill_city", "phone", "owner.name"),
    "contact": ("name", "account.name", "title", "email", "phone", "owner.name"),
    "opportunity": (
        "name",
        "account.name",
        "stage",
        "amount",
        "currency",
        "probability",
        "expected_revenue",
        "close_date",
        "owner.name",
    ),
    "quote": (
        "number",
        "name",
        "opportunity.name",
        "status",
        "subtotal",
        "grand_total",
        "expires_on",
        "is_synced",
        "owner.name",
    ),
    "task": ("subject", "kind", "status", "priority", "due_date", "who_name", "what_name", "owner.name"),
    "event": ("subject", "start_at", "end_at", "location", "who_name", "what_name", "owner.name"),
    "lead": ("name", "company", "status", "rating", "lead_source", "email", "phone", "unread", "owner.name"),
    "case": ("number", "subject", "account.name", "status", "priority", "type", "owner_name", "created_at"),
    "note": ("title", "owner.name", "updated_at"),
    "article": ("number", "title", "category", "status", "valid_from", "valid_to"),
    "case_comment": ("case_id", "case.number", "is_public", "body", "created_at", "created_by", "created_by.name"),
    "product": ("name", "code", "family", "is_active"),
    "queue": ("name", "members"),
    "email": ("subject", "direction", "from_addr", "to_addrs", "sent_at", "who_name", "what_name"),
    "user": ("name", "email", "title", "role", "is_active"),
    **setup_fields.COLUMNS,
    "list_view": ("name", "object", "visibility", "scope", "filters", "filter_logic", "columns", "sort", "owner.name"),
    "pricebook": ("name", "description", "is_standard", "is_active"),
    "pricebook_entry": ("name", "code", "pricebook.name", "unit_price", "currency", "is_active"),
    "opportunity_line": ("product.name", "quantity", "unit_price", "discount_percent", "total", "opportunity.name"),
    "quote_line": ("product.name", "quantity", "unit_price", "discount_percent", "total", "quote.number"),
}
_RELATED: dict[str, tuple[str, ...]] = {
    "account": (
        *("contacts", "opportunities", "cases", "child_accounts", "quotes"),
        *("tasks", "events", "notes", "emails", "duplicates"),
    ),
    "contact": (
        *("opportunities", "cases", "accounts", "direct_reports", "tasks", "events", "notes", "emails"),
        "duplicates",
    ),
    "opportunity": ("contact_roles", "products", "quotes", "tasks", "events", "notes", "emails"),
    "case": ("comments", "emails", "child_cases", "tasks", "events", "notes"),
    "article": ("versions",),
    "quote": ("lines",),
    "lead": ("matching_accounts", "matching_contacts", "tasks", "events", "notes", "emails", "duplicates"),
    "note": ("records",),
    "product": ("prices",),
    "pricebook": ("prices",),
}
_RELATED |= {kind: (*_RELATED[kind], "approvals") for kind in APPROVABLE}


def _input_fields(kind: str, norms: frozenset[str]) -> dict[str, Field]:
    new, changes = MODELS[kind]
    found = {}
    for name, details in widgets(changes).items():
        if details["kind"] == "records":
            continue
        info = changes.model_fields[name]
        longest = [item.max_length for item in info.metadata if hasattr(item, "max_length")]
        found[name] = _own(
            name,
            info.title or name,
            _TYPES.get(details["kind"], details["kind"]),
            norm=f"{{t}}.{name}_norm" if name in norms else None,
            target=details.get("object") if details["kind"] == "lookup" else None,
            help=info.description,
            choices=(details["object"], details["field"]) if details["kind"] == "picklist" else None,
            required=name in required(new),
            writable=True,
            max_length=longest[0] if longest else None,
        )
    return found


_NORMS = {
    "account": frozenset({"name"}),
    "contact": frozenset({"email"}),
    "opportunity": frozenset({"name"}),
    "quote": frozenset({"name"}),
    "product": frozenset({"name"}),
    "pricebook": frozenset({"name"}),
    "pricebook_entry": frozenset[str](),
    "lead": frozenset({"email", "company"}),
    "task": frozenset({"subject"}),
    "event": frozenset({"subject"}),
    "case": frozenset({"subject"}),
    "note": frozenset[str](),
    "article": frozenset({"title"}),
}


@cache
def catalog(kind: str) -> Catalog:
    """The catalog of a kind, permissions aside."""
    if kind in _FIXED:
        fields = {item.name: item for item in _FIXED[kind]}
    else:
        fields = {"id": _ID}
        fields |= {item.name: item for item in _SPECIAL[kind] if item.name == "name"}
        fields |= {"number": _NUMBER} if kind in ("case", "article") else {}
        fields |= _input_fields(kind, _NORMS[kind])
        fields |= {item.name: item for item in (*_SPECIAL[kind], *_TRAIL)}
    parents = {
        name.removesuffix("_id"): item
        for name, item in fields.items()
        if item.type == "ref" and item.target not in SEVERAL
    }
    related = (*_RELATED.get(kind, ()), *(("sharing",) if kind in SHARED else ()))
    return Catalog(fields, _COLUMNS[kind], related, parents)
