"""Who may see and do what (CRM-3, X-10): one SQL predicate for lists, lookups, search, counts and single records.

A level says how far a person gets with a record: 1 read, 2 write, 3 all (delete, give to another owner).
`User.reach` is the level that sharing gives; `User.visible` caps it by the profile's object permissions.
Activities and notes have no default of their own: their owner and the roles above get level 3, everybody else
what they get on a record the activity is about, at most 2.
"""

from __future__ import annotations

import json
from functools import cached_property
from typing import Any

from ...kit.call import Context, is_sealed
from ...kit.errors import Forbidden, NotFound
from ...kit.roles import Row
from ..rules_approvals import APPROVABLE
from ..rules_reports import OBJECTS
from .access_sql import HELD, MY_GROUPS, MY_QUEUES, SHARED_OWNERS, TEAM, USER
from .kinds import KINDS, OPEN, RECORDS, SAVED, SHARED, VIEW, WHAT, WHO, Kind

READ, WRITE, ALL = 1, 2, 3
_VERBS = ("create", "read", "edit", "delete", "export", "mass")
SETUP_RIGHTS = frozenset({"create", "read", "edit", "delete"})
_OF_VIEWS = ("create", "read", "edit", "delete")
_SAID = {"mass": "change or delete many {} at once"}
_STEPS = ("hidden", "read", "edit")  # a field's access, the least first


class User:
    """The acting person in Northbeam: profile, role, what they may do. Lives as long as one command or read."""

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx
        self.id = ctx.person_id
        row = ctx.store.one(USER, (self.id,))
        if row is None or not row["is_active"]:
            raise Forbidden(f"{ctx.person['name']} has no active user in Northbeam")
        self.row: Row = row
        self.is_admin = bool(row["is_admin"])
        self.can_reopen = self.is_admin or bool(row["can_reopen"])
        self.params: dict[str, Any] = {"me": self.id, "my_email": ctx.person["email"]}

    @cached_property
    def _object_perms(self) -> dict[str, Row]:
        """The rights of the profile and those of the person's permission sets, by object."""
        perms: dict[str, dict[str, Any]] = {}
        for row in self._held("crm_object_perm"):
            known = perms.setdefault(row["object"], dict(row))
            perms[row["object"]] = {name: max(known[name], row[name]) for name in known}
        return dict(perms)

    @cached_property
    def _field_perms(self) -> dict[str, dict[str, str]]:
        """What the profile withholds, as far as no permission set gives it back."""
        perms: dict[str, dict[str, str]] = {}
        held = [] if self.is_admin else self._held("crm_field_perm")
        for row in held:
            if row["holder_kind"] == "profile":
                perms.setdefault(row["object"], {})[row["field"]] = row["access"]
        for row in held:
            known = perms.get(row["object"], {}).get(row["field"])
            if row["holder_kind"] == "permset" and known is not None:
                perms[row["object"]][row["field"]] = max(known, row["access"], key=_STEPS.index)
        return {
            thing: {name: access for name, access in kept.items() if access != "edit"} for thing, kept in perms.items()
        }

    def _held(self, table: str) -> list[Row]:
        """Rows of the profile and of the permission sets that the person has."""
        sql = HELD.format(table=table)
        return list(self.ctx.store.all(sql, {"profile": self.row["profile_id"], "me": self.id}))

    @cached_property
    def _owd(self) -> dict[str, Row]:
        return {row["object"]: row for row in self.ctx.store.all("SELECT * FROM crm_owd")}

    @cached_property
    def team(self) -> tuple[str, ...]:
        """People whose role stands below the person's role."""
        rows = self.ctx.store.all(TEAM, {"role_id": self.row["role_id"]})
        return tuple(row["person_id"] for row in rows)

    @cached_property
    def is_vp(self) -> bool:
        """Whether the person's role is a vice president's, or stands above one (CRM-9 g)."""
        below = "WITH RECURSIVE below(id) AS (SELECT :role_id UNION SELECT r.id FROM crm_role r JOIN below b "
        sql = below + "ON r.parent_role_id = b.id) SELECT 1 FROM crm_role r JOIN below USING (id) WHERE r.is_vp = 1"
        return self.ctx.store.one(sql, {"role_id": self.row["role_id"]}) is not None

    @cached_property
    def _shared_owners(self) -> list[Row]:
        rows = self.ctx.store.all(SHARED_OWNERS, {"me": self.id, "role_id": self.row["role_id"]})
        return list(rows)

    def rules_for(self, kind: str) -> list[Row]:
        """What sharing rules give the person with records of a kind: owner (`person_id`) and access."""
        return [row for row in self._shared_owners if row["object"] == kind]

    def goes_up(self, kind: str) -> bool:
        """Whether roles above reach what those below own."""
        return bool(self._owd.get(kind, {"hierarchy": 1})["hierarchy"])

    def all_of(self, kind: str) -> bool:
        """Whether the profile or a permission set shows every record of a kind."""
        return not self.is_admin and self._sees_all(kind, READ)

    def default_of(self, kind: str) -> str:
        """The organisation-wide default of a kind."""
        return str(self._owd[kind]["access"]) if kind in self._owd else "private"

    @cached_property
    def queues(self) -> dict[str, str]:
        """Queues that the person is a member of, each with the kind of record it holds."""
        rows = self.ctx.store.all(MY_QUEUES, {"me": self.id, "role_id": self.row["role_id"]})
        return {str(row["id"]): str(row["queue_object"]) for row in rows}

    @cached_property
    def _verbs(self) -> tuple[str, ...]:
        """What anybody may still do: once the work is handed in, only read and take along."""
        return ("read", "export") if is_sealed(self.ctx.store) else _VERBS

    def rights(self, kind: str) -> frozenset[str]:
        """What the profile allows with a kind of record: some of create, read, edit, delete, export, mass."""
        if kind in SAVED:
            return frozenset(verb for verb in self._verbs if verb in _OF_VIEWS)
        if kind in KINDS and KINDS[kind].is_setup:
            return frozenset(self._verbs) & SETUP_RIGHTS if self.is_admin else frozenset()
        if kind in OPEN and self.is_admin:
            return frozenset(self._verbs) & (SETUP_RIGHTS - {"create", "delete"} if kind == "user" else SETUP_RIGHTS)
        whole = KINDS[kind].part_of if kind in KINDS else None
        if whole is not None:  # who may change the record may add, change and remove its parts
            rights = self.rights(whole)
            return rights & {"read"} | (frozenset({"create", "edit", "delete"}) if "edit" in rights else frozenset())
        if kind == "pricebook_entry":
            return self.rights("pricebook")
        if kind in KINDS and KINDS[kind].is_setting:
            return self._profile_rights(kind) - {"delete"}
        if kind not in RECORDS:
            return frozenset({"read"})
        return self._profile_rights(kind)

    def _profile_rights(self, kind: str) -> frozenset[str]:
        if self.is_admin:
            return frozenset(self._verbs)
        row = self._object_perms.get(kind)
        return frozenset(verb for verb in self._verbs if row is not None and row[f"can_{verb}"])

    def hidden(self, kind: str) -> frozenset[str]:
        """Fields of a kind that the profile does not show."""
        perms = self._field_perms.get(kind, {})
        return frozenset(name for name, access in perms.items() if access == "hidden")

    def locked(self, kind: str) -> frozenset[str]:
        """Fields of a kind that the profile shows but does not let the person change."""
        return frozenset(self._field_perms.get(kind, {})) - self.hidden(kind)

    def need(self, kind: Kind, verb: str) -> None:
        """Raises Forbidden unless the profile allows the verb with this kind."""
        if verb not in self.rights(kind.name):
            doing = _SAID.get(verb, verb + " {}").format(kind.plural.lower())
            raise Forbidden(f"your profile, {self.row['profile']}, may not {doing}")

    def _sees_all(self, kind: str, level: int) -> bool:
        if self.is_admin:
            return True
        row = self._object_perms.get(kind)
        return row is not None and bool(row["modify_all"] or (level == READ and row["view_all"]))

    def _owners(self, kind: str, level: int) -> str:
        """Name of the parameter with the owners whose records the person reaches at that level."""
        name = f"owners_{kind}_{level}"
        if name not in self.params:
            people = {self.id}
            owd = self._owd.get(kind)
            if owd is None or owd["hierarchy"]:
                people |= set(self.team)
            people |= {queue for queue, thing in self.queues.items() if thing == kind}
            if level < ALL:
                enough = ("write",) if level == WRITE else ("read", "write")
                shared = [row for row in self._shared_owners if row["object"] == kind and row["access"] in enough]
                people |= {row["person_id"] for row in shared}
            self.params[name] = json.dumps(sorted(people))
        return name

    def _granted(self, kind: str, t: str, level: int) -> list[str]:
        """Grants that do not come from another record: owner, role above, sharing rule, share."""
        grants = [f"{t}.owner_id IN (SELECT value FROM json_each(:{self._owners(kind, level)}))"]
        if kind in SHARED and level < ALL:
            enough = "" if level == READ else " AND access = 'write'"
            self.params["my_groups"] = json.dumps(self.groups)
            to_me = "(grantee_kind = 'user' AND grantee_id = :me)"
            to_mine = "(grantee_kind = 'group' AND grantee_id IN (SELECT value FROM json_each(:my_groups)))"
            grants.append(
                f"{t}.id IN (SELECT record_id FROM crm_record_share "
                f"WHERE object = '{kind}' AND ({to_me} OR {to_mine}){enough})"
            )
        return grants

    def _through(self, parent: str, key: str, t: str, level: int, many: bool) -> str:
        p = f"{t}_{parent}"
        table = f"{KINDS[parent].table} {p}"
        locks = KINDS[parent].name == "opportunity" and key.endswith(".opportunity_id")  # of a deal's own lines
        shown = (self.visible if locks or parent == "quote" else self.unlocked)(parent, p, level, many=many)
        if many:  # with a plus SQLite looks nothing up in the index of a column: it reads each table from end to end
            return f"+{key} IN (SELECT {p}.id FROM {table} WHERE +{p}.is_deleted = 0 AND {shown})"
        return f"EXISTS (SELECT 1 FROM {table} WHERE {p}.id = {key} AND {p}.is_deleted = 0 AND {shown})"

    def _of_opportunity(self, t: str, level: int, many: bool) -> str:
        """What a quote takes from its opportunity, live or deleted."""
        p = f"{t}_opportunity"
        shown = self.visible("opportunity", p, level, many=many)
        if many:
            return f"+{t}.opportunity_id IN (SELECT {p}.id FROM crm_opportunity {p} WHERE {shown})"
        return f"EXISTS (SELECT 1 FROM crm_opportunity {p} WHERE {p}.id = {t}.opportunity_id AND {shown})"

    def _from_children(self, t: str) -> list[str]:
        """The implicit read on an account, from access to its contacts, opportunities and cases."""
        grants = []
        for child in ("contact", "opportunity", "case"):
            if "read" in self.rights(child):
                c = f"{t}_{child}"
                own = ["1"] if self._open_by_default(child, READ) else self._granted(child, c, READ)
                grants.append(
                    f"{t}.id IN (SELECT {c}.account_id FROM {KINDS[child].table} {c} "
                    f"WHERE {c}.is_deleted = 0 AND ({' OR '.join(own)}))"
                )
        return grants

    def _open_by_default(self, kind: str, level: int) -> bool:
        if self._sees_all(kind, level):
            return True
        access = self._owd[kind]["access"] if kind in self._owd else "private"
        return (level == READ and access in ("read", "write")) or (level == WRITE and access == "write")

    def reach(self, kind: str, t: str, level: int, *, many: bool = False) -> str:
        """SQL: whether sharing gives the person that level on the row with alias `t`. Uses `params`.

        `many`: for statements that read most rows. The records behind the rows are then gathered once in a set; it
        says NULL for no. Without it each row asks for its own, which is better for a few rows.
        """
        if kind in ("queue", "group"):
            return f"({t}.kind = '{'queue' if kind == 'queue' else 'public_group'}')"
        if KINDS[kind].is_setup:
            return "1" if self.is_admin else "0"
        if kind == "case_comment":
            return self._through("case", f"{t}.case_id", t, level, many)
        if kind in OPEN or KINDS[kind].is_setting or (kind != "quote" and self._sees_all(kind, level)):
            return "1"
        if kind == VIEW:
            return self._view_reach(t, level)
        if kind == "approval_request":
            return "1" if self.is_admin else f"({t}.submitted_by = :me OR {t}.decided_by = :me)"
        if kind == "dashboard":
            return f"({t}.owner_id = :me" + (f" OR {t}.visibility = 'public')" if level == READ else ")")
        if kind in SAVED:
            return self._report_reach(t, level)
        if kind == "quote":  # as far as with its opportunity, in the recycle bin too
            return self._of_opportunity(t, level, many)
        whole = KINDS[kind].part_of
        if whole is not None:
            return self._through(whole, f"{t}.{whole}_id", t, level, many)
        if kind == "email":
            to = f"',' || replace(replace({t}.to_addrs, ' ', ''), ';', ',') || ','"
            grants = [f"{t}.from_addr = :my_email", f"instr({to}, ',' || :my_email || ',') > 0"]
        else:
            grants = self._granted(kind, t, level)
        if kind in SHARED:
            if self._open_by_default(kind, level):
                return "1"
            if kind == "account" and level == READ:
                grants += self._from_children(t)
            if kind not in ("account", "lead") and self._owd.get(kind, {}).get("access") == "parent":
                grants.append(self._through("account", f"{t}.account_id", t, level, many))
        elif kind == "article":
            grants += self._published(t) if level == READ else []
        elif kind == "note" and level < ALL:
            grants.append(self._attached(t, level))
        elif level < ALL:
            grants += [self._through(parent, f"{t}.what_id", t, level, many) for parent in WHAT]
            grants += [self._through(parent, f"{t}.who_id", t, level, many) for parent in WHO]
        return f"({' OR '.join(grants)})"

    def _published(self, t: str) -> list[str]:
        """Articles that everybody with the right to read sees: published, and valid today."""
        self.params["article_day"] = self.ctx.today
        return [
            f"({t}.status = 'Published' AND coalesce({t}.valid_from, '') <= :article_day "
            f"AND ({t}.valid_to IS NULL OR {t}.valid_to >= :article_day))"
        ]

    def _attached(self, t: str, level: int) -> str:
        """What a note takes from the records it is attached to; there are too few notes to gather those."""
        link = f"{t}_link"
        about = " OR ".join(self._through(parent, f"{link}.record_id", t, level, False) for parent in SHARED)
        return f"EXISTS (SELECT 1 FROM crm_note_link {link} WHERE {link}.note_id = {t}.id AND ({about}))"

    def _view_reach(self, t: str, level: int) -> str:
        """A list view is its owner's alone; others see it as far as it is shared, of objects they may read."""
        if level > READ:
            return f"{t}.owner_id = :me"
        readable = ", ".join(f"'{kind}'" for kind in RECORDS if "read" in self.rights(kind))
        self.params["my_groups"] = json.dumps(self.groups)
        shared = (
            f"({t}.visibility = 'groups' AND EXISTS (SELECT 1 FROM crm_list_view_share s "
            f"WHERE s.list_view_id = {t}.id AND s.group_id IN (SELECT value FROM json_each(:my_groups))))"
        )
        return f"({t}.object IN ({readable}) AND ({t}.owner_id = :me OR {t}.visibility = 'all' OR {shared}))"

    def _report_reach(self, t: str, level: int) -> str:
        """A report is its owner's; others run it where it is public, and change it where it is editable."""
        wider = {READ: ("public", "editable"), WRITE: ("editable",), ALL: ()}[level]
        shared = "".join(f" OR {t}.visibility = '{word}'" for word in wider)
        readable = ", ".join(f"'{kind}'" for kind in OBJECTS if "read" in self.rights(kind))
        return f"({t}.object IN ({readable}) AND ({t}.owner_id = :me{shared}))"

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """The public groups that the person is in: by name, by role, or by a role above."""
        rows = self.ctx.store.all(MY_GROUPS, {"me": self.id, "role_id": self.row["role_id"]})
        return tuple(row["group_id"] for row in rows)

    def visible(self, kind: str, t: str, level: int = READ, *, many: bool = False) -> str:
        """SQL: whether the person has that level on the row with alias `t`, object permissions included."""
        reached = self.unlocked(kind, t, level, many=many)
        if level == READ or kind not in APPROVABLE or reached == "0":
            return reached
        pending = "SELECT record_id FROM crm_approval_request WHERE status = 'Pending'"
        return f"({reached} AND {t}.id NOT IN ({pending}))"

    def unlocked(self, kind: str, t: str, level: int, *, many: bool = False) -> str:
        """SQL: the same as if no record were locked by a pending approval (row 27)."""
        needed = "read" if level == READ else "edit"
        if needed not in self.rights(kind):
            return "0"
        reached = self.reach(kind, t, level, many=many)
        return f"({t}.is_converted = 0 AND {reached})" if kind == "lead" and level > READ else reached

    def level_sql(self, kind: str, t: str) -> str:
        """SQL: the level on the row with alias `t`: 0 none, 1 read, 2 write, 3 all."""
        cases = " ".join(f"WHEN {self.visible(kind, t, level)} THEN {level}" for level in (ALL, WRITE, READ))
        return f"CASE {cases} ELSE 0 END"

    def reaches(self, kind: Kind, record_id: str, level: int) -> bool:
        """Whether the person has that level on a live row but for what a pending approval locks."""
        open_to = self.unlocked(kind.name, "t", level)
        sql = f"SELECT 1 FROM {kind.table} t WHERE t.id = :id AND t.is_deleted = 0 AND {open_to}"
        return self.ctx.store.one(sql, self.params | {"id": record_id}) is not None

    def find(self, kind: Kind, record_id: str) -> dict[str, Any]:
        """The row with its `level`, deleted or not. Raises NotFound where there is none that the person may read."""
        row = self.ctx.store.one(
            f"SELECT t.*, {self.level_sql(kind.name, 't')} AS level FROM {kind.table} t WHERE t.id = :id",
            self.params | {"id": record_id},
        )
        if row is None or row["level"] == 0:
            raise NotFound(f'there is no {kind.label.lower()} "{record_id}"', field="id")
        return row

    def load(self, kind: Kind, record_id: str, level: int = READ) -> dict[str, Any]:
        """The live row with its `level`. Raises NotFound, or Forbidden where the person has less than `level`."""
        row = self.find(kind, record_id)
        if row.get("is_deleted"):
            raise NotFound(
                f"this {kind.label.lower()} is in the recycle bin", field="id", details={"deleted": record_id}
            )
        if row["level"] < level and row.get("is_converted"):
            raise Forbidden(f"this {kind.label.lower()} was converted; it can only be read")
        if row["level"] < level and kind.name in APPROVABLE and self.reaches(kind, record_id, level):
            noun = kind.label.lower()
            raise Forbidden(f"this {noun} is locked while its approval is pending; recall or decide it first")
        if row["level"] < level:
            doing = "change" if level == WRITE else "delete this or give it to another owner"
            raise Forbidden(f"you may read this {kind.label.lower()} but not {doing}")
        return row


def reader(ctx: Context) -> User:
    """The acting person of a query: read once for all queries of a context. Raises Forbidden for no active user."""
    if User not in ctx.memo:
        ctx.memo[User] = User(ctx)
    user: User = ctx.memo[User]
    return user
