"""Run one command or one query on a store (DESIGN §3, "A command").

BEGIN IMMEDIATE, refuse if sealed, journal row, clock step, work, due jobs, COMMIT. A refused command leaves nothing.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from pydantic import BaseModel

from . import ids, jobs
from .dates import add_seconds, local_date, parse_instant
from .errors import Conflict, Forbidden, Invalid, NotFound, Sealed
from .operations import Input, Operation, operation
from .roles import Row
from .store import Store

Channel = Literal["ui", "mcp", "job", "control"]
STEP_SECONDS = 1


class Tried(Exception):
    """Raised by a command that was to be tried only: its result is given back, and nothing of it is kept."""

    def __init__(self, result: Any) -> None:
        super().__init__("tried only")
        self.result = result


@dataclass
class Context:
    """What a service function works with: the store, the person, the instant all its rows carry."""

    store: Store
    person_id: str
    channel: Channel
    now: str
    memo: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)
    """What queries that share one read transaction need not work out again. Commands keep nothing here."""

    @property
    def conn(self) -> sqlite3.Connection:
        return self.store.conn

    @cached_property
    def person(self) -> Row:
        """The acting person's row of org_person. Raises Forbidden for an unknown one."""
        row = self.store.get("org_person", self.person_id)
        if row is None:
            raise Forbidden(f'there is no person "{self.person_id}" in this world')
        return row

    @property
    def today(self) -> str:
        """Today's date in the acting person's zone (X-2)."""
        return local_date(self.now, self.person["tz"])

    def new_id(self, table: str) -> str:
        """A fresh opaque id for a row of `table` (X-4)."""
        prefix = self.store.tables[table].prefix
        if prefix is None:
            raise ValueError(f"table {table} has no id prefix")
        return ids.opaque(self.store.meta("world_key"), table, ids.take(self.conn, table), prefix)

    def insert(self, table: str, row: Mapping[str, Any]) -> None:
        """Insert one row; columns that are not given take the schema's default."""
        columns = ", ".join(f'"{name}"' for name in row)
        marks = ", ".join("?" for _ in row)
        self.conn.execute(f'INSERT INTO "{table}"({columns}) VALUES ({marks})', tuple(row.values()))

    def update(self, table: str, key: tuple[Any, ...] | str, changes: Mapping[str, Any]) -> None:
        """Change columns of one row by primary key. Raises NotFound where there is no such row."""
        shape = self.store.shapes[table]
        values = (key,) if isinstance(key, str) else key
        assignments = ", ".join(f'"{name}" = ?' for name in changes)
        where = " AND ".join(f'"{name}" = ?' for name in shape.key)
        done = self.conn.execute(f'UPDATE "{table}" SET {assignments} WHERE {where}', (*changes.values(), *values))
        if done.rowcount != 1:
            raise NotFound(f"there is no row {values} in {table}")

    def delete(self, table: str, key: tuple[Any, ...] | str) -> None:
        """Remove one row by primary key. Raises NotFound where there is no such row."""
        shape = self.store.shapes[table]
        values = (key,) if isinstance(key, str) else key
        where = " AND ".join(f'"{name}" = ?' for name in shape.key)
        done = self.conn.execute(f'DELETE FROM "{table}" WHERE {where}', values)
        if done.rowcount != 1:
            raise NotFound(f"there is no row {values} in {table}")


def canonical_json(value: Any) -> str:
    """JSON with sorted keys, no spaces, non-ASCII kept."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def plain(value: Any) -> Any:
    """JSON data of what a service returned."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(name): plain(item) for name, item in value.items()}
    return value


def arguments_of(values: Input) -> dict[str, Any]:
    """The arguments as the journal records them: what was given, nothing more."""
    return values.model_dump(mode="json", exclude_unset=True)


def is_sealed(store: Store) -> bool:
    """Whether the episode was submitted."""
    return store.conn.execute("SELECT 1 FROM desk_submission").fetchone() is not None


def _next_seq(conn: sqlite3.Connection) -> int:
    return int(conn.execute("SELECT coalesce(max(seq), 0) + 1 FROM jrn_command").fetchone()[0])


def open_journal(store: Store, instant: str, person_id: str | None, channel: Channel, name: str, arguments: str) -> int:
    """Write the journal row of the command that begins, and let its effects be recorded. Returns its seq."""
    seq = _next_seq(store.conn)
    store.conn.execute(
        "INSERT INTO jrn_command(seq, instant, person_id, channel, operation, arguments) VALUES (?, ?, ?, ?, ?, ?)",
        (seq, instant, person_id, channel, name, arguments),
    )
    store.conn.execute("DELETE FROM jrn_open")
    store.conn.execute("INSERT INTO jrn_open(one, seq, mode) VALUES (1, ?, 'work')", (seq,))
    return seq


def _set_clock(store: Store, instant: str) -> None:
    store.conn.execute("UPDATE org_meta SET value = ? WHERE key = 'sim_now'", (instant,))


def _run_due(store: Store, until: str) -> None:
    while (job := jobs.next_due(store, until)) is not None:
        values = operation(job.operation).parse(job.arguments)
        open_journal(store, job.due_at, None, "job", job.operation, canonical_json(arguments_of(values)))
        operation(job.operation).function(Context(store, job.person_id, "job", job.due_at), values)


def _check_agent_may(store: Store, chosen: Operation) -> None:
    if not chosen.writes:
        raise ValueError(f"{chosen.name} only reads; use read()")
    if is_sealed(store):
        raise Sealed("this episode was submitted; nothing more can be changed")


def run(
    store: Store,
    name: str,
    arguments: Mapping[str, Any] | Input,
    *,
    person_id: str,
    channel: Channel,
    token: str | None = None,
) -> Any:
    """Run one command in one transaction and return its result as JSON data.

    `token`: a form token or idempotency key. The same token with the same arguments answers with the first
    result and changes nothing; with other arguments it is a new command (X-6).
    Raises ServiceError; nothing is written then. Nor is it where the command says that it was only `Tried`.
    """
    try:
        return _run(store, name, arguments, person_id, channel, token)
    except Tried as tried:
        return plain(tried.result)


def _run(
    store: Store, name: str, arguments: Mapping[str, Any] | Input, person_id: str, channel: Channel, token: str | None
) -> Any:
    chosen = operation(name)
    values = chosen.parse(arguments)
    text = canonical_json(arguments_of(values))
    digest = hashlib.sha256(f"{name}|{text}".encode()).hexdigest()
    with store.writing():
        if token is not None:
            known = store.get("org_form_token", (token, person_id, digest))
            if known is not None:
                return json.loads(known["result"])
        _check_agent_may(store, chosen)
        now = add_seconds(store.now, STEP_SECONDS)
        open_journal(store, now, person_id, channel, name, text)
        _set_clock(store, now)
        result = plain(chosen.function(Context(store, person_id, channel, now), values))
        if token is not None:
            row = (token, person_id, digest, name, canonical_json(result))
            store.conn.execute("INSERT INTO org_form_token VALUES (?, ?, ?, ?, ?)", row)
        _run_due(store, now)
        store.conn.execute("DELETE FROM jrn_open")
    return result


def read(
    store: Store, name: str, arguments: Mapping[str, Any] | Input, *, person_id: str, context: Context | None = None
) -> Any:
    """Run one query in one read transaction and return its result as JSON data. Writes nothing (X-11).

    `context`: that of the read transaction which the caller has open, for several queries in it.
    """
    chosen = operation(name)
    if chosen.writes:
        raise ValueError(f"{name} writes; use run()")
    values = chosen.parse(arguments)
    with store.reading():
        return plain(chosen.function(context or Context(store, person_id, "ui", store.now), values))


def advance_clock(store: Store, seconds: int) -> str:
    """Control's longer step (X-1): jobs due on the way run in order. Returns the new instant."""
    if seconds <= 0:
        raise Invalid(f"the clock only goes forward; {seconds} seconds is not a step", field="seconds")
    with store.writing():
        if is_sealed(store):
            raise Sealed("this episode was submitted; its clock stands")
        now = add_seconds(store.now, seconds)
        open_journal(store, now, None, "control", "org.advance_clock", canonical_json({"seconds": seconds}))
        _set_clock(store, now)
        _run_due(store, now)
        store.conn.execute("DELETE FROM jrn_open")
    return now


def check_version(row: Row, given: int, *, changed: Mapping[str, Any] | None = None) -> None:
    """Optimistic locking (X-7). Raises Conflict when the row has moved on since `given` was read."""
    if row["row_version"] != given:
        details = {
            "changed_by": row["updated_by"],
            "changed_at": row["updated_at"],
            "row_version": row["row_version"],
        }
        raise Conflict(
            f"this record changed since you opened it (you have version {given}, it is now {row['row_version']})",
            field="row_version",
            details=details | ({"yours": dict(changed)} if changed else {}),
        )


def seconds_between(earlier: str, later: str) -> int:
    """Whole seconds from one instant to another."""
    return int((parse_instant(later) - parse_instant(earlier)).total_seconds())
