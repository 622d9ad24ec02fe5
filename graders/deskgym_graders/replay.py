"""Integrity: whether S0, the journal and S1 are one story (DESIGN §6).

In order: the schema is the image's; no command is open and none is left out; S0 + journal = S1 over every recorded
table, counters included; foreign keys hold; the commands, carried out again on a fresh S0, write the same journal
(jobs are not carried out: they must come again by themselves). With the second, an equal journal is an equal state.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator

from deskgym_apps.kit.call import advance_clock, run
from deskgym_apps.kit.errors import ServiceError
from deskgym_apps.kit.schema import schema_text
from deskgym_apps.kit.store import Store

from .diff import Atom, Del, atoms_of_changes, diff_stores
from .journal import ADVANCE_CLOCK, Command, Journal, apply, journal_hash, net_changes, read_journal
from .pages import image_bytes, tables_that_may_differ
from .verdict import Integrity

_TOKENS = "org_form_token"


def _schema_faults(expected: str, s1: Store) -> Iterator[str]:
    if schema_hash(s1) != expected:
        yield "the schema is not the world's: tables, indexes or triggers were changed"


def schema_hash(store: Store) -> str:
    """SHA-256 of a store's schema."""
    return hashlib.sha256(schema_text(store.conn).encode()).hexdigest()


def _order_faults(s1: Store, journal: Journal) -> Iterator[str]:
    if s1.conn.execute("SELECT 1 FROM jrn_open").fetchone() is not None:
        yield "a command is still open"
    numbers = [command.seq for command in journal]
    if numbers != list(range(1, len(numbers) + 1)):
        yield "commands are missing from the journal"
    known = {command.seq for command in journal}
    stray = s1.conn.execute("SELECT DISTINCT seq FROM jrn_effect").fetchall()
    if any(row[0] not in known for row in stray):
        yield "the journal holds effects of no command"


def _sum_faults(s0: Store, journal: Journal, found: tuple[Atom, ...]) -> Iterator[str]:
    _, faults = apply(s0, journal)
    yield from faults[:5]
    told = atoms_of_changes(net_changes(journal), journaled=True)
    if list(map(str, told)) != list(map(str, found)) or told != found:
        odd = [str(atom) for atom in found if atom not in told] or [str(atom) for atom in told if atom not in found]
        yield f"S0 and the journal do not give S1: {len(odd)} differences, first {odd[0] if odd else '?'}"


def _key_faults(s1: Store, found: tuple[Atom, ...]) -> Iterator[str]:
    """Rows that nobody changed can only break where a row was removed; then every table is checked."""
    tables = sorted({atom.table for atom in found})
    checks = [f'PRAGMA main.foreign_key_check("{table}")' for table in tables]
    if any(isinstance(atom, Del) for atom in found):
        checks = ["PRAGMA main.foreign_key_check"]
    broken = [row for check in checks for row in s1.conn.execute(check)]
    if broken:
        yield f"{len(broken)} foreign keys are broken, first in {broken[0][0]}"


def _again(fresh: Store, command: Command) -> None:
    arguments = json.loads(command.arguments)
    if command.operation == ADVANCE_CLOCK:
        advance_clock(fresh, arguments["seconds"])
        return
    channel = command.channel
    assert channel in ("ui", "mcp", "control")
    run(fresh, command.operation, arguments, person_id=command.person_id or "", channel=channel)  # type: ignore[arg-type]


def _told(command: Command) -> Command:
    effects = tuple(effect for effect in command.effects if effect.table != _TOKENS)
    return Command(
        command.seq,
        command.instant,
        command.person_id,
        command.channel,
        command.operation,
        command.arguments,
        effects,
    )


def replay_faults(image: bytes, journal: Journal, world: Store) -> Iterator[str]:
    """What differs when the commands are carried out again on a fresh copy of S0."""
    with Store.memory(image, world.reference) as fresh:
        for command in journal:
            if command.channel == "job":
                continue
            try:
                _again(fresh, command)
            except (ServiceError, sqlite3.Error, ValueError, LookupError, TypeError, AssertionError) as error:
                yield f"command {command.seq} {command.operation} is refused on replay: {error}"
                return
        with fresh.reading():
            repeated = read_journal(fresh)
    if len(repeated) != len(journal):
        yield f"replay gives {len(repeated)} commands, the journal has {len(journal)}"
    for told, came in zip(journal, repeated, strict=False):
        if _told(told) != _told(came):
            yield f"command {told.seq} {told.operation} does otherwise on replay"
            return


def check_integrity(world: Store, s1: Store, journal: Journal, *, replay: bool, attached: bool = False) -> Integrity:
    """Every check in order, stopping at the first kind that fails. Inside one read transaction of S1."""
    hashes = {"schema": schema_hash(world), "journal": journal_hash(journal)}
    faults = list(_schema_faults(hashes["schema"], s1))
    if not faults:
        faults = [*_order_faults(s1, journal)]
        only = tables_that_may_differ(world, s1)
        found = diff_stores(world, s1, attached=attached, journaled=True, only=only)
        faults += _sum_faults(world, journal, found)
        faults += _key_faults(s1, found)
    if replay and not faults:
        faults += replay_faults(image_bytes(world), journal, world)
    return Integrity(tuple(faults), replay, hashes)
