"""The columns of a case that follow from its history and its thread (CRM-8), kept right as these grow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...kit.call import Context
from ...kit.roles import Reader, Row
from .. import rules_cases as rules

# In this order: the due instants depend on those before them
_DERIVED: dict[str, Callable[[Reader, Row], Any]] = {
    "is_escalated": rules.was_escalated,
    "first_response_at": rules.first_response,
    "paused_minutes": rules.paused_minutes,
    "first_response_due": rules.first_response_due,
    "resolution_due": rules.resolution_due,
}


def refresh_clocks(ctx: Context, case_id: str) -> None:
    """Set what follows from status history, comments and e-mails; the row's version stays."""
    row = ctx.store.get("crm_case", case_id)
    if row is None:
        raise ValueError(f"there is no case {case_id}")
    after = dict(row)
    for column, derive in _DERIVED.items():
        after[column] = derive(ctx.store, after)
    moved = {column: after[column] for column in _DERIVED if after[column] != row[column]}
    if moved:
        ctx.update("crm_case", case_id, moved)
