"""The CRM's settings: roles, profiles, permissions, sharing, closed sets, stages, products and prices."""

from typing import Final

from deskgym_apps.crm import defaults
from deskgym_apps.crm.rules_duplicates import first_rules
from deskgym_apps.kit.money import exponent

from ..organisation import CORPORATE_CURRENCY, CURRENCIES, DOMAIN, Employee, Setting
from ..tables import cells
from .ledger import Ids, Row

STAGES: Final[tuple[tuple[str, int, str], ...]] = tuple(
    (str(row["name"]), int(row["probability"]), str(row["forecast_category"])) for row in defaults.STAGES
)
PICKLISTS: Final = defaults.PICKLISTS

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
    ("support", "Customer Support", "cro"),
    ("support_team", "Support Team", "support"),
)
SUPPORT: Final = ("engineer", "planner", "controller")  # posts that work on cases, besides "lab" and "service"
# Queue: key, name, mailbox, posts of its members
QUEUES: Final = (
    ("technical", "Technical Support", "support", ("engineer", "lab", "service")),
    ("calibration", "Calibration & Repair", "calibration", ("lab", "engineer", "planner")),
    ("billing_eu", "Billing – EU", "billing.eu", ("service", "controller", "planner")),
    ("billing_other", "Billing – Americas & APAC", "billing.us", ("controller", "planner", "service")),
)
_ROUTING: Final = (
    ('[{"field": "type", "op": "equals", "value": "Billing"}, '
     '{"field": "account.region", "op": "equals", "value": "EMEA"}]', "billing_eu"),
    ('[{"field": "type", "op": "equals", "value": "Billing"}]', "billing_other"),
    ('[{"field": "type", "op": "in", "value": ["Calibration", "Returns"]}]', "calibration"),
)  # fmt: skip
_ROLE_OF_POST: Final = {"ae_apac": "head_apac", "leaver": "ae_dach", "lab": "support"} | dict.fromkeys(
    SUPPORT, "support_team"
)
_VPS: Final = ("cro", "vp_amer", "vp_emea")
_ROLE_OF_REGION: Final = {"AMER": "ae_amer", "EMEA": "ae_emea", "APAC": "ae_asia"}
_MANAGER_OF_REGION: Final = {"AMER": "vp_amer", "EMEA": "vp_emea", "APAC": "ae_apac"}
_PROFILE_NAMES: Final = {
    "admin": "System Administrator",
    "operations": "Sales Operations",
    "manager": "Sales Manager",
    "rep": "Sales Representative",
    "success": "Customer Success",
    "reader": "Read Only",
    "agent": "Support Agent",
    "support": "Support Manager",
}


def profile_of(employee: Employee) -> str:
    """The key of the profile of a user of the CRM."""
    post = employee.post
    if post.key == "ops":
        return "admin"
    if post.key in ("cro", "vp_amer", "vp_emea", "ae_apac"):
        return "manager"
    known = {"desk": "reader", "service": "success", "lab": "support"} | dict.fromkeys(SUPPORT, "agent")
    return known.get(post.key, "rep")


def users(setting: Setting) -> list[Employee]:
    """The people who have a login in the CRM, the one who left included."""
    departments, posts = ("Sales", "Sales Operations"), ("service", "lab", *SUPPORT)
    return [one for one in setting.staff.values() if one.post.department in departments or one.post.key in posts]


def access_rows(setting: Setting, ids: Ids) -> dict[str, list[Row]]:
    """Roles, profiles, permissions, users, groups, defaults and sharing rules (CRM-3)."""
    roles = {key: ids.new("crm_role") for key, _, _ in _ROLES}
    profiles = {key: ids.new("crm_profile") for key in _PROFILE_NAMES}
    role_rows = [
        {"id": roles[key], "name": name, "parent_role_id": parent and roles[parent], "is_vp": int(key in _VPS)}
        for key, name, parent in _ROLES
    ]
    users_of_crm = [_user(one, setting, roles, profiles) for one in users(setting)]
    return (
        {"crm_role": role_rows}
        | _profile_rows(profiles)
        | {"crm_user": users_of_crm}
        | _sharing_rows(setting, roles, ids)
    )


def _profile_rows(profiles: dict[str, str]) -> dict[str, list[Row]]:
    named = {profile.name: profile for profile in defaults.PROFILES}
    chosen = [(named[_PROFILE_NAMES[key]], profile_id) for key, profile_id in profiles.items()]
    return {
        "crm_profile": [profile.row(profile_id) for profile, profile_id in chosen],
        "crm_object_perm": [row for profile, profile_id in chosen for row in profile.object_rows(profile_id)],
        "crm_field_perm": [row for profile, profile_id in chosen for row in profile.field_rows(profile_id)],
    }


def _sharing_rows(setting: Setting, roles: dict[str, str], ids: Ids) -> dict[str, list[Row]]:
    deal_desk, service = ids.new("crm_group"), ids.new("crm_group")
    queues = {key: ids.new("crm_group") for key, *_ in QUEUES}
    rule = ids.new("crm_assignment_rule")
    sources = ("ae_east", "ae_central", "ae_west", "ae_dach", "ae_north", "ae_south")
    shared = [(role, deal_desk, "read") for role in sources] + [("ae_dach", service, "write")]
    members = [
        (deal_desk, "role", roles["desk"]),
        (service, "user", setting.staff["service"].id),
        *((queues[key], "user", setting.staff[post].id) for key, _, _, posts in QUEUES for post in posts),
    ]
    return {
        "crm_group": [
            {"id": deal_desk, "name": "Deal Desk"},
            {"id": service, "name": "Service Contracts"},
            *(
                {"id": queues[key], "name": name, "kind": "queue", "email": f"{box}@{DOMAIN}", "queue_object": "case"}
                for key, name, box, _ in QUEUES
            ),
        ],
        "crm_group_member": [
            {"id": ids.new("crm_group_member"), "group_id": group, "member_kind": kind, "member_id": member}
            for group, kind, member in members
        ],
        "crm_assignment_rule": [
            {"id": rule, "object": "case", "name": "Case routing", "default_owner_id": queues["technical"]}
        ],
        "crm_assignment_entry": [
            {
                "id": ids.new("crm_assignment_entry"),
                "rule_id": rule,
                "sort": at,
                "criteria": criteria,
                "owner_id": queues[key],
            }
            for at, (criteria, key) in enumerate(_ROUTING, 1)
        ],
        "crm_owd": [dict(row) for row in defaults.OWD],
        "crm_sharing_rule": [
            {
                "id": ids.new("crm_sharing_rule"),
                "object": "opportunity",
                "source_kind": "role",
                "source_id": roles[role],
                "target_kind": "group",
                "target_id": group,
                "access": access,
            }
            for role, group, access in shared
        ],
    }


def _user(employee: Employee, setting: Setting, roles: dict[str, str], profiles: dict[str, str]) -> Row:
    post = employee.post
    role = _ROLE_OF_POST.get(post.key, post.key)
    if role not in roles:
        role = _ROLE_OF_REGION[post.region]
    above = {"manager": "cro", "admin": "cro", "support": "cro", "agent": "lab"}
    manager = above.get(profile_of(employee)) or _MANAGER_OF_REGION[post.region]
    if post.key == "desk":
        manager = "ops"
    return {
        "person_id": employee.id,
        "profile_id": profiles[profile_of(employee)],
        "role_id": roles[role],
        "manager_id": None if post.key == "cro" else setting.staff[manager].id,
        "is_active": int(employee.left_on is None),
    }


def picklist_rows(ids: Ids) -> list[Row]:
    """Every closed set that people may choose from."""
    return [{"id": ids.new("crm_picklist")} | row for row in defaults.picklist_rows()]


def matching_rows(ids: Ids) -> list[Row]:
    """The rules that find duplicates (row 14)."""
    return [{"id": ids.new("crm_matching_rule")} | row for row in first_rules()]


def stage_rows() -> list[Row]:
    """The default pipeline (CRM-1)."""
    return [dict(row) for row in defaults.STAGES]


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
