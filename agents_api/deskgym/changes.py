"""What a stretch of the journal changed, net of what came and went: for people, step records and films."""

from __future__ import annotations

import json
from typing import Any

from deskgym_apps.kit.schema import is_canonical
from deskgym_apps.kit.store import Store


def net_changes(store: Store, after: int = 0) -> list[dict[str, Any]]:
    """Each canonical row that differs from what it was after command `after`, by table and key.

    `{op, table, key, old, new}`: op is insert, update or delete; an update holds only the columns that differ.
    """
    sql = "SELECT tbl, key, old, new FROM jrn_effect WHERE seq > ? ORDER BY id"
    with store.reading():
        effects = store.conn.execute(sql, (after,)).fetchall()
    ends: dict[tuple[str, str], list[str | None]] = {}
    for table, key, old, new in effects:
        if is_canonical(table):
            ends.setdefault((table, key), [old, new])[1] = new
    found = (_change(table, key, old, new) for (table, key), (old, new) in sorted(ends.items()))
    return [change for change in found if change is not None]


def _change(table: str, key: str, old: str | None, new: str | None) -> dict[str, Any] | None:
    before = None if old is None else json.loads(old)
    now = None if new is None else json.loads(new)
    if before == now:
        return None
    if before is not None and now is not None:
        differing = [column for column in now if now[column] != before[column]]
        before = {column: before[column] for column in differing}
        now = {column: now[column] for column in differing}
    op = "insert" if before is None else "delete" if now is None else "update"
    return {"op": op, "table": table, "key": json.loads(key), "old": before, "new": now}
