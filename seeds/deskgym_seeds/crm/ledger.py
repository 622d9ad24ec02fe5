"""Event-sourced records: a record is its creation and its saves in time; row and field history follow from them.

Processes may add saves in any order. ``Record.settle`` replays them by instant, so that the history of a tracked
field, replayed from creation, ends at the current value (I9), and ``updated_at``, ``row_version`` fit.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from deskgym_apps.crm.rules import TRACKED

from .. import numbering
from ..localtime import instant_text
from ..numbering import Oracle, Row
from ..organisation import Setting

PREFIXES: Final = {
    "crm_account": "ACC", "crm_contact": "CON", "crm_opportunity": "OPP", "crm_lead": "LEA",
    "crm_task": "TSK", "crm_event": "EVT", "crm_note": "NTE",
    "crm_email_message": "EML", "crm_field_history": "FHI", "crm_notification": "NTF",
    "crm_opportunity_line": "OLI", "crm_product": "PRD", "crm_pricebook": "PBK", "crm_pricebook_entry": "PBE",
    "crm_case": "CAS", "crm_case_comment": "CCM", "crm_assignment_rule": "ASR", "crm_article": "ART",
    "crm_role": "ROL", "crm_profile": "PRF", "crm_group": "GRP", "crm_sharing_rule": "SHR",
    "crm_permset": "PMS", "crm_user_permset": "PSA", "crm_group_member": "GRM", "crm_assignment_entry": "ASE",
    "crm_validation_rule": "VRL", "crm_picklist": "PKV",
    "crm_quote": "QUO", "crm_quote_line": "QLI", "crm_list_view": "LVW", "crm_matching_rule": "MRU",
    "crm_approval_process": "APC", "crm_approval_request": "APR",
    "crm_report": "RPT", "crm_dashboard": "DSH",
}  # fmt: skip

__all__ = ["PREFIXES", "Change", "Ids", "Oracle", "Record", "Row", "Save"]


@dataclass(frozen=True, slots=True)
class Save:
    """One save of a record by one person."""

    at: datetime
    by: str
    values: Row


@dataclass(frozen=True, slots=True)
class Change:
    """One row of field history."""

    at: datetime
    by: str
    object: str
    record_id: str
    field: str
    old: Any
    new: Any


@dataclass(slots=True)
class Record:
    """A record of an object (account, contact, opportunity, lead, case, task, …) over time; instants naive UTC."""

    object: str
    id: str
    created_at: datetime
    created_by: str
    values: Row
    saves: list[Save] = field(default_factory=list)
    deleted: tuple[datetime, str, str] | None = None

    def save(self, at: datetime, by: str, **values: Any) -> None:
        """Note a later save; ValueError if it lies before the creation."""
        if at <= self.created_at:
            raise ValueError(f"{self.object} {self.id} was created at {self.created_at}, cannot change at {at}")
        self.saves.append(Save(at, by, values))

    def at(self, instant: datetime) -> Row:
        """The values as they stood at an instant."""
        values = dict(self.values)
        for save in sorted(self.saves, key=lambda save: save.at):
            if save.at <= instant:
                values.update(save.values)
        return values

    @property
    def current(self) -> Row:
        """The values after every save."""
        return self.at(datetime.max)

    def settle(self) -> tuple[Row, list[Change]]:
        """The row (without derived columns) and its field history."""
        values, changes = dict(self.values), []
        version, updated_at, updated_by = 1, self.created_at, self.created_by
        tracked = TRACKED.get(self.object, ())
        for save in _joined(self.saves):
            fresh = {name: value for name, value in save.values.items() if values.get(name) != value}
            if not fresh:
                continue
            for name in tracked:
                if name in fresh:
                    changes.append(Change(save.at, save.by, self.object, self.id, name, values.get(name), fresh[name]))
            values.update(fresh)
            version, updated_at, updated_by = version + 1, save.at, save.by
        return self._row(values, version, updated_at, updated_by), changes

    def _row(self, values: Row, version: int, updated_at: datetime, updated_by: str) -> Row:
        row = {
            "id": self.id, **values, "created_at": instant_text(self.created_at), "created_by": self.created_by,
            "updated_at": instant_text(updated_at), "updated_by": updated_by, "row_version": version,
        }  # fmt: skip
        if self.deleted:
            at, by, batch = self.deleted
            row |= {
                "updated_at": instant_text(at), "updated_by": by, "row_version": version + 1, "is_deleted": 1,
                "deleted_at": instant_text(at), "deleted_by": by, "delete_batch": batch,
            }  # fmt: skip
        return row


def _joined(saves: list[Save]) -> list[Save]:
    """The saves by instant, those of one person at one instant as one."""
    out: list[Save] = []
    for save in sorted(saves, key=lambda save: save.at):
        if out and (out[-1].at, out[-1].by) == (save.at, save.by):
            out[-1] = Save(save.at, save.by, out[-1].values | save.values)
        else:
            out.append(save)
    return out


class Ids(numbering.Ids):
    """The ids of the CRM's rows."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting, PREFIXES)
