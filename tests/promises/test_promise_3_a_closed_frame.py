"""Promise 3. Every cell that changed in any app must be explained by the task: one that is not is a fail.

Mutants of every task: tests/graders/test_mutants.py and test_crm_tasks.py. Forgeries of every kind:
tests/graders/test_verdict_forged.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from deskgym_apps.kit.store import Store
from deskgym_graders.answers import submitted
from deskgym_graders.comparators import Any as Anything
from deskgym_graders.diff import Atom, Ins, Upd, atoms_of_changes
from deskgym_graders.grade import grade, grade_store
from deskgym_graders.journal import net_changes
from deskgym_graders.mutate import oracle_journal
from deskgym_graders.oracle import carry_out, hand_in
from deskgym_graders.shapes import shapes
from deskgym_graders.spec import Allowed, Task
from deskgym_graders.tasks import bind
from deskgym_graders.verdict import Integrity
from deskgym_seeds.world import World

TASK = "crm/log-call@1"


def another(value: Any) -> Any:
    return value + 1 if isinstance(value, int) else f"{value or ''}x"


def stray_atoms(image: Store, done: tuple[Atom, ...]) -> Iterator[Atom]:
    """One changed cell for every column of every graded table; a new row where a table has none to change."""
    touched = {(atom.table, atom.key) for atom in done}
    for table, shape in sorted(shapes().items()):
        rows = ((row, tuple(row[name] for name in shape.key)) for row in image.select(table))
        row, key = next(((row, key) for row, key in rows if (table, key) not in touched), (None, ()))
        if row is None:
            key = ("x",) * len(shape.key)
            yield Ins(table, key, dict.fromkeys(shape.columns) | dict(zip(shape.key, key, strict=True)))
            continue
        yield from (
            Upd(table, key, name, row[name], another(row[name])) for name in shape.columns if name not in shape.key
        )


def unexplained_yet_passed(task: Task, image: Store) -> list[str]:
    """Stray atoms beside the oracle's work with which the task still passes. The work alone must pass."""
    journal = oracle_journal(task, image)
    done, handed_in = tuple(atoms_of_changes(net_changes(journal))), submitted(task.submission, task.person_id)

    def passes(atoms: tuple[Atom, ...]) -> bool:
        verdict = grade(task, image, atoms, journal, handed_in, integrity=Integrity())
        assert verdict.status == "graded"
        return verdict.reward != 0.0

    assert passes(done)
    return [str(atom) for atom in stray_atoms(image, done) if passes((*done, atom))]


def test_one_stray_cell_in_any_column_of_any_table_of_any_app_fails_the_task(image: Store) -> None:
    assert unexplained_yet_passed(bind(TASK, image), image) == []
    columns = {(atom.table, atom.column) for atom in stray_atoms(image, ()) if isinstance(atom, Upd)}
    assert len(columns) > 200
    assert {table.split("_")[0] for table, _ in columns} >= {"crm", "org"}


def test_a_frame_with_a_gap_is_seen_by_the_stray_cell_in_it(image: Store) -> None:
    task = bind(TASK, image)
    gap = Allowed("update", "crm_contact", {"title": Anything("nobody looks at titles anyway")})
    loose = replace(task, expectation=replace(task.expectation, allowed=(gap,)))

    (stray,) = unexplained_yet_passed(loose, image)
    assert "crm_contact" in stray
    assert ".title" in stray


FORGERIES = {
    "a cell": "UPDATE crm_note SET title = 'x' WHERE id = (SELECT min(id) FROM crm_note)",
    "a row gone": "DELETE FROM crm_note_link WHERE note_id = (SELECT min(note_id) FROM crm_note_link)",
    "the clock": "UPDATE org_meta SET value = '2040-01-01T00:00:00Z' WHERE key = 'sim_now'",
    "the journal itself": "DELETE FROM jrn_effect WHERE id = 1",
}


@pytest.mark.parametrize("forgery", [None, *FORGERIES])
def test_what_no_command_did_breaks_the_integrity_of_the_records(
    world: World, image: Store, forgery: str | None
) -> None:
    task = bind(TASK, image)
    with Store.memory(world.image, world.reference_path) as store:
        carry_out(store, task, task.oracle)
        if forgery is not None:
            behind_the_triggers(store, FORGERIES[forgery])
        hand_in(store, task, task.submission)
        verdict = grade_store(task, image, store)

    assert verdict.status == "graded"
    assert (verdict.reward, verdict.reason) == ((1.0, "OK") if forgery is None else (0.0, "INTEGRITY"))


def behind_the_triggers(store: Store, statement: str) -> None:
    """Write with the triggers taken away, and put them back."""
    triggers = store.all("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name")
    store.conn.execute("PRAGMA foreign_keys = OFF")
    for trigger in triggers:
        store.conn.execute(f"DROP TRIGGER {trigger['name']}")
    assert store.conn.execute(statement).rowcount > 0
    for trigger in triggers:
        store.conn.execute(trigger["sql"])
