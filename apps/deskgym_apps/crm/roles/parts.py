"""What the roles of several tables have in common."""

from __future__ import annotations

from ...kit.roles import (
    ACTOR,
    ACTOR_VALUE,
    BOOL,
    CLOCK,
    TOUCH,
    TOUCH_ACTOR,
    VERSION,
    Key,
    Role,
    Row,
    derived,
    ref,
    text,
)
from .. import rules

CREATED: dict[str, Role] = {"created_at": CLOCK, "created_by": ACTOR}
RECORD: dict[str, Role] = {
    **CREATED,
    "updated_at": TOUCH,
    "updated_by": TOUCH_ACTOR,
    "row_version": VERSION,
    "is_deleted": BOOL,
    "deleted_at": Role("clock_if", "is_deleted"),
    "deleted_by": Role("actor_if", "is_deleted"),
    "delete_batch": Role("batch_if", "is_deleted"),
}
OWNER = ref("org_person", initial=ACTOR_VALUE)


def address(prefix: str) -> dict[str, Role]:
    """The five columns of an address."""
    return {f"{prefix}_{part}": text("name") for part in ("street", "city", "state", "postcode", "country")}


def about(row: Row) -> tuple[str, Key]:
    """The record that a row of history or a notification is about."""
    return f"crm_{row['object']}", (row["record_id"],)


def norm_of(column: str) -> Role:
    """The normal form of another column."""
    return derived(rules.norm_of(column))


def digits_of(column: str) -> Role:
    """The digits of another column."""
    return derived(rules.digits_of(column))
