"""What the merge of records must leave behind (CRM-4), and the call that does it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from deskgym_apps.kit.store import Store
from deskgym_graders.expected import changed, expected_row
from deskgym_graders.spec import Call, Delete, Step

from . import picks
from .picks import Row

# Column that says which account or contact a row is about, by table
_ABOUT: Mapping[str, Mapping[str, str]] = {
    "crm_account": {
        "crm_account": "parent_id",
        "crm_contact": "account_id",
        "crm_opportunity": "account_id",
        "crm_case": "account_id",
        "crm_task": "what_id",
        "crm_event": "what_id",
        "crm_email_message": "what_id",
        "crm_lead": "converted_account_id",
    },
    "crm_contact": {
        "crm_contact": "reports_to_id",
        "crm_case": "contact_id",
        "crm_quote": "contact_id",
        "crm_task": "who_id",
        "crm_event": "who_id",
        "crm_email_message": "who_id",
        "crm_lead": "converted_contact_id",
    },
}
BECAUSE = "what belongs to a record that is merged away belongs to the one that is kept"


@dataclass(frozen=True)
class Merge:
    """One record merged into another of the same table; `taken`: fields whose value is the loser's."""

    table: str
    survivor: Row
    loser: Row
    taken: tuple[str, ...] = field(default=())

    def call(self, **more: Any) -> Call:
        """The merge; `more` arguments take the place of the usual ones."""
        choices = dict.fromkeys(self.taken, self.loser["id"])
        usual: dict[str, Any] = {"survivor": self.survivor["id"], "losers": [self.loser["id"]]}
        usual |= {"field_choices": choices} if choices else {}
        usual["row_versions"] = {row["id"]: row["row_version"] for row in (self.survivor, self.loser)}
        return Call("crm_merge", usual | more)

    def turned(self) -> Merge:
        """The other way round: the other record is kept."""
        return Merge(self.table, self.loser, self.survivor)

    def goal(self, world: Store) -> tuple[Step, ...]:
        """Every row that must change."""
        stays, goes = str(self.survivor["id"]), str(self.loser["id"])
        steps: list[Step] = [changed(self.table, goes, is_deleted=1, master_record_id=stays)]
        steps += self._survivor(goes)
        for table, column in _ABOUT[self.table].items():
            for row in picks.by_id(world.select(table, **{column: goes})):
                if row["id"] != stays:
                    steps.append(changed(table, row["id"], **{column: stays}))
        for link in sorted(world.select("crm_note_link", record_id=goes), key=lambda row: str(row["note_id"])):
            steps.append(Delete("crm_note_link", (link["note_id"], goes)))
            if world.get("crm_note_link", (link["note_id"], stays)) is None:
                steps.append(expected_row("crm_note_link", note_id=link["note_id"], record_id=stays))
        return (*steps, *self._links(world), *self._roles(world))

    def _survivor(self, goes: str) -> list[Step]:
        given = {name: self.loser[name] for name in self.taken if self.loser[name] != self.survivor[name]}
        above = "parent_id" if self.table == "crm_account" else "reports_to_id"
        if self.survivor[above] == goes:
            given[above] = self.loser[above]
        return [changed(self.table, self.survivor["id"], **given)] if given else []

    def _links(self, world: Store) -> list[Step]:
        """Relations of accounts and contacts: moved, and direct where the contact's own account is the one."""
        column, other = ("account_id", "contact_id") if self.table == "crm_account" else ("contact_id", "account_id")
        stays, goes = self.survivor["id"], self.loser["id"]
        steps: list[Step] = []
        for row in sorted(world.select("crm_account_contact", **{column: goes}), key=lambda one: str(one[other])):
            steps.append(Delete("crm_account_contact", (row["account_id"], row["contact_id"])))
            key = {column: stays, other: row[other]}
            there = world.get("crm_account_contact", (key["account_id"], key["contact_id"]))
            direct: dict[str, Any] = {"is_direct": 1} if row["is_direct"] and column == "account_id" else {}
            if there is not None:
                blank = {"role": row["role"]} if there["role"] is None and row["role"] is not None else {}
                own = (key["account_id"], key["contact_id"])
                steps += [changed("crm_account_contact", own, **blank, **direct)] if blank | direct else []
                continue
            role = {"role": row["role"]} if row["role"] is not None else {}
            steps.append(expected_row("crm_account_contact", **key, **role, **direct))
        return steps

    def _roles(self, world: Store) -> list[Step]:
        """Parts of a contact in opportunities."""
        if self.table != "crm_contact":
            return []
        stays, goes = self.survivor["id"], self.loser["id"]
        steps: list[Step] = []
        table = "crm_opportunity_contact_role"
        for row in sorted(world.select(table, contact_id=goes), key=lambda one: str(one["opportunity_id"])):
            deal = row["opportunity_id"]
            steps.append(Delete(table, (deal, goes)))
            there = world.get(table, (deal, stays))
            if there is None:
                given = {name: row[name] for name in ("role", "is_primary") if row[name]}
                steps.append(expected_row(table, opportunity_id=deal, contact_id=stays, **given))
                continue
            given = {"role": row["role"]} if there["role"] is None and row["role"] is not None else {}
            given |= {"is_primary": 1} if row["is_primary"] and not there["is_primary"] else {}
            if given:
                steps.append(changed(table, (deal, stays), **given))
        return steps


def because(goal: tuple[Step, ...]) -> dict[str, str]:
    """Why what goes over need not stand in the instruction, by table and column."""
    found: dict[str, str] = {}
    for step in goal:
        columns = () if isinstance(step, Delete) else step.set if hasattr(step, "set") else step.values
        found |= {f"{step.table}.{column}": BECAUSE for column in columns}
    return found
