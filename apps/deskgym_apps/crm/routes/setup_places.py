"""The places of the set-up: what each lists, shows and asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...kit.errors import NotFound
from .spec import Pages

ROOT = "/crm/setup"


@dataclass(frozen=True)
class Place:
    """One place of the set-up. `pages` says what its rows show; `labels` and `facts` what differs from their fields."""

    pages: Pages
    title: str
    about: str
    group: str
    facts: tuple[str, ...] = ()
    part_of: str = ""  # the field that holds what a row belongs to: it has no list and no page of its own
    may_create: bool = True
    may_delete: bool = True

    @property
    def slug(self) -> str:
        return self.pages.path.removeprefix("setup/")


def _place(
    kind: str,
    slug: str,
    icon: str,
    title: str,
    about: str,
    group: str,
    columns: tuple[str, ...] = (),
    fields: tuple[str, ...] = (),
    facts: tuple[str, ...] = (),
    **more: object,
) -> Place:
    pages = Pages(
        kind=kind,
        path=f"setup/{slug}",
        icon=icon,
        quick=columns[0] if columns else "id",
        columns=columns,
        sort=columns[0] if columns else "",
        sections=((title, fields),),
        highlights=(),
    )
    return Place(pages, title, about, group, facts or columns, **more)  # type: ignore[arg-type]


PEOPLE, RIGHTS, SHARING, RULES = "People", "Permissions", "Sharing", "Automation and data"
PLACES: tuple[Place, ...] = (
    _place(
        "user",
        "users",
        "person",
        "Users",
        "Profile, role and manager; deactivate who leaves.",
        PEOPLE,
        ("name", "title", "profile", "role", "is_active"),
        ("profile_id", "role_id", "manager_id", "is_active"),
        ("email", "title", "department", "city", "tz", "profile", "role", "manager_id", "is_active"),
        may_create=False,
        may_delete=False,
    ),
    _place(
        "role",
        "roles",
        "diagram-3",
        "Roles",
        "The tree that says whose records people above reach.",
        PEOPLE,
        ("name", "parent_name", "is_vp", "users"),
        ("name", "parent_role_id", "is_vp"),
    ),
    _place(
        "group",
        "groups",
        "people",
        "Public groups",
        "People and roles that records and list views are shared with.",
        PEOPLE,
        ("name", "people"),
        ("name",),
    ),
    _place(
        "queue",
        "queues",
        "inboxes",
        "Queues",
        "Owners of records until a member takes them.",
        PEOPLE,
        ("name", "queue_object", "email", "members"),
        ("name", "queue_object", "email"),
        ("name", "queue_object", "email"),
    ),
    _place(
        "profile",
        "profiles",
        "person-badge",
        "Profiles",
        "What the users of a profile may do with objects and fields.",
        RIGHTS,
        ("name", "is_admin", "can_reopen", "users"),
        ("can_reopen",),
        may_create=False,
        may_delete=False,
    ),
    _place(
        "permission_set",
        "permission-sets",
        "key",
        "Permission sets",
        "Rights that single users have beyond their profile.",
        RIGHTS,
        ("name", "description", "users"),
        ("name", "description", "can_reopen"),
        ("name", "description", "can_reopen", "users"),
    ),
    _place(
        "sharing_rule",
        "sharing-rules",
        "share",
        "Sharing rules",
        "Records of one role or group, open to another.",
        SHARING,
        ("source_name", "object", "target_name", "access"),
        ("object", "source_kind", "source_id", "target_kind", "target_id", "access"),
    ),
    _place(
        "assignment_rule",
        "assignment-rules",
        "signpost-split",
        "Assignment rules",
        "Who gets new cases and leads.",
        RULES,
        ("name", "object", "is_active", "default_owner"),
        ("name", "is_active", "default_owner_id"),
        may_create=False,
        may_delete=False,
    ),
    _place(
        "validation_rule",
        "validation-rules",
        "shield-check",
        "Validation rules",
        "Records that are refused, and what people then read.",
        RULES,
        ("name", "object", "is_active", "message"),
        ("name", "is_active", "message", "field"),
        ("name", "object", "is_active", "message", "field"),
    ),
    _place(
        "approval_process",
        "approval-processes",
        "check2-circle",
        "Approval processes",
        "Which records somebody else must approve, and who.",
        RULES,
        ("name", "object", "is_active", "approver_kind", "approver_name"),
        (
            *("name", "is_active", "approver_kind", "approver_id"),
            *("approve_field", "approve_value", "reject_field", "reject_value"),
        ),
        (
            *("name", "object", "is_active", "approver_kind", "approver_name", "pending"),
            *("approve_field", "approve_value", "reject_field", "reject_value"),
        ),
    ),
    _place(
        "picklist_value",
        "picklists",
        "list-check",
        "Picklists",
        "The values that people choose from.",
        RULES,
        ("value", "position", "is_default", "is_active"),
        ("value", "position", "is_default", "is_active"),
        may_delete=False,
    ),
)
PARTS: tuple[Place, ...] = (
    _place(
        "group_member",
        "members",
        "person-plus",
        "Members",
        "",
        PEOPLE,
        ("member_name",),
        ("member_kind", "member_id"),
        part_of="group_id",
    ),
    _place(
        "permission_set_assignment",
        "assignments",
        "key",
        "Assignments",
        "",
        RIGHTS,
        ("permission_set.name",),
        ("permission_set_id", "person_id"),
        part_of="permission_set_id",
    ),
    _place(
        "assignment_entry",
        "entries",
        "signpost",
        "Entries",
        "",
        RULES,
        ("position",),
        ("position", "owner_id"),
        part_of="rule_id",
    ),
)
DEFAULTS = "sharing-defaults"
_BY_SLUG: Mapping[str, Place] = {place.slug: place for place in (*PLACES, *PARTS)}
BY_KIND: Mapping[str, Place] = {place.pages.kind: place for place in (*PLACES, *PARTS)}


def place_at(slug: str) -> Place:
    """The place whose folder in the URL is `slug`. Raises NotFound."""
    if slug not in _BY_SLUG:
        raise NotFound(f'the set-up has no place "{slug}"')
    return _BY_SLUG[slug]


WORDS: Mapping[str, Mapping[str, str]] = {
    "member_kind": {"user": "User", "role": "Role", "role_and_sub": "Role and roles below"},
    "source_kind": {"role": "Role", "role_and_sub": "Role and roles below", "group": "Public group"},
    "target_kind": {"role": "Role", "role_and_sub": "Role and roles below", "group": "Public group"},
    "approver_kind": {
        "manager": "The manager of who submits",
        "user": "A named user",
        "group": "A public group or queue",
        "leader": "A manager above the owner, or a vice president",
    },
    "access": {"read": "Read only", "write": "Read and write", "all": "Full", "none": "None"},
    "object": {
        "account": "Accounts",
        "contact": "Contacts",
        "opportunity": "Opportunities",
        "lead": "Leads",
        "case": "Cases",
        "quote": "Quotes",
        "product": "Products",
        "pricebook": "Price books",
        "task": "Tasks",
        "event": "Events",
        "note": "Notes",
        "article": "Articles",
    },
    "queue_object": {"case": "Cases"},
}
"""What closed sets are called on pages, by field."""


def word(field: str, value: str) -> str:
    """What a value of a closed set is called."""
    return WORDS.get(field, {}).get(value, value)
