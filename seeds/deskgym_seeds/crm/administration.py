"""What administrators have set up besides roles and profiles: permission sets, validation rules, routing of leads."""

from __future__ import annotations

from typing import Final

from deskgym_apps.crm.rules_setup import RIGHT_COLUMNS
from deskgym_apps.crm.rules_views import Filter, normal_form
from deskgym_apps.kit.call import canonical_json

from ..organisation import Setting
from .ledger import Ids, Row

# Who works on the close of a quarter, and whose right to take data along was approved: the knowledge base names them
CLOSE_TEAM: Final = ("ae_east", "ae_central", "ae_north")
APPROVED: Final = ("ae_dach", "ae_south", "planner")
_ADDRESS: Final = ("read", "create", "edit")
# Name, description, reopens deals, object -> rights, (object, field) -> access, posts that have it
_Set = tuple[str, str, int, dict[str, tuple[str, ...]], dict[tuple[str, str], str], tuple[str, ...]]
_SETS: Final[tuple[_Set, ...]] = (
    ("Deal Reopening", "Opens closed deals again while a quarter is being closed.", 1, {}, {}, ("vp_emea",)),
    (
        "Data Export",
        "Takes lists of accounts, contacts and leads along as files.",
        0,
        dict.fromkeys(("account", "contact", "lead"), ("read", "export")),
        {},
        ("vp_amer", "vp_emea"),
    ),
    ("Contract Reader", "Reads every deal and its quotes.", 0,
     {"opportunity": ("read", "view_all"), "quote": ("read",)}, {}, ("lab",)),
    ("Article Author", "Writes articles of the knowledge base.", 0, {"article": _ADDRESS}, {}, ("lab",)),
    ("Account Maintenance", "Keeps accounts, their service levels and revenue.", 0, {"account": _ADDRESS},
     {("account", "sla_tier"): "edit", ("account", "annual_revenue"): "edit"}, ()),
    ("Mass Changes", "Changes many accounts and contacts at once.", 0,
     dict.fromkeys(("account", "contact"), ("read", "edit", "mass")), {}, ()),
)  # fmt: skip
# Object, name, active, criteria, message, field
_VALIDATION: Final = (
    ("account", "Head count is plausible", 1, (("employees", "number", "gt", 500_000),),
     "A company with more than 500,000 employees is a typing error. Check the number.", "employees"),
    ("opportunity", "Large deals name a next step", 0,
     (("amount", "money", "gte", "250000"), ("next_step", "text", "blank", None),
      ("stage", "picklist", "in", ["Proposal/Price Quote", "Negotiation/Review"])),
     "Write down the next step of a deal of this size.", "next_step"),
    ("opportunity", "Amount is plausible", 1, (("amount", "money", "gt", "900000000"),),
     "No deal of ours is that large. Check amount and currency.", "amount"),
    ("lead", "Hot leads can be called", 0,
     (("rating", "picklist", "equals", "Hot"), ("phone", "phone", "blank", None),
      ("mobile", "phone", "blank", None)), "A hot lead needs a telephone number.", "phone"),
    ("case", "High priority names the account", 0,
     (("priority", "picklist", "equals", "High"), ("account_id", "ref", "blank", None)),
     "Say which account a case of high priority belongs to.", "account_id"),
)  # fmt: skip
_LEADS: Final = (
    (("Germany", "Austria", "Switzerland"), "ae_dach"),
    (("United Kingdom", "Ireland", "Netherlands"), "ae_north"),
    (("United States", "Canada"), "ae_east"),
)


def administration_rows(setting: Setting, ids: Ids) -> dict[str, list[Row]]:
    """Permission sets with their rights and holders, validation rules, and the routing of leads, not in use yet."""
    return _set_rows(setting, ids) | {"crm_validation_rule": [_rule(ids, *given) for given in _VALIDATION]}


def _set_rows(setting: Setting, ids: Ids) -> dict[str, list[Row]]:
    rows: dict[str, list[Row]] = {name: [] for name in ("crm_permset", "crm_user_permset")}
    rights: list[Row] = []
    fields: list[Row] = []
    for name, text, reopens, objects, shown, posts in _SETS:
        set_id = ids.new("crm_permset")
        rows["crm_permset"].append({"id": set_id, "name": name, "description": text, "can_reopen": reopens})
        held = {"holder_kind": "permset", "holder_id": set_id}
        for thing, given in objects.items():
            flags = {column: int(right in given) for right, column in RIGHT_COLUMNS.items()}
            rights.append(held | {"object": thing} | flags)
        fields += [held | {"object": thing, "field": field, "access": how} for (thing, field), how in shown.items()]
        rows["crm_user_permset"] += [
            {"id": ids.new("crm_user_permset"), "person_id": setting.staff[post].id, "permission_set_id": set_id}
            for post in posts
        ]
    return rows | {"crm_object_perm": rights, "crm_field_perm": fields}


def _rule(ids: Ids, thing: str, name: str, active: int, criteria: tuple[tuple[object, ...], ...], message: str,
          field: str) -> Row:  # fmt: skip
    filters = [Filter(str(part[0]), str(part[1]), str(part[2]), part[3]) for part in criteria]
    asked = [
        {"field": one.field, "type": one.type, "op": one.op} | ({} if one.value is None else {"value": one.value})
        for one in filters
    ]
    return {
        "id": ids.new("crm_validation_rule"),
        "object": thing,
        "name": name,
        "is_active": active,
        "criteria": canonical_json(asked),
        "conditions": normal_form(filters, None, "all"),
        "message": message,
        "field": field,
    }


def lead_routing(setting: Setting, ids: Ids) -> dict[str, list[Row]]:
    """The rule for incoming leads: prepared, and not active."""
    rule = ids.new("crm_assignment_rule")
    entries = [
        {
            "id": ids.new("crm_assignment_entry"),
            "rule_id": rule,
            "sort": at,
            "criteria": canonical_json([{"field": "country", "op": "in", "value": list(countries)}]),
            "owner_id": setting.staff[post].id,
        }
        for at, (countries, post) in enumerate(_LEADS, 1)
    ]
    head = {"id": rule, "object": "lead", "name": "Lead routing", "default_owner_id": setting.staff["ops"].id}
    return {"crm_assignment_rule": [head | {"is_active": 0}], "crm_assignment_entry": entries}


_SHARES: Final = 10


def share_rows(setting: Setting, leads: list[Row]) -> dict[str, list[Row]]:
    """Leads that their owners showed to the deal desk, each by hand."""
    open_ones = [row for row in leads if not row.get("is_converted") and not row.get("is_deleted")]
    chosen = setting.stream("crm_record_share", 1).sample(
        sorted((row["id"] for row in open_ones), key=setting.order), _SHARES
    )
    share = {"object": "lead", "grantee_kind": "user", "grantee_id": setting.staff["desk"].id, "cause": "manual"}
    rows = [share | {"record_id": key, "access": "write" if at % 3 else "read"} for at, key in enumerate(chosen)]
    return {"crm_record_share": rows}


def listed(setting: Setting, posts: tuple[str, ...]) -> str:
    """People by name, as a list in an article."""
    return "\n".join(f"- {setting.staff[post].person.name}" for post in posts)
