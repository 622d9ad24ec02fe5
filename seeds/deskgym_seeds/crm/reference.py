"""The CRM's settings: roles, profiles, permissions, sharing, closed sets, stages, products and prices."""

from typing import Final

from deskgym_apps.kit.money import exponent

from ..organisation import CORPORATE_CURRENCY, CURRENCIES, Employee, Setting
from ..tables import cells
from .ledger import Ids, Row

STAGES: Final = (
    ("Prospecting", 10, "Pipeline"), ("Qualification", 10, "Pipeline"), ("Needs Analysis", 20, "Pipeline"),
    ("Value Proposition", 50, "Best Case"), ("Id. Decision Makers", 60, "Best Case"),
    ("Perception Analysis", 70, "Best Case"), ("Proposal/Price Quote", 75, "Commit"),
    ("Negotiation/Review", 90, "Commit"), ("Closed Won", 100, "Closed"), ("Closed Lost", 0, "Omitted"),
)  # fmt: skip
_LEAD_SOURCES: Final = (
    "Web", "Phone Inquiry", "Partner Referral", "Customer Referral", "Trade Show", "Purchased List", "Other",
)  # fmt: skip
_CONTACT_ROLES: Final = (
    "Decision Maker", "Economic Buyer", "Economic Decision Maker", "Technical Buyer", "Evaluator", "Influencer",
    "Executive Sponsor", "Business User", "Other",
)  # fmt: skip
PICKLISTS: Final = {
    ("account", "type"): ("Prospect", "Customer", "Partner", "Reseller", "Supplier", "Former Customer", "Other"),
    ("account", "industry"): (
        "Food & Beverage", "Chemicals", "Machinery", "Pharmaceuticals", "Water & Utilities", "Energy", "Automotive",
        "Logistics", "Pulp & Paper", "Metals & Mining", "Semiconductors", "Distribution", "Other",
    ),
    ("account", "rating"): ("Hot", "Warm", "Cold"),
    ("account", "region"): ("EMEA", "AMER", "APAC"),
    ("account", "sla_tier"): ("Gold", "Silver", "Bronze"),
    ("contact", "salutation"): ("Mr.", "Ms.", "Mrs.", "Mx.", "Dr.", "Prof."),
    ("contact", "lead_source"): _LEAD_SOURCES,
    ("account_contact", "role"): _CONTACT_ROLES,
    ("opportunity", "type"): ("New Business", "Expansion", "Renewal", "Replacement"),
    ("opportunity", "lead_source"): _LEAD_SOURCES,
    ("opportunity", "lost_reason"): (
        "Price", "Lost to Competitor", "No Budget", "No Decision", "Timing", "Missing Feature", "Other",
    ),
    ("opportunity_contact_role", "role"): _CONTACT_ROLES,
    ("task", "status"): ("Not Started", "In Progress", "Waiting on Someone Else", "Deferred", "Completed"),
    ("task", "priority"): ("High", "Normal", "Low"),
}  # fmt: skip
_DEFAULTS: Final = {("task", "status"): "Not Started", ("task", "priority"): "Normal"}

# Role: key, name, parent. The keys of posts follow below.
_ROLES: Final = (
    ("cro", "Chief Revenue Officer", None),
    ("ops", "Sales Operations", "cro"),
    ("desk", "Deal Desk", "ops"),
    ("service", "Service Contracts", "cro"),
    ("vp_amer", "VP Sales Americas", "cro"),
    ("vp_emea", "VP Sales EMEA", "cro"),
    ("head_apac", "Head of Sales APAC", "cro"),
    ("ae_east", "AE Americas East", "vp_amer"),
    ("ae_central", "AE Americas Central", "vp_amer"),
    ("ae_west", "AE Americas West", "vp_amer"),
    ("ae_dach", "AE Central Europe", "vp_emea"),
    ("ae_north", "AE Northern Europe", "vp_emea"),
    ("ae_south", "AE Southern Europe", "vp_emea"),
    ("ae_amer", "AE Americas", "vp_amer"),
    ("ae_emea", "AE EMEA", "vp_emea"),
    ("ae_asia", "AE APAC", "head_apac"),
)
_ROLE_OF_POST: Final = {"ae_apac": "head_apac", "leaver": "ae_dach"}
_ROLE_OF_REGION: Final = {"AMER": "ae_amer", "EMEA": "ae_emea", "APAC": "ae_asia"}
_MANAGER_OF_REGION: Final = {"AMER": "vp_amer", "EMEA": "vp_emea", "APAC": "ae_apac"}
# Profile: key, name, administrator, may reopen, and rights by object: c r e d, V view all, M modify all.
_PROFILES: Final = (
    ("admin", "System Administrator", 1, 1, ("credVM",) * 6),
    ("operations", "Sales Operations", 0, 1, ("credVM", "credVM", "credVM", "cred", "cred", "cred")),
    ("manager", "Sales Manager", 0, 1, ("credV", "credV", "cred", "cred", "cred", "cred")),
    ("rep", "Sales Representative", 0, 0, ("cre", "cred", "cred", "cred", "cred", "cred")),
    ("success", "Customer Success", 0, 0, ("re", "cre", "r", "cred", "cred", "cred")),
    ("reader", "Read Only", 0, 0, ("r",) * 6),
)
_HIDDEN_OR_READ: Final = (
    ("rep", "account", "sla_tier", "read"),
    ("success", "opportunity", "lead_source", "hidden"),
    ("success", "opportunity", "probability", "read"),
    ("reader", "account", "annual_revenue", "hidden"),
)
_OBJECTS: Final = ("account", "contact", "opportunity", "task", "event", "note")


def profile_of(employee: Employee) -> str:
    """The key of the profile of a user of the CRM."""
    post = employee.post
    if post.key == "ops":
        return "admin"
    if post.key in ("cro", "vp_amer", "vp_emea", "ae_apac"):
        return "manager"
    return {"desk": "reader", "service": "success"}.get(post.key, "rep")


def users(setting: Setting) -> list[Employee]:
    """The people who have a login in the CRM, the one who left included."""
    wanted = ("Sales", "Sales Operations")
    return [one for one in setting.staff.values() if one.post.department in wanted or one.post.key == "service"]


def access_rows(setting: Setting, ids: Ids) -> dict[str, list[Row]]:
    """Roles, profiles, permissions, users, groups, defaults and sharing rules (CRM-3)."""
    roles = {key: ids.new("crm_role") for key, _, _ in _ROLES}
    profiles = {profile[0]: ids.new("crm_profile") for profile in _PROFILES}
    role_rows = [
        {"id": roles[key], "name": name, "parent_role_id": parent and roles[parent]} for key, name, parent in _ROLES
    ]
    users_of_crm = [_user(one, setting, roles, profiles) for one in users(setting)]
    return (
        {"crm_role": role_rows}
        | _profile_rows(profiles)
        | {"crm_user": users_of_crm}
        | _sharing_rows(setting, roles, ids)
    )


def _profile_rows(profiles: dict[str, str]) -> dict[str, list[Row]]:
    return {
        "crm_profile": [
            {"id": profiles[key], "name": name, "is_admin": is_admin, "can_reopen": can_reopen}
            for key, name, is_admin, can_reopen, _ in _PROFILES
        ],
        "crm_object_perm": [
            _permission(profiles[key], name, letters)
            for key, _, _, _, rights in _PROFILES
            for name, letters in zip(_OBJECTS, rights, strict=True)
        ],
        "crm_field_perm": [
            {"profile_id": profiles[key], "object": name, "field": field, "access": access}
            for key, name, field, access in _HIDDEN_OR_READ
        ],
    }


def _sharing_rows(setting: Setting, roles: dict[str, str], ids: Ids) -> dict[str, list[Row]]:
    deal_desk, service = ids.new("crm_group"), ids.new("crm_group")
    sources = ("ae_east", "ae_central", "ae_west", "ae_dach", "ae_north", "ae_south")
    shared = [(role, deal_desk, "read") for role in sources] + [("ae_dach", service, "write")]
    return {
        "crm_group": [{"id": deal_desk, "name": "Deal Desk"}, {"id": service, "name": "Service Contracts"}],
        "crm_group_member": [
            {"group_id": deal_desk, "member_kind": "role", "member_id": roles["desk"]},
            {"group_id": service, "member_kind": "user", "member_id": setting.staff["service"].id},
        ],
        "crm_owd": [
            {"object": "account", "access": "read", "hierarchy": 1},
            {"object": "contact", "access": "parent", "hierarchy": 1},
            {"object": "opportunity", "access": "private", "hierarchy": 1},
        ],
        "crm_sharing_rule": [
            {
                "id": ids.new("crm_sharing_rule"),
                "object": "opportunity",
                "source_role_id": roles[role],
                "target_group_id": group,
                "access": access,
            }
            for role, group, access in shared
        ],
    }


def _permission(profile_id: str, name: str, letters: str) -> Row:
    columns = ("can_create", "can_read", "can_edit", "can_delete", "view_all", "modify_all")
    rights = {column: int(letter in letters) for column, letter in zip(columns, "credVM", strict=True)}
    return {"profile_id": profile_id, "object": name, **rights}


def _user(employee: Employee, setting: Setting, roles: dict[str, str], profiles: dict[str, str]) -> Row:
    post = employee.post
    role = _ROLE_OF_POST.get(post.key, post.key)
    if role not in roles:
        role = _ROLE_OF_REGION[post.region]
    manager = "cro" if profile_of(employee) in ("manager", "admin") else _MANAGER_OF_REGION[post.region]
    if post.key == "desk":
        manager = "ops"
    return {
        "person_id": employee.id,
        "profile_id": profiles[profile_of(employee)],
        "role_id": roles[role],
        "manager_id": None if post.key == "cro" else setting.staff[manager].id,
        "is_active": int(employee.left_on is None),
    }


def picklist_rows() -> list[Row]:
    """Every closed set that people may choose from."""
    return [
        {"object": name, "field": column, "value": value, "sort": sort,
         "is_default": int(_DEFAULTS.get((name, column)) == value), "is_active": 1}
        for (name, column), values in PICKLISTS.items()
        for sort, value in enumerate(values, start=1)
    ]  # fmt: skip


def stage_rows() -> list[Row]:
    """The default pipeline (CRM-1)."""
    return [
        {"name": name, "sort": sort, "probability": probability, "forecast_category": category,
         "is_closed": int(name.startswith("Closed")), "is_won": int(name == "Closed Won")}
        for sort, (name, probability, category) in enumerate(STAGES, start=1)
    ]  # fmt: skip


class Catalogue:
    """Products and prices. ``entry(code, currency)`` gives id and unit price in the standard price book."""

    def __init__(self, ids: Ids) -> None:
        self.rows: dict[str, list[Row]] = {"crm_product": [], "crm_pricebook": [], "crm_pricebook_entry": []}
        self.products = {row[0]: row for row in cells("products.txt")}
        self.standard = ids.new("crm_pricebook")
        self.rows["crm_pricebook"].append({"id": self.standard, "name": "Standard Price Book", "is_standard": 1})
        self._entries: dict[tuple[str, str], tuple[str, int]] = {}
        for code, name, _, family, price in self.products.values():
            product_id = ids.new("crm_product")
            self.rows["crm_product"].append({"id": product_id, "name": name, "code": code, "family": family})
            for currency in sorted(CURRENCIES):
                self._add(ids, code, product_id, currency, int(price))

    def _add(self, ids: Ids, code: str, product_id: str, currency: str, dollars: int) -> None:
        entry_id, price = ids.new("crm_pricebook_entry"), list_price(dollars, currency)
        self._entries[code, currency] = (entry_id, price)
        self.rows["crm_pricebook_entry"].append(
            {"id": entry_id, "pricebook_id": self.standard, "product_id": product_id, "currency": currency,
             "unit_price": price}
        )  # fmt: skip

    def entry(self, code: str, currency: str) -> tuple[str, int]:
        """Id of the price book entry, and its price in minor units."""
        return self._entries[code, currency]

    def family(self, name: str) -> list[str]:
        """The codes of a product family."""
        return [code for code, row in self.products.items() if row[3] == name]


def list_price(dollars: int, currency: str) -> int:
    """The list price in minor units: whole units, in yen whole hundreds, and 4 % dearer outside the dollar."""
    if currency == CORPORATE_CURRENCY:
        return dollars * 100
    units = dollars * 1_040_000 // CURRENCIES[currency]
    step = 100 if currency == "JPY" else 5 if units > 200 else 1
    return max(step, (units + step // 2) // step * step) * int(10 ** exponent(currency))
