"""The set-up every world of Northbeam begins with, as plain rows: stages (CRM-1), picklists, profiles, sharing (CRM-3).

Ids belong to a world, so profiles are named here and get their id from whoever writes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from . import rules, rules_cases, rules_leads

# name, probability, forecast category, closed, won
_STAGES = (
    ("Prospecting", 10, "Pipeline", 0, 0),
    ("Qualification", 10, "Pipeline", 0, 0),
    ("Needs Analysis", 20, "Pipeline", 0, 0),
    ("Value Proposition", 50, "Best Case", 0, 0),
    ("Id. Decision Makers", 60, "Best Case", 0, 0),
    ("Perception Analysis", 70, "Best Case", 0, 0),
    ("Proposal/Price Quote", 75, "Commit", 0, 0),
    ("Negotiation/Review", 90, "Commit", 0, 0),
    ("Closed Won", 100, "Closed", 1, 1),
    ("Closed Lost", 0, "Omitted", 1, 0),
)
STAGES: tuple[dict[str, Any], ...] = tuple(
    {
        "name": name,
        "sort": position,
        "probability": probability,
        "forecast_category": category,
        "is_closed": closed,
        "is_won": won,
    }
    for position, (name, probability, category, closed, won) in enumerate(_STAGES, start=1)
)

_LEAD_SOURCES = (
    "Web",
    "Phone Inquiry",
    "Partner Referral",
    "Customer Referral",
    "Trade Show",
    "Purchased List",
    "Other",
)
_SALUTATIONS = ("Mr.", "Ms.", "Mrs.", "Mx.", "Dr.", "Prof.")
_RATINGS = ("Hot", "Warm", "Cold")
_CONTACT_ROLES = (
    "Decision Maker",
    "Economic Buyer",
    "Economic Decision Maker",
    "Technical Buyer",
    "Evaluator",
    "Influencer",
    "Executive Sponsor",
    "Business User",
    "Other",
)
_INDUSTRIES = (
    "Food & Beverage",
    "Chemicals",
    "Machinery",
    "Pharmaceuticals",
    "Water & Utilities",
    "Energy",
    "Automotive",
    "Logistics",
    "Pulp & Paper",
    "Metals & Mining",
    "Semiconductors",
    "Distribution",
    "Other",
)
# (object, field) -> values in order; link tables are objects of their own here: account_contact.role, …
PICKLISTS: dict[tuple[str, str], tuple[str, ...]] = {
    ("account", "type"): ("Prospect", "Customer", "Partner", "Reseller", "Supplier", "Former Customer", "Other"),
    ("account", "industry"): _INDUSTRIES,
    ("account", "rating"): _RATINGS,
    ("account", "region"): ("EMEA", "AMER", "APAC"),
    ("account", "sla_tier"): ("Gold", "Silver", "Bronze"),
    ("contact", "salutation"): _SALUTATIONS,
    ("contact", "lead_source"): _LEAD_SOURCES,
    ("account_contact", "role"): _CONTACT_ROLES,
    ("opportunity", "type"): ("New Business", "Expansion", "Renewal", "Replacement"),
    ("opportunity", "lead_source"): _LEAD_SOURCES,
    ("opportunity", "lost_reason"): (
        "Price",
        "Lost to Competitor",
        "No Budget",
        "No Decision",
        "Timing",
        "Missing Feature",
        "Other",
    ),
    ("opportunity_contact_role", "role"): _CONTACT_ROLES,
    ("case", "status"): rules_cases.STATUSES,
    ("case", "priority"): ("High", "Medium", "Low"),
    ("case", "origin"): ("Email", "Phone", "Web", "In Person"),
    ("case", "type"): ("Technical", "Calibration", "Billing", "Delivery", "Returns", "General"),
    ("case", "reason"): (
        "Device Fault",
        "Configuration",
        "Missing Documentation",
        "Wrong Delivery",
        "Late Delivery",
        "Invoice Error",
        "Payment Question",
        "Calibration Due",
        "User Question",
        "Confidential Request",
        "Duplicate",
        "Other",
    ),
    ("article", "status"): ("Draft", "Published", "Archived"),
    ("article", "visibility"): ("Internal", "Public"),
    ("article", "category"): ("Policy", "Triage", "Finance", "Products", "How-to"),
    ("product", "family"): (
        "Pressure",
        "Temperature",
        "Level",
        "Flow",
        "Vibration",
        "Gas Detection",
        "Accessories",
        "Services",
    ),
    ("lead", "salutation"): _SALUTATIONS,
    ("lead", "industry"): _INDUSTRIES,
    ("lead", "rating"): _RATINGS,
    ("lead", "lead_source"): _LEAD_SOURCES,
    ("lead", "status"): rules_leads.STATUSES,
    ("task", "status"): ("Not Started", "In Progress", "Waiting on Someone Else", "Deferred", "Completed"),
    ("task", "priority"): ("High", "Normal", "Low"),
}
PICKLIST_DEFAULTS: dict[tuple[str, str], str] = {
    ("case", "status"): rules_cases.NEW,
    ("case", "priority"): "Medium",
    ("article", "status"): "Draft",
    ("article", "visibility"): "Internal",
    ("lead", "status"): rules_leads.FIRST_STATUS,
    ("task", "status"): "Not Started",
    ("task", "priority"): "Normal",
}


def picklist_rows() -> Iterator[dict[str, Any]]:
    """Rows of crm_picklist, without their ids."""
    for (thing, name), values in PICKLISTS.items():
        default = PICKLIST_DEFAULTS.get((thing, name))
        for position, value in enumerate(values, start=1):
            yield {
                "object": thing,
                "field": name,
                "value": value,
                "sort": position,
                "is_default": int(value == default),
                "is_active": 1,
            }


# Organisation-wide defaults: accounts are open to read, contacts and cases follow their account, deals and leads are
# private
OWD: tuple[dict[str, Any], ...] = (
    {"object": "account", "access": "read", "hierarchy": 1},
    {"object": "contact", "access": "parent", "hierarchy": 1},
    {"object": "opportunity", "access": "private", "hierarchy": 1},
    {"object": "case", "access": "parent", "hierarchy": 1},
    {"object": "lead", "access": "private", "hierarchy": 1},
)

_VERBS = ("can_create", "can_read", "can_edit", "can_delete", "view_all", "modify_all", "can_export", "can_mass")


def _same(letters: str) -> dict[str, str]:
    """The same rights to every object, but to articles no more than reading them."""
    return dict.fromkeys(rules.OBJECTS, letters) | {"article": "r"}


@dataclass(frozen=True)
class Profile:
    """A profile: `objects` maps an object to some of the letters c r e d V(iew all) M(odify all) x(port) m(ass)."""

    name: str
    is_admin: int = 0
    can_reopen: int = 0
    objects: dict[str, str] = field(default_factory=dict)
    fields: dict[tuple[str, str], str] = field(default_factory=dict)  # (object, field) -> hidden | read

    def row(self, profile_id: str) -> dict[str, Any]:
        """Row of crm_profile."""
        return {"id": profile_id, "name": self.name, "is_admin": self.is_admin, "can_reopen": self.can_reopen}

    def object_rows(self, profile_id: str) -> Iterator[dict[str, Any]]:
        """Rows of crm_object_perm."""
        for thing, letters in sorted(self.objects.items()):
            rights = {verb: int(letter in letters) for verb, letter in zip(_VERBS, "credVMxm", strict=True)}
            yield {"holder_kind": "profile", "holder_id": profile_id, "object": thing, **rights}

    def field_rows(self, profile_id: str) -> Iterator[dict[str, Any]]:
        """Rows of crm_field_perm."""
        for (thing, name), access in sorted(self.fields.items()):
            yield {"holder_kind": "profile", "holder_id": profile_id, "object": thing, "field": name, "access": access}


# Products and prices are never deleted, and neither they nor quotes are changed many at once
_SET_UP = {"quote": "credVMx", "product": "crex", "pricebook": "crex"}
_READ = {"product": "r", "pricebook": "r"}
PROFILES: tuple[Profile, ...] = (
    Profile("System Administrator", is_admin=1, can_reopen=1, objects=_same("credVMxm") | {"article": "credVMxm"}),
    Profile(
        "Sales Operations",
        can_reopen=1,
        objects=_same("credxm") | dict.fromkeys(("account", "contact", "opportunity", "lead"), "credVMxm") | _SET_UP,
    ),
    Profile(
        "Sales Manager",
        can_reopen=1,
        objects=_same("credxm") | {"account": "credVxm", "contact": "credVxm", "quote": "credx"} | _READ,
    ),
    Profile(
        "Sales Representative",
        objects=_same("credm") | {"account": "cre", "quote": "cred"} | _READ,
        fields={("account", "sla_tier"): "read"},
    ),
    Profile(
        "Customer Success",
        objects=_same("cred")
        | {"account": "rex", "contact": "crex", "opportunity": "r", "quote": "r", "lead": "r", "case": "crex"}
        | _READ,
        fields={("opportunity", "probability"): "read", ("opportunity", "lead_source"): "hidden"},
    ),
    Profile(
        "Read Only",
        objects=_same("r"),
        fields={("account", "annual_revenue"): "hidden"},
    ),
    Profile(
        "Support Agent",
        objects=_same("cred") | {"account": "r", "contact": "cre", "opportunity": "rV", "case": "crex"},
        fields={("account", "annual_revenue"): "hidden"},
    ),
    Profile(
        "Support Manager",
        objects=_same("cred") | {"account": "re", "opportunity": "rV", "case": "credVMxm", "article": "creVMxm"},
    ),
)
