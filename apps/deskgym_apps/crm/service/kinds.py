"""The kinds of record, by name and by the prefix of their ids."""

from __future__ import annotations

from dataclasses import dataclass

from ...kit.errors import NotFound, nearest


@dataclass(frozen=True)
class Kind:
    """One kind of record: `name` is the word in inputs, `name_sql` gives what a record is called ({t}: its row).

    `listed_sql`: which of its live rows lists, searches and lookups show; the others are only opened.
    `owner_sql` gives its owner, or that of the record it belongs to; None where nobody owns it. A part (`part_of`) has
    no rights, no version and no bin of its own: it goes with its record.
    """

    name: str
    table: str
    prefix: str
    label: str
    plural: str
    name_sql: str = "{t}.name"
    is_record: bool = True  # people create, change and delete it here
    listed_sql: str = ""
    is_setting: bool = False  # people create and change it here, and nobody deletes it
    owner_sql: str | None = "{t}.owner_id"
    part_of: str | None = None
    is_setup: bool = False  # what only administrators see and change

    @property
    def is_owned(self) -> bool:
        """Whether each record has an owner of its own, who may give it to somebody else."""
        return self.owner_sql == "{t}.owner_id"


def party(kind: str, key: str) -> str:
    """SQL: what a user, role, role with those below, or group is called; both arguments are SQL."""
    return (
        f"coalesce((SELECT p.name FROM org_person p WHERE p.id = {key}), (SELECT r.name || CASE {kind} "
        f"WHEN 'role_and_sub' THEN ' and those below' ELSE '' END FROM crm_role r WHERE r.id = {key}), "
        f"(SELECT g.name FROM crm_group g WHERE g.id = {key}))"
    )


def _setup(name: str, table: str, prefix: str, label: str, name_sql: str = "{t}.name") -> Kind:
    """A kind of the set-up: no record, no owner, for administrators."""
    return Kind(
        name,
        table,
        prefix,
        label,
        f"{label}es" if label.endswith("s") else f"{label}s",
        name_sql,
        is_record=False,
        owner_sql=None,
        is_setup=True,
    )


_PERSON = "trim(coalesce({t}.first_name, '') || ' ' || {t}.last_name)"
_PRODUCT_OF_ENTRY = (
    "(SELECT p.name FROM crm_pricebook_entry e JOIN crm_product p ON p.id = e.product_id WHERE e.id = {entry})"
)
KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("account", "crm_account", "ACC", "Account", "Accounts"),
        Kind("contact", "crm_contact", "CON", "Contact", "Contacts", name_sql=_PERSON),
        Kind("opportunity", "crm_opportunity", "OPP", "Opportunity", "Opportunities"),
        Kind(
            "quote",
            "crm_quote",
            "QUO",
            "Quote",
            "Quotes",
            owner_sql="(SELECT d.owner_id FROM crm_opportunity d WHERE d.id = {t}.opportunity_id)",
        ),
        Kind("case", "crm_case", "CAS", "Case", "Cases", name_sql="{t}.subject"),
        Kind("lead", "crm_lead", "LEA", "Lead", "Leads", name_sql=_PERSON, listed_sql="{t}.is_converted = 0"),
        Kind("task", "crm_task", "TSK", "Task", "Tasks", name_sql="{t}.subject"),
        Kind("event", "crm_event", "EVT", "Event", "Events", name_sql="{t}.subject"),
        Kind("note", "crm_note", "NTE", "Note", "Notes", name_sql="{t}.title"),
        Kind("article", "crm_article", "ART", "Article", "Articles", name_sql="{t}.title"),
        Kind(
            "case_comment",
            "crm_case_comment",
            "CCM",
            "Case comment",
            "Case comments",
            name_sql="substr({t}.body, 1, 60)",
            is_record=False,
            owner_sql=None,
        ),
        Kind(
            "email",
            "crm_email_message",
            "EML",
            "E-mail",
            "E-mails",
            name_sql="{t}.subject",
            is_record=False,
            owner_sql=None,
        ),
        Kind("queue", "crm_group", "GRP", "Queue", "Queues", is_record=False, owner_sql=None),
        Kind("user", "org_person", "PRS", "User", "Users", is_record=False, owner_sql=None),
        Kind("list_view", "crm_list_view", "LVW", "List view", "List views", is_record=False),
        Kind("report", "crm_report", "RPT", "Report", "Reports", is_record=False),
        Kind("dashboard", "crm_dashboard", "DSH", "Dashboard", "Dashboards", is_record=False),
        Kind("product", "crm_product", "PRD", "Product", "Products", is_record=False, is_setting=True, owner_sql=None),
        Kind(
            "pricebook",
            "crm_pricebook",
            "PBK",
            "Price book",
            "Price books",
            is_record=False,
            is_setting=True,
            owner_sql=None,
        ),
        Kind(
            "pricebook_entry",
            "crm_pricebook_entry",
            "PBE",
            "Price",
            "Prices",
            name_sql=_PRODUCT_OF_ENTRY.format(entry="{t}.id"),
            is_record=False,
            is_setting=True,
            owner_sql=None,
        ),
        Kind(
            "opportunity_line",
            "crm_opportunity_line",
            "OLI",
            "Opportunity product",
            "Opportunity products",
            name_sql=_PRODUCT_OF_ENTRY.format(entry="{t}.pricebook_entry_id"),
            is_record=False,
            owner_sql=None,
            part_of="opportunity",
        ),
        Kind(
            "quote_line",
            "crm_quote_line",
            "QLI",
            "Quote line",
            "Quote lines",
            name_sql=_PRODUCT_OF_ENTRY.format(entry="{t}.pricebook_entry_id"),
            is_record=False,
            owner_sql=None,
            part_of="quote",
        ),
        Kind(
            "approval_request",
            "crm_approval_request",
            "APR",
            "Approval request",
            "Approval requests",
            name_sql="({t}.status || ', ' || (SELECT a.name FROM crm_approval_process a WHERE a.id = {t}.process_id))",
            is_record=False,
            owner_sql=None,
        ),
        Kind("group", "crm_group", "GRP", "Public group", "Public groups", is_record=False, owner_sql=None),
        _setup("role", "crm_role", "ROL", "Role"),
        _setup("profile", "crm_profile", "PRF", "Profile"),
        _setup("permission_set", "crm_permset", "PMS", "Permission set"),
        _setup(
            "permission_set_assignment",
            "crm_user_permset",
            "PSA",
            "Permission set assignment",
            "(SELECT s.name || ' to ' || p.name FROM crm_permset s JOIN org_person p "
            "ON s.id = {t}.permission_set_id AND p.id = {t}.person_id)",
        ),
        _setup(
            "group_member",
            "crm_group_member",
            "GRM",
            "Group member",
            f"{party('{t}.member_kind', '{t}.member_id')} || ' in ' || "
            "(SELECT g.name FROM crm_group g WHERE g.id = {t}.group_id)",
        ),
        _setup(
            "sharing_rule",
            "crm_sharing_rule",
            "SHR",
            "Sharing rule",
            f"{party('{t}.source_kind', '{t}.source_id')} || ' to ' || {party('{t}.target_kind', '{t}.target_id')}",
        ),
        _setup("assignment_rule", "crm_assignment_rule", "ASR", "Assignment rule"),
        _setup(
            "assignment_entry",
            "crm_assignment_entry",
            "ASE",
            "Rule entry",
            "(SELECT r.name || ', entry ' || {t}.sort FROM crm_assignment_rule r WHERE r.id = {t}.rule_id)",
        ),
        _setup("approval_process", "crm_approval_process", "APC", "Approval process"),
        _setup("validation_rule", "crm_validation_rule", "VRL", "Validation rule"),
        _setup("picklist_value", "crm_picklist", "PKV", "Picklist value", "{t}.value"),
    )
}
RECORDS = tuple(name for name, kind in KINDS.items() if kind.is_record)
VIEW = "list_view"  # people make these too, but they are no records: they go for good, and nobody follows their changes
SAVED = (VIEW, "report", "dashboard")  # what people save to look through: as views are, so are reports
WRITTEN = tuple(name for name, kind in KINDS.items() if kind.is_record or kind.is_setting or kind.part_of)
SHARED = ("account", "contact", "opportunity", "lead", "case")  # organisation-wide defaults, sharing rules and shares
WHAT = ("account", "opportunity", "case")  # what activities are about (CRM-12)
WHO = ("contact", "lead")  # with whom they are
SEVERAL = {
    "what": WHAT,
    "who": WHO,
    "owner": ("user", "queue"),
    "grantee": ("user", "group"),
    "party": ("role", "group"),
    "member": ("user", "role"),
    "approver": ("user", "group", "queue"),
}  # what a lookup of one of these may hold
OPEN = ("user", "queue", "group")  # kinds that everybody sees
_BY_PREFIX = {kind.prefix: kind for kind in KINDS.values() if kind.name != "group"}  # queues and groups share one


def kind_named(name: str) -> Kind:
    """The kind called `name`. Raises NotFound with the nearest names."""
    if name not in KINDS:
        message = f'there is no object "{name}".{nearest(name, list(KINDS))}'
        raise NotFound(message, field="object", allowed=list(KINDS))
    return KINDS[name]


def kind_of(record_id: str) -> Kind:
    """The kind of a record, by the prefix of its id. Raises NotFound for a prefix that no kind has."""
    kind = _BY_PREFIX.get(record_id[:3])
    if kind is None:
        known = ", ".join(f"{kind.prefix} {kind.name}" for kind in KINDS.values())
        raise NotFound(f'there is no record "{record_id}"; ids begin with their object: {known}', field="id")
    return kind
