"""Attacks (A9, grading.md §3.11): refused, nothing changed, reward 0.

What is asked of the planes is the same for every task and asked once for an audit, in episodes of one task; the store
is forged for each task, with the very rows that its oracle leaves.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from deskgym_graders.codec import encode_raw
from deskgym_graders.oracle import carry_out
from deskgym_graders.verdict import Verdict

from ..client import Client
from ..episode import Episode
from ..errors import DeskgymError
from . import probes
from .case import Case, PlacedWorld
from .planes import Planes, both_planes, client_of
from .report import Gate
from .shared import once, subject

Forgery = Callable[[sqlite3.Connection], None]
_JOURNAL = ("jrn_command", "jrn_effect")


def a9_attacks(case: Case) -> Gate:
    """The probes of both planes, and a store written past the services."""
    tried, faults = attack_faults(case.world)
    forged, earned = forgery_faults(case)
    return Gate("A9", tried + forged, (*faults, *earned), shared=tried)


# --- The planes -------------------------------------------------------------------------------------------


def attack_faults(world: PlacedWorld) -> tuple[int, tuple[str, ...]]:
    """How many kinds of attack were made on a live episode, and what they found; once for an audit."""
    return once(world, "the planes", tuple[int, tuple[str, ...]], lambda: _attack_faults(world))


def _attack_faults(world: PlacedWorld) -> tuple[int, tuple[str, ...]]:
    task, found = subject(world), list[Sequence[str]]()
    with both_planes(world) as planes, client_of(planes) as client:
        try:
            for faults in attacks(planes, client, task.template, task.seed, world.name):
                found.append(faults)  # one by one, since an attack that gets through may end the episode
        except DeskgymError as error:
            found.append([f"after the attacks the episode cannot be asked: {error.message}"])
    return len(found), tuple(fault for faults in found for fault in faults)


def attacks(planes: Planes, client: Client, template: str, seed: int, world: str) -> Iterator[Sequence[str]]:
    """What each kind of attack finds on an episode of a task; after them it must be as it was."""
    with client.start(template, seed=seed, world=world) as episode:
        before, own = episode.state_hash(), episode.token
        guesses = ("admin", own, "x" * 43)
        yield probes.control_on_the_agents_port(planes.agent_url, own, (*guesses, planes.token))
        yield probes.control_answers_strangers(planes.control_url, (*guesses, planes.token[:-1]), episode.id)
        yield probes.files_of_the_server(planes.agent_url, own)
        yield probes.things_no_tool_offers(planes.agent_url, own)
        yield probes.posts_from_elsewhere(planes.agent_url, own)
        episode.reset()
        yield probes.work_of_a_former_token(planes.agent_url, own)
        same = (episode.state_hash(), episode.seq(), episode.sealed) == (before, 0, False)
        yield [] if same else ["an attack changed the episode"]
        episode.submit()
        verdict = episode.grade()
        yield (
            [] if verdict.reward == 0.0 else [f"after the attacks the verdict is {verdict.reward}: {verdict.feedback}"]
        )


# --- The store --------------------------------------------------------------------------------------------


def _without_triggers(store: sqlite3.Connection, work: Callable[[], None]) -> None:
    triggers = store.execute("SELECT name, sql FROM main.sqlite_schema WHERE type = 'trigger' ORDER BY name").fetchall()
    for name, _ in triggers:
        store.execute(f'DROP TRIGGER "{name}"')
    work()
    for _, sql in triggers:
        store.execute(sql)


def _written(store: sqlite3.Connection) -> list[str]:
    """The tables in which the oracle's work is: a careful forger leaves the others alone."""
    rows = store.execute("SELECT DISTINCT tbl FROM solved.jrn_effect ORDER BY tbl").fetchall()
    return [*(str(name) for (name,) in rows), *_JOURNAL]


def _take_rows(store: sqlite3.Connection, tables: Sequence[str]) -> None:
    """Replace the rows of some tables by those of the solved store."""

    def work() -> None:
        for table in tables:
            store.execute(f'DELETE FROM main."{table}"')
            store.execute(f'INSERT INTO main."{table}" SELECT * FROM solved."{table}"')

    _without_triggers(store, work)


def rows_without_commands(store: sqlite3.Connection) -> None:
    """All rows as the oracle leaves them, and no command that made them."""
    _take_rows(store, [name for name in _written(store) if name not in _JOURNAL])


def commands_without_effects(store: sqlite3.Connection) -> None:
    """All rows and commands as the oracle leaves them, and no effect."""
    _take_rows(store, [name for name in _written(store) if name != "jrn_effect"])


def commands_that_say_else(store: sqlite3.Connection) -> None:
    """Everything as the oracle leaves it, but the commands were given nothing."""
    _take_rows(store, _written(store))
    _without_triggers(store, lambda: _empty_arguments(store))


def _empty_arguments(store: sqlite3.Connection) -> None:
    store.execute("UPDATE jrn_command SET arguments = '{}'")


def everything_unguarded(store: sqlite3.Connection) -> None:
    """Everything as the oracle leaves it, in a store whose triggers are gone."""
    _take_rows(store, _written(store))
    for (name,) in store.execute("SELECT name FROM main.sqlite_schema WHERE type = 'trigger' ORDER BY name").fetchall():
        store.execute(f'DROP TRIGGER "{name}"')


FORGERIES: tuple[Forgery, ...] = (
    rows_without_commands,
    commands_without_effects,
    commands_that_say_else,
    everything_unguarded,
)


def forgery_faults(case: Case) -> tuple[int, list[str]]:
    """P4: how many ways there are to bring the oracle's rows into a fresh store past the services, and which earn."""
    with Episode.start(case.task, world=case.world) as solved:
        carry_out(solved.store, case.task, case.task.oracle)
        if not solved.seq():
            return 0, []  # the answer alone is asked for: there are no rows to forge
        solved.store.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert solved.folder is not None
        image = solved.folder / "store.db"
        graded = [(forgery, _graded(case, forgery, image)) for forgery in FORGERIES]
    return len(graded), [
        f"{(forgery.__doc__ or '').rstrip('.')}: {verdict.status} {verdict.reward} ({verdict.reason})"
        for forgery, verdict in graded
        if (verdict.reward, verdict.reason) != (0.0, "INTEGRITY")
    ]


def _graded(case: Case, forgery: Forgery, solved: Path) -> Verdict:
    with Episode.start(case.task, world=case.world) as episode:
        assert episode.folder is not None
        store = sqlite3.connect(episode.folder / "store.db", isolation_level=None)
        try:
            store.execute("PRAGMA foreign_keys = OFF")
            store.execute("ATTACH ? AS solved", (str(solved),))
            store.execute("BEGIN")
            forgery(store)
            store.execute("COMMIT")
        finally:
            store.close()
        own = case.task.submission
        episode.submit(own.status, reason_code=own.reason_code, answer=encode_raw(own.answer))
        return episode.grade()
