"""Delete and undelete (CRM-10): one batch goes and comes back together.

A batch is named by the id of the record that was deleted. Fields of surviving records that pointed into the batch
are cleared; undeleting puts them back where they are still empty. After 15 days a deleted record is purged: it
cannot be found or brought back any more.
"""

from __future__ import annotations

import json
from typing import Any

from ...kit.call import Context
from ...kit.errors import Invalid, NotFound
from ...kit.roles import Row
from .. import rules
from ..rules_approvals import APPROVABLE
from .access import ALL, User
from .activity_days import refresh
from .inputs import Deleted, DeleteInput, Restored, UndeleteInput
from .kinds import KINDS, RECORDS, SHARED, Kind, kind_of
from .records import check_lock, save

# Columns that point to records: a live row's must be live (I5)
_REFS: dict[str, tuple[str, ...]] = {
    "account": ("parent_id",),
    "contact": ("account_id", "reports_to_id"),
    "opportunity": ("account_id",),
    "case": ("account_id", "contact_id", "parent_id"),
    "quote": ("contact_id",),
    "lead": (),
    "task": ("what_id", "who_id"),
    "event": ("what_id", "who_id"),
    "note": (),
    "article": (),
}
# Gone with the record they belong to, and back under it only
_BELONGS = {"contact": "account_id", "opportunity": "account_id", "case": "account_id", "quote": "opportunity_id"}

Batch = dict[str, list[Row]]


def delete(ctx: Context, kind: Kind, values: DeleteInput) -> Deleted:
    """Soft-delete a record and its batch. Raises NotFound, Forbidden, Conflict, Invalid with what stands in the way."""
    user = User(ctx)
    row = user.load(kind, values.id)
    user.need(kind, "delete")
    row = user.load(kind, values.id, ALL)
    if values.row_version is not None:
        check_lock(ctx, kind, row, values.row_version)
    batch = _batch_below(ctx, kind, row)
    _refuse_pending(user, batch)
    if kind.name == "account":
        _refuse_won_deals(user, batch)
    gone = {item["id"] for rows in batch.values() for item in rows}
    cleared = _clear_refs_to(ctx, gone, batch)
    marks = {"is_deleted": 1, "deleted_at": ctx.now, "deleted_by": ctx.person_id, "delete_batch": row["id"]}
    for name, rows in batch.items():
        for item in rows:
            # the lines of its opportunity go on without a quote
            alone = {"is_synced": 0} if item is row and name == "quote" else {}
            save(ctx, KINDS[name], item, marks | alone)
    _refresh_after(ctx, batch, cleared)
    return Deleted(id=values.id, deleted=len(gone))


def _live(ctx: Context, kind: str, column: str, ids: set[str]) -> list[Row]:
    sql = (
        f"SELECT * FROM {KINDS[kind].table} WHERE {column} IN (SELECT value FROM json_each(?)) "
        "AND is_deleted = 0 ORDER BY id"
    )
    return list(ctx.store.all(sql, (json.dumps(sorted(ids)),)))


def _batch_below(ctx: Context, kind: Kind, row: Row) -> Batch:
    """The record, what belongs to it, and the activities and notes that are about nothing else that lives."""
    batch: Batch = {kind.name: [row]}
    if kind.name == "account":
        for child in ("contact", "opportunity", "case"):
            batch[child] = _live(ctx, child, _BELONGS[child], {row["id"]})
    if "opportunity" in batch:
        batch["quote"] = _live(ctx, "quote", _BELONGS["quote"], {item["id"] for item in batch["opportunity"]})
    gone = {item["id"] for rows in batch.values() for item in rows}
    if kind.name in SHARED:
        for activity in ("task", "event"):
            about = {item["id"]: item for column in _REFS[activity] for item in _live(ctx, activity, column, gone)}
            batch[activity] = [
                item for _, item in sorted(about.items()) if {item["what_id"], item["who_id"]} <= gone | {None}
            ]
        batch["note"] = _notes_only_about(ctx, gone)
    return batch


def _notes_only_about(ctx: Context, gone: set[str]) -> list[Row]:
    sql = (
        "SELECT * FROM crm_note n WHERE n.is_deleted = 0 AND EXISTS (SELECT 1 FROM crm_note_link l "
        "WHERE l.note_id = n.id AND l.record_id IN (SELECT value FROM json_each(?))) ORDER BY n.id"
    )
    notes = ctx.store.all(sql, (json.dumps(sorted(gone)),))
    return [note for note in notes if not any(is_live(ctx, link) for link in note_links(ctx, note["id"]) - gone)]


def note_links(ctx: Context, note_id: str) -> set[str]:
    """Ids of the records a note is attached to."""
    return {str(row["record_id"]) for row in ctx.store.select("crm_note_link", note_id=note_id)}


def is_live(ctx: Context, record_id: str) -> bool:
    """Whether a record exists and is not deleted."""
    row = ctx.store.get(kind_of(record_id).table, record_id)
    return row is not None and not row["is_deleted"]


def stands_alone(ctx: Context, kind: Kind, row: Row) -> bool:
    """Whether nothing that lives belongs to a record or points to it."""
    batch = _batch_below(ctx, kind, row)
    if sum(len(rows) for rows in batch.values()) > 1:
        return False
    return not any(_live(ctx, name, column, {row["id"]}) for name, columns in _REFS.items() for column in columns)


def _refuse_won_deals(user: User, batch: Batch) -> None:
    """Raises Invalid where a deal of the batch is won. Names those that the person may read, counts the others."""
    sql = (
        f"SELECT t.id, t.name, {user.visible('opportunity', 't')} AS shown FROM crm_opportunity t "
        "JOIN crm_stage s ON s.name = t.stage AND s.is_won = 1 "
        "WHERE t.id IN (SELECT value FROM json_each(:ids)) ORDER BY t.id"
    )
    ids = json.dumps([row["id"] for row in batch["opportunity"]])
    won = user.ctx.store.all(sql, user.params | {"ids": ids})
    if not won:
        return
    named = [row for row in won if row["shown"]]
    names = [f"{row['name']} ({row['id']})" for row in named]
    if len(named) < len(won):
        names.append(f"{len(won) - len(named)} you may not see")
    error = Invalid(f"this account cannot be deleted: {len(won)} of its opportunities are won: {', '.join(names)}")
    error.details = {"records": [{"id": row["id"], "name": row["name"]} for row in named]}
    raise error


def _refuse_pending(user: User, batch: Batch) -> None:
    """Raises Invalid where an approval of a record of the batch is pending, with those that the person may read."""
    names, known, count = [], [], 0
    for name in (name for name in APPROVABLE if batch.get(name)):
        kind = KINDS[name]
        sql = (
            f"SELECT t.id, {kind.name_sql.format(t='t')} AS name, {user.visible(name, 't')} AS shown "
            f"FROM {kind.table} t JOIN crm_approval_request q ON q.record_id = t.id AND q.status = 'Pending' "
            "WHERE t.id IN (SELECT value FROM json_each(:ids)) ORDER BY t.id"
        )
        ids = json.dumps([row["id"] for row in batch[name]])
        rows = user.ctx.store.all(sql, user.params | {"ids": ids})
        count += len(rows)
        known += [{"id": row["id"], "name": row["name"]} for row in rows if row["shown"]]
        names += [f"{row['name']} ({row['id']})" for row in rows if row["shown"]]
    if not count:
        return
    if len(names) < count:
        names.append(f"{count - len(names)} you may not see")
    error = Invalid(f"this cannot be deleted: an approval is pending of {', '.join(names)}")
    error.details = {"records": known}
    raise error


def _clear_refs_to(ctx: Context, gone: set[str], batch: Batch) -> list[Row]:
    """Clear what live rows outside the batch say about it. Returns those rows as they were."""
    inside = {item["id"] for rows in batch.values() for item in rows}
    changed = []
    for kind, columns in _REFS.items():
        found = {item["id"]: item for column in columns for item in _live(ctx, kind, column, gone)}
        for record_id, item in sorted(found.items()):
            if record_id not in inside:
                save(ctx, KINDS[kind], item, {column: None for column in columns if item[column] in gone})
                changed.append(item)
    return changed


def _refresh_after(ctx: Context, batch: Batch, others: list[Row]) -> None:
    """Count the last activity again of records that lost or regained activities (I11)."""
    activities = [*batch.get("task", []), *batch.get("event", []), *others]
    accounts = {row["account_id"] for row in batch.get("opportunity", [])}
    refresh(ctx, *{row["what_id"] for row in activities if "what_id" in row}, *accounts)


def purge_line(ctx: Context) -> str:
    """Records deleted at or before this instant are purged."""
    return rules.purge_line(ctx.now)


def undelete(ctx: Context, kind: Kind, values: UndeleteInput) -> Restored:
    """Bring back a record and what was deleted with it, links included; of one that was merged, its row alone (CRM-4).

    Raises NotFound (not deleted, purged), Forbidden, Invalid where its parent is deleted or a unique value is taken.
    """
    user = User(ctx)
    row = user.find(kind, values.id)
    if not row["is_deleted"]:
        raise Invalid(f"this {kind.label.lower()} is not deleted", field="id")
    user.need(kind, "delete")
    if row["level"] < ALL:
        user.load(kind, values.id, ALL)
    if row["deleted_at"] <= purge_line(ctx):
        raise NotFound(f"this {kind.label.lower()} was purged {rules.KEEP_DAYS} days after it was deleted", field="id")
    _refuse_dead_parent(ctx, kind, row)
    batch = _batch_of(ctx, row["delete_batch"])
    _refuse_taken_number(user, batch.get("account", []))
    came = {item["id"] for rows in batch.values() for item in rows}
    is_merged = row.get("master_record_id") is not None
    marks: dict[str, Any] = {"is_deleted": 0, "deleted_at": None, "deleted_by": None, "delete_batch": None}
    marks |= {"master_record_id": None} if is_merged else {}
    for name, rows in batch.items():
        for item in rows:
            save(ctx, KINDS[name], item, marks | _dead_refs(ctx, name, item, came))
    others = [] if is_merged else _put_refs_back(ctx, row, came)
    if is_merged and kind.name == "contact":
        _link_again(ctx, values.id)
    _refresh_after(ctx, batch, others)
    version = ctx.store.get(kind.table, values.id)
    return Restored(id=values.id, row_version=version["row_version"] if version else 0, restored=len(came))


def _batch_of(ctx: Context, batch: str) -> Batch:
    return {name: list(ctx.store.select(KINDS[name].table, is_deleted=1, delete_batch=batch)) for name in RECORDS}


def _refuse_dead_parent(ctx: Context, kind: Kind, row: Row) -> None:
    """A record comes back only under a live parent; an activity or note needs one of those it had."""
    if kind.name == "note":
        parents = sorted(note_links(ctx, row["id"]))
    elif kind.name in _BELONGS:
        parent_id = row[_BELONGS[kind.name]]
        parents = [parent_id] if parent_id else []
    else:
        parents = [row[column] for column in _REFS[kind.name] if row[column]] if kind.name != "account" else []
    if not parents or any(is_live(ctx, parent) for parent in parents):
        return
    parent = kind_of(parents[0])
    raise Invalid(f"its {parent.label.lower()} {parents[0]} is in the recycle bin; bring that back first", field="id")


def _refuse_taken_number(user: User, accounts: list[Row]) -> None:
    for row in accounts:
        other = user.ctx.store.one(
            f"SELECT t.id, t.name, {user.visible('account', 't')} AS shown FROM crm_account t "
            "WHERE t.account_number = :number AND t.is_deleted = 0",
            user.params | {"number": row["account_number"]},
        )
        if other is not None:
            holder = f"{other['name']} ({other['id']})" if other["shown"] else "an account you may not see"
            error = Invalid(
                f'{row["name"]} cannot come back: its account number "{row["account_number"]}" now belongs to {holder}',
                field="account_number",
            )
            error.details = {"records": [{"id": other["id"], "name": other["name"]}] if other["shown"] else []}
            raise error


def _dead_refs(ctx: Context, kind: str, row: Row, came: set[str]) -> dict[str, None]:
    """Fields of a returning row whose record was deleted meanwhile: they come back empty."""
    return {
        column: None
        for column in _REFS[kind]
        if row[column] is not None and row[column] not in came and not is_live(ctx, row[column])
    }


def _link_again(ctx: Context, contact_id: str) -> None:
    """I8: a contact stands among the contacts of its account, though its link went to whom it was merged into."""
    row = ctx.store.get("crm_contact", contact_id)
    if row is not None and row["account_id"] is not None:
        key = {"account_id": row["account_id"], "contact_id": contact_id}
        if ctx.store.get("crm_account_contact", (row["account_id"], contact_id)) is None:
            ctx.insert("crm_account_contact", key | {"is_direct": 1})


def _put_refs_back(ctx: Context, root: Row, came: set[str]) -> list[Row]:
    """Point surviving records into the batch again, as they did before the deletion cleared them."""
    changed: list[Row] = []
    for table, key, old, new in _cleared_by_deletion(ctx, root):
        kind = next(kind for kind in KINDS.values() if kind.table == table)
        row = ctx.store.get(table, tuple(json.loads(key)))
        if row is None or row["is_deleted"]:
            continue
        back = {
            column: old[column]
            for column in _REFS[kind.name]
            if old[column] in came and new[column] is None and row[column] is None
        }
        if back:
            save(ctx, kind, row, back)
            changed.append(dict(row) | back)
    return changed


def _cleared_by_deletion(ctx: Context, root: Row) -> list[tuple[str, str, dict[str, Any], dict[str, Any]]]:
    """Updates of live rows in the command that deleted the root, from the journal; none of before the episode."""
    kind = kind_of(root["id"])
    sql = (
        "SELECT tbl, key, old, new FROM jrn_effect WHERE old IS NOT NULL AND new IS NOT NULL AND seq = ("
        "SELECT max(seq) FROM jrn_effect WHERE tbl = ? AND key = json_array(?) "
        "AND json_extract(old, '$.is_deleted') = 0 AND json_extract(new, '$.is_deleted') = 1) ORDER BY id"
    )
    tables = {KINDS[name].table for name, columns in _REFS.items() if columns}
    effects = ctx.conn.execute(sql, (kind.table, root["id"])).fetchall()
    rows = [(tbl, key, json.loads(old), json.loads(new)) for tbl, key, old, new in effects if tbl in tables]
    return [row for row in rows if row[3]["is_deleted"] == 0]
