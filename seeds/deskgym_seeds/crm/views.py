"""Saved list views as people make them: one after another as they need them, for themselves, a group or everybody.

The mess that is on purpose: views whose filter has gone stale, and copies under nearly the same name.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from deskgym_apps.crm.rules_views import Filter, normal_form
from deskgym_apps.kit.norm import norm

from ..localtime import instant_text, working_moment
from ..organisation import Employee, Setting
from ..streams import Stream
from .ledger import Ids, Oracle, Row

_OPEN: Final = Filter("is_closed", "bool", "equals", False)
_COLUMNS: Final = {
    "account": ("name", "type", "industry", "region", "bill_city", "last_activity_on", "owner.name"),
    "contact": ("name", "account.name", "title", "email", "phone"),
    "opportunity": ("name", "account.name", "stage", "amount", "currency", "close_date", "owner.name"),
    "task": ("subject", "priority", "status", "due_date", "what_name"),
}
_AMOUNTS: Final = ("20000", "25000", "50000", "75000", "100000")
_REGIONS: Final = {"AMER": "Americas", "EMEA": "EMEA", "APAC": "APAC"}


@dataclass(frozen=True, slots=True)
class View:
    """One view as somebody makes it."""

    name: str
    object: str
    filters: tuple[Filter, ...]
    logic: str | None = None
    scope: str = "all"
    visibility: str = "private"
    groups: tuple[str, ...] = ()
    sort: tuple[tuple[str, str], ...] = ()


def group_rows(roles: Sequence[Row], ids: Ids) -> dict[str, list[Row]]:
    """Public groups that views are shared with; each is made of roles."""
    by_name = {row["name"]: row["id"] for row in roles}
    made: dict[str, list[Row]] = {"crm_group": [], "crm_group_member": []}
    for name, members in (
        ("EMEA Sales", (("role_and_sub", "VP Sales EMEA"),)),
        ("EMEA Sales Leads", (("role", "VP Sales EMEA"),)),
        ("Americas Sales", (("role_and_sub", "VP Sales Americas"),)),
        ("Sales Leadership", tuple(("role", role) for role in ("Chief Revenue Officer", "VP Sales Americas",
                                                               "VP Sales EMEA", "Head of Sales APAC"))),
    ):  # fmt: skip
        group_id = ids.new("crm_group")
        made["crm_group"].append({"id": group_id, "name": name})
        made["crm_group_member"] += [
            {
                "id": ids.new("crm_group_member"),
                "group_id": group_id,
                "member_kind": kind,
                "member_id": by_name[role],
            }
            for kind, role in members
        ]
    return made


def _for_everybody() -> Iterator[View]:
    """What sales operations made for the whole company."""
    soon = Filter("close_date", "date", "equals", "THIS FISCAL QUARTER")
    by_amount, by_day = (("amount", "desc"),), (("close_date", "asc"),)
    yield View("Closing this fiscal quarter", "opportunity", (_OPEN, soon), None, "all", "all", (), by_amount)
    late = Filter("close_date", "date", "lt", "TODAY")
    yield View("Overdue deals", "opportunity", (_OPEN, late), None, "all", "all", (), by_day)
    customers = Filter("type", "picklist", "equals", "Customer")
    idle = Filter("last_activity_on", "date", "lt", "LAST 90 DAYS")
    never = Filter("last_activity_on", "date", "blank")
    yield View("Customers gone quiet", "account", (customers, idle, never), "1 AND (2 OR 3)", "all", "all")
    due = Filter("due_date", "date", "lte", "TODAY")
    yield View("My tasks due", "task", (_OPEN, due), None, "mine", "all", (), (("due_date", "asc"),))


def _of_manager(one: Employee, stream: Stream) -> Iterator[View]:
    """A manager watches a region, and shares it with those who sell there."""
    region, amount = Filter("account.region", "picklist", "equals", one.region), stream.choice(_AMOUNTS)
    large = Filter("amount", "money", "gte", amount)
    name = f"{_REGIONS[one.region]} pipeline"
    groups = {"AMER": ("Americas Sales",), "EMEA": ("EMEA Sales",)}.get(one.region, ("Sales Leadership",))
    yield View(name, "opportunity", (_OPEN, region, large), None, "all", "groups", groups, (("close_date", "asc"),))
    commit = Filter("forecast_category", "picklist", "in", ["Commit", "Best Case"])
    yield View(f"{_REGIONS[one.region]} forecast", "opportunity", (region, commit), None, "all", "groups",
               ("Sales Leadership",), (("close_date", "asc"), ("amount", "desc")))  # fmt: skip


def _of_seller(one: Employee, stream: Stream) -> Iterator[View]:
    """A seller's own: large deals, what waits for a step, the accounts of a trade."""
    large = Filter("amount", "money", "gte", stream.choice(_AMOUNTS))
    yield View("My large deals", "opportunity", (_OPEN, large), None, "mine", "private", (), (("amount", "desc"),))
    if stream.uniform_int(0, 99) < 60:
        waiting = Filter("next_step", "text", "blank")
        late = Filter("last_activity_on", "date", "lt", f"LAST {stream.choice((14, 21, 30, 45))} DAYS")
        yield View("Needs a next step", "opportunity", (_OPEN, waiting, late), "1 AND (2 OR 3)", "mine")
    if stream.uniform_int(0, 99) < 50:
        high = Filter("priority", "picklist", "equals", "High")
        yield View("Urgent", "task", (_OPEN, high, Filter("due_date", "date", "equals", "THIS WEEK")), None, "mine")


def _with_copy(views: list[View], stream: Stream) -> list[tuple[View, str]]:
    """The views with the rule of mess that a copy was made by: an old one with another amount or period."""
    found: list[tuple[View, str]] = [(view, "") for view in views]
    for view in views:
        if any(item.field == "amount" for item in view.filters) and stream.uniform_int(0, 99) < 35:
            other = [amount for amount in _AMOUNTS if amount not in [item.value for item in view.filters]]
            amount = stream.choice(other)
            filters = tuple(
                Filter(item.field, item.type, item.op, amount) if item.field == "amount" else item
                for item in view.filters
            )
            copy = View(f"{view.name} (old)", view.object, filters, view.logic, view.scope, sort=view.sort)
            found.append((copy, "stale_list_view"))
    return found


class ViewMaker:
    """Makes the views of everybody, in an order that stays when others are added."""

    def __init__(self, setting: Setting, ids: Ids, groups: Sequence[Row], oracle: Oracle) -> None:
        self._setting, self._ids, self._oracle = setting, ids, oracle
        self._groups = {row["name"]: row["id"] for row in groups}
        self.rows: dict[str, list[Row]] = {
            "crm_list_view": [], "crm_list_view_filter": [], "crm_list_view_share": [],
        }  # fmt: skip

    def make(self) -> dict[str, list[Row]]:
        """Every row of the three tables."""
        staff = [one for one in self._setting.staff.values() if one.left_on is None]
        for one in staff:
            key, stream = one.post.key, Stream(self._setting.seed, "crm_list_view", one.post.key)
            views: list[View] = []
            if key == "ops":
                views += _for_everybody()
            if key in ("vp_amer", "vp_emea", "ae_apac"):
                views += _of_manager(one, stream)
            if one.post.department == "Sales" and key != "cro":
                views += _of_seller(one, stream)
            for view, rule in _with_copy(views, stream):
                self._add(view, one, rule, stream)
        return self.rows

    def _add(self, view: View, one: Employee, rule: str, stream: Stream) -> None:
        view_id = self._ids.new("crm_list_view")
        day = max(self._setting.now.date() - timedelta(days=stream.uniform_int(3, 240)), one.hired_on)
        at = instant_text(working_moment(stream, day, one.zone))
        self.rows["crm_list_view"].append(
            {
                "id": view_id, "object": view.object, "name": view.name, "name_norm": norm(view.name),
                "owner_id": one.id, "visibility": view.visibility, "scope": view.scope, "filter_logic": view.logic,
                "conditions": normal_form(view.filters, view.logic, view.scope),
                "columns": _text(list(_COLUMNS[view.object])), "sort": _text([list(key) for key in view.sort]),
                "created_at": at, "created_by": one.id, "updated_at": at, "updated_by": one.id,
            }
        )  # fmt: skip
        self.rows["crm_list_view_filter"] += [
            {"list_view_id": view_id, "pos": pos, "field": item.field, "type": item.type, "op": item.op,
             "value": None if item.value is None else _text(item.value)}
            for pos, item in enumerate(view.filters, 1)
        ]  # fmt: skip
        self.rows["crm_list_view_share"] += [
            {"list_view_id": view_id, "group_id": self._groups[name]} for name in view.groups
        ]
        if rule:
            self._oracle.note(rule, "crm_list_view", view_id, name=view.name)


def _text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
