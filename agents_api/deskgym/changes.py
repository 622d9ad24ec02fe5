"""What a stretch of the journal changed, net of what came and went: for people, step records and films."""

from __future__ import annotations

import json
from typing import Any

from deskgym_apps.kit.roles import Key, Row
from deskgym_apps.kit.schema import is_canonical
from deskgym_apps.kit.store import Store
from deskgym_graders import journal


def net_changes(store: Store, after: int = 0) -> list[dict[str, Any]]:
    """Each canonical row that differs from what it was after command `after`, by table and key.

    `{op, table, key, old, new}`: op is insert, update or delete; an update holds only the columns that differ.
    """
    with store.reading():
        ends = journal.net_changes(journal.read_journal(store, after))
    changed = [
        (table, key, old, new)
        for (table, key), (old, new) in ends.items()
        if is_canonical(table) and not journal.same_row(old, new)
    ]
    return [_change(*one) for one in sorted(changed, key=lambda one: (one[0], json.dumps(one[1], ensure_ascii=False)))]


def _change(table: str, key: Key, old: Row | None, new: Row | None) -> dict[str, Any]:
    if old is not None and new is not None:
        differing = [column for column in new if new[column] != old[column]]
        old = {column: old[column] for column in differing}
        new = {column: new[column] for column in differing}
    op = "insert" if old is None else "delete" if new is None else "update"
    return {"op": op, "table": table, "key": list(key), "old": old, "new": new}
