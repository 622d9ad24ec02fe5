"""Conditions of the set-up: what validation rules and assignment entries say about a record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....kit.call import Context, canonical_json
from ....kit.errors import BadQuery
from ...rules_setup import ASSIGNMENT_OPERATORS
from ..access import User
from ..conditions import Condition, FilterReader, where
from ..kinds import KINDS
from ..selection import Selection
from .settings import SettingChange

_ASSIGNED_BY = ("account", "contact", "product")  # parents whose fields an assignment entry may ask


class Everything(User):
    """Nobody in particular: sees all rows and fields, since a rule holds whoever saves."""

    def __init__(self, ctx: Context) -> None:
        super().__init__(ctx)
        self.is_admin = True


def whole(ctx: Context, kind: str) -> Selection:
    """All rows of a kind with all their fields."""
    return Selection(Everything(ctx), KINDS[kind])


def checked(change: SettingChange, kind: str, given: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Criteria as a rule keeps them, with the type of each field. Notes a fault for what cannot be asked."""
    conditions = [Condition.model_validate(item) for item in given]
    selection = whole(change.ctx, kind)
    try:
        where(selection, conditions, None)
        readers = [FilterReader(selection, 0, item) for item in conditions]
    except BadQuery as fault:
        change.refuse("criteria", fault.message)
        return []
    kept = []
    for reader in readers:
        item = {"field": reader.condition.field, "type": reader.type, "op": reader.op}
        kept.append(item | ({} if reader.condition.value is None else {"value": reader.condition.value}))
    return kept


def assignable(change: SettingChange, kind: str, given: Sequence[dict[str, Any]]) -> str:
    """Criteria of an assignment entry as JSON text, in a fixed order: only that all hold matters."""
    columns = change.ctx.store.shapes[KINDS[kind].table].columns
    kept = []
    for item in checked(change, kind, given):
        field, op = item["field"], item["op"]
        prefix, _, name = field.rpartition(".")
        if prefix and prefix not in _ASSIGNED_BY:
            change.refuse("criteria", f'"{field}" cannot be asked; only fields of {", ".join(_ASSIGNED_BY)} can')
        elif not prefix and name not in columns:
            change.refuse("criteria", f'"{field}" is not known yet when a {kind} is assigned')
        elif op not in ASSIGNMENT_OPERATORS:
            allowed = ", ".join(ASSIGNMENT_OPERATORS)
            change.refuse("criteria", f'an assignment entry has no operator "{op}"; it has {allowed}')
        elif item["type"] not in ("text", "picklist"):
            change.refuse("criteria", f'"{field}" is neither text nor a picklist')
        else:
            kept.append({"field": field, "op": op, "value": item["value"]})
    return canonical_json(sorted(kept, key=canonical_json))
