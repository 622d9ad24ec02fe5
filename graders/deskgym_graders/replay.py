"""Integrity: whether S0, the journal and S1 are one story (DESIGN §6).

In order: the schema is the image's; no command is open and none is left out; S0 + journal = S1 over every recorded
table, counters included; foreign keys hold; the commands, carried out again on a fresh S0, write the same journal
(jobs are not carried out: they must come again by themselves). With the second, an equal journal is an equal state.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary, finalize

from deskgym_apps.kit.call import advance_clock, run
from deskgym_apps.kit.errors import ServiceError
from deskgym_apps.kit.roles import Reader
from deskgym_apps.kit.schema import is_journaled
from deskgym_apps.kit.store import Proof, Store

from .diff import Atom, Upd, atoms_of_changes, same
from .journal import ADVANCE_CLOCK, Command, Journal, apply, journal_hash, net_changes, read_journal, same_row
from .keys import broken_keys
from .pages import Comparison, image_bytes, world_schema
from .verdict import Integrity

_TOKENS = "org_form_token"
# What reading or repeating a journal raises whose texts were bent: too deep, too large, of another shape.
MALFORMED = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)


def _order_faults(s1: Store, journal: Journal) -> Iterator[str]:
    if s1.conn.execute("SELECT 1 FROM jrn_open UNION ALL SELECT 1 FROM jrn_before").fetchone() is not None:
        yield "a command is still open"
    numbers = [row[0] for row in s1.conn.execute("SELECT seq FROM jrn_command ORDER BY seq")]
    if numbers != list(range(1, len(journal) + 1)):
        yield "commands are missing from the journal"
    known = {command.seq for command in journal}
    stray = s1.conn.execute("SELECT DISTINCT seq FROM jrn_effect").fetchall()
    if any(row[0] not in known for row in stray):
        yield "the journal holds effects of no command"


def _row_faults(world: Store, journal: Journal) -> Iterator[str]:
    """Effects that no trigger writes: of no recorded table, or keys and cells that no such table can hold."""
    for command in journal:
        for effect in command.effects:
            shape = world.shapes.get(effect.table)
            rows = [row for row in (effect.old, effect.new) if row is not None]
            if shape is None or not is_journaled(effect.table):
                yield f"command {command.seq} has an effect on {effect.table}, of which none is recorded"
            elif len(effect.key) != len(shape.key) or any(row.keys() != set(shape.columns) for row in rows):
                yield f"command {command.seq} has an effect on {effect.table} that is no row of it"
            elif not all(map(_is_cell, chain(effect.key, *(row.values() for row in rows)))):
                yield f"command {command.seq} has an effect on {effect.table} with a value that no row holds"


def _is_cell(value: Any) -> bool:
    """Whether a recorded table can hold a value: NULL, text, or a whole number of 64 bits."""
    return value is None or type(value) is str or (type(value) is int and -(2**63) <= value < 2**63)


def _is_same(told: Atom, found: Atom) -> bool:
    """Equal in table, key and column, and in every value by its type."""
    if type(told) is not type(found) or (told.table, told.key) != (found.table, found.key):
        return False
    if not all(map(same, told.key, found.key)):
        return False
    if isinstance(told, Upd):
        return (
            isinstance(found, Upd)
            and told.column == found.column
            and same(told.old, found.old)
            and same(told.new, found.new)
        )
    return not isinstance(found, Upd) and same_row(told.row, found.row)


def _sum_faults(s0: Reader, journal: Journal, found: tuple[Atom, ...]) -> Iterator[str]:
    _, faults = apply(s0, journal)
    yield from faults[:5]
    told = atoms_of_changes(net_changes(journal), journaled=True)
    if len(told) != len(found) or not all(map(_is_same, told, found)):
        odd = [str(atom) for atom in found if atom not in told] or [str(atom) for atom in told if atom not in found]
        yield f"S0 and the journal do not give S1: {len(odd)} differences, first {odd[0] if odd else '?'}"


def _key_faults(world: Store, s1: Store, found: tuple[Atom, ...]) -> Iterator[str]:
    broken = broken_keys(world, s1, found)
    if broken:
        yield f"{len(broken)} foreign keys are broken, first in {broken[0]}"


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


_spares: WeakKeyDictionary[Store, list[Store]] = WeakKeyDictionary()
_lock = Lock()


@contextmanager
def _fresh(image: bytes, world: Store) -> Iterator[Store]:
    """A copy of S0 to carry commands out on: a spare one, since reading the schema takes longest, else a new one."""
    with _lock:
        spares = _spares.setdefault(world, [])
        store = spares.pop() if spares else None
    if store is None or store.conn.serialize() != image:
        store = Store.memory(image, world.reference)
        store.shapes = world.shapes
        finalize(world, store.close)
    with store.rehearsing():
        yield store
    with _lock:
        spares.append(store)


def replay_faults(image: bytes, journal: Journal, world: Store) -> Iterator[str]:
    """What differs when the commands are carried out again on a fresh copy of S0."""
    repeated: Journal | None = None
    with _fresh(image, world) as fresh:
        refused = _refused(fresh, journal)
        if refused is None:
            repeated = read_journal(fresh)
    if repeated is None:
        yield str(refused)
        return
    if len(repeated) != len(journal):
        yield f"replay gives {len(repeated)} commands, the journal has {len(journal)}"
    for told, came in zip(journal, repeated, strict=False):
        if journal_hash([_told(told)]) != journal_hash([_told(came)]):  # equal by type as well: 1 is not 1.0
            yield f"command {told.seq} {told.operation} does otherwise on replay"
            return


def _refused(fresh: Store, journal: Journal) -> str | None:
    """Carry the commands out; which one could not be, or None."""
    for command in journal:
        if command.channel == "job":
            continue
        try:
            _again(fresh, command)
        except (ServiceError, sqlite3.Error, *MALFORMED, AssertionError) as error:
            return f"command {command.seq} {command.operation} is refused on replay: {error}"
    return None


def check_integrity(
    world: Store, s1: Store, journal: Journal, *, replay: bool, compared: Comparison, attached: bool = False
) -> Integrity:
    """Every check in order, stopping at the first kind that fails. Inside one read transaction of S1.

    Where S1 is S0 and the journal's effects, it is given the proof of that, which lasts until it is written again.

    `compared`: S1 beside the world, made in the same transaction. `attached`: see `beside`.
    """
    hashes = {"schema": world_schema(world), "journal": journal_hash(journal)}
    faults: list[str] = []
    if not compared.same_schema:
        faults.append("the schema is not the world's: tables, indexes or triggers were changed")
    else:
        faults += _order_faults(s1, journal)
        odd = list(_row_faults(world, journal))
        faults += odd[:5]
        found = compared.atoms(attached=attached)
        faults += () if odd else _sum_faults(compared.rows_before, journal, found)
        faults += _key_faults(world, s1, found)
    if not faults and compared.by_page:
        s1.proof = Proof(s1.written(), compared.pages)
    if replay and not faults:
        faults += replay_faults(image_bytes(world), journal, world)
    return Integrity(tuple(faults), replay, hashes)
