"""The day of the last activity of accounts and opportunities (I11), kept right as activities and the clock move.

A completed task counts from its due date on and an event from its end on, each in its owner's zone; where that
moment comes by itself, a job counts it.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field

from ...kit.call import Context
from ...kit.dates import add_days, local_date, local_midnight, parse_instant
from ...kit.fields import Id
from ...kit.jobs import Job, job_source
from ...kit.operations import Input, command
from ...kit.store import Store

_ABOUT = "what_id = :id OR what_id IN (SELECT id FROM crm_opportunity WHERE account_id = :id)"
_DAYS = f"""
SELECT 'task' AS kind, a.due_date AS moment, p.tz FROM crm_task a JOIN org_person p ON p.id = a.owner_id
WHERE ({_ABOUT}) AND a.is_deleted = 0 AND a.status = 'Completed' AND a.due_date IS NOT NULL
UNION ALL
SELECT 'event', a.start_at, p.tz FROM crm_event a JOIN org_person p ON p.id = a.owner_id
WHERE ({_ABOUT}) AND a.is_deleted = 0 AND a.end_at <= :now
"""
_QUARTER_SECONDS = 900  # midnights of all zones fall on quarter hours


def last_day(store: Store, record_id: str, now: str) -> str | None:
    """The latest day that counts at the instant `now`, or None."""
    latest: dict[tuple[str, str], list[str]] = {}
    for kind, moment, tz in store.conn.execute(_DAYS, {"id": record_id, "now": now}):
        latest.setdefault((kind, tz), []).append(moment)
    days: list[str] = []
    for (kind, tz), moments in latest.items():
        if kind == "event":
            days.append(local_date(max(moments), tz))
        else:
            today = local_date(now, tz)
            days += [day for day in moments if day <= today]
    return max(days, default=None)


def refresh(ctx: Context, *record_ids: str | None) -> None:
    """Set `last_activity_on` of these accounts and opportunities, and of the opportunities' accounts."""
    for record_id in sorted({name for name in record_ids if name is not None}):
        if record_id.startswith("OPP"):
            row = ctx.store.get("crm_opportunity", record_id)
            _refresh_one(ctx, "crm_opportunity", record_id)
            if row is not None and row["account_id"] is not None:
                _refresh_one(ctx, "crm_account", row["account_id"])
        elif record_id.startswith("ACC"):
            _refresh_one(ctx, "crm_account", record_id)


def _refresh_one(ctx: Context, table: str, record_id: str) -> None:
    day = last_day(ctx.store, record_id, ctx.now)
    row = ctx.store.get(table, record_id)
    if row is not None and row["last_activity_on"] != day:
        ctx.update(table, record_id, {"last_activity_on": day})


class CountInput(Input):
    """A record whose day of the last activity is due."""

    id: Id = Field(title="Record")


@command("crm")
def count_activity(ctx: Context, values: CountInput) -> None:
    """Count an activity whose moment came by itself. Only a job calls this."""
    refresh(ctx, values.id)


def _clock_before(store: Store) -> str | None:
    """The clock before the step that is being taken; None outside a command."""
    row = store.conn.execute(
        "SELECT json_extract(e.old, '$.value') FROM jrn_effect e WHERE e.tbl = 'org_meta' "
        "AND e.key = json_array('sim_now') ORDER BY e.id DESC LIMIT 1"
    ).fetchone()
    return None if row is None else str(row[0])


def _is_stale(store: Store, what_id: str, until: str) -> bool:
    if what_id.startswith("OPP"):
        sql = "SELECT o.id, o.account_id, o.last_activity_on FROM crm_opportunity o WHERE o.id = ?"
    else:
        sql = "SELECT a.id, NULL AS account_id, a.last_activity_on FROM crm_account a WHERE a.id = ?"
    row = store.one(sql, (what_id,))
    if row is None:
        return False
    due = last_day(store, what_id, until)
    if due is not None and (row["last_activity_on"] or "") < due:
        return True
    return row["account_id"] is not None and _is_stale(store, row["account_id"], until)


def _job(due_at: str, table: str, row: dict[str, Any]) -> Job:
    return Job(due_at, table, row["id"], "crm.count_activity", {"id": row["what_id"]}, row["owner_id"])


def _events_ended(store: Store, since: str, until: str) -> list[Job]:
    rows = store.all(
        "SELECT id, what_id, owner_id, end_at FROM crm_event WHERE end_at > ? AND end_at <= ? "
        "AND is_deleted = 0 AND what_id IS NOT NULL ORDER BY end_at, id",
        (since, until),
    )
    return [_job(row["end_at"], "crm_event", row) for row in rows]


def _tasks_come_due(store: Store, since: str, until: str) -> list[Job]:
    quarters = [int(parse_instant(moment).timestamp()) // _QUARTER_SECONDS for moment in (since, until)]
    if quarters[0] == quarters[1]:
        return []
    rows = store.all(
        "SELECT t.id, t.what_id, t.owner_id, t.due_date, p.tz FROM crm_task t JOIN org_person p ON p.id = t.owner_id "
        "WHERE t.due_date BETWEEN ? AND ? AND t.status = 'Completed' AND t.is_deleted = 0 "
        "AND t.what_id IS NOT NULL ORDER BY t.due_date, t.id",
        (add_days(since[:10], -1), add_days(until[:10], 1)),
    )
    jobs = [_job(local_midnight(row["due_date"], row["tz"]), "crm_task", row) for row in rows]
    return [job for job in jobs if since < job.due_at <= until]


@job_source
def next_count(store: Store, until: str) -> Job | None:
    """The earliest activity that came to count since the clock stood before this step."""
    if "crm_event" not in store.shapes:
        return None
    since = _clock_before(store)
    if since is None:
        return None
    due = sorted([*_events_ended(store, since, until), *_tasks_come_due(store, since, until)])
    return next((job for job in due if _is_stale(store, job.arguments["id"], job.due_at)), None)
